#include "passes/cost/copy_visits.h"

#include <math.h>

#include "passes/cost/model_math.h"

double tile_iterations(const struct nest_model *model, const struct schedule *schedule, int depth)
{
	double count = 1;

	for (int i = 0; i < depth; i++)
		count *= (double)tile_count(model->loops[schedule->order[i]].extent, schedule->tile[schedule->order[i]]);
	return count;
}

double tile_turns(const struct nest_model *model, const struct schedule *schedule, int place)
{
	return tile_iterations(model, schedule, place + 1) - tile_iterations(model, schedule, place);
}

double coming_bytes(const struct nest_model *model, const struct schedule *schedule)
{
	double bytes = 0;

	for (int a = 0; a < model->array_count; a++)
		bytes += (double)schedule->storage[a].flow.read_bytes;
	return bytes;
}

bool visit_is_kept(const struct model_array *array, const struct schedule *schedule, const struct storage *storage, int place)
{
	bool turns = true;

	for (int i = place + 1; i < storage->store; i++)
		if (array_is_indexed(array, schedule->order[i]))
			turns = turns && schedule->is_serpentine[schedule->order[i]];
	return place < storage->store - 1 && turns && !array_is_indexed(array, schedule->order[place]) && array->anchored == 0;
}

double kept_turns(const struct nest_model *model, const struct schedule *schedule, int a)
{
	const struct storage *storage = &schedule->storage[a];
	double turns = 0;

	for (int place = 0; place < storage->store; place++)
		if (visit_is_kept(&model->arrays[a], schedule, storage, place))
			turns += tile_turns(model, schedule, place);
	return turns;
}

double moving_share(const struct nest_model *model, const struct schedule *schedule, int a)
{
	const struct storage *storage = &schedule->storage[a];

	return 1 - kept_turns(model, schedule, a) * (double)(storage->slots - 1) / fmax(tile_turns(model, schedule, storage->store - 1), 1);
}

int box_levels(int rank, const double *sides, const double *whole, double *levels)
{
	bool is_whole = true;
	int count = 1;

	levels[0] = 1;
	for (int d = rank - 1; d >= 0; d--) {
		/* behind a dimension that is all there the next one goes on */
		if (sides[d] > 1 && !is_whole)
			levels[count++] = 1;
		levels[count - 1] *= sides[d];
		is_whole = whole[d] > 1 ? sides[d] >= whole[d] : is_whole;
	}
	return count;
}

int region_levels(const struct nest_model *model, const struct schedule *schedule, int a, double *levels)
{
	const struct model_array *array = &model->arrays[a];
	bool is_outside[MODEL_LOOPS] = { false };
	double sides[MODEL_RANK], whole[MODEL_RANK];

	for (int i = 0; i < schedule->storage[a].store; i++)
		is_outside[schedule->order[i]] = true;
	for (int d = 0; d < array->rank; d++) {
		sides[d] = whole[d] = (double)array->dims[d].window;
		for (int l = 0; l < model->loop_count; l++) {
			double step = (double)array->dims[d].coefficient[l];

			whole[d] += step * (double)(model->loops[l].extent - 1);
			sides[d] += step * (double)((is_outside[l] ? schedule->tile[l] : model->loops[l].extent) - 1);
		}
	}
	return box_levels(array->rank, sides, whole, levels);
}

double split_commands(const struct arch *arch, double bytes, double *levels, int count)
{
	double commands = 1;

	if (arch->starts_once)
		return 1;
	for (; count > arch->max_rank && count > 1; count--) {
		int least = 1;

		for (int i = 2; i < count; i++)
			least = levels[i] < levels[least] ? i : least;
		commands *= levels[least];
		levels[least] = levels[count - 1];
	}
	return arch->max_bytes > 0 ? commands * ceil(bytes / commands / (double)arch->max_bytes) : commands;
}

/* Into how many commands a transfer of array A is split. */
static double commands_of_visit(const struct nest_model *model, const struct arch *arch, const struct schedule *schedule, int a)
{
	const struct flow *flow = &schedule->storage[a].flow;
	double levels[MODEL_RANK + 1];
	int count = region_levels(model, schedule, a, levels);

	return split_commands(arch, (double)flow_bytes(flow) / fmax((double)flow->commands, 1), levels, count);
}

double crossing_commands(const struct arch *arch, const struct crossing *crossing)
{
	double commands = arch->max_rank == 1 && !arch->starts_once ? fmax(crossing->commands, crossing->runs) : crossing->commands;

	return arch->max_bytes > 0 && !arch->starts_once ? fmax(commands, crossing->bytes / (double)arch->max_bytes) : commands;
}

struct visit_copies visit_copies(const struct nest_model *model, const struct arch *arch, const struct schedule *schedule, int a, bool is_put)
{
	const struct storage *storage = &schedule->storage[a];
	double all = (double)flow_bytes(&storage->flow), kept = kept_turns(model, schedule, a) * (double)storage->slots;
	double visits = fmax(tile_iterations(model, schedule, storage->store) - kept, 1);
	double bytes = (double)(is_put ? storage->flow.write_bytes : storage->flow.read_bytes), share = all > 0 ? bytes / all : 0;
	const struct crossing crossing = { all, (double)storage->flow.commands, storage->flow.runs };
	double commands = share * fmax(crossing_commands(arch, &crossing), crossing.commands * commands_of_visit(model, arch, schedule, a));

	return (struct visit_copies){ .commands = commands / visits, .bytes = commands > 0 ? bytes / commands : 0,
		.pieces = commands > 0 ? fmax(share * storage->flow.runs / commands, 1) : 1 };
}

void window_copies(const struct nest_model *model, const struct arch *arch, const struct schedule *schedule, int a, struct visit_copies *whole,
	struct visit_copies *new)
{
	const struct storage *storage = &schedule->storage[a];
	double runs = tile_iterations(model, schedule, storage->store - 1), steps = tile_turns(model, schedule, storage->store - 1);
	double all = (double)storage->flow.read_bytes, bytes = model->arrays[a].element_bytes, levels[MODEL_RANK + 1];

	for (int i = region_levels(model, schedule, a, levels) - 1; i >= 0; i--)
		bytes *= levels[i];
	runs = fmax(runs - kept_turns(model, schedule, a), 1);
	steps *= moving_share(model, schedule, a);
	*whole = *new = visit_copies(model, arch, schedule, a, false);
	if (new->commands <= 0 || steps <= 0)
		return;
	whole->bytes = fmin(bytes, all / runs) / whole->commands;
	new->bytes = (all - whole->bytes * whole->commands * runs) / steps / new->commands;
}
