/* --explain: the copies of a plan, each with the loops around it and what they mean
 * for it. */

#include "codegen/report_time.h"

enum { DEPTH_LIMIT = 128 };

/* Where in the tree we are: loops and named values around the node in hand. */
struct walk {
	FILE *out;
	const struct array *array;   /* whose copies are told */
	int depth;
	const struct plan_node *around[DEPTH_LIMIT];
};

static const struct plan_node *definition(const struct walk *walk, const struct plan_var *var)
{
	for (int i = walk->depth - 1; i >= 0; i--)
		if (walk->around[i]->var == var)
			return walk->around[i];
	return NULL;
}

/* Whether the value of EXPR moves with the loop LOOP, through named values too.  The
 * condition of a choice does not count: which way a loop runs is no move. */
static bool depends_on(const struct walk *walk, const struct plan_expr *expr,
	const struct plan_node *loop)
{
	if (!expr)
		return false;
	if (expr->op == PLAN_VAR) {
		const struct plan_node *node = definition(walk, expr->var);
		return node == loop || (node && node->kind == PLAN_LET &&
			depends_on(walk, node->lower, loop));
	}
	for (int o = expr->op == PLAN_SELECT; o < 3; o++)
		if (depends_on(walk, expr->operands[o], loop))
			return true;
	return false;
}

static bool region_depends_on(const struct walk *walk, const struct plan_transfer *transfer,
	const struct plan_node *loop)
{
	for (int d = 0; d < transfer->buffer->rank; d++)
		if (depends_on(walk, transfer->first[d], loop) ||
		    depends_on(walk, transfer->count[d], loop))
			return true;
	return false;
}

static long trips(const struct plan_node *loop)
{
	long lower, upper, ignored;
	plan_range(loop->lower, &lower, &ignored);
	plan_range(loop->upper, &ignored, &upper);
	return upper >= lower ? (upper - lower) / loop->step + 1 : 0;
}

static void print_region(const struct walk *walk, const struct plan_transfer *transfer)
{
	long bytes = transfer->buffer->array->type.bytes;
	fprintf(walk->out, "    %s %s ", transfer->is_put ? "put" : "get", transfer->buffer->name);
	for (int d = 0; d < transfer->buffer->rank; d++) {
		long least, most;
		plan_range(transfer->count[d], &least, &most);
		fprintf(walk->out, "[%ld]", most);
		bytes *= most;
	}
	fprintf(walk->out, ", at most %s bytes", report_number(bytes));
}

static void print_transfer(const struct walk *walk, const struct plan_transfer *transfer)
{
	int count = 0;
	print_region(walk, transfer);
	for (int i = 0; i < walk->depth; i++)
		if (walk->around[i]->kind == PLAN_LOOP && walk->around[i]->loop == LOOP_TILE)
			fprintf(walk->out, "%s %s", count++ ? "," : ", inside", walk->around[i]->var->name);
	fputs("\n", walk->out);
	for (int i = 0; i < walk->depth; i++) {
		const struct plan_node *loop = walk->around[i];
		if (loop->kind == PLAN_LOOP && loop->loop == LOOP_TILE && trips(loop) > 1 &&
		    !region_depends_on(walk, transfer, loop))
			fprintf(walk->out, "        %s does not move the region: again in each of up to "
				"%ld iterations, but for what a turn or a ring keeps\n", loop->var->name,
				trips(loop));
	}
}

static void explain_node(struct walk *walk, const struct plan_node *node)
{
	bool is_scope = node->kind == PLAN_LOOP || node->kind == PLAN_LET;
	if (node->kind == PLAN_TRANSFER && node->transfer.buffer->array == walk->array)
		print_transfer(walk, &node->transfer);
	for (int c = 0; c < node->child_count; c++)
		explain_node(walk, node->children[c]);
	if (!node->body || walk->depth == DEPTH_LIMIT)
		return;
	if (is_scope)
		walk->around[walk->depth++] = node;
	explain_node(walk, node->body);
	if (is_scope)
		walk->depth--;
}

/* What processing elements move of ARRAY between the scratchpad and their registers. */
static void explain_words(FILE *out, const struct plan *plan, const struct plan_array *elements, const struct array *array)
{
	double all = (double)array->elements;
	for (int i = 0; i < elements->count; i++) {
		const long *words = elements->words[i].words;
		if (elements->words[i].array != array)
			continue;
		fprintf(out, "    elements read %s words (%.2f times)", report_number(words[WORD_READ]),
			(double)words[WORD_READ] / all);
		fprintf(out, " and write %s (%.2f times)", report_number(words[WORD_WRITTEN]),
			(double)words[WORD_WRITTEN] / all);
		fprintf(out, "; %s come to single elements or leave them, %s are added up%s\n",
			report_number(words[WORD_DELIVERED]), report_number(words[WORD_REDUCED]),
			plan_words_bypass(plan->arch, &elements->words[i]) ? "; registers are all that holds it on chip" : "");
	}
}

static void explain_array(FILE *out, const struct plan *plan, const struct plan_nest *nest,
	const struct plan_traffic *traffic)
{
	const struct array *array = traffic->array;
	long bytes = array->elements * array->type.bytes;
	fprintf(out, "  %s: %s bytes; read %s (%.2f times), written %s (%.2f times)", array->name,
		report_number(bytes), report_number(traffic->flow.read_bytes),
		(double)traffic->flow.read_bytes / (double)bytes, report_number(traffic->flow.write_bytes),
		(double)traffic->flow.write_bytes / (double)bytes);
	report_source(out, array);
	putc('\n', out);
	explain_node(&(struct walk){ .out = out, .array = array }, nest->body);
	if (nest->elements)
		explain_words(out, plan, nest->elements, array);
}

void report_explain(FILE *out, const struct report *report)
{
	for (int p = 0; p < report->plan_count; p++) {
		const struct plan_time *times = report_times(report->plans[p]);
		for (int n = 0; n < report->plans[p]->nest_count; n++) {
			const struct plan_nest *nest = &report->plans[p]->nests[n];
			fprintf(out, "%s (%s:%d) on %s\n", nest->name, nest->location.file,
				nest->location.line, report->arch->name);
			for (int t = 0; t < nest->traffic_count; t++)
				explain_array(out, report->plans[p], nest, &nest->traffic[t]);
			if (times)
				report_time_explain(out, report->arch, report_workers(nest), &times[n],
					report_commands_of_nest(report->plans[p], nest));
			putc('\n', out);
		}
	}
}
