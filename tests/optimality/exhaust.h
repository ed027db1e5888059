#ifndef TESTS_OPTIMALITY_EXHAUST_H
#define TESTS_OPTIMALITY_EXHAUST_H

#include "tests/optimality/simulate.h"

struct exhausted {
	bool found;
	long traffic, commands;      /* the least traffic, and the fewest commands with it */
	long smallest;               /* scratchpad that any schedule needs: bytes, or banks */
	long schedules;              /* looked at, arrays counted apart */
};

/* Tries every schedule of MODEL on ARCH that OPTIONS allow, counting traffic with the
 * simulator.  For nests of a few loops of a few iterations. */
void exhaust(const struct nest_model *model, const struct arch *arch,
	const struct search_options *options, bool try_directions, struct exhausted *result);

#endif
