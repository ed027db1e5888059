/* The transfers of regions that have no closed form. */

#include "passes/general.h"

#define ARENA(lowering) ((lowering)->compilation->arena)

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
