/* The search against trying everything, on random small nests and machines: same
 * traffic, same commands among equals, same smallest scratchpad; and no schedule
 * moves less than the lower bounds. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/optimality/exhaust.h"

static void random_arch(struct random_source *source, struct arch *arch)
{
	static const int alignments[] = { 1, 2, 8, 16 };

	memset(arch, 0, sizeof *arch);
	arch->banks = 1;
	arch->align_bytes = alignments[random_below(source, 4)];
	arch->scratchpad_bytes = 8 + random_below(source, 40) * (1 + random_below(source, 12));
	if (random_below(source, 3) == 0) {
		arch->exclusive = true;
		arch->banks = 2 + (int)random_below(source, 8);
		arch->scratchpad_bytes = arch->banks * (4 + random_below(source, 30));
	}
}

static void random_options(struct random_source *source, struct nest_model *model,
	struct search_options *options)
{
	for (int l = 0; l < model->loop_count; l++) {
		if (random_below(source, 4) == 0)
			model->loops[l].tile = 1 + random_below(source, model->loops[l].extent);
		options->serpentine[l] = (int)random_below(source, 4) - 1;
		if (options->serpentine[l] > 0 && (options->serpentine[l] == 2 ||
			model->loops[l].is_forward))
			options->serpentine[l] = -1;
	}
	for (int a = 0; a < model->array_count; a++) {
		if (random_below(source, 4) == 0)
			options->store[a] = (int)random_below(source, 3);
		if (random_below(source, 6) == 0)
			options->slots[a] = 1 + random_below(source, 2);
		if (random_below(source, 4) == 0)
			options->sliding[a] = (int)random_below(source, 2);
	}
	if (random_below(source, 3) == 0) {
		options->order_count = 1 + (int)random_below(source, model->loop_count);
		options->order[0] = (int)random_below(source, model->loop_count);
		for (int i = 1; i < options->order_count; i++)
			options->order[i] = (options->order[i - 1] + 1) % model->loop_count;
	}
}

static void check_against_simulator(const struct nest_model *model, const struct arch *arch,
	const struct schedule *schedule)
{
	struct simulated truth;
	long used = 0;

	assert_true(simulate_is_legal(model, schedule));
	simulate(model, schedule, &truth);
	assert_int_equal(truth.total_bytes, schedule->total_bytes);
	for (int a = 0; a < model->array_count; a++)
		used += simulate_round(arch, truth.bytes[a]);
	assert_int_equal(used, schedule->scratchpad_bytes);
	assert_true(used <= simulate_capacity(arch));
}

static void check_against_all(const struct nest_model *model, const struct arch *arch,
	const struct search_options *options, bool try_directions)
{
	struct exhausted truth;
	struct schedule best;
	long smallest = -1, commands = 0;
	const char *argument;
	bool found;

	exhaust(model, arch, options, try_directions, &truth);
	found = search_schedule(model, arch, options, &best, &smallest);
	for (int a = 0; a < model->array_count && found; a++)
		commands += best.storage[a].commands;
	if (truth.smallest == LONG_MAX)
		truth.smallest = 0;      /* what was fixed leaves no schedule at all */
	if (found != truth.found || (found && (best.total_bytes != truth.traffic ||
		commands != truth.commands)) || (!found && smallest != truth.smallest)) {
		print_case(model, &best);
		fprintf(stderr, "%s of %ld bytes, %d banks, align %d: %s %ld, %ld commands; "
			"should be %s %ld, %ld; smallest %ld, %ld; buffering %d order %d: %d %d %d\n",
			arch->exclusive ? "banks" : "unified", arch->scratchpad_bytes, arch->banks,
			arch->align_bytes, found ? "found" : "none", best.total_bytes, commands,
			truth.found ? "found" : "none", truth.traffic, truth.commands, smallest,
			truth.smallest, options->buffering, options->order_count, options->order[0],
			options->order[1], options->order[2]);
		for (int a = 0; a < model->array_count; a++)
			fprintf(stderr, "fixed: store %d slots %ld sliding %d\n", options->store[a],
				options->slots[a], options->sliding[a]);
		for (int l = 0; l < model->loop_count; l++)
			fprintf(stderr, "fixed: tile %ld serpentine %d\n", model->loops[l].tile,
				options->serpentine[l]);
	}
	assert_int_equal(found, truth.found);
	if (!found) {
		assert_int_equal(smallest, truth.smallest);
		return;
	}
	assert_int_equal(best.total_bytes, truth.traffic);
	assert_int_equal(commands, truth.commands);
	assert_true(best.is_optimal);
	assert_int_equal(best.bound_bytes, best.total_bytes);
	assert_true(model_compulsory(model) <= best.total_bytes);
	assert_true(model_lower_bound(model, arch->scratchpad_bytes, &argument) <=
		best.total_bytes);
	check_against_simulator(model, arch, &best);
}

static void compare_many(unsigned long seed, int count, int max_loops, long max_extent,
	bool fixes, bool try_directions)
{
	struct random_source source = { seed };

	for (int i = 0; i < count; i++) {
		struct nest_model model;
		struct arch arch;
		struct search_options options;

		search_options_init(&options);
		random_model(&source, max_loops, max_extent, &model);
		random_arch(&source, &arch);
		options.buffering = random_below(&source, 3) == 0 ? BUFFERING_DOUBLE :
			BUFFERING_SINGLE;
		if (fixes)
			random_options(&source, &model, &options);
		check_against_all(&model, &arch, &options, try_directions);
	}
}

static void three_loops(void **state)
{
	(void)state;
	compare_many(1, 1500, 3, 6, false, false);
}

static void four_loops(void **state)
{
	(void)state;
	compare_many(2, 300, 4, 4, false, false);
}

static void forward_where_serpentine(void **state)
{
	(void)state;
	compare_many(3, 400, 3, 5, false, true);
}

static void parts_fixed(void **state)
{
	(void)state;
	compare_many(4, 1500, 3, 5, true, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_loops),
		cmocka_unit_test(four_loops),
		cmocka_unit_test(forward_where_serpentine),
		cmocka_unit_test(parts_fixed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
