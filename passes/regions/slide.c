/* Windows that slide along the innermost loop outside a buffer, in rings. */

#include <isl/aff.h>

#include "ir/plan_copy.h"
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

/* SET is the same in the first and the last iteration of a run of loop L as between, at the same
 * tile. */
static bool ignores_ends(const struct lowering *lowering, __isl_keep isl_set *set, int l, int depth)
{
	isl_set *any = isl_set_intersect_params(whatever_end(lowering, isl_set_copy(set), l),
		context_at(lowering, depth));
	bool same = isl_set_is_subset(any, set) == isl_bool_true;
	isl_set_free(any);
	return same;
}

/* The window of REGION may slide both ways, if the innermost of DEPTH loops outside turns: the one
 * before is that of the tile before or behind, and they are told from those that show nothing. */
static bool may_go_back(struct lowering *lowering, struct general_region *region, int depth)
{
	return !lowering->loops[depth - 1].is_backward
		|| (ignores_ends(lowering, region->footprint.lows, depth - 1, depth)
		&& ignores_ends(lowering, region->footprint.highs, depth - 1, depth)
		&& region_find_visited(lowering, region, depth));
}

void slide_find(struct lowering *lowering, int a, struct general_region *region)
{
	const struct reference_group *array = &lowering->groups->items[a];
	int depth = lowering->holdings[a].store;
	region->knows_slide = true;
	if (depth < 1 || array->is_written || array->has_siblings || !lowering->holdings[a].slides
		|| !may_go_back(lowering, region, depth))
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

/* EXPR in the tile of LOOP that is behind the present one. */
static struct plan_expr *behind(struct arena *arena, const struct tile_loop *loop,
	struct plan_expr *expr)
{
	const struct plan_binding there = { NULL, loop->tile_var, plan_make(arena, PLAN_ADD,
		plan_ref(arena, loop->tile_var), plan_const(arena, 1)) };
	return plan_expr_at(arena, expr, &there);
}

static void add_fresh(struct arena *arena, struct visit *visit, struct plan_expr *when,
	struct plan_expr *first, struct plan_expr *end)
{
	visit->fresh[visit->fresh_count++] = (struct fresh){ when, first,
		plan_make(arena, PLAN_SUB, end, first) };
}

/* CONDITION where LOOP goes up, OTHER where it goes down; NULL: they hold. */
static struct plan_expr *by_direction(struct arena *arena, const struct tile_loop *loop,
	struct plan_expr *condition, struct plan_expr *other)
{
	struct plan_expr *yes = plan_const(arena, 1);
	if (!loop->is_backward || (!condition && !other))
		return condition;
	return plan_select(arena, loop->is_backward, other ? other : yes, condition ? condition : yes);
}

void slide_fill(struct lowering *lowering, int a, struct general_region *region,
	struct plan_buffer *buffer)
{
	struct arena *arena = lowering->compilation->arena;
	struct visit *visit = &region->visit;
	int d = visit->slide;
	if (d < 0)
		return;
	const struct tile_loop *loop = mover_of(lowering, a);
	struct plan_expr *goes_on = plan_make(arena, PLAN_LE, plan_const(arena, 1),
		plan_ref(arena, loop->var));
	struct plan_expr *continues = by_direction(arena, loop, region->continues,
		region->visited ? behind(arena, loop, region->visited) : NULL);
	visit->goes_on = continues ? plan_make(arena, PLAN_AND, goes_on, continues) : goes_on;
	struct plan_expr *end = plan_make(arena, PLAN_ADD, visit->first[d], visit->count[d]);
	struct plan_expr *first = plan_make(arena, PLAN_MAX, visit->first[d],
		plan_make(arena, PLAN_ADD, region->end_before, plan_const(arena, 1)));
	add_fresh(arena, visit, loop->is_backward ? does_not_hold(lowering, loop->is_backward) : NULL,
		first, end);
	if (loop->is_backward)
		add_fresh(arena, visit, loop->is_backward, visit->first[d], plan_make(arena, PLAN_MIN, end,
			behind(arena, loop, visit->first[d])));
	buffer->dims[d].modulus = buffer->dims[d].extent;
	buffer->dims[d].origin = NULL;
}
