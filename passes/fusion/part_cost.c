#include "passes/fusion/part_cost.h"

#include <math.h>

#include "ir/plan_count.h"
#include "ir/plan_time.h"
#include "passes/cost/run_cycles.h"
#include "passes/plan_passes/simplify.h"
#include "passes/plan_passes/split.h"

/* Of a product of energy and cycles the cycles stand for all: fewer bytes take less of both. */
static struct prices prices_of(const struct compilation *compilation)
{
	const struct prices *all = &compilation->request.restriction.prices;
	if (!prices_measure_plans(all))
		return (struct prices){ .byte = 0 };
	if (all->multiplies)
		return (struct prices){ .cycle = 1 };
	return (struct prices){ .byte = all->byte, .command = all->command, .cycle = all->cycle };
}

bool parts_are_measured(const struct compilation *compilation)
{
	return prices_measure_plans(&compilation->request.restriction.prices);
}

struct objective part_objective(const struct compilation *compilation, enum ranking ranking)
{
	const struct prices prices = prices_of(compilation);
	return objective_priced(ranking, &prices, false);
}

struct cost part_least_cost(const struct compilation *compilation, double bytes)
{
	struct cost cost = cost_of_bytes(bytes);
	if (parts_are_measured(compilation))
		cost.cycles = copy_cycles(compilation->arch, &cost.crossings[BOUNDARY_EXTERNAL], 0);
	return cost;
}

double part_bytes_within(const struct compilation *compilation, const struct cost *cost)
{
	const struct prices prices = prices_of(compilation);
	if (!prices_are_given(&prices))
		return cost_figure(cost, FIGURE_BYTES);
	/* copies take as long as their bytes cross the bus, and longer */
	const struct objective asked = objective_priced(RANK_ASKED, &prices, false);
	const struct arch *arch = compilation->arch;
	double rate = arch->bytes_per_cycle > 0 ? arch_dma_scale(arch) / arch->bytes_per_cycle / (arch->is_duplex ? 2 : 1) : 0;
	double price = prices.byte + prices.cycle * rate;
	return price > 0 ? floor(objective_value(&asked, cost) / price * (1 + 1e-9)) + 1 : INFINITY;
}

struct cost part_estimate_within(const struct compilation *compilation, const struct cost *most)
{
	/* estimates are seldom more than a few hundredths off */
	static const double OFF = 1.05;
	struct cost within = *most;
	if (!parts_are_measured(compilation))
		return within;
	within.crossings[BOUNDARY_EXTERNAL].bytes *= OFF;
	within.crossings[BOUNDARY_EXTERNAL].commands *= OFF;
	within.cycles *= OFF;
	return within;
}

void part_forget_measures(const struct arch *arch, struct plan_nest *out)
{
	const struct crossing crossing = { .bytes = (double)plan_nest_bytes(out) };
	out->commands = 0;
	out->cycles = copy_cycles(arch, &crossing, 0);
}

void part_measure(const struct plan *plan, struct plan_nest *out)
{
	enum { STEPS = 4000000 };
	struct plan own = *plan;
	struct plan_nest nest = *out;
	struct plan_traffic *traffic = ARENA_ARRAY(plan->arena, struct plan_traffic, plan->function->array_count + 1);
	struct plan_time time;
	own.nests = &nest;
	own.nest_count = 1;
	part_forget_measures(plan->arch, out);
	plan_simplify(&own);
	if (!split_transfers(&own))
		return;
	if (plan_count(nest.body, plan->function, STEPS, traffic))
		out->commands = (double)plan_traffic_commands(traffic, plan->function->array_count);
	if (plan_times(&own, &time))
		out->cycles = (double)time.cycles;
}
