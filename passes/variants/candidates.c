/* The choices that are left of all forms of a nest, and the best of them as a plan. */

#include "passes/variants/candidates.h"

#include <string.h>

#include "passes/nest_work.h"
#include "passes/variants/improve.h"

bool nest_is_for_all_sizes(const struct compilation *compilation, const struct nest *nest)
{
	return nest->function->unbound && !compilation->only_weighs;
}

void candidates_add(struct compilation *compilation, struct candidates *candidates,
	struct choice *choice, const struct plan_nest *out)
{
	const struct objective objective = objective_of(RANK_PLANS);
	const struct cost cost = choice_cost(choice, out);
	for (int i = 0; i < candidates->count; i++)
		if (candidates->items[i].choice == choice)
			return;
	candidates->items = arena_grow(compilation->arena, candidates->items,
		(size_t)candidates->count, &candidates->capacity, sizeof *candidates->items);
	int at = candidates->count++;
	for (; at > 0 && objective_compare(&objective, &cost, &candidates->items[at - 1].cost) < 0;
		at--)
		candidates->items[at] = candidates->items[at - 1];
	candidates->items[at] = (struct candidate){ choice, cost, *out };
	candidates->items[at].out.has_forms = choice->has_forms;
	long bounded = choice_bounded_bytes(choice, out);
	if (bounded > candidates->bounded_bytes)
		candidates->bounded_bytes = bounded;
}

/* choice_improve, choice_turn or choice_end. */
typedef bool improve(struct choice *choice, const struct plan *before, struct plan *plan,
	struct plan_nest *out);

/* Candidate AT takes what IMPROVING finds. */
static void improve_candidate(struct compilation *compilation, struct candidates *candidates,
	int at, improve *improving, const struct plan *before)
{
	const struct candidate candidate = candidates->items[at];
	struct plan plan = *before;
	struct plan_nest out = candidate.out;
	improving(candidate.choice, before, &plan, &out);
	memmove(&candidates->items[at], &candidates->items[at + 1],
		(size_t)(--candidates->count - at) * sizeof *candidates->items);
	candidates_add(compilation, candidates, candidate.choice, &out);
}

/* The first two that the model only bounds take what IMPROVING finds, in at most so many OPERATIONS of
 * isl's each, if they are not far behind. */
static void improve_first(struct compilation *compilation, struct candidates *candidates,
	unsigned long operations, improve *improving, const struct plan *before)
{
	enum { FAR = 2, MOST = 2 };
	const struct objective asked = objective_of(RANK_ASKED);
	const struct choice *first = NULL;
	for (int i = 0; i < MOST; i++) {
		int at = 0;
		while (at < candidates->count && (candidates->items[at].choice->has_forms
			|| candidates->items[at].choice == first))
			at++;
		if (at == candidates->count
			|| objective_value(&asked, &candidates->items[at].cost)
			> FAR * objective_value(&asked, &candidates->items[0].cost))
			return;
		first = candidates->items[at].choice;
		struct nest_work work = nest_work_begin(compilation, operations);
		improve_candidate(compilation, candidates, at, improving, before);
		nest_work_end(compilation, &work);
	}
}

/* Neighbours take their places; SPENT: what was, of isl's operations. */
static void move_first(struct compilation *compilation, struct candidates *candidates,
	unsigned long spent, const struct plan *before)
{
	enum { LEAST_OPERATIONS = 1000000, SHARE = 6 };
	improve_first(compilation, candidates, spent / SHARE > LEAST_OPERATIONS ? spent / SHARE
		: LEAST_OPERATIONS, choice_improve, before);
}

/* The same with so many OPERATIONS of their own: what is tried after it is the same without it. */
static void improve_besides(struct compilation *compilation, struct candidates *candidates,
	unsigned long operations, improve *improving, const struct plan *before)
{
	unsigned long uncounted = nest_work_pause(compilation);
	struct nest_work work = nest_work_grant(compilation, 2 * operations);
	improve_first(compilation, candidates, operations, improving, before);
	nest_work_end(compilation, &work);
	nest_work_resume(compilation, uncounted);
}

/* The best candidate gets double buffers, if these move the same.  Its rank was that of single ones. */
static void overlap_best(struct candidates *candidates, const struct plan *before)
{
	struct candidate *best = &candidates->items[0];
	struct plan plan = *before;
	choice_overlap(best->choice, before, &plan, &best->out);
	best->cost = choice_cost(best->choice, &best->out);
}

void candidates_improve(struct compilation *compilation, struct candidates *candidates,
	unsigned long spent, const struct plan *before)
{
	enum { TURN_OPERATIONS = 500000, END_OPERATIONS = 1000000 };
	/* In a part of the scratchpad other forms and tiles are looked for (lower_nest.c): no neighbours, which have
	 * been looked at in all of it, but for those that know of ends, which are few.  What merged nests move in less decides whether they are merged in
	 * more: there they are looked at as they would be if that were all. */
	if (candidates->count && (!compilation->room.roomy
		|| candidates->items[0].choice->variant.nest->joined_count)) {
		move_first(compilation, candidates, spent, before);
		improve_besides(compilation, candidates, TURN_OPERATIONS, choice_turn, before);
	}
	improve_besides(compilation, candidates, END_OPERATIONS, choice_end, before);
	if (candidates->count)
		overlap_best(candidates, before);
}

/* Lowers the best of CANDIDATES that is right for all sizes, with its statements.  NULL if none
 * is. */
static struct choice *emit_for_all_sizes(struct compilation *compilation,
	const struct candidates *candidates, struct refusal *refusal, struct plan *plan,
	struct plan_nest *out)
{
	const struct plan before = *plan;
	for (int i = 0; i < candidates->count; i++) {
		const struct candidate *candidate = &candidates->items[i];
		const struct nest *nest = candidate->choice->variant.nest;
		const char *reason = NULL;
		*plan = before;
		*out = (struct plan_nest){ .name = nest->name, .location = nest->location,
			.has_forms = candidate->choice->has_forms };
		if (choice_lower_all_sizes(candidate->choice, plan, out, &reason)) {
			candidate->choice->is_fallback = i > 0;
			return candidate->choice;
		}
		diag_remark(compilation->diag, nest->location, "loop", "a schedule that moves %ld bytes "
			"is right for the sizes tuned for, but not for all: %s", plan_nest_bytes(&candidate->out),
			reason);
		if (!refusal->reason)
			refusal->reason = reason;
		refusal->had_forms |= candidate->choice->has_forms;
	}
	*plan = before;
	return NULL;
}

struct choice *candidates_emit(struct compilation *compilation, const struct nest *nest,
	const struct candidates *candidates, struct refusal *refusal, struct plan *plan,
	struct plan_nest *out)
{
	if (nest_is_for_all_sizes(compilation, nest))
		return emit_for_all_sizes(compilation, candidates, refusal, plan, out);
	struct choice *best = candidates->items[0].choice;
	if (compilation->only_weighs) {
		*out = candidates->items[0].out;
		return best;
	}
	*out = (struct plan_nest){ .name = nest->name, .location = nest->location,
		.has_forms = best->has_forms };
	if (choice_lower_again(best, TO_EMIT, plan, out))
		return best;
	diag_error(compilation->diag, nest->location, "internal error: no loops could be made for "
		"the tiles of '%s'; please report", nest->name);
	compilation->failure.is_broken = true;
	return NULL;
}
