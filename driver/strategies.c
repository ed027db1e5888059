#include "driver/strategies.h"

#include <string.h>

#include "passes/analysis/roles.h"
#include "passes/search/restriction.h"
#include "passes/studies/strategy.h"

struct strategies {
	int *count;                  /* [function]: layers */
	struct layer **layers;
};


static const struct plan *plan_of(const struct session *session, const struct function *function)
{
	for (int p = 0; p < session->plan_count; p++)
		if (!strcmp(session->plans[p]->function->name, function->name))
			return session->plans[p];
	return NULL;
}

void strategies_find(struct session *session)
{
	const struct program *program = session->program;
	struct strategies *strategies = ARENA_NEW(session->arena, struct strategies);
	strategies->count = ARENA_ARRAY(session->arena, int, program->function_count);
	strategies->layers = ARENA_ARRAY(session->arena, struct layer *, program->function_count);
	for (int f = 0; f < program->function_count; f++) {
		const struct plan *plan = plan_of(session, program->functions[f]);
		strategies->layers[f] = strategies_of_function(&session->compilation, plan->written, plan,
			&strategies->count[f]);
	}
	session->strategies = strategies;
}

/* Array A is the first entry of the nest for its array. */
static bool is_first_entry(const struct nest *nest, int a)
{
	for (int b = 0; b < a; b++)
		if (nest->arrays->items[b].array == nest->arrays->items[a].array)
			return false;
	return true;
}

static void print_roles(FILE *out, const struct nest *nest)
{
	const char *separator = "";
	for (int role = 0; role < ROLE_COUNT; role++)
		for (int a = 0; a < nest->arrays->count; a++)
			if (is_first_entry(nest, a) &&
				array_role_in(nest, nest->arrays->items[a].array) == (enum array_role)role) {
				fprintf(out, "%s%s %s", separator, role_names[role],
					nest->arrays->items[a].array->name);
				separator = ", ";
			}
}

/* Which pairs are worth fusing, and why others are not. */
static void print_pair(FILE *out, const struct layer *layer)
{
	long alone = layer->bytes[STRATEGY_FULL], next = layer[1].bytes[STRATEGY_FULL];
	fprintf(out, "  %s with %s: ", layer->nest->name, layer[1].nest->name);
	switch (layer->pair) {
	case PAIR_SAVES:
		if (alone < 0 || next < 0)
			fputs("fits, which one of them alone does not\n", out);
		else
			fprintf(out, "saves %s bytes\n",
				report_number(alone + next - layer->with_next_bytes));
		break;
	case PAIR_COSTS:
		fprintf(out, "not worth it: moves %s bytes more",
			report_number(layer->with_next_bytes - alone - next));
		if (layer->dearest)
			fprintf(out, " (most of all %s: %s more)", layer->dearest->name,
				report_number(layer->dearest_bytes));
		putc('\n', out);
		break;
	case PAIR_TOO_LARGE: fputs("no tile of both fits the scratchpad\n", out); break;
	case PAIR_UNORDERED:
		fputs("there is no loop along which both can be cut, and whole they do not fit\n", out);
		break;
	default: fputs("they share no array that could stay on chip\n", out);
	}
}

static const char *bytes_text(long bytes)
{
	return bytes < 0 ? "-" : report_number(bytes);
}

static void print_layer(FILE *out, const struct layer *layer)
{
	fprintf(out, "  %-14s", layer->nest->name);
	for (int s = 0; s < STRATEGY_COUNT; s++)
		fprintf(out, " %14s", bytes_text(layer->bytes[s]));
	fprintf(out, " %14s %14s %4d%s\n", bytes_text(layer->with_next_bytes),
		bytes_text(layer->chosen_bytes), layer->rank, layer->is_fused ? " fused" : "");
}

void strategies_print(FILE *out, const struct session *session)
{
	const struct program *program = session->program;
	for (int f = 0; f < program->function_count; f++) {
		const struct layer *layers = session->strategies->layers[f];
		int count = session->strategies->count[f];
		fprintf(out, "reuse strategies of %s on %s: least bytes moved by each layer\n"
			"  %-14s %14s %14s %14s %14s %14s %14s %4s\n", program->functions[f]->name,
			session->arch->name, "layer", "input", "weight", "output", "full space",
			"with next", "chosen", "rank");
		for (int n = 0; n < count; n++)
			print_layer(out, &layers[n]);
		for (int n = 0; n < count; n++) {
			fprintf(out, "  %s: ", layers[n].nest->name);
			print_roles(out, layers[n].nest);
			putc('\n', out);
		}
		for (int n = 0; n + 1 < count; n++)
			print_pair(out, &layers[n]);
		putc('\n', out);
	}
}

static json_t *bytes_json(long bytes)
{
	return bytes < 0 ? json_null() : json_integer(bytes);
}

static json_t *roles_json(const struct nest *nest)
{
	json_t *arrays = json_array();
	for (int a = 0; a < nest->arrays->count; a++)
		if (is_first_entry(nest, a))
			json_array_append_new(arrays, json_pack("{ss ss}",
				"name", nest->arrays->items[a].array->name,
				"role", role_names[array_role_in(nest, nest->arrays->items[a].array)]));
	return arrays;
}

static json_t *layer_json(const struct layer *layer)
{
	static const char *const verdicts[] = { "none", "saves", "costs", "too large", "unordered",
		"apart" };
	return json_pack("{ss ss so so so so so so ss ss* so sI sb si}", "function",
		layer->nest->function->name, "nest", layer->nest->name,
		"arrays", roles_json(layer->nest),
		"input_reuse_bytes", bytes_json(layer->bytes[STRATEGY_INPUT]),
		"weight_reuse_bytes", bytes_json(layer->bytes[STRATEGY_WEIGHT]),
		"output_reuse_bytes", bytes_json(layer->bytes[STRATEGY_OUTPUT]),
		"full_space_bytes", bytes_json(layer->bytes[STRATEGY_FULL]),
		"with_next_bytes", bytes_json(layer->with_next_bytes),
		"with_next", verdicts[layer->pair],
		"dearest_array", layer->dearest ? layer->dearest->name : NULL,
		"dearest_array_bytes", bytes_json(layer->dearest ? layer->dearest_bytes : -1),
		"chosen_bytes", (json_int_t)layer->chosen_bytes, "fused", layer->is_fused,
		"rank", layer->rank);
}

json_t *strategies_json(const struct session *session)
{
	if (!session->strategies)
		return NULL;
	json_t *list = json_array();
	for (int f = 0; f < session->program->function_count; f++)
		for (int n = 0; n < session->strategies->count[f]; n++)
			json_array_append_new(list, layer_json(&session->strategies->layers[f][n]));
	return list;
}
