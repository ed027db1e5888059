#ifndef PASSES_PART_COST_H
#define PASSES_PART_COST_H

#include "ir/plan.h"
#include "passes/cost/objective.h"
#include "passes/pass.h"

/* What the parts of a function are chosen by: its groups, its merged nests, and those by themselves.  By their bytes, unless something else has a
 * price: commands or time, and then each part's plan is measured; or what is computed, as energy has. */

/* Something besides bytes has a price. */
bool parts_are_priced(const struct compilation *compilation);
/* Commands or cycles have one. */
bool parts_are_measured(const struct compilation *compilation);
/* As objective_of, of parts. */
struct objective part_objective(const struct compilation *compilation, enum ranking ranking);
/* What a part costs at least that moves so many BYTES. */
struct cost part_least_cost(const struct compilation *compilation, double bytes);
/* What it costs that a core does so many MACS, into whose memory READ bytes come from outside. */
double part_core_price(const struct compilation *compilation, double macs, double read);
/* So many bytes cost as much as COST, or a little more, if nothing else does but what is computed, which costs COMPUTING at least. */
double part_bytes_within(const struct compilation *compilation, const struct cost *cost, double computing);
/* What a part may be thought to cost, before it is measured, of which it is asked whether it costs less than MOST. */
struct cost part_estimate_within(const struct compilation *compilation, const struct cost *most);
/* Fills in the commands and cycles of OUT as if nothing but its bytes took some. */
void part_forget_measures(const struct arch *arch, struct plan_nest *out);
/* Whether a plan that is only weighed does not tell all that parts are chosen by. */
bool part_needs_plan(const struct compilation *compilation);
/* Fills in what OUT, a part that was lowered into PLAN, costs besides its bytes: its commands and cycles, with what its core computes if that takes
 * time; and what it computes.  Where its nodes are too many to be walked its bytes alone take time.  Of what is only weighed and needs no plan,
 * PLAN may be NULL; else its nodes are of no use then. */
void part_measure(const struct compilation *compilation, const struct plan *plan, struct plan_nest *out);

#endif
