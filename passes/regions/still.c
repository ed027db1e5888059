/* What isl can prove of regions without closed forms at turns: which loops leave a region where it is.
 * Where nothing is proved, nothing is kept. */

#include "ir/coalesce.h"
#include "ir/isl_work.h"
#include "passes/regions/general.h"
#include "passes/regions/turn.h"
#include "passes/tiles/expressions.h"

enum { STILL_OPERATIONS = 400000, STILL_SETS = 8 };

/* What must be the same in two visits for the later one to take the other's region as it is: all of
 * SETS, functions of the tile loops. */
struct shown {
	int count;
	isl_set *sets[STILL_SETS];
	isl_set *visits;             /* that show anything */
};

/* ANY, which is SET for all values of some parameters, is no more than SET in the visits of SHOWN:
 * those of them that differ in nothing else show the same. */
static bool is_same(const struct shown *shown, __isl_keep isl_set *any, __isl_keep isl_set *set)
{
	isl_set *here = isl_set_intersect_params(isl_set_copy(any), isl_set_copy(shown->visits));
	bool same = isl_set_is_subset(here, set) == isl_bool_true;
	isl_set_free(here);
	return same;
}

/* All sets of ANY are the same as those of SHOWN. */
static bool are_same(const struct shown *shown, isl_set *const *any)
{
	bool same = true;
	for (int i = 0; i < shown->count && same; i++)
		same = is_same(shown, any[i], shown->sets[i]);
	return same;
}

/* What array A's visits show: the ends of the box, or where not all of it moves what is touched; and
 * what is written, as that goes out. */
static struct shown find_shown(struct lowering *lowering, int a, const struct general_region *region)
{
	struct shown shown = { .visits = isl_set_copy(region->footprint.visits) };
	if (region->visit.get_rows || region->visit.put_rows) {
		shown.sets[shown.count++] = touched_by(lowering, a, false, lowering->holdings[a].store);
	} else {
		shown.sets[shown.count++] = isl_set_copy(region->footprint.lows);
		shown.sets[shown.count++] = isl_set_copy(region->footprint.highs);
	}
	if (lowering->groups->items[a].is_written)
		shown.sets[shown.count++] = written_by(lowering, a, lowering->holdings[a].store);
	return shown;
}

/* Adds what accesses touch that touch something in all visits of array A, if they have several shapes: the
 * region stays only if the part of each does, as bounds know these parts alone (nest_model_inside in
 * passes/cost/nest_model.c).  False: they are too many. */
static bool add_shapes(struct lowering *lowering, int a, struct shown *shown)
{
	const int before = shown->count;
	int shapes = 0;
	for (int i = 0; i < lowering->groups->items[a].access_count; i++) {
		isl_set *shape = footprint_shape(lowering, a, i, lowering->holdings[a].store);
		if (!shape)
			continue;
		isl_set *params = isl_set_params(isl_set_copy(shape));
		bool is_everywhere = isl_set_is_subset(shown->visits, params) != isl_bool_false;
		isl_set_free(params);
		shapes++;
		if (is_everywhere && shown->count < STILL_SETS)
			shown->sets[shown->count++] = shape;
		else
			isl_set_free(shape);
		if (is_everywhere && shown->count == STILL_SETS)
			return false;
	}
	while (shapes == 1 && shown->count > before)
		isl_set_free(shown->sets[--shown->count]);
	return true;
}

static void shown_end(struct shown *shown)
{
	for (int i = 0; i < shown->count; i++)
		isl_set_free(shown->sets[i]);
	isl_set_free(shown->visits);
}

/* The loops outside the mover of DEPTH that leave what SHOWN has as it is, in all the iterations
 * of these loops together.  A turn changes which of the loops inside are in their first and last
 * iterations: nothing may depend on that. */
static unsigned long still_loops(const struct lowering *lowering, const struct shown *shown, int depth)
{
	isl_set *any[STILL_SETS] = { NULL };
	unsigned long still = 0;
	for (int i = 0; i < shown->count; i++) {
		any[i] = isl_set_copy(shown->sets[i]);
		for (int l = 0; l < depth; l++)
			any[i] = whatever_end(lowering, any[i], l);
	}
	bool may_be = are_same(shown, any);
	for (int l = depth - 2; l >= 0 && may_be; l--) {
		isl_set *more[STILL_SETS] = { NULL };
		for (int i = 0; i < shown->count; i++)
			more[i] = set_coalesce(whatever_tile(lowering, isl_set_copy(any[i]), l));
		bool is_still = are_same(shown, more);
		for (int i = 0; i < shown->count; i++) {
			isl_set_free(is_still ? any[i] : more[i]);
			any[i] = is_still ? more[i] : any[i];
		}
		still |= (unsigned long)is_still << l;
		may_be = is_still || loop_turns(lowering, l);
	}
	for (int i = 0; i < shown->count; i++)
		isl_set_free(any[i]);
	return still;
}

bool region_find_visited(struct lowering *lowering, struct general_region *region, int depth)
{
	if (!region->knows_visited)
		region->knows_visited = region_find_condition(lowering, region->footprint.visits, depth,
			&region->visited);
	return region->knows_visited;
}

/* Other nests' buffers and sizes that are left to the run are not known here; a buffer beside others of
 * its array is fetched anew, as these may have written what it holds. */
bool region_may_stay(const struct lowering *lowering, int a)
{
	return lowering->holdings[a].store > 0 && !lowering->groups->items[a].has_siblings
		&& !lowering->nest->function->symbolic_count && !lowering->nest->function->context;
}

void still_find(struct lowering *lowering, int a, struct general_region *region)
{
	int depth = lowering->holdings[a].store;
	if (!loop_turns(lowering, depth - 1) || !region_may_stay(lowering, a)
		|| (!region->visit.is_fetched && !region->visit.is_put))
		return;
	struct isl_work work = isl_work_begin(lowering->compilation->ctx, STILL_OPERATIONS);
	struct shown shown = find_shown(lowering, a, region);
	unsigned long still = add_shapes(lowering, a, &shown) ? still_loops(lowering, &shown, depth) : 0;
	bool known = !still || region_find_visited(lowering, region, depth);
	shown_end(&shown);
	region->still = isl_work_end(&work) && known ? still : 0;
}

/* Adds to the conditions of REGION that array A's is not kept. */
void still_fill(struct lowering *lowering, int a, struct general_region *region, long slots)
{
	const struct turning turning = { .mover = lowering->holdings[a].store - 1, .still = region->still, .slots = slots,
		.visited = region->visited };
	struct visit *visit = &region->visit;
	if (!region->still)
		return;
	struct plan_expr *kept = kept_at_turn(lowering, &turning, false);
	if (!kept)
		return;
	visit->fetches = both_hold(lowering, visit->fetches, does_not_hold(lowering, kept));
	if (visit->is_put)
		visit->puts = both_hold(lowering, visit->puts, does_not_hold(lowering,
			kept_at_turn(lowering, &turning, true)));
}
