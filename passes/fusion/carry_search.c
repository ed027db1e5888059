/* Which arrays are carried: each set of them leaves the nests another scratchpad, in which these
 * are partitioned into groups and lowered anew. */

#include <limits.h>
#include <math.h>
#include <string.h>

#include "ir/isl_work.h"
#include "passes/fusion/fuse.h"
#include "passes/fusion/fusion_memo.h"
#include "passes/fusion/part_cost.h"
#include "passes/cost/plan_cost.h"
#include "passes/quiet.h"

struct carry_search {
	struct compilation *compilation;
	const struct nest *nests;
	const struct fuse_constraints *constraints;
	const struct plan *plan;     /* empty */
	struct carry_space space;
	bool *cuts;                  /* see lower_fused; NULL: free */
	bool holds_results;          /* while they are free: see struct group_limits */
	bool streams_results;        /* some group does not, while they are free */
	struct objective asked;
	struct cost least;           /* nothing costs less, as far as is known */
	unsigned long best;          /* set, and what it costs */
	struct cost cost;
	bool *parts;                 /* [nest_count + 1]: a part of that plan begins there; NULL: not
	                              * known */
	int part_count;              /* without more carried than is wanted; 0: not known yet */
	bool is_proved;              /* every nest and group is the best there is in its place */
	long moved[CARRY_LIMIT];     /* by the candidates: bytes, of those */
	int tried_count;
	unsigned long *tried;        /* [tried_count]: sets weighed */
	long bound;                  /* nothing in the space of these moves less; -1: not known */
	unsigned long begun;         /* isl's operations before all sets but the first, as counted says */
	int pairs;                   /* of nests: parts with so many may still be looked at for bounds */
	unsigned long bounding;      /* isl's operations that were spent on bounds: these have no part in what is chosen */
};

enum { SMALL = 8, MIDDLE = 16 };     /* nests */

/* How many sets are weighed: the work does not depend on what else was asked before. */
static int most_tries(int nest_count)
{
	return nest_count <= SMALL ? 64 : nest_count <= MIDDLE ? 24 : 12;
}

/* What is carried comes and goes in PLAN, too, which takes as long as its bytes. */
static void apply(const struct compilation *compilation, const struct carry_search *search, const struct carrying *carrying,
	struct plan *plan)
{
	double before = (double)plan_bytes(plan);
	carry_apply(carrying, search->nests, plan);
	if (plan->nest_count && parts_are_measured(compilation))
		plan->nests[0].cycles += part_least_cost(compilation, (double)plan_bytes(plan) - before).cycles;
}

/* Lowers the nests with MASK carried; QUESTION: see lower_fused. */
static bool lower_with(const struct carry_search *search, struct compilation *compilation,
	unsigned long mask, struct space_question *question, struct plan *plan)
{
	int count;
	struct carrying carrying;
	if (!carry_place(compilation, &search->space, mask, &carrying))
		return false;
	const struct carried *before = compilation->room.carried;
	const struct arch *arch = compilation->arch;
	compilation->room.carried = &carrying.carried;
	compilation->arch = search->space.arch;
	const struct nest *nests = nests_of_function(compilation, search->plan->function, &count);
	bool done = lower_fused(compilation, nests, count, search->constraints, &carrying, search->cuts,
		question, plan);
	compilation->room.carried = before;
	compilation->arch = arch;
	if (done)
		apply(compilation, search, &carrying, plan);
	return done;
}

/* What the function costs with MASK carried, and the plan without statements; infinite: it does not
 * fit.  See compilation.request.spares_memory. */
static struct cost weigh_so(struct carry_search *search, unsigned long mask, bool spares_memory,
	struct space_question *question, struct plan *plan)
{
	struct quiet quiet;
	*plan = *search->plan;
	plan->nests = ARENA_ARRAY(plan->arena, struct plan_nest, search->space.nest_count + 1);
	quiet_begin(&quiet, search->compilation);
	quiet.compilation.only_weighs = quiet.compilation.is_trial = true;
	quiet.compilation.request.spares_memory = spares_memory;
	quiet.compilation.request.holds_results = search->holds_results && !search->cuts;
	struct cost cost = lower_with(search, &quiet.compilation, mask, question, plan) ? plan_cost(plan)
		: cost_infinite();
	/* who wants all to be fused wants no other groups for what is carried */
	if (search->constraints->fusion == FUSE_ALL && search->part_count
		&& plan->nest_count != search->part_count)
		cost = cost_infinite();
	search->compilation->failure.is_broken |= quiet.compilation.failure.is_broken;
	quiet_end(&quiet);
	return cost;
}

/* All sets and sizes are compared with groups that need least: so a choice is the best of all
 * scratchpads down to what it needs, and what is found is the same for all commands. */
static struct cost weigh(struct carry_search *search, unsigned long mask, struct plan *plan)
{
	return weigh_so(search, mask, !parts_are_measured(search->compilation), NULL, plan);
}

/* The same of one of the sets: the least of their bounds is that of all. */
static struct cost weigh_set(struct carry_search *search, unsigned long mask, struct plan *plan)
{
	struct space_question question = { .bytes = -1, .enough = cost_is_finite(&search->cost)
		? (long)cost_figure(&search->cost, FIGURE_BYTES) : LONG_MAX,
		.pairs = search->pairs };
	if (parts_are_priced(search->compilation))
		return weigh(search, mask, plan);
	const struct cost cost = weigh_so(search, mask, true, &question, plan);
	search->bounding += question.operations;
	search->pairs = question.pairs;
	search->bound = question.bytes < search->bound ? question.bytes : search->bound;
	return cost;
}

/* isl's operations that what is chosen took. */
static unsigned long counted(const struct carry_search *search)
{
	return isl_operations(search->compilation->ctx) - search->bounding;
}

static bool was_tried(const struct carry_search *search, unsigned long mask)
{
	for (int t = 0; t < search->tried_count; t++)
		if (search->tried[t] == mask)
			return true;
	return false;
}

/* Each set and size weighs the nests anew.  Where that is long, as isl finds their regions, a few
 * besides the first are all there is time for. */
static bool is_long(const struct carry_search *search)
{
	enum { OPERATIONS = 8000000 };
	return counted(search) - search->begun > OPERATIONS;
}

static bool is_least(const struct carry_search *search)
{
	return objective_compare(&search->asked, &search->cost, &search->least) <= 0;
}

static bool is_over(const struct carry_search *search)
{
	return search->tried_count >= most_tries(search->space.nest_count) || is_least(search)
		|| is_long(search);
}

/* Where the parts of PLAN begin, and where the last one ends. */
static bool *cuts_of(const struct carry_search *search, const struct plan *plan)
{
	bool *cuts = ARENA_ARRAY(search->compilation->arena, bool, search->space.nest_count + 1);
	cuts[search->space.nest_count] = true;
	for (int n = 0; n < plan->nest_count; n++)
		cuts[plan->nests[n].first_source] = true;
	return cuts;
}

/* What PLAN, the best so far, says of its parts and of the candidates. */
static void note(struct carry_search *search, const struct plan *plan)
{
	search->is_proved = true;
	for (int n = 0; n < plan->nest_count; n++)
		search->is_proved &= plan->nests[n].optimal;
	for (int c = 0; c < search->space.count; c++) {
		search->moved[c] = 0;
		for (int n = 0; n < plan->nest_count; n++)
			search->moved[c] += plan_nest_moves(&plan->nests[n],
				search->space.candidates[c].array);
	}
}

/* PLAN, with MASK carried, is the best so far. */
static void take(struct carry_search *search, unsigned long mask, const struct cost *cost,
	const struct plan *plan)
{
	search->best = mask;
	search->cost = *cost;
	search->parts = cuts_of(search, plan);
}

/* Weighs MASK, unless that was done; true if it is the best so far. */
static bool try(struct carry_search *search, unsigned long mask)
{
	struct plan plan;
	struct carrying carrying;
	if (is_over(search) || was_tried(search, mask)
		|| !carry_place(search->compilation, &search->space, mask, &carrying))
		return false;
	search->tried[search->tried_count++] = mask;
	const struct cost cost = weigh_set(search, mask, &plan);
	if (objective_compare(&search->asked, &cost, &search->cost) >= 0)
		return false;
	take(search, mask, &cost, &plan);
	note(search, &plan);
	return true;
}

/* One more of those that move most, as long as that moves less. */
static void add_movers(struct carry_search *search)
{
	unsigned long refused = 0;
	while (!is_over(search)) {
		int most = -1;
		for (int c = 0; c < search->space.count; c++)
			if (!((search->best | refused) >> c & 1) && search->moved[c] > 0
				&& (most < 0 || search->moved[c] > search->moved[most]))
				most = c;
		if (most < 0)
			return;
		if (!try(search, search->best | 1UL << most))
			refused |= 1UL << most;
	}
}

/* Another one in the place of one, as long as that moves less. */
static void exchange(struct carry_search *search)
{
	unsigned long fixed = search->space.wanted;
	int count = search->space.count;
	for (bool is_better = true; is_better && !is_over(search); ) {
		unsigned long from = search->best;
		is_better = false;
		for (int c = 0; c < count && !is_better; c++)
			for (int other = 0; other < count && !is_better; other++)
				if ((from & ~fixed) >> c & 1 && !(from >> other & 1))
					is_better = try(search, (from ^ 1UL << c) | 1UL << other);
	}
}

/* All sets that have places were weighed. */
static bool were_all_tried(const struct carry_search *search)
{
	const unsigned long all = (1UL << search->space.count) - 1;
	struct carrying carrying;
	for (unsigned long out = 0; out <= all; out++)
		if (!(out & search->space.wanted) && !was_tried(search, all & ~out)
			&& carry_place(search->compilation, &search->space, all & ~out, &carrying))
			return false;
	return true;
}

/* All sets, the larger first. */
static void try_all(struct carry_search *search)
{
	unsigned long all = (1UL << search->space.count) - 1;
	for (unsigned long out = 0; out <= all && !is_over(search); out++)
		if (!(out & search->space.wanted))
			try(search, all & ~out);
}

/* In a long function groups stay as they are with what is carried first. */
static void keep_cuts(struct carry_search *search)
{
	if (search->space.nest_count > SMALL)
		search->cuts = search->parts;
}

/* ---- less scratchpad ---- */

/* The largest of so many sizes that is below BYTES: quarters of a doubling, in whole granules; the
 * same for all machines that differ in their scratchpad only. */
static long size_below(const struct arch *arch, long bytes)
{
	enum { STEPS = 4 };
	long granule = arch_granule_bytes(arch);
	int k = (int)floor(STEPS * log2((double)bytes)) + 1;
	long size = bytes;
	while (size >= bytes && k > 0)
		size = (long)exp2((double)k-- / STEPS) / granule * granule;
	return size;
}

/* Where nothing is proved, what is left to the nests decides which of several choices are
 * compared, and more of it need not be better: less is tried too, in a few steps. */
static void try_less(struct carry_search *search)
{
	enum { SIZES = 4 };
	const struct arch *whole = search->space.arch, *best = whole;
	const unsigned long masks[2] = { search->best, search->space.wanted };
	long size = whole->scratchpad_bytes;
	for (int i = 0; i < SIZES && !is_least(search) && !is_long(search); i++) {
		struct plan plan;
		struct arch *arch = ARENA_NEW(search->compilation->arena, struct arch);
		size = size_below(whole, size);
		if (size <= 0)
			break;
		*arch = arch_resized(whole, size);
		search->space.arch = arch;
		for (int m = 0; m < 1 + (masks[0] != masks[1]); m++) {
			const struct cost cost = weigh(search, masks[m], &plan);
			if (objective_compare(&search->asked, &cost, &search->cost) >= 0)
				continue;
			take(search, masks[m], &cost, &plan);
			best = arch;
		}
	}
	search->space.arch = best;
}

/* Begins with the set that is wanted, and goes on from there to others.  False if it does not fit. */
static bool choose_from(struct carry_search *search)
{
	enum { ALL_SETS_OF = 5 };
	struct compilation *compilation = search->compilation;
	struct plan plan;
	search->tried = ARENA_ARRAY(compilation->arena, unsigned long,
		most_tries(search->space.nest_count) + 1);
	search->tried[search->tried_count++] = search->best;
	const struct cost cost = weigh_set(search, search->best, &plan);
	search->begun = counted(search);
	if (!cost_is_finite(&cost))
		return false;
	take(search, search->best, &cost, &plan);
	search->part_count = plan.nest_count;
	search->streams_results = false;
	for (int n = 0; n < plan.nest_count; n++)
		search->streams_results |= plan.nests[n].streams_results;
	note(search, &plan);
	keep_cuts(search);
	add_movers(search);
	if (search->space.count <= ALL_SETS_OF)
		try_all(search);
	else
		exchange(search);
	if (search->space.wanted || search->space.count > ALL_SETS_OF || carry_has_ways(&search->space)
		|| !were_all_tried(search))
		search->bound = -1;
	return true;
}

/* The same with groups that hold what they make, as some do not: where they stay as they are, that leaves room for
 * it to be carried. */
static void choose_with_results(struct carry_search *search)
{
	struct carry_search other = *search;
	other.best = search->space.wanted;
	other.cuts = NULL;
	other.holds_results = true;
	other.tried_count = 0;
	if (choose_from(&other) && objective_compare(&search->asked, &other.cost, &search->cost) < 0) {
		other.bound = search->bound;
		*search = other;
	}
}

static void choose(struct carry_search *search)
{
	bool fits = choose_from(search);
	if (fits && search->cuts && search->space.count && search->streams_results && !is_least(search))
		choose_with_results(search);
	if (fits && search->space.nest_count <= SMALL && !search->is_proved && is_thorough(search->compilation)
		&& !part_needs_plan(search->compilation))
		try_less(search);
}

/* The groups of the best choice, each with the longest runs and the fewest commands instead of the
 * least memory.  The model counts the same for both, and the plans may yet differ: that which moves
 * less is taken, by all commands.  Of equals a compilation takes that with the longest runs, and a
 * front the other one. */
static void try_long_runs(struct carry_search *search)
{
	struct compilation *compilation = search->compilation;
	bool spares_memory = compilation->request.restriction.prefers_memory;
	bool *const cuts = search->cuts;
	struct plan plan;
	search->cuts = search->parts;
	const struct cost cost = weigh_so(search, search->best, false, NULL, &plan);
	int order = objective_compare(&search->asked, &cost, &search->cost);
	compilation->request.spares_memory = order > 0 || (order == 0 && spares_memory);
	if (compilation->request.spares_memory)
		search->cuts = cuts;
}

/* Some nests of the best choice are one. */
static bool has_groups(const struct carry_search *search)
{
	for (int n = 0; search->parts && n < search->space.nest_count; n++)
		if (!search->parts[n])
			return true;
	return false;
}

/* What bounds all sets is of use: all are allowed, something was found for one, it may be improved, and it is what is told in the end; of
 * a long function, it is not one of many points of a front. */
static bool may_bound_all_sets(const struct carry_search *search)
{
	const struct compilation *compilation = search->compilation;
	bool has_time = !compilation->request.restriction.prefers_memory || search->space.nest_count <= SPACE_NESTS;
	return search->constraints->is_free && !search->space.wanted && cost_is_finite(&search->cost) && !is_least(search)
		&& !compilation->is_draft && has_time && !parts_are_priced(compilation);
}

/* Where the bound of all sets is below what was found, the choice that is bounded so may be better than that: it is weighed, with
 * what it carries and its parts. */
static void try_bounded(struct carry_search *search, const struct space_partition *bounded)
{
	struct carrying carrying;
	struct plan plan;
	bool *const cuts = search->cuts;
	if (!carry_place(search->compilation, &search->space, bounded->carried, &carrying))
		return;
	search->cuts = bounded->cuts;
	const struct cost cost = weigh(search, bounded->carried, &plan);
	if (objective_compare(&search->asked, &cost, &search->cost) < 0)
		take(search, bounded->carried, &cost, &plan);
	else
		search->cuts = cuts;
}

/* Finds what no choice moves less than, whichever arrays are carried. */
static void bound_all_sets(struct carry_search *search)
{
	struct quiet quiet;
	struct carry_space space = search->space;
	struct space_partition bounded;
	quiet_begin(&quiet, search->compilation);
	quiet.compilation.only_weighs = quiet.compilation.is_trial = true;
	/* not of less scratchpad, where a choice was found in that */
	space.arch = search->compilation->arch;
	search->bound = bound_fused(&quiet.compilation, search->nests, &space, search->constraints, search->plan,
		(long)cost_figure(&search->cost, FIGURE_BYTES), &bounded);
	quiet_end(&quiet);
	if (search->bound < (long)cost_figure(&search->cost, FIGURE_BYTES) && search->space.arch == space.arch)
		try_bounded(search, &bounded);
}

bool lower_carrying(struct compilation *compilation, const struct nest *nests, int count,
	const struct fuse_constraints *constraints, long least, struct plan *plan)
{
	const struct plan before = *plan;
	struct carry_search search = { .compilation = compilation, .nests = nests,
		.constraints = constraints, .plan = &before, .asked = part_objective(compilation, RANK_ASKED),
		.least = part_least_cost(compilation, (double)least), .cost = cost_infinite(), .bound = LONG_MAX, .pairs = SPACE_PAIRS };
	struct carrying wanted;
	carry_find(compilation, nests, count, constraints->fusion != FUSE_NEVER || constraints->forces,
		&search.space);
	if (!carry_place(compilation, &search.space, search.space.wanted, &wanted))
		return carry_refuse(compilation, &search.space);
	struct fusion_memo *fusions = compilation->known.fusions;
	compilation->known.fusions = fusions ? fusion_memo_for(fusions, nests->function)
		: fusion_memo_new(compilation->arena, true);
	fusion_memo_begin(compilation->known.fusions);
	search.best = search.space.wanted;
	const bool spares_memory = compilation->request.spares_memory;
	if (!search.space.is_given && nests_may_gain(nests, count))
		choose(&search);
	if (search.bound < 0 && may_bound_all_sets(&search))
		bound_all_sets(&search);
	if (has_groups(&search) && !parts_are_measured(compilation))
		try_long_runs(&search);
	bool done = lower_with(&search, compilation, search.best, NULL, plan);
	plan->bounds.bound_bytes = search.bound < LONG_MAX ? search.bound : -1;
	compilation->request.spares_memory = spares_memory;
	compilation->known.fusions = fusions;
	return done;
}
