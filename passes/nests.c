/* Splits a function into nests: its top-level loops and runs of statements. */

#include "passes/nest.h"

#include <string.h>

#include <isl/union_set.h>

static void release_set(void *set) { isl_union_set_free(set); }
static void release_map(void *map) { isl_union_map_free(map); }

/* The place of STATEMENT among the function's top-level loops and statements. */
static int top_position(const struct statement *statement)
{
	return statement->depth ? statement->loops[0]->position : statement->position;
}

static struct nest_array *find_array(struct compilation *compilation, struct nest *nest,
	const struct array *array, size_t *capacity)
{
	for (int i = 0; i < nest->array_count; i++)
		if (nest->arrays[i].array == array)
			return &nest->arrays[i];
	nest->arrays = arena_grow(compilation->arena, nest->arrays, (size_t)nest->array_count,
		capacity, sizeof *nest->arrays);
	struct nest_array *found = &nest->arrays[nest->array_count++];
	memset(found, 0, sizeof *found);
	found->array = array;
	return found;
}

/* Arrays with elements in external memory; scalars stay in the core. */
static void collect_arrays(struct compilation *compilation, struct nest *nest)
{
	size_t capacity = 0;
	for (int s = 0; s < nest->statement_count; s++) {
		const struct statement *statement = nest->statements[s];
		for (int a = 0; a < statement->access_count; a++) {
			const struct access *access = &statement->accesses[a];
			if (access->array->by_value)
				continue;
			struct nest_array *array = find_array(compilation, nest, access->array, &capacity);
			array->is_read |= !access->is_write;
			array->is_written |= access->is_write;
			array->access_count++;
		}
	}
	for (int i = 0; i < nest->array_count; i++) {
		struct nest_array *array = &nest->arrays[i];
		array->accesses = ARENA_ARRAY(compilation->arena, struct nest_access,
			array->access_count);
		int count = 0;
		for (int s = 0; s < nest->statement_count; s++)
			for (int a = 0; a < nest->statements[s]->access_count; a++)
				if (nest->statements[s]->accesses[a].array == array->array)
					array->accesses[count++] = (struct nest_access){ s,
						&nest->statements[s]->accesses[a] };
	}
}

static void collect_order(struct compilation *compilation, struct nest *nest)
{
	isl_union_set *domain = NULL;
	isl_union_map *order = NULL;
	for (int s = 0; s < nest->statement_count; s++) {
		const struct statement *statement = nest->statements[s];
		isl_union_set *set = isl_union_set_from_set(isl_set_copy(statement->domain));
		isl_union_map *map = isl_union_map_from_map(isl_map_intersect_domain(
			statement_order(statement, nest->loop_depth), isl_set_copy(statement->domain)));
		domain = domain ? isl_union_set_union(domain, set) : set;
		order = order ? isl_union_map_union(order, map) : map;
	}
	nest->domain = arena_own(compilation->arena, domain, release_set);
	nest->order = arena_own(compilation->arena, order, release_map);
}

static void fill_nest(struct compilation *compilation, struct nest *nest)
{
	const struct statement *first = nest->statements[0];
	nest->location = first->depth ? first->loops[0]->location : first->location;
	for (int s = 0; s < nest->statement_count; s++)
		if (nest->statements[s]->depth > nest->loop_depth)
			nest->loop_depth = nest->statements[s]->depth;
	collect_arrays(compilation, nest);
	collect_order(compilation, nest);
}

struct nest *nests_of_function(struct compilation *compilation,
	const struct function *function, int *count)
{
	struct arena *arena = compilation->arena;
	struct nest *nests = ARENA_ARRAY(arena, struct nest, function->statement_count + 1);
	const struct statement **statements = ARENA_ARRAY(arena, const struct statement *,
		function->statement_count + 1);
	*count = 0;
	for (int s = 0; s < function->statement_count; s++) {
		const struct statement *statement = function->statements[s];
		statements[s] = statement;
		const struct statement *last = s ? function->statements[s - 1] : NULL;
		bool joins = last && (statement->depth && last->depth
			? statement->loops[0] == last->loops[0]
			: !statement->depth && !last->depth
				&& top_position(statement) == top_position(last) + 1);
		if (!joins) {
			struct nest *nest = &nests[(*count)++];
			nest->function = function;
			nest->statements = &statements[s];
			nest->index = *count - 1;
		}
		nests[*count - 1].statement_count++;
	}
	for (int n = 0; n < *count; n++) {
		nests[n].name = *count == 1 ? function->name
			: arena_printf(arena, "%s.%d", function->name, n);
		fill_nest(compilation, &nests[n]);
	}
	return nests;
}

struct nest *nest_join(struct compilation *compilation, const struct nest *nests, int count)
{
	struct nest *group = ARENA_NEW(compilation->arena, struct nest);
	group->name = nests[0].name;
	group->function = nests[0].function;
	group->index = nests[0].index;
	group->statements = nests[0].statements;
	for (int n = 0; n < count; n++)
		group->statement_count += nests[n].statement_count;
	fill_nest(compilation, group);
	return group;
}
