/* Sums over the tiles of dimensions that are clipped: of a padded convolution's input only
 * what lies within the array is moved, so that regions at its borders are shorter. */

#include "passes/cost/model_math.h"

bool array_is_clipped(const struct model_array *array)
{
	for (int d = 0; d < array->rank; d++)
		if (array->dims[d].clip_high > 0)
			return true;
	return false;
}

/* Numbers are at most (elements of a dimension) x (tiles): checked when they leave here. */
typedef __int128 wide;

struct clip_sum {
	const struct nest_model *model;
	const struct model_dim *dim;
	const long *tile;
	const struct tile_range *range;
	int joined;
	wide low, high;              /* what exists */
	int loops[MODEL_LOOPS], loop_count;   /* around the buffer, those that move the
	                                       * dimension; the last is summed in closed form */
};

/* An interval of coordinates, before it is clipped. */
struct interval { wide from, to; };

static wide clamp(const struct clip_sum *sum, wide x)
{
	return x < sum->low ? sum->low : x > sum->high ? sum->high : x;
}

static wide clipped_length(const struct clip_sum *sum, struct interval interval)
{
	return clamp(sum, interval.to) - clamp(sum, interval.from);
}

/* What BASE grows to with LOOP at tile T. */
static struct interval add_tile(const struct clip_sum *sum, struct interval base, int loop, long t)
{
	long c = sum->dim->coefficient[loop], extent = sum->model->loops[loop].extent;
	long first = t * sum->tile[loop], end = first + sum->tile[loop];

	end = end < extent ? end : extent;
	if (sum->dim->negative >> loop & 1) {
		long swap = extent - end;

		end = extent - first;
		first = swap;
	}
	base.from += (wide)c * first;
	base.to += (wide)c * (end - 1);
	return base;
}

/* clamp(x) + clamp(x + step) + ... , COUNT of them. */
static wide clamp_series(const struct clip_sum *sum, wide x, wide step, wide count)
{
	wide low = sum->low, high = sum->high, below, within;

	if (count <= 0)
		return 0;
	if (step < 0) {
		x += step * (count - 1);
		step = -step;
	}
	if (step == 0)
		return count * clamp(sum, x);
	below = x >= low ? 0 : (low - x + step - 1) / step;
	below = below < count ? below : count;
	within = x > high ? 0 : (high - x) / step + 1;
	within = within < count ? within : count;
	within = within > below ? within - below : 0;
	return below * low + within * (x + below * step) + step * (within * (within - 1) / 2) +
		(count - below - within) * high;
}

/* The tiles of LOOP in its range, one by one. */
static wide sum_tiles(const struct clip_sum *sum, struct interval base, int loop)
{
	long first = sum->range[loop].first, count = sum->range[loop].count;
	long last = tile_count(sum->model->loops[loop].extent, sum->tile[loop]) - 1;
	wide total = 0, step = (wide)sum->dim->coefficient[loop] * sum->tile[loop];
	struct interval tile;

	if (count > 0 && first + count - 1 == last) {
		total = clipped_length(sum, add_tile(sum, base, loop, last));
		count--;
	}
	if (count <= 0)
		return total;
	if (sum->dim->negative >> loop & 1)
		step = -step;
	tile = add_tile(sum, base, loop, first);
	return total + clamp_series(sum, tile.to, step, count) -
		clamp_series(sum, tile.from, step, count);
}

/* The tiles of LOOP in its range together, if their windows touch. */
static wide join_tiles(const struct clip_sum *sum, struct interval base, int loop)
{
	long first = sum->range[loop].first, count = sum->range[loop].count;
	struct interval one, other, all;

	if (count <= 0)
		return 0;
	if (base.to - base.from < sum->dim->coefficient[loop])
		return sum_tiles(sum, base, loop);
	one = add_tile(sum, base, loop, first);
	other = add_tile(sum, base, loop, first + count - 1);
	all.from = one.from < other.from ? one.from : other.from;
	all.to = one.to > other.to ? one.to : other.to;
	return clipped_length(sum, all);
}

static wide sum_loops(const struct clip_sum *sum, struct interval base, int next)
{
	int loop;
	wide total = 0;

	if (next == sum->loop_count)
		return clipped_length(sum, base);
	loop = sum->loops[next];
	if (next == sum->loop_count - 1)
		return loop == sum->joined ? join_tiles(sum, base, loop) :
			sum_tiles(sum, base, loop);
	for (long i = 0; i < sum->range[loop].count; i++)
		total += sum_loops(sum, add_tile(sum, base, loop, sum->range[loop].first + i),
			next + 1);
	return total;
}

/* The loop that is joined comes last, else the one with most tiles. */
static void find_loops(struct clip_sum *sum)
{
	int count = 0, last = 0;

	for (int l = 0; l < sum->model->loop_count; l++)
		if (sum->dim->coefficient[l] > 0 && sum->tile[l] > 0)
			sum->loops[count++] = l;
	for (int i = 0; i < count; i++)
		if (sum->loops[i] == sum->joined || (sum->loops[last] != sum->joined &&
			sum->range[sum->loops[i]].count > sum->range[sum->loops[last]].count))
			last = i;
	sum->loop_count = count;
	if (count > 0) {
		int loop = sum->loops[last];

		sum->loops[last] = sum->loops[count - 1];
		sum->loops[count - 1] = loop;
	}
}

bool clipped_sum(const struct nest_model *model, const struct model_dim *dim, const long *tile,
	const struct tile_range *range, int joined, long *total)
{
	struct clip_sum sum = { .model = model, .dim = dim, .tile = tile, .range = range,
		.joined = joined, .low = dim->clip_low,
		.high = dim->clip_high > 0 ? dim->clip_high : (wide)1 << 100 };
	struct interval base = { 0, dim->window };
	wide all;

	for (int l = 0; l < model->loop_count; l++)
		if (tile[l] == 0)
			base.to += (wide)dim->coefficient[l] * (model->loops[l].extent - 1);
	find_loops(&sum);
	all = sum_loops(&sum, base, 0);
	*total = (long)all;
	return *total == all;
}
