#ifndef PASSES_ANNEALING_STATE_H
#define PASSES_ANNEALING_STATE_H

#include "passes/search/search_state.h"

/* What the files share that look for a good schedule and mapping at random: a candidate (annealing.c changes it), and what it
 * comes to (annealing_realise.c). */

/* Loops in the order of a candidate are all of the model's: those that are not cut, or have one step in a tile, are skipped.
 * Places of buffers are loops, so that they stay what they are where others come and go: OUTSIDE is outside all. */
enum { OUTSIDE = -1, WHOLE = -1 };

struct candidate {
	int tile_order[MODEL_LOOPS], step_order[MODEL_LOOPS];
	int choice[MODEL_LOOPS];         /* of the space's tile sizes; WHOLE: not cut */
	int store[MODEL_ARRAYS];         /* tile loop, or OUTSIDE */
	unsigned doubles;                /* bit a: array a is double, if it can be */
	int hold[MODEL_ARRAYS];          /* tile loop l; MODEL_LOOPS + l: step loop l; or OUTSIDE */
	long slots[MODEL_ARRAYS];        /* of registers */
	unsigned sliding, turning;       /* bit a: its registers slide; bit l: the step loop of l turns */
	long part[MODEL_LOOPS], space[MODEL_LOOPS];
	enum axis axis[MODEL_LOOPS];
};

/* What it cuts and where it stores: of the loops around buffers alone.  Most changes leave that as it was, or as it was not long ago. */
struct cuts {
	int depth, loops[MODEL_LOOPS], choice[MODEL_LOOPS];
	int stores[MODEL_ARRAYS];
	unsigned doubles;
};

/* What some cuts come to. */
enum { KNOWN_CUTS = 1 << 8 };
struct known_cuts {
	struct cuts cuts;
	bool is_known, may_be;
	struct schedule schedule;
	struct mapping_problem problem;
};

/* What a candidate comes to. */
struct realised {
	struct schedule schedule;
	struct mapping mapping;
	double value, about;             /* at a glance: mapping_cost_about */
	bool is_same;                    /* as the candidate that the walk is at: nothing else is filled in */
};

struct annealing {
	struct tree *tree;
	const struct space *space;
	struct known_cuts *known;        /* [KNOWN_CUTS] */
	unsigned long random;
	struct candidate now;
	double value, about;             /* of it; and at a glance */
	struct realised best;
	bool found;
	bool may_keep;                   /* slots, windows and turns of registers are tried */
	long spent;                      /* points that timing has taken besides */
};

static inline bool moves(const struct space *space, int a, int loop)
{
	return space->indexed[a] >> loop & 1;
}

/* Whether CANDIDATE may be, and costs MOST or less: then it is REALISED. */
bool annealing_realise(struct annealing *annealing, const struct candidate *candidate, double most, struct realised *realised);

#endif
