#ifndef PASSES_PART_COST_H
#define PASSES_PART_COST_H

#include "ir/plan.h"
#include "passes/cost/objective.h"
#include "passes/pass.h"

/* What the parts of a function are chosen by: its groups, its merged nests, and those by themselves.  By their bytes, unless commands or time
 * have a price: then each part's plan is measured. */

bool parts_are_measured(const struct compilation *compilation);
/* As objective_of, of parts. */
struct objective part_objective(const struct compilation *compilation, enum ranking ranking);
/* What a part costs at least that moves so many BYTES. */
struct cost part_least_cost(const struct compilation *compilation, double bytes);
/* So many bytes cost as much as COST, or a little more, if nothing else does. */
double part_bytes_within(const struct compilation *compilation, const struct cost *cost);
/* What a part may be thought to cost, before it is measured, of which it is asked whether it costs less than MOST. */
struct cost part_estimate_within(const struct compilation *compilation, const struct cost *most);
/* Fills in the cycles of OUT as if nothing but its bytes took some. */
void part_forget_measures(const struct arch *arch, struct plan_nest *out);
/* Fills in the commands and cycles of OUT, a part that was lowered into PLAN, with what its core computes if that takes time.  Its nodes are
 * of no use then.  Where they are too many to be walked its bytes alone count. */
void part_measure(const struct plan *plan, struct plan_nest *out);

#endif
