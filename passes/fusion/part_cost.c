#include "passes/fusion/part_cost.h"

#include <math.h>

#include "ir/energy.h"
#include "ir/plan_count.h"
#include "ir/plan_time.h"
#include "passes/cost/run_cycles.h"
#include "passes/plan_passes/simplify.h"
#include "passes/plan_passes/split.h"

/* Of a product of energy and cycles the cycles stand for all: fewer bytes take less of both. */
static struct prices prices_of(const struct compilation *compilation)
{
	const struct prices *all = &compilation->request.restriction.prices;
	if (all->multiplies)
		return (struct prices){ .cycle = 1 };
	/* what is accessed on chip belongs to what is computed */
	return (struct prices){ .byte = all->byte - all->access, .command = all->command, .cycle = all->cycle,
		.picojoule = all->picojoule, .scratchpad = all->scratchpad };
}

bool parts_are_priced(const struct compilation *compilation)
{
	const struct prices prices = prices_of(compilation);
	return prices_are_given(&prices);
}

bool parts_are_measured(const struct compilation *compilation)
{
	const struct prices prices = prices_of(compilation);
	return prices.command > 0 || prices.cycle > 0;
}

bool part_needs_plan(const struct compilation *compilation)
{
	return parts_are_measured(compilation) || (parts_are_priced(compilation) && compilation->arch->has_pe_array);
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

/* ---- what is computed ---- */

/* Of the energy of COUNTS, all but what external memory takes, and what leaks away meanwhile: bytes and cycles have prices of their own. */
static double computing_pj(const struct arch *arch, const struct energy_counts *counts)
{
	struct energy energy = energy_of(arch, counts);
	energy.dram_pj = energy.leakage_pj = 0;
	return energy_total_pj(&energy);
}

double part_core_price(const struct compilation *compilation, double macs, double read)
{
	/* bytes of elements: what a plan has of these is not known where a core computes a part, so that all others are better */
	static const double UNKNOWN = 1e12, MOST_MACS = 1e18;
	const struct prices prices = prices_of(compilation);
	const struct arch *arch = compilation->arch;
	if (!prices_have_computing(&prices))
		return 0;
	struct energy_counts counts = { .macs = (long)fmin(macs, MOST_MACS), .read_bytes = (long)read, .scratchpad_bytes = arch_held_bytes(arch) };
	/* what moves between registers and memories is known when all is lowered */
	counts.register_macs = arch->energy_register_file_bytes ? counts.macs : 0;
	counts.accessed_bytes[0] = counts.read_bytes;
	return prices.picojoule * computing_pj(arch, &counts) + prices.scratchpad * UNKNOWN;
}

static double elements_price(const struct compilation *compilation, const struct plan_nest *out)
{
	const struct prices prices = prices_of(compilation);
	const struct arch *arch = compilation->arch;
	const struct energy_counts counts = energy_counts_of_nest(arch, out, arch_held_bytes(arch));
	double pj = counts.macs < 0 ? 0 : computing_pj(arch, &counts);
	return prices.picojoule * pj + prices.scratchpad * plan_array_bytes(arch, out->elements);
}

static double price_of_computing(const struct compilation *compilation, const struct plan_nest *out)
{
	double read = 0;
	for (int t = 0; t < out->traffic_count; t++)
		read += (double)out->traffic[t].flow.read_bytes;
	return out->elements ? elements_price(compilation, out) : part_core_price(compilation, fmax(0, (double)out->macs), read);
}

double part_bytes_within(const struct compilation *compilation, const struct cost *cost, double computing)
{
	const struct prices prices = prices_of(compilation);
	if (!prices_are_given(&prices))
		return cost_figure(cost, FIGURE_BYTES);
	/* copies take as long as their bytes cross the bus, and longer */
	const struct objective asked = objective_priced(RANK_ASKED, &prices, false);
	const struct arch *arch = compilation->arch;
	double rate = arch->bytes_per_cycle > 0 ? arch_dma_scale(arch) / arch->bytes_per_cycle / (arch->is_duplex ? 2 : 1) : 0;
	double price = prices.byte + prices.cycle * rate;
	return price > 0 ? floor((objective_value(&asked, cost) * (1 + 1e-9) - computing) / price) + 1 : INFINITY;
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

/* The commands and cycles of OUT in PLAN, unless its nodes are too many. */
static void walk(const struct plan *plan, struct plan_nest *out)
{
	enum { STEPS = 4000000 };
	struct plan own = *plan;
	struct plan_nest nest = *out;
	struct plan_traffic *traffic = ARENA_ARRAY(plan->arena, struct plan_traffic, plan->function->array_count + 1);
	struct plan_time time;
	own.nests = &nest;
	own.nest_count = 1;
	plan_simplify(&own);
	if (!split_transfers(&own))
		return;
	if (plan_count(nest.body, plan->function, STEPS, traffic))
		out->commands = (double)plan_traffic_commands(traffic, plan->function->array_count);
	if (plan_times(&own, &time))
		out->cycles = (double)time.cycles;
}

void part_measure(const struct compilation *compilation, const struct plan *plan, struct plan_nest *out)
{
	out->computing_price = price_of_computing(compilation, out);
	if (!parts_are_measured(compilation))
		return;
	part_forget_measures(compilation->arch, out);
	walk(plan, out);
}
