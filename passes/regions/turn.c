#include "passes/regions/turn.h"

#include "ir/plan_copy.h"
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

/* ---- where loops are in their runs ---- */

static struct plan_expr *position_of(const struct lowering *lowering, int l)
{
	return plan_ref(ARENA(lowering), lowering->loops[l].var);
}

static struct plan_expr *last_position(const struct lowering *lowering, int l)
{
	return make(lowering, PLAN_SUB, lowering->loops[l].trips, constant(lowering, 1));
}

struct plan_expr *loop_at_start(const struct lowering *lowering, int l)
{
	return make(lowering, PLAN_EQ, position_of(lowering, l), constant(lowering, 0));
}

struct plan_expr *loop_at_end(const struct lowering *lowering, int l)
{
	return make(lowering, PLAN_EQ, position_of(lowering, l), last_position(lowering, l));
}

int outermost_own(const struct lowering *lowering)
{
	int outer = variant_outer_count(lowering->variant);
	return outer > lowering->first_inner ? outer : lowering->first_inner;
}

bool loop_turns(const struct lowering *lowering, int l)
{
	return l > outermost_own(lowering) && lowering->loops[l].is_serpentine;
}

/* ---- the visit on the other side of a turn ---- */

/* Loop L is at POSITION there.  TILE: at another tile than here. */
static const struct plan_binding *bind(const struct lowering *lowering, int l,
	struct plan_expr *position, bool is_elsewhere, const struct plan_binding *outer)
{
	const struct tile_loop *loop = &lowering->loops[l];
	struct plan_binding *bindings = ARENA_ARRAY(ARENA(lowering), struct plan_binding, 2);
	bindings[0] = (struct plan_binding){ outer, loop->var, position };
	if (!is_elsewhere)
		return &bindings[0];
	bindings[1] = (struct plan_binding){ &bindings[0], loop->tile_var,
		tile_at(lowering, loop, position) };
	return &bindings[1];
}

/* There is a region in the visit that shows the same one before (TOWARDS_END: after) loop R's step from
 * one of its iterations to the next; loops inside R are at the ends of their runs then, those that turn
 * with the same tile on both sides.  NULL: there is. */
static struct plan_expr *is_visited_across(const struct lowering *lowering,
	const struct turning *turning, int r, bool towards_end)
{
	int b = turning->mover;
	if (!turning->visited)
		return NULL;
	const struct plan_binding *there = bind(lowering, r, make(lowering, PLAN_ADD,
		position_of(lowering, r), constant(lowering, towards_end ? 1 : -1)), true, NULL);
	for (int l = r + 1; l < b; l++)
		there = bind(lowering, l, towards_end ? constant(lowering, 0)
			: last_position(lowering, l), !lowering->loops[l].is_serpentine, there);
	there = bind(lowering, b, make(lowering, PLAN_SUB, last_position(lowering, b),
		position_of(lowering, b)), false, there);
	return plan_expr_at(ARENA(lowering), turning->visited, there);
}

unsigned long kept_loops(const struct lowering *lowering, const struct turning *turning)
{
	int b = turning->mover;
	unsigned long kept = 0;
	if (b < outermost_own(lowering) || !lowering->loops[b].is_serpentine || turning->anchors >> b & 1)
		return 0;
	for (int l = b - 1; l >= outermost_own(lowering) && !(turning->anchors >> l & 1); l--)
		if (turning->still >> l & 1)
			kept |= 1UL << l;
		else if (!lowering->loops[l].is_serpentine)
			break;
	return kept;
}

struct plan_expr *kept_at_turn(const struct lowering *lowering, const struct turning *turning,
	bool towards_end)
{
	int b = turning->mover;
	unsigned long kept = kept_loops(lowering, turning);
	struct plan_expr *turns = NULL;
	struct plan_expr *inside = constant(lowering, 1);   /* loops between are at their ends */
	for (int l = b - 1; l >= outermost_own(lowering); l--) {
		struct plan_expr *still = towards_end ? loop_at_end(lowering, l)
			: loop_at_start(lowering, l);
		if (kept >> l & 1)
			turns = either_holds(lowering, turns, both_hold(lowering, make(lowering, PLAN_AND,
				inside, does_not_hold(lowering, still)), is_visited_across(lowering, turning, l,
				towards_end)));
		inside = make(lowering, PLAN_AND, inside, still);
	}
	if (!turns)
		return NULL;
	struct plan_expr *left = position_of(lowering, b);
	if (towards_end)
		left = make(lowering, PLAN_SUB, last_position(lowering, b), left);
	return make(lowering, PLAN_AND, make(lowering, PLAN_LE, left,
		constant(lowering, turning->slots - 1)), turns);
}
