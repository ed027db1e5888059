#include "passes/cost/plan_cost.h"

struct cost plan_nest_cost(const struct plan_nest *nest)
{
	return (struct cost){
		.crossings = { [BOUNDARY_EXTERNAL] = { .bytes = (double)plan_nest_bytes(nest), .commands = nest->commands } },
		.cycles = nest->cycles, .computing_price = nest->computing_price,
		.scratchpad_bytes = (double)nest->scratchpad_used_bytes };
}

struct cost plan_cost(const struct plan *plan)
{
	struct cost all = { .work = 0 };

	for (int n = 0; n < plan->nest_count; n++) {
		const struct cost own = plan_nest_cost(&plan->nests[n]);

		all = cost_sum(&all, &own);
	}
	return all;
}

int plan_nest_compare(const struct plan_nest *one, const struct plan_nest *other)
{
	const struct objective asked = objective_of(RANK_ASKED);
	const struct cost mine = plan_nest_cost(one), its = plan_nest_cost(other);

	return objective_compare(&asked, &mine, &its);
}

bool plan_nest_reaches(const struct plan_nest *nest, long bytes)
{
	return plan_nest_bytes(nest) <= bytes;
}

bool plan_reaches(const struct plan *plan, long bytes)
{
	return plan_bytes(plan) <= bytes;
}

void plan_nest_judge(struct plan_nest *nest)
{
	nest->optimal = plan_nest_reaches(nest, nest->bound_bytes);
}
