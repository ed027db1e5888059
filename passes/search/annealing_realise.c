/* What a candidate of the search at random comes to: the schedule that it cuts, the mapping of its tiles, and what both cost. */

#include <string.h>

#include "passes/search/annealing_state.h"

/* The depth of the buffer of array A: inside the loop that the candidate says, or the next one outside that moves it. */
static int store_depth(const struct space *space, const struct candidate *candidate, const int *loops, int depth, int a)
{
	while (depth > 0 && candidate->store[a] != loops[depth - 1])
		depth--;
	while (depth > 0 && !moves(space, a, loops[depth - 1]))
		depth--;
	return depth;
}

/* Stores the arrays that are to be at DEPTH of the tree's path; false if one cannot. */
static bool store_at(struct tree *tree, const int *stores, int depth)
{
	struct level *level = &tree->levels[depth];

	for (int a = 0; a < tree->space->model->array_count; a++) {
		if (stores[a] != depth)
			continue;
		if (!store_array(tree, a, depth, true))
			return false;
		level->stored |= 1u << a;
	}
	return true;
}

/* Loops that no buffer is inside of cut nothing. */
static void cuts_of(const struct space *space, const struct candidate *candidate, struct cuts *cuts)
{
	int depth = 0;

	memset(cuts, 0, sizeof *cuts);
	for (int i = 0; i < space->model->loop_count; i++)
		if (candidate->choice[candidate->tile_order[i]] != WHOLE)
			cuts->loops[depth++] = candidate->tile_order[i];
	for (int a = 0; a < space->model->array_count; a++) {
		cuts->stores[a] = store_depth(space, candidate, cuts->loops, depth, a);
		cuts->depth = cuts->stores[a] > cuts->depth ? cuts->stores[a] : cuts->depth;
		cuts->doubles |= cuts->stores[a] > 0 ? candidate->doubles & 1u << a : 0;
	}
	for (int d = 0; d < depth; d++)
		if (d < cuts->depth)
			cuts->choice[d] = candidate->choice[cuts->loops[d]];
		else
			cuts->loops[d] = 0;
}

/* Cuts and stores as CUTS says; false: it cannot be. */
static bool make_path(struct tree *tree, const struct cuts *cuts)
{
	const struct space *space = tree->space;
	bool fits;

	path_begin(tree);
	tree->doubles = cuts->doubles;
	fits = store_at(tree, cuts->stores, 0);
	for (int d = 1; d <= cuts->depth && fits; d++)
		fits = path_step(tree, d, cuts->loops[d - 1], space->choices[cuts->loops[d - 1]][cuts->choice[d - 1]]) &&
			store_at(tree, cuts->stores, d);
	return fits && path_fits(tree, cuts->depth);
}

/* What the cuts of CANDIDATE come to. */
static const struct known_cuts *make_cuts(struct annealing *annealing, const struct candidate *candidate)
{
	const struct space *space = annealing->space;
	struct cuts cuts;
	struct known_cuts *known;
	unsigned long hash = 0;

	cuts_of(space, candidate, &cuts);
	for (int d = 0; d < cuts.depth; d++)
		hash = (hash + (unsigned long)cuts.loops[d] * MODEL_LOOPS + (unsigned long)cuts.choice[d]) * 0x9E3779B97F4A7C15UL;
	for (int a = 0; a < space->model->array_count; a++)
		hash = (hash + (unsigned long)cuts.stores[a] * 2 + (cuts.doubles >> a & 1)) * 0x9E3779B97F4A7C15UL;
	known = &annealing->known[(hash ^ hash >> 32) % KNOWN_CUTS];
	if (known->is_known && memcmp(&known->cuts, &cuts, sizeof cuts) == 0)
		return known;
	known->cuts = cuts;
	known->is_known = true;
	known->may_be = make_path(annealing->tree, &cuts);
	if (!known->may_be)
		return known;
	path_schedule(annealing->tree, cuts.depth, &known->schedule);
	known->may_be = schedule_evaluate(space->model, space->arch, &known->schedule);
	if (known->may_be)
		known->problem = elements_problem(space, &known->schedule);
	return known;
}

/* The registers of array A are where the candidate says, or in the next loop outside that moves it, and no further out than
 * its buffer. */
static int hold_depth(const struct space *space, const struct candidate *candidate, const struct realised *realised, int a)
{
	const struct schedule *outer = &realised->schedule;
	int depth = outer->depth + realised->mapping.depth, store = outer->storage[a].store;

	if (is_bypassed(space, a))
		return store;
	for (; depth > store; depth--) {
		bool is_step = depth > outer->depth;
		int loop = is_step ? realised->mapping.order[depth - 1 - outer->depth] : outer->order[depth - 1];

		if (candidate->hold[a] == (is_step ? MODEL_LOOPS + loop : loop))
			break;
	}
	for (; depth > store; depth--) {
		int loop = depth > outer->depth ? realised->mapping.order[depth - 1 - outer->depth] : outer->order[depth - 1];

		if (moves(space, a, loop))
			break;
	}
	return depth;
}

static void make_mapping(const struct space *space, const struct candidate *candidate, const struct mapping_problem *problem,
	struct realised *realised)
{
	struct mapping *mapping = &realised->mapping;
	const struct pe_array *machine = &space->arch->array;

	memset(mapping, 0, sizeof *mapping);
	for (int l = 0; l < space->model->loop_count; l++) {
		long tile = realised->schedule.tile[l], part = candidate->part[l] < tile ? candidate->part[l] : tile;
		long most = tile_count(tile, part);

		mapping->part[l] = part;
		mapping->space[l] = candidate->space[l] < most ? candidate->space[l] : most;
		mapping->axis[l] = machine->is_free ? AXIS_FREE : candidate->axis[l];
	}
	for (int i = 0; i < space->model->loop_count; i++) {
		int loop = candidate->step_order[i];

		if (tile_count(realised->schedule.tile[loop], mapping_step(mapping, &realised->schedule, loop)) > 1)
			mapping->order[mapping->depth++] = loop;
		mapping->is_serpentine[loop] = mapping->depth > 0 && mapping->order[mapping->depth - 1] == loop &&
			candidate->turning >> loop & 1;
	}
	for (int a = 0; a < space->model->array_count; a++) {
		mapping->holds[a] = mapping_hold(problem, a, hold_depth(space, candidate, realised, a));
		if (mapping->holds[a].depth == 0 || is_bypassed(space, a))
			continue;
		mapping->holds[a].slots = candidate->slots[a];
		mapping->holds[a].is_sliding = candidate->sliding >> a & 1;
	}
}

bool annealing_realise(struct annealing *annealing, const struct candidate *candidate, double most, struct realised *realised)
{
	const struct space *space = annealing->space;
	const struct known_cuts *known = make_cuts(annealing, candidate);
	const struct mapping_problem *problem = &known->problem;
	struct mapping_cost cost;

	if (!known->may_be)
		return false;
	realised->schedule = known->schedule;
	make_mapping(space, candidate, problem, realised);
	if (!mapping_obeys(problem, &realised->mapping) ||
		!mapping_evaluate(space->model, &space->arch->array, &realised->schedule, &realised->mapping))
		return false;
	cost = mapping_cost_about(problem, &realised->mapping);
	realised->about = cost.value;
	/* most changes that change nothing there change nothing at all */
	realised->is_same = prices_have_time(problem->prices) && cost.value == annealing->about;
	if (realised->is_same)
		return true;
	if (cost.value <= most) {
		cost = mapping_cost_of(problem, &realised->mapping);
		annealing->spent += cost.timed > STEPS_TIMED ? (cost.timed - STEPS_TIMED) / STEPS_OF_POINT : 0;
	}
	if (cost.value > most)
		return false;
	add_computing(space, &(struct computing_cost){ .words = cost.words, .cycles = cost.cycles, .late = cost.late }, &realised->schedule);
	realised->value = objective_value(&space->objective, &realised->schedule.cost);
	return true;
}
