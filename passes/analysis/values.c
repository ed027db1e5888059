#include "passes/analysis/values.h"

#include <isl/ilp.h>
#include <isl/val.h>

static bool take_long(__isl_take isl_val *value, long *number)
{
	bool fits = isl_val_is_int(value) == isl_bool_true
		&& isl_val_n_abs_num_chunks(value, sizeof(long)) <= 1;
	if (fits) {
		*number = isl_val_get_num_si(value);
		isl_val *again = isl_val_int_from_si(isl_val_get_ctx(value), *number);
		fits = isl_val_eq(again, value) == isl_bool_true;
		isl_val_free(again);
	}
	isl_val_free(value);
	return fits;
}

/* isl's extremes of an empty set are no numbers. */
bool set_dim_range(__isl_keep isl_set *set, int dim, long *min, long *max)
{
	return take_long(isl_set_dim_min_val(isl_set_copy(set), dim), min)
		&& set_dim_most(set, dim, max);
}

bool set_dim_most(__isl_keep isl_set *set, int dim, long *max)
{
	return take_long(isl_set_dim_max_val(isl_set_copy(set), dim), max);
}

bool set_dim_value(__isl_keep isl_set *set, int dim, long *value)
{
	return take_long(isl_set_plain_get_val_if_fixed(set, isl_dim_set, (unsigned)dim), value);
}
