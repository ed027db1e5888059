/* A local array whose elements are used for the last time where those of another one are made, and
 * nowhere else but before: it needs no place of its own. */

#include "passes/analysis/in_place.h"

#include <string.h>

#include "ir/isl_work.h"
#include "ir/order.h"
#include "ir/program_build.h"
#include "passes/analysis/nest_memo.h"
#include "passes/analysis/reference_groups.h"

enum { IN_PLACE_OPERATIONS = 1000000 };

/* The statement LAST of NEST makes an element of one array of one of another, FROM. */
struct taking {
	const struct nest *nest;
	const struct statement *last;
	const struct access *to;     /* of LAST, as FROM is */
	const struct access *from;
};

static bool has_same_subscripts(const struct access *a, const struct access *b, int depth)
{
	for (int d = 0; d < a->array->rank; d++)
		if (!affine_is_equal(a->subscripts[d], b->subscripts[d], depth))
			return false;
	return true;
}

/* An element of one is where the same element of the other is, and holds the same values. */
static bool are_alike(const struct array *from, const struct array *to)
{
	if (from == to || from->rank != to->rank || from->by_value || to->by_value
		|| from->type.kind != to->type.kind || from->scope != to->scope)
		return false;
	return !memcmp(from->extents, to->extents, (size_t)from->rank * sizeof *from->extents);
}

/* Only NEST uses ARRAY, which is written there before it is read. */
static bool is_of_nest(const struct compilation *compilation, const struct nest *nest,
	const struct array *array)
{
	return !array->is_parameter && !array->is_read_unset && !is_carried(compilation, array)
		&& !nest_shares(nest, array);
}

static bool is_of(const struct taking *taking, const struct access *access)
{
	return access->array == taking->from->array || access->array == taking->to->array;
}

/* ---- what the text says ---- */

/* LAST reads no element of the two arrays but that one. */
static bool reads_one(const struct taking *taking)
{
	for (int a = 1; a < taking->last->access_count; a++) {
		const struct access *access = &taking->last->accesses[a];
		if (access->array == taking->to->array || (access->array == taking->from->array
			&& !has_same_subscripts(access, taking->to, taking->last->depth)))
			return false;
	}
	return true;
}

/* STATEMENT makes or changes one element of one of the two arrays, and touches no other; or none. */
static bool changes_one(const struct taking *taking, const struct statement *statement)
{
	const struct access *first = &statement->accesses[0];
	for (int a = 1; a < statement->access_count; a++)
		if (is_of(taking, &statement->accesses[a])
			&& !access_is_same(&statement->accesses[a], first, statement->depth))
			return false;
	return true;
}

static bool all_change_one(const struct taking *taking)
{
	for (int s = 0; s < taking->nest->statement_count; s++)
		if (taking->nest->statements[s] != taking->last
			&& !changes_one(taking, taking->nest->statements[s]))
			return false;
	return true;
}

/* ---- what isl says ---- */

static bool never_runs_before(const struct statement *statement, const struct access *access,
	const struct statement *other, const struct access *its)
{
	isl_map *pairs = access_pairs(statement, access, other, its);
	bool never = isl_map_is_empty(pairs) == isl_bool_true;
	isl_map_free(pairs);
	return never;
}

/* LAST makes each element that ACCESS touches. */
static bool makes_all_of(const struct taking *taking, const struct access *access)
{
	isl_set *made = isl_map_range(isl_map_copy(taking->from->map));
	isl_set *touched = isl_map_range(isl_map_copy(access->map));
	bool makes = isl_set_is_subset(touched, made) == isl_bool_true;
	isl_set_free(made);
	isl_set_free(touched);
	return makes;
}

/* STATEMENT uses an element of the first array before LAST does, and one of the second after that. */
static bool keeps_order(const struct taking *taking, const struct statement *statement)
{
	for (int a = 0; a < statement->access_count; a++) {
		const struct access *access = &statement->accesses[a];
		if (access->array == taking->from->array
			&& (!never_runs_before(taking->last, taking->from, statement, access)
			|| !makes_all_of(taking, access)))
			return false;
		if (access->array == taking->to->array && statement != taking->last
			&& !never_runs_before(statement, access, taking->last, taking->to))
			return false;
	}
	return true;
}

/* Each element that the first array ever has is used for the last time where LAST makes the same
 * element of the second, once. */
static bool is_legal(const struct taking *taking)
{
	isl_ctx *ctx = isl_union_map_get_ctx(taking->nest->order);
	struct isl_work work = isl_work_begin(ctx, IN_PLACE_OPERATIONS);
	bool is = true;
	for (int s = 0; s < taking->nest->statement_count && is; s++)
		is = keeps_order(taking, taking->nest->statements[s]);
	return isl_work_end(&work) && is;
}

/* ---- the new statements ---- */

static struct statement *rewrite(struct arena *arena, const struct taking *taking,
	const struct statement *statement)
{
	struct statement *copy = statement_copy(arena, statement);
	for (int a = 0; a < copy->access_count; a++)
		if (copy->accesses[a].array == taking->from->array) {
			copy->accesses[a].array = taking->to->array;
			access_make_map(arena, copy, &copy->accesses[a]);
		}
	return copy;
}

/* The nest in a function where the second array takes the place of the first. */
static const struct nest *apply(struct compilation *compilation, const struct taking *taking)
{
	struct arena *arena = compilation->arena;
	const struct nest *nest = taking->nest;
	struct function *function = ARENA_NEW(arena, struct function);
	*function = *nest->function;
	function->statements = ARENA_ARRAY(arena, struct statement *, function->statement_count + 1);
	memcpy(function->statements, nest->function->statements,
		(size_t)function->statement_count * sizeof *function->statements);
	const int first = nest->statements[0]->index;
	for (int s = 0; s < nest->statement_count; s++)
		function->statements[first + s] = rewrite(arena, taking, nest->statements[s]);
	return nest_renew(compilation, nest, function,
		(const struct statement *const *)&function->statements[first], nest->statement_count);
}

/* ---- which arrays ---- */

/* The last statement of NEST that takes the place of an array. */
static bool find_taking(const struct compilation *compilation, const struct nest *nest,
	struct taking *taking)
{
	for (int s = nest->statement_count - 1; s >= 0; s--) {
		const struct statement *last = nest->statements[s];
		for (int a = 1; a < last->access_count; a++) {
			*taking = (struct taking){ nest, last, &last->accesses[0], &last->accesses[a] };
			if (are_alike(taking->from->array, taking->to->array)
				&& !is_carried(compilation, taking->to->array)
				&& is_of_nest(compilation, nest, taking->from->array)
				&& has_same_subscripts(taking->from, taking->to, last->depth)
				&& reads_one(taking) && is_legal(taking))
				return true;
		}
	}
	return false;
}

static struct in_place find_all(struct compilation *compilation, const struct nest *nest)
{
	struct in_place found = { NULL, true };
	struct taking taking;
	while (find_taking(compilation, nest, &taking)) {
		found.is_no_worse &= all_change_one(&taking);
		found.nest = nest = apply(compilation, &taking);
	}
	return found;
}

/* What is found depends on which arrays are carried. */
static struct nest_query query_of(const struct compilation *compilation, const struct nest *nest)
{
	int count = nest->function->array_count;
	bool *key = ARENA_ARRAY(compilation->arena, bool, count + 1);
	for (int i = 0; i < count; i++)
		key[i] = is_carried(compilation, nest->function->arrays[i]);
	return (struct nest_query){ NEST_IN_PLACE, key, (size_t)count * sizeof *key };
}

struct in_place nest_in_place(struct compilation *compilation, const struct nest *nest)
{
	const struct nest_query query = query_of(compilation, nest);
	if (nest->function->unbound || nest->parent)
		return (struct in_place){ NULL, false };
	const struct in_place *known = nest_answer(nest, query);
	struct in_place found = known ? *known : (struct in_place){ NULL, false };
	if (!known) {
		struct compilation lasting = nest_lasting(compilation, nest);
		unsigned long begun = isl_operations(compilation->ctx);
		found = find_all(&lasting, nest);
		if (found.nest && nest->memo)
			nest_memos_admit(compilation->known.nests, found.nest->function);
		nest_keep_answer(nest, query, &found, sizeof found, begun);
	}
	if (!found.nest)
		return found;
	struct nest *placed = ARENA_NEW(compilation->arena, struct nest);
	*placed = *found.nest;
	placed->memo = nest_memo_of(compilation, placed);
	placed->findings = ARENA_NEW(compilation->arena, struct nest_findings);
	placed->arrays = reference_groups_whole(compilation, placed);
	found.nest = placed;
	return found;
}
