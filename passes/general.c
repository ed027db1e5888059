/* Transfers of regions that have no closed form: isl finds the box around what a visit
 * touches, when it is empty, and whether it must be fetched.  A visit moves its whole box,
 * or of each of its rows what is touched (passes/rows.c). */

#include <isl/aff.h>
#include <isl/ast_build.h>
#include <isl/ilp.h>
#include <isl/options.h>
#include <isl/space.h>
#include <isl/val.h>

#include "ir/coalesce.h"
#include "ir/order.h"
#include "passes/box.h"
#include "passes/group.h"
#include "passes/lowering.h"
#include "passes/values.h"

#define ARENA(lowering) ((lowering)->compilation->arena)

static __isl_give isl_set *unite(__isl_take isl_set *a, __isl_take isl_set *b)
{
	return a ? isl_set_union(a, b) : b;
}

/* The elements that accesses of array A touch (or only those that they write) in a visit,
 * as a function of the tile parameters of the loops outside. */
__isl_give isl_set *touched_by(const struct lowering *lowering, int a, bool writes_only,
	int depth)
{
	const struct nest_array *array = &lowering->nest->arrays[a];
	isl_set *elements = NULL;
	for (int i = 0; i < array->access_count; i++) {
		if (writes_only && !array->accesses[i].access->is_write)
			continue;
		isl_set *instances = tile_instances(lowering, array->accesses[i].statement, depth,
			IN_TILE);
		elements = unite(elements, isl_set_apply(instances,
			isl_map_copy(array->accesses[i].access->map)));
	}
	elements = isl_set_intersect_params(elements, context_at(lowering, depth));
	return set_coalesce(elements);
}

static __isl_give isl_set *written_at(const struct lowering *lowering, int a, int depth)
{
	return touched_by(lowering, a, true, depth);
}

/* ---- footprints: sets with the extremes of what a visit touches ---- */

/* Accesses of one statement whose subscripts differ by constants only touch the same
 * shape, shifted: its extremes are those of one of them, plus the least and the largest
 * constant.  So a stencil of many points takes as much work as one access. */
struct footprint {
	isl_set *lows, *highs;       /* each has the extremes of one side in every dimension;
	                              * one and the same set where all accesses are alike */
	isl_set *visits;             /* in which something is touched: a set of parameters */
};

/* A and B, accesses of one statement, have the same subscripts but for constants. */
static bool is_shifted(const struct statement *statement, const struct access *a,
	const struct access *b)
{
	for (int d = 0; d < a->array->rank; d++)
		for (int i = 0; i < statement->depth; i++)
			if (a->subscripts[d].coefficients[i] != b->subscripts[d].coefficients[i])
				return false;
	for (int d = 0; d < a->array->rank; d++)
		for (int k = 0; k < SYMBOLIC_LIMIT; k++)
			if (affine_size(a->subscripts[d], k) != affine_size(b->subscripts[d], k))
				return false;
	return true;
}

/* {[x] -> [x + shift]} in the space of SET. */
static __isl_give isl_set *shift(__isl_take isl_set *set, const long *by, int rank)
{
	isl_ctx *ctx = isl_set_get_ctx(set);
	isl_multi_aff *move = isl_multi_aff_identity_on_domain_space(isl_set_get_space(set));
	bool moves = false;
	for (int d = 0; d < rank; d++) {
		moves |= by[d] != 0;
		move = isl_multi_aff_set_aff(move, d, isl_aff_add_constant_val(
			isl_multi_aff_get_aff(move, d), isl_val_int_from_si(ctx, by[d])));
	}
	if (moves)
		return isl_set_apply(set, isl_map_from_multi_aff(move));
	isl_multi_aff_free(move);
	return set;
}

/* Adds the shape of access FIRST of ARRAY, and of all that are like it. */
static void add_shape(const struct lowering *lowering, const struct nest_array *array, int first,
	int depth, enum reach reach, struct footprint *footprint)
{
	const struct nest_access *one = &array->accesses[first];
	const struct statement *statement = lowering->nest->statements[one->statement];
	long low[ARRAY_RANK_LIMIT] = { 0 }, high[ARRAY_RANK_LIMIT] = { 0 };
	int rank = array->array->rank;
	bool differ = false;
	for (int i = first; i < array->access_count; i++) {
		const struct nest_access *other = &array->accesses[i];
		if (other->statement != one->statement || !is_shifted(statement, one->access, other->access))
			continue;
		for (int d = 0; d < rank; d++) {
			long by = other->access->subscripts[d].constant - one->access->subscripts[d].constant;
			low[d] = by < low[d] ? by : low[d];
			high[d] = by > high[d] ? by : high[d];
			differ |= by != 0;
		}
	}
	isl_set *shape = isl_set_apply(tile_instances(lowering, one->statement, depth, reach),
		isl_map_copy(one->access->map));
	shape = isl_set_intersect_params(shape, context_at(lowering, depth));
	if (differ && !footprint->highs)
		footprint->highs = isl_set_copy(footprint->lows);
	if (footprint->highs || differ)
		footprint->highs = unite(footprint->highs, shift(isl_set_copy(shape), high, rank));
	footprint->lows = unite(footprint->lows, shift(shape, low, rank));
}

/* Of array A; only the first DEPTH tile loops count.  Caller ends it. */
static struct footprint footprint_at(const struct lowering *lowering, int a, int depth,
	enum reach reach)
{
	const struct nest_array *array = &lowering->nest->arrays[a];
	struct footprint footprint = { NULL, NULL, NULL };
	for (int i = 0; i < array->access_count; i++) {
		const struct nest_access *access = &array->accesses[i];
		bool is_new = true;
		for (int j = 0; j < i && is_new; j++)
			is_new = access->statement != array->accesses[j].statement || !is_shifted(
				lowering->nest->statements[access->statement], access->access,
				array->accesses[j].access);
		if (is_new)
			add_shape(lowering, array, i, depth, reach, &footprint);
	}
	if (!footprint.highs)
		footprint.highs = isl_set_copy(footprint.lows);
	footprint.lows = set_coalesce(footprint.lows);
	footprint.highs = set_coalesce(footprint.highs);
	footprint.visits = isl_set_params(isl_set_copy(footprint.lows));
	return footprint;
}

static void end_footprint(struct footprint *footprint)
{
	isl_set_free(footprint->lows);
	isl_set_free(footprint->highs);
	isl_set_free(footprint->visits);
}

/* What a visit of one array moves. */
struct general_region {
	struct plan_expr *first[ARRAY_RANK_LIMIT], *count[ARRAY_RANK_LIMIT];
	struct plan_expr *fetches, *puts;        /* when; NULL: always */
	bool is_touched, is_fetched, is_put;     /* at all */
	struct footprint footprint;  /* until the buffers are made */
	struct box box;              /* likewise */
	/* A window that slides along dimension slide (-1: none): where the iteration before
	 * shows a window too (continues; NULL: always), what is new begins at fresh. */
	int slide;
	struct plan_expr *continues, *fresh;
	/* Where not the whole box comes or goes, but some of its elements: how. */
	struct plan_node *get_rows, *put_rows;
};

/* ---- when a visit fetches ---- */

/* Statement S with those instances only that run in a visit.  Its domain is the
 * caller's to free. */
static struct statement in_visit(const struct lowering *lowering, int s, int depth)
{
	struct statement statement = *lowering->nest->statements[s];
	statement.domain = isl_set_intersect_params(tile_instances(lowering, s, depth, IN_TILE),
		context_at(lowering, depth));
	return statement;
}

/* The elements that a visit of array A reads before it writes them. */
static __isl_give isl_set *exposed(const struct lowering *lowering, int a)
{
	const struct nest_array *array = &lowering->nest->arrays[a];
	size_t count = (size_t)array->access_count;
	struct statement *statements = ARENA_ARRAY(ARENA(lowering), struct statement, count);
	struct statement_access *writes = ARENA_ARRAY(ARENA(lowering), struct statement_access, count);
	int write_count = 0;
	for (int i = 0; i < array->access_count; i++) {
		statements[i] = in_visit(lowering, array->accesses[i].statement, lowering->store[a]);
		if (array->accesses[i].access->is_write)
			writes[write_count++] = (struct statement_access){ &statements[i],
				array->accesses[i].access };
	}
	isl_set *elements = NULL;
	for (int r = 0; r < array->access_count; r++) {
		const struct access *read = array->accesses[r].access;
		if (read->is_write)
			continue;
		isl_set *open = reads_without_write(isl_set_copy(statements[r].domain),
			(struct statement_access){ &statements[r], read }, writes, write_count, 0);
		elements = unite(elements, isl_set_apply(open, isl_map_copy(read->map)));
	}
	for (int i = 0; i < array->access_count; i++)
		isl_set_free(statements[i].domain);
	return elements ? set_coalesce(elements) : NULL;
}

/* isl's work on a question whose answer may be "do not know". */
enum { OPERATIONS = 4000000 };

/* The visits that must fetch: something is read before it is written, or the box that
 * goes out holds elements that the visit does not write. */
static __isl_give isl_set *fetching(const struct lowering *lowering, int a,
	const struct footprint *footprint, const struct box *box)
{
	isl_ctx *ctx = lowering->compilation->ctx;
	if (!lowering->nest->arrays[a].is_written)
		return isl_set_copy(footprint->visits);
	isl_work_begin(ctx, OPERATIONS);
	isl_set *read = exposed(lowering, a);
	isl_set *visits = read ? isl_set_params(read)
		: isl_set_empty(isl_set_get_space(footprint->visits));
	if (isl_set_is_subset(footprint->visits, visits) != isl_bool_true) {
		isl_set *unwritten = isl_set_subtract(box_elements(box, footprint->lows),
			written_at(lowering, a, lowering->store[a]));
		visits = isl_set_union(isl_set_params(isl_set_intersect_params(unwritten,
			isl_set_copy(footprint->visits))), visits);
	}
	visits = set_coalesce(visits);
	if (isl_work_end(ctx) && visits)
		return visits;
	isl_set_free(visits);
	return isl_set_copy(footprint->visits);
}

/* ---- into the plan ---- */

/* True in the visits of SET; NULL if those are all that the first DEPTH tile loops have. */
static struct plan_expr *condition_of(struct lowering *lowering, __isl_keep isl_set *set,
	int depth)
{
	isl_set *context = context_at(lowering, depth);
	if (isl_set_is_subset(context, set) == isl_bool_true) {
		isl_set_free(context);
		return NULL;
	}
	isl_ast_build *build = isl_ast_build_from_context(isl_set_copy(context));
	isl_ast_expr *expr = isl_ast_build_expr_from_set(build,
		isl_set_gist(isl_set_copy(set), context));
	isl_ast_build_free(build);
	return expr ? translate_expr(lowering, expr) : plan_const(ARENA(lowering), 1);
}

/* ---- windows that slide ---- */

/* A compares with B as WHERE says, in all the visits of COMMON. */
static bool holds(__isl_keep isl_set *common, __isl_give isl_set *(*where)(isl_pw_aff *, isl_pw_aff *),
	__isl_keep isl_pw_aff *a, __isl_keep isl_pw_aff *b)
{
	isl_set *set = where(isl_pw_aff_copy(a), isl_pw_aff_copy(b));
	bool subset = isl_set_is_subset(common, set) == isl_bool_true;
	isl_set_free(set);
	return subset;
}

/* The one dimension in which the box NOW differs from BEFORE, if it only goes up; -1. */
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
	return found;
}

/* Sees whether array A's window slides along the innermost loop outside. */
static void find_slide(struct lowering *lowering, int a, __isl_keep isl_set *visits,
	const struct box *now, struct plan_buffer *buffer)
{
	struct general_region *region = &lowering->general[a];
	int b = lowering->store[a] - 1;
	if (b < 0 || lowering->nest->arrays[a].is_written || lowering->nest->arrays[a].has_siblings
		|| !lowering->slides[a])
		return;
	struct footprint earlier = footprint_at(lowering, a, lowering->store[a], IN_TILE_BEFORE);
	isl_set *common = isl_set_intersect(isl_set_copy(earlier.visits), isl_set_copy(visits));
	struct box before;
	box_find(earlier.lows, earlier.highs, earlier.visits, now->rank, &before);
	int d = isl_set_is_empty(common) == isl_bool_false ? rising_dim(common, now, &before) : -1;
	if (d >= 0) {
		struct plan_expr *end = expression_of(lowering, common, lowering->store[a],
			isl_pw_aff_copy(before.high[d]));
		if (end) {
			region->slide = d;
			region->continues = condition_of(lowering, earlier.visits, lowering->store[a]);
			region->fresh = plan_make(ARENA(lowering), PLAN_MAX, region->first[d],
				plan_make(ARENA(lowering), PLAN_ADD, end, plan_const(ARENA(lowering), 1)));
			buffer->dims[d].modulus = buffer->dims[d].extent;
			buffer->dims[d].origin = NULL;
		}
	}
	box_free(&before);
	end_footprint(&earlier);
	isl_set_free(common);
}

/* The largest box of any visit: the buffer's extents.  False if one is not known. */
static bool measure_box(struct general_region *region, struct plan_buffer *buffer)
{
	region->is_touched = isl_set_is_empty(region->footprint.visits) == isl_bool_false;
	box_find(region->footprint.lows, region->footprint.highs, region->footprint.visits,
		buffer->rank, &region->box);
	for (int d = 0; d < buffer->rank && region->is_touched; d++) {
		long extent = box_extent(region->box.low[d], region->box.high[d]);
		if (extent <= 0)
			return false;
		buffer->dims[d] = (struct plan_dim){ .extent = extent, .stride = 1 };
	}
	return true;
}

static bool measure_region(struct lowering *lowering, int a, struct general_region *region,
	struct plan_buffer *buffer)
{
	region->footprint = footprint_at(lowering, a, lowering->store[a], IN_TILE);
	return measure_box(region, buffer);
}

/* ---- what moves ---- */

/* In some visit, BOX has elements that are not in the set. */
static bool has_holes(__isl_keep isl_set *elements, __isl_keep isl_set *params,
	const struct box *box)
{
	isl_set *holes = isl_set_subtract(isl_set_intersect_params(box_elements(box, elements),
		isl_set_copy(params)), isl_set_copy(elements));
	bool any = isl_set_is_empty(holes) != isl_bool_true;
	isl_set_free(holes);
	return any;
}

/* isl's work on sets that are no boxes: it grows fast where they have many cases. */
enum { ROW_OPERATIONS = 500000 };

/* Transfers of the elements of SET, of nothing else; NULL if they have no simple form. */
static struct plan_node *rows_of(struct lowering *lowering, int a, bool is_put,
	__isl_keep isl_set *set)
{
	struct plan_node *block = plan_block(ARENA(lowering));
	return set && append_rows(lowering, a, is_put, isl_set_copy(set), block) ? block : NULL;
}

/* Where what a visit reads is no box, its rows come instead of the box. */
static void find_get_rows(struct lowering *lowering, int a, const struct general_region *region)
{
	isl_ctx *ctx = lowering->compilation->ctx;
	isl_work_begin(ctx, ROW_OPERATIONS);
	isl_set *elements = touched_by(lowering, a, false, lowering->store[a]);
	struct plan_node *rows = has_holes(elements, region->footprint.visits, &region->box)
		? rows_of(lowering, a, false, elements) : NULL;
	isl_set_free(elements);
	if (isl_work_end(ctx))
		lowering->general[a].get_rows = rows;
}

/* Where what a visit writes is no box, but can be moved by itself: only what is read before
 * it is written comes in, and only what is written goes out.  False if that is not so. */
static bool find_put_rows(struct lowering *lowering, int a, struct general_region *region)
{
	isl_ctx *ctx = lowering->compilation->ctx;
	isl_work_begin(ctx, ROW_OPERATIONS);
	isl_set *written = written_at(lowering, a, lowering->store[a]);
	isl_set *visits = isl_set_params(isl_set_copy(written));
	struct plan_node *puts = has_holes(written, visits, &region->box)
		? rows_of(lowering, a, true, written) : NULL;
	isl_set *read = puts ? exposed(lowering, a) : NULL;
	struct plan_node *gets = read ? rows_of(lowering, a, false, read) : puts;
	bool is_read = read && isl_set_is_empty(read) == isl_bool_false;
	isl_set_free(visits);
	isl_set_free(written);
	isl_set_free(read);
	if (!isl_work_end(ctx) || !gets)
		return false;
	region->is_put = true;
	region->put_rows = puts;
	region->is_fetched = is_read;
	region->get_rows = is_read ? gets : NULL;
	return true;
}

/* Whole boxes, come and go. */
static void fill_boxes(struct lowering *lowering, int a, struct general_region *region)
{
	isl_set *fetch = fetching(lowering, a, &region->footprint, &region->box);
	region->is_fetched = isl_set_is_empty(fetch) == isl_bool_false;
	region->fetches = condition_of(lowering, fetch, lowering->store[a]);
	isl_set_free(fetch);
	region->is_put = lowering->nest->arrays[a].is_written;
	if (!region->is_put)
		return;
	isl_set *puts = isl_set_params(written_at(lowering, a, lowering->store[a]));
	region->puts = condition_of(lowering, puts, lowering->store[a]);
	isl_set_free(puts);
}

/* Where the box begins. */
static bool fill_box(struct lowering *lowering, struct general_region *region, int depth,
	struct plan_buffer *buffer)
{
	isl_set *visits = region->footprint.visits;
	for (int d = 0; d < buffer->rank; d++) {
		struct plan_expr *low = expression_of(lowering, visits, depth,
			isl_pw_aff_copy(region->box.low[d]));
		struct plan_expr *high = expression_of(lowering, visits, depth,
			isl_pw_aff_copy(region->box.high[d]));
		struct plan_expr *origin = lowering->detail != TO_EMIT ? low : expression_of(lowering,
			visits, depth, box_origin(&region->box, d, visits));
		if (!low || !high || !origin)
			return false;
		region->first[d] = low;
		buffer->dims[d].origin = origin;
		region->count[d] = plan_make(ARENA(lowering), PLAN_ADD,
			plan_make(ARENA(lowering), PLAN_SUB, high, low), plan_const(ARENA(lowering), 1));
	}
	return true;
}

/* Where the box begins, and what of it is moved when. */
static bool fill_region(struct lowering *lowering, int a, struct general_region *region,
	struct plan_buffer *buffer)
{
	const struct nest_array *array = &lowering->nest->arrays[a];
	isl_set *visits = region->footprint.visits;
	if (!region->is_touched || !fill_box(lowering, region, lowering->store[a], buffer))
		return !region->is_touched;
	bool must_cut = lowering->must_cut && lowering->must_cut[a];
	bool may_cut = must_cut || !lowering->nest->moves_boxes;
	bool is_cut = array->is_written && may_cut && find_put_rows(lowering, a, region);
	if (must_cut && !is_cut)
		return false;
	if (!is_cut)
		fill_boxes(lowering, a, region);
	find_slide(lowering, a, visits, &region->box, buffer);
	if (!array->is_written && may_cut && region->slide < 0)
		find_get_rows(lowering, a, region);
	return true;
}

/* ---- arrays that come for a stage ---- */

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
static bool measure_turn(struct lowering *lowering, int a, struct general_region *region,
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
		elements = unite(elements, isl_set_apply(instances,
			isl_map_copy(array->accesses[i].access->map)));
	}
	elements = set_coalesce(isl_set_intersect_params(elements, tile_context(lowering)));
	region->footprint = (struct footprint){ elements, isl_set_copy(elements),
		isl_set_params(isl_set_copy(elements)) };
	bool known = measure_box(region, buffer);
	leave_turn(lowering, depth);
	return known;
}

/* It comes where the stage runs at all. */
static bool fill_turn(struct lowering *lowering, int a, struct general_region *region,
	struct plan_buffer *buffer)
{
	const struct nest_array *array = &lowering->nest->arrays[a];
	int depth = lowering->depth;
	isl_set *visits = NULL;
	enter_turn(lowering, a);
	for (int i = 0; i < array->access_count; i++)
		visits = unite(visits, isl_set_params(tile_instances(lowering,
			array->accesses[i].statement, lowering->depth, IN_TILE)));
	visits = set_coalesce(isl_set_intersect(visits, tile_context(lowering)));
	region->is_fetched = region->is_touched;
	bool known = !region->is_touched || fill_box(lowering, region, lowering->depth, buffer);
	region->fetches = condition_of(lowering, visits, lowering->depth);
	isl_set_free(visits);
	leave_turn(lowering, depth);
	return known;
}

/* ---- arrays that never leave the chip ---- */

/* Elements of array A that instances of REACH read (or also write). */
static __isl_give isl_set *reached(const struct lowering *lowering, int a, bool writes,
	enum reach reach)
{
	const struct nest_array *array = &lowering->nest->arrays[a];
	isl_set *elements = NULL;
	for (int i = 0; i < array->access_count; i++)
		if (array->accesses[i].access->is_write == writes)
			elements = unite(elements, isl_set_apply(tile_instances(lowering,
				array->accesses[i].statement, lowering->depth, reach),
				isl_map_copy(array->accesses[i].access->map)));
	return set_coalesce(isl_set_intersect_params(elements, tile_context(lowering)));
}

/* Dimension D of array A moves with tile loop L. */
static bool side_moves_with(const struct lowering *lowering, int a, int d, int l)
{
	const struct nest_array *array = &lowering->nest->arrays[a];
	for (int i = 0; i < array->access_count; i++) {
		int s = array->accesses[i].statement;
		const struct hyperplane *plane = &lowering->nest->band[lowering->loops[l].dim].planes[s];
		for (int j = 0; j < lowering->nest->statements[s]->depth; j++)
			if (plane->kind == HYPERPLANE_AFFINE && plane->affine.coefficients[j]
				&& array->accesses[i].access->subscripts[d].coefficients[j])
				return true;
	}
	return false;
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

/* The buffer of an internal array holds what lives in any tile: elements that are
 * written up to it and read from it on, and those it writes. */
static bool fill_internal(struct lowering *lowering, int a, struct plan_buffer *buffer)
{
	isl_set *until = reached(lowering, a, true, UP_TO_TILE);
	isl_set *from = isl_set_union(reached(lowering, a, false, FROM_TILE),
		reached(lowering, a, true, IN_TILE));
	struct box box;
	isl_set *params = find_still(lowering, until, from, buffer->rank, &box);
	bool known = true;
	for (int d = 0; d < buffer->rank && known; d++)
		known = lowering->depth && side_moves_with(lowering, a, d, lowering->depth - 1)
			? fill_ring(lowering, until, from, d, &buffer->dims[d])
			: fill_still(lowering, params, &box, d, &buffer->dims[d]);
	box_free(&box);
	isl_set_free(params);
	isl_set_free(until);
	isl_set_free(from);
	return known;
}

static bool stays_on_chip(const struct nest_array *array)
{
	return array->is_internal || array->is_kept;
}

/* What a tile writes goes out of the ring that holds it.  False if that is no box. */
static bool fill_kept(struct lowering *lowering, int a, struct general_region *region,
	const struct plan_buffer *buffer)
{
	struct plan_buffer box = *buffer;
	isl_set *written = written_at(lowering, a, lowering->depth);
	region->footprint = (struct footprint){ written, isl_set_copy(written),
		isl_set_params(isl_set_copy(written)) };
	box_find(written, written, region->footprint.visits, buffer->rank, &region->box);
	region->is_touched = region->is_put = true;
	bool is_whole = !has_holes(written, region->footprint.visits, &region->box)
		&& fill_box(lowering, region, lowering->depth, &box);
	region->puts = condition_of(lowering, region->footprint.visits, lowering->depth);
	return is_whole;
}

/* ---- buffers ---- */

static long round_up(long value, long unit)
{
	return (value + unit - 1) / unit * unit;
}

static long place_buffer(const struct arch *arch, struct plan_buffer *buffer, long next)
{
	long bank_bytes = arch->scratchpad_bytes / arch->banks;
	buffer->bytes = round_up(buffer->bytes, arch->align_bytes > 1 ? arch->align_bytes : 1);
	buffer->bank = -1;
	buffer->offset_bytes = next;
	if (!arch->exclusive)
		return next + buffer->bytes;
	buffer->bank = (int)(next / bank_bytes);
	buffer->bank_count = (int)((buffer->bytes + bank_bytes - 1) / bank_bytes);
	return next + buffer->bank_count * bank_bytes;
}

/* Places one after the other the buffers that are there all the time (STAGE -1), or those
 * that come for a stage, from NEXT on; those of larger elements first, so that each is
 * aligned for its elements.  Returns where they end. */
static long place_turn(struct lowering *lowering, int stage, long next)
{
	enum { ELEMENT_BYTES_LIMIT = 64 };
	for (int bytes = ELEMENT_BYTES_LIMIT; bytes > 0; bytes--)
		for (int a = 0; a < lowering->nest->array_count; a++) {
			int own = lowering->store[a] < 0 ? stage_of(lowering, a) : -1;
			if (lowering->nest->arrays[a].array->type.bytes == bytes && own == stage)
				next = place_buffer(lowering->compilation->arch, lowering->buffers[a], next);
		}
	return next;
}

/* Returns the bytes that all buffers need.  Those that come for stages take turns in the
 * same place. */
static long place_buffers(struct lowering *lowering)
{
	long end = place_turn(lowering, -1, 0);
	int element_bytes = 1;
	for (int a = 0; a < lowering->nest->array_count; a++)
		if (lowering->nest->arrays[a].array->type.bytes > element_bytes)
			element_bytes = lowering->nest->arrays[a].array->type.bytes;
	long begin = group_turns_begin(lowering->compilation->arch, end, element_bytes), most = end;
	for (int m = 0; m < lowering->stage_count; m++) {
		long turn = place_turn(lowering, m, begin);
		if (turn > begin)
			most = turn > most ? turn : most;
	}
	return most;
}

static struct plan_buffer *new_buffer(struct lowering *lowering, int a)
{
	const struct array *array = lowering->nest->arrays[a].array;
	struct plan_buffer *buffer = ARENA_NEW(ARENA(lowering), struct plan_buffer);
	buffer->name = unique_name(lowering, arena_printf(ARENA(lowering), "%s_%d", array->name,
		lowering->nest->index));
	buffer->array = array;
	buffer->rank = array->rank;
	buffer->slots = 1;
	return buffer;
}

static bool measure_buffer(struct lowering *lowering, int a)
{
	struct plan_buffer *buffer = lowering->buffers[a] = new_buffer(lowering, a);
	if (!(stays_on_chip(&lowering->nest->arrays[a]) ? fill_internal(lowering, a, buffer)
		: lowering->store[a] < 0 ? measure_turn(lowering, a, &lowering->general[a], buffer)
		: measure_region(lowering, a, &lowering->general[a], buffer)))
		return false;
	buffer->bytes = buffer->array->type.bytes;
	for (int d = 0; d < buffer->rank; d++) {
		if (!buffer->dims[d].extent)
			buffer->dims[d] = (struct plan_dim){ .extent = 1, .stride = 1,
				.origin = plan_const(ARENA(lowering), 0) };
		if (__builtin_mul_overflow(buffer->bytes, buffer->dims[d].extent, &buffer->bytes))
			return false;
	}
	return true;
}

/* Tiles so small that counting what they move would end without a result, though all but
 * the longest loop is what is walked: that is no schedule to ask isl about. */
static bool has_too_many_visits(const struct lowering *lowering)
{
	double steps = 0;
	for (int a = 0; a < lowering->nest->array_count; a++) {
		const struct nest_array *array = &lowering->nest->arrays[a];
		double visits = 1, longest = 1;
		for (int l = 0; l < lowering->store[a] && !array->is_internal; l++) {
			double count = (double)lowering->loops[l].count;
			visits *= count;
			longest = count > longest ? count : longest;
		}
		steps += visits / longest * (1 + array->is_written);
	}
	return steps > COUNT_STEPS;
}

/* Most schedules that are tried do not fit: nothing more is asked of isl than whether
 * they do. */
static bool measure_and_fill(struct lowering *lowering, long *needed)
{
	const struct nest *nest = lowering->nest;
	for (int a = 0; a < nest->array_count; a++)
		if (!measure_buffer(lowering, a))
			return false;
	*needed = place_buffers(lowering);
	bool fits = *needed <= lowering->compilation->arch->scratchpad_bytes;
	if (fits && has_too_many_visits(lowering)) {
		*needed = 0;
		return false;
	}
	for (int a = 0; a < nest->array_count && fits; a++)
		fits = nest->arrays[a].is_internal || (nest->arrays[a].is_kept
			? fill_kept(lowering, a, &lowering->general[a], lowering->buffers[a])
			: lowering->store[a] < 0
			? fill_turn(lowering, a, &lowering->general[a], lowering->buffers[a])
			: fill_region(lowering, a, &lowering->general[a], lowering->buffers[a]));
	return fits;
}

bool make_general_buffers(struct lowering *lowering, long *needed)
{
	int count = lowering->nest->array_count;
	lowering->general = ARENA_ARRAY(ARENA(lowering), struct general_region, count + 1);
	for (int a = 0; a < count; a++)
		lowering->general[a].slide = -1;
	*needed = 0;
	bool fits = measure_and_fill(lowering, needed);
	for (int a = 0; a < count; a++) {
		box_free(&lowering->general[a].box);
		end_footprint(&lowering->general[a].footprint);
	}
	return fits;
}

void find_present(struct lowering *lowering)
{
	const struct nest *nest = lowering->nest;
	for (int a = 0; a < nest->array_count && nest->function->context; a++) {
		isl_set *sizes = NULL;
		for (int i = 0; i < nest->arrays[a].access_count; i++)
			sizes = unite(sizes, isl_set_params(isl_set_copy(
				nest->statements[nest->arrays[a].accesses[i].statement]->domain)));
		sizes = set_coalesce(sizes);
		lowering->present[a] = condition_of(lowering, sizes, 0);
		isl_set_free(sizes);
	}
}

/* ---- several buffers of one array ---- */

static bool is_not_empty(__isl_take isl_map *map)
{
	bool empty = isl_map_is_empty(map) == isl_bool_true;
	isl_map_free(map);
	return !empty;
}

/* In some visit, group A reads an element after group B wrote it. */
static bool reads_after(const struct lowering *lowering, int a, int b, int depth)
{
	const struct nest_array *readers = &lowering->nest->arrays[a];
	const struct nest_array *writers = &lowering->nest->arrays[b];
	bool found = false;
	for (int w = 0; w < writers->access_count && !found; w++) {
		const struct nest_access *write = &writers->accesses[w];
		if (!write->access->is_write)
			continue;
		struct statement writer = in_visit(lowering, write->statement, depth);
		for (int r = 0; r < readers->access_count && !found; r++) {
			struct statement reader = in_visit(lowering, readers->accesses[r].statement, depth);
			found = is_not_empty(access_pairs(&writer, write->access, &reader,
				readers->accesses[r].access));
			isl_set_free(reader.domain);
		}
		isl_set_free(writer.domain);
	}
	return found;
}

/* In some visit, the box of group A, which goes out whole, holds what group B wrote. */
static bool overwrites(const struct lowering *lowering, int a, int b, int depth)
{
	struct footprint here = footprint_at(lowering, a, depth, IN_TILE);
	struct box box;
	box_find(here.lows, here.highs, here.visits, lowering->nest->arrays[a].array->rank, &box);
	isl_set *whole = isl_set_intersect_params(box_elements(&box, here.lows),
		isl_set_copy(here.visits));
	end_footprint(&here);
	box_free(&box);
	whole = isl_set_intersect(whole, written_at(lowering, b, depth));
	bool met = isl_set_is_empty(whole) != isl_bool_true;
	isl_set_free(whole);
	return met;
}

/* In some visit, group A touches what group B writes. */
static bool touches(const struct lowering *lowering, int a, int b, int depth)
{
	isl_set *both = isl_set_intersect(touched_by(lowering, a, false, depth),
		written_at(lowering, b, depth));
	bool met = isl_set_is_empty(both) != isl_bool_true;
	isl_set_free(both);
	return met;
}

/* Group A must see, while it holds a region, what group B writes. */
static bool meets(struct lowering *lowering, int a, int b)
{
	int depth = lowering->store[a] < lowering->store[b] ? lowering->store[a] : lowering->store[b];
	/* Closed forms keep regions from one visit to the next: nothing may be written there. */
	if (lowering->regions)
		return overwrites(lowering, a, b, depth);
	if (!lowering->nest->arrays[a].is_written)
		return reads_after(lowering, a, b, depth);
	/* A[i][j] and A[j][i] for i < j are apart, though the boxes around them are not */
	if (!overwrites(lowering, a, b, depth))
		return false;
	lowering->must_cut[a] = true;
	return touches(lowering, a, b, depth);
}

bool groups_are_apart(struct lowering *lowering, int clash[2])
{
	const struct nest *nest = lowering->nest;
	for (int a = 0; a < nest->array_count; a++)
		for (int b = 0; b < nest->array_count && nest->arrays[a].has_siblings; b++)
			if (a != b && nest->arrays[a].array == nest->arrays[b].array
				&& nest->arrays[b].is_written && meets(lowering, a, b)) {
				clash[0] = a;
				clash[1] = b;
				return false;
			}
	return true;
}

/* ---- transfers ---- */

static struct plan_node *guarded(struct lowering *lowering, struct plan_node *block,
	struct plan_expr *condition)
{
	if (!condition)
		return block;
	struct plan_node *guard = plan_if(ARENA(lowering), condition);
	plan_append(ARENA(lowering), block, guard);
	return guard->body;
}

static struct plan_node *box_transfer(struct lowering *lowering, int a, bool is_put)
{
	const struct general_region *region = &lowering->general[a];
	struct plan_node *node = plan_transfer(ARENA(lowering), is_put, lowering->buffers[a],
		is_put ? put_tag(a) : get_tag(a));
	for (int d = 0; d < lowering->buffers[a]->rank; d++) {
		node->transfer.first[d] = region->first[d];
		node->transfer.count[d] = region->count[d];
		node->transfer.local[d] = lowering->buffers[a]->dims[d].origin
			? plan_make(ARENA(lowering), PLAN_SUB, region->first[d],
				lowering->buffers[a]->dims[d].origin) : plan_const(ARENA(lowering), 0);
	}
	return node;
}

/* The whole window where it starts, and what is new where it goes on. */
static void append_window(struct lowering *lowering, int a, struct plan_node *block)
{
	struct arena *arena = ARENA(lowering);
	const struct general_region *region = &lowering->general[a];
	int d = region->slide;
	const struct tile_loop *loop = &lowering->loops[lowering->store[a] - 1];
	struct plan_transfer *box = &box_transfer(lowering, a, false)->transfer;
	struct plan_expr *goes_on = plan_make(arena, PLAN_LE, plan_const(arena, 1),
		plan_ref(arena, loop->var));
	if (region->continues)
		goes_on = plan_make(arena, PLAN_AND, goes_on, region->continues);
	append_ring_get(lowering, box, d, region->first[d], region->count[d],
		guarded(lowering, block, plan_make(arena, PLAN_NOT, goes_on, NULL)));
	struct plan_expr *end = plan_make(arena, PLAN_ADD, region->first[d], region->count[d]);
	append_ring_get(lowering, box, d, region->fresh,
		plan_make(arena, PLAN_SUB, end, region->fresh), guarded(lowering, block, goes_on));
}

static void append_all(struct lowering *lowering, struct plan_node *block,
	const struct plan_node *from)
{
	for (int i = 0; i < from->child_count; i++)
		plan_append(ARENA(lowering), block, from->children[i]);
}

unsigned append_general_gets(struct lowering *lowering, int a, struct plan_node *block)
{
	const struct general_region *region = &lowering->general[a];
	if (!region->is_touched || !region->is_fetched)
		return 0;
	if (region->get_rows) {
		append_all(lowering, block, region->get_rows);
		return 1U << get_tag(a);
	}
	block = guarded(lowering, block, region->fetches);
	if (region->slide >= 0)
		append_window(lowering, a, block);
	else
		plan_append(ARENA(lowering), block, box_transfer(lowering, a, false));
	return 1U << get_tag(a);
}

/* The box lies in the buffer at the places of its elements, in two pieces where a ring
 * wraps. */
static void append_kept(struct lowering *lowering, int a, struct plan_node *block)
{
	struct arena *arena = ARENA(lowering);
	const struct plan_buffer *buffer = lowering->buffers[a];
	struct plan_node *node = box_transfer(lowering, a, true);
	struct plan_transfer *box = &node->transfer;
	int ring = -1;
	for (int d = 0; d < buffer->rank; d++)
		if (buffer->dims[d].modulus)
			ring = d;
		else
			box->local[d] = plan_make(arena, PLAN_SUB, box->first[d], buffer->dims[d].origin);
	if (ring < 0)
		plan_append(arena, block, node);
	else
		append_ring_get(lowering, box, ring, box->first[ring], box->count[ring], block);
}

unsigned append_general_puts(struct lowering *lowering, int a, struct plan_node *block)
{
	const struct general_region *region = &lowering->general[a];
	if (!region->is_touched || !region->is_put)
		return 0;
	if (lowering->nest->arrays[a].is_kept)
		append_kept(lowering, a, guarded(lowering, block, region->puts));
	else if (region->put_rows)
		append_all(lowering, block, region->put_rows);
	else
		plan_append(ARENA(lowering), guarded(lowering, block, region->puts),
			box_transfer(lowering, a, true));
	return 1U << put_tag(a);
}
