#include "passes/cost/model.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "passes/cost/cut.h"
#include "passes/cost/model_math.h"

/* The traffic of a schedule in closed form.
 *
 * A region is a box, and each of its extents is affine in the clipped tile sizes
 * of the loops around the buffer.  A sum over many visits is therefore a product
 * over the dimensions of sums that need only two numbers of a loop: how many of
 * its tiles take part, and how many iterations these tiles have together.  Where
 * two dimensions move with one loop the sum does not factor, and the loop's whole
 * tiles and its last one are added up one after the other.
 *
 * Visits that find their region on chip are subtracted (docs/search.md, "Turns").
 */

/* What part of a loop's tiles a sum runs over. */
struct part {
	long count;                  /* tiles */
	long iterations;             /* of these tiles together */
	long first;                  /* which they are, from this one on; for clipped arrays */
};

/* What is summed of the runs of a sliding window (slide_sum). */
enum slide { SLIDE_NONE, SLIDE_RUN, SLIDE_UP, SLIDE_DOWN };

struct sum {
	const struct nest_model *model;
	const struct model_array *array;
	const struct schedule *schedule;
	int store;
	long slots;
	int slide_dim;               /* -1: none */
	const struct cut *cut;       /* NULL: a region is one box */
	bool is_clipped, overflow;
};

void model_copy(const struct nest_model *model, struct nest_model *copy)
{
	memcpy(copy, model, offsetof(struct nest_model, arrays));
	for (int a = 0; a < model->array_count; a++) {
		const struct model_array *array = &model->arrays[a];

		memcpy(&copy->arrays[a], array, offsetof(struct model_array, dims));
		memcpy(copy->arrays[a].dims, array->dims, sizeof *array->dims * (size_t)array->rank);
	}
}

static long times(struct sum *sum, long a, long b)
{
	long product = 0;

	if (__builtin_mul_overflow(a, b, &product))
		sum->overflow = true;
	return sum->overflow ? 0 : product;
}

static long plus(struct sum *sum, long a, long b)
{
	long total = 0;

	if (__builtin_add_overflow(a, b, &total))
		sum->overflow = true;
	return sum->overflow ? 0 : total;
}

bool array_is_indexed(const struct model_array *array, int loop)
{
	for (int d = 0; d < array->rank; d++)
		if (array->dims[d].coefficient[loop] > 0)
			return true;
	return false;
}

static int dims_moved(const struct model_array *array, int loop)
{
	int count = 0;

	for (int d = 0; d < array->rank; d++)
		count += array->dims[d].coefficient[loop] > 0;
	return count;
}

static long loop_tiles(const struct sum *sum, int loop)
{
	return tile_count(sum->model->loops[loop].extent, sum->schedule->tile[loop]);
}

static bool is_anchored(const struct sum *sum, int loop)
{
	return sum->array->anchored >> loop & 1;
}

/* The tiles of LOOP in which the array is visited. */
static struct part whole_part(const struct sum *sum, int loop)
{
	return is_anchored(sum, loop) ? (struct part){ 1, sum->schedule->tile[loop], 0 } :
		(struct part){ loop_tiles(sum, loop), sum->model->loops[loop].extent, 0 };
}

/* Iterations of the last tile. */
static long last_tile(const struct sum *sum, int loop)
{
	return sum->model->loops[loop].extent -
		(loop_tiles(sum, loop) - 1) * sum->schedule->tile[loop];
}

/* NULL if LOOP's iterations of a visit make one box. */
static const struct split *split_of(const struct sum *sum, int loop)
{
	const struct split *split = sum->cut == NULL ? NULL : &sum->cut->splits[loop];

	return split == NULL || split->part == 0 || !array_is_indexed(sum->array, loop) ? NULL : split;
}

/* Extent of dimension DIM, with the loops around the buffer at TILES iterations
 * (0: not around it, the whole extent). */
static long dim_extent(struct sum *sum, const struct model_dim *dim, const long *tiles)
{
	long extent = dim->window;

	for (int l = 0; l < sum->model->loop_count; l++) {
		long iterations = tiles[l] > 0 ? tiles[l] : sum->model->loops[l].extent;

		if (dim->coefficient[l] > 0)
			extent = plus(sum, extent, times(sum, dim->coefficient[l], iterations - 1));
	}
	return extent;
}

/* Sum of the extent of a dimension over the PARTS of the loops that it moves with from
 * box to box; AROUND[l] says which loops those are. */
static long dim_sum(struct sum *sum, const struct model_dim *dim, const bool *around,
	const struct part *parts)
{
	long tiles = 1, inner = dim->window, total;

	for (int l = 0; l < sum->model->loop_count; l++) {
		if (dim->coefficient[l] == 0)
			continue;
		if (around[l])
			tiles = times(sum, tiles, parts[l].count);
		else
			inner = plus(sum, inner, times(sum, dim->coefficient[l],
				sum->model->loops[l].extent - 1));
	}
	total = times(sum, tiles, inner);
	for (int l = 0; l < sum->model->loop_count; l++)
		if (dim->coefficient[l] > 0 && around[l] && parts[l].count > 0)
			total = plus(sum, total, times(sum, times(sum, tiles / parts[l].count,
				dim->coefficient[l]), parts[l].iterations - parts[l].count));
	return total;
}

/* What the run of a sliding window moves along its dimension: the whole run, or
 * what follows the kept windows at its low (SLIDE_UP) or high end.  All other
 * loops of the dimension are at one tile size (in PARTS, count 1). */
static long slide_sum(struct sum *sum, enum slide slide, const struct part *parts)
{
	const struct model_dim *dim = &sum->array->dims[sum->slide_dim];
	int loop = sum->schedule->order[sum->store - 1];
	long tile = sum->schedule->tile[loop], tiles[MODEL_LOOPS] = { 0 };
	long whole, last, overlap, n = loop_tiles(sum, loop), m = sum->slots;
	long step = times(sum, dim->coefficient[loop], tile);

	for (int i = 0; i < sum->store; i++)
		tiles[sum->schedule->order[i]] = parts[sum->schedule->order[i]].iterations;
	tiles[loop] = tile;
	whole = dim_extent(sum, dim, tiles);
	tiles[loop] = last_tile(sum, loop);
	last = dim_extent(sum, dim, tiles);
	overlap = whole > step ? whole - step : 0;
	if (slide == SLIDE_RUN)
		return plus(sum, plus(sum, times(sum, n - 1, whole), last),
			-times(sum, n - 1, overlap));
	if (m >= n)
		return 0;
	if (slide == SLIDE_DOWN)
		return times(sum, n - m, whole - overlap);
	return plus(sum, plus(sum, times(sum, n - m - 1, whole), last),
		-times(sum, n - m, overlap));
}

/* True if LOOP's tiles have to be added up one size after the other. */
static bool loop_is_coupled(const struct sum *sum, int loop, enum slide slide)
{
	if (slide != SLIDE_NONE && loop == sum->schedule->order[sum->store - 1])
		return false;
	return dims_moved(sum->array, loop) > 1 ||
		(slide != SLIDE_NONE && sum->array->dims[sum->slide_dim].coefficient[loop] > 0);
}

/* What a run of the moving loop moves in its dimension, of a clipped array. */
static long clipped_slide_sum(struct sum *sum, enum slide slide, const long *tile,
	struct tile_range *range)
{
	const struct model_dim *dim = &sum->array->dims[sum->slide_dim];
	int moving = sum->schedule->order[sum->store - 1];
	long n = loop_tiles(sum, moving), m = sum->slots < n ? sum->slots : n, all = 0, kept = 0;

	range[moving] = (struct tile_range){ 0, n };
	if (!clipped_cut_sum(sum->model, dim, tile, range, moving, sum->cut, &all))
		sum->overflow = true;
	range[moving] = (struct tile_range){ slide == SLIDE_DOWN ? n - m : 0, m };
	if (slide != SLIDE_RUN && !clipped_cut_sum(sum->model, dim, tile, range, moving, sum->cut, &kept))
		sum->overflow = true;
	return all - kept;
}

/* As region_sum, of a clipped array, whose sums factor. */
static long clipped_region_sum(struct sum *sum, const struct part *parts, enum slide slide)
{
	long total = 1, tile[MODEL_LOOPS] = { 0 }, extent;
	struct tile_range range[MODEL_LOOPS] = { { 0, 0 } };

	for (int i = 0; i < sum->store; i++) {
		int loop = sum->schedule->order[i];

		tile[loop] = sum->schedule->tile[loop];
		range[loop] = (struct tile_range){ parts[loop].first, parts[loop].count };
		if (!array_is_indexed(sum->array, loop))
			total = times(sum, total, parts[loop].count);
	}
	for (int d = 0; d < sum->array->rank; d++) {
		if (slide != SLIDE_NONE && d == sum->slide_dim)
			extent = clipped_slide_sum(sum, slide, tile, range);
		else if (!clipped_cut_sum(sum->model, &sum->array->dims[d], tile, range, -1, sum->cut, &extent))
			sum->overflow = true;
		total = times(sum, total, extent);
	}
	return total;
}

/* The boxes of the visits in PART along LOOP, by size; returns how many sizes. */
static int part_pieces(struct sum *sum, int loop, struct part part, struct piece *pieces)
{
	const struct split *split = split_of(sum, loop);
	long tile = sum->schedule->tile[loop], last = part.iterations - (part.count - 1) * tile;
	struct piece visits[2] = { { tile, part.count - 1 }, { last, 1 } };
	int count = 0;

	if (part.count == 1 || last == tile) {
		visits[0] = (struct piece){ last, part.count };
		visits[1].count = 0;
	}
	for (int i = 0; i < 2 && visits[i].count > 0; i++) {
		int first = count;

		if (split == NULL)
			pieces[count++] = visits[i];
		else
			count += split_pieces(split, visits[i].size, pieces + count);
		for (int k = first; split != NULL && k < count; k++)
			pieces[k].count = times(sum, pieces[k].count, visits[i].count);
	}
	return count;
}

/* Elements of the boxes that PARTS of the loops of AROUND make: those from FIRST on that are coupled are added up one
 * size after the other. */
static long box_sum(struct sum *sum, struct part *parts, const bool *around, int first, enum slide slide)
{
	long total = 1;

	for (int l = first; l < sum->model->loop_count; l++) {
		struct piece pieces[2 * SPLIT_PIECES];
		struct part saved = parts[l];
		int count;

		if (!around[l] || (saved.count <= 1 && split_of(sum, l) == NULL) || !loop_is_coupled(sum, l, slide))
			continue;
		count = part_pieces(sum, l, saved, pieces);
		total = 0;
		for (int i = 0; i < count; i++) {
			parts[l] = (struct part){ 1, pieces[i].size, 0 };
			total = plus(sum, total, times(sum, pieces[i].count,
				box_sum(sum, parts, around, l + 1, slide)));
		}
		parts[l] = saved;
		return total;
	}
	for (int d = 0; d < sum->array->rank; d++)
		total = times(sum, total, slide != SLIDE_NONE && d == sum->slide_dim ?
			slide_sum(sum, slide, parts) :
			dim_sum(sum, &sum->array->dims[d], around, parts));
	for (int i = 0; i < sum->store; i++)
		if (!array_is_indexed(sum->array, sum->schedule->order[i]))
			total = times(sum, total, parts[sum->schedule->order[i]].count);
	return total;
}

/* Elements of the regions of the visits in PARTS. */
static long region_sum(struct sum *sum, const struct part *visits, enum slide slide)
{
	struct part parts[MODEL_LOOPS];
	bool around[MODEL_LOOPS] = { false };

	if (sum->is_clipped)
		return clipped_region_sum(sum, visits, slide);
	for (int i = 0; i < sum->store; i++) {
		around[sum->schedule->order[i]] = true;
		parts[sum->schedule->order[i]] = visits[sum->schedule->order[i]];
	}
	for (int l = 0; l < sum->model->loop_count && sum->cut != NULL; l++) {
		struct piece pieces[2 * SPLIT_PIECES];
		int count;

		if (split_of(sum, l) == NULL)
			continue;
		if (!around[l])
			parts[l] = (struct part){ 1, sum->model->loops[l].extent, 0 };
		around[l] = true;
		if (loop_is_coupled(sum, l, slide))
			continue;
		count = part_pieces(sum, l, parts[l], pieces);
		parts[l].count = 0;
		for (int i = 0; i < count; i++)
			parts[l].count = plus(sum, parts[l].count, pieces[i].count);
	}
	return box_sum(sum, parts, around, 0, slide);
}

/* The runs of the moving loop that begin with a turn of the loop at position TURN:
 * adds what they would move WITHOUT the turn (only the visits it changes) and WITH
 * it.  The loops between go up or down as the parity of the turn decides. */
static void turn_sum(struct sum *sum, int turn, long *without, long *with)
{
	struct part parts[MODEL_LOOPS];
	const int *order = sum->schedule->order;
	int moving = order[sum->store - 1];
	long n = loop_tiles(sum, order[turn]), tile = sum->schedule->tile[moving];
	long clip = loop_tiles(sum, moving) * tile - sum->model->loops[moving].extent;

	for (int parity = 0; parity < 2; parity++) {
		bool is_odd = parity == 1;
		long kept = sum->slots;

		for (int i = 0; i < turn; i++)
			parts[order[i]] = whole_part(sum, order[i]);
		/* positions 1 .. n - 1: half of them odd, rounded in favour of odd */
		parts[order[turn]] = (struct part){ is_odd ? n / 2 : (n - 1) / 2, 0, 0 };
		for (int i = turn + 1; i < sum->store - 1; i++) {
			parts[order[i]] = (struct part){ 1, is_odd ? last_tile(sum, order[i]) :
				sum->schedule->tile[order[i]],
				is_odd ? loop_tiles(sum, order[i]) - 1 : 0 };
			if (loop_tiles(sum, order[i]) % 2 == 0)
				is_odd = false;
		}
		if (parts[order[turn]].count == 0)
			continue;
		if (kept > loop_tiles(sum, moving))
			kept = loop_tiles(sum, moving);
		if (sum->slide_dim >= 0) {
			parts[moving] = (struct part){ 1, tile, 0 };
			*without = plus(sum, *without, region_sum(sum, parts, SLIDE_RUN));
			*with = plus(sum, *with, region_sum(sum, parts,
				is_odd ? SLIDE_DOWN : SLIDE_UP));
			continue;
		}
		parts[moving].count = kept;
		parts[moving].first = is_odd ? loop_tiles(sum, moving) - kept : 0;
		parts[moving].iterations = kept * tile -
			(is_odd || kept == loop_tiles(sum, moving) ? clip : 0);
		*without = plus(sum, *without, region_sum(sum, parts, SLIDE_NONE));
	}
}

/* Counts the runs of the moving loop and takes off what their turns keep. */
static void subtract_turns(struct sum *sum, long *elements, long *visits)
{
	const int *order = sum->schedule->order;

	for (int turn = sum->store - 2; turn >= 0; turn--) {
		long runs = loop_tiles(sum, order[turn]) - 1, without = 0, with = 0;
		int inner = order[turn + 1];

		/* every loop between that indexes the array has to turn too; what is held does not outlast an anchored one */
		if ((array_is_indexed(sum->array, inner) && !sum->schedule->is_serpentine[inner]) || is_anchored(sum, inner))
			return;
		if (array_is_indexed(sum->array, order[turn]) || is_anchored(sum, order[turn]))
			continue;
		for (int i = 0; i < turn; i++)
			runs = times(sum, runs, whole_part(sum, order[i]).count);
		turn_sum(sum, turn, &without, &with);
		*elements = plus(sum, plus(sum, *elements, -without), with);
		*visits = plus(sum, *visits, -times(sum, runs, sum->slots));
	}
}

/* The number of parts of a ring or slots: see struct storage.  Where loops are cut, of one element, with a copy
 * for each of its parts. */
static long buffer_elements(struct sum *sum, const struct storage *storage)
{
	long tiles[MODEL_LOOPS] = { 0 }, whole[MODEL_LOOPS], elements = 1;
	int moving = storage->store > 0 ? sum->schedule->order[storage->store - 1] : -1;
	long copies = storage->slots + (storage->is_double ? 1 : 0), held = 1;

	for (int i = 0; i < storage->store; i++)
		tiles[sum->schedule->order[i]] = sum->schedule->tile[sum->schedule->order[i]];
	for (int l = 0; l < sum->model->loop_count; l++)
		if (split_of(sum, l) != NULL) {
			held = times(sum, held, split_steps(split_of(sum, l),
				tiles[l] > 0 ? tiles[l] : sum->model->loops[l].extent));
			tiles[l] = split_of(sum, l)->part;
		}
	memcpy(whole, tiles, sizeof whole);
	if (moving >= 0)
		whole[moving] = 0;
	for (int d = 0; d < sum->array->rank; d++) {
		const struct model_dim *dim = &sum->array->dims[d];
		long extent = dim_extent(sum, dim, tiles);

		if (d == sum->slide_dim) {
			long most = dim_extent(sum, dim, whole);

			extent = plus(sum, extent, times(sum, copies - 1,
				times(sum, dim->coefficient[moving], tiles[moving])));
			extent = extent < most ? extent : most;
			extent = extent > dim->least_side ? extent : dim->least_side;
		} else if (dim->clip_high > 0 && sum->cut == NULL) {
			extent = clipped_room(sum->model, sum->array, d, tiles);
		} else if (dim->clip_high > 0 && extent > dim->clip_high - dim->clip_low) {
			extent = dim->clip_high - dim->clip_low;
		} else if (extent < dim->least_side) {
			extent = dim->least_side;
		}
		elements = times(sum, elements, extent);
	}
	return times(sum, held, sum->slide_dim >= 0 ? elements : times(sum, elements, copies));
}

/* The dimension that slides, -1 if the array may not. */
int slide_dim(const struct nest_model *model, const struct schedule *schedule,
	const struct model_array *array, int store)
{
	struct sum sum = { .model = model, .array = array, .schedule = schedule, .store = store };
	long tiles[MODEL_LOOPS] = { 0 };
	int moving, found = -1;

	if (array->is_written || store == 0)
		return -1;
	moving = schedule->order[store - 1];
	if (dims_moved(array, moving) != 1)
		return -1;
	for (int d = 0; d < array->rank; d++)
		if (array->dims[d].coefficient[moving] > 0)
			found = d;
	for (int i = 0; i < store; i++)
		tiles[schedule->order[i]] = schedule->tile[schedule->order[i]];
	if (dim_extent(&sum, &array->dims[found], tiles) <
		times(&sum, array->dims[found].coefficient[moving], tiles[moving]))
		return -1;
	return sum.overflow ? -1 : found;
}

/* True if the tiles of the outer loops that are not APART yet cut dimension DIM into
 * intervals that share no element, as digits of a number do. */
static bool dim_is_cut(struct sum *sum, const struct model_dim *dim, const bool *apart)
{
	long tiles[MODEL_LOOPS] = { 0 }, reach, step[MODEL_LOOPS];
	bool is_used[MODEL_LOOPS] = { false };
	const int *order = sum->schedule->order;

	for (int i = 0; i < sum->store; i++)
		tiles[order[i]] = sum->schedule->tile[order[i]];
	reach = dim_extent(sum, dim, tiles);
	for (;;) {
		int next = -1;

		for (int i = 0; i < sum->store; i++) {
			step[i] = times(sum, dim->coefficient[order[i]], tiles[order[i]]);
			if (step[i] > 0 && !apart[order[i]] && !is_used[i] &&
				(next < 0 || step[i] < step[next]))
				next = i;
		}
		if (next < 0)
			return !sum->overflow;
		if (reach > step[next])
			return false;
		is_used[next] = true;
		reach = plus(sum, reach, times(sum, step[next], loop_tiles(sum, order[next]) - 1));
	}
}

/* Needed where two regions are on chip and are written.  Loops that a dimension
 * tells apart are no more in the way of others, until all are apart. */
bool regions_are_disjoint(const struct nest_model *model, const struct schedule *schedule,
	const struct model_array *array, int store)
{
	struct sum sum = { .model = model, .array = array, .schedule = schedule, .store = store };
	bool apart[MODEL_LOOPS] = { false };
	int left = 0;

	for (int i = 0; i < store; i++)
		left += array_is_indexed(array, schedule->order[i]);
	for (int before = left + 1; left > 0 && left < before;) {
		before = left;
		for (int d = 0; d < array->rank; d++) {
			if (!dim_is_cut(&sum, &array->dims[d], apart))
				continue;
			for (int i = 0; i < store; i++) {
				int loop = schedule->order[i];

				if (array->dims[d].coefficient[loop] > 0 && !apart[loop]) {
					apart[loop] = true;
					left--;
				}
			}
		}
	}
	return left == 0;
}

static bool storage_is_legal(const struct nest_model *model, const struct schedule *schedule,
	const struct model_array *array, const struct storage *storage)
{
	int moving;

	if (storage->store < 0 || storage->store > schedule->depth || storage->slots < 1)
		return false;
	if (storage->store == 0)
		return storage->slots == 1 && !storage->is_sliding && !storage->is_double
			&& storage_is_aligned(model, schedule, array, storage);
	moving = schedule->order[storage->store - 1];
	if (!array_is_indexed(array, moving))
		return false;
	if (storage->slots > tile_count(model->loops[moving].extent, schedule->tile[moving]))
		return false;
	if (storage->slots > 1 && !schedule->is_serpentine[moving])
		return false;
	if ((array->anchored >> moving & 1 && storage->slots > 1) || (array->anchored != 0 && storage->is_double))
		return false;
	if (storage->is_sliding && slide_dim(model, schedule, array, storage->store) < 0)
		return false;
	if (!storage_is_aligned(model, schedule, array, storage))
		return false;
	return !array->is_written || (storage->slots == 1 && !storage->is_double) ||
		regions_are_disjoint(model, schedule, array, storage->store);
}

/* Some loop that moves DIM is at its end where SUM's array is longer there. */
static bool has_end(const struct sum *sum, const struct model_dim *dim)
{
	for (int l = 0; l < sum->model->loop_count; l++)
		if (dim->coefficient[l] > 0 && sum->array->ends >> l & 1)
			return true;
	return false;
}

/* Elements that regions have besides where loops end. */
static long end_sum(struct sum *sum)
{
	long tiles[MODEL_LOOPS] = { 0 }, whole = 1, last = 1, others = 1;
	bool around[MODEL_LOOPS] = { false }, has_any = false;
	struct part parts[MODEL_LOOPS];

	for (int i = 0; i < sum->store; i++) {
		int loop = sum->schedule->order[i];

		around[loop] = true;
		has_any = has_any || (sum->array->ends >> loop & 1 && array_is_indexed(sum->array, loop));
		parts[loop] = whole_part(sum, loop);
		/* where it may turn, the tile that runs last may be any; the first one is whole */
		tiles[loop] = sum->model->loops[loop].is_forward && !sum->array->ends_first ? last_tile(sum, loop)
			: sum->schedule->tile[loop];
	}
	for (int d = 0; d < sum->array->rank; d++) {
		const struct model_dim *dim = &sum->array->dims[d];
		long extent = dim_extent(sum, dim, tiles);

		if (has_end(sum, dim)) {
			last = times(sum, last, extent);
			whole = times(sum, whole, extent > dim->end_side ? extent : dim->end_side);
		} else {
			others = times(sum, others, dim_sum(sum, dim, around, parts));
		}
	}
	return has_any ? times(sum, others, whole - last) : 0;
}

long array_end_bytes(const struct nest_model *model, const struct schedule *schedule,
	const struct model_array *array, int store)
{
	struct sum sum = { .model = model, .array = array, .schedule = schedule, .store = store };
	long bytes = times(&sum, end_sum(&sum), array->element_bytes);

	return sum.overflow ? LONG_MAX : bytes;
}

bool array_cut_evaluate(const struct nest_model *model, const struct schedule *schedule,
	const struct model_array *array, const struct cut *cut, struct storage *storage)
{
	struct sum sum = { .model = model, .array = array, .schedule = schedule,
		.store = storage->store, .slots = storage->slots, .slide_dim = -1, .cut = cut,
		.is_clipped = array_is_clipped(array) };
	struct part parts[MODEL_LOOPS];
	long moved, visits = 1, first_visits = 1, first;

	if (!storage_is_legal(model, schedule, array, storage))
		return false;
	if (storage->is_sliding)
		sum.slide_dim = slide_dim(model, schedule, array, storage->store);
	for (int i = 0; i < storage->store; i++) {
		int loop = schedule->order[i];

		parts[loop] = whole_part(&sum, loop);
		visits = times(&sum, visits, parts[loop].count);
		if (array_is_indexed(array, loop))
			first_visits = times(&sum, first_visits, parts[loop].count);
	}
	moved = region_sum(&sum, parts, storage->is_sliding ? SLIDE_RUN : SLIDE_NONE);
	first = sum.overflow ? 0 : moved / (visits / first_visits);
	subtract_turns(&sum, &moved, &visits);
	storage->bytes = times(&sum, buffer_elements(&sum, storage), array->element_bytes);
	moved = times(&sum, moved, array->element_bytes);
	first = times(&sum, first, array->element_bytes);
	storage->flow = (struct flow){ .runs = 0 };
	if (array->is_written) {
		storage->flow.write_bytes = moved - (array->is_dropped ? first : 0);
		storage->flow.read_bytes = moved - (array->is_created ? first : 0);
		storage->flow.commands = plus(&sum, times(&sum, 2, visits),
			times(&sum, -first_visits, array->is_created + array->is_dropped));
	} else if (array->is_read) {
		storage->flow.read_bytes = moved - (array->is_created ? first : 0);
		storage->flow.commands = visits - (array->is_created ? first_visits : 0);
	}
	if (array->ends) {
		long besides = times(&sum, end_sum(&sum), array->element_bytes);

		storage->flow.read_bytes = plus(&sum, storage->flow.read_bytes, array->ends_read ? besides : 0);
		storage->flow.write_bytes = plus(&sum, storage->flow.write_bytes, array->ends_written ? besides : 0);
	}
	return !sum.overflow;
}

bool array_evaluate(const struct nest_model *model, const struct schedule *schedule,
	const struct model_array *array, struct storage *storage)
{
	return array_cut_evaluate(model, schedule, array, NULL, storage);
}
