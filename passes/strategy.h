#ifndef PASSES_STRATEGY_H
#define PASSES_STRATEGY_H

#include "passes/nest.h"

/* What each layer (nest) of a function moves under schedules that favour one kind of
 * data: the study of SuperSlash (Ahmad et al. 2020), section III. */

enum strategy {
	STRATEGY_INPUT, STRATEGY_WEIGHT, STRATEGY_OUTPUT,   /* arrays of that role are held */
	STRATEGY_FULL,               /* the whole space of one nest */
	STRATEGY_COUNT
};

struct layer {
	const struct nest *nest;
	long bytes[STRATEGY_COUNT];  /* least traffic; -1: no such schedule fits */
	long with_next_bytes;        /* fused with the layer after it, both; -1: not possible */
	long chosen_bytes;           /* its share of what the function's plan moves */
	bool is_fused;               /* in a group with others */
	int rank;                    /* 1: the layer that moves most */
};

/* Fills *COUNT.  PLAN is the function's; what an array of a group moves is the share of
 * the first layer that reads it and of the last that writes it.  In the arena. */
struct layer *strategies_of_function(const struct compilation *compilation,
	const struct function *function, const struct plan *plan, int *count);

#endif
