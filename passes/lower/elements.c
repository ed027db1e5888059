/* Tiles that processing elements compute become plan nodes: the loops over steps and elements. */

#include "passes/lower/elements_state.h"

#include <string.h>

#include "passes/lower/points.h"
#include "passes/lower/tile_loops.h"
#include "passes/regions/closed.h"
#include "passes/tiles/instances.h"

/* ---- the loops ---- */

/* The points of the present step, element by element. */
static bool lower_all_elements(struct elements *elements, struct plan_node *block)
{
	struct lowering points = elements->steps;
	points.buffers = elements->registers;
	struct plan_node *step = plan_step(ARENA(elements));
	plan_append(ARENA(elements), block, step);
	block = step->body;
	for (int dim = 0; dim < points.band->count; dim++) {
		if (!elements->element[dim])
			continue;
		struct plan_node *loop = plan_loop(ARENA(elements), LOOP_ELEMENT, elements->element[dim], constant(elements, 0),
			constant(elements, elements->mapping->space[dim] - 1), 1);
		plan_append(ARENA(elements), block, loop);
		block = loop->body;
		points.loops[points.depth++] = (struct tile_loop){ .dim = dim, .size = elements->mapping->part[dim],
			.count = elements->mapping->space[dim], .trips = constant(elements, elements->mapping->space[dim]),
			.has_ends = dim_has_ends(points.variant, dim),
			.var = elements->element[dim], .tile_var = elements->element[dim] };
	}
	points.instances = ARENA_ARRAY(ARENA(elements), isl_set *,
		points.nest->statement_count * (TILE_LOOPS + 1) * REACHES);
	bool done = lower_points(&points, block);
	for (int i = 0; i < points.nest->statement_count * (TILE_LOOPS + 1) * REACHES; i++)
		isl_set_free(points.instances[i]);
	return done;
}

/* What runs inside DEPTH tile loops and step loops. */
static bool lower_level(struct elements *elements, int depth, struct plan_node *block)
{
	struct lowering *steps = &elements->steps;
	struct arena *arena = ARENA(elements);
	if (depth > elements->outer->depth)
		fill_elements(elements, depth, block);
	bool done;
	if (depth == steps->depth) {
		done = lower_all_elements(elements, block);
	} else {
		const struct tile_loop *loop = &steps->loops[depth];
		struct plan_node *node = plan_loop(arena, LOOP_POINT, loop->var, plan_const(arena, 0),
			make(elements, PLAN_SUB, loop->trips, plan_const(arena, 1)), 1);
		struct plan_node *body = node->body;
		plan_append(arena, block, node);
		if (loop->tile_var != loop->var) {
			struct plan_node *let = plan_let(arena, loop->tile_var, tile_at(steps, loop, plan_ref(arena, loop->var)));
			plan_append(arena, body, let);
			body = let->body;
		}
		done = lower_level(elements, depth + 1, body);
	}
	if (depth > elements->outer->depth)
		drain_elements(elements, depth, block);
	return done;
}

bool lower_elements(struct elements *elements, struct plan_node *block)
{
	return lower_level(elements, elements->outer->depth, block);
}

/* ---- begin and end ---- */

static void copy_lowering(struct elements *elements, struct lowering *to, struct schedule *schedule)
{
	const struct lowering *from = elements->outer;
	*to = *from;
	to->schedule = schedule;
	to->elements = NULL;
	to->holdings = ARENA_ARRAY(ARENA(elements), struct holding, from->groups->count + 1);
	for (int a = 0; a < from->groups->count; a++) {
		const struct hold *hold = &elements->mapping->holds[a];
		to->holdings[a] = (struct holding){ .store = hold->depth, .slots = hold->slots, .slides = hold->is_sliding };
		schedule->storage[a] = (struct storage){ .store = hold->depth, .slots = hold->slots,
			.is_sliding = hold->is_sliding };
	}
}

/* A tile of the scratchpad is a block, in which step loops are tile loops. */
static void make_step_loops(struct elements *elements)
{
	struct lowering *steps = &elements->steps;
	const struct schedule *outer = elements->outer->schedule;
	for (int dim = 0; dim < steps->band->count; dim++) {
		int l = elements->outer->loop_of_dim[dim];
		steps->loop_of_dim[dim] = -1;
		steps->block_of_dim[dim] = l;
		elements->tile_model.loops[dim].extent = outer->tile[dim];
		elements->step_schedule.tile[dim] = mapping_step(elements->mapping, outer, dim);
		if (l < 0)
			continue;
		struct plan_expr *index = plan_ref(ARENA(elements), steps->loops[l].tile_var);
		steps->loops[l].is_block = true;
		steps->origin[dim] = scaled(elements, outer->tile[dim], index, steps->origin[dim]);
		steps->extent[dim] = element_rest(elements, steps->extent[dim], outer->tile[dim], index);
	}
	steps->model = &elements->tile_model;
	steps->first_inner = steps->depth;
	for (int i = 0; i < elements->mapping->depth; i++)
		make_scheduled_loop(steps, i, "step");
}

struct elements *elements_begin(struct lowering *lowering)
{
	struct elements *elements = ARENA_NEW(lowering->compilation->arena, struct elements);
	const struct mapping *mapping = lowering->schedule->mapping;
	int count = lowering->groups->count;
	elements->outer = lowering;
	elements->mapping = mapping;
	elements->tile_schedule = elements->step_schedule = *lowering->schedule;
	elements->tile_model = *lowering->model;
	elements->step_schedule.depth = mapping->depth;
	memcpy(elements->step_schedule.order, mapping->order, sizeof mapping->order);
	memcpy(elements->step_schedule.is_serpentine, mapping->is_serpentine, sizeof mapping->is_serpentine);
	copy_lowering(elements, &elements->tiles, &elements->tile_schedule);
	copy_lowering(elements, &elements->steps, &elements->step_schedule);
	make_step_loops(elements);
	for (int dim = 0; dim < lowering->band->count; dim++)
		if (mapping->space[dim] > 1)
			elements->element[dim] = new_var(lowering, arena_printf(ARENA(elements), "%s_element",
				lowering->band->dims[dim].name), 0, mapping->space[dim] - 1);
	elements->registers = ARENA_ARRAY(ARENA(elements), struct plan_buffer *, count + 1);
	elements->network = ARENA_ARRAY(ARENA(elements), struct plan_buffer *, count + 1);
	elements->visits = ARENA_ARRAY(ARENA(elements), struct visit, count + 1);
	for (int a = 0; a < count; a++) {
		elements->visits[a] = closed_visit(mapping->holds[a].depth > lowering->depth ? &elements->steps
			: &elements->tiles, a);
		element_registers(elements, a);
	}
	return elements;
}

static void add_buffer(struct plan *plan, struct plan_buffer *buffer)
{
	struct plan_buffer **buffers = ARENA_ARRAY(plan->arena, struct plan_buffer *, plan->buffer_count + 1);
	if (plan->buffer_count)
		memcpy(buffers, plan->buffers, (size_t)plan->buffer_count * sizeof *buffers);
	buffer->index = plan->buffer_count;
	buffers[plan->buffer_count++] = buffer;
	plan->buffers = buffers;
}

void elements_end(struct elements *elements, struct plan_nest *out)
{
	struct plan_array *array = ARENA_NEW(ARENA(elements), struct plan_array);
	int count = elements->outer->groups->count;
	*array = (struct plan_array){ .elements = elements->mapping->elements, .steps = elements->mapping->steps,
		.cycles = elements->mapping->cycles, .register_bytes = elements->mapping->register_bytes, .count = count,
		.words = ARENA_ARRAY(ARENA(elements), struct plan_words, count + 1) };
	memcpy(array->role_bytes, elements->mapping->role_bytes, sizeof array->role_bytes);
	for (int a = 0; a < count; a++) {
		const struct hold *hold = &elements->mapping->holds[a];
		array->words[a] = (struct plan_words){ elements->outer->groups->items[a].array, elements->outer->buffers[a]->memory,
			{ hold->read, hold->written, hold->delivered, hold->reduced } };
		add_buffer(elements->outer->plan, elements->registers[a]);
		if (elements->network[a])
			add_buffer(elements->outer->plan, elements->network[a]);
	}
	out->elements = array;
}
