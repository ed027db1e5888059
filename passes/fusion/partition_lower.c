/* Plans of a partition: each group, nest and merged range is lowered as it was chosen. */

#include <limits.h>
#include <stdlib.h>

#include "ir/plan_align.h"
#include "passes/cost/plan_cost.h"
#include "passes/fusion/part_cost.h"
#include "passes/fusion/partition_state.h"

/* group_emit, or what came of it before. */
static bool emit_once(const struct partitioning *partitioning,
	const struct fusion_candidate *candidate,
	const struct group_choice *choice, struct plan *plan, struct plan_nest *out)
{
	const struct compilation *compilation = partitioning->compilation;
	struct plan_nest known = { .cycles = 0 };
	bool fits;
	if (fusion_memo_group(compilation->known.fusions, compilation, choice, &fits, &known)
		&& (compilation->only_weighs || !fits)) {
		*out = known;
		return fits;
	}
	fits = group_emit(partitioning->compilation, partitioning->groups, candidate, choice, plan, out)
		&& !plan_nest_misaligned(plan, out).array;
	if (fits && compilation->only_weighs && parts_are_priced(compilation)) {
		part_measure(compilation, plan, out);
	} else if (fits) {
		out->commands = known.commands;
		out->cycles = known.cycles;
		out->computing_price = known.computing_price;
	}
	fusion_memo_keep_group(compilation->known.fusions, compilation, choice, fits, out);
	return fits;
}

static bool costs_at_most(const struct partitioning *partitioning, const struct plan_nest *out, const struct cost *most)
{
	const struct cost cost = plan_nest_cost(out);
	return objective_is_less(&partitioning->asked, &cost, most, true);
}

/* From here on LIMITS have an eighth less of each memory. */
static void take_less(struct group_limits *limits)
{
	long less[MEMORY_LIMIT], all = limits->capacity - (limits->capacity / 8 + 1);
	for (int m = 0; m < MEMORY_LIMIT; m++)
		less[m] = limits->capacities[m] - (limits->capacities[m] ? limits->capacities[m] / 8 + 1 : 0);
	group_limits_take(limits, less);
	limits->capacity = all < limits->capacity ? all : limits->capacity;
}

/* No choice for CANDIDATE that costs less than MOST moves less than this, whatever a schedule says of it; -1: not known.  CHOICE was
 * found under CONSTRAINTS. */
static long bound_of_group(const struct partitioning *partitioning, const struct fusion_candidate *candidate,
	const struct cost *most, const struct group_constraints *constraints, const struct group_choice *choice)
{
	struct group_limits limits = group_limits_of(partitioning->compilation);
	struct group_choice free;
	limits.most = *most;
	if (parts_are_priced(partitioning->compilation))
		return -1;
	if (partitioning->compilation->only_weighs)
		return space_bound_of_group(GROUP_FITS, choice, most);
	if (!group_is_exact(partitioning->groups, candidate))
		return group_bound(partitioning->groups, candidate, &limits);
	return !constraints ? space_bound_of_group(GROUP_FITS, choice, most)
		: space_bound_of_group(group_search(partitioning->groups, candidate, &limits, &free), &free, most);
}

/* Lowers a group; where the plan needs more than the model says, one of less.  False if
 * none has a plan that costs MOST or less, unless the user wants groups anyway. */
static bool lower_group_in(const struct partitioning *partitioning, const struct partition *part,
	const struct cost *most, struct plan *plan, struct plan_nest *out)
{
	enum { TRIES = 6 };
	const struct plan before = *plan;
	const struct fusion_candidate *candidate = &part->candidate;
	struct group_limits limits = group_limits_of(partitioning->compilation);
	struct group_choice choice = part->choice;
	bool is_wanted = partitioning->constraints->fusion == FUSE_ALL;
	if (!is_wanted)
		limits.most = *most;
	if (!group_read_constraints(partitioning->groups, partitioning->compilation, candidate,
		&limits.constraints))
		return false;
	for (int i = 0; i < TRIES; i++) {
		if (emit_once(partitioning, candidate, &choice, plan, out)
			&& (is_wanted || costs_at_most(partitioning, out, most))) {
			group_judge(partitioning->compilation, partitioning->groups, candidate,
				bound_of_group(partitioning, candidate, &limits.most, limits.constraints, &part->choice), out);
			if (choice.cycles > 0)
				diag_remark(partitioning->compilation->diag, out->location, "time",
					"the search expected about %.0f cycles of this group", choice.cycles);
			plan->nest_count++;
			out->first_source = part->first;
			out->source_count = candidate->last + 1 - part->first;
			return true;
		}
		*plan = before;
		take_less(&limits);
		limits.repetition = 1 + (limits.repetition - 1) * 0.9;
		if (partition_choose(partitioning, candidate, &limits, &choice) != GROUP_FITS)
			break;
	}
	return false;
}

bool partition_lower_group(const struct partitioning *partitioning, const struct partition *part,
	const struct cost *most, struct plan *plan, struct plan_nest *out)
{
	bool done = partition_enter(partitioning, part->first, part->candidate.last)
		&& lower_group_in(partitioning, part, most, plan, out);
	partition_leave(partitioning);
	return done;
}

bool partition_lower_as_one(const struct partitioning *partitioning, struct plan *plan)
{
	const struct partition *all = &partitioning->best[partitioning->count];
	const struct cost cost = group_choice_cost(&all->choice);
	return all->merged
		? partition_lower_one(partitioning, 0, partitioning->count - 1, all->merged, plan,
			&plan->nests[plan->nest_count++])
		: partition_lower_group(partitioning, all, &cost, plan, &plan->nests[0]);
}

/* A group that is not lowered after all is lowered nest by nest, unless the user wants it
 * to be one. */
static bool lower_range(const struct partitioning *partitioning, int first, int end,
	struct plan *plan)
{
	const struct partition *part = &partitioning->best[end];
	int errors = diag_error_count(partitioning->compilation->diag);
	if (part->merged)
		return partition_lower_one(partitioning, first, end - 1, part->merged, plan,
			&plan->nests[plan->nest_count++]);
	if (end - first > 1) {
		struct plan_nest *out = &plan->nests[plan->nest_count];
		const struct cost alone = partition_cost_alone(partitioning, first, end);
		if (partition_lower_group(partitioning, part, &alone, plan, out))
			return true;
		if (diag_error_count(partitioning->compilation->diag) > errors)
			return false;
		if (!fuse_constraints_allow(partitioning->constraints, first, 1))
			return partition_report_refusal(partitioning, first, GROUP_TOO_LARGE);
	}
	bool done = true;
	for (int i = first; i < end && done; i++)
		done = partition_lower_one(partitioning, i, i, partitioning->weighed[i], plan,
			&plan->nests[plan->nest_count++]);
	return done;
}

bool partition_lower_ranges(const struct partitioning *partitioning, int end, struct plan *plan)
{
	int first = partitioning->best[end].first;
	if (!end)
		return true;
	return partition_lower_ranges(partitioning, first, plan) && lower_range(partitioning, first, end, plan);
}
