/* The text of a schedule, printed: see schedule_text.c for how it is read. */

#include <string.h>

#include "passes/variants/mapping_text.h"
#include "passes/variants/schedule_text.h"

static const char *append(struct arena *arena, const char *text, const char *more)
{
	return arena_printf(arena, "%s%s", text, more);
}

int schedule_entry_number(const struct nest_model *model, int a)
{
	int before = 0, all = 0;
	for (int b = 0; b < model->array_count; b++)
		if (!strcmp(model->arrays[b].name, model->arrays[a].name)) {
			before += b < a;
			all++;
		}
	return all > 1 ? before : -1;
}

/* "A", or "A:1" where it has several buffers. */
static const char *buffer_name(struct arena *arena, const struct nest_model *model, int a)
{
	int number = schedule_entry_number(model, a);
	return number < 0 ? model->arrays[a].name
		: arena_printf(arena, "%s:%d", model->arrays[a].name, number);
}

static const char *print_storage(struct arena *arena, const struct nest_model *model,
	bool tells_single, const struct schedule *schedule, int a)
{
	const struct storage *storage = &schedule->storage[a];
	const char *text = arena_printf(arena, "store %s", buffer_name(arena, model, a));
	text = storage->store == 0 ? append(arena, text, " outside")
		: arena_printf(arena, "%s in %s", text,
			model->loops[schedule->order[storage->store - 1]].name);
	if (storage->slots > 1)
		text = arena_printf(arena, "%s slots %ld", text, storage->slots);
	if (storage->is_sliding)
		text = append(arena, text, " sliding");
	if (storage->is_double)
		text = append(arena, text, " double");
	else if (tells_single && storage->store > 0)
		text = append(arena, text, " single");
	return append(arena, text, "\n");
}

/* All loops that may turn were told not to. */
static bool is_told_forward(const struct nest_model *model, const struct search_options *options)
{
	bool any = false;
	for (int l = 0; l < model->loop_count; l++) {
		if (!model->loops[l].is_forward && options->serpentine[l] != 0)
			return false;
		any |= !model->loops[l].is_forward;
	}
	return any;
}

/* Some loop may turn, and none does. */
static bool all_forward(const struct nest_model *model, const struct schedule *schedule)
{
	bool may_turn = false;
	for (int l = 0; l < model->loop_count; l++) {
		may_turn |= !model->loops[l].is_forward;
		if (schedule->is_serpentine[l])
			return false;
	}
	return may_turn;
}

const char *schedule_print(struct arena *arena, const struct arch *arch,
	const struct nest_model *model, bool tells_forward, bool tells_single,
	const struct search_options *options, const struct schedule *schedule)
{
	const char *text = "", *order = "order";
	const char *turns = is_told_forward(model, options)
		|| (tells_forward && all_forward(model, schedule)) ? "serpentine none" : "";
	const char *steps = schedule->mapping ? mapping_print_turns(arena, model, schedule->mapping) : "";
	for (int i = 0; i < schedule->depth; i++) {
		int l = schedule->order[i];
		text = arena_printf(arena, "%stile %s %ld\n", text, model->loops[l].name,
			schedule->tile[l]);
		order = arena_printf(arena, "%s %s", order, model->loops[l].name);
		if (schedule->is_serpentine[l])
			turns = arena_printf(arena, "%s %s", *turns ? turns : "serpentine",
				model->loops[l].name);
	}
	text = arena_printf(arena, "%s%s\n", text, order);
	if (*turns || *steps)
		text = arena_printf(arena, "%s%s%s\n", text, *turns ? turns : "serpentine", steps);
	for (int a = 0; a < model->array_count; a++)
		text = append(arena, text, print_storage(arena, model, tells_single, schedule, a));
	for (int a = 0; a < model->array_count; a++)
		if (bypasses(model, &schedule->storage[a]))
			text = arena_printf(arena, "%sbypass %s\n", text, buffer_name(arena, model, a));
		else if (arch_has_memories(arch))
			text = arena_printf(arena, "%smemory %s %s\n", text, buffer_name(arena, model, a),
				arch_memory(arch, schedule->storage[a].memory).name);
	if (schedule->mapping)
		text = append(arena, text, mapping_print(arena, model, schedule));
	return text;
}
