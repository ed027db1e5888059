/* A good schedule and its mapping to elements, before all are searched: simulated annealing.  It proves nothing; what
 * is found early is what the search cuts branches with.
 *
 * A candidate is changed a little, at random, and the change stays if what comes of it costs less, or not much more: less and
 * less so as time goes by (Kirkpatrick, Gelatt, Vecchi, Optimization by simulated annealing, 1983).  The numbers are the
 * same in each run. */

#include "passes/search/annealing.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "passes/search/annealing_state.h"
#include "support/memory.h"

/* ---- random numbers ---- */

/* xorshift64*: Vigna, An experimental exploration of Marsaglia's xorshift generators, scrambled, 2016. */
static unsigned long next_random(struct annealing *annealing)
{
	annealing->random ^= annealing->random >> 12;
	annealing->random ^= annealing->random << 25;
	annealing->random ^= annealing->random >> 27;
	return annealing->random * 0x2545F4914F6CDD1DUL >> 33;
}

static int below(struct annealing *annealing, int count)
{
	return count > 0 ? (int)(next_random(annealing) % (unsigned long)count) : 0;
}

/* Above 0, 1 on average, half as often for each ln 2 more.  Of what every machine rounds alike: no logarithm of a library. */
static double exponential(struct annealing *annealing)
{
	const double ln2 = 0.69314718055994531;
	double halves = 0, x, t;

	while (halves < 30 && below(annealing, 2))
		halves++;
	/* -ln(1 - x) = 2 artanh(t) */
	x = (double)below(annealing, 1 << 20) / (1 << 21);
	t = x / (2 - x);
	return halves * ln2 + 2 * t * (1 + t * t * (1.0 / 3 + t * t / 5));
}

/* ---- changes ---- */

static void swap(int *list, int i, int j)
{
	int first = list[i];

	list[i] = list[j];
	list[j] = first;
}

static void change_tile(struct annealing *annealing, struct candidate *candidate, int loop)
{
	int count = annealing->space->choice_count[loop], *choice = &candidate->choice[loop];

	if (annealing->space->is_tiled[loop] && count < 2)
		return;
	if (below(annealing, 3) > 0)
		*choice += below(annealing, 2) ? 1 : -1;
	else
		*choice = below(annealing, count + 1) - 1;
	if (*choice >= count)
		*choice = count - 1;
	if (*choice < 0)
		*choice = annealing->space->is_tiled[loop] ? 0 : WHOLE;
}

static long tile_of(const struct annealing *annealing, const struct candidate *candidate, int loop)
{
	return candidate->choice[loop] == WHOLE ? annealing->space->model->loops[loop].extent :
		annealing->space->choices[loop][candidate->choice[loop]].tile;
}

/* Cuts LOOP so that its tiles have about SIZE iterations. */
static void cut_to(struct annealing *annealing, struct candidate *candidate, int loop, long size)
{
	const struct space *space = annealing->space;
	int *choice = &candidate->choice[loop];

	if (space->choice_count[loop] == 0)
		return;
	*choice = WHOLE;
	for (int i = 0; i < space->choice_count[loop]; i++)
		if (size <= space->choices[loop][i].tile)
			*choice = i;
	if (*choice == WHOLE && (space->is_tiled[loop] || size <= space->choices[loop][0].tile))
		*choice = 0;
}

/* Of numbers above 0; LONG_MAX if it is more than that. */
static long product(long a, long b)
{
	return a > LONG_MAX / b ? LONG_MAX : a * b;
}

static long steps_of(const struct annealing *annealing, const struct candidate *candidate, int loop)
{
	return tile_count(tile_of(annealing, candidate, loop), product(candidate->part[loop], candidate->space[loop]));
}

/* Iterations of LOOP for each element: so many that some number of steps is just enough. */
static void change_part(struct annealing *annealing, struct candidate *candidate, int loop)
{
	long tile = tile_of(annealing, candidate, loop), share = tile_count(tile, candidate->space[loop]);
	long steps = 1 + below(annealing, share < 1000 ? (int)share : 1000);

	if (below(annealing, 2))
		candidate->part[loop] = tile_count(share, steps);
	else if (below(annealing, 2) && candidate->part[loop] < share)
		candidate->part[loop]++;
	else if (candidate->part[loop] > 1)
		candidate->part[loop]--;
}

/* Gives LOOP so many times as many elements, MOST at most, and OTHER so many times fewer.  Where time has a price few mappings are good that leave
 * elements idle: then mostly a step covers as many iterations of both as before.  True: it does. */
static bool move_elements(struct annealing *annealing, struct candidate *candidate, int loop, int other, int times, long most)
{
	long *mine = &candidate->space[loop], *its = &candidate->space[other];
	long covered = product(*mine, candidate->part[loop]), its_covered = product(*its, candidate->part[other]);
	bool keeps_step = prices_have_time(&annealing->space->options->prices) && other != loop && *its > 1 && below(annealing, 4) < 3;

	*mine = *mine * times < most ? *mine * times : most;
	*its = tile_count(*its, times);
	if (keeps_step) {
		candidate->part[loop] = tile_count(covered, *mine);
		candidate->part[other] = tile_count(its_covered, *its);
	}
	return keeps_step;
}

static void change_space(struct annealing *annealing, struct candidate *candidate, int loop)
{
	static const int factors[] = { 2, 3, 4, 5, 7 };
	const struct pe_array *machine = &annealing->space->arch->array;
	long tile = tile_of(annealing, candidate, loop), all = (long)machine->x * machine->y < INT_MAX ?
		(long)machine->x * machine->y : INT_MAX;
	int factor = factors[below(annealing, 5)], other = below(annealing, annealing->space->model->loop_count);
	long *mine = &candidate->space[loop];

	if (!(annealing->space->elements->rules.shareable >> loop & 1))
		return;
	switch (below(annealing, 4)) {
	case 0:
		*mine = 1 + below(annealing, (int)(all < tile ? all : tile));
		break;
	case 1:
		*mine += below(annealing, 2) || *mine == 1 ? 1 : -1;
		break;
	case 2:
		if (move_elements(annealing, candidate, loop, other, factor, all))
			return;
		break;
	default:
		*mine = tile_count(*mine, factor);
		break;
	}
	if (below(annealing, 2))
		candidate->part[loop] = tile_count(tile_count(tile, *mine), 1 + below(annealing, 4));
	if (!machine->is_free && below(annealing, 4) == 0)
		candidate->axis[loop] = candidate->axis[loop] == AXIS_X ? AXIS_Y : AXIS_X;
}

/* Loops ONE and OTHER have each other's iterations in a step, and now and then each other's elements. */
static void exchange_shares(struct annealing *annealing, struct candidate *candidate, int one, int other)
{
	unsigned shareable = annealing->space->elements->rules.shareable;
	long part = candidate->part[one], space = candidate->space[one];

	candidate->part[one] = candidate->part[other];
	candidate->part[other] = part;
	if (!(shareable >> one & shareable >> other & 1) || below(annealing, 2))
		return;
	candidate->space[one] = candidate->space[other];
	candidate->space[other] = space;
}

/* Registers of array A keep more or less. */
static void change_kept(struct annealing *annealing, struct candidate *candidate, int a, int loop)
{
	switch (below(annealing, 4)) {
	case 0:
		candidate->slots[a] = 1 + below(annealing, 32);
		break;
	case 1:
		candidate->slots[a] = candidate->slots[a] > 1 && below(annealing, 2) ? candidate->slots[a] - 1 :
			candidate->slots[a] + 1;
		break;
	case 2:
		candidate->sliding ^= 1u << a;
		break;
	default:
		candidate->turning ^= annealing->space->model->loops[loop].is_forward ? 0 : 1u << loop;
		break;
	}
}

static void change(struct annealing *annealing, struct candidate *candidate)
{
	int loops = annealing->space->model->loop_count, arrays = annealing->space->model->array_count;
	int loop = below(annealing, loops), a = below(annealing, arrays);
	long steps = steps_of(annealing, candidate, loop);

	switch (below(annealing, may_choose_double(annealing->space) ? 10 : 9)) {
	case 0:
		change_tile(annealing, candidate, loop);
		break;
	case 1:
		swap(candidate->tile_order, loop, below(annealing, loops));
		break;
	case 2:
		candidate->store[a] = below(annealing, loops + 1) - 1;
		break;
	case 3:
		swap(candidate->step_order, loop, below(annealing, loops));
		break;
	case 4:
		candidate->hold[a] = below(annealing, 4) == 0 ? OUTSIDE : below(annealing, 3) == 0 ? loop : MODEL_LOOPS + loop;
		break;
	case 5:
		change_space(annealing, candidate, loop);
		break;
	case 6:
		change_part(annealing, candidate, loop);
		break;
	case 7:
		if (annealing->may_keep)
			change_kept(annealing, candidate, a, loop);
		break;
	case 9:
		candidate->doubles ^= 1u << a;
		break;
	default:
		exchange_shares(annealing, candidate, loop, below(annealing, loops));
		break;
	}
	/* the tile may grow or shrink with what elements do of it */
	if (below(annealing, 2))
		cut_to(annealing, candidate, loop, product(steps, product(candidate->part[loop], candidate->space[loop])));
}

/* ---- all of it ---- */

/* The candidate that comes to SCHEDULE and MAPPING. */
static void begin_at(struct annealing *annealing, const struct schedule *schedule, const struct mapping *mapping)
{
	const struct space *space = annealing->space;
	struct candidate *now = &annealing->now;
	unsigned tiled = 0, stepped = 0;
	int loops = space->model->loop_count, tiles = 0, steps = 0;

	now->sliding = now->turning = 0;
	for (; tiles < schedule->depth; tiles++)
		tiled |= 1u << (now->tile_order[tiles] = schedule->order[tiles]);
	for (; steps < mapping->depth; steps++)
		stepped |= 1u << (now->step_order[steps] = mapping->order[steps]);
	for (int l = 0; l < loops; l++) {
		if (!(tiled >> l & 1))
			now->tile_order[tiles++] = l;
		if (!(stepped >> l & 1))
			now->step_order[steps++] = l;
		now->choice[l] = WHOLE;
		for (int i = 0; i < space->choice_count[l] && (tiled >> l & 1); i++)
			if (space->choices[l][i].tile >= schedule->tile[l])
				now->choice[l] = i;
		now->part[l] = mapping->part[l];
		now->space[l] = mapping->space[l];
		now->axis[l] = mapping->axis[l];
		now->turning |= (unsigned)mapping->is_serpentine[l] << l;
	}
	now->doubles = may_choose_double(space) ? 0 : space->is_double ? ~0u : 0;
	for (int a = 0; a < space->model->array_count; a++) {
		int store = schedule->storage[a].store, hold = mapping->holds[a].depth;

		if (may_choose_double(space) && schedule->storage[a].is_double)
			now->doubles |= 1u << a;
		now->slots[a] = mapping->holds[a].slots;
		now->sliding |= (unsigned)mapping->holds[a].is_sliding << a;
		now->store[a] = store > 0 ? schedule->order[store - 1] : OUTSIDE;
		now->hold[a] = hold == 0 ? OUTSIDE : hold <= schedule->depth ? schedule->order[hold - 1] :
			MODEL_LOOPS + mapping->order[hold - 1 - schedule->depth];
	}
}

/* The candidate of the smallest tiles, with one region of each array. */
static void begin_small(struct annealing *annealing)
{
	const struct space *space = annealing->space;
	struct candidate *now = &annealing->now;
	int innermost = OUTSIDE;

	now->sliding = now->turning = now->doubles = 0;
	for (int l = 0; l < space->model->loop_count; l++) {
		now->tile_order[l] = now->step_order[l] = l;
		now->choice[l] = space->choice_count[l] > 0 ? space->choice_count[l] - 1 : WHOLE;
		innermost = now->choice[l] == WHOLE ? innermost : l;
		now->part[l] = now->space[l] = 1;
		now->axis[l] = AXIS_X;
	}
	for (int a = 0; a < space->model->array_count; a++) {
		now->store[a] = innermost;
		now->hold[a] = OUTSIDE;
		now->slots[a] = 1;
	}
}

/* Begins at SCHEDULE and MAPPING, or else as small as can be; false: neither can be. */
static bool begin(struct annealing *annealing, const struct schedule *schedule, const struct mapping *mapping)
{
	struct realised start;

	begin_at(annealing, schedule, mapping);
	annealing->about = -1;
	if (!annealing_realise(annealing, &annealing->now, INFINITY, &start)) {
		begin_small(annealing);
		if (!annealing_realise(annealing, &annealing->now, INFINITY, &start))
			return false;
	}
	annealing->value = start.value;
	annealing->about = start.about;
	return true;
}

/* A change, or some at once: what costs a share HEAT more is taken one time in three. */
static void step(struct annealing *annealing, double heat)
{
	struct candidate changed = annealing->now;
	struct realised realised;
	double most = annealing->value * (1 + heat * exponential(annealing));

	for (int changes = 1 + (below(annealing, 3) == 0) + (below(annealing, 6) == 0); changes > 0; changes--)
		change(annealing, &changed);
	if (memcmp(&changed, &annealing->now, sizeof changed) == 0 || !annealing_realise(annealing, &changed, most, &realised))
		return;
	annealing->now = changed;
	if (realised.is_same)
		return;
	annealing->value = realised.value;
	annealing->about = realised.about;
	if (!annealing->found || realised.value < annealing->best.value || (realised.value <= annealing->best.value &&
		schedule_compare(annealing->space, &realised.schedule, &annealing->best.schedule) < 0)) {
		annealing->best = realised;
		annealing->found = true;
	}
}

/* A walk of POINTS changes, or fewer where timing them takes long, that cools down from HEAT. */
static void walk(struct annealing *annealing, long points, double heat)
{
	const volatile int *interrupted = annealing->space->options->interrupted;
	const double cold = 5e-4, cooling = 0.9;
	int stages = 0;

	for (double hot = heat; hot > cold; hot *= cooling)
		stages++;
	for (; heat > cold; heat *= cooling)
		for (long i = points / stages; i >= 0 && !(interrupted && *interrupted); i -= 1 + annealing->spent) {
			annealing->spent = 0;
			step(annealing, heat);
		}
}

/* Leaves out of the best what saves nothing. */
static void simplify(struct annealing *annealing)
{
	const struct space *space = annealing->space;
	struct candidate simple;
	struct realised realised;

	begin_at(annealing, &annealing->best.schedule, &annealing->best.mapping);
	annealing->about = -1;
	for (int i = 0; i < 2 * space->model->array_count + space->model->loop_count; i++) {
		int a = i / 2, loop = i - 2 * space->model->array_count;

		simple = annealing->now;
		if (loop >= 0)
			simple.turning &= ~(1u << loop);
		else if (i % 2)
			simple.sliding &= ~(1u << a);
		else
			simple.slots[a] = 1;
		if (memcmp(&simple, &annealing->now, sizeof simple) == 0 ||
			!annealing_realise(annealing, &simple, annealing->best.value, &realised))
			continue;
		annealing->now = simple;
		annealing->best = realised;
	}
}

/* ---- mirrors ---- */

static int renamed(int place, int one, int other)
{
	int loop = place % MODEL_LOOPS, step = place - loop;

	return place == OUTSIDE ? place : step + (loop == one ? other : loop == other ? one : loop);
}

/* All that CANDIDATE says of loop ONE it says of OTHER, and the other way round. */
static void rename_loops(const struct space *space, struct candidate *candidate, int one, int other)
{
	const struct candidate old = *candidate;

	for (int i = 0; i < space->model->loop_count; i++) {
		candidate->tile_order[i] = renamed(old.tile_order[i], one, other);
		candidate->step_order[i] = renamed(old.step_order[i], one, other);
		candidate->choice[i] = old.choice[renamed(i, one, other)];
		candidate->part[i] = old.part[renamed(i, one, other)];
		candidate->space[i] = old.space[renamed(i, one, other)];
		candidate->axis[i] = old.axis[renamed(i, one, other)];
	}
	for (int a = 0; a < space->model->array_count; a++) {
		candidate->store[a] = renamed(old.store[a], one, other);
		candidate->hold[a] = renamed(old.hold[a], one, other);
	}
	candidate->turning &= ~(1u << one | 1u << other);
	candidate->turning |= (old.turning >> one & 1) << other | (old.turning >> other & 1) << one;
}

/* The best with two loops of each pair renamed, where they are as long: of rows and columns one is better, if the rest is
 * the same. */
static void try_mirror(struct annealing *annealing, const int pairs[2][2])
{
	const struct space *space = annealing->space;
	struct candidate mirror = annealing->now;
	struct realised realised;

	for (int p = 0; p < 2; p++) {
		int one = pairs[p][0], other = pairs[p][1];

		if (space->model->loops[one].extent != space->model->loops[other].extent ||
			space->choice_count[one] != space->choice_count[other])
			return;
		rename_loops(space, &mirror, one, other);
	}
	if (!annealing_realise(annealing, &mirror, annealing->best.value, &realised) ||
		schedule_compare(space, &realised.schedule, &annealing->best.schedule) >= 0)
		return;
	annealing->now = mirror;
	annealing->best = realised;
}

static void try_mirrors(struct annealing *annealing)
{
	int count = annealing->space->model->loop_count, pairs[2][2];

	begin_at(annealing, &annealing->best.schedule, &annealing->best.mapping);
	annealing->about = -1;
	for (pairs[0][0] = 0; pairs[0][0] < count; pairs[0][0]++)
		for (pairs[0][1] = pairs[0][0]; pairs[0][1] < count; pairs[0][1]++)
			for (pairs[1][0] = pairs[0][0]; pairs[1][0] < count; pairs[1][0]++)
				for (pairs[1][1] = pairs[1][0] + 1; pairs[1][1] < count; pairs[1][1]++)
					try_mirror(annealing, (const int (*)[2])pairs);
}

/* ---- walks ---- */

/* SCHEDULE and MAPPING become the best that was found, if that is better. */
static void keep_best(const struct annealing *annealing, struct schedule *schedule, struct mapping *mapping)
{
	if (!annealing->found || schedule_compare(annealing->space, &annealing->best.schedule, schedule) >= 0)
		return;
	*schedule = annealing->best.schedule;
	*mapping = annealing->best.mapping;
}

/* A few walks, each from the best so far. */
static bool walk_from_best(struct annealing *annealing, long points, struct schedule *schedule, struct mapping *mapping)
{
	const int walks = 24;

	for (int w = 0; w < walks && begin(annealing, schedule, mapping); w++) {
		/* what is kept matters when all else is good */
		annealing->may_keep = w % 2;
		walk(annealing, points / walks, w % 2 ? 0.05 : 0.3);
		if (annealing->found && annealing->may_keep)
			simplify(annealing);
		if (annealing->found)
			try_mirrors(annealing);
		keep_best(annealing, schedule, mapping);
	}
	return annealing->found;
}

/* Where a chain of walks begins, and where it has come to; INFINITY: nowhere yet. */
struct chain {
	const struct schedule *schedule;
	const struct mapping *mapping;
	struct realised last;
};

/* COUNT walks of POINTS changes each, of which the first BEGINNINGS begin where CHAIN does, and the others where one before came to, or the
 * last if that costs little more. */
static void walk_chain(struct annealing *annealing, struct chain *chain, long count, long beginnings, long points,
	struct schedule *schedule, struct mapping *mapping)
{
	struct realised *last = &chain->last;

	for (long w = 0; w < count; w++) {
		bool is_beginning = w < beginnings || last->value == INFINITY;

		annealing->found = false;
		if (!begin(annealing, is_beginning ? chain->schedule : &last->schedule, is_beginning ? chain->mapping : &last->mapping))
			break;
		walk(annealing, points, is_beginning ? 0.3 : 0.2);
		if (!annealing->found)
			continue;
		try_mirrors(annealing);
		keep_best(annealing, schedule, mapping);
		if (annealing->best.value < last->value * (1 + (is_beginning ? 0 : 0.02 * exponential(annealing))))
			*last = annealing->best;
	}
}

/* Many short walks.  What costs time has many valleys, and the way from one to the next seldom leads through the best so far (Lourenco,
 * Martin, Stuetzle, Iterated local search, 2003).  Where there are enough walks a few chains of them know nothing of each other, as one may
 * stay in a valley for good; the last walks go on with the best chain. */
static bool walk_on(struct annealing *annealing, long points, struct schedule *schedule, struct mapping *mapping)
{
	enum { CHAINS = 4, BEGINNINGS = 8 };
	const long each = 12000, walks = points / each + 1;
	const int count = walks < 16 * CHAINS ? 1 : CHAINS;
	const long share = count == 1 ? walks : walks * 4 / 5 / CHAINS;
	const struct schedule outset = *schedule;
	const struct mapping outset_mapping = *mapping;
	struct chain best = { .last = { .value = INFINITY } };

	for (int c = 0; c < count; c++) {
		struct chain chain = { &outset, &outset_mapping, { .value = INFINITY } };

		walk_chain(annealing, &chain, share, count > 1 ? BEGINNINGS / 2 : walks < 4 * BEGINNINGS ? walks / 4 : BEGINNINGS,
			points / walks, schedule, mapping);
		if (c == 0 || chain.last.value < best.last.value)
			best = chain;
	}
	walk_chain(annealing, &best, walks - count * share, 0, points / walks, schedule, mapping);
	return best.last.value < INFINITY;
}

bool anneal(struct tree *tree, const struct space *space, long points, struct schedule *schedule, struct mapping *mapping)
{
	struct annealing annealing = { .tree = tree, .space = space, .random = 0x9E3779B97F4A7C15UL,
		.known = memory_alloc(KNOWN_CUTS * sizeof *annealing.known) };
	bool found;

	for (int i = 0; i < KNOWN_CUTS; i++)
		annealing.known[i].is_known = false;
	tree_begin(tree, space);
	/* where what is kept has to be timed that takes long */
	if (prices_have_time(&space->options->prices))
		found = walk_on(&annealing, points, schedule, mapping);
	else
		found = walk_from_best(&annealing, points, schedule, mapping);
	free(annealing.known);
	return found;
}
