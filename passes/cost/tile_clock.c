/* How long tiles take one after the other, by the machine's clock.
 *
 * From one tile to the next one of the tile loops goes on, and those inside it begin anew.  What is copied then, and what is waited for, depends on which
 * loop that is (passes/lower/transfers.c).  So the machine of ir/machine_clock.h does that for each of these loops, between tiles where the innermost one
 * goes on, and what it takes counts as often as the loop goes on. */

#include "passes/cost/tile_clock.h"

#include <math.h>

#include "ir/machine_clock.h"

/* Iterations of the innermost loop that are timed; and that come first, or between others, until all goes on as before.  Commands of a transfer that are
 * started one by one. */
enum { TIMED = 4, SETTLING = 2, STARTED = 16 };
/* What takes longer is not timed: the machine counts in longs. */
static const double LONGEST = 1e15;

/* Chunks of a stage that are copied one by one: where there are more those between the first and the last take as long as one of them. */
enum { CHUNKS = 6 };

/* Where the machine is in a run. */
struct walk {
	const struct tile_run *run;
	struct machine_clock clock;
	bool has_staged;                 /* some buffers are there for a stage alone */
	/* As the loop at PLACE goes on those buffers alone move that do so in that share of its iterations, or more; of other loops, in half of them. */
	int place;
	double level;
	int next;                        /* place of the loop that goes on next */
};

/* ---- copies ---- */

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
static void copy(struct walk *walk, int a, const struct visit_copies *copies, bool is_put)
{
	struct machine_clock *clock = &walk->clock;
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

static bool comes(const struct tile_buffer *buffer)
{
	return buffer->gets.commands > 0;
}

static bool leaves(const struct tile_buffer *buffer)
{
	return buffer->puts.commands > 0;
}

/* The buffer of array A shows something else as the loop at PLACE goes on. */
static bool is_moved(const struct walk *walk, int a, int place)
{
	const struct tile_buffer *buffer = &walk->run->buffers[a];

	if (place >= buffer->store || buffer->kept >> place & 1)
		return false;
	return place < buffer->store - 1 || buffer->share >= (place == walk->place ? walk->level : 0.5);
}

/* BUFFER is inside DEPTH loops for all of a tile. */
static bool is_there(const struct tile_buffer *buffer, int depth)
{
	return buffer->store == depth && buffer->stage < 0;
}

/* Has DOIT done for all buffers inside DEPTH loops as the loop at PLACE goes on, single ones first, and waits for the tags that it returns. */
typedef unsigned at_buffer(struct walk *walk, int a, int place);
static void at_buffers(struct walk *walk, int depth, int place, at_buffer *doit)
{
	unsigned tags = 0;

	for (int is_double = 0; is_double < 2; is_double++)
		for (int a = 0; a < walk->run->buffer_count; a++)
			if (is_there(&walk->run->buffers[a], depth) && walk->run->buffers[a].is_double == (is_double == 1))
				tags |= doit(walk, a, place);
	if (tags)
		clock_wait(&walk->clock, tags);
}

static unsigned put(struct walk *walk, int a, int place)
{
	const struct tile_buffer *buffer = &walk->run->buffers[a];
	unsigned tag = 1u << tag_of(a, true);

	if (!leaves(buffer) || (place >= 0 && !is_moved(walk, a, place)))
		return 0;
	if (buffer->is_double && !comes(buffer) && buffer->reuses_room)
		clock_wait(&walk->clock, tag);
	copy(walk, a, &buffer->puts, true);
	return buffer->is_double ? 0 : tag;
}

/* What was not asked for ahead. */
static unsigned get(struct walk *walk, int a, int place)
{
	const struct tile_buffer *buffer = &walk->run->buffers[a];

	if (place >= 0 && !is_moved(walk, a, place))
		return 0;
	if (comes(buffer) && (!buffer->is_double || place < 0 || (buffer->is_by_runs && place < buffer->store - 1)))
		copy(walk, a, place < buffer->store - 1 ? &buffer->whole : &buffer->gets, false);
	return 0;
}

/* Waits for what is shown now, and asks for what is shown as the next of the loops outside goes on. */
static unsigned get_ahead(struct walk *walk, int a, int place)
{
	const struct tile_buffer *buffer = &walk->run->buffers[a];
	unsigned tag = 1u << tag_of(a, false);
	/* where loops inside go on next, the one that is timed is the next outside */
	int next = walk->next < buffer->store ? walk->next : place;

	if (!comes(buffer))
		return 0;
	if (!buffer->is_double)
		return tag;
	clock_wait(&walk->clock, tag | (leaves(buffer) ? 1u << tag_of(a, true) : 0));
	if (next < 0 || (is_moved(walk, a, next) && !(buffer->is_by_runs && next < buffer->store - 1)))
		copy(walk, a, &buffer->gets, false);
	return 0;
}

/* ---- stages ---- */

/* What is done with the buffers of a stage. */
enum doing {
	ASK,                             /* what a double one shows first comes */
	ASK_NEXT,                        /* what it shows next */
	GET,                             /* what a single one shows comes, and is waited for; of double ones it was asked for */
	PUT,                             /* what is shown leaves: that of single ones is waited for */
	FINISH                           /* that of double ones is */
};

/* DOING with BUFFER, of array A.  Returns tags to wait for. */
static unsigned do_with(struct walk *walk, const struct tile_buffer *buffer, int a, enum doing doing)
{
	unsigned coming = comes(buffer) ? 1u << tag_of(a, false) : 0, leaving = leaves(buffer) ? 1u << tag_of(a, true) : 0;

	if (doing == FINISH)
		return buffer->is_double ? leaving : 0;
	if (doing == PUT) {
		if (leaving && buffer->is_double)
			clock_wait(&walk->clock, leaving);
		if (leaving)
			copy(walk, a, &buffer->puts, true);
		return buffer->is_double ? 0 : leaving;
	}
	if (coming && buffer->is_double == (doing != GET))
		copy(walk, a, &buffer->gets, false);
	return doing == GET ? coming : 0;
}

/* DOING with all buffers of stage S that are in chunks, or not. */
static void do_with_all(struct walk *walk, int s, bool are_chunked, enum doing doing)
{
	unsigned tags = 0;

	for (int a = 0; a < walk->run->buffer_count; a++)
		if (walk->run->buffers[a].stage == s && walk->run->buffers[a].is_chunked == are_chunked)
			tags |= do_with(walk, &walk->run->buffers[a], a, doing);
	if (tags)
		clock_wait(&walk->clock, tags);
}

static void compute(struct walk *walk, double cycles)
{
	clock_call(&walk->clock);
	walk->clock.now += (long)ceil(cycles);
}

/* One chunk of stage S, which is not the last if another one comes meanwhile. */
static void compute_chunk(struct walk *walk, int s, bool is_last)
{
	const struct tile_stage *stage = &walk->run->stages[s];

	do_with_all(walk, s, true, GET);
	if (!is_last)
		do_with_all(walk, s, true, ASK_NEXT);
	compute(walk, stage->cycles / stage->chunks);
	do_with_all(walk, s, true, PUT);
}

/* So many CYCLES more go by for the core and the DMA engine, and for what is under way to and from buffers of stage S; -1: of those inside all loops. */
static void go_by(struct walk *walk, int s, double cycles)
{
	struct machine_clock *clock = &walk->clock;
	long more = (long)fmin(cycles, LONGEST);

	clock->now += more;
	for (int way = 0; way < 2; way++)
		clock->bus_free[way] += more;
	for (int c = 0; c < clock->channels; c++)
		clock->channel_free[c] += more;
	for (int a = 0; a < walk->run->buffer_count; a++)
		for (int way = 0; way < 2 && (s < 0 ? walk->run->buffers[a].store == walk->run->depth : walk->run->buffers[a].stage == s); way++)
			clock->tag_done[tag_of(a, way)] += more;
}

static void compute_chunks(struct walk *walk, int s)
{
	double chunks = walk->run->stages[s].chunks;
	long before = 0;

	for (int i = 0; i < CHUNKS && i < chunks; i++) {
		before = walk->clock.now;
		/* those that are left out come before the last */
		if (i == CHUNKS - 1 && chunks > CHUNKS)
			compute_chunk(walk, s, true);
		else
			compute_chunk(walk, s, i + 1 >= chunks);
		if (i == CHUNKS - 2 && chunks > CHUNKS)
			go_by(walk, s, (chunks - CHUNKS) * (double)(walk->clock.now - before));
	}
}

/* The first stage from S on for which something is asked ahead. */
static int next_asking(const struct walk *walk, int s)
{
	for (; s < walk->run->stage_count; s++)
		for (int a = 0; a < walk->run->buffer_count; a++)
			if (walk->run->buffers[a].stage == s && walk->run->buffers[a].is_double && comes(&walk->run->buffers[a]))
				return s;
	return s;
}

static void ask(struct walk *walk, int s)
{
	do_with_all(walk, s, false, ASK);
	do_with_all(walk, s, true, ASK);
}

/* What comes for a stage is asked for as the one before begins that has such, too. */
static void compute_tile(struct walk *walk)
{
	int asked = walk->has_staged ? next_asking(walk, 0) : 0;

	for (int s = 0; s < walk->run->stage_count && !walk->has_staged; s++)
		compute(walk, walk->run->stages[s].cycles);
	if (!walk->has_staged)
		return;
	ask(walk, asked);
	for (int s = 0; s < walk->run->stage_count; s++) {
		if (s == asked)
			ask(walk, asked = next_asking(walk, s + 1));
		do_with_all(walk, s, false, GET);
		compute_chunks(walk, s);
		do_with_all(walk, s, false, PUT);
		do_with_all(walk, s, true, FINISH);
		do_with_all(walk, s, false, FINISH);
	}
}

/* ---- tile loops ---- */

/* The loop at PLACE goes on, or all begins: -1; and the tile that is shown then is computed.  Then the one at NEXT will go on. */
static void go_on(struct walk *walk, int place, int next)
{
	walk->next = next;
	for (int depth = walk->run->depth; depth > place && place >= 0; depth--)
		at_buffers(walk, depth, place, put);
	for (int depth = place + 1; depth <= walk->run->depth; depth++) {
		at_buffers(walk, depth, place, get);
		at_buffers(walk, depth, place, get_ahead);
	}
	compute_tile(walk);
}

/* Cycles until the innermost loop has gone on so many TIMES; then the one at NEXT will. */
static double time_of(struct walk *walk, int times, int next)
{
	long before = walk->clock.now;

	for (int i = 0; i < times; i++)
		go_on(walk, walk->run->depth - 1, i < times - 1 ? walk->run->depth - 1 : next);
	return (double)(walk->clock.now - before);
}

/* The largest share below the level of any buffer that the loop at the run's place moves. */
static double next_level(const struct walk *walk)
{
	double next = 0;

	for (int a = 0; a < walk->run->buffer_count; a++)
		if (walk->run->buffers[a].store - 1 == walk->place && walk->run->buffers[a].share < walk->level)
			next = fmax(next, walk->run->buffers[a].share);
	return next;
}

/* Cycles of an iteration of the innermost loop. */
static double time_innermost(struct walk *walk)
{
	time_of(walk, SETTLING, walk->run->depth - 1);
	return time_of(walk, TIMED, walk->run->depth - 1) / TIMED;
}

/* Cycles that it takes more as the loop at PLACE goes on, where one of the innermost loop takes INNER and there are so many TILES in an iteration. */
static double time_outer(struct walk *walk, int place, double inner, double tiles)
{
	double cycles = 0, between = fmin(tiles - 1, TIMED);

	/* what is started in one iteration may be waited for in the next */
	for (int i = 0; i < SETTLING; i++) {
		long before = walk->clock.now;

		go_on(walk, place, between > 0 ? walk->run->depth - 1 : place);
		time_of(walk, (int)between, place);
		go_by(walk, -1, (tiles - 1 - between) * inner);
		cycles = (double)(walk->clock.now - before) - (tiles - 1) * inner;
	}
	return fmax(cycles, 0);
}

/* The same on average; of the innermost loop itself what it takes. */
static double time_average(struct walk *walk, int place, double inner, double tiles)
{
	double average = 0, next;

	walk->place = place;
	for (walk->level = 1; walk->level > 0; walk->level = next) {
		next = next_level(walk);
		average += (walk->level - next) * (place == walk->run->depth - 1 ? time_innermost(walk) : time_outer(walk, place, inner, tiles));
	}
	walk->place = -1;
	return average;
}

/* Cycles of all iterations but the first. */
static double time_loops(struct walk *walk)
{
	const double *iterations = walk->run->iterations;
	int depth = walk->run->depth;
	double cycles = 0, inner;

	if (depth == 0)
		return 0;
	inner = time_innermost(walk);
	for (int place = depth - 1; place >= 0; place--)
		cycles += (iterations[place + 1] - iterations[place]) * time_average(walk, place, inner, iterations[depth] / iterations[place + 1]);
	return cycles;
}

static double time_end(struct walk *walk)
{
	long before = walk->clock.now;

	for (int depth = walk->run->depth; depth >= 0; depth--)
		at_buffers(walk, depth, -1, put);
	for (int a = 0; a < walk->run->buffer_count; a++)
		clock_wait(&walk->clock, 1u << tag_of(a, true));
	return (double)(walk->clock.now - before);
}

/* Cycles that all tiles compute. */
static double computing_of(const struct tile_run *run)
{
	double cycles = 0;

	for (int s = 0; s < run->stage_count; s++)
		cycles += run->stages[s].cycles * run->iterations[run->depth];
	return cycles;
}

double tile_run_cycles(const struct tile_run *run, double copying)
{
	struct walk walk = { .run = run, .place = -1 };
	double most = copying + computing_of(run), cycles;

	if (most > LONGEST)
		return most;
	for (int a = 0; a < run->buffer_count; a++)
		walk.has_staged |= run->buffers[a].stage >= 0;
	clock_begin(&walk.clock, run->arch);
	clock_begin_nest(&walk.clock, NULL);
	go_on(&walk, -1, run->depth - 1);
	cycles = (double)walk.clock.now;
	cycles += time_loops(&walk);
	return fmax(cycles + time_end(&walk), copying);
}
