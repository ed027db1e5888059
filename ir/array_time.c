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

int word_memory(const struct plan_move *move)
{
	bool counts[PLAN_WORDS];
	words_of_move(move, counts);
	return counts[WORD_READ] ? move->from->memory : counts[WORD_WRITTEN] ? move->to->memory : 0;
}

struct numbering {
	struct travellers travellers;
	const struct plan_buffer *seen[TRAVELLERS];
};

static int number_of(const struct numbering *numbering, const struct plan_buffer *buffer)
{
	int i = 0;
	while (i < numbering->travellers.count && numbering->seen[i] != buffer)
		i++;
	return i;
}

static void number_buffers(const struct plan_node *node, struct numbering *numbering)
{
	enum array_way way;
	const struct plan_buffer *buffer;
	if (node->kind == PLAN_MOVE && word_travels(node->move, &way, &buffer)) {
		int number = number_of(numbering, buffer);
		if (number == TRAVELLERS)
			number = TRAVELLERS - 1;
		else if (number == numbering->travellers.count)
			numbering->seen[numbering->travellers.count++] = buffer;
		if (way != WAY_REDUCE)
			numbering->travellers.memory[number] = word_memory(node->move);
	}
	if (node->body)
		number_buffers(node->body, numbering);
	for (int i = 0; i < node->child_count; i++)
		number_buffers(node->children[i], numbering);
}

struct travellers travellers_of(const struct plan_node *body)
{
	struct numbering numbering = { .travellers = { .count = 0 } };
	number_buffers(body, &numbering);
	return numbering.travellers;
}

int traveller_of(const struct plan_node *body, const struct plan_buffer *buffer)
{
	struct numbering numbering = { .travellers = { .count = 0 } };
	number_buffers(body, &numbering);
	int number = number_of(&numbering, buffer);
	return number < TRAVELLERS ? number : TRAVELLERS - 1;
}

/* ---- time ---- */

void array_amount_add(struct array_amount *amount, int memory, double words)
{
	amount->all += words;
	amount->most = fmax(amount->most, words);
	amount->crossing[memory] += words;
}

static struct array_amount amount_of(const struct array_clock *clock, enum array_way way, bool early, bool late)
{
	struct array_amount amount = { .all = 0 };
	for (int t = 0; t < clock->travellers.count; t++) {
		double words = (early ? clock->load.words[way][true][t] : 0)
			+ (late ? clock->load.words[way][false][t] : 0);
		array_amount_add(&amount, clock->travellers.memory[t], words);
	}
	return amount;
}

double array_travel_cycles(const struct pe_array *array, enum array_way way, const struct array_amount *amount, const double *other)
{
	double words = fmax(amount->most, amount->all / array->networks[way]);
	double cycles = ceil(words / array->words_per_cycle);
	for (int m = 0; m < MEMORY_LIMIT && way != WAY_REDUCE; m++)
		if (array->memory_words_per_cycle[m] > 0 && amount->crossing[m] > 0)
			cycles = fmax(cycles, ceil((amount->crossing[m] + (other ? other[m] : 0)) / array->memory_words_per_cycle[m]));
	return cycles;
}

void array_clock_begin(struct array_clock *clock, const struct pe_array *array, const struct travellers *travellers, double now)
{
	*clock = (struct array_clock){ .array = array, .travellers = *travellers, .early = now, .late = now,
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
		clock->late = now + array_travel_cycles(clock->array, WAY_REDUCE, &adds[false], NULL);
		now = clock->late + array_travel_cycles(clock->array, WAY_WRITE, &writes[false], NULL);
		clock->travelling += now - begun;
	}
	if (adds[true].all + writes[true].all > 0) {
		double cycles = array_travel_cycles(clock->array, WAY_REDUCE, &adds[true], NULL) + array_travel_cycles(clock->array, WAY_WRITE, &writes[true], NULL);
		now = fmax(now, clock->leaving);
		clock->leaving = now + cycles;
		clock->travelling += cycles;
	}
	for (int m = 0; m < MEMORY_LIMIT; m++)
		clock->written[m] += writes[false].crossing[m] + writes[true].crossing[m];
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
		memset(clock->written, 0, sizeof clock->written);
	}
}

double array_clock_step(struct array_clock *clock, double now, double macs)
{
	double ready = array_clock_drain(clock, now, false);
	struct array_amount all = amount_of(clock, WAY_READ, true, true), late = amount_of(clock, WAY_READ, false, true);
	now = ready;
	clock->travelling += array_travel_cycles(clock->array, WAY_READ, &all, NULL);
	if (all.all > 0)
		ready = fmax(ready, clock->early + array_travel_cycles(clock->array, WAY_READ, &all, clock->written));
	if (late.all > 0)
		ready = fmax(ready, clock->late + array_travel_cycles(clock->array, WAY_READ, &late, clock->written));
	memset(clock->load.words[WAY_READ], 0, sizeof clock->load.words[WAY_READ]);
	clock->moving += ready - now;
	clock->early = ready;
	clock->late = ready + ceil(macs * clock->array->mac_cycles);
	memset(clock->written, 0, sizeof clock->written);
	clock->computing += clock->late - ready;
	return clock->late;
}
