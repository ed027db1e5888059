/* Arrays of a group that never leave the chip, and those that go out as they are made: their
 * buffers hold what is alive in any tile. */

#include "ir/coalesce.h"
#include "passes/regions/general.h"
#include "passes/tiles/expressions.h"
#include "passes/analysis/values.h"

#define ARENA(lowering) ((lowering)->compilation->arena)

/* Elements of array A that instances of REACH read (or also write). */
static __isl_give isl_set *reached(const struct lowering *lowering, int a, bool writes,
	enum reach reach)
{
	const struct reference_group *array = &lowering->groups->items[a];
	isl_set *elements = NULL;
	for (int i = 0; i < array->access_count; i++)
		if (array->accesses[i].access->is_write == writes)
			elements = set_unite(elements, isl_set_apply(tile_instances(lowering,
				array->accesses[i].statement, lowering->depth, reach),
				isl_map_copy(array->accesses[i].access->map)));
	return set_coalesce(isl_set_intersect_params(elements, tile_context(lowering)));
}

/* Where the elements of UNTIL and FROM are, whatever the tile of the innermost loop: the
 * sides of the buffer along which it does not move. */
static __isl_give isl_set *find_still(const struct lowering *lowering, __isl_keep isl_set *until,
	__isl_keep isl_set *from, int rank, struct box *box)
{
	isl_set *all = isl_set_union(isl_set_copy(until), isl_set_copy(from));
	if (lowering->depth) {
		all = whatever_tile(lowering, all, lowering->depth - 1);
		all = set_coalesce(isl_set_intersect_params(all, tile_context(lowering)));
	}
	isl_set *params = isl_set_params(isl_set_copy(all));
	box_find(all, all, params, rank, box);
	isl_set_free(all);
	return params;
}

static bool fill_still(struct lowering *lowering, __isl_keep isl_set *params, const struct box *box,
	int d, struct plan_dim *dim)
{
	*dim = (struct plan_dim){ .extent = box_extent(box->low[d], box->high[d]), .stride = 1,
		.origin = expression_of(lowering, params, lowering->depth,
			isl_pw_aff_copy(box->low[d])) };
	return dim->extent > 0 && dim->origin;
}

/* The dimension that follows the innermost loop: elements that are alive lie within a
 * window, so that a ring of its length keeps them apart. */
static bool fill_ring(struct lowering *lowering, __isl_keep isl_set *until,
	__isl_keep isl_set *from, int d, struct plan_dim *dim)
{
	isl_pw_aff *high = isl_set_dim_max(isl_set_copy(until), d);
	isl_pw_aff *low = isl_set_dim_min(isl_set_copy(from), d);
	long window = box_extent(low, high), min = 0, max = 0;
	isl_pw_aff_free(high);
	isl_pw_aff_free(low);
	if (window <= 0 || !set_dim_range(until, d, &min, &max))
		return false;
	*dim = (struct plan_dim){ .extent = window, .stride = 1 };
	if (window < max - min + 1)
		dim->modulus = window;
	else
		*dim = (struct plan_dim){ .extent = max - min + 1, .stride = 1,
			.origin = plan_const(ARENA(lowering), min) };
	return true;
}

/* The buffer holds what lives in any tile: elements that are written up to it and read from
 * it on, those it writes, and, if that goes out meanwhile, what the tile before wrote. */
static bool measure(struct lowering *lowering, int a, bool is_double, struct plan_buffer *buffer)
{
	isl_set *until = reached(lowering, a, true, UP_TO_TILE);
	isl_set *from = isl_set_union(reached(lowering, a, false, FROM_TILE),
		reached(lowering, a, true, IN_TILE));
	if (is_double)
		from = isl_set_union(from, reached(lowering, a, true, IN_TILE_BEFORE));
	struct box box;
	isl_set *params = find_still(lowering, until, from, buffer->rank, &box);
	bool known = true;
	for (int d = 0; d < buffer->rank && known; d++)
		known = lowering->depth && variant_moves(lowering->variant,
			&lowering->groups->items[a], d, lowering->loops[lowering->depth - 1].dim)
			? fill_ring(lowering, until, from, d, &buffer->dims[d])
			: fill_still(lowering, params, &box, d, &buffer->dims[d]);
	box_free(&box);
	isl_set_free(params);
	isl_set_free(until);
	isl_set_free(from);
	return known;
}

bool on_chip_measure(struct lowering *lowering, int a, struct plan_buffer *buffer)
{
	return measure(lowering, a, false, buffer);
}

bool on_chip_double(struct lowering *lowering, int a, struct plan_buffer *buffer)
{
	return lowering->depth > 0 && measure(lowering, a, true, buffer);
}

/* What a tile writes goes out of the ring that holds it.  False if that is no box. */
bool on_chip_fill_kept(struct lowering *lowering, int a, struct general_region *region,
	const struct plan_buffer *buffer)
{
	struct plan_buffer box = *buffer;
	isl_set *written = written_by(lowering, a, lowering->depth);
	region->footprint = (struct footprint){ written, isl_set_copy(written),
		isl_set_params(isl_set_copy(written)) };
	box_find(written, written, region->footprint.visits, buffer->rank, &region->box);
	region->is_touched = region->visit.is_put = true;
	bool is_whole = !box_has_holes(written, region->footprint.visits, &region->box)
		&& region_fill_box(lowering, region, lowering->depth, &box);
	region->visit.puts = region_condition(lowering, region->footprint.visits, lowering->depth);
	return is_whole;
}
