/* A dimension of a band: the values of its planes. */

#include "passes/analysis/band_dim.h"

#include <isl/aff.h>
#include <isl/val.h>

#include "ir/order.h"
#include "passes/analysis/legality.h"
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

bool runs_behind(const struct statement *statement, const struct statement *main)
{
	int common = shared_loop_count(statement, main);
	return place_in_body(statement, common) >= place_in_body(main, common);
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
	const struct freedom freedom = nest_freedom(nest, band, planes, true);
	dim->is_forward = !freedom.can_turn;
	dim->can_tile = freedom.can_tile;
	dim->blocked_from = freedom.from;
	dim->blocked_to = freedom.to;
	return true;
}
