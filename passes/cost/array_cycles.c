/* How long processing elements take, of the model of a nest.
 *
 * From one step to the next a loop of the sequence of tile loops and step loops goes on, and those inside it begin
 * anew.  What travels in between depends on which loop that is, and on where loops are only as far as they are at
 * their first or last iteration, and at tiles and steps that are smaller at the end.  So the runs of a loop are of few
 * kinds, each of which is timed once, and so are its iterations: from the second on the next is alike, or the next but one
 * where a loop inside goes back and forth; but for those in which a border may cut a region. */

#include "passes/cost/array_cycles.h"

#include <math.h>
#include <string.h>

#include "ir/array_time.h"
#include "passes/cost/array_visits.h"
#include "passes/cost/model_math.h"

enum { MEMO = 1 << 10 };

/* Cycles from where a tile begins to compute to where the next does, if that does not wait for a copy.  Those just before either, in which words come
 * to its first step and nothing else happens: EXPOSED, LAST; those in which all words come to the next one's: READS; and what is copied from where the
 * tile before has ended.  NEEDS: the next tile needs what comes.  STEADY: those before and after are the same. */
struct tile { double cycles, exposed, last, reads; struct batch batch; bool needs, is_steady; };
/* What loops take, and how much later tiles are for copies.  Of tile loops the first tile, and the last, whose end is not theirs. */
struct span { double cycles, late; struct tile first, last; };

/* A run of the loops from a place on, under conditions that are told by KEY, takes so long, and leaves these loops where
 * their next run begins at the end. */
enum { KEYS = 3 };
struct run { unsigned long key[KEYS]; int border[PLACES]; bool is_used; struct span span; unsigned is_odd; };

struct timing {
	struct sequence sequence;
	double macs;
	unsigned matters_first, matters_last;        /* bit PLACE: whether the loop there is at its first, or last, matters */
	long slots;                  /* most of any array */
	unsigned is_odd;             /* bit PLACE: the next run of a loop that turns goes backwards */
	struct places now;
	struct run *memo;
	const struct copies *copies;
	long timed;                  /* steps one after the other that have been */
};

/* ---- between steps ---- */

/* What travels between two steps: reads, to any registers and to single ones; results, from single ones and, by memory, from any. */
struct travel { struct array_amount reads, late_reads, writes, adds; double written[MEMORY_LIMIT]; };

static int memory_of(const struct timing *timing, int a)
{
	return timing->sequence.mapped.outer->storage[a].memory;
}

/* Words that come for the step at PLACES, since the loop at WENT_ON (-1: all begin). */
static void add_reads(const struct timing *timing, const struct places *places, int went_on, struct travel *travel)
{
	for (int a = 0; a < timing->sequence.mapped.model->array_count; a++) {
		const struct model_array *array = &timing->sequence.mapped.model->arrays[a];
		const struct hold *hold = &timing->sequence.mapped.mapping->holds[a];
		double words;

		if (hold->depth <= went_on || !sequence_visits(&timing->sequence, places, a) ||
			(went_on >= 0 && sequence_keeps(&timing->sequence, places, a, went_on)) ||
			(array->is_written ? array->is_created && sequence_is_at_end(&timing->sequence, places, a, true) : !array->is_read))
			continue;
		if (array->is_written)
			words = sequence_words(&timing->sequence, places, a, EACH_ELEMENT, -1);
		else
			words = sequence_words(&timing->sequence, places, a, EACH_READ,
				hold->is_sliding && went_on == hold->depth - 1 ? went_on : -1) *
				sequence_sharing(&timing->sequence, places, a, EACH_READ);
		array_amount_add(&travel->reads, memory_of(timing, a), words);
		if (!hold->is_double)
			array_amount_add(&travel->late_reads, memory_of(timing, a), words);
	}
}

/* Words that leave after the step at PLACES, if the loop at GOES_ON does (-1: the nest ends). */
static void add_results(const struct timing *timing, const struct places *places, int goes_on, struct travel *travel)
{
	for (int a = 0; a < timing->sequence.mapped.model->array_count; a++) {
		const struct model_array *array = &timing->sequence.mapped.model->arrays[a];
		const struct hold *hold = &timing->sequence.mapped.mapping->holds[a];
		double words, kept;

		if (!array->is_written || hold->depth <= goes_on || !sequence_visits(&timing->sequence, places, a) ||
			(goes_on >= 0 && sequence_retains(&timing->sequence, places, a, goes_on)))
			continue;
		words = sequence_words(&timing->sequence, places, a, EACH_ELEMENT, -1);
		kept = array->is_dropped && sequence_is_at_end(&timing->sequence, places, a, false) ? words : 0;
		travel->written[memory_of(timing, a)] += words - kept;
		if (hold->is_double)
			continue;
		array_amount_add(&travel->writes, memory_of(timing, a), words - kept);
		array_amount_add(&travel->adds, memory_of(timing, a), words * (sequence_sharing(&timing->sequence, places, a, EACH_ELEMENT) - 1));
	}
}

/* The step at PLACES computes for so many cycles. */
static double computing(const struct timing *timing, const struct places *places)
{
	double macs = timing->macs;

	for (int l = 0; l < timing->sequence.mapped.model->loop_count; l++) {
		long part = timing->sequence.mapped.mapping->part[l], step = sequence_step(&timing->sequence, places, l);

		macs *= (double)(part < step ? part : step);
	}
	return ceil(macs * timing->sequence.mapped.machine->mac_cycles);
}

/* Cycles from the begin of a step to that of the next; of these, those after all results have left; and those in which words come that the next
 * one needs. */
struct border { double cycles, exposed, reads; };

/* From the step at FROM to the one at TO, as the loop at GOES_ON does. */
static struct border between(const struct timing *timing, const struct places *from, const struct places *to, int goes_on)
{
	const struct pe_array *machine = timing->sequence.mapped.machine;
	struct travel travel = { .written = { 0 } };
	struct border border = { 0, 0, 0 };
	double late, left;

	add_results(timing, from, goes_on, &travel);
	add_reads(timing, to, goes_on, &travel);
	late = computing(timing, from) + array_travel_cycles(machine, WAY_REDUCE, &travel.adds, NULL);
	left = border.cycles = late + array_travel_cycles(machine, WAY_WRITE, &travel.writes, NULL);
	if (travel.reads.all > 0) {
		border.reads = array_travel_cycles(machine, WAY_READ, &travel.reads, NULL);
		border.cycles = fmax(border.cycles, array_travel_cycles(machine, WAY_READ, &travel.reads, travel.written));
	}
	if (travel.late_reads.all > 0)
		border.cycles = fmax(border.cycles, late + array_travel_cycles(machine, WAY_READ, &travel.late_reads, travel.written));
	border.exposed = border.cycles - left;
	return border;
}

/* ---- runs ---- */

static bool bit(unsigned bits, int place)
{
	return bits >> place & 1;
}

/* Puts the loops from PLACE on where their next runs begin. */
static void begin_places(const struct timing *timing, struct places *places, int place)
{
	for (int p = place; p < timing->sequence.length; p++) {
		bool is_anew = p >= timing->sequence.mapped.outer->depth && place <= timing->sequence.mapped.outer->depth;

		sequence_set(&timing->sequence, places, p, 0, !is_anew && timing->sequence.turns[p] && bit(timing->is_odd, p));
	}
}

/* Puts them where their runs have ended. */
static void end_places(const struct timing *timing, struct places *places, int place)
{
	for (int p = place; p < timing->sequence.length; p++)
		sequence_set(&timing->sequence, places, p, -1, timing->sequence.turns[p] && !bit(timing->is_odd, p));
}

static struct span time_run(struct timing *timing, int place);

static bool turns_inside(const struct timing *timing, int place)
{
	for (int p = place + 1; p < timing->sequence.length; p++)
		if (timing->sequence.turns[p])
			return true;
	return false;
}

/* Of MOST iterations of the loop at PLACE after I those that take as long as I and the one before, as far as borders go: these cut
 * regions at both ends of a run, and what comes for the next iteration counts. */
static long plain_iterations(const struct timing *timing, int place, long i, long most, bool is_odd)
{
	struct places there = timing->now;

	for (long k = i - 1; k <= i + 1; k++) {
		sequence_set(&timing->sequence, &there, place, k, is_odd);
		if (there.at[place].is_border)
			return 0;
	}
	for (; most > 0; most--) {
		sequence_set(&timing->sequence, &there, place, i + most + 1, is_odd);
		if (!there.at[place].is_border)
			break;
	}
	return most;
}

/* How much later the tile after TILE begins for the copies beside it.  As it begins what was put before has left, and what it needs has come; words to its
 * first step come after that.  In steady tiles that take P cycles from one end to the next, of which S are those until the first step begins, C the others
 * of the same without copies, the last of these is done D cycles after an end: P = S + C, and S = D + R - P for R reads.  So P is (D + R + C) / 2, or what
 * the copies alone take if that is more. */
static double late(const struct timing *timing, const struct tile *tile)
{
	double done = tile->needs ? batch_latency(timing->copies, &tile->batch) : puts_latency(timing->copies, &tile->batch);
	double least = batch_cycles(timing->copies, &tile->batch);

	if (done > 0 && tile->is_steady)
		least = fmax(least, (done + tile->reads + tile->cycles - tile->last) / 2);
	else if (done > 0)
		least = fmax(least, done + tile->reads - tile->exposed);
	return fmax(least - tile->cycles, 0);
}

static void add_span(struct span *span, double times, double cycles, double late)
{
	span->cycles += times * cycles;
	span->late += times * late;
}

/* Adds INNER, the iteration I of the loop at PLACE, to SPAN; words came to its first step in so many EXPOSED cycles. */
static void add_iteration(const struct timing *timing, int place, long i, double exposed, const struct span *inner, struct span *span)
{
	struct tile first = inner->first;

	add_span(span, 1, inner->cycles, inner->late);
	if (place + 1 == timing->copies->depth) {
		span->last = (struct tile){ .cycles = inner->cycles, .exposed = exposed };
		if (i > 0)
			batch_add(&span->last.batch, &timing->copies->leaving[place]);
		return;
	}
	span->last = inner->last;
	if (i == 0)
		span->first = first;
	if (i == 0 || first.cycles <= 0)
		return;
	first.exposed = exposed;
	batch_add(&first.batch, &timing->copies->leaving[place]);
	span->late += late(timing, &first) - late(timing, &inner->first);
}

/* Something comes for the iteration after I of the loop at PLACE that a turn has not kept. */
static bool comes_after(const struct timing *timing, int place, long i)
{
	const struct copies *copies = timing->copies;
	int outer = place - 1;

	while (outer >= 0 && timing->now.at[outer].is_first)
		outer--;
	return copies->after[place].gets.commands > 0 && (outer < 0 || !(copies->turning[place] >> outer & 1) || i + 1 >= copies->slots[place]);
}

/* The last tile of SPAN ends with BORDER, as the loop at PLACE goes on after iteration I. */
static void end_tile(const struct timing *timing, int place, long i, const struct border *border, struct span *span)
{
	bool is_innermost;

	span->cycles += border->cycles;
	if (!timing->copies || place >= timing->copies->depth)
		return;
	is_innermost = place + 1 == timing->copies->depth;
	span->last.cycles += border->cycles;
	span->last.reads = border->reads;
	span->last.last = border->exposed;
	span->last.is_steady = is_innermost;
	batch_add(&span->last.batch, &timing->copies->coming[place]);
	span->last.needs = timing->copies->coming[place].gets.commands > 0;
	if (comes_after(timing, place, i)) {
		batch_add(&span->last.batch, &timing->copies->after[place]);
		span->last.needs = true;
	}
	span->late += late(timing, &span->last);
	if (is_innermost && i == 0)
		span->first = span->last;
}

/* Words that come after BORDER, as the loop at PLACE goes on, are not overlapped if something is waited for before.  Returns the cycles until the next
 * tile begins to compute. */
static double stand(const struct timing *timing, int place, const struct border *border, struct span *span)
{
	double standing = timing->copies && place < timing->sequence.mapped.outer->depth ? timing->copies->standing[place] : 0;

	if (standing <= 0)
		return border->exposed;
	span->late += fmax(border->reads - border->exposed, 0);
	return standing + fmax(border->reads, border->exposed);
}

/* The loop at PLACE goes through its iterations.  Those in the middle take as long as the last two before them did. */
static struct span time_iterations(struct timing *timing, int place)
{
	bool is_odd = timing->sequence.turns[place] && bit(timing->is_odd, place);
	long extent, size, trips, most = timing->slots > 2 ? timing->slots - 1 : 1;
	/* iterations that are alike repeat after one, or two where a loop inside turns */
	long period = turns_inside(timing, place) ? 2 : 1;
	struct span span = { .cycles = 0 }, before[2] = { span, span };
	double exposed = 0;

	sequence_loop(&timing->sequence, &timing->now, place, &extent, &size);
	trips = tile_count(extent, size);
	timing->is_odd ^= timing->sequence.turns[place] ? 1u << place : 0;
	if (timing->copies && place < timing->copies->depth && timing->copies->slots[place] > most)
		most = timing->copies->slots[place];
	for (long i = 0; i < trips; i++) {
		struct places from;
		struct span start = span, inner;
		struct border border;

		sequence_set(&timing->sequence, &timing->now, place, i, is_odd);
		inner = time_run(timing, place + 1);
		if (timing->copies && place < timing->copies->depth)
			add_iteration(timing, place, i, exposed, &inner, &span);
		else
			add_span(&span, 1, inner.cycles, inner.late);
		if (i + 1 == trips)
			break;
		from = timing->now;
		end_places(timing, &from, place + 1);
		sequence_set(&timing->sequence, &timing->now, place, i + 1, is_odd);
		begin_places(timing, &timing->now, place + 1);
		border = between(timing, &from, &timing->now, place);
		end_tile(timing, place, i, &border, &span);
		exposed = stand(timing, place, &border, &span);
		timing->timed++;
		before[0] = before[1];
		before[1] = (struct span){ .cycles = span.cycles - start.cycles, .late = span.late - start.late };
		/* it was in the middle, as the one before, and so are those that follow up to the last few */
		if (i >= most + period - 1 && trips - 2 - most - i >= period) {
			long more = plain_iterations(timing, place, i, trips - 2 - most - i, is_odd) / period;

			for (int k = 2 - (int)period; k < 2; k++)
				add_span(&span, (double)more, before[k].cycles, before[k].late);
			i += period * more;
		}
	}
	return span;
}

/* All that the time of the loops from PLACE on depends on. */
static void fill_key(const struct timing *timing, int place, struct run *run)
{
	unsigned first = 0, last = 0, is_short = 0, odd = 0;
	int border[PLACES] = { 0 };

	for (int p = 0; p < timing->sequence.length; p++) {
		if (p < place) {
			first |= (unsigned)(timing->now.at[p].is_first && bit(timing->matters_first, p)) << p;
			last |= (unsigned)(timing->now.at[p].is_last && bit(timing->matters_last, p)) << p;
			is_short |= (unsigned)timing->now.at[p].is_short << p;
			border[p] = timing->now.at[p].is_border ? (int)timing->now.at[p].index + 1 : 0;
		} else {
			odd |= (unsigned)bit(timing->is_odd, p) << p;
		}
	}
	*run = (struct run){ .key = { (unsigned long)first << 32 | last, (unsigned long)is_short << 32 | odd,
		(unsigned long)place }, .is_used = true };
	memcpy(run->border, border, sizeof border);
}

/* The runs of the loops from PLACE on, where those outside are: from the begin of the first step to that of the last. */
static struct span time_run(struct timing *timing, int place)
{
	unsigned inner = place < 32 ? ~0u << place : 0;
	unsigned long hash = 0;
	struct run run, *known;

	if (place == timing->sequence.length)
		return (struct span){ .cycles = 0 };
	if (place <= timing->sequence.mapped.outer->depth)
		timing->is_odd &= (1u << timing->sequence.mapped.outer->depth) - 1;
	fill_key(timing, place, &run);
	for (int i = 0; i < KEYS; i++)
		hash = (hash + run.key[i]) * 0x9E3779B97F4A7C15UL;
	for (int p = 0; p < place; p++)
		hash = (hash + (unsigned)run.border[p]) * 0x9E3779B97F4A7C15UL;
	known = &timing->memo[(hash ^ hash >> 32) % MEMO];
	if (!known->is_used || memcmp(known->key, run.key, sizeof run.key) != 0 ||
		memcmp(known->border, run.border, sizeof run.border) != 0) {
		run.span = time_iterations(timing, place);
		run.is_odd = timing->is_odd & inner;
		*known = run;
	}
	timing->is_odd = (timing->is_odd & ~inner) | known->is_odd;
	return known->span;
}

static void begin_timing(struct timing *timing)
{
	const struct mapping *mapping = timing->sequence.mapped.mapping;

	for (int place = 0; timing->copies && place < timing->copies->depth; place++)
		if (timing->copies->turning[place])
			timing->matters_first |= (1u << place) - 1;
	timing->slots = 1;
	for (int a = 0; a < timing->sequence.mapped.model->array_count; a++) {
		const struct model_array *array = &timing->sequence.mapped.model->arrays[a];
		const struct hold *hold = &mapping->holds[a];
		unsigned outside = hold->depth > 0 ? ~0u >> (32 - hold->depth) : 0;

		timing->slots = hold->slots > timing->slots ? hold->slots : timing->slots;
		if (hold->slots > 1 || array->anchored)
			timing->matters_first |= outside;
		if (hold->slots > 1)
			timing->matters_last |= outside;
		for (int p = 0; p < hold->depth; p++) {
			bool repeats = array->is_written && !sequence_moves(&timing->sequence, a, p);

			timing->matters_first |= (unsigned)(repeats && array->is_created) << p;
			timing->matters_last |= (unsigned)(repeats && array->is_dropped) << p;
		}
	}
}

struct array_time mapping_cycles(const struct nest_model *model, const struct pe_array *machine, const struct schedule *outer,
	const struct mapping *mapping, double macs, const struct copies *copies)
{
	struct run memo[MEMO];
	struct timing timing = { .macs = macs, .memo = memo, .copies = copies };
	struct travel first = { .written = { 0 } }, last = first;
	struct span span;
	double begin, results;

	for (int i = 0; i < MEMO; i++)
		memo[i].is_used = false;
	sequence_begin(&timing.sequence, (struct mapped){ model, machine, outer, mapping }, arena_new());
	begin_timing(&timing);
	begin_places(&timing, &timing.now, 0);
	add_reads(&timing, &timing.now, -1, &first);
	span = time_run(&timing, 0);
	end_places(&timing, &timing.now, 0);
	add_results(&timing, &timing.now, -1, &last);
	arena_free(timing.sequence.arena);
	begin = array_travel_cycles(machine, WAY_READ, &first.reads, NULL);
	results = computing(&timing, &timing.now) + array_travel_cycles(machine, WAY_REDUCE, &last.adds, NULL) +
		array_travel_cycles(machine, WAY_WRITE, &last.writes, NULL);
	if (copies)
		span.late += fmax(puts_latency(copies, &span.last.batch) - span.last.exposed - span.last.cycles - results, 0);
	return (struct array_time){ begin + span.cycles + results, span.late, timing.timed };
}

/* ---- bounds ---- */

/* Cycles that a network needs at least for all words that go one way: rounding, step by step, only makes it more. */
static double least_travel(const struct pe_array *machine, enum array_way way, double most, double all)
{
	return fmax(most, all / machine->networks[way]) / machine->words_per_cycle;
}

/* Results of single registers, and words that come to those, hold elements up; results of double ones may go beside
 * each other. */
double array_least_cycles(const struct pe_array *machine, const struct array_work *work)
{
	long elements = work->elements > 0 ? work->elements : (long)machine->x * machine->y;
	double cycles = work->macs * machine->mac_cycles / (double)elements + work->bursts;
	double late = least_travel(machine, WAY_READ, work->most_late, work->late);

	if (work->is_serial)
		cycles += least_travel(machine, WAY_REDUCE, work->most_reduced, work->reduced) +
			fmax(fmax(least_travel(machine, WAY_WRITE, work->most_written, work->written), late), work->held_up);
	else
		cycles = fmax(cycles + late, fmax(work->most_reduced, work->most_written) / machine->words_per_cycle);
	cycles = fmax(cycles, least_travel(machine, WAY_READ, work->most_read, work->read));
	for (int m = 0; m < MEMORY_LIMIT; m++)
		if (machine->memory_words_per_cycle[m] > 0)
			cycles = fmax(cycles, (work->comes[m] + (work->is_serial ? work->leaves[m] : 0)) /
				machine->memory_words_per_cycle[m]);
	return cycles * (1 - 1e-12);
}

void array_work_add(struct array_work *work, int memory, double read, double written, double reduced, bool is_double, bool is_written)
{
	work->read += read;
	work->written += written;
	work->comes[memory] += read;
	work->leaves[memory] += written;
	work->reduced += reduced;
	work->most_read = fmax(work->most_read, read);
	work->most_written = fmax(work->most_written, written);
	work->most_reduced = fmax(work->most_reduced, reduced);
	work->late += is_double ? 0 : read;
	work->most_late = fmax(work->most_late, is_double ? 0 : read);
	work->is_serial &= !is_written || !is_double;
}

/* A step that hidden words come in takes as long as they do.  Where other words come after it, or leave, these may be hidden there: not
 * elsewhere. */
double array_bursts(const struct pe_array *machine, const struct register_visits *arrays, int count, double cycles)
{
	double exposed = 0, bursts = 0;

	for (int i = 0; i < count; i++)
		exposed += arrays[i].is_hidden ? 0 : arrays[i].visits;
	for (int i = 0; i < count; i++)
		if (arrays[i].is_hidden)
			bursts = fmax(bursts, (arrays[i].words - exposed * arrays[i].most) / machine->words_per_cycle -
				arrays[i].iterations * cycles);
	return bursts;
}

struct array_work mapping_work(const struct nest_model *model, const struct schedule *outer, const struct mapping *mapping,
	double macs)
{
	struct array_work work = { .macs = macs, .elements = mapping->elements, .is_serial = true };

	for (int a = 0; a < model->array_count; a++) {
		const struct hold *hold = &mapping->holds[a];

		array_work_add(&work, outer->storage[a].memory, (double)hold->read, (double)hold->written, (double)hold->reduced, hold->is_double,
			model->arrays[a].is_written);
	}
	return work;
}
