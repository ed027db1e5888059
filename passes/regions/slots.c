/* Buffers of regions without closed forms that hold several: those of the last iterations of the loop
 * that moves them, in slots or in a ring, until that loop turns. */

#include "ir/isl_work.h"
#include "passes/analysis/values.h"
#include "passes/regions/general.h"

#define ARENA(lowering) ((lowering)->compilation->arena)

enum { SLOT_OPERATIONS = 400000 };

/* The elements of the boxes of REGION's visits. */
static __isl_give isl_set *all_boxes(const struct general_region *region)
{
	return isl_set_intersect_params(box_elements(&region->box, region->footprint.lows),
		isl_set_copy(region->footprint.visits));
}

bool region_is_apart(struct lowering *lowering, int a, const struct general_region *region, long tiles)
{
	int mover = lowering->holdings[a].store - 1;
	struct isl_work work = isl_work_begin(lowering->compilation->ctx, SLOT_OPERATIONS);
	isl_set *boxes = all_boxes(region);
	isl_set *both = isl_set_intersect(tiles_further(lowering, isl_set_copy(boxes), mover, 1, tiles),
		boxes);
	bool apart = isl_set_is_empty(both) == isl_bool_true;
	isl_set_free(both);
	return isl_work_end(&work) && apart;
}

long region_span(struct lowering *lowering, int a, const struct general_region *region, long tiles)
{
	int mover = lowering->holdings[a].store - 1, d = region->visit.slide;
	struct isl_work work = isl_work_begin(lowering->compilation->ctx, SLOT_OPERATIONS);
	isl_set *boxes = tiles_further(lowering, all_boxes(region), mover, 0, tiles - 1);
	isl_pw_aff *end = isl_set_dim_max(boxes, d);
	isl_pw_aff *begin = isl_pw_aff_intersect_params(isl_pw_aff_copy(region->box.low[d]),
		isl_set_copy(region->footprint.visits));
	long span = end && begin ? box_extent(begin, end) : -1;
	isl_pw_aff_free(begin);
	isl_pw_aff_free(end);
	return isl_work_end(&work) ? span : -1;
}

void set_slots(struct lowering *lowering, int a, struct plan_buffer *buffer, long slots)
{
	buffer->slots = slots;
	buffer->slot = plan_make(ARENA(lowering), PLAN_MOD,
		plan_ref(ARENA(lowering), mover_of(lowering, a)->tile_var), plan_const(ARENA(lowering), slots));
}

/* Room for the regions of so many SLOTS; false if those of different tiles may be in each other's way. */
static bool hold(struct lowering *lowering, int a, struct general_region *region,
	struct plan_buffer *buffer, long slots)
{
	if (!region->is_touched || !region_may_stay(lowering, a) || !mover_of(lowering, a)->is_serpentine
		|| (lowering->groups->items[a].is_written
		&& !region_is_apart(lowering, a, region, slots - 1)))
		return false;
	if (!region->knows_slide)
		slide_find(lowering, a, region);
	if (region->visit.slide < 0) {
		set_slots(lowering, a, buffer, slots);
		return true;
	}
	struct plan_dim *dim = &buffer->dims[region->visit.slide];
	long span = region_span(lowering, a, region, slots);
	if (span > dim->extent)
		dim->extent = span;
	return span > 0;
}

void general_hold_slots(struct lowering *lowering, int a, struct general_region *region,
	struct plan_buffer *buffer)
{
	long *slots = &lowering->holdings[a].slots;
	if (*slots > 1 && !hold(lowering, a, region, buffer, *slots))
		*slots = 1;
}
