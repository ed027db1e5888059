/* The closed form of schedule_evaluate against the simulator, on random schedules of
 * random nests: clipped tiles, turns, slots, sliding windows, double buffers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/optimality/simulate.h"

/* Buffers are apart, and aligned for their elements. */
static void check_places(const struct nest_model *model, const struct schedule *schedule)
{
	for (int a = 0; a < model->array_count; a++) {
		const struct storage *storage = &schedule->storage[a];

		assert_int_equal(storage->offset % model->arrays[a].element_bytes, 0);
		for (int b = 0; b < a; b++) {
			const struct storage *other = &schedule->storage[b];

			assert_true(storage->offset >= other->offset + other->bytes ||
				other->offset >= storage->offset + storage->bytes);
		}
	}
}

static void compare(const struct nest_model *model, const struct schedule *schedule)
{
	struct simulated truth;
	long used = 0, commands = 0;

	simulate(model, schedule, &truth);
	for (int a = 0; a < model->array_count; a++) {
		const struct storage *storage = &schedule->storage[a];

		if (storage->flow.read_bytes != truth.read_bytes[a] ||
			storage->flow.write_bytes != truth.write_bytes[a] ||
			storage->flow.commands != truth.commands[a] ||
			storage->bytes != truth.bytes[a]) {
			print_case(model, schedule);
			fprintf(stderr, "array %d should be %ld bytes, read %ld, write %ld, commands %ld\n",
				a, truth.bytes[a], truth.read_bytes[a], truth.write_bytes[a],
				truth.commands[a]);
		}
		assert_int_equal(storage->bytes, truth.bytes[a]);
		assert_int_equal(storage->flow.read_bytes, truth.read_bytes[a]);
		assert_int_equal(storage->flow.write_bytes, truth.write_bytes[a]);
		assert_int_equal(storage->flow.commands, truth.commands[a]);
		used += truth.bytes[a];
		commands += truth.commands[a];
	}
	check_places(model, schedule);
	assert_int_equal(schedule->total_bytes, truth.total_bytes);
	assert_int_equal(schedule->scratchpad_bytes, used);
}

static void closed_form_equals_simulation(void **state)
{
	struct arch arch = { .scratchpad_bytes = 1 << 30, .banks = 1, .align_bytes = 1 };
	struct random_source source = { 1 };
	int legal = 0, slots = 0, slides = 0, turns = 0;

	(void)state;
	for (int i = 0; i < 60000; i++) {
		struct nest_model model;
		struct schedule schedule;
		bool is_legal;

		random_model(&source, 5, 7, &model);
		if (i % 3 == 0)
			random_ends(&source, &model);
		random_schedule(&source, &model, &schedule);
		is_legal = simulate_is_legal(&model, &schedule);
		if (schedule_evaluate(&model, &arch, &schedule) != is_legal) {
			print_case(&model, &schedule);
			assert_true(!is_legal);
			fail();
		}
		if (!is_legal)
			continue;
		compare(&model, &schedule);
		legal++;
		for (int a = 0; a < model.array_count; a++) {
			slots += schedule.storage[a].slots > 1;
			slides += schedule.storage[a].is_sliding;
			turns += schedule.storage[a].store > 1;
		}
	}
	/* the sample has to exercise what it is about */
	assert_true(legal > 15000 && slots > 1000 && slides > 1000 && turns > 1000);
}

static void rules_are_kept(void **state)
{
	struct arch arch = { .scratchpad_bytes = 1000, .banks = 1, .align_bytes = 8 };
	struct nest_model model = { .loop_count = 1, .array_count = 1,
		.loops = { { .name = "i", .extent = 10 } },
		.arrays = { { .name = "A", .element_bytes = 4, .rank = 1, .is_read = true,
			.dims = { { .window = 1, .coefficient = { 1 } } } } } };
	struct schedule schedule = { .tile = { 3 }, .depth = 1,
		.storage = { { .store = 1, .slots = 1 } } };

	(void)state;
	assert_true(schedule_evaluate(&model, &arch, &schedule));
	assert_int_equal(schedule.storage[0].bytes, 16);
	assert_int_equal(schedule.storage[0].bank, -1);
	schedule.depth = 0;
	assert_false(schedule_evaluate(&model, &arch, &schedule));
	schedule.depth = 1;
	model.loops[0].tile = 2;
	assert_false(schedule_evaluate(&model, &arch, &schedule));
	model.loops[0].tile = 0;
	arch.scratchpad_bytes = 8;
	assert_false(schedule_evaluate(&model, &arch, &schedule));
	arch.scratchpad_bytes = 64;
	arch.banks = 4;
	arch.exclusive = true;
	assert_true(schedule_evaluate(&model, &arch, &schedule));
	assert_int_equal(schedule.storage[0].bank_count, 1);
	assert_int_equal(schedule.storage[0].bytes, 16);
}

static void overflow_is_refused(void **state)
{
	struct arch arch = { .scratchpad_bytes = 1L << 40, .banks = 1, .align_bytes = 1 };
	struct nest_model model = { .loop_count = 8, .array_count = 1,
		.arrays = { { .name = "A", .element_bytes = 4, .rank = 1, .is_read = true } } };
	struct schedule schedule = { .depth = 8, .storage = { { .store = 8, .slots = 1 } } };

	(void)state;
	model.arrays[0].dims[0].window = 1;
	for (int l = 0; l < 8; l++) {
		model.loops[l] = (struct model_loop){ .name = "i", .extent = 100000 };
		schedule.tile[l] = 1;
		schedule.order[l] = l;
	}
	model.arrays[0].dims[0].coefficient[7] = 1;
	assert_false(schedule_evaluate(&model, &arch, &schedule));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closed_form_equals_simulation),
		cmocka_unit_test(rules_are_kept),
		cmocka_unit_test(overflow_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
