/* A nest becomes part of a plan: the best of the ways to write it, with scalars expanded or
 * not, whole or in parts, with more or fewer of its loops one after the other. */

#include <limits.h>
#include <string.h>

#include "passes/nest_work.h"
#include "passes/variants/choice.h"
#include "passes/analysis/expand.h"
#include "passes/variants/improve.h"
#include "passes/variants/lower_nest.h"
#include "passes/quiet.h"
#include "passes/regions/region_memo.h"
#include "passes/search/restriction.h"
#include "passes/variants/rivals.h"
#include "passes/variants/schedule_text.h"
#include "passes/sizes/symbolic.h"

/* Choices that can be lowered, with what they move: the least first, the first of equals;
 * each once. */
struct candidates {
	int count;
	size_t capacity;
	struct candidate {
		struct choice *choice;
		long bytes;
		double starts;
		struct plan_nest out;    /* without statements */
	} *items;
};

static void add_candidate(struct compilation *compilation, struct candidates *candidates,
	struct choice *choice, const struct plan_nest *out)
{
	long bytes = plan_nest_bytes(out);
	for (int i = 0; i < candidates->count; i++)
		if (candidates->items[i].choice == choice)
			return;
	candidates->items = arena_grow(compilation->arena, candidates->items,
		(size_t)candidates->count, &candidates->capacity, sizeof *candidates->items);
	int at = candidates->count++;
	double starts = choice_starts(choice);
	for (; at > 0 && (candidates->items[at - 1].bytes > bytes
		|| (candidates->items[at - 1].bytes == bytes
		&& candidates->items[at - 1].starts > starts)); at--)
		candidates->items[at] = candidates->items[at - 1];
	candidates->items[at] = (struct candidate){ choice, bytes, starts, *out };
	candidates->items[at].out.is_rectangular = choice->exact;
}

/* Candidate AT takes the place of a neighbour, if that moves less, and double buffers if these move
 * the same.  OPERATIONS: isl's, at most. */
static void improve_candidate(struct compilation *compilation, struct candidates *candidates,
	int at, unsigned long operations, const struct plan *before)
{
	const struct candidate candidate = candidates->items[at];
	struct plan plan = *before;
	struct plan_nest out = candidate.out;
	struct nest_work work = nest_work_begin(compilation, operations);
	choice_improve(candidate.choice, before, &plan, &out);
	nest_work_end(compilation, &work);
	choice_overlap(candidate.choice, before, &plan, &out);
	memmove(&candidates->items[at], &candidates->items[at + 1],
		(size_t)(--candidates->count - at) * sizeof *candidates->items);
	add_candidate(compilation, candidates, candidate.choice, &out);
}

/* The best of CANDIDATES that have no closed forms are compared with their neighbours.  SPENT:
 * isl's operations so far. */
static void improve_candidates(struct compilation *compilation, struct candidates *candidates,
	unsigned long spent, const struct plan *before)
{
	enum { LEAST_OPERATIONS = 1000000, SHARE = 6, FAR = 2, MOST = 2 };
	const struct choice *first = NULL;
	for (int i = 0; i < MOST; i++) {
		int at = 0;
		while (at < candidates->count && (candidates->items[at].choice->exact
			|| candidates->items[at].choice == first))
			at++;
		if (at == candidates->count
			|| candidates->items[at].bytes / FAR > candidates->items[0].bytes)
			return;
		first = candidates->items[at].choice;
		improve_candidate(compilation, candidates, at, spent / SHARE > LEAST_OPERATIONS
			? spent / SHARE : LEAST_OPERATIONS, before);
	}
}

/* Why no schedule of a nest was taken. */
struct refusal {
	struct choice *first;        /* the first choice that was made, which may not fit; or NULL */
	const char *reason;          /* what fits is not right for all sizes, the best for this */
	bool had_forms;              /* some of that had closed forms, which may be why */
	long least;                  /* bytes that the best moves which is right for the sizes tuned
	                              * for, whatever it is for others; 0: none is */
	bool is_missed;              /* what may fit takes too long to be found */
};

/* What is lowered is to be right for all values of symbolic sizes. */
static bool has_sizes(const struct compilation *compilation, const struct nest *nest)
{
	return nest->function->unbound && !compilation->only_weighs;
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
		const struct nest *nest = candidate->choice->nest;
		const char *reason = NULL;
		*plan = before;
		*out = (struct plan_nest){ .name = nest->name, .location = nest->location,
			.is_rectangular = candidate->choice->exact };
		if (choice_lower_all_sizes(candidate->choice, plan, out, &reason)) {
			candidate->choice->is_fallback = i > 0;
			return candidate->choice;
		}
		diag_remark(compilation->diag, nest->location, "loop", "a schedule that moves %ld bytes "
			"is right for the sizes tuned for, but not for all: %s", candidate->bytes, reason);
		if (!refusal->reason)
			refusal->reason = reason;
		refusal->had_forms |= candidate->choice->exact;
	}
	*plan = before;
	return NULL;
}

/* Lowers the best of CANDIDATES, now with its statements unless it is only weighed; with symbolic sizes the best
 * that is right for all of them.  NULL if none is, or after an error. */
static struct choice *emit_best(struct compilation *compilation, const struct nest *nest,
	const struct candidates *candidates, struct refusal *refusal, struct plan *plan,
	struct plan_nest *out)
{
	if (has_sizes(compilation, nest))
		return emit_for_all_sizes(compilation, candidates, refusal, plan, out);
	struct choice *best = candidates->items[0].choice;
	if (compilation->only_weighs) {
		*out = candidates->items[0].out;
		return best;
	}
	*out = (struct plan_nest){ .name = nest->name, .location = nest->location,
		.is_rectangular = best->exact };
	if (choice_lower_again(best, TO_EMIT, plan, out))
		return best;
	diag_error(compilation->diag, nest->location, "internal error: no loops could be made for "
		"the tiles of '%s'; please report", nest->name);
	compilation->is_broken = true;
	return NULL;
}

/* What was found of a nest, all attempts together. */
struct attempts {
	/* The groups that must share a buffer whatever the schedule, of a nest in a form. */
	struct checked {
		struct checked *next;
		struct nest before;
		int loops, joint_count;
		const struct access **joint;     /* [joint_count]: with those there were before */
	} *checked;
	struct nest **bands;         /* [2 * sequential loops + it borrows]; NULL: not found yet */
	struct tried {
		struct tried *next;
		struct choice *choice;
		enum outcome outcome;
		struct plan_nest out;
	} *tried;
};

/* NEST's band with LOOPS sequential loops; BANDS remembers those found. */
static void set_band(struct compilation *compilation, struct nest *nest, int loops,
	struct nest **bands)
{
	struct nest **band = &bands[2 * loops + nest->borrows];
	if (!*band) {
		if (loops)
			nest_find_sequential_band(compilation, nest, loops);
		else
			nest_find_band(compilation, nest);
		*band = ARENA_NEW(compilation->arena, struct nest);
		**band = *nest;
		return;
	}
	nest_take_band(nest, *band);
}

/* Groups that are alike in the band are one, and the one that ATTEMPT says shares the buffer
 * of one that is written.  False if there is none. */
static bool join_for_borrowing(struct compilation *compilation, struct nest *nest,
	struct attempt attempt, struct nest **bands)
{
	nest_split_arrays(compilation, nest, true);
	set_band(compilation, nest, attempt.loops, bands);
	nest_join_alike(compilation, nest);
	nest_split_arrays(compilation, nest, true);
	int left = attempt.shared;
	for (int a = 0; a < nest->array_count && left >= 0; a++)
		for (int b = 0; b < nest->array_count && !nest->arrays[a].is_written; b++)
			if (nest->arrays[a].array == nest->arrays[b].array && nest->arrays[b].is_written) {
				if (!left--)
					nest_join_groups(compilation, nest, a, b);
				break;
			}
	return left < 0;
}

static bool has_same_accesses(const struct nest_array *a, const struct nest_array *b)
{
	bool same = a->access_count == b->access_count;
	for (int i = 0; i < a->access_count && same; i++)
		same = a->accesses[i].access == b->accesses[i].access;
	return same;
}

static bool has_same_arrays(const struct nest *nest, const struct nest *other)
{
	bool same = nest->array_count == other->array_count;
	for (int a = 0; a < nest->array_count && same; a++)
		same = has_same_accesses(&nest->arrays[a], &other->arrays[a]);
	return same;
}

/* NEST in the same form as before, with the same groups in each buffer, though another attempt
 * has led to it. */
static struct tried *find_tried(const struct attempts *attempts, const struct nest *nest, int loops)
{
	for (struct tried *tried = attempts->tried; tried; tried = tried->next) {
		const struct nest *other = tried->choice->nest;
		bool same = tried->choice->attempt.loops == loops && nest->is_split == other->is_split
			&& nest->refetches == other->refetches && nest->borrows == other->borrows;
		if (same && has_same_arrays(nest, other))
			return tried;
	}
	return NULL;
}

/* Joins groups of NEST that clash under every schedule; false if there are none. */
static bool join_clashing(struct compilation *compilation, struct nest *nest, int loops,
	struct attempts *attempts, struct plan *plan)
{
	struct checked *checked = attempts->checked;
	while (checked && (checked->loops != loops || checked->before.borrows != nest->borrows
		|| !has_same_arrays(nest, &checked->before)))
		checked = checked->next;
	if (!checked) {
		checked = ARENA_NEW(compilation->arena, struct checked);
		*checked = (struct checked){ .next = attempts->checked, .before = *nest, .loops = loops };
		attempts->checked = checked;
		if (nest_join_clashing(compilation, nest, plan)) {
			checked->joint_count = nest->joint_count;
			checked->joint = ARENA_ARRAY(compilation->arena, const struct access *,
				nest->joint_count);
			memcpy(checked->joint, nest->joint, (size_t)nest->joint_count * sizeof *nest->joint);
		}
	}
	if (!checked->joint)
		return false;
	nest->joint = checked->joint;
	nest->joint_count = checked->joint_count;
	nest->joint_capacity = (size_t)checked->joint_count;
	return true;
}

/* What was found of groups in other attempts, with LOOPS sequential loops or more or fewer,
 * holds for those of NEST that have the same accesses. */
static void share_findings(const struct attempts *attempts, struct nest *nest, int loops)
{
	for (const struct tried *tried = attempts->tried; tried; tried = tried->next)
		for (int a = 0; a < nest->array_count; a++)
			for (int b = 0; b < tried->choice->nest->array_count; b++) {
				struct nest_array *array = &nest->arrays[a];
				const struct nest_array *other = &tried->choice->nest->arrays[b];
				if (!has_same_accesses(array, other))
					continue;
				if (array->created == CREATED_UNKNOWN)
					array->created = other->created;
				if (!array->hull && tried->choice->attempt.loops == loops
					&& tried->choice->nest->borrows == nest->borrows)
					array->hull = other->hull;
			}
}

/* Lowers NEST as it now is, unless that was done before; likewise. */
static struct choice *lower_once(struct compilation *compilation, struct nest *nest,
	struct attempt attempt, struct attempts *attempts, struct plan *plan, struct plan_nest *out,
	enum outcome *outcome)
{
	struct tried *tried = find_tried(attempts, nest, attempt.loops);
	if (!tried) {
		share_findings(attempts, nest, attempt.loops);
		struct nest *own = ARENA_NEW(compilation->arena, struct nest);
		*own = *nest;
		struct choice *choice = nest->array_count <= MODEL_ARRAYS
			? choice_make(compilation, own) : NULL;
		*outcome = NO_FIT;
		if (!choice)
			return NULL;
		choice->attempt = attempt;
		tried = ARENA_NEW(compilation->arena, struct tried);
		tried->choice = choice;
		tried->outcome = choice_lower(choice, plan, &tried->out);
		tried->next = attempts->tried;
		attempts->tried = tried;
	}
	*out = tried->out;
	*outcome = tried->outcome;
	return tried->choice;
}

/* FORM says which groups share a buffer: no others can. */
static bool keeps_apart(const struct form *form)
{
	return form->is_given && form->apart < form->line->word_count;
}

static struct choice *report_clash(struct compilation *compilation, const struct nest *nest,
	const struct form *form)
{
	diag_error(compilation->diag, form->location, "reference groups of '%s' that are to be apart "
		"touch the same elements: they have to share a buffer", nest->name);
	return NULL;
}

/* All loops run one after the other, and groups that meet share a buffer. */
static bool is_simplest(struct attempt attempt, int depth)
{
	return attempt.loops == depth && !attempt.refetch && !attempt.borrow;
}

/* Lowers NEST as the attempt says, and FORM of groups that share a buffer; so do those
 * that clash.  *OUTCOME says what came of it.  NULL if the user's schedule is wrong. */
static struct choice *lower_attempt(struct compilation *compilation, struct nest *nest,
	const struct form *form, struct attempt attempt, struct attempts *attempts, struct plan *plan,
	struct plan_nest *out, enum outcome *outcome)
{
	const struct plan before = *plan;
	nest->joint_count = 0;
	nest->joint_capacity = 0;    /* what other attempts joined stays theirs */
	nest->refetches = attempt.refetch;
	nest->borrows = attempt.borrow;
	*outcome = NO_FIT;
	if (form->is_given && !form_join_groups(compilation, form, nest))
		return NULL;
	if (attempt.borrow && !form->is_given
		&& !join_for_borrowing(compilation, nest, attempt, attempts->bands))
		return NULL;
	for (;;) {
		/* groups that are one again have nobody to borrow from */
		if (!nest_split_arrays(compilation, nest, attempt.split))
			nest->refetches = nest->borrows = false;
		set_band(compilation, nest, attempt.loops, attempts->bands);
		*plan = before;
		if (nest->is_split && nest->array_count <= MODEL_ARRAYS
			&& join_clashing(compilation, nest, attempt.loops, attempts, plan)) {
			if (keeps_apart(form))
				return report_clash(compilation, nest, form);
			continue;
		}
		struct choice *choice = lower_once(compilation, nest, attempt, attempts, plan, out, outcome);
		if (*outcome != CLASH)
			return choice;
		if (keeps_apart(form))
			return report_clash(compilation, nest, form);
		if (!form->is_given && nest_work_is_spent(compilation)
			&& !is_simplest(attempt, nest_depth(nest))) {
			*outcome = TOO_LONG;
			return choice;
		}
		nest_join_groups(compilation, nest, choice->obstacle.clash[0],
			choice->obstacle.clash[1]);
	}
}

/* Whether FORM leaves ATTEMPT to be tried. */
static bool allows(const struct nest *nest, const struct form *form, struct attempt attempt)
{
	int loops = form->loops > nest->outer_loops ? form->loops : nest->outer_loops;
	return !form->is_given || (attempt.loops == loops && attempt.split == form->is_split
		&& attempt.refetch == form->refetches && attempt.borrow == form->borrows
		&& attempt.shared < 0);
}

/* A form that no attempt has. */
static void report_no_form(struct compilation *compilation, const struct nest *nest,
	const struct form *form)
{
	diag_error(compilation->diag, form->location,
		"the nest '%s' cannot be lowered in this form", nest->name);
}

/* One buffer an array; one a reference group; the same, and groups that meet borrow, those of
 * any tile loop or of the innermost one; or are refetched; or one of them shares the written
 * one's buffer and the others borrow. */
enum way { WAY_JOINED, WAY_APART, WAY_BORROWED, WAY_BORROWED_INSIDE, WAY_REFETCHED, WAY_SHARED,
	WAYS = WAY_SHARED + 4 };

static struct attempt attempt_of(int loops, int way)
{
	return (struct attempt){ .loops = loops, .split = way != WAY_JOINED,
		.refetch = way == WAY_BORROWED_INSIDE || way == WAY_REFETCHED,
		.borrow = way == WAY_BORROWED || way == WAY_BORROWED_INSIDE || way >= WAY_SHARED,
		.shared = way < WAY_SHARED ? -1 : way - WAY_SHARED };
}

/* HAS_MET: groups met, in the attempt before, and had to share a buffer. */
static bool is_worth(struct attempt attempt, bool may_split, bool has_met)
{
	return (!attempt.split || may_split)
		&& (attempt.borrow ? has_met : !attempt.refetch || attempt.loops);
}

/* Another form than BEST's was tried, with other buffers or loops, and may have schedules that were
 * not. */
static bool has_rivals(const struct attempts *attempts, const struct choice *best)
{
	for (const struct tried *tried = attempts->tried; tried; tried = tried->next) {
		const struct choice *other = tried->choice;
		bool is_alike = other->attempt.loops == best->attempt.loops
			&& has_same_arrays(other->nest, best->nest);
		if (!is_alike && !(other->exact && tried->outcome == NO_FIT))
			return true;
	}
	return false;
}

/* Fewer bytes than CANDIDATE's are not to be had from more sequential loops: the model counts what
 * it moves, or nothing can move less.  Else sequential loops may have closed forms inside, where
 * tiles of all loops have none. */
static bool is_best_known(const struct candidate *candidate)
{
	return candidate->choice->exact
		|| candidate->bytes <= nest_compulsory(candidate->choice->nest);
}

/* isl's work on all forms of a nest, a second or two: what exceeds it is no longer worth while.
 * Then no more forms are tried if there is a plan, and only the simplest if there is none.  This one
 * may take some more, and so may a form that the user wants; sequential loops where there are tiles
 * of all are worth less of it. */
enum { FORM_OPERATIONS = 3000000, OPTION_OPERATIONS = 500000, SIMPLEST_OPERATIONS = 2000000,
	GIVEN_OPERATIONS = 12000000 };

/* OPERATIONS of isl for a nest, or what they are where the first answer is wanted. */
static unsigned long operations_of(const struct compilation *compilation, unsigned long operations)
{
	enum { HASTE = 3 };
	return is_thorough(compilation) ? operations : operations / HASTE;
}

/* Whether ATTEMPT is made: the work on those before may be all there is for the nest.  *SIMPLEST:
 * what the simplest may take besides; to be ended in any case. */
static bool has_work(struct compilation *compilation, const struct form *form,
	struct attempt attempt, int depth, bool has_plan, struct nest_work *simplest)
{
	bool is_spent = !form->is_given && nest_work_is_spent(compilation);
	bool has = !is_spent || (!has_plan && is_simplest(attempt, depth));
	*simplest = is_spent && has ? nest_work_grant(compilation, SIMPLEST_OPERATIONS)
		: nest_work_begin(compilation, NEST_WORK_FREE);
	return has;
}

/* Lowers the attempt with the least traffic, of equals that with the fewest transfers (choice_starts): the
 * permutable band, and where that leaves loops out or does not fit, the source's outer loops
 * one after the other with what can be tiled inside; each in all ways.  NULL if none fits
 * or the user's schedule is wrong. */
static struct choice *lower_attempts(struct compilation *compilation, struct nest *nest,
	const struct form *form, struct plan *plan, struct plan_nest *out, struct refusal *refusal)
{
	int depth = nest_depth(nest), errors = diag_error_count(compilation->diag);
	bool may_split = nest_split_arrays(compilation, nest, true);
	bool is_complete = false;    /* more sequential loops would not help, or cost too much */
	long least = LONG_MAX;       /* bytes, with fewer sequential loops */
	bool has_others = may_split, has_met = false;
	bool is_missed = false;      /* one that may be better was too long to be counted */
	bool is_too_large = false;   /* one does not fit */
	bool is_cut = false;         /* some were not tried */
	bool is_optional = false;    /* what is tried now may move less, but there is enough */
	struct nest_work option = nest_work_begin(compilation, NEST_WORK_FREE);
	unsigned long all_work = nest_work_left(compilation);
	struct candidates candidates = { 0 };
	const struct plan before = *plan;
	struct attempts attempts = { .bands = ARENA_ARRAY(compilation->arena, struct nest *,
		2 * depth + 2) };
	*refusal = (struct refusal){ .first = NULL };
	if (!nest->regions_found)
		nest->regions_found = region_memo_new(compilation->arena);
	if (!nest->twins)
		nest->twins = twins_new(compilation->arena);
	for (int loops = nest->outer_loops; loops <= depth && !is_complete; loops++) {
		bool may_end = false;
		for (int way = 0; way < WAYS; way++) {
			struct attempt attempt = attempt_of(loops, way);
			enum outcome outcome;
			if (!allows(nest, form, attempt)
				|| !is_worth(attempt, may_split, has_met || form->is_given))
				continue;
			struct nest_work simplest;
			if (!has_work(compilation, form, attempt, depth, candidates.count, &simplest)) {
				is_cut |= !is_optional;
				continue;
			}
			struct choice *choice = lower_attempt(compilation, nest, form, attempt, &attempts,
				plan, out, &outcome);
			nest_work_end(compilation, &simplest);
			*plan = before;
			if (diag_error_count(compilation->diag) > errors) {
				nest_work_end(compilation, &option);
				return NULL;
			}
			if (choice && (!refusal->first || (refusal->first->contradiction
				&& !choice->contradiction && choice->exact)))
				refusal->first = choice;
			if (way == WAY_APART)
				has_met = nest->joint_count > 0;
			is_missed |= outcome == TOO_LONG;
			is_too_large |= outcome == NO_FIT;
			has_others |= nest->left_out || loops > nest->outer_loops;
			if (outcome != LOWERED)
				continue;
			add_candidate(compilation, &candidates, choice, out);
			may_end |= (loops && !nest->function->unbound)
				|| (!nest->left_out && (attempt.split || !may_split));
		}
		is_complete = may_end && (is_best_known(&candidates.items[0]) ||
			candidates.items[0].bytes >= least);
		if (may_end && !is_optional) {
			is_optional = true;
			option = nest_work_begin(compilation, operations_of(compilation, OPTION_OPERATIONS));
		}
		if (may_end)
			least = candidates.items[0].bytes;
	}
	nest_work_end(compilation, &option);
	if (!nest->function->unbound && is_thorough(compilation))
		improve_candidates(compilation, &candidates, all_work - nest_work_left(compilation),
			&before);
	if (candidates.count)
		refusal->least = candidates.items[0].bytes;
	unsigned long uncounted = nest_work_pause(compilation);
	struct choice *best = candidates.count
		? emit_best(compilation, nest, &candidates, refusal, plan, out) : NULL;
	nest_work_resume(compilation, uncounted);
	refusal->is_missed = is_missed && !is_too_large;
	if (best) {
		best->has_others = has_others || is_cut || form->is_given;
		best->has_rivals = !form->is_given && has_rivals(&attempts, best);
		best->is_fallback |= is_missed || is_cut;
		best->is_cut = is_cut;
	}
	return best;
}

/* The same; where closed forms of regions do not hold for all sizes these come from isl. */
static struct choice *lower_best(struct compilation *compilation, struct nest *nest,
	const struct form *form, struct plan *plan, struct plan_nest *out, struct refusal *refusal)
{
	int errors = diag_error_count(compilation->diag);
	struct nest_work work = form->is_given ? nest_work_grant(compilation, GIVEN_OPERATIONS)
		: nest_work_begin(compilation, operations_of(compilation, FORM_OPERATIONS));
	struct choice *best = lower_attempts(compilation, nest, form, plan, out, refusal);
	if (!best && refusal->had_forms && diag_error_count(compilation->diag) == errors) {
		struct refusal general;
		nest->avoids_forms = true;
		best = lower_attempts(compilation, nest, form, plan, out, &general);
		if (best)
			best->is_fallback = true;
	}
	nest_work_end(compilation, &work);
	return best;
}

/* ---- -Rloop: what keeps loops from being tiled, in terms of the source ---- */

/* " on 'A'" or " on 'A' or 'B'": the arrays by which the two statements can depend on each other. */
static const char *common_arrays(struct compilation *compilation, const struct statement *from,
	const struct statement *to)
{
	const char *text = "", *separator = " on";
	const struct array *named[2] = { NULL, NULL };
	int count = 0;
	for (int a = 0; a < from->access_count; a++)
		for (int b = 0; b < to->access_count; b++) {
			const struct access *one = &from->accesses[a], *other = &to->accesses[b];
			if (one->array != other->array || (!one->is_write && !other->is_write)
				|| one->array == named[0] || one->array == named[1])
				continue;
			text = arena_printf(compilation->arena, "%s%s '%s'", text, separator,
				one->array->source_name);
			separator = " or";
			/* a statement writes one array: no more than two are common */
			named[count++ % 2] = one->array;
		}
	return text;
}

/* HOW: what the loop is not. */
static void remark_on_blocked(struct compilation *compilation, const struct blocked_loop *blocked,
	const char *how)
{
	diag_remark(compilation->diag, blocked->loop->location, "loop",
		"loop '%s' %s: a dependence%s would run backwards", blocked->loop->source_name, how,
		common_arrays(compilation, blocked->from, blocked->to));
	diag_note(compilation->diag, blocked->from->location, "from what is computed here");
	diag_note(compilation->diag, blocked->to->location, "to what is computed here");
}

static bool is_left_out(const struct nest *nest, const struct loop *loop)
{
	for (int i = 0; i < nest->left_out; i++)
		if (nest->blocked[i].loop == loop)
			return true;
	return false;
}

/* Why NEST's outer loops run one after the other: what could not be tiled with them. */
static void remark_on_sequential(struct compilation *compilation, const struct nest *nest)
{
	struct nest whole = *nest;
	for (int l = nest->outer_count; l < nest->prefix; l++) {
		const struct loop *loop = nest_loop_of(nest, &nest->band[l]);
		diag_remark(compilation->diag, loop ? loop->location : nest->location, "loop",
			"loop '%s' runs one iteration at a time, in order",
			loop ? loop->source_name : nest->band[l].name);
	}
	if (nest->parent || !nest->prefix || !diag_has_remark(compilation->diag, "loop"))
		return;
	nest_find_band(compilation, &whole);
	for (int i = 0; i < whole.left_out; i++)
		if (whole.blocked[i].loop && !is_left_out(nest, whole.blocked[i].loop))
			remark_on_blocked(compilation, &whole.blocked[i],
				"cannot be tiled together with the loops around it");
}

static void remark_on_loops(struct compilation *compilation, const struct nest *nest)
{
	for (int i = 0; i < nest->left_out; i++)
		if (nest->blocked[i].loop)
			remark_on_blocked(compilation, &nest->blocked[i], "is not tiled");
	remark_on_sequential(compilation, nest);
}

/* What keeps CHOICE from being better. */
static void remark_on_choice(struct compilation *compilation, const struct choice *choice)
{
	if (choice->is_cut)
		diag_remark(compilation->diag, choice->nest->location, "loop", "not all ways to write "
			"this nest were tried, for what their tiles touch takes long to find: smaller nests "
			"are faster, and subscripts and bounds of fewer loops");
	remark_on_loops(compilation, choice->nest);
}

static void append_children(struct arena *arena, struct plan_node *block,
	const struct plan_node *from)
{
	for (int i = 0; i < from->child_count; i++)
		plan_append(arena, block, from->children[i]);
}

static bool lower_parts(struct compilation *compilation, struct nest *nest,
	const struct form *form, long most, struct plan *plan, struct plan_nest *out);

/* Adds what a part of OUT became: its loops to BLOCK, its SCHEDULE. */
static void add_part(struct compilation *compilation, const struct plan_nest *part,
	const char *schedule, struct plan_node *block, struct plan_nest *out)
{
	append_children(compilation->arena, block, part->inner);
	out->schedule = arena_printf(compilation->arena, "%s%s", out->schedule, schedule);
	out->points += part->points;
	out->seconds += part->seconds;
	if (part->scratchpad_used_bytes > out->scratchpad_used_bytes)
		out->scratchpad_used_bytes = part->scratchpad_used_bytes;
}

/* The user says something of NEST's tiles, loops or buffers, which its parts would not have. */
static bool has_wishes(const struct compilation *compilation, const struct nest *nest)
{
	int count;
	const struct schedule_line **lines = schedule_wishes(compilation, nest, &count);
	for (int i = 0; i < count; i++)
		if (schedule_restricts(lines[i]) && !schedule_line_is(lines[i], "form"))
			return true;
	return false;
}

/* What the user says of the nest is so in CHOICE; else says what is not. */
static bool check_obeyed(struct compilation *compilation, const struct choice *choice)
{
	const struct schedule_line *line = choice_disobeyed(choice);
	if (!line)
		return true;
	compilation->does_not_fit = true;
	diag_error(compilation->diag, schedule_line_at(line), "nothing fits: no schedule of '%s' was "
		"found that has '%s'", choice->nest->name, schedule_line_text(compilation->arena, line));
	return false;
}

/* One part of a body: its own dependences, band, schedule and buffers; MAY_PART: or those of
 * its own parts. */
static bool lower_part(struct compilation *compilation, struct nest *part, bool may_part,
	struct plan *plan, struct plan_node *block, struct plan_nest *out)
{
	struct plan_nest own;
	struct refusal refusal;
	struct form form;
	struct choice *choice = NULL;
	unsigned long uncounted = nest_work_pause(compilation);
	nest_find_dependences(compilation, part);
	nest_work_resume(compilation, uncounted);   /* it has limits of its own */
	if (!nest_read_form(compilation, part, &form))
		return false;
	if (part->array_count <= MODEL_ARRAYS && !(form.is_given && form.is_parts))
		choice = lower_best(compilation, part, &form, plan, &own, &refusal);
	if (choice && !check_obeyed(compilation, choice))
		return false;
	if (choice) {
		remark_on_choice(compilation, choice);
		own.points = choice->schedule.points;
		own.seconds = choice->schedule.seconds;
		add_part(compilation, &own, choice_describe(choice), block, out);
		return true;
	}
	if (form.is_given ? !form.is_parts : !may_part || has_wishes(compilation, part))
		return false;
	if (!lower_parts(compilation, part, &form, LONG_MAX, plan, &own))
		return false;
	add_part(compilation, &own, own.schedule, block, out);
	return true;
}

/* The nest for all sizes that NEST stands for, whose PARTS, COUNT of them, are its own too.
 * False if they are not. */
static bool part_for_all_sizes(struct compilation *compilation, struct nest *nest,
	const struct nest *parts, int count, struct plan *plan)
{
	const char *reason;
	int all_count;
	if (!nest->twins)
		nest->twins = twins_new(compilation->arena);
	struct nest *all = nest_with_sizes(compilation, nest,
		(struct band_origin){ parts[0].outer_loops, false }, false, NULL, &reason);
	const struct nest *all_parts = all ? nest_parts(compilation, all, parts[0].outer_loops,
		&all_count) : NULL;
	bool same = all_parts && all_count == count;
	for (int p = 0; p < count && same; p++)
		same = all_parts[p].first_in_parent == parts[p].first_in_parent;
	if (!same)
		return false;
	nest_make_outer_vars(compilation, all, plan, all->inner_vars);
	nest->all_sizes = all;
	return true;
}

/* The first LOOPS of the loops that all statements share run one iteration at a time, and
 * each part of their body has a schedule of its own. */
static bool lower_parts_in(struct compilation *compilation, struct nest *nest, int loops,
	struct plan *plan, struct plan_nest *out)
{
	int count;
	const struct plan before = *plan;
	struct nest *parts = nest_parts(compilation, nest, loops, &count);
	if (!parts)
		return false;
	nest_split_arrays(compilation, nest, false);
	nest_find_sequential_band(compilation, nest, loops);
	nest->band_count = nest->prefix;
	if (loops && !nest->prefix)
		return false;
	for (int p = 0; p < count; p++)
		parts[p].outer_count = nest->prefix;
	nest_make_outer_vars(compilation, nest, plan, nest->inner_vars);
	for (int p = 0; p < count; p++)
		memcpy(parts[p].outer_vars, nest->inner_vars, sizeof parts[p].outer_vars);
	if (has_sizes(compilation, nest) && !part_for_all_sizes(compilation, nest, parts, count, plan))
		return false;
	const struct nest *emitted = nest->all_sizes ? nest->all_sizes : nest;
	*out = (struct plan_nest){ .name = nest->name, .location = nest->location,
		.schedule = arena_printf(compilation->arena, "nest %s\nform parts sequential %d\n",
		nest->name, loops) };
	out->body = plan_block(compilation->arena);
	out->inner = plan_around(compilation, emitted, emitted->outer_vars, 0, emitted->outer_count,
		plan, out->body);
	struct plan_node *block = plan_around(compilation, emitted, emitted->inner_vars,
		emitted->outer_count, emitted->prefix, plan, out->inner);
	bool done = true;
	for (int p = 0; p < count && done; p++) {
		struct nest_work work = nest_work_begin(compilation,
			nest_work_left(compilation) / (unsigned long)(count - p) + 1);
		done = lower_part(compilation, &parts[p], loops == nest_shared_loops(nest), plan, block,
			out);
		nest_work_end(compilation, &work);
	}
	done = done && nest_count_traffic(compilation, emitted, out);
	if (!done)
		*plan = before;
	return done;
}

/* The best of the ways to lower the parts of NEST one by one, with at most MOST bytes: inside
 * all the loops they share, or fewer, where dependences let a part run through more of its
 * iterations before the next. */
static bool lower_parts(struct compilation *compilation, struct nest *nest,
	const struct form *form, long most, struct plan *plan, struct plan_nest *out)
{
	int errors = diag_error_count(compilation->diag), shared = nest_shared_loops(nest);
	int first = form->has_loops ? form->loops : nest->outer_loops, last = form->has_loops ? form->loops : shared;
	/* each number of loops has the same share, also where the others are not asked for */
	unsigned long share = nest_work_left(compilation)
		/ (unsigned long)(shared - nest->outer_loops + 1);
	const struct plan before = *plan;
	bool found = false;
	for (int loops = share ? first : last; loops <= last && loops <= shared; loops++) {
		struct plan own = before;
		struct plan_nest entry;
		struct nest copy = *nest;
		struct nest_work work = nest_work_begin(compilation, share + 1);
		bool done = lower_parts_in(compilation, &copy, loops, &own, &entry);
		nest_work_end(compilation, &work);
		if (done && plan_nest_bytes(&entry) <= most) {
			*plan = own;
			*out = entry;
			*nest = copy;
			found = true;
			most = plan_nest_bytes(&entry) - 1;
		}
		if (diag_error_count(compilation->diag) > errors)
			return false;
	}
	return found;
}

static bool is_consistent(struct compilation *compilation, const struct choice *choice,
	const struct plan_nest *out)
{
	if (choice_agrees(choice, out))
		return true;
	diag_error(compilation->diag, out->location,
		"internal error: the plan of '%s' moves other bytes than its schedule; please report",
		out->name);
	compilation->is_broken = true;
	return false;
}

static void fill_compulsory(const struct nest *nest, struct plan_nest *out)
{
	out->compulsory_bytes = out->lower_bound_bytes = nest_compulsory(nest);
	out->bound_bytes = out->lower_bound_bytes;
	out->lower_bound_argument = "compulsory";
	out->optimal = plan_nest_bytes(out) == out->bound_bytes;
}

/* NEST, or what it has become since scalars of nests before it were expanded. */
static struct nest *renewed(struct compilation *compilation, struct nest *nest,
	const struct plan *plan)
{
	int count;
	return nest->function == plan->function ? nest
		: &nests_of_function(compilation, plan->function, &count)[nest->index];
}

/* One way to write a nest, and what came of lowering it. */
struct variant {
	struct nest *nest;
	struct plan plan;
	struct plan_nest out;
	struct choice *choice;       /* NULL: it has no plan */
	struct refusal refusal;      /* then */
};

static void lower_variant(struct compilation *compilation, struct nest *nest,
	const struct form *form, const struct plan *plan, struct variant *variant)
{
	*variant = (struct variant){ .nest = nest, .plan = *plan };
	nest_split_arrays(compilation, nest, false);
	nest_find_dependences(compilation, nest);
	if (pass_done(compilation, "dependences"))
		nest_print_dependences(compilation, nest, compilation->trace);
	variant->choice = lower_best(compilation, nest, form, &variant->plan, &variant->out,
		&variant->refusal);
	if (variant->choice) {
		variant->plan.function = nest->function;
		choice_fill_bounds(variant->choice, &variant->out);
	}
}

/* NEST with scalars in arrays, whatever the values of symbolic sizes; NULL: there is none to be. */
static struct nest *expanded_nest(struct compilation *compilation, const struct nest *nest)
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

/* Loops stay whole, or run one by one, because scalars carry sums through them: with those
 * in arrays the nest may move less, or in fewer transfers. */
static void try_expanded(struct compilation *compilation, const struct form *form,
	const struct plan *plan, struct variant *best)
{
	struct variant variant;
	if (best->choice && !best->choice->nest->prefix && !best->choice->nest->left_out
		&& plan_nest_bytes(&best->out) == best->out.compulsory_bytes)
		return;
	struct nest *expanded = expanded_nest(compilation, best->nest);
	if (!expanded || expanded->array_count > MODEL_ARRAYS)
		return;
	lower_variant(compilation, expanded, form, plan, &variant);
	if (best->choice)
		best->choice->has_others = true;
	if (best->refusal.least && (!variant.refusal.least
		|| best->refusal.least < variant.refusal.least)) {
		variant.refusal.least = best->refusal.least;
		variant.refusal.reason = best->refusal.reason;
	} else {
		best->refusal.least = variant.refusal.least;
		best->refusal.reason = variant.refusal.reason;
	}
	if (!variant.choice)
		return;
	variant.choice->is_expanded = variant.choice->has_others = true;
	struct plan_nest other = best->out;
	bool has_other = best->choice;
	if (!has_other || plan_nest_bytes(&variant.out) < plan_nest_bytes(&other)
		|| (plan_nest_bytes(&variant.out) == plan_nest_bytes(&other)
		&& choice_starts(variant.choice) < choice_starts(best->choice)))
		*best = variant;
	else
		other = variant.out;
	/* the best of both ways is at least the lesser bound */
	if (has_other && other.bound_bytes < best->out.bound_bytes)
		best->out.bound_bytes = other.bound_bytes;
	if (has_other && other.lower_bound_bytes < best->out.lower_bound_bytes) {
		best->out.lower_bound_bytes = other.lower_bound_bytes;
		best->out.lower_bound_argument = other.lower_bound_argument;
	}
	best->out.optimal &= best->out.bound_bytes >= plan_nest_bytes(&best->out);
}

/* NEST in the form that the user wants, or the best of those there are. */
static void lower_variants(struct compilation *compilation, struct nest *nest,
	const struct form *form, const struct plan *plan, struct variant *best)
{
	int errors = diag_error_count(compilation->diag);
	*best = (struct variant){ .nest = nest };
	if (!form->is_given || !form->is_expanded)
		lower_variant(compilation, nest, form, plan, best);
	if ((!form->is_given || form->is_expanded) && diag_error_count(compilation->diag) == errors)
		try_expanded(compilation, form, plan, best);
}

/* Whether NEST's dependences can be found; else says so. */
static bool check_pairs(struct compilation *compilation, const struct nest *nest)
{
	if (access_pairs_are_few((struct statement *const *)nest->statements, nest->statement_count))
		return true;
	diag_error(compilation->diag, nest->location,
		"the %d statements of this nest touch the same arrays in more than %d pairs of "
		"accesses, too many to find their dependences: split it into several loops",
		nest->statement_count, ACCESS_PAIRS_LIMIT);
	return false;
}

/* OUT is the best of all forms, as WEIGHED says, though only its own was looked at. */
static void fill_known(const struct plan_nest *weighed, struct plan_nest *out)
{
	out->compulsory_bytes = weighed->compulsory_bytes;
	out->lower_bound_bytes = weighed->lower_bound_bytes;
	out->lower_bound_argument = weighed->lower_bound_argument;
	out->bound_bytes = weighed->bound_bytes;
	out->optimal = weighed->optimal && plan_nest_bytes(out) <= plan_nest_bytes(weighed);
	out->points = weighed->points;
	out->seconds = weighed->seconds;
}

/* Only parts of it can be scheduled. */
static bool has_too_many_arrays(const struct nest *nest)
{
	return nest->array_count > MODEL_ARRAYS;
}

static void report_refusal(struct compilation *compilation, const struct nest *nest,
	const struct form *form, const struct refusal *refusal)
{
	if (has_too_many_arrays(nest))
		diag_error(compilation->diag, nest->location, "this nest uses %d arrays; at most %d "
			"can be scheduled together, and it has no parts that use fewer: split it into "
			"several loops", nest->array_count, MODEL_ARRAYS);
	else if (refusal->reason)
		diag_error(compilation->diag, nest->location, "the sizes of '%s' cannot be left to the "
			"run: %s; give them values, without --symbolic, tune for larger ones, or split the "
			"nest", nest->name, refusal->reason);
	else if (refusal->is_missed && refusal->first && !refusal->first->contradiction
		&& !has_wishes(compilation, nest))
		diag_error(compilation->diag, nest->location, "what the tiles of '%s' touch is too "
			"complex to be found: split it into several loops, or write simpler subscripts and "
			"bounds", nest->name);
	else if (refusal->first)
		choice_report_no_fit(refusal->first);
	else
		report_no_form(compilation, nest, form);
}

/* The choice that NEST was WEIGHED by is lowered, where nothing has changed since.  False if
 * something has, or passes are to show all they do. */
static bool lower_weighed(struct compilation *compilation, const struct nest *nest,
	const struct weighed_nest *weighed, const struct plan *plan, struct variant *best)
{
	if (!weighed || !weighed->choice || weighed->function != plan->function
		|| nest->function->unbound || compilation->only_weighs || compilation->trace)
		return false;
	struct choice *choice = weighed->choice;
	struct candidates candidates = { 0 };
	choice->compilation = compilation;
	add_candidate(compilation, &candidates, choice, &weighed->entry);
	best->plan = *plan;
	best->choice = emit_best(compilation, nest, &candidates, &best->refusal, &best->plan,
		&best->out);
	best->plan.function = choice->nest->function;
	return true;
}

/* The form that SCHEDULE, what became of NEST, has it in. */
static bool read_form_of(struct compilation *compilation, const struct nest *nest,
	const char *schedule, struct form *form)
{
	const struct schedule_lines *lines = schedule_lines_parse(compilation->arena, nest->location,
		schedule);
	for (int i = 0; i < lines->count; i++)
		if (!strcmp(lines->items[i].nest, nest->name) && schedule_line_is(&lines->items[i], "form"))
			return form_parse(compilation, &lines->items[i], form);
	return true;
}

/* What is right for all sizes may move more than what is so for those tuned for. */
static void warn_of_more(struct compilation *compilation, const struct nest *nest,
	const struct refusal *refusal, const struct plan_nest *out)
{
	long bytes = plan_nest_bytes(out);
	if (has_sizes(compilation, nest) && refusal->least && bytes > refusal->least)
		diag_warning(compilation->diag, nest->location, "sizes", "for the sizes tuned for '%s' "
			"moves %ld bytes, with them bound %ld or less: %s", nest->name, bytes, refusal->least,
			refusal->reason ? refusal->reason : "its buffers must not grow with them");
}

/* What is known of all schedules of a nest holds for those of its parts too. */
static void fill_bound_of_parts(const struct nest *nest, const struct plan_nest *whole,
	struct plan_nest *out)
{
	fill_compulsory(nest, out);
	if (!whole || whole->lower_bound_bytes <= out->lower_bound_bytes)
		return;
	out->lower_bound_bytes = out->bound_bytes = whole->lower_bound_bytes;
	out->lower_bound_argument = whole->lower_bound_argument;
	out->optimal = plan_nest_bytes(out) <= out->bound_bytes;
}

/* lower_parts of a whole nest, whatever was done for its other forms.  What parts move is not
 * claimed to be the least, and is not proved to be by exhaustive searches. */
static bool lower_all_parts(struct compilation *compilation, struct nest *nest,
	const struct form *form, long most, struct plan *plan, struct plan_nest *out)
{
	enum { PARTS_OPERATIONS = 6000000, SEARCH_POINTS = 2000000 };
	long effort = compilation->effort;
	struct nest_work work = nest_work_grant(compilation,
		operations_of(compilation, PARTS_OPERATIONS));
	if (!effort)
		compilation->effort = SEARCH_POINTS;
	bool done = lower_parts(compilation, nest, form, most, plan, out);
	compilation->effort = effort;
	nest_work_end(compilation, &work);
	return done;
}

/* Whether NEST's parts one by one move less than BEST, which is its best as a whole: then *FORM
 * is how, and PLAN and OUT are what they become, without statements.  If they may, though not as
 * they were tried, the best of NEST as a whole is not known to be the best of all. */
static bool weigh_parts(struct compilation *compilation, const struct nest *nest,
	struct form *form, struct plan *plan, struct plan_nest *out, struct variant *best)
{
	struct nest own = *nest;
	struct plan weighed = *plan;
	struct quiet quiet;
	long bytes = plan_nest_bytes(&best->out);
	if (has_wishes(compilation, nest) || !restriction_has_parts(compilation)
		|| bytes <= best->out.lower_bound_bytes
		|| !parts_may_move_less(compilation, &own,
		best->choice->exact ? best->choice->nest : NULL, bytes))
		return false;
	best->out.bound_bytes = best->out.lower_bound_bytes;
	best->out.optimal = false;
	quiet_begin(&quiet, compilation);
	quiet.compilation.only_weighs = true;
	bool found = lower_all_parts(&quiet.compilation, &own, form, bytes - 1, &weighed, out);
	quiet_end(&quiet);
	if (found)
		*plan = weighed;
	return found && read_form_of(compilation, nest, out->schedule, form);
}

/* The same; where statements are wanted they are in PLAN. */
static bool take_parts(struct compilation *compilation, struct nest *nest,
	const struct form *form, struct plan *plan, struct plan_nest *out, struct variant *best)
{
	const struct plan before = *plan;
	struct form parts = *form;
	if (!weigh_parts(compilation, nest, &parts, plan, out, best))
		return false;
	if (compilation->only_weighs)
		return true;
	*plan = before;
	return lower_all_parts(compilation, nest, &parts, LONG_MAX, plan, out);
}

/* NEST becomes BEST, or OUT where its parts are lowered one by one. */
static bool lower_as(struct compilation *compilation, struct nest *nest,
	const struct weighed_nest *weighed, struct plan *plan, struct plan_nest *out,
	struct variant *best)
{
	int errors = diag_error_count(compilation->diag);
	struct form form;
	nest_split_arrays(compilation, nest, false);
	if (!check_pairs(compilation, nest) || !nest_read_form(compilation, nest, &form)
		|| (weighed && !form.is_given
		&& !read_form_of(compilation, nest, weighed->entry.schedule, &form)))
		return false;
	if (has_too_many_arrays(nest) || (form.is_given && form.is_parts))
		nest_find_dependences(compilation, nest);
	else if (!lower_weighed(compilation, nest, weighed, plan, best))
		lower_variants(compilation, nest, &form, plan, best);
	if (best->choice && !check_obeyed(compilation, best->choice))
		return false;
	if (best->choice && !weighed && !form.is_given
		&& take_parts(compilation, nest, &form, plan, out, best)) {
		fill_bound_of_parts(nest, &best->out, out);
		best->choice = NULL;
		remark_on_loops(compilation, nest);
	} else if (best->choice) {
		*plan = best->plan;
		*out = best->out;
		out->schedule = choice_describe(best->choice);
		remark_on_choice(compilation, best->choice);
		warn_of_more(compilation, nest, &best->refusal, out);
	} else if (diag_error_count(compilation->diag) > errors) {
		return false;
	} else if ((form.is_given ? form.is_parts : !has_wishes(compilation, nest))
		&& lower_all_parts(compilation, nest, &form, LONG_MAX, plan, out)) {
		fill_bound_of_parts(nest, NULL, out);
		if (!form.is_given)
			diag_remark(compilation->diag, nest->location, "loop", "no tiles of the whole nest "
				"fit: each part of its body has tiles of its own");
		remark_on_loops(compilation, nest);
		warn_of_more(compilation, nest, &best->refusal, out);
	} else {
		/* not with the groups of the last form that was tried */
		nest_split_arrays(compilation, nest, false);
		if (diag_error_count(compilation->diag) == errors)
			report_refusal(compilation, nest, &form, &best->refusal);
		return false;
	}
	return true;
}

static bool lower_whole(struct compilation *compilation, struct nest *nest,
	const struct weighed_nest *weighed, struct plan *plan, struct plan_nest *out,
	struct choice **choice)
{
	enum { NEST_WORK = 60000 };  /* besides its searches */
	nest = renewed(compilation, nest, plan);
	struct variant best = { .nest = nest };
	if (!lower_as(compilation, nest, weighed, plan, out, &best))
		return false;
	if (weighed)
		fill_known(&weighed->entry, out);
	out->macs = nest_macs(nest);
	compilation_add_work(compilation, NEST_WORK);
	out->first_source = nest->index;
	out->source_count = 1;
	*choice = best.choice;
	return !best.choice || is_consistent(compilation, best.choice, out);
}

bool lower_nest(struct compilation *compilation, struct nest *nest,
	const struct weighed_nest *weighed, struct plan *plan, struct plan_nest *out)
{
	struct choice *choice;
	return lower_whole(compilation, nest, weighed, plan, out, &choice);
}

bool weigh_nest(struct compilation *compilation, struct nest *nest, const struct plan *plan,
	struct weighed_nest *weighed)
{
	struct plan own = *plan;
	weighed->function = plan->function;
	if (lower_whole(compilation, nest, NULL, &own, &weighed->entry, &weighed->choice))
		return true;
	weighed->choice = NULL;
	return false;
}
