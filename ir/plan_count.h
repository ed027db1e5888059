#ifndef IR_PLAN_COUNT_H
#define IR_PLAN_COUNT_H

#include "ir/plan.h"

/* What the transfers of NODE (a nest's body) move, by walking its loops: the
 * second way to the numbers that the search has in closed form.  Adds to
 * TRAFFIC[array.index] of the function's array_count entries; *COMMANDS (may be
 * NULL) counts transfers started: DMA commands, once the plan's transfers are split
 * (passes/split.h).  Iterations that are alike (no expression of a
 * transfer depends on the loop) are counted once.  False if more than STEPS loop
 * iterations would have to be walked or a number overflows. */
bool plan_count(const struct plan_node *node, const struct function *function, long steps,
	struct plan_traffic *traffic, long *commands);

#endif
