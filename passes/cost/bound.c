#include "passes/cost/model.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "passes/cost/bound_partition.h"
#include "passes/cost/model_math.h"

/* Lower bounds on what any schedule of a model moves; docs/search.md proves them.
 *
 * compulsory: every element that is read comes in, every element written goes out.
 *
 * partition: what comes in of some arrays by the argument of bound_partition.c, and what is compulsory
 * besides.
 */

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

/* Of ELEMENTS touched within HULL, those that a clipped dimension has at least. */
static long without_clip(const struct model_dim *dim, long elements, long hull)
{
	long outside = dim->clip_high > 0 ? hull - (dim->clip_high - dim->clip_low) : 0;

	return elements - outside > 1 ? elements - outside : 1;
}

/* At least so many different elements of a dimension are touched, where ELEMENTS of its window
 * are.  Loops are added from the smallest coefficient: while they leave no gap the elements are an
 * interval; a step over all of it makes disjoint copies; else |A + B| >= |A| + |B| - 1. */
long dim_elements(const struct nest_model *model, const struct model_dim *dim, long elements)
{
	long hull = dim->window;
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
			return without_clip(dim, elements, hull);
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
			const struct model_dim *dim = &array->dims[d];
			long count = dim_elements(model, dim, dim->touched ? dim->touched : dim->window);
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

/* Bytes of ARRAY that have to come in, or go out, in any case. */
static long bytes_in(const struct nest_model *model, const struct model_array *array)
{
	bool comes = !array->is_created && (array->is_written || array->is_read);

	return comes ? saturated_product(array_elements(model, array), array->element_bytes) : 0;
}

static long bytes_out(const struct nest_model *model, const struct model_array *array)
{
	return array->is_written && !array->is_dropped ?
		saturated_product(array_elements(model, array), array->element_bytes) : 0;
}

long model_compulsory(const struct nest_model *model)
{
	long bytes = 0;

	for (int a = 0; a < model->array_count; a++)
		bytes = saturated_sum(bytes, saturated_sum(bytes_in(model, &model->arrays[a]),
			bytes_out(model, &model->arrays[a])));
	return bytes;
}

/* ---- partition ---- */

/* At most so many bytes of ARRAY are touched. */
static double bytes_of_box(const struct nest_model *model, const struct model_array *array)
{
	double bytes = array->element_bytes;

	for (int d = 0; d < array->rank; d++) {
		double elements = (double)array->dims[d].window;

		for (int l = 0; l < model->loop_count; l++)
			elements += (double)array->dims[d].coefficient[l] *
				(double)(model->loops[l].extent - 1);
		bytes *= elements;
	}
	return bytes;
}

/* ARRAY as a term: every iteration needs what its element held before it. */
static void fill_term(const struct nest_model *model, int a, struct partition_term *term)
{
	const struct model_array *array = &model->arrays[a];

	term->array = a;
	term->bytes = array->element_bytes;
	/* what the first iteration of each element makes on chip */
	term->loss = array->is_created ? bytes_of_box(model, array) : 0;
	term->indexed = 0;
	for (int l = 0; l < model->loop_count; l++)
		if (array_is_indexed(array, l))
			term->indexed |= 1u << l;
	spread_of_array(model, array, &term->spread);
}

static void fill_partition(const struct nest_model *model, long scratchpad_bytes,
	struct partition *partition)
{
	partition->loop_count = model->loop_count;
	partition->term_count = 0;
	partition->unit = 1;
	partition->iterations = 1;
	partition->scratchpad = (double)scratchpad_bytes;
	memset(partition->alone, 0, sizeof partition->alone);
	for (int l = 0; l < model->loop_count; l++) {
		partition->extent[l] = (double)model->loops[l].extent;
		partition->iterations *= partition->extent[l];
	}
	for (int a = 0; a < model->array_count; a++) {
		const struct model_array *array = &model->arrays[a];

		partition->alone[a] = (double)bytes_in(model, array);
		if (array->anchored == 0 && !array->is_partial && (array->is_read || array->is_written))
			fill_term(model, a, &partition->terms[partition->term_count++]);
	}
}

/* What the partition argument proves; 0 where it does not hold. */
static double bound_by_partition(const struct nest_model *model, long scratchpad_bytes)
{
	struct partition partition;
	double best, out = 0;

	if (scratchpad_bytes < 1)
		return 0;
	/* at borders not all iterations run */
	for (int a = 0; a < model->array_count; a++)
		if (array_is_clipped(&model->arrays[a]))
			return 0;
	fill_partition(model, scratchpad_bytes, &partition);
	best = partition_incoming(&partition);
	for (int a = 0; a < model->array_count; a++)
		out += (double)bytes_out(model, &model->arrays[a]);
	/* rounding may not make it a byte too much */
	return floor((best + out) * (1 - 1e-9));
}

bool model_is_countable(const struct nest_model *model, long scratchpad_bytes)
{
	return bound_by_partition(model, scratchpad_bytes) < (double)LONG_MAX;
}

long model_lower_bound(const struct nest_model *model, long scratchpad_bytes,
	const char **argument)
{
	long compulsory = model_compulsory(model);
	double best = bound_by_partition(model, scratchpad_bytes);

	*argument = "compulsory";
	if (best <= (double)compulsory || best >= (double)LONG_MAX)
		return compulsory;
	*argument = "partition";
	return (long)best;
}
