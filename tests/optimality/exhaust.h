#ifndef TESTS_OPTIMALITY_EXHAUST_H
#define TESTS_OPTIMALITY_EXHAUST_H

#include "tests/optimality/simulate.h"

struct exhausted {
	bool found;
	/* The least traffic, and of the schedules with it the fewest commands; where the
	 * options prefer memory the least scratchpad, and the fewest commands with that. */
	long traffic, bytes, commands;
	long smallest;               /* scratchpad that any schedule needs: bytes */
	long schedules;              /* looked at, arrays counted apart */
	/* If not NULL: [b], the least traffic in exactly b bytes, or LONG_MAX; the caller sets
	 * all of the capacity's entries to that. */
	long *traffic_in;
};

/* Tries every schedule of MODEL on ARCH that OPTIONS allow, counting traffic with the
 * simulator.  For nests of a few loops of a few iterations.  Only traffic_in of RESULT
 * is read. */
void exhaust(const struct nest_model *model, const struct arch *arch,
	const struct search_options *options, bool try_directions, struct exhausted *result);

#endif
