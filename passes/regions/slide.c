/* Windows that slide along the innermost loop outside a buffer, in rings. */

#include <isl/aff.h>

#include "passes/regions/general.h"
#include "passes/tiles/expressions.h"

/* A compares with B as WHERE says, in all the visits of COMMON. */
static bool holds(__isl_keep isl_set *common, __isl_give isl_set *(*where)(isl_pw_aff *, isl_pw_aff *),
	__isl_keep isl_pw_aff *a, __isl_keep isl_pw_aff *b)
{
	isl_set *set = where(isl_pw_aff_copy(a), isl_pw_aff_copy(b));
	bool subset = isl_set_is_subset(common, set) == isl_bool_true;
	isl_set_free(set);
	return subset;
}

/* The one dimension in which the box NOW differs from BEFORE, if it only goes up, or any if
 * they are the same; -1: none. */
static int rising_dim(__isl_keep isl_set *common, const struct box *now, const struct box *before)
{
	int found = -1;
	for (int d = 0; d < now->rank; d++) {
		if (holds(common, isl_pw_aff_eq_set, now->low[d], before->low[d])
			&& holds(common, isl_pw_aff_eq_set, now->high[d], before->high[d]))
			continue;
		if (found >= 0 || !holds(common, isl_pw_aff_ge_set, now->low[d], before->low[d])
			|| !holds(common, isl_pw_aff_ge_set, now->high[d], before->high[d]))
			return -1;
		found = d;
	}
	return found < 0 && now->rank ? 0 : found;
}

/* The most elements of dimension D from where BEFORE begins to where NOW ends; -1: unknown. */
static long span_of_two(__isl_keep isl_set *common, int d, const struct box *now,
	const struct box *before)
{
	isl_pw_aff *low = isl_pw_aff_intersect_params(isl_pw_aff_copy(before->low[d]),
		isl_set_copy(common));
	long span = box_extent(low, now->high[d]);
	isl_pw_aff_free(low);
	return span;
}

void slide_find(struct lowering *lowering, int a, struct general_region *region)
{
	const struct reference_group *array = &lowering->groups->items[a];
	int depth = lowering->store[a];
	region->knows_slide = true;
	if (depth < 1 || array->is_written || array->has_siblings || !lowering->slides[a])
		return;
	const struct box *now = &region->box;
	struct footprint earlier = footprint_by_lattice(lowering->buffers[a],
		footprint_find(lowering, a, depth, IN_TILE_BEFORE));
	isl_set *common = isl_set_intersect(isl_set_copy(earlier.visits),
		isl_set_copy(region->footprint.visits));
	struct box before;
	box_find(earlier.lows, earlier.highs, earlier.visits, now->rank, &before);
	int d = isl_set_is_empty(common) == isl_bool_false ? rising_dim(common, now, &before) : -1;
	if (d >= 0)
		region->end_before = expression_of(lowering, common, depth,
			isl_pw_aff_copy(before.high[d]));
	if (region->end_before) {
		region->visit.slide = d;
		region->continues = region_condition(lowering, earlier.visits, depth);
		region->span_of_two = span_of_two(common, d, now, &before);
	}
	box_free(&before);
	footprint_end(&earlier);
	isl_set_free(common);
}

void slide_fill(struct lowering *lowering, int a, struct general_region *region,
	struct plan_buffer *buffer)
{
	struct arena *arena = lowering->compilation->arena;
	struct visit *visit = &region->visit;
	int d = visit->slide;
	if (d < 0)
		return;
	struct plan_expr *goes_on = plan_make(arena, PLAN_LE, plan_const(arena, 1),
		plan_ref(arena, mover_of(lowering, a)->var));
	visit->goes_on = region->continues ? plan_make(arena, PLAN_AND, goes_on, region->continues)
		: goes_on;
	struct plan_expr *end = plan_make(arena, PLAN_ADD, visit->first[d], visit->count[d]);
	struct plan_expr *first = plan_make(arena, PLAN_MAX, visit->first[d],
		plan_make(arena, PLAN_ADD, region->end_before, plan_const(arena, 1)));
	visit->fresh[visit->fresh_count++] = (struct fresh){ NULL, first,
		plan_make(arena, PLAN_SUB, end, first) };
	buffer->dims[d].modulus = buffer->dims[d].extent;
	buffer->dims[d].origin = NULL;
}
