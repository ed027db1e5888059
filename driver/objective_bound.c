/* What no plan for an objective has less of. */

#include "driver/objective.h"

#include <limits.h>
#include <math.h>

#include "ir/energy.h"
#include "passes/cost/run_cycles.h"

/* ---- of any plan ---- */

/* Cycles that a multiply-accumulate takes at least: all elements work at the same time, if nests are
 * computed by them. */
static double least_mac_cycles(const struct plan *plan)
{
	const struct pe_array *array = &plan->arch->array;
	double shared = array->mac_cycles / ((double)array->x * (double)array->y);
	bool are_elements = plan->nest_count > 0, may_be = plan->arch->has_pe_array && array->mac_cycles > 0;
	for (int n = 0; n < plan->nest_count; n++)
		are_elements &= plan->nests[n].elements != NULL;
	if (!may_be || !are_elements)
		shared = may_be ? fmin(shared, plan->arch->core_mac_cycles) : plan->arch->core_mac_cycles;
	return shared;
}

/* Bytes that a command moves at most: a memory on chip. */
static double most_command_bytes(const struct arch *arch)
{
	long most = 0;
	for (int m = 0; m < arch_memory_count(arch); m++)
		most = arch_memory(arch, m).bytes > most ? arch_memory(arch, m).bytes : most;
	return (double)most;
}

/* At least BYTES cross the bus, by commands that move no more than there is room for; and what the source computes is computed. */
static double least_cycles(const struct plan *plan, double bytes, double macs)
{
	const struct arch *arch = plan->arch;
	double most = arch->bypass_memory ? 0 : most_command_bytes(arch);
	const struct crossing crossing = { .bytes = bytes, .commands = most > 0 ? ceil(bytes / most * (1 - 1e-12)) : 0 };
	return fmax(ceil(copy_cycles(arch, &crossing, 0)), ceil(macs * least_mac_cycles(plan) * (1 - 1e-12)));
}

/* As if all that crosses were written, and the scratchpad were as small as can be paid for; of a run of so many CYCLES. */
static double least_energy(const struct plan *plan, long bytes, long macs, double cycles)
{
	const struct arch *arch = plan->arch;
	bool has_registers = arch->energy_register_file_bytes > 0 || arch->has_pe_array;
	const struct energy_counts counts = { .macs = macs, .write_bytes = bytes,
		.register_macs = has_registers ? macs : 0,
		.scratchpad_bytes = arch->energy_is_sized_by_schedule ? 0 : arch->scratchpad_bytes,
		.cycles = (long)cycles };
	struct energy energy = energy_of(arch, &counts);
	/* operands may come from where they are cheaper */
	if (has_registers)
		energy.register_pj = 0;
	return energy_total_pj(&energy) * (1 - 1e-12);
}

/* PLAN's only nest is the function's only one. */
static bool is_one_nest(const struct plan *plan)
{
	return plan->nest_count == 1 && plan->nests[0].source_count == 1;
}

/* What elements make of such a nest; NULL: there is none, or a core computes it. */
static const struct plan_array *only_elements(const struct plan *plan)
{
	return is_one_nest(plan) ? plan->nests[0].elements : NULL;
}

/* Elements that compute a nest which is all of the function move no fewer bytes from and to memories on chip. */
static double least_array_bytes(const struct plan *plan)
{
	/* what bypasses memories is words of elements, and none of the scratchpad */
	const struct plan_array *elements = plan->arch->bypass_memory ? NULL : only_elements(plan);
	int smallest = INT_MAX;
	for (int i = 0; elements && i < elements->count; i++)
		smallest = elements->words[i].array->type.bytes < smallest ? elements->words[i].array->type.bytes : smallest;
	return elements ? (double)elements->bound_words * smallest : 0;
}

/* ---- what searches have shown ---- */

/* What a plan of MACS multiply-accumulates has of a sum with RATES, whatever is chosen. */
static double fixed_part(const struct prices *rates, long macs)
{
	return rates->mac * (double)macs;
}

/* The largest number that, times each price of SEARCHED but that of a cycle, is no more than RATES. */
static double scale_of(const struct prices *rates, const struct objective_searched *searched)
{
	const struct prices *prices = &searched->prices;
	const double pairs[][2] = { { rates->byte, prices->byte }, { rates->byte - rates->access, prices->byte - prices->access }, { rates->command, prices->command },
		{ rates->moved, prices->moved }, { rates->delivered, prices->delivered },
		{ rates->reduced, prices->reduced } };
	double scale = INFINITY;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if (pairs[i][1] > 0)
			scale = fmin(scale, pairs[i][0] / pairs[i][1]);
	return scale;
}

/* The part of what was searched that a plan has a choice about: it has MACS multiply-accumulates. */
static double searched_choice(const struct objective_searched *searched, long macs)
{
	return searched->value - searched->prices.mac * (double)macs;
}

/* No plan has less of a sum with RATES. */
static double searched_sum(const struct prices *rates, const struct objective_searched *searched, long macs)
{
	const struct prices *prices = &searched->prices;
	double scale = scale_of(rates, searched);
	if (prices->cycle > 0)
		scale = fmin(scale, rates->cycle / prices->cycle);
	return (fixed_part(rates, macs) + (prices->multiplies ? 0 : scale * searched_choice(searched, macs))) * (1 - 1e-12);
}

/* No plan's energy times cycles is less, if these are no less than ENERGY and CYCLES.  A search has shown this of the product;
 * or that energy and some more for each cycle are no less than what it found: along that line the product is least
 * at an end. */
static double searched_product(const struct plan *plan, const struct objective_searched *searched, double energy,
	double cycles, long macs)
{
	const double weights[PLAN_FIGURE_COUNT] = { [PLAN_ENERGY] = 1 };
	const struct prices rates = objective_prices(weights, plan->arch, 1);
	const struct prices *prices = &searched->prices;
	double scale = scale_of(&rates, searched), slope = scale * prices->cycle - rates.cycle;
	if (prices->multiplies) {
		if (prices->mac > 0 && macs > 0)
			scale = fmin(scale, rates.mac / prices->mac);
		if (prices->cycle > 0)
			scale = fmin(scale, rates.cycle / prices->cycle);
		return fmax(energy * cycles, scale * searched->value * (1 - 1e-12));
	}
	double sum = (fixed_part(&rates, macs) + scale * searched_choice(searched, macs)) * (1 - 1e-12);
	if (slope <= 0 || sum <= energy + slope * cycles)
		return energy * cycles;
	return fmin(energy * (sum - energy) / slope, (sum - slope * cycles) * cycles) * (1 - 1e-12);
}

/* Puts into FIGURES [PLAN_FIGURE_COUNT] what any plan has at least that moves so many BYTES or more. */
static void least_figures(const struct plan *plan, long bytes, long macs, double *figures)
{
	bytes = bytes > 0 ? bytes : 0;
	for (int f = 0; f < PLAN_FIGURE_COUNT; f++)
		figures[f] = 0;
	figures[PLAN_TRAFFIC] = (double)bytes;
	figures[PLAN_CYCLES] = least_cycles(plan, (double)bytes, (double)macs);
	figures[PLAN_ENERGY] = least_energy(plan, bytes, macs, figures[PLAN_CYCLES]);
	figures[PLAN_SCRATCHPAD] = least_array_bytes(plan);
	figures[PLAN_EDP] = figures[PLAN_ENERGY] * figures[PLAN_CYCLES];
}

/* Raises energy and its product with cycles in FIGURES to what was SEARCHED [COUNT]. */
static void raise_figures(const struct plan *plan, const struct objective_searched *searched, int count, long macs,
	double *figures)
{
	const double weights[PLAN_FIGURE_COUNT] = { [PLAN_ENERGY] = 1 };
	for (int i = 0; i < count; i++) {
		const struct prices rates = objective_prices(weights, plan->arch, 1);
		figures[PLAN_ENERGY] = fmax(figures[PLAN_ENERGY], searched_sum(&rates, &searched[i], macs));
	}
	for (int i = 0; i < count; i++)
		figures[PLAN_EDP] = fmax(figures[PLAN_EDP], searched_product(plan, &searched[i], figures[PLAN_ENERGY],
			figures[PLAN_CYCLES], macs));
}

double objective_bound(const struct plan_objective *objective, const struct plan *plan,
	const struct objective_searched *searched, int count, long macs, bool *is_of_space)
{
	const double *weights = objective->weight[0];
	double figures[PLAN_FIGURE_COUNT];
	long known_macs = macs > 0 ? macs : 0, bytes = plan->bounds.lower_bound_bytes;
	least_figures(plan, bytes, known_macs, figures);
	double bound = objective_sum(objective, 0, figures), of_any = bound;
	/* what bypasses memories leaves others more room than that was found for */
	if (plan->bounds.bound_bytes > bytes && !plan->arch->bypass_memory)
		least_figures(plan, plan->bounds.bound_bytes, known_macs, figures);
	count = is_one_nest(plan) && macs >= 0 && (only_elements(plan) || !plan->arch->has_pe_array) ? count : 0;
	if (energy_is_known(plan->arch))
		raise_figures(plan, searched, count, macs, figures);
	bound = fmax(bound, objective_sum(objective, 0, figures));
	for (int i = 0; i < count; i++) {
		const struct prices rates = objective_prices(weights, plan->arch, 1);
		double product = weights[PLAN_EDP] > 0 ? weights[PLAN_EDP] * figures[PLAN_EDP] : 0;
		bound = fmax(bound, searched_sum(&rates, &searched[i], macs) + product);
	}
	*is_of_space = bound > of_any;
	return bound;
}
