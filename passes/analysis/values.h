#ifndef PASSES_VALUES_H
#define PASSES_VALUES_H

#include <stdbool.h>

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/val.h>

#include "ir/isl_work.h"

/* The least and largest value of dimension DIM of SET; false if the set is empty,
 * or unbounded there, or a value is no long. */
bool set_dim_range(__isl_keep isl_set *set, int dim, long *min, long *max);
/* The one value of dimension DIM of SET, as that of a loop that runs once; false if isl does not see
 * that it has one. */
bool set_dim_value(__isl_keep isl_set *set, int dim, long *value);
/* All values of dimension DIM of SET are OFFSET and a multiple of what is returned, 1 if isl sees no
 * larger one.  A loop's step alone says less: where one begins depends on the loops around it. */
long set_dim_step(__isl_keep isl_set *set, int dim, long *offset);
/* Only the largest. */
bool set_dim_most(__isl_keep isl_set *set, int dim, long *max);

/* isl's own forms of these take an int. */
static inline isl_set *set_bounds(__isl_take isl_set *set, unsigned dim, long min, long max)
{
	isl_ctx *ctx = isl_set_get_ctx(set);
	set = isl_set_lower_bound_val(set, isl_dim_set, dim, isl_val_int_from_si(ctx, min));
	return isl_set_upper_bound_val(set, isl_dim_set, dim, isl_val_int_from_si(ctx, max));
}

static inline isl_aff *aff_add(__isl_take isl_aff *aff, long constant)
{
	isl_ctx *ctx = isl_aff_get_ctx(aff);
	return isl_aff_add_constant_val(aff, isl_val_int_from_si(ctx, constant));
}

#endif
