/* Regions that have a closed form: slots, windows that slide, what moves when.  The rules are those
 * of struct storage in passes/cost/model.h. */

#include "passes/regions/closed.h"

#include "ir/coalesce.h"
#include "ir/plan_copy.h"
#include "passes/cost/model_math.h"
#include "passes/regions/ahead.h"
#include "passes/regions/holds.h"
#include "passes/regions/region.h"
#include "passes/regions/turn.h"
#include "passes/tiles/expressions.h"

#define ARENA(lowering) ((lowering)->compilation->arena)

static struct plan_expr *constant(const struct lowering *lowering, long value)
{
	return plan_const(ARENA(lowering), value);
}

static struct plan_expr *make(const struct lowering *lowering, enum plan_op op,
	struct plan_expr *a, struct plan_expr *b)
{
	return plan_make(ARENA(lowering), op, a, b);
}

/* An array in its buffer. */
struct held {
	struct lowering *lowering;
	int a;                       /* array of the nest */
	int store;                   /* tile loops outside */
	int mover;                   /* the innermost of them, which moves the region; -1: none */
	const struct model_array *model;
	const struct storage *storage;
	const struct region *region;
	/* The iterations that a visit has of each loop, where they are not those of the tile loops outside; NULL. */
	struct plan_expr *const *first, *const *count;
};

static struct held held_array(struct lowering *lowering, int a)
{
	return (struct held){ lowering, a, lowering->holdings[a].store, lowering->holdings[a].store - 1,
		&lowering->model->arrays[a], &lowering->schedule->storage[a], &lowering->regions[a], NULL, NULL };
}

static struct plan_expr *tile_of(const struct held *array, int l)
{
	return plan_ref(ARENA(array->lowering), array->lowering->loops[l].tile_var);
}

static bool indexes(const struct held *array, int l)
{
	int dim = array->lowering->loops[l].dim;
	for (int d = 0; d < array->model->rank; d++)
		if (array->model->dims[d].coefficient[dim])
			return true;
	return false;
}

static bool is_anchored(const struct held *array, int l)
{
	return array->model->anchored >> array->lowering->loops[l].dim & 1;
}

/* ---- when ---- */

static struct turning turning_of(const struct held *array)
{
	struct turning turning = { .mover = array->mover, .slots = array->storage->slots };
	for (int l = 0; l < array->store; l++) {
		turning.still |= (unsigned long)!indexes(array, l) << l;
		turning.anchors |= (unsigned long)is_anchored(array, l) << l;
	}
	return turning;
}

static struct plan_expr *is_kept(const struct held *array, bool towards_end)
{
	const struct turning turning = turning_of(array);
	return kept_at_turn(array->lowering, &turning, towards_end);
}

/* The visit is one that an anchored array has; NULL: all are. */
static struct plan_expr *is_visited(const struct held *array)
{
	const struct lowering *lowering = array->lowering;
	struct plan_expr *condition = NULL;
	int s = lowering->groups->items[array->a].accesses[0].statement;
	for (int l = 0; l < array->store; l++)
		if (is_anchored(array, l)) {
			const struct band_dim *dim = &lowering->band->dims[lowering->loops[l].dim];
			condition = both_hold(lowering, condition, dim->planes[s].kind == HYPERPLANE_FIRST
				? loop_at_start(lowering, l) : loop_at_end(lowering, l));
		}
	return condition;
}

/* The region has been here before: some loop that does not move it has gone on.  (WILL: it will be
 * here again: some such loop has not ended.) */
static struct plan_expr *comes_back(const struct held *array, bool will)
{
	const struct lowering *lowering = array->lowering;
	struct plan_expr *condition = NULL;
	for (int l = 0; l < array->store; l++)
		if (!indexes(array, l) && !is_anchored(array, l))
			condition = either_holds(lowering, condition,
				does_not_hold(lowering, will ? loop_at_end(lowering, l) : loop_at_start(lowering, l)));
	return condition ? condition : constant(lowering, 0);
}

/* The visits that move the region, in or out (IS_PUT).  NULL: all. */
static struct plan_expr *moving_visits(const struct held *array, bool is_put)
{
	const struct lowering *lowering = array->lowering;
	struct plan_expr *kept = is_kept(array, is_put);
	struct plan_expr *condition = is_visited(array);
	/* The first time nothing needs to come, the last time nothing needs to go. */
	if (is_put ? array->model->is_dropped : array->model->is_written && array->model->is_created)
		condition = both_hold(lowering, condition, comes_back(array, is_put));
	return kept ? both_hold(lowering, condition, does_not_hold(lowering, kept)) : condition;
}

/* The sizes for which anything of the array is touched.  NULL: all. */
static struct plan_expr *existing_sizes(const struct held *array)
{
	struct lowering *lowering = array->lowering;
	const struct reference_group *group = &lowering->groups->items[array->a];
	isl_set *sizes = NULL;
	if (!lowering->nest->function->context)
		return NULL;
	for (int i = 0; i < group->access_count; i++)
		sizes = set_unite(sizes, isl_set_params(isl_set_copy(
			lowering->nest->statements[group->accesses[i].statement]->domain)));
	sizes = set_coalesce(sizes);
	struct plan_expr *condition = region_condition(lowering, sizes, 0);
	isl_set_free(sizes);
	return condition;
}

/* ---- where ---- */

static long extent_inside(const struct held *array, int d, int dim)
{
	return array->model->dims[d].coefficient[dim]
		* (array->lowering->model->loops[dim].extent - 1);
}

/* Elements of dimension D beyond the window that loops inside the store level add, in a
 * whole block. */
static long span_inside(const struct held *array, int d)
{
	long span = 0;
	for (int dim = 0; dim < array->lowering->model->loop_count; dim++) {
		int l = array->lowering->loop_of_dim[dim];
		if (l < 0 || l >= array->store)
			span += extent_inside(array, d, dim);
	}
	return span;
}

/* Iterations of loop L's present tile: its size, less in the last. */
static struct plan_expr *clipped(const struct held *array, int l)
{
	const struct lowering *lowering = array->lowering;
	const struct tile_loop *loop = &lowering->loops[l];
	struct plan_expr *extent = lowering->extent[loop->dim];
	struct plan_expr *size = constant(lowering, loop->size);
	long known;
	if (plan_is_const(extent, &known) && known % loop->size == 0)
		return size;
	struct plan_expr *rest = make(lowering, PLAN_SUB, extent,
		make(lowering, PLAN_MUL, size, tile_of(array, l)));
	return make(lowering, PLAN_MIN, size, rest);
}

/* The iterations of dimension DIM that a visit has, all of them where its tile loop is
 * inside the buffer: the first and how many. */
static void iterations(const struct held *array, int dim, struct plan_expr **first,
	struct plan_expr **count)
{
	const struct lowering *lowering = array->lowering;
	int l = lowering->loop_of_dim[dim];
	if (array->first) {
		*first = array->first[dim];
		*count = array->count[dim];
		return;
	}
	*first = lowering->origin[dim];
	*count = lowering->extent[dim];
	if (l < 0 || l >= array->store)
		return;
	*first = make(lowering, PLAN_ADD, *first, make(lowering, PLAN_MUL,
		constant(lowering, lowering->loops[l].size), tile_of(array, l)));
	*count = clipped(array, l);
}

static struct plan_expr *scaled(const struct lowering *lowering, long factor,
	struct plan_expr *value)
{
	return make(lowering, PLAN_MUL, constant(lowering, factor), value);
}

/* Lattice elements of dimension D in the region; not clipped at borders. */
static struct plan_expr *whole_count(const struct held *array, int d)
{
	const struct lowering *lowering = array->lowering;
	struct plan_expr *total = constant(lowering, array->model->dims[d].window), *first, *count;
	for (int dim = 0; dim < lowering->model->loop_count; dim++) {
		long factor = array->model->dims[d].coefficient[dim];
		iterations(array, dim, &first, &count);
		if (factor)
			total = make(lowering, PLAN_ADD, total, scaled(lowering, factor,
				make(lowering, PLAN_SUB, count, constant(lowering, 1))));
	}
	return total;
}

/* The least lattice coordinate of dimension D in the region; not clipped at borders. */
static struct plan_expr *whole_first(const struct held *array, int d)
{
	struct lowering *lowering = array->lowering;
	const struct region_dim *region = &array->region->dims[d];
	struct plan_expr *least = sized(lowering, region->base, region->sized_base), *first, *count;
	for (int dim = 0; dim < lowering->model->loop_count; dim++) {
		long factor = region->coefficient[dim];
		iterations(array, dim, &first, &count);
		if (factor < 0)
			first = make(lowering, PLAN_ADD, first, make(lowering, PLAN_SUB, count,
				constant(lowering, 1)));
		least = make(lowering, PLAN_ADD, least, scaled(lowering, factor, first));
	}
	return least;
}

/* Where the array's touched elements begin in dimension D. */
static struct plan_expr *region_low(const struct held *array, int d)
{
	const struct region_dim *dim = &array->region->dims[d];
	return sized(array->lowering, dim->low, dim->sized_low);
}

/* Where they end. */
static struct plan_expr *region_limit(const struct held *array, int d)
{
	const struct region_dim *dim = &array->region->dims[d];
	return make(array->lowering, PLAN_ADD, sized(array->lowering, dim->high, dim->sized_high),
		constant(array->lowering, 1));
}

/* The region's first element in dimension D, and its end, within what is touched. */
static struct plan_expr *region_first(const struct held *array, int d)
{
	struct plan_expr *first = whole_first(array, d);
	return !array->region->is_clipped ? first
		: make(array->lowering, PLAN_MAX, first, region_low(array, d));
}

static struct plan_expr *region_end(const struct held *array, int d)
{
	struct plan_expr *end = make(array->lowering, PLAN_ADD, whole_first(array, d),
		whole_count(array, d));
	return !array->region->is_clipped ? end
		: make(array->lowering, PLAN_MIN, end, region_limit(array, d));
}

static struct plan_expr *region_count(const struct held *array, int d)
{
	return !array->region->is_clipped ? whole_count(array, d)
		: make(array->lowering, PLAN_SUB, region_end(array, d), region_first(array, d));
}

/* ---- windows that slide ---- */

/* The dimension that moves with loop B where the window slides, or -1.  A window that was
 * to slide along a sequential loop does not where loops over blocks are inside it. */
static int sliding_dim(const struct held *array)
{
	const struct tile_loop *loop = mover_of(array->lowering, array->a);
	if (!array->storage->is_sliding || !loop || loop->is_block)
		return -1;
	for (int d = 0; d < array->model->rank; d++)
		if (array->model->dims[d].coefficient[loop->dim])
			return d;
	return -1;
}

/* The ends of the region in dimension D where a window may show nothing that exists: still
 * within what does. */
static struct plan_expr *window_first(const struct held *array, int d)
{
	struct plan_expr *first = region_first(array, d);
	return !array->region->is_clipped ? first
		: make(array->lowering, PLAN_MIN, first, region_limit(array, d));
}

static struct plan_expr *window_end(const struct held *array, int d)
{
	struct plan_expr *end = region_end(array, d);
	return !array->region->is_clipped ? end
		: make(array->lowering, PLAN_MAX, end, region_low(array, d));
}

/* EXPR in the tile that is STEP further in loop B. */
static struct plan_expr *stepped(const struct held *array, long step, struct plan_expr *expr)
{
	const struct lowering *lowering = array->lowering;
	struct plan_expr *tile = make(lowering, PLAN_ADD, tile_of(array, array->mover),
		constant(lowering, step));
	const struct plan_binding there = { NULL, lowering->loops[array->mover].tile_var, tile };
	return plan_expr_at(ARENA(lowering), expr, &there);
}

/* Windows of some tiles at the edges of other loops are so short that they do not touch: they
 * share no element, and what is between them is not moved. */
static bool may_be_apart(const struct held *array, int d)
{
	const struct lowering *lowering = array->lowering;
	const struct model_dim *dim = &array->model->dims[d];
	long shortest = dim->window + span_inside(array, d);
	for (int l = 0; l < array->mover; l++) {
		const struct tile_loop *loop = &lowering->loops[l];
		long extent = lowering->model->loops[loop->dim].extent;
		bool is_known = !loop->is_block && loop->count > 0;
		if (is_known && lowering->block_of_dim[loop->dim] < 0)
			shortest += dim->coefficient[loop->dim]
				* (extent - (loop->count - 1) * loop->size - 1);
	}
	return shortest < dim->coefficient[lowering->loops[array->mover].dim];
}

static void add_fresh(const struct held *array, struct plan_expr *when, struct plan_expr *first,
	struct plan_expr *end, struct visit *visit)
{
	if (never_holds(when))
		return;
	visit->fresh[visit->fresh_count++] = (struct fresh){ when, first,
		make(array->lowering, PLAN_SUB, end, first) };
}

/* What the window shows that it did not show one iteration of B before. */
static void fill_fresh(const struct held *array, int d, struct visit *visit)
{
	struct lowering *lowering = array->lowering;
	const struct tile_loop *loop = &lowering->loops[array->mover];
	bool falls = array->region->dims[d].coefficient[loop->dim] < 0;
	/* Tiles that rise uncover the high end: from the end of the tile below. */
	struct plan_expr *first = window_first(array, d), *end = window_end(array, d);
	struct plan_expr *high = stepped(array, falls ? 1 : -1, end);
	struct plan_expr *low = stepped(array, falls ? -1 : 1, first);
	if (may_be_apart(array, d)) {
		high = make(lowering, PLAN_MAX, high, first);
		low = make(lowering, PLAN_MIN, low, end);
	}
	struct plan_expr *to_low = !loop->is_backward ? constant(lowering, falls)
		: falls ? does_not_hold(lowering, loop->is_backward) : loop->is_backward;
	add_fresh(array, does_not_hold(lowering, to_low), high, end, visit);
	add_fresh(array, to_low, first, low, visit);
}

/* ---- buffers ---- */

/* What the next iteration of loop B shows can come before it.  The next block's cannot: a visit's
 * blocks are the present ones. */
static bool is_double(const struct held *array)
{
	const struct lowering *lowering = array->lowering;
	return array->storage->is_double && array->store > variant_outer_count(lowering->variant)
		&& !lowering->loops[array->mover].is_block && !array->model->anchored
		&& !lowering->groups->items[array->a].has_siblings;
}

static long held_regions(const struct held *array)
{
	if (array->storage->is_sliding && sliding_dim(array) < 0)
		return 1;
	return array->storage->slots + (is_double(array) ? 1 : 0);
}

/* Lattice elements of a whole region, tiles unclipped. */
static long region_extent(const struct held *array, int d)
{
	long extent = array->model->dims[d].window + span_inside(array, d);
	for (int l = 0; l < array->store; l++)
		if (!array->lowering->loops[l].is_block)
			extent += array->model->dims[d].coefficient[array->lowering->loops[l].dim]
				* (array->lowering->loops[l].size - 1);
	return extent;
}

/* A ring: room for the windows that are held, and no more than a run of loop B shows. */
static void make_ring(const struct held *array, int d, struct plan_dim *dim)
{
	const struct lowering *lowering = array->lowering;
	const struct tile_loop *loop = &lowering->loops[array->mover];
	long factor = array->model->dims[d].coefficient[loop->dim];
	long whole = dim->extent + factor * (lowering->model->loops[loop->dim].extent - loop->size);
	dim->extent += (held_regions(array) - 1) * factor * loop->size;
	/* A loop without blocks has more tiles where a size is larger. */
	if (dim->extent > whole && (loop->count || lowering->block_of_dim[loop->dim] >= 0))
		dim->extent = whole;
	dim->modulus = dim->extent;
}

/* Lattice elements of the largest region of dimension D, which borders cut. */
static long room_at_borders(const struct held *array, int d)
{
	long tile[MODEL_LOOPS] = { 0 };
	for (int l = 0; l < array->store; l++)
		if (!array->lowering->loops[l].is_block)
			tile[array->lowering->loops[l].dim] = array->lowering->loops[l].size;
	return clipped_room(array->lowering->model, array->model, d, tile);
}

static void fill_dim(const struct held *array, int d, const struct visit *visit,
	struct plan_dim *dim)
{
	const struct model_dim *model = &array->model->dims[d];
	dim->stride = array->region->dims[d].stride;
	dim->phase = array->region->dims[d].phase;
	dim->extent = region_extent(array, d);
	if (d == visit->slide) {
		make_ring(array, d, dim);
		return;
	}
	if (model->clip_high)
		dim->extent = room_at_borders(array, d);
	dim->origin = visit->first[d];
}

static struct plan_buffer *make_buffer(const struct held *array, const struct visit *visit)
{
	struct lowering *lowering = array->lowering;
	const struct storage *storage = array->storage;
	struct plan_buffer *buffer = new_buffer(lowering, array->a);
	for (int d = 0; d < buffer->rank; d++)
		fill_dim(array, d, visit, &buffer->dims[d]);
	buffer->slots = visit->slide >= 0 ? 1 : held_regions(array);
	buffer->is_double = held_regions(array) > storage->slots;
	if (buffer->slots > 1)
		buffer->slot = make(lowering, PLAN_MOD, tile_of(array, array->mover),
			constant(lowering, buffer->slots));
	buffer->memory = array->lowering->holdings[array->a].memory;
	buffer->offset_bytes = storage->offset;
	buffer->bytes = storage->bytes;
	buffer->bank = storage->bank;
	buffer->bank_count = storage->bank_count;
	return buffer;
}

static struct visit make_visit(const struct held *array)
{
	struct visit visit = { .exists = existing_sizes(array), .fetches = moving_visits(array, false),
		.slide = sliding_dim(array) };
	struct plan_expr *kept = is_kept(array, false), *stays = is_kept(array, true);
	visit.begins = kept ? both_hold(array->lowering, is_visited(array), does_not_hold(array->lowering, kept))
		: is_visited(array);
	visit.ends = stays ? both_hold(array->lowering, is_visited(array), does_not_hold(array->lowering, stays))
		: is_visited(array);
	visit.is_fetched = !never_holds(visit.fetches);
	if (array->model->is_written) {
		visit.puts = moving_visits(array, true);
		visit.is_put = !never_holds(visit.puts);
	}
	for (int d = 0; d < array->lowering->groups->items[array->a].array->rank; d++) {
		visit.first[d] = region_first(array, d);
		visit.count[d] = region_count(array, d);
	}
	if (visit.slide >= 0) {
		visit.goes_on = does_not_hold(array->lowering,
			loop_at_start(array->lowering, array->mover));
		fill_fresh(array, visit.slide, &visit);
	}
	return visit;
}

struct visit closed_visit(struct lowering *lowering, int a)
{
	const struct held array = held_array(lowering, a);
	return make_visit(&array);
}

void closed_box(struct lowering *lowering, int a, int d, struct plan_expr *const *first,
	struct plan_expr *const *count, struct plan_expr **begin, struct plan_expr **length)
{
	struct held array = held_array(lowering, a);
	array.first = first;
	array.count = count;
	*begin = region_first(&array, d);
	*length = region_count(&array, d);
}

bool make_closed_buffers(struct lowering *lowering)
{
	bool holds = true;
	for (int a = 0; a < lowering->groups->count; a++) {
		struct held array = held_array(lowering, a);
		struct visit *visit = &lowering->visits[a];
		const struct turning turning = turning_of(&array);
		*visit = make_visit(&array);
		lowering->buffers[a] = make_buffer(&array, visit);
		ask_ahead(lowering, a, &turning, lowering->buffers[a], visit);
		if (!lowering->nest->function->symbolic_count || !holds)
			continue;
		holds = region_holds(lowering, a, visit->first, visit->count);
		lowering->refused = holds ? -1 : a;
	}
	return holds;
}
