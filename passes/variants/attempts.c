/* The ways to write a nest that is lowered as a whole: which of its loops run one after the other,
 * which reference groups share a buffer, and who borrows from whom. */

#include "passes/variants/attempts.h"

#include <limits.h>
#include <string.h>

#include "passes/nest_work.h"
#include "passes/regions/region_memo.h"
#include "passes/sizes/symbolic.h"

/* What was found of a nest, all attempts together. */
struct attempts {
	/* The groups that must share a buffer whatever the schedule, of a nest in a form. */
	struct checked {
		struct checked *next;
		struct nest before;
		int loops;
		bool clashes;
		struct merges merges;            /* then: with those there were before */
	} *checked;
	const struct band **bands;   /* [2 * sequential loops + it borrows]; NULL: not found yet */
	struct tried {
		struct tried *next;
		struct choice *choice;
		enum outcome outcome;
		struct plan_nest out;
	} *tried;
};

/* NEST's band with LOOPS sequential loops; BANDS remembers those found. */
static const struct band *find_band(struct compilation *compilation, const struct nest *nest,
	int loops, const struct band **bands)
{
	const struct band **band = &bands[2 * loops + nest->borrows];
	if (!*band)
		*band = loops ? nest_find_sequential_band(compilation, nest, loops)
			: nest_find_band(compilation, nest);
	return *band;
}

/* Groups that are alike in the band are one, and the one that ATTEMPT says shares the buffer
 * of one that is written.  False if there is none. */
static bool merge_for_borrowing(struct compilation *compilation, const struct nest *nest,
	struct attempt attempt, struct merges *merges)
{
	reference_groups_merge_alike(compilation, nest, nest->band, merges);
	const struct reference_groups *groups = reference_groups_split(compilation, nest, true, merges);
	int left = attempt.shared;
	for (int a = 0; a < groups->count && left >= 0; a++)
		for (int b = 0; b < groups->count && !groups->items[a].is_written; b++)
			if (groups->items[a].array == groups->items[b].array && groups->items[b].is_written) {
				if (!left--)
					reference_groups_merge(compilation->arena, groups, a, b, merges);
				break;
			}
	return left < 0;
}

static bool has_same_accesses(const struct reference_group *a, const struct reference_group *b)
{
	bool same = a->access_count == b->access_count;
	for (int i = 0; i < a->access_count && same; i++)
		same = a->accesses[i].access == b->accesses[i].access;
	return same;
}

static bool has_same_arrays(const struct nest *nest, const struct nest *other)
{
	bool same = nest->groups->count == other->groups->count;
	for (int a = 0; a < nest->groups->count && same; a++)
		same = has_same_accesses(&nest->groups->items[a], &other->groups->items[a]);
	return same;
}

/* NEST in the same form as before, with the same groups in each buffer, though another attempt
 * has led to it. */
static struct tried *find_tried(const struct attempts *attempts, const struct nest *nest, int loops)
{
	for (struct tried *tried = attempts->tried; tried; tried = tried->next) {
		const struct nest *other = tried->choice->nest;
		bool same = tried->choice->attempt.loops == loops && nest->groups->is_split == other->groups->is_split
			&& nest->refetches == other->refetches && nest->borrows == other->borrows;
		if (same && has_same_arrays(nest, other))
			return tried;
	}
	return NULL;
}

/* Merges groups of NEST that clash under every schedule; false if there are none. */
static bool merge_clashing(struct compilation *compilation, const struct nest *nest, int loops,
	struct attempts *attempts, struct plan *plan, struct merges *merges)
{
	struct checked *checked = attempts->checked;
	while (checked && (checked->loops != loops || checked->before.borrows != nest->borrows
		|| !has_same_arrays(nest, &checked->before)))
		checked = checked->next;
	if (!checked) {
		checked = ARENA_NEW(compilation->arena, struct checked);
		*checked = (struct checked){ .next = attempts->checked, .before = *nest, .loops = loops };
		attempts->checked = checked;
		checked->merges = merges_copy(compilation->arena, merges);
		checked->clashes = nest_merge_clashing(compilation, nest, plan, &checked->merges);
	}
	if (checked->clashes)
		*merges = merges_copy(compilation->arena, &checked->merges);
	return checked->clashes;
}

/* What was found of groups in other attempts, with LOOPS sequential loops or more or fewer,
 * holds for those of NEST that have the same accesses. */
static void share_findings(const struct attempts *attempts, struct nest *nest, int loops)
{
	for (const struct tried *tried = attempts->tried; tried; tried = tried->next)
		for (int a = 0; a < nest->groups->count; a++)
			for (int b = 0; b < tried->choice->nest->groups->count; b++) {
				struct reference_group *array = &nest->groups->items[a];
				const struct reference_group *other = &tried->choice->nest->groups->items[b];
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
		struct choice *choice = nest->groups->count <= MODEL_ARRAYS
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
	struct merges merges = { .count = 0 };
	nest->refetches = attempt.refetch;
	nest->borrows = attempt.borrow;
	*outcome = NO_FIT;
	if (form->is_given && !form_merge_groups(compilation, form, nest, &merges))
		return NULL;
	if (attempt.borrow && !form->is_given) {
		nest->band = find_band(compilation, nest, attempt.loops, attempts->bands);
		if (!merge_for_borrowing(compilation, nest, attempt, &merges))
			return NULL;
	}
	for (;;) {
		/* groups that are one again have nobody to borrow from */
		nest->groups = attempt.split ? reference_groups_split(compilation, nest, nest->borrows,
			&merges) : reference_groups_whole(compilation, nest);
		if (!nest->groups->is_split)
			nest->refetches = nest->borrows = false;
		nest->band = find_band(compilation, nest, attempt.loops, attempts->bands);
		*plan = before;
		if (nest->groups->is_split && nest->groups->count <= MODEL_ARRAYS
			&& merge_clashing(compilation, nest, attempt.loops, attempts, plan, &merges)) {
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
		reference_groups_merge(compilation->arena, nest->groups, choice->obstacle.clash[0],
			choice->obstacle.clash[1], &merges);
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

/* No schedule of the forms that were tried beside BEST's, with other buffers or loops, moves less;
 * 0: not known. */
static long rivals_bound(const struct attempts *attempts, const struct choice *best)
{
	long bound = LONG_MAX;
	for (const struct tried *tried = attempts->tried; tried; tried = tried->next) {
		const struct choice *other = tried->choice;
		bool is_alike = other->attempt.loops == best->attempt.loops
			&& has_same_arrays(other->nest, best->nest);
		if (is_alike || (other->exact && tried->outcome == NO_FIT))
			continue;
		long own = tried->outcome == LOWERED ? choice_space_bound(other, &tried->out) : 0;
		bound = own < bound ? own : bound;
	}
	return bound;
}

/* Fewer bytes than CANDIDATE's are not to be had from more sequential loops: the model counts what
 * it moves with tiles of all others, or nothing can move less.  Else sequential loops may have
 * closed forms inside, where tiles of all loops have none, or be those that run whole in its tiles. */
static bool is_best_known(const struct candidate *candidate)
{
	return (candidate->choice->exact && !candidate->choice->nest->band->left_out)
		|| candidate->bytes <= nest_compulsory(candidate->choice->nest);
}

/* isl's work on all forms of a nest, a second or two: what exceeds it is no longer worth while.
 * Then no more forms are tried if there is a plan, and only the simplest if there is none.  This one
 * may take some more, and so may a form that the user wants; sequential loops where there are tiles
 * of all are worth less of it. */
enum { FORM_OPERATIONS = 3000000, OPTION_OPERATIONS = 500000, SIMPLEST_OPERATIONS = 2000000,
	GIVEN_OPERATIONS = 12000000 };

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
	bool may_split = reference_groups_split(compilation, nest, false, NULL)->is_split;
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
	struct attempts attempts = { .bands = ARENA_ARRAY(compilation->arena, const struct band *,
		2 * depth + 2) };
	*refusal = (struct refusal){ .first = NULL };
	if (!nest->regions_found)
		nest->regions_found = region_memo_new(compilation, nest);
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
				has_met = nest->groups->merges.count > 0;
			is_missed |= outcome == TOO_LONG;
			is_too_large |= outcome == NO_FIT;
			has_others |= nest->band->left_out || loops > nest->outer_loops;
			if (outcome != LOWERED)
				continue;
			candidates_add(compilation, &candidates, choice, out);
			may_end |= (loops && !nest->function->unbound)
				|| (!nest->band->left_out && (attempt.split || !may_split));
		}
		is_complete = may_end && (is_best_known(&candidates.items[0]) ||
			candidates.items[0].bytes >= least);
		if (may_end && !is_optional) {
			is_optional = true;
			option = nest_work_begin(compilation, nest_work_wanted(compilation, OPTION_OPERATIONS));
		}
		if (may_end)
			least = candidates.items[0].bytes;
	}
	nest_work_end(compilation, &option);
	if (!nest->function->unbound && is_thorough(compilation))
		candidates_improve(compilation, &candidates, all_work - nest_work_left(compilation),
			&before);
	if (candidates.count)
		refusal->least = candidates.items[0].bytes;
	unsigned long uncounted = nest_work_pause(compilation);
	struct choice *best = candidates.count
		? candidates_emit(compilation, nest, &candidates, refusal, plan, out) : NULL;
	nest_work_resume(compilation, uncounted);
	refusal->is_missed = is_missed && !is_too_large;
	if (best) {
		best->has_others = has_others || is_cut || form->is_given;
		best->rivals_bound = form->is_given ? LONG_MAX : rivals_bound(&attempts, best);
		best->is_fallback |= is_missed || is_cut;
		best->is_cut = is_cut;
	}
	return best;
}

struct choice *lower_in_best_form(struct compilation *compilation, struct nest *nest,
	const struct form *form, struct plan *plan, struct plan_nest *out, struct refusal *refusal)
{
	int errors = diag_error_count(compilation->diag);
	struct nest_work work = form->is_given ? nest_work_grant(compilation, GIVEN_OPERATIONS)
		: nest_work_begin(compilation, nest_work_wanted(compilation, FORM_OPERATIONS));
	nest->avoids_forms = form->avoids_forms;
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
