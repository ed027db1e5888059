#include "passes/model.h"

#include <limits.h>
#include <math.h>

#include "passes/model_math.h"

/* Lower bounds on what any schedule moves; docs/search.md proves them.
 *
 * compulsory: every element that is read comes in, every element written goes out.
 *
 * partition: cut any execution into groups of F iterations.  A group reads what was on
 * chip when it began or came in during it, and what it writes is on chip when it ends
 * or went out during it; summed over the groups, transfers make up for all that is
 * touched but one scratchpad a group.  How little F iterations can touch follows from
 * the discrete Brascamp-Lieb inequality for projections (Loomis-Whitney is the case of
 * matrix products), with any exponents that cover every loop; small extents cover
 * loops too.
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

/* Bytes of ARRAY that have to be moved in any case. */
static long array_compulsory(const struct nest_model *model, const struct model_array *array)
{
	int times = array->is_written ? 2 - array->is_created - array->is_dropped : array->is_read;

	return saturated_product(saturated_product(array_elements(model, array),
		array->element_bytes), times);
}

long model_compulsory(const struct nest_model *model)
{
	long bytes = 0;

	for (int a = 0; a < model->array_count; a++)
		bytes = saturated_sum(bytes, array_compulsory(model, &model->arrays[a]));
	return bytes;
}

/* ---- partition ---- */

struct partition {
	const struct nest_model *model;
	double scratchpad;           /* bytes */
	double iterations;
	/* By array: bytes of the elements that one combination of the loops that index it
	 * needs at least, shared with all others that touch the same element; 0: the
	 * array is not touched by all iterations. */
	double weight[MODEL_ARRAYS];
	double compulsory[MODEL_ARRAYS];
	unsigned indexed[MODEL_ARRAYS];
};

static long common_divisor(long a, long b)
{
	return b == 0 ? a : common_divisor(b, a % b);
}

/* At most so many combinations of the loops of a dimension give the same element: of
 * two loops the solutions of an equation, which are evenly spaced; all of the others. */
static double dim_sharing(const struct nest_model *model, const struct model_dim *dim)
{
	double all = 1, least = INFINITY;

	for (int l = 0; l < model->loop_count; l++)
		if (dim->coefficient[l] > 0)
			all *= (double)model->loops[l].extent;
	for (int k = 0; k < model->loop_count; k++)
		for (int l = 0; l < model->loop_count; l++) {
			double first = (double)model->loops[k].extent;
			double second = (double)model->loops[l].extent;
			long divisor;

			if (dim->coefficient[k] == 0 || dim->coefficient[l] == 0)
				continue;
			divisor = common_divisor(dim->coefficient[k], dim->coefficient[l]);
			least = fmin(least, k == l ? all / first : all / first / second *
				fmin(ceil(first / (double)(dim->coefficient[l] / divisor)),
				ceil(second / (double)(dim->coefficient[k] / divisor))));
		}
	return least == INFINITY ? 1 : least;
}

/* Dimensions without common loops tell combinations apart; loops of none do not. */
static double array_sharing(const struct nest_model *model, const struct model_array *array)
{
	bool is_used[MODEL_LOOPS] = { false };
	double sharing = 1;

	for (int d = 0; d < array->rank; d++) {
		bool is_free = true;

		for (int l = 0; l < model->loop_count; l++)
			is_free = is_free && (array->dims[d].coefficient[l] == 0 || !is_used[l]);
		if (!is_free)
			continue;
		sharing *= dim_sharing(model, &array->dims[d]);
		for (int l = 0; l < model->loop_count; l++)
			is_used[l] = is_used[l] || array->dims[d].coefficient[l] > 0;
	}
	for (int l = 0; l < model->loop_count; l++)
		if (!is_used[l] && array_is_indexed(array, l))
			sharing *= (double)model->loops[l].extent;
	return sharing;
}

static void partition_init(struct partition *partition, const struct nest_model *model,
	long scratchpad_bytes)
{
	partition->model = model;
	partition->scratchpad = (double)scratchpad_bytes;
	partition->iterations = 1;
	for (int l = 0; l < model->loop_count; l++)
		partition->iterations *= (double)model->loops[l].extent;
	for (int a = 0; a < model->array_count; a++) {
		const struct model_array *array = &model->arrays[a];

		partition->compulsory[a] = (double)array_compulsory(model, array);
		/* what is dropped may come and go without a transfer */
		partition->weight[a] = array->anchored != 0 || array->is_dropped ||
			!(array->is_read || array->is_written) ? 0 :
			array->element_bytes / array_sharing(model, array);
		partition->indexed[a] = 0;
		for (int l = 0; l < model->loop_count; l++)
			if (array_is_indexed(array, l))
				partition->indexed[a] |= 1u << l;
	}
}

/* What the exponents POWER of the arrays prove.  F iterations touch at least
 * sigma (F / K)^(1 / sigma) bytes, sigma = sum of the exponents. */
static double partition_bound(const struct partition *partition, const double *power)
{
	const struct nest_model *model = partition->model;
	double sigma = 0, log_k = 0, others = 0, group, groups, rest, touched, bound;

	for (int a = 0; a < model->array_count; a++) {
		if (power[a] == 0) {
			others += partition->compulsory[a];
			continue;
		}
		sigma += power[a];
		log_k += power[a] * log(power[a] / partition->weight[a]);
	}
	if (sigma <= 1)
		return others;
	for (int l = 0; l < model->loop_count; l++) {
		double cover = 1;

		for (int a = 0; a < model->array_count; a++)
			cover -= partition->indexed[a] >> l & 1 ? power[a] : 0;
		if (cover > 0)
			log_k += cover * log((double)model->loops[l].extent);
	}
	group = floor(exp(log_k + sigma * log(partition->scratchpad / (sigma - 1))));
	group = group < 1 ? 1 : group > partition->iterations ? partition->iterations : group;
	groups = floor(partition->iterations / group);
	rest = partition->iterations - groups * group;
	touched = sigma * exp((log(group) - log_k) / sigma);
	/* nothing is on chip at the beginning and at the end */
	bound = groups * (touched - partition->scratchpad) + partition->scratchpad;
	if (rest >= 1)
		bound += fmax(0, sigma * exp((log(rest) - log_k) / sigma) - partition->scratchpad);
	return others + bound;
}

/* Climbs from POWER by steps of one exponent or an exchange between two. */
static double best_powers(const struct partition *partition, double *power)
{
	int count = partition->model->array_count;
	double best = partition_bound(partition, power);

	for (double step = 0.5; step > 0.01; step /= 2) {
		bool is_better = true;

		for (int tries = 0; is_better && tries < 100; tries++) {
			is_better = false;
			for (int a = 0; a < count; a++)
				for (int b = 0; b < 2 * count; b++) {
					double before[2] = { power[a], power[b % count] }, bound;

					if (partition->weight[a] == 0 || partition->weight[b % count] == 0)
						continue;
					power[a] += b < count ? step : -step;
					if (b % count != a)
						power[b % count] += b < count ? -step : -step;
					bound = power[a] < 0 || power[a] > 1 || power[b % count] < 0 ||
						power[b % count] > 1 ? 0 : partition_bound(partition, power);
					if (bound > best) {
						best = bound;
						is_better = true;
					} else {
						power[a] = before[0];
						power[b % count] = before[1];
					}
				}
		}
	}
	return best;
}

/* What the partition argument proves; 0 where it does not hold. */
static double bound_by_partition(const struct nest_model *model, long scratchpad_bytes)
{
	static const double starts[] = { 0.5, 1, 0.75 };
	struct partition partition;
	double best = 0;

	if (scratchpad_bytes < 1)
		return 0;
	/* at borders not all iterations run */
	for (int a = 0; a < model->array_count; a++)
		if (array_is_clipped(&model->arrays[a]))
			return 0;
	partition_init(&partition, model, scratchpad_bytes);
	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
		double power[MODEL_ARRAYS];

		for (int a = 0; a < model->array_count; a++)
			power[a] = partition.weight[a] > 0 ? starts[i] : 0;
		best = fmax(best, best_powers(&partition, power));
	}
	/* rounding may not make it a byte too much */
	return floor(best * (1 - 1e-9));
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
