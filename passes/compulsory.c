/* What must cross the bus at least, where there is no model. */

#include <isl/set.h>
#include <isl/val.h>

#include "ir/coalesce.h"
#include "passes/nest.h"
#include "passes/values.h"

static long box_count(__isl_keep isl_set *set)
{
	long count = 1;
	for (int d = 0; d < isl_set_dim(set, isl_dim_set); d++) {
		long min, max;
		if (!set_dim_range(set, d, &min, &max)
			|| __builtin_mul_overflow(count, max - min + 1, &count))
			return 0;
	}
	return count;
}

/* Elements of SET; 0 where counting would take long. */
static long count_at_least(__isl_take isl_set *set)
{
	enum { COUNT_LIMIT = 100000 };
	/* isl counts a point once for each value of what is projected out, unless that is a
	 * function of the point. */
	set = isl_set_make_disjoint(isl_set_compute_divs(set));
	long count = box_count(set);
	if (count && isl_set_is_box(set) != isl_bool_true) {
		isl_val *value = count <= COUNT_LIMIT ? isl_set_count_val(set) : NULL;
		count = value && isl_val_is_int(value) == isl_bool_true ? isl_val_get_num_si(value) : 0;
		isl_val_free(value);
	}
	isl_set_free(set);
	return count;
}

/* The elements of ARRAY that some access of the nest writes (or reads); NULL: none. */
static __isl_give isl_set *elements_of(const struct nest *nest, const struct array *array,
	bool is_write)
{
	isl_set *elements = NULL;
	for (int a = 0; a < nest->array_count; a++)
		for (int i = 0; i < nest->arrays[a].access_count; i++) {
			const struct access *access = nest->arrays[a].accesses[i].access;
			if (access->array != array || access->is_write != is_write
				|| nest->arrays[a].is_internal || nest_is_dropped(nest, &nest->arrays[a]))
				continue;
			isl_set *set = isl_map_range(isl_map_copy(access->map));
			elements = elements ? isl_set_union(elements, set) : set;
		}
	return elements ? set_coalesce(elements) : NULL;
}

long nest_compulsory(const struct nest *nest)
{
	long bytes = 0;
	for (int i = 0; i < nest->function->array_count; i++) {
		const struct array *array = nest->function->arrays[i];
		isl_set *elements = elements_of(nest, array, true);
		if (!elements)
			elements = elements_of(nest, array, false);
		if (elements)
			bytes += count_at_least(elements) * array->type.bytes;
	}
	return bytes;
}
