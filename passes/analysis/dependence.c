/* Dependences: which pairs of statement instances must stay in their order. */

#include <stdlib.h>

#include <isl/flow.h>
#include <isl/schedule.h>
#include <isl/union_set.h>

#include "ir/coalesce.h"
#include "ir/isl_work.h"
#include "ir/order.h"
#include "ir/program_build.h"
#include "passes/analysis/nest.h"
#include "passes/analysis/nest_memo.h"
#include "passes/analysis/values.h"

static void release_map(void *map) { isl_union_map_free(map); }

static bool same_subscripts(const struct statement *statement, const struct access *a,
	const struct access *b)
{
	if (a->array != b->array)
		return false;
	for (int d = 0; d < a->array->rank; d++)
		if (!affine_is_equal(a->subscripts[d], b->subscripts[d], statement->depth))
			return false;
	return true;
}

/* ACCESS is the accumulator of STATEMENT's reduction, read or written. */
static bool is_accumulator(const struct statement *statement, const struct access *access)
{
	return statement->reduction != REDUCTION_NONE
		&& same_subscripts(statement, &statement->accesses[0], access);
}

/* Two updates of an accumulator by the same associative and commutative operation
 * may change places. */
static bool may_swap(const struct compilation *compilation, const struct statement *from,
	const struct access *a, const struct statement *to, const struct access *b)
{
	if (!is_accumulator(from, a) || !is_accumulator(to, b))
		return false;
	if (from->reduction != to->reduction
		|| (from != to && from->reduction == REDUCTION_USER))
		return false;
	return compilation->request.reassociate || !type_is_float(a->array->type.kind);
}

unsigned statements_use(const struct function *function, const struct array *array, int first,
	int end)
{
	unsigned uses = 0;
	for (int s = first; s < end; s++)
		for (int a = 0; a < function->statements[s]->access_count; a++)
			if (function->statements[s]->accesses[a].array == array)
				uses |= function->statements[s]->accesses[a].is_write ? USE_WRITE : USE_READ;
	return uses;
}

bool nest_shares(const struct nest *nest, const struct array *array)
{
	const struct function *function = nest->function;
	int first = nest->statements[0]->index, end = first + nest->statement_count;
	return statements_use(function, array, 0, first)
		|| statements_use(function, array, end, function->statement_count);
}

/* An outer loop of NEST is around STATEMENT, or it is not known which run after it. */
static bool is_around(const struct nest *nest, const struct statement *statement)
{
	return nest->parent || shared_loop_count(nest->statements[0], statement) > 0;
}

bool nest_passes_on(const struct nest *nest, const struct array *scalar)
{
	enum { OPERATIONS = 1000000 };
	const struct function *function = nest->function;
	isl_ctx *ctx = isl_union_map_get_ctx(nest->order);
	int end = nest->statements[0]->index + nest->statement_count, count = 0;
	struct statement_access *writes = malloc(sizeof *writes * (size_t)(function->statement_count + 1));
	bool passes = !writes;
	struct isl_work work = isl_work_begin(ctx, OPERATIONS);
	for (int s = 0; s < function->statement_count && !passes; s++) {
		const struct statement *statement = function->statements[s];
		bool is_own = s >= nest->statements[0]->index && s < end;
		for (int a = 0; a < statement->access_count && !is_own; a++) {
			if (statement->accesses[a].array != scalar)
				continue;
			passes |= is_around(nest, statement);
			if (s >= end && !a)
				writes[count++] = (struct statement_access){ statement, &statement->accesses[a] };
		}
	}
	for (int s = end; s < function->statement_count && !passes; s++)
		for (int a = 1; a < function->statements[s]->access_count && !passes; a++) {
			const struct access *read = &function->statements[s]->accesses[a];
			if (read->array != scalar)
				continue;
			isl_set *open = reads_without_write(isl_set_copy(function->statements[s]->domain),
				(struct statement_access){ function->statements[s], read }, writes, count, 0);
			passes = isl_set_is_empty(open) != isl_bool_true;
			isl_set_free(open);
		}
	free(writes);
	return !isl_work_end(&work) || passes;
}

isl_union_map *nest_scalar_values(const struct nest *nest, const struct array *scalar)
{
	enum { FLOW_OPERATIONS = 2000000 };
	isl_ctx *ctx = isl_union_map_get_ctx(nest->order);
	isl_union_map *writes = NULL, *reads = NULL;
	struct isl_work work = isl_work_begin(ctx, FLOW_OPERATIONS);
	for (int s = 0; s < nest->statement_count; s++)
		for (int i = 0; i < nest->statements[s]->access_count; i++) {
			const struct access *access = &nest->statements[s]->accesses[i];
			if (access->array != scalar)
				continue;
			isl_union_map **set = access->is_write ? &writes : &reads;
			isl_union_map *map = isl_union_map_from_map(isl_map_copy(access->map));
			*set = *set ? isl_union_map_union(*set, map) : map;
		}
	isl_union_map *none = isl_union_map_empty(isl_union_map_get_space(nest->order));
	isl_union_access_info *info = isl_union_access_info_from_sink(
		reads ? reads : isl_union_map_copy(none));
	info = isl_union_access_info_set_must_source(info, writes ? writes : isl_union_map_copy(none));
	info = isl_union_access_info_set_schedule_map(info, isl_union_map_copy(nest->order));
	isl_union_map_free(none);
	isl_union_flow *flow = isl_union_access_info_compute_flow(info);
	isl_union_map *missing = isl_union_flow_get_must_no_source(flow);
	isl_union_map *values = isl_union_flow_get_must_dependence(flow);
	isl_union_flow_free(flow);
	bool complete = isl_union_map_is_empty(missing) == isl_bool_true;
	isl_union_map_free(missing);
	if (isl_work_end(&work) && complete)
		return values;
	isl_union_map_free(values);
	return NULL;
}

enum kind { FLOW, ANTI, OUTPUT, REDUCTION, KINDS };

/* Statements FROM and TO may have dependences because of accesses A and B. */
static bool may_depend(const struct statement *from, const struct access *a,
	const struct statement *to, const struct access *b)
{
	return a->array == b->array && (a->is_write || b->is_write) && may_precede(from, to)
		&& !accesses_are_apart(from, a, to, b);
}

bool access_pairs_are_few(const struct statement *const *statements, int count)
{
	long pairs = 0;
	for (int s = 0; s < count; s++)
		for (int t = 0; t < count && pairs <= ACCESS_PAIRS_LIMIT; t++)
			for (int a = 0; a < statements[s]->access_count; a++)
				for (int b = 0; b < statements[t]->access_count; b++)
					pairs += may_depend(statements[s], &statements[s]->accesses[a],
						statements[t], &statements[t]->accesses[b]);
	return pairs <= ACCESS_PAIRS_LIMIT;
}

struct pairs {
	struct compilation *compilation;
	const struct nest *nest;
	isl_union_map *maps[KINDS], *private_values;
};

static void add_pair(struct pairs *pairs, int s, const struct access *a, int t,
	const struct access *b)
{
	const struct nest *nest = pairs->nest;
	if (!may_depend(nest->statements[s], a, nest->statements[t], b))
		return;
	enum kind kind = !a->is_write ? ANTI : b->is_write ? OUTPUT : FLOW;
	if (may_swap(pairs->compilation, nest->statements[s], a, nest->statements[t], b))
		kind = REDUCTION;
	isl_map *map = access_pairs(nest->statements[s], a, nest->statements[t], b);
	if (isl_map_is_empty(map) == isl_bool_true)
		isl_map_free(map);
	else
		pairs->maps[kind] = isl_union_map_union(pairs->maps[kind], isl_union_map_from_map(map));
}

static void add_array(struct pairs *pairs, const struct array *array)
{
	const struct nest *nest = pairs->nest;
	if (array->by_value && !nest_passes_on(nest, array)) {
		isl_union_map *values = nest_scalar_values(nest, array);
		if (values) {
			pairs->private_values = isl_union_map_union(pairs->private_values, values);
			return;
		}
	}
	for (int s = 0; s < nest->statement_count; s++)
		for (int a = 0; a < nest->statements[s]->access_count; a++) {
			if (nest->statements[s]->accesses[a].array != array)
				continue;
			for (int t = 0; t < nest->statement_count; t++)
				for (int b = 0; b < nest->statements[t]->access_count; b++)
					add_pair(pairs, s, &nest->statements[s]->accesses[a], t,
						&nest->statements[t]->accesses[b]);
		}
}

static void find_pairs(struct compilation *compilation, const struct nest *nest,
	struct pairs *pairs)
{
	isl_union_map *none = isl_union_map_empty(isl_union_map_get_space(nest->order));
	*pairs = (struct pairs){ .compilation = compilation, .nest = nest,
		.private_values = isl_union_map_copy(none) };
	for (int k = 0; k < KINDS; k++)
		pairs->maps[k] = isl_union_map_copy(none);
	isl_union_map_free(none);
	for (int i = 0; i < nest->function->array_count; i++)
		add_array(pairs, nest->function->arrays[i]);
}

/* What is found of a nest. */
struct dependences {
	isl_union_map *ordered, *private_values;
};

static struct dependences find_dependences(struct compilation *compilation, const struct nest *nest)
{
	const struct nest_query query = { .question = NEST_DEPENDENCES };
	const struct dependences *known = nest_answer(nest, query);
	if (known)
		return *known;
	struct pairs pairs;
	unsigned long begun = isl_operations(compilation->ctx);
	find_pairs(compilation, nest, &pairs);
	isl_union_map *all = isl_union_map_union(pairs.maps[FLOW],
		isl_union_map_union(pairs.maps[ANTI], pairs.maps[OUTPUT]));
	isl_union_map_free(pairs.maps[REDUCTION]);
	struct arena *arena = nest_lasting(compilation, nest).arena;
	const struct dependences found = { arena_own(arena, union_map_coalesce(all), release_map),
		arena_own(arena, pairs.private_values, release_map) };
	nest_keep_answer(nest, query, &found, sizeof found, begun);
	return found;
}

const struct nest *nest_with_dependences(struct compilation *compilation, const struct nest *nest)
{
	const struct dependences found = find_dependences(compilation, nest);
	struct nest *own = ARENA_NEW(compilation->arena, struct nest);
	*own = *nest;
	own->dependences = found.ordered;
	own->private_values = found.private_values;
	return own;
}

static void print_map(FILE *out, const char *name, __isl_take isl_union_map *map)
{
	map = union_map_coalesce(map);
	char *text = isl_union_map_to_str(map);
	if (isl_union_map_is_empty(map) != isl_bool_true)
		fprintf(out, "  %s %s\n", name, text ? text : "?");
	free(text);
	isl_union_map_free(map);
}

void nest_print_dependences(struct compilation *compilation, const struct nest *nest, FILE *out)
{
	static const char *const names[KINDS] = { "flow", "anti", "output", "reduction" };
	struct pairs pairs;
	find_pairs(compilation, nest, &pairs);
	fprintf(out, "nest %s\n", nest->name);
	for (int s = 0; s < nest->statement_count; s++)
		fprintf(out, "  statement %s @%d:%d\n", nest->statements[s]->name,
			nest->statements[s]->location.line, nest->statements[s]->location.column);
	print_map(out, "order", isl_union_map_copy(nest->order));
	for (int k = 0; k < KINDS; k++)
		print_map(out, names[k], pairs.maps[k]);
	print_map(out, "private", pairs.private_values);
}

bool print_dependences(struct compilation *compilation, const struct function *function,
	FILE *out)
{
	int count;
	const struct nest *nests = nests_of_function(compilation, function, &count);
	for (int n = 0; n < count; n++)
		nest_print_dependences(compilation, &nests[n], out);
	return !ferror(out);
}
