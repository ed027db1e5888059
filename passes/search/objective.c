/* Which of two schedules is better. */

#include "passes/search/search_tree.h"

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

static int compare_doubles(double one, double other)
{
	return one < other ? -1 : one > other;
}

static int compare_choices(const struct nest_model *model, const struct schedule *one,
	const struct schedule *other)
{
	int order = compare_doubles(one->depth, other->depth);

	for (int i = 0; i < one->depth && order == 0; i++)
		order = compare_doubles(one->order[i], other->order[i]);
	for (int l = 0; l < model->loop_count && order == 0; l++)
		order = -compare_doubles((double)one->tile[l], (double)other->tile[l]);
	for (int a = 0; a < model->array_count && order == 0; a++) {
		order = compare_doubles(one->storage[a].store, other->storage[a].store);
		if (order == 0)
			order = compare_doubles((double)one->storage[a].slots,
				(double)other->storage[a].slots);
	}
	return order;
}

int schedule_compare(const struct space *space, const struct schedule *one,
	const struct schedule *other)
{
	const struct nest_model *model = space->model;
	int order = 0;

	if (!space->is_minimal_memory)
		order = compare_doubles((double)one->total_bytes, (double)other->total_bytes);
	if (order == 0 && space->options->prefers_memory)
		order = compare_doubles((double)one->scratchpad_bytes,
			(double)other->scratchpad_bytes);
	if (order == 0 && !space->is_minimal_memory)
		order = compare_doubles(schedule_commands(model, one),
			schedule_commands(model, other));
	if (order == 0 && !space->is_minimal_memory)
		order = compare_doubles(schedule_runs(model, one), schedule_runs(model, other));
	if (order == 0)
		order = compare_doubles((double)one->scratchpad_bytes,
			(double)other->scratchpad_bytes);
	if (order == 0)
		order = compare_doubles(complexity_of(model, one), complexity_of(model, other));
	return order != 0 ? order : compare_choices(model, one, other);
}
