/* Where the words of an array are that an element has, and the registers they are in. */

#include "passes/lower/elements_state.h"

#include "passes/regions/closed.h"
#include "passes/tiles/expressions.h"

struct plan_expr *element_rest(const struct elements *elements, struct plan_expr *extent, long size,
	struct plan_expr *index)
{
	long known;
	if (plan_is_const(extent, &known) && known % size == 0)
		return constant(elements, size);
	return make(elements, PLAN_MIN, constant(elements, size), make(elements, PLAN_SUB, extent,
		make(elements, PLAN_MUL, constant(elements, size), index)));
}

struct plan_expr *element_parts(const struct elements *elements, struct plan_expr *extent, long size)
{
	return make(elements, PLAN_FLOORDIV, make(elements, PLAN_ADD, extent, constant(elements, size - 1)),
		constant(elements, size));
}

/* ---- where an element's words are ---- */

const struct tile_loop *tile_loop_of_dim(const struct elements *elements, int dim)
{
	int l = elements->outer->loop_of_dim[dim];
	return l < 0 ? NULL : &elements->outer->loops[l];
}

const struct tile_loop *step_loop_of_dim(const struct elements *elements, int dim)
{
	int l = elements->steps.loop_of_dim[dim];
	return l < 0 ? NULL : &elements->steps.loops[l];
}

bool is_tile_inside(const struct elements *elements, int a, int dim)
{
	return tile_loop_of_dim(elements, dim) && elements->outer->loop_of_dim[dim] >= elements->mapping->holds[a].depth;
}

bool is_step_inside(const struct elements *elements, int a, int dim)
{
	return step_loop_of_dim(elements, dim) && elements->steps.loop_of_dim[dim] >= elements->mapping->holds[a].depth;
}

/* The iterations of the present step of DIM. */
static void step_iterations(const struct elements *elements, int dim, struct plan_expr **first,
	struct plan_expr **count)
{
	const struct tile_loop *step = step_loop_of_dim(elements, dim);
	*first = elements->steps.origin[dim];
	*count = elements->steps.extent[dim];
	if (!step)
		return;
	struct plan_expr *index = plan_ref(ARENA(elements), step->tile_var);
	*first = scaled(elements, step->size, index, *first);
	*count = element_rest(elements, *count, step->size, index);
}

void element_iterations(const struct elements *elements, int dim, struct plan_expr **first,
	struct plan_expr **count)
{
	long part = elements->mapping->part[dim];
	step_iterations(elements, dim, first, count);
	if (!elements->element[dim])
		return;
	struct plan_expr *index = plan_ref(ARENA(elements), elements->element[dim]);
	*first = scaled(elements, part, index, *first);
	*count = element_rest(elements, *count, part, index);
}

/* The iterations of each loop that a visit of array A's registers has. */
static void visit_iterations(const struct elements *elements, int a, enum view view, struct plan_expr **first,
	struct plan_expr **count)
{
	for (int dim = 0; dim < elements->outer->band->count; dim++) {
		bool is_cut = elements->mapping->space[dim] > 1 && (view == OF_ELEMENT || !is_joined(elements, dim));
		if (is_cut) {
			element_iterations(elements, dim, &first[dim], &count[dim]);
		} else if (is_tile_inside(elements, a, dim)) {
			first[dim] = elements->outer->origin[dim];
			count[dim] = elements->outer->extent[dim];
		} else if (is_step_inside(elements, a, dim)) {
			first[dim] = elements->steps.origin[dim];
			count[dim] = elements->steps.extent[dim];
		} else {
			step_iterations(elements, dim, &first[dim], &count[dim]);
		}
	}
}

struct words element_words(const struct elements *elements, int a, enum view view)
{
	struct plan_expr *first[NEST_LOOPS], *count[NEST_LOOPS];
	struct words words;
	visit_iterations(elements, a, view, first, count);
	for (int d = 0; d < elements->outer->groups->items[a].array->rank; d++)
		closed_box(elements->outer, a, d, first, count, &words.first[d], &words.count[d]);
	return words;
}

/* ---- registers ---- */

/* Steps of DIM whose words an element holds one by one, in whole tiles; 1: it holds one at a time, or
 * all as one box. */
static long steps_held(const struct elements *elements, int a, int dim)
{
	const struct schedule *schedule = elements->outer->schedule;
	long extent = elements->outer->model->loops[dim].extent, tile = schedule->tile[dim];
	long steps = tile_count(tile, mapping_step(elements->mapping, schedule, dim));
	if (elements->mapping->space[dim] == 1 || !is_indexed(elements, a, dim))
		return 1;
	if (is_tile_inside(elements, a, dim))
		return tile_count(extent, tile) * steps;
	return is_step_inside(elements, a, dim) ? steps : 1;
}

/* Which of them the present one is. */
static struct plan_expr *step_held(const struct elements *elements, int a, int dim)
{
	const struct tile_loop *tile = tile_loop_of_dim(elements, dim), *step = step_loop_of_dim(elements, dim);
	const struct schedule *schedule = elements->outer->schedule;
	long steps = tile_count(schedule->tile[dim], mapping_step(elements->mapping, schedule, dim));
	struct plan_expr *index = step && is_step_inside(elements, a, dim) ? plan_ref(ARENA(elements), step->tile_var)
		: constant(elements, 0);
	return is_tile_inside(elements, a, dim)
		? scaled(elements, steps, plan_ref(ARENA(elements), tile->tile_var), index) : index;
}

/* The slot of the present element and step: elements one behind the other, and in each the visits and steps that it
 * holds.  *SLOTS: how many there are. */
static struct plan_expr *slot_of(const struct elements *elements, int a, long slots_of_visits, long *slots)
{
	const struct hold *hold = &elements->mapping->holds[a];
	const struct lowering *lowering = hold->depth > elements->outer->depth ? &elements->steps : &elements->tiles;
	struct plan_expr *slot = constant(elements, 0);
	*slots = 1;
	for (int dim = 0; dim < elements->outer->band->count; dim++)
		if (elements->element[dim]) {
			*slots *= elements->mapping->space[dim];
			slot = scaled(elements, elements->mapping->space[dim], slot,
				plan_ref(ARENA(elements), elements->element[dim]));
		}
	for (int dim = 0; dim < elements->outer->band->count; dim++) {
		long steps = steps_held(elements, a, dim);
		*slots *= steps;
		if (steps > 1)
			slot = scaled(elements, steps, slot, step_held(elements, a, dim));
	}
	*slots *= slots_of_visits;
	if (slots_of_visits > 1)
		slot = scaled(elements, slots_of_visits, slot, make(elements, PLAN_MOD,
			plan_ref(ARENA(elements), lowering->loops[hold->depth - 1].tile_var),
			constant(elements, slots_of_visits)));
	return slot;
}

/* Most iterations of DIM in an element's box. */
static long most_iterations(const struct elements *elements, int a, int dim)
{
	const struct schedule *schedule = elements->outer->schedule;
	if (elements->mapping->space[dim] > 1)
		return elements->mapping->part[dim];
	if (is_tile_inside(elements, a, dim))
		return elements->outer->model->loops[dim].extent;
	return is_step_inside(elements, a, dim) ? schedule->tile[dim]
		: mapping_step(elements->mapping, schedule, dim);
}

static long box_extent(const struct elements *elements, int a, int d)
{
	const struct model_dim *dim = &elements->outer->model->arrays[a].dims[d];
	long extent = dim->window;
	for (int l = 0; l < elements->outer->model->loop_count; l++)
		extent += dim->coefficient[l] * (most_iterations(elements, a, l) - 1);
	return extent;
}

/* A ring for the windows of so many visits, no more than a run of the loop that moves them shows. */
static void make_ring(const struct elements *elements, int a, int d, struct plan_dim *dim)
{
	const struct hold *hold = &elements->mapping->holds[a];
	bool by_steps = hold->depth > elements->outer->depth;
	const struct lowering *lowering = by_steps ? &elements->steps : &elements->tiles;
	const struct tile_loop *loop = &lowering->loops[hold->depth - 1];
	long factor = elements->outer->model->arrays[a].dims[d].coefficient[loop->dim];
	long run = by_steps ? elements->tile_model.loops[loop->dim].extent : elements->outer->model->loops[loop->dim].extent;
	long whole = dim->extent + factor * (run - loop->size);
	dim->extent += (hold->slots - 1) * factor * loop->size;
	dim->extent = dim->extent < whole ? dim->extent : whole;
	dim->modulus = dim->extent;
}

static struct plan_buffer *buffer_named(struct elements *elements, int a, const char *kind, enum plan_home home)
{
	const struct array *array = elements->outer->groups->items[a].array;
	struct plan_buffer *buffer = ARENA_NEW(ARENA(elements), struct plan_buffer);
	*buffer = (struct plan_buffer){ .home = home, .array = array, .rank = array->rank, .slots = 1, .bank = -1 };
	buffer->name = unique_name(elements->outer, arena_printf(ARENA(elements), "%s_%s", array->name, kind));
	for (int d = 0; d < buffer->rank; d++)
		buffer->dims[d] = (struct plan_dim){ .extent = 1, .stride = elements->outer->regions[a].dims[d].stride,
			.phase = elements->outer->regions[a].dims[d].phase, .origin = constant(elements, 0) };
	return buffer;
}

/* Some read serves several elements. */
static bool is_any_joined(const struct elements *elements)
{
	for (int dim = 0; dim < elements->outer->band->count; dim++)
		if (is_joined(elements, dim))
			return true;
	return false;
}

void element_registers(struct elements *elements, int a)
{
	const struct hold *hold = &elements->mapping->holds[a];
	const struct model_array *model = &elements->outer->model->arrays[a];
	struct plan_buffer *buffer = buffer_named(elements, a, "registers", IN_REGISTERS);
	struct words words = element_words(elements, a, OF_ELEMENT);
	bool slides = elements->visits[a].slide >= 0;
	for (int d = 0; d < buffer->rank; d++) {
		struct plan_dim *dim = &buffer->dims[d];
		dim->extent = box_extent(elements, a, d);
		dim->origin = words.first[d];
		if (d == elements->visits[a].slide)
			make_ring(elements, a, d, dim);
		else if (model->dims[d].clip_high && dim->extent > model->dims[d].clip_high - model->dims[d].clip_low)
			dim->extent = model->dims[d].clip_high - model->dims[d].clip_low;
		if (dim->modulus)
			dim->origin = NULL;
	}
	buffer->slot = slot_of(elements, a, slides ? 1 : hold->slots, &buffer->slots);
	if (buffer->slots == 1)
		buffer->slot = NULL;
	buffer->bytes = buffer->slots * buffer->array->type.bytes;
	for (int d = 0; d < buffer->rank; d++)
		buffer->bytes *= buffer->dims[d].extent;
	buffer->is_double = hold->is_double;
	elements->registers[a] = buffer;
	if (model->is_written || !is_any_joined(elements))
		return;
	elements->network[a] = buffer_named(elements, a, "network", ON_NETWORK);
	elements->network[a]->bytes = buffer->array->type.bytes;
	elements->network[a]->is_double = hold->is_double;
}
