/* The variants of a nest that is lowered as a whole: which of its loops run one after the other,
 * which reference groups share a buffer, and who borrows from whom. */

#include "passes/variants/variants.h"

#include <limits.h>
#include <string.h>

#include "passes/analysis/band_chain.h"
#include "passes/analysis/nest_memo.h"
#include "passes/cost/plan_cost.h"
#include "passes/nest_work.h"
#include "passes/regions/region_memo.h"
#include "passes/sizes/symbolic.h"

/* The variants of a nest, and what was found of them together. */
struct variants {
	struct compilation *compilation;
	const struct nest *nest;
	const struct outer_loops *outer;     /* around it, if it is a part */
	const struct form *form;             /* that the user wants */
	long most;                           /* what moves as many bytes need not be found */
	/* The groups that must share a buffer whatever the schedule, of a variant. */
	struct checked {
		struct checked *next;
		struct variant before;
		bool clashes;
		struct merges merges;            /* then: with those there were before */
	} *checked;
	struct answers *found;       /* of groups and bands */
	struct tried {
		struct tried *next;
		struct choice *choice;
		enum outcome outcome;
		struct plan_nest out;
	} *tried;
};

/* Groups that are alike in BAND are one, and that number SHARED of those that only read shares the
 * buffer of one that is written; -1: none does.  False if there is none. */
static bool merge_for_borrowing(struct variants *variants, const struct band *band, int shared,
	struct merges *merges)
{
	struct compilation *compilation = variants->compilation;
	reference_groups_merge_alike(compilation, variants->nest, band, merges);
	const struct reference_groups *groups = reference_groups_split(compilation, variants->nest, true,
		merges);
	int left = shared;
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

static bool has_same_groups(const struct variant *variant, const struct variant *other)
{
	bool same = variant->groups->count == other->groups->count;
	for (int a = 0; a < variant->groups->count && same; a++)
		same = has_same_accesses(&variant->groups->items[a], &other->groups->items[a]);
	return same;
}

/* The two have the same band. */
static bool has_same_band(const struct variant *variant, const struct variant *other)
{
	return variant->options.loops == other->options.loops
		&& variant->options.borrows == other->options.borrows
		&& variant->options.chains == other->options.chains;
}

/* The same variant as before, with the same groups in each buffer, though other options have led to
 * it. */
static struct tried *find_tried(const struct variants *variants, const struct variant *variant)
{
	for (struct tried *tried = variants->tried; tried; tried = tried->next) {
		const struct variant *other = &tried->choice->variant;
		if (has_same_band(variant, other)
			&& variant->groups->is_split == other->groups->is_split
			&& variant->options.refetches == other->options.refetches
			&& has_same_groups(variant, other))
			return tried;
	}
	return NULL;
}

/* Merges groups of VARIANT that clash under every schedule; false if there are none. */
static bool merge_clashing(struct variants *variants, const struct variant *variant,
	struct merges *merges)
{
	struct arena *arena = variants->compilation->arena;
	struct checked *checked = variants->checked;
	while (checked && (!has_same_band(variant, &checked->before)
		|| !has_same_groups(variant, &checked->before)))
		checked = checked->next;
	if (!checked) {
		checked = ARENA_NEW(arena, struct checked);
		*checked = (struct checked){ .next = variants->checked, .before = *variant,
			.merges = merges_copy(arena, merges) };
		variants->checked = checked;
		checked->clashes = nest_merge_clashing(variants->compilation, variant, false,
			&checked->merges);
	}
	if (checked->clashes)
		*merges = merges_copy(arena, &checked->merges);
	return checked->clashes;
}

/* Lowers VARIANT, unless that was done before.  *OUTCOME says what came of it. */
static struct choice *lower_once(struct variants *variants, const struct variant *variant,
	struct plan *plan, struct plan_nest *out, enum outcome *outcome)
{
	struct tried *tried = find_tried(variants, variant);
	if (!tried) {
		struct choice *choice = variant->groups->count <= MODEL_ARRAYS
			? choice_make(variants->compilation, variant) : NULL;
		*outcome = NO_FIT;
		if (!choice)
			return NULL;
		tried = ARENA_NEW(variants->compilation->arena, struct tried);
		tried->choice = choice;
		tried->outcome = choice_is_beaten(choice, variants->most) ? BEATEN : choice_lower(choice, plan, &tried->out);
		tried->next = variants->tried;
		variants->tried = tried;
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

static struct choice *report_clash(const struct variants *variants)
{
	diag_error(variants->compilation->diag, variants->form->location, "reference groups of '%s' that "
		"are to be apart touch the same elements: they have to share a buffer",
		variants->nest->name);
	return NULL;
}

/* All loops run one after the other, and groups that meet share a buffer. */
static bool is_simplest(const struct variant_options *options, int depth)
{
	return options->loops == depth && !options->refetches && !options->borrows;
}

/* VARIANT gets the groups and the band that its options and MERGES ask for.  Groups that are one again
 * have nobody to borrow from. */
static void write_variant(struct variants *variants, const struct merges *merges,
	struct variant *variant)
{
	struct variant_options *options = &variant->options;
	variant->groups = options->is_split ? reference_groups_split(variants->compilation,
		variants->nest, options->borrows, merges)
		: reference_groups_whole(variants->compilation, variants->nest);
	if (!variant->groups->is_split)
		options->refetches = options->borrows = false;
	variant->band = variant_find_band(variants->compilation, variant);
}

/* Lowers the nest as OPTIONS say, with SHARED as merge_for_borrowing, and as the user's form says of
 * groups that share a buffer; so do those that clash.  *OUTCOME says what came of it, *VARIANT what
 * was tried last.  NULL if the user's schedule is wrong. */
static struct choice *lower_variant(struct variants *variants, struct variant_options options,
	int shared, struct plan *plan, struct plan_nest *out, enum outcome *outcome,
	struct variant *variant)
{
	struct compilation *compilation = variants->compilation;
	const struct form *form = variants->form;
	const struct plan before = *plan;
	struct merges merges = { .count = 0 };
	*variant = (struct variant){ .nest = variants->nest, .options = options,
		.outer = variants->outer, .found = variants->found };
	*outcome = NO_FIT;
	if (form->is_given && !form_merge_groups(compilation, form, variants->nest, &merges))
		return NULL;
	if (options.borrows && !form->is_given) {
		variant->band = variant_find_band(compilation, variant);
		if (!merge_for_borrowing(variants, variant->band, shared, &merges))
			return NULL;
	}
	for (;;) {
		write_variant(variants, &merges, variant);
		*plan = before;
		if (variant->groups->is_split && variant->groups->count <= MODEL_ARRAYS
			&& merge_clashing(variants, variant, &merges)) {
			if (keeps_apart(form))
				return report_clash(variants);
			continue;
		}
		struct choice *choice = lower_once(variants, variant, plan, out, outcome);
		if (*outcome != CLASH)
			return choice;
		if (keeps_apart(form))
			return report_clash(variants);
		if (!form->is_given && nest_work_is_spent(compilation)
			&& !is_simplest(&options, variants->nest->loop_depth)) {
			*outcome = TOO_LONG;
			return choice;
		}
		reference_groups_merge(compilation->arena, variant->groups, choice->hindrance.obstacle.clash[0],
			choice->hindrance.obstacle.clash[1], &merges);
	}
}

/* One buffer an array; one a reference group; the same, and groups that meet borrow, those of
 * any tile loop or of the innermost one; or are refetched; or chained loops, and one buffer an array or one a group;
 * or one group shares the written one's buffer and the others borrow. */
enum way { WAY_JOINED, WAY_APART, WAY_BORROWED, WAY_BORROWED_INSIDE, WAY_REFETCHED, WAY_CHAINED, WAY_CHAINED_APART, WAY_SHARED,
	WAYS = WAY_SHARED + 4 };

static struct variant_options options_of(int loops, int way, bool avoids_forms)
{
	return (struct variant_options){ .loops = loops, .chains = way == WAY_CHAINED || way == WAY_CHAINED_APART,
		.is_split = way != WAY_JOINED && way != WAY_CHAINED,
		.refetches = way == WAY_BORROWED_INSIDE || way == WAY_REFETCHED,
		.borrows = way == WAY_BORROWED || way == WAY_BORROWED_INSIDE || way >= WAY_SHARED,
		.avoids_forms = avoids_forms };
}

/* Which group shares the written one's buffer; -1: none. */
static int shared_of(int way)
{
	return way < WAY_SHARED ? -1 : way - WAY_SHARED;
}

/* Whether FORM leaves OPTIONS to be tried, with SHARED. */
static bool allows(const struct nest *nest, const struct form *form,
	const struct variant_options *options, int shared)
{
	int loops = form->loops > nest->outer_loops ? form->loops : nest->outer_loops;
	return !form->is_given || (options->loops == loops && options->is_split == form->is_split
		&& options->refetches == form->refetches && options->borrows == form->borrows && options->chains == form->chains
		&& shared < 0);
}

/* HAS_MET: groups met, in the variant before, and had to share a buffer. */
static bool is_worth(const struct variants *variants, const struct variant_options *options,
	bool may_split, bool has_met)
{
	if (options->chains)
		return (!options->is_split || may_split) && !options->loops && nest_may_chain(variants->nest)
			&& nest_find_chained_band(variants->compilation, variants->nest, variants->found)->count;
	return (!options->is_split || may_split)
		&& (options->borrows ? has_met : !options->refetches || options->loops);
}

/* No schedule of the forms that were tried beside BEST's (NULL: of all), with other buffers or loops, moves
 * less; 0: not known. */
static long rivals_bound(const struct variants *variants, const struct choice *best)
{
	long bound = LONG_MAX;
	for (const struct tried *tried = variants->tried; tried; tried = tried->next) {
		const struct choice *other = tried->choice;
		bool is_alike = best && other->variant.options.loops == best->variant.options.loops
			&& other->variant.options.chains == best->variant.options.chains
			&& has_same_groups(&other->variant, &best->variant);
		if (is_alike || other->hindrance.is_final)
			continue;
		long own = tried->outcome == LOWERED ? choice_space_bound(other, &tried->out)
			: tried->outcome == BEATEN ? variants->most : 0;
		bound = own < bound ? own : bound;
	}
	return bound;
}

/* Fewer bytes than CANDIDATE's are not to be had from more sequential loops: the model counts what
 * it moves with tiles of all others, or nothing can move less.  Else sequential loops may have
 * closed forms inside, where tiles of all loops have none, or be those that run whole in its tiles. */
static bool is_best_known(const struct candidate *candidate)
{
	const struct variant *variant = &candidate->choice->variant;
	return (candidate->choice->has_forms && !variant->groups->is_split && !variant->band->left_out)
		|| plan_nest_reaches(&candidate->out, nest_compulsory(candidate->choice->variant.nest));
}

/* isl's work on all forms of a nest, a second or two: what exceeds it is no longer worth while.
 * Then no more forms are tried if there is a plan, and only the simplest if there is none.  This one
 * may take some more, and so may a form that the user wants; sequential loops where there are tiles
 * of all are worth less of it. */
enum { FORM_OPERATIONS = 3000000, OPTION_OPERATIONS = 500000, SIMPLEST_OPERATIONS = 2000000,
	GIVEN_OPERATIONS = 12000000 };

/* Whether OPTIONS are tried: the work on those before may be all there is for the nest.  *SIMPLEST:
 * what the simplest may take besides; to be ended in any case. */
static bool has_work(struct compilation *compilation, const struct form *form,
	const struct variant_options *options, int depth, bool has_plan, struct nest_work *simplest)
{
	bool is_spent = !form->is_given && nest_work_is_spent(compilation);
	bool has = !is_spent || (!has_plan && is_simplest(options, depth));
	*simplest = is_spent && has ? nest_work_grant(compilation, SIMPLEST_OPERATIONS)
		: nest_work_begin(compilation, NEST_WORK_FREE);
	return has;
}

/* What came of the variants so far. */
struct course {
	struct candidates candidates;
	struct refusal *refusal;
	bool may_split;
	bool has_met;                /* groups met, in the variant before, and had to share a buffer */
	bool has_others;             /* there are more than that which is best */
	bool is_missed;              /* one that may be better was too long to be counted */
	bool is_too_large;           /* one does not fit */
	bool is_cut;                 /* some were not tried */
	bool is_optional;            /* what is tried now may move less, but there is enough */
};

/* Whether more sequential loops than OPTIONS has need not be tried: those that are left have tiles. */
static bool may_end(const struct nest *nest, const struct variant *variant,
	const struct variant_options *options, bool may_split)
{
	return (options->loops && !nest->function->unbound)
		|| (!variant->band->left_out && (options->is_split || !may_split));
}

/* Nests are merged to use in one buffer what they have in common: those that have closed forms so are not
 * tried with several. */
static bool keeps_together(const struct variant *variant, const struct choice *choice, enum outcome outcome)
{
	return variant->nest->joined_count && outcome == LOWERED && choice->has_forms
		&& !variant->groups->is_split && !variant->band->left_out;
}

/* CHOICE, of VARIANT, came out as OUTCOME and OUT. */
static void note(struct course *course, const struct variants *variants, const struct variant *variant,
	struct choice *choice, enum outcome outcome, const struct plan_nest *out)
{
	const struct choice *first = course->refusal->first;
	if (choice && (!first || (first->asked.contradiction && !choice->asked.contradiction && choice->has_forms)))
		course->refusal->first = choice;
	course->is_missed |= outcome == TOO_LONG;
	course->is_too_large |= outcome == NO_FIT;
	if (outcome == BEATEN)
		course->refusal->beaten = choice;
	course->has_others |= variant->band->left_out || variant->options.chains
		|| variant->options.loops > variants->nest->outer_loops;
	if (outcome == LOWERED)
		candidates_add(variants->compilation, &course->candidates, choice, out);
	else if (!choice || !choice->has_forms)
		course->candidates.bounded_bytes = LONG_MAX;
}

/* Tries all ways with LOOPS sequential loops; true if more of these need not be tried for there to be
 * a plan.  *PLAN stays as it is. */
static bool try_ways(struct variants *variants, int loops, bool avoids_forms, struct course *course,
	struct plan *plan)
{
	struct compilation *compilation = variants->compilation;
	const struct nest *nest = variants->nest;
	const struct form *form = variants->form;
	const struct plan before = *plan;
	int errors = diag_error_count(compilation->diag);
	bool is_enough = false;
	for (int way = 0; way < WAYS; way++) {
		const struct variant_options options = options_of(loops, way, avoids_forms);
		struct variant variant;
		struct plan_nest out;
		struct nest_work simplest;
		enum outcome outcome;
		if (!allows(nest, form, &options, shared_of(way))
			|| !is_worth(variants, &options, course->may_split, course->has_met || form->is_given))
			continue;
		if (!has_work(compilation, form, &options, nest->loop_depth, course->candidates.count,
			&simplest)) {
			course->is_cut |= !course->is_optional;
			continue;
		}
		struct choice *choice = lower_variant(variants, options, shared_of(way), plan, &out,
			&outcome, &variant);
		nest_work_end(compilation, &simplest);
		*plan = before;
		if (diag_error_count(compilation->diag) > errors)
			return false;
		note(course, variants, &variant, choice, outcome, &out);
		course->may_split &= form->is_given || !keeps_together(&variant, choice, outcome);
		if (way == WAY_APART)
			course->has_met = variant.groups->merges.count > 0;
		is_enough |= (outcome == LOWERED || outcome == BEATEN)
			&& may_end(nest, &variant, &options, course->may_split);
	}
	return is_enough;
}

/* Tries variants with more and more sequential loops, until more would not help, or cost too much.
 * False after an error. */
static bool try_variants(struct variants *variants, bool avoids_forms, struct course *course,
	struct plan *plan)
{
	struct compilation *compilation = variants->compilation;
	const struct objective asked = objective_of(RANK_ASKED);
	const int errors = diag_error_count(compilation->diag);
	struct cost least;           /* with fewer sequential loops, if */
	bool has_least = false, is_complete = false;
	struct nest_work option = nest_work_begin(compilation, NEST_WORK_FREE);
	for (int loops = variants->nest->outer_loops; loops <= variants->nest->loop_depth && !is_complete;
		loops++) {
		bool is_enough = try_ways(variants, loops, avoids_forms, course, plan);
		if (diag_error_count(compilation->diag) > errors)
			break;
		if (!is_enough)
			continue;
		/* what is beaten has closed forms, so that sequential loops move no less */
		if (!course->candidates.count)
			break;
		const struct candidate *best = &course->candidates.items[0];
		is_complete = is_best_known(best)
			|| (has_least && objective_compare(&asked, &best->cost, &least) >= 0);
		if (!course->is_optional)
			option = nest_work_begin(compilation, nest_work_wanted(compilation, OPTION_OPERATIONS));
		course->is_optional = has_least = true;
		least = best->cost;
	}
	nest_work_end(compilation, &option);
	return diag_error_count(compilation->diag) == errors;
}

/* Lowers the variant that is best (RANK_PLANS): the
 * permutable band, and where that leaves loops out or does not fit, the source's outer loops
 * one after the other with what can be tiled inside; each in all ways.  NULL if none fits
 * or the user's schedule is wrong. */
static struct choice *lower_variants(struct compilation *compilation, const struct nest *nest,
	const struct outer_loops *outer, const struct form *form, bool avoids_forms, long most, struct plan *plan,
	struct plan_nest *out, struct refusal *refusal)
{
	bool may_split = reference_groups_split(compilation, nest, false, NULL)->is_split;
	struct course course = { .refusal = refusal, .may_split = may_split, .has_others = may_split };
	struct candidates *candidates = &course.candidates;
	unsigned long all_work = nest_work_left(compilation);
	const struct plan before = *plan;
	struct variants variants = { .compilation = compilation, .nest = nest, .outer = outer,
		.form = form, .most = may_split || form->is_given ? LONG_MAX : most, .found = answers_new(compilation->arena) };
	*refusal = (struct refusal){ .first = NULL };
	region_memo_begin(compilation, nest);
	if (!try_variants(&variants, avoids_forms, &course, plan))
		return NULL;
	if (!nest->function->unbound && is_thorough(compilation))
		candidates_improve(compilation, candidates, all_work - nest_work_left(compilation), &before);
	refusal->is_missed = course.is_missed && !course.is_too_large;
	if (!candidates->count) {
		refusal->bound = course.is_cut ? 0 : rivals_bound(&variants, NULL);
		if (refusal->beaten)
			refusal->beaten->rivals_bound = rivals_bound(&variants, refusal->beaten);
		return NULL;
	}
	refusal->least = plan_nest_bytes(&candidates->items[0].out);
	unsigned long uncounted = nest_work_pause(compilation);
	struct choice *best = candidates_emit(compilation, nest, candidates, refusal, plan, out);
	nest_work_resume(compilation, uncounted);
	if (best) {
		out->bounded_bytes = course.is_cut ? LONG_MAX : candidates->bounded_bytes;
		best->has_others = course.has_others || course.is_cut || form->is_given;
		best->rivals_bound = form->is_given ? LONG_MAX : rivals_bound(&variants, best);
		best->is_fallback |= course.is_missed || course.is_cut;
		best->is_cut = course.is_cut;
	}
	return best;
}

struct choice *lower_best_variant(struct compilation *compilation, const struct nest *nest,
	const struct outer_loops *outer, const struct form *form, long most, struct plan *plan,
	struct plan_nest *out, struct refusal *refusal)
{
	int errors = diag_error_count(compilation->diag);
	struct nest_work work = form->is_given ? nest_work_grant(compilation, GIVEN_OPERATIONS)
		: nest_work_begin(compilation, nest_work_wanted(compilation, FORM_OPERATIONS));
	struct choice *best = lower_variants(compilation, nest, outer, form, form->avoids_forms, most, plan, out,
		refusal);
	if (!best && refusal->had_forms && diag_error_count(compilation->diag) == errors) {
		struct refusal general;
		best = lower_variants(compilation, nest, outer, form, true, LONG_MAX, plan, out, &general);
		if (best)
			best->is_fallback = true;
	}
	nest_work_end(compilation, &work);
	return best;
}
