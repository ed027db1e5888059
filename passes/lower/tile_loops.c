/* Loops over tiles, and which way they go. */

#include "passes/lower/tile_loops.h"

#include <string.h>

#define ARENA(lowering) ((lowering)->compilation->arena)

/* How many tiles of SIZE iterations EXTENT iterations need. */
static struct plan_expr *trips_of(const struct lowering *lowering, int dim,
	struct plan_expr *extent, long size)
{
	struct arena *arena = ARENA(lowering);
	struct plan_expr *trips = plan_make(arena, PLAN_FLOORDIV, plan_make(arena, PLAN_ADD, extent,
		plan_const(arena, size - 1)), plan_const(arena, size));
	return lowering->may_be_empty[dim] ? plan_make(arena, PLAN_MAX, trips, plan_const(arena, 1))
		: trips;
}

bool dim_has_ends(const struct variant *variant, int dim)
{
	for (int s = 0; s < variant->nest->statement_count; s++)
		if (variant->band->dims[dim].planes[s].kind != HYPERPLANE_AFFINE)
			return true;
	return false;
}

void make_tile_loop(struct lowering *lowering, struct tile_loop *loop, int dim, long size,
	struct plan_expr *extent, const char *suffix)
{
	const char *name = lowering->band->dims[dim].name;
	int l = (int)(loop - lowering->loops);
	long min, max;
	loop->dim = dim;
	loop->size = size;
	loop->has_ends = dim_has_ends(lowering->variant, dim);
	loop->trips = trips_of(lowering, dim, extent, size);
	if (!plan_is_const(loop->trips, &loop->count))
		loop->count = 0;
	plan_range(loop->trips, &min, &max);
	loop->var = l < variant_outer_count(lowering->variant) ? lowering->variant->outer->vars[l]
		: new_var(lowering, arena_printf(ARENA(lowering), "%s_%s", name, suffix), 0, max - 1);
	loop->tile_var = loop->var;
}

void make_scheduled_loop(struct lowering *lowering, int place, const char *suffix)
{
	const struct schedule *schedule = lowering->schedule;
	int dim = schedule->order[place], l = lowering->depth++;
	struct tile_loop *loop = &lowering->loops[l];
	make_tile_loop(lowering, loop, dim, schedule->tile[dim], lowering->extent[dim], suffix);
	lowering->loop_of_dim[dim] = l;
	/* it goes down in its odd runs */
	struct plan_expr *odd = l > lowering->first_inner ? odd_steps(lowering, l, 0) : NULL;
	loop->is_serpentine = schedule->is_serpentine[dim] || l == lowering->first_inner;
	if (schedule->is_serpentine[dim] && odd) {
		loop->is_backward = odd;
		loop->tile_var = new_var(lowering, arena_printf(ARENA(lowering), "%s_%s", lowering->band->dims[dim].name,
			strcmp(suffix, "tile") ? "step_turned" : "turned"), 0, loop->var->max);
	}
}
