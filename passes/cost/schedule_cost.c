/* A schedule evaluated: what all of its arrays move together, where their buffers lie, and what it costs. */

#include "passes/cost/copy_visits.h"
#include "passes/cost/model_math.h"
#include "passes/cost/place.h"

/* Bytes of external memory that are one behind the other in a region of array A. */
static double run_bytes(const struct nest_model *model, const struct schedule *schedule, int a)
{
	double levels[MODEL_RANK + 1];

	region_levels(model, schedule, a, levels);
	return levels[0] * model->arrays[a].element_bytes;
}

/* Loops, and what makes the buffers of arrays more than one region at a time. */
static double complexity_of(const struct nest_model *model, const struct schedule *schedule)
{
	double complexity = schedule->depth;

	for (int a = 0; a < model->array_count; a++) {
		complexity += schedule->storage[a].is_sliding ? 2 : 0;
		complexity += schedule->storage[a].slots > 1 ? 2 : 0;
		complexity += schedule->storage[a].store > 0 ? 1 : 0;
	}
	return complexity;
}

/* Fills in the cost of SCHEDULE, whose flows and memory are known, and the runs of its flows. */
static void fill_cost(const struct nest_model *model, struct schedule *schedule)
{
	struct crossing external = { .bytes = (double)schedule->total_bytes };
	double bypassed = 0;

	for (int a = 0; a < model->array_count; a++) {
		struct storage *storage = &schedule->storage[a];

		storage->flow.runs = (double)flow_bytes(&storage->flow) /
			run_bytes(model, schedule, a);
		external.commands += (double)storage->flow.commands;
		external.runs += storage->flow.runs;
		if (bypasses(model, storage))
			bypassed += (double)flow_bytes(&storage->flow);
	}
	schedule->cost = (struct cost){ .crossings = { [BOUNDARY_EXTERNAL] = external },
		.bypassed_bytes = bypassed, .scratchpad_bytes = (double)schedule->scratchpad_bytes, .work = 1,
		.complexity = complexity_of(model, schedule) };
}

bool tiles_are_legal(const struct nest_model *model, const struct schedule *schedule)
{
	bool is_ordered[MODEL_LOOPS] = { false };
	int depth = 0;

	for (int l = 0; l < model->loop_count; l++) {
		if (schedule->tile[l] < 1 || schedule->tile[l] > model->loops[l].extent)
			return false;
		if (model->loops[l].tile > 0 && model->loops[l].tile != schedule->tile[l])
			return false;
		depth += schedule->tile[l] < model->loops[l].extent;
	}
	if (depth != schedule->depth)
		return false;
	for (int i = 0; i < depth; i++) {
		int loop = schedule->order[i];

		if (loop < 0 || loop >= model->loop_count || is_ordered[loop] ||
			schedule->tile[loop] == model->loops[loop].extent ||
			(schedule->is_serpentine[loop] && model->loops[loop].is_forward))
			return false;
		is_ordered[loop] = true;
	}
	return true;
}

/* The buffers of each memory lie side by side. */
static bool place_all(const struct nest_model *model, const struct arch *arch,
	struct schedule *schedule)
{
	int memory_count = arch_memory_count(arch);
	struct memory memories[MEMORY_LIMIT];
	struct place_request requests[MEMORY_LIMIT];
	struct place places[MODEL_ARRAYS];
	bool fits = true;

	for (int m = 0; m < memory_count; m++) {
		memories[m] = place_memory(arch, m);
		requests[m] = (struct place_request){ .memory = &memories[m] };
		if (memories[m].granule < 1)
			return false;
	}
	for (int a = 0; a < model->array_count; a++)
		places[a] = (struct place){ .request = schedule->storage[a].memory,
			.bytes = schedule->storage[a].bytes, .element_bytes = model->arrays[a].element_bytes };
	if (!place_buffers(places, model->array_count, requests, memory_count))
		return false;
	for (int a = 0; a < model->array_count; a++) {
		const struct memory *memory = &memories[schedule->storage[a].memory];

		schedule->storage[a].bytes = places[a].room;
		schedule->storage[a].offset = places[a].offset;
		schedule->storage[a].bank = place_bank(memory, places[a].offset);
		schedule->storage[a].bank_count = place_bank_count(memory, places[a].bytes);
	}
	for (int m = 0; m < memory_count; m++) {
		schedule->scratchpad_bytes += requests[m].bytes;
		fits = fits && requests[m].bytes <= memories[m].bytes;
	}
	return fits && (!arch->memory_count || schedule->scratchpad_bytes <= arch->scratchpad_bytes);
}

bool schedule_evaluate(const struct nest_model *model, const struct arch *arch,
	struct schedule *schedule)
{
	schedule->total_bytes = schedule->scratchpad_bytes = 0;
	if (!tiles_are_legal(model, schedule))
		return false;
	for (int a = 0; a < model->array_count; a++) {
		struct storage *storage = &schedule->storage[a];

		/* registers hold one region of what nothing else holds */
		if (bypasses(model, storage) && (storage->slots > 1 || storage->is_sliding || storage->is_double))
			return false;
		if (!array_evaluate(model, schedule, &model->arrays[a], storage) ||
			__builtin_add_overflow(schedule->total_bytes, storage->flow.read_bytes,
				&schedule->total_bytes) ||
			__builtin_add_overflow(schedule->total_bytes, storage->flow.write_bytes,
				&schedule->total_bytes))
			return false;
	}
	if (!place_all(model, arch, schedule))
		return false;
	fill_cost(model, schedule);
	return true;
}
