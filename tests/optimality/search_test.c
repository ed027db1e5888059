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

#include "passes/search/search_memo.h"
#include "tests/optimality/convolution.h"
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

/* Arrays that are held, sizes that divide, least memory among equals. */
static void random_restriction(struct random_source *source, const struct nest_model *model,
	struct search_options *options)
{
	for (int a = 0; a < model->array_count; a++)
		options->held[a] = random_below(source, 3) == 0;
	for (int a = 0; a < model->array_count; a++)
		if (random_below(source, 5) == 0)
			options->doubled[a] = (int)random_below(source, 2);
	options->divides = random_below(source, 3) == 0;
	options->prefers_memory = random_below(source, 2) == 0;
	if (random_below(source, 2) == 0)
		options->prices = (struct prices){ .byte = 1, .command = (double)(1 + random_below(source, 60)) / 4 };
}

/* What is least: bytes, and more for each command where that has a price. */
static double value_of(const struct search_options *options, long bytes, long commands)
{
	return (double)bytes + options->prices.command * (double)commands;
}

/* The schedule is as good as the TRUTH; without a price in bytes, and then in commands. */
static bool is_as_good(const struct search_options *options, const struct schedule *best,
	long commands, const struct exhausted *truth)
{
	if (options->prices.command > 0)
		return value_of(options, best->total_bytes, commands)
			== value_of(options, truth->traffic, truth->commands);
	return best->total_bytes == truth->traffic && commands == truth->commands
		&& (!options->prefers_memory || best->scratchpad_bytes == truth->bytes);
}

/* Of several memories each has room for the arrays that lie there, whose buffers have BYTES; and these
 * are apart. */
static void check_memories(const struct nest_model *model, const struct arch *arch,
	const struct schedule *schedule, const long *bytes)
{
	long used[MEMORY_LIMIT] = { 0 }, all = 0;

	for (int a = 0; a < model->array_count; a++) {
		const struct storage *mine = &schedule->storage[a];

		used[mine->memory] += simulate_memory_round(arch, mine->memory, bytes[a]);
		assert_true(mine->offset + bytes[a] <= simulate_memory_capacity(arch, mine->memory));
		for (int b = 0; b < a; b++) {
			const struct storage *its = &schedule->storage[b];

			assert_true(mine->memory != its->memory || mine->offset >= its->offset + bytes[b]
				|| its->offset >= mine->offset + bytes[a]);
		}
	}
	for (int m = 0; m < arch->memory_count; m++) {
		assert_true(used[m] <= simulate_memory_capacity(arch, m));
		all += used[m];
	}
	assert_int_equal(all, schedule->scratchpad_bytes);
}

static void check_against_simulator(const struct nest_model *model, const struct arch *arch,
	const struct schedule *schedule)
{
	struct simulated truth;
	long used = 0;

	assert_true(simulate_is_legal(model, schedule));
	simulate(model, schedule, &truth);
	assert_int_equal(truth.total_bytes, schedule->total_bytes);
	if (arch->memory_count) {
		check_memories(model, arch, schedule, truth.bytes);
		return;
	}
	for (int a = 0; a < model->array_count; a++)
		used += simulate_round(arch, truth.bytes[a]);
	assert_int_equal(used, schedule->scratchpad_bytes);
	assert_true(used <= simulate_capacity(arch));
}

static void check_against_all(const struct nest_model *model, const struct arch *arch,
	const struct search_options *options, bool try_directions)
{
	struct exhausted truth = { .traffic_in = NULL };
	struct schedule best;
	struct proof proof;
	long commands = 0;
	const char *argument;
	bool found;

	exhaust(model, arch, options, try_directions, &truth);
	found = search_schedule(model, arch, options, &best, &proof);
	for (int a = 0; a < model->array_count && found; a++)
		commands += best.storage[a].flow.commands;
	if (truth.smallest == LONG_MAX)
		truth.smallest = 0;      /* what was fixed leaves no schedule at all */
	if (arch->memory_count)
		truth.smallest = 0;      /* what fits is more than one number */
	if (found != truth.found || (found && !is_as_good(options, &best, commands, &truth))
		|| (!found && proof.smallest != truth.smallest)) {
		print_case(model, &best);
		fprintf(stderr, "a command is %g bytes; memory %ld, should be %ld (%d)\n", options->prices.command,
			best.scratchpad_bytes, truth.bytes, options->prefers_memory);
		fprintf(stderr, "%s of %ld bytes, %d banks, align %d: %s %ld, %ld commands; "
			"should be %s %ld, %ld; smallest %ld, %ld; buffering %d order %d: %d %d %d\n",
			arch->exclusive ? "banks" : "unified", arch->scratchpad_bytes, arch->banks,
			arch->align_bytes, found ? "found" : "none", best.total_bytes, commands,
			truth.found ? "found" : "none", truth.traffic, truth.commands, proof.smallest,
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
		assert_int_equal(proof.smallest, truth.smallest);
		return;
	}
	assert_true(is_as_good(options, &best, commands, &truth));
	assert_true(proof.is_optimal || options->prices.command > 0);
	assert_true(proof.bound_bytes == best.total_bytes || options->prices.command > 0);
	assert_true(proof.bound_bytes <= best.total_bytes);
	assert_true(model_compulsory(model) <= best.total_bytes);
	assert_true(model_lower_bound(model, arch->scratchpad_bytes, &argument) <=
		best.total_bytes);
	check_against_simulator(model, arch, &best);
}

/* Arrays of rows that lie one behind the other, with some elements between them, for a DMA
 * controller of multiples of some bytes. */
static void random_alignment(struct random_source *source, struct nest_model *model)
{
	long align = 2l << random_below(source, 3);

	for (int a = 0; a < model->array_count; a++) {
		struct model_array *array = &model->arrays[a];
		long row = array->element_bytes;

		if (row >= align)
			continue;
		array->align_bytes = align;
		array->align_rank = array->rank;
		array->first_bytes = random_below(source, 4) == 0 ? row * random_below(source, 8) : 0;
		for (int d = array->rank - 1; d >= 0; d--) {
			long extent = array->dims[d].window;

			for (int l = 0; l < model->loop_count; l++)
				extent += array->dims[d].coefficient[l] * (model->loops[l].extent - 1);
			array->dims[d].step_bytes = row;
			row *= random_below(source, 2) ? extent : (extent + align) / align * align;
		}
	}
}

static void compare_many(unsigned long seed, int count, int max_loops, long max_extent,
	bool fixes, bool restricts, bool aligns, bool try_directions)
{
	struct random_source source = { seed };

	for (int i = 0; i < count; i++) {
		struct nest_model model;
		struct arch arch;
		struct search_options options;

		search_options_init(&options);
		random_model(&source, max_loops, max_extent, &model);
		if (i % 3 == 0)
			random_ends(&source, &model);
		random_arch(&source, &arch);
		if (aligns)
			random_alignment(&source, &model);
		options.buffering = random_below(&source, 3) == 0 ? BUFFERING_DOUBLE :
			BUFFERING_SINGLE;
		if (fixes)
			random_options(&source, &model, &options);
		if (restricts)
			random_restriction(&source, &model, &options);
		check_against_all(&model, &arch, &options, try_directions);
	}
}

static void three_loops(void **state)
{
	(void)state;
	compare_many(1, 600, 3, 6, false, false, false, false);
}

static void four_loops(void **state)
{
	(void)state;
	compare_many(2, 120, 4, 4, false, false, false, false);
}

static void forward_where_serpentine(void **state)
{
	(void)state;
	compare_many(3, 200, 3, 5, false, false, false, true);
}

static void parts_fixed(void **state)
{
	(void)state;
	compare_many(4, 700, 3, 5, true, false, false, false);
}

/* Parts of the space: the optimum of each is exact. */
static void restricted(void **state)
{
	(void)state;
	compare_many(8, 500, 3, 6, false, true, false, false);
	compare_many(9, 60, 4, 4, false, true, false, false);
	compare_many(10, 400, 3, 5, true, true, false, false);
}

/* Among schedules whose copies are aligned: of all sizes of tiles. */
static void aligned(void **state)
{
	(void)state;
	compare_many(12, 250, 3, 7, false, false, true, false);
	compare_many(13, 120, 3, 6, true, false, true, false);
	compare_many(14, 120, 3, 6, false, true, true, false);
}

static void same_proof(const struct proof *one, const struct proof *other)
{
	assert_int_equal(one->points, other->points);
	assert_int_equal(one->bound_bytes, other->bound_bytes);
	assert_int_equal(one->is_optimal, other->is_optimal);
}

static void same_schedule(const struct nest_model *model, const struct schedule *one,
	const struct schedule *other)
{
	assert_int_equal(one->total_bytes, other->total_bytes);
	assert_int_equal(one->depth, other->depth);
	assert_memory_equal(one->order, other->order, sizeof *one->order * (size_t)one->depth);
	assert_memory_equal(one->tile, other->tile,
		sizeof *one->tile * (size_t)model->loop_count);
	assert_memory_equal(one->is_serpentine, other->is_serpentine,
		sizeof *one->is_serpentine * (size_t)model->loop_count);
	for (int a = 0; a < model->array_count; a++) {
		assert_int_equal(one->storage[a].memory, other->storage[a].memory);
		assert_int_equal(one->storage[a].store, other->storage[a].store);
		assert_int_equal(one->storage[a].slots, other->storage[a].slots);
		assert_int_equal(one->storage[a].is_sliding, other->storage[a].is_sliding);
		assert_int_equal(one->storage[a].offset, other->storage[a].offset);
	}
}

/* A machine with two or three memories, and which of them each array may lie in. */
static void random_memories(struct random_source *source, const struct nest_model *model,
	struct arch *arch, struct search_options *options)
{
	memset(arch, 0, sizeof *arch);
	arch->memory_count = 2 + (int)random_below(source, 2);
	for (int m = 0; m < arch->memory_count; m++) {
		struct arch_memory *memory = &arch->memories[m];

		*memory = (struct arch_memory){ .bytes = 8 + random_below(source, 20)
			* (1 + random_below(source, 8)), .banks = 1, .align_bytes = 1 << random_below(source, 4) };
		if (random_below(source, 4) == 0) {
			memory->exclusive = true;
			memory->banks = 1 + (int)random_below(source, 4);
			memory->bytes = memory->banks * 8 * (1 + random_below(source, 6));
			memory->align_bytes = 8;
		}
		arch->scratchpad_bytes += memory->bytes;
	}
	arch->banks = arch->align_bytes = 1;
	for (int a = 0; a < model->array_count; a++)
		options->memories[a] = 1
			+ (unsigned)random_below(source, (1 << arch->memory_count) - 1);
}

/* Several memories, each array in one of some: the best of all ways, with the best schedule. */
static void memories(void **state)
{
	struct random_source source = { 21 };
	int found = 0;

	(void)state;
	for (int i = 0; i < 500; i++) {
		bool is_large = i % 5 == 0, is_fixed = i % 3 == 0, is_restricted = i % 4 == 0;
		struct nest_model model;
		struct arch arch;
		struct search_options options;
		struct schedule best, shared;
		struct proof proof, other;

		search_options_init(&options);
		random_model(&source, is_large ? 4 : 3, is_large ? 4 : 5, &model);
		options.buffering = random_below(&source, 3) == 0 ? BUFFERING_DOUBLE : BUFFERING_SINGLE;
		random_memories(&source, &model, &arch, &options);
		if (is_fixed)
			random_options(&source, &model, &options);
		if (is_restricted)
			random_restriction(&source, &model, &options);
		check_against_all(&model, &arch, &options, false);
		if (!search_schedule(&model, &arch, &options, &best, &proof))
			continue;
		found++;
		options.threads = 3;
		assert_true(search_schedule(&model, &arch, &options, &shared, &other));
		same_schedule(&model, &best, &shared);
		same_proof(&proof, &other);
	}
	assert_true(found > 200);
}

/* Whatever the number of threads and wherever the effort ends: the same schedule, not
 * below the bound it reports, and one is found whenever there is one. */
static void effort_and_threads(void **state)
{
	struct random_source source = { 5 };
	int unfinished = 0;

	(void)state;
	for (int i = 0; i < 80; i++) {
		struct nest_model model;
		struct arch arch;
		struct search_options options;
		struct schedule exact, alone, together;
		struct proof proof, part, other;
		bool found;

		search_options_init(&options);
		random_model(&source, 5, 16, &model);
		random_arch(&source, &arch);
		arch.scratchpad_bytes *= 2;
		found = search_schedule(&model, &arch, &options, &exact, &proof);
		options.effort = 1 + random_below(&source, 3000);
		assert_int_equal(search_schedule(&model, &arch, &options, &alone, &part), found);
		if (!found) {
			assert_int_equal(part.smallest, proof.smallest);
			continue;
		}
		options.threads = 3;
		assert_true(search_schedule(&model, &arch, &options, &together, &other));
		same_schedule(&model, &alone, &together);
		same_proof(&part, &other);
		assert_true(alone.total_bytes >= exact.total_bytes);
		assert_true(part.bound_bytes <= exact.total_bytes);
		if (part.is_optimal)
			assert_int_equal(alone.total_bytes, exact.total_bytes);
		unfinished += !part.is_optimal;
		options.effort = 0;
		assert_true(search_schedule(&model, &arch, &options, &together, &other));
		same_schedule(&model, &exact, &together);
		same_proof(&proof, &other);
	}
	assert_true(unfinished > 5);
}

static long lesser(long a, long b)
{
	return a < b ? a : b;
}

/* Looked for below what is known alone: the least there is, or what is known; and with less effort no more. */
static void below_what_is_known(void **state)
{
	struct random_source source = { 77 };
	int better = 0;

	(void)state;
	for (int i = 0; i < 60; i++) {
		struct nest_model model;
		struct arch arch;
		struct search_options options;
		struct schedule best;
		struct proof proof;
		long least = LONG_MAX;

		search_options_init(&options);
		random_model(&source, 4, 12, &model);
		if (i % 2)
			random_ends(&source, &model);
		random_arch(&source, &arch);
		if (search_schedule(&model, &arch, &options, &best, &proof))
			least = best.total_bytes;
		for (int k = 0; k < 4; k++) {
			long most = least == LONG_MAX ? 1 + random_below(&source, 1000) :
				least / 2 + random_below(&source, 2 * least + 2);

			options.effort = 0;
			assert_int_equal(search_bound(&model, &arch, &options, most), lesser(least, most));
			options.effort = 1000000;
			assert_int_equal(search_excludes(&model, &arch, &options, most), least >= most);
			options.effort = 1 + random_below(&source, 200);
			assert_true(search_bound(&model, &arch, &options, most) <= lesser(least, most));
			assert_true(least >= most || !search_excludes(&model, &arch, &options, most));
			better += least < most;
		}
		if (least < LONG_MAX) {
			options.effort = 0;
			assert_int_equal(search_bound(&model, &arch, &options, least), least);
			assert_int_equal(search_bound(&model, &arch, &options, least + 1), least);
		}
	}
	assert_true(better > 50);
}

static void interrupted(void **state)
{
	const struct convolution sizes = { 4, 64, 32, 27, 27, 3, 3 };
	const struct arch arch = { .scratchpad_bytes = 50000, .banks = 1, .align_bytes = 2 };
	struct search_options options;
	struct nest_model model;
	struct schedule exact, best;
	struct proof proof;
	int stop = 0;

	(void)state;
	convolution_model(&model, &sizes, 1, 2);
	search_options_init(&options);
	options.interrupted = &stop;
	assert_true(search_schedule(&model, &arch, &options, &exact, &proof));
	assert_true(proof.is_optimal);
	stop = 1;
	assert_true(search_schedule(&model, &arch, &options, &best, &proof));
	assert_false(proof.is_optimal);
	assert_true(proof.bound_bytes <= exact.total_bytes);
	assert_true(best.total_bytes >= exact.total_bytes);
	assert_true(schedule_evaluate(&model, &arch, &best));
}

/* Double buffers where they cost nothing. */
static void buffering_auto(void **state)
{
	struct random_source source = { 6 };
	int doubled = 0;

	(void)state;
	for (int i = 0; i < 100; i++) {
		struct nest_model model;
		struct arch arch;
		struct search_options options;
		struct schedule single, chosen;
		struct proof proof;
		bool found;

		search_options_init(&options);
		random_model(&source, 3, 8, &model);
		random_arch(&source, &arch);
		found = search_schedule(&model, &arch, &options, &single, &proof);
		options.buffering = BUFFERING_AUTO;
		assert_int_equal(search_schedule(&model, &arch, &options, &chosen, &proof), found);
		if (!found)
			continue;
		assert_int_equal(chosen.total_bytes, single.total_bytes);
		check_against_simulator(&model, &arch, &chosen);
		for (int a = 0; a < model.array_count; a++)
			doubled += chosen.storage[a].is_double;
	}
	assert_true(doubled > 15);
}

/* C[i][j] += A[i][k] * B[k][j], all of EXTENT. */
static void product_model(struct nest_model *model, long extent)
{
	static const int loops[3][2] = { { 0, 1 }, { 0, 2 }, { 2, 1 } };

	memset(model, 0, sizeof *model);
	model->loop_count = model->array_count = 3;
	for (int i = 0; i < 3; i++) {
		model->loops[i] = (struct model_loop){ .name = "i", .extent = extent };
		model->arrays[i].name = "A";
		model->arrays[i].element_bytes = 2;
		model->arrays[i].rank = 2;
		for (int d = 0; d < 2; d++) {
			model->arrays[i].dims[d].window = 1;
			model->arrays[i].dims[d].coefficient[loops[i][d]] = 1;
		}
		model->arrays[i].is_written = model->arrays[i].is_created = i == 0;
		model->arrays[i].is_read = i > 0;
	}
}

/* The bound of matrix products is 2 N / sqrt(S) - 2 S elements (Smith et al. 2019) but
 * for rounding, and the search comes near it. */
static void bound_of_products(void **state)
{
	(void)state;
	for (long extent = 256; extent <= 4096; extent *= 2) {
		const struct arch arch = { .scratchpad_bytes = 32768, .banks = 1, .align_bytes = 2 };
		double n = (double)extent, known = 2 * (2 * n * n * n / 128 - 2 * 16384);
		struct search_options options;
		struct nest_model model;
		struct schedule best;
		struct proof proof;
		const char *argument;
		long bound;

		product_model(&model, extent);
		bound = model_lower_bound(&model, arch.scratchpad_bytes, &argument);
		assert_string_equal(argument, "partition");
		assert_true((double)bound >= 0.999 * known);
		search_options_init(&options);
		assert_true(search_schedule(&model, &arch, &options, &best, &proof));
		assert_true(proof.is_optimal);
		assert_true(bound <= best.total_bytes);
		assert_true((double)best.total_bytes <= 1.1 * (double)bound + 4 * n * n);
	}
}

/* The partition bound against exact optima of products, contractions and windows. */
static void bound_of_random_nests(void **state)
{
	struct random_source source = { 7 };
	int partitions = 0;

	(void)state;
	for (int i = 0; i < 100; i++) {
		struct arch arch = { .banks = 1, .align_bytes = 1 };
		struct search_options options;
		struct nest_model model;
		struct schedule best;
		struct proof proof;
		const char *argument;
		long bound;

		random_model(&source, 4, 12, &model);
		search_options_init(&options);
		for (arch.scratchpad_bytes = 4; arch.scratchpad_bytes < 2000;
			arch.scratchpad_bytes += arch.scratchpad_bytes / 2) {
			if (!search_schedule(&model, &arch, &options, &best, &proof))
				continue;
			bound = model_lower_bound(&model, arch.scratchpad_bytes, &argument);
			if (bound > best.total_bytes)
				print_case(&model, &best);
			assert_true(bound <= best.total_bytes);
			partitions += strcmp(argument, "partition") == 0;
		}
	}
	assert_true(partitions > 8);
}

static long bound_of(const struct nest_model *model, long scratchpad_bytes)
{
	const char *argument;

	return model_lower_bound(model, scratchpad_bytes, &argument);
}

/* Whatever array is taken away, there is no more to move. */
static void check_fewer_arrays(const struct nest_model *model)
{
	for (long bytes = 16; bytes <= 65536; bytes *= 8)
		for (int a = 0; a < model->array_count; a++) {
			struct nest_model fewer = *model;

			fewer.array_count--;
			for (int b = a; b < fewer.array_count; b++)
				fewer.arrays[b] = model->arrays[b + 1];
			assert_true(bound_of(&fewer, bytes) <= bound_of(model, bytes));
		}
}

/* An array more never lowers the bound: of random nests, and of products whose rows and columns
 * are scaled. */
static void bound_of_more_arrays(void **state)
{
	struct random_source source = { 11 };
	struct nest_model model;

	(void)state;
	for (int i = 0; i < 60; i++) {
		random_model(&source, 4, 40, &model);
		/* an array with a border leaves out iterations */
		for (int a = 0; a < model.array_count; a++)
			for (int d = 0; d < model.arrays[a].rank; d++)
				model.arrays[a].dims[d].clip_low = model.arrays[a].dims[d].clip_high = 0;
		check_fewer_arrays(&model);
	}
	product_model(&model, 500);
	for (int loop = 0; loop < 2; loop++) {
		model.arrays[model.array_count] = (struct model_array){ .name = "scale",
			.element_bytes = 4, .rank = 1, .is_read = true };
		model.arrays[model.array_count].dims[0].window = 1;
		model.arrays[model.array_count++].dims[0].coefficient[loop] = 1;
		check_fewer_arrays(&model);
	}
}

/* Where nothing can move less than what was found, the search for fewer commands ends. */
static void points_among_equals(void **state)
{
	const struct convolution stem = { 1, 64, 3, 112, 112, 7, 7 };
	const struct arch arch = { .scratchpad_bytes = 110592, .banks = 1, .align_bytes = 2 };
	struct search_options options;
	struct nest_model model;
	struct schedule best;
	struct proof proof;

	(void)state;
	search_options_init(&options);
	convolution_model(&model, &stem, 2, 2);
	convolution_pad(&model, 3);
	assert_true(search_schedule(&model, &arch, &options, &best, &proof));
	assert_true(proof.is_optimal);
	assert_int_equal(best.total_bytes, bound_of(&model, arch.scratchpad_bytes));
	assert_true(proof.points <= 4000000 + 4000000 / 100);
}

/* Layers whose optimum is known to be at most this (shared with tests/bench). */
static void known_layers(void **state)
{
	const struct convolution conv5 = { 4, 256, 192, 13, 13, 3, 3 };
	const struct convolution deep = { 3, 512, 512, 14, 14, 3, 3 };
	const struct arch unified = { .scratchpad_bytes = 110592, .banks = 1, .align_bytes = 2 };
	const struct arch banks = { .scratchpad_bytes = 110592, .banks = 27, .exclusive = true };
	struct search_options options;
	struct nest_model model;
	struct schedule best;
	struct proof proof;

	(void)state;
	search_options_init(&options);
	convolution_model(&model, &conv5, 1, 2);
	assert_true(search_schedule(&model, &unified, &options, &best, &proof));
	assert_true(proof.is_optimal && best.total_bytes <= 2543048);
	assert_true(search_schedule(&model, &banks, &options, &best, &proof));
	assert_true(proof.is_optimal && best.total_bytes <= 2564648);
	convolution_model(&model, &deep, 1, 2);
	assert_true(search_schedule(&model, &unified, &options, &best, &proof));
	assert_true(proof.is_optimal && best.total_bytes <= 9993216);
}

/* A question asked twice is answered once, names apart; another one is another. */
static void memo(void **state)
{
	const struct arch small = { .scratchpad_bytes = 3000, .banks = 1, .align_bytes = 2 };
	const struct arch large = { .scratchpad_bytes = 6000, .banks = 1, .align_bytes = 2 };
	struct arena *arena = arena_new();
	struct search_memo *searches = search_memo_new(arena, NULL);
	struct search_options options;
	struct nest_model model;
	struct schedule first, again, other;
	struct proof proof, repeated;
	int stop = 1;

	(void)state;
	search_options_init(&options);
	product_model(&model, 100);
	assert_true(search_schedule_once(searches, &model, &small, &options, &first, &proof));
	model.arrays[0].name = "another";
	/* a new search would be interrupted and not optimal */
	options.interrupted = &stop;
	assert_true(search_schedule_once(searches, &model, &small, &options, &again, &repeated));
	same_schedule(&model, &first, &again);
	same_proof(&proof, &repeated);
	options.interrupted = NULL;
	assert_true(search_schedule_once(searches, &model, &large, &options, &other, &proof));
	assert_true(other.total_bytes < first.total_bytes);
	model.loops[0].extent = 101;
	assert_true(search_schedule_once(searches, &model, &small, &options, &other, &proof));
	assert_true(other.total_bytes > first.total_bytes);
	arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_loops),
		cmocka_unit_test(four_loops),
		cmocka_unit_test(forward_where_serpentine),
		cmocka_unit_test(parts_fixed),
		cmocka_unit_test(restricted),
		cmocka_unit_test(aligned),
		cmocka_unit_test(memories),
		cmocka_unit_test(effort_and_threads),
		cmocka_unit_test(below_what_is_known),
		cmocka_unit_test(interrupted),
		cmocka_unit_test(buffering_auto),
		cmocka_unit_test(bound_of_products),
		cmocka_unit_test(bound_of_random_nests),
		cmocka_unit_test(bound_of_more_arrays),
		cmocka_unit_test(points_among_equals),
		cmocka_unit_test(known_layers),
		cmocka_unit_test(memo),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
