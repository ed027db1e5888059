#ifndef IR_PLAN_COUNT_H
#define IR_PLAN_COUNT_H

#include "ir/plan.h"

/* What the transfers of NODE (a nest's body) move: the second way to the numbers that the
 * search has in closed form.  Adds to TRAFFIC[array.index] of the function's array_count
 * entries; *COMMANDS (may be NULL) counts transfers started: DMA commands, once the plan's
 * transfers are split (passes/plan_passes/split.h).  Loops that a transfer does not depend on multiply,
 * and of the others the longest is taken in runs of iterations over which all counts are
 * straight lines.  False if that takes more than STEPS iterations and runs, or a number
 * overflows. */
bool plan_count(const struct plan_node *node, const struct function *function, long steps,
	struct plan_traffic *traffic, long *commands);

/* The same where the symbolic sizes of FUNCTION have the values SIZES (NULL: those it is
 * tuned for, as above). */
bool plan_count_at(const struct plan_node *node, const struct function *function,
	const long *sizes, long steps, struct plan_traffic *traffic, long *commands);

#endif
