#ifndef PASSES_HOLDS_H
#define PASSES_HOLDS_H

#include "passes/tiles/lowering.h"

/* Closed forms for all values of symbolic sizes. */

/* What array A's visits move in closed form holds what they touch, lies within the array,
 * and is written as a whole where it is not fetched.  FIRST and COUNT are of each dimension
 * of its region. */
bool region_holds(struct lowering *lowering, int a, struct plan_expr *const *first,
	struct plan_expr *const *count);

#endif
