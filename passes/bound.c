#include "passes/model.h"

#include <limits.h>
#include <math.h>

#include "passes/model_math.h"

/* Lower bounds on what any schedule moves; docs/search.md proves them. */

static long saturated_product(long a, long b)
{
	long product;

	return __builtin_mul_overflow(a, b, &product) ? LONG_MAX : product;
}

static long saturated_sum(long a, long b)
{
	long sum;

	return __builtin_add_overflow(a, b, &sum) ? LONG_MAX : sum;
}

/* At least so many different elements of a dimension are touched.  Loops are added
 * from the smallest coefficient: while they leave no gap the elements are an
 * interval; a step over all of it makes disjoint copies; else |A + B| >= |A| + |B| - 1. */
long dim_elements(const struct nest_model *model, const struct model_dim *dim)
{
	long elements = dim->window, hull = dim->window;
	bool is_used[MODEL_LOOPS] = { false };

	for (;;) {
		long c = 0, extent;
		int next = -1;

		for (int l = 0; l < model->loop_count; l++)
			if (!is_used[l] && dim->coefficient[l] > 0 &&
				(next < 0 || dim->coefficient[l] < c)) {
				c = dim->coefficient[l];
				next = l;
			}
		if (next < 0)
			return elements;
		is_used[next] = true;
		extent = model->loops[next].extent;
		if (elements == hull && c <= hull)
			elements = saturated_sum(hull, saturated_product(c, extent - 1));
		else if (c >= hull)
			elements = saturated_product(elements, extent);
		else
			elements = saturated_sum(elements, extent - 1);
		hull = saturated_sum(hull, saturated_product(c, extent - 1));
	}
}

/* Different elements touched: dimensions that share a loop are not independent, so
 * only a set of dimensions without common loops is multiplied. */
static long array_elements(const struct nest_model *model, const struct model_array *array)
{
	bool is_used[MODEL_LOOPS] = { false }, is_taken[MODEL_RANK] = { false };
	long elements = 1;

	for (;;) {
		long most = 1;
		int next = -1;

		for (int d = 0; d < array->rank; d++) {
			long count = dim_elements(model, &array->dims[d]);
			bool is_free = !is_taken[d];

			for (int l = 0; l < model->loop_count; l++)
				is_free = is_free && !(array->dims[d].coefficient[l] > 0 && is_used[l]);
			if (is_free && count > most) {
				most = count;
				next = d;
			}
		}
		if (next < 0)
			return elements;
		is_taken[next] = true;
		elements = saturated_product(elements, most);
		for (int l = 0; l < model->loop_count; l++)
			is_used[l] = is_used[l] || array->dims[next].coefficient[l] > 0;
	}
}

long model_compulsory(const struct nest_model *model)
{
	long bytes = 0;

	for (int a = 0; a < model->array_count; a++) {
		const struct model_array *array = &model->arrays[a];
		int times = array->is_written ? (array->is_created ? 1 : 2) : array->is_read;

		bytes = saturated_sum(bytes, saturated_product(
			saturated_product(array_elements(model, array), array->element_bytes), times));
	}
	return bytes;
}

long model_lower_bound(const struct nest_model *model, long scratchpad_bytes,
	const char **argument)
{
	(void)scratchpad_bytes;
	*argument = "compulsory";
	return model_compulsory(model);
}
