/* Arrays that come, and go, for one stage of a group, in each tile or in each iteration of the stage's
 * loop: their buffers take turns in one place. */

#include "ir/coalesce.h"
#include "passes/regions/general.h"

/* Stage M's loop counts only for what comes in chunks. */
static void enter_streamed(struct lowering *lowering, int a)
{
	int depth = lowering->depth;
	enter_stage(lowering, stage_of(lowering, a));
	if (lowering->holdings[a].store == STORE_STAGE)
		lowering->depth = depth;
}

static void leave_streamed(struct lowering *lowering, int depth)
{
	lowering->depth = depth;
	lowering->stage = NULL;
}

/* A tile loop of the group moves array A. */
static bool is_moved(const struct lowering *lowering, int a)
{
	const struct reference_group *array = &lowering->groups->items[a];
	for (int dim = 0; dim < lowering->band->count; dim++)
		for (int d = 0; d < array->array->rank; d++)
			if (variant_moves(lowering->variant, array, d, dim))
				return true;
	return false;
}

/* What statement S runs while array A's region is there: if it is only read and no loop moves it, whatever the
 * tile, since borders change little. */
static __isl_give isl_set *streamed_instances(const struct lowering *lowering, int a, int s)
{
	if (is_moved(lowering, a) || lowering->groups->items[a].is_written)
		return tile_instances(lowering, s, lowering->depth, IN_TILE);
	return lowering->holdings[a].store == STORE_STAGE ? isl_set_copy(lowering->nest->statements[s]->domain)
		: stage_instances(lowering, s);
}

/* What the stage touches, or an iteration of its loop. */
bool streamed_measure(struct lowering *lowering, int a, struct general_region *region,
	struct plan_buffer *buffer)
{
	const struct reference_group *array = &lowering->groups->items[a];
	int depth = lowering->depth;
	isl_set *elements = NULL;
	enter_streamed(lowering, a);
	for (int i = 0; i < array->access_count; i++) {
		int s = array->accesses[i].statement;
		elements = set_unite(elements, isl_set_apply(streamed_instances(lowering, a, s),
			isl_map_copy(array->accesses[i].access->map)));
	}
	elements = set_coalesce(isl_set_intersect_params(elements, tile_context(lowering)));
	region->footprint = (struct footprint){ elements, isl_set_copy(elements),
		isl_set_params(isl_set_copy(elements)) };
	bool known = region_measure_box(region, buffer);
	leave_streamed(lowering, depth);
	return known;
}

/* What is only read comes where the stage runs at all. */
static void fill_fetches(struct lowering *lowering, int a, struct general_region *region)
{
	const struct reference_group *array = &lowering->groups->items[a];
	isl_set *visits = NULL;
	for (int i = 0; i < array->access_count; i++)
		visits = set_unite(visits, isl_set_params(tile_instances(lowering,
			array->accesses[i].statement, lowering->depth, IN_TILE)));
	visits = set_coalesce(isl_set_intersect(visits, tile_context(lowering)));
	region->visit.is_fetched = true;
	region->visit.fetches = region_condition(lowering, visits, lowering->depth);
	isl_set_free(visits);
}

bool streamed_fill(struct lowering *lowering, int a, struct general_region *region,
	struct plan_buffer *buffer)
{
	int depth = lowering->depth;
	if (!region->is_touched)
		return true;
	enter_streamed(lowering, a);
	bool known = region_fill_box(lowering, region, lowering->depth, buffer);
	if (known && lowering->groups->items[a].is_written)
		region_fill_moves(lowering, a, region);
	else if (known)
		fill_fetches(lowering, a, region);
	leave_streamed(lowering, depth);
	return known;
}
