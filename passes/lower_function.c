/* A function of the program becomes a plan: as it is written, or with nests distributed where that costs less. */

#include "passes/lower_function.h"

#include <limits.h>
#include <string.h>

#include "ir/isl_work.h"
#include "passes/analysis/distribute.h"
#include "passes/cost/objective.h"
#include "passes/cost/plan_cost.h"
#include "passes/lower_written.h"
#include "passes/quiet.h"
#include "passes/search/restriction.h"

/* A function that was weighed as it is written. */
struct weighed {
	const struct function *function;
	struct cost cost;            /* infinite: nothing fits */
	long bound;                  /* nothing that it may become moves less */
	bool is_least;               /* nor does any execution of it */
};

/* The nests of FUNCTION as it stands are all that is looked at: the user says what becomes of some, or wants part of a space, or asks for
 * more than bytes. */
static bool keeps_nests(const struct compilation *compilation, const struct function *function)
{
	const struct request *request = &compilation->request;
	return function->symbolic_count || function->pragma_count || request->schedule
		|| request->fusion != FUSE_AUTO || prices_are_given(&request->restriction.prices)
		|| !restriction_has_parts(compilation) || request->restriction.is_forward || request->restriction.divides
		|| !is_thorough(compilation);
}

bool may_distribute(struct compilation *compilation, const struct function *function)
{
	int count;
	bool may = false;
	if (keeps_nests(compilation, function) || !access_pairs_are_few(
		(const struct statement *const *)function->statements, function->statement_count))
		return false;
	const struct nest *nests = nests_of_function(compilation, function, &count);
	for (int n = 0; n < count; n++)
		may |= nest_may_distribute(&nests[n]);
	return may;
}

/* FUNCTION as it is, a draft of it or all that is tried. */
static struct weighed weigh(struct compilation *compilation, const struct function *function, bool is_draft)
{
	struct weighed weighed = { .function = function, .cost = cost_infinite() };
	struct quiet quiet;
	quiet_begin(&quiet, compilation);
	quiet.compilation.only_weighs = true;
	quiet.compilation.is_draft = is_draft;
	const struct plan *plan = lower_written(&quiet.compilation, function);
	if (plan) {
		weighed.cost = plan_cost(plan);
		weighed.bound = plan->bounds.bound_bytes;
		weighed.is_least = plan_reaches(plan, plan->bounds.lower_bound_bytes);
	} else if (quiet.compilation.failure.does_not_fit) {
		weighed.bound = LONG_MAX;
	}
	compilation->failure.is_broken |= quiet.compilation.failure.is_broken;
	quiet_end(&quiet);
	return weighed;
}

/* ONE, or OTHER if that costs less; nothing of either moves less than what bounds both. */
static struct weighed lesser(const struct weighed *one, const struct weighed *other)
{
	const struct objective asked = objective_of(RANK_ASKED);
	struct weighed less = objective_compare(&asked, &other->cost, &one->cost) < 0 ? *other : *one;
	less.bound = one->bound < other->bound ? one->bound : other->bound;
	return less;
}

/* A function is lowered again and again, with other nests. */
struct trials {
	struct compilation *compilation;
	struct weighed best;
	int left;
	unsigned long end;           /* isl's operations after which there are no more, if something fits */
};

static bool is_over(const struct trials *trials)
{
	return !trials->left || trials->best.is_least
		|| (cost_is_finite(&trials->best.cost) && isl_operations(trials->compilation->ctx) > trials->end);
}

/* FUNCTION is the best so far, if it costs less; true if it does. */
static bool try(struct trials *trials, const struct function *function)
{
	const struct objective asked = objective_of(RANK_ASKED);
	struct weighed other = weigh(trials->compilation, function, true);
	trials->left--;
	if (objective_compare(&asked, &other.cost, &trials->best.cost) >= 0)
		return false;
	trials->best = other;
	return true;
}

/* NEST's function with it distributed; NULL: it cannot be, or these are too many nests. */
static const struct function *distributed(struct compilation *compilation, const struct nest *nest)
{
	int count = 0;
	const struct function *function = nest_distribute(compilation, nest);
	if (function)
		nests_of_function(compilation, function, &count);
	return count <= DISTRIBUTED_NESTS ? function : NULL;
}

/* FUNCTION with all nests distributed that can be, and what they become in turn; *STEPS: how many. */
static const struct function *distribute_all(struct compilation *compilation, const struct function *function, int *steps)
{
	int count;
	const struct nest *nests = nests_of_function(compilation, function, &count);
	*steps = 0;
	for (int n = 0; n < count; ) {
		const struct function *next = distributed(compilation, &nests[n]);
		if (!next) {
			n++;
			continue;
		}
		function = next;
		nests = nests_of_function(compilation, function, &count);
		++*steps;
	}
	return function;
}

/* Distributes one nest of the best function after the other, and what it becomes in turn, where that costs less.  True if that was so of
 * some. */
static bool distribute_some(struct trials *trials)
{
	int count;
	bool any = false;
	const struct nest *nests = nests_of_function(trials->compilation, trials->best.function, &count);
	for (int n = 0; n < count && !is_over(trials); ) {
		const struct function *next = distributed(trials->compilation, &nests[n]);
		if (next && try(trials, next)) {
			nests = nests_of_function(trials->compilation, next, &count);
			any = true;
		} else {
			n++;
		}
	}
	return any;
}

/* FUNCTION as it is written, or with nests distributed: one by one as long as drafts cost less, or all.  All that is tried is so for these
 * two only. */
static struct weighed distribute(struct compilation *compilation, const struct function *function)
{
	int steps;
	struct trials trials = { .compilation = compilation, .best = weigh(compilation, function, true), .left = DISTRIBUTED_TRIES };
	trials.end = isl_operations(compilation->ctx) + DISTRIBUTED_OPERATIONS;
	if (is_over(&trials))
		return trials.best;
	const struct function *all = distribute_all(compilation, function, &steps);
	while (distribute_some(&trials))
		;
	if (steps > 1 && !is_over(&trials))
		try(&trials, all);
	if (trials.best.function == function)
		return trials.best;
	const struct weighed written = weigh(compilation, function, false), best = weigh(compilation, trials.best.function, false);
	return lesser(&written, &best);
}

/* Says of PLAN, of a function with nests distributed, that nothing which was tried with other nests moves less than BOUND. */
static void judge(long bound, struct plan *plan)
{
	struct plan_bounds *bounds = &plan->bounds;
	bound = bound > bounds->lower_bound_bytes ? bound : bounds->lower_bound_bytes;
	bounds->bound_bytes = bound < bounds->bound_bytes ? bound : bounds->bound_bytes;
	bounds->optimal = plan_reaches(plan, bounds->bound_bytes);
}

/* A schedule begins with what is distributed. */
static void tell_distributed(struct plan *plan, const struct function *function)
{
	const char *text = "";
	for (const char *name = function->distributed; *name; name += strspn(name, " ")) {
		text = arena_printf(plan->arena, "%sdistribute %.*s\n", text, (int)strcspn(name, " "), name);
		name += strcspn(name, " ");
	}
	if (plan->nest_count && plan->nests[0].schedule)
		plan->nests[0].schedule = arena_printf(plan->arena, "%s%s", text, plan->nests[0].schedule);
}

struct plan *lower_function(struct compilation *compilation, const struct function *function)
{
	struct weighed best = { .function = function };
	if (may_distribute(compilation, function)) {
		best = distribute(compilation, function);
		compilation->program = program_with(compilation, function, best.function);
	}
	struct plan *plan = lower_written(compilation, best.function);
	if (!plan)
		return NULL;
	plan->written = best.function;
	if (best.function != function) {
		judge(best.bound, plan);
		diag_remark(compilation->diag, function->location, "loop", "nests of '%s' are distributed, each loop in their bodies is a nest of "
			"its own: that moves less", function->name);
	}
	if (best.function->distributed)
		tell_distributed(plan, best.function);
	return plan;
}
