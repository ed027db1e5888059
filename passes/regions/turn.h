#ifndef PASSES_TURN_H
#define PASSES_TURN_H

#include "passes/tiles/lowering.h"

/* What stays in a buffer where the loop that moves its region turns: the rules of struct storage in
 * passes/cost/model.h, for regions that have closed forms and those that isl finds. */

/* A buffer, as far as that depends on it. */
struct turning {
	int mover;                   /* the innermost loop outside, which moves the region; -1: none */
	unsigned long still;         /* bit l: loop l, outside the mover, leaves the region where it is */
	unsigned long anchors;       /* bit l: regions are seen in one tile of loop l's runs, and held until it goes on */
	long slots;                  /* regions that are held */
	struct plan_expr *visited;   /* the visits that have a region; NULL: all */
};

/* Loop L goes to and fro within a run of the loops around it that the nest has for itself. */
bool loop_turns(const struct lowering *lowering, int l);

/* The region of this visit is on chip since the run before (TOWARDS_END: will stay until the
 * next run).  NULL: never. */
struct plan_expr *kept_at_turn(const struct lowering *lowering, const struct turning *turning,
	bool towards_end);

/* The loops outside the mover whose steps leave in the buffer what it shows: kept_at_turn without conditions. */
unsigned long kept_loops(const struct lowering *lowering, const struct turning *turning);

/* The first loop whose iterations may hand regions on: nothing is kept from one block to the next,
 * nor around other nests, whose buffers take the same place in turns. */
int outermost_own(const struct lowering *lowering);

/* Loop L is in the first, or the last, iteration of its run. */
struct plan_expr *loop_at_start(const struct lowering *lowering, int l);
struct plan_expr *loop_at_end(const struct lowering *lowering, int l);

#endif
