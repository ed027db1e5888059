/* What computing adds to the cost of a schedule: of processing elements, for which each leaf of the tree has a search for mappings of its own, or of a
 * core. */

#include <math.h>

#include "passes/cost/array_cycles.h"
#include "passes/cost/core_cycles.h"
#include "passes/cost/run_cycles.h"
#include "passes/search/search_state.h"

/* Words of array A, which is written, that leave elements at least where BYTES of it come and leave: as many leave as come, but
 * those that do not come first, and those that do not leave last. */
static double least_results(const struct space *space, int a, double bytes)
{
	const struct model_array *array = &space->model->arrays[a];
	double words = fmax(bytes, 0) / array->element_bytes, distinct = 1;

	if (array->is_dropped)
		return array->is_created ? words / 2 : 0;
	for (int d = 0; d < array->rank && array->is_created; d++)
		distinct *= space->distinct[a][d];
	return array->is_created ? (words + distinct) / 2 : words / 2;
}

/* Cycles in which words come to single registers or leave them: while some leave, others may come, of as many arrays at a time as there are networks. */
static double least_held_up(const struct space *space)
{
	const struct pe_array *machine = &space->arch->array;
	double comes = space->model->array_count, leaves = 0;

	for (int a = 0; a < space->model->array_count; a++)
		leaves += space->model->arrays[a].is_written;
	return machine->is_double ? 0 :
		space->least_words / (fmin(comes, machine->networks[WAY_READ]) + fmin(leaves, machine->networks[WAY_WRITE])) / machine->words_per_cycle;
}

/* Cycles of elements where arrays move so many BYTES [array] at least: each does its share of the work at best. */
static double least_cycles(const struct space *space, const double *bytes)
{
	struct array_work work = { .macs = space->iterations * space->elements->macs, .is_serial = true };

	for (int a = 0; a < space->model->array_count; a++) {
		const struct model_array *array = &space->model->arrays[a];
		double read = array->is_written ? 0 : fmax(bytes[a], 0) / array->element_bytes;
		double written = array->is_written ? least_results(space, a, bytes[a]) : 0;

		if (!space->is_coupled[a])
			array_work_add(&work, space->memory_of[a], read, written, 0, space->arch->array.is_double, false);
	}
	work.held_up = least_held_up(space);
	return array_least_cycles(&space->arch->array, &work);
}

/* The same of elements. */
static struct computing_cost least_of_elements(const struct space *space, const double *bytes, double alone)
{
	const struct prices *prices = &space->options->prices;
	struct computing_cost cost = { .alone = alone };
	double moved = 0, delivered = 0;

	/* what comes to the scratchpad comes from there to some element, and leaves likewise, as often as its region comes; where a
	 * memory adds sums up they leave alone */
	for (int a = 0; a < space->model->array_count; a++) {
		double least = space->is_coupled[a] ? 0 : fmax(bytes[a], 0) * (space->elements->rules.accumulating &&
			space->elements->rules.sums >> a & 1 ? 0.5 : 1);

		moved += is_bypassed(space, a) ? 0 : prices->moved * least;
		delivered += prices->delivered * least;
	}
	cost.words = fmax(moved, space->least_moved) + fmax(delivered, space->least_delivered);
	if (prices_have_time(prices))
		cost.cycles = least_cycles(space, bytes);
	return cost;
}

struct computing_cost least_computing(const struct space *space, const double *bytes, const struct copy_waits *waits)
{
	return space->elements ? least_of_elements(space, bytes, waits->alone) :
		(struct computing_cost){ .cycles = space->options->core_cycles, .alone = waits->alone, .in_turn = waits->in_turn };
}

/* What is left of an element's registers for array A, if each other array that shares them has a word there. */
static double room_for(const struct space *space, int a)
{
	const struct model_array *arrays = space->model->arrays;
	const struct pe_array *machine = &space->arch->array;
	double room = (double)pe_array_room(machine, arrays[a].role);

	for (int b = 0; b < space->model->array_count; b++)
		if (b != a && (!machine->is_split || arrays[b].role == arrays[a].role))
			room -= arrays[b].element_bytes;
	return room;
}

/* Adds dimension DIM with so many ITERATIONS [loop] to BOX.  False: nothing is known of how elements share it. */
static bool add_side(const struct space *space, const struct model_dim *dim, const long *iterations, struct shared_box *box)
{
	struct box_side side = { .base = (double)dim->window };

	if (dim->clip_high > 0)
		return false;
	for (int l = 0; l < space->model->loop_count; l++) {
		if (dim->coefficient[l] == 0 || iterations[l] == 1)
			continue;
		if (!(space->elements->rules.shareable >> l & 1))
			side.base += (double)(dim->coefficient[l] * (iterations[l] - 1));
		else if (side.count == BOX_LOOPS)
			return false;
		else
			side.loops[side.count++] = (struct box_loop){ (double)dim->coefficient[l], iterations[l] };
	}
	if (side.count == 0)
		box->fixed *= side.base;
	else
		box->sides[box->count++] = side;
	return true;
}

bool elements_may_hold(const struct tree *tree, int a, const long *iterations, bool is_moved)
{
	const struct space *space = tree->space;
	const struct model_array *array = &space->model->arrays[a];
	const struct pe_array *machine = &space->arch->array;
	const long none_used[] = { 1, 1, 1 };
	struct shared_box box = { .fixed = array->element_bytes };

	if (machine->is_double && !machine->shares_room && !array->is_written && !array->anchored && is_moved)
		box.fixed *= 2;
	/* a loop that moves two dimensions shares both */
	if (space->is_coupled[a])
		return true;
	for (int d = 0; d < array->rank; d++)
		if (!add_side(space, &array->dims[d], iterations, &box))
			return true;
	return shared_box_fits(tree->boxes, &box, machine, none_used, room_for(space, a));
}

struct mapping_problem elements_problem(const struct space *space, const struct schedule *outer)
{
	const struct element_options *elements = space->elements;
	struct cost cost = outer->cost;

	cost.computing_price = 0;
	return (struct mapping_problem){ .model = space->model, .machine = &space->arch->array, .outer = outer,
		.rules = &elements->rules, .prices = &space->options->prices, .macs = elements->macs,
		.base = objective_sum_of(&space->objective, &cost), .copies = copies_of(space->model, space->arch, outer) };
}

struct computing_cost elements_at_leaf(struct tree *tree, const struct schedule *schedule, const struct cost *least, double below)
{
	const struct space *space = tree->space;
	struct mapping_proof proof;
	struct mapping_problem problem = elements_problem(space, schedule);
	long most = space->leaf_points, share = tree->limits.all / 8, points = share < 250 ? 250 : share < most ? share : most;
	double alone = tree->leaf_computing.alone;
	bool found;

	problem.boxes = tree->boxes;
	/* other slots may cost less */
	problem.base = objective_sum_of(&space->objective, least);
	problem.copies.least = copy_cycles(space->arch, &least->crossings[BOUNDARY_EXTERNAL], tree->leaf_computing.coming);
	problem.copies.alone = alone;
	found = mapping_search(&problem, &(struct mapping_sought){ below, points }, &tree->leaf_mapping, &proof);
	tree->points += proof.points;
	/* who has a small share will be asked again */
	if (!proof.is_complete && points < most)
		tree->is_cut = true;
	else if (!proof.is_complete || prices_have_time(problem.prices) || space->is_any_idle)
		tree->unmapped = fmin(tree->unmapped, proof.bound);
	if (!proof.is_complete)
		tree->unsettled = fmin(tree->unsettled, proof.bound);
	return (struct computing_cost){ .words = found ? proof.cost.words : INFINITY, .cycles = found ? proof.cost.cycles : INFINITY,
		.late = found ? proof.cost.late : 0, .alone = alone };
}

void bound_computing(const struct space *space, const struct computing_cost *computing, struct cost *cost)
{
	cost->computing_price = computing->words;
	if (prices_have_time(&space->options->prices))
		cost->cycles = fmax(copy_cycles(space->arch, &cost->crossings[BOUNDARY_EXTERNAL], computing->coming),
			fmax(computing->alone + computing->cycles, computing->in_turn));
}

void add_computing(const struct space *space, const struct computing_cost *computing, struct schedule *schedule)
{
	struct copies copies;

	schedule->cost.computing_price = computing->words;
	if (!prices_have_time(&space->options->prices))
		return;
	if (!space->elements) {
		schedule->cost.cycles = core_cycles(space->model, space->arch, schedule, computing->cycles);
		return;
	}
	copies = copies_of(space->model, space->arch, schedule);
	schedule->cost.cycles = run_cycles(&copies, computing->cycles, computing->late);
}
