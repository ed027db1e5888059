/* The trace port works out the times that its model says, and writes them down. */

#include "runtime/loopc_trace.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

static unsigned char input[1024];

static lrt_box run(uint32_t bytes)
{
	lrt_box box;
	memset(&box, 0, sizeof box);
	box.rank = 1;
	box.bytes = bytes;
	return box;
}

static void get(unsigned tag, size_t offset, uint32_t bytes)
{
	lrt_box box = run(bytes);
	lrt_get(tag, (unsigned char *)lrt_scratchpad() + offset, (lrt_ext)(input + offset), &box);
}

static void one_channel(void **state)
{
	const lrt_trace_model model = { 10, 4.0, 1, 0.0, 0.0 };
	lrt_trace_result result;
	(void)state;
	lrt_trace_begin(&model, NULL);
	get(0, 0, 40);                          /* 0 .. 20 */
	get(1, 64, 41);                         /* 20 .. 41: eleven cycles on the bus */
	lrt_trace_compute("tile", 5);           /* 0 .. 5 */
	lrt_wait(1);                            /* until 20 */
	lrt_trace_compute("tile", 30);          /* until 50 */
	lrt_wait(2);                            /* done already */
	lrt_wait(~0u);
	result = lrt_trace_end();
	assert_int_equal(result.cycles, 50);
	assert_int_equal(result.compute_cycles, 35);
	assert_int_equal(result.wait_cycles, 15);
	assert_int_equal(result.bus_cycles, 21);
	assert_int_equal(result.commands, 2);
	assert_int_equal(result.bytes, 81);
	assert_int_equal(result.failed, 0);
}

static void two_channels_share_the_bus(void **state)
{
	const lrt_trace_model model = { 10, 4.0, 2, 0.0, 0.0 };
	lrt_trace_result result;
	(void)state;
	lrt_trace_begin(&model, NULL);
	get(0, 0, 40);                          /* starts 0, bus 10 .. 20 */
	get(1, 64, 40);                         /* starts 0, bus 20 .. 30 */
	get(2, 128, 40);                        /* starts 20, bus 30 .. 40 */
	result = lrt_trace_end();
	assert_int_equal(result.cycles, 40);
	assert_int_equal(result.bus_cycles, 30);
	assert_int_equal(result.wait_cycles, 0);
}

static void dma_has_a_clock_of_its_own(void **state)
{
	const lrt_trace_model model = { 10, 4.0, 1, 100e6, 0.0 };
	const lrt_trace_dma dma = { 400e6, 10, 0, 0, 0, 0, 0 };
	lrt_trace_result result;
	(void)state;
	lrt_trace_begin(&model, NULL);
	lrt_trace_dma_engine(&dma);
	get(0, 0, 48);                          /* 22 of its cycles: 6 of the core's, the bus 3 */
	get(1, 64, 40);                         /* 20: 5; the bus 2.5 */
	result = lrt_trace_end();
	assert_int_equal(result.cycles, 11);
	assert_int_equal(result.bus_cycles, 6);
}

/* COUNT rows of BYTES each, 4096 apart outside. */
static lrt_box rows(uint32_t count, uint32_t bytes)
{
	lrt_box box = run(bytes);
	box.rank = count > 1 ? 2 : 1;
	box.count[0] = count;
	box.loc_stride[0] = bytes;
	box.ext_stride[0] = bytes;
	return box;
}

/* The DMA engine of a PULP cluster as its simulator (GVSoC, pulp-open) times it: cycles of gets and puts of
 * ROWS of BYTES, which the model meets to 2 %. */
static void a_cluster_s_dma(void **state)
{
	static const struct {
		int is_put;
		uint32_t rows, bytes;
		uint64_t cycles;
	} measured[] = {
		{ 0, 1, 1024, 154 }, { 0, 1, 4096, 538 }, { 0, 1, 16384, 2074 },
		{ 0, 8, 1024, 1052 }, { 0, 1024, 8, 1052 }, { 0, 2048, 4, 2072 }, { 0, 4096, 2, 4126 },
		{ 0, 8192, 1, 8218 },
		{ 1, 1, 1024, 160 }, { 1, 1, 4096, 556 }, { 1, 1, 16384, 2140 },
		{ 1, 32, 256, 1082 }, { 1, 128, 64, 1178 }, { 1, 512, 16, 1562 }, { 1, 1024, 8, 2072 },
		{ 1, 8192, 1, 16412 }
	};
	static unsigned char outside[16384];
	const lrt_trace_model model = { 26, 8.0, 8, 0.0, 0.0 };
	const lrt_trace_dma dma = { 0, 28, 256, 0, 1, 1, 0 };
	size_t m;
	(void)state;
	for (m = 0; m < sizeof measured / sizeof *measured; m++) {
		lrt_box box = rows(measured[m].rows, measured[m].bytes);
		double cycles;
		lrt_trace_begin(&model, NULL);
		lrt_trace_dma_engine(&dma);
		if (measured[m].is_put)
			lrt_put(0, (lrt_ext)outside, lrt_scratchpad(), &box);
		else
			lrt_get(0, lrt_scratchpad(), (lrt_ext)outside, &box);
		cycles = (double)lrt_trace_end().cycles;
		assert_true(cycles > 0.98 * (double)measured[m].cycles);
		assert_true(cycles < 1.02 * (double)measured[m].cycles);
	}
}

static void reads_and_writes_have_a_bus_each(void **state)
{
	const lrt_trace_model model = { 10, 4.0, 2, 0.0, 0.0 };
	const lrt_trace_dma one = { 0, 10, 0, 0, 0, 0, 0 }, two = { 0, 10, 0, 0, 0, 1, 0 };
	static unsigned char outside[64];
	lrt_box box = run(40);
	(void)state;
	lrt_trace_begin(&model, NULL);
	lrt_trace_dma_engine(&one);
	get(0, 0, 40);                          /* bus 10 .. 20 */
	lrt_put(1, (lrt_ext)outside, (unsigned char *)lrt_scratchpad() + 128, &box);    /* 20 .. 30 */
	assert_int_equal(lrt_trace_end().cycles, 30);
	lrt_trace_begin(&model, NULL);
	lrt_trace_dma_engine(&two);
	get(0, 0, 40);
	lrt_put(1, (lrt_ext)outside, (unsigned char *)lrt_scratchpad() + 128, &box);    /* 10 .. 20 */
	assert_int_equal(lrt_trace_end().cycles, 20);
}

static void pieces_of_a_transfer_start_up_once(void **state)
{
	const lrt_trace_model model = { 10, 4.0, 1, 0.0, 0.0 };
	const lrt_trace_dma dma = { 0, 10, 0, 0, 0, 0, 1 };
	(void)state;
	lrt_trace_begin(&model, NULL);
	lrt_trace_dma_engine(&dma);
	get(0, 0, 40);                          /* 0 .. 20 */
	get(0, 40, 40);                         /* goes on, .. 30 */
	get(1, 80, 40);                         /* another transfer, .. 50 */
	lrt_wait(3);
	lrt_trace_compute("work", 1);
	get(1, 0, 40);                          /* the channel was idle: 51 .. 71 */
	assert_int_equal(lrt_trace_end().cycles, 71);
}

static void boxes_count_all_their_bytes(void **state)
{
	const lrt_trace_model model = { 0, 1.0, 1, 0.0, 0.0 };
	lrt_trace_result result;
	lrt_box box = run(3);
	(void)state;
	box.rank = 3;
	box.count[0] = 2;
	box.count[1] = 5;
	box.ext_stride[0] = box.loc_stride[0] = 100;
	box.ext_stride[1] = box.loc_stride[1] = 10;
	lrt_trace_begin(&model, NULL);
	lrt_put(3, (lrt_ext)input, lrt_scratchpad(), &box);
	lrt_wait(1u << 3);
	result = lrt_trace_end();
	assert_int_equal(result.cycles, 30);
	assert_int_equal(result.bytes, 30);
}

/* Events named NAME whose ph is X. */
static int count_events(const json_t *events, const char *name, double *start, double *duration)
{
	size_t i;
	json_t *event;
	int count = 0;
	json_array_foreach((json_t *)(uintptr_t)events, i, event) {
		assert_true(json_is_string(json_object_get(event, "ph")));
		if (strcmp(json_string_value(json_object_get(event, "name")), name) != 0)
			continue;
		count++;
		*start = json_number_value(json_object_get(event, "ts"));
		*duration = json_number_value(json_object_get(event, "dur"));
	}
	return count;
}

static void file_is_a_chrome_trace(void **state)
{
	const lrt_trace_model model = { 10, 4.0, 1, 1e6, 0.0 };
	char path[] = "loopc-trace.XXXXXX";
	double start = 0, duration = 0;
	json_t *root, *events;
	int file = mkstemp(path);
	(void)state;
	assert_true(file >= 0);
	close(file);
	lrt_trace_begin(&model, path);
	lrt_trace_array("in \"quoted\"\n", input, sizeof input);
	get(0, 0, 40);
	get(1, 64, 40);
	lrt_trace_compute("tile", 5);
	lrt_wait(3);
	assert_int_equal(lrt_trace_end().failed, 0);
	root = json_load_file(path, 0, NULL);
	assert_non_null(root);
	events = json_object_get(root, "traceEvents");
	assert_true(json_is_array(events));
	assert_int_equal(count_events(events, "get in \"quoted\"\n", &start, &duration), 2);
	assert_true(start == 20 && duration == 20);
	assert_int_equal(count_events(events, "tile", &start, &duration), 1);
	assert_true(start == 0 && duration == 5);
	assert_int_equal(count_events(events, "wait", &start, &duration), 1);
	assert_true(start == 5 && duration == 35);
	json_decref(root);
	unlink(path);
}

static void a_file_that_cannot_be_written(void **state)
{
	(void)state;
	lrt_trace_begin(NULL, "/no/such/directory/trace.json");
	get(0, 0, 40);
	lrt_wait(1);
	assert_int_equal(lrt_trace_end().failed, 1);
}

static void copies_are_done(void **state)
{
	size_t i;
	(void)state;
	for (i = 0; i < sizeof input; i++)
		input[i] = (unsigned char)(i * 3);
	get(0, 5, 100);
	lrt_wait(1);
	assert_memory_equal((unsigned char *)lrt_scratchpad() + 5, input + 5, 100);
	assert_int_equal(lrt_trace_end().commands, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_channel),
		cmocka_unit_test(two_channels_share_the_bus),
		cmocka_unit_test(dma_has_a_clock_of_its_own),
		cmocka_unit_test(a_cluster_s_dma),
		cmocka_unit_test(reads_and_writes_have_a_bus_each),
		cmocka_unit_test(pieces_of_a_transfer_start_up_once),
		cmocka_unit_test(boxes_count_all_their_bytes),
		cmocka_unit_test(file_is_a_chrome_trace),
		cmocka_unit_test(a_file_that_cannot_be_written),
		cmocka_unit_test(copies_are_done),
	};
	return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
