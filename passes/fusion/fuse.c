/* Fusion: consecutive nests as one, so that what is between them stays on chip.  There
 * is no second mechanism: a producer is a set of statements whose place in the band is
 * shifted so that it is early enough, and that runs in every tile that needs it
 * (passes/fusion/group_band.c); the regions, rings and transfers are those of any nest without
 * closed forms (passes/regions/general.c). */

#include "passes/fusion/fuse.h"

#include <limits.h>
#include <string.h>

#include "passes/analysis/legality.h"
#include "passes/analysis/nest_memo.h"
#include "passes/cost/bound_nest.h"
#include "passes/cost/place.h"
#include "passes/cost/plan_cost.h"
#include "passes/fusion/part_cost.h"
#include "passes/lower/lower.h"
#include "passes/variants/lower_nest.h"
#include "passes/variants/schedule_text.h"

static bool may_join(const struct groups *groups, const struct fusion_candidate *candidate)
{
	const struct nest *first = &groups->nests[candidate->first], *last = &groups->nests[candidate->last];
	return statements_may_join(groups->function, first->statements[0]->index,
		last->statements[0]->index + last->statement_count);
}

/* Nests of the group use ARRAY together. */
static bool is_shared(const struct group_array *entry, const struct fusion_candidate *candidate)
{
	int first = -1;
	for (int a = 0; a < entry->access_count; a++) {
		int nest = entry->accesses[a].nest;
		if (nest < candidate->first || nest > candidate->last)
			continue;
		if (first >= 0 && nest != first)
			return true;
		first = nest;
	}
	return false;
}

bool group_is_whole(const struct groups *groups, const struct fusion_candidate *candidate)
{
	for (int i = 0; i < groups->function->array_count; i++)
		if (!groups->arrays[i].array->by_value && is_shared(&groups->arrays[i], candidate)
			&& (!is_carried(groups->compilation, groups->arrays[i].array)
			|| stays_for_free(groups->compilation, groups->arrays[i].array)))
			return may_join(groups, candidate);
	return false;
}

bool group_of(struct groups *groups, int first, int last, struct fusion_candidate *candidate)
{
	group_begin(groups, last, candidate);
	while (candidate->first > first)
		group_grow(groups, candidate);
	return group_is_whole(groups, candidate);
}

struct group_limits group_limits_of(const struct compilation *compilation)
{
	long memories[MEMORY_LIMIT] = { 0 };
	struct group_limits limits = { .asked = part_objective(compilation, RANK_ASKED), .most = cost_infinite(),
		.repetition = 1 + compilation->request.recompute_percent / 100,
		.prefers_memory = compilation->request.spares_memory,
		.holds_results = compilation->request.holds_results };
	for (int m = 0; m < arch_memory_count(compilation->arch); m++)
		memories[m] = place_memory(compilation->arch, m).bytes;
	group_limits_take(&limits, memories);
	if (arch_is_limited(compilation->arch))
		limits.capacity = compilation->arch->scratchpad_bytes;
	return limits;
}

/* ---- the group as a nest ---- */

static const char *group_name(const struct groups *groups, const struct fusion_candidate *candidate)
{
	return arena_printf(groups->compilation->arena, "%s.%d-%d", groups->function->name,
		groups->nests[candidate->first].index, groups->nests[candidate->last].index);
}

static const struct band *band_of(const struct groups *groups,
	const struct fusion_candidate *candidate, const struct group_choice *choice)
{
	struct band *band = ARENA_NEW(groups->compilation->arena, struct band);
	band->count = choice->depth;
	for (int l = 0; l < choice->depth; l++)
		group_make_band_dim(groups, candidate, &candidate->dims[choice->loops[l].dim],
			choice->loops[l].repeats, &band->dims[l]);
	return band;
}

static struct variant join(const struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_choice *choice)
{
	struct arena *arena = groups->compilation->arena;
	const struct nest *group = nest_join(groups->compilation, groups->nests + candidate->first,
		candidate->last - candidate->first + 1);
	bool *is_internal = ARENA_ARRAY(arena, bool, group->arrays->count + 1);
	bool *is_kept = ARENA_ARRAY(arena, bool, group->arrays->count + 1);
	for (int a = 0; a < group->arrays->count; a++) {
		int index = group->arrays->items[a].array->index;
		is_internal[a] = group_is_internal(groups, candidate, index);
		is_kept[a] = group_keeps(groups, candidate, choice, index);
	}
	group = nest_with_arrays(arena, group, reference_groups_on_chip(arena, group->arrays,
		is_internal, is_kept));
	return (struct variant){ .nest = group, .groups = group->arrays,
		.band = band_of(groups, candidate, choice), .found = answers_new(arena) };
}

/* What CANDIDATE's nests move at least, by *ARGUMENT, and what is compulsory. */
static long lower_bound_of(const struct groups *groups, const struct fusion_candidate *candidate,
	long *compulsory, const char **argument)
{
	struct arena *arena = groups->compilation->arena;
	const struct nest *group = nest_join(groups->compilation, groups->nests + candidate->first,
		candidate->last - candidate->first + 1);
	bool *is_internal = ARENA_ARRAY(arena, bool, group->arrays->count + 1);
	for (int a = 0; a < group->arrays->count; a++)
		is_internal[a] = group_is_internal(groups, candidate, group->arrays->items[a].array->index);
	return nest_lower_bound(nest_with_arrays(arena, group, reference_groups_on_chip(arena, group->arrays,
		is_internal, NULL)), groups->compilation->arch->scratchpad_bytes, compulsory, argument);
}

long group_lower_bound(const struct groups *groups, const struct fusion_candidate *candidate)
{
	const char *argument;
	long compulsory;
	return lower_bound_of(groups, candidate, &compulsory, &argument);
}

void group_judge(const struct compilation *compilation, const struct groups *groups,
	const struct fusion_candidate *candidate, long least, struct plan_nest *out)
{
	long compulsory;
	if (!compilation->only_weighs)
		out->lower_bound_bytes = lower_bound_of(groups, candidate, &compulsory, &out->lower_bound_argument);
	out->bound_bytes = least > out->lower_bound_bytes ? least : out->lower_bound_bytes;
	plan_nest_judge(out);
}

static struct schedule schedule_of(const struct group_choice *choice)
{
	struct schedule schedule = { .depth = choice->depth, .moves_boxes = true };
	for (int l = 0; l < choice->depth; l++) {
		schedule.order[l] = l;
		schedule.tile[l] = choice->loops[l].tile;
		schedule.is_serpentine[l] = choice->loops[l].turns;
	}
	return schedule;
}

static struct group_stage *stages_of(const struct groups *groups,
	const struct fusion_candidate *candidate,
	const struct group_choice *choice)
{
	int count = candidate->last - candidate->first + 1, next = 0;
	struct group_stage *stages = ARENA_ARRAY(groups->compilation->arena, struct group_stage, count);
	for (int m = 0; m < count; m++) {
		int n = candidate->first + m;
		stages[m].first = next;
		stages[m].end = next += groups->nests[n].statement_count;
		stages[m].tile = choice->stage_tile[n];
		if (stages[m].tile)
			group_make_stage_dim(groups, candidate, n, &choice->stages[n], &stages[m].dim);
	}
	return stages;
}

/* How ARRAY of the group is to be held, as CHOICE says. */
static struct holding holding_of(const struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_choice *choice, const struct reference_group *array)
{
	int index = array->array->index;
	struct holding holding = { .memory = choice->memory[index], .slides = true, .slots = 1,
		.doubling = choice->is_double[index] ? DOUBLE_WANTED : DOUBLE_NEVER };
	if (choice->hold[index] != HOLD_ALL)
		holding.store = choice->hold[index] == HOLD_CHUNK ? STORE_CHUNK : STORE_STAGE;
	else if (!array->is_internal)
		holding.store = group_store(groups, candidate, choice, index);
	return holding;
}

static struct holding *holdings_of(const struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_choice *choice, const struct nest *group)
{
	struct holding *holdings = ARENA_ARRAY(groups->compilation->arena, struct holding, group->arrays->count + 1);
	for (int a = 0; a < group->arrays->count; a++)
		holdings[a] = holding_of(groups, candidate, choice, &group->arrays->items[a]);
	return holdings;
}

/* ---- text ---- */

static const char *describe(const struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_choice *choice, const struct nest *group, const struct holding *holdings)
{
	struct arena *arena = groups->compilation->arena;
	const struct arch *arch = groups->compilation->arch;
	const char *text = arena_printf(arena, "nest %s\nfuse", group->name);
	for (int a = 0; a < group->arrays->count; a++)
		if (group->arrays->items[a].is_internal)
			text = arena_printf(arena, "%s %s", text, group->arrays->items[a].array->name);
	text = arena_printf(arena, "%s\n", text);
	const char *order = "order", *repeats = "";
	const char *turns = choice->is_told_forward ? "serpentine none" : "";
	for (int l = 0; l < choice->depth; l++) {
		const char *name = candidate->dims[choice->loops[l].dim].name;
		text = arena_printf(arena, "%stile %s %ld\n", text, name, choice->loops[l].tile);
		order = arena_printf(arena, "%s %s", order, name);
		if (choice->loops[l].repeats)
			repeats = arena_printf(arena, "%srepeat %s\n", repeats, name);
		if (choice->loops[l].turns)
			turns = arena_printf(arena, "%s %s", *turns ? turns : "serpentine", name);
	}
	text = arena_printf(arena, "%s%s\n%s%s%s", text, order, turns, *turns ? "\n" : "", repeats);
	for (int a = 0; a < group->arrays->count; a++) {
		enum group_hold hold = choice->hold[group->arrays->items[a].array->index];
		int n = groups->nest_of[group->statements[group->arrays->items[a].accesses[0].statement]->index];
		if (hold == HOLD_STAGE)
			text = arena_printf(arena, "%sstream %s\n", text, group->arrays->items[a].array->name);
		if (hold == HOLD_CHUNK)
			text = arena_printf(arena, "%sstream %s %s %ld\n", text, group->arrays->items[a].array->name,
				choice->stages[n].name, choice->stage_tile[n]);
	}
	for (int a = 0; a < group->arrays->count; a++)
		if (holdings[a].doubling == DOUBLE_WANTED)
			text = arena_printf(arena, "%sdouble %s\n", text, group->arrays->items[a].array->name);
	for (int a = 0; a < group->arrays->count && arch_memory_count(arch) > 1; a++)
		text = arena_printf(arena, "%smemory %s %s\n", text, group->arrays->items[a].array->name,
			arch_memory(arch, choice->memory[group->arrays->items[a].array->index]).name);
	return text;
}

static struct group_constraints *new_constraints(const struct groups *groups)
{
	struct arena *arena = groups->compilation->arena;
	int arrays = groups->function->array_count + 1;
	struct group_constraints *constraints = ARENA_NEW(arena, struct group_constraints);
	constraints->is_streamed = ARENA_ARRAY(arena, bool, arrays);
	constraints->stage_loop = ARENA_ARRAY(arena, const char *, arrays);
	constraints->stage_tile = ARENA_ARRAY(arena, long, arrays);
	constraints->is_double = ARENA_ARRAY(arena, bool, arrays);
	constraints->is_internal = ARENA_ARRAY(arena, bool, arrays);
	constraints->memories = ARENA_ARRAY(arena, unsigned, arrays);
	return constraints;
}

/* The dimensions of CANDIDATE as the loops of a model that lines are read into. */
static void dims_as_loops(struct groups *groups, const struct fusion_candidate *candidate,
	struct nest_model *model)
{
	model->loop_count = candidate->dim_count;
	for (int l = 0; l < candidate->dim_count; l++)
		model->loops[l] = (struct model_loop){ .name = candidate->dims[l].name,
			.extent = candidate->dims[l].most - candidate->dims[l].least + 1,
			.is_forward = !group_can_turn(groups, candidate, &candidate->dims[l]) };
}

static void take_constraints(const struct nest_model *model, const struct search_options *options,
	const struct schedule_reader *reader, struct group_constraints *said)
{
	for (int l = 0; l < model->loop_count; l++) {
		said->tile[l] = reader->tiles[l] ? model->loops[l].tile : 0;
		said->turns[l] = options->serpentine[l] == 1;
		said->is_straight[l] = !options->serpentine[l];
	}
	said->has_order = reader->order != NULL;
	for (int l = 0; l < options->order_count; l++)
		if (model->loops[options->order[l]].extent > 1)
			said->order[said->order_count++] = options->order[l];
}

/* What COUNT LINES say of CANDIDATE; NULL: what cannot be, in *READER. */
static const struct group_constraints *read_lines(struct groups *groups,
	struct compilation *compilation, const struct fusion_candidate *candidate,
	const struct schedule_line *const *lines, int count, struct schedule_reader *reader)
{
	struct arena *arena = compilation->arena;
	struct nest_model *model = ARENA_NEW(arena, struct nest_model);
	struct search_options *options = ARENA_NEW(arena, struct search_options);
	struct group_constraints *said = new_constraints(groups);
	*reader = (struct schedule_reader){ .arena = arena, .function = groups->function, .model = model,
		.options = options, .group = said, .compilation = compilation };
	search_options_init(options);
	dims_as_loops(groups, candidate, model);
	for (int i = 0; i < groups->function->array_count; i++)
		said->is_internal[i] = group_is_internal(groups, candidate, i);
	if (!schedule_read(reader, lines, count))
		return NULL;
	take_constraints(model, options, reader, said);
	return said;
}

bool group_read_constraints(struct groups *groups, struct compilation *compilation,
	const struct fusion_candidate *candidate, const struct group_constraints **constraints)
{
	struct schedule_reader reader;
	int count;
	*constraints = NULL;
	if (!compilation->request.schedule)
		return true;
	const struct schedule_line **lines = schedule_lines_below(compilation,
		group_name(groups, candidate), &count);
	*constraints = read_lines(groups, compilation, candidate, lines, count, &reader);
	if (!*constraints)
		diag_error(compilation->diag, reader.failed_at, "%s", reader.failure);
	return *constraints;
}

bool group_is_constrained(const struct groups *groups, const struct compilation *compilation,
	const struct fusion_candidate *candidate)
{
	int count;
	const struct schedule_line **lines = schedule_lines_below(compilation,
		group_name(groups, candidate), &count);
	for (int i = 0; i < count; i++)
		if (schedule_restricts(lines[i]))
			return true;
	return false;
}

void group_explain_constraints(struct groups *groups, struct compilation *compilation,
	const struct fusion_candidate *candidate)
{
	int count;
	const struct schedule_line **lines = schedule_lines_below(compilation,
		group_name(groups, candidate), &count);
	struct group_limits limits = group_limits_of(compilation);
	for (int i = 0; i < count; i++) {
		struct schedule_reader reader;
		struct group_choice choice;
		if (!schedule_restricts(lines[i]))
			continue;
		limits.constraints = read_lines(groups, compilation, candidate, &lines[i], 1, &reader);
		if (!limits.constraints)
			continue;
		bool fits = group_search(groups, candidate, &limits, &choice) == GROUP_FITS;
		diag_note(compilation->diag, schedule_line_at(lines[i]), fits
			? "'%s' alone fits: it needs %s" : "'%s' alone leaves nothing that fits",
			schedule_line_text(compilation->arena, lines[i]),
			place_text(compilation->arch, choice.need, compilation->arena));
	}
}

/* ---- lowering ---- */

bool group_emit(struct compilation *compilation, const struct groups *of,
	const struct fusion_candidate *candidate,
	const struct group_choice *choice, struct plan *plan, struct plan_nest *out)
{
	enum { MEMBER_WORK = 60000 };
	compilation_add_work(compilation, MEMBER_WORK * (candidate->last - candidate->first + 1));
	/* what a plan is made of lives with the plan, however long the groups do */
	struct groups local = *of;
	const struct groups *groups = &local;
	local.compilation = compilation;
	const struct variant variant = join(groups, candidate, choice);
	const struct nest *group = variant.nest;
	struct schedule schedule = schedule_of(choice);
	bool has_stages = false;
	for (int n = candidate->first; n <= candidate->last; n++)
		has_stages |= choice->stage_tile[n] > 0;
	for (int i = 0; i < groups->function->array_count; i++)
		has_stages |= choice->hold[i] != HOLD_ALL;
	*out = (struct plan_nest){ .name = group->name, .location = group->location };
	struct holding *holdings = holdings_of(groups, candidate, choice, group);
	struct obstacle obstacle;
	const struct lowering_request request = { .variant = &variant, .schedule = &schedule, .holdings = holdings,
		.stages = stages_of(groups, candidate, choice),
		.stage_count = has_stages ? candidate->last - candidate->first + 1 : 0,
		.detail = compilation->only_weighs && !parts_are_measured(compilation) ? TO_WEIGH : TO_EMIT };
	if (!lower_with_holdings(compilation, &request, plan, out, &obstacle))
		return false;
	out->macs = group_macs(&variant, &schedule);
	long once = nest_macs(group);
	if (out->macs > 0 && once > 0
		&& (double)out->macs > (double)once * group_limits_of(compilation).repetition)
		return false;
	out->schedule = describe(groups, candidate, choice, group, holdings);
	out->compulsory_bytes = out->lower_bound_bytes = nest_compulsory(group);
	out->lower_bound_argument = "compulsory";
	out->points = choice->points;
	out->seconds = choice->seconds;
	for (int a = 0; a < group->arrays->count; a++)
		out->streams_results |= group->arrays->items[a].is_written
			&& choice->hold[group->arrays->items[a].array->index] != HOLD_ALL;
	return true;
}
