#ifndef PASSES_STRATEGY_H
#define PASSES_STRATEGY_H

#include "passes/analysis/nest.h"

/* What each layer (nest) of a function moves under schedules that favour one kind of
 * data: the study of SuperSlash (Ahmad et al. 2020), section III. */

enum strategy {
	STRATEGY_INPUT, STRATEGY_WEIGHT, STRATEGY_OUTPUT,   /* arrays of that role are held */
	STRATEGY_FULL,               /* the whole space of one nest */
	STRATEGY_COUNT
};

/* What comes of fusing a layer with the next one. */
enum pair_verdict {
	PAIR_NONE,                   /* there is no next one */
	PAIR_SAVES,                  /* moves less than the two one by one */
	PAIR_COSTS,                  /* moves as much, or more */
	PAIR_TOO_LARGE,              /* no tile of both fits the scratchpad */
	PAIR_UNORDERED,              /* there is no loop along which both can be cut; they do not fit whole */
	PAIR_APART                   /* they share no array that could stay on chip */
};

struct layer {
	const struct nest *nest;
	long bytes[STRATEGY_COUNT];  /* least traffic; -1: no such schedule fits */
	enum pair_verdict pair;
	long with_next_bytes;        /* PAIR_SAVES, PAIR_COSTS: fused with the layer after it, both;
	                              * else -1 */
	/* PAIR_COSTS: the array that moves most more than with the two one by one, and by how much;
	 * NULL: it could not be told. */
	const struct array *dearest;
	long dearest_bytes;
	long chosen_bytes;           /* its share of what the function's plan moves */
	bool is_fused;               /* in a group with others */
	int rank;                    /* 1: the layer that moves most */
};

/* Fills *COUNT.  PLAN is the function's; what an array of a group moves is the share of
 * the first layer that reads it and of the last that writes it.  In the arena. */
struct layer *strategies_of_function(const struct compilation *compilation,
	const struct function *function, const struct plan *plan, int *count);

#endif
