#ifndef PASSES_PLAN_COST_H
#define PASSES_PLAN_COST_H

#include "ir/plan.h"
#include "passes/cost/objective.h"

/* What plans cost, by their own count. */

/* What NEST moves and the scratchpad that it uses; its commands and cycles, if they were measured.  Its runs would take long to be
 * counted: who knows them from elsewhere fills them in. */
struct cost plan_nest_cost(const struct plan_nest *nest);
/* What all nests of PLAN cost. */
struct cost plan_cost(const struct plan *plan);
/* < 0: ONE is better than OTHER in what is asked for. */
int plan_nest_compare(const struct plan_nest *one, const struct plan_nest *other);
/* Nothing is better than NEST, or PLAN, where nothing moves less than BYTES. */
bool plan_nest_reaches(const struct plan_nest *nest, long bytes);
bool plan_reaches(const struct plan *plan, long bytes);
/* Fills in whether NEST is optimal: what it says of bounds is known. */
void plan_nest_judge(struct plan_nest *nest);

#endif
