/* The arrays of a group, as its model has them. */

#include <stdlib.h>

#include "ir/macs.h"
#include "passes/analysis/roles.h"
#include "passes/fusion/carry.h"
#include "passes/fusion/group_model.h"

/* ACCESS writes each element of a box once for each value of other iterators. */
static bool fills_box(const struct statement *statement, const struct access *access)
{
	bool is_used[LOOP_DEPTH_LIMIT] = { false };
	for (int d = 0; d < access->array->rank; d++) {
		int iterators = 0;
		for (int i = 0; i < statement->depth; i++) {
			long step = access->subscripts[d].coefficients[i] * statement->loops[i]->step;
			if (!step)
				continue;
			if (is_used[i] || labs(step) != 1 || ++iterators > 1)
				return false;
			is_used[i] = true;
		}
	}
	return true;
}

static bool may_be_kept(const struct groups *groups, const struct fusion_candidate *candidate,
	int array)
{
	const struct group_array *entry = &groups->arrays[array];
	int maker = -1;
	bool is_read_later = false;
	if (!entry->is_created || entry->first < candidate->first
		|| group_is_internal(groups, candidate, array))
		return false;
	for (int a = 0; a < entry->access_count; a++) {
		const struct group_access *access = &entry->accesses[a];
		if (access->access->is_write && maker >= 0 && access->nest != maker)
			return false;
		if (access->access->is_write && !fills_box(
			groups->function->statements[access->statement], access->access))
			return false;
		maker = access->access->is_write ? access->nest : maker;
		is_read_later |= access->nest != maker && access->nest <= candidate->last;
	}
	return maker >= candidate->first && maker <= candidate->last && is_read_later;
}

static void widen(struct segment *side, long low, long high, bool is_first)
{
	side->low = is_first || low < side->low ? low : side->low;
	side->high = is_first || high > side->high ? high : side->high;
}

static void add_entry(struct group_model *model, int index)
{
	struct groups *groups = model->groups;
	const struct group_array *array = &groups->arrays[index];
	struct model_entry *entry = &model->entries[model->entry_count];
	enum group_count counts = model->bounds_plans ? group_counts(groups, &model->candidate, index) : COUNTS_ALL;
	*entry = (struct model_entry){ .index = index, .array = array, .stage = -2,
		.main = group_main(groups, &model->candidate, index),
		.is_main = counts == COUNTS_MAIN,
		.accesses = ARENA_ARRAY(model->arena, const struct group_access *, array->access_count + 1),
		.is_internal = counts == COUNTS_ROOM || group_is_internal(groups, &model->candidate, index),
		.may_be_kept = counts != COUNTS_ROOM && may_be_kept(groups, &model->candidate, index) };
	struct segment sides[ARRAY_RANK_LIMIT];
	for (int a = 0; a < array->access_count; a++) {
		const struct group_access *access = &array->accesses[a];
		if (access->nest < model->candidate.first || access->nest > model->candidate.last)
			continue;
		entry->memories |= array_memories(groups->compilation->arch, &groups->nests[access->nest],
			array->array);
		entry->stage = entry->stage == -2 || entry->stage == access->nest ? access->nest : -1;
		if (entry->is_main && access->statement != entry->main)
			continue;
		entry->accesses[entry->access_count++] = access;
		entry->is_read |= !access->access->is_write;
		entry->is_written |= access->access->is_write;
		for (int d = 0; d < array->array->rank; d++)
			widen(&sides[d], access->low[d], access->high[d], entry->access_count == 1);
	}
	for (int d = 0; d < array->array->rank; d++)
		entry->extent[d] = entry->access_count ? sides[d].high - sides[d].low + 1 : 0;
	model->entry_count += entry->access_count > 0;
	if (entry->access_count && array->array->type.bytes > model->element_bytes)
		model->element_bytes = array->array->type.bytes;
}

/* A member's share: its multiply-accumulates, or its iterations where the group has none. */
static void find_weights(struct group_model *model)
{
	struct groups *groups = model->groups;
	double macs = 0;
	for (int n = model->candidate.first; n <= model->candidate.last; n++) {
		const struct statement *main = nest_deepest(&model->groups->nests[n]);
		double *weight = &model->weights[n - model->candidate.first];
		*weight = statement_macs(main);
		for (int i = 0; i < main->depth; i++)
			*weight *= (double)(groups->ranges[main->index][i][1] - groups->ranges[main->index][i][0] + 1);
		macs += *weight;
	}
	for (int n = model->candidate.first; n <= model->candidate.last && macs == 0; n++) {
		const struct statement *main = nest_deepest(&model->groups->nests[n]);
		double *weight = &model->weights[n - model->candidate.first];
		*weight = 1;
		for (int i = 0; i < main->depth; i++)
			*weight *= (double)(groups->ranges[main->index][i][1] - groups->ranges[main->index][i][0] + 1);
	}
}

struct group_model *group_model_new(struct groups *groups, const struct fusion_candidate *candidate,
	bool bounds_plans)
{
	struct arena *arena = arena_new();
	struct group_model *model = ARENA_NEW(arena, struct group_model);
	model->groups = groups;
	model->candidate = *candidate;
	model->bounds_plans = bounds_plans;
	model->arena = arena;
	model->element_bytes = 1;
	model->entries = ARENA_ARRAY(arena, struct model_entry, groups->function->array_count + 1);
	model->weights = ARENA_ARRAY(arena, double, candidate->last - candidate->first + 1);
	for (int i = 0; i < groups->function->array_count; i++)
		if (!groups->function->arrays[i]->by_value
			&& !is_carried(groups->compilation, groups->function->arrays[i])
			&& (!bounds_plans || group_counts(groups, candidate, i) != COUNTS_NONE))
			add_entry(model, i);
	find_weights(model);
	model->items = ARENA_ARRAY(arena, struct held_item, model->entry_count + 1);
	model->open = ARENA_ARRAY(arena, struct open_buffer, model->entry_count + 1);
	model->array_memory = ARENA_ARRAY(arena, int, groups->function->array_count + 1);
	model->memory = ARENA_ARRAY(arena, int, model->entry_count + 1);
	model->best_memory = ARENA_ARRAY(arena, int, model->entry_count + 1);
	model->stage_loops = arena_alloc(arena,
		sizeof *model->stage_loops * (size_t)(candidate->last - candidate->first + 1));
	model->is_held = ARENA_ARRAY(arena, bool, model->entry_count + 1);
	model->is_best = ARENA_ARRAY(arena, bool, model->entry_count + 1);
	model->rest = ARENA_ARRAY(arena, long, model->entry_count + 2);
	model->pool = ARENA_ARRAY(arena, long, arch_memory_count(groups->compilation->arch)
		* (candidate->last - candidate->first + 1));
	model->stage_loop = ARENA_ARRAY(arena, int, candidate->last - candidate->first + 1);
	model->buffers = ARENA_ARRAY(arena, struct tile_buffer, model->entry_count + 1);
	model->stages = ARENA_ARRAY(arena, struct tile_stage, candidate->last - candidate->first + 1);
	return model;
}

void group_model_free(struct group_model *model)
{
	arena_free(model->arena);
}

/* LOOP of the group moves ARRAY. */
static bool loop_moves(const struct fusion_candidate *candidate, const struct group_loop *loop,
	const struct group_array *array)
{
	for (int a = 0; a < array->access_count; a++) {
		const struct group_access *access = &array->accesses[a];
		if (access->nest < candidate->first || access->nest > candidate->last)
			continue;
		const struct group_plane *plane = &candidate->dims[loop->dim].planes[access->statement];
		for (int d = 0; d < array->array->rank; d++)
			if (plane->kind == HYPERPLANE_AFFINE
				&& access->access->subscripts[d].coefficients[plane->iterator])
				return true;
	}
	return false;
}

int group_store(const struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_choice *choice, int array)
{
	int store = 0;
	for (int l = 0; l < choice->depth; l++)
		if (loop_moves(candidate, &choice->loops[l], &groups->arrays[array]))
			store = l + 1;
	return store;
}

bool group_keeps(const struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_choice *choice, int array)
{
	bool keeps = may_be_kept(groups, candidate, array);
	for (int l = 0; l < choice->depth; l++)
		keeps &= loop_moves(candidate, &choice->loops[l], &groups->arrays[array]);
	return keeps;
}
