#include "tests/optimality/simulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HELD = 64 };

/* HIGH is one past; TILE is where the loops that move the region are. */
struct box { long low[MODEL_RANK], high[MODEL_RANK], tile[MODEL_LOOPS]; };

struct state {
	const struct nest_model *model;
	const struct schedule *schedule;
	struct simulated *result;
	long entries[MODEL_LOOPS];   /* times the loop at a position was entered */
	long index[MODEL_LOOPS];     /* tile that each loop is at; by loop */
	long count[MODEL_LOOPS];     /* tiles of its run before it, by position */
	/* by array: regions of the last visits, the latest first */
	int held_count[MODEL_ARRAYS];
	struct box (*held)[HELD];
	unsigned char *was_out[MODEL_ARRAYS];   /* elements that were on chip before */
	unsigned char *was_here[MODEL_ARRAYS];  /* the same if nothing were clipped */
	long position[MODEL_ARRAYS];            /* of the moving loop in its run */
	long first_visits[MODEL_ARRAYS];        /* that saw a region for the first time */
};

static bool moves(const struct model_array *array, int loop)
{
	bool found = false;

	for (int d = 0; d < array->rank; d++)
		found = found || array->dims[d].coefficient[loop] != 0;
	return found;
}

static int position_of(const struct schedule *schedule, int loop)
{
	for (int i = 0; i < schedule->depth; i++)
		if (schedule->order[i] == loop)
			return i;
	return MODEL_LOOPS;
}

static void region(const struct state *state, int a, struct box *box)
{
	const struct model_array *array = &state->model->arrays[a];

	memset(box, 0, sizeof *box);
	for (int d = 0; d < array->rank; d++) {
		long low = 0, high = array->dims[d].window;

		for (int l = 0; l < state->model->loop_count; l++) {
			long extent = state->model->loops[l].extent, first = 0, last = extent - 1;

			if (position_of(state->schedule, l) < state->schedule->storage[a].store) {
				first = state->index[l] * state->schedule->tile[l];
				last = first + state->schedule->tile[l] - 1;
				last = last < extent - 1 ? last : extent - 1;
			}
			if (array->dims[d].negative >> l & 1) {
				long mirrored = extent - 1 - last;

				last = extent - 1 - first;
				first = mirrored;
			}
			low += array->dims[d].coefficient[l] * first;
			high += array->dims[d].coefficient[l] * last;
		}
		box->low[d] = low;
		box->high[d] = high;
	}
	for (int l = 0; l < state->model->loop_count; l++)
		box->tile[l] = moves(array, l) &&
			position_of(state->schedule, l) < state->schedule->storage[a].store ?
			state->index[l] : 0;
}

/* BOX without what does not exist.  May leave nothing. */
static void clip(const struct model_array *array, struct box *box)
{
	for (int d = 0; d < array->rank; d++) {
		const struct model_dim *dim = &array->dims[d];

		if (dim->clip_high == 0)
			continue;
		box->low[d] = box->low[d] < dim->clip_low ? dim->clip_low : box->low[d];
		box->high[d] = box->high[d] > dim->clip_high ? dim->clip_high : box->high[d];
	}
}

/* Regions that happen to be the same elements of other tiles do not count. */
static bool same(const struct box *one, const struct box *other)
{
	return memcmp(one->tile, other->tile, sizeof one->tile) == 0;
}

/* Walks over the elements of a box: counts those outside OTHER (may be NULL); and
 * those that were on chip before, marking all. */
static void count(const struct box *box, const struct box *other, const long *size, int rank,
	unsigned char *was_out, long *outside, long *old)
{
	long at[MODEL_RANK];

	memcpy(at, box->low, sizeof at);
	*outside = *old = 0;
	for (int d = 0; d < rank; d++)
		if (box->low[d] >= box->high[d])
			return;
	for (;;) {
		long place = 0;
		bool is_inside = other != NULL;
		int d;

		for (d = 0; d < rank; d++) {
			place = place * size[d] + at[d];
			is_inside = is_inside && at[d] >= other->low[d] && at[d] < other->high[d];
		}
		*outside += !is_inside;
		*old += was_out[place];
		was_out[place] = 1;
		for (d = rank - 1; d >= 0 && ++at[d] == box->high[d]; d--)
			at[d] = box->low[d];
		if (d < 0)
			return;
	}
}

static void array_size(const struct nest_model *model, int a, long *size)
{
	for (int d = 0; d < model->arrays[a].rank; d++) {
		size[d] = model->arrays[a].dims[d].window;
		for (int l = 0; l < model->loop_count; l++)
			size[d] += model->arrays[a].dims[d].coefficient[l] *
				(model->loops[l].extent - 1);
	}
}

/* Counts commands as if nothing were clipped, and bytes as it is: BOX and BEFORE, the
 * window it slides on from (NULL: none), are whole. */
static void move(struct state *state, int a, const struct box *box, const struct box *before)
{
	const struct model_array *array = &state->model->arrays[a];
	struct box real = *box, real_before = before ? *before : *box;
	long size[MODEL_RANK], outside, old, real_outside, real_old;
	bool is_created = array->is_created;

	clip(array, &real);
	clip(array, &real_before);
	array_size(state->model, a, size);
	count(box, before, size, array->rank, state->was_here[a], &outside, &old);
	count(&real, before ? &real_before : NULL, size, array->rank, state->was_out[a],
		&real_outside, &real_old);
	if (array->is_written) {
		state->result->write_bytes[a] += real_outside * array->element_bytes;
		state->result->commands[a]++;
		state->first_visits[a] += old == 0;
	}
	if ((is_created ? old : outside) > 0 && (array->is_written || array->is_read)) {
		state->result->read_bytes[a] += (is_created ? real_old : real_outside) *
			array->element_bytes;
		state->result->commands[a]++;
	}
}

static void visit(struct state *state, int a)
{
	const struct storage *storage = &state->schedule->storage[a];
	struct box box, *held = state->held[a];
	bool is_kept;
	int hit = 0;

	region(state, a, &box);
	for (hit = 0; hit < state->held_count[a]; hit++)
		if (same(&held[hit], &box))
			break;
	is_kept = hit < state->held_count[a];
	if (!is_kept)
		move(state, a, &box, storage->is_sliding && state->position[a] > 0 ? &held[0] : NULL);
	/* the latest first, at most SLOTS of them */
	if (!is_kept && state->held_count[a] < storage->slots)
		hit = state->held_count[a]++;
	else if (!is_kept)
		hit = state->held_count[a] - 1;
	memmove(held + 1, held, sizeof *held * (size_t)hit);
	held[0] = box;
}

/* The statements that touch it run only at the first tiles of its anchored loops. */
static bool is_skipped(const struct state *state, int a)
{
	for (int i = 0; i < state->schedule->storage[a].store; i++)
		if ((state->model->arrays[a].anchored >> state->schedule->order[i] & 1) &&
			state->count[i] > 0)
			return true;
	return false;
}

static void walk(struct state *state, int position)
{
	const struct schedule *schedule = state->schedule;
	long tiles = 0, entry;
	int loop;

	for (int a = 0; a < state->model->array_count; a++)
		if (schedule->storage[a].store == position && !is_skipped(state, a))
			visit(state, a);
	if (position == schedule->depth)
		return;
	loop = schedule->order[position];
	while (tiles * schedule->tile[loop] < state->model->loops[loop].extent)
		tiles++;
	entry = state->entries[position]++;
	for (long i = 0; i < tiles; i++) {
		bool is_backwards = schedule->is_serpentine[loop] && entry % 2 == 1;

		state->index[loop] = is_backwards ? tiles - 1 - i : i;
		state->count[position] = i;
		for (int a = 0; a < state->model->array_count; a++) {
			if (schedule->storage[a].store == position + 1)
				state->position[a] = i;
			/* what is anchored is forgotten where its loop goes on */
			if (i > 0 && state->model->arrays[a].anchored >> loop & 1 && schedule->storage[a].store > position)
				state->held_count[a] = 0;
		}
		walk(state, position + 1);
	}
}

static long window_extent(const struct nest_model *model, const struct schedule *schedule,
	const struct model_dim *dim, int store, int except)
{
	long extent = dim->window;

	for (int l = 0; l < model->loop_count; l++) {
		bool is_outside = position_of(schedule, l) < store && l != except;

		extent += dim->coefficient[l] *
			((is_outside ? schedule->tile[l] : model->loops[l].extent) - 1);
	}
	return extent;
}

/* What exists of the largest region of DIM, of all tiles of the loops from LOOP on: those before make it FROM .. TO. */
static long largest_shown(const struct nest_model *model, const struct schedule *schedule, const struct model_dim *dim, int store,
	int loop, long from, long to)
{
	long largest = 0;

	if (loop == model->loop_count)
		return (to < dim->clip_high ? to : dim->clip_high) - (from > dim->clip_low ? from : dim->clip_low);
	long extent = model->loops[loop].extent;
	long tile = position_of(schedule, loop) < store ? schedule->tile[loop] : extent;

	for (long first = 0; first < extent && (first == 0 || dim->coefficient[loop] > 0); first += tile) {
		long last = (first + tile < extent ? first + tile : extent) - 1;
		long low = dim->negative >> loop & 1 ? extent - 1 - last : first;
		long high = dim->negative >> loop & 1 ? extent - 1 - first : last;
		long shown = largest_shown(model, schedule, dim, store, loop + 1, from + dim->coefficient[loop] * low,
			to + dim->coefficient[loop] * high);

		largest = shown > largest ? shown : largest;
	}
	return largest > 0 ? largest : 0;
}

static long buffer_bytes(const struct nest_model *model, const struct schedule *schedule, int a)
{
	const struct model_array *array = &model->arrays[a];
	const struct storage *storage = &schedule->storage[a];
	long copies = storage->slots + storage->is_double, bytes = array->element_bytes;
	int moving = storage->store > 0 ? schedule->order[storage->store - 1] : -1;

	for (int d = 0; d < array->rank; d++) {
		long extent = window_extent(model, schedule, &array->dims[d], storage->store, -1);

		if (storage->is_sliding && array->dims[d].coefficient[moving] > 0) {
			long most = window_extent(model, schedule, &array->dims[d],
				storage->store, moving);

			extent += (copies - 1) * array->dims[d].coefficient[moving] *
				schedule->tile[moving];
			extent = extent < most ? extent : most;
			extent = extent > array->dims[d].least_side ? extent : array->dims[d].least_side;
			copies = 1;
		} else if (array->dims[d].clip_high > 0) {
			long exist = array->dims[d].clip_high - array->dims[d].clip_low;

			if (array->align_bytes > 1)
				extent = extent < exist ? extent : exist;
			else
				extent = largest_shown(model, schedule, &array->dims[d], storage->store, 0, 0, array->dims[d].window);
		} else if (extent < array->dims[d].least_side) {
			extent = array->dims[d].least_side;
		}
		bytes *= extent;
	}
	return bytes * copies;
}

/* The last put of each element is for nobody; there are as many visits that put a region
 * for the last time as visits that saw one for the first time. */
static void take_back_last(struct state *state, int a)
{
	long size[MODEL_RANK], elements = 1;

	array_size(state->model, a, size);
	for (int d = 0; d < state->model->arrays[a].rank; d++)
		elements *= size[d];
	for (long i = 0; i < elements; i++)
		state->result->write_bytes[a] -= state->was_out[a][i] ?
			state->model->arrays[a].element_bytes : 0;
	state->result->commands[a] -= state->first_visits[a];
}

/* Of the loops outside array A's buffer that move it, those that are no ends go on to the next of their tiles; false: all have
 * been. */
static bool next_tile(struct state *state, int a)
{
	const struct model_array *array = &state->model->arrays[a];

	for (int i = 0; i < state->schedule->storage[a].store; i++) {
		int loop = state->schedule->order[i];

		if (array->ends >> loop & 1 || !moves(array, loop))
			continue;
		if (++state->index[loop] * state->schedule->tile[loop] < state->model->loops[loop].extent)
			return true;
		state->index[loop] = 0;
	}
	return false;
}

static bool dim_has_end(const struct state *state, int a, int d)
{
	for (int l = 0; l < state->model->loop_count; l++)
		if (state->model->arrays[a].ends >> l & 1 && state->model->arrays[a].dims[d].coefficient[l] > 0)
			return true;
	return false;
}

/* What array A's regions have besides in the last tiles of its ends, one region after the other. */
static void add_ends(struct state *state, int a)
{
	const struct model_array *array = &state->model->arrays[a];
	long besides = 0;
	bool has_ends = false;

	memset(state->index, 0, sizeof state->index);
	for (int i = 0; i < state->schedule->storage[a].store; i++) {
		int loop = state->schedule->order[i];

		if (!(array->ends >> loop & 1))
			continue;
		has_ends = has_ends || moves(array, loop);
		while (state->model->loops[loop].is_forward && !array->ends_first &&
			(state->index[loop] + 1) * state->schedule->tile[loop] < state->model->loops[loop].extent)
			state->index[loop]++;
	}
	do {
		struct box box;
		long here = 1, whole = 1;

		region(state, a, &box);
		for (int d = 0; d < array->rank; d++) {
			long side = box.high[d] - box.low[d];

			here *= side;
			whole *= dim_has_end(state, a, d) && array->dims[d].end_side > side ? array->dims[d].end_side : side;
		}
		besides += (whole - here) * array->element_bytes;
	} while (next_tile(state, a));
	if (!has_ends)
		return;
	state->result->read_bytes[a] += array->ends_read ? besides : 0;
	state->result->write_bytes[a] += array->ends_written ? besides : 0;
}

void simulate(const struct nest_model *model, const struct schedule *schedule,
	struct simulated *result)
{
	struct state *state = calloc(1, sizeof *state);

	state->held = calloc((size_t)model->array_count + 1, sizeof *state->held);
	state->model = model;
	state->schedule = schedule;
	state->result = result;
	memset(result, 0, sizeof *result);
	for (int a = 0; a < model->array_count; a++) {
		long size[MODEL_RANK], elements = 1;

		array_size(model, a, size);
		for (int d = 0; d < model->arrays[a].rank; d++)
			elements *= size[d];
		state->was_out[a] = calloc((size_t)elements, 1);
		state->was_here[a] = calloc((size_t)elements, 1);
		result->bytes[a] = buffer_bytes(model, schedule, a);
	}
	walk(state, 0);
	for (int a = 0; a < model->array_count; a++) {
		if (model->arrays[a].is_dropped)
			take_back_last(state, a);
		if (model->arrays[a].ends)
			add_ends(state, a);
		result->total_bytes += result->read_bytes[a] + result->write_bytes[a];
		result->total_commands += result->commands[a];
		free(state->was_out[a]);
		free(state->was_here[a]);
	}
	free(state->held);
	free(state);
}

/* All regions of a written array that are on chip together have to be apart;
 * found by comparing all pairs of tiles. */
static bool are_apart(const struct nest_model *model, const struct schedule *schedule, int a)
{
	struct state state = { .model = model, .schedule = schedule };
	int store = schedule->storage[a].store, boxes = 0;
	static struct box box[4096];

	for (;;) {
		int i;

		region(&state, a, &box[boxes]);
		for (int other = 0; other < boxes; other++) {
			bool is_apart = same(&box[other], &box[boxes]);

			for (int d = 0; d < model->arrays[a].rank; d++)
				is_apart = is_apart || box[other].high[d] <= box[boxes].low[d] ||
					box[boxes].high[d] <= box[other].low[d];
			if (!is_apart)
				return false;
		}
		if (++boxes == 4096)
			abort();
		for (i = store - 1; i >= 0; i--) {
			int loop = schedule->order[i];

			if (++state.index[loop] * schedule->tile[loop] < model->loops[loop].extent)
				break;
			state.index[loop] = 0;
		}
		if (i < 0)
			return true;
	}
}

static bool array_is_legal(const struct nest_model *model, const struct schedule *schedule, int a)
{
	const struct model_array *array = &model->arrays[a];
	const struct storage *storage = &schedule->storage[a];
	int moving, dims = 0, dim = 0;

	if (storage->store == 0)
		return storage->slots == 1 && !storage->is_sliding && !storage->is_double;
	moving = schedule->order[storage->store - 1];
	if (!moves(array, moving))
		return false;
	if ((storage->slots - 1) * schedule->tile[moving] >= model->loops[moving].extent)
		return false;
	if (storage->slots > 1 && !schedule->is_serpentine[moving])
		return false;
	if ((array->anchored >> moving & 1 && storage->slots > 1) || (array->anchored != 0 && storage->is_double))
		return false;
	for (int d = 0; d < array->rank; d++)
		if (array->dims[d].coefficient[moving] > 0) {
			dims++;
			dim = d;
		}
	if (storage->is_sliding && (array->is_written || dims != 1 ||
		window_extent(model, schedule, &array->dims[dim], storage->store, -1) <
		array->dims[dim].coefficient[moving] * schedule->tile[moving]))
		return false;
	return !array->is_written || (storage->slots == 1 && !storage->is_double) ||
		are_apart(model, schedule, a);
}

bool simulate_is_legal(const struct nest_model *model, const struct schedule *schedule)
{
	for (int a = 0; a < model->array_count; a++)
		if (!array_is_legal(model, schedule, a))
			return false;
	return true;
}

long simulate_round(const struct arch *arch, long size)
{
	long granule = arch->exclusive ? arch->scratchpad_bytes / arch->banks : arch->align_bytes;

	return (size + granule - 1) / granule * granule;
}

long simulate_capacity(const struct arch *arch)
{
	return arch->exclusive ? arch->scratchpad_bytes / arch->banks * arch->banks :
		arch->scratchpad_bytes;
}

long simulate_memory_capacity(const struct arch *arch, int m)
{
	return arch->memories[m].bytes;
}

long simulate_memory_round(const struct arch *arch, int m, long size)
{
	const struct arch_memory *memory = &arch->memories[m];
	long unit = memory->exclusive ? memory->bytes / memory->banks : memory->align_bytes;

	return (size + unit - 1) / unit * unit;
}

void print_case(const struct nest_model *model, const struct schedule *schedule)
{
	for (int l = 0; l < model->loop_count; l++)
		fprintf(stderr, "loop %d extent %ld tile %ld%s%s\n", l, model->loops[l].extent,
			schedule->tile[l], model->loops[l].is_forward ? " forward" : "",
			schedule->is_serpentine[l] ? " serpentine" : "");
	fprintf(stderr, "order");
	for (int i = 0; i < schedule->depth; i++)
		fprintf(stderr, " %d", schedule->order[i]);
	fprintf(stderr, "\n");
	for (int a = 0; a < model->array_count; a++) {
		const struct model_array *array = &model->arrays[a];
		const struct storage *storage = &schedule->storage[a];

		fprintf(stderr, "array %d anchored %lx x%d%s%s%s%s:", a, (unsigned long)array->anchored, array->element_bytes,
			array->is_read ? " read" : "", array->is_written ? " written" : "",
			array->is_created ? " created" : "",
			array->is_dropped ? " dropped" : "");
		for (int d = 0; d < array->rank; d++) {
			fprintf(stderr, " [%ld", array->dims[d].window);
			for (int l = 0; l < model->loop_count; l++)
				fprintf(stderr, " %ld", array->dims[d].coefficient[l]);
			fprintf(stderr, "]");
		}
		fprintf(stderr, " store %d slots %ld%s%s: %ld bytes, read %ld, write %ld, commands %ld\n",
			storage->store, storage->slots, storage->is_sliding ? " sliding" : "",
			storage->is_double ? " double" : "", storage->bytes, storage->flow.read_bytes,
			storage->flow.write_bytes, storage->flow.commands);
	}
}
