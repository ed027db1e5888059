#include "codegen/report.h"

#include <math.h>
#include <string.h>

#include <jansson.h>

#include "codegen/codegen.h"
#include "codegen/report_elements.h"
#include "codegen/report_memory.h"
#include "codegen/report_time.h"
#include "ir/energy.h"
#include "ir/plan_count.h"

struct totals {
	long read_bytes, write_bytes;
	long macs;                   /* -1: not known */
};

static struct totals nest_totals(const struct plan_nest *nest)
{
	struct totals totals = { 0, 0, nest->macs };
	for (int t = 0; t < nest->traffic_count; t++) {
		totals.read_bytes += nest->traffic[t].flow.read_bytes;
		totals.write_bytes += nest->traffic[t].flow.write_bytes;
	}
	return totals;
}

static struct totals plan_totals(const struct plan *plan)
{
	struct totals totals = { 0, 0, 0 };
	for (int n = 0; n < plan->nest_count; n++) {
		struct totals nest = nest_totals(&plan->nests[n]);
		totals.read_bytes += nest.read_bytes;
		totals.write_bytes += nest.write_bytes;
		if (totals.macs < 0 || nest.macs < 0
		    || __builtin_add_overflow(totals.macs, nest.macs, &totals.macs))
			totals.macs = -1;
	}
	return totals;
}

static struct totals report_totals(const struct report *report)
{
	struct totals totals = { 0, 0, 0 };
	for (int p = 0; p < report->plan_count; p++) {
		struct totals plan = plan_totals(report->plans[p]);
		totals.read_bytes += plan.read_bytes;
		totals.write_bytes += plan.write_bytes;
		if (totals.macs < 0 || plan.macs < 0
		    || __builtin_add_overflow(totals.macs, plan.macs, &totals.macs))
			totals.macs = -1;
	}
	return totals;
}

/* Bounds of all functions together: each is called by itself, and finds nothing on chip. */
static struct plan_bounds report_bounds(const struct report *report)
{
	struct plan_bounds sum = { 0, 0, "", true, 0 };
	for (int p = 0; p < report->plan_count; p++) {
		const struct plan_bounds *bounds = &report->plans[p]->bounds;
		if (sum.compulsory_bytes < 0 || bounds->compulsory_bytes < 0 || __builtin_add_overflow(
			sum.compulsory_bytes, bounds->compulsory_bytes, &sum.compulsory_bytes))
			sum.compulsory_bytes = -1;
		if (sum.lower_bound_bytes < 0 || bounds->lower_bound_bytes < 0 || __builtin_add_overflow(
			sum.lower_bound_bytes, bounds->lower_bound_bytes, &sum.lower_bound_bytes))
			sum.lower_bound_bytes = -1;
		sum.optimal &= bounds->optimal;
	}
	return sum;
}

/* A bound of 0 where something moves says nothing. */
static bool is_known(long bound, long bytes)
{
	return bound > 0 || bytes == 0;
}

/* How far BYTES is above BOUND, as a share of the bound; -1: not known. */
static double gap(long bytes, long bound)
{
	if (!is_known(bound, bytes))
		return -1;
	return bytes > bound ? (double)(bytes - bound) / (double)bound : 0;
}

/* SHARE with DIGITS digits behind the point, no less than it is: "at most so much above" is then true. */
static double rounded_up(double share, int digits)
{
	double scale = pow(10, digits), scaled = share * scale;
	return (fabs(scaled - round(scaled)) <= 1e-12 * scaled ? round(scaled) : ceil(scaled)) / scale;
}

static double search_gap(const struct plan_nest *nest)
{
	return nest->optimal ? 0 : gap(plan_nest_bytes(nest), nest->bound_bytes);
}

/* Of all choices for a function. */
static double function_gap(const struct plan *plan)
{
	return plan->bounds.optimal ? 0 : gap(plan_bytes(plan), plan->bounds.bound_bytes);
}

static json_t *traffic_json(const struct plan_nest *nest, bool has_sizes)
{
	json_t *arrays = json_array();
	for (int t = 0; t < nest->traffic_count; t++) {
		const struct plan_traffic *traffic = &nest->traffic[t];
		json_t *entry = json_pack("{ss ss sI sI}", "name", traffic->array->name,
			"source_name", traffic->array->source_name,
			"read_bytes", (json_int_t)traffic->flow.read_bytes,
			"write_bytes", (json_int_t)traffic->flow.write_bytes);
		if (entry && has_sizes)
			json_object_update_new(entry, json_pack("{ss? ss?}", "read_formula",
				traffic->read_formula, "write_formula", traffic->write_formula));
		json_array_append_new(arrays, entry);
	}
	struct totals totals = nest_totals(nest);
	return json_pack("{sI sI sI so}", "read_bytes", (json_int_t)totals.read_bytes,
		"write_bytes", (json_int_t)totals.write_bytes,
		"total_bytes", (json_int_t)(totals.read_bytes + totals.write_bytes),
		"arrays", arrays);
}

/* -1: not known. */
static json_t *count_json(long count)
{
	return count < 0 ? json_null() : json_integer(count);
}

long report_commands_of_nest(const struct plan *plan, const struct plan_nest *nest)
{
	enum { STEPS = 4000000 };
	struct plan_traffic *traffic = ARENA_ARRAY(plan->arena, struct plan_traffic,
		plan->function->array_count + 1);
	return plan_count(nest->body, plan->function, STEPS, traffic)
		? plan_traffic_commands(traffic, plan->function->array_count) : -1;
}

static long paid_scratchpad_bytes(const struct plan *plan)
{
	long used = 0;
	for (int n = 0; n < plan->nest_count; n++) {
		const struct plan_nest *nest = &plan->nests[n];
		int bypass = plan->arch->bypass_memory;
		long held = nest->scratchpad_used_bytes - (bypass ? nest->memory_used_bytes[bypass] : 0);
		used = held > used ? held : used;
	}
	return energy_scratchpad_bytes(plan->arch, used);
}

bool report_energy_of_nest(const struct plan *plan, const struct plan_nest *nest,
	const struct plan_time *time, struct energy *energy)
{
	struct energy_counts counts = energy_counts_of_nest(plan->arch, nest,
		paid_scratchpad_bytes(plan));
	if (plan->arch->energy_leakage_pj > 0)
		counts.cycles = time ? time->cycles : -1;
	*energy = energy_of(plan->arch, &counts);
	return energy_is_known(plan->arch) && counts.macs >= 0 && counts.cycles >= 0;
}

static bool report_energy(const struct report *report, struct energy *sum)
{
	*sum = (struct energy){ .mac_pj = 0 };
	for (int p = 0; p < report->plan_count; p++) {
		struct plan *plan = report->plans[p];
		const struct plan_time *times = plan->arch->energy_leakage_pj > 0 ? report_times(plan) : NULL;
		for (int n = 0; n < plan->nest_count; n++) {
			struct energy energy;
			if (!report_energy_of_nest(plan, &plan->nests[n], times ? &times[n] : NULL, &energy))
				return false;
			energy_add(sum, &energy);
		}
	}
	return report->plan_count > 0;
}

static long report_commands(const struct report *report)
{
	long sum = 0;
	for (int p = 0; p < report->plan_count; p++)
		for (int n = 0; n < report->plans[p]->nest_count; n++) {
			long commands = report_commands_of_nest(report->plans[p], &report->plans[p]->nests[n]);
			if (sum < 0 || commands < 0 || __builtin_add_overflow(sum, commands, &sum))
				sum = -1;
		}
	return sum;
}

static json_t *energy_json(const struct energy *energy)
{
	json_t *entry = json_pack("{sf sf sf sf}", "mac_pj", energy->mac_pj,
		"register_pj", energy->register_pj, "scratchpad_pj", energy->scratchpad_pj, "dram_pj", energy->dram_pj);
	if (entry && (energy->network_pj > 0 || energy->reduce_pj > 0))
		json_object_update_new(entry, json_pack("{sf sf}", "network_pj", energy->network_pj,
			"reduce_pj", energy->reduce_pj));
	if (entry && energy->leakage_pj > 0)
		json_object_set_new(entry, "leakage_pj", json_real(energy->leakage_pj));
	if (entry)
		json_object_set_new(entry, "total_pj", json_real(energy_total_pj(energy)));
	return entry;
}

/* With the six digits that reals are written with. */
static json_t *gap_json(double share)
{
	return share < 0 ? json_null() : json_real(share > 0 ? rounded_up(share, 5 - (int)floor(log10(share))) : 0);
}

/* A bound of 0 where MOVED bytes move is none. */
static json_t *known_json(long bound, long moved)
{
	return is_known(bound, moved) ? json_integer(bound) : json_null();
}

static json_t *bound_json(const struct plan_nest *nest)
{
	bool known = is_known(nest->lower_bound_bytes, plan_nest_bytes(nest));
	return json_pack("{so ss}", "bytes", known_json(nest->lower_bound_bytes,
		plan_nest_bytes(nest)), "argument", known && nest->lower_bound_argument
		? nest->lower_bound_argument : "none");
}

static json_t *measured_json(const struct verify_nest *measured, bool has_time)
{
	json_t *entry = json_pack("{sI sI sI sI}", "read_bytes", (json_int_t)measured->read_bytes,
		"write_bytes", (json_int_t)measured->write_bytes,
		"macs", (json_int_t)measured->macs, "commands", (json_int_t)measured->commands);
	if (entry && has_time)
		json_object_set_new(entry, "cycles", json_integer(measured->time.cycles));
	return entry;
}

/* TIME: how long the nest takes; NULL: not known.  MEASURED: what --verify saw it do; NULL: it did not
 * run. */
static json_t *nest_json(const struct plan *plan, const struct plan_nest *nest,
	const struct plan_time *time, const struct verify_nest *measured)
{
	json_t *bound = bound_json(nest);
	json_t *search = json_pack("{sb so sI sf}", "optimal", nest->optimal,
		"gap", gap_json(search_gap(nest)), "points", (json_int_t)nest->points, "seconds", nest->seconds);
	struct energy energy;
	json_t *entry = json_pack("{ss ss ss so sI so so so so}", "function", plan->function->name,
		"nest", nest->name, "schedule", nest->schedule ? nest->schedule : "",
		"traffic", traffic_json(nest, plan->function->symbolic_count > 0), "compulsory_bytes", (json_int_t)nest->compulsory_bytes,
		"lower_bound", bound, "scratchpad", report_memory_json(plan, nest), "search", search,
		"macs", count_json(nest->macs));
	if (entry)
		json_object_set_new(entry, "commands", count_json(report_commands_of_nest(plan, nest)));
	if (entry && nest->elements)
		report_elements_json(entry, plan, nest, time);
	if (entry && report_energy_of_nest(plan, nest, time, &energy))
		json_object_set_new(entry, "energy", energy_json(&energy));
	if (entry && time)
		json_object_set_new(entry, "time", report_time_json(plan->arch, time));
	if (entry && measured)
		json_object_set_new(entry, "measured", measured_json(measured, time));
	return entry;
}

/* How far what is asked for is above its bound, as a share of that; -1: not known. */
static double asked_gap(const struct plan_asked *asked)
{
	if (isnan(asked->value) || asked->bound <= 0)
		return asked->value == 0 ? 0 : -1;
	return asked->value > asked->bound ? (asked->value - asked->bound) / asked->bound : 0;
}

/* Of what --objective asks for: six digits, or all before the point. */
static json_t *value_json(double value)
{
	const double most = 9007199254740992.0;   /* 2^53 */
	if (isnan(value))
		return json_null();
	return (value == floor(value) || fabs(value) >= 1e6) && fabs(value) < most ? json_integer((json_int_t)round(value))
		: json_real(value);
}

/* The same of what nothing is below, which no rounding raises. */
static json_t *least_json(double least)
{
	double unit = least > 0 ? pow(10, floor(log10(least)) - 5) : 1;   /* of the sixth digit */
	return value_json(isnan(least) || least == floor(least) ? least : fabs(least) >= 1e6 ? floor(least) : floor(least / unit) * unit);
}

static json_t *asked_json(const struct plan_asked *asked)
{
	return json_pack("{ss so so sb so ss}", "name", asked->name, "value", value_json(asked->value),
		"lower_bound", asked->bound < asked->value ? least_json(asked->bound) : value_json(asked->bound), "optimal", asked->value <= asked->bound,
		"gap", gap_json(asked_gap(asked)), "scope", asked->is_of_space ? "searched" : "all");
}

static json_t *function_json(const struct plan *plan)
{
	struct totals totals = plan_totals(plan);
	json_t *entry = json_pack("{ss sI sI sI so s{so ss} sb so so}", "function", plan->function->name,
		"read_bytes", (json_int_t)totals.read_bytes,
		"write_bytes", (json_int_t)totals.write_bytes,
		"total_bytes", (json_int_t)(totals.read_bytes + totals.write_bytes),
		"compulsory_bytes", count_json(plan->bounds.compulsory_bytes),
		"lower_bound", "bytes", count_json(plan->bounds.lower_bound_bytes),
		"argument", plan->bounds.lower_bound_argument, "optimal", plan->bounds.optimal,
		"gap", gap_json(function_gap(plan)), "macs", count_json(totals.macs));
	if (entry && plan->asked.name)
		json_object_set_new(entry, "objective", asked_json(&plan->asked));
	return entry;
}

static json_t *verify_json(const struct verify_result *verify)
{
	static const char *const names[] = { "not run", "passed", "failed" };
	return json_pack("{ss sI sI sI sI sI}", "status", names[verify->status],
		"measured_read_bytes", (json_int_t)verify->measured_read_bytes,
		"measured_write_bytes", (json_int_t)verify->measured_write_bytes,
		"mismatched_elements", (json_int_t)verify->mismatched_elements,
		"measured_macs", (json_int_t)verify->measured_macs,
		"measured_commands", (json_int_t)verify->measured_commands);
}

bool report_json(FILE *out, const struct report *report)
{
	json_t *kernels = json_array();
	const struct verify_nest *measured = report->verify.nests;
	for (int p = 0; p < report->plan_count; p++) {
		const struct plan_time *times = report_times(report->plans[p]);
		for (int n = 0; n < report->plans[p]->nest_count; n++)
			json_array_append_new(kernels, nest_json(report->plans[p],
				&report->plans[p]->nests[n], times ? &times[n] : NULL,
				measured ? measured++ : NULL));
	}
	struct totals totals = report_totals(report);
	struct plan_bounds bounds = report_bounds(report);
	json_t *total = json_pack("{sI sI sI so so sb so}",
		"read_bytes", (json_int_t)totals.read_bytes,
		"write_bytes", (json_int_t)totals.write_bytes,
		"total_bytes", (json_int_t)(totals.read_bytes + totals.write_bytes),
		"compulsory_bytes", count_json(bounds.compulsory_bytes),
		"lower_bound_bytes", count_json(bounds.lower_bound_bytes),
		"optimal", bounds.optimal, "macs", count_json(totals.macs));
	struct energy energy;
	if (total)
		json_object_set_new(total, "commands", count_json(report_commands(report)));
	if (total && report_energy(report, &energy))
		json_object_set_new(total, "energy", energy_json(&energy));
	struct plan_time time;
	if (total && report_time_of_all(report, &time))
		json_object_set_new(total, "time", report_time_json(report->arch, &time));
	json_t *functions = json_array();
	for (int p = 0; p < report->plan_count; p++)
		json_array_append_new(functions, function_json(report->plans[p]));
	json_t *root = json_pack("{si so so so so so}", "schema", 1, "arch", report_arch_json(report->arch),
		"kernels", kernels, "functions", functions, "total", total,
		"verify", verify_json(&report->verify));
	if (!root)
		return false;
	if (report->strategies)
		json_object_set(root, "strategies", report->strategies);
	bool is_written = json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) == 0;
	json_decref(root);
	return is_written && putc('\n', out) != EOF;
}

const char *report_number(long value)
{
	static char buffers[8][32];
	static int next;
	char plain[32], *out = buffers[next = (next + 1) % 8];
	int length = snprintf(plain, sizeof plain, "%ld", value), used = 0;
	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0 && plain[i - 1] != '-')
			out[used++] = ',';
		out[used++] = plain[i];
	}
	out[used] = '\0';
	return out;
}

/* Bytes of all elements of an array. */
static long array_bytes(const struct array *array)
{
	return array->elements * array->type.bytes;
}

void report_source(FILE *out, const struct array *array)
{
	if (strcmp(array->name, array->source_name))
		fprintf(out, "  '%s' of line %d", array->source_name, array->location.line);
}

/* ARRAY: NULL for a row of all arrays. */
static void traffic_row(FILE *out, const char *name, const char *bytes, long read_bytes,
	long write_bytes, const struct array *array)
{
	fprintf(out, "  %-14s %15s %15s %15s %15s", name, bytes, report_number(read_bytes),
		report_number(write_bytes), report_number(read_bytes + write_bytes));
	if (array)
		report_source(out, array);
	putc('\n', out);
}

static void traffic_text(FILE *out, const struct plan_nest *nest)
{
	fprintf(out, "  %-14s %15s %15s %15s %15s\n", "array", "bytes", "read", "written",
		"moved");
	for (int t = 0; t < nest->traffic_count; t++) {
		const struct plan_traffic *traffic = &nest->traffic[t];
		traffic_row(out, traffic->array->name, report_number(array_bytes(traffic->array)),
			traffic->flow.read_bytes, traffic->flow.write_bytes, traffic->array);
	}
	struct totals totals = nest_totals(nest);
	traffic_row(out, "total", "", totals.read_bytes, totals.write_bytes, NULL);
}

/* ALONE: others are in the same function, of which nothing is said here. */
static void bounds_text(FILE *out, const struct plan_nest *nest, bool alone)
{
	const char *title = !alone ? "lower bound: no schedule moves less" : nest->source_count > 1
		? "lower bound of this group by itself" : "lower bound of this nest by itself";
	long moved = plan_nest_bytes(nest);
	fprintf(out, "  %-46s %15s %15s\n", "compulsory: each element once, each way", "",
		report_number(nest->compulsory_bytes));
	if (is_known(nest->lower_bound_bytes, moved))
		fprintf(out, "  %-46s %15s %15s  %.1f %% above\n", title,
			nest->lower_bound_argument ? nest->lower_bound_argument : "",
			report_number(nest->lower_bound_bytes),
			100 * gap(moved, nest->lower_bound_bytes));
	else
		fprintf(out, "  %-46s %15s %15s\n", title, "", "unknown");
}

static void indent_text(FILE *out, const char *indent, const char *text)
{
	while (*text) {
		int length = (int)strcspn(text, "\n");
		fprintf(out, "%s%.*s\n", indent, length, text);
		text += length + (text[length] == '\n');
	}
}

/* What a schedule costs, and which part of the machine takes how much of it. */
static void energy_text(FILE *out, const char *indent, const struct energy *energy)
{
	bool has_elements = energy->network_pj > 0 || energy->reduce_pj > 0;
	const struct { const char *name; double pj; bool is_shown; } parts[] = { { "external memory", energy->dram_pj, true },
		{ "scratchpad", energy->scratchpad_pj, true }, { "registers", energy->register_pj, true },
		{ "multiply-accumulates", energy->mac_pj, true }, { "network", energy->network_pj, has_elements },
		{ "sums of neighbours", energy->reduce_pj, has_elements }, { "leakage", energy->leakage_pj, energy->leakage_pj > 0 } };
	double total = energy_total_pj(energy);
	fprintf(out, "%senergy: %.4g uJ", indent, total / 1e6);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (parts[i].is_shown)
			fprintf(out, "%s %s %.1f %%", i ? "," : ":", parts[i].name, total > 0 ? 100 * parts[i].pj / total : 0);
	putc('\n', out);
}

/* " where N = 5 and M = 3" */
static const char *tuned_text(const struct plan *plan)
{
	const struct function *function = plan->function;
	const char *text = "";
	for (int k = 0; k < function->symbolic_count; k++)
		text = arena_printf(plan->arena, "%s%s%s = %ld", text, k ? " and " : " where ",
			function->symbolic[k]->name, function->symbolic[k]->value);
	return text;
}

/* FORMULA, or what is known instead. */
static const char *formula_text(const struct plan *plan, const char *formula, long bytes)
{
	return formula ? formula : arena_printf(plan->arena, "%s%s (no short formula)",
		report_number(bytes), tuned_text(plan));
}

/* What is moved whatever the sizes are. */
static void formulas_text(FILE *out, const struct plan *plan, const struct plan_nest *nest)
{
	fputs("  whatever the sizes, in bytes:\n", out);
	for (int t = 0; t < nest->traffic_count; t++) {
		const struct plan_traffic *traffic = &nest->traffic[t];
		fprintf(out, "    %-10s read    %s\n", traffic->array->name,
			formula_text(plan, traffic->read_formula, traffic->flow.read_bytes));
		fprintf(out, "    %-10s written %s\n", "",
			formula_text(plan, traffic->write_formula, traffic->flow.write_bytes));
	}
}

/* What the search of NEST has shown is of bytes, whatever else was asked for (ASKS_ELSE): then it says so. */
static void search_text(FILE *out, const struct plan_nest *nest, bool alone, bool asks_else)
{
	const char *space = !alone ? "the schedule space" : nest->source_count > 1
		? "the schedules of this group by itself" : "the schedules of this nest by itself";
	double share = search_gap(nest);
	if (nest->optimal)
		fprintf(out, asks_else ? "  search: the fewest bytes of %s" : "  search: optimal in %s", space);
	else if (share < 0)
		fprintf(out, "  search: how %s of %s is unknown",
			asks_else ? "many more bytes than the fewest" : "far above the best", space);
	else
		fprintf(out, "  search: at most %.2f %% %s of %s", 100 * rounded_up(share, 4),
			asks_else ? "more bytes than the fewest" : "above the best", space);
	fprintf(out, ", %s points, %.3f s\n\n", report_number(nest->points), nest->seconds);
}

static void nest_text(FILE *out, const struct plan *plan, const struct plan_nest *nest,
	const struct plan_time *time)
{
	struct energy energy;
	fprintf(out, "%s (%s:%d) on %s\n", nest->name, nest->location.file, nest->location.line,
		plan->arch->name);
	traffic_text(out, nest);
	bool alone = plan_has_own_bounds(plan);
	bounds_text(out, nest, alone);
	if (nest->macs)
		fprintf(out, "  %-46s %15s %15s\n", "multiply-accumulates", "",
			nest->macs < 0 ? "not counted" : report_number(nest->macs));
	if (nest->elements)
		report_elements_text(out, plan, nest, time);
	if (report_energy_of_nest(plan, nest, time, &energy))
		energy_text(out, "  ", &energy);
	if (time)
		report_time_text(out, "  ", plan->arch, report_workers(nest), time);
	report_memory_text(out, plan, nest);
	if (plan->function->symbolic_count)
		formulas_text(out, plan, nest);
	if (nest->schedule) {
		fputs("  schedule:\n", out);
		indent_text(out, "    ", nest->schedule);
	}
	search_text(out, nest, alone, plan->asked.name != NULL);
}

static const char *known_number(long value)
{
	return value < 0 ? "unknown" : report_number(value);
}

/* A function of several nests. */
static void function_text(FILE *out, const struct plan *plan)
{
	const struct plan_bounds *bounds = &plan->bounds;
	struct totals totals = plan_totals(plan);
	long moved = totals.read_bytes + totals.write_bytes;
	fprintf(out, "%s: all of the function on %s\n", plan->function->name, plan->arch->name);
	fprintf(out, "  %-46s %15s %15s\n", "moved", "", report_number(moved));
	fprintf(out, "  %-46s %15s %15s\n", "compulsory: each element of the caller's once", "",
		known_number(bounds->compulsory_bytes));
	fprintf(out, "  %-46s %15s %15s", "lower bound: no choice for the function moves less",
		bounds->lower_bound_argument, known_number(bounds->lower_bound_bytes));
	if (bounds->lower_bound_bytes > 0 || moved == bounds->lower_bound_bytes)
		fprintf(out, "  %.1f %% above", 100 * gap(moved, bounds->lower_bound_bytes));
	if (bounds->bound_bytes > bounds->lower_bound_bytes && !bounds->optimal)
		fprintf(out, "\n  search: at most %.2f %% %s choice of groups, tiles and what stays on "
			"chip\n\n", 100 * rounded_up(function_gap(plan), 4),
			plan->asked.name ? "more bytes than the best" : "above the best");
	else
		fprintf(out, "\n  search: %s\n\n", bounds->optimal
			? plan->asked.name ? "the fewest bytes, all choices together" : "optimal, all choices together"
			: "not proved: another choice of groups, tiles and what stays on chip may move less");
}

/* What was asked for, of a function that was made for it. */
static void asked_text(FILE *out, const struct plan *plan)
{
	const struct plan_asked *asked = &plan->asked;
	double share = asked_gap(asked);
	if (!asked->name)
		return;
	fprintf(out, "%s: --objective=%s: ", plan->function->name, asked->name);
	if (isnan(asked->value))
		fprintf(out, "not known, as %s", asked->why_unknown);
	else
		fprintf(out, "%.10g", asked->value);
	const char *where = asked->is_of_space ? "in the schedules and mappings that are searched" : "possible";
	if (share < 0)
		fprintf(out, "; how far above the least is unknown\n\n");
	else if (share == 0)
		fprintf(out, ", and nothing less is %s\n\n", where);
	else
		fprintf(out, "; nothing below %.10g is %s, %.1f %% above that\n\n", asked->bound, where,
			100 * share);
}

void report_verified(FILE *out, const struct report *report)
{
	const struct verify_result *verify = &report->verify;
	if (verify->status == VERIFY_NOT_RUN)
		return;
	if (verify->status == VERIFY_PASSED) {
		fprintf(out, "verified: the run read %s and wrote %s bytes",
			report_number(verify->measured_read_bytes),
			report_number(verify->measured_write_bytes));
		if (report_commands(report) >= 0)
			fprintf(out, " by %s commands", report_number(verify->measured_commands));
		if (report_totals(report).macs > 0)
			fprintf(out, ", with %s multiply-accumulates", report_number(verify->measured_macs));
		if (verify->measured_cycles > 0)
			fprintf(out, ", in %s cycles", report_number(verify->measured_cycles));
		fprintf(out, ", as predicted; all outputs are equal%s%s%s\n",
			verify->is_exact ? " to the bit on data without rounding" : "",
			verify->tolerance ? verify->is_exact ? ", and else " : " " : "",
			verify->tolerance ? verify->tolerance : "");
	} else
		fprintf(out, "verification FAILED: %s elements differ; the run read %s and wrote %s "
			"bytes\n", report_number(verify->mismatched_elements),
			report_number(verify->measured_read_bytes),
			report_number(verify->measured_write_bytes));
}

static enum workers workers_of_all(const struct report *report)
{
	unsigned workers = 0;
	for (int p = 0; p < report->plan_count; p++)
		for (int n = 0; n < report->plans[p]->nest_count; n++)
			workers |= report_workers(&report->plans[p]->nests[n]);
	return (enum workers)workers;
}

void report_text(FILE *out, const struct report *report)
{
	int nest_count = 0;
	for (int p = 0; p < report->plan_count; p++) {
		struct plan *plan = report->plans[p];
		const struct plan_time *times = report_times(plan);
		for (int n = 0; n < plan->nest_count; n++, nest_count++)
			nest_text(out, plan, &plan->nests[n], times ? &times[n] : NULL);
		if (plan_has_own_bounds(plan))
			function_text(out, plan);
		asked_text(out, plan);
	}
	if (nest_count > 1) {
		struct totals totals = report_totals(report);
		fprintf(out, "in all: %s bytes read, %s written, %s moved; lower bound %s\n",
			report_number(totals.read_bytes), report_number(totals.write_bytes),
			report_number(totals.read_bytes + totals.write_bytes),
			known_number(report_bounds(report).lower_bound_bytes));
		struct energy energy;
		if (report_energy(report, &energy))
			energy_text(out, "in all: ", &energy);
		struct plan_time time;
		if (report_time_of_all(report, &time))
			report_time_text(out, "in all: ", report->arch, workers_of_all(report), &time);
	}
	report_verified(out, report);
}
