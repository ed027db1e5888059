/* What an evaluated schedule costs, all in all. */

#include "passes/cost/model_math.h"

/* Bytes of external memory that are one behind the other in a region of ARRAY, as STORAGE
 * holds it. */
static double run_bytes(const struct nest_model *model, const struct schedule *schedule,
	const struct model_array *array, const struct storage *storage)
{
	double run = array->element_bytes;
	bool is_inside[MODEL_LOOPS];

	for (int l = 0; l < model->loop_count; l++)
		is_inside[l] = true;
	for (int i = 0; i < storage->store; i++)
		is_inside[schedule->order[i]] = false;
	for (int d = array->rank - 1; d >= 0; d--) {
		double extent = (double)array->dims[d].window, whole = extent;

		for (int l = 0; l < model->loop_count; l++) {
			double c = (double)array->dims[d].coefficient[l];

			whole += c * (double)(model->loops[l].extent - 1);
			extent += c * (double)((is_inside[l] ? model->loops[l].extent :
				schedule->tile[l]) - 1);
		}
		run *= extent;
		if (extent < whole)
			break;
	}
	return run;
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

void schedule_fill_cost(const struct nest_model *model, struct schedule *schedule)
{
	struct crossing external = { .bytes = (double)schedule->total_bytes };
	double bypassed = 0;

	for (int a = 0; a < model->array_count; a++) {
		struct storage *storage = &schedule->storage[a];

		storage->flow.runs = (double)flow_bytes(&storage->flow) /
			run_bytes(model, schedule, &model->arrays[a], storage);
		external.commands += (double)storage->flow.commands;
		external.runs += storage->flow.runs;
		if (bypasses(model, storage))
			bypassed += (double)flow_bytes(&storage->flow);
	}
	schedule->cost = (struct cost){ .crossings = { [BOUNDARY_EXTERNAL] = external },
		.bypassed_bytes = bypassed, .scratchpad_bytes = (double)schedule->scratchpad_bytes, .work = 1,
		.complexity = complexity_of(model, schedule) };
}
