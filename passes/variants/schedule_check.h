#ifndef PASSES_SCHEDULE_CHECK_H
#define PASSES_SCHEDULE_CHECK_H

#include "ir/program.h"
#include "passes/variants/schedule_lines.h"

/* What of a schedule is wrong whatever is found of the nests: headings that name none, lines of
 * no kind, with words too few or too many, given twice, or where they mean nothing.  LINES are
 * those of --schedule (NULL: none); the pragmas are PROGRAM's.  False after an error (diagnosed).
 * Warns of pragmas that give way to LINES. */
bool schedule_check(struct arena *arena, struct diag *diag, const struct program *program,
	const struct schedule_lines *lines);

/* "a, b.0 to b.2": the nests of PROGRAM, as headings may name them. */
const char *schedule_nest_names(struct arena *arena, const struct program *program);

#endif
