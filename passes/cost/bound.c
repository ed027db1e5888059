#include "passes/cost/model.h"

#include <limits.h>
#include <math.h>

#include "passes/cost/model_math.h"

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

struct partition_bound {
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

static void partition_init(struct partition_bound *partition, const struct nest_model *model,
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
static double partition_bound(const struct partition_bound *partition, const double *power)
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

/* ---- the best exponents ---- */

/* The sets of iterations that touch least are boxes: where a box of so many iterations has the
 * least bytes, the shares of the arrays in them, over what a longer side adds, are exponents
 * that prove it (docs/search.md). */
struct box {
	unsigned members;            /* the arrays that count */
	double side[MODEL_LOOPS];    /* 1 .. extent */
	double bytes[MODEL_ARRAYS];  /* that it touches of each member */
};

static double extent_of(const struct partition_bound *partition, int l)
{
	return (double)partition->model->loops[l].extent;
}

static bool is_indexed(const struct partition_bound *partition, const struct box *box, int a, int l)
{
	return (box->members >> a & 1) && (partition->indexed[a] >> l & 1);
}

/* Bytes of the arrays that loop L indexes and loop M does not; M -1: of all it indexes. */
static double bytes_along(const struct partition_bound *partition, const struct box *box, int l,
	int m)
{
	double bytes = 0;

	for (int a = 0; a < partition->model->array_count; a++)
		if (is_indexed(partition, box, a, l) && (m < 0 || !is_indexed(partition, box, a, m)))
			bytes += box->bytes[a];
	return bytes;
}

static void stretch(const struct partition_bound *partition, struct box *box, int l, double factor)
{
	box->side[l] *= factor;
	for (int a = 0; a < partition->model->array_count; a++)
		if (is_indexed(partition, box, a, l))
			box->bytes[a] *= factor;
}

static double clamped(double value, double least, double most)
{
	return value < least ? least : value > most ? most : value;
}

/* Of two sides whose product stays, the lengths that touch least; returns how much longer or
 * shorter they became. */
static double exchange(const struct partition_bound *partition, struct box *box, int l, int m)
{
	double first = bytes_along(partition, box, l, m), second = bytes_along(partition, box, m, l);
	double least = fmax(1 / box->side[m], box->side[l] / extent_of(partition, l));
	double most = fmin(box->side[l], extent_of(partition, m) / box->side[m]);
	double factor = first == 0 && second == 0 ? 1 : second == 0 ? most :
		clamped(sqrt(first / second), least, most);

	stretch(partition, box, l, 1 / factor);
	stretch(partition, box, m, factor);
	return fabs(factor - 1);
}

/* The box of VOLUME iterations that touches least, from one of another volume.  To touch as
 * little as possible is convex in the logarithms of the sides: pairs of sides lead there. */
static void set_volume(const struct partition_bound *partition, struct box *box, double volume)
{
	enum { ROUNDS = 200 };
	int loops = partition->model->loop_count;
	double factor = volume, change = 1;

	for (int l = 0; l < loops; l++)
		factor /= box->side[l];
	for (int l = 0; l < loops; l++) {
		double share = clamped(factor, 1 / box->side[l],
			extent_of(partition, l) / box->side[l]);

		stretch(partition, box, l, share);
		factor /= share;
	}
	for (int i = 0; i < ROUNDS && change > 1e-9; i++) {
		change = 0;
		for (int l = 0; l < loops; l++)
			for (int m = 0; m < l; m++)
				change = fmax(change, exchange(partition, box, l, m));
	}
}

/* What the exponents prove where a longer side adds RATE bytes, of BOX. */
static double bound_at_rate(const struct partition_bound *partition, const struct box *box,
	double rate)
{
	double power[MODEL_ARRAYS] = { 0 };

	for (int a = 0; a < partition->model->array_count && rate > 0; a++)
		power[a] = box->members >> a & 1 ? box->bytes[a] / rate : 0;
	return partition_bound(partition, power);
}

/* What BOX proves.  A side that could be longer and shorter adds as much as all such; one that
 * is whole adds no more, one of 1 no less. */
static double bound_of_box(const struct partition_bound *partition, const struct box *box)
{
	double least = 0, most = INFINITY;

	for (int l = 0; l < partition->model->loop_count; l++) {
		double rate = bytes_along(partition, box, l, -1);

		if (box->side[l] > 1)
			least = fmax(least, rate);
		if (box->side[l] < extent_of(partition, l))
			most = fmin(most, rate);
	}
	return fmax(bound_at_rate(partition, box, least),
		most < INFINITY ? bound_at_rate(partition, box, most) : 0);
}

static double bound_at_volume(const struct partition_bound *partition, struct box *box,
	double log_volume)
{
	set_volume(partition, box, exp(log_volume));
	return bound_of_box(partition, box);
}

/* The best that boxes of some volume prove, of the arrays MEMBERS; the others count what is
 * compulsory of them. */
static double bound_of_members(const struct partition_bound *partition, unsigned members)
{
	enum { STEPS = 40, REFINEMENTS = 40 };
	const double ratio = 0.6180339887498949, all = log(partition->iterations);
	struct box box = { .members = members };
	double best = 0, from = 0, to = all, at[2], value[2];

	for (int l = 0; l < partition->model->loop_count; l++)
		box.side[l] = 1;
	for (int a = 0; a < partition->model->array_count; a++)
		box.bytes[a] = partition->weight[a];
	for (int i = 0; i <= STEPS; i++) {
		double bound = bound_at_volume(partition, &box, all * i / STEPS);

		if (bound > best) {
			best = bound;
			from = all * fmax(0, i - 1) / STEPS;
			to = all * fmin(STEPS, i + 1) / STEPS;
		}
	}
	for (int i = 0; i < 2; i++) {
		at[i] = i == 0 ? to - ratio * (to - from) : from + ratio * (to - from);
		value[i] = bound_at_volume(partition, &box, at[i]);
		best = fmax(best, value[i]);
	}
	for (int i = 0; i < REFINEMENTS; i++) {
		int worse = value[0] >= value[1];    /* the end beyond it goes */

		if (worse)
			to = at[1];
		else
			from = at[0];
		at[worse] = at[!worse];
		value[worse] = value[!worse];
		at[!worse] = worse ? to - ratio * (to - from) : from + ratio * (to - from);
		value[!worse] = bound_at_volume(partition, &box, at[!worse]);
		best = fmax(best, value[!worse]);
	}
	return best;
}

/* The best that NEWEST proves with some of the arrays BEFORE it.  The others count what is
 * compulsory of them: of few all choices are tried; of many, as long as it helps, the one that
 * does so most is left out. */
static double bound_with(const struct partition_bound *partition, unsigned before, int newest)
{
	enum { TRIED_ALL = 4 };
	unsigned members = before | 1u << newest;
	double best = bound_of_members(partition, members);

	if (__builtin_popcount(before) <= TRIED_ALL) {
		for (unsigned some = before; some != 0; some = (some - 1) & before)
			best = fmax(best, bound_of_members(partition, members & ~some));
		return best;
	}
	for (bool is_better = true; is_better;) {
		unsigned from = members;

		is_better = false;
		for (int a = 0; a < newest; a++) {
			double bound = from >> a & 1 ? bound_of_members(partition, from & ~(1u << a)) : 0;

			if (bound > best) {
				best = bound;
				members = from & ~(1u << a);
				is_better = true;
			}
		}
	}
	return best;
}

/* What the partition argument proves; 0 where it does not hold. */
static double bound_by_partition(const struct nest_model *model, long scratchpad_bytes)
{
	struct partition_bound partition;
	unsigned before = 0;
	double best = 0;

	if (scratchpad_bytes < 1)
		return 0;
	/* at borders not all iterations run */
	for (int a = 0; a < model->array_count; a++)
		if (array_is_clipped(&model->arrays[a]))
			return 0;
	partition_init(&partition, model, scratchpad_bytes);
	/* With an array more there is no less to move: what those before prove stays. */
	for (int a = 0; a < model->array_count; a++)
		if (partition.weight[a] > 0) {
			best = fmax(best, bound_with(&partition, before, a));
			before |= 1u << a;
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
