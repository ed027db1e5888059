#include "passes/variants/rewritten.h"

#include <limits.h>

#include "passes/analysis/expand.h"
#include "passes/analysis/in_place.h"
#include "passes/cost/bound_nest.h"
#include "passes/cost/plan_cost.h"
#include "passes/variants/forms_bound.h"
#include "passes/variants/obeyed.h"
#include "passes/variants/variants.h"

/* How a nest is rewritten, before its scalars are expanded and after. */
struct rewriting {
	const struct form *form;     /* that the user wants */
	bool is_in_place;            /* local arrays are to be in the place of others */
	bool begins_in_place;        /* such arrays were found before scalars were expanded */
	bool was_in_place;           /* or at all */
	bool is_no_worse;            /* see struct in_place: of all nests with such arrays */
};

/* NEST, with local arrays in the place of others where REWRITING says so. */
static const struct nest *in_place(struct compilation *compilation, const struct nest *nest,
	struct rewriting *rewriting, bool *is_in_place)
{
	struct in_place found = { NULL, false };
	if (rewriting->is_in_place)
		found = nest_in_place(compilation, nest);
	if (!found.nest)
		return nest;
	*is_in_place = rewriting->was_in_place = true;
	rewriting->is_no_worse &= found.is_no_worse;
	return nest_with_dependences(compilation, found.nest);
}

/* What no form moves less than bounds LOWERED, the best form of NEST, where its own searches do not. */
static void raise_bound(struct compilation *compilation, const struct nest *nest, struct lowered *lowered)
{
	long *bound = lowered->choice ? &lowered->out.bound_bytes : &lowered->refusal.bound;
	if (*bound == LONG_MAX || (lowered->choice && plan_nest_reaches(&lowered->out, *bound)))
		return;
	long least = forms_bound(compilation, nest, NULL, lowered->choice ? plan_nest_bytes(&lowered->out) : LONG_MAX);
	if (least > *bound)
		*bound = least;
	plan_nest_judge(&lowered->out);
}

/* What moves no less than MOST need not be found. */
static void lower_one(struct compilation *compilation, const struct nest *nest,
	const struct form *form, long most, const struct plan *plan, struct lowered *lowered)
{
	*lowered = (struct lowered){ .nest = nest, .plan = *plan };
	if (pass_done(compilation, "dependences"))
		nest_print_dependences(compilation, nest, compilation->watch.trace);
	lowered->choice = lower_best_variant(compilation, nest, NULL, form, most, &lowered->plan, &lowered->out,
		&lowered->refusal);
	if (lowered->choice) {
		lowered->plan.function = nest->function;
		choice_fill_bounds(lowered->choice, &lowered->out);
	} else if (lowered->refusal.beaten) {
		choice_fill_bounds(lowered->refusal.beaten, &lowered->out);
	}
	if (lowered->choice || !lowered->refusal.beaten)
		raise_bound(compilation, nest, lowered);
}

/* ---- the better of two ---- */

static bool is_better(const struct lowered *one, const struct lowered *other)
{
	const struct objective objective = objective_of(RANK_PLANS);
	const struct cost mine = choice_cost(one->choice, &one->out);
	const struct cost its = choice_cost(other->choice, &other->out);
	return objective_compare(&objective, &mine, &its) < 0;
}

/* What was refused of both BEST and OTHER is told of the better one. */
static void join_refusals(struct lowered *best, struct lowered *other)
{
	struct refusal *one = &best->refusal, *two = &other->refusal;
	const struct refusal *less = one->least && (!two->least || one->least < two->least) ? one : two;
	one->least = two->least = less->least;
	one->reason = two->reason = less->reason;
}

/* No schedule of what LOWERED stands for moves less. */
static long bound_of(const struct lowered *lowered)
{
	return lowered->choice ? lowered->out.bound_bytes : lowered->refusal.bound;
}

/* What bounds BEST and what bounds something else with BOUND is the lesser of both. */
static void take_lesser_bound(struct lowered *best, long bound)
{
	long *its = best->choice ? &best->out.bound_bytes : &best->refusal.bound;
	long least = best->choice ? best->out.lower_bound_bytes : 0;
	if (bound < least)
		bound = least;
	if (bound < *its)
		*its = bound;
}

/* What holds of all executions of two nests. */
static void take_lower_of(struct plan_nest *out, const struct plan_nest *other)
{
	if (other->lower_bound_bytes >= out->lower_bound_bytes)
		return;
	out->lower_bound_bytes = other->lower_bound_bytes;
	out->lower_bound_argument = other->lower_bound_argument;
}

/* BEST becomes the better of it and OTHER, which has a choice, or one that is beaten. */
static void take_better(struct lowered *best, const struct lowered *other)
{
	bool has_other = best->choice;
	struct plan_nest rest = best->out;
	if (!has_other || (other->choice && is_better(other, best)))
		*best = *other;
	else
		rest = other->out;
	if (!has_other)
		return;
	if (rest.bounded_bytes > best->out.bounded_bytes)
		best->out.bounded_bytes = rest.bounded_bytes;
	take_lower_of(&best->out, &rest);
}

/* ---- scalars in arrays ---- */

/* NEST with scalars in arrays, whatever the values of symbolic sizes; NULL: there is none to be. */
static const struct nest *expanded_nest(struct compilation *compilation, const struct nest *nest)
{
	const struct function *unbound = nest->function->unbound;
	long values[SYMBOLIC_LIMIT];
	int count;
	if (!unbound)
		return nest_expand_scalars(compilation, nest);
	const struct nest *all = nest_expand_scalars(compilation,
		&nests_of_function(compilation, unbound, &count)[nest->index]);
	for (int k = 0; k < unbound->symbolic_count; k++)
		values[k] = unbound->symbolic[k]->value;
	return all ? &nests_of_function(compilation, function_at(compilation->arena, all->function,
		values), &count)[nest->index] : NULL;
}

/* Bytes of the scalars that NEST writes: what it may keep beside the scratchpad. */
static long scalar_bytes(const struct nest *nest)
{
	long bytes = 0;
	for (int i = 0; i < nest->function->array_count; i++) {
		const struct array *array = nest->function->arrays[i];
		bool is_written = false;
		for (int s = 0; s < nest->statement_count && array->by_value; s++)
			for (int a = 0; a < nest->statements[s]->access_count; a++)
				is_written |= nest->statements[s]->accesses[a].is_write
					&& nest->statements[s]->accesses[a].array == array;
		bytes += is_written ? array->type.bytes : 0;
	}
	return bytes;
}

/* An execution of NEST is one of EXPANDED, with what is in its scalars on chip too: what bounds that
 * bounds both. */
static void take_bound_of(const struct compilation *compilation, const struct nest *nest,
	const struct nest *expanded, struct plan_nest *out)
{
	const char *argument;
	long compulsory;
	long bytes = nest_lower_bound(expanded, compilation->arch->scratchpad_bytes
		+ scalar_bytes(nest), &compulsory, &argument);
	if (bytes > out->lower_bound_bytes) {
		out->lower_bound_bytes = bytes;
		out->lower_bound_argument = argument;
	}
	if (bytes > out->bound_bytes)
		out->bound_bytes = bytes;
}

/* Loops stay whole, or run one by one, because scalars carry sums through them: with those
 * in arrays the nest may move less, or in fewer transfers. */
static void try_expanded(struct compilation *compilation, struct rewriting *rewriting,
	const struct plan *plan, struct lowered *best)
{
	struct lowered lowered;
	bool is_in_place = false;
	if (best->choice && !best->choice->variant.band->prefix && !best->choice->variant.band->left_out
		&& plan_nest_reaches(&best->out, best->out.compulsory_bytes))
		return;
	const struct nest *nest = best->nest;
	const struct nest *expanded = expanded_nest(compilation, nest);
	if (!expanded || expanded->arrays->count > MODEL_ARRAYS)
		return;
	expanded = in_place(compilation, nest_with_dependences(compilation, expanded), rewriting,
		&is_in_place);
	/* of two that move as much the expanded one may have fewer commands */
	lower_one(compilation, expanded, rewriting->form, best->choice ? plan_nest_bytes(&best->out) + 1 : LONG_MAX, plan,
		&lowered);
	if (best->choice)
		best->choice->has_others = true;
	join_refusals(best, &lowered);
	long bounds[2] = { bound_of(best), bound_of(&lowered) };
	struct choice *other = lowered.choice ? lowered.choice : lowered.refusal.beaten;
	if (other) {
		other->is_expanded = other->has_others = true;
		other->is_in_place = is_in_place || rewriting->begins_in_place;
		take_better(best, &lowered);
		best->expanded = other;
	}
	take_lesser_bound(best, bounds[0]);
	take_lesser_bound(best, bounds[1]);
	if (other)
		take_bound_of(compilation, nest, expanded, &best->out);
	plan_nest_judge(&best->out);
}

/* NEST, rewritten as REWRITING says, with scalars in arrays or not. */
static void lower_as_said(struct compilation *compilation, const struct nest *nest,
	struct rewriting *rewriting, const struct plan *plan, struct lowered *best)
{
	const struct form *form = rewriting->form;
	int errors = diag_error_count(compilation->diag);
	nest = in_place(compilation, nest, rewriting, &rewriting->begins_in_place);
	*best = (struct lowered){ .nest = nest, .refusal.bound = LONG_MAX };
	if (!form->is_given || !form->is_expanded)
		lower_one(compilation, nest, form, LONG_MAX, plan, best);
	if (best->choice)
		best->choice->is_in_place = rewriting->begins_in_place;
	if ((!form->is_given || form->is_expanded) && diag_error_count(compilation->diag) == errors)
		try_expanded(compilation, rewriting, plan, best);
}

/* No schedule of the nest with a buffer for each array can be better than BEST, which has fewer.  It may
 * be where what is wanted of one buffer need not be so of two: that it is double, that it is held. */
static bool beats_others(struct compilation *compilation, const struct nest *nest,
	const struct rewriting *rewriting, const struct lowered *best)
{
	if (!best->choice || nest_is_constrained(compilation, nest)
		|| compilation->request.restriction.held_roles || compilation->request.buffering == BUFFERING_DOUBLE)
		return false;
	return (rewriting->is_no_worse && best->choice->has_forms)
		|| plan_nest_reaches(&best->out, best->out.lower_bound_bytes);
}

/* NEST as it stands is compared with BEST, in which arrays are in the place of others. */
static void try_as_it_stands(struct compilation *compilation, const struct nest *nest,
	const struct form *form, const struct plan *plan, struct lowered *best)
{
	struct rewriting rewriting = { .form = form };
	struct lowered lowered;
	lower_as_said(compilation, nest, &rewriting, plan, &lowered);
	long bounds[2] = { bound_of(best), bound_of(&lowered) };
	if (best->choice)
		join_refusals(best, &lowered);
	else
		best->refusal = lowered.refusal;
	if (lowered.choice) {
		lowered.choice->has_others = true;
		take_better(best, &lowered);
	}
	take_lesser_bound(best, bounds[0]);
	take_lesser_bound(best, bounds[1]);
	plan_nest_judge(&best->out);
}

void lower_rewritten(struct compilation *compilation, const struct nest *nest,
	const struct form *form, const struct plan *plan, struct lowered *best)
{
	struct rewriting rewriting = { .form = form, .is_no_worse = true,
		.is_in_place = !form->is_given || form->is_in_place };
	int errors = diag_error_count(compilation->diag);
	lower_as_said(compilation, nest, &rewriting, plan, best);
	if (rewriting.is_in_place && form->is_given && !rewriting.was_in_place)
		*best = (struct lowered){ .nest = nest };
	if (!rewriting.was_in_place)
		return;
	if (best->choice)
		best->choice->has_others = true;
	if (!form->is_given && diag_error_count(compilation->diag) == errors
		&& !beats_others(compilation, nest, &rewriting, best))
		try_as_it_stands(compilation, nest, form, plan, best);
}

/* Of NEST with scalars in arrays or not. */
static long expanded_bound(struct compilation *compilation, const struct nest *nest,
	struct rewriting *rewriting, long most)
{
	bool is_in_place;
	long bound = forms_bound(compilation, nest, NULL, most);
	const struct nest *expanded = bound > 0 ? expanded_nest(compilation, nest) : NULL;
	if (!expanded || expanded->arrays->count > MODEL_ARRAYS)
		return bound;
	expanded = in_place(compilation, nest_with_dependences(compilation, expanded), rewriting,
		&is_in_place);
	long its = forms_bound(compilation, expanded, NULL, most);
	return its < bound ? its : bound;
}

long rewritten_bound(struct compilation *compilation, const struct nest *nest, long most)
{
	struct rewriting rewriting = { .is_in_place = true };
	bool is_in_place = false;
	const struct nest *moved = in_place(compilation, nest, &rewriting, &is_in_place);
	long bound = expanded_bound(compilation, moved, &rewriting, most);
	if (rewriting.was_in_place && bound > 0) {
		long its = expanded_bound(compilation, nest, &(struct rewriting){ .is_in_place = false }, most);
		bound = its < bound ? its : bound;
	}
	return bound;
}
