/* A nest in parts: each part of its body has dependences, tiles and buffers of its own. */

#include "passes/variants/parts.h"

#include <limits.h>
#include <string.h>

#include "passes/cost/plan_cost.h"
#include "passes/nest_work.h"
#include "passes/sizes/symbolic.h"
#include "passes/variants/forms_bound.h"
#include "passes/variants/obeyed.h"
#include "passes/variants/remarks.h"
#include "passes/variants/rivals.h"
#include "passes/variants/schedule_text.h"
#include "passes/variants/variants.h"

static void append_children(struct arena *arena, struct plan_node *block,
	const struct plan_node *from)
{
	for (int i = 0; i < from->child_count; i++)
		plan_append(arena, block, from->children[i]);
}

static bool lower_parts(struct compilation *compilation, const struct nest *nest,
	const struct outer_loops *outer, const struct form *form, const struct plan_nest *rival,
	struct plan *plan, struct plan_nest *out, struct variant *whole, long *bound);

static long saturated_sum(long a, long b)
{
	long sum;
	return __builtin_add_overflow(a, b, &sum) ? LONG_MAX : sum;
}

static long larger(long a, long b)
{
	return a > b ? a : b;
}

static long lesser(long a, long b)
{
	return a < b ? a : b;
}

/* The loops around the parts of NEST's body, as *WHOLE: its first LOOPS loops, behind those of OUTER, run one iteration at a time.
 * False if these cannot be around all parts. */
static bool find_around(struct compilation *compilation, const struct nest *nest, const struct outer_loops *outer, int loops,
	struct variant *whole)
{
	*whole = (struct variant){ .nest = nest, .options = { .loops = loops }, .groups = nest->arrays,
		.outer = outer, .band = band_prefix(compilation->arena, nest_find_sequential_band(compilation,
		nest, outer ? outer->band : NULL, loops, false, NULL)) };
	return !loops || whole->band->prefix;
}

static long bound_apart(struct compilation *compilation, const struct nest *nest, const struct outer_loops *outer, long most);

/* NEST in parts of its own inside its first LOOPS loops and OUTER moves no less, whatever their forms and parts are; MOST if it moves as
 * much. */
static long bound_apart_in(struct compilation *compilation, const struct nest *nest, const struct outer_loops *outer, int loops, long most)
{
	int count;
	struct variant whole;
	struct plan none = { .function = nest->function };
	const struct nest *parts = nest_parts(compilation, nest, loops, &count);
	if (!parts || !find_around(compilation, nest, outer, loops, &whole))
		return most;
	const struct outer_loops *around = outer_loops_make(compilation, &whole, &none);
	long all = parts_compulsory(compilation, nest, loops);
	for (int p = 0; p < count && all < most; p++) {
		const struct nest *part = nest_with_dependences(compilation, &parts[p]);
		long own = nest_compulsory(part), enough = most - (all - own);
		long bound = forms_bound(compilation, part, around, enough);
		bound = bound > own ? bound_apart(compilation, part, around, lesser(bound, enough)) : own;
		all += larger(bound - own, 0);
	}
	return lesser(most, all);
}

/* The same inside any of its loops. */
static long bound_apart(struct compilation *compilation, const struct nest *nest, const struct outer_loops *outer, long most)
{
	for (int loops = nest->outer_loops; loops <= nest_shared_loops(nest); loops++)
		most = bound_apart_in(compilation, nest, outer, loops, most);
	return most;
}

/* PART inside OUTER moves no less, as a whole, of which CHOICE is the best and became OUT, or in parts of its
 * own. */
static long bound_of_part(struct compilation *compilation, const struct nest *part,
	const struct outer_loops *outer, const struct choice *choice, struct plan_nest *out)
{
	unsigned long uncounted = nest_work_pause(compilation);
	choice_fill_bounds(choice, out);
	if (!plan_nest_reaches(out, out->bound_bytes))
		out->bound_bytes = larger(out->bound_bytes, forms_bound(compilation, part, outer,
			plan_nest_bytes(out)));
	long apart = LONG_MAX;
	if (!plan_nest_reaches(out, out->lower_bound_bytes))
		apart = larger(out->lower_bound_bytes, parts_bound(compilation, part, choice, out));
	if (apart < out->bound_bytes)
		apart = larger(apart, bound_apart(compilation, part, outer, out->bound_bytes));
	long bound = plan_nest_reaches(out, out->lower_bound_bytes) ? out->lower_bound_bytes
		: lesser(out->bound_bytes, apart);
	nest_work_resume(compilation, uncounted);
	return bound;
}

/* Adds what a part of OUT became: its loops to BLOCK, its SCHEDULE. */
static void add_part(struct compilation *compilation, const struct plan_nest *part,
	const char *schedule, struct plan_node *block, struct plan_nest *out)
{
	append_children(compilation->arena, block, part->inner);
	out->schedule = arena_printf(compilation->arena, "%s%s", out->schedule, schedule);
	out->points += part->points;
	out->seconds += part->seconds;
	out->bound_bytes = saturated_sum(out->bound_bytes, part->bound_bytes);
	for (int m = 0; m < arch_memory_count(compilation->arch); m++)
		plan_nest_use_memory(out, m, part->memory_used_bytes[m]);
}

/* One part of a body, inside OUTER: its own dependences, band, schedule and buffers; MAY_PART: or
 * those of its own parts. */
static bool lower_part(struct compilation *compilation, const struct nest *part,
	const struct outer_loops *outer, bool may_part, struct plan *plan, struct plan_node *block,
	struct plan_nest *out)
{
	struct variant whole;
	struct plan_nest own;
	struct refusal refusal = { .bound = LONG_MAX };
	struct form form;
	struct choice *choice = NULL;
	long bound;
	unsigned long uncounted = nest_work_pause(compilation);
	part = nest_with_dependences(compilation, part);
	nest_work_resume(compilation, uncounted);   /* it has limits of its own */
	if (!nest_read_form(compilation, part, &form))
		return false;
	if (part->arrays->count <= MODEL_ARRAYS && !(form.is_given && form.is_parts))
		choice = lower_best_variant(compilation, part, outer, &form, LONG_MAX, plan, &own, &refusal);
	if (choice && !choice_check_obeyed(compilation, choice))
		return false;
	if (choice) {
		remark_on_choice(compilation, choice);
		own.bound_bytes = bound_of_part(compilation, part, outer, choice, &own);
		add_part(compilation, &own, choice_describe(choice), block, out);
		return true;
	}
	if (form.is_given ? !form.is_parts : !may_part || nest_is_constrained(compilation, part))
		return false;
	if (!lower_parts(compilation, part, outer, &form, NULL, plan, &own, &whole, &bound))
		return false;
	own.bound_bytes = lesser(bound, refusal.bound);
	add_part(compilation, &own, own.schedule, block, out);
	return true;
}

/* VARIANT for all sizes, of whose nest PARTS, COUNT of them, are the parts; NULL: those are others. */
static const struct variant *part_for_all_sizes(struct compilation *compilation,
	const struct variant *variant, const struct nest *parts, int count)
{
	const char *reason;
	int all_count;
	const struct variant *all = variant_with_sizes(compilation, variant, false, NULL, &reason);
	const struct nest *all_parts = all ? nest_parts(compilation, all->nest, variant->options.loops,
		&all_count) : NULL;
	bool same = all_parts && all_count == count;
	for (int p = 0; p < count && same; p++)
		same = all_parts[p].first_in_parent == parts[p].first_in_parent;
	return same ? all : NULL;
}

/* The first LOOPS of the loops that all statements share, behind those of OUTER, as *WHOLE: they run
 * one iteration at a time, and each part of their body has a schedule of its own. */
static bool lower_parts_in(struct compilation *compilation, const struct nest *nest,
	const struct outer_loops *outer, int loops, struct plan *plan, struct plan_nest *out,
	struct variant *whole)
{
	int count;
	const struct plan before = *plan;
	const struct nest *parts = nest_parts(compilation, nest, loops, &count);
	if (!parts || !find_around(compilation, nest, outer, loops, whole))
		return false;
	const struct variant *emitted = whole;
	struct outer_loops *around = outer_loops_make(compilation, whole, plan);
	const struct outer_loops *written = around;
	if (nest_is_for_all_sizes(compilation, nest)) {
		emitted = part_for_all_sizes(compilation, whole, parts, count);
		if (!emitted)
			return false;
		written = around->all_sizes = outer_loops_make(compilation, emitted, plan);
	}
	*out = (struct plan_nest){ .name = nest->name, .location = nest->location,
		.schedule = arena_printf(compilation->arena, "nest %s\nform parts sequential %d\n",
		nest->name, loops) };
	out->body = plan_block(compilation->arena);
	out->inner = plan_around(compilation, written, 0, variant_outer_count(emitted), plan, out->body);
	struct plan_node *block = plan_around(compilation, written, variant_outer_count(emitted),
		written->band->count, plan, out->inner);
	bool done = true;
	for (int p = 0; p < count && done; p++) {
		struct nest_work work = nest_work_begin(compilation,
			nest_work_left(compilation) / (unsigned long)(count - p) + 1);
		done = lower_part(compilation, &parts[p], around, loops == nest_shared_loops(nest), plan, block,
			out);
		nest_work_end(compilation, &work);
	}
	done = done && nest_count_traffic(compilation, emitted, out);
	if (!done)
		*plan = before;
	return done;
}

/* The parts of NEST inside the first LOOPS loops and OUTER move no less; ENTRY: they were lowered (NULL: they were not, and
 * may have no plan). */
static long bound_inside(struct compilation *compilation, const struct nest *nest, const struct outer_loops *outer, int loops,
	const struct plan_nest *entry)
{
	unsigned long uncounted = nest_work_pause(compilation);
	long bound = entry ? larger(parts_compulsory(compilation, nest, loops), entry->bound_bytes)
		: bound_apart_in(compilation, nest, outer, loops, LONG_MAX);
	nest_work_resume(compilation, uncounted);
	return bound;
}

/* The best of the ways to lower the parts of NEST one by one that is better than RIVAL: inside
 * all the loops they share, *WHOLE, or fewer, where dependences let a part run through more of its
 * iterations before the next.  None of these ways moves less than *BOUND. */
static bool lower_parts(struct compilation *compilation, const struct nest *nest,
	const struct outer_loops *outer, const struct form *form, const struct plan_nest *rival,
	struct plan *plan, struct plan_nest *out, struct variant *whole, long *bound)
{
	int errors = diag_error_count(compilation->diag), shared = nest_shared_loops(nest);
	int first = form->has_loops ? form->loops : nest->outer_loops, last = form->has_loops ? form->loops : shared;
	/* each number of loops has the same share, also where the others are not asked for */
	unsigned long share = nest_work_left(compilation)
		/ (unsigned long)(shared - nest->outer_loops + 1);
	const struct plan before = *plan;
	bool found = false;
	*bound = share ? LONG_MAX : 0;
	for (int loops = share ? first : last; loops <= last && loops <= shared; loops++) {
		struct plan own = before;
		struct plan_nest entry;
		struct variant inside;
		struct nest_work work = nest_work_begin(compilation, share + 1);
		bool done = lower_parts_in(compilation, nest, outer, loops, &own, &entry, &inside);
		nest_work_end(compilation, &work);
		*bound = lesser(*bound, bound_inside(compilation, nest, outer, loops, done ? &entry : NULL));
		const struct plan_nest *best = found ? out : rival;
		if (done && (!best || plan_nest_compare(&entry, best) < 0)) {
			*plan = own;
			*out = entry;
			*whole = inside;
			found = true;
		}
		if (diag_error_count(compilation->diag) > errors)
			return false;
	}
	return found;
}

bool lower_all_parts(struct compilation *compilation, const struct nest *nest,
	const struct form *form, const struct plan_nest *rival, struct plan *plan,
	struct plan_nest *out, struct variant *whole, long *bound)
{
	enum { PARTS_OPERATIONS = 6000000 };
	long effort = compilation->request.effort;
	*bound = LONG_MAX;
	if (nest->joined_count)
		return false;
	struct nest_work work = nest_work_grant(compilation,
		nest_work_wanted(compilation, PARTS_OPERATIONS));
	if (!effort)
		compilation->request.effort = PART_POINTS;
	bool done = lower_parts(compilation, nest, NULL, form, rival, plan, out, whole, bound);
	compilation->request.effort = effort;
	nest_work_end(compilation, &work);
	return done;
}
