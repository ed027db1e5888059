#ifndef IR_PLAN_COUNT_H
#define IR_PLAN_COUNT_H

#include "ir/plan.h"

/* What the transfers of NODE (a nest's body) move: the second way to the numbers that the
 * search has in closed form.  Adds to the flow of TRAFFIC[array.index] of the function's
 * array_count entries; its commands are transfers started: DMA commands, once the plan's
 * transfers are split (passes/plan_passes/split.h); its runs are not counted.  Loops that a transfer does not depend on multiply,
 * and of the others the longest is taken in runs of iterations over which all counts are
 * straight lines.  False if that takes more than STEPS iterations and runs, or a number
 * overflows. */
bool plan_count(const struct plan_node *node, const struct function *function, long steps,
	struct plan_traffic *traffic);

/* The same where the symbolic sizes of FUNCTION have the values SIZES (NULL: those it is
 * tuned for, as above). */
bool plan_count_at(const struct plan_node *node, const struct function *function,
	const long *sizes, long steps, struct plan_traffic *traffic);

/* The commands of COUNT entries of TRAFFIC, counted so; -1: a long does not hold them. */
long plan_traffic_commands(const struct plan_traffic *traffic, int count);

#endif
