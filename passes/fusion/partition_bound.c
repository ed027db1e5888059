/* What no partition moves less than: bounds of its parts, for space_bound.c. */

#include <limits.h>

#include "ir/isl_work.h"
#include "passes/cost/bound_nest.h"
#include "passes/fusion/partition_state.h"

long partition_bound_merged(const struct partitioning *partitioning, int first, int last, long most)
{
	bool has_room = partition_enter(partitioning, first, last);
	const struct nest *one = partition_as_one(partitioning, first, last);
	const char *argument;
	long compulsory, bound = !has_room ? LONG_MAX
		: nest_bound_unweighed(partitioning->compilation, one, partitioning->plan, most);
	long least = nest_lower_bound(one, partitioning->compilation->arch->scratchpad_bytes, &compulsory, &argument);
	partition_leave(partitioning);
	return bound > least ? bound : least;
}

void partition_note_bounds(const struct partitioning *partitioning, const struct fusion_candidate *candidate,
	long group, long merged)
{
	if (!partitioning->bound)
		return;
	merged = space_bound_merged(partitioning->bound, candidate->first, candidate->last, merged);
	if (group < 0)
		return;
	if (merged < 0)
		merged = partition_bound_merged(partitioning, candidate->first, candidate->last, LONG_MAX);
	long least = group < merged ? group : merged;
	if (least > 0)
		space_bound_note(partitioning->bound, candidate->first, candidate->last, least);
}

/* What no plan of CANDIDATE as a group moves less than, up to what is enough; -1: not known. */
static long bound_of_plans(const struct partitioning *partitioning, const struct fusion_candidate *candidate)
{
	long bound = LONG_MAX;
	if (partition_enter(partitioning, candidate->first, candidate->last)) {
		struct group_limits limits = group_limits_of(partitioning->compilation);
		limits.most = cost_of_bytes((double)partitioning->enough);
		bound = group_bound(partitioning->groups, candidate, &limits);
	}
	partition_leave(partitioning);
	return bound;
}

/* Notes what the nests from FIRST to LAST move at least, which were not weighed as one part: a smaller one was too
 * large; or of which plans may move less than was found. */
static void look_at_part(void *user, int first, int last)
{
	struct partitioning *partitioning = user;
	const struct cost most = cost_of_bytes((double)partitioning->enough);
	struct partition part;
	long least;
	int pairs = (last + 1 - first) * (last + 1 - first);
	if (partitioning->pairs < pairs || !group_of(partitioning->groups, first, last, &part.candidate))
		return;
	partitioning->pairs -= pairs;
	partition_weigh_group(partitioning, &part.candidate, &most, &part, &least);
	if (least < 0)
		least = bound_of_plans(partitioning, &part.candidate);
	partition_note_bounds(partitioning, &part.candidate, least, -1);
}

void partition_answer(struct partitioning *partitioning, struct space_question *question)
{
	isl_ctx *ctx = partitioning->compilation->ctx;
	unsigned long begun = isl_operations(ctx);
	partitioning->pairs = question->pairs;
	const struct cost *found = &partitioning->best[partitioning->count].cost;
	long bytes = cost_is_finite(found) ? (long)cost_figure(found, FIGURE_BYTES) : 0;
	partitioning->enough = bytes < question->enough ? bytes : question->enough;
	question->bytes = space_bound_of(partitioning->bound, partitioning->groups, partitioning->enough, look_at_part,
		partitioning);
	question->pairs = partitioning->pairs;
	question->operations = isl_operations(ctx) - begun;
}
