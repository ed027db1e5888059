/* What a group of nests moves and needs, in numbers: the sum of what its arrays do.  Its plan's own count is what is
 * reported. */

#include <limits.h>
#include <string.h>

#include "passes/fusion/group_model.h"

static bool is_moved_twice(const struct evaluation *evaluation, int e, int d)
{
	int movers = 0;
	for (int l = 0; l < evaluation->choice->depth; l++)
		movers += !evaluation->profiles[l]->arrays[e].is_fixed[d];
	return movers > 1;
}

/* The buffer of an array that is not held for a stage: two slots if it is double, or a ring
 * for two windows. */
static bool buffer_bytes(const struct evaluation *evaluation, int e, const struct group_use *use,
	long *buffer)
{
	const struct model_entry *entry = &evaluation->model->entries[e];
	const struct array_profile *inner = use->store
		? &evaluation->profiles[use->store - 1]->arrays[e] : NULL;
	bool stays = entry->is_internal || use->is_kept, slides = inner && inner->slides
		&& !entry->is_written;
	long bytes = entry->array->array->type.bytes * (use->is_double && !stays && !slides ? 2 : 1);
	for (int d = 0; d < entry->array->array->rank; d++) {
		long side = stays ? group_internal_side(evaluation, e, d, use->is_double)
			: group_outer_side(evaluation, e, d, use->store);
		if (use->is_double && slides && !stays && inner->most_of_two[d] > side)
			side = inner->most_of_two[d];
		if (__builtin_mul_overflow(bytes, side, &bytes))
			return false;
	}
	*buffer = bytes;
	return true;
}

/* The memories that an array may lie in, as bits. */
static unsigned memories_of(const struct evaluation *evaluation, const struct model_entry *entry)
{
	unsigned said = evaluation->constraints ? evaluation->constraints->memories[entry->index] : 0;
	return said ? said : entry->memories;
}

/* The only memory of a set; -1: there are several. */
static int only_memory(unsigned memories)
{
	return memories & (memories - 1) ? -1 : __builtin_ctz(memories);
}

/* What a buffer of so many BYTES takes of each memory. */
static void find_rooms(const struct evaluation *evaluation, long bytes, long *rooms)
{
	for (int m = 0; m < evaluation->memory_count; m++)
		rooms[m] = place_room(&evaluation->memories[m], bytes);
}

static bool add_buffer(struct evaluation *evaluation, int e, const struct group_use *use)
{
	const struct model_entry *entry = &evaluation->model->entries[e];
	unsigned memories = memories_of(evaluation, entry);
	int only = only_memory(memories);
	long bytes;
	if (!buffer_bytes(evaluation, e, use, &bytes))
		return false;
	if (evaluation->doubles)
		evaluation->choice->is_double[entry->index] = use->is_double;
	if (only >= 0) {
		evaluation->need[only] += place_room(&evaluation->memories[only], bytes);
		evaluation->choice->memory[entry->index] = only;
	} else {
		struct open_buffer *open = &evaluation->open[evaluation->open_count++];
		*open = (struct open_buffer){ .index = entry->index, .memories = memories };
		find_rooms(evaluation, bytes, open->place);
	}
	return true;
}

/* An array that only one stage uses; what it moves if it is HELD. */
static bool add_item(struct evaluation *evaluation, int e, const struct group_use *use, const struct flow *held)
{
	struct group_model *model = evaluation->model;
	const struct model_entry *entry = &model->entries[e];
	const struct array *array = entry->array->array;
	struct held_item *item = &evaluation->items[evaluation->item_count++];
	long place = array->type.bytes, held_place;
	*item = (struct held_item){ .entry = entry, .stage = entry->stage, .is_moved = use->store > 0,
		.is_double = use->is_double, .held = *held, .memories = memories_of(evaluation, entry),
		.is_streamed = evaluation->constraints
		&& evaluation->constraints->is_streamed[entry->index] };
	for (int d = 0; d < array->rank; d++) {
		item->side[d] = group_outer_side(evaluation, e, d, use->store);
		if (__builtin_mul_overflow(place, item->side[d], &place))
			return false;
	}
	if (!buffer_bytes(evaluation, e, use, &held_place))
		return false;
	find_rooms(evaluation, place, item->place);
	find_rooms(evaluation, held_place, item->held_place);
	return group_streamed_flow(evaluation, e, &item->streamed);
}

/* SUM is so much MORE.  False if that is too large. */
static bool add_flow(struct flow *sum, const struct flow *more)
{
	long all;
	return !__builtin_add_overflow(sum->read_bytes, more->read_bytes, &sum->read_bytes)
		&& !__builtin_add_overflow(sum->write_bytes, more->write_bytes, &sum->write_bytes)
		&& !__builtin_add_overflow(sum->read_bytes, sum->write_bytes, &all);
}

/* All arrays: what moves, and what one stage alone uses as items.  False if a number is too large. */
static bool add_arrays(struct evaluation *evaluation)
{
	struct group_model *model = evaluation->model;
	for (int e = 0; e < model->entry_count; e++) {
		const struct model_entry *entry = &model->entries[e];
		struct group_use use = group_use_of(evaluation, e, group_store_in(evaluation, e));
		struct flow flow;
		for (int d = 0; d < entry->array->array->rank; d++)
			if (is_moved_twice(evaluation, e, d))
				return false;
		bool is_item = !entry->is_internal && !use.is_dropped && entry->stage >= 0;
		if (!group_held_flow(evaluation, e, &use, &flow))
			return false;
		flow.runs = group_runs_of(evaluation, e, &use, &flow);
		evaluation->flow.runs += flow.runs;
		if (is_item ? !add_item(evaluation, e, &use, &flow)
			: !add_buffer(evaluation, e, &use) || !add_flow(&evaluation->flow, &flow))
			return false;
	}
	return true;
}

static double repetition_of(const struct evaluation *evaluation)
{
	const struct group_model *model = evaluation->model;
	double runs = 0, total = 0;
	for (int m = 0; m <= model->candidate.last - model->candidate.first; m++) {
		double own = model->weights[m];
		total += own;
		for (int l = 0; l < evaluation->choice->depth; l++)
			own *= evaluation->profiles[l]->runs[m];
		runs += own;
	}
	return total > 0 ? runs / total : 1;
}

/* Decides what is held, and fills in the choice; false if nothing fits, or moves less than
 * is wanted: choice.need is then the least that would do. */
static bool hold(struct evaluation *evaluation, const struct group_limits *limits,
	struct group_choice *choice)
{
	const struct flow flow = evaluation->flow;
	long before[MEMORY_LIMIT];
	int members = evaluation->model->candidate.last - evaluation->model->candidate.first + 1;
	memcpy(before, evaluation->need, sizeof before);
	memset(evaluation->pool, 0, (size_t)(members * evaluation->memory_count) * sizeof *evaluation->pool);
	evaluation->overlaps = false;
	for (int i = 0; i < evaluation->item_count; i++)
		evaluation->overlaps |= evaluation->doubles && !evaluation->items[i].must_be_held
			&& evaluation->doubles[evaluation->items[i].entry->index];
	group_find_chunks(evaluation);
	long need = group_least_need(evaluation, limits);
	bool found = need <= limits->capacity && choice->repetition <= limits->repetition
		&& group_choose_held(evaluation, limits);
	choice->need = need;
	if (found) {
		choice->flow = evaluation->flow;
		group_choose_chunks(evaluation, limits);
	}
	evaluation->flow = flow;
	memcpy(evaluation->need, before, sizeof before);
	return found;
}

/* What a loop moves has to be held (HOLDS), but for what the user wants to come for its stage;
 * or not.  True if there is some that need not be. */
static bool hold_moved(struct evaluation *evaluation, const struct group_limits *limits, bool holds)
{
	bool any = false;
	for (int i = 0; i < evaluation->item_count; i++) {
		struct held_item *item = &evaluation->items[i];
		bool is_free = !item->is_streamed && !(limits->holds_results && item->entry->is_written);
		item->must_be_held = !item->is_streamed && (!is_free || (holds && item->is_moved));
		any |= is_free && item->is_moved;
	}
	return any;
}

struct evaluation group_evaluation_of(struct group_model *model, struct group_choice *choice)
{
	const struct arch *arch = model->groups->compilation->arch;
	struct evaluation evaluation = { .model = model, .choice = choice,
		.memory_count = arch_memory_count(arch), .open = model->open, .items = model->items,
		.pool = model->pool, .stage_loop = model->stage_loop };
	for (int m = 0; m < evaluation.memory_count; m++)
		evaluation.memories[m] = place_memory(arch, m);
	return evaluation;
}

bool group_evaluate(struct group_model *model, const struct group_limits *limits,
	struct group_choice *choice)
{
	const struct loop_profile *profiles[GROUP_DEPTH];
	for (int l = 0; l < choice->depth; l++)
		profiles[l] = group_profile_of(model, &choice->loops[l]);
	return group_evaluate_with(model, limits, profiles, false, choice);
}

bool group_evaluate_with(struct group_model *model, const struct group_limits *limits,
	const struct loop_profile *const *profiles, bool is_block, struct group_choice *choice)
{
	enum { COMBINATIONS = 64 };
	struct evaluation evaluation = group_evaluation_of(model, choice);
	evaluation.is_block = is_block;
	evaluation.constraints = limits->constraints;
	evaluation.doubles = limits->doubles;
	int members = model->candidate.last - model->candidate.first + 1;
	for (int m = 0; m < members; m++)
		model->stage_loop[m] = -1;
	choice->need = LONG_MAX;
	choice->is_optimal = true;
	for (int l = 0; l < choice->depth; l++) {
		evaluation.profiles[l] = profiles[l];
		if (!evaluation.profiles[l])
			return false;
	}
	if (!add_arrays(&evaluation))
		return false;
	choice->repetition = repetition_of(&evaluation);
	bool may_stream = hold_moved(&evaluation, limits, true);
	bool found = hold(&evaluation, limits, choice);
	if (!may_stream)
		return found;
	struct group_limits rest = *limits;
	long need = choice->need;
	int tries = 0;
	hold_moved(&evaluation, limits, false);
	group_first_loops(&evaluation);
	do {
		if (found)
			rest.most = group_choice_cost(choice);
		rest.takes_equals &= !found;
		/* that something fits has to be seen */
		if (need <= limits->capacity && !group_may_improve(&evaluation, &rest))
			break;
		bool is_better = hold(&evaluation, &rest, choice);
		need = is_better || (!found && choice->need < need) ? choice->need : need;
		found |= is_better;
	} while (++tries < COMBINATIONS && group_next_loops(&evaluation));
	choice->is_optimal &= tries < COMBINATIONS;
	choice->need = need;
	return found;
}

struct cost group_least_cost(struct group_model *model)
{
	struct group_choice choice = { .depth = 0 };
	struct evaluation evaluation = group_evaluation_of(model, &choice);
	choice.memory = model->array_memory;
	if (!add_arrays(&evaluation))
		return cost_of_bytes(0);
	long bytes = flow_bytes(&evaluation.flow);
	for (int i = 0; i < evaluation.item_count; i++)
		if (__builtin_add_overflow(bytes, flow_bytes(&evaluation.items[i].held), &bytes))
			return cost_infinite();
	return cost_of_bytes((double)bytes);
}
