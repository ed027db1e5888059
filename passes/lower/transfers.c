/* Transfers of regions that have a closed form: slots, windows that slide, what stays
 * at a turn.  The rules are those of struct storage in passes/cost/model.h. */

#include "passes/lower/transfers.h"

#include <stdlib.h>

#include "passes/regions/holds.h"
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

static struct plan_expr *either(const struct lowering *lowering, struct plan_expr *a,
	struct plan_expr *b)
{
	return a ? make(lowering, PLAN_OR, a, b) : b;
}

/* An array's visit: where each tile loop outside stands.  The innermost may be a
 * step ahead, for a prefetch. */
struct tile_visit {
	struct lowering *lowering;
	int a;                       /* array of the nest */
	int store;
	const struct model_array *model;
	const struct storage *storage;
	struct plan_expr *position[TILE_LOOPS];
	struct plan_expr *tile[TILE_LOOPS];
};

static void set_position(struct tile_visit *visit, int l, struct plan_expr *position)
{
	visit->position[l] = position;
	visit->tile[l] = tile_at(visit->lowering, &visit->lowering->loops[l], position);
}

static struct tile_visit visit_of(struct lowering *lowering, int a)
{
	struct tile_visit visit = { .lowering = lowering, .a = a, .store = lowering->store[a],
		.model = &lowering->model->arrays[a], .storage = &lowering->schedule->storage[a] };
	for (int l = 0; l < visit.store; l++) {
		visit.position[l] = plan_ref(ARENA(lowering), lowering->loops[l].var);
		visit.tile[l] = plan_ref(ARENA(lowering), lowering->loops[l].tile_var);
	}
	return visit;
}

/* Loop B of a visit: the innermost outside, which moves the region. */
static int mover(const struct tile_visit *visit)
{
	return visit->store - 1;
}

static bool indexes(const struct tile_visit *visit, int l)
{
	int dim = visit->lowering->loops[l].dim;
	for (int d = 0; d < visit->model->rank; d++)
		if (visit->model->dims[d].coefficient[dim])
			return true;
	return false;
}

static bool is_anchored(const struct tile_visit *visit, int l)
{
	return visit->model->anchored >> visit->lowering->loops[l].dim & 1;
}

static struct plan_expr *at_start(const struct tile_visit *visit, int l)
{
	return make(visit->lowering, PLAN_EQ, visit->position[l], constant(visit->lowering, 0));
}

static struct plan_expr *at_end(const struct tile_visit *visit, int l)
{
	return make(visit->lowering, PLAN_EQ, visit->position[l],
		make(visit->lowering, PLAN_SUB, visit->lowering->loops[l].trips,
		constant(visit->lowering, 1)));
}

/* The region of this visit is on chip since the run before (TOWARDS_END: will stay
 * until the next run).  NULL: never. */
static struct plan_expr *is_kept(const struct tile_visit *visit, bool towards_end)
{
	const struct lowering *lowering = visit->lowering;
	int b = mover(visit);
	if (b < lowering->first_inner || visit->model->anchored)
		return NULL;
	struct plan_expr *turns = NULL;
	struct plan_expr *inside = constant(lowering, 1);   /* loops between are at their ends */
	if (!lowering->loops[b].is_serpentine)
		return NULL;
	/* Nothing is kept from one block to the next. */
	for (int l = b - 1; l >= lowering->first_inner; l--) {
		struct plan_expr *still = towards_end ? at_end(visit, l) : at_start(visit, l);
		if (!indexes(visit, l))
			turns = either(lowering, turns, make(lowering, PLAN_AND, inside,
				make(lowering, PLAN_NOT, still, NULL)));
		else if (!lowering->loops[l].is_serpentine)
			break;
		inside = make(lowering, PLAN_AND, inside, still);
	}
	if (!turns)
		return NULL;
	struct plan_expr *left = towards_end
		? make(lowering, PLAN_SUB, make(lowering, PLAN_SUB, lowering->loops[b].trips,
			constant(lowering, 1)), visit->position[b])
		: visit->position[b];
	return make(lowering, PLAN_AND, make(lowering, PLAN_LE, left,
		constant(lowering, visit->storage->slots - 1)), turns);
}

/* ---- regions ---- */

static long extent_inside(const struct tile_visit *visit, int d, int dim)
{
	return visit->model->dims[d].coefficient[dim]
		* (visit->lowering->model->loops[dim].extent - 1);
}

/* Elements of dimension D beyond the window that loops inside the store level add, in a
 * whole block. */
static long span_inside(const struct tile_visit *visit, int d)
{
	long span = 0;
	for (int dim = 0; dim < visit->lowering->model->loop_count; dim++) {
		int l = visit->lowering->loop_of_dim[dim];
		if (l < 0 || l >= visit->store)
			span += extent_inside(visit, d, dim);
	}
	return span;
}

/* Iterations of loop L's present tile: its size, less in the last. */
static struct plan_expr *clipped(const struct tile_visit *visit, int l, struct plan_expr *tile)
{
	const struct lowering *lowering = visit->lowering;
	const struct tile_loop *loop = &lowering->loops[l];
	struct plan_expr *extent = lowering->extent[loop->dim];
	struct plan_expr *size = constant(lowering, loop->size);
	long known;
	if (plan_is_const(extent, &known) && known % loop->size == 0)
		return size;
	struct plan_expr *rest = make(lowering, PLAN_SUB, extent,
		make(lowering, PLAN_MUL, size, tile));
	return make(lowering, PLAN_MIN, size, rest);
}

/* The iterations of dimension DIM that a visit has, all of them where its tile loop is
 * inside the buffer, with loop B's tile at TILE_B: the first and how many. */
static void iterations(const struct tile_visit *visit, int dim, struct plan_expr *tile_b,
	struct plan_expr **first, struct plan_expr **count)
{
	const struct lowering *lowering = visit->lowering;
	int l = lowering->loop_of_dim[dim];
	*first = lowering->origin[dim];
	*count = lowering->extent[dim];
	if (l < 0 || l >= visit->store)
		return;
	struct plan_expr *tile = l == mover(visit) ? tile_b : visit->tile[l];
	*first = make(lowering, PLAN_ADD, *first, make(lowering, PLAN_MUL,
		constant(lowering, lowering->loops[l].size), tile));
	*count = clipped(visit, l, tile);
}

static struct plan_expr *scaled(const struct lowering *lowering, long factor,
	struct plan_expr *value)
{
	return make(lowering, PLAN_MUL, constant(lowering, factor), value);
}

/* Lattice elements of dimension D in the region, with loop B's tile at TILE_B; not
 * clipped at borders. */
static struct plan_expr *whole_count(const struct tile_visit *visit, int d,
	struct plan_expr *tile_b)
{
	const struct lowering *lowering = visit->lowering;
	struct plan_expr *total = constant(lowering, visit->model->dims[d].window), *first, *count;
	for (int dim = 0; dim < lowering->model->loop_count; dim++) {
		long factor = visit->model->dims[d].coefficient[dim];
		iterations(visit, dim, tile_b, &first, &count);
		if (factor)
			total = make(lowering, PLAN_ADD, total, scaled(lowering, factor,
				make(lowering, PLAN_SUB, count, constant(lowering, 1))));
	}
	return total;
}

/* The least lattice coordinate of dimension D in the region; not clipped at borders. */
static struct plan_expr *whole_first(const struct tile_visit *visit, int d,
	struct plan_expr *tile_b)
{
	struct lowering *lowering = visit->lowering;
	const struct region_dim *region = &lowering->regions[visit->a].dims[d];
	struct plan_expr *least = sized(lowering, region->base, region->sized_base), *first, *count;
	for (int dim = 0; dim < lowering->model->loop_count; dim++) {
		long factor = region->coefficient[dim];
		iterations(visit, dim, tile_b, &first, &count);
		if (factor < 0)
			first = make(lowering, PLAN_ADD, first, make(lowering, PLAN_SUB, count,
				constant(lowering, 1)));
		least = make(lowering, PLAN_ADD, least, scaled(lowering, factor, first));
	}
	return least;
}

/* Where the array's touched elements end in dimension D. */
static struct plan_expr *region_limit(const struct tile_visit *visit, int d)
{
	const struct region_dim *dim = &visit->lowering->regions[visit->a].dims[d];
	return make(visit->lowering, PLAN_ADD, sized(visit->lowering, dim->high, dim->sized_high),
		constant(visit->lowering, 1));
}

/* The same where the array's touched elements end: the first, and the end. */
static struct plan_expr *region_first(const struct tile_visit *visit, int d,
	struct plan_expr *tile_b)
{
	const struct region *region = &visit->lowering->regions[visit->a];
	struct plan_expr *first = whole_first(visit, d, tile_b);
	return !region->is_clipped ? first : make(visit->lowering, PLAN_MAX, first,
		sized(visit->lowering, region->dims[d].low, region->dims[d].sized_low));
}

static struct plan_expr *region_end(const struct tile_visit *visit, int d, struct plan_expr *tile_b)
{
	const struct region *region = &visit->lowering->regions[visit->a];
	struct plan_expr *end = make(visit->lowering, PLAN_ADD, whole_first(visit, d, tile_b),
		whole_count(visit, d, tile_b));
	return !region->is_clipped ? end : make(visit->lowering, PLAN_MIN, end,
		region_limit(visit, d));
}

static struct plan_expr *region_count(const struct tile_visit *visit, int d,
	struct plan_expr *tile_b)
{
	if (!visit->lowering->regions[visit->a].is_clipped)
		return whole_count(visit, d, tile_b);
	return make(visit->lowering, PLAN_SUB, region_end(visit, d, tile_b),
		region_first(visit, d, tile_b));
}

/* The dimension that moves with loop B where the window slides, or -1.  A window that was
 * to slide along a sequential loop does not where loops over blocks are inside it. */
static int sliding_dim(const struct tile_visit *visit)
{
	if (!visit->storage->is_sliding || mover(visit) < 0
	    || visit->lowering->loops[mover(visit)].is_block)
		return -1;
	for (int d = 0; d < visit->model->rank; d++)
		if (visit->model->dims[d].coefficient[visit->lowering->loops[mover(visit)].dim])
			return d;
	return -1;
}

/* ---- buffers ---- */

/* What the next iteration of loop B shows can come before it.  The next block's cannot: a visit's
 * blocks are the present ones. */
static bool is_double(const struct tile_visit *visit)
{
	const struct lowering *lowering = visit->lowering;
	return visit->storage->is_double && visit->store > variant_outer_count(lowering->variant)
		&& !lowering->loops[mover(visit)].is_block && !visit->model->anchored
		&& !lowering->groups->items[visit->a].has_siblings;
}

static long held_regions(const struct tile_visit *visit)
{
	if (visit->storage->is_sliding && sliding_dim(visit) < 0)
		return 1;
	return visit->storage->slots + (is_double(visit) ? 1 : 0);
}

/* Lattice elements of a whole region, tiles unclipped. */
static long region_extent(const struct tile_visit *visit, int d)
{
	long extent = visit->model->dims[d].window + span_inside(visit, d);
	for (int l = 0; l < visit->store; l++)
		if (!visit->lowering->loops[l].is_block)
			extent += visit->model->dims[d].coefficient[visit->lowering->loops[l].dim]
				* (visit->lowering->loops[l].size - 1);
	return extent;
}

static void fill_dim(const struct tile_visit *visit, int d, struct plan_dim *dim)
{
	const struct region_dim *region = &visit->lowering->regions[visit->a].dims[d];
	dim->stride = region->stride;
	dim->phase = region->phase;
	dim->extent = region_extent(visit, d);
	if (d != sliding_dim(visit)) {
		const struct model_dim *model = &visit->model->dims[d];
		if (model->clip_high && dim->extent > model->clip_high - model->clip_low)
			dim->extent = model->clip_high - model->clip_low;
		int b = mover(visit);
		dim->origin = region_first(visit, d, b >= 0 ? visit->tile[b] : NULL);
		return;
	}
	const struct tile_loop *loop = &visit->lowering->loops[mover(visit)];
	long factor = visit->model->dims[d].coefficient[loop->dim];
	long whole = dim->extent + factor
		* (visit->lowering->model->loops[loop->dim].extent - loop->size);
	dim->extent += (held_regions(visit) - 1) * factor * loop->size;
	/* A loop without blocks has more tiles where a size is larger. */
	if (dim->extent > whole && (loop->count
		|| visit->lowering->block_of_dim[loop->dim] >= 0))
		dim->extent = whole;
	dim->modulus = dim->extent;
}

static struct plan_buffer *make_buffer(struct lowering *lowering, int a)
{
	struct tile_visit visit = visit_of(lowering, a);
	const struct reference_group *array = &lowering->groups->items[a];
	struct plan_buffer *buffer = ARENA_NEW(ARENA(lowering), struct plan_buffer);
	buffer->name = unique_name(lowering, arena_printf(ARENA(lowering), "%s_%d",
		array->array->name, lowering->nest->index));
	buffer->array = array->array;
	buffer->rank = array->array->rank;
	for (int d = 0; d < buffer->rank; d++)
		fill_dim(&visit, d, &buffer->dims[d]);
	buffer->slots = sliding_dim(&visit) >= 0 ? 1 : held_regions(&visit);
	buffer->is_double = held_regions(&visit) > visit.storage->slots;
	if (buffer->slots > 1)
		buffer->slot = make(lowering, PLAN_MOD, visit.tile[mover(&visit)],
			constant(lowering, buffer->slots));
	buffer->offset_bytes = visit.storage->offset;
	buffer->bytes = visit.storage->bytes;
	buffer->bank = visit.storage->bank;
	buffer->bank_count = visit.storage->bank_count;
	return buffer;
}

static bool closed_form_holds(struct lowering *lowering, int a)
{
	struct tile_visit visit = visit_of(lowering, a);
	struct plan_expr *first[ARRAY_RANK_LIMIT], *count[ARRAY_RANK_LIMIT];
	struct plan_expr *tile = mover(&visit) >= 0 ? visit.tile[mover(&visit)] : NULL;
	for (int d = 0; d < lowering->buffers[a]->rank; d++) {
		first[d] = region_first(&visit, d, tile);
		count[d] = region_count(&visit, d, tile);
	}
	return region_holds(lowering, a, first, count);
}

bool make_exact_buffers(struct lowering *lowering)
{
	bool holds = true;
	for (int a = 0; a < lowering->groups->count; a++) {
		lowering->buffers[a] = make_buffer(lowering, a);
		if (!lowering->nest->function->symbolic_count || !holds)
			continue;
		holds = closed_form_holds(lowering, a);
		lowering->refused = holds ? -1 : a;
	}
	return holds;
}

/* ---- transfers ---- */

static struct plan_node *guarded(struct lowering *lowering, struct plan_node *block,
	struct plan_expr *condition)
{
	long value;
	if (!condition || (plan_is_const(condition, &value) && value))
		return block;
	struct plan_node *node = plan_if(ARENA(lowering), condition);
	plan_append(ARENA(lowering), block, node);
	return node->body;
}

/* The region as a box, everywhere but in the sliding dimension. */
static struct plan_node *region_transfer(const struct tile_visit *visit, bool is_put, int tag)
{
	const struct lowering *lowering = visit->lowering;
	struct plan_buffer *buffer = lowering->buffers[visit->a];
	struct plan_node *node = plan_transfer(ARENA(lowering), is_put, buffer, tag);
	struct plan_expr *tile = mover(visit) >= 0 ? visit->tile[mover(visit)] : NULL;
	for (int d = 0; d < buffer->rank; d++) {
		node->transfer.first[d] = region_first(visit, d, tile);
		node->transfer.count[d] = region_count(visit, d, tile);
		node->transfer.local[d] = constant(lowering, 0);
	}
	if (buffer->slots > 1)
		node->transfer.slot = make(lowering, PLAN_MOD, tile, constant(lowering, buffer->slots));
	return node;
}

void append_ring_get(struct lowering *lowering, const struct plan_transfer *region, int d,
	struct plan_expr *first, struct plan_expr *count, struct plan_node *block)
{
	struct arena *arena = ARENA(lowering);
	long modulus = region->buffer->dims[d].modulus;
	struct plan_expr *local = make(lowering, PLAN_MOD, first, constant(lowering, modulus));
	struct plan_expr *room = make(lowering, PLAN_SUB, constant(lowering, modulus), local);
	struct plan_node *node = plan_transfer(arena, false, region->buffer, region->tag);
	node->transfer = *region;
	node->transfer.first[d] = first;
	node->transfer.count[d] = make(lowering, PLAN_MIN, count, room);
	node->transfer.local[d] = local;
	plan_append(arena, block, node);
	long min, max, least, ignored;
	plan_range(room, &min, &ignored);
	plan_range(count, &least, &max);
	if (max <= min)
		return;
	node->transfer.ring_count = count;
	node->transfer.ring_dim = d;
	struct plan_expr *rest = make(lowering, PLAN_SUB, count, room);
	struct plan_node *wraps = plan_if(arena, make(lowering, PLAN_LE, constant(lowering, 1), rest));
	plan_append(arena, block, wraps);
	node = plan_transfer(arena, false, region->buffer, region->tag);
	node->transfer = *region;
	node->transfer.first[d] = make(lowering, PLAN_ADD, first, room);
	node->transfer.count[d] = rest;
	node->transfer.local[d] = constant(lowering, 0);
	node->transfer.is_rest = true;
	plan_append(arena, wraps->body, node);
}

static void append_ring_gets(const struct tile_visit *visit, int d, int tag,
	struct plan_expr *first,
	struct plan_expr *count, struct plan_node *block)
{
	append_ring_get(visit->lowering,
		&region_transfer(visit, false, tag)->transfer, d, first, count, block);
}

/* The ends of the region in dimension D where a window may show nothing that exists: still
 * within what does. */
static struct plan_expr *window_first(const struct tile_visit *visit, int d,
	struct plan_expr *tile_b)
{
	const struct region *region = &visit->lowering->regions[visit->a];
	struct plan_expr *first = region_first(visit, d, tile_b);
	return !region->is_clipped ? first : make(visit->lowering, PLAN_MIN, first,
		region_limit(visit, d));
}

static struct plan_expr *window_end(const struct tile_visit *visit, int d, struct plan_expr *tile_b)
{
	const struct region *region = &visit->lowering->regions[visit->a];
	struct plan_expr *end = region_end(visit, d, tile_b);
	return !region->is_clipped ? end : make(visit->lowering, PLAN_MAX, end,
		sized(visit->lowering, region->dims[d].low, region->dims[d].sized_low));
}

/* Windows of some tiles at the edges of other loops are so short that they do not touch: they
 * share no element, and what is between them is not moved. */
static bool may_be_apart(const struct tile_visit *visit, int d)
{
	const struct lowering *lowering = visit->lowering;
	const struct model_dim *dim = &visit->model->dims[d];
	const struct tile_loop *moving = &lowering->loops[mover(visit)];
	long shortest = dim->window + span_inside(visit, d);
	for (int l = 0; l < mover(visit); l++) {
		const struct tile_loop *loop = &lowering->loops[l];
		long extent = lowering->model->loops[loop->dim].extent;
		bool is_known = !loop->is_block && loop->count > 0;
		if (is_known && lowering->block_of_dim[loop->dim] < 0)
			shortest += dim->coefficient[loop->dim]
				* (extent - (loop->count - 1) * loop->size - 1);
	}
	return shortest < dim->coefficient[moving->dim];
}

/* What the window shows that it did not show one iteration of B before. */
static void append_new_part(const struct tile_visit *visit, int d, int tag, struct plan_node *block)
{
	struct lowering *lowering = visit->lowering;
	int b = mover(visit);
	struct plan_expr *one = constant(lowering, 1);
	struct plan_expr *tile = visit->tile[b];
	struct plan_expr *first = window_first(visit, d, tile);
	struct plan_expr *below = make(lowering, PLAN_SUB, tile, one);
	struct plan_expr *above = make(lowering, PLAN_ADD, tile, one);
	bool falls = lowering->regions[visit->a].dims[d].coefficient[lowering->loops[b].dim] < 0;
	/* Tiles that rise uncover the high end: from the end of the tile below. */
	struct plan_expr *end = window_end(visit, d, tile);
	struct plan_expr *high = window_end(visit, d, falls ? above : below);
	struct plan_expr *low = window_first(visit, d, falls ? below : above);
	if (may_be_apart(visit, d)) {
		high = make(lowering, PLAN_MAX, high, first);
		low = make(lowering, PLAN_MIN, low, end);
	}
	struct plan_expr *high_count = make(lowering, PLAN_SUB, end, high);
	struct plan_expr *low_count = make(lowering, PLAN_SUB, low, first);
	struct plan_expr *backward = lowering->loops[b].is_backward;
	struct plan_expr *to_low = !backward ? constant(lowering, falls)
		: falls ? make(lowering, PLAN_NOT, backward, NULL) : backward;
	long known;
	if (plan_is_const(to_low, &known)) {
		append_ring_gets(visit, d, tag, known ? first : high, known ? low_count : high_count,
			block);
		return;
	}
	append_ring_gets(visit, d, tag, high, high_count, guarded(lowering, block,
		make(lowering, PLAN_NOT, to_low, NULL)));
	append_ring_gets(visit, d, tag, first, low_count, guarded(lowering, block,
		to_low));
}

static void append_get(const struct tile_visit *visit, int tag, struct plan_node *block)
{
	struct lowering *lowering = visit->lowering;
	int d = sliding_dim(visit);
	if (d < 0) {
		plan_append(ARENA(lowering), block, region_transfer(visit, false, tag));
		return;
	}
	int b = mover(visit);
	struct plan_expr *starts = at_start(visit, b);
	long value;
	if (!plan_is_const(starts, &value) || value)
		append_ring_gets(visit, d, tag, region_first(visit, d, visit->tile[b]),
			region_count(visit, d, visit->tile[b]),
			guarded(lowering, block, starts));
	append_new_part(visit, d, tag, guarded(lowering, block,
		make(lowering, PLAN_NOT, starts, NULL)));
}

/* The visit is one that an anchored array has. */
static struct plan_expr *is_visited(const struct tile_visit *visit)
{
	const struct lowering *lowering = visit->lowering;
	struct plan_expr *condition = NULL;
	const struct reference_group *array = &lowering->groups->items[visit->a];
	for (int l = 0; l < visit->store; l++) {
		if (!is_anchored(visit, l))
			continue;
		bool first = lowering->band->dims[lowering->loops[l].dim]
			.planes[array->accesses[0].statement].kind == HYPERPLANE_FIRST;
		struct plan_expr *at = first ? at_start(visit, l) : at_end(visit, l);
		condition = condition ? make(lowering, PLAN_AND, condition, at) : at;
	}
	return condition;
}

/* The region has been here before: some loop that does not move it has gone on. */
static struct plan_expr *comes_back(const struct tile_visit *visit)
{
	struct plan_expr *condition = NULL;
	for (int l = 0; l < visit->store; l++)
		if (!indexes(visit, l) && !is_anchored(visit, l))
			condition = either(visit->lowering, condition,
				make(visit->lowering, PLAN_NOT, at_start(visit, l), NULL));
	return condition ? condition : constant(visit->lowering, 0);
}

static struct plan_expr *both(const struct tile_visit *visit, struct plan_expr *a,
	struct plan_expr *b)
{
	return !a ? b : !b ? a : make(visit->lowering, PLAN_AND, a, b);
}

/* The region will be here again: some loop that does not move it has not ended. */
static struct plan_expr *will_come_back(const struct tile_visit *visit)
{
	struct plan_expr *condition = NULL;
	for (int l = 0; l < visit->store; l++)
		if (!indexes(visit, l) && !is_anchored(visit, l))
			condition = either(visit->lowering, condition,
				make(visit->lowering, PLAN_NOT, at_end(visit, l), NULL));
	return condition ? condition : constant(visit->lowering, 0);
}

/* When a visit fetches; NULL: always. */
static struct plan_expr *fetches(const struct tile_visit *visit)
{
	struct plan_expr *kept = is_kept(visit, false);
	struct plan_expr *condition = is_visited(visit);
	if (visit->model->is_written && visit->model->is_created)
		condition = both(visit, condition, comes_back(visit));
	return kept ? both(visit, condition, make(visit->lowering, PLAN_NOT, kept, NULL)) : condition;
}

static bool never(struct plan_expr *condition)
{
	long value;
	return condition && plan_is_const(condition, &value) && !value;
}

static bool is_pipelined(const struct lowering *lowering, int a)
{
	return lowering->buffers[a]->is_double;
}

/* Pipelined: the region of this iteration of B was asked for one iteration ago, except
 * in the first; then the next one's is asked for, to come during the body. */
static unsigned append_pipelined_gets(struct lowering *lowering, int a, struct plan_node *block)
{
	struct tile_visit now = visit_of(lowering, a), next = now;
	int b = mover(&now), tag = get_tag(a);
	set_position(&next, b, make(lowering, PLAN_ADD, now.position[b], constant(lowering, 1)));
	struct plan_expr *condition = fetches(&now);
	unsigned own = 1U << tag, out = 1U << put_tag(a);
	if (never(condition))
		return 0;
	append_get(&now, tag, guarded(lowering, block, both(&now, at_start(&now, b), condition)));
	plan_append(ARENA(lowering), block, plan_wait(ARENA(lowering),
		now.model->is_written ? own | out : own));
	struct plan_expr *more = make(lowering, PLAN_NOT, at_end(&now, b), NULL);
	append_get(&next, tag, guarded(lowering, block, both(&next, more, fetches(&next))));
	return 0;
}

unsigned append_exact_gets(struct lowering *lowering, int a, struct plan_node *block)
{
	struct tile_visit visit = visit_of(lowering, a);
	block = guarded(lowering, block, lowering->present[a]);
	if (is_pipelined(lowering, a))
		return append_pipelined_gets(lowering, a, block);
	struct plan_expr *condition = fetches(&visit);
	if (never(condition))
		return 0;
	append_get(&visit, get_tag(a), guarded(lowering, block, condition));
	return 1U << get_tag(a);
}

unsigned append_exact_puts(struct lowering *lowering, int a, struct plan_node *block)
{
	struct tile_visit visit = visit_of(lowering, a);
	if (!visit.model->is_written)
		return 0;
	block = guarded(lowering, block, lowering->present[a]);
	struct plan_expr *kept = is_kept(&visit, true);
	struct plan_expr *condition = is_visited(&visit);
	if (kept)
		condition = both(&visit, condition, make(lowering, PLAN_NOT, kept, NULL));
	if (visit.model->is_dropped)
		condition = both(&visit, condition, will_come_back(&visit));
	if (never(condition))
		return 0;
	unsigned tag = 1U << put_tag(a);
	/* Pipelined: the copy goes on during the next body; the one before ends here, unless
	 * it had to before a fetch, or no slot comes round again in this run. */
	if (is_pipelined(lowering, a)) {
		const struct tile_loop *loop = &lowering->loops[mover(&visit)];
		bool reuses_slots = !loop->count || loop->count > lowering->buffers[a]->slots;
		if (never(fetches(&visit)) && reuses_slots)
			plan_append(ARENA(lowering), block, plan_wait(ARENA(lowering), tag));
		plan_append(ARENA(lowering), guarded(lowering, block, condition),
			region_transfer(&visit, true, put_tag(a)));
		return 0;
	}
	plan_append(ARENA(lowering), guarded(lowering, block, condition),
		region_transfer(&visit, true, put_tag(a)));
	return tag;
}

unsigned exact_tags_after_run(const struct lowering *lowering, int a)
{
	return is_pipelined(lowering, a) && lowering->model->arrays[a].is_written
		? 1U << put_tag(a) : 0;
}
