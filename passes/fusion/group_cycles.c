/* How long a group takes, and how many commands, by its model: what the clock of passes/cost/tile_clock.c has to know of
 * a choice.  All visits of a buffer are taken to be alike. */

#include <math.h>

#include "passes/cost/run_cycles.h"
#include "passes/fusion/group_model.h"

/* A choice whose run is being described. */
struct timing {
	const struct evaluation *evaluation;
	const struct arch *arch;
	double iterations[GROUP_DEPTH + 1];  /* of the first so many loops */
	double commands;             /* so far */
};

/* What moves of array E in one of so many VISITS in which BYTES move all in all: boxes with these SIDES. */
static struct visit_copies box_copies(struct timing *timing, int e, const double *sides, double bytes, double visits)
{
	const struct array *array = timing->evaluation->model->entries[e].array->array;
	double whole[ARRAY_RANK_LIMIT], levels[ARRAY_RANK_LIMIT + 1], pieces = 1;
	struct visit_copies copies = { .pieces = 1 };
	if (bytes <= 0 || visits <= 0)
		return copies;
	for (int d = 0; d < array->rank; d++)
		whole[d] = (double)array->extents[d];
	int count = box_levels(array->rank, sides, whole, levels);
	for (int i = 1; i < count; i++)
		pieces *= levels[i];
	copies.commands = split_commands(timing->arch, bytes / visits, levels, count);
	copies.bytes = bytes / visits / copies.commands;
	copies.pieces = fmax(pieces / copies.commands, 1);
	timing->commands += copies.commands * visits;
	return copies;
}

/* Array E of FLOW, the SIDES of whose buffer slide along with the innermost loop that moves it: what is new in a step, and a
 * whole window where a run of that loop begins. */
static void slide(struct timing *timing, int e, double *sides, const struct flow *flow, struct tile_buffer *buffer)
{
	const struct model_entry *entry = &timing->evaluation->model->entries[e];
	int inner = buffer->store - 1;
	const struct array_profile *profile = &timing->evaluation->profiles[inner]->arrays[e];
	double runs = timing->iterations[inner], steps = timing->iterations[inner + 1] - runs;
	double all = (double)flow->read_bytes, whole = all;
	/* of what one dimension shows in a run the first tile has its side */
	for (int d = 0; d < entry->array->array->rank; d++)
		if (!profile->is_fixed[d])
			whole = all * fmin(1, sides[d] / fmax((double)profile->fresh, 1));
	buffer->is_by_runs = true;
	buffer->whole = box_copies(timing, e, sides, whole, runs);
	for (int d = 0; d < entry->array->array->rank; d++)
		if (!profile->is_fixed[d])
			sides[d] = fmax(1, floor((double)profile->fresh / (double)timing->evaluation->choice->loops[inner].count));
	buffer->gets = box_copies(timing, e, sides, all - whole, steps);
}

/* Which loops, bit by bit, leave what array E's buffer shows as it is where they go on, as the innermost that moves it turns; *VISITS are those
 * of all others. */
static unsigned kept_at_turns(const struct timing *timing, int e, int store, double *visits)
{
	unsigned kept = 0;
	for (int l = 0; l < store - 1 && timing->evaluation->choice->loops[store - 1].turns; l++)
		if (group_leaves(timing->evaluation, e, store, l)) {
			kept |= 1u << l;
			*visits -= timing->iterations[l + 1] - timing->iterations[l];
		}
	return kept;
}

/* The buffer of array E, which is there for all of a tile. */
static struct tile_buffer held_buffer(struct timing *timing, int e)
{
	const struct evaluation *evaluation = timing->evaluation;
	const struct model_entry *entry = &evaluation->model->entries[e];
	const struct group_use use = group_use_of(evaluation, e, group_store_in(evaluation, e));
	bool is_double = evaluation->choice->is_double[entry->index];
	struct tile_buffer buffer = { .stage = -1, .store = use.store, .is_double = is_double && use.store, .share = 1 };
	struct flow flow;
	double sides[ARRAY_RANK_LIMIT], visits = timing->iterations[use.store];
	buffer.gets = buffer.puts = buffer.whole = (struct visit_copies){ .pieces = 1 };
	if (!group_held_flow(evaluation, e, &use, &flow))
		return buffer;
	for (int d = 0; d < entry->array->array->rank; d++)
		sides[d] = (double)(use.is_kept ? group_internal_side(evaluation, e, d, false)
			: group_outer_side(evaluation, e, d, use.store));
	buffer.kept = use.is_kept ? 0 : kept_at_turns(timing, e, use.store, &visits);
	buffer.reuses_room = visits > 2;
	buffer.puts = box_copies(timing, e, sides, (double)flow.write_bytes, visits);
	if (use.store && evaluation->profiles[use.store - 1]->arrays[e].slides && !entry->is_written)
		slide(timing, e, sides, &flow, &buffer);
	else
		buffer.whole = buffer.gets = box_copies(timing, e, sides, (double)flow.read_bytes, visits);
	return buffer;
}

/* The buffer of array E, which comes and goes for its stage in each tile: in CHUNKS of the stage's loop, or whole. */
static struct tile_buffer staged_buffer(struct timing *timing, int e, bool is_chunked, double chunks)
{
	const struct evaluation *evaluation = timing->evaluation;
	const struct group_choice *choice = evaluation->choice;
	const struct model_entry *entry = &evaluation->model->entries[e];
	int rank = entry->array->array->rank, store = group_store_in(evaluation, e);
	struct held_item item = { .entry = entry, .stage = entry->stage };
	struct tile_buffer buffer = { .stage = entry->stage - evaluation->model->candidate.first, .store = choice->depth,
		.is_chunked = is_chunked, .is_double = choice->is_double[entry->index], .share = 1 };
	struct flow flow;
	double sides[ARRAY_RANK_LIMIT], visits = timing->iterations[choice->depth] * (is_chunked ? chunks : 1);
	buffer.gets = buffer.puts = buffer.whole = (struct visit_copies){ .pieces = 1 };
	if (!group_streamed_flow(evaluation, e, &flow))
		return buffer;
	for (int d = 0; d < rank; d++)
		item.side[d] = group_outer_side(evaluation, e, d, store);
	for (int d = 0; d < rank; d++)
		sides[d] = (double)(is_chunked ? group_chunk_side(evaluation, &item, &choice->stages[entry->stage],
			choice->stage_tile[entry->stage], d) : item.side[d]);
	buffer.gets = box_copies(timing, e, sides, (double)flow.read_bytes, visits);
	buffer.puts = box_copies(timing, e, sides, (double)flow.write_bytes, visits);
	return buffer;
}

/* Cycles that member M computes in a tile. */
static double computing_of(const struct timing *timing, int m)
{
	const struct group_model *model = timing->evaluation->model;
	int depth = timing->evaluation->choice->depth;
	double cycles = timing->arch->core_mac_cycles;
	if (cycles > 0)
		cycles *= groups_nest_macs(model->groups, model->candidate.first + m);
	for (int l = 0; l < depth; l++)
		cycles *= timing->evaluation->profiles[l]->runs[m];
	return cycles / timing->iterations[depth];
}

static struct tile_buffer buffer_of(struct timing *timing, const struct tile_stage *stages, int e)
{
	const struct group_model *model = timing->evaluation->model;
	const struct model_entry *entry = &model->entries[e];
	enum group_hold hold = timing->evaluation->choice->hold[entry->index];
	return hold == HOLD_ALL ? held_buffer(timing, e)
		: staged_buffer(timing, e, hold == HOLD_CHUNK, stages[entry->stage - model->candidate.first].chunks);
}

void group_time(struct group_model *model, const struct group_limits *limits, double enough, struct group_choice *choice)
{
	struct evaluation evaluation = group_evaluation_of(model, choice);
	struct timing timing = { .evaluation = &evaluation, .arch = model->groups->compilation->arch, .iterations = { 1 } };
	int members = model->candidate.last - model->candidate.first + 1;
	double computing = 0;
	evaluation.doubles = limits->doubles;
	evaluation.constraints = limits->constraints;
	for (int l = 0; l < choice->depth; l++) {
		evaluation.profiles[l] = group_profile_of(model, &choice->loops[l]);
		timing.iterations[l + 1] = timing.iterations[l] * (double)choice->loops[l].count;
	}
	for (int m = 0; m < members; m++) {
		int n = model->candidate.first + m;
		long tile = choice->stage_tile[n];
		model->stages[m] = (struct tile_stage){ .cycles = computing_of(&timing, m),
			.chunks = tile ? (double)((choice->stages[n].extent + tile - 1) / tile) : 1 };
		computing += model->stages[m].cycles * timing.iterations[choice->depth];
	}
	for (int e = 0; e < model->entry_count; e++)
		model->buffers[e] = buffer_of(&timing, model->stages, e);
	choice->commands = timing.commands;
	const struct crossing crossing = { .bytes = (double)flow_bytes(&choice->flow), .commands = timing.commands,
		.runs = choice->flow.runs };
	double copying = copy_cycles(timing.arch, &crossing, (double)choice->flow.read_bytes);
	const struct tile_run run = { timing.arch, choice->depth, timing.iterations, model->entry_count, members, model->buffers,
		model->stages };
	choice->cycles = fmax(copying, computing);
	if (choice->cycles < enough)
		choice->cycles = fmax(choice->cycles, tile_run_cycles(&run, copying));
}
