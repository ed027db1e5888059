#ifndef PASSES_SEARCH_SPACE_H
#define PASSES_SEARCH_SPACE_H

#include "passes/search/search_tree.h"

/* All that is searched for MODEL on ARCH; no schedule moves less than LEAST_BYTES.  Cleared by
 * space_clear. */
void space_init(struct space *space, const struct nest_model *model,
	const struct arch *arch, const struct search_options *options, bool is_double,
	double least_bytes);
void space_clear(struct space *space);

/* Arrays may lie where SPACE's options and ELEMENTS (NULL: none compute) allow it. */
void space_allow(struct space *space, const struct element_options *elements);
/* Each array lies in one of the memories that are allowed: the first way, with which a
 * space begins, and the next; false: that was the last, and the first is next.  Ways that differ in names of arrays only
 * are one. */
void space_assign_first(struct space *space);
bool space_assign_next(struct space *space);
/* How many ways there are, MEMORY_ASSIGNMENTS at most; *IS_ALL: there are no more. */
int space_assignments(const struct space *space, bool *is_all);

/* SPACE with at most COUNT sizes a loop, or those within COUNT places of SCHEDULE's. */
void space_thin(struct space *thin, const struct space *space, int count,
	const struct schedule *schedule);
/* Of the sizes of LOOP the least for each alignment that larger ones may have. */
void space_keep_small(struct space *space, int loop);

#endif
