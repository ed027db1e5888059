#ifndef PASSES_BOUND_PARTITION_H
#define PASSES_BOUND_PARTITION_H

#include "passes/cost/bound_spread.h"
#include "passes/limits.h"

/* What must come in by the argument of partitions (docs/search.md), whatever the order in which the
 * iterations run: numbers in, a number out. */

/* A way to touch an array: each iteration touches an element, which the loops in INDEXED tell from
 * others but for what SPREAD says. */
struct partition_term {
	unsigned indexed;            /* bit l: loop l */
	int array;
	int tag;                     /* the caller's */
	double bytes;                /* of an element; less where other terms may touch the same one */
	double loss;                 /* bytes of elements that groups count though none came in */
	struct spread spread;
};

enum { PARTITION_TERMS = 2 * MODEL_ARRAYS };

struct partition {
	int loop_count, term_count;
	double extent[MODEL_LOOPS];  /* no more values of each loop */
	double iterations;           /* exact, of a set of any shape */
	double unit;                 /* iterations that run as one */
	double scratchpad;           /* bytes */
	struct partition_term terms[PARTITION_TERMS];
	double alone[MODEL_ARRAYS];  /* by array: bytes that come in whatever groups there are */
};

/* At least so many bytes come in, of all arrays together. */
double partition_incoming(const struct partition *partition);

#endif
