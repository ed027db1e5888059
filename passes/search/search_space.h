#ifndef PASSES_SEARCH_SPACE_H
#define PASSES_SEARCH_SPACE_H

#include "passes/search/search_tree.h"

/* All that is searched for MODEL on ARCH; no schedule moves less than LEAST_BYTES.  Cleared by
 * space_clear. */
void space_init(struct space *space, const struct nest_model *model,
	const struct arch *arch, const struct search_options *options, bool is_double,
	double least_bytes);
void space_clear(struct space *space);
/* SPACE with at most COUNT sizes a loop, or those within COUNT places of SCHEDULE's. */
void space_thin(struct space *thin, const struct space *space, int count,
	const struct schedule *schedule);
/* Of the sizes of LOOP the least for each alignment that larger ones may have. */
void space_keep_small(struct space *space, int loop);

#endif
