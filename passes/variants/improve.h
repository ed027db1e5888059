#ifndef PASSES_IMPROVE_H
#define PASSES_IMPROVE_H

#include "passes/variants/choice.h"

/* Where the model only bounds what a nest's tiles touch, the best for the model need not be the
 * best plan: CHOICE, lowered into PLAN with its entry OUT, takes the schedule of its neighbours
 * that moves least, if that is less.  Neighbours differ in one tile, in what is outermost or in
 * how much scratchpad the search was left; the rest is the search's choice, or as it was.
 * BEFORE: the plan without the nest.  False if there is none better, or work is spent. */
bool choice_improve(struct choice *choice, const struct plan *before, struct plan *plan,
	struct plan_nest *out);

/* Likewise takes the schedule in which loops turn, if some region then is kept so that less is moved: the
 * same one but for that, or the best for the model with as many slots as there is room for. */
bool choice_turn(struct choice *choice, const struct plan *before, struct plan *plan,
	struct plan_nest *out);

/* Likewise takes the best of those that the model finds if it counts that what is touched at an end of a loop alone
 * does not come with its other tiles, such as an array that the last nest of merged ones uses. */
bool choice_end(struct choice *choice, const struct plan *before, struct plan *plan,
	struct plan_nest *out);

/* Where buffers are double as there is room, those of CHOICE become so that without closed forms
 * was found with single ones: all that can, if the plan then moves the same. */
void choice_overlap(struct choice *choice, const struct plan *before, struct plan *plan,
	struct plan_nest *out);

#endif
