/* The search for mappings to processing elements (passes/search/mapping_search.h) against all of them: small nests, arrays
 * of up to four elements, a few words of registers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "passes/cost/model_math.h"
#include "passes/search/mapping_search.h"
#include "tests/optimality/simulate.h"

enum { RUNS_OF_SEED = 4000, RUNS = 7 * RUNS_OF_SEED, JOINT_RUNS = 150 };

struct brute {
	const struct nest_model *model;
	const struct pe_array *machine;
	const struct schedule *outer;
	const struct mapping_rules *rules;
	const struct prices *prices;
	struct mapping_problem problem;
	struct mapping mapping, winner;
	double best, cycles;
	bool is_regular;
};

static void weigh(struct brute *brute)
{
	struct mapping mapping = brute->mapping;
	double value;

	for (int a = 0; a < brute->model->array_count; a++) {
		const struct model_array *array = &brute->model->arrays[a];

		mapping.holds[a].is_double = brute->machine->is_double && mapping.holds[a].depth > 0 && !array->anchored &&
			!array->is_written;
		mapping.holds[a].may_add = brute->rules->sums >> a & brute->rules->accumulating >> brute->outer->storage[a].memory & 1;
	}
	if (!mapping_evaluate(brute->model, brute->machine, brute->outer, &mapping))
		return;
	brute->problem.outer = brute->outer;
	value = mapping_cost_of(&brute->problem, &mapping).value;
	if (value < brute->best || (value <= brute->best && (double)mapping.cycles < brute->cycles)) {
		brute->best = value;
		brute->winner = mapping;
		brute->cycles = (double)mapping.cycles;
	}
}

static bool moves(const struct model_array *array, int loop)
{
	bool found = false;

	for (int d = 0; d < array->rank; d++)
		found = found || array->dims[d].coefficient[loop] > 0;
	return found;
}

/* Every place for the registers of array A and those after it. */
static void try_holds(struct brute *brute, int a)
{
	const struct schedule *outer = brute->outer;
	const struct hold_rule *rule = &brute->rules->holds[a];

	if (a == brute->model->array_count) {
		weigh(brute);
		return;
	}
	for (int depth = 0; depth <= outer->depth + brute->mapping.depth; depth++) {
		int loop = depth == 0 ? -1 : depth <= outer->depth ? outer->order[depth - 1] :
			brute->mapping.order[depth - 1 - outer->depth];
		enum hold_place place = depth == 0 ? HOLD_OUTSIDE : depth <= outer->depth ? HOLD_IN_TILE : HOLD_IN_STEP;

		/* what bypasses memories is in registers as long as it is on chip */
		if (outer->storage[a].memory && depth != outer->storage[a].store)
			continue;
		if (depth < outer->storage[a].store || (loop >= 0 && !moves(&brute->model->arrays[a], loop)))
			continue;
		if (rule->place != HOLD_FREE && (rule->place != place || (loop >= 0 && rule->loop != loop)))
			continue;
		brute->mapping.holds[a] = (struct hold){ .depth = depth, .slots = 1 };
		try_holds(brute, a + 1);
	}
}

/* Every order of the step loops from POSITION on. */
static void try_orders(struct brute *brute, int position)
{
	int *order = brute->mapping.order;

	if (position == brute->mapping.depth) {
		try_holds(brute, 0);
		return;
	}
	for (int i = position; i < brute->mapping.depth; i++) {
		int first = order[position];

		order[position] = order[i];
		order[i] = first;
		try_orders(brute, position + 1);
		order[i] = order[position];
		order[position] = first;
	}
}

/* Steps, boxes of elements and iterations of the busiest one that loop LOOP takes, counted one by one. */
struct counted { long steps, boxes, cycles; };
static struct counted count_share(const struct brute *brute, int loop, long part, long space)
{
	long extent = brute->model->loops[loop].extent, tile = brute->outer->tile[loop];
	struct counted counted = { 0, 0, 0 };

	for (long first = 0; first < extent; first += tile) {
		long end = first + tile < extent ? first + tile : extent;

		for (long i = first; i < end; i += part) {
			counted.boxes++;
			if ((i - first) / part % space == 0) {
				counted.steps++;
				counted.cycles += i + part < end ? part : end - i;
			}
		}
	}
	return counted;
}

/* Regions are boxes that are cut along each loop by itself, and nothing is missing of them: then a smaller size that takes as
 * few steps, boxes and iterations is as good.  Else larger ones might be better, but are not in the space. */
static bool is_in_space(const struct brute *brute, int loop, long part, long space)
{
	struct counted it = count_share(brute, loop, part, space);

	for (long smaller = 1; smaller < part && !brute->is_regular && brute->rules->part[loop] == 0; smaller++) {
		struct counted other = count_share(brute, loop, smaller, space);

		if ((space - 1) * smaller < brute->outer->tile[loop] && other.steps <= it.steps && other.boxes <= it.boxes &&
			other.cycles <= it.cycles)
			return false;
	}
	return true;
}

static bool is_regular(const struct nest_model *model)
{
	bool is_regular = true;

	for (int a = 0; a < model->array_count; a++)
		for (int l = 0; l < model->loop_count; l++) {
			int dims = 0;

			for (int d = 0; d < model->arrays[a].rank; d++) {
				const struct model_dim *dim = &model->arrays[a].dims[d];

				dims += dim->coefficient[l] > 0;
				is_regular = is_regular && dim->clip_high == 0 && dim->coefficient[l] <= dim->window;
			}
			is_regular = is_regular && dims <= 1;
		}
	return is_regular;
}

/* Every way to share LOOP and those after it. */
static void try_shares(struct brute *brute, int loop)
{
	const struct mapping_rules *rules = brute->rules;
	long tile = brute->outer->tile[loop], elements = (long)brute->machine->x * brute->machine->y;

	if (loop == brute->model->loop_count) {
		mapping_order(brute->model, brute->outer, &brute->mapping);
		try_orders(brute, 0);
		return;
	}
	for (long space = 1; space <= (rules->shareable >> loop & 1 ? elements : 1); space++)
		for (long part = 1; part <= tile; part++)
			for (int axis = AXIS_X; axis <= AXIS_FREE; axis++) {
				if ((axis == AXIS_FREE) != brute->machine->is_free || (space == 1 && axis == AXIS_Y))
					continue;
				if ((rules->part[loop] > 0 && rules->part[loop] != part) ||
					(rules->space[loop] > 0 && rules->space[loop] != space) ||
					(space > 1 && rules->axis[loop] >= 0 && rules->axis[loop] != axis) ||
					!is_in_space(brute, loop, part, space))
					continue;
				brute->mapping.space[loop] = space;
				brute->mapping.part[loop] = part;
				brute->mapping.axis[loop] = (enum axis)axis;
				try_shares(brute, loop + 1);
			}
}

static void random_machine(struct random_source *source, struct pe_array *machine)
{
	static const int sizes[][2] = { { 2, 2 }, { 1, 4 }, { 4, 1 }, { 2, 1 }, { 1, 1 } };
	int size = (int)random_below(source, 5);

	*machine = (struct pe_array){ .x = sizes[size][0], .y = sizes[size][1], .registers_bytes = 4 * (4 + random_below(source, 21)),
		.multicast = (unsigned)random_below(source, 8), .reduce = (unsigned)random_below(source, 8),
		.is_free = random_below(source, 3) == 0, .is_double = random_below(source, 3) == 0, .shares_room = random_below(source, 3) == 0,
		.mac_cycles = (double)(1 + random_below(source, 3)) / 2, .words_per_cycle = (double)(1 + random_below(source, 2)),
		.memory_words_per_cycle = { (double)random_below(source, 3), (double)random_below(source, 3) } };
	for (int way = 0; way < ARRAY_WAYS; way++)
		machine->networks[way] = 1 + (int)random_below(source, 3);
}

static void random_prices(struct random_source *source, struct prices *prices)
{
	*prices = (struct prices){ .byte = 1, .moved = (double)random_below(source, 4), .delivered = (double)random_below(source, 3) / 8,
		.reduced = (double)random_below(source, 3) / 4, .multiplies = random_below(source, 4) == 0, .mac = 1 };
	if (random_below(source, 2))
		prices->cycle = (double)(1 + random_below(source, 3)) / 2;
	prices->macs = (double)random_below(source, 100);
}

/* Now and then the user says something. */
static void random_rules(struct random_source *source, const struct nest_model *model, const struct schedule *outer,
	struct mapping_rules *rules)
{
	*rules = (struct mapping_rules){ .shareable = random_below(source, 3) ? ~0u : (unsigned)random_below(source, 16) };
	rules->accumulating = random_below(source, 3) == 0;
	rules->sums = (unsigned)random_below(source, 8);
	for (int l = 0; l < model->loop_count; l++) {
		rules->axis[l] = random_below(source, 6) ? -1 : (int)random_below(source, 2);
		rules->part[l] = random_below(source, 6) ? 0 : 1 + random_below(source, outer->tile[l]);
		rules->space[l] = random_below(source, 8) ? 0 : 1 + random_below(source, 2);
	}
	for (int a = 0; a < model->array_count; a++)
		if (random_below(source, 6) == 0)
			rules->holds[a] = (struct hold_rule){ (enum hold_place)random_below(source, 4),
				(int)random_below(source, model->loop_count) };
}

static void print_nest(const struct brute *brute)
{
	print_case(brute->model, brute->outer);
	fprintf(stderr, "%d x %d elements, %ld bytes, free %d, double %d, multicast %u reduce %u\n", brute->machine->x,
		brute->machine->y, brute->machine->registers_bytes, brute->machine->is_free, brute->machine->is_double,
		brute->machine->multicast, brute->machine->reduce);
	for (int l = 0; l < brute->model->loop_count; l++)
		fprintf(stderr, "loop %d: part %ld, space %ld, axis %d; ", l, brute->rules->part[l], brute->rules->space[l],
			brute->rules->axis[l]);
	for (int a = 0; a < brute->model->array_count; a++)
		fprintf(stderr, "array %d: place %d in %d; ", a, (int)brute->rules->holds[a].place, brute->rules->holds[a].loop);
	fprintf(stderr, "\nprice %g %g %g %g, shareable %x\n", brute->prices->moved, brute->prices->delivered, brute->prices->reduced,
		brute->prices->cycle, brute->rules->shareable);
}

static void print_mapping(const struct brute *brute, const char *name, const struct mapping *mapping)
{
	fprintf(stderr, "%s: %ld cycles, steps", name, mapping->cycles);
	for (int i = 0; i < mapping->depth; i++)
		fprintf(stderr, " %d", mapping->order[i]);
	for (int l = 0; l < brute->model->loop_count; l++)
		fprintf(stderr, ", loop %d: %ld for each of %ld along %d", l, mapping->part[l], mapping->space[l],
			(int)mapping->axis[l]);
	for (int a = 0; a < brute->model->array_count; a++)
		fprintf(stderr, "; array %d at %d: %ld words, read %ld, written %ld, delivered %ld, reduced %ld", a,
			mapping->holds[a].depth, mapping->holds[a].registers, mapping->holds[a].read,
			mapping->holds[a].written, mapping->holds[a].delivered, mapping->holds[a].reduced);
	fprintf(stderr, "\n");
}

/* How often something was found, was not complete, and was compared in cycles; of those where time has a price: how often it was the best, how often the
 * bound was no less than half of that, and how often within a tenth. */
struct seen { int found, unproved, hastened, timed, timed_best, timed_proved, timed_near; };

static void compare(struct brute *brute, long points, bool hastens, struct seen *seen)
{
	struct mapping best;
	struct mapping_proof proof;
	bool is_found = mapping_search(&brute->problem, &(struct mapping_sought){ INFINITY, points }, &best, &proof);
	bool has_time = prices_have_time(brute->prices);
	double bound = mapping_bound(&brute->problem);
	double slack = 1e-9 * (1 + brute->best);

	if (proof.is_complete && is_found != (brute->best < INFINITY)) {
		print_nest(brute);
		print_mapping(brute, "least", &brute->winner);
		fail_msg("found %d, where the least is %g", is_found, brute->best);
	}
	if (is_found && proof.is_complete && fabs(proof.cost.value - brute->best) > slack && !has_time) {
		print_nest(brute);
		print_mapping(brute, "found", &best);
		print_mapping(brute, "least", &brute->winner);
		fail_msg("found %.12g, where the least is %.12g", proof.cost.value, brute->best);
	}
	if (is_found && proof.is_complete && hastens && !has_time &&
		mapping_hasten(&brute->problem, proof.cost.value * (1 + 1e-12), points, &best)) {
		assert_int_equal(best.cycles, (long)brute->cycles);
		assert_true(mapping_cost_of(&brute->problem, &best).value <= brute->best + slack);
		seen->hastened++;
	}
	assert_true(!is_found || proof.cost.value >= brute->best - slack);
	if (proof.bound > brute->best + slack || bound > brute->best + slack) {
		print_nest(brute);
		fail_msg("bounds %g and %g are above the least, %g", proof.bound, bound, brute->best);
	}
	seen->found += is_found;
	seen->unproved += !proof.is_complete;
	seen->timed += is_found && has_time;
	seen->timed_best += is_found && has_time && proof.cost.value <= brute->best + slack;
	seen->timed_proved += is_found && has_time && proof.bound >= brute->best * 0.5;
	seen->timed_near += is_found && has_time && proof.bound >= brute->best * 0.9;
}

static void search_equals_brute_force(void **state)
{
	struct arch arch = { .scratchpad_bytes = 1 << 30, .banks = 1, .align_bytes = 1, .startup_cycles = 3, .bytes_per_cycle = 2,
		.channels = 1, .max_rank = 1 };
	/* others than the first have found something once */
	static const unsigned long seeds[] = { 10, 12, 15, 30, 51, 319, 395 };
	struct random_source source = { 0 };
	struct seen seen = { 0 };
	int none = 0, regular = 0;

	(void)state;
	for (int i = 0; i < RUNS; i++) {
		struct nest_model model;
		struct schedule outer;
		struct pe_array machine;
		struct mapping_rules rules;
		struct prices prices;
		struct brute brute = { &model, &machine, &outer, &rules, &prices, { .macs = 0 }, { .depth = 0 }, { .depth = 0 },
			INFINITY, INFINITY, false };

		if (i % RUNS_OF_SEED == 0)
			source = (struct random_source){ seeds[i / RUNS_OF_SEED] };
		random_model(&source, 3, 6, &model);
		random_schedule(&source, &model, &outer);
		random_machine(&source, &machine);
		random_split(&source, &model, &machine);
		random_prices(&source, &prices);
		if (!schedule_evaluate(&model, &arch, &outer))
			continue;
		random_rules(&source, &model, &outer, &rules);
		brute.problem = (struct mapping_problem){ &model, &machine, &outer, &rules, &prices, 1, (double)outer.total_bytes,
			copies_of(&model, &arch, &outer), NULL };
		/* a run is no shorter than its copies, however little is computed */
		assert_true(run_cycles(&brute.problem.copies, 0, 0) >= brute.problem.copies.least);
		brute.is_regular = is_regular(&model);
		regular += brute.is_regular;
		try_shares(&brute, 0);
		compare(&brute, 1000000, i % 2, &seen);
		assert_int_equal(seen.unproved, 0);
		none += brute.best == INFINITY;
	}
	/* the sample has to exercise what it is about */
	assert_true(seen.found > RUNS / 3 && seen.hastened > RUNS / 10 && none > RUNS / 100 && regular > RUNS / 10);
	assert_true(seen.timed > RUNS / 10 && seen.timed_best > seen.timed * 19 / 20);
	assert_true(seen.timed_proved > seen.timed * 3 / 4 && seen.timed_near > seen.timed / 3);
}

/* ---- schedules and mappings together ---- */

struct joint {
	struct brute brute;
	const struct arch *arch;
	struct schedule outer;
	unsigned bypassing;              /* bit a: array a may bypass memories */
	struct schedule cheapest;        /* with the present tiles, order and stores */
	double best;
};

/* Bytes of external memory at least, with the present tiles, order and stores; INFINITY: nothing fits. */
static double least_traffic(struct joint *joint, int a)
{
	const struct nest_model *model = joint->brute.model;
	struct storage *storage = &joint->outer.storage[a];
	double least = INFINITY;
	long most;

	if (a == model->array_count) {
		struct schedule schedule = joint->outer;

		if (!schedule_evaluate(model, joint->arch, &schedule))
			return INFINITY;
		if (joint->cheapest.total_bytes < 0 || schedule.total_bytes < joint->cheapest.total_bytes)
			joint->cheapest = schedule;
		return (double)schedule.total_bytes;
	}
	most = storage->store > 0 ? model->loops[joint->outer.order[storage->store - 1]].extent : 1;
	for (storage->slots = 1; storage->slots <= most; storage->slots++)
		for (int slides = 0; slides < 2; slides++) {
			storage->is_sliding = slides;
			least = fmin(least, least_traffic(joint, a + 1));
		}
	storage->slots = 1;
	storage->is_sliding = false;
	return least;
}

/* Bytes of the cheapest schedule that bypass memories. */
static double bypassed(const struct joint *joint)
{
	double bytes = 0;

	for (int a = 0; a < joint->brute.model->array_count; a++)
		if (joint->cheapest.storage[a].memory)
			bytes += (double)flow_bytes(&joint->cheapest.storage[a].flow);
	return bytes;
}

/* Each tile loop moves the region of a buffer inside it: others are not in the space. */
static bool moves_buffers(const struct joint *joint)
{
	const struct nest_model *model = joint->brute.model;

	for (int i = 0; i < joint->outer.depth; i++) {
		bool moves_one = false;

		for (int a = 0; a < model->array_count; a++)
			moves_one = moves_one || (joint->outer.storage[a].store > i && moves(&model->arrays[a], joint->outer.order[i]));
		if (!moves_one)
			return false;
	}
	return true;
}

/* Every place for the buffer of array A and those after it. */
static void try_stores(struct joint *joint, int a)
{
	const struct nest_model *model = joint->brute.model;
	struct brute *brute = &joint->brute;
	double traffic;

	if (a < model->array_count) {
		for (int store = 0; store <= joint->outer.depth; store++)
			if (store == 0 || moves(&model->arrays[a], joint->outer.order[store - 1])) {
				joint->outer.storage[a] = (struct storage){ .store = store, .slots = 1 };
				try_stores(joint, a + 1);
				joint->outer.storage[a].memory = model->bypass_memory;
				if (joint->bypassing >> a & 1)
					try_stores(joint, a + 1);
			}
		return;
	}
	if (!moves_buffers(joint))
		return;
	joint->cheapest.total_bytes = -1;
	traffic = least_traffic(joint, 0);
	if (traffic < INFINITY)
		traffic -= brute->prices->access * bypassed(joint);
	if (traffic == INFINITY || (traffic >= joint->best && !brute->prices->multiplies))
		return;
	brute->best = joint->best;
	brute->cycles = 0;
	brute->outer = &joint->outer;
	brute->mapping = (struct mapping){ .depth = 0 };
	brute->problem = (struct mapping_problem){ model, brute->machine, brute->outer, brute->rules, brute->prices, 1,
		traffic + brute->prices->mac * brute->prices->macs, copies_of(model, joint->arch, &joint->cheapest), NULL };
	try_shares(brute, 0);
	joint->best = fmin(joint->best, brute->best);
}

static void try_tile_orders(struct joint *joint, int position)
{
	int *order = joint->outer.order;

	if (position == joint->outer.depth) {
		try_stores(joint, 0);
		return;
	}
	for (int i = position; i < joint->outer.depth; i++) {
		int first = order[position];

		order[position] = order[i];
		order[i] = first;
		try_tile_orders(joint, position + 1);
		order[i] = order[position];
		order[position] = first;
	}
}

/* Every size of LOOP's tiles, and of those after it: the least for each number of them. */
static void try_tiles(struct joint *joint, int loop)
{
	const struct nest_model *model = joint->brute.model;
	long extent;

	if (loop == model->loop_count) {
		joint->outer.depth = 0;
		for (int l = 0; l < model->loop_count; l++) {
			if (joint->outer.tile[l] < model->loops[l].extent)
				joint->outer.order[joint->outer.depth++] = l;
			joint->outer.is_serpentine[l] = !model->loops[l].is_forward;
		}
		try_tile_orders(joint, 0);
		return;
	}
	extent = model->loops[loop].extent;
	for (long tile = 1; tile <= extent; tile++) {
		if (tile > 1 && (extent - 1) / tile == (extent - 1) / (tile - 1))
			continue;
		joint->outer.tile[loop] = tile;
		try_tiles(joint, loop + 1);
	}
}

/* Registers keep more than a region, or loops over steps turn. */
static bool keeps_more(const struct nest_model *model, const struct mapping *mapping)
{
	for (int a = 0; a < model->array_count; a++)
		if (mapping->holds[a].slots > 1 || mapping->holds[a].is_sliding)
			return true;
	for (int l = 0; l < model->loop_count; l++)
		if (mapping->is_serpentine[l])
			return true;
	return false;
}

static void joint_search_equals_brute_force(void **state)
{
	struct random_source source = { 3 };
	int found = 0, proved = 0, weighed = 0, timed = 0, near = 0, beyond = 0, apart = 0, alike = 0;

	(void)state;
	for (int i = 0; i < JOINT_RUNS; i++) {
		struct nest_model model;
		struct arch arch = { .scratchpad_bytes = 16 + random_below(&source, 80), .banks = 1, .align_bytes = 1,
			.has_pe_array = true, .startup_cycles = random_below(&source, 5), .bytes_per_cycle = 2, .channels = 1,
			.max_rank = 1 + (int)random_below(&source, 2) };
		struct element_options elements;
		struct search_options options;
		struct schedule best;
		struct proof proof;
		struct joint joint = { .arch = &arch, .best = INFINITY };
		struct objective asked;
		bool is_found, has_time, is_beyond;
		double value, slack;

		random_model(&source, 2 + (int)random_below(&source, 2), 4, &model);
		if (random_below(&source, 2))
			alike += make_alike(&model);
		for (int l = 0; l < model.loop_count; l++)
			model.loops[l].tile = 0;
		random_machine(&source, &arch.array);
		random_split(&source, &model, &arch.array);
		if (random_below(&source, 3) == 0) {
			arch.memories[0] = arch_memory(&arch, 0);
			arch.memories[1] = (struct arch_memory){ .name = "bypass", .bytes = 200, .banks = 1, .align_bytes = 1 };
			arch.scratchpad_bytes += arch.memories[1].bytes;
			arch.memory_count = 2;
			arch.bypass_memory = model.bypass_memory = 1;
			joint.bypassing = 1 + (unsigned)random_below(&source, 7);
		}
		search_options_init(&options);
		random_prices(&source, &options.prices);
		options.prices.moved += 0.125;
		options.prices.access = (double)random_below(&source, 3) / 4;
		elements.macs = 1;
		elements.proves = true;
		elements.bypassing = joint.bypassing & ((1u << model.array_count) - 1);
		elements.rules = (struct mapping_rules){ .shareable = ~0u, .accumulating = random_below(&source, 4) == 0,
			.sums = (unsigned)random_below(&source, 8) };
		for (int l = 0; l < model.loop_count; l++)
			elements.rules.axis[l] = -1;
		options.elements = &elements;
		joint.brute = (struct brute){ .model = &model, .machine = &arch.array, .rules = &elements.rules,
			.prices = &options.prices };
		try_tiles(&joint, 0);
		is_found = search_schedule(&model, &arch, &options, &best, &proof);
		asked = objective_priced(RANK_ASKED, &options.prices, arch.max_rank == 1);
		has_time = prices_have_time(&options.prices);
		is_beyond = is_found && keeps_more(&model, &proof.mapping);
		value = is_found ? objective_value(&asked, &best.cost) : INFINITY;
		slack = 1e-6 * (1 + joint.best);
		/* where time has a price brute force looks at fewer slots, and never at what registers may keep */
		if (joint.best < INFINITY && (!is_found || (value < joint.best - slack && !has_time && !is_beyond) ||
			proof.bound_priced > joint.best + slack || (proof.bound_priced >= value && value > joint.best + slack))) {
			print_case(&model, &best);
			joint.brute.outer = &best;
			print_nest(&joint.brute);
			fail_msg("case %d: found %.9g, bound %.9g, where the least is %.9g in %ld bytes", i, value,
				proof.bound_priced, joint.best, arch.scratchpad_bytes);
		}
		found += is_found && joint.best < INFINITY;
		for (int a = 0; is_found && a < model.array_count; a++)
			apart += bypasses(&model, &best.storage[a]);
		beyond += is_beyond;
		proved += is_found && (has_time || proof.bound_priced >= value);
		weighed += is_found && best.cost.computing_price > 0;
		timed += is_found && has_time;
		near += is_found && has_time && value <= joint.best * 1.02 && proof.bound_priced >= value * 0.3;
	}
	assert_true(found > JOINT_RUNS / 2 && proved >= found * 9 / 10 && weighed > JOINT_RUNS / 2);
	assert_true(beyond < JOINT_RUNS / 3 && apart > JOINT_RUNS / 10);
	assert_true(alike > JOINT_RUNS / 6);
	assert_true(timed > JOINT_RUNS / 5 && near > timed * 4 / 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(search_equals_brute_force),
		cmocka_unit_test(joint_search_equals_brute_force),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
