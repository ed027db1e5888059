/* dMazeRunner's model: three mappings priced by hand, the best ones of its layers in the space that it searches (the numbers
 * of tilings are those of its figure 11), and its words at each boundary, and cycles, against those of loopc, whose models share no
 * code with it.  With the argument `all NAME` it prints the best of all mappings of a layer instead (minutes). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "passes/cost/array_cycles.h"
#include "tests/optimality/convolution.h"
#include "tests/optimality/dmazerunner.h"
#include "tests/optimality/simulate.h"

static const struct dm_layer layers[] = {
	{ "conv1", { 4, 64, 3, 112, 112, 7, 7 }, 2, 230 },
	{ "conv2_2", { 4, 64, 64, 56, 56, 3, 3 }, 1, 58 },
	{ "conv3_2", { 4, 128, 128, 28, 28, 3, 3 }, 1, 30 },
	{ "conv4_2", { 4, 256, 256, 14, 14, 3, 3 }, 1, 16 },
	{ "conv5_1", { 4, 512, 256, 7, 7, 3, 3 }, 2, 16 },
	{ "conv5_2", { 4, 512, 512, 7, 7, 3, 3 }, 1, 9 },
};
enum { CONV4_2 = 3, CONV5_2 = 5, LAYERS = 6 };

enum { SUMS = 1 << DM_C | 1 << DM_FX | 1 << DM_FY };

static void assert_number(double is, double should)
{
	if (!(is > should - 0.01 && is < should + 0.01))
		fail_msg("%.3f for %.3f", is, should);
}

static void assert_words(const long *is, long input, long weight, long output)
{
	assert_int_equal(is[DM_INPUT], input);
	assert_int_equal(is[DM_WEIGHT], weight);
	assert_int_equal(is[DM_OUTPUT], output);
}

/* Mappings that the paper prices: of conv4_2, and two of conv5_2. */
enum { STAYS, COMES_BACK, WRITTEN_ONCE, PRICED };
static const struct dm_mapping priced[PRICED] = {
	[STAYS] = { .innermost = { SUMS, SUMS }, .trips = {
		[DM_DRAM] = { 4, 16, 8, 1, 1, 1, 1 }, [DM_SPM] = { 1, 1, 16, 1, 1, 1, 1 },
		[DM_RF] = { 1, 8, 1, 2, 2, 3, 3 }, [DM_SPACE] = { 1, 2, 2, 7, 7, 1, 1 } } },
	[COMES_BACK] = { .innermost = { SUMS, SUMS }, .trips = {
		[DM_DRAM] = { 1, 4, 32, 1, 1, 1, 1 }, [DM_SPM] = { 1, 4, 1, 1, 1, 3, 3 },
		[DM_RF] = { 4, 16, 8, 1, 1, 1, 1 }, [DM_SPACE] = { 1, 2, 2, 7, 7, 1, 1 } } },
	[WRITTEN_ONCE] = { .innermost = { SUMS, SUMS }, .trips = {
		[DM_DRAM] = { 1, 8, 64, 1, 1, 1, 1 }, [DM_SPM] = { 1, 1, 4, 1, 1, 1, 1 },
		[DM_RF] = { 2, 4, 2, 7, 1, 3, 3 }, [DM_SPACE] = { 2, 16, 1, 1, 7, 1, 1 } } },
};

static void outputs_stay_for_many_passes(void **state)
{
	struct dm_price price;

	(void)state;
	dm_evaluate(&layers[CONV4_2], &dm_paper, &priced[STAYS], &price);
	assert_number(price.pass_pj, 724736);
	assert_number(price.dram_pj, 1354966200.32);
	assert_number(price.energy_pj, 34681651.2 + 1775700541.44 + 512 * 724736.0 + 1354966200.32);
	assert_int_equal(price.pass_cycles, 8192);
	assert_words(price.copy_cycles, 660, 1088, 281);
	assert_int_equal(price.reductions, 64 * 3136);
	assert_number(price.cycles, 4581376);
}

static void outputs_come_back_in_each_pass(void **state)
{
	struct dm_price price;

	(void)state;
	dm_evaluate(&layers[CONV5_2], &dm_paper, &priced[COMES_BACK], &price);
	assert_words(price.region[DM_RF], 32, 128, 64);
	assert_words(price.region[DM_SPACE], 3136, 512, 6272);
	assert_words(price.region[DM_SPM], 5184, 18432, 25088);
	assert_number(price.pass_pj, 4932887.04);
	assert_int_equal(price.pass_cycles, 152576);
	assert_number(price.energy_pj, 3066431733.76);
	assert_number(price.cycles, 19529728);
}

static void outputs_are_written_once(void **state)
{
	struct dm_price price;

	(void)state;
	dm_evaluate(&layers[CONV5_2], &dm_paper, &priced[WRITTEN_ONCE], &price);
	assert_words(price.dram_words, 1327104, 2359296, 100352);
	assert_words(price.array_words, 1327104, 2359296, 100352);
	assert_words(price.delivered_words, 49545216, 33030144, 100352);
	assert_number(price.energy_pj, 2784205168.64);
	assert_int_equal(price.pass_cycles, 4608);
	assert_number(price.cycles, 512 * 4608 + 8 * 12400);
}

static void best_mappings_are_found(void **state)
{
	const struct { long tilings; double energy_pj, cycles; } best[LAYERS] = {
		{ 46812, 3087772840, 6244672 }, { 122092, 2623919473, 2742656 }, { 53690, 2519051633, 2274304 },
		{ 10938, 2489791857, 2017056 }, { 877, 1754542776, 4587392 }, { 753, 2784205169, 2458496 } };

	(void)state;
	for (int i = 0; i < LAYERS; i++) {
		struct dm_best found;

		dm_search(&layers[i], &dm_paper, true, &found);
		assert_int_equal(found.tilings, best[i].tilings);
		assert_true(found.energy_pj > best[i].energy_pj - 0.5 && found.energy_pj < best[i].energy_pj + 0.5);
		assert_number(found.cycles, best[i].cycles);
	}
}

/* ---- against loopc ---- */

/* Some loops that do not index an operand are innermost, or there are no loops. */
static void random_order(struct random_source *source, const long *trips, unsigned *innermost)
{
	int operand = (int)random_below(source, DM_OPERANDS);
	bool is_any = false;

	*innermost = 0;
	for (int l = 0; l < DM_LOOPS; l++)
		is_any = is_any || trips[l] > 1;
	while (is_any && *innermost == 0) {
		operand = (operand + 1) % DM_OPERANDS;
		for (int l = 0; l < DM_LOOPS; l++)
			if (!dm_indexes(operand, l) && trips[l] > 1 && random_below(source, 4) > 0)
				*innermost |= 1u << l;
	}
}

/* Trip counts of the levels, each a divisor of what is left. */
static void random_mapping(struct random_source *source, const struct dm_layer *layer, struct dm_mapping *mapping)
{
	for (int l = 0; l < DM_LOOPS; l++) {
		long left = layer->extents[l];

		for (int level = DM_LEVELS - 1; level >= 0; level--) {
			long trips = level == DM_DRAM ? left : 1 + random_below(source, left);

			while (left % trips != 0)
				trips--;
			mapping->trips[level][l] = trips;
			left /= trips;
		}
	}
	for (int level = DM_DRAM; level <= DM_SPM; level++)
		random_order(source, mapping->trips[level], &mapping->innermost[level]);
}

/* The loops up to the innermost that indexes ARRAY. */
static int store_of(const struct schedule *schedule, const struct model_array *array)
{
	int store = schedule->depth;

	while (store > 0) {
		bool is_indexed = false;

		for (int d = 0; d < array->rank; d++)
			is_indexed = is_indexed || array->dims[d].coefficient[schedule->order[store - 1]] > 0;
		if (is_indexed)
			break;
		store--;
	}
	return store;
}

/* Of loops that stand outside those of INNERMOST, those further in index the operand that stays. */
static int depth_of(unsigned innermost, int loop)
{
	for (int o = 0; o < DM_OPERANDS; o++) {
		bool stays = true;

		for (int l = 0; l < DM_LOOPS; l++)
			stays = stays && !(innermost >> l & 1 && dm_indexes(o, l));
		if (stays)
			return innermost >> loop & 1 ? 2 : dm_indexes(o, loop);
	}
	return 0;
}

/* The tiles, the order and the buffers of MAPPING outside the scratchpad. */
static void outer_schedule(const struct nest_model *model, const struct dm_mapping *mapping, struct schedule *schedule)
{
	memset(schedule, 0, sizeof *schedule);
	for (int l = 0; l < DM_LOOPS; l++)
		schedule->tile[l] = model->loops[l].extent / mapping->trips[DM_DRAM][l];
	for (int depth = 0; depth < 3; depth++)
		for (int l = 0; l < DM_LOOPS; l++)
			if (mapping->trips[DM_DRAM][l] > 1 && depth_of(mapping->innermost[DM_DRAM], l) == depth)
				schedule->order[schedule->depth++] = l;
	for (int a = 0; a < model->array_count; a++) {
		schedule->storage[a].store = store_of(schedule, &model->arrays[a]);
		schedule->storage[a].slots = 1;
	}
}

/* Its elements and registers inside the scratchpad's tiles; what is in registers is where the innermost loop moves it. */
static void inner_mapping(const struct nest_model *model, const struct dm_mapping *from, const struct schedule *outer,
	struct mapping *mapping)
{
	memset(mapping, 0, sizeof *mapping);
	for (int l = 0; l < DM_LOOPS; l++) {
		mapping->part[l] = from->trips[DM_RF][l];
		mapping->space[l] = from->trips[DM_SPACE][l];
		mapping->axis[l] = AXIS_FREE;
	}
	for (int depth = 0; depth < 3; depth++)
		for (int l = 0; l < DM_LOOPS; l++)
			if (from->trips[DM_SPM][l] > 1 && depth_of(from->innermost[DM_SPM], l) == depth)
				mapping->order[mapping->depth++] = l;
	mapping_stream(model, outer, mapping);
}

/* A model of loopc has outputs first and its loops in the same order. */
static const int operands[] = { DM_OUTPUT, DM_INPUT, DM_WEIGHT };

static void compare_array(const struct nest_model *model, const struct dm_mapping *from, const struct dm_price *price,
	const struct schedule *outer)
{
	const struct pe_array machine = { .x = 1 << 15, .y = 1 << 15, .registers_bytes = 1 << 30, .is_free = true,
		.multicast = 1u << AXIS_FREE, .reduce = 1u << AXIS_FREE };
	struct mapping mapping;

	inner_mapping(model, from, outer, &mapping);
	assert_true(mapping_evaluate(model, &machine, outer, &mapping));
	for (int a = 0; a < model->array_count; a++) {
		const struct hold *hold = &mapping.holds[a];
		int o = operands[a];

		/* it counts an output that comes and goes as two, the first time too */
		long times = o == DM_OUTPUT && !price->stays[o] ? 2 : 1;

		assert_int_equal(hold->registers, price->region[DM_RF][o]);
		assert_int_equal(times * (o == DM_OUTPUT ? hold->written : hold->read), price->array_words[o]);
		assert_int_equal(times * (hold->delivered - (o == DM_OUTPUT ? hold->read : 0)), price->delivered_words[o]);
		assert_int_equal(hold->reduced, o == DM_OUTPUT ? price->reductions : 0);
	}
}

static void words_are_those_of_loopc(void **state)
{
	const struct arch arch = { .scratchpad_bytes = 1 << 30, .banks = 1, .align_bytes = 1 };
	struct random_source source = { 5 };
	int broken = 0;

	(void)state;
	for (int i = 0; i < 5000; i++) {
		struct dm_layer layer = { .stride = 1 + random_below(&source, 2) };
		struct convolution sizes;
		struct nest_model model;
		struct schedule schedule;
		struct dm_mapping mapping;
		struct dm_price price;

		for (int l = 0; l < DM_LOOPS; l++)
			layer.extents[l] = (const long[]){ 1, 2, 3, 4, 6, 8, 12 }[random_below(&source, 7)];
		/* loopc's model leaves out rows and columns that no window touches */
		if (layer.extents[DM_FX] == 1 || layer.extents[DM_FY] == 1)
			layer.stride = 1;
		layer.input = layer.stride * layer.extents[DM_X] + layer.extents[DM_FX];
		random_mapping(&source, &layer, &mapping);
		dm_evaluate(&layer, &dm_paper, &mapping, &price);
		sizes = (struct convolution){ layer.extents[DM_N], layer.extents[DM_M], layer.extents[DM_C],
			layer.extents[DM_X], layer.extents[DM_Y], layer.extents[DM_FX], layer.extents[DM_FY] };
		convolution_model(&model, &sizes, layer.stride, 2);
		outer_schedule(&model, &mapping, &schedule);
		assert_true(schedule_evaluate(&model, &arch, &schedule));
		for (int a = 0; a < 3; a++) {
			const struct flow *flow = &schedule.storage[a].flow;

			assert_int_equal(flow->read_bytes + flow->write_bytes, 2 * price.dram_words[operands[a]]);
			broken += a == 0 && flow->read_bytes > 0;
		}
		compare_array(&model, &mapping, &price, &schedule);
	}
	assert_true(broken > 500);
}

/* Cycles of the paper's array in loopc's definition, if it never waits for copies; words that are read come to registers
 * beside computing, as in the paper. */
static double cycles_of_loopc(const struct dm_layer *layer, const struct dm_mapping *from)
{
	const struct pe_array machine = { .x = 16, .y = 16, .registers_bytes = 1 << 30, .is_free = true,
		.multicast = 1u << AXIS_FREE, .reduce = 1u << AXIS_FREE, .mac_cycles = 1, .networks = { 3, 1, 1 },
		.words_per_cycle = 1 };
	const struct arch arch = { .scratchpad_bytes = 1 << 30, .banks = 1, .align_bytes = 1 };
	const struct convolution sizes = { layer->extents[DM_N], layer->extents[DM_M], layer->extents[DM_C],
		layer->extents[DM_X], layer->extents[DM_Y], layer->extents[DM_FX], layer->extents[DM_FY] };
	struct nest_model model;
	struct schedule outer;
	struct mapping mapping;

	convolution_model(&model, &sizes, layer->stride, 2);
	outer_schedule(&model, from, &outer);
	assert_true(schedule_evaluate(&model, &arch, &outer));
	inner_mapping(&model, from, &outer, &mapping);
	for (int a = 0; a < model.array_count; a++)
		mapping.holds[a].is_double = operands[a] != DM_OUTPUT;
	assert_true(mapping_evaluate(&model, &machine, &outer, &mapping));
	return mapping_cycles(&model, &machine, &outer, &mapping, 1, NULL).cycles;
}

/* It takes what the paper says, which hides all copies of these, but does not count how the first registers are filled. */
static void cycles_are_those_of_loopc(void **state)
{
	static const int layer_of[PRICED] = { CONV4_2, CONV5_2, CONV5_2 };

	(void)state;
	for (int i = 0; i < PRICED; i++) {
		const struct dm_layer *layer = &layers[layer_of[i]];
		struct dm_price price;
		long filling;

		dm_evaluate(layer, &dm_paper, &priced[i], &price);
		filling = price.region[DM_SPACE][DM_INPUT] > price.region[DM_SPACE][DM_WEIGHT] ?
			price.region[DM_SPACE][DM_INPUT] : price.region[DM_SPACE][DM_WEIGHT];
		assert_number(cycles_of_loopc(layer, &priced[i]) - (double)filling, price.cycles);
	}
}

static int print_best(const char *name)
{
	for (int i = 0; i < LAYERS; i++) {
		struct dm_best best;

		if (strcmp(name, layers[i].name) != 0)
			continue;
		dm_search(&layers[i], &dm_paper, false, &best);
		printf("%s: %ld tilings, %.4e = %.0f pJ x %.0f cycles\n", name, best.tilings, best.edp,
			best.energy_pj, best.cycles);
		return 0;
	}
	return 1;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(outputs_stay_for_many_passes),
		cmocka_unit_test(outputs_come_back_in_each_pass),
		cmocka_unit_test(outputs_are_written_once),
		cmocka_unit_test(best_mappings_are_found),
		cmocka_unit_test(words_are_those_of_loopc),
		cmocka_unit_test(cycles_are_those_of_loopc),
	};

	if (argc > 2 && strcmp(argv[1], "all") == 0)
		return print_best(argv[2]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
