#ifndef PASSES_SIMPLIFY_H
#define PASSES_SIMPLIFY_H

#include "ir/plan.h"

/* Folds in PLAN what the loops and conditions around a node decide: a condition that
 * holds or cannot hold there, a variable that has one value there, a transfer that
 * never moves anything. */
void plan_simplify(struct plan *plan);

#endif
