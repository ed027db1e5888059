#ifndef PASSES_VALUES_H
#define PASSES_VALUES_H

#include <stdbool.h>

#include <isl/set.h>

/* The least and largest value of dimension DIM of SET; false if the set is empty,
 * or unbounded there, or a value is no long. */
bool set_dim_range(__isl_keep isl_set *set, int dim, long *min, long *max);

#endif
