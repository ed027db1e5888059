/* Sums over the tiles of dimensions that are clipped, and the largest of them: of a padded convolution's input only
 * what lies within the array is moved, so that regions at its borders are shorter. */

#include <limits.h>

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
	const struct cut *cut;       /* may be NULL */
	int joined;
	wide low, high;              /* what exists */
	wide most;                   /* no region has more of that */
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

static const struct split *split_of(const struct clip_sum *sum, int loop)
{
	return sum->cut == NULL || sum->cut->splits[loop].part == 0 ? NULL : &sum->cut->splits[loop];
}

static struct origins origins_of(const struct clip_sum *sum, int loop)
{
	return sum->cut != NULL && sum->cut->origins != NULL ? sum->cut->origins[loop] :
		(struct origins){ 0, 0, 1, sum->model->loops[loop].extent };
}

/* What BASE grows to with the iterations of LOOP from FIRST up to END. */
static struct interval add_run(const struct clip_sum *sum, struct interval base, int loop, long first, long end)
{
	long c = sum->dim->coefficient[loop], extent = origins_of(sum, loop).extent;

	if (sum->dim->negative >> loop & 1) {
		long swap = extent - end;

		end = extent - first;
		first = swap;
	}
	base.from += (wide)c * first;
	base.to += (wide)c * (end - 1);
	return base;
}

static long tile_of(const struct clip_sum *sum, int loop)
{
	return sum->tile[loop] > 0 ? sum->tile[loop] : sum->model->loops[loop].extent;
}

static long tile_end(const struct clip_sum *sum, int loop, long t)
{
	long extent = sum->model->loops[loop].extent, end = (t + 1) * tile_of(sum, loop);

	return end < extent ? end : extent;
}

/* What BASE grows to with LOOP at tile T, in a box that begins at ORIGIN. */
static struct interval add_tile(const struct clip_sum *sum, struct interval base, int loop, long origin, long t)
{
	return add_run(sum, base, loop, origin + t * tile_of(sum, loop), origin + tile_end(sum, loop, t));
}

/* The tiles of LOOP that count; one if it runs whole. */
static struct tile_range range_of(const struct clip_sum *sum, int loop)
{
	return sum->tile[loop] > 0 ? sum->range[loop] : (struct tile_range){ 0, 1 };
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

/* The tiles of LOOP in its range, one by one, in a box that begins at ORIGIN. */
static wide sum_tiles(const struct clip_sum *sum, struct interval base, int loop, long origin)
{
	struct tile_range range = range_of(sum, loop);
	long count = range.count, last = tile_count(sum->model->loops[loop].extent, tile_of(sum, loop)) - 1;
	wide total = 0, step = (wide)sum->dim->coefficient[loop] * tile_of(sum, loop);
	struct interval tile;

	if (count > 0 && range.first + count - 1 == last) {
		total = clipped_length(sum, add_tile(sum, base, loop, origin, last));
		count--;
	}
	if (count <= 0)
		return total;
	if (sum->dim->negative >> loop & 1)
		step = -step;
	tile = add_tile(sum, base, loop, origin, range.first);
	return total + clamp_series(sum, tile.to, step, count) -
		clamp_series(sum, tile.from, step, count);
}

/* The tiles of LOOP in its range together, if their windows touch. */
static wide join_tiles(const struct clip_sum *sum, struct interval base, int loop, long origin)
{
	struct tile_range range = range_of(sum, loop);
	struct interval one, other, all;

	if (range.count <= 0)
		return 0;
	if (base.to - base.from < sum->dim->coefficient[loop])
		return sum_tiles(sum, base, loop, origin);
	one = add_tile(sum, base, loop, origin, range.first);
	other = add_tile(sum, base, loop, origin, range.first + range.count - 1);
	all.from = one.from < other.from ? one.from : other.from;
	all.to = one.to > other.to ? one.to : other.to;
	return clipped_length(sum, all);
}

static wide sum_loops(const struct clip_sum *sum, struct interval base, int next);

/* The parts of tile T of the loop at NEXT. */
static wide sum_parts(const struct clip_sum *sum, struct interval base, int next, long origin, long t)
{
	int loop = sum->loops[next];
	const struct split *split = split_of(sum, loop);
	long end = tile_end(sum, loop, t);
	wide total = 0;

	for (long i = t * tile_of(sum, loop), part_end; i < end; i = part_end) {
		long tile_first = i - i % split->tile, step_first = tile_first +
			(i - tile_first) / split->step * split->step;
		long step_end = step_first + split->step, whole_end = tile_first + split->tile;

		part_end = i + split->part;
		part_end = part_end < step_end ? part_end : step_end;
		part_end = part_end < whole_end ? part_end : whole_end;
		part_end = part_end < end ? part_end : end;
		total += sum_loops(sum, add_run(sum, base, loop, origin + i, origin + part_end), next + 1);
	}
	return total;
}

/* The loop at NEXT in a box that begins at ORIGIN, and those after it. */
static wide sum_box(const struct clip_sum *sum, struct interval base, int next, long origin)
{
	int loop = sum->loops[next];
	struct tile_range range = range_of(sum, loop);
	wide total = 0;

	if (next == sum->loop_count - 1 && split_of(sum, loop) == NULL)
		return loop == sum->joined ? join_tiles(sum, base, loop, origin) :
			sum_tiles(sum, base, loop, origin);
	for (long t = range.first; t < range.first + range.count; t++)
		total += split_of(sum, loop) != NULL ? sum_parts(sum, base, next, origin, t) :
			sum_loops(sum, add_tile(sum, base, loop, origin, t), next + 1);
	return total;
}

static wide sum_loops(const struct clip_sum *sum, struct interval base, int next)
{
	struct origins origins;
	wide total = 0;

	if (next == sum->loop_count)
		return clipped_length(sum, base);
	origins = origins_of(sum, sum->loops[next]);
	for (long i = 0; i < origins.count; i++)
		total += sum_box(sum, base, next, origins.first + i * origins.step);
	return total;
}

/* The loop that is joined comes last, else that with most tiles of those that are not cut. */
static void find_loops(struct clip_sum *sum)
{
	int count = 0, last = 0;
	long most = -1;

	for (int l = 0; l < sum->model->loop_count; l++)
		if (sum->dim->coefficient[l] > 0 && (sum->tile[l] > 0 || sum->cut != NULL))
			sum->loops[count++] = l;
	for (int i = 0; i < count; i++) {
		int loop = sum->loops[i];
		long tiles = loop == sum->joined ? LONG_MAX : split_of(sum, loop) != NULL ? 0 : range_of(sum, loop).count;

		if (tiles > most) {
			most = tiles;
			last = i;
		}
	}
	sum->loop_count = count;
	if (count > 0) {
		int loop = sum->loops[last];

		sum->loops[last] = sum->loops[count - 1];
		sum->loops[count - 1] = loop;
	}
}

/* ---- the largest ---- */

/* Of the tiles of LOOP the largest: those before the last grow from one to the next until their begin exists, and shrink once their
 * end does not. */
static wide largest_tile(const struct clip_sum *sum, struct interval base, int loop)
{
	long last = tile_count(sum->model->loops[loop].extent, tile_of(sum, loop)) - 1;
	wide largest = clipped_length(sum, add_tile(sum, base, loop, 0, last));
	wide step = (wide)sum->dim->coefficient[loop] * tile_of(sum, loop);
	struct interval tile = add_tile(sum, base, loop, 0, 0);

	if (sum->dim->negative >> loop & 1)
		step = -step;
	for (int i = 0; i < 4 && last > 0 && largest < sum->most; i++) {
		wide border = i < 2 ? sum->low - tile.from : sum->high - tile.to;
		wide at = border / step + i % 2, length;

		at = at < 0 ? 0 : at > last - 1 ? last - 1 : at;
		length = clipped_length(sum, (struct interval){ tile.from + at * step, tile.to + at * step });
		largest = length > largest ? length : largest;
	}
	return largest;
}

/* Begins in the middle, where regions are whole. */
static wide largest_region(const struct clip_sum *sum, struct interval base, int next)
{
	wide largest = 0;
	long count;
	int loop;

	if (next == sum->loop_count)
		return clipped_length(sum, base);
	loop = sum->loops[next];
	if (next == sum->loop_count - 1)
		return largest_tile(sum, base, loop);
	count = tile_count(sum->model->loops[loop].extent, sum->tile[loop]);
	for (long t = 0; t < count && largest < sum->most; t++) {
		wide length = largest_region(sum, add_tile(sum, base, loop, 0, (count / 2 + t) % count), next + 1);

		largest = length > largest ? length : largest;
	}
	return largest;
}

/* ---- interface ---- */

static struct interval whole_loops(const struct nest_model *model, const struct model_dim *dim, const long *tile)
{
	struct interval base = { 0, dim->window };

	for (int l = 0; l < model->loop_count; l++)
		if (tile[l] == 0)
			base.to += (wide)dim->coefficient[l] * (model->loops[l].extent - 1);
	return base;
}

long clipped_room(const struct nest_model *model, const struct model_array *array, int d, const long *tile)
{
	const struct model_dim *dim = &array->dims[d];
	struct tile_range all[MODEL_LOOPS];
	struct clip_sum sum = { .model = model, .dim = dim, .tile = tile, .range = all, .joined = -1,
		.low = dim->clip_low, .high = dim->clip_high };
	struct interval base = whole_loops(model, dim, tile);
	wide extent = base.to;

	for (int l = 0; l < model->loop_count; l++) {
		all[l] = (struct tile_range){ 0, tile[l] > 0 ? tile_count(model->loops[l].extent, tile[l]) : 1 };
		extent += tile[l] > 0 ? (wide)dim->coefficient[l] * (tile[l] - 1) : 0;
	}
	sum.most = extent < sum.high - sum.low ? extent : sum.high - sum.low;
	if (array->align_bytes > 1)
		return (long)sum.most;
	find_loops(&sum);
	return (long)largest_region(&sum, base, 0);
}

bool clipped_cut_sum(const struct nest_model *model, const struct model_dim *dim, const long *tile,
	const struct tile_range *range, int joined, const struct cut *cut, long *total)
{
	struct clip_sum sum = { .model = model, .dim = dim, .tile = tile, .range = range, .cut = cut,
		.joined = joined, .low = dim->clip_low,
		.high = dim->clip_high > 0 ? dim->clip_high : (wide)1 << 100 };
	struct interval base = cut == NULL ? whole_loops(model, dim, tile) : (struct interval){ 0, dim->window };
	wide all;

	find_loops(&sum);
	all = sum_loops(&sum, base, 0);
	*total = (long)all;
	return *total == all;
}

bool clipped_sum(const struct nest_model *model, const struct model_dim *dim, const long *tile,
	const struct tile_range *range, int joined, long *total)
{
	return clipped_cut_sum(model, dim, tile, range, joined, NULL, total);
}
