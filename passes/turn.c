/* Arrays that come for one stage of a group, in each tile or in each iteration of the stage's
 * loop: their buffers take turns in one place. */

#include "ir/coalesce.h"
#include "passes/general.h"

/* Stage M's loop counts only for what comes in chunks. */
static void enter_turn(struct lowering *lowering, int a)
{
	int depth = lowering->depth;
	enter_stage(lowering, stage_of(lowering, a));
	if (lowering->store[a] == STORE_STAGE)
		lowering->depth = depth;
}

static void leave_turn(struct lowering *lowering, int depth)
{
	lowering->depth = depth;
	lowering->stage = NULL;
}

/* Whatever the tile, since borders change little: what the stage reads, or an iteration of
 * its loop. */
bool turn_measure(struct lowering *lowering, int a, struct general_region *region,
	struct plan_buffer *buffer)
{
	const struct nest_array *array = &lowering->nest->arrays[a];
	int depth = lowering->depth;
	isl_set *elements = NULL;
	enter_turn(lowering, a);
	for (int i = 0; i < array->access_count; i++) {
		int s = array->accesses[i].statement;
		isl_set *instances = lowering->store[a] == STORE_STAGE
			? isl_set_copy(lowering->nest->statements[s]->domain) : stage_instances(lowering, s);
		elements = set_unite(elements, isl_set_apply(instances,
			isl_map_copy(array->accesses[i].access->map)));
	}
	elements = set_coalesce(isl_set_intersect_params(elements, tile_context(lowering)));
	region->footprint = (struct footprint){ elements, isl_set_copy(elements),
		isl_set_params(isl_set_copy(elements)) };
	bool known = region_measure_box(region, buffer);
	leave_turn(lowering, depth);
	return known;
}

/* It comes where the stage runs at all. */
bool turn_fill(struct lowering *lowering, int a, struct general_region *region,
	struct plan_buffer *buffer)
{
	const struct nest_array *array = &lowering->nest->arrays[a];
	int depth = lowering->depth;
	isl_set *visits = NULL;
	enter_turn(lowering, a);
	for (int i = 0; i < array->access_count; i++)
		visits = set_unite(visits, isl_set_params(tile_instances(lowering,
			array->accesses[i].statement, lowering->depth, IN_TILE)));
	visits = set_coalesce(isl_set_intersect(visits, tile_context(lowering)));
	region->is_fetched = region->is_touched;
	bool known = !region->is_touched || region_fill_box(lowering, region, lowering->depth, buffer);
	region->fetches = region_condition(lowering, visits, lowering->depth);
	isl_set_free(visits);
	leave_turn(lowering, depth);
	return known;
}
