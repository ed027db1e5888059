/* The transfers of regions that have no closed form. */

#include "ir/plan_copy.h"
#include "passes/lower/transfers.h"
#include "passes/regions/general.h"

#define ARENA(lowering) ((lowering)->compilation->arena)

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

/* A visit of array A's buffer: that of the present tiles, or another one, where AT says how
 * the tiles are numbered there. */
struct view {
	struct lowering *lowering;
	int a;
	const struct general_region *region;
	struct plan_buffer *buffer;
	const struct plan_binding *at;   /* NULL: the present */
};

static struct view view_of(struct lowering *lowering, int a, const struct plan_binding *at)
{
	return (struct view){ lowering, a, &lowering->general[a], lowering->buffers[a], at };
}

static struct plan_expr *seen(const struct view *view, struct plan_expr *expr)
{
	return expr ? plan_expr_at(ARENA(view->lowering), expr, view->at) : NULL;
}

static struct plan_node *box_transfer(const struct view *view, bool is_put)
{
	struct arena *arena = ARENA(view->lowering);
	struct plan_node *node = plan_transfer(arena, is_put, view->buffer,
		is_put ? put_tag(view->a) : get_tag(view->a));
	for (int d = 0; d < view->buffer->rank; d++) {
		struct plan_expr *origin = seen(view, view->buffer->dims[d].origin);
		node->transfer.first[d] = seen(view, view->region->first[d]);
		node->transfer.count[d] = seen(view, view->region->count[d]);
		node->transfer.local[d] = origin ? plan_make(arena, PLAN_SUB,
			node->transfer.first[d], origin) : plan_const(arena, 0);
	}
	if (view->buffer->slots > 1)
		node->transfer.slot = seen(view, view->buffer->slot);
	return node;
}

/* The whole window where it starts, and what is new where it goes on. */
static void append_window(const struct view *view, struct plan_node *block)
{
	struct lowering *lowering = view->lowering;
	struct arena *arena = ARENA(lowering);
	int d = view->region->slide;
	struct plan_transfer *box = &box_transfer(view, false)->transfer;
	struct plan_expr *goes_on = plan_make(arena, PLAN_LE, plan_const(arena, 1),
		seen(view, plan_ref(arena, general_mover(lowering, view->a)->var)));
	if (view->region->continues)
		goes_on = plan_make(arena, PLAN_AND, goes_on, seen(view, view->region->continues));
	struct plan_expr *starts = plan_make(arena, PLAN_NOT, goes_on, NULL);
	struct plan_expr *fresh = seen(view, view->region->fresh);
	long known;
	if (!plan_is_const(starts, &known) || known)
		append_ring_get(lowering, box, d, box->first[d], box->count[d],
			guarded(lowering, block, starts));
	struct plan_expr *end = plan_make(arena, PLAN_ADD, box->first[d], box->count[d]);
	if (!plan_is_const(goes_on, &known) || known)
		append_ring_get(lowering, box, d, fresh, plan_make(arena, PLAN_SUB, end, fresh),
			guarded(lowering, block, goes_on));
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

static void append_get(const struct view *view, struct plan_node *block)
{
	struct lowering *lowering = view->lowering;
	if (view->region->get_rows) {
		append_rows_seen(view, view->region->get_rows, block);
		return;
	}
	block = guarded(lowering, block, seen(view, view->region->fetches));
	if (view->region->slide >= 0)
		append_window(view, block);
	else
		plan_append(ARENA(lowering), block, box_transfer(view, false));
}

static bool is_fetched(const struct lowering *lowering, int a)
{
	return lowering->general[a].is_touched && lowering->general[a].is_fetched;
}

void append_first_gets(struct lowering *lowering, int a, struct plan_node *block)
{
	const struct tile_loop *loop = general_mover(lowering, a);
	struct plan_binding first = { NULL, loop ? loop->var : NULL, plan_const(ARENA(lowering), 0) };
	struct view view = view_of(lowering, a, loop ? &first : NULL);
	if (is_fetched(lowering, a))
		append_get(&view, block);
}

void append_next_gets(struct lowering *lowering, int a, struct plan_node *block)
{
	struct arena *arena = ARENA(lowering);
	const struct tile_loop *loop = general_mover(lowering, a);
	if (!is_fetched(lowering, a) || loop->count == 1)
		return;
	struct plan_expr *position = plan_make(arena, PLAN_ADD, plan_ref(arena, loop->var),
		plan_const(arena, 1));
	struct plan_binding next = { NULL, loop->var, position };
	struct view view = view_of(lowering, a, &next);
	struct plan_expr *last = plan_make(arena, PLAN_SUB, loop->trips, plan_const(arena, 1));
	append_get(&view, guarded(lowering, block, plan_make(arena, PLAN_LE, position, last)));
}

/* The region of this iteration was asked for one iteration ago, except in the first; then
 * the next one's is asked for, to come during the body. */
static void append_pipelined_gets(struct lowering *lowering, int a, struct plan_node *block)
{
	struct arena *arena = ARENA(lowering);
	const struct tile_loop *loop = general_mover(lowering, a);
	struct view now = view_of(lowering, a, NULL);
	append_get(&now, guarded(lowering, block, plan_make(arena, PLAN_EQ,
		plan_ref(arena, loop->var), plan_const(arena, 0))));
	plan_append(arena, block, plan_wait(arena, 1U << get_tag(a)
		| (now.region->is_put ? 1U << put_tag(a) : 0)));
	append_next_gets(lowering, a, block);
}

unsigned append_general_gets(struct lowering *lowering, int a, struct plan_node *block)
{
	struct view now = view_of(lowering, a, NULL);
	if (!is_fetched(lowering, a))
		return 0;
	if (now.buffer->is_double) {
		append_pipelined_gets(lowering, a, block);
		return 0;
	}
	append_get(&now, block);
	return 1U << get_tag(a);
}

/* The box lies in the buffer at the places of its elements, in two pieces where a ring
 * wraps. */
static void append_kept(const struct view *view, struct plan_node *block)
{
	struct arena *arena = ARENA(view->lowering);
	const struct plan_buffer *buffer = view->buffer;
	struct plan_node *node = box_transfer(view, true);
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
		append_ring_get(view->lowering, box, ring, box->first[ring], box->count[ring], block);
}

static bool is_put(const struct lowering *lowering, int a)
{
	return lowering->general[a].is_touched && lowering->general[a].is_put;
}

/* What array A's buffer puts goes on during the next body.  The put before ends then, unless
 * it had to before a fetch, or each of a run's has a slot of its own. */
static bool reuses_room(const struct lowering *lowering, int a)
{
	const struct tile_loop *loop = general_mover(lowering, a);
	return !loop->count || loop->count > lowering->buffers[a]->slots;
}

unsigned append_general_puts(struct lowering *lowering, int a, struct plan_node *block)
{
	struct view now = view_of(lowering, a, NULL);
	struct arena *arena = ARENA(lowering);
	if (!is_put(lowering, a))
		return 0;
	if (now.buffer->is_double && !now.region->is_fetched && reuses_room(lowering, a))
		plan_append(arena, block, plan_wait(arena, 1U << put_tag(a)));
	if (lowering->groups->items[a].is_kept)
		append_kept(&now, guarded(lowering, block, now.region->puts));
	else if (now.region->put_rows)
		append_rows_seen(&now, now.region->put_rows, block);
	else
		plan_append(arena, guarded(lowering, block, now.region->puts),
			box_transfer(&now, true));
	return now.buffer->is_double ? 0 : 1U << put_tag(a);
}

unsigned general_tags_after_run(const struct lowering *lowering, int a)
{
	return lowering->buffers[a]->is_double && is_put(lowering, a) ? 1U << put_tag(a) : 0;
}
