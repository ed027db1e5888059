/* How many iterations share an element: exactly, by dimension, where that is little work. */

#include "passes/cost/bound_spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "passes/cost/model_math.h"
#include "support/memory.h"

enum { SPREAD_BUCKETS = sizeof((struct spread_part *)0)->sharing / sizeof(double),
	SPREAD_ELEMENTS = 1 << 14 };

void spread_none(struct spread *spread)
{
	memset(spread, 0, sizeof *spread);
	spread->all = spread->rest = 1;
}

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

static unsigned dim_loops(const struct nest_model *model, const struct model_dim *dim)
{
	unsigned loops = 0;

	for (int l = 0; l < model->loop_count; l++)
		if (dim->coefficient[l] > 0)
			loops |= 1u << l;
	return loops;
}

/* Elements from the first to the last that base elements of DIM reach; more than SPREAD_ELEMENTS:
 * many. */
static long dim_reach(const struct nest_model *model, const struct model_dim *dim)
{
	long reach = 1;

	for (int l = 0; l < model->loop_count; l++) {
		long span;

		if (__builtin_mul_overflow(dim->coefficient[l], model->loops[l].extent - 1, &span) ||
			span > SPREAD_ELEMENTS || reach + span > SPREAD_ELEMENTS)
			return SPREAD_ELEMENTS + 1;
		reach += span;
	}
	return reach;
}

/* COUNTS[x], x < REACH: the combinations of DIM's loops that give x, one loop after the other. */
static void count_combinations(const struct nest_model *model, const struct model_dim *dim,
	long reach, double *counts, double *before)
{
	memset(counts, 0, sizeof *counts * (size_t)reach);
	counts[0] = 1;
	for (int l = 0; l < model->loop_count; l++) {
		long step = dim->coefficient[l];

		if (step == 0)
			continue;
		memcpy(before, counts, sizeof *counts * (size_t)reach);
		for (long x = step; x < reach; x++) {
			long gone = x - step * model->loops[l].extent;

			counts[x] += counts[x - step] - (gone >= 0 ? before[gone] : 0);
		}
	}
}

/* Elements that about as many iterations share are one bucket, which says the most of them. */
static void fill_buckets(const double *counts, long reach, struct spread_part *part)
{
	double iterations[SPREAD_BUCKETS] = { 0 }, sharing[SPREAD_BUCKETS] = { 0 }, most = 1;

	for (long x = 0; x < reach; x++)
		most = fmax(most, counts[x]);
	for (long x = 0; x < reach; x++) {
		int b = most <= SPREAD_BUCKETS ? (int)counts[x] - 1 :
			(int)ceil(counts[x] / most * SPREAD_BUCKETS) - 1;

		if (b < 0)
			continue;
		iterations[b] += counts[x];
		sharing[b] = fmax(sharing[b], counts[x]);
	}
	part->count = 0;
	for (int b = 0; b < SPREAD_BUCKETS; b++)
		if (iterations[b] > 0) {
			part->iterations[part->count] = iterations[b];
			part->sharing[part->count++] = sharing[b];
		}
}

/* False if that would be too much work. */
static bool count_dim(const struct nest_model *model, const struct model_dim *dim,
	struct spread_part *part)
{
	long reach = dim_reach(model, dim);
	double *counts;

	if (reach > SPREAD_ELEMENTS)
		return false;
	counts = memory_alloc(2 * (size_t)reach * sizeof *counts);
	count_combinations(model, dim, reach, counts, counts + reach);
	fill_buckets(counts, reach, part);
	free(counts);
	return true;
}

/* Dimensions without common loops tell combinations apart; loops of none do not. */
void spread_of_array(const struct nest_model *model, const struct model_array *array,
	struct spread *spread)
{
	unsigned used = 0;

	spread_none(spread);
	for (int d = 0; d < array->rank; d++) {
		const struct model_dim *dim = &array->dims[d];
		unsigned loops = dim_loops(model, dim);
		double sharing;

		if (loops & used)
			continue;
		used |= loops;
		sharing = dim_sharing(model, dim);
		if (sharing > 1 && spread->part_count < SPREAD_PARTS &&
			count_dim(model, dim, &spread->parts[spread->part_count])) {
			const struct spread_part *part = &spread->parts[spread->part_count++];

			spread->loops |= loops;
			sharing = part->sharing[part->count - 1];
		} else {
			spread->rest *= sharing;
		}
		spread->all *= sharing;
	}
	for (int l = 0; l < model->loop_count; l++)
		if (!(used >> l & 1) && array_is_indexed(array, l)) {
			spread->all *= (double)model->loops[l].extent;
			spread->rest *= (double)model->loops[l].extent;
		}
}

void spread_flatten(struct spread *spread)
{
	spread->rest = spread->all;
	spread->loops = 0;
	spread->part_count = 0;
}

double spread_mean(const struct spread *spread, double power)
{
	double mean = log(spread->rest);

	for (int p = 0; p < spread->part_count; p++) {
		const struct spread_part *part = &spread->parts[p];
		double weight = 0, all = 0;

		for (int b = 0; b < part->count; b++) {
			weight += part->iterations[b] * pow(part->sharing[b], -power);
			all += part->iterations[b];
		}
		mean -= log(weight / all) / power;
	}
	return mean;
}

double spread_least(const struct spread *spread)
{
	double least = log(spread->rest);

	for (int p = 0; p < spread->part_count; p++)
		least += log(spread->parts[p].sharing[0]);
	return least;
}
