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

/* How the box of one visit comes from that of the visit before. */
struct step {
	int rising;                  /* the one dimension in which it goes up, or where that is the same in all, any; -1: there is none */
	unsigned narrowing;          /* bit d: dimension d has some of the elements that it had, and only those */
};

/* The step from BEFORE to NOW, in all visits of COMMON. */
static struct step find_step(__isl_keep isl_set *common, const struct box *now, const struct box *before)
{
	struct step step = { .rising = -1 };
	for (int d = 0; d < now->rank; d++) {
		if (holds(common, isl_pw_aff_eq_set, now->low[d], before->low[d])
			&& holds(common, isl_pw_aff_eq_set, now->high[d], before->high[d]))
			continue;
		bool goes_up = holds(common, isl_pw_aff_ge_set, now->low[d], before->low[d]);
		bool is_within = goes_up && holds(common, isl_pw_aff_le_set, now->high[d], before->high[d]);
		if (!is_within && (!goes_up || step.rising >= 0 || !holds(common, isl_pw_aff_ge_set, now->high[d], before->high[d])))
			return (struct step){ .rising = -1 };
		if (!is_within)
			step.rising = d;
		else
			step.narrowing |= 1u << d;
	}
	/* what only narrows goes up, too */
	if (step.rising < 0 && now->rank)
		step.rising = step.narrowing ? __builtin_ctz(step.narrowing) : 0;
	if (step.rising >= 0)
		step.narrowing &= ~(1u << step.rising);
	return step;
}

/* The box around what REGION shows in all iterations of the innermost of DEPTH loops, in each of its visits. */
static void find_run_box(const struct lowering *lowering, int depth, const struct general_region *region, struct box *box)
{
	isl_set *lows = whatever_tile(lowering, isl_set_copy(region->footprint.lows), depth - 1);
	isl_set *highs = whatever_tile(lowering, isl_set_copy(region->footprint.highs), depth - 1);
	box_find(lows, highs, region->footprint.visits, region->box.rank, box);
	for (int d = 0; d < box->rank; d++) {
		box->low[d] = isl_pw_aff_intersect_params(box->low[d], isl_set_copy(region->footprint.visits));
		box->high[d] = isl_pw_aff_intersect_params(box->high[d], isl_set_copy(region->footprint.visits));
	}
	isl_set_free(lows);
	isl_set_free(highs);
}

/* The visits of REGION in which something comes: where dimension RISING has more than BEFORE, or there was nothing before. */
static __isl_give isl_set *find_moving(const struct general_region *region, __isl_keep isl_set *common, int rising, const struct box *before)
{
	isl_set *more = isl_pw_aff_gt_set(isl_pw_aff_copy(region->box.high[rising]), isl_pw_aff_copy(before->high[rising]));
	isl_set *first = isl_set_subtract(isl_set_copy(region->footprint.visits), isl_set_copy(common));
	return isl_set_union(isl_set_intersect(more, isl_set_copy(common)), first);
}

/* Dimension D of REGION narrows as the innermost of DEPTH loops goes on: what is left is to lie where it did, so that the buffer begins with the box of the
 * RUN.  Where all visits that move something, MOVING, have the ends of that, these are what is said.  False if the buffer has no room. */
static bool keep_place(struct lowering *lowering, int depth, const struct box *run, __isl_keep isl_set *moving, int d, struct general_region *region)
{
	isl_set *visits = region->footprint.visits;
	if (!run->low[d] || !run->high[d] || box_extent(run->low[d], region->box.high[d]) != region->extent[d])
		return false;
	struct arena *arena = lowering->compilation->arena;
	struct plan_expr *low = expression_of(lowering, visits, depth, isl_pw_aff_copy(run->low[d])), *high = NULL;
	if (holds(moving, isl_pw_aff_eq_set, region->box.low[d], run->low[d])
		&& holds(moving, isl_pw_aff_eq_set, region->box.high[d], run->high[d]))
		high = expression_of(lowering, visits, depth, isl_pw_aff_copy(run->high[d]));
	region->run_first[d] = low;
	region->run_count[d] = low && high ? plan_make(arena, PLAN_ADD, plan_make(arena, PLAN_SUB, high, low), plan_const(arena, 1)) : NULL;
	return low;
}

/* The box of REGION may go on from BEFORE by STEP: where it narrows there is a place for it, to which a loop that turned would not come back. */
static bool may_step(struct lowering *lowering, int depth, const struct step *step, __isl_keep isl_set *common, const struct box *before,
	struct general_region *region)
{
	struct box run;
	if (step->rising < 0 || !step->narrowing)
		return step->rising >= 0;
	if (lowering->loops[depth - 1].is_backward)
		return false;
	isl_set *moving = find_moving(region, common, step->rising, before);
	find_run_box(lowering, depth, region, &run);
	bool may = true;
	for (int d = 0; d < run.rank && may; d++)
		may = !(step->narrowing >> d & 1) || keep_place(lowering, depth, &run, moving, d, region);
	box_free(&run);
	isl_set_free(moving);
	return may;
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
	const struct step step = isl_set_is_empty(common) == isl_bool_false ? find_step(common, now, &before) : (struct step){ .rising = -1 };
	int d = may_step(lowering, depth, &step, common, &before, region) ? step.rising : -1;
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
	for (int e = 0; e < buffer->rank; e++) {
		buffer->dims[e].origin = region->run_first[e] ? region->run_first[e] : buffer->dims[e].origin;
		visit->first[e] = region->run_count[e] ? region->run_first[e] : visit->first[e];
		visit->count[e] = region->run_count[e] ? region->run_count[e] : visit->count[e];
	}
	buffer->dims[d].modulus = buffer->dims[d].extent;
	buffer->dims[d].origin = NULL;
}
