#include "driver/pareto.h"

#include <string.h>

#include <jansson.h>

#include "driver/chart.h"
#include "driver/trades.h"
#include "passes/studies/pareto.h"

struct fronts {
	const struct session *session;
	int count;
	struct pareto *functions;
};

bool pareto_parse(const char *text, bool *with_macs)
{
	struct trades_asked asked;
	bool is_known = trades_parse(text, &asked);
	*with_macs = is_known && trades_ask_for(&asked, TRADE_MACS);
	return is_known && trades_ask_for(&asked, TRADE_MEMORY) && trades_ask_for(&asked, PLAN_TRAFFIC)
		&& asked.count == 2 + *with_macs;
}

static bool shows_macs(const struct fronts *fronts)
{
	bool with_macs;
	return pareto_parse(fronts->session->options->pareto, &with_macs) && with_macs;
}

static bool is_proved(const struct front *front)
{
	for (int p = 0; p < front->point_count; p++)
		if (!front->points[p].is_proved)
			return false;
	return true;
}

/* What the points of a front cost can be known: nobody knows how long they run. */
static bool has_energy(const struct fronts *fronts)
{
	const struct arch *arch = fronts->session->arch;
	return energy_is_known(arch) && arch->energy_leakage_pj <= 0;
}

/* False if it cannot, or not all counts are known. */
static bool point_energy(const struct fronts *fronts, const struct front_point *point,
	double *microjoules)
{
	struct energy energy = energy_of(fronts->session->arch, &point->counts);
	*microjoules = energy_total_pj(&energy) / 1e6;
	return has_energy(fronts) && point->counts.macs >= 0;
}

/* ---- the table ---- */

/* One paragraph, however many there are. */
static void print_gaps(FILE *out, const struct fronts *fronts, const struct front *front)
{
	enum { WIDTH = 96 };
	struct arena *arena = fronts->session->arena;
	int column = fprintf(out, "not searched: sizes");
	for (int g = 0; g < front->gap_count; g++) {
		const struct front_gap *gap = &front->gaps[g];
		const char *text = arena_printf(arena, "%s", report_number(gap->to_bytes));
		if (gap->from_bytes < gap->to_bytes)
			text = arena_printf(arena, "%s to %s", report_number(gap->from_bytes), text);
		if (column + (int)strlen(text) + 2 > WIDTH)
			column = fprintf(out, "\n   ") - 1;
		column += fprintf(out, " %s%s", text, g + 1 < front->gap_count ? "," : "\n");
	}
}

static void print_front(FILE *out, const struct fronts *fronts, const char *name,
	const struct front *front)
{
	bool with_macs = shows_macs(fronts);
	fprintf(out, "front of %s on %s: %d points%s%s\n", name, fronts->session->arch->name,
		front->point_count, front->gap_count ? ", not complete" : "",
		is_proved(front) ? "" : ", not all proved");
	fprintf(out, "%6s %15s %18s", "point", arch_has_memories(fronts->session->arch) ? "all memories"
		: "scratchpad", "traffic");
	if (with_macs)
		fprintf(out, " %18s", "macs");
	fprintf(out, has_energy(fronts) ? " %12s\n" : "\n", "energy (uJ)");
	for (int p = 0; p < front->point_count; p++) {
		const struct front_point *point = &front->points[p];
		double microjoules;
		fprintf(out, "%6d %15s %18s", p, report_number(point->memory_bytes),
			report_number(point->traffic_bytes));
		if (with_macs)
			fprintf(out, " %18s", point->counts.macs < 0 ? "not counted" :
				report_number(point->counts.macs));
		if (point_energy(fronts, point, &microjoules))
			fprintf(out, " %12.4g", microjoules);
		fprintf(out, "%s\n", point->is_proved ? "" : "  (not proved optimal)");
	}
	if (front->gap_count)
		print_gaps(out, fronts, front);
	putc('\n', out);
}

static bool print_table(FILE *out, const struct fronts *fronts)
{
	for (int f = 0; f < fronts->count; f++) {
		const struct pareto *pareto = &fronts->functions[f];
		print_front(out, fronts, pareto->function->name, &pareto->whole);
		for (int n = 0; pareto->nests && n < pareto->nest_count; n++)
			print_front(out, fronts, pareto->nest_names[n], &pareto->nests[n]);
	}
	return !ferror(out);
}

/* ---- files ---- */

static void print_rows(FILE *out, const struct fronts *fronts, const char *function,
	const char *nest, const struct front *front)
{
	for (int p = 0; p < front->point_count; p++) {
		const struct front_point *point = &front->points[p];
		fprintf(out, "%s,%s,%ld,%ld,", function, nest, point->memory_bytes,
			point->traffic_bytes);
		double microjoules;
		if (point->counts.macs >= 0)
			fprintf(out, "%ld", point->counts.macs);
		fprintf(out, ",%s,", point->is_proved ? "true" : "false");
		if (point_energy(fronts, point, &microjoules))
			fprintf(out, "%.6g", microjoules);
		putc('\n', out);
	}
}

static bool print_csv(FILE *out, const struct fronts *fronts)
{
	fputs("function,nest,memory_bytes,traffic_bytes,macs,optimal,energy_uj\n", out);
	for (int f = 0; f < fronts->count; f++) {
		const struct pareto *pareto = &fronts->functions[f];
		print_rows(out, fronts, pareto->function->name, "", &pareto->whole);
		for (int n = 0; pareto->nests && n < pareto->nest_count; n++)
			print_rows(out, fronts, pareto->function->name, pareto->nest_names[n], &pareto->nests[n]);
	}
	return !ferror(out);
}

static json_t *point_json(const struct fronts *fronts, const struct front_point *point)
{
	double microjoules;
	bool is_priced = point_energy(fronts, point, &microjoules);
	return json_pack("{sI sI so sb so ss}", "memory_bytes", (json_int_t)point->memory_bytes,
		"traffic_bytes", (json_int_t)point->traffic_bytes,
		"macs", point->counts.macs < 0 ? json_null() : json_integer(point->counts.macs),
		"optimal", point->is_proved,
		"energy_uj", is_priced ? json_real(microjoules) : json_null(),
		"schedule", point->schedule);
}

static json_t *front_json(const struct fronts *fronts, const char *function, const char *nest, const struct front *front)
{
	json_t *points = json_array(), *gaps = json_array();
	for (int p = 0; p < front->point_count; p++)
		json_array_append_new(points, point_json(fronts, &front->points[p]));
	for (int g = 0; g < front->gap_count; g++)
		json_array_append_new(gaps, json_pack("{sI sI}",
			"from_bytes", (json_int_t)front->gaps[g].from_bytes,
			"to_bytes", (json_int_t)front->gaps[g].to_bytes));
	return json_pack("{ss so sb so so}", "function", function,
		"nest", nest ? json_string(nest) : json_null(), "complete", !front->gap_count,
		"points", points, "not_searched", gaps);
}

static bool print_json(FILE *out, const struct fronts *fronts)
{
	json_t *list = json_array();
	for (int f = 0; f < fronts->count; f++) {
		const struct pareto *pareto = &fronts->functions[f];
		const char *name = pareto->function->name;
		json_array_append_new(list, front_json(fronts, name, NULL, &pareto->whole));
		for (int n = 0; pareto->nests && n < pareto->nest_count; n++)
			json_array_append_new(list,
				front_json(fronts, name, pareto->nest_names[n], &pareto->nests[n]));
	}
	const char *space = fronts->session->options->space;
	json_t *root = json_pack("{si ss ss so}", "schema", 1,
		"arch", fronts->session->arch->name, "space", space ? space : "full", "fronts", list);
	bool is_written = root && json_dumpf(root, out, JSON_INDENT(2) |
		JSON_REAL_PRECISION(6)) == 0 && putc('\n', out) != EOF;
	json_decref(root);
	return is_written;
}

/* Charts show memory rising. */
static struct chart_curve curve_of(struct arena *arena, const char *title,
	const struct front *front)
{
	double *x = ARENA_ARRAY(arena, double, front->point_count + 1);
	double *y = ARENA_ARRAY(arena, double, front->point_count + 1);
	bool *is_open = ARENA_ARRAY(arena, bool, front->point_count + 1);
	double (*gaps)[2] = arena_alloc(arena, sizeof *gaps * (size_t)(front->gap_count + 1));
	struct chart_curve curve = { .title = title, .has_points = true, .is_stepped = true, .x = x,
		.y = y, .is_open = is_open, .gap_count = front->gap_count,
		.gaps = (const double (*)[2])gaps };
	for (int p = front->point_count - 1; p >= 0; p--) {
		const struct front_point *point = &front->points[p];
		if (!point->traffic_bytes)
			continue;
		is_open[curve.count] = !point->is_proved;
		x[curve.count] = (double)point->memory_bytes;
		y[curve.count++] = (double)point->traffic_bytes;
	}
	for (int g = 0; g < front->gap_count; g++) {
		gaps[g][0] = (double)front->gaps[g].from_bytes;
		gaps[g][1] = (double)front->gaps[g].to_bytes;
	}
	return curve;
}

static bool print_svg(FILE *out, const struct fronts *fronts)
{
	struct arena *arena = fronts->session->arena;
	struct chart_curve *curves = ARENA_ARRAY(arena, struct chart_curve, fronts->count + 1);
	const char *title = "front of";
	for (int f = 0; f < fronts->count; f++) {
		const char *name = fronts->functions[f].function->name;
		curves[f] = curve_of(arena, name, &fronts->functions[f].whole);
		title = arena_printf(arena, "%s%s %s", title, f ? "," : "", name);
	}
	return chart_print(out, arena_printf(arena, "%s on %s", title, fronts->session->arch->name),
		"scratchpad", "traffic", curves, fronts->count);
}

static bool print_file(const struct fronts *fronts, struct outputs *outputs, const char *file)
{
	const char *dot = strrchr(file, '.');
	bool (*print)(FILE *, const struct fronts *) = dot && !strcmp(dot, ".csv") ? print_csv :
		dot && !strcmp(dot, ".json") ? print_json : print_svg;
	FILE *out = outputs_open(outputs, file);
	return out && print(out, fronts);
}

enum status pareto(struct session *session, struct outputs *outputs)
{
	const struct options *options = session->options;
	struct fronts fronts = { session, session->program->function_count,
		ARENA_ARRAY(session->arena, struct pareto, session->program->function_count + 1) };
	for (int f = 0; f < fronts.count; f++) {
		pareto_find(&session->compilation, session->program->functions[f],
			shows_macs(&fronts), options->pareto_nests, (int)options->pareto_points, &fronts.functions[f]);
		if (!fronts.functions[f].whole.point_count)
			return STATUS_DOES_NOT_FIT;
	}
	FILE *out = outputs_open(outputs, "-");
	if (!out || !print_table(out, &fronts))
		return STATUS_INPUT_ERROR;
	for (int f = 0; f < options->pareto_files.count; f++)
		if (!print_file(&fronts, outputs, options->pareto_files.items[f]))
			return STATUS_INPUT_ERROR;
	return STATUS_DONE;
}
