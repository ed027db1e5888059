#ifndef PASSES_FRONT_H
#define PASSES_FRONT_H

#include <stdbool.h>

#include "ir/energy.h"
#include "passes/cost/objective.h"
#include "support/arena.h"

/* The Pareto front of scratchpad and traffic: what the least traffic is for every size. */

struct front_point {
	long memory_bytes, traffic_bytes;
	struct energy_counts counts; /* what energy comes from; multiply-accumulates too */
	bool is_proved;              /* nothing moves less in so much memory */
	const char *schedule;        /* its text */
};

struct cost front_point_cost(const struct front_point *point);

/* Capacities, in bytes, that nothing was searched in. */
struct front_gap {
	long from_bytes, to_bytes;
};

struct front {
	int point_count, gap_count;
	size_t point_capacity, gap_capacity;
	struct front_point *points;  /* memory falls; none dominates another */
	struct front_gap *gaps;      /* largest first; none: the front is complete */
};

/* The least traffic in CAPACITY bytes, and of the schedules with it the least memory.
 * False: nothing fits. */
typedef bool front_search(void *user, long capacity_bytes, struct front_point *point);

/* Adds POINT unless another one is no worse in memory, traffic and (WITH_MACS) multiply-
 * accumulates, and removes those that are no better than it. */
void front_add(struct arena *arena, struct front *front, const struct front_point *point,
	bool with_macs);

/* When the search for a front ends before it is complete.  With limits searches are spread
 * over the sizes; what they leave out are the gaps. */
struct front_limits {
	int searches;                /* at most; 0: any number */
	const double *work;          /* that searches did, in any unit; NULL: not limited */
	double most_work;            /* none begins that much later */
	const volatile int *interrupted;   /* may be NULL; where it is set the search ends */
};

/* Finds the front of all capacities up to CAPACITY, multiples of GRANULE, by epsilon
 * constraint: what was found with some memory is the best of all capacities between that
 * and what it needs, and the next point is the best with a granule less. */
void front_find(struct arena *arena, front_search *search, void *user, long capacity,
	long granule, const struct front_limits *limits, struct front *front);

#endif
