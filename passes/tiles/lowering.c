/* What is asked of a nest while it is lowered. */

#include "passes/tiles/lowering.h"

#include <string.h>

#include "ir/plan_names.h"
#include "ir/program_build.h"

#define ARENA(lowering) ((lowering)->compilation->arena)

/* ---- names ---- */

bool function_has(const struct function *function, const char *name)
{
	for (int i = 0; i < function->array_count; i++)
		if (!strcmp(function->arrays[i]->name, name))
			return true;
	for (int i = 0; i < function->size_count; i++)
		if (!strcmp(function->sizes[i]->name, name))
			return true;
	return !strcmp(function->name, name) || !strcmp(name, "workspace");
}

static bool is_taken(const struct lowering *lowering, const char *name)
{
	return plan_names_find(*lowering->names, name)
		|| function_has(lowering->nest->function, name);
}

const char *unique_name(struct lowering *lowering, const char *base)
{
	int number = plan_names_last_number(*lowering->names, base) + 1;
	const char *name = number == 1 ? base : arena_printf(ARENA(lowering), "%s_%d", base, number);
	while (is_taken(lowering, name))
		name = arena_printf(ARENA(lowering), "%s_%d", base, ++number);
	*lowering->names = plan_names_add(ARENA(lowering), *lowering->names, name, base, number);
	return name;
}

struct plan_var *new_var(struct lowering *lowering, const char *base, long min, long max)
{
	struct plan_var *var = ARENA_NEW(ARENA(lowering), struct plan_var);
	*var = (struct plan_var){ .name = unique_name(lowering, base), .min = min, .max = max };
	return var;
}

struct plan_buffer *new_buffer(struct lowering *lowering, int a)
{
	const struct array *array = lowering->groups->items[a].array;
	struct plan_buffer *buffer = ARENA_NEW(ARENA(lowering), struct plan_buffer);
	buffer->name = unique_name(lowering, arena_printf(ARENA(lowering), "%s_%d", array->name,
		lowering->nest->index));
	buffer->array = array;
	buffer->rank = array->rank;
	buffer->slots = 1;
	return buffer;
}

/* ---- tile loops ---- */

struct plan_expr *tile_at(const struct lowering *lowering, const struct tile_loop *loop,
	struct plan_expr *position)
{
	if (!loop->is_backward)
		return position;
	struct arena *arena = ARENA(lowering);
	struct plan_expr *last = plan_make(arena, PLAN_SUB, loop->trips, plan_const(arena, 1));
	return plan_select(arena, loop->is_backward, plan_make(arena, PLAN_SUB, last, position),
		position);
}

/* LOOP takes an odd number of iterations. */
static struct plan_expr *has_odd_trips(const struct lowering *lowering, const struct tile_loop *loop)
{
	struct arena *arena = ARENA(lowering);
	return plan_make(arena, PLAN_EQ, plan_make(arena, PLAN_MOD, loop->trips, plan_const(arena, 2)),
		plan_const(arena, 1));
}

struct plan_expr *odd_steps(const struct lowering *lowering, int depth, unsigned long uncounted)
{
	struct arena *arena = ARENA(lowering);
	struct plan_expr *steps = plan_const(arena, 0), *zero = steps;
	/* An iteration of the loop in hand takes an odd number of steps, with the one to the next. */
	struct plan_expr *odd = plan_const(arena, !(uncounted >> (depth - 1) & 1));
	for (int l = depth - 1; l >= lowering->first_inner; l--) {
		const struct tile_loop *loop = &lowering->loops[l];
		steps = plan_make(arena, PLAN_ADD, plan_select(arena, odd, plan_ref(arena, loop->var), zero), steps);
		odd = plan_make(arena, PLAN_AND, odd, has_odd_trips(lowering, loop));
		if (l > 0 && (uncounted >> l & 1) != (uncounted >> (l - 1) & 1))
			odd = plan_make(arena, PLAN_NOT, odd, NULL);
	}
	return plan_make(arena, PLAN_MOD, steps, plan_const(arena, 2));
}

bool moves_with(const struct lowering *lowering, int a, int dim)
{
	const struct model_array *array = &lowering->model->arrays[a];
	for (int d = 0; d < array->rank; d++)
		if (array->dims[d].coefficient[dim])
			return true;
	return false;
}

/* ---- stages ---- */

int stage_of(const struct lowering *lowering, int a)
{
	int s = lowering->groups->items[a].accesses[0].statement, m = 0;
	while (lowering->stages[m].end <= s)
		m++;
	return m;
}

const struct tile_loop *mover_of(const struct lowering *lowering, int a)
{
	if (lowering->holdings[a].store == STORE_CHUNK)
		return &lowering->stage_loops[stage_of(lowering, a)];
	return lowering->holdings[a].store > 0 ? &lowering->loops[lowering->holdings[a].store - 1] : NULL;
}

int visit_depth(const struct lowering *lowering, int a)
{
	return lowering->holdings[a].store < 0 ? lowering->depth : lowering->holdings[a].store;
}

void enter_stage(struct lowering *lowering, int m)
{
	lowering->stage = &lowering->stages[m];
	if (lowering->stage->tile)
		lowering->loops[lowering->depth++] = lowering->stage_loops[m];
}

void leave_stage(struct lowering *lowering)
{
	lowering->depth -= lowering->stage->tile > 0;
	lowering->stage = NULL;
}
