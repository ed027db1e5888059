/* The clock of processing elements that times plans, against that of the trace port, which shares no code with it: random words,
 * steps, copies that are waited for and calls of the runtime. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ir/array_time.h"
#include "runtime/loopc_timeline.h"

static unsigned long state = 1;

static long below(long bound)
{
	state = state * 6364136223846793005UL + 1442695040888963407UL;
	return (long)((state >> 33) % (unsigned long)bound);
}

static void random_array(struct pe_array *array)
{
	static const double rates[] = { 0.3, 0.5, 1, 1, 2.5, 4 };

	*array = (struct pe_array){ .mac_cycles = rates[below(6)], .words_per_cycle = rates[below(6)] };
	for (int m = 0; m < 3; m++)
		array->memory_words_per_cycle[m] = below(2) ? rates[below(6)] : 0;
	for (int w = 0; w < ARRAY_WAYS; w++)
		array->networks[w] = 1 + (int)below(3);
}

/* Both, side by side. */
struct clocks {
	struct array_clock plan;
	double now;
	lrt_timeline trace;
};

static void begin(struct clocks *clocks, const struct pe_array *array)
{
	const lrt_trace_model model = { 0, 1, 1, 0, 0 };
	const struct travellers travellers = { 4, { 0, 1, 2, 0 } };

	lrt_timeline_begin(&clocks->trace, &model);
	clocks->trace.elements.array = (lrt_trace_pe_array){ array->mac_cycles, { (unsigned)array->networks[WAY_READ],
		(unsigned)array->networks[WAY_WRITE], (unsigned)array->networks[WAY_REDUCE] }, array->words_per_cycle, { 0 } };
	for (int m = 0; m < 3; m++)
		clocks->trace.elements.array.memory_words_per_cycle[m] = array->memory_words_per_cycle[m];
	array_clock_begin(&clocks->plan, array, &travellers, 0);
	clocks->now = 0;
}

static void load(struct clocks *clocks)
{
	int way = (int)below(LRT_WAYS), traveller = (int)below(4), is_double = (int)below(2);

	for (long words = below(12); words > 0; words--) {
		lrt_timeline_word(&clocks->trace, (unsigned)way, (unsigned)traveller, (unsigned)traveller % 3, is_double);
		clocks->plan.load.words[way][is_double][traveller]++;
	}
}

/* The core waits for a copy, which is done then or was before. */
static void wait_for_copy(struct clocks *clocks)
{
	uint64_t done = clocks->trace.now + (uint64_t)below(10) - (uint64_t)below(10);

	done = done > clocks->trace.now + 10 ? 0 : done;
	lrt_timeline_drain(&clocks->trace, 1);
	clocks->now = array_clock_drain(&clocks->plan, clocks->now, true);
	clocks->trace.tag_done[0] = done;
	lrt_timeline_wait(&clocks->trace, 1);
	array_clock_wait(&clocks->plan, (double)done);
	clocks->now = (double)done > clocks->now ? (double)done : clocks->now;
}

static void both_say_the_same(void **unused)
{
	(void)unused;
	for (int i = 0; i < 4000; i++) {
		struct pe_array array;
		struct clocks clocks;
		long macs;

		random_array(&array);
		begin(&clocks, &array);
		for (int event = 0; event < 60; event++) {
			switch (below(4)) {
			case 0:
				macs = below(20);
				lrt_timeline_step(&clocks.trace, (uint64_t)macs);
				clocks.now = array_clock_step(&clocks.plan, clocks.now, (double)macs);
				break;
			case 1:
				wait_for_copy(&clocks);
				break;
			default:
				load(&clocks);
			}
			assert_true((double)clocks.trace.now == clocks.now);
		}
		assert_true((double)clocks.trace.compute_cycles == clocks.plan.computing);
		assert_true((double)clocks.trace.elements.moving == clocks.plan.moving);
	}
}

/* Four words of an array to double registers and two to others, by two networks; 5 multiply-accumulates of 2 cycles; three sums that
 * are added up and one that leaves. */
static void by_hand(void **unused)
{
	const struct pe_array array = { .mac_cycles = 2, .networks = { 2, 1, 1 }, .words_per_cycle = 1 };
	const struct travellers travellers = { 2, { 0, 0 } };
	struct array_clock clock;
	double now;

	(void)unused;
	array_clock_begin(&clock, &array, &travellers, 100);
	clock.load.words[WAY_READ][true][0] = 4;
	clock.load.words[WAY_READ][false][1] = 2;
	now = array_clock_step(&clock, 100, 5);
	assert_true(now == 100 + 4 + 10);
	clock.load.words[WAY_REDUCE][false][1] = 3;
	clock.load.words[WAY_WRITE][false][1] = 1;
	clock.load.words[WAY_READ][true][0] = 16;
	clock.load.words[WAY_READ][false][1] = 2;
	/* added up at 117, written at 118; 16 words since 104, and 2 since 117 */
	now = array_clock_step(&clock, now, 5);
	assert_true(now == 120 + 10);
	assert_true(clock.moving == 4 + 3 + 1 + 2 && clock.computing == 20);
	/* a copy is done at 200, and all that comes then comes since */
	array_clock_wait(&clock, 200);
	clock.load.words[WAY_READ][true][0] = 16;
	assert_true(array_clock_step(&clock, 200, 1) == 200 + 16 + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(both_say_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
