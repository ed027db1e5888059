#ifndef PASSES_NAME_VALUES_H
#define PASSES_NAME_VALUES_H

#include "ir/plan.h"

/* Names what many expressions of PLAN have in common, for people who read the plan or
 * the C: the first iteration of a tile and the number of its iterations.  Changes no
 * value, so it belongs after all passes that look at expressions. */
void plan_name_values(struct plan *plan);

#endif
