/* The order of schedules: by what they cost, and where that is the same by what they are. */

#include "passes/search/search_tree.h"

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
	int order = objective_compare(&space->objective, &one->cost, &other->cost);

	return order != 0 ? order : compare_choices(space->model, one, other);
}
