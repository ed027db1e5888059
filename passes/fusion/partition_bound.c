/* What no partition moves less than: bounds of its parts, for space_bound.c. */

#include <limits.h>
#include <string.h>

#include "ir/isl_work.h"
#include "passes/analysis/nest_memo.h"
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

/* ---- beside what is carried ---- */

/* Notes what the nests from FIRST to LAST move at least, which were not weighed as one part: a smaller one was too
 * large; or of which plans may move less than was found. */
static void look_at_part(void *user, int first, int last, struct part_case *part)
{
	struct partitioning *partitioning = user;
	struct fusion_candidate candidate;
	int pairs = (last + 1 - first) * (last + 1 - first);
	part->is_open = false;
	if (!group_of(partitioning->groups, first, last, &candidate))
		return;
	space_bound_note(partitioning->bound, first, last, group_lower_bound(partitioning->groups, &candidate));
	if (partitioning->pairs < pairs)
		return;
	partitioning->pairs -= pairs;
	partition_note_bounds(partitioning, &candidate, bound_of_plans(partitioning, &candidate), -1);
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
		partitioning, NULL);
	question->pairs = partitioning->pairs;
	question->operations = isl_operations(ctx) - begun;
}

/* ---- whatever is carried ---- */

struct bounding {
	struct partitioning partitioning;
	struct fusion_memo *memo;    /* that knows the groups */
	const struct carry_space *space;
	unsigned long possible;      /* candidates that may be carried */
	int looks;                   /* nests of parts that may still be looked at, as groups */
	int wide_looks;              /* and how many wide ones may be searched merged */
};

/* Nest N of PARTITIONING, beside what is carried now. */
static long bound_of_nest(struct partitioning *partitioning, int n)
{
	struct compilation *compilation = partitioning->compilation;
	struct nest *nests = ARENA_ARRAY(compilation->arena, struct nest, partitioning->count);
	const struct weighed_nest *weighed;
	const struct nest *nest = &partitioning->nests[n];
	long bound;
	memcpy(nests, partitioning->nests, (size_t)partitioning->count * sizeof *nests);
	nests[n] = *nest_renew(compilation, nest, nest->function, nest->statements, nest->statement_count);
	partitioning->nests = nests;
	partition_weigh(partitioning, n, n, &weighed, &bound);
	long compulsory = nest_compulsory(&nests[n]);
	return bound > compulsory ? bound : compulsory;
}

/* Nests that may be merged so are in the space of PARTITIONING's choices. */
static bool is_in_space(const struct partitioning *partitioning, enum merging merging)
{
	return merging != MERGE_NEVER || partitioning->count <= SPACE_NESTS;
}

/* CANDIDATE's nests merged, if that is in the space; no more than MOST is wanted.  IS_SEARCHED: the search for a plan bounds them, too. */
static long bound_of_merged(const struct partitioning *partitioning, const struct fusion_candidate *candidate, long most, bool is_searched)
{
	const struct weighed_nest *weighed;
	long searched;
	if (!is_in_space(partitioning, merging_of(partitioning->groups, candidate)))
		return LONG_MAX;
	long bound = partition_bound_merged(partitioning, candidate->first, candidate->last, most);
	if (is_searched && bound < most && partition_weigh(partitioning, candidate->first, candidate->last, &weighed, &searched)
		&& searched > bound)
		bound = searched;
	return bound;
}

/* The nests of PARTITIONING from FIRST to LAST as a group, or merged. */
static long bound_of_several(struct partitioning *partitioning, int first, int last, bool is_searched)
{
	struct fusion_candidate candidate;
	if (!group_of(partitioning->groups, first, last, &candidate))
		return LONG_MAX;
	long group = bound_of_plans(partitioning, &candidate);
	const bool is_known = group >= 0 && group < partitioning->enough;
	long merged = bound_of_merged(partitioning, &candidate, is_known ? group : partitioning->enough, is_searched);
	return group < merged ? group : merged;
}

/* From here on CARRIED stay. */
static struct groups *beside(const struct bounding *bounding, const struct carried *carried)
{
	const struct partitioning *partitioning = &bounding->partitioning;
	partitioning->compilation->room.carried = carried;
	return fusion_memo_groups(bounding->memo, partitioning->compilation, partitioning->nests, partitioning->count);
}

/* What the nests from FIRST to LAST move at least in the case PART.  All that is made for it goes. */
static long bound_of_case(const struct bounding *bounding, int first, int last, const struct part_case *part)
{
	struct partitioning partitioning = bounding->partitioning;
	struct compilation *compilation = partitioning.compilation;
	struct plan plan = *partitioning.plan;
	struct carrying carrying;
	struct arena *arena = compilation->arena;
	long bound = LONG_MAX;
	compilation->arena = plan.arena = arena_new();
	if (carry_part(compilation, bounding->space, part->carried, bounding->possible & ~part->carried & ~part->absent, first, last, &carrying)) {
		partitioning.carrying = &carrying;
		partitioning.plan = &plan;
		beside(bounding, &carrying.carried);
		bound = first == last ? bound_of_nest(&partitioning, first) : bound_of_several(&partitioning, first, last, part->is_searched);
		beside(bounding, NULL);
	}
	arena_free(compilation->arena);
	compilation->arena = arena;
	return bound;
}

/* Candidates that the nests from FIRST to LAST use, of which PART does not say whether they are carried. */
static unsigned long unsettled(const struct bounding *bounding, int first, int last, const struct part_case *part)
{
	return carry_candidates(bounding->space, first, last, bounding->partitioning.nests) & bounding->possible & ~part->carried & ~part->absent;
}

/* What is found of the case PART now bounds it. */
static void tighten(const struct bounding *bounding, int first, int last, struct part_case *part)
{
	long bytes = bound_of_case(bounding, first, last, part);
	part->bytes = bytes > part->bytes ? bytes : part->bytes;
}

/* PART, of the nests from FIRST to LAST, becomes two: with the largest array that is not settled on chip, and without it. */
static void split(const struct bounding *bounding, int first, int last, struct part_case *part)
{
	unsigned long bit = 1UL << carry_largest(bounding->space, unsettled(bounding, first, last, part));
	struct part_case *other = ARENA_NEW(bounding->partitioning.compilation->arena, struct part_case);
	*other = *part;
	part->next = other;
	part->carried |= bit;
	other->absent |= bit;
	tighten(bounding, first, last, part);
	tighten(bounding, first, last, other);
}

/* How the nests from FIRST to LAST may be merged. */
static enum merging merging_in(const struct bounding *bounding, int first, int last)
{
	struct fusion_candidate candidate;
	return first < last && group_of(bounding->partitioning.groups, first, last, &candidate)
		? merging_of(bounding->partitioning.groups, &candidate) : MERGE_NEVER;
}

/* The nests from FIRST to LAST, which may be merged so, may be looked at: not too much was so far. */
static bool spend(struct bounding *bounding, int first, int last, enum merging merging)
{
	enum { MERGED = 25 };        /* for each pair of nests, so much as for a nest of a group */
	int count = last + 1 - first;
	bounding->looks -= count > 1 && is_in_space(&bounding->partitioning, merging) ? MERGED * count * count : count;
	return bounding->looks >= 0;
}

/* Plans of nests that may be merged so are searched for: of wide ones that takes a second or two. */
static bool may_search(struct bounding *bounding, enum merging merging)
{
	return merging == MERGE_ALIKE || merging == MERGE_TO_SAVE || (merging == MERGE_WIDE && bounding->wide_looks-- > 0);
}

/* Looks at the nests from FIRST to LAST with all that may be carried for free; then again and again, with less that is not settled; and at
 * last with searches for plans. */
static void look_at_case(void *user, int first, int last, struct part_case *part)
{
	struct bounding *bounding = user;
	enum merging merging = merging_in(bounding, first, last);
	if (!spend(bounding, first, last, merging)) {
		part->is_open = false;
	} else if (!part->is_looked_at) {
		part->is_looked_at = true;
		tighten(bounding, first, last, part);
	} else if (unsettled(bounding, first, last, part)) {
		split(bounding, first, last, part);
	} else {
		part->is_open = false;
		part->is_searched = may_search(bounding, merging);
		if (part->is_searched)
			tighten(bounding, first, last, part);
	}
}

/* Before which nests which of the POSSIBLE candidates of SPACE are in use, and from them on. */
static const unsigned long *live_of(struct arena *arena, const struct carry_space *space, unsigned long possible)
{
	unsigned long *live = ARENA_ARRAY(arena, unsigned long, space->nest_count + 1);
	for (int c = 0; c < space->count; c++)
		for (int n = space->candidates[c].first + 1; n <= space->candidates[c].last; n++)
			live[n] |= possible & 1UL << c;
	return live;
}

long bound_fused(struct compilation *compilation, const struct nest *nests, const struct carry_space *space,
	const struct fuse_constraints *constraints, const struct plan *plan, long enough, struct space_partition *bounded)
{
	int count = space->nest_count;
	unsigned long possible = carry_possible(compilation, space);
	struct bounding bounding = { .memo = compilation->known.fusions, .space = space,
		.partitioning = { .compilation = compilation, .nests = nests, .count = count, .plan = plan, .constraints = constraints,
		.bound = space_bound_new(compilation->arena, count, live_of(compilation->arena, space, possible)), .enough = enough },
		.possible = possible,
		.looks = SPACE_LOOKS, .wide_looks = WIDE_TRIES };
	nest_memos_share(compilation, space->function);
	/* what is found beside what stays for free is no choice for anything */
	compilation->known.fusions = NULL;
	bounding.partitioning.groups = beside(&bounding, NULL);
	return space_bound_of(bounding.partitioning.bound, bounding.partitioning.groups, enough, look_at_case, &bounding, bounded);
}
