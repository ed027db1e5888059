#include "ir/array_time.h"

#include <math.h>
#include <string.h>

/* ---- which words travel ---- */

bool word_travels(const struct plan_move *move, enum array_way *way, const struct plan_buffer **buffer)
{
	bool counts[PLAN_WORDS];
	words_of_move(move, counts);
	*way = counts[WORD_READ] ? WAY_READ : counts[WORD_WRITTEN] ? WAY_WRITE : WAY_REDUCE;
	*buffer = counts[WORD_WRITTEN] ? move->from : move->to;
	return counts[WORD_READ] || counts[WORD_WRITTEN] || counts[WORD_REDUCED];
}

struct numbering {
	int count;
	const struct plan_buffer *seen[TRAVELLERS];
};

static void number_buffers(const struct plan_node *node, struct numbering *numbering)
{
	enum array_way way;
	const struct plan_buffer *buffer;
	if (node->kind == PLAN_MOVE && word_travels(node->move, &way, &buffer)) {
		for (int i = 0; i < numbering->count; i++)
			if (numbering->seen[i] == buffer)
				return;
		if (numbering->count < TRAVELLERS)
			numbering->seen[numbering->count++] = buffer;
	}
	if (node->body)
		number_buffers(node->body, numbering);
	for (int i = 0; i < node->child_count; i++)
		number_buffers(node->children[i], numbering);
}

int traveller_of(const struct plan_node *body, const struct plan_buffer *buffer)
{
	struct numbering numbering = { .count = 0 };
	number_buffers(body, &numbering);
	for (int i = 0; buffer && i < numbering.count; i++)
		if (numbering.seen[i] == buffer)
			return i;
	return buffer ? TRAVELLERS - 1 : numbering.count;
}

/* ---- time ---- */

void array_amount_add(struct array_amount *amount, double words)
{
	amount->all += words;
	amount->most = fmax(amount->most, words);
}

static struct array_amount amount_of(const struct array_clock *clock, enum array_way way, bool early, bool late)
{
	struct array_amount amount = { 0, 0 };
	for (int t = 0; t < clock->travellers; t++) {
		double words = (early ? clock->load.words[way][true][t] : 0)
			+ (late ? clock->load.words[way][false][t] : 0);
		array_amount_add(&amount, words);
	}
	return amount;
}

double array_travel_cycles(const struct pe_array *array, enum array_way way, struct array_amount amount, double other)
{
	double words = fmax(amount.most, amount.all / array->networks[way]);
	double cycles = ceil(words / array->words_per_cycle);
	if (amount.all > 0 && way != WAY_REDUCE && array->scratchpad_words_per_cycle > 0)
		cycles = fmax(cycles, ceil((amount.all + other) / array->scratchpad_words_per_cycle));
	return cycles;
}

void array_clock_begin(struct array_clock *clock, const struct pe_array *array, int travellers, double now)
{
	*clock = (struct array_clock){ .array = array, .travellers = travellers, .early = now, .late = now,
		.leaving = now };
}

double array_clock_drain(struct array_clock *clock, double now, bool is_call)
{
	double begun = now;
	struct array_amount adds[2], writes[2];
	for (int is_double = 0; is_double < 2; is_double++) {
		adds[is_double] = amount_of(clock, WAY_REDUCE, is_double, !is_double);
		writes[is_double] = amount_of(clock, WAY_WRITE, is_double, !is_double);
	}
	if (adds[false].all + writes[false].all > 0) {
		clock->late = now + array_travel_cycles(clock->array, WAY_REDUCE, adds[false], 0);
		now = clock->late + array_travel_cycles(clock->array, WAY_WRITE, writes[false], 0);
		clock->travelling += now - begun;
	}
	if (adds[true].all + writes[true].all > 0) {
		double cycles = array_travel_cycles(clock->array, WAY_REDUCE, adds[true], 0) + array_travel_cycles(clock->array, WAY_WRITE, writes[true], 0);
		now = fmax(now, clock->leaving);
		clock->leaving = now + cycles;
		clock->travelling += cycles;
	}
	clock->written += writes[false].all + writes[true].all;
	memset(clock->load.words[WAY_WRITE], 0, sizeof clock->load.words[WAY_WRITE]);
	memset(clock->load.words[WAY_REDUCE], 0, sizeof clock->load.words[WAY_REDUCE]);
	if (is_call)
		now = fmax(now, clock->leaving);
	clock->moving += now - begun;
	return now;
}

void array_clock_wait(struct array_clock *clock, double done)
{
	clock->early = fmax(clock->early, done);
	if (done > clock->late) {
		clock->late = done;
		clock->written = 0;
	}
}

double array_clock_step(struct array_clock *clock, double now, double macs)
{
	double ready = array_clock_drain(clock, now, false);
	struct array_amount all = amount_of(clock, WAY_READ, true, true), late = amount_of(clock, WAY_READ, false, true);
	now = ready;
	clock->travelling += array_travel_cycles(clock->array, WAY_READ, all, 0);
	if (all.all > 0)
		ready = fmax(ready, clock->early + array_travel_cycles(clock->array, WAY_READ, all, clock->written));
	if (late.all > 0)
		ready = fmax(ready, clock->late + array_travel_cycles(clock->array, WAY_READ, late, clock->written));
	memset(clock->load.words[WAY_READ], 0, sizeof clock->load.words[WAY_READ]);
	clock->moving += ready - now;
	clock->early = ready;
	clock->late = ready + ceil(macs * clock->array->mac_cycles);
	clock->written = 0;
	clock->computing += clock->late - ready;
	return clock->late;
}
