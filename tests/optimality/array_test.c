/* The closed forms of the second boundary (passes/cost/array_model.h) against a walk over all tiles, steps and
 * elements, on random mappings of random nests to random arrays; and that loops which the search takes to be alike are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "passes/cost/array_cycles.h"
#include "passes/cost/model_math.h"
#include "passes/search/mirror.h"
#include "passes/search/search_space.h"
#include "tests/optimality/convolution.h"
#include "tests/optimality/array_simulate.h"
#include "tests/optimality/simulate.h"

static void random_machine(struct random_source *source, struct pe_array *machine)
{
	*machine = (struct pe_array){ .x = 1 + (int)random_below(source, 12), .y = 1 + (int)random_below(source, 12),
		.registers_bytes = random_below(source, 4) ? 1 << 20 : 1 + random_below(source, 200),
		.multicast = (unsigned)random_below(source, 8), .reduce = (unsigned)random_below(source, 8) | 2,
		.is_free = random_below(source, 4) == 0 };
	machine->shares_room = random_below(source, 4) == 0;
	/* cycles of a multiply-accumulate and words of a cycle that no rounding spoils */
	machine->mac_cycles = (const double[]){ 0.25, 1, 1, 5 }[random_below(source, 4)];
	for (int w = 0; w < ARRAY_WAYS; w++)
		machine->networks[w] = 1 + (int)random_below(source, 3);
	machine->words_per_cycle = (const double[]){ 0.5, 1, 1, 4 }[random_below(source, 4)];
	for (int m = 0; m < 2; m++)
		machine->memory_words_per_cycle[m] = (const double[]){ 0, 0.5, 2, 4 }[random_below(source, 4)];
}

static bool moves(const struct model_array *array, int loop)
{
	bool found = false;

	for (int d = 0; d < array->rank; d++)
		found = found || array->dims[d].coefficient[loop] > 0;
	return found;
}

/* Elements and parts of each loop: now and then more than there can be. */
static void random_space(struct random_source *source, const struct nest_model *model, const struct pe_array *machine,
	const struct schedule *outer, struct mapping *mapping)
{
	for (int l = 0; l < model->loop_count; l++) {
		long tile = outer->tile[l], part = 1 + random_below(source, tile), most = (tile + part - 1) / part;

		mapping->part[l] = part;
		mapping->space[l] = random_below(source, 2) ? 1 + random_below(source, most < 4 ? most : 4) : 1;
		mapping->space[l] += random_below(source, 50) == 0;
		mapping->axis[l] = machine->is_free ? AXIS_FREE : (enum axis)random_below(source, 2);
	}
}

static void random_holds(struct random_source *source, const struct nest_model *model, const struct schedule *outer,
	struct mapping *mapping)
{
	int all = outer->depth + mapping->depth;

	for (int a = 0; a < model->array_count; a++) {
		struct hold *hold = &mapping->holds[a];
		int least = outer->storage[a].store;

		if (random_below(source, 3) == 0)
			continue;
		hold->depth = least + (int)random_below(source, all - least + 1);
		while (hold->depth > least && !moves(&model->arrays[a], hold->depth <= outer->depth ?
			outer->order[hold->depth - 1] : mapping->order[hold->depth - 1 - outer->depth]))
			hold->depth--;
		if (hold->depth == 0)
			continue;
		hold->slots = random_below(source, 2) ? 1 + random_below(source, 3) : 1;
		hold->is_sliding = random_below(source, 2);
		hold->is_double = random_below(source, 4) == 0;
	}
}

static void random_memories(struct random_source *source, const struct nest_model *model, struct schedule *outer)
{
	for (int a = 0; a < model->array_count; a++)
		outer->storage[a].memory = random_below(source, 3) == 0;
}

static void random_mapping(struct random_source *source, const struct nest_model *model, const struct pe_array *machine,
	const struct schedule *outer, struct mapping *mapping)
{
	memset(mapping, 0, sizeof *mapping);
	random_space(source, model, machine, outer, mapping);
	mapping_order(model, outer, mapping);
	for (int i = mapping->depth - 1; i > 0; i--) {
		int other = (int)random_below(source, i + 1), loop = mapping->order[i];

		mapping->order[i] = mapping->order[other];
		mapping->order[other] = loop;
	}
	for (int i = 0; i < mapping->depth; i++)
		mapping->is_serpentine[mapping->order[i]] = !model->loops[mapping->order[i]].is_forward &&
			random_below(source, 4) > 0;
	mapping_stream(model, outer, mapping);
	random_holds(source, model, outer, mapping);
}

static void print_mapping(const struct nest_model *model, const struct pe_array *machine, const struct schedule *outer,
	const struct mapping *mapping, const struct array_simulated *truth)
{
	print_case(model, outer);
	fprintf(stderr, "multicast %u reduce %u\n", machine->multicast, machine->reduce);
	for (int l = 0; l < model->loop_count; l++)
		fprintf(stderr, "loop %d part %ld space %ld axis %d%s\n", l, mapping->part[l], mapping->space[l],
			(int)mapping->axis[l], mapping->is_serpentine[l] ? " serpentine" : "");
	fprintf(stderr, "steps");
	for (int i = 0; i < mapping->depth; i++)
		fprintf(stderr, " %d", mapping->order[i]);
	for (int a = 0; a < model->array_count; a++) {
		const struct hold *hold = &mapping->holds[a];

		fprintf(stderr, "\narray %d: depth %d slots %ld%s%s: registers %ld read %ld written %ld delivered %ld reduced %ld,"
			" should be %ld %ld %ld %ld %ld", a, hold->depth, hold->slots,
			hold->is_sliding ? " sliding" : "", hold->is_double ? " double" : "", hold->registers,
			hold->read, hold->written, hold->delivered, hold->reduced, truth->registers[a],
			truth->read[a], truth->written[a], truth->delivered[a], truth->reduced[a]);
	}
	fprintf(stderr, "\n");
}

/* The model's time is that of the walk, step by step, and no less than the bound. */
static bool compare_time(const struct nest_model *model, const struct pe_array *machine, const struct schedule *outer,
	const struct mapping *mapping, const struct array_simulated *truth)
{
	double cycles = mapping_cycles(model, machine, outer, mapping, 1, NULL).cycles, iterations = 1;
	bool waits = false;
	struct array_work work;

	for (int l = 0; l < model->loop_count; l++)
		iterations *= (double)model->loops[l].extent;
	work = mapping_work(model, outer, mapping, iterations);
	if (array_least_cycles(machine, &work) > truth->time)
		fail_msg("at least %.1f cycles, but it takes %.1f", array_least_cycles(machine, &work), truth->time);
	for (int a = 0; a < model->array_count; a++)
		waits = waits || (model->arrays[a].is_written && mapping->holds[a].is_double);
	if (waits && cycles <= truth->time)
		return false;
	if (cycles != truth->time) {
		print_mapping(model, machine, outer, mapping, truth);
		fail_msg("%.1f cycles, but it takes %.1f", cycles, truth->time);
	}
	return true;
}

static int timed;

static void compare(const struct nest_model *model, const struct pe_array *machine, const struct schedule *outer,
	const struct mapping *mapping)
{
	struct array_simulated truth;
	long of_role[ROLE_COUNT] = { 0 };
	long bytes = 0, elements = 1;
	bool is_right = true;

	array_simulate(model, machine, outer, mapping, &truth);
	for (int a = 0; a < model->array_count; a++) {
		const struct hold *hold = &mapping->holds[a];

		is_right = is_right && hold->read == truth.read[a] && hold->written == truth.written[a] &&
			hold->delivered == truth.delivered[a] && hold->reduced == truth.reduced[a] &&
			hold->registers == truth.registers[a];
		bytes += truth.registers[a] * model->arrays[a].element_bytes;
		of_role[model->arrays[a].role] += truth.registers[a] * model->arrays[a].element_bytes;
	}
	for (int l = 0; l < model->loop_count; l++)
		elements *= mapping->space[l];
	if (!is_right || truth.impossible)
		print_mapping(model, machine, outer, mapping, &truth);
	if (truth.impossible)
		fail_msg("%s", truth.impossible);
	assert_true(is_right);
	assert_int_equal(mapping->register_bytes, bytes);
	assert_true(bytes <= machine->registers_bytes);
	for (int role = 0; role < ROLE_COUNT && machine->is_split; role++) {
		assert_int_equal(mapping->role_bytes[role], of_role[role]);
		assert_true(of_role[role] <= machine->role_bytes[role]);
	}
	assert_int_equal(mapping->steps, truth.steps);
	assert_int_equal(mapping->cycles, truth.cycles);
	assert_int_equal(mapping->elements, elements);
	timed += compare_time(model, machine, outer, mapping, &truth);
}

static void closed_form_equals_simulation(void **state)
{
	struct arch arch = { .scratchpad_bytes = 1 << 30, .banks = 1, .align_bytes = 1 };
	struct random_source source = { 1 };
	int runs = 40000, legal = 0, slots = 0, slides = 0, by_tiles = 0, reduced = 0, turns = 0;

	(void)state;
	for (int i = 0; i < runs; i++) {
		struct nest_model model;
		struct schedule outer;
		struct pe_array machine;
		struct mapping mapping;

		random_model(&source, 4, 7, &model);
		random_schedule(&source, &model, &outer);
		random_machine(&source, &machine);
		random_split(&source, &model, &machine);
		if (!schedule_evaluate(&model, &arch, &outer))
			continue;
		random_memories(&source, &model, &outer);
		random_mapping(&source, &model, &machine, &outer, &mapping);
		if (!mapping_evaluate(&model, &machine, &outer, &mapping))
			continue;
		compare(&model, &machine, &outer, &mapping);
		legal++;
		for (int a = 0; a < model.array_count; a++) {
			const struct hold *hold = &mapping.holds[a];
			bool is_by_tiles = hold->depth <= outer.depth;

			by_tiles += is_by_tiles && hold->depth > 0;
			slots += !is_by_tiles && hold->slots > 1;
			slides += !is_by_tiles && hold->is_sliding;
			turns += hold->depth > outer.depth + 1;
			reduced += hold->reduced > 0;
		}
	}
	/* the sample has to exercise what it is about */
	assert_true(timed > runs / 10 && legal > runs / 3 && by_tiles > runs / 10 && slots > runs / 150 && slides > runs / 100 &&
		turns > runs / 30 && reduced > runs / 30);
}

/* Long loops, whose iterations in the middle are not looked at one by one. */
static void long_loops_take_as_long(void **state)
{
	struct arch arch = { .scratchpad_bytes = 1 << 30, .banks = 1, .align_bytes = 1 };
	struct random_source source = { 7 };
	int runs = 3000, before = timed;

	(void)state;
	for (int i = 0; i < runs; i++) {
		struct nest_model model;
		struct schedule outer;
		struct pe_array machine;
		struct mapping mapping;

		random_model(&source, 2, 45, &model);
		random_schedule(&source, &model, &outer);
		random_machine(&source, &machine);
		if (!schedule_evaluate(&model, &arch, &outer))
			continue;
		random_memories(&source, &model, &outer);
		random_mapping(&source, &model, &machine, &outer, &mapping);
		if (mapping_evaluate(&model, &machine, &outer, &mapping))
			compare(&model, &machine, &outer, &mapping);
	}
	assert_true(timed - before > runs / 10);
}

/* A nest with loops that are alike, or nearly: of a convolution now and then one size, or the border, is another. */
static void random_alike(struct random_source *source, struct nest_model *model)
{
	struct convolution sizes = { .n = 1 + random_below(source, 2), .k = 1 + random_below(source, 3), .c = 1 + random_below(source, 3),
		.p = 2 + random_below(source, 4), .r = 1 + random_below(source, 3) };

	if (random_below(source, 2)) {
		random_model(source, 4, 6, model);
		make_alike(model);
		if (random_below(source, 2))
			model->arrays[0].anchored &= ~2L;
		return;
	}
	sizes.q = sizes.p + (random_below(source, 4) == 0);
	sizes.s = sizes.r + (random_below(source, 4) == 0);
	convolution_model(model, &sizes, 1 + random_below(source, 2), 2);
	if (random_below(source, 3) == 0)
		convolution_pad(model, 1);
	if (random_below(source, 4) == 0)
		model->arrays[random_below(source, 3)].dims[random_below(source, 4)].window += random_below(source, 2);
}

/* A schedule and a mapping move the same as their image does, and need the same. */
static void compare_image(const struct space *space, const struct schedule *schedule, const struct mapping *mapping)
{
	struct schedule image = *schedule;
	struct mapping other = *mapping;

	mirror_image(space, &image, &other);
	assert_true(schedule_evaluate(space->model, space->arch, &image));
	assert_true(mapping_evaluate(space->model, &space->arch->array, &image, &other));
	assert_int_equal(image.total_bytes, schedule->total_bytes);
	assert_int_equal(image.scratchpad_bytes, schedule->scratchpad_bytes);
	assert_int_equal(other.cycles, mapping->cycles);
	assert_int_equal(other.register_bytes, mapping->register_bytes);
	for (int a = 0; a < space->model->array_count; a++) {
		const struct hold *one = &mapping->holds[a], *two = &other.holds[a];

		assert_true(one->read == two->read && one->written == two->written && one->delivered == two->delivered &&
			one->reduced == two->reduced);
	}
}

static void images_move_the_same(void **state)
{
	struct random_source source = { 11 };
	int runs = 30000, compared = 0, pairs = 0, none = 0;

	(void)state;
	for (int i = 0; i < runs; i++) {
		struct arch arch = { .scratchpad_bytes = 1 << 20, .banks = 1, .align_bytes = 1, .has_pe_array = true };
		struct element_options elements = { .macs = 1, .rules = { .shareable = ~0u } };
		struct search_options options;
		struct nest_model model;
		struct schedule outer;
		struct mapping mapping;
		struct space space;

		random_alike(&source, &model);
		for (int l = 0; l < model.loop_count; l++)
			model.loops[l].tile = 0;
		random_machine(&source, &arch.array);
		search_options_init(&options);
		options.prices = (struct prices){ .byte = 1, .moved = 1 };
		options.elements = &elements;
		random_schedule(&source, &model, &outer);
		space_init(&space, &model, &arch, &options, false, 0);
		random_mapping(&source, &model, &arch.array, &outer, &mapping);
		none += !space.mirrored;
		if (space.mirrored && schedule_evaluate(&model, &arch, &outer) &&
			mapping_evaluate(&model, &arch.array, &outer, &mapping)) {
			compare_image(&space, &outer, &mapping);
			compared++;
			pairs += __builtin_popcount(space.mirrored) == 4;
		}
		space_clear(&space);
	}
	assert_true(compared > runs / 10 && pairs > runs / 50 && none > runs / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closed_form_equals_simulation),
		cmocka_unit_test(long_loops_take_as_long),
		cmocka_unit_test(images_move_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
