/* The Pareto front of scratchpad and traffic of a chain of convolutions, by trying every
 * schedule of the space that docs/search.md and docs/fusion.md describe and walking through
 * its tiles with sets of rows, columns and channels in hand.  Shares nothing with loopc.
 *
 *     chain_front LIMIT[,LIMIT]... CHANNELS ROWS COLUMNS [FILTERS KERNEL STRIDE]...
 *
 * CHANNELS: of the input.  ROWS, COLUMNS: of the last layer's output.  LIMIT: the work that a
 * group may repeat, in percent; or "never" (nothing is fused).  Elements are of two bytes,
 * layers have no padding.  For each limit prints it, and a line "memory traffic" a point,
 * memory falling. */

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAYERS = 4, ELEMENT = 2, MEMORY = 1 << 16, LIST = 256 };

/* A set of rows, columns or channels below 64. */
typedef uint64_t set;

struct layer {
	int in, out, rows, columns, kernel, stride;   /* channels; of the output */
};

static struct layer layers[LAYERS];
static int layer_count;
static double percent;

/* [memory in elements]: the least traffic in elements, or LONG_MAX. */
struct front {
	long traffic[MEMORY];
};

static void clear(struct front *front)
{
	for (int m = 0; m < MEMORY; m++)
		front->traffic[m] = LONG_MAX;
}

static void add(struct front *front, long memory, long traffic)
{
	if (memory < MEMORY && traffic < front->traffic[memory])
		front->traffic[memory] = traffic;
}

/* From the least traffic in just so much memory to that in at most so much. */
static void accumulate(struct front *front)
{
	for (int m = 1; m < MEMORY; m++)
		if (front->traffic[m - 1] < front->traffic[m])
			front->traffic[m] = front->traffic[m - 1];
}

/* What runs one after the other. */
static void join(const struct front *a, const struct front *b, struct front *both)
{
	for (int m = 0; m < MEMORY; m++)
		if (a->traffic[m] < LONG_MAX && b->traffic[m] < LONG_MAX
			&& a->traffic[m] + b->traffic[m] < both->traffic[m])
			both->traffic[m] = a->traffic[m] + b->traffic[m];
}

/* The sizes that cut EXTENT in some number of equal parts; how many. */
static int sizes_of(int extent, int *sizes)
{
	int count = 0;
	for (int parts = 1; parts <= extent; parts++) {
		int size = (extent + parts - 1) / parts;
		if (!count || sizes[count - 1] != size)
			sizes[count++] = size;
	}
	return count;
}

/* ---- one layer by itself ---- */

enum { K, Y, X, C, R, S, LOOPS };
enum { INPUT, WEIGHTS, OUTPUT, ARRAYS };

struct option {
	long memory, traffic;
};

/* Of each array, what the ways to hold it outside the loops placed so far cost. */
struct options {
	int count[ARRAYS];
	struct option list[ARRAYS][LIST];
};

struct nest {
	const struct layer *layer;
	int extent[LOOPS];
	int depth, order[LOOPS], tile[LOOPS];   /* tile: by loop */
	int tiles[LOOPS];            /* by position */
	struct options at[LOOPS + 1];
	struct front *front;
};

/* Dimension D of ARRAY: a row or column is stride * SLOW + FAST; others have no FAST. */
static int rank_of(int array)
{
	return array == WEIGHTS ? 4 : 3;
}

static void loops_of(const struct nest *nest, int array, int d, int *slow, int *fast, int *stride)
{
	static const int of[ARRAYS][4] = { { C, Y, X, -1 }, { K, C, R, S }, { K, Y, X, -1 } };
	*slow = of[array][d];
	*fast = array == INPUT && d ? (d == 1 ? R : S) : -1;
	*stride = array == INPUT && d ? nest->layer->stride : 1;
}

static bool indexes(const struct nest *nest, int array, int loop)
{
	for (int d = 0; d < rank_of(array); d++) {
		int slow, fast, stride;
		loops_of(nest, array, d, &slow, &fast, &stride);
		if (slow == loop || fast == loop)
			return true;
	}
	return false;
}

/* A walk over the visits of an array's buffer, which is inside the loops placed. */
struct walk {
	int index[LOOPS], count[LOOPS];      /* by position: the tile, and how many before it */
	bool is_backward[LOOPS];
	int low[4], high[4], before_low[4], before_high[4];
};

/* The first and the last iteration of LOOP in the present tiles; all, if it is not placed. */
static void range(const struct nest *nest, const struct walk *walk, int loop, int *first, int *last)
{
	*first = 0;
	*last = nest->extent[loop] - 1;
	for (int p = 0; p < nest->depth; p++)
		if (nest->order[p] == loop) {
			*first = walk->index[p] * nest->tile[loop];
			*last = *first + nest->tile[loop] - 1 < *last ? *first + nest->tile[loop] - 1 : *last;
		}
}

static void find_region(const struct nest *nest, int array, struct walk *walk)
{
	for (int d = 0; d < rank_of(array); d++) {
		int slow, fast, stride, first, last;
		loops_of(nest, array, d, &slow, &fast, &stride);
		range(nest, walk, slow, &first, &last);
		walk->low[d] = stride * first;
		walk->high[d] = stride * last;
		if (fast < 0)
			continue;
		range(nest, walk, fast, &first, &last);
		walk->low[d] += first;
		walk->high[d] += last;
	}
}

static long volume(const int *low, const int *high, int rank)
{
	long volume = 1;
	for (int d = 0; d < rank; d++)
		volume *= high[d] - low[d] + 1;
	return volume;
}

/* Elements of the region that the one before had. */
static long common(const struct walk *walk, int rank)
{
	long volume = 1;
	for (int d = 0; d < rank; d++) {
		int low = walk->low[d] > walk->before_low[d] ? walk->low[d] : walk->before_low[d];
		int high = walk->high[d] < walk->before_high[d] ? walk->high[d] : walk->before_high[d];
		if (high < low)
			return 0;
		volume *= high - low + 1;
	}
	return volume;
}

/* To the next visit; loops turn at their ends.  False after the last. */
static bool step(const struct nest *nest, struct walk *walk)
{
	for (int p = nest->depth - 1; p >= 0; p--) {
		if (walk->count[p] + 1 < nest->tiles[p]) {
			walk->count[p]++;
			walk->index[p] += walk->is_backward[p] ? -1 : 1;
			return true;
		}
		walk->count[p] = 0;
		walk->is_backward[p] = !walk->is_backward[p];
	}
	return false;
}

/* The run of the innermost loop goes back over the one before it: the innermost loop outside
 * that has moved on (or, AHEAD, will) does not index the array. */
static bool is_turn(const struct nest *nest, int array, const struct walk *walk, bool ahead)
{
	for (int p = nest->depth - 2; p >= 0; p--)
		if (ahead ? walk->count[p] + 1 < nest->tiles[p] : walk->count[p] > 0)
			return !indexes(nest, array, nest->order[p]);
	return false;
}

static bool is_first(const struct nest *nest, int array, const struct walk *walk)
{
	for (int p = 0; p < nest->depth; p++)
		if (walk->count[p] && !indexes(nest, array, nest->order[p]))
			return false;
	return true;
}

static void add_option(struct options *options, int array, long memory, long traffic)
{
	int *count = &options->count[array], kept = 0;
	struct option *list = options->list[array];
	for (int i = 0; i < *count; i++)
		if (list[i].memory <= memory && list[i].traffic <= traffic)
			return;
	for (int i = 0; i < *count; i++)
		if (list[i].memory < memory || list[i].traffic < traffic)
			list[kept++] = list[i];
	list[kept++] = (struct option){ memory, traffic };
	*count = kept;
	if (kept == LIST)
		exit(2);
}

/* The ring of a window that slides with the innermost loop: its dimension, how far a tile
 * moves it, and all that a run covers.  False: it cannot slide. */
static bool find_ring(const struct nest *nest, int array, const int *side, int *dim, int *by,
	int *all)
{
	int loop = nest->order[nest->depth - 1], moving = 0;
	for (int d = 0; d < rank_of(array); d++) {
		int slow, fast, stride;
		loops_of(nest, array, d, &slow, &fast, &stride);
		if (slow != loop && fast != loop)
			continue;
		moving++;
		*dim = d;
		*by = (slow == loop ? stride : 1) * nest->tile[loop];
		*all = side[d] + (slow == loop ? stride : 1) * (nest->extent[loop] - nest->tile[loop]);
	}
	return array != OUTPUT && moving == 1 && *by <= side[*dim];
}

/* The buffer of ARRAY inside all loops placed: what any number of slots, with or without a
 * sliding window, needs and moves. */
static void try_buffer(struct nest *nest, int array, struct options *options)
{
	struct walk walk = { .index = { 0 } };
	int rank = rank_of(array), n = nest->depth ? nest->tiles[nest->depth - 1] : 1;
	int side[4] = { 0 }, dim = 0, by = 0, all = 0;
	long whole = 0, slid = 0, saved[64] = { 0 }, saved_slid[64] = { 0 };
	do {
		int at = nest->depth ? walk.count[nest->depth - 1] : 0;
		find_region(nest, array, &walk);
		for (int d = 0; d < rank; d++)
			if (walk.high[d] - walk.low[d] + 1 > side[d])
				side[d] = walk.high[d] - walk.low[d] + 1;
		long now = volume(walk.low, walk.high, rank), fresh = at ? now - common(&walk, rank) : now;
		bool is_kept = is_turn(nest, array, &walk, false);
		if (array != OUTPUT) {
			whole += now;
			slid += fresh;
			saved[at] += is_kept ? now : 0;
			saved_slid[at] += is_kept ? fresh : 0;
		} else {
			bool is_fetched = !is_first(nest, array, &walk);
			whole += now + (is_fetched ? now : 0);
			saved[at] += is_kept && is_fetched ? now : 0;
			saved[n - 1 - at] += is_turn(nest, array, &walk, true) ? now : 0;
		}
		memcpy(walk.before_low, walk.low, sizeof walk.low);
		memcpy(walk.before_high, walk.high, sizeof walk.high);
	} while (step(nest, &walk));
	long region = 1;
	for (int d = 0; d < rank; d++)
		region *= side[d];
	bool slides = nest->depth && find_ring(nest, array, side, &dim, &by, &all);
	for (int slots = 1; slots <= n; slots++) {
		int ring = side[dim] + (slots - 1) * by;
		whole -= saved[slots - 1];
		slid -= saved_slid[slots - 1];
		add_option(options, array, region * slots, whole);
		if (slides)
			add_option(options, array, region / side[dim] * (ring < all ? ring : all), slid);
	}
}

static void combine(const struct options *options, struct front *front)
{
	for (int i = 0; i < options->count[INPUT]; i++)
		for (int w = 0; w < options->count[WEIGHTS]; w++)
			for (int o = 0; o < options->count[OUTPUT]; o++)
				add(front, options->list[INPUT][i].memory + options->list[WEIGHTS][w].memory
					+ options->list[OUTPUT][o].memory, options->list[INPUT][i].traffic
					+ options->list[WEIGHTS][w].traffic + options->list[OUTPUT][o].traffic);
}

/* The loops placed so far are a schedule; then one more, in every way. */
static void try_loops(struct nest *nest)
{
	struct options *options = &nest->at[nest->depth];
	int last = nest->depth ? nest->order[nest->depth - 1] : -1;
	for (int a = 0; a < ARRAYS; a++) {
		const struct options *outside = options - 1;
		options->count[a] = nest->depth ? outside->count[a] : 0;
		for (int i = 0; i < options->count[a]; i++)
			options->list[a][i] = outside->list[a][i];
	}
	for (int a = 0; a < ARRAYS; a++)
		if (last < 0 || indexes(nest, a, last))
			try_buffer(nest, a, options);
	combine(options, nest->front);
	for (int loop = 0; loop < LOOPS; loop++) {
		int sizes[64];
		bool is_placed = false;
		for (int p = 0; p < nest->depth; p++)
			is_placed |= nest->order[p] == loop;
		if (is_placed)
			continue;
		int count = sizes_of(nest->extent[loop], sizes);
		nest->order[nest->depth++] = loop;
		for (int i = 1; i < count; i++) {
			nest->tile[loop] = sizes[i];
			nest->tiles[nest->depth - 1] = (nest->extent[loop] + sizes[i] - 1) / sizes[i];
			try_loops(nest);
		}
		nest->depth--;
	}
}

static void try_layer(const struct layer *layer, struct front *front)
{
	struct nest *nest = calloc(1, sizeof *nest);
	if (!nest)
		exit(2);
	*nest = (struct nest){ .layer = layer, .extent = { layer->out, layer->rows, layer->columns,
		layer->in, layer->kernel, layer->kernel }, .front = front };
	clear(front);
	try_loops(nest);
	free(nest);
	accumulate(front);
}

/* ---- a group ---- */

/* Loops of a group: rows and columns of all layers, and the channels between the last two. */
enum { ROW, COLUMN, CHANNEL, DIMS };

struct group_loop {
	int dim, tile, count;
	bool repeats;
};

struct group {
	int first, last;             /* layers */
	int least[DIMS], extent[DIMS];   /* of the values that tiles are cut of */
	/* [layer][dim][iteration]: the value at which it runs, and how far its users are. */
	int value[LAYERS][DIMS][64], span[LAYERS][DIMS];
	int depth;
	struct group_loop loops[3];
	struct front *front;
};

static int extent_of(const struct layer *layer, int dim)
{
	return dim == ROW ? layer->rows : layer->columns;
}

/* Rows and columns of a producer run where the first of their users does; a user is away from
 * them as far as the last of any. */
static void find_values(struct group *group, int dim)
{
	int low = INT_MAX, high = INT_MIN;
	for (int l = group->last; l >= group->first; l--) {
		const struct layer *user = &layers[l + 1];
		group->span[l][dim] = 0;
		for (int i = 0; i < extent_of(&layers[l], dim); i++) {
			int first = l == group->last ? i : INT_MAX, end = first;
			for (int u = 0; l < group->last && u < extent_of(user, dim); u++)
				for (int r = 0; r < user->kernel; r++)
					if (u * user->stride + r == i) {
						int at = group->value[l + 1][dim][u];
						int until = at + group->span[l + 1][dim];
						first = at < first ? at : first;
						end = end == INT_MAX || until > end ? until : end;
					}
			/* rows before and after all uses keep their distance */
			if (l < group->last && i < user->kernel - 1) {
				int above = group->value[l + 1][dim][0];
				int step = user->kernel - 1 - i;
				first = above - step / user->stride;
			}
			group->value[l][dim][i] = first;
			if (end != INT_MAX && end - first > group->span[l][dim])
				group->span[l][dim] = end - first;
			low = first < low ? first : low;
			high = first > high ? first : high;
		}
	}
	group->least[dim] = low;
	group->extent[dim] = high - low + 1;
}

/* What is alive and moves, of the tiles of the moment: sets. */
struct tile {
	set out[LAYERS][DIMS];       /* channels, rows and columns that a layer makes; CHANNEL: out */
	set in[LAYERS];              /* channels that it reads */
	bool runs[LAYERS];
};

static set below(int n)
{
	return n >= 64 ? ~(set)0 : ((set)1 << n) - 1;
}

static int low_of(set of)
{
	int i = 0;
	while (!(of >> i & 1))
		i++;
	return i;
}

static int high_of(set of)
{
	int i = 63;
	while (!(of >> i & 1))
		i--;
	return i;
}

/* The least interval around it. */
static set hull(set of)
{
	return of ? below(high_of(of) + 1) & ~below(low_of(of)) : 0;
}

static int size_of(set of)
{
	int size = 0;
	for (int i = 0; i < 64; i++)
		size += (int)(of >> i & 1);
	return size;
}

/* Iterations of layer L along rows or columns in tile T of LOOP. */
static set running(const struct group *group, int l, const struct group_loop *loop, int t)
{
	set found = 0;
	int from = group->least[loop->dim] + t * loop->tile, to = from + loop->tile - 1;
	for (int i = 0; i < extent_of(&layers[l], loop->dim); i++) {
		int value = group->value[l][loop->dim][i];
		int until = value + (loop->repeats ? group->span[l][loop->dim] : 0);
		if (value <= to && until >= from)
			found |= (set)1 << i;
	}
	return found;
}

/* Only the first DEPTH loops are where T says; the others run through. */
static void find_tile(const struct group *group, int depth, const int *t, struct tile *tile)
{
	for (int l = group->first; l <= group->last; l++) {
		tile->out[l][ROW] = below(layers[l].rows);
		tile->out[l][COLUMN] = below(layers[l].columns);
		tile->out[l][CHANNEL] = below(layers[l].out);
		tile->in[l] = below(layers[l].in);
	}
	for (int p = 0; p < depth; p++) {
		const struct group_loop *loop = &group->loops[p];
		for (int l = group->first; l <= group->last && loop->dim != CHANNEL; l++)
			tile->out[l][loop->dim] = running(group, l, loop, t[p]);
		if (loop->dim == CHANNEL) {
			set channels = below((t[p] + 1) * loop->tile) & ~below(t[p] * loop->tile)
				& below(layers[group->last].in);
			tile->out[group->last - 1][CHANNEL] = tile->in[group->last] = channels;
		}
	}
	for (int l = group->first; l <= group->last; l++)
		tile->runs[l] = tile->out[l][ROW] && tile->out[l][COLUMN];
}

/* Rows or columns that layer L reads to make OUT. */
static set reads(int l, set out)
{
	set found = 0;
	for (int i = 0; i < 64; i++)
		if (out >> i & 1)
			found |= below(layers[l].kernel) << (i * layers[l].stride);
	return found;
}

/* An array as it lies: channels (and filters), rows, columns. */
struct box {
	set side[4];
};

static long elements(const struct box *box)
{
	long count = 1;
	for (int d = 0; d < 4; d++)
		count *= size_of(box->side[d]);
	return count;
}

static struct box meet(const struct box *a, const struct box *b)
{
	struct box both;
	for (int d = 0; d < 4; d++)
		both.side[d] = a->side[d] & b->side[d];
	return both;
}

/* Arrays that come and go: the group's input, its output, and the weights of its layers. */
enum { GROUP_INPUT, GROUP_OUTPUT, GROUP_WEIGHTS };

static struct box region(const struct group *group, int array, const struct tile *tile)
{
	int l = array == GROUP_INPUT ? group->first : group->last;
	if (array >= GROUP_WEIGHTS) {
		l = group->first + array - GROUP_WEIGHTS;
		set all = tile->runs[l] ? below(layers[l].kernel) : 0;
		return (struct box){ { tile->out[l][CHANNEL], tile->in[l], all, all } };
	}
	if (!tile->runs[l])
		return (struct box){ { 0 } };
	if (array == GROUP_OUTPUT)
		return (struct box){ { tile->out[l][CHANNEL], tile->out[l][ROW], tile->out[l][COLUMN], 1 } };
	return (struct box){ { tile->in[l], hull(reads(l, tile->out[l][ROW])),
		hull(reads(l, tile->out[l][COLUMN])), 1 } };
}

static bool moves(const struct group *group, int array, int dim)
{
	int l = group->first + array - GROUP_WEIGHTS;
	if (array < GROUP_WEIGHTS)
		return dim != CHANNEL || (array == GROUP_INPUT && group->first == group->last);
	return dim == CHANNEL && l >= group->last - 1;
}

/* To the next iteration of the first DEPTH loops. */
static bool next(const struct group *group, int depth, int *t)
{
	for (int p = depth - 1; p >= 0; p--) {
		if (++t[p] < group->loops[p].count)
			return true;
		t[p] = 0;
	}
	return false;
}

/* No layer of the group needs rows (or columns) of another for more than one of its own. */
static bool is_apart(const struct group *group, int dim)
{
	for (int l = group->first; l <= group->last; l++)
		if (group->span[l][dim])
			return false;
	return true;
}

/* A walk over iterations of the first loops: where they are, and for how long they have run; loops that
 * keep no rows for their next iteration go back from their ends. */
struct group_walk {
	int t[3], count[3];
	bool is_backward[3];
};

static bool turns(const struct group *group, int p)
{
	const struct group_loop *loop = &group->loops[p];
	return loop->dim == CHANNEL || loop->repeats || is_apart(group, loop->dim);
}

static bool advance(const struct group *group, int depth, struct group_walk *walk)
{
	for (int p = depth - 1; p >= 0; p--) {
		if (++walk->count[p] < group->loops[p].count) {
			walk->t[p] += walk->is_backward[p] ? -1 : 1;
			return true;
		}
		walk->count[p] = 0;
		if (turns(group, p))
			walk->is_backward[p] = !walk->is_backward[p];
		else
			walk->t[p] = 0;
	}
	return false;
}

/* The first iteration of the innermost of STORE loops finds ARRAY's region where the last one has left it. */
static bool is_kept_at_turn(const struct group *group, int array, int store, const struct group_walk *walk)
{
	if (!store || walk->count[store - 1] || !turns(group, store - 1))
		return false;
	for (int p = store - 2; p >= 0; p--) {
		if (walk->count[p])
			return !moves(group, array, group->loops[p].dim);
		if (moves(group, array, group->loops[p].dim) && !turns(group, p))
			return false;
	}
	return false;
}

/* What ARRAY moves and needs, its buffer inside STORE loops. */
static void walk_array(const struct group *group, int array, int store, long *traffic, long *memory)
{
	struct group_walk walk = { { 0 }, { 0 }, { false } };
	int most[4] = { 0 };
	bool revisits = false, slides = array != GROUP_OUTPUT;
	struct box before = { { 0 } };
	*traffic = 0;
	for (int p = 0; p < store; p++)
		revisits |= !moves(group, array, group->loops[p].dim);
	do {
		struct tile tile;
		find_tile(group, store, walk.t, &tile);
		struct box now = region(group, array, &tile);
		long all = elements(&now);
		bool is_first = true;
		for (int p = 0; p < store; p++)
			is_first &= moves(group, array, group->loops[p].dim) || !walk.count[p];
		for (int d = 0; d < 4; d++)
			most[d] = size_of(now.side[d]) > most[d] ? size_of(now.side[d]) : most[d];
		struct box old = meet(&now, &before);
		if (store && walk.count[store - 1] && slides)
			all -= elements(&old);
		if (is_kept_at_turn(group, array, store, &walk) && elements(&old) == all)
			all = 0;
		*traffic += array == GROUP_OUTPUT && revisits && !is_first ? 2 * all : all;
		before = now;
	} while (advance(group, store, &walk));
	*memory = (long)most[0] * most[1] * most[2] * most[3];
}

/* The buffer of what layer L hands on to the next: along the innermost loop, where it moves
 * it, a ring that holds what lives from what was made last to what is still to be read. */
static long walk_between(const struct group *group, int l)
{
	int t[3] = { 0 }, most[DIMS] = { 0 }, ring = 0;
	int inner = group->depth ? group->loops[group->depth - 1].dim : -1;
	int outer = group->depth ? group->depth - 1 : 0;
	bool is_ring = inner == ROW || inner == COLUMN || (inner == CHANNEL && l == group->last - 1);
	do {
		int count = is_ring ? group->loops[group->depth - 1].count : 1;
		set made[64], read[64], all[DIMS] = { 0 };
		for (int i = 0; i < (group->depth ? group->loops[group->depth - 1].count : 1); i++) {
			struct tile tile;
			if (group->depth)
				t[group->depth - 1] = i;
			find_tile(group, group->depth, t, &tile);
			set sides[DIMS] = { tile.out[l][ROW], tile.out[l][COLUMN], tile.out[l][CHANNEL] };
			set uses[DIMS] = { reads(l + 1, tile.out[l + 1][ROW]),
				reads(l + 1, tile.out[l + 1][COLUMN]), tile.in[l + 1] };
			for (int d = 0; d < DIMS; d++)
				all[d] |= (tile.runs[l] ? sides[d] : 0) | (tile.runs[l + 1] ? uses[d] : 0);
			if (is_ring) {
				made[i] = (tile.runs[l] ? sides[inner] : 0);
				read[i] = (tile.runs[l + 1] ? uses[inner] : 0);
			}
		}
		for (int i = 0; i < count && is_ring; i++) {
			set until = 0, from = made[i];
			for (int j = 0; j <= i; j++)
				until |= made[j];
			for (int j = i; j < count; j++)
				from |= read[j];
			if (until && from && high_of(until) - low_of(from) + 1 > ring)
				ring = high_of(until) - low_of(from) + 1;
		}
		for (int d = 0; d < DIMS; d++) {
			int side = all[d] ? high_of(all[d]) - low_of(all[d]) + 1 : 0;
			most[d] = side > most[d] ? side : most[d];
		}
		if (group->depth)
			t[group->depth - 1] = 0;
	} while (next(group, outer, t));
	long memory = 1;
	for (int d = 0; d < DIMS; d++)
		memory *= is_ring && d == inner && ring < most[d] ? ring : most[d];
	return memory;
}

static double repetition(const struct group *group)
{
	double once = 0, all = 0;
	int t[3] = { 0 };
	for (int l = group->first; l <= group->last; l++)
		once += (double)layers[l].out * layers[l].rows * layers[l].columns * layers[l].in
			* layers[l].kernel * layers[l].kernel;
	do {
		struct tile tile;
		find_tile(group, group->depth, t, &tile);
		for (int l = group->first; l <= group->last; l++)
			all += (double)size_of(tile.out[l][CHANNEL]) * size_of(tile.out[l][ROW])
				* size_of(tile.out[l][COLUMN]) * size_of(tile.in[l]) * layers[l].kernel
				* layers[l].kernel;
	} while (next(group, group->depth, t));
	return all / once;
}

/* What layer L alone uses: its weights; first in the group, the input; last, the output. */
struct item {
	long held, streamed;         /* traffic: in a buffer of its own, or coming and going in each tile */
	long place;                  /* of that buffer */
	int side[4];                 /* of what comes in a tile */
	int array;
};

static struct item item_of(const struct group *group, int l, int array)
{
	struct item item = { .array = array };
	int store = 0, t[3] = { 0 };
	for (int p = 0; p < group->depth; p++)
		if (moves(group, array, group->loops[p].dim))
			store = p + 1;
	walk_array(group, array, store, &item.held, &item.place);
	do {
		struct tile tile;
		bool is_back = false;
		find_tile(group, group->depth, t, &tile);
		struct box now = region(group, array, &tile);
		for (int p = 0; p < group->depth; p++)
			is_back |= array == GROUP_OUTPUT && t[p] && !moves(group, array, group->loops[p].dim);
		item.streamed += tile.runs[l] ? elements(&now) * (is_back ? 2 : 1) : 0;
		for (int d = 0; d < 4; d++)
			if (size_of(now.side[d]) > item.side[d])
				item.side[d] = size_of(now.side[d]);
	} while (next(group, group->depth, t));
	return item;
}

/* What comes and goes for a layer while one of its loops runs inside the tile: an iteration at a time
 * what the loop has a subscript of for itself.  LOOP: -1 without. */
static long chunk(const struct item *item, int loop)
{
	static const int of[][4] = { [GROUP_INPUT] = { C, -1, -1, -1 }, [GROUP_OUTPUT] = { K, Y, X, -1 },
		[GROUP_WEIGHTS] = { K, C, R, S } };
	const int *own = of[item->array < GROUP_WEIGHTS ? item->array : GROUP_WEIGHTS];
	long size = 1;
	for (int d = 0; d < 4; d++)
		size *= loop >= 0 && own[d] == loop ? 1 : item->side[d];
	return size;
}

static bool runs_outside(const struct group *group, int l, int loop)
{
	bool found = false;
	for (int p = 0; p < group->depth; p++) {
		int dim = group->loops[p].dim;
		found |= dim == CHANNEL ? (l == group->last && loop == C) || (l == group->last - 1 && loop == K)
			: loop == (dim == ROW ? Y : X);
	}
	return found;
}

/* Each is held, or comes and goes in each tile for its layer, whole or a bit at a time: then those of
 * all layers take turns in one place. */
static void try_items(const struct group *group, int l, long memory, long pool, long traffic)
{
	static const int loops[] = { -1, K, Y, X, C, R, S };
	struct item items[3];
	int count = 0;
	if (l > group->last) {
		add(group->front, memory + pool, traffic);
		return;
	}
	items[count++] = item_of(group, l, GROUP_WEIGHTS + l - group->first);
	if (l == group->first)
		items[count++] = item_of(group, l, GROUP_INPUT);
	if (l == group->last)
		items[count++] = item_of(group, l, GROUP_OUTPUT);
	for (int held = 0; held < 1 << count; held++)
		for (size_t j = 0; j < sizeof loops / sizeof *loops; j++) {
			long own_memory = 0, own_pool = 0, own_traffic = 0;
			if (runs_outside(group, l, loops[j]))
				continue;
			for (int i = 0; i < count; i++) {
				bool is_held = held >> i & 1;
				own_memory += is_held ? items[i].place : 0;
				own_pool += is_held ? 0 : chunk(&items[i], loops[j]);
				own_traffic += is_held ? items[i].held : items[i].streamed;
			}
			try_items(group, l + 1, memory + own_memory, own_pool > pool ? own_pool : pool,
				traffic + own_traffic);
		}
}

static void try_group_schedule(const struct group *group)
{
	long memory = 0;
	if (repetition(group) > 1 + percent / 100 + 1e-9)
		return;
	for (int l = group->first; l < group->last; l++)
		memory += walk_between(group, l);
	try_items(group, group->first, memory, 0, 0);
}

/* Loops outside that rows cross repeat; the innermost keeps them, or repeats them too, as it may turn then. */
static void try_group_loops(struct group *group)
{
	struct group_loop *inner = group->depth ? &group->loops[group->depth - 1] : NULL;
	try_group_schedule(group);
	if (group->depth > 1 && inner->dim != CHANNEL && !is_apart(group, inner->dim)) {
		inner->repeats = true;
		try_group_schedule(group);
		inner->repeats = false;
	}
	if (group->depth == 3)
		return;
	for (int dim = 0; dim < DIMS; dim++) {
		int sizes[64];
		bool is_placed = dim == CHANNEL && group->last != group->first + 1;
		for (int p = 0; p < group->depth; p++)
			is_placed |= group->loops[p].dim == dim;
		if (is_placed)
			continue;
		int count = sizes_of(group->extent[dim], sizes);
		struct group_loop *outer = group->depth ? &group->loops[group->depth - 1] : NULL;
		bool was = outer && outer->repeats;
		if (outer)
			outer->repeats = outer->dim != CHANNEL && !is_apart(group, outer->dim);
		for (int i = 1; i < count; i++) {
			group->loops[group->depth++] = (struct group_loop){ dim, sizes[i],
				(group->extent[dim] + sizes[i] - 1) / sizes[i], false };
			try_group_loops(group);
			group->depth--;
		}
		if (outer)
			outer->repeats = was;
	}
}

static void try_group(int first, int last, struct front *front)
{
	struct group group = { .first = first, .last = last, .front = front };
	clear(front);
	find_values(&group, ROW);
	find_values(&group, COLUMN);
	group.least[CHANNEL] = 0;
	group.extent[CHANNEL] = layers[last].in;
	try_group_loops(&group);
	accumulate(front);
}

/* ---- the chain ---- */

static struct front of[LAYERS][LAYERS], best[LAYERS + 1];

static void try_limit(const char *limit)
{
	bool fuses = strcmp(limit, "never") != 0;
	percent = atof(limit);
	for (int l = 0; l < layer_count; l++)
		for (int first = l - 1; first >= 0 && fuses; first--)
			try_group(first, l, &of[first][l]);
	for (int end = 1; end <= layer_count; end++) {
		clear(&best[end]);
		for (int first = 0; first < end; first++)
			if (first == end - 1 || fuses)
				join(&best[first], &of[first][end - 1], &best[end]);
	}
	const struct front *all = &best[layer_count];
	printf("%s\n", limit);
	for (int m = MEMORY - 1; m > 0; m--)
		if (all->traffic[m] < all->traffic[m - 1])
			printf("%d %ld\n", m * ELEMENT, all->traffic[m] * ELEMENT);
}

int main(int count, char **arguments)
{
	if (count < 8 || (count - 5) % 3 || (count - 5) / 3 > LAYERS)
		return 2;
	layer_count = (count - 5) / 3;
	int channels = atoi(arguments[2]), rows = atoi(arguments[3]), columns = atoi(arguments[4]);
	for (int l = 0; l < layer_count; l++) {
		char **of_layer = arguments + 5 + 3 * l;
		layers[l] = (struct layer){ channels, atoi(of_layer[0]), 0, 0, atoi(of_layer[1]),
			atoi(of_layer[2]) };
		channels = layers[l].out;
	}
	for (int l = layer_count - 1; l >= 0; l--) {
		layers[l].rows = rows;
		layers[l].columns = columns;
		rows = (rows - 1) * layers[l].stride + layers[l].kernel;
		columns = (columns - 1) * layers[l].stride + layers[l].kernel;
	}
	if (rows > 64 || columns > 64)
		return 2;
	for (int l = 0; l < layer_count; l++)
		try_layer(&layers[l], &of[l][l]);
	for (char *limit = strtok(arguments[1], ","); limit; limit = strtok(NULL, ","))
		try_limit(limit);
	return 0;
}
