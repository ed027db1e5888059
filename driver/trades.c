/* Fronts of figures that only finished plans have. */

#include "driver/trades.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "passes/studies/pareto.h"

struct trade {
	double figures[TRADE_FIGURE_COUNT];
	struct plan_way way;
	const char *schedule;
};

/* The front of a function; PLAN_COUNT: plans that were made. */
struct trade_front {
	const struct function *function;
	int plan_count, count;
	size_t capacity;
	struct trade *items;         /* the first figure that is asked for rises */
};

struct trades {
	const struct session *session;
	struct trades_asked asked;
	struct plan_objective figures;       /* asks for those of them that plans are made for */
	make_plan_fn *make;
	int count;
	struct trade_front *fronts;
};

/* ---- the option ---- */

static const char *figure_name(int figure)
{
	return figure == TRADE_MEMORY ? "memory" : figure == TRADE_MACS ? "macs"
		: plan_figure_names[figure];
}

/* The figure of so many letters that TEXT begins with; -1: none. */
static int figure_named(const char *text, size_t length)
{
	for (int f = 0; f < TRADE_FIGURE_COUNT; f++)
		if (strlen(figure_name(f)) == length && !strncmp(figure_name(f), text, length))
			return f;
	return -1;
}

bool trades_ask_for(const struct trades_asked *asked, int figure)
{
	for (int i = 0; i < asked->count; i++)
		if (asked->figures[i] == figure)
			return true;
	return false;
}

bool trades_parse(const char *text, struct trades_asked *asked)
{
	*asked = (struct trades_asked){ .count = 0 };
	for (;; text++) {
		size_t length = strcspn(text, ",");
		int figure = figure_named(text, length);
		if (figure < 0 || asked->count == 3 || trades_ask_for(asked, figure))
			return false;
		asked->figures[asked->count++] = figure;
		text += length;
		if (!*text)
			return asked->count > 1;
	}
}

/* ---- points ---- */

static const char *schedule_of(struct arena *arena, const struct plan *plan)
{
	const char *text = "";
	for (int n = 0; n < plan->nest_count; n++)
		text = arena_printf(arena, "%s%s", text, plan->nests[n].schedule ? plan->nests[n].schedule : "");
	return text;
}

/* What PLAN, made in WAY, comes to; false if a figure that is asked for is not known. */
static bool trade_of(const struct trades *trades, struct plan *plan, const struct plan_way *way,
	struct trade *trade)
{
	double memory = 0, macs = 0;
	*trade = (struct trade){ .way = *way };
	objective_figures(&trades->figures, plan, trade->figures);
	for (int n = 0; n < plan->nest_count; n++) {
		memory = fmax(memory, (double)plan->nests[n].scratchpad_used_bytes);
		macs += plan->nests[n].macs < 0 ? NAN : (double)plan->nests[n].macs;
	}
	trade->figures[TRADE_MEMORY] = memory;
	trade->figures[TRADE_MACS] = macs;
	for (int i = 0; i < trades->asked.count; i++)
		if (isnan(trade->figures[trades->asked.figures[i]]))
			return false;
	trade->schedule = schedule_of(trades->session->arena, plan);
	return true;
}

/* ONE is no worse than OTHER in any figure. */
static bool is_as_good(const struct trades_asked *asked, const struct trade *one, const struct trade *other)
{
	for (int i = 0; i < asked->count; i++)
		if (one->figures[asked->figures[i]] > other->figures[asked->figures[i]])
			return false;
	return true;
}

static bool comes_before(const struct trades_asked *asked, const struct trade *one, const struct trade *other)
{
	for (int i = 0; i < asked->count; i++) {
		int figure = asked->figures[i];
		if (one->figures[figure] != other->figures[figure])
			return one->figures[figure] < other->figures[figure];
	}
	return false;
}

/* FRONT with TRADE in it, unless another one is as good, and without those that it is as good as. */
static void add(const struct trades *trades, struct trade_front *front, const struct trade *trade)
{
	const struct trades_asked *asked = &trades->asked;
	int kept = 0, at = 0;
	for (int i = 0; i < front->count; i++)
		if (is_as_good(asked, &front->items[i], trade))
			return;
	for (int i = 0; i < front->count; i++)
		if (!is_as_good(asked, trade, &front->items[i]))
			front->items[kept++] = front->items[i];
	front->count = kept;
	front->items = arena_grow(trades->session->arena, front->items, (size_t)front->count, &front->capacity,
		sizeof *front->items);
	while (at < kept && comes_before(asked, &front->items[at], trade))
		at++;
	memmove(&front->items[at + 1], &front->items[at], (size_t)(kept - at) * sizeof *front->items);
	front->items[at] = *trade;
	front->count++;
}

/* Makes plans for the machine ARCH; false: not even that of least traffic fits. */
static bool make_plans(const struct trades *trades, const struct arch *arch, struct trade_front *front)
{
	const struct options *options = trades->session->options;
	struct plan_way ways[PLAN_WAYS];
	int count = ways_to_trade(&trades->figures, arch,
		options->is_buffering_given ? (int)options->buffering : -1, ways);
	for (int w = 0; w < count; w++) {
		struct trade trade;
		if (w && way_is_idle(&ways[w]))
			continue;
		struct plan *plan = ways_make(trades->session, arch, front->function, &ways[w], trades->make);
		if (!plan && !w)
			return false;
		if (!plan)
			continue;
		plan->program = trades->session->compilation.program;
		/* the first way is that of least traffic */
		if (w == 0)
			ways_are_of(plan_source_nests(plan) > 1, ways, count);
		front->plan_count++;
		if (trade_of(trades, plan, &ways[w], &trade))
			add(trades, front, &trade);
	}
	return true;
}

/* The next smaller scratchpad: two in a doubling, the same for all machines that differ in theirs only.
 * NULL: there is none. */
static const struct arch *less_than(const struct trades *trades, const struct arch *arch)
{
	long granule = arch_granule_bytes(arch), size = arch->scratchpad_bytes;
	struct arch *less = ARENA_NEW(trades->session->arena, struct arch);
	for (int k = (int)floor(2 * log2((double)size)) + 1; size >= arch->scratchpad_bytes && k > 0; k--)
		size = (long)exp2((double)k / 2) / granule * granule;
	if (size <= 0 || size >= arch->scratchpad_bytes)
		return NULL;
	*less = arch_resized(arch, size);
	return less;
}

static bool find_front(const struct trades *trades, struct trade_front *front)
{
	enum { SIZES = 12 };
	const struct options *options = trades->session->options;
	const struct arch *arch = trades->session->arch;
	long sizes = options->pareto_points > 0 ? options->pareto_points
		: options->pareto_points == PARETO_COMPLETE ? LONG_MAX : SIZES;
	if (!trades_ask_for(&trades->asked, TRADE_MEMORY))
		sizes = 1;
	for (long i = 0; i < sizes && arch; i++) {
		progress_show(&trades->session->compilation, "front of %s: %ld bytes",
			front->function->name, arch->scratchpad_bytes);
		if (!make_plans(trades, arch, front))
			break;
		arch = less_than(trades, arch);
	}
	progress_end(&trades->session->compilation);
	return front->count > 0;
}

/* ---- output ---- */

static bool print_table(FILE *out, const struct trades *trades)
{
	for (int f = 0; f < trades->count; f++) {
		const struct trade_front *front = &trades->fronts[f];
		fprintf(out, "front of %s on %s: %d points of the %d plans that were made\n",
			front->function->name, trades->session->arch->name, front->count, front->plan_count);
		fprintf(out, "%6s", "point");
		for (int i = 0; i < trades->asked.count; i++)
			fprintf(out, " %18s", figure_name(trades->asked.figures[i]));
		fputs("  " WAY_HEADING "\n", out);
		for (int p = 0; p < front->count; p++) {
			const struct trade *trade = &front->items[p];
			fprintf(out, "%6d", p);
			for (int i = 0; i < trades->asked.count; i++)
				fprintf(out, " %18.10g", trade->figures[trades->asked.figures[i]]);
			fputs("  ", out);
			ways_print(out, &trade->way);
			putc('\n', out);
		}
		putc('\n', out);
	}
	return !ferror(out);
}

static bool print_csv(FILE *out, const struct trades *trades)
{
	fputs("function", out);
	for (int i = 0; i < trades->asked.count; i++)
		fprintf(out, ",%s", figure_name(trades->asked.figures[i]));
	fputs(",buffering,command_bytes\n", out);
	for (int f = 0; f < trades->count; f++)
		for (int p = 0; p < trades->fronts[f].count; p++) {
			const struct trade *trade = &trades->fronts[f].items[p];
			fputs(trades->fronts[f].function->name, out);
			for (int i = 0; i < trades->asked.count; i++)
				fprintf(out, ",%.17g", trade->figures[trades->asked.figures[i]]);
			fprintf(out, ",%s,", buffering_names[trade->way.buffering]);
			if (!prices_have_time(&trade->way.prices))
				fprintf(out, "%.17g", trade->way.prices.command);
			putc('\n', out);
		}
	return !ferror(out);
}

static json_t *point_json(const struct trades *trades, const struct trade *trade)
{
	json_t *json = json_object();
	for (int i = 0; i < trades->asked.count; i++)
		json_object_set_new(json, figure_name(trades->asked.figures[i]),
			json_real(trade->figures[trades->asked.figures[i]]));
	json_object_set_new(json, "buffering", json_string(buffering_names[trade->way.buffering]));
	json_object_set_new(json, "command_bytes", prices_have_time(&trade->way.prices) ? json_null()
		: json_real(trade->way.prices.command));
	json_object_set_new(json, "schedule", json_string(trade->schedule));
	return json;
}

static bool print_json(FILE *out, const struct trades *trades)
{
	json_t *list = json_array();
	for (int f = 0; f < trades->count; f++) {
		const struct trade_front *front = &trades->fronts[f];
		json_t *points = json_array();
		for (int p = 0; p < front->count; p++)
			json_array_append_new(points, point_json(trades, &front->items[p]));
		json_array_append_new(list, json_pack("{ss si so}", "function", front->function->name,
			"plans", front->plan_count, "points", points));
	}
	json_t *root = json_pack("{si ss ss so}", "schema", 1, "arch", trades->session->arch->name,
		"figures", trades->session->options->pareto, "fronts", list);
	bool is_written = root && json_dumpf(root, out, JSON_INDENT(2)) == 0 && putc('\n', out) != EOF;
	json_decref(root);
	return is_written;
}

static bool print_file(const struct trades *trades, struct outputs *outputs, const char *file)
{
	const char *dot = strrchr(file, '.');
	FILE *out = outputs_open(outputs, file);
	return out && (dot && !strcmp(dot, ".csv") ? print_csv : print_json)(out, trades);
}

enum status trades(struct session *session, struct outputs *outputs, make_plan_fn *make)
{
	const struct options *options = session->options;
	struct trades trades = { .session = session, .figures = { .count = 1, .text = options->pareto },
		.make = make, .count = session->program->function_count };
	trades_parse(options->pareto, &trades.asked);
	for (int i = 0; i < trades.asked.count; i++)
		if (trades.asked.figures[i] < PLAN_FIGURE_COUNT)
			trades.figures.weight[0][trades.asked.figures[i]] = 1;
	const char *lacks = objective_lacks(&trades.figures, session->arch);
	if (lacks) {
		fprintf(stderr, "loopc: error: --pareto=%s needs a machine that says %s\n", options->pareto, lacks);
		return STATUS_USAGE;
	}
	trades.fronts = ARENA_ARRAY(session->arena, struct trade_front, trades.count + 1);
	for (int f = 0; f < trades.count; f++) {
		trades.fronts[f].function = session->program->functions[f];
		if (!find_front(&trades, &trades.fronts[f]))
			return STATUS_DOES_NOT_FIT;
	}
	FILE *out = outputs_open(outputs, "-");
	if (!out || !print_table(out, &trades))
		return STATUS_INPUT_ERROR;
	for (int f = 0; f < options->pareto_files.count; f++)
		if (!print_file(&trades, outputs, options->pareto_files.items[f]))
			return STATUS_INPUT_ERROR;
	return STATUS_DONE;
}
