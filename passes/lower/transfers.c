/* Where the transfers of visits stand, and the waits for them: the same for all regions, whoever
 * says where they are (passes/regions/visit.h). */

#include "passes/lower/transfers.h"

#include "ir/plan_copy.h"
#include "passes/regions/turn.h"
#include "passes/regions/visit.h"
#include "passes/tiles/expressions.h"

#define ARENA(lowering) ((lowering)->compilation->arena)

/* ---- conditions and waits ---- */

static struct plan_node *guarded(struct lowering *lowering, struct plan_node *block,
	struct plan_expr *condition)
{
	long value;
	if (!condition || (plan_is_const(condition, &value) && value))
		return block;
	struct plan_node *guard = plan_if(ARENA(lowering), condition);
	plan_append(ARENA(lowering), block, guard);
	return guard->body;
}

static void append_wait(struct lowering *lowering, struct plan_node *block, unsigned tags)
{
	if (tags)
		plan_append(ARENA(lowering), block, plan_wait(ARENA(lowering), tags));
}

/* ---- the transfers of a visit ---- */

/* A visit of array A's buffer: that of the present tiles, or another one, where AT says how
 * the tiles are numbered there. */
struct view {
	struct lowering *lowering;
	int a;
	const struct visit *visit;
	struct plan_buffer *buffer;
	const struct plan_binding *at;   /* NULL: the present */
};

static struct view present_visit(struct lowering *lowering, int a)
{
	return (struct view){ lowering, a, &lowering->visits[a], lowering->buffers[a], NULL };
}

/* VIEW where LOOP is at POSITION. */
static struct view moved(struct view view, const struct tile_loop *loop, struct plan_expr *position)
{
	struct arena *arena = ARENA(view.lowering);
	struct plan_binding *bindings = ARENA_ARRAY(arena, struct plan_binding, 2);
	struct plan_expr *tile = tile_at(view.lowering, loop, position);
	/* which way it goes depends on the loops around it, which may have been moved too */
	bindings[1] = (struct plan_binding){ view.at, loop->tile_var, plan_expr_at(arena, tile, view.at) };
	bindings[0] = (struct plan_binding){ &bindings[1], loop->var, position };
	view.at = &bindings[0];
	return view;
}

static struct plan_expr *seen(const struct view *view, struct plan_expr *expr)
{
	return expr ? plan_expr_at(ARENA(view->lowering), expr, view->at) : NULL;
}

/* The whole box, but for where it lies in a ring. */
static struct plan_transfer box_of(const struct view *view, bool is_put)
{
	struct arena *arena = ARENA(view->lowering);
	struct plan_transfer box = { .is_put = is_put, .buffer = view->buffer,
		.tag = is_put ? put_tag(view->a) : get_tag(view->a) };
	for (int d = 0; d < view->buffer->rank; d++) {
		struct plan_expr *origin = seen(view, view->buffer->dims[d].origin);
		box.first[d] = seen(view, view->visit->first[d]);
		box.count[d] = seen(view, view->visit->count[d]);
		box.local[d] = origin ? plan_make(arena, PLAN_SUB, box.first[d], origin)
			: plan_const(arena, 0);
	}
	if (view->buffer->slots > 1)
		box.slot = seen(view, view->buffer->slot);
	return box;
}

static struct plan_transfer *append_transfer(struct lowering *lowering,
	const struct plan_transfer *transfer, struct plan_node *block)
{
	struct plan_node *node = plan_transfer(ARENA(lowering), transfer->is_put, transfer->buffer,
		transfer->tag);
	node->transfer = *transfer;
	plan_append(ARENA(lowering), block, node);
	return &node->transfer;
}

/* COUNT elements from FIRST of dimension D, a ring, of what BOX says for the other dimensions: in
 * two pieces where they wrap. */
static void append_ring(struct lowering *lowering, struct plan_transfer box, int d,
	struct plan_expr *first, struct plan_expr *count, struct plan_node *block)
{
	struct arena *arena = ARENA(lowering);
	struct plan_expr *modulus = plan_const(arena, box.buffer->dims[d].modulus);
	struct plan_expr *local = plan_make(arena, PLAN_MOD, first, modulus);
	struct plan_expr *room = plan_make(arena, PLAN_SUB, modulus, local);
	box.first[d] = first;
	box.count[d] = plan_make(arena, PLAN_MIN, count, room);
	box.local[d] = local;
	struct plan_transfer *piece = append_transfer(lowering, &box, block);
	long min, max, least, ignored;
	plan_range(room, &min, &ignored);
	plan_range(count, &least, &max);
	if (max <= min)
		return;
	piece->ring_count = count;
	piece->ring_dim = d;
	struct plan_expr *rest = plan_make(arena, PLAN_SUB, count, room);
	box.first[d] = plan_make(arena, PLAN_ADD, first, room);
	box.count[d] = rest;
	box.local[d] = plan_const(arena, 0);
	box.is_rest = true;
	append_transfer(lowering, &box, guarded(lowering, block,
		plan_make(arena, PLAN_LE, plan_const(arena, 1), rest)));
}

/* The whole box lies in the buffer at the places of its elements. */
static void append_box(const struct view *view, bool is_put, struct plan_node *block)
{
	struct plan_transfer box = box_of(view, is_put);
	int ring = -1;
	for (int d = 0; d < view->buffer->rank; d++)
		if (view->buffer->dims[d].modulus)
			ring = d;
	if (ring < 0)
		append_transfer(view->lowering, &box, block);
	else
		append_ring(view->lowering, box, ring, box.first[ring], box.count[ring], block);
}

/* The whole window where it starts, and what is new where it goes on. */
static void append_window(const struct view *view, struct plan_node *block)
{
	struct lowering *lowering = view->lowering;
	const struct visit *visit = view->visit;
	struct plan_expr *goes_on = seen(view, visit->goes_on);
	struct plan_expr *starts = plan_make(ARENA(lowering), PLAN_NOT, goes_on, NULL);
	const struct plan_transfer box = box_of(view, false);
	if (!never_holds(starts))
		append_box(view, false, guarded(lowering, block, starts));
	if (never_holds(goes_on))
		return;
	block = guarded(lowering, block, goes_on);
	for (int i = 0; i < visit->fresh_count; i++)
		append_ring(lowering, box, visit->slide, seen(view, visit->fresh[i].first),
			seen(view, visit->fresh[i].count),
			guarded(lowering, block, seen(view, visit->fresh[i].when)));
}

static struct plan_var *rename_row(void *user, const struct plan_var *var)
{
	return new_var(user, var->name, var->min, var->max);
}

static void append_rows_seen(const struct view *view, const struct plan_node *rows,
	struct plan_node *block)
{
	struct lowering *lowering = view->lowering;
	if (view->at)
		plan_append_at(ARENA(lowering), block, rows, view->at, rename_row, lowering);
	for (int i = 0; i < rows->child_count && !view->at; i++)
		plan_append(ARENA(lowering), block, rows->children[i]);
}

/* What the visit fetches, if WHEN holds besides (NULL: it does). */
static void append_get(const struct view *view, struct plan_expr *when, struct plan_node *block)
{
	struct lowering *lowering = view->lowering;
	const struct visit *visit = view->visit;
	when = both_hold(lowering, when, seen(view, visit->fetches));
	if (never_holds(when))
		return;
	block = guarded(lowering, block, when);
	if (visit->get_rows)
		append_rows_seen(view, visit->get_rows, block);
	else if (visit->slide >= 0)
		append_window(view, block);
	else
		append_box(view, false, block);
}

/* ---- before and after the body of a visit ---- */

/* What array A's buffer shows first in the run that is to begin. */
static void append_first_gets(struct lowering *lowering, int a, struct plan_node *block)
{
	struct view first = present_visit(lowering, a);
	const struct tile_loop *loop = mover_of(lowering, a);
	if (loop)
		first = moved(first, loop, plan_const(ARENA(lowering), 0));
	if (first.visit->is_fetched)
		append_get(&first, NULL, block);
}

/* Places one kind of transfers of array A's buffer in BLOCK; returns the tags to wait for after
 * those of all buffers there. */
typedef unsigned place_transfers(struct lowering *lowering, int a, struct plan_node *block);

static struct plan_expr *is_last(const struct lowering *lowering, const struct tile_loop *loop)
{
	struct arena *arena = ARENA(lowering);
	return plan_make(arena, PLAN_EQ, plan_ref(arena, loop->var), plan_make(arena, PLAN_SUB, loop->trips,
		plan_const(arena, 1)));
}

/* Where LOOP is one iteration further on. */
static struct view stepped(struct view view, const struct tile_loop *loop)
{
	struct arena *arena = ARENA(view.lowering);
	return moved(view, loop, plan_make(arena, PLAN_ADD, plan_ref(arena, loop->var), plan_const(arena, 1)));
}

/* What it shows in the iteration of its loop after the present one: to come during the body. */
static unsigned append_next_gets(struct lowering *lowering, int a, struct plan_node *block)
{
	const struct tile_loop *loop = mover_of(lowering, a);
	struct view next = stepped(present_visit(lowering, a), loop);
	if (next.visit->is_fetched)
		append_get(&next, plan_make(ARENA(lowering), PLAN_NOT, is_last(lowering, loop), NULL), block);
	return 0;
}

/* What it shows after the next step of the loop that moves it; in the last iteration of a run, of the
 * innermost of those around it, as far as it asks ahead, that goes on. */
static void append_gets_of_steps(struct lowering *lowering, int a, struct plan_node *block)
{
	struct arena *arena = ARENA(lowering);
	int mover = lowering->holdings[a].store - 1;
	struct plan_expr *inside = NULL;         /* the loops inside are in their last iterations */
	for (int l = mover; l >= lowering->visits[a].ahead; l--) {
		struct view next = stepped(present_visit(lowering, a), &lowering->loops[l]);
		struct plan_expr *last = is_last(lowering, &lowering->loops[l]);
		for (int i = l + 1; i <= mover; i++)
			next = moved(next, &lowering->loops[i], plan_const(arena, 0));
		if (!(next.visit->kept >> l & 1))
			append_get(&next, both_hold(lowering, inside, plan_make(arena, PLAN_NOT, last, NULL)), block);
		inside = both_hold(lowering, inside, last);
	}
}

/* The first visit of all: nothing was asked for ahead of it. */
static struct plan_expr *is_first(const struct lowering *lowering, int a)
{
	struct plan_expr *first = NULL;
	for (int l = lowering->visits[a].ahead; l < lowering->holdings[a].store; l++)
		first = both_hold(lowering, first, loop_at_start(lowering, l));
	return first;
}

/* What it shows now, except where that was asked for ahead. */
static unsigned append_gets(struct lowering *lowering, int a, struct plan_node *block)
{
	struct view now = present_visit(lowering, a);
	if (!now.visit->is_fetched)
		return 0;
	append_get(&now, now.buffer->is_double ? is_first(lowering, a) : NULL, guarded(lowering, block,
		now.visit->exists));
	return 0;
}

/* Waits for what a double buffer shows now, and asks for what it shows next; the other buffers' are
 * waited for after that. */
static unsigned append_gets_ahead(struct lowering *lowering, int a, struct plan_node *block)
{
	struct view now = present_visit(lowering, a);
	if (!now.visit->is_fetched || !now.buffer->is_double)
		return now.visit->is_fetched ? 1U << get_tag(a) : 0;
	block = guarded(lowering, block, now.visit->exists);
	append_wait(lowering, block, 1U << get_tag(a) | (now.visit->is_put ? 1U << put_tag(a) : 0));
	append_gets_of_steps(lowering, a, block);
	return 0;
}

/* What array A's buffer puts goes on during the next body.  The put before ends then, unless
 * it had to before a fetch, or each has a slot of its own. */
static bool reuses_room(const struct lowering *lowering, int a)
{
	const struct tile_loop *loop = mover_of(lowering, a);
	return lowering->visits[a].ahead < lowering->holdings[a].store - 1 || !loop->count
		|| loop->count > lowering->buffers[a]->slots;
}

/* Array A's buffer puts what it shows while the next region is computed with. */
static bool puts_behind(const struct lowering *lowering, int a)
{
	return lowering->visits[a].is_put && lowering->buffers[a]->is_double;
}

static unsigned append_puts(struct lowering *lowering, int a, struct plan_node *block)
{
	struct view now = present_visit(lowering, a);
	unsigned tag = 1U << put_tag(a);
	if (!now.visit->is_put)
		return 0;
	block = guarded(lowering, block, now.visit->exists);
	if (puts_behind(lowering, a) && !now.visit->is_fetched && reuses_room(lowering, a))
		append_wait(lowering, block, tag);
	struct plan_node *puts = guarded(lowering, block, now.visit->puts);
	if (now.visit->put_rows)
		append_rows_seen(&now, now.visit->put_rows, puts);
	else
		append_box(&now, true, puts);
	return puts_behind(lowering, a) ? 0 : tag;
}

/* What the last visit of all puts is still on its way. */
static unsigned last_put(const struct lowering *lowering, int a)
{
	return puts_behind(lowering, a) ? 1U << put_tag(a) : 0;
}

/* What was asked for earlier is on its way; what the iteration before puts leaves its room to what comes next. */
static unsigned asked_for(struct lowering *lowering, int a, struct plan_node *block)
{
	const struct visit *visit = &lowering->visits[a];
	(void)block;
	return visit->is_fetched ? 1U << get_tag(a) | last_put(lowering, a) : 0;
}

/* ---- where lowering stands ---- */

/* Array A has store level STORE; where that is inside a stage, it is stage M. */
static bool is_at(const struct lowering *lowering, int a, int store, int m)
{
	return lowering->holdings[a].store == store && (store >= 0 || stage_of(lowering, a) == m);
}

/* Has all arrays of store level STORE (inside stage M) placed, single buffers first, and waits once for
 * what is left. */
static void place(struct lowering *lowering, int store, int m, place_transfers *placing,
	struct plan_node *block)
{
	unsigned tags = 0;
	for (int pass = 0; pass < 2; pass++)
		for (int a = 0; a < lowering->groups->count; a++)
			if (is_at(lowering, a, store, m) && lowering->buffers[a]->is_double == (pass == 1))
				tags |= placing(lowering, a, block);
	append_wait(lowering, block, tags);
}

/* What is needed now does not come behind what is needed next. */
static void place_gets(struct lowering *lowering, int store, int m, struct plan_node *block)
{
	place(lowering, store, m, append_gets, block);
	place(lowering, store, m, append_gets_ahead, block);
}

void begin_visits(struct lowering *lowering, int depth, struct plan_node *block)
{
	place_gets(lowering, depth, -1, block);
}

void end_visits(struct lowering *lowering, int depth, struct plan_node *block)
{
	place(lowering, depth, -1, append_puts, block);
}

void end_run(struct lowering *lowering, int depth, struct plan_node *block)
{
	unsigned tags = 0;
	for (int a = 0; a < lowering->groups->count; a++)
		if (lowering->holdings[a].store > 0 && lowering->visits[a].ahead == depth - 1)
			tags |= last_put(lowering, a);
	append_wait(lowering, block, tags);
}

/* Something comes for stage M. */
static bool has_gets(const struct lowering *lowering, int m)
{
	for (int a = 0; a < lowering->groups->count; a++)
		if (is_at(lowering, a, STORE_STAGE, m) || is_at(lowering, a, STORE_CHUNK, m))
			return true;
	return false;
}

/* What the next stage from M on that something comes for needs first is asked for, to come
 * during the one before. */
static void append_next_stage(struct lowering *lowering, int m, struct plan_node *block)
{
	while (m < lowering->stage_count && !has_gets(lowering, m))
		m++;
	for (int a = 0; a < lowering->groups->count; a++)
		if (is_at(lowering, a, STORE_STAGE, m) || is_at(lowering, a, STORE_CHUNK, m))
			append_first_gets(lowering, a, block);
}

void begin_tile(struct lowering *lowering, struct plan_node *block)
{
	if (lowering->overlaps_stages)
		append_next_stage(lowering, 0, block);
}

void begin_stage(struct lowering *lowering, int m, struct plan_node *block)
{
	if (!lowering->overlaps_stages) {
		place_gets(lowering, STORE_STAGE, m, block);
		return;
	}
	place(lowering, STORE_STAGE, m, asked_for, block);
	if (has_gets(lowering, m))
		append_next_stage(lowering, m + 1, block);
}

void begin_chunk(struct lowering *lowering, int m, struct plan_node *block)
{
	if (!lowering->overlaps_stages) {
		place_gets(lowering, STORE_CHUNK, m, block);
		return;
	}
	place(lowering, STORE_CHUNK, m, asked_for, block);
	place(lowering, STORE_CHUNK, m, append_next_gets, block);
}

void end_chunk(struct lowering *lowering, int m, struct plan_node *block)
{
	place(lowering, STORE_CHUNK, m, append_puts, block);
}

void end_stage(struct lowering *lowering, int m, struct plan_node *block)
{
	unsigned tags = 0;
	for (int a = 0; a < lowering->groups->count; a++)
		if (is_at(lowering, a, STORE_CHUNK, m))
			tags |= last_put(lowering, a);
	place(lowering, STORE_STAGE, m, append_puts, block);
	append_wait(lowering, block, tags);
}
