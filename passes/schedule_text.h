#ifndef PASSES_SCHEDULE_TEXT_H
#define PASSES_SCHEDULE_TEXT_H

#include "passes/pass.h"

/* A schedule as text, one fact a line:
 *     tile LOOP SIZE          loops that are not named run whole
 *     order LOOP LOOP ...     tile loops, outermost first
 *     serpentine LOOP ...     those that turn
 *     store ARRAY outside | in LOOP [slots N] [sliding] [double]
 * `nest NAME` starts the facts of the nest of that name.  What --emit=schedule prints,
 * --schedule reads; `#pragma loopc FACT` before a loop states one for its nest. */
const char *schedule_print(struct arena *arena, const struct nest_model *model,
	const struct schedule *schedule);

/* Reads the facts TEXT states of nest NAME into MODEL's tiles and OPTIONS.  Lines of
 * other nests are skipped; HAS_HEADINGS: lines before any `nest` line are for all.
 * False after an error (diagnosed at AT's file, counting lines from AT). */
bool schedule_parse(struct diag *diag, struct location at, const char *text, const char *name,
	struct nest_model *model, struct search_options *options);

#endif
