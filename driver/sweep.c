#include "driver/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stddef.h>

#include <jansson.h>

#include "driver/chart.h"
#include "passes/nest.h"
#include "passes/quiet.h"

/* One size and what came of it; total_bytes < 0: nothing fits. */
struct point {
	long scratchpad_bytes, total_bytes, lower_bound_bytes, compulsory_bytes, used_bytes;
	bool is_optimal;
};

struct sweep {
	struct session *session;
	int count;
	struct point *points;        /* sizes ascending */
};

/* ---- sizes ---- */

static bool parse_bytes(const char **text, long *bytes)
{
	char *end;
	*bytes = strtol(*text, &end, 10);
	bool is_number = end != *text && *bytes > 0 && *bytes < 1L << 30;
	if (*end == 'K' || *end == 'M')
		*bytes *= *end++ == 'K' ? 1024 : 1048576;
	*text = end;
	return is_number;
}

bool sweep_parse(const char *text, long *from, long *to, int *steps)
{
	static const char what[] = "scratchpad:";
	*steps = 2;
	if (strncmp(text, what, sizeof what - 1))
		return false;
	text += sizeof what - 1;
	if (!parse_bytes(&text, from) || strncmp(text, "..", 2))
		return false;
	text += 2;
	if (!parse_bytes(&text, to) || *to < *from)
		return false;
	if (*text == '/') {
		char *end;
		*steps = (int)strtol(text + 1, &end, 10);
		if (end == text + 1 || *steps < 1 || *steps > 64)
			return false;
		text = end;
	}
	return !*text;
}

/* Bytes that a machine like ARCH can have: whole banks, aligned. */
static long rounded(const struct arch *arch, double bytes)
{
	long unit = arch->exclusive ? arch->scratchpad_bytes / arch->banks : arch->align_bytes;
	long count = lround(bytes / (double)unit);
	return (count > 0 ? count : 1) * unit;
}

static void choose_sizes(struct sweep *sweep)
{
	long from, to;
	int steps;
	const struct arch *arch = sweep->session->arch;
	sweep_parse(sweep->session->options->sweep, &from, &to, &steps);
	int limit = (int)(log2((double)to / (double)from) * steps) + 3;
	sweep->points = ARENA_ARRAY(sweep->session->arena, struct point, limit);
	for (int i = 0; ; i++) {
		double bytes = (double)from * exp2((double)i / steps);
		bool is_last = bytes >= (double)to * 0.999;
		long size = rounded(arch, is_last ? (double)to : bytes);
		if (!sweep->count || size > sweep->points[sweep->count - 1].scratchpad_bytes)
			sweep->points[sweep->count++].scratchpad_bytes = size;
		if (is_last)
			return;
	}
}

/* ---- one size ---- */

static struct arch *machine_of(const struct sweep *sweep, long bytes)
{
	const struct arch *arch = sweep->session->arch;
	struct arch *machine = ARENA_NEW(sweep->session->arena, struct arch);
	*machine = *arch;
	machine->scratchpad_bytes = bytes;
	if (arch->exclusive)
		machine->banks = (int)(bytes / (arch->scratchpad_bytes / arch->banks));
	return machine;
}

static void add_plan(struct point *point, const struct plan *plan)
{
	for (int n = 0; n < plan->nest_count; n++) {
		const struct plan_nest *nest = &plan->nests[n];
		for (int t = 0; t < nest->traffic_count; t++)
			point->total_bytes += nest->traffic[t].read_bytes + nest->traffic[t].write_bytes;
		point->lower_bound_bytes += nest->lower_bound_bytes;
		point->compulsory_bytes += nest->compulsory_bytes;
		point->is_optimal &= nest->optimal;
		if (nest->scratchpad_used_bytes > point->used_bytes)
			point->used_bytes = nest->scratchpad_used_bytes;
	}
}

/* The optimum of a machine with that much scratchpad.  That nothing fits is no error
 * here, so diagnostics are not shown. */
static void search_point(struct sweep *sweep, struct point *point)
{
	struct session *session = sweep->session;
	struct quiet quiet;
	quiet_begin(&quiet, &session->compilation);
	quiet.compilation.arch = machine_of(sweep, point->scratchpad_bytes);
	quiet.compilation.only_weighs = true;
	point->is_optimal = true;
	for (int f = 0; f < session->program->function_count && point->total_bytes >= 0; f++) {
		struct plan *plan = lower_function(&quiet.compilation, session->program->functions[f]);
		if (plan)
			add_plan(point, plan);
		else
			point->total_bytes = -1;
	}
	quiet_end(&quiet);
}

/* The lower bound depends on the size even where the schedule does not. */
static long lower_bound(struct sweep *sweep, const struct point *point, long otherwise)
{
	struct compilation *compilation = &sweep->session->compilation;
	long bytes = 0;
	for (int f = 0; f < sweep->session->program->function_count; f++) {
		int count;
		struct nest *nests = nests_of_function(compilation,
			sweep->session->program->functions[f], &count);
		for (int n = 0; n < count; n++) {
			struct nest_model model;
			struct region *regions = ARENA_ARRAY(sweep->session->arena, struct region,
				nests[n].array_count + 1);
			const char *argument;
			if (nests[n].array_count > MODEL_ARRAYS)
				return otherwise;
			nest_find_dependences(compilation, &nests[n]);
			nest_find_band(compilation, &nests[n]);
			if (!nest_model_build(compilation, &nests[n], &model, regions))
				return otherwise;
			bytes += model_lower_bound(&model, point->scratchpad_bytes, &argument);
		}
	}
	return bytes;
}

/* Largest first: a schedule that is best with much memory and needs little is best
 * with little. */
static void search_points(struct sweep *sweep)
{
	for (int i = sweep->count - 1; i >= 0; i--) {
		struct point *point = &sweep->points[i], *larger = point + 1;
		bool is_served = i + 1 < sweep->count && larger->total_bytes >= 0 &&
			larger->is_optimal && larger->used_bytes <= point->scratchpad_bytes;
		if (is_served) {
			long bytes = point->scratchpad_bytes;
			*point = *larger;
			point->scratchpad_bytes = bytes;
			point->lower_bound_bytes = lower_bound(sweep, point, larger->lower_bound_bytes);
		} else {
			search_point(sweep, point);
		}
	}
}

/* ---- results ---- */

static void print_table(FILE *out, const struct sweep *sweep)
{
	fprintf(out, "%15s %18s %18s %18s\n", "scratchpad", "least traffic", "lower bound",
		"compulsory");
	for (int i = 0; i < sweep->count; i++) {
		const struct point *point = &sweep->points[i];
		fprintf(out, "%15s ", report_number(point->scratchpad_bytes));
		if (point->total_bytes < 0)
			fprintf(out, "%18s\n", "nothing fits");
		else
			fprintf(out, "%18s %18s %18s%s\n", report_number(point->total_bytes),
				report_number(point->lower_bound_bytes), report_number(point->compulsory_bytes),
				point->is_optimal ? "" : "  (not proved optimal)");
	}
}

static bool print_csv(FILE *out, const struct sweep *sweep)
{
	fputs("scratchpad_bytes,total_bytes,lower_bound_bytes,compulsory_bytes,optimal\n", out);
	for (int i = 0; i < sweep->count; i++) {
		const struct point *point = &sweep->points[i];
		if (point->total_bytes >= 0)
			fprintf(out, "%ld,%ld,%ld,%ld,%s\n", point->scratchpad_bytes, point->total_bytes,
				point->lower_bound_bytes, point->compulsory_bytes,
				point->is_optimal ? "true" : "false");
		else
			fprintf(out, "%ld,,,,\n", point->scratchpad_bytes);
	}
	return !ferror(out);
}

static bool print_json(FILE *out, const struct sweep *sweep)
{
	json_t *points = json_array();
	for (int i = 0; i < sweep->count; i++) {
		const struct point *point = &sweep->points[i];
		json_t *entry = point->total_bytes < 0 ?
			json_pack("{sI sn}", "scratchpad_bytes", (json_int_t)point->scratchpad_bytes,
				"total_bytes") :
			json_pack("{sI sI sI sI sb}",
				"scratchpad_bytes", (json_int_t)point->scratchpad_bytes,
				"total_bytes", (json_int_t)point->total_bytes,
				"lower_bound_bytes", (json_int_t)point->lower_bound_bytes,
				"compulsory_bytes", (json_int_t)point->compulsory_bytes,
				"optimal", point->is_optimal);
		json_array_append_new(points, entry);
	}
	json_t *root = json_pack("{si ss so}", "schema", 1, "arch", sweep->session->arch->name,
		"points", points);
	bool is_written = root && json_dumpf(root, out, JSON_INDENT(2)) == 0 && putc('\n', out) != EOF;
	json_decref(root);
	return is_written;
}

static struct chart_curve curve_of(const struct sweep *sweep, const char *title, size_t member)
{
	double *x = ARENA_ARRAY(sweep->session->arena, double, sweep->count + 1);
	double *y = ARENA_ARRAY(sweep->session->arena, double, sweep->count + 1);
	struct chart_curve curve = { .title = title, .x = x, .y = y };
	for (int i = 0; i < sweep->count; i++)
		if (sweep->points[i].total_bytes >= 0) {
			x[curve.count] = (double)sweep->points[i].scratchpad_bytes / 1024;
			y[curve.count++] = (double)*(const long *)((const char *)&sweep->points[i] +
				member) / 1048576;
		}
	return curve;
}

static bool print_svg(FILE *out, const struct sweep *sweep)
{
	struct chart_curve curves[] = {
		curve_of(sweep, "least traffic", offsetof(struct point, total_bytes)),
		curve_of(sweep, "lower bound", offsetof(struct point, lower_bound_bytes)),
		curve_of(sweep, "compulsory", offsetof(struct point, compulsory_bytes)),
	};
	curves[0].has_points = true;
	return chart_print(out, "scratchpad (KiB)", "traffic (MiB)", curves, 3);
}

static bool print_file(const struct sweep *sweep, struct outputs *outputs, const char *file)
{
	const char *dot = strrchr(file, '.');
	bool (*print)(FILE *, const struct sweep *) = dot && !strcmp(dot, ".csv") ? print_csv :
		dot && !strcmp(dot, ".json") ? print_json : print_svg;
	FILE *out = outputs_open(outputs, file);
	return out && print(out, sweep);
}

enum status sweep(struct session *session, struct outputs *outputs)
{
	struct sweep sweep = { .session = session };
	choose_sizes(&sweep);
	search_points(&sweep);
	FILE *out = outputs_open(outputs, "-");
	if (!out)
		return STATUS_INPUT_ERROR;
	print_table(out, &sweep);
	for (int f = 0; f < session->options->sweep_files.count; f++)
		if (!print_file(&sweep, outputs, session->options->sweep_files.items[f]))
			return STATUS_INPUT_ERROR;
	for (int i = 0; i < sweep.count; i++)
		if (sweep.points[i].total_bytes >= 0)
			return STATUS_DONE;
	fputs("loopc: error: nothing fits any of these sizes\n", stderr);
	return STATUS_DOES_NOT_FIT;
}
