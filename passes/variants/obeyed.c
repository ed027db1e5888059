/* What the user says of a nest is so in what was chosen. */

#include "passes/variants/obeyed.h"

#include "passes/variants/schedule_text.h"

static bool stores_as_said(const struct choice *choice, int a)
{
	const struct storage *storage = &choice->schedule.storage[a];
	const struct search_options *options = &choice->options;
	return (options->store[a] < 0 || storage->store == options->store[a])
		&& storage->slots == options->slots[a]
		&& (options->sliding[a] < 0 || storage->is_sliding == options->sliding[a])
		&& (options->doubled[a] < 0 || storage->is_double == options->doubled[a]);
}

static bool is_ordered_as_said(const struct choice *choice)
{
	const struct schedule *schedule = &choice->schedule;
	int next = 0;
	for (int i = 0; i < choice->options.order_count; i++) {
		int l = choice->options.order[i];
		if (next < schedule->depth && schedule->order[next] == l)
			next++;
		else if (choice->model.loops[l].extent > 1)
			return false;
	}
	return true;
}

static bool is_tile_loop(const struct schedule *schedule, int l)
{
	for (int i = 0; i < schedule->depth; i++)
		if (schedule->order[i] == l)
			return true;
	return false;
}

static bool turns_as_said(const struct choice *choice)
{
	for (int l = 0; l < choice->model.loop_count; l++) {
		int wanted = choice->options.serpentine[l];
		bool turns = is_tile_loop(&choice->schedule, l) && choice->schedule.is_serpentine[l];
		if (wanted >= 0 && turns != wanted)
			return false;
	}
	return true;
}

static const struct schedule_line *line_of_serpentine(const struct choice *choice)
{
	for (int i = 0; i < choice->asked.line_count; i++)
		if (schedule_line_is(choice->asked.lines[i], "serpentine"))
			return choice->asked.lines[i];
	return NULL;
}

/* The first line of the user's that is not as said in what was chosen; NULL: all are. */
static const struct schedule_line *disobeyed(const struct choice *choice)
{
	const struct schedule_reader *said = &choice->asked.said;
	for (int l = 0; l < choice->model.loop_count; l++)
		if (said->tiles[l] && choice->schedule.tile[l] != choice->model.loops[l].tile)
			return said->tiles[l];
	for (int a = 0; a < choice->model.array_count; a++)
		if (said->stores[a] && !stores_as_said(choice, a))
			return said->stores[a];
	for (int a = 0; a < choice->model.array_count; a++)
		if (said->memories[a]
			&& !(choice->options.memories[a] >> choice->schedule.storage[a].memory & 1))
			return said->memories[a];
	if (said->order && !is_ordered_as_said(choice))
		return said->order;
	return turns_as_said(choice) ? NULL : line_of_serpentine(choice);
}

bool nest_is_constrained(const struct compilation *compilation, const struct nest *nest)
{
	int count;
	const struct schedule_line **lines = schedule_constraints(compilation, nest, &count);
	for (int i = 0; i < count; i++)
		if (schedule_restricts(lines[i]) && !schedule_line_is(lines[i], "form"))
			return true;
	return false;
}

bool choice_check_obeyed(struct compilation *compilation, const struct choice *choice)
{
	const struct schedule_line *line = disobeyed(choice);
	if (!line)
		return true;
	compilation->failure.does_not_fit = true;
	diag_error(compilation->diag, schedule_line_at(line), "nothing fits: no schedule of '%s' was "
		"found that has '%s'", choice->variant.nest->name, schedule_line_text(compilation->arena, line));
	return false;
}
