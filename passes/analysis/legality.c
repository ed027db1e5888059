/* Which orders keep the dependences of a nest. */

#include "passes/analysis/legality.h"

#include <isl/aff.h>
#include <isl/union_map.h>

#include "passes/analysis/values.h"

/* ---- pairs in a dimension ---- */

struct distance pairs_distance(__isl_keep isl_map *pairs, __isl_take isl_map *from,
	__isl_take isl_map *to)
{
	struct distance distance = { false, 0, 0 };
	isl_map *values = isl_map_apply_range(isl_map_copy(pairs), to);
	isl_set *deltas = isl_map_deltas(isl_map_apply_domain(values, from));
	distance.any = isl_set_is_empty(deltas) != isl_bool_true;
	if (distance.any && !set_dim_range(deltas, 0, &distance.min, &distance.max))
		distance = (struct distance){ true, -1, 1 };
	isl_set_free(deltas);
	return distance;
}

bool pairs_keep_order(enum hyperplane_kind from, enum hyperplane_kind to, bool is_private,
	struct distance distance)
{
	if (is_private && from != to)
		return false;
	if (from != HYPERPLANE_AFFINE || to != HYPERPLANE_AFFINE)
		return from == HYPERPLANE_FIRST || to == HYPERPLANE_LAST;
	return !distance.any || (distance.min >= 0 && (!is_private || distance.max <= 0));
}

/* ---- a dimension of a band ---- */

/* Some of PAIRS, with values FROM and TO, are as COMPARE says. */
static bool any_pair(__isl_keep isl_map *pairs, const struct hyperplane *from,
	const struct hyperplane *to, __isl_give isl_map *(*compare)(isl_multi_pw_aff *, isl_multi_pw_aff *))
{
	isl_map *found = isl_map_intersect(isl_map_copy(pairs),
		compare(isl_multi_pw_aff_from_aff(isl_aff_copy(from->value)),
		isl_multi_pw_aff_from_aff(isl_aff_copy(to->value))));
	bool any = isl_map_is_empty(found) != isl_bool_true;
	isl_map_free(found);
	return any;
}

struct check {
	const struct nest *nest;
	const struct band *band;     /* whose sequential dimensions are around it */
	const struct hyperplane *planes;
	bool is_private;
	struct freedom found;
};

/* The distances of PAIRS, which are some; where they depend on sizes, only which way they go, as far as
 * that may matter. */
static struct distance find_distance(const struct check *check, __isl_keep isl_map *pairs,
	const struct hyperplane *from, const struct hyperplane *to)
{
	if (from->kind != HYPERPLANE_AFFINE || to->kind != HYPERPLANE_AFFINE)
		return (struct distance){ false, 0, 0 };
	if (!check->nest->function->symbolic_count)
		return pairs_distance(pairs, isl_map_from_aff(isl_aff_copy(from->value)),
			isl_map_from_aff(isl_aff_copy(to->value)));
	return (struct distance){ true, -any_pair(pairs, from, to, isl_multi_pw_aff_lex_gt_map),
		(check->is_private || check->found.can_turn)
		&& any_pair(pairs, from, to, isl_multi_pw_aff_lex_lt_map) };
}

/* Those of PAIRS, of instances of statements S and T, that the sequential dimensions of BAND leave
 * unordered. */
static __isl_give isl_map *in_one_iteration(const struct band *band, __isl_take isl_map *pairs, int s,
	int t)
{
	for (int l = 0; l < band->prefix; l++) {
		const struct hyperplane *from = &band->dims[l].planes[s], *to = &band->dims[l].planes[t];
		if (from->kind != HYPERPLANE_AFFINE || to->kind != HYPERPLANE_AFFINE)
			continue;
		isl_map *equal = isl_map_apply_range(isl_map_from_aff(isl_aff_copy(from->value)),
			isl_map_reverse(isl_map_from_aff(isl_aff_copy(to->value))));
		pairs = isl_map_intersect(pairs, equal);
	}
	return pairs;
}

static isl_stat check_pairs(__isl_take isl_map *pairs, void *user)
{
	struct check *check = user;
	struct freedom *found = &check->found;
	const struct freedom before = *found;
	int s = nest_statement_named(check->nest, isl_map_get_tuple_name(pairs, isl_dim_in));
	int t = nest_statement_named(check->nest, isl_map_get_tuple_name(pairs, isl_dim_out));
	const struct hyperplane *from = &check->planes[s], *to = &check->planes[t];
	isl_map *within = in_one_iteration(check->band, isl_map_copy(pairs), s, t);
	/* A private value that is carried by a sequential loop depends on the order inside. */
	if (check->is_private && isl_map_is_subset(pairs, within) != isl_bool_true)
		found->can_tile = false;
	if (isl_map_is_empty(within) != isl_bool_true) {
		const struct distance distance = find_distance(check, within, from, to);
		found->can_tile &= pairs_keep_order(from->kind, to->kind, check->is_private, distance);
		found->can_turn &= !distance.any || distance.max <= 0;
	}
	isl_map_free(within);
	isl_map_free(pairs);
	if (found->can_tile != before.can_tile || found->can_turn != before.can_turn) {
		found->from = s;
		found->to = t;
	}
	return found->can_tile ? isl_stat_ok : isl_stat_error;
}

struct freedom nest_freedom(const struct nest *nest, const struct band *band,
	const struct hyperplane *planes, bool may_turn)
{
	struct check check = { nest, band, planes, false, { true, may_turn, 0, 0 } };
	bool done = isl_union_map_foreach_map(nest->dependences, check_pairs, &check) == isl_stat_ok;
	check.is_private = true;
	done = done && isl_union_map_foreach_map(nest->private_values, check_pairs, &check) == isl_stat_ok;
	check.found.can_tile &= done;
	return check.found;
}

/* ---- statements ---- */

struct separation {
	const struct nest *nest;
	int loops;
	bool is_private;
	bool *is_apart;              /* [statement] */
};

/* A pair that runs backwards among the pieces keeps all in one that are between its ends; so does
 * a value of a scalar, which holds one at a time. */
static isl_stat keep_in_one(__isl_take isl_map *pairs, void *user)
{
	struct separation *separation = user;
	int from = nest_statement_named(separation->nest, isl_map_get_tuple_name(pairs, isl_dim_in));
	int to = nest_statement_named(separation->nest, isl_map_get_tuple_name(pairs, isl_dim_out));
	bool keeps = from > to || (separation->is_private && from != to);
	for (int l = 0; l < separation->loops && keeps; l++)
		pairs = isl_map_equate(pairs, isl_dim_in, l, isl_dim_out, l);
	keeps = keeps && isl_map_is_empty(pairs) != isl_bool_true;
	isl_map_free(pairs);
	int first = from < to ? from : to, last = from < to ? to : from;
	for (int s = first + 1; s <= last && keeps; s++)
		separation->is_apart[s] = false;
	return isl_stat_ok;
}

void nest_separate(const struct nest *nest, int loops, bool *is_apart)
{
	struct separation separation = { nest, loops, false, is_apart };
	bool known = isl_union_map_foreach_map(nest->dependences, keep_in_one, &separation)
		== isl_stat_ok;
	separation.is_private = true;
	known = known && isl_union_map_foreach_map(nest->private_values, keep_in_one, &separation)
		== isl_stat_ok;
	for (int s = 1; s < nest->statement_count && !known; s++)
		is_apart[s] = false;
}

bool statements_may_join(const struct function *function, int first, int end)
{
	int count = function->statement_count;
	for (int i = 0; i < function->array_count; i++) {
		const struct array *array = function->arrays[i];
		if (!array->by_value)
			continue;
		unsigned inside = statements_use(function, array, first, end);
		unsigned outside = statements_use(function, array, 0, first)
			| statements_use(function, array, end, count);
		if (inside && outside && (inside | outside) & USE_WRITE)
			return false;
	}
	return true;
}
