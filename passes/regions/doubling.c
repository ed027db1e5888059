/* Double buffers of regions without closed forms: while a tile computes, the next one's
 * region comes and the one before's goes out.  A buffer has two slots for that, or its ring
 * room for one step more (docs/search.md, "Double buffers"). */

#include <string.h>

#include "ir/coalesce.h"
#include "passes/regions/general.h"

bool buffer_measure(struct plan_buffer *buffer)
{
	buffer->bytes = buffer->slots * buffer->array->type.bytes;
	for (int d = 0; d < buffer->rank; d++)
		if (__builtin_mul_overflow(buffer->bytes, buffer->dims[d].extent, &buffer->bytes))
			return false;
	return true;
}

/* One slot more. */
static bool add_slot(struct lowering *lowering, int a, struct plan_buffer *buffer)
{
	set_slots(lowering, a, buffer, buffer->slots + 1);
	return true;
}

/* What one visit of array A brings or takes out is apart from what the one before takes out:
 * their boxes have no element in common. */
static bool visits_are_apart(struct lowering *lowering, int a, const struct general_region *region)
{
	struct footprint earlier = footprint_by_lattice(lowering->buffers[a],
		footprint_find(lowering, a, lowering->holdings[a].store, IN_TILE_BEFORE));
	struct box before;
	box_find(earlier.lows, earlier.highs, earlier.visits, region->box.rank, &before);
	isl_set *now = isl_set_intersect_params(box_elements(&region->box, region->footprint.lows),
		isl_set_copy(region->footprint.visits));
	isl_set *then = isl_set_intersect_params(box_elements(&before, earlier.lows),
		isl_set_copy(earlier.visits));
	isl_set *both = isl_set_intersect(now, then);
	bool apart = isl_set_is_empty(both) == isl_bool_true;
	isl_set_free(both);
	box_free(&before);
	footprint_end(&earlier);
	return apart;
}

/* The same for all visits whose regions may be on chip together. */
static bool all_are_apart(struct lowering *lowering, int a, const struct general_region *region)
{
	long slots = lowering->holdings[a].slots;
	return slots == 1 && !mover_of(lowering, a)->is_backward ? visits_are_apart(lowering, a, region)
		: region_is_apart(lowering, a, region, slots);
}

/* The buffer of array A, whose regions come and go with a loop. */
static bool double_region(struct lowering *lowering, int a, struct plan_buffer *buffer)
{
	const struct reference_group *array = &lowering->groups->items[a];
	struct general_region *region = &lowering->general[a];
	/* Loops around other nests too have their buffers in the same place. */
	if (!region->is_touched || array->has_siblings
		|| lowering->holdings[a].store <= variant_outer_count(lowering->variant))
		return false;
	if (!region->knows_slide)
		slide_find(lowering, a, region);
	if (region->visit.slide < 0)
		return (!array->is_written || all_are_apart(lowering, a, region))
			&& add_slot(lowering, a, buffer);
	struct plan_dim *dim = &buffer->dims[region->visit.slide];
	long span = lowering->holdings[a].slots == 1 ? region->span_of_two
		: region_span(lowering, a, region, lowering->holdings[a].slots + 1);
	if (span > dim->extent)
		dim->extent = span;
	return span >= 0;
}

/* Those that come for stages do so all together; what a stage has as a whole it puts before the next one. */
static bool double_streamed(struct lowering *lowering, int a, struct plan_buffer *buffer)
{
	if (!lowering->general[a].is_touched)
		return false;
	lowering->overlaps_stages = true;
	if (lowering->holdings[a].store == STORE_STAGE && lowering->groups->items[a].is_written)
		return false;
	return lowering->holdings[a].store != STORE_CHUNK || mover_of(lowering, a)->count < 2
		|| add_slot(lowering, a, buffer);
}

/* False if array A's buffer cannot be double; it is then as it was. */
static bool double_buffer(struct lowering *lowering, int a)
{
	const struct reference_group *array = &lowering->groups->items[a];
	struct plan_buffer *buffer = lowering->buffers[a], single = *buffer;
	if (array->is_internal)
		return false;
	bool done = array->is_kept ? on_chip_double(lowering, a, buffer)
		: lowering->holdings[a].store < 0 ? double_streamed(lowering, a, buffer)
		: double_region(lowering, a, buffer);
	if (done && buffer_measure(buffer)) {
		buffer->is_double = true;
		return true;
	}
	*buffer = single;
	return false;
}

void general_double_wanted(struct lowering *lowering)
{
	bool overlaps = false;
	for (int a = 0; a < lowering->groups->count; a++)
		overlaps |= lowering->holdings[a].store < 0 && lowering->holdings[a].doubling == DOUBLE_WANTED;
	for (int a = 0; a < lowering->groups->count && overlaps; a++)
		if (lowering->holdings[a].store < 0)
			lowering->holdings[a].doubling = DOUBLE_WANTED;
	for (int a = 0; a < lowering->groups->count; a++)
		if (lowering->holdings[a].doubling == DOUBLE_WANTED && !double_buffer(lowering, a))
			lowering->holdings[a].doubling = DOUBLE_NEVER;
}

/* How often array A's buffer shows another region. */
static double visits_of(const struct lowering *lowering, int a)
{
	double visits = 1;
	for (int l = 0; l < lowering->holdings[a].store; l++)
		visits *= (double)lowering->loops[l].count;
	return visits;
}

void general_double_what_fits(struct lowering *lowering)
{
	int count = lowering->groups->count;
	for (int i = 0; i < count; i++) {
		int most = -1;
		for (int a = 0; a < count; a++)
			if (lowering->holdings[a].doubling == DOUBLE_IF_FITS
				&& (most < 0 || visits_of(lowering, a) > visits_of(lowering, most)))
				most = a;
		if (most < 0)
			return;
		struct plan_buffer single = *lowering->buffers[most];
		bool is_double = double_buffer(lowering, most);
		long needed;
		if (is_double && !general_place(lowering, overlap_arch(lowering->compilation), &needed)) {
			*lowering->buffers[most] = single;
			is_double = false;
		}
		general_place(lowering, lowering->compilation->arch, &needed);
		lowering->holdings[most].doubling = is_double ? DOUBLE_WANTED : DOUBLE_NEVER;
	}
}
