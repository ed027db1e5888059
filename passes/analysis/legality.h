#ifndef PASSES_LEGALITY_H
#define PASSES_LEGALITY_H

#include "passes/analysis/band.h"

/* What is legal: which orders keep the dependences of a nest.  Who cuts, skews, reverses, splits or
 * joins loops asks here.
 *
 * Tiles run by their values in the dimensions of a band, the instances of one tile in the source's
 * order.  So a dimension may be cut into tiles, and may change places with the others, where no
 * dependence runs backwards in it: from a value to a smaller one.  Its tiles may also run from the last
 * to the first where none runs forwards either.  The two ends of a private value (nest.h)
 * must be in one tile, and then no other order matters for them. */

/* How far the ends of some dependent pairs are apart in a dimension. */
struct distance {
	bool any;                    /* there are such pairs */
	long min, max;               /* the value of the later end less that of the earlier one; -1 and
	                              * 1 where it may be anything */
};

/* The distances of PAIRS whose ends have the values FROM and TO. */
struct distance pairs_distance(__isl_keep isl_map *pairs, __isl_take isl_map *from,
	__isl_take isl_map *to);

/* Whether pairs keep their order in a dimension in which their ends are FROM and TO; both are in one
 * tile if they are PRIVATE values.  DISTANCE matters only where both ends are affine. */
bool pairs_keep_order(enum hyperplane_kind from, enum hyperplane_kind to, bool is_private,
	struct distance distance);

/* What the dependences of a nest allow in a dimension. */
struct freedom {
	bool can_tile;               /* none runs backwards */
	bool can_turn;               /* none runs forwards either: tiles in any order (if they can be
	                              * tiled) */
	int from, to;                /* statements of the dependence that takes the last of it away */
};

/* That of the dimension in which NEST's statements are at PLANES, inside the sequential dimensions of
 * BAND; for all values of the sizes that are left to the run.  MAY_TURN: whether it can turn is asked
 * too; else it is said that it cannot. */
struct freedom nest_freedom(const struct nest *nest, const struct band *band,
	const struct hyperplane *planes, bool may_turn);

/* Clears IS_APART [statement] where the statement of NEST may not be apart from the one before: in each
 * iteration of the first LOOPS loops, which all share, pieces that are apart run as a whole one after
 * the other. */
void nest_separate(const struct nest *nest, int loops, bool *is_apart);

/* The statements of FUNCTION from FIRST up to END may be cut into tiles by their own dependences: which
 * value of a scalar is whose was found for the whole function, and they have all uses or none of each
 * that is written. */
bool statements_may_join(const struct function *function, int first, int end);

#endif
