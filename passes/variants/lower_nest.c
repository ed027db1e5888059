/* A nest becomes part of a plan: the best of the ways to write it, whole (rewritten.h) or in
 * parts. */

#include "passes/variants/lower_nest.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "passes/analysis/nest_memo.h"
#include "passes/cost/bound_nest.h"
#include "passes/cost/model_math.h"
#include "passes/cost/plan_cost.h"
#include "passes/nest_work.h"
#include "passes/quiet.h"
#include "passes/search/restriction.h"
#include "passes/sizes/symbolic.h"
#include "passes/variants/obeyed.h"
#include "passes/variants/parts.h"
#include "passes/variants/remarks.h"
#include "passes/variants/rewritten.h"
#include "passes/variants/rivals.h"
#include "passes/variants/schedule_text.h"
#include "passes/variants/variants.h"

static bool is_consistent(struct compilation *compilation, const struct choice *choice,
	const struct plan_nest *out)
{
	if (choice_agrees(choice, out))
		return true;
	diag_error(compilation->diag, out->location,
		"internal error: the plan of '%s' moves other bytes than its schedule; please report",
		out->name);
	compilation->failure.is_broken = true;
	return false;
}

static void fill_lower_bound(const struct compilation *compilation, const struct nest *nest,
	struct plan_nest *out)
{
	out->lower_bound_bytes = nest_lower_bound(nest, compilation->arch->scratchpad_bytes,
		&out->compulsory_bytes, &out->lower_bound_argument);
	out->bound_bytes = out->lower_bound_bytes;
	plan_nest_judge(out);
}

/* NEST, or what it has become since scalars of nests before it were expanded; without arrays that are
 * carried by now. */
static const struct nest *renewed(struct compilation *compilation, const struct nest *nest,
	const struct plan *plan)
{
	int count;
	if (nest->function == plan->function)
		return nest_with_arrays(compilation->arena, nest, reference_groups_whole(compilation, nest));
	const struct nest *now = &nests_of_function(compilation, plan->function, &count)[nest->index];
	return nest->joined_count ? nest_join(compilation, now, nest->joined_count) : now;
}

/* Whether NEST's dependences can be found; else says so. */
static bool check_pairs(struct compilation *compilation, const struct nest *nest)
{
	if (access_pairs_are_few(nest->statements, nest->statement_count))
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
	out->optimal = weighed->optimal && plan_nest_compare(out, weighed) <= 0;
	out->points = weighed->points;
	out->seconds = weighed->seconds;
}

/* Only parts of it can be scheduled. */
static bool has_too_many_arrays(const struct nest *nest)
{
	return nest->arrays->count > MODEL_ARRAYS;
}

/* A form that no variant has. */
static void report_no_form(struct compilation *compilation, const struct nest *nest,
	const struct form *form)
{
	diag_error(compilation->diag, form->location,
		"the nest '%s' cannot be lowered in this form", nest->name);
}

static void report_refusal(struct compilation *compilation, const struct nest *nest,
	const struct form *form, const struct refusal *refusal)
{
	if (has_too_many_arrays(nest))
		diag_error(compilation->diag, nest->location, "this nest uses %d arrays; at most %d "
			"can be scheduled together, and it has no parts that use fewer: split it into "
			"several loops", nest->arrays->count, MODEL_ARRAYS);
	else if (refusal->reason)
		diag_error(compilation->diag, nest->location, "the sizes of '%s' cannot be left to the "
			"run: %s; give them values, without --symbolic, tune for larger ones, or split the "
			"nest", nest->name, refusal->reason);
	else if (refusal->is_missed && refusal->first && !refusal->first->asked.contradiction
		&& !nest_is_constrained(compilation, nest))
		diag_error(compilation->diag, nest->location, "what the tiles of '%s' touch is too "
			"complex to be found: split it into several loops, or write simpler subscripts and "
			"bounds", nest->name);
	else if (refusal->first)
		choice_report_no_fit(refusal->first);
	else
		report_no_form(compilation, nest, form);
}

/* BEST becomes CHOICE, of a form of NEST and weighed as ENTRY, with statements where they are
 * wanted. */
static void emit(struct compilation *compilation, const struct nest *nest, struct choice *choice,
	const struct plan_nest *entry, struct lowered *best)
{
	struct candidates candidates = { 0 };
	choice->compilation = compilation;
	candidates_add(compilation, &candidates, choice, entry);
	best->choice = candidates_emit(compilation, nest, &candidates, &best->refusal, &best->plan,
		&best->out);
	best->plan.function = choice->variant.nest->function;
}

/* The machine of COMPILATION, with as much scratchpad as the power of two STEPS below what it has, before
 * arrays are carried: the same for all machines that differ in that only.  NULL: nothing is left. */
static const struct arch *less_of(const struct compilation *compilation, int steps)
{
	const struct arch *arch = compilation->arch;
	struct arch *less = ARENA_NEW(compilation->arena, struct arch);
	long whole = arch->scratchpad_bytes + compilation->room.carried_bytes, bytes = 1;
	long granule = arch_granule_bytes(arch);
	while (bytes < whole - bytes)
		bytes *= 2;
	bytes = (bytes >> (steps - 1)) - compilation->room.carried_bytes;
	*less = arch_resized(arch, bytes / granule * granule);
	return less->scratchpad_bytes > 0 ? less : NULL;
}

/* The choice that NEST was WEIGHED by is lowered, where nothing has changed since.  False if
 * something has, or passes are to show all they do. */
static bool lower_weighed(struct compilation *compilation, const struct nest *nest,
	const struct weighed_nest *weighed, const struct plan *plan, struct lowered *best)
{
	if (!weighed || !weighed->choice || weighed->function != plan->function
		|| nest->function->unbound || compilation->only_weighs || compilation->watch.trace)
		return false;
	best->plan = *plan;
	emit(compilation, nest, weighed->choice, &weighed->entry, best);
	return true;
}

/* The line of SCHEDULE, what became of NEST, that says its form; NULL: there is none. */
static const struct schedule_line *form_line(struct compilation *compilation, const struct nest *nest,
	const char *schedule)
{
	const struct schedule_lines *lines = schedule_lines_parse(compilation->arena, nest->location,
		schedule);
	for (int i = 0; i < lines->count; i++)
		if (!strcmp(lines->items[i].nest, nest->name) && schedule_line_is(&lines->items[i], "form"))
			return &lines->items[i];
	return NULL;
}

/* FORM is what it says. */
static bool read_form_of(struct compilation *compilation, const struct nest *nest,
	const char *schedule, struct form *form)
{
	const struct schedule_line *line = form_line(compilation, nest, schedule);
	return !line || form_parse(compilation, line, form);
}

/* What is right for all sizes may move more than what is so for those tuned for. */
static void warn_of_more(struct compilation *compilation, const struct nest *nest,
	const struct refusal *refusal, const struct plan_nest *out)
{
	long bytes = plan_nest_bytes(out);
	if (!nest_is_for_all_sizes(compilation, nest) || !refusal->least || bytes <= refusal->least)
		return;
	diag_warning(compilation->diag, nest->location, "sizes", "'%s' moves %ld bytes at the sizes "
		"tuned for; with these sizes fixed it would move %ld or less", nest->name, bytes,
		refusal->least);
	diag_note(compilation->diag, nest->location, "what moves less is not right for all sizes: %s",
		refusal->reason ? refusal->reason : "some buffer would grow with them");
}

/* NEST became OUT in parts.  What is known of all its schedules (WHOLE; NULL: nothing) holds for these too; no
 * schedule of its space moves less than BOUND. */
static void fill_bound_of_parts(const struct compilation *compilation, const struct nest *nest,
	const struct plan_nest *whole, long bound, struct plan_nest *out)
{
	fill_lower_bound(compilation, nest, out);
	out->bounded_bytes = LONG_MAX;
	if (whole && whole->lower_bound_bytes > out->lower_bound_bytes) {
		out->lower_bound_bytes = whole->lower_bound_bytes;
		out->lower_bound_argument = whole->lower_bound_argument;
	}
	out->bound_bytes = bound > out->lower_bound_bytes ? bound : out->lower_bound_bytes;
	plan_nest_judge(out);
}

/* Whether NEST's parts one by one move less than BEST, which is its best as a whole: then *FORM
 * is how, inside *WHOLE, and PLAN and OUT are what they become, without statements.  If they may,
 * though not as they were tried, the best of NEST as a whole is not known to be the best of all. */
static bool weigh_parts(struct compilation *compilation, const struct nest *nest,
	struct form *form, struct plan *plan, struct plan_nest *out, struct variant *whole,
	struct lowered *best)
{
	struct plan weighed = *plan;
	struct quiet quiet;
	long bound;
	if (nest_is_constrained(compilation, nest) || !restriction_has_parts(compilation)
		|| plan_nest_reaches(&best->out, best->out.lower_bound_bytes))
		return false;
	/* parts of a nest with a sum in a scalar are parts of that with it in an array, which can be
	 * tiled in all loops */
	long parts = parts_bound(compilation, nest, best->expanded ? best->expanded : best->choice,
		&best->out);
	if (plan_nest_reaches(&best->out, parts))
		return false;
	best->out.bounded_bytes = LONG_MAX;
	bool found = false;
	/* elements compute no parts: what they do would have no price */
	if (!best->choice || !best->choice->options.elements) {
		quiet_begin(&quiet, compilation);
		quiet.compilation.only_weighs = true;
		found = lower_all_parts(&quiet.compilation, nest, form, &best->out, &weighed, out, whole, &bound);
		quiet_end(&quiet);
		parts = parts > bound ? parts : bound;
	}
	parts = parts > best->out.lower_bound_bytes ? parts : best->out.lower_bound_bytes;
	if (parts < best->out.bound_bytes)
		best->out.bound_bytes = parts;
	plan_nest_judge(&best->out);
	if (found)
		*plan = weighed;
	return found && read_form_of(compilation, nest, out->schedule, form);
}

/* The same; where statements are wanted they are in PLAN. */
static bool take_parts(struct compilation *compilation, const struct nest *nest,
	const struct form *form, struct plan *plan, struct plan_nest *out, struct variant *whole,
	struct lowered *best)
{
	const struct plan before = *plan;
	struct form parts = *form;
	long bound;
	if (!weigh_parts(compilation, nest, &parts, plan, out, whole, best))
		return false;
	if (compilation->only_weighs)
		return true;
	*plan = before;
	return lower_all_parts(compilation, nest, &parts, NULL, plan, out, whole, &bound);
}

/* NEST becomes BEST, or OUT where its parts are lowered one by one. */
static bool lower_as(struct compilation *compilation, const struct nest *nest,
	const struct weighed_nest *weighed, struct plan *plan, struct plan_nest *out,
	struct lowered *best)
{
	int errors = diag_error_count(compilation->diag);
	struct variant whole;        /* the loops around parts */
	struct form form;
	long bound = 0;
	*best = (struct lowered){ .nest = nest, .refusal.bound = LONG_MAX };
	if (!check_pairs(compilation, nest) || !nest_read_form(compilation, nest, &form)
		|| (weighed && !form.is_given
		&& !read_form_of(compilation, nest, weighed->entry.schedule, &form)))
		return false;
	bool in_parts = has_too_many_arrays(nest) || (form.is_given && form.is_parts);
	if (in_parts || !lower_weighed(compilation, nest, weighed, plan, best)) {
		nest = nest_with_dependences(compilation, nest);
		if (!in_parts)
			lower_rewritten(compilation, nest, &form, plan, best);
	}
	if (best->choice && !choice_check_obeyed(compilation, best->choice))
		return false;
	if (best->choice && !weighed && !form.is_given
		&& take_parts(compilation, nest, &form, plan, out, &whole, best)) {
		fill_bound_of_parts(compilation, nest, &best->out, best->out.bound_bytes, out);
		best->choice = NULL;
		remark_on_loops(compilation, &whole);
	} else if (best->choice) {
		*plan = best->plan;
		*out = best->out;
		out->schedule = choice_describe(best->choice);
		remark_on_choice(compilation, best->choice);
		warn_of_more(compilation, nest, &best->refusal, out);
	} else if (diag_error_count(compilation->diag) > errors) {
		return false;
	} else if ((form.is_given ? form.is_parts : !nest_is_constrained(compilation, nest))
		&& lower_all_parts(compilation, nest, &form, NULL, plan, out, &whole, &bound)) {
		if (best->refusal.bound < bound)
			bound = best->refusal.bound;
		fill_bound_of_parts(compilation, nest, NULL, form.is_given ? 0 : bound, out);
		if (!form.is_given)
			diag_remark(compilation->diag, nest->location, "loop", "no tiles of the whole nest "
				"fit: each part of its body has tiles of its own");
		remark_on_loops(compilation, &whole);
		warn_of_more(compilation, nest, &best->refusal, out);
	} else {
		if (!form.is_given && bound < best->refusal.bound)
			best->refusal.bound = bound;
		if (diag_error_count(compilation->diag) == errors)
			report_refusal(compilation, nest, &form, &best->refusal);
		return false;
	}
	return true;
}

/* ---- less scratchpad ---- */

/* What is found of a nest in all scratchpad or less, without statements. */
struct found {
	struct plan plan;
	struct plan_nest out;
	struct choice *choice;       /* NULL: its parts have several */
	const struct arch *less;     /* NULL: all */
};

/* More scratchpad is to move no more: where nothing is proved, and plans of some form are weighed by
 * making them, also what is found in less is looked at: of a nest once it is chosen, of merged ones before, as they are
 * merged for what they move.  OUT is what became of NEST in all. */
static bool wants_less(struct compilation *compilation, const struct nest *nest,
	const struct plan_nest *out)
{
	struct form form;
	return (!compilation->is_trial || nest->joined_count) && !out->optimal && out->bounded_bytes > 0
		&& !plan_nest_reaches(out, out->lower_bound_bytes)
		&& is_thorough(compilation) && !nest->function->unbound
		&& !nest_is_constrained(compilation, nest)
		&& nest_read_form(compilation, nest, &form) && !form.is_given;
}

/* What is looked for in less scratchpad: on the machine LESS, in the form that the schedule of LIKE has,
 * which is FORM (NULL: in all forms). */
struct look {
	const struct arch *less;
	const struct plan_nest *like;
	const char *form;
};

/* Looks for less than OUT moves.  Where no more than an eighth of it can be gained, only the form that
 * it has is looked at, if a model bounds that: all forms take as long as all that was done before. */
static struct look look_for_less(struct compilation *compilation, const struct nest *nest,
	const struct plan_nest *out)
{
	const struct schedule_line *form = form_line(compilation, nest, out->schedule);
	long bytes = plan_nest_bytes(out);
	if (!form || out->has_forms || bytes - out->lower_bound_bytes > bytes / 8)
		return (struct look){ .less = NULL };
	return (struct look){ NULL, out, schedule_line_text(compilation->arena, form) };
}

/* Points that a search in less scratchpad looks at: nothing is to be proved. */
static long points_in_less(const struct compilation *compilation)
{
	enum { MOST = 200000 };
	long effort = compilation->request.effort;
	return effort && effort < MOST ? effort : MOST;
}

/* NEST as LOOK says, without statements; false if it does not fit. */
static bool find_in(struct compilation *compilation, const struct nest *nest,
	const struct plan *plan, const struct look *look, struct found *found)
{
	const struct weighed_nest like = { look->like ? *look->like : (struct plan_nest){ 0 }, NULL,
		plan->function, 0 };
	struct quiet quiet;
	struct nest *own = ARENA_NEW(compilation->arena, struct nest);
	struct lowered best;
	*own = *nest;
	own->findings = ARENA_NEW(compilation->arena, struct nest_findings);
	*own->findings = *nest->findings;
	*found = (struct found){ .plan = *plan, .less = look->less };
	quiet_begin(&quiet, compilation);
	quiet.compilation.room.roomy = compilation->arch;
	quiet.compilation.arch = look->less;
	quiet.compilation.only_weighs = true;
	quiet.compilation.request.effort = points_in_less(compilation);
	bool done = lower_as(&quiet.compilation, own, look->like ? &like : NULL, &found->plan,
		&found->out, &best);
	compilation->failure.is_broken |= quiet.compilation.failure.is_broken;
	quiet_end(&quiet);
	if ((found->choice = best.choice))
		found->choice->compilation = compilation;
	return done;
}

/* What the bytes of a nest in less scratchpad depend on besides the nest. */
struct less_key {
	long bytes, effort, restriction[5], buffering;
	long memories[MEMORY_LIMIT]; /* where there are several */
	double prices[10];           /* no padding: keys are compared byte by byte */
	unsigned long carried[4];
	char form[];                 /* "": all */
};

static struct nest_query less_query(const struct compilation *compilation, const struct look *look)
{
	const struct restriction *restriction = &compilation->request.restriction;
	const struct prices *prices = &restriction->prices;
	const char *form = look->form ? look->form : "";
	size_t size = sizeof(struct less_key) + strlen(form);
	struct less_key *key = arena_alloc(compilation->arena, size + 1);
	*key = (struct less_key){ .bytes = look->less->scratchpad_bytes,
		.effort = points_in_less(compilation),
		.restriction = { restriction->held_roles, restriction->is_in_source_order,
		restriction->is_forward, restriction->divides, restriction->prefers_memory },
		.buffering = compilation->request.buffering, .prices = { prices->byte, prices->access, prices->command, prices->moved,
		prices->delivered, prices->reduced, prices->cycle, prices->multiplies, prices->mac, prices->macs } };
	for (int m = 0; m < look->less->memory_count; m++)
		key->memories[m] = look->less->memories[m].bytes;
	for (int i = 0; compilation->room.carried && i < compilation->room.carried->count; i++)
		if (compilation->room.carried->is_carried[i])
			key->carried[i % 256 / 64] ^= 1UL << i % 64;
	strcpy(key->form, form);
	return (struct nest_query){ NEST_LESS, key, size };
}

/* What is asked for, of NEST as LOOK says; INFINITY: it does not fit.  Found once of each in the course
 * of all sweeps and fronts. */
static double value_in(struct compilation *compilation, const struct nest *nest,
	const struct plan *plan, const struct look *look)
{
	struct found found;
	const struct nest_query query = less_query(compilation, look);
	const struct objective asked = objective_of(RANK_ASKED);
	const double *known = nest_answer(nest, query);
	if (known)
		return *known;
	unsigned long uncounted = nest_work_pause(compilation);
	double value = INFINITY;
	if (find_in(compilation, nest, plan, look, &found)) {
		const struct cost cost = plan_nest_cost(&found.out);
		value = objective_value(&asked, &cost);
	}
	nest_work_resume(compilation, uncounted);
	nest_keep_answer(nest, query, &value, sizeof value, isl_operations(compilation->ctx));
	return value;
}

/* Whether NEST moves less than OUT in some power of two that is less than all scratchpad: the best
 * of all these.  Where two in a row leave it a quarter more to move, nothing is looked for in less. */
static bool find_less(struct compilation *compilation, const struct nest *nest,
	const struct plan *plan, const struct plan_nest *out, struct found *found)
{
	const struct objective asked = objective_of(RANK_ASKED);
	const struct cost cost = plan_nest_cost(out);
	double value = objective_value(&asked, &cost);
	struct look look = look_for_less(compilation, nest, out), best = { .less = NULL };
	long compulsory;
	const char *argument;
	int worse = 0;
	for (int steps = 1; worse < 2 && (look.less = less_of(compilation, steps));
		steps++) {
		if ((double)nest_lower_bound(nest, look.less->scratchpad_bytes, &compulsory, &argument)
			>= value)
			break;
		if (look.less->scratchpad_bytes >= out->bounded_bytes)
			continue;
		double there = value_in(compilation, nest, plan, &look);
		worse = there > 1.25 * value ? worse + 1 : 0;
		if (there < value) {
			value = there;
			best = look;
		}
	}
	return best.less && find_in(compilation, nest, plan, &best, found)
		&& plan_nest_compare(&found->out, out) < 0;
}

/* FOUND in less scratchpad is what becomes of NEST in all of it, of which KNOWN is known. */
static bool take_found(struct compilation *compilation, const struct nest *nest,
	const struct plan_nest *known, struct found *found, struct plan *plan, struct plan_nest *out,
	struct lowered *best)
{
	const struct arch *whole = compilation->arch;
	const struct weighed_nest weighed = { found->out, found->choice, plan->function, 0 };
	bool done = true;
	if (found->choice) {
		found->choice->has_others = true;
		found->out.schedule = choice_describe(found->choice);
	}
	if (compilation->only_weighs) {
		*plan = found->plan;
		*out = found->out;
		best->choice = found->choice;
	} else {
		compilation->room.roomy = whole;
		compilation->arch = found->less;
		done = lower_as(compilation, nest, &weighed, plan, out, best);
		compilation->arch = whole;
		compilation->room.roomy = NULL;
	}
	fill_known(known, out);
	plan_nest_judge(out);
	return done;
}

static bool lower_whole(struct compilation *compilation, const struct nest *nest,
	const struct weighed_nest *weighed, struct plan *plan, struct plan_nest *out,
	struct lowered *best)
{
	enum { NEST_WORK = 60000 };  /* besides its searches */
	const struct plan before = *plan;
	struct found found;
	bool done, is_found = false;
	nest = renewed(compilation, nest, plan);
	if (weighed) {
		is_found = wants_less(compilation, nest, &weighed->entry)
			&& find_less(compilation, nest, plan, &weighed->entry, &found);
		if (!is_found && compilation->only_weighs) {
			*out = weighed->entry;
			best->choice = NULL;
			return true;
		}
		done = is_found ? take_found(compilation, nest, &weighed->entry, &found, plan, out, best)
			: lower_as(compilation, nest, weighed, plan, out, best);
	} else {
		done = lower_as(compilation, nest, weighed, plan, out, best);
		if (done && wants_less(compilation, nest, out)
			&& find_less(compilation, nest, &before, out, &found)) {
			struct plan_nest known = *out;
			*plan = before;
			is_found = true;
			done = take_found(compilation, nest, &known, &found, plan, out, best);
		}
	}
	if (!done)
		return false;
	if (weighed && !is_found)
		fill_known(&weighed->entry, out);
	out->macs = nest_macs(nest);
	compilation_add_work(compilation, NEST_WORK);
	out->first_source = nest->index;
	out->source_count = nest->joined_count ? nest->joined_count : 1;
	return !best->choice || is_consistent(compilation, best->choice, out);
}

bool lower_nest(struct compilation *compilation, const struct nest *nest,
	const struct weighed_nest *weighed, struct plan *plan, struct plan_nest *out)
{
	struct lowered best;
	return lower_whole(compilation, nest, weighed, plan, out, &best);
}

bool weigh_nest(struct compilation *compilation, const struct nest *nest, const struct plan *plan,
	struct weighed_nest *weighed)
{
	struct plan own = *plan;
	struct lowered best;
	bool done = lower_whole(compilation, nest, NULL, &own, &weighed->entry, &best);
	weighed->function = plan->function;
	weighed->choice = done ? best.choice : NULL;
	weighed->bound = done ? weighed->entry.bound_bytes : best.refusal.bound;
	return done;
}

long nest_bound_unweighed(struct compilation *compilation, const struct nest *nest, const struct plan *plan, long most)
{
	struct quiet quiet;
	long bound = 0;
	nest = renewed(compilation, nest, plan);
	if (has_too_many_arrays(nest))
		return LONG_MAX;
	quiet_begin(&quiet, compilation);
	if (access_pairs_are_few(nest->statements, nest->statement_count))
		bound = rewritten_bound(&quiet.compilation, nest_with_dependences(&quiet.compilation, nest), most);
	quiet_end(&quiet);
	return bound;
}
