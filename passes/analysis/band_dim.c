/* A dimension of a band: the values of its planes, and whether it is legal. */

#include "passes/analysis/band_dim.h"

#include <isl/aff.h>
#include <isl/val.h>

#include "passes/analysis/values.h"

static void release_aff(void *aff) { isl_aff_free(aff); }

/* ---- values of hyperplanes ---- */

struct hyperplane hyperplane_make(struct compilation *compilation,
	const struct statement *statement, struct affine affine, long divisor)
{
	isl_aff *value = statement_affine(statement, affine);
	if (divisor > 1)
		value = isl_aff_floor(isl_aff_scale_down_ui(value, (unsigned)divisor));
	return (struct hyperplane){ .kind = HYPERPLANE_AFFINE, .affine = affine, .divisor = divisor,
		.value = arena_own(compilation->arena, value, release_aff) };
}

bool affine_of_isl(__isl_keep isl_aff *aff, int count, struct affine *affine)
{
	bool plain = isl_aff_dim(aff, isl_dim_div) == 0;
	isl_val *value = isl_aff_get_constant_val(aff);
	plain &= isl_val_is_int(value) == isl_bool_true;
	affine->constant = isl_val_get_num_si(value);
	isl_val_free(value);
	for (int i = 0; i < count; i++) {
		value = isl_aff_get_coefficient_val(aff, isl_dim_in, i);
		plain &= isl_val_is_int(value) == isl_bool_true;
		affine->coefficients[i] = isl_val_get_num_si(value);
		isl_val_free(value);
	}
	return plain;
}

struct hyperplane iterator_plane(struct compilation *compilation,
	const struct statement *statement, int iterator, int sign, long origin, long divisor)
{
	struct affine affine = { .constant = -origin,
		.coefficients = ARENA_ARRAY(compilation->arena, long, statement->depth + 1) };
	affine.coefficients[iterator] = sign;
	return hyperplane_make(compilation, statement, affine, divisor);
}

/* The least and largest value of a hyperplane over its statement. */
static bool plane_range(const struct statement *statement, const struct hyperplane *plane,
	long *min, long *max)
{
	isl_set *values = isl_set_apply(isl_set_copy(statement->domain),
		isl_map_from_aff(isl_aff_copy(plane->value)));
	bool known = set_dim_range(values, 0, min, max);
	isl_set_free(values);
	return known;
}

/* ---- legality ---- */

struct check {
	const struct nest *nest;
	const struct band *band;     /* that the dimension is for */
	const struct hyperplane *planes;
	bool is_together;            /* both ends in one tile */
	bool is_legal, is_forward;
	int from, to;                /* of the last dependence seen: the one that is not legal */
};

__isl_give isl_map *in_one_iteration(const struct band *band, __isl_take isl_map *pairs, int s,
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

bool plane_distance(__isl_keep isl_map *pairs, __isl_keep isl_aff *from, __isl_keep isl_aff *to,
	long *min, long *max)
{
	isl_map *values = isl_map_apply_range(isl_map_copy(pairs),
		isl_map_from_aff(isl_aff_copy(to)));
	values = isl_map_apply_domain(values, isl_map_from_aff(isl_aff_copy(from)));
	isl_set *deltas = isl_map_deltas(values);
	bool known = isl_set_is_empty(deltas) == isl_bool_false;
	if (known && !set_dim_range(deltas, 0, min, max)) {
		*min = -1;
		*max = 1;
	}
	isl_set_free(deltas);
	return known;
}

static isl_stat check_pairs(__isl_take isl_map *pairs, void *user)
{
	struct check *check = user;
	int s = nest_statement_named(check->nest, isl_map_get_tuple_name(pairs, isl_dim_in));
	int t = nest_statement_named(check->nest, isl_map_get_tuple_name(pairs, isl_dim_out));
	const struct hyperplane *from = &check->planes[s], *to = &check->planes[t];
	check->from = s;
	check->to = t;
	isl_map *within = in_one_iteration(check->band, isl_map_copy(pairs), s, t);
	/* A private value that is carried by a sequential loop depends on the order inside. */
	if (check->is_together && isl_map_is_equal(within, pairs) != isl_bool_true)
		check->is_legal = false;
	isl_map_free(pairs);
	pairs = within;
	if (isl_map_is_empty(pairs) == isl_bool_true) {
		isl_map_free(pairs);
		return check->is_legal ? isl_stat_ok : isl_stat_error;
	}
	if (check->is_together && from->kind != to->kind) {
		check->is_legal = false;
	} else if (from->kind == HYPERPLANE_AFFINE && to->kind == HYPERPLANE_AFFINE) {
		long min, max;
		if (plane_distance(pairs, from->value, to->value, &min, &max)) {
			check->is_legal &= min >= 0 && (!check->is_together || max <= 0);
			check->is_forward |= max > 0;
		}
	} else {
		check->is_legal &= from->kind == HYPERPLANE_FIRST || to->kind == HYPERPLANE_LAST;
	}
	isl_map_free(pairs);
	return check->is_legal ? isl_stat_ok : isl_stat_error;
}

/* Whether no dependence runs backwards in DIM, and whether one runs forward. */
static void check_dim(const struct nest *nest, const struct band *band, struct band_dim *dim)
{
	struct check check = { .nest = nest, .band = band, .planes = dim->planes, .is_legal = true };
	isl_union_map_foreach_map(nest->dependences, check_pairs, &check);
	dim->is_forward = check.is_forward;
	if (check.is_legal) {
		check.is_together = true;
		isl_union_map_foreach_map(nest->together, check_pairs, &check);
	}
	dim->can_tile = check.is_legal;
	dim->blocked_from = check.from;
	dim->blocked_to = check.to;
}

bool band_dim_finish(struct compilation *compilation, const struct nest *nest,
	const struct band *band, struct hyperplane *planes, struct band_dim *dim)
{
	long least = 0, most = -1;
	for (int s = 0; s < nest->statement_count; s++) {
		long min, max;
		if (planes[s].kind != HYPERPLANE_AFFINE
			|| !plane_range(nest->statements[s], &planes[s], &min, &max))
			continue;
		if (most < least || min < least)
			least = most < least ? min : least < min ? least : min;
		if (most < max || most < least)
			most = max;
	}
	if (most < least)
		return false;
	for (int s = 0; s < nest->statement_count && least; s++) {
		struct hyperplane *plane = &planes[s];
		if (plane->kind != HYPERPLANE_AFFINE)
			continue;
		struct affine affine = plane->affine;
		affine.constant -= least * plane->divisor;
		*plane = hyperplane_make(compilation, nest->statements[s], affine, plane->divisor);
	}
	dim->planes = planes;
	dim->extent = most - least + 1;
	check_dim(nest, band, dim);
	return true;
}
