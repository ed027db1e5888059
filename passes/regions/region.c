/* One region of a visit: the box around it, its extents and ends in the plan, and when it is
 * fetched. */

#include "passes/regions/region.h"

#include <isl/aff.h>

#include "ir/ast_build.h"
#include "ir/coalesce.h"
#include "ir/isl_work.h"
#include "passes/regions/turn.h"
#include "passes/tiles/expressions.h"

#define ARENA(lowering) ((lowering)->compilation->arena)

/* isl's work on a question whose answer may be "do not know". */
enum { OPERATIONS = 300000 };

/* The visits that must fetch: something is read before it is written, or the box that
 * goes out holds elements that the visit does not write. */
__isl_give isl_set *region_fetches(const struct lowering *lowering, int a,
	const struct footprint *footprint, const struct box *box)
{
	isl_ctx *ctx = lowering->compilation->ctx;
	if (!lowering->groups->items[a].is_written)
		return isl_set_copy(footprint->visits);
	struct isl_work work = isl_work_begin(ctx, OPERATIONS);
	isl_set *read = read_before_written(lowering, a);
	isl_set *visits = read ? isl_set_params(read)
		: isl_set_empty(isl_set_get_space(footprint->visits));
	if (isl_set_is_subset(footprint->visits, visits) != isl_bool_true) {
		isl_set *unwritten = isl_set_subtract(box_elements(box, footprint->lows),
			by_lattice(lowering->buffers[a], written_by(lowering, a, visit_depth(lowering, a))));
		visits = isl_set_union(isl_set_params(isl_set_intersect_params(unwritten,
			isl_set_copy(footprint->visits))), visits);
	}
	visits = set_coalesce(visits);
	if (isl_work_end(&work) && visits)
		return visits;
	isl_set_free(visits);
	return isl_set_copy(footprint->visits);
}

bool region_find_condition(struct lowering *lowering, __isl_keep isl_set *set, int depth,
	struct plan_expr **condition)
{
	isl_set *context = context_at(lowering, depth);
	*condition = NULL;
	if (isl_set_is_subset(context, set) == isl_bool_true) {
		isl_set_free(context);
		return true;
	}
	set = isl_set_gist(isl_set_copy(set), isl_set_copy(context));
	isl_ast_expr *expr = ast_of_set(context, set);
	*condition = expr ? translate_expr(lowering, expr) : NULL;
	return *condition;
}

struct plan_expr *region_condition(struct lowering *lowering, __isl_keep isl_set *set, int depth)
{
	struct plan_expr *condition;
	return region_find_condition(lowering, set, depth, &condition) ? condition
		: plan_const(ARENA(lowering), 1);
}

void region_fill_moves(struct lowering *lowering, int a, struct general_region *region)
{
	int depth = visit_depth(lowering, a);
	isl_set *fetch = region_fetches(lowering, a, &region->footprint, &region->box);
	region->visit.is_fetched = isl_set_is_empty(fetch) == isl_bool_false;
	region->visit.fetches = region_condition(lowering, fetch, depth);
	isl_set_free(fetch);
	region->visit.is_put = lowering->groups->items[a].is_written;
	if (!region->visit.is_put)
		return;
	isl_set *puts = isl_set_params(written_by(lowering, a, depth));
	region->visit.puts = region_condition(lowering, puts, depth);
	isl_set_free(puts);
}

/* The buffer's extents, from a box that is known.  False if one is not. */
bool region_set_extents(const struct general_region *region, struct plan_buffer *buffer)
{
	for (int d = 0; d < buffer->rank && region->is_touched; d++) {
		if (region->extent[d] <= 0)
			return false;
		buffer->dims[d].extent = region->extent[d];
	}
	return true;
}

void region_find_box(struct general_region *region, int rank)
{
	region->is_touched = isl_set_is_empty(region->footprint.visits) == isl_bool_false;
	box_find(region->footprint.lows, region->footprint.highs, region->footprint.visits, rank,
		&region->box);
	for (int d = 0; d < rank && region->is_touched; d++)
		region->extent[d] = box_extent(region->box.low[d], region->box.high[d]);
}

/* The largest box of any visit: the buffer's extents.  False if one is not known. */
bool region_measure_box(struct general_region *region, struct plan_buffer *buffer)
{
	region_find_box(region, buffer->rank);
	return region_set_extents(region, buffer);
}

/* Where the box begins, and how long it is. */
bool region_find_ends(struct lowering *lowering, struct general_region *region, int depth, int rank)
{
	isl_set *visits = region->footprint.visits;
	for (int d = 0; d < rank; d++) {
		struct plan_expr *low = expression_of(lowering, visits, depth,
			isl_pw_aff_copy(region->box.low[d]));
		struct plan_expr *high = expression_of(lowering, visits, depth,
			isl_pw_aff_copy(region->box.high[d]));
		if (!low || !high)
			return false;
		region->visit.first[d] = low;
		region->visit.count[d] = plan_make(ARENA(lowering), PLAN_ADD,
			plan_make(ARENA(lowering), PLAN_SUB, high, low), plan_const(ARENA(lowering), 1));
	}
	return true;
}

/* Where the buffer begins in dimension D: with the box, or at a simpler place before it, unless
 * isl takes too long over that.  What is only weighed begins with the box: the bytes are the same. */
static struct plan_expr *origin_of(struct lowering *lowering, const struct general_region *region,
	int depth, int d)
{
	enum { ORIGIN_OPERATIONS = 400000 };
	isl_set *visits = region->footprint.visits;
	/* what is kept at a turn is to lie where it did */
	if (lowering->detail != TO_EMIT || loop_turns(lowering, depth - 1)
		|| isl_pw_aff_n_piece(region->box.low[d]) == 1)
		return region->visit.first[d];
	struct isl_work work = isl_work_begin(lowering->compilation->ctx, ORIGIN_OPERATIONS);
	struct plan_expr *origin = expression_of(lowering, visits, depth,
		box_origin(&region->box, d, visits));
	return isl_work_end(&work) && origin ? origin : region->visit.first[d];
}

void region_fill_origins(struct lowering *lowering, const struct general_region *region, int depth,
	struct plan_buffer *buffer)
{
	for (int d = 0; d < buffer->rank; d++)
		buffer->dims[d].origin = origin_of(lowering, region, depth, d);
}

/* Where the box begins. */
bool region_fill_box(struct lowering *lowering, struct general_region *region, int depth,
	struct plan_buffer *buffer)
{
	if (!region_find_ends(lowering, region, depth, buffer->rank))
		return false;
	region_fill_origins(lowering, region, depth, buffer);
	return true;
}

/* In some visit, BOX has elements that are not in the set. */
bool box_has_holes(__isl_keep isl_set *elements, __isl_keep isl_set *params,
	const struct box *box)
{
	isl_set *holes = isl_set_subtract(isl_set_intersect_params(box_elements(box, elements),
		isl_set_copy(params)), isl_set_copy(elements));
	bool any = isl_set_is_empty(holes) != isl_bool_true;
	isl_set_free(holes);
	return any;
}
