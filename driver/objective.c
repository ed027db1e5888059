#include "driver/objective.h"

#include <limits.h>
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

const char *objective_lacks(const struct plan_objective *objective, const struct arch *arch)
{
	bool asks_time = objective_asks_for(objective, PLAN_CYCLES) || objective_asks_for(objective, PLAN_EDP);
	bool asks_energy = objective_asks_for(objective, PLAN_ENERGY) || objective_asks_for(objective, PLAN_EDP);
	if (asks_time && !arch_has_clock(arch))
		return "what takes time: dma.startup_cycles, core.mac_cycles or pe_array.mac_cycles";
	if (objective_asks_for(objective, PLAN_SCRATCHPAD) && !arch->has_pe_array)
		return "what reads the scratchpad: pe_array";
	return asks_energy && !energy_is_known(arch) ? "prices of energy: energy_pj" : NULL;
}

/* ---- figures ---- */

static double sum_of(const struct plan_objective *objective, int s, const double *figures)
{
	double sum = 0;
	for (int f = 0; f < PLAN_FIGURE_COUNT; f++)
		sum += objective->weight[s][f] > 0 ? objective->weight[s][f] * figures[f] : 0;
	return sum;
}

/* Bytes that elements read from the scratchpad and write to it; NAN: a core computes NEST. */
static double array_bytes(const struct plan_nest *nest)
{
	double bytes = nest->elements ? 0 : NAN;
	for (int i = 0; nest->elements && i < nest->elements->count; i++) {
		const struct plan_words *words = &nest->elements->words[i];
		bytes += ((double)words->words[WORD_READ] + (double)words->words[WORD_WRITTEN]) * words->array->type.bytes;
	}
	return bytes;
}

/* Of all nests together. */
void objective_figures(const struct plan_objective *objective, struct plan *plan, double *figures)
{
	const struct plan_time *times = objective_asks_for(objective, PLAN_CYCLES) || objective_asks_for(objective, PLAN_EDP)
		? report_times(plan) : NULL;
	memset(figures, 0, sizeof *figures * PLAN_FIGURE_COUNT);
	for (int n = 0; n < plan->nest_count; n++) {
		struct energy energy;
		long commands = objective_asks_for(objective, PLAN_COMMANDS)
			? report_commands_of_nest(plan, &plan->nests[n]) : 0;
		figures[PLAN_TRAFFIC] += (double)plan_nest_bytes(&plan->nests[n]);
		figures[PLAN_COMMANDS] += commands < 0 ? NAN : (double)commands;
		figures[PLAN_CYCLES] += times ? (double)times[n].cycles : NAN;
		figures[PLAN_ENERGY] += report_energy_of_nest(plan, &plan->nests[n], &energy)
			? energy_total_pj(&energy) : NAN;
		figures[PLAN_SCRATCHPAD] += array_bytes(&plan->nests[n]);
	}
	figures[PLAN_EDP] = figures[PLAN_ENERGY] * figures[PLAN_CYCLES];
}

struct objective_values objective_values_of(const struct plan_objective *objective,
	const double *figures)
{
	struct objective_values values = { .is_known = true };
	for (int s = 0; s < objective->count; s++) {
		values.value[s] = sum_of(objective, s, figures);
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

/* ---- a bound ---- */

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

/* At least BYTES cross the bus, once it has started up; and what the source computes is computed. */
static double least_cycles(const struct plan *plan, double bytes, double macs)
{
	const struct arch *arch = plan->arch;
	double scale = arch_dma_scale(arch);
	double startup = (double)(arch->write_startup_cycles < arch->startup_cycles
		? arch->write_startup_cycles : arch->startup_cycles);
	/* with a bus for each direction half of it may go by each */
	double copying = bytes > 0 ? ceil((startup + bytes / arch->bytes_per_cycle
		/ (arch->is_duplex ? 2 : 1)) * scale * (1 - 1e-12)) : 0;
	return fmax(copying, ceil(macs * least_mac_cycles(plan) * (1 - 1e-12)));
}

/* As if all that crosses were written, and the scratchpad were as small as can be paid for. */
static double least_energy(const struct plan *plan, long bytes, long macs)
{
	const struct arch *arch = plan->arch;
	bool has_registers = arch->energy_register_file_bytes > 0;
	for (int n = 0; n < plan->nest_count; n++)
		has_registers |= plan->nests[n].elements != NULL;
	const struct energy_counts counts = { .macs = macs, .write_bytes = bytes,
		.register_macs = has_registers ? macs : 0,
		.scratchpad_bytes = arch->energy_is_sized_by_schedule ? 0 : arch->scratchpad_bytes };
	struct energy energy = energy_of(arch, &counts);
	/* operands may come from where they are cheaper */
	if (has_registers)
		energy.register_pj = 0;
	return energy_total_pj(&energy) * (1 - 1e-12);
}

/* What elements make of PLAN's only nest, if that is the function's only one; NULL: it is not, or a core computes it. */
static const struct plan_array *only_elements(const struct plan *plan)
{
	return plan->nest_count == 1 && plan->nests[0].source_count == 1 ? plan->nests[0].elements : NULL;
}

/* Elements that compute a nest which is all of the function move no fewer bytes. */
static double least_array_bytes(const struct plan *plan)
{
	const struct plan_array *elements = only_elements(plan);
	int smallest = INT_MAX;
	for (int i = 0; elements && i < elements->count; i++)
		smallest = elements->words[i].array->type.bytes < smallest ? elements->words[i].array->type.bytes : smallest;
	return elements ? (double)elements->bound_words * smallest : 0;
}

/* What a search with prices of elements has shown of traffic and bytes of the scratchpad, where these are what is asked for; 0:
 * nothing. */
static double searched_bound(const struct plan_objective *objective, const struct plan *plan,
	const struct element_price *price)
{
	const double *weights = objective->weight[0];
	const struct plan_array *elements = only_elements(plan);
	double weight = price->moved * weights[PLAN_TRAFFIC];
	bool is_searched = elements && weights[PLAN_TRAFFIC] > 0
		&& fabs(weight - weights[PLAN_SCRATCHPAD]) <= 1e-12 * weight && price->delivered <= 0 && price->reduced <= 0
		&& price->cycle <= 0;
	for (int f = 0; f < PLAN_FIGURE_COUNT; f++)
		is_searched &= f == PLAN_TRAFFIC || f == PLAN_SCRATCHPAD || weights[f] <= 0;
	return is_searched ? elements->priced_bound * weights[PLAN_TRAFFIC] * (1 - 1e-12) : 0;
}

double objective_bound(const struct plan_objective *objective, const struct plan *plan,
	const struct element_price *price, long macs)
{
	long bytes = plan->bounds.lower_bound_bytes > 0 ? plan->bounds.lower_bound_bytes : 0;
	macs = macs > 0 ? macs : 0;
	double figures[PLAN_FIGURE_COUNT] = { [PLAN_TRAFFIC] = (double)bytes,
		[PLAN_CYCLES] = least_cycles(plan, (double)bytes, (double)macs),
		[PLAN_ENERGY] = least_energy(plan, bytes, macs), [PLAN_SCRATCHPAD] = least_array_bytes(plan) };
	figures[PLAN_EDP] = figures[PLAN_ENERGY] * figures[PLAN_CYCLES];
	return fmax(sum_of(objective, 0, figures), searched_bound(objective, plan, price));
}
