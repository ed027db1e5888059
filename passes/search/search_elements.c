/* What processing elements add to the cost of a schedule: each leaf of the tree has a search for mappings of its own. */

#include <math.h>

#include "passes/cost/array_cycles.h"
#include "passes/cost/run_cycles.h"
#include "passes/search/search_state.h"

/* Cycles of elements where arrays move so many BYTES [array] at least: each does its share of the work at best. */
static double least_cycles(const struct space *space, const double *bytes)
{
	struct array_work work = { .macs = space->iterations * space->elements->macs, .is_serial = true };

	for (int a = 0; a < space->model->array_count; a++) {
		const struct model_array *array = &space->model->arrays[a];

		/* sums may come back or leave */
		if (!space->is_coupled[a] && !array->is_written)
			array_work_add(&work, space->memory_of[a], fmax(bytes[a], 0) / array->element_bytes, 0, 0, true, false);
	}
	return array_least_cycles(&space->arch->array, &work);
}

struct elements_cost elements_bound(const struct space *space, const double *bytes)
{
	const struct prices *prices = &space->options->prices;
	struct elements_cost cost = { 0, 0, 0 };
	double words = 0;

	/* what comes to the scratchpad comes from there to some element, and leaves likewise, as often as its region comes; where a
	 * memory adds sums up they leave alone */
	for (int a = 0; a < space->model->array_count; a++)
		words += space->is_coupled[a] ? 0 : fmax(bytes[a], 0) * (space->elements->rules.accumulating &&
			space->elements->rules.sums >> a & 1 ? 0.5 : 1) * (prices->delivered + (is_bypassed(space, a) ? 0 : prices->moved));
	cost.words = fmax(words, space->least_elements);
	if (prices_have_time(prices))
		cost.cycles = least_cycles(space, bytes);
	return cost;
}

struct mapping_problem elements_problem(const struct space *space, const struct schedule *outer)
{
	const struct element_options *elements = space->elements;
	struct cost cost = outer->cost;

	cost.elements_price = 0;
	return (struct mapping_problem){ .model = space->model, .machine = &space->arch->array, .outer = outer,
		.rules = &elements->rules, .prices = &space->options->prices, .macs = elements->macs,
		.base = objective_sum_of(&space->objective, &cost), .copies = copies_of(space->model, space->arch, outer) };
}

struct elements_cost elements_at_leaf(struct tree *tree, const struct schedule *schedule, const struct cost *least, double below)
{
	const struct space *space = tree->space;
	struct mapping_proof proof;
	struct mapping_problem problem = elements_problem(space, schedule);
	long most = space->is_first_look ? MAPPING_LOOK_POINTS : MAPPING_LEAF_POINTS;
	long share = tree->limits.all / 8, points = share < 250 ? 250 : share < most ? share : most;
	bool found;

	/* other slots may cost less */
	problem.base = objective_sum_of(&space->objective, least);
	problem.copies.least = copy_cycles(space->arch, &least->crossings[BOUNDARY_EXTERNAL]);
	found = mapping_search(&problem, &(struct mapping_sought){ below, points, false }, &tree->leaf_mapping, &proof);
	tree->points += proof.points;
	/* who has a small share will be asked again */
	if (!proof.is_complete && points < most)
		tree->is_cut = true;
	else if (!proof.is_complete || prices_have_time(problem.prices) || space->is_any_idle)
		tree->unmapped = fmin(tree->unmapped, proof.bound);
	return found ? (struct elements_cost){ proof.cost.words, proof.cost.cycles, proof.cost.fetching } :
		(struct elements_cost){ INFINITY, INFINITY, 0 };
}

void bound_elements_cost(const struct space *space, const struct elements_cost *elements, struct cost *cost)
{
	cost->elements_price = elements->words;
	if (prices_have_time(&space->options->prices))
		cost->cycles = fmax(copy_cycles(space->arch, &cost->crossings[BOUNDARY_EXTERNAL]), elements->cycles);
}

void add_elements_cost(const struct space *space, const struct elements_cost *elements, struct schedule *schedule)
{
	struct copies copies;

	schedule->cost.elements_price = elements->words;
	if (!prices_have_time(&space->options->prices))
		return;
	copies = copies_of(space->model, space->arch, schedule);
	schedule->cost.cycles = run_cycles(&copies, elements->cycles, elements->fetching);
}
