/* Places in memories: random requests are placed, and each step of their sequence is then played on
 * memories that know of each byte which buffer has it. */

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "passes/cost/place.h"

enum { REQUESTS = 8, BUFFERS = 16, STEPS = 6, MEMORIES = 2, SCRATCHPAD = 1 << 12, BYTES = 8 * SCRATCHPAD,
	NOBODY = -1 };

static uint64_t seed = 1;

static long draw(long from, long to)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return from + (long)((seed >> 33) % (uint64_t)(to - from + 1));
}

struct question {
	struct arch arch[MEMORIES];
	struct memory memories[MEMORIES];
	int request_count, count;
	struct place_request requests[REQUESTS];
	struct place places[BUFFERS];
	long wanted[BUFFERS];        /* bytes */
};

static struct arch draw_arch(void)
{
	struct arch arch = { .exclusive = draw(0, 1), .align_bytes = 1 << draw(0, 5), .banks = 1,
		.scratchpad_bytes = SCRATCHPAD };
	if (arch.exclusive)
		arch.banks = 1 << draw(3, 7);
	return arch;
}

static void draw_question(struct question *question, int memories)
{
	*question = (struct question){ .request_count = (int)draw(1, REQUESTS),
		.count = (int)draw(0, BUFFERS) };
	for (int m = 0; m < memories; m++) {
		question->arch[m] = draw_arch();
		question->memories[m] = place_memory(&question->arch[m], 0);
	}
	for (int r = 0; r < question->request_count; r++) {
		int first = (int)draw(0, STEPS - 1);
		question->requests[r] = (struct place_request){
			.memory = &question->memories[draw(0, memories - 1)], .first = first,
			.last = (int)draw(first, STEPS - 1), .is_at_end = draw(0, 1) };
	}
	for (int i = 0; i < question->count; i++) {
		int element = 1 << draw(0, 3);
		question->wanted[i] = element * draw(1, 40);
		question->places[i] = (struct place){ .request = (int)draw(0, question->request_count - 1),
			.bytes = question->wanted[i], .element_bytes = element };
	}
}

/* Who has each byte of a memory; bytes of a bank that a buffer leaves empty are its own too. */
static void occupy(int *owner, const struct arch *arch, const struct place *place, int buffer)
{
	long bank = arch->scratchpad_bytes / arch->banks, end = place->offset + place->bytes;
	while (arch->exclusive && end % bank)
		end++;
	for (long byte = place->offset; byte < end; byte++) {
		assert_true(byte >= 0 && byte < BYTES);
		assert_int_equal(owner[byte], NOBODY);
		owner[byte] = buffer;
	}
}

static bool is_there(const struct question *question, int m, int buffer, int step)
{
	const struct place_request *request = &question->requests[question->places[buffer].request];
	return request->memory == &question->memories[m] && request->first <= step
		&& step <= request->last;
}

/* Plays all steps of memory M, and returns where its last buffer ends. */
static long play(const struct question *question, int m)
{
	static int owner[BYTES];
	long end = 0;
	for (int step = 0; step < STEPS; step++) {
		for (long byte = 0; byte < BYTES; byte++)
			owner[byte] = NOBODY;
		for (int i = 0; i < question->count; i++)
			if (is_there(question, m, i, step))
				occupy(owner, &question->arch[m], &question->places[i], i);
		for (long byte = 0; byte < BYTES; byte++)
			if (owner[byte] != NOBODY && byte >= end)
				end = byte + 1;
	}
	return end;
}

static void check_buffer(const struct question *question, int i)
{
	const struct place *place = &question->places[i];
	const struct memory *memory = question->requests[place->request].memory;
	const struct arch *arch = &question->arch[memory - question->memories];
	assert_true(place->bytes >= question->wanted[i]);
	assert_true(place->bytes < question->wanted[i] + arch->align_bytes);
	assert_int_equal(place->bytes % arch->align_bytes, 0);
	assert_int_equal(place->offset % place->element_bytes, 0);
	assert_int_equal(place->offset % arch->align_bytes, 0);
	if (!arch->exclusive) {
		assert_int_equal(place_bank(memory, place->offset), -1);
		assert_int_equal(place_bank_count(memory, place->bytes), 0);
		return;
	}
	long bank = arch->scratchpad_bytes / arch->banks;
	assert_int_equal(place->offset, place_bank(memory, place->offset) * bank);
	assert_true(place_bank_count(memory, place->bytes) * bank >= place->bytes);
	assert_true((place_bank_count(memory, place->bytes) - 1) * bank < place->bytes);
}

/* MEMORY needs as much as its buffers reach; the end that some lie at is a multiple of their step. */
static void check_need(const struct question *question, int m)
{
	const struct memory *memory = &question->memories[m];
	long need = place_need(memory, question->requests, question->request_count);
	long end = play(question, m), step = 1;
	for (int r = 0; r < question->request_count; r++)
		if (question->requests[r].memory == memory && question->requests[r].is_at_end
			&& question->requests[r].bytes)
			step = question->requests[r].step;
	assert_true(end <= need && need < end + step);
}

static void buffers_that_are_there_together_are_apart(void **state)
{
	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct question question;
		draw_question(&question, (int)draw(1, MEMORIES));
		assert_true(place_buffers(question.places, question.count, question.requests,
			question.request_count));
		for (int i = 0; i < question.count; i++)
			check_buffer(&question, i);
		for (int m = 0; m < MEMORIES; m++)
			check_need(&question, m);
	}
}

/* Buffers of two requests at the same end have a byte in common, though not at the same time. */
static bool is_shared(const struct question *question, int one, int other)
{
	const struct place_request *a = &question->requests[one], *b = &question->requests[other];
	static int owner[BYTES];
	for (long byte = 0; byte < BYTES; byte++)
		owner[byte] = NOBODY;
	for (int i = 0; i < question->count; i++)
		for (long byte = 0; byte < question->places[i].room && question->places[i].request == one; byte++)
			owner[question->places[i].offset + byte] = i;
	for (int i = 0; i < question->count; i++)
		for (long byte = 0; byte < question->places[i].room && question->places[i].request == other; byte++)
			if (a->memory == b->memory && a->is_at_end == b->is_at_end
				&& owner[question->places[i].offset + byte] != NOBODY)
				return true;
	return false;
}

/* Steps from FIRST to LAST may become one: if nothing in them has room in common. */
static void steps_are_joined_where_nothing_is_shared(void **state)
{
	(void)state;
	int shared = 0, apart = 0;
	for (int round = 0; round < 300; round++) {
		struct question question;
		int first = (int)draw(0, 1), last = (int)draw(first, STEPS - 1);
		bool expected = false;
		draw_question(&question, (int)draw(1, MEMORIES));
		assert_true(place_buffers(question.places, question.count, question.requests,
			question.request_count));
		for (int a = 0; a < question.request_count; a++)
			for (int b = 0; b < a; b++)
				if (question.requests[a].first <= last && question.requests[a].last >= first
					&& question.requests[b].first <= last && question.requests[b].last >= first)
					expected |= is_shared(&question, a, b);
		assert_int_equal(place_share(question.requests, question.request_count, first, last),
			expected);
		shared += expected;
		apart += !expected;
	}
	assert_true(shared > 25 && apart > 25);
}

/* What lies side by side needs no more than its sum. */
static void one_request_has_no_gaps(void **state)
{
	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct question question;
		long sum = 0;
		draw_question(&question, 1);
		question.request_count = 1;
		for (int i = 0; i < question.count; i++) {
			question.places[i].request = 0;
			sum += place_room(&question.memories[0], question.wanted[i]);
		}
		question.requests[0].is_at_end = false;
		assert_true(place_buffers(question.places, question.count, question.requests, 1));
		assert_int_equal(place_need(&question.memories[0], question.requests, 1), sum);
	}
}

/* A request for all steps, and others that come one after the other. */
static void draw_turns(struct question *question, bool overlap)
{
	int turn = 0;
	draw_question(question, 1);
	for (int r = 1; r < question->request_count; r++) {
		bool any = false;
		for (int i = 0; i < question->count; i++)
			any |= question->places[i].request == r;
		question->requests[r] = (struct place_request){ .memory = &question->memories[0],
			.first = overlap ? turn - 1 : turn, .last = turn, .is_at_end = overlap && turn % 2 };
		turn += any;
	}
	question->requests[0] = (struct place_request){ .memory = &question->memories[0],
		.first = -1, .last = turn };
}

/* Models say what turns need without placing them. */
static void turns_need_what_models_say(void **state)
{
	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct question question;
		long turns[REQUESTS], need;
		bool overlap = round % 2;
		draw_turns(&question, overlap);
		assert_true(place_buffers(question.places, question.count, question.requests,
			question.request_count));
		long step = question.requests[0].step;
		for (int r = 1; r < question.request_count; r++)
			turns[r - 1] = question.requests[r].bytes;
		need = place_turns(turns, question.request_count - 1, step,
			overlap ? TURNS_OVERLAP : TURNS_APART, false);
		if (need)
			need += (question.requests[0].bytes + step - 1) / step * step;
		else
			need = question.requests[0].bytes;
		assert_int_equal(place_need(&question.memories[0], question.requests,
			question.request_count), need);
	}
}

/* However more is added, turns need what those said that were there at first. */
static void turns_that_grow_need_no_less(void **state)
{
	(void)state;
	bool falls = false;
	for (int round = 0; round < 4000; round++) {
		long turns[REQUESTS], step = 1L << draw(0, 3);
		enum turn_order order = round % 2 ? TURNS_OVERLAP : TURNS_APART;
		for (int t = 0; t < REQUESTS; t++)
			turns[t] = draw(0, 2) ? 0 : draw(1, 100);
		long closed = place_turns(turns, REQUESTS, step, order, false);
		long open = place_turns(turns, REQUESTS, step, order, true);
		for (int t = 0; t < REQUESTS; t++)
			turns[t] += draw(0, 2) ? 0 : draw(1, 20);
		assert_true(open <= place_turns(turns, REQUESTS, step, order, false));
		assert_true(open <= closed);
		falls |= place_turns(turns, REQUESTS, step, order, false) < closed;
	}
	/* what comes between two turns keeps them apart */
	assert_true(falls);
}

static void what_no_memory_has_is_refused(void **state)
{
	(void)state;
	struct arch arch = { .scratchpad_bytes = 1024, .banks = 1, .align_bytes = 8 };
	struct memory memory = place_memory(&arch, 0);
	struct place_request request = { .memory = &memory };
	struct place places[2] = { { .bytes = LONG_MAX / 2, .element_bytes = 1 },
		{ .bytes = LONG_MAX / 2 + 1, .element_bytes = 1 } };
	assert_true(place_buffers(places, 1, &request, 1));
	assert_false(place_buffers(places, 2, &request, 1));
	places[0].bytes = LONG_MAX;
	assert_false(place_buffers(places, 1, &request, 1));
	assert_true(place_room(&memory, LONG_MAX) > 1L << 40);
	assert_true(place_room(&memory, LONG_MAX) < LONG_MAX / 1000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buffers_that_are_there_together_are_apart),
		cmocka_unit_test(steps_are_joined_where_nothing_is_shared),
		cmocka_unit_test(one_request_has_no_gaps),
		cmocka_unit_test(turns_need_what_models_say),
		cmocka_unit_test(turns_that_grow_need_no_less),
		cmocka_unit_test(what_no_memory_has_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
