#ifndef PASSES_CLOSED_H
#define PASSES_CLOSED_H

#include "passes/regions/visit.h"

/* The provider of regions that have a closed form (lowering.regions): makes all buffers, in the
 * places that the schedule gives them, and says what their visits move.  False if, with symbolic
 * sizes, some closed form does not hold for all of them. */
bool make_closed_buffers(struct lowering *lowering);
/* What visits of array A's buffer bring and take out, without a buffer. */
struct visit closed_visit(struct lowering *lowering, int a);
/* The elements of dimension D of array A that COUNT iterations of each loop of the band touch from FIRST on, within what is
 * touched at all: from *BEGIN on, *LENGTH of them; less than 1: none. */
void closed_box(struct lowering *lowering, int a, int d, struct plan_expr *const *first,
	struct plan_expr *const *count, struct plan_expr **begin, struct plan_expr **length);

#endif
