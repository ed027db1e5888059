#include "driver/objective.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/report.h"
#include "codegen/report_time.h"
#include "ir/energy.h"

const char *const plan_figure_names[PLAN_FIGURE_COUNT] = { "traffic", "commands", "cycles", "energy", "edp",
	"scratchpad" };

/* ---- the option ---- */

/* The figure that TEXT begins with, of LENGTH letters; -1: none. */
static int figure_named(const char *text, size_t length)
{
	for (int f = 0; f < PLAN_FIGURE_COUNT; f++)
		if (strlen(plan_figure_names[f]) == length && !strncmp(plan_figure_names[f], text, length))
			return f;
	return -1;
}

/* One term, "FIGURE" or "WEIGHT*FIGURE", of a sum; what follows it, or NULL. */
static const char *parse_term(const char *text, double *weights)
{
	double weight = 1;
	if (strchr("0123456789.", *text)) {
		char *end;
		weight = strtod(text, &end);
		if (*end != '*' || !(weight > 0) || !isfinite(weight))
			return NULL;
		text = end + 1;
	}
	size_t length = strcspn(text, "+,");
	int figure = figure_named(text, length);
	if (figure < 0 || weights[figure] > 0)
		return NULL;
	weights[figure] = weight;
	return text + length;
}

bool objective_parse(const char *text, struct plan_objective *objective)
{
	*objective = (struct plan_objective){ .text = text };
	for (;;) {
		double *weights = objective->weight[objective->count++];
		do
			text = parse_term(text, weights);
		while (text && *text == '+' && text++);
		if (!text || !*text)
			return text;
		if (objective->count == OBJECTIVE_SUMS)
			return false;
		text++;
	}
}

bool objective_is_traffic(const struct plan_objective *objective)
{
	bool is_alone = objective->count == 1;
	for (int f = 0; f < PLAN_FIGURE_COUNT; f++)
		is_alone &= (objective->weight[0][f] > 0) == (f == PLAN_TRAFFIC);
	return is_alone;
}

bool objective_asks_for(const struct plan_objective *objective, enum plan_figure figure)
{
	for (int s = 0; s < objective->count; s++)
		if (objective->weight[s][figure] > 0)
			return true;
	return false;
}

bool objective_asks_for_time(const struct plan_objective *objective, const struct arch *arch)
{
	return objective_asks_for(objective, PLAN_CYCLES) || objective_asks_for(objective, PLAN_EDP)
		|| (arch->energy_leakage_pj > 0 && objective_asks_for(objective, PLAN_ENERGY));
}

const char *objective_lacks(const struct plan_objective *objective, const struct arch *arch)
{
	bool asks_energy = objective_asks_for(objective, PLAN_ENERGY) || objective_asks_for(objective, PLAN_EDP);
	if (objective_asks_for_time(objective, arch) && !arch_has_clock(arch))
		return "what takes time: dma.startup_cycles, core.mac_cycles or pe_array.mac_cycles";
	if (objective_asks_for(objective, PLAN_SCRATCHPAD) && !arch->has_pe_array)
		return "what reads the scratchpad: pe_array";
	return asks_energy && !energy_is_known(arch) ? "prices of energy: energy_pj" : NULL;
}

/* ---- prices ---- */

/* Adds WEIGHT times the prices of a picojoule on ARCH, whose elements compute, to PRICES.  Of memories whose accesses have several prices the least
 * counts: what is shown of it holds of all. */
static void add_energy_prices(const struct arch *arch, double weight, struct prices *prices)
{
	double words = weight * 8.0 / arch->energy_word_bits;
	double access = energy_least_access_pj(arch);
	/* what comes from outside is written into the scratchpad, and what leaves is read from it */
	prices->byte += words * (arch->energy_dram_pj + access);
	prices->access += words * access;
	prices->moved += words * access;
	prices->delivered += words * arch->energy_network_pj;
	prices->reduced += words * energy_reduce_pj(arch);
	prices->mac += weight * (arch->energy_mac_pj + energy_operands_pj(arch));
	prices->cycle += weight * arch->energy_leakage_pj;
}

/* The same where a core computes: what it takes from registers or the scratchpad, and what comes into that, may cost nothing where it is not known. */
static void add_core_energy_prices(const struct arch *arch, double weight, struct prices *prices)
{
	prices->byte += weight * 8.0 / arch->energy_word_bits * arch->energy_dram_pj;
	prices->mac += weight * (arch->energy_mac_pj + (arch->energy_register_file_bytes > 0 ? 0 : energy_scratchpad_operands_pj(arch)));
	prices->cycle += weight * arch->energy_leakage_pj;
}

struct prices objective_prices(const double *weights, const struct arch *arch, double scale)
{
	struct prices prices = { .byte = scale * weights[PLAN_TRAFFIC], .command = scale * weights[PLAN_COMMANDS],
		.moved = scale * weights[PLAN_SCRATCHPAD], .scratchpad = scale * weights[PLAN_SCRATCHPAD], .cycle = scale * weights[PLAN_CYCLES] };
	if (energy_is_known(arch))
		prices.picojoule = scale * weights[PLAN_ENERGY];
	if (weights[PLAN_ENERGY] > 0 && energy_is_known(arch) && arch->has_pe_array)
		add_energy_prices(arch, scale * weights[PLAN_ENERGY], &prices);
	else if (weights[PLAN_ENERGY] > 0 && energy_is_known(arch))
		add_core_energy_prices(arch, scale * weights[PLAN_ENERGY], &prices);
	return prices;
}

/* ---- figures ---- */

double objective_sum(const struct plan_objective *objective, int s, const double *figures)
{
	double sum = 0;
	for (int f = 0; f < PLAN_FIGURE_COUNT; f++)
		sum += objective->weight[s][f] > 0 ? objective->weight[s][f] * figures[f] : 0;
	return sum;
}

/* Of all nests together. */
void objective_figures(const struct plan_objective *objective, struct plan *plan, double *figures)
{
	const struct plan_time *times = objective_asks_for_time(objective, plan->arch) ? report_times(plan) : NULL;
	memset(figures, 0, sizeof *figures * PLAN_FIGURE_COUNT);
	for (int n = 0; n < plan->nest_count; n++) {
		struct energy energy;
		long commands = objective_asks_for(objective, PLAN_COMMANDS)
			? report_commands_of_nest(plan, &plan->nests[n]) : 0;
		figures[PLAN_TRAFFIC] += (double)plan_nest_bytes(&plan->nests[n]);
		figures[PLAN_COMMANDS] += commands < 0 ? NAN : (double)commands;
		figures[PLAN_CYCLES] += times ? (double)times[n].cycles : NAN;
		figures[PLAN_ENERGY] += report_energy_of_nest(plan, &plan->nests[n], times ? &times[n] : NULL, &energy)
			? energy_total_pj(&energy) : NAN;
		figures[PLAN_SCRATCHPAD] += plan->nests[n].elements ? plan_array_bytes(plan->arch, plan->nests[n].elements) : NAN;
	}
	figures[PLAN_EDP] = figures[PLAN_ENERGY] * figures[PLAN_CYCLES];
}

struct objective_values objective_values_of(const struct plan_objective *objective,
	const double *figures)
{
	struct objective_values values = { .is_known = true };
	for (int s = 0; s < objective->count; s++) {
		values.value[s] = objective_sum(objective, s, figures);
		values.is_known &= !isnan(values.value[s]);
	}
	return values;
}

int objective_values_compare(const struct plan_objective *objective,
	const struct objective_values *one, const struct objective_values *other)
{
	if (!one->is_known || !other->is_known)
		return other->is_known - one->is_known;
	for (int s = 0; s < objective->count; s++)
		if (one->value[s] != other->value[s])
			return one->value[s] < other->value[s] ? -1 : 1;
	return 0;
}
