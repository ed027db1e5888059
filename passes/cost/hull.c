/* Regions without closed forms: windows and coefficients of boxes that hold the real ones, which isl
 * finds. */

#include "passes/cost/hull.h"

#include <string.h>

#include <isl/aff.h>
#include <isl/space.h>

#include "ir/coalesce.h"
#include "passes/analysis/lattice.h"
#include "passes/analysis/nest_memo.h"
#include "passes/analysis/values.h"
#include "passes/cost/nest_model.h"
#include "passes/nest_work.h"

enum { SPAN_OPERATIONS = 1000000, HULL_OPERATIONS = 1000000 };

/* {[values of the band] -> [element]} of one access. */
static __isl_give isl_map *elements_of_band(const struct variant *variant,
	const struct nest_access *access)
{
	isl_set *domain = variant->nest->statements[access->statement]->domain;
	isl_map *map = isl_map_from_domain(isl_set_copy(domain));
	for (int l = 0; l < variant->band->count; l++) {
		const struct hyperplane *plane = &variant->band->dims[l].planes[access->statement];
		isl_map *value;
		if (plane->kind == HYPERPLANE_AFFINE) {
			value = isl_map_from_aff(isl_aff_floor(isl_aff_copy(plane->value)));
		} else {
			isl_space *space = isl_space_add_dims(isl_space_from_domain(
				isl_set_get_space(domain)), isl_dim_out, 1);
			value = isl_map_universe(space);
			value = isl_map_lower_bound_si(value, isl_dim_out, 0, 0);
			value = isl_map_upper_bound_val(value, isl_dim_out, 0,
				isl_val_int_from_si(isl_map_get_ctx(value), variant->band->dims[l].extent - 1));
		}
		map = isl_map_flat_range_product(map, value);
	}
	isl_map *elements = isl_map_reset_tuple_id(isl_map_copy(access->access->map), isl_dim_out);
	return isl_map_apply_range(isl_map_reverse(map), elements);
}

/* {[b] -> [b'] : |b_l - b'_l| < tile[l]} */
static __isl_give isl_map *near(isl_ctx *ctx, const struct band *band, const long *tile)
{
	unsigned count = (unsigned)band->count;
	isl_set *deltas = isl_set_universe(isl_space_set_alloc(ctx, 0, count));
	for (unsigned l = 0; l < count; l++)
		deltas = set_bounds(deltas, l, 1 - tile[l], tile[l] - 1);
	return isl_set_translation(deltas);
}

/* The most that a dimension spans in a tile, in elements of its lattice, [rank].  False if isl does
 * not find it: then it is all there is. */
static bool spans(struct compilation *compilation, const struct variant *variant,
	const struct reference_group *array, __isl_keep isl_map *elements, const long *tile, long *span)
{
	const struct band *band = variant->band;
	struct isl_work work = nest_question_begin(compilation, SPAN_OPERATIONS);
	isl_map *within = near(compilation->ctx, band, tile);
	within = isl_map_apply_range(within, isl_map_copy(elements));
	within = isl_map_apply_domain(within, isl_map_copy(elements));
	isl_set *deltas = isl_map_deltas(within);
	long most[ARRAY_RANK_LIMIT];     /* and the least: each pair has its opposite */
	bool known = true;
	for (int d = 0; d < array->array->rank && known; d++)
		known = set_dim_most(deltas, d, &most[d]);
	isl_set_free(deltas);
	known = isl_work_end(&work) && known;
	for (int d = 0; d < array->array->rank; d++)
		span[d] = (known ? most[d] : array->array->extents[d] - 1)
			/ reference_group_lattice(compilation, variant->nest, array, d).stride + 1;
	return known;
}

static __isl_give isl_map *elements_of_array(const struct variant *variant,
	const struct reference_group *array)
{
	isl_map *elements = NULL;
	for (int a = 0; a < array->access_count; a++) {
		isl_map *map = elements_of_band(variant, &array->accesses[a]);
		elements = elements ? isl_map_union(elements, map) : map;
	}
	return map_coalesce(elements);
}

/* What ARRAY's hull depends on: its accesses, and each dimension of the band. */
static struct nest_query hull_query(struct arena *arena, const struct band *band,
	const struct reference_group *array)
{
	int count = 0;
	const void **key = ARENA_ARRAY(arena, const void *, array->access_count + band->count);
	for (int a = 0; a < array->access_count; a++)
		key[count++] = array->accesses[a].access;
	for (int l = 0; l < band->count; l++)
		key[count++] = band->dims[l].planes;
	return (struct nest_query){ NEST_HULL, key, (size_t)count * sizeof *key };
}

/* Finds the windows and coefficients of OUT, ARRAY's; false if isl does not find them all. */
static bool find_hull(struct compilation *compilation, const struct variant *variant,
	const struct reference_group *array, struct model_array *out)
{
	isl_map *elements = elements_of_array(variant, array);
	long tile[NEST_LOOPS], one[ARRAY_RANK_LIMIT], span[ARRAY_RANK_LIMIT];
	for (int l = 0; l < variant->band->count; l++)
		tile[l] = 1;
	bool known = spans(compilation, variant, array, elements, tile, one);
	for (int d = 0; d < out->rank; d++)
		out->dims[d].window = one[d];
	for (int l = 0; l < variant->band->count; l++) {
		long extent = variant->band->dims[l].extent;
		tile[l] = extent;
		known &= spans(compilation, variant, array, elements, tile, span);
		tile[l] = 1;
		for (int d = 0; d < out->rank; d++)
			out->dims[d].coefficient[l] = extent == 1 ? variant_moves(variant, array, d, l)
				: span[d] > one[d] ? (span[d] - one[d] + extent - 2) / (extent - 1) : 0;
	}
	isl_map_free(elements);
	return known;
}

void nest_hull(struct compilation *compilation, const struct variant *variant,
	const struct reference_group *array, struct model_array *out)
{
	const struct nest_query query = hull_query(compilation->arena, variant->band, array);
	const struct model_dim *known = answers_find(variant->found, query);
	if (known) {
		memcpy(out->dims, known, sizeof out->dims);
		return;
	}
	/* all spans together: where one is not known, nor is its neighbour */
	struct isl_work work = nest_question_begin(compilation, HULL_OPERATIONS);
	unsigned long begun = isl_operations(compilation->ctx);
	known = nest_answer(variant->nest, query);
	if (known)
		memcpy(out->dims, known, sizeof out->dims);
	else if (find_hull(compilation, variant, array, out))
		nest_keep_answer(variant->nest, query, out->dims, sizeof out->dims, begun);
	isl_work_end(&work);
	answers_keep(variant->found, query, out->dims, sizeof out->dims);
}
