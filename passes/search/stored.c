/* What an array that is stored moves and holds, with more slots or fewer. */

#include "passes/search/search_state.h"

#include <math.h>

double round_bytes(const struct space *space, int a, double bytes)
{
	double granule = room_of(space, a)->granule;

	return ceil(bytes / granule) * granule;
}

double slots_memory(const struct space *space, int a, const struct stored *stored, long slots)
{
	double bytes = stored->memory + stored->memory_step * (double)(slots - 1);

	if (bytes > stored->memory_most)
		bytes = stored->memory_most;
	return round_bytes(space, a, fmax(bytes, stored->memory_floor));
}

double slots_traffic(const struct stored *stored, long slots)
{
	if (slots == stored->tiles && slots > 1)
		return stored->full_bytes;
	return stored->bytes - stored->slope * (double)(slots - 1);
}

/* Visits that move something, and those that do not. */
static double visits_of_slots(const struct space *space, int a, const struct stored *stored, long slots)
{
	double visits = stored->visits - stored->turns * (double)slots;

	if (space->visit_bytes[a] <= 0)
		return 0;
	return visits * (space->model->arrays[a].is_written ? 2 : 1) - stored->first_visits *
		space->first_bytes[a] / space->model->arrays[a].element_bytes;
}

double command_count(const struct space *space, int a, const struct stored *stored,
	long slots)
{
	double count = visits_of_slots(space, a, stored, slots);

	if (stored->most_moved > 0)
		return fmin(count, slots_traffic(stored, slots) / stored->most_moved);
	return stored->idle > 0 ? fmax(count - stored->idle, 0) : count;
}

/* The slots that are worth trying. */
static void slots_range(const struct space *space, int a, struct stored *stored)
{
	long fixed = space->options->slots[a];

	stored->least = fixed > 0 ? fixed : 1;
	stored->most = stored->turns > 0 ? stored->most_slots : 1;
	if (stored->most == stored->tiles && stored->most > 1 && !space->is_full_useful[a])
		stored->most--;
	if (fixed > 0)
		stored->most = fixed;
}

static double raw_memory(const struct stored *stored, long slots)
{
	return fmin(stored->memory + stored->memory_step * (double)(slots - 1),
		stored->memory_most);
}

long slots_of_floor(const struct stored *stored)
{
	double left = stored->memory_floor - raw_memory(stored, stored->least);

	return left > 0 ? (long)(left / stored->memory_step) + 1 : 0;
}

/* What more slots than the least save, at the best rate that any number of them
 * has; what costs nothing is taken off the least. */
void slots_saving(const struct space *space, int a, struct stored *stored)
{
	long tried[3];
	double free_bytes = 0;

	slots_range(space, a, stored);
	stored->least_bytes = slots_traffic(stored, stored->least);
	stored->least_memory = slots_memory(space, a, stored, stored->least);
	stored->least_commands = command_count(space, a, stored, stored->most);
	stored->saving = (struct saving){ 0, 0 };
	if (stored->least == stored->most)
		return;
	/* linear up to where a ring holds everything */
	tried[0] = stored->most > stored->least + 2 ? stored->most - 2 : stored->least + 1;
	tried[1] = stored->most > stored->least + 1 ? stored->most - 1 : stored->most;
	tried[2] = stored->most;
	for (int i = 0; i < 3; i++) {
		double saved = stored->least_bytes - slots_traffic(stored, tried[i]);
		double raw = raw_memory(stored, tried[i]) - raw_memory(stored, stored->least);

		if (raw <= 0)
			free_bytes = fmax(free_bytes, saved);
		else
			stored->saving.rate = fmax(stored->saving.rate, saved / raw);
		stored->saving.most = raw;
	}
	if (slots_of_floor(stored) > 0) {
		long most = stored->least + slots_of_floor(stored);

		free_bytes = fmax(free_bytes, stored->least_bytes
			- slots_traffic(stored, most < stored->most ? most : stored->most));
	}
	stored->least_bytes -= free_bytes;
}
