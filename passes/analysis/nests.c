/* Splits a function into nests: its top-level loops and runs of statements. */

#include "passes/analysis/nest.h"

#include <stdlib.h>
#include <string.h>

#include <isl/union_set.h>

#include "ir/order.h"
#include "passes/analysis/legality.h"
#include "passes/analysis/nest_memo.h"
#include "passes/analysis/reference_groups.h"
#include "support/memory.h"

static void release_set(void *set) { isl_union_set_free(set); }
static void release_map(void *map) { isl_union_map_free(map); }

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
	nest->loop_depth = nest_deepest(nest)->depth;
	nest->memo = nest_memo_of(compilation, nest);
	nest->findings = ARENA_NEW(compilation->arena, struct nest_findings);
	nest->arrays = reference_groups_whole(compilation, nest);
	collect_order(compilation, nest);
}

int nest_statement_named(const struct nest *nest, const char *name)
{
	for (int s = 0; name && s < nest->statement_count; s++)
		if (!strcmp(nest->statements[s]->name, name))
			return s;
	return -1;
}

const struct statement *nest_deepest(const struct nest *nest)
{
	const struct statement *best = nest->statements[0];
	for (int s = 1; s < nest->statement_count; s++)
		if (nest->statements[s]->depth > best->depth)
			best = nest->statements[s];
	return best;
}

bool nest_begins(const struct function *function, int s)
{
	const struct statement *statement = function->statements[s];
	const struct statement *last = s ? function->statements[s - 1] : NULL;
	if (!last)
		return true;
	return statement->depth && last->depth ? statement->loops[0] != last->loops[0]
		: statement->depth || last->depth || place_in_body(statement, 0) != place_in_body(last, 0) + 1;
}

const struct nest *nests_of_function(struct compilation *compilation,
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
		if (nest_begins(function, s)) {
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

bool nests_share(const struct nest *nests, int count)
{
	int *users = memory_alloc(sizeof *users * (size_t)(nests->function->array_count + 1));
	bool found = false;
	memset(users, 0, sizeof *users * (size_t)(nests->function->array_count + 1));
	for (int n = 0; n < count; n++)
		for (int a = 0; a < nests[n].arrays->count; a++) {
			int *user = &users[nests[n].arrays->items[a].array->index];
			found |= *user && *user != n + 1;
			*user = n + 1;
		}
	free(users);
	return found;
}

bool nests_may_gain(const struct nest *nests, int count)
{
	return count <= FUNCTION_NESTS && nests_share(nests, count);
}

const struct nest *nest_join(struct compilation *compilation, const struct nest *nests, int count)
{
	struct nest *group = ARENA_NEW(compilation->arena, struct nest);
	group->name = arena_printf(compilation->arena, "%s.%d-%d", nests[0].function->name,
		nests[0].index, nests[count - 1].index);
	group->function = nests[0].function;
	group->joined_count = count;
	group->index = nests[0].index;
	group->statements = nests[0].statements;
	for (int n = 0; n < count; n++)
		group->statement_count += nests[n].statement_count;
	fill_nest(compilation, group);
	return group;
}

const struct nest *nest_renew(struct compilation *compilation, const struct nest *nest,
	const struct function *function, const struct statement *const *statements, int count)
{
	struct nest *renewed = ARENA_NEW(compilation->arena, struct nest);
	renewed->name = arena_strdup(compilation->arena, nest->name);
	renewed->function = function;
	renewed->index = nest->index;
	renewed->joined_count = nest->joined_count;
	renewed->statements = statements;
	renewed->statement_count = count;
	fill_nest(compilation, renewed);
	return renewed;
}

int nest_shared_loops(const struct nest *nest)
{
	int depth = nest->statements[0]->depth;
	for (int s = 1; s < nest->statement_count; s++) {
		int common = shared_loop_count(nest->statements[0], nest->statements[s]);
		depth = common < depth ? common : depth;
	}
	return depth;
}

/* Which statements of NEST begin a part. */
static const bool *first_of_parts(struct compilation *compilation, const struct nest *nest, int loops,
	int shared)
{
	bool *is_apart = ARENA_ARRAY(compilation->arena, bool, nest->statement_count + 1);
	for (int s = 1; s < nest->statement_count; s++)
		is_apart[s] = place_in_body(nest->statements[s], shared)
			!= place_in_body(nest->statements[s - 1], shared);
	if (loops < shared)
		nest_separate(nest, loops, is_apart);
	return is_apart;
}

/* The COUNT statements of PARENT from FIRST on, inside LOOPS of its loops. */
static void make_part(struct compilation *compilation, const struct nest *parent, int first,
	int count, int loops, struct nest *part)
{
	part->function = parent->function;
	part->index = parent->index;
	part->statements = parent->statements + first;
	part->statement_count = count;
	part->parent = parent;
	part->first_in_parent = first;
	part->outer_loops = loops;
	fill_nest(compilation, part);
}

const struct nest *nest_part_like(struct compilation *compilation, const struct nest *parent,
	const struct nest *part)
{
	struct nest *own = ARENA_NEW(compilation->arena, struct nest);
	make_part(compilation, parent, part->first_in_parent, part->statement_count,
		part->outer_loops, own);
	own->name = part->name;
	return own;
}

const struct nest *nest_parts(struct compilation *compilation, const struct nest *nest, int loops,
	int *count)
{
	int shared = nest_shared_loops(nest);
	const bool *is_first = first_of_parts(compilation, nest, loops, shared);
	struct nest *parts = ARENA_ARRAY(compilation->arena, struct nest, nest->statement_count);
	*count = 0;
	for (int first = 0, end; first < nest->statement_count; first = end) {
		for (end = first + 1; end < nest->statement_count && !is_first[end]; )
			end++;
		struct nest *part = &parts[*count];
		make_part(compilation, nest, first, end - first, loops, part);
		part->name = arena_printf(compilation->arena, "%s/%d", nest->name, (*count)++);
	}
	return shared && *count > 1 ? parts : NULL;
}

const struct nest *nest_with_arrays(struct arena *arena, const struct nest *nest,
	const struct reference_groups *arrays)
{
	struct nest *own = ARENA_NEW(arena, struct nest);
	*own = *nest;
	own->arrays = arrays;
	return own;
}
