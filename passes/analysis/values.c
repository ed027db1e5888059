#include "passes/analysis/values.h"

#include <isl/aff.h>
#include <isl/ilp.h>
#include <isl/stride_info.h>
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

long set_dim_step(__isl_keep isl_set *set, int dim, long *offset)
{
	long step = 1;
	*offset = 0;
	/* a set of its own: isl writes what it finds into the one that it is asked about */
	isl_set *own = isl_set_reset_tuple_id(isl_set_copy(set));
	isl_stride_info *info = isl_set_get_stride_info(own, dim);
	isl_val *stride = isl_stride_info_get_stride(info);
	isl_aff *aff = isl_stride_info_get_offset(info);
	if (isl_aff_is_cst(aff) == isl_bool_true) {
		isl_val *begin = isl_aff_get_constant_val(aff);
		step = isl_val_get_num_si(stride);
		*offset = isl_val_get_num_si(begin);
		isl_val_free(begin);
	}
	isl_aff_free(aff);
	isl_val_free(stride);
	isl_stride_info_free(info);
	isl_set_free(own);
	return step;
}
