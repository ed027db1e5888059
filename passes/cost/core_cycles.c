/* How long a run takes whose tiles a core computes, by its model alone.
 *
 * From one tile to the next one of the tile loops goes on, and those inside it begin anew.  What is copied then, and what is waited for, depends on which
 * loop that is (passes/lower/transfers.c).  So the machine of ir/machine_clock.h does that for each of these loops, between tiles where the innermost one
 * goes on, and what it takes counts as often as the loop goes on.  All tiles are taken to be alike. */

#include "passes/cost/core_cycles.h"

#include <math.h>

#include "ir/machine_clock.h"
#include "passes/cost/copy_visits.h"
#include "passes/cost/run_cycles.h"

/* Iterations of the innermost loop that are timed; and that come first, or between others, until all goes on as before.  Commands of a transfer that are
 * started one by one. */
enum { TIMED = 4, SETTLING = 2, STARTED = 16 };
/* What takes longer is not timed: the machine counts in longs. */
static const double LONGEST = 1e15;

/* What is copied to and from the buffer of an array. */
struct copied {
	int store;                       /* tile loops outside */
	bool is_double;
	bool is_by_runs;                 /* asks ahead within a run of its loop alone (passes/regions/ahead.h) */
	bool reuses_room;                /* slots are used in turns, so that a put is waited for before the next one */
	unsigned kept;                   /* bit PLACE: as that loop goes on its buffer stays as it is */
	double share;                    /* of its own loop's steps those where something moves */
	/* of a window that slides what is new in each step; and all of it, where a run of its loop begins */
	struct visit_copies gets, puts, whole;
};

struct run {
	struct machine_clock clock;
	double tile;                     /* cycles in which a tile is computed */
	int depth, count;
	struct copied copied[MODEL_ARRAYS];
	/* As the loop at PLACE goes on those buffers alone move that do so in that share of its iterations, or more; of other loops, in half of them. */
	int place;
	double level;
	int next;                        /* place of the loop that goes on next */
};

/* Of many arrays some share one. */
static int tag_of(int a, bool is_put)
{
	enum { HALF = TAG_LIMIT / 2 };

	return a % HALF + (is_put ? HALF : 0);
}

/* So many CYCLES more the DMA engine copies as it did last, for TAG. */
static void go_on_copying(struct machine_clock *clock, bool is_put, int tag, double cycles)
{
	long more = (long)fmin(cycles, LONGEST);

	clock->bus_free[is_put && clock->arch->is_duplex] += more;
	for (int c = 0; c < clock->channels; c++)
		clock->channel_free[c] += more;
	clock->tag_done[tag] += more;
}

/* Of many commands the last half of those that are started is how all others are. */
static void copy(struct run *run, int a, const struct visit_copies *copies, bool is_put)
{
	struct machine_clock *clock = &run->clock;
	int tag = tag_of(a, is_put);
	double left = copies->commands;
	long half = 0;

	for (int i = 0; i < STARTED && left > 1e-9; i++, left -= 1) {
		half = i == STARTED / 2 ? clock->tag_done[tag] : half;
		clock_copy(clock, is_put, tag, copies->pieces, copies->bytes * fmin(left, 1) / copies->pieces);
	}
	if (left >= 1)
		go_on_copying(clock, is_put, tag, left * (double)(clock->tag_done[tag] - half) / (STARTED - STARTED / 2));
}

static bool comes(const struct copied *copied)
{
	return copied->gets.commands > 0;
}

static bool leaves(const struct copied *copied)
{
	return copied->puts.commands > 0;
}

/* The buffer of array A shows something else as the loop at PLACE goes on. */
static bool is_moved(const struct run *run, int a, int place)
{
	const struct copied *copied = &run->copied[a];

	if (place >= copied->store || copied->kept >> place & 1)
		return false;
	return place < copied->store - 1 || copied->share >= (place == run->place ? run->level : 0.5);
}

/* Has DOIT done for all buffers inside DEPTH loops as the loop at PLACE goes on, single ones first, and waits for the tags that it returns. */
typedef unsigned at_buffer(struct run *run, int a, int place);
static void at_buffers(struct run *run, int depth, int place, at_buffer *doit)
{
	unsigned tags = 0;

	for (int is_double = 0; is_double < 2; is_double++)
		for (int a = 0; a < run->count; a++)
			if (run->copied[a].store == depth && run->copied[a].is_double == (is_double == 1))
				tags |= doit(run, a, place);
	if (tags)
		clock_wait(&run->clock, tags);
}

static unsigned put(struct run *run, int a, int place)
{
	const struct copied *copied = &run->copied[a];
	unsigned tag = 1u << tag_of(a, true);

	if (!leaves(copied) || (place >= 0 && !is_moved(run, a, place)))
		return 0;
	if (copied->is_double && !comes(copied) && copied->reuses_room)
		clock_wait(&run->clock, tag);
	copy(run, a, &copied->puts, true);
	return copied->is_double ? 0 : tag;
}

/* What was not asked for ahead. */
static unsigned get(struct run *run, int a, int place)
{
	const struct copied *copied = &run->copied[a];

	if (place >= 0 && !is_moved(run, a, place))
		return 0;
	if (comes(copied) && (!copied->is_double || place < 0 || (copied->is_by_runs && place < copied->store - 1)))
		copy(run, a, place < copied->store - 1 ? &copied->whole : &copied->gets, false);
	return 0;
}

/* Waits for what is shown now, and asks for what is shown as the next of the loops outside goes on. */
static unsigned get_ahead(struct run *run, int a, int place)
{
	const struct copied *copied = &run->copied[a];
	unsigned tag = 1u << tag_of(a, false);
	/* where loops inside go on next, the one that is timed is the next outside */
	int next = run->next < copied->store ? run->next : place;

	if (!comes(copied))
		return 0;
	if (!copied->is_double)
		return tag;
	clock_wait(&run->clock, tag | (leaves(copied) ? 1u << tag_of(a, true) : 0));
	if (next < 0 || (is_moved(run, a, next) && !(copied->is_by_runs && next < copied->store - 1)))
		copy(run, a, &copied->gets, false);
	return 0;
}

/* The loop at PLACE goes on, or all begins: -1; and the tile that is shown then is computed.  Then the one at NEXT will go on. */
static void go_on(struct run *run, int place, int next)
{
	run->next = next;
	for (int depth = run->depth; depth > place && place >= 0; depth--)
		at_buffers(run, depth, place, put);
	for (int depth = place + 1; depth <= run->depth; depth++) {
		at_buffers(run, depth, place, get);
		at_buffers(run, depth, place, get_ahead);
	}
	clock_call(&run->clock);
	run->clock.now += (long)ceil(run->tile);
}

/* Cycles until the innermost loop has gone on so many TIMES; then the one at NEXT will. */
static double time_of(struct run *run, int times, int next)
{
	long before = run->clock.now;

	for (int i = 0; i < times; i++)
		go_on(run, run->depth - 1, i < times - 1 ? run->depth - 1 : next);
	return (double)(run->clock.now - before);
}

/* The largest share below the level of any buffer that the loop at the run's place moves. */
static double next_level(const struct run *run)
{
	double next = 0;

	for (int a = 0; a < run->count; a++)
		if (run->copied[a].store - 1 == run->place && run->copied[a].share < run->level)
			next = fmax(next, run->copied[a].share);
	return next;
}

/* Cycles of an iteration of the innermost loop. */
static double time_innermost(struct run *run)
{
	time_of(run, SETTLING, run->depth - 1);
	return time_of(run, TIMED, run->depth - 1) / TIMED;
}

/* So many CYCLES more go by in which the innermost loop goes on as before: but for what other loops move all is then as it is now. */
static void go_by(struct run *run, long cycles)
{
	struct machine_clock *clock = &run->clock;

	clock->now += cycles;
	for (int way = 0; way < 2; way++)
		clock->bus_free[way] += cycles;
	for (int c = 0; c < clock->channels; c++)
		clock->channel_free[c] += cycles;
	for (int a = 0; a < run->count; a++)
		for (int way = 0; way < 2 && run->copied[a].store == run->depth; way++)
			clock->tag_done[tag_of(a, way)] += cycles;
}

/* Cycles that it takes more as the loop at PLACE goes on, where one of the innermost loop takes INNER and there are so many TILES in an iteration. */
static double time_outer(struct run *run, int place, double inner, double tiles)
{
	double cycles = 0, between = fmin(tiles - 1, TIMED);

	/* what is started in one iteration may be waited for in the next */
	for (int i = 0; i < SETTLING; i++) {
		long before = run->clock.now;

		go_on(run, place, between > 0 ? run->depth - 1 : place);
		time_of(run, (int)between, place);
		go_by(run, (long)fmin((tiles - 1 - between) * inner, LONGEST));
		cycles = (double)(run->clock.now - before) - (tiles - 1) * inner;
	}
	return fmax(cycles, 0);
}

/* The same on average; of the innermost loop itself what it takes. */
static double time_average(struct run *run, int place, double inner, double tiles)
{
	double average = 0, next;

	run->place = place;
	for (run->level = 1; run->level > 0; run->level = next) {
		next = next_level(run);
		average += (run->level - next) * (place == run->depth - 1 ? time_innermost(run) : time_outer(run, place, inner, tiles));
	}
	run->place = -1;
	return average;
}

/* Cycles of all iterations but the first. */
static double time_loops(struct run *run, const struct nest_model *model, const struct schedule *schedule)
{
	double cycles = 0, inner, tiles;

	if (run->depth == 0)
		return 0;
	inner = time_innermost(run);
	tiles = tile_iterations(model, schedule, run->depth);
	for (int place = run->depth - 1; place >= 0; place--)
		cycles += tile_turns(model, schedule, place) *
			time_average(run, place, inner, tiles / tile_iterations(model, schedule, place + 1));
	return cycles;
}

static double time_end(struct run *run)
{
	long before = run->clock.now;

	for (int depth = run->depth; depth >= 0; depth--)
		at_buffers(run, depth, -1, put);
	for (int a = 0; a < run->count; a++)
		clock_wait(&run->clock, 1u << tag_of(a, true));
	return (double)(run->clock.now - before);
}

static struct copied copied_of(const struct nest_model *model, const struct arch *arch, const struct schedule *schedule, int a)
{
	const struct storage *storage = &schedule->storage[a];
	struct copied copied = { .store = storage->store, .is_double = storage->is_double && storage->store > 0,
		.is_by_runs = storage->slots > 1 || storage->is_sliding, .share = 1,
		.gets = visit_copies(model, arch, schedule, a, false), .puts = visit_copies(model, arch, schedule, a, true) };

	for (int place = 0; place < storage->store; place++)
		copied.kept |= (unsigned)visit_is_kept(&model->arrays[a], schedule, storage, place) << place;
	copied.whole = copied.gets;
	if (storage->store > 0) {
		copied.share = moving_share(model, schedule, a);
		copied.reuses_room = (storage->store > 1 && !copied.is_by_runs) ||
			tile_iterations(model, schedule, storage->store) > (double)(storage->slots + 1) * tile_iterations(model, schedule, storage->store - 1);
	}
	if (storage->is_sliding)
		window_copies(model, arch, schedule, a, &copied.whole, &copied.gets);
	return copied;
}

double core_cycles(const struct nest_model *model, const struct arch *arch, const struct schedule *schedule, double computing)
{
	struct run run = { .count = model->array_count, .place = -1 };
	double copying = copy_cycles(arch, &schedule->cost.crossings[BOUNDARY_EXTERNAL], coming_bytes(model, schedule)), cycles;

	if (copying + computing > LONGEST)
		return copying + computing;
	clock_begin(&run.clock, arch);
	clock_begin_nest(&run.clock, NULL);
	for (int a = 0; a < model->array_count; a++) {
		run.copied[a] = copied_of(model, arch, schedule, a);
		run.depth = run.copied[a].store > run.depth ? run.copied[a].store : run.depth;
	}
	run.tile = computing / tile_iterations(model, schedule, run.depth);
	go_on(&run, -1, run.depth - 1);
	cycles = (double)run.clock.now;
	cycles += time_loops(&run, model, schedule);
	cycles += time_end(&run);
	return fmax(cycles, copying);
}
