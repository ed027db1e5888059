#ifndef PASSES_CUT_H
#define PASSES_CUT_H

#include "passes/limits.h"

/* How the iterations of a loop are shared by processing elements.  A tile of TILE iterations is done in steps of STEP, and in
 * a step each element takes PART of them, one after the other: with tile 7, step 4 and part 2, elements 0 and 1 take the
 * iterations 0-1 and 2-3, then 4-5 and 6.  The last tile of a loop may be smaller, as may the last step of a tile and the
 * last part of a step. */
struct split { long tile, step, part; };

/* Where the box of a model lies in a larger nest, along one loop: COUNT boxes of its extent, the first of which
 * begins at iteration FIRST, each STEP after the one before; the loop has EXTENT iterations there. */
struct origins { long first, step, count, extent; };

/* What of a region counts as a box of its own.  SPLITS [loop] with part 0, and loops that do not index the array: not cut.
 * ORIGINS may be NULL, and matter for clipped arrays only. */
struct cut {
	const struct split *splits;
	const struct origins *origins;
};

/* Equal pieces. */
struct piece { long size, count; };
enum { SPLIT_PIECES = 4 };

/* The parts that the first ITERATIONS of a loop are cut into, at most SPLIT_PIECES sizes; returns how many. */
int split_pieces(const struct split *split, long iterations, struct piece *pieces);
/* The steps that ITERATIONS take. */
long split_steps(const struct split *split, long iterations);
/* The elements that have something to do in a tile of ITERATIONS. */
long split_elements(const struct split *split, long iterations);

#endif
