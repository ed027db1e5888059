#include "tests/optimality/array_simulate.h"

#include <stdlib.h>
#include <string.h>

#include "ir/array_time.h"

enum { HELD = 8 };

/* A range of iterations of one loop that one element has in one step; KEY tells steps apart whose words an element holds
 * one by one. */
struct share { long element, key, first, last; };
struct shares { int count; struct share *list; };

/* What one element has in its registers for one key: words LOW up to HIGH of each dimension.  APART tells elements and keys
 * apart that a read serves one by one. */
struct box { long low[MODEL_RANK], high[MODEL_RANK]; };
struct part { long element[MODEL_LOOPS], key[MODEL_LOOPS]; struct box box; };
struct visit {
	long tile[MODEL_LOOPS], step[MODEL_LOOPS];   /* where the loops are that move the region */
	long sharers;
	int count;
	struct part *parts;
};

/* What a visit of an array moves, before step BEGIN and after step END - 1. */
struct moved {
	int array;
	long tile[MODEL_LOOPS], step[MODEL_LOOPS];
	long begin, end, in, out, reduced;
	bool is_kept;
};

struct state {
	int moved_count, moved_capacity;
	struct moved *moved;
	int open[MODEL_ARRAYS];              /* the visit that goes on */
	long *macs, macs_capacity;           /* by step */
	const struct nest_model *model;
	const struct pe_array *machine;
	const struct schedule *outer;
	const struct mapping *mapping;
	struct array_simulated *result;
	int length;                          /* loops of the sequence */
	int loop[2 * MODEL_LOOPS];
	bool is_step[2 * MODEL_LOOPS];
	long entries[2 * MODEL_LOOPS], position[2 * MODEL_LOOPS];
	long tile[MODEL_LOOPS], step[MODEL_LOOPS];   /* where loops are */
	struct visit held[MODEL_ARRAYS][HELD];       /* the latest first */
	int held_count[MODEL_ARRAYS];
	size_t words[MODEL_ARRAYS];
	unsigned char *was_here[MODEL_ARRAYS];       /* by word */
};

static bool moves(const struct model_array *array, int loop)
{
	for (int d = 0; d < array->rank; d++)
		if (array->dims[d].coefficient[loop] > 0)
			return true;
	return false;
}

static long least(long a, long b)
{
	return a < b ? a : b;
}

/* Whether the tile (else: step) loop of LOOP is one of the first DEPTH. */
static bool is_around(const struct state *state, int loop, bool is_step, int depth)
{
	for (int i = 0; i < depth; i++)
		if (state->loop[i] == loop && state->is_step[i] == is_step)
			return true;
	return false;
}

static long tile_first(const struct state *state, int loop)
{
	return state->tile[loop] * state->outer->tile[loop];
}

static long tile_end(const struct state *state, int loop)
{
	return least(tile_first(state, loop) + state->outer->tile[loop], state->model->loops[loop].extent);
}

/* All shares of LOOP in a visit of a buffer inside DEPTH loops.  HAS_KEYS: those of different steps are apart. */
static void list_shares(const struct state *state, int loop, int depth, bool has_keys, struct shares *shares)
{
	const struct mapping *mapping = state->mapping;
	long extent = state->model->loops[loop].extent, tile = state->outer->tile[loop], key = 0;
	long step = least(mapping->space[loop] * mapping->part[loop], tile);
	bool in_tile = is_around(state, loop, false, depth) || tile == extent;
	bool in_step = is_around(state, loop, true, depth);

	shares->count = 0;
	shares->list = malloc(sizeof *shares->list * (size_t)(extent + 1));
	for (long t = 0; t * tile < extent; t++) {
		long end = least((t + 1) * tile, extent);

		if (in_tile && t != (tile == extent ? 0 : state->tile[loop]))
			continue;
		for (long s = 0; t * tile + s * step < end; s++) {
			long from = t * tile + s * step, to = least(from + step, end);

			if (in_step && s != state->step[loop])
				continue;
			key++;
			for (long e = 0; from + e * mapping->part[loop] < to; e++)
				shares->list[shares->count++] = (struct share){ e, has_keys ? key : 0,
					from + e * mapping->part[loop],
					least(from + (e + 1) * mapping->part[loop], to) - 1 };
		}
	}
	if (has_keys || mapping->space[loop] > 1)
		return;
	/* one element has all of it, side by side */
	shares->list[0].last = shares->list[shares->count - 1].last;
	shares->count = 1;
}

static void clip(const struct model_array *array, struct box *box)
{
	for (int d = 0; d < array->rank; d++) {
		const struct model_dim *dim = &array->dims[d];

		if (dim->clip_high == 0)
			continue;
		box->low[d] = box->low[d] < dim->clip_low ? dim->clip_low : box->low[d];
		box->high[d] = least(box->high[d], dim->clip_high);
	}
}

static long volume(const struct model_array *array, const struct box *box)
{
	long words = 1;

	for (int d = 0; d < array->rank; d++)
		words *= box->high[d] > box->low[d] ? box->high[d] - box->low[d] : 0;
	return words;
}

static void box_of(const struct state *state, const struct model_array *array, const struct share *shares, struct box *box)
{
	for (int d = 0; d < array->rank; d++) {
		const struct model_dim *dim = &array->dims[d];

		box->low[d] = 0;
		box->high[d] = dim->window;
		for (int l = 0; l < state->model->loop_count; l++) {
			long first = shares[l].first, last = shares[l].last, extent = state->model->loops[l].extent;

			if (dim->negative >> l & 1) {
				long swap = extent - 1 - last;

				last = extent - 1 - first;
				first = swap;
			}
			box->low[d] += dim->coefficient[l] * first;
			box->high[d] += dim->coefficient[l] * last;
		}
	}
}

/* The parts of array A in a visit inside DEPTH loops. */
static void list_parts(const struct state *state, int a, int depth, struct visit *visit)
{
	const struct model_array *array = &state->model->arrays[a];
	struct shares shares[MODEL_LOOPS];
	struct share chosen[MODEL_LOOPS];
	int at[MODEL_LOOPS] = { 0 };
	size_t all = 1;

	for (int l = 0; l < state->model->loop_count; l++) {
		if (moves(array, l)) {
			list_shares(state, l, depth, state->mapping->space[l] > 1, &shares[l]);
		} else {
			shares[l].count = 1;
			shares[l].list = calloc(1, sizeof *shares[l].list);
		}
		all *= (size_t)shares[l].count;
	}
	visit->count = 0;
	visit->parts = malloc(sizeof *visit->parts * all);
	for (;;) {
		struct part *part = &visit->parts[visit->count++];
		int l;

		for (l = 0; l < state->model->loop_count; l++) {
			chosen[l] = shares[l].list[at[l]];
			part->element[l] = chosen[l].element;
			part->key[l] = chosen[l].key;
		}
		box_of(state, array, chosen, &part->box);
		for (l = 0; l < state->model->loop_count && ++at[l] == shares[l].count; l++)
			at[l] = 0;
		if (l == state->model->loop_count)
			break;
	}
	for (int l = 0; l < state->model->loop_count; l++)
		free(shares[l].list);
}

/* Elements along LOOP that have work in a tile of so many iterations. */
static long workers(const struct state *state, int loop, long iterations)
{
	long count = 0;

	while (count < state->mapping->space[loop] && count * state->mapping->part[loop] < iterations)
		count++;
	return count;
}

/* Elements with the same words of array A, along loops with an axis in AXES: in the tile that loops are at (BY_TILE), or in
 * a whole one. */
static long sharers(const struct state *state, int a, unsigned axes, bool by_tile)
{
	const struct model_array *array = &state->model->arrays[a];
	long count = 1;

	for (int l = 0; l < state->model->loop_count; l++)
		if (state->mapping->space[l] > 1 && !moves(array, l) && !(array->anchored >> l & 1) &&
			(axes >> state->mapping->axis[l] & 1))
			count *= workers(state, l, by_tile ? tile_end(state, l) - tile_first(state, l) :
				state->outer->tile[l]);
	return count;
}

/* Those of them that have work in the step that loops are at. */
static long sharers_now(const struct state *state, int a, int depth)
{
	const struct model_array *array = &state->model->arrays[a];
	long count = 1;

	for (int l = 0; l < state->model->loop_count; l++) {
		struct shares shares;
		long most = 0;

		if (moves(array, l) || (array->anchored >> l & 1))
			continue;
		list_shares(state, l, depth, true, &shares);
		for (int i = 0; i < shares.count; i++)
			most = shares.list[i].element + 1 > most ? shares.list[i].element + 1 : most;
		count *= most;
		free(shares.list);
	}
	return count;
}

/* Words of BOX that are outside OTHER (NULL: all). */
static long outside(const struct model_array *array, const struct box *box, const struct box *other)
{
	struct box common = *box, whole = *box;

	clip(array, &whole);
	if (other == NULL)
		return volume(array, &whole);
	for (int d = 0; d < array->rank; d++) {
		common.low[d] = common.low[d] < other->low[d] ? other->low[d] : common.low[d];
		common.high[d] = least(common.high[d], other->high[d]);
	}
	clip(array, &common);
	return volume(array, &whole) - volume(array, &common);
}

/* Whether the same read serves both. */
static bool are_served(const struct state *state, const struct part *one, const struct part *other)
{
	for (int l = 0; l < state->model->loop_count; l++)
		if (state->mapping->space[l] > 1 && !(state->machine->multicast >> state->mapping->axis[l] & 1) &&
			(one->element[l] != other->element[l] || one->key[l] != other->key[l]))
			return false;
	return true;
}

/* The box around the parts of VISIT that the first of them is served with; those are marked in IS_DONE. */
static struct box serve(const struct state *state, const struct model_array *array, const struct visit *visit, int first,
	bool *is_done)
{
	struct box around = visit->parts[first].box;

	for (int i = first; i < visit->count; i++)
		if (are_served(state, &visit->parts[first], &visit->parts[i])) {
			is_done[i] = true;
			for (int d = 0; d < array->rank; d++) {
				const struct box *box = &visit->parts[i].box;

				around.low[d] = least(around.low[d], box->low[d]);
				around.high[d] = box->high[d] > around.high[d] ? box->high[d] : around.high[d];
			}
		}
	return around;
}

static void fetch(struct state *state, int a, const struct visit *visit, const struct visit *before)
{
	const struct model_array *array = &state->model->arrays[a];
	bool *is_done = calloc((size_t)visit->count, 1), *is_old = calloc((size_t)visit->count, 1);
	bool by_tile = state->mapping->holds[a].depth > state->outer->depth;

	long all = state->result->read[a];

	for (int i = 0; i < visit->count; i++)
		state->result->delivered[a] += visit->sharers *
			outside(array, &visit->parts[i].box, before ? &before->parts[i].box : NULL);
	for (int i = 0; i < visit->count; i++) {
		struct box box, other;

		if (is_done[i])
			continue;
		box = serve(state, array, visit, i, is_done);
		if (before)
			other = serve(state, array, before, i, is_old);
		state->result->read[a] += sharers(state, a, ~state->machine->multicast, by_tile) *
			outside(array, &box, before ? &other : NULL);
	}
	state->moved[state->open[a]].in = state->result->read[a] - all;
	free(is_done);
	free(is_old);
}

/* Words of BOX that were on chip before; marks all. */
static long mark(const struct state *state, int a, const struct box *box)
{
	const struct model_array *array = &state->model->arrays[a];
	struct box real = *box;
	long at[MODEL_RANK], old = 0;

	clip(array, &real);
	if (volume(array, &real) == 0)
		return 0;
	memcpy(at, real.low, sizeof at);
	for (;;) {
		long place = 0;
		int d;

		for (d = 0; d < array->rank; d++) {
			long size = array->dims[d].window;

			for (int l = 0; l < state->model->loop_count; l++)
				size += array->dims[d].coefficient[l] * (state->model->loops[l].extent - 1);
			place = place * size + at[d];
		}
		old += state->was_here[a][place];
		state->was_here[a][place] = 1;
		for (d = array->rank - 1; d >= 0 && ++at[d] == real.high[d]; d--)
			at[d] = real.low[d];
		if (d < 0)
			return old;
	}
}

/* An array that is written: in at the begin of a visit, out at its end, both counted here. */
static void update(struct state *state, int a, const struct visit *visit)
{
	const struct model_array *array = &state->model->arrays[a];
	long words = 0, old = 0, in;

	for (int i = 0; i < visit->count; i++) {
		words += outside(array, &visit->parts[i].box, NULL);
		for (int k = 0; k < i; k++) {
			bool is_same = true;

			for (int l = 0; l < state->model->loop_count; l++)
				is_same = is_same && visit->parts[i].element[l] == visit->parts[k].element[l];
			if (!is_same && outside(array, &visit->parts[i].box, &visit->parts[k].box) <
				outside(array, &visit->parts[i].box, NULL))
				state->result->impossible = "two elements write one word";
		}
	}
	for (int i = 0; i < visit->count; i++)
		old += mark(state, a, &visit->parts[i].box);
	in = array->is_created ? old : words;
	state->result->read[a] += in;
	state->result->written[a] += words;
	state->result->delivered[a] += in + words;
	state->result->reduced[a] += words * (visit->sharers - 1);
	state->moved[state->open[a]].in = in;
	state->moved[state->open[a]].out = words;
	state->moved[state->open[a]].reduced = words * (visit->sharers - 1);
}

/* The rule for what is kept, by the positions of the loops. */
static bool is_kept(const struct state *state, int a)
{
	const struct model_array *array = &state->model->arrays[a];
	int depth = state->mapping->holds[a].depth, first = depth > state->outer->depth ? state->outer->depth : 0;

	if (depth == 0 || state->position[depth - 1] >= state->mapping->holds[a].slots)
		return false;
	for (int i = depth - 1; i >= first; i--) {
		int loop = state->loop[i];
		bool turns = state->is_step[i] ? state->mapping->is_serpentine[loop] : state->outer->is_serpentine[loop];

		/* what was held was forgotten as an anchored loop went on */
		if (array->anchored >> loop & 1)
			return false;
		if (i < depth - 1 && state->position[i] > 0)
			return !moves(array, loop);
		if (moves(array, loop) && !turns)
			return false;
	}
	return false;
}

static void open_visit(struct state *state, int a, const struct visit *visit, bool is_kept)
{
	if (state->moved_count == state->moved_capacity) {
		state->moved_capacity = 2 * state->moved_capacity + 16;
		state->moved = realloc(state->moved, sizeof *state->moved * (size_t)state->moved_capacity);
	}
	state->open[a] = state->moved_count++;
	state->moved[state->open[a]] = (struct moved){ .array = a, .begin = state->result->steps, .is_kept = is_kept };
	memcpy(state->moved[state->open[a]].tile, visit->tile, sizeof visit->tile);
	memcpy(state->moved[state->open[a]].step, visit->step, sizeof visit->step);
}

/* The next visit after INDEX of the same region; NULL: there is none. */
static struct moved *next_visit(const struct state *state, int index)
{
	const struct moved *moved = &state->moved[index];

	for (int i = index + 1; i < state->moved_count; i++)
		if (state->moved[i].array == moved->array && memcmp(state->moved[i].tile, moved->tile, sizeof moved->tile) == 0 &&
			memcmp(state->moved[i].step, moved->step, sizeof moved->step) == 0)
			return &state->moved[i];
	return NULL;
}

/* Results of a visit leave when it ends, or with the next one of the region if that keeps them; the last ones of what
 * is dropped do not. */
static void settle_visits(struct state *state)
{
	for (int i = 0; i < state->moved_count; i++) {
		struct moved *moved = &state->moved[i], *next;

		if (!state->model->arrays[moved->array].is_written)
			continue;
		next = next_visit(state, i);
		if (next && next->is_kept) {
			next->out = moved->out;
			next->reduced = moved->reduced;
			moved->out = moved->reduced = 0;
		} else if (!next && state->model->arrays[moved->array].is_dropped) {
			moved->out = 0;
		}
	}
}

/* Steps one after the other, on the array's clock. */
static void take_time(struct state *state)
{
	struct travellers travellers = { .count = state->model->array_count };
	struct array_clock clock;
	double now = 0;

	for (int a = 0; a < travellers.count; a++)
		travellers.memory[a] = state->outer->storage[a].memory;
	settle_visits(state);
	array_clock_begin(&clock, state->machine, &travellers, 0);
	for (long s = 0; s <= state->result->steps; s++) {
		for (int i = 0; i < state->moved_count; i++) {
			const struct moved *moved = &state->moved[i];
			bool is_double = state->mapping->holds[moved->array].is_double;

			if (moved->end == s) {
				clock.load.words[WAY_WRITE][is_double][moved->array] += (double)moved->out;
				clock.load.words[WAY_REDUCE][is_double][moved->array] += (double)moved->reduced;
			}
			if (moved->begin == s)
				clock.load.words[WAY_READ][is_double][moved->array] += (double)moved->in;
		}
		now = s < state->result->steps ? array_clock_step(&clock, now, (double)state->macs[s])
			: array_clock_drain(&clock, now, true);
	}
	state->result->time = now;
}

static void visit(struct state *state, int a)
{
	const struct model_array *array = &state->model->arrays[a];
	const struct hold *hold = &state->mapping->holds[a];
	bool by_steps = hold->depth > state->outer->depth, slides, kept = is_kept(state, a);
	struct visit new = { .count = 0 }, *held = state->held[a];
	int hit;

	for (int i = 0; i < hold->depth; i++)
		if (moves(array, state->loop[i])) {
			if (state->is_step[i])
				new.step[state->loop[i]] = state->step[state->loop[i]];
			else
				new.tile[state->loop[i]] = state->tile[state->loop[i]];
		}
	list_parts(state, a, hold->depth, &new);
	new.sharers = sharers(state, a, ~0u, by_steps);
	for (hit = 0; hit < state->held_count[a]; hit++)
		if (memcmp(held[hit].tile, new.tile, sizeof new.tile) == 0 &&
			memcmp(held[hit].step, new.step, sizeof new.step) == 0)
			break;
	if (kept && (hit == state->held_count[a] || held[hit].sharers < sharers_now(state, a, hold->depth)))
		state->result->impossible = "what is kept is not there";
	open_visit(state, a, &new, kept);
	slides = hold->is_sliding && state->position[hold->depth - 1] > 0;
	if (!kept && array->is_written)
		update(state, a, &new);
	else if (!kept && array->is_read)
		fetch(state, a, &new, slides ? &held[0] : NULL);
	if (!kept && state->held_count[a] < hold->slots)
		hit = state->held_count[a]++;
	else if (!kept)
		hit = state->held_count[a] - 1;
	free(held[hit].parts);
	memmove(held + 1, held, sizeof *held * (size_t)hit);
	held[0] = new;
}

/* The statements that touch it run only at the first iteration of its anchored loops. */
static bool is_skipped(const struct state *state, int a)
{
	for (int i = 0; i < state->mapping->holds[a].depth; i++)
		if ((state->model->arrays[a].anchored >> state->loop[i] & 1) && state->position[i] > 0)
			return true;
	return false;
}

/* Each element has what it needs in this step. */
static void compute(struct state *state)
{
	long cycles = 1;

	for (int l = 0; l < state->model->loop_count; l++) {
		struct shares shares;
		long most = 0;

		list_shares(state, l, state->length, true, &shares);
		for (int i = 0; i < shares.count; i++)
			most = shares.list[i].last - shares.list[i].first + 1 > most ?
				shares.list[i].last - shares.list[i].first + 1 : most;
		cycles *= most;
		free(shares.list);
	}
	if (state->result->steps == state->macs_capacity) {
		state->macs_capacity = 2 * state->macs_capacity + 16;
		state->macs = realloc(state->macs, sizeof *state->macs * (size_t)state->macs_capacity);
	}
	state->macs[state->result->steps++] = cycles;
	state->result->cycles += cycles;
	for (int a = 0; a < state->model->array_count; a++) {
		const struct model_array *array = &state->model->arrays[a];
		struct visit needed = { .count = 0 };

		if (array->anchored != 0)
			continue;
		list_parts(state, a, state->length, &needed);
		for (int i = 0; i < needed.count; i++) {
			bool is_there = false;

			for (int k = 0; k < state->held[a][0].count && !is_there; k++) {
				const struct part *part = &state->held[a][0].parts[k];

				is_there = true;
				for (int l = 0; l < state->model->loop_count; l++)
					is_there = is_there && part->element[l] == needed.parts[i].element[l];
				is_there = is_there && outside(array, &needed.parts[i].box, &part->box) == 0;
			}
			if (!is_there)
				state->result->impossible = "an element has not what it computes with";
		}
		free(needed.parts);
	}
}

static void forget(struct state *state, int a)
{
	for (int i = 0; i < state->held_count[a]; i++)
		free(state->held[a][i].parts);
	memset(state->held[a], 0, sizeof state->held[a]);
	state->held_count[a] = 0;
}

/* A tile begins: step loops begin anew, and what they moved is gone. */
static void begin_tile(struct state *state)
{
	for (int i = state->outer->depth; i < state->length; i++)
		state->entries[i] = 0;
	for (int a = 0; a < state->model->array_count; a++)
		if (state->mapping->holds[a].depth > state->outer->depth)
			forget(state, a);
}

static void end_visits(struct state *state, int at)
{
	for (int a = 0; a < state->model->array_count; a++)
		if (state->mapping->holds[a].depth == at && !is_skipped(state, a))
			state->moved[state->open[a]].end = state->result->steps;
}

static void walk(struct state *state, int at)
{
	int loop = at < state->length ? state->loop[at] : 0;
	long count = 0, entry, whole;
	bool turns;

	if (at == state->outer->depth)
		begin_tile(state);
	for (int a = 0; a < state->model->array_count; a++)
		if (state->mapping->holds[a].depth == at && !is_skipped(state, a))
			visit(state, a);
	if (at == state->length) {
		compute(state);
		end_visits(state, at);
		return;
	}
	if (state->is_step[at]) {
		whole = state->mapping->space[loop] * state->mapping->part[loop];
		while (count * whole < tile_end(state, loop) - tile_first(state, loop))
			count++;
	} else {
		while (count * state->outer->tile[loop] < state->model->loops[loop].extent)
			count++;
	}
	turns = state->is_step[at] ? state->mapping->is_serpentine[loop] : state->outer->is_serpentine[loop];
	entry = state->entries[at]++;
	for (long i = 0; i < count; i++) {
		long index = turns && entry % 2 == 1 ? count - 1 - i : i;

		if (state->is_step[at])
			state->step[loop] = index;
		else
			state->tile[loop] = index;
		state->position[at] = i;
		walk(state, at + 1);
	}
	if (state->is_step[at])
		state->step[loop] = 0;
	else
		state->tile[loop] = 0;
	state->position[at] = 0;
	end_visits(state, at);
}

/* What one element needs for array A, in the first visit, which is of whole tiles: before it is clipped. */
static long registers(const struct state *state, int a)
{
	const struct model_array *array = &state->model->arrays[a];
	const struct hold *hold = &state->mapping->holds[a];
	int moving = hold->depth > 0 ? state->loop[hold->depth - 1] : -1;
	bool needs_two = hold->is_double && (array->is_written || !state->machine->shares_room);
	long copies = hold->slots + needs_two, words = 0;
	struct visit first = { .count = 0 };

	list_parts(state, a, hold->depth, &first);
	for (int i = 0; i < first.count; i++) {
		long box = 1, slots = copies;
		bool is_first_element = true;

		for (int l = 0; l < state->model->loop_count; l++)
			is_first_element = is_first_element && first.parts[i].element[l] == 0;
		/* a smaller one in the last step has the room of a whole one */
		for (int d = 0; d < array->rank && is_first_element; d++) {
			const struct model_dim *dim = &array->dims[d];
			long extent = first.parts[0].box.high[d] - first.parts[0].box.low[d];

			if (hold->is_sliding && dim->coefficient[moving] > 0) {
				struct visit all = { .count = 0 };
				long step = state->is_step[hold->depth - 1] ?
					state->mapping->part[moving] : state->outer->tile[moving];
				int loop = state->loop[hold->depth - 1];

				/* the same with the loop that moves it inside */
				((struct state *)state)->loop[hold->depth - 1] = MODEL_LOOPS;
				list_parts(state, a, hold->depth, &all);
				((struct state *)state)->loop[hold->depth - 1] = loop;
				extent = least(extent + (copies - 1) * dim->coefficient[moving] * step,
					all.parts[0].box.high[d] - all.parts[0].box.low[d]);
				free(all.parts);
				slots = 1;
			} else if (dim->clip_high > 0) {
				extent = least(extent, dim->clip_high - dim->clip_low);
			}
			box *= extent;
		}
		words += is_first_element ? box * slots : 0;
	}
	free(first.parts);
	return words;
}

void array_simulate(const struct nest_model *model, const struct pe_array *machine, const struct schedule *outer,
	const struct mapping *mapping, struct array_simulated *result)
{
	struct state *state = calloc(1, sizeof *state);

	*state = (struct state){ .model = model, .machine = machine, .outer = outer, .mapping = mapping,
		.result = result, .length = outer->depth + mapping->depth };
	memset(result, 0, sizeof *result);
	for (int i = 0; i < state->length; i++) {
		state->is_step[i] = i >= outer->depth;
		state->loop[i] = i < outer->depth ? outer->order[i] : mapping->order[i - outer->depth];
	}
	for (int a = 0; a < model->array_count; a++) {
		state->words[a] = 1;
		for (int d = 0; d < model->arrays[a].rank; d++) {
			long size = model->arrays[a].dims[d].window;

			for (int l = 0; l < model->loop_count; l++)
				size += model->arrays[a].dims[d].coefficient[l] * (model->loops[l].extent - 1);
			state->words[a] *= (size_t)size;
		}
		state->was_here[a] = calloc(state->words[a], 1);
		result->registers[a] = registers(state, a);
	}
	walk(state, 0);
	take_time(state);
	for (int a = 0; a < model->array_count; a++) {
		/* the last put of each word is for nobody */
		for (size_t i = 0; i < state->words[a] && model->arrays[a].is_dropped; i++) {
			result->written[a] -= state->was_here[a][i];
			result->delivered[a] -= state->was_here[a][i];
		}
		forget(state, a);
		free(state->was_here[a]);
	}
	free(state->moved);
	free(state->macs);
	free(state);
}
