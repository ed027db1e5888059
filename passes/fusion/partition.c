/* Which nests of a function are fused: the partition into groups of consecutive nests
 * with the least traffic, by dynamic programming from the first nest to the last. */

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "ir/isl_work.h"
#include "ir/plan_align.h"
#include "passes/cost/bound_nest.h"
#include "passes/cost/plan_cost.h"
#include "passes/fusion/part_cost.h"
#include "passes/fusion/partition_state.h"
#include "passes/quiet.h"

/* ---- what is carried ---- */

bool partition_enter(const struct partitioning *partitioning, int first, int last)
{
	const struct arch *arch = carry_arch(partitioning->compilation, partitioning->carrying, first,
		last);
	if (!arch)
		return false;
	partitioning->compilation->arch = arch;
	partitioning->compilation->room.carried_bytes = partitioning->carrying->space->arch->scratchpad_bytes
		- arch->scratchpad_bytes;
	return true;
}

void partition_leave(const struct partitioning *partitioning)
{
	partitioning->compilation->arch = partitioning->carrying->space->arch;
	partitioning->compilation->room.carried_bytes = 0;
}

static unsigned long carried_by(const struct partitioning *partitioning, int first, int last)
{
	return carry_used(partitioning->carrying, first, last, partitioning->nests);
}

/* ---- one nest ---- */

const struct nest *partition_as_one(const struct partitioning *partitioning, int first, int last)
{
	return first == last ? &partitioning->nests[first]
		: nest_join(partitioning->compilation, &partitioning->nests[first], last + 1 - first);
}

bool partition_lower_one(const struct partitioning *partitioning, int first, int last,
	const struct weighed_nest *weighed, struct plan *plan, struct plan_nest *out)
{
	struct compilation *compilation = partitioning->compilation;
	if (weighed && compilation->only_weighs && compilation->is_trial) {
		*out = weighed->entry;
		return true;
	}
	bool has_room = partition_enter(partitioning, first, last);
	const struct nest *nest = partition_as_one(partitioning, first, last);
	bool done = has_room && lower_nest(compilation, nest, weighed, plan, out);
	partition_leave(partitioning);
	compilation->failure.does_not_fit |= !has_room;
	if (!has_room)
		diag_error(compilation->diag, nest->location, "nothing fits: what is "
			"carried over '%s' leaves it nothing of %s", nest->name,
			place_all_text(compilation->arch, compilation->arena));
	return done;
}

/* Weighs NEST in COMPILATION's scratchpad, without a word if it does not fit.  False after other
 * errors, also without a word. */
static bool weigh_in(const struct partitioning *partitioning, const struct nest *nest, bool *fits,
	struct weighed_nest *weighed)
{
	struct quiet quiet;
	quiet_begin(&quiet, partitioning->compilation);
	quiet.compilation.only_weighs = quiet.compilation.is_trial = true;
	*fits = weigh_nest(&quiet.compilation, nest, partitioning->plan, weighed);
	bool is_small = !*fits && quiet.compilation.failure.does_not_fit;
	quiet_end(&quiet);
	return *fits || is_small;
}

/* Fills in what NEST, which was WEIGHED so, costs besides its bytes. */
static void measure(const struct partitioning *partitioning, const struct nest *nest, struct weighed_nest *weighed)
{
	struct plan plan = *partitioning->plan;
	struct plan_nest entry;
	struct quiet quiet;
	if (!part_needs_plan(partitioning->compilation)) {
		part_measure(partitioning->compilation, NULL, &weighed->entry);
		return;
	}
	quiet_begin(&quiet, partitioning->compilation);
	quiet.compilation.only_weighs = false;
	quiet.compilation.is_trial = true;
	quiet.compilation.request.omits_points = partitioning->compilation->arch->core_mac_cycles <= 0;
	part_forget_measures(partitioning->compilation->arch, &weighed->entry);
	if (lower_nest(&quiet.compilation, nest, weighed, &plan, &entry)) {
		part_measure(&quiet.compilation, &plan, &entry);
		weighed->entry.commands = entry.commands;
		weighed->entry.cycles = entry.cycles;
		weighed->entry.computing_price = entry.computing_price;
	}
	quiet_end(&quiet);
}

bool partition_weigh(const struct partitioning *partitioning, int first, int last,
	const struct weighed_nest **weighed, long *bound)
{
	struct fusion_memo *memo = partitioning->compilation->known.fusions;
	struct weighed_nest *own = ARENA_NEW(partitioning->compilation->arena, struct weighed_nest);
	unsigned long carried = carried_by(partitioning, first, last);
	bool fits = false, done = true;
	own->bound = LONG_MAX;
	if (partition_enter(partitioning, first, last)) {
		const struct arch *arch = partitioning->compilation->arch;
		if (!fusion_memo_nest(memo, first, last, carried, arch, &fits, own)) {
			const struct nest *nest = partition_as_one(partitioning, first, last);
			done = weigh_in(partitioning, nest, &fits, own);
			if (done && fits && parts_are_priced(partitioning->compilation))
				measure(partitioning, nest, own);
			if (done)
				fusion_memo_keep_nest(memo, first, last, carried, arch, fits, own);
		}
	}
	partition_leave(partitioning);
	*weighed = done && fits ? own : NULL;
	*bound = done ? own->bound : 0;
	return done;
}

/* Weighs nest N, which is no error if it does not fit as long as it fits in a group.  False after
 * other errors (diagnosed). */
static bool weigh_alone(struct partitioning *partitioning, int n)
{
	struct plan plan = *partitioning->plan;
	struct plan_nest entry;
	const struct weighed_nest *weighed;
	long bound, compulsory;
	bool done = partition_weigh(partitioning, n, n, &weighed, &bound)
		|| partition_lower_one(partitioning, n, n, NULL, &plan, &entry);
	partitioning->alone[n] = weighed ? plan_nest_cost(&weighed->entry) : cost_infinite();
	partitioning->weighed[n] = weighed;
	compulsory = nest_compulsory(&partitioning->nests[n]);
	if (partitioning->bound)
		space_bound_note(partitioning->bound, n, n, bound > compulsory ? bound : compulsory);
	return done;
}

/* ---- groups ---- */

enum group_outcome partition_choose(const struct partitioning *partitioning,
	const struct fusion_candidate *candidate, const struct group_limits *limits,
	struct group_choice *choice)
{
	struct fusion_memo *memo = partitioning->compilation->known.fusions;
	struct group_limits own = *limits;
	enum group_outcome outcome;
	struct quiet quiet;
	unsigned long carried = carried_by(partitioning, candidate->first, candidate->last);
	if (fusion_memo_choice(memo, candidate, carried, limits, &outcome, choice))
		return outcome;
	if (partitioning->compilation->request.schedule) {
		quiet_begin(&quiet, partitioning->compilation);
		group_read_constraints(partitioning->groups, &quiet.compilation, candidate,
			&own.constraints);
		quiet_end(&quiet);
	}
	outcome = group_search(partitioning->groups, candidate, &own, choice);
	fusion_memo_keep_choice(memo, candidate, carried, limits, outcome, choice);
	return outcome;
}

/* The nests from FIRST up to END may be a group as far as the cuts go. */
static bool may_cut(const struct partitioning *partitioning, int first, int end)
{
	bool may = !partitioning->cuts || (partitioning->cuts[first] && partitioning->cuts[end]);
	for (int n = first + 1; n < end && may && partitioning->cuts; n++)
		may = !partitioning->cuts[n];
	return may;
}

/* What CANDIDATE costs as a group under CHOICE: as its plan does, if that is known. */
static struct cost price_of(const struct partitioning *partitioning,
	const struct fusion_candidate *candidate, const struct group_choice *choice)
{
	for (const struct price *price = partitioning->prices; price; price = price->next)
		if (price->first == candidate->first && price->last == candidate->last)
			return price->cost;
	return group_choice_cost(choice);
}

/* Weighs CANDIDATE as a group that costs less than MOST.  *BOUND: what it then moves at least; -1: not known. */
static enum group_outcome weigh_group(const struct partitioning *partitioning,
	const struct fusion_candidate *candidate, const struct cost *most, struct partition *part, long *bound)
{
	*bound = LONG_MAX;
	if (fuse_constraints_merge(partitioning->constraints, candidate->first)
		|| !partition_enter(partitioning, candidate->first, candidate->last))
		return GROUP_USELESS;
	struct group_limits limits = group_limits_of(partitioning->compilation);
	limits.most = part_estimate_within(partitioning->compilation, most);
	enum group_outcome outcome = partition_choose(partitioning, candidate, &limits, &part->choice);
	partition_leave(partitioning);
	*bound = space_bound_of_group(outcome, &part->choice, most);
	part->own = price_of(partitioning, candidate, &part->choice);
	return outcome == GROUP_FITS && partitioning->prices && !objective_is_less(&partitioning->asked, &part->own, most, false)
		? GROUP_USELESS : outcome;
}

/* Wide nests merged may move so much less than MOST that it is worth while to look at them; *BOUND: what they move at least, if not. */
static bool may_move_less(struct partitioning *partitioning, const struct fusion_candidate *candidate, const struct cost *most, long *bound)
{
	double bytes = cost_is_finite(most) ? cost_figure(most, FIGURE_BYTES) : 0;
	bool is_known = bytes > 0 && bytes < (double)LONG_MAX && !part_needs_plan(partitioning->compilation);
	*bound = -1;
	if (!is_known || partitioning->compilation->is_draft || partitioning->wide_tries >= WIDE_TRIES)
		return false;
	*bound = partition_bound_merged(partitioning, candidate->first, candidate->last, (long)bytes);
	if ((double)*bound > bytes - bytes / WIDE_SHARE)
		return false;
	partitioning->wide_tries++;
	return true;
}

/* What comes of CANDIDATE's nests where they are merged; NULL: nothing that costs less than MOST, or
 * as much as a group, if IS_GROUP: of equals merged nests have fewer commands, and plainer code.  *BOUND:
 * what they then move at least; -1: not known. */
static const struct weighed_nest *weigh_merged(struct partitioning *partitioning,
	const struct fusion_candidate *candidate, const struct cost *most, bool is_group, long *bound)
{
	const struct weighed_nest *weighed;
	enum merging merging = merging_of(partitioning->groups, candidate);
	bool takes_equals = is_group && merging == MERGE_ALIKE;
	bool is_wanted = fuse_constraints_merge(partitioning->constraints, candidate->first);
	long own;
	*bound = -1;
	if (!fuse_constraints_may_merge(partitioning->constraints, candidate->first)
		|| (merging == MERGE_NEVER && !is_wanted))
		return NULL;
	*bound = nest_compulsory(partition_as_one(partitioning, candidate->first, candidate->last));
	const struct cost least = part_least_cost(partitioning->compilation, (double)*bound);
	if (!objective_is_less(&partitioning->asked, &least, most, takes_equals)
		|| (merging == MERGE_WIDE && !is_wanted && !may_move_less(partitioning, candidate, most, bound))
		|| !partition_weigh(partitioning, candidate->first, candidate->last, &weighed, &own))
		return NULL;
	*bound = own > *bound ? own : *bound;
	if (!weighed)
		return NULL;
	const struct cost cost = plan_nest_cost(&weighed->entry);
	return objective_is_less(&partitioning->asked, &cost, most, takes_equals) ? weighed : NULL;
}

/* What the plan of the last group of PART costs; as much as its nests ALONE: it is not lowered. */
static struct cost weigh_plan(const struct partitioning *partitioning, const struct partition *part,
	const struct cost *alone)
{
	struct partitioning own = *partitioning;
	struct plan plan = *partitioning->plan;
	struct plan_nest entry;
	struct quiet quiet;
	quiet_begin(&quiet, partitioning->compilation);
	quiet.compilation.only_weighs = quiet.compilation.is_trial = true;
	own.compilation = &quiet.compilation;
	struct cost cost = partition_lower_group(&own, part, alone, &plan, &entry) ? plan_nest_cost(&entry) : *alone;
	quiet_end(&quiet);
	return cost;
}

/* PART, a group, costs what its plan does, if that is less than MOST. */
static enum group_outcome measure_group(const struct partitioning *partitioning, const struct cost *most, struct partition *part)
{
	const struct cost alone = partition_cost_alone(partitioning, part->first, part->candidate.last + 1);
	part->own = weigh_plan(partitioning, part, &alone);
	return objective_is_less(&partitioning->asked, &part->own, most, false) ? GROUP_FITS : GROUP_USELESS;
}

/* Weighs CANDIDATE as the last of the nests up to its end, as a group or merged.  False if it is too
 * large, and so are groups that contain it. */
static bool weigh_range(struct partitioning *partitioning, const struct fusion_candidate *candidate)
{
	struct partition *best = &partitioning->best[candidate->last + 1];
	const struct partition *before = &partitioning->best[candidate->first];
	int count = candidate->last + 1 - candidate->first;
	bool is_wanted = partitioning->constraints->fusion == FUSE_ALL;
	bool is_whole = group_is_whole(partitioning->groups, candidate);
	long group_least, merged_least;
	if (!is_whole)
		partition_note_bounds(partitioning, candidate, LONG_MAX, LONG_MAX);
	bool is_part = is_whole || fuse_constraints_merge(partitioning->constraints, candidate->first);
	if (!cost_is_finite(&before->cost) || !is_part
		|| !fuse_constraints_allow(partitioning->constraints, candidate->first, count)
		|| !may_cut(partitioning, candidate->first, candidate->last + 1))
		return true;
	struct cost cost = is_wanted ? cost_infinite() : cost_rest(&best->cost, &before->cost);
	struct partition part = { .first = candidate->first, .candidate = *candidate };
	enum group_outcome outcome = weigh_group(partitioning, candidate, &cost, &part, &group_least);
	if (outcome == GROUP_FITS && !is_wanted && parts_are_measured(partitioning->compilation))
		outcome = measure_group(partitioning, &cost, &part);
	if (outcome == GROUP_FITS)
		cost = part.own;
	part.merged = weigh_merged(partitioning, candidate, &cost, outcome == GROUP_FITS, &merged_least);
	partition_note_bounds(partitioning, candidate, group_least, merged_least);
	if (part.merged)
		cost = plan_nest_cost(&part.merged->entry);
	part.own = cost;
	part.cost = cost_sum(&before->cost, &cost);
	if (outcome == GROUP_FITS || part.merged)
		*best = part;
	return outcome != GROUP_TOO_LARGE || part.merged;
}

/* Groups that end with nest LAST, longer and longer until one is too large. */
static void extend(struct partitioning *partitioning, int last)
{
	struct partition *best = partitioning->best;
	struct fusion_candidate candidate;
	best[last + 1] = (struct partition){ .first = last,
		.cost = cost_sum(&best[last].cost, &partitioning->alone[last]),
		.own = partitioning->alone[last] };
	bool may_fit = true;
	group_begin(partitioning->groups, last, &candidate);
	while (may_fit && candidate.first > 0) {
		group_grow(partitioning->groups, &candidate);
		may_fit = weigh_range(partitioning, &candidate);
	}
}

/* The whole function as one nest or one group, if nothing can move less, or the user wants it. */
static bool is_best_as_one(struct partitioning *partitioning)
{
	struct partition *best = &partitioning->best[partitioning->count];
	struct fusion_candidate *candidate = &best->candidate;
	bool is_wanted = partitioning->constraints->fusion == FUSE_ALL;
	/* no bytes say that nothing costs less */
	if ((parts_are_priced(partitioning->compilation) && !is_wanted)
		|| !fuse_constraints_allow(partitioning->constraints, 0, partitioning->count)
		|| !may_cut(partitioning, 0, partitioning->count)
		|| !group_of(partitioning->groups, 0, partitioning->count - 1, candidate))
		return false;
	struct group_model *model = group_model_new(partitioning->groups, candidate, false);
	struct cost cost = is_wanted ? cost_infinite() : group_least_cost(model);
	cost.crossings[BOUNDARY_EXTERNAL].bytes += 1;   /* a whole number: the least is less, no other */
	group_model_free(model);
	best->first = 0;
	long group_least, merged_least;
	enum group_outcome outcome = weigh_group(partitioning, candidate, &cost, best, &group_least);
	if (outcome == GROUP_FITS)
		cost = group_choice_cost(&best->choice);
	best->merged = weigh_merged(partitioning, candidate, &cost, outcome == GROUP_FITS, &merged_least);
	if (best->merged && !is_wanted
		&& !plan_nest_reaches(&best->merged->entry, best->merged->entry.compulsory_bytes))
		best->merged = NULL;
	return outcome == GROUP_FITS || best->merged;
}

struct cost partition_cost_alone(const struct partitioning *partitioning, int first, int end)
{
	struct cost cost = { .work = 0 };
	for (int n = first; n < end; n++)
		cost = cost_sum(&cost, &partitioning->alone[n]);
	return cost;
}

bool partition_report_refusal(const struct partitioning *partitioning, int n,
	enum group_outcome outcome)
{
	struct compilation *compilation = partitioning->compilation;
	int last = n + fuse_constraints_forced(partitioning->constraints, n) - 1;
	struct location at = partitioning->constraints->of_nest[n].location;
	const char *first = partitioning->nests[n].name, *end = partitioning->nests[last].name;
	struct fusion_candidate candidate;
	bool is_group = group_of(partitioning->groups, n, last, &candidate);
	bool has_lines = is_group && group_is_constrained(partitioning->groups, compilation,
		&candidate);
	compilation->failure.does_not_fit |= outcome == GROUP_TOO_LARGE || has_lines;
	if (has_lines)
		diag_error(compilation->diag, at, "nothing fits: no schedule of the nests '%s' to '%s' as "
			"one, with what is said of it, needs at most %s", first, end,
			place_all_text(compilation->arch, compilation->arena));
	else
		diag_error(compilation->diag, at, "the nests '%s' to '%s' cannot be fused: %s", first, end,
			outcome == GROUP_TOO_LARGE ? "no tile of the group fits the scratchpad"
			: "they share no array that would stay on chip, or some use of a scalar is elsewhere");
	if (has_lines)
		group_explain_constraints(partitioning->groups, compilation, &candidate);
	return false;
}

/* The best choice for CANDIDATE in the scratchpad that is left for it. */
static enum group_outcome choose_in(const struct partitioning *partitioning,
	const struct fusion_candidate *candidate, struct group_choice *choice)
{
	if (!partition_enter(partitioning, candidate->first, candidate->last))
		return GROUP_TOO_LARGE;
	struct group_limits limits = group_limits_of(partitioning->compilation);
	enum group_outcome outcome = partition_choose(partitioning, candidate, &limits, choice);
	partition_leave(partitioning);
	return outcome;
}

/* The nests from FIRST to LAST, which the user wants merged, can be; else says why not. */
static bool check_merged(const struct partitioning *partitioning, int first, int last)
{
	struct plan plan = *partitioning->plan;
	struct plan_nest entry;
	const struct weighed_nest *weighed;
	long bound;
	return (partition_weigh(partitioning, first, last, &weighed, &bound) && weighed)
		|| partition_lower_one(partitioning, first, last, NULL, &plan, &entry);
}

/* Every group that the user wants is possible by itself. */
static bool check_forced(const struct partitioning *partitioning)
{
	for (int n = 0; n < partitioning->count; n++) {
		struct fusion_candidate candidate;
		struct group_choice choice;
		int count = fuse_constraints_forced(partitioning->constraints, n);
		if (count > 1 && fuse_constraints_merge(partitioning->constraints, n)) {
			if (!check_merged(partitioning, n, n + count - 1))
				return false;
			continue;
		}
		enum group_outcome outcome = count == 1 ? GROUP_FITS
			: !group_of(partitioning->groups, n, n + count - 1, &candidate) ? GROUP_USELESS
			: choose_in(partitioning, &candidate, &choice);
		if (outcome != GROUP_FITS)
			return partition_report_refusal(partitioning, n, outcome);
	}
	return true;
}

/* A schedule says of each nest where it is. */
static bool is_given(struct partitioning *partitioning)
{
	for (int n = 0; n < partitioning->count; n++)
		if (!partitioning->constraints->of_nest[n].count)
			return false;
	for (int n = 0, count; n < partitioning->count; n += count) {
		count = partitioning->constraints->of_nest[n].count;
		struct partition *part = &partitioning->best[n + count];
		part->first = n;
		if (fuse_constraints_merge(partitioning->constraints, n)) {
			long bound;
			if (!partition_weigh(partitioning, n, n + count - 1, &part->merged, &bound) || !part->merged)
				return false;
			continue;
		}
		if (count > 1 && (!group_of(partitioning->groups, n, n + count - 1, &part->candidate)
			|| choose_in(partitioning, &part->candidate, &part->choice) != GROUP_FITS))
			return false;
	}
	return true;
}

/* ---- what plans cost ---- */

/* What the plans of all nests cost, grouped as they are.  Notes of each group what its plan costs if the
 * model says something else; *IS_TRUE: it does not. */
static struct cost plans_cost(struct partitioning *partitioning, bool *is_true)
{
	struct cost sum = { .work = 0 };
	*is_true = true;
	for (int last = partitioning->count - 1, first; last >= 0; last = first - 1) {
		const struct partition *part = &partitioning->best[last + 1];
		struct cost cost = part->own;
		first = part->first;
		if (first < last && !part->merged
			&& fuse_constraints_allow(partitioning->constraints, first, 1)) {
			const struct cost alone = partition_cost_alone(partitioning, first, last + 1);
			cost = weigh_plan(partitioning, part, &alone);
		}
		sum = cost_sum(&sum, &cost);
		if (objective_compare(&partitioning->asked, &cost, &part->own) == 0)
			continue;
		*is_true = false;
		struct price *price = ARENA_NEW(partitioning->compilation->arena, struct price);
		*price = (struct price){ partitioning->prices, first, last, cost };
		partitioning->prices = price;
	}
	return sum;
}

/* The best groups for what the model says, and for what plans cost where that is known. */
static void find_groups(struct partitioning *partitioning)
{
	partitioning->best[0] = (struct partition){ .cost = { .work = 0 } };
	partitioning->wide_tries = 0;
	for (int n = 0; n < partitioning->count; n++)
		extend(partitioning, n);
}

/* The best groups.  What the model says of those that are found is compared with their plans, and others
 * are found where these cost more, until the plans cost what was said of them. */
static void find_true_groups(struct partitioning *partitioning)
{
	enum { ROUNDS = 8 };
	size_t count = (size_t)partitioning->count + 1;
	struct partition *least = ARENA_ARRAY(partitioning->compilation->arena, struct partition, count);
	struct cost least_cost = cost_infinite();
	bool is_true = false;
	find_groups(partitioning);
	if (partitioning->constraints->fusion == FUSE_ALL
		|| !cost_is_finite(&partitioning->best[count - 1].cost))
		return;
	for (int i = 0; i < ROUNDS && !is_true; i++) {
		if (i)
			find_groups(partitioning);
		const struct cost cost = plans_cost(partitioning, &is_true);
		if (i && !objective_is_less(&partitioning->asked, &cost, &least_cost, false))
			continue;
		memcpy(least, partitioning->best, count * sizeof *least);
		least_cost = cost;
	}
	memcpy(partitioning->best, least, count * sizeof *least);
}

/* Nothing fits: each nest that fits nowhere says why.  True if all do, and only what they
 * move in all is too much to be compared. */
static bool complain(const struct partitioning *partitioning, struct plan *plan)
{
	bool all_fit = true;
	plan->nest_count = 0;
	for (int n = 0; n < partitioning->count; n++)
		if (!cost_is_finite(&partitioning->alone[n])) {
			all_fit = false;
			partition_lower_one(partitioning, n, n, partitioning->weighed[n], plan, &plan->nests[0]);
		}
	return all_fit;
}

static bool lower_alone(struct compilation *compilation, const struct nest *nests, int count,
	struct plan *plan)
{
	bool done = true;
	for (int n = 0; n < count; n++)
		done &= lower_nest(compilation, &nests[n], NULL, plan, &plan->nests[n]);
	return done;
}

bool lower_fused(struct compilation *compilation, const struct nest *nests, int count,
	const struct fuse_constraints *constraints, const struct carrying *carrying, const bool *cuts,
	struct space_question *question, struct plan *plan)
{
	if (!constraints->forces && !carrying->mask && !nests_may_gain(nests, count))
		return lower_alone(compilation, nests, count, plan);
	const struct plan before = *plan;
	struct partitioning partitioning = { .compilation = compilation,
		.groups = fusion_memo_groups(compilation->known.fusions, compilation, nests, count), .nests = nests,
		.count = count, .plan = &before, .constraints = constraints,
		.alone = ARENA_ARRAY(compilation->arena, struct cost, count),
		.weighed = ARENA_ARRAY(compilation->arena, const struct weighed_nest *, count),
		.best = ARENA_ARRAY(compilation->arena, struct partition, count + 1), .carrying = carrying,
		.asked = part_objective(compilation, RANK_ASKED), .cuts = cuts,
		.bound = question && constraints->is_free && !cuts && count <= SPACE_NESTS ? space_bound_new(compilation->arena, count, NULL) : NULL,
		.enough = LONG_MAX };
	plan->nest_count = 0;
	for (int n = 0; n < count; n++)
		partitioning.alone[n] = cost_infinite();
	if (is_given(&partitioning))
		return partition_lower_ranges(&partitioning, count, plan);
	/* Nests alone may move less than the model of groups thinks possible: they move strided
	 * columns one by one. */
	if (is_best_as_one(&partitioning) && partition_lower_as_one(&partitioning, plan)
		&& (plan_nest_reaches(&plan->nests[0], plan->nests[0].compulsory_bytes)
		|| constraints->fusion == FUSE_ALL))
		return true;
	*plan = before;
	plan->nest_count = 0;
	if (!check_forced(&partitioning))
		return false;
	for (int n = 0; n < count; n++)
		if (fuse_constraints_allow(constraints, n, 1)
			&& !weigh_alone(&partitioning, n))
			return false;
	find_true_groups(&partitioning);
	if (partitioning.bound)
		partition_answer(&partitioning, question);
	if (!cost_is_finite(&partitioning.best[count].cost)) {
		if (!complain(&partitioning, plan) || carrying->mask)
			return false;
		*plan = before;
		return lower_alone(compilation, nests, count, plan);
	}
	return partition_lower_ranges(&partitioning, count, plan);
}
