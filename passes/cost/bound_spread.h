#ifndef PASSES_BOUND_SPREAD_H
#define PASSES_BOUND_SPREAD_H

#include "passes/cost/model.h"

/* How many iterations share an element, where some elements are shared by more than others: at the
 * ends of a window's range few are.  ITERATIONS[i] of them, of loops that index the array, touch
 * elements that at most SHARING[i] touch. */
struct spread_part {
	int count;
	double iterations[64], sharing[64];
};

enum { SPREAD_PARTS = 4 };

struct spread {
	double all;                  /* no element is shared by more */
	double rest;                 /* of these, by loops that are in no part */
	unsigned loops;              /* bit l: loop l is in a part */
	int part_count;              /* dimensions whose loops are in no other */
	struct spread_part parts[SPREAD_PARTS];
};

/* An element for each combination of loops. */
void spread_none(struct spread *spread);
/* Of ARRAY's elements, over all iterations of MODEL. */
void spread_of_array(const struct nest_model *model, const struct model_array *array,
	struct spread *spread);
/* As if each element were shared by as many as any. */
void spread_flatten(struct spread *spread);
/* SHARING such that iterations weighed by (how many share their element) ^ -POWER weigh on average
 * SHARING ^ -POWER; its logarithm.  POWER > 0. */
double spread_mean(const struct spread *spread, double power);
/* The logarithm of how many share an element at least. */
double spread_least(const struct spread *spread);

#endif
