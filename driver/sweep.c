#include "driver/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stddef.h>

#include <jansson.h>

#include "driver/chart.h"
#include "passes/lower_function.h"
#include "passes/quiet.h"

/* One size and what came of it; total_bytes < 0: nothing fits; bounds < 0: not known. */
struct point {
	long scratchpad_bytes, total_bytes, lower_bound_bytes, compulsory_bytes;
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
	long unit = arch_granule_bytes(arch);
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
	struct arch *machine = ARENA_NEW(sweep->session->arena, struct arch);
	*machine = arch_resized(sweep->session->arch, bytes);
	return machine;
}

/* SUM and BYTES together, where both are known. */
static void add_known(long *sum, long bytes)
{
	if (*sum >= 0 && (bytes < 0 || __builtin_add_overflow(*sum, bytes, sum)))
		*sum = -1;
}

static void add_plan(struct point *point, const struct plan *plan)
{
	add_known(&point->total_bytes, plan_bytes(plan));
	add_known(&point->lower_bound_bytes, plan->bounds.lower_bound_bytes);
	add_known(&point->compulsory_bytes, plan->bounds.compulsory_bytes);
	point->is_optimal &= plan->bounds.optimal;
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

static void search_points(struct sweep *sweep)
{
	const struct compilation *compilation = &sweep->session->compilation;
	for (int i = 0; i < sweep->count; i++) {
		progress_show(compilation, "sweep: size %d of %d", i + 1, sweep->count);
		search_point(sweep, &sweep->points[i]);
	}
	progress_end(compilation);
}

/* ---- results ---- */

static const char *known_number(long value)
{
	return value < 0 ? "unknown" : report_number(value);
}

/* "f and g on MACHINE, other sizes of its scratchpad" */
static const char *title_of(const struct sweep *sweep)
{
	struct arena *arena = sweep->session->arena;
	const struct program *program = sweep->session->program;
	const char *names = "";
	for (int f = 0; f < program->function_count; f++)
		names = arena_printf(arena, "%s%s%s", names, !f ? "" : f + 1 < program->function_count
			? ", " : " and ", program->functions[f]->name);
	return arena_printf(arena, "%s on %s with other scratchpads", names,
		sweep->session->arch->name);
}

static void print_table(FILE *out, const struct sweep *sweep)
{
	fprintf(out, "%s\n", title_of(sweep));
	fprintf(out, "%15s %18s %18s %18s\n", "scratchpad", "least traffic", "lower bound",
		"compulsory");
	for (int i = 0; i < sweep->count; i++) {
		const struct point *point = &sweep->points[i];
		fprintf(out, "%15s ", report_number(point->scratchpad_bytes));
		if (point->total_bytes < 0)
			fprintf(out, "%18s\n", "nothing fits");
		else
			fprintf(out, "%18s %18s %18s%s\n", report_number(point->total_bytes),
				known_number(point->lower_bound_bytes), known_number(point->compulsory_bytes),
				point->is_optimal ? "" : "  (not proved optimal)");
	}
}

static void print_known(FILE *out, long value)
{
	if (value >= 0)
		fprintf(out, "%ld", value);
	putc(',', out);
}

static bool print_csv(FILE *out, const struct sweep *sweep)
{
	fputs("scratchpad_bytes,total_bytes,lower_bound_bytes,compulsory_bytes,optimal\n", out);
	for (int i = 0; i < sweep->count; i++) {
		const struct point *point = &sweep->points[i];
		fprintf(out, "%ld,", point->scratchpad_bytes);
		if (point->total_bytes >= 0) {
			print_known(out, point->total_bytes);
			print_known(out, point->lower_bound_bytes);
			print_known(out, point->compulsory_bytes);
			fputs(point->is_optimal ? "true\n" : "false\n", out);
		} else {
			fputs(",,,\n", out);
		}
	}
	return !ferror(out);
}

static json_t *known_json(long value)
{
	return value < 0 ? json_null() : json_integer(value);
}

static bool print_json(FILE *out, const struct sweep *sweep)
{
	json_t *points = json_array();
	for (int i = 0; i < sweep->count; i++) {
		const struct point *point = &sweep->points[i];
		json_t *entry = point->total_bytes < 0 ?
			json_pack("{sI sn}", "scratchpad_bytes", (json_int_t)point->scratchpad_bytes,
				"total_bytes") :
			json_pack("{sI sI so so sb}",
				"scratchpad_bytes", (json_int_t)point->scratchpad_bytes,
				"total_bytes", (json_int_t)point->total_bytes,
				"lower_bound_bytes", known_json(point->lower_bound_bytes),
				"compulsory_bytes", known_json(point->compulsory_bytes),
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
	bool *is_open = ARENA_ARRAY(sweep->session->arena, bool, sweep->count + 1);
	struct chart_curve curve = { .title = title, .x = x, .y = y, .is_open = is_open };
	for (int i = 0; i < sweep->count; i++) {
		long bytes = *(const long *)((const char *)&sweep->points[i] + member);
		if (sweep->points[i].total_bytes < 0 || bytes <= 0)
			continue;
		is_open[curve.count] = !sweep->points[i].is_optimal;
		x[curve.count] = (double)sweep->points[i].scratchpad_bytes;
		y[curve.count++] = (double)bytes;
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
	return chart_print(out, title_of(sweep), "scratchpad", "traffic", curves, 3);
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
	if (!session_has_one_memory(session, "--sweep"))
		return STATUS_USAGE;
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
