#ifndef LOOPC_TIMELINE_H
#define LOOPC_TIMELINE_H

#include "loopc_trace.h"

/* The timeline of a core and a DMA engine, as loopc_trace.h describes them: what the trace port
 * draws, and what loopc --verify measures.  All times are cycles of the core since it began. */

enum { LRT_CHANNEL_LIMIT = 64, LRT_TRAVELLERS = 64 };

/* Processing elements.  Since EARLY words may come to double registers, since LATE to others; until LEAVING words
 * leave double ones. */
typedef struct lrt_timeline_elements {
	lrt_trace_pe_array array;
	uint64_t early, late, leaving;
	uint64_t written[LRT_MEMORIES];     /* words to each memory, since LATE */
	uint64_t words[LRT_WAYS][2][LRT_TRAVELLERS];   /* on their way, to or from double registers: [1] */
	unsigned char memory[LRT_TRAVELLERS];          /* that they come from, or go to */
	uint64_t moving;                    /* cycles in which elements wait for words */
} lrt_timeline_elements;

typedef struct lrt_timeline {
	lrt_trace_model model;
	lrt_trace_dma dma;
	uint64_t now;                       /* the core's */
	uint64_t bus_free[2], last_end;     /* the bus (of puts) is free again; the last copy ends */
	uint64_t channel_free[LRT_CHANNEL_LIMIT], tag_done[LRT_TAGS];
	struct { unsigned tag; int is_put, is_used; } channel_last[LRT_CHANNEL_LIMIT];
	uint64_t bus_cycles, wait_cycles, compute_cycles, commands, bytes;
	lrt_timeline_elements elements;
} lrt_timeline;

/* Where a command has its place. */
typedef struct lrt_timeline_span {
	unsigned channel;
	uint64_t start, end;
} lrt_timeline_span;

static inline uint64_t lrt_timeline_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Whole cycles, the next ones; no more than 2^62. */
static inline uint64_t lrt_timeline_whole(double cycles)
{
	uint64_t whole = cycles < 4611686018427387904.0 ? (uint64_t)cycles : (uint64_t)1 << 62;
	return whole + ((double)whole < cycles);
}

static inline void lrt_timeline_begin(lrt_timeline *line, const lrt_trace_model *model)
{
	const lrt_timeline empty = { { 0, 0, 0, 0, 0 }, { 0, 0, 0, 0, 0, 0, 0 }, 0, { 0, 0 }, 0, { 0 }, { 0 },
		{ { 0, 0, 0 } }, 0, 0, 0, 0, 0,
		{ { 0, { 0, 0, 0 }, 0, { 0 } }, 0, 0, 0, { 0 }, { { { 0 } } }, { 0 }, 0 } };
	*line = empty;
	line->model = *model;
	line->dma.write_startup_cycles = model->startup_cycles;
	if (line->model.channels < 1)
		line->model.channels = 1;
	if (line->model.channels > LRT_CHANNEL_LIMIT)
		line->model.channels = LRT_CHANNEL_LIMIT;
	if (!(line->model.bytes_per_cycle > 0))
		line->model.bytes_per_cycle = 1;
}

static inline uint64_t lrt_timeline_bytes(const lrt_box *box)
{
	uint64_t bytes = box->bytes;
	uint32_t d;
	for (d = 0; d + 1 < box->rank; d++)
		bytes *= box->count[d];
	return bytes;
}

/* Cycles of the DMA engine's clock in which a burst has the bus. */
static inline double lrt_timeline_burst(const lrt_timeline *line, int is_put, uint64_t bytes)
{
	uint64_t more = is_put ? line->dma.write_burst_cycles : line->dma.burst_cycles;
	return bytes ? (double)(lrt_timeline_whole((double)bytes / line->model.bytes_per_cycle) + more) : 0;
}

/* The same of all of a command. */
static inline double lrt_timeline_busy(const lrt_timeline *line, int is_put, const lrt_box *box)
{
	uint64_t bytes = lrt_timeline_bytes(box), burst = line->dma.burst_bytes;
	if (!burst || !box->bytes)
		return (double)bytes / line->model.bytes_per_cycle;
	return (double)(bytes / box->bytes) *
		((double)(box->bytes / burst) * lrt_timeline_burst(line, is_put, burst) +
		lrt_timeline_burst(line, is_put, box->bytes % burst));
}

/* Where only the first command of a transfer starts up: one of TAG begins as its channel ends another. */
static inline int lrt_timeline_goes_on(const lrt_timeline *line, lrt_timeline_span span, int is_put,
	unsigned tag)
{
	return line->dma.latency_only_first && line->channel_last[span.channel].is_used &&
		span.start == line->channel_free[span.channel] &&
		line->channel_last[span.channel].tag == tag &&
		!line->channel_last[span.channel].is_put == !is_put;
}

/* A command of TAG takes the first channel that is free, starts up, and then has the bus. */
static inline lrt_timeline_span lrt_timeline_command(lrt_timeline *line, int is_put, unsigned tag,
	const lrt_box *box)
{
	const lrt_trace_model *model = &line->model;
	const lrt_trace_dma *dma = &line->dma;
	double scale = dma->clock_hz > 0 && model->clock_hz > 0 ? model->clock_hz / dma->clock_hz : 1;
	double busy = lrt_timeline_busy(line, is_put, box) * scale;
	uint64_t *bus_free = &line->bus_free[is_put && dma->duplex];
	lrt_timeline_span span = { 0, 0, 0 };
	double startup;
	unsigned c;
	for (c = 1; c < model->channels; c++)
		if (line->channel_free[c] < line->channel_free[span.channel])
			span.channel = c;
	span.start = lrt_timeline_later(line->now, line->channel_free[span.channel]);
	startup = (double)(is_put ? dma->write_startup_cycles : model->startup_cycles);
	if (lrt_timeline_goes_on(line, span, is_put, tag))
		startup = 0;
	line->channel_last[span.channel].tag = tag;
	line->channel_last[span.channel].is_put = is_put;
	line->channel_last[span.channel].is_used = 1;
	span.end = lrt_timeline_later(span.start + lrt_timeline_whole(startup * scale + busy),
		*bus_free + lrt_timeline_whole(busy));
	line->channel_free[span.channel] = *bus_free = span.end;
	line->last_end = lrt_timeline_later(line->last_end, span.end);
	line->tag_done[tag] = lrt_timeline_later(line->tag_done[tag], span.end);
	line->bus_cycles += lrt_timeline_whole(busy);
	line->commands++;
	line->bytes += lrt_timeline_bytes(box);
	return span;
}

/* The core computes for CYCLES. */
static inline void lrt_timeline_compute(lrt_timeline *line, uint64_t cycles)
{
	line->now += cycles;
	line->compute_cycles += cycles;
}

/* ---- processing elements ---- */

/* Words on their way: in all, of the array that has most of them, and by the memory that they cross. */
typedef struct lrt_timeline_amount { uint64_t all, most, crossing[LRT_MEMORIES]; } lrt_timeline_amount;

static inline lrt_timeline_amount lrt_timeline_amount_of(const lrt_timeline *line, unsigned way, int early, int late)
{
	lrt_timeline_amount amount = { 0, 0, { 0 } };
	unsigned t;
	for (t = 0; t < LRT_TRAVELLERS; t++) {
		uint64_t words = (early ? line->elements.words[way][1][t] : 0) + (late ? line->elements.words[way][0][t] : 0);
		amount.all += words;
		amount.most = lrt_timeline_later(amount.most, words);
		amount.crossing[line->elements.memory[t]] += words;
	}
	return amount;
}

/* Cycles in which AMOUNT goes its way, while OTHER words (0: none) cross each memory too. */
static inline uint64_t lrt_timeline_travel(const lrt_timeline *line, unsigned way, const lrt_timeline_amount *amount,
	const uint64_t *other)
{
	const lrt_trace_pe_array *array = &line->elements.array;
	double shared = (double)amount->all / array->networks[way], most = (double)amount->most;
	uint64_t cycles = lrt_timeline_whole((most > shared ? most : shared) / array->words_per_cycle);
	unsigned m;
	for (m = 0; m < LRT_MEMORIES && way != LRT_REDUCE; m++)
		if (array->memory_words_per_cycle[m] > 0 && amount->crossing[m])
			cycles = lrt_timeline_later(cycles, lrt_timeline_whole(
				(double)(amount->crossing[m] + (other ? other[m] : 0)) / array->memory_words_per_cycle[m]));
	return cycles;
}

static inline void lrt_timeline_forget(lrt_timeline *line, unsigned way)
{
	unsigned t;
	for (t = 0; t < LRT_TRAVELLERS; t++)
		line->elements.words[way][0][t] = line->elements.words[way][1][t] = 0;
}

static inline void lrt_timeline_word(lrt_timeline *line, unsigned way, unsigned array, unsigned memory, int is_double)
{
	line->elements.words[way][is_double != 0][array % LRT_TRAVELLERS]++;
	if (way != LRT_REDUCE)
		line->elements.memory[array % LRT_TRAVELLERS] = (unsigned char)(memory % LRT_MEMORIES);
}

/* What elements have done leaves them: sums are added up, then written.  From double registers that goes on beside what
 * follows, but no call of the runtime does (IS_CALL). */
static inline void lrt_timeline_drain(lrt_timeline *line, int is_call)
{
	lrt_timeline_elements *elements = &line->elements;
	uint64_t begun = line->now;
	lrt_timeline_amount adds[2], writes[2];
	int is_double;
	unsigned m;
	if (!(elements->array.mac_cycles > 0))
		return;
	for (is_double = 0; is_double < 2; is_double++) {
		adds[is_double] = lrt_timeline_amount_of(line, LRT_REDUCE, is_double, !is_double);
		writes[is_double] = lrt_timeline_amount_of(line, LRT_WRITE, is_double, !is_double);
	}
	if (adds[0].all || writes[0].all) {
		elements->late = line->now + lrt_timeline_travel(line, LRT_REDUCE, &adds[0], 0);
		line->now = elements->late + lrt_timeline_travel(line, LRT_WRITE, &writes[0], 0);
	}
	if (adds[1].all || writes[1].all) {
		line->now = lrt_timeline_later(line->now, elements->leaving);
		elements->leaving = line->now + lrt_timeline_travel(line, LRT_REDUCE, &adds[1], 0) +
			lrt_timeline_travel(line, LRT_WRITE, &writes[1], 0);
	}
	for (m = 0; m < LRT_MEMORIES; m++)
		elements->written[m] += writes[0].crossing[m] + writes[1].crossing[m];
	lrt_timeline_forget(line, LRT_WRITE);
	lrt_timeline_forget(line, LRT_REDUCE);
	if (is_call)
		line->now = lrt_timeline_later(line->now, elements->leaving);
	elements->moving += line->now - begun;
}

static inline void lrt_timeline_forget_written(lrt_timeline *line)
{
	unsigned m;
	for (m = 0; m < LRT_MEMORIES; m++)
		line->elements.written[m] = 0;
}

/* Elements begin with a nest of their own. */
static inline void lrt_timeline_begin_nest(lrt_timeline *line)
{
	line->elements.early = line->elements.late = line->elements.leaving = line->now;
	lrt_timeline_forget_written(line);
}

/* A step in which the busiest element does MACS multiply-accumulates.  Its words have come to double registers since the
 * step before began to compute, and to others since what that one made was added up. */
static inline void lrt_timeline_step(lrt_timeline *line, uint64_t macs)
{
	lrt_timeline_elements *elements = &line->elements;
	lrt_timeline_amount all, late;
	uint64_t begun;
	if (!(elements->array.mac_cycles > 0))
		return;
	lrt_timeline_drain(line, 0);
	begun = line->now;
	all = lrt_timeline_amount_of(line, LRT_READ, 1, 1);
	late = lrt_timeline_amount_of(line, LRT_READ, 0, 1);
	if (all.all)
		line->now = lrt_timeline_later(line->now,
			elements->early + lrt_timeline_travel(line, LRT_READ, &all, elements->written));
	if (late.all)
		line->now = lrt_timeline_later(line->now,
			elements->late + lrt_timeline_travel(line, LRT_READ, &late, elements->written));
	lrt_timeline_forget(line, LRT_READ);
	elements->moving += line->now - begun;
	elements->early = line->now;
	lrt_timeline_compute(line, lrt_timeline_whole((double)macs * elements->array.mac_cycles));
	elements->late = line->now;
	lrt_timeline_forget_written(line);
}

/* Words that come for elements are on chip since copies were done that the core waited for. */
static inline void lrt_timeline_arrived(lrt_timeline *line, uint64_t done)
{
	line->elements.early = lrt_timeline_later(line->elements.early, done);
	if (done > line->elements.late) {
		line->elements.late = done;
		lrt_timeline_forget_written(line);
	}
}

/* When the copies of the tags in MASK are done; the core stands still until then. */
static inline uint64_t lrt_timeline_wait(lrt_timeline *line, uint32_t mask)
{
	uint64_t done = 0;
	unsigned tag;
	for (tag = 0; tag < LRT_TAGS; tag++)
		if (mask >> tag & 1)
			done = lrt_timeline_later(done, line->tag_done[tag]);
	lrt_timeline_arrived(line, done);
	if (done > line->now) {
		line->wait_cycles += done - line->now;
		line->now = done;
	}
	return done;
}

/* Until the core and the last copy are done. */
static inline uint64_t lrt_timeline_cycles(const lrt_timeline *line)
{
	return lrt_timeline_later(line->now, line->last_end);
}

#endif
