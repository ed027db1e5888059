/* What a mapping costs: as its steps are timed, at a glance, and at least of all that it stands for in a search. */

#include <math.h>

#include "passes/search/mapping_state.h"

static double words_price(const struct mapping_problem *problem, const struct mapping *mapping)
{
	const struct prices *prices = problem->prices;
	double price = 0;

	for (int a = 0; a < problem->model->array_count; a++) {
		const struct hold *hold = &mapping->holds[a];

		double moved = bypasses(problem->model, &problem->outer->storage[a]) ? 0 : prices->moved;

		price += (moved * (double)(hold->read + hold->written) + prices->delivered * (double)hold->delivered +
			prices->reduced * (double)hold->reduced) * problem->model->arrays[a].element_bytes;
	}
	return price;
}

static double least_cycles(const struct mapping_problem *problem, const struct mapping *mapping)
{
	struct array_work work = mapping_work(problem->model, problem->outer, mapping,
		(double)mapping->cycles * problem->macs);

	work.elements = 1;
	return array_least_cycles(problem->machine, &work);
}

static struct mapping_cost cost_with(const struct mapping_problem *problem, const struct mapping *mapping,
	const struct array_time *time)
{
	struct mapping_cost cost = { .words = words_price(problem, mapping), .cycles = time->cycles, .late = time->late,
		.timed = time->timed };

	cost.value = prices_with_time(problem->prices, problem->base + cost.words,
		run_cycles(&problem->copies, cost.cycles, cost.late));
	return cost;
}

struct mapping_cost mapping_cost_of(const struct mapping_problem *problem, const struct mapping *mapping)
{
	struct array_time time = { 0, 0, 0 };

	if (prices_have_time(problem->prices))
		time = mapping_cycles(problem->model, problem->machine, problem->outer, mapping, problem->macs, &problem->copies);
	return cost_with(problem, mapping, &time);
}

struct mapping_cost mapping_cost_about(const struct mapping_problem *problem, const struct mapping *mapping)
{
	struct array_time time = { 0, 0, 0 };

	if (prices_have_time(problem->prices)) {
		time.cycles = least_cycles(problem, mapping);
		time.late = fmax(problem->copies.beside - time.cycles, 0);
	}
	return cost_with(problem, mapping, &time);
}

/* The step loop at PLACE takes as few iterations as any that MAPPING stands for: it is outside of the registers of arrays alone whose words are the same
 * with more (mapping_operands.c). */
static bool stands_for_larger(const struct mapping_problem *problem, const struct mapping *mapping, int place)
{
	bool stands = true;

	for (int a = 0; a < problem->model->array_count; a++)
		if (mapping->holds[a].depth - problem->outer->depth > place)
			stands = stands && windows_touch(&problem->model->arrays[a], mapping->order[place]);
	return stands;
}

/* Words of array A that all elements together have room for beside the other arrays, each word once. */
static double room_of_all(const struct mapping_problem *problem, const struct mapping *mapping, int a)
{
	const struct model_array *array = &problem->model->arrays[a];
	const struct pe_array *machine = problem->machine;
	const struct hold *hold = &mapping->holds[a];
	long used = machine->is_split ? mapping->role_bytes[array->role] : mapping->register_bytes;
	double left = (double)(pe_array_room(machine, array->role) - used + hold->registers * array->element_bytes), elements = 1;

	for (int l = 0; l < problem->model->loop_count; l++)
		elements *= array_is_indexed(array, l) ? (double)mapping->space[l] : 1;
	return elements * floor(left / (array->element_bytes * (hold->is_double && !machine->shares_room ? 2 : 1)));
}

/* How words of array A come to its registers in MAPPING, and in all mappings that it stands for. */
static struct register_visits visits_of(const struct mapping_problem *problem, const struct mapping *mapping, int a)
{
	const struct nest_model *model = problem->model;
	const struct schedule *outer = problem->outer;
	const struct hold *hold = &mapping->holds[a];
	bool is_in_step = hold->depth > outer->depth, is_outside[MODEL_LOOPS] = { false };
	struct register_visits visits = { .words = (double)hold->read, .visits = 1, .iterations = 1,
		.is_hidden = hold->is_double && !model->arrays[a].is_written };
	double of_all[MODEL_LOOPS];

	for (int l = 0; l < model->loop_count; l++)
		of_all[l] = (double)(is_in_step ? outer->tile[l] : model->loops[l].extent);
	for (int i = 0; i < (is_in_step ? outer->depth : hold->depth); i++) {
		int l = outer->order[i];

		visits.visits *= (double)tile_count(model->loops[l].extent, outer->tile[l]);
		of_all[l] = (double)outer->tile[l];
	}
	for (int i = 0; i < hold->depth - outer->depth; i++) {
		int l = mapping->order[i];
		long tile = outer->tile[l];
		struct share share = share_of(problem->model, outer, l, mapping->part[l], mapping->space[l]);

		is_outside[l] = true;
		visits.visits *= share.steps / (double)tile_count(model->loops[l].extent, tile);
		if (!stands_for_larger(problem, mapping, i))
			of_all[l] = fmin((double)tile, longest_part(tile, mapping->part[l], mapping->space[l]) * (double)mapping->space[l]);
	}
	for (int l = 0; l < model->loop_count; l++)
		visits.iterations *= is_outside[l] ? share_of(problem->model, outer, l, mapping->part[l], mapping->space[l]).cycles :
			last_parts(model->loops[l].extent, outer->tile[l], mapping->part[l], mapping->space[l]);
	visits.most = fmin(box_elements(&model->arrays[a], of_all), room_of_all(problem, mapping, a));
	return visits;
}

/* The least cycles with bursts, as they are in all mappings that MAPPING stands for. */
static double cycles_with_bursts(const struct mapping_problem *problem, const struct mapping *mapping)
{
	struct array_work work = mapping_work(problem->model, problem->outer, mapping, (double)mapping->cycles * problem->macs);
	struct register_visits visits[MODEL_ARRAYS];

	work.elements = 1;
	for (int a = 0; a < problem->model->array_count; a++)
		visits[a] = visits_of(problem, mapping, a);
	work.bursts = array_bursts(problem->machine, visits, problem->model->array_count,
		problem->macs * problem->machine->mac_cycles);
	return array_least_cycles(problem->machine, &work);
}

double mapping_relaxed_value(const struct mapping_problem *problem, const struct mapping *mapping)
{
	double cycles = 0;

	if (prices_have_time(problem->prices))
		cycles = fmax(cycles_with_bursts(problem, mapping) + problem->copies.alone, problem->copies.least);
	return prices_with_time(problem->prices, problem->base + words_price(problem, mapping), cycles);
}
