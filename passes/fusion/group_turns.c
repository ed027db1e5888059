/* What a group keeps on chip where its loops turn: the visits of a buffer that find there what the last one
 * before a turn left (see struct storage in passes/cost/model.h). */

#include "passes/fusion/group_model.h"

/* Elements that visits show, of the dimensions that the loops so far move: [0] of those before which the next
 * loop has had an even number of runs, [1] an odd one, as that says which way it goes. */
struct by_runs {
	long elements[2];
};

/* The iterations of a loop that are counted: all; those that the loop has gone on to; or the first of a run. */
enum steps { ALL_STEPS, STEPS_ON, FIRST_STEP };

/* What the iterations of LOOP at even positions of a run show, or ODD ones; BACKWARD: the run goes down.
 * IS_LEFT: the loop leaves the region where it is. */
static long shown_at(const struct group_loop *loop, const struct array_profile *profile, enum steps steps,
	bool is_left, bool is_backward, int odd)
{
	bool is_odd_tile = is_backward ? (loop->count - 1 - odd) % 2 != 0 : odd;
	if (steps == ALL_STEPS)
		return profile->part[is_odd_tile];
	/* where a run goes down it has come from the tile behind */
	if (steps == STEPS_ON)
		return profile->behind[is_backward ? !is_odd_tile : is_odd_tile];
	if (odd)
		return 0;
	/* a loop that does not turn was at its other end before */
	if (!loop->turns)
		return is_left && profile->end[0] ? profile->end[1] : 0;
	return profile->end[is_backward];
}

/* STEPS of LOOP in each of the visits *NOW. */
static bool walk(const struct group_loop *loop, const struct array_profile *profile, enum steps steps,
	bool is_left, struct by_runs *now)
{
	struct by_runs next = { { 0, 0 } };
	bool known = true;
	for (int run = 0; run < 2; run++)
		for (int odd = 0; odd < 2 && known; odd++) {
			long *sum = &next.elements[(run * (loop->count % 2) + odd) % 2], product;
			known = !__builtin_mul_overflow(now->elements[run],
				shown_at(loop, profile, steps, is_left, loop->turns && run, odd), &product)
				&& !__builtin_add_overflow(*sum, product, sum);
		}
	*now = next;
	return known;
}

bool group_leaves(const struct evaluation *evaluation, int e, int store, int l)
{
	const struct array_profile *profile = &evaluation->profiles[l]->arrays[e];
	unsigned long everywhere = ~0UL;
	for (int m = 0; m < store; m++)
		everywhere &= evaluation->profiles[m]->arrays[e].everywhere;
	return profile->stays && !(everywhere & ~profile->constant);
}

/* What is kept where loop R goes on: the loops inside it are in the first iterations of their runs then. */
static bool kept_across(const struct evaluation *evaluation, int e, int store, int r, long *elements)
{
	struct by_runs now = { { 1, 0 } };
	bool known = true;
	for (int l = 0; l < store && known; l++)
		known = walk(&evaluation->choice->loops[l], &evaluation->profiles[l]->arrays[e],
			l < r ? ALL_STEPS : l == r ? STEPS_ON : FIRST_STEP, group_leaves(evaluation, e, store, l), &now);
	return known && !__builtin_add_overflow(now.elements[0], now.elements[1], elements);
}

bool group_kept_at_turns(const struct evaluation *evaluation, int e, int store, long *elements)
{
	bool known = true;
	*elements = 0;
	if (!store || !evaluation->choice->loops[store - 1].turns)
		return true;
	for (int r = 0; r < store - 1 && known; r++) {
		long own = 0;
		known = (!group_leaves(evaluation, e, store, r) || kept_across(evaluation, e, store, r, &own))
			&& !__builtin_add_overflow(*elements, own, elements);
	}
	return known && group_times_still(evaluation, e, store, elements);
}
