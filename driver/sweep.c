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
	const struct arch *arch;
	long swept_bytes;            /* of what is swept; the rest of the machine stays as it is */
	long total_bytes, lower_bound_bytes, compulsory_bytes;
	bool is_optimal;
};

struct sweep {
	struct session *session;
	int memory;                  /* that is swept; -1: all, in proportion */
	const char *name;            /* of what is */
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

bool sweep_parse(const char *text, struct sweep_asked *asked)
{
	const char *colon = strchr(text, ':');
	*asked = (struct sweep_asked){ .name = text, .steps = 2 };
	if (!colon || colon == text)
		return false;
	asked->length = (int)(colon - text);
	text = colon + 1;
	if (!parse_bytes(&text, &asked->from) || strncmp(text, "..", 2))
		return false;
	text += 2;
	if (!parse_bytes(&text, &asked->to) || asked->to < asked->from)
		return false;
	if (*text == '/') {
		char *end;
		asked->steps = (int)strtol(text + 1, &end, 10);
		if (end == text + 1 || asked->steps < 1 || asked->steps > 64)
			return false;
		text = end;
	}
	return !*text;
}

/* Bytes that what is swept of a machine like ARCH can have: whole banks, aligned. */
static long rounded(const struct sweep *sweep, double bytes)
{
	const struct arch *arch = sweep->session->arch;
	const struct arch_memory memory = arch_memory(arch, sweep->memory > 0 ? sweep->memory : 0);
	long unit = sweep->memory < 0 ? arch_granule_bytes(arch) : arch_memory_granule(&memory);
	long count = lround(bytes / (double)unit);
	return (count > 0 ? count : 1) * unit;
}

/* The machine with BYTES of what is swept. */
static struct arch *machine_of(const struct sweep *sweep, long bytes)
{
	const struct arch *arch = sweep->session->arch;
	struct arch *machine = ARENA_NEW(sweep->session->arena, struct arch);
	long memories[MEMORY_LIMIT], registers = arch->scratchpad_bytes - arch_held_bytes(arch);
	for (int m = 0; m < arch_memory_count(arch); m++)
		memories[m] = m == sweep->memory ? bytes : arch_memory(arch, m).bytes;
	*machine = sweep->memory < 0 ? arch_resized(arch, bytes + registers) : arch_left(arch, memories);
	return machine;
}

/* One more point, with BYTES of what is swept; of all memories they may have fewer. */
static void add_point(struct sweep *sweep, long bytes)
{
	struct point *point = &sweep->points[sweep->count];
	point->arch = machine_of(sweep, bytes);
	point->swept_bytes = sweep->memory < 0 ? arch_held_bytes(point->arch)
		: arch_memory(point->arch, sweep->memory).bytes;
	if (!sweep->count || point->swept_bytes > point[-1].swept_bytes)
		sweep->count++;
}

static void choose_sizes(struct sweep *sweep, const struct sweep_asked *asked)
{
	int limit = (int)(log2((double)asked->to / (double)asked->from) * asked->steps) + 3;
	sweep->points = ARENA_ARRAY(sweep->session->arena, struct point, limit);
	for (int i = 0; ; i++) {
		double bytes = (double)asked->from * exp2((double)i / asked->steps);
		bool is_last = bytes >= (double)asked->to * 0.999;
		add_point(sweep, rounded(sweep, is_last ? (double)asked->to : bytes));
		if (is_last)
			return;
	}
}

/* What is to be swept; false: there is no such memory. */
static bool find_memory(struct sweep *sweep, const struct sweep_asked *asked)
{
	const struct arch *arch = sweep->session->arch;
	sweep->name = arena_strndup(sweep->session->arena, asked->name, (size_t)asked->length);
	sweep->memory = arch_memory_named(arch, sweep->name);
	if (sweep->memory > 0 && sweep->memory == arch->bypass_memory)
		return false;
	return sweep->memory >= 0 || !strcmp(sweep->name, "scratchpad");
}

/* ---- one size ---- */

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
	quiet.compilation.arch = point->arch;
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

/* "f and g on MACHINE with other scratchpads" */
static const char *title_of(const struct sweep *sweep)
{
	struct arena *arena = sweep->session->arena;
	const struct program *program = sweep->session->program;
	const char *names = "";
	for (int f = 0; f < program->function_count; f++)
		names = arena_printf(arena, "%s%s%s", names, !f ? "" : f + 1 < program->function_count
			? ", " : " and ", program->functions[f]->name);
	return arena_printf(arena, sweep->memory < 0 ? "%s on %s with other memories"
		: sweep->session->arch->memory_count ? "%s on %s with other sizes of %s"
		: "%s on %s with other scratchpads", names, sweep->session->arch->name, sweep->name);
}

static void print_table(FILE *out, const struct sweep *sweep)
{
	fprintf(out, "%s\n", title_of(sweep));
	fprintf(out, "%15s %18s %18s %18s\n", sweep->memory < 0 ? "all memories" : sweep->name, "least traffic", "lower bound",
		"compulsory");
	for (int i = 0; i < sweep->count; i++) {
		const struct point *point = &sweep->points[i];
		fprintf(out, "%15s ", report_number(point->swept_bytes));
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
	const struct arch *arch = sweep->session->arch;
	fputs("scratchpad_bytes,total_bytes,lower_bound_bytes,compulsory_bytes,optimal", out);
	for (int m = 0; m < arch->memory_count; m++)
		fprintf(out, ",%s_bytes", arch->memories[m].name);
	putc('\n', out);
	for (int i = 0; i < sweep->count; i++) {
		const struct point *point = &sweep->points[i];
		fprintf(out, "%ld,", point->arch->scratchpad_bytes);
		if (point->total_bytes >= 0) {
			print_known(out, point->total_bytes);
			print_known(out, point->lower_bound_bytes);
			print_known(out, point->compulsory_bytes);
			fputs(point->is_optimal ? "true" : "false", out);
		} else {
			fputs(",,,", out);
		}
		for (int m = 0; m < arch->memory_count; m++)
			fprintf(out, ",%ld", point->arch->memories[m].bytes);
		putc('\n', out);
	}
	return !ferror(out);
}

static json_t *known_json(long value)
{
	return value < 0 ? json_null() : json_integer(value);
}

static json_t *memories_json(const struct arch *arch)
{
	json_t *list = json_array();
	for (int m = 0; m < arch->memory_count; m++)
		json_array_append_new(list, json_pack("{ss sI}", "name", arch->memories[m].name,
			"bytes", (json_int_t)arch->memories[m].bytes));
	return list;
}

static bool print_json(FILE *out, const struct sweep *sweep)
{
	json_t *points = json_array();
	for (int i = 0; i < sweep->count; i++) {
		const struct point *point = &sweep->points[i];
		json_t *entry = point->total_bytes < 0 ?
			json_pack("{sI sn}", "scratchpad_bytes", (json_int_t)point->arch->scratchpad_bytes,
				"total_bytes") :
			json_pack("{sI sI so so sb}",
				"scratchpad_bytes", (json_int_t)point->arch->scratchpad_bytes,
				"total_bytes", (json_int_t)point->total_bytes,
				"lower_bound_bytes", known_json(point->lower_bound_bytes),
				"compulsory_bytes", known_json(point->compulsory_bytes),
				"optimal", point->is_optimal);
		if (entry && point->arch->memory_count)
			json_object_set_new(entry, "memories", memories_json(point->arch));
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
		x[curve.count] = (double)sweep->points[i].swept_bytes;
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
	return chart_print(out, title_of(sweep), sweep->memory < 0 ? "all memories" : sweep->name, "traffic",
		curves, 3);
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
	struct sweep_asked asked;
	sweep_parse(session->options->sweep, &asked);
	if (!find_memory(&sweep, &asked)) {
		fprintf(stderr, "loopc: error: --sweep: '%s' has no memory '%s'\n", session->arch->name, sweep.name);
		return STATUS_USAGE;
	}
	choose_sizes(&sweep, &asked);
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
