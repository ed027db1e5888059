/* Splits a function into nests: its top-level loops and runs of statements. */

#include "passes/analysis/band.h"

#include <stdlib.h>
#include <string.h>

#include <isl/union_set.h>

#include "passes/analysis/nest_memo.h"
#include "support/memory.h"

static void release_set(void *set) { isl_union_set_free(set); }
static void release_map(void *map) { isl_union_map_free(map); }

/* The place of STATEMENT among the function's top-level loops and statements. */
static int top_position(const struct statement *statement)
{
	return statement->depth ? statement->loops[0]->position : statement->position;
}

/* The array's and the iterators' part of A's subscripts are B's: constants may differ,
 * and so may the statements if their loops are the same. */
static bool are_written_alike(const struct nest *nest, const struct nest_access *a,
	const struct nest_access *b)
{
	const struct statement *from = nest->statements[a->statement];
	const struct statement *to = nest->statements[b->statement];
	for (int d = 0; d < a->access->array->rank; d++)
		for (int i = 0; i < from->depth || i < to->depth; i++) {
			long left = i < from->depth ? a->access->subscripts[d].coefficients[i] : 0;
			long right = i < to->depth ? b->access->subscripts[d].coefficients[i] : 0;
			if (left != right || (left && from->loops[i] != to->loops[i]
				&& strcmp(from->loops[i]->name, to->loops[i]->name)))
				return false;
		}
	return true;
}

/* Likewise; what borrows is grouped by what it is in the band (nest_join_alike): A[i][k] of a
 * statement that runs where j = k is a part of another one's A[i][j] there. */
static bool in_one_group(const struct nest *nest, const struct nest_access *a,
	const struct nest_access *b)
{
	return (!nest->borrows || a->statement == b->statement) && are_written_alike(nest, a, b);
}

static bool are_joint(const struct nest *nest, const struct access *a, const struct access *b)
{
	for (int i = 0; i < nest->joint_count; i += 2)
		if ((nest->joint[i] == a && nest->joint[i + 1] == b)
			|| (nest->joint[i] == b && nest->joint[i + 1] == a))
			return true;
	return false;
}

/* All accesses to arrays in external memory; scalars stay in the core, and others on chip. */
static struct nest_access *all_accesses(struct compilation *compilation, const struct nest *nest,
	int *count)
{
	*count = 0;
	for (int s = 0; s < nest->statement_count; s++)
		*count += nest->statements[s]->access_count;
	struct nest_access *accesses = ARENA_ARRAY(compilation->arena, struct nest_access,
		*count + 1);
	*count = 0;
	for (int s = 0; s < nest->statement_count; s++)
		for (int a = 0; a < nest->statements[s]->access_count; a++)
			if (!nest->statements[s]->accesses[a].array->by_value
				&& !is_carried(compilation, nest->statements[s]->accesses[a].array))
				accesses[(*count)++] = (struct nest_access){ s,
					&nest->statements[s]->accesses[a] };
	return accesses;
}

static bool belong_together(const struct nest *nest, const struct nest_access *a,
	const struct nest_access *b, bool split)
{
	return a->access->array == b->access->array && (!split || in_one_group(nest, a, b)
		|| are_joint(nest, a->access, b->access));
}

/* LEADER[i]: the first access of the entry that access I belongs to. */
static int *find_leaders(struct compilation *compilation, const struct nest *nest,
	const struct nest_access *accesses, int count, bool split)
{
	int *leader = ARENA_ARRAY(compilation->arena, int, count + 1);
	for (int i = 0; i < count; i++) {
		leader[i] = i;
		for (int j = 0; j < i; j++) {
			if (leader[j] == leader[i] || !belong_together(nest, &accesses[j], &accesses[i], split))
				continue;
			int low = leader[i] < leader[j] ? leader[i] : leader[j];
			int high = leader[i] < leader[j] ? leader[j] : leader[i];
			for (int k = 0; k <= i; k++)
				leader[k] = leader[k] == high ? low : leader[k];
		}
	}
	return leader;
}

static void collect_arrays(struct compilation *compilation, struct nest *nest, bool split)
{
	int count;
	struct nest_access *accesses = all_accesses(compilation, nest, &count);
	int *leader = find_leaders(compilation, nest, accesses, count, split);
	nest->array_count = 0;
	nest->arrays = ARENA_ARRAY(compilation->arena, struct nest_array, count + 1);
	for (int i = 0; i < count; i++) {
		if (leader[i] != i)
			continue;
		struct nest_array *array = &nest->arrays[nest->array_count++];
		array->array = accesses[i].access->array;
		array->accesses = ARENA_ARRAY(compilation->arena, struct nest_access, count);
		for (int j = i; j < count; j++) {
			if (leader[j] != i)
				continue;
			array->accesses[array->access_count++] = accesses[j];
			array->is_read |= !accesses[j].access->is_write;
			array->is_written |= accesses[j].access->is_write;
		}
	}
}

void nest_join_groups(struct compilation *compilation, struct nest *nest, int a, int b)
{
	nest->joint = arena_grow(compilation->arena, nest->joint, (size_t)nest->joint_count,
		&nest->joint_capacity, sizeof *nest->joint);
	nest->joint[nest->joint_count++] = nest->arrays[a].accesses[0].access;
	nest->joint[nest->joint_count++] = nest->arrays[b].accesses[0].access;
}

/* The dimension of the band that is iterator I of statement S, and its SIGN; -1: none. */
static int band_dim_of(const struct nest *nest, int s, int i, long *sign)
{
	for (int l = 0; l < nest->band->count; l++) {
		const struct hyperplane *plane = &nest->band->dims[l].planes[s];
		bool is_one = plane->kind == HYPERPLANE_AFFINE && plane->divisor == 1
			&& labs(plane->affine.coefficients[i]) == 1;
		for (int j = 0; j < nest->statements[s]->depth && is_one; j++)
			is_one = j == i || !plane->affine.coefficients[j];
		if (is_one) {
			*sign = plane->affine.coefficients[i];
			return l;
		}
	}
	return -1;
}

/* As functions of the band, the subscripts of A, which are iterators of it, and of B differ by
 * constants only. */
static bool are_alike(const struct nest *nest, const struct nest_access *a,
	const struct nest_access *b)
{
	int depth = nest->statements[b->statement]->depth;
	for (int d = 0; d < a->access->array->rank; d++) {
		long rest[LOOP_DEPTH_LIMIT];
		for (int j = 0; j < depth; j++)
			rest[j] = b->access->subscripts[d].coefficients[j];
		for (int i = 0; i < nest->statements[a->statement]->depth; i++) {
			long factor = a->access->subscripts[d].coefficients[i], sign = 0;
			int l = factor ? band_dim_of(nest, a->statement, i, &sign) : -1;
			const struct hyperplane *plane = l < 0 ? NULL : &nest->band->dims[l].planes[b->statement];
			if (factor && (!plane || plane->kind != HYPERPLANE_AFFINE || plane->divisor != 1))
				return false;
			for (int j = 0; j < depth && factor; j++)
				rest[j] -= factor * sign * plane->affine.coefficients[j];
		}
		for (int j = 0; j < depth; j++)
			if (rest[j])
				return false;
	}
	return true;
}

/* The access of the deepest statement: what it is in the band says most of where the region is. */
static const struct nest_access *deepest(const struct nest *nest, const struct nest_array *array)
{
	const struct nest_access *deepest = &array->accesses[0];
	for (int i = 1; i < array->access_count; i++)
		if (nest->statements[array->accesses[i].statement]->depth
			> nest->statements[deepest->statement]->depth)
			deepest = &array->accesses[i];
	return deepest;
}

/* All accesses of group B are like group A's. */
static bool groups_are_alike(const struct nest *nest, int a, int b)
{
	bool alike = a != b && nest->arrays[a].array == nest->arrays[b].array;
	for (int i = 0; i < nest->arrays[b].access_count && alike; i++)
		alike = are_alike(nest, deepest(nest, &nest->arrays[a]), &nest->arrays[b].accesses[i]);
	return alike;
}

/* All accesses of ARRAY have subscripts that are written alike. */
static bool is_written_alike(const struct nest *nest, const struct nest_array *array)
{
	bool alike = true;
	for (int i = 1; i < array->access_count && alike; i++)
		alike = are_written_alike(nest, &array->accesses[0], &array->accesses[i]);
	return alike;
}

/* Groups whose subscripts are written alike, of which none is a part of another one in the band,
 * unless both only read. */
static bool are_left_alike(const struct nest *nest, const struct nest_array *a,
	const struct nest_array *b)
{
	return a != b && a->array == b->array
		&& are_written_alike(nest, &a->accesses[0], &b->accesses[0])
		&& ((!a->is_written && !b->is_written)
		|| (is_written_alike(nest, a) && is_written_alike(nest, b)));
}

/* Which groups are joined: those that are written, with one of a statement in more loops, or as
 * many; then any; then those that are written alike in the source. */
enum joining { JOIN_WRITTEN, JOIN_ANY, JOIN_LEFT, JOININGS };

static bool should_join(const struct nest *nest, int a, int b, enum joining joining)
{
	if (joining == JOIN_LEFT)
		return are_left_alike(nest, &nest->arrays[a], &nest->arrays[b]);
	if (joining == JOIN_WRITTEN && !(nest->arrays[a].is_written && nest->arrays[b].is_written
		&& nest->statements[deepest(nest, &nest->arrays[a])->statement]->depth
		>= nest->statements[deepest(nest, &nest->arrays[b])->statement]->depth))
		return false;
	return groups_are_alike(nest, a, b);
}

void nest_join_alike(struct compilation *compilation, struct nest *nest)
{
	for (enum joining joining = JOIN_WRITTEN; joining < JOININGS; joining++) {
		nest_split_arrays(compilation, nest, true);
		/* where dimensions coincide a group may be like two that are not like each other */
		for (int b = 0; b < nest->array_count; b++)
			for (int a = 0; a < nest->array_count; a++)
				if (should_join(nest, a, b, joining)) {
					nest_join_groups(compilation, nest, a, b);
					break;
				}
	}
}

bool nest_split_arrays(struct compilation *compilation, struct nest *nest, bool split)
{
	collect_arrays(compilation, nest, false);
	int joined = nest->array_count;
	collect_arrays(compilation, nest, true);
	bool differs = nest->array_count > joined;
	nest->is_split = differs && split;
	if (!split)
		collect_arrays(compilation, nest, false);
	for (int a = 0; a < nest->array_count; a++)
		for (int b = 0; b < nest->array_count; b++)
			if (a != b && nest->arrays[a].array == nest->arrays[b].array)
				nest->arrays[a].has_siblings |= nest->arrays[a].is_written
					|| nest->arrays[b].is_written;
	return differs;
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
	nest->memo = nest_memo_of(compilation, nest);
	collect_arrays(compilation, nest, false);
	collect_order(compilation, nest);
}

int nest_statement_named(const struct nest *nest, const char *name)
{
	for (int s = 0; name && s < nest->statement_count; s++)
		if (!strcmp(nest->statements[s]->name, name))
			return s;
	return -1;
}

bool nest_begins(const struct function *function, int s)
{
	const struct statement *statement = function->statements[s];
	const struct statement *last = s ? function->statements[s - 1] : NULL;
	if (!last)
		return true;
	return statement->depth && last->depth ? statement->loops[0] != last->loops[0]
		: statement->depth || last->depth || top_position(statement) != top_position(last) + 1;
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
		for (int a = 0; a < nests[n].array_count; a++) {
			int *user = &users[nests[n].arrays[a].array->index];
			found |= *user && *user != n + 1;
			*user = n + 1;
		}
	free(users);
	return found;
}

struct nest *nest_join(struct compilation *compilation, const struct nest *nests, int count)
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

struct nest *nest_renew(struct compilation *compilation, const struct nest *nest,
	const struct function *function, const struct statement **statements, int count)
{
	struct nest *renewed = ARENA_NEW(compilation->arena, struct nest);
	renewed->name = nest->name;
	renewed->function = function;
	renewed->index = nest->index;
	renewed->statements = statements;
	renewed->statement_count = count;
	fill_nest(compilation, renewed);
	return renewed;
}

int nest_shared_loops(const struct nest *nest)
{
	int depth = nest->statements[0]->depth;
	for (int s = 1; s < nest->statement_count; s++) {
		int common = 0;
		while (common < depth && common < nest->statements[s]->depth
			&& nest->statements[s]->loops[common] == nest->statements[0]->loops[common])
			common++;
		depth = common;
	}
	return depth;
}

static int position_in_body(const struct statement *statement, int depth)
{
	return statement->depth > depth ? statement->loops[depth]->position : statement->position;
}

/* Which statements of NEST may be apart from those behind them: each piece of them then runs
 * as a whole, in every iteration of the first LOOPS loops. */
struct cutting {
	const struct nest *nest;
	int loops;
	bool is_private;
	bool *is_joined;             /* [statement]: to the one before */
};

/* A pair that runs backwards among the pieces joins all that are between its ends; so does
 * a value of a scalar, which holds one at a time. */
static isl_stat join_pieces(__isl_take isl_map *pairs, void *user)
{
	struct cutting *cutting = user;
	int from = nest_statement_named(cutting->nest, isl_map_get_tuple_name(pairs, isl_dim_in));
	int to = nest_statement_named(cutting->nest, isl_map_get_tuple_name(pairs, isl_dim_out));
	bool joins = from > to || (cutting->is_private && from != to);
	for (int l = 0; l < cutting->loops && joins; l++)
		pairs = isl_map_equate(pairs, isl_dim_in, l, isl_dim_out, l);
	joins = joins && isl_map_is_empty(pairs) != isl_bool_true;
	isl_map_free(pairs);
	int first = from < to ? from : to, last = from < to ? to : from;
	for (int s = first + 1; s <= last && joins; s++)
		cutting->is_joined[s] = true;
	return isl_stat_ok;
}

static bool *joined_statements(struct compilation *compilation, const struct nest *nest,
	int loops, int shared)
{
	struct cutting cutting = { nest, loops, false,
		ARENA_ARRAY(compilation->arena, bool, nest->statement_count + 1) };
	for (int s = 1; s < nest->statement_count; s++)
		cutting.is_joined[s] = position_in_body(nest->statements[s], shared)
			== position_in_body(nest->statements[s - 1], shared);
	if (loops == shared)
		return cutting.is_joined;
	isl_union_map_foreach_map(nest->dependences, join_pieces, &cutting);
	cutting.is_private = true;
	isl_union_map_foreach_map(nest->together, join_pieces, &cutting);
	return cutting.is_joined;
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

struct nest *nest_part_like(struct compilation *compilation, const struct nest *parent,
	const struct nest *part)
{
	struct nest *own = ARENA_NEW(compilation->arena, struct nest);
	make_part(compilation, parent, part->first_in_parent, part->statement_count,
		part->outer_loops, own);
	own->name = part->name;
	own->outer_count = part->outer_count;
	return own;
}

struct nest *nest_parts(struct compilation *compilation, const struct nest *nest, int loops,
	int *count)
{
	int shared = nest_shared_loops(nest);
	const bool *is_joined = joined_statements(compilation, nest, loops, shared);
	struct nest *parts = ARENA_ARRAY(compilation->arena, struct nest, nest->statement_count);
	*count = 0;
	for (int first = 0, end; first < nest->statement_count; first = end) {
		for (end = first + 1; end < nest->statement_count && is_joined[end]; )
			end++;
		struct nest *part = &parts[*count];
		make_part(compilation, nest, first, end - first, loops, part);
		part->name = arena_printf(compilation->arena, "%s/%d", nest->name, (*count)++);
	}
	return shared && *count > 1 ? parts : NULL;
}
