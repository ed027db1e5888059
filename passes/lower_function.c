/* A function of the program becomes a plan: nest by nest, dependences, band, model,
 * schedule, plan. */

#include <math.h>
#include <limits.h>
#include <string.h>
#include <time.h>

#include <isl/union_set.h>
#include <isl/val.h>

#include "ir/coalesce.h"
#include "passes/expand.h"
#include "passes/form.h"
#include "passes/formula.h"
#include "passes/fuse.h"
#include "passes/lower_function.h"
#include "passes/model_math.h"
#include "passes/nest.h"
#include "passes/pipeline.h"
#include "passes/restriction.h"
#include "passes/schedule_text.h"
#include "passes/symbolic.h"
#include "passes/values.h"

/* ---- what must cross the bus at least, where there is no model ---- */

static long box_count(__isl_keep isl_set *set)
{
	long count = 1;
	for (int d = 0; d < isl_set_dim(set, isl_dim_set); d++) {
		long min, max;
		if (!set_dim_range(set, d, &min, &max)
			|| __builtin_mul_overflow(count, max - min + 1, &count))
			return 0;
	}
	return count;
}

/* Elements of SET; 0 where counting would take long. */
static long count_at_least(__isl_take isl_set *set)
{
	enum { COUNT_LIMIT = 100000 };
	/* isl counts a point once for each value of what is projected out, unless that is a
	 * function of the point. */
	set = isl_set_make_disjoint(isl_set_compute_divs(set));
	long count = box_count(set);
	if (count && isl_set_is_box(set) != isl_bool_true) {
		isl_val *value = count <= COUNT_LIMIT ? isl_set_count_val(set) : NULL;
		count = value && isl_val_is_int(value) == isl_bool_true ? isl_val_get_num_si(value) : 0;
		isl_val_free(value);
	}
	isl_set_free(set);
	return count;
}

/* The elements of ARRAY that some access of the nest writes (or reads); NULL: none. */
static __isl_give isl_set *elements_of(const struct nest *nest, const struct array *array,
	bool is_write)
{
	isl_set *elements = NULL;
	for (int a = 0; a < nest->array_count; a++)
		for (int i = 0; i < nest->arrays[a].access_count; i++) {
			const struct access *access = nest->arrays[a].accesses[i].access;
			if (access->array != array || access->is_write != is_write
				|| nest->arrays[a].is_internal || nest_is_dropped(nest, &nest->arrays[a]))
				continue;
			isl_set *set = isl_map_range(isl_map_copy(access->map));
			elements = elements ? isl_set_union(elements, set) : set;
		}
	return elements ? set_coalesce(elements) : NULL;
}

/* Written elements must go out once; what is only read must come in once. */
long nest_compulsory(const struct nest *nest)
{
	long bytes = 0;
	for (int i = 0; i < nest->function->array_count; i++) {
		const struct array *array = nest->function->arrays[i];
		isl_set *elements = elements_of(nest, array, true);
		if (!elements)
			elements = elements_of(nest, array, false);
		if (elements)
			bytes += count_at_least(elements) * array->type.bytes;
	}
	return bytes;
}

/* ---- choosing a schedule ---- */

/* What is tried for a nest: how many of the source's outer loops run one after the
 * other, and whether reference groups have buffers of their own. */
struct attempt {
	int loops;
	bool split, refetch;         /* refetch: see struct nest */
};

static long total_bytes(const struct plan_nest *nest)
{
	long total = 0;
	for (int a = 0; a < nest->traffic_count; a++)
		total += nest->traffic[a].read_bytes + nest->traffic[a].write_bytes;
	return total;
}

struct choice {
	struct compilation *compilation;
	struct nest *nest;
	struct nest_model model;
	struct region *regions;
	bool exact;
	struct search_options options;
	bool is_fallback;            /* others that move less are not right for all sizes */
	struct schedule schedule;
	struct obstacle obstacle;
	long smallest;               /* scratchpad that would do, where nothing fits */
	struct attempt attempt;
	bool is_expanded;
	bool has_others;             /* other forms of the nest (form.h) could have been chosen */
};

/* A text of the user's, of which lines may be about the nest. */
struct wish {
	const char *text;
	struct location at;
};

/* Pragmas, then --schedule, which has the last word; fills *COUNT. */
static struct wish *wishes_of(const struct compilation *compilation, const struct nest *nest,
	int *count)
{
	const struct function *function = nest->function;
	struct wish *wishes = ARENA_ARRAY(compilation->arena, struct wish,
		function->pragma_count + 1);
	*count = 0;
	for (int i = 0; i < function->pragma_count; i++) {
		const struct pragma *pragma = &function->pragmas[i];
		if (!pragma->loop || (nest->statements[0]->depth
			&& pragma->loop == nest->statements[0]->loops[0]))
			wishes[(*count)++] = (struct wish){ pragma->text, pragma->location };
	}
	if (compilation->schedule_text)
		wishes[(*count)++] = (struct wish){ compilation->schedule_text,
			{ .file = compilation->schedule_file, .line = 1, .column = 1 } };
	return wishes;
}

/* The form that the user wants the nest in; not given: any. */
static bool read_form(struct compilation *compilation, const struct nest *nest, struct form *form)
{
	int count;
	const struct wish *wishes = wishes_of(compilation, nest, &count);
	*form = (struct form){ .is_given = false };
	for (int i = 0; i < count; i++)
		if (!schedule_read_form(compilation, wishes[i].at, wishes[i].text, nest->name, form))
			return false;
	return true;
}

/* What pragmas and --schedule say of the nest. */
static bool read_wishes(struct choice *choice)
{
	int count;
	const struct wish *wishes = wishes_of(choice->compilation, choice->nest, &count);
	struct schedule_reader reader = { .diag = choice->compilation->diag, .nest = choice->nest,
		.model = &choice->model, .options = &choice->options };
	for (int i = 0; i < count; i++)
		if (!schedule_read(&reader, wishes[i].at, wishes[i].text))
			return false;
	return schedule_read_end(&reader);
}

/* Without closed forms the lowering moves whole boxes forward. */
static void restrict_to_boxes(struct choice *choice)
{
	for (int a = 0; a < choice->model.array_count; a++) {
		choice->options.slots[a] = 1;
		choice->options.doubled[a] = 0;
		choice->model.arrays[a].anchored = 0;
	}
	choice->options.buffering = BUFFERING_SINGLE;
}

/* A buffer beside another of the same array holds one region, fetched when it is shown:
 * what it kept from before could be stale. */
static void restrict_siblings(struct choice *choice)
{
	for (int a = 0; a < choice->model.array_count; a++)
		if (choice->nest->arrays[a].has_siblings) {
			choice->options.slots[a] = 1;
			choice->options.sliding[a] = 0;
			if (choice->nest->refetches)
				choice->options.min_store[a] = choice->nest->prefix;
		}
	for (int a = 0; a < choice->model.array_count; a++)
		if (choice->options.min_store[a] < choice->nest->outer_count)
			choice->options.min_store[a] = choice->nest->outer_count;
}

/* Sequential dimensions stay outermost, in order, an iteration a tile. */
static void fix_prefix(struct choice *choice)
{
	choice->options.order_count = choice->nest->prefix;
	for (int l = 0; l < choice->nest->prefix; l++) {
		choice->options.order[l] = l;
		choice->model.loops[l].tile = 1;
		choice->model.loops[l].is_forward = true;
	}
}

static bool prepare(struct choice *choice)
{
	struct compilation *compilation = choice->compilation;
	search_options_init(&choice->options);
	choice->options.buffering = compilation->buffering;
	choice->options.effort = compilation->effort;
	choice->options.threads = compilation->threads;
	choice->options.show_progress = compilation->show_progress;
	choice->options.interrupted = compilation->interrupted;
	choice->regions = ARENA_ARRAY(compilation->arena, struct region, choice->nest->array_count + 1);
	choice->exact = nest_model_build(compilation, choice->nest, &choice->model, choice->regions);
	fix_prefix(choice);
	restrict_siblings(choice);
	restriction_apply(compilation, choice->nest, &choice->model, &choice->options);
	if (!read_wishes(choice))
		return false;
	if (!choice->exact)
		restrict_to_boxes(choice);
	return true;
}

static void report_no_fit(struct choice *choice)
{
	struct compilation *compilation = choice->compilation;
	const struct arch *arch = compilation->arch;
	compilation->does_not_fit = true;
	diag_error(compilation->diag, choice->nest->location,
		"nothing fits: no schedule of '%s' needs at most the %ld bytes of scratchpad that "
		"'%s' has", choice->nest->name, arch->scratchpad_bytes, arch->name);
	diag_note(compilation->diag, choice->nest->location,
		arch->exclusive ? "the least that would do is %ld banks of %ld bytes"
		: "the least that would do is %ld bytes", choice->smallest,
		arch->scratchpad_bytes / arch->banks);
	for (int a = 0; a < choice->model.array_count; a++) {
		long bytes = choice->model.arrays[a].element_bytes;
		for (int d = 0; d < choice->model.arrays[a].rank; d++)
			bytes *= choice->model.arrays[a].dims[d].window;
		diag_note(compilation->diag, choice->nest->location,
			"array '%s' needs at least %ld bytes at a time", choice->model.arrays[a].name, bytes);
	}
}

static void show_schedule(const struct choice *choice)
{
	struct compilation *compilation = choice->compilation;
	if (pass_done(compilation, "search"))
		fprintf(compilation->trace, "nest %s\n%s", choice->nest->name,
			schedule_print(compilation->arena, &choice->model, &choice->options,
				&choice->schedule));
}

/* What is wrong where no plan was made. */
enum outcome { LOWERED, NO_FIT, CLASH, TOO_LONG };

static bool lower_scheduled(struct choice *choice, enum detail detail, struct plan *plan,
	struct plan_nest *out)
{
	restriction_trim(choice->compilation, choice->nest, &choice->model, &choice->schedule);
	show_schedule(choice);
	return nest_lower(choice->compilation, choice->nest, &choice->model, choice->regions,
		choice->exact, &choice->schedule, detail, plan, out, &choice->obstacle);
}

static enum outcome lower_exactly(struct choice *choice, struct plan *plan, struct plan_nest *out)
{
	if (!search_schedule_once(choice->compilation->searches, &choice->model,
		choice->compilation->arch, &choice->options,
		&choice->schedule, &choice->smallest))
		return NO_FIT;
	return lower_scheduled(choice, TO_WEIGH, plan, out) ? LOWERED
		: choice->obstacle.clash[0] >= 0 ? CLASH : TOO_LONG;
}

/* Regions that are no boxes may move row by row, which is less, in as much scratchpad. */
static void try_rows(struct choice *choice, const struct plan *before, struct plan *plan,
	struct plan_nest *out)
{
	struct plan rows_plan = *before;
	struct plan_nest rows = { .name = out->name, .location = out->location };
	if (total_bytes(out) == nest_compulsory(choice->nest))
		return;
	choice->nest->moves_boxes = false;
	if (lower_scheduled(choice, TO_WEIGH, &rows_plan, &rows) && total_bytes(&rows) < total_bytes(out)) {
		*plan = rows_plan;
		*out = rows;
	} else {
		choice->nest->moves_boxes = true;
	}
}

/* The best under a model that only bounds the regions is not worth an exhaustive search,
 * once for each budget: all of them together may look at so many points. */
static void limit_effort(struct choice *choice, long points)
{
	enum { ALL_POINTS = 10000000, LEAST_POINTS = 300000 };
	long left = points < ALL_POINTS - LEAST_POINTS ? ALL_POINTS - points : LEAST_POINTS;
	long effort = choice->compilation->effort;
	choice->options.effort = effort > 0 && effort < left ? effort : left;
}

/* The model only bounds the regions: search under a budget that shrinks until the real
 * ones fit. */
static enum outcome lower_boxes(struct choice *choice, struct plan *plan, struct plan_nest *out)
{
	enum { TRIES = 24 };
	struct arch budget = *choice->compilation->arch;
	long bank_bytes = budget.scratchpad_bytes / budget.banks, smallest = 0;
	const struct plan before = *plan;
	choice->nest->moves_boxes = true;
	long points = 0;
	for (int i = 0; i < TRIES && budget.scratchpad_bytes > 0; i++) {
		limit_effort(choice, points);
		if (!search_schedule_once(choice->compilation->searches, &choice->model, &budget,
			&choice->options, &choice->schedule, &smallest))
			break;
		points += choice->schedule.points;
		if (lower_scheduled(choice, TO_WEIGH, plan, out)) {
			try_rows(choice, &before, plan, out);
			return LOWERED;
		}
		if (choice->obstacle.clash[0] >= 0)
			return CLASH;
		if (!choice->obstacle.needed_bytes)
			return TOO_LONG;
		budget.scratchpad_bytes -= budget.scratchpad_bytes / 6 + 1;
		budget.banks = (int)(budget.scratchpad_bytes / bank_bytes);
		if (budget.exclusive)
			budget.scratchpad_bytes = budget.banks * bank_bytes;
	}
	choice->smallest = smallest > choice->obstacle.needed_bytes ? smallest
		: choice->obstacle.needed_bytes;
	return NO_FIT;
}

/* ---- the nest's entry in the plan ---- */

/* Borders that the model does not clip make the plan move less than it says. */
static bool is_unclipped(const struct choice *choice)
{
	for (int a = 0; a < choice->nest->array_count; a++)
		if (choice->regions[a].is_clipped && !array_is_clipped(&choice->model.arrays[a]))
			return true;
	return false;
}

static void fill_bounds(struct choice *choice, struct plan_nest *out)
{
	const struct arch *arch = choice->compilation->arch;
	if (choice->exact && !is_unclipped(choice) && !choice->nest->is_split) {
		out->compulsory_bytes = model_compulsory(&choice->model);
		out->lower_bound_bytes = model_lower_bound(&choice->model, arch->scratchpad_bytes,
			&out->lower_bound_argument);
		out->optimal = choice->schedule.is_optimal;
		out->bound_bytes = choice->schedule.bound_bytes;
	} else {
		out->compulsory_bytes = out->lower_bound_bytes = nest_compulsory(choice->nest);
		out->lower_bound_argument = "compulsory";
		out->bound_bytes = out->lower_bound_bytes;
		out->optimal = total_bytes(out) == out->bound_bytes;
	}
	/* A better one is not right for all sizes, or buffers are elsewhere than it says. */
	if (choice->is_fallback || (choice->nest->function->unbound && choice->exact
		&& total_bytes(out) > choice->schedule.total_bytes)) {
		out->bound_bytes = out->lower_bound_bytes;
		out->optimal = total_bytes(out) == out->bound_bytes;
	}
	out->points = choice->schedule.points;
	for (int a = 0; a < choice->model.array_count; a++)
		out->is_double |= choice->schedule.storage[a].is_double;
}

/* The plan's own count is the second opinion on the model's closed forms. */
static bool agrees(const struct choice *choice, const struct plan_nest *out)
{
	/* Buffers outside sequential loops come inside them where they would grow with a size. */
	if (choice->nest->function->unbound && choice->nest->prefix)
		return true;
	if (!choice->exact || (is_unclipped(choice)
		? total_bytes(out) <= choice->schedule.total_bytes
		: total_bytes(out) == choice->schedule.total_bytes))
		return true;
	fprintf(stderr, "loopc: schedule moves %ld bytes, plan %ld\n", choice->schedule.total_bytes,
		total_bytes(out));
	return false;
}

static double now_seconds(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Chooses a schedule for NEST's present band and lowers it. */
static enum outcome lower_band(struct choice *choice, struct plan *plan, struct plan_nest *out)
{
	*out = (struct plan_nest){ .name = choice->nest->name, .location = choice->nest->location };
	return choice->exact ? lower_exactly(choice, plan, out) : lower_boxes(choice, plan, out);
}

static struct choice *choice_for(struct compilation *compilation, struct nest *nest)
{
	struct choice *choice = ARENA_NEW(compilation->arena, struct choice);
	choice->compilation = compilation;
	choice->nest = nest;
	return prepare(choice) ? choice : NULL;
}

/* Every value that a read of a created array sees is set in the nest, whatever the sizes. */
static bool stays_created(const struct choice *choice, struct nest *all)
{
	for (int a = 0; a < all->array_count; a++)
		if (choice->model.arrays[a].is_created && !nest_is_created(all, &all->arrays[a]))
			return false;
	return true;
}

/* Lowers CHOICE, found for the values that symbolic sizes are tuned for, such that it is
 * right for all values.  False, with the reason, if that cannot be. */
static bool lower_all_sizes(struct choice *choice, struct plan *plan, struct plan_nest *out,
	const char **reason)
{
	struct compilation *compilation = choice->compilation;
	struct region *regions = ARENA_ARRAY(compilation->arena, struct region,
		choice->nest->array_count + 1);
	memcpy(regions, choice->regions, sizeof *regions * (size_t)choice->nest->array_count);
	struct nest *all = nest_with_sizes(compilation, choice->nest,
		(struct band_origin){ choice->attempt.loops, choice->attempt.split }, choice->exact,
		regions, reason);
	if (!all || !band_is_legal(all, &choice->schedule, reason))
		return false;
	*reason = "some element is read before it is written for some sizes";
	if (!stays_created(choice, all))
		return false;
	show_schedule(choice);
	*reason = choice->exact ? "what its tiles touch depends on the sizes in a way that is not affine"
		: all->left_out && all->blocked[0].loop ? arena_printf(compilation->arena,
			"a buffer would grow with a size, as loop '%s' cannot be tiled",
			all->blocked[0].loop->name)
		: "a buffer would grow with a size";
	if (!nest_lower(compilation, all, &choice->model, regions, choice->exact, &choice->schedule,
		TO_EMIT, plan, out, &choice->obstacle))
		return false;
	return true;
}

/* Transfers that a schedule starts, as the model counts them. */
static long command_count(const struct choice *choice)
{
	long count = 0;
	for (int a = 0; a < choice->model.array_count; a++)
		if (__builtin_add_overflow(count, choice->schedule.storage[a].commands, &count))
			return LONG_MAX;
	return count;
}

/* Choices that can be lowered, with what they move: the least first, the first of equals. */
struct candidates {
	int count;
	size_t capacity;
	struct candidate {
		struct choice *choice;
		long bytes, commands;
	} *items;
};

static void add_candidate(struct compilation *compilation, struct candidates *candidates,
	struct choice *choice, long bytes)
{
	candidates->items = arena_grow(compilation->arena, candidates->items,
		(size_t)candidates->count, &candidates->capacity, sizeof *candidates->items);
	int at = candidates->count++;
	long commands = command_count(choice);
	for (; at > 0 && (candidates->items[at - 1].bytes > bytes
		|| (candidates->items[at - 1].bytes == bytes
		&& candidates->items[at - 1].commands > commands)); at--)
		candidates->items[at] = candidates->items[at - 1];
	candidates->items[at] = (struct candidate){ choice, bytes, commands };
}

/* Lowers the best of CANDIDATES, now with its statements; with symbolic sizes the best
 * that is right for all of them.  NULL after an error. */
static struct choice *emit_best(struct compilation *compilation, const struct nest *nest,
	const struct candidates *candidates, struct plan *plan, struct plan_nest *out)
{
	const struct plan before = *plan;
	const char *reason = NULL, *other = NULL;
	bool has_sizes = nest->function->unbound && !compilation->only_weighs;
	enum detail detail = compilation->only_weighs ? TO_WEIGH : TO_EMIT;
	for (int i = 0; i < (has_sizes ? candidates->count : 1); i++) {
		struct choice *choice = candidates->items[i].choice;
		choice->is_fallback = i > 0;
		*plan = before;
		*out = (struct plan_nest){ .name = nest->name, .location = nest->location,
			.is_rectangular = choice->exact };
		if (has_sizes ? lower_all_sizes(choice, plan, out, i ? &other : &reason)
			: lower_scheduled(choice, detail, plan, out))
			return choice;
	}
	if (has_sizes) {
		diag_error(compilation->diag, nest->location, "the sizes of '%s' cannot be left to the "
			"run: %s; give them values, without --symbolic, tune for larger ones, or split the "
			"nest", nest->name,
			reason);
		return NULL;
	}
	diag_error(compilation->diag, nest->location, "internal error: no loops could be made for "
		"the tiles of '%s'; please report", nest->name);
	compilation->is_broken = true;
	return NULL;
}

/* NEST's band with LOOPS sequential loops; BANDS [loops] remembers those found. */
static void set_band(struct compilation *compilation, struct nest *nest, int loops,
	struct nest **bands)
{
	if (!bands[loops]) {
		if (loops)
			nest_find_sequential_band(compilation, nest, loops);
		else
			nest_find_band(compilation, nest);
		bands[loops] = ARENA_NEW(compilation->arena, struct nest);
		*bands[loops] = *nest;
		return;
	}
	nest->band_count = bands[loops]->band_count;
	nest->prefix = bands[loops]->prefix;
	nest->left_out = bands[loops]->left_out;
	memcpy(nest->band, bands[loops]->band, sizeof nest->band);
	memcpy(nest->blocked, bands[loops]->blocked, sizeof nest->blocked);
}

/* Lowers NEST as the attempt says, and FORM of groups that share a buffer; so do those
 * that clash.  *OUTCOME says what came of it.  NULL if the user's schedule is wrong. */
static struct choice *lower_attempt(struct compilation *compilation, struct nest *nest,
	const struct form *form, struct attempt attempt, struct nest **bands, struct plan *plan,
	struct plan_nest *out, enum outcome *outcome)
{
	const struct plan before = *plan;
	nest->joint_count = 0;
	nest->refetches = attempt.refetch;
	*outcome = NO_FIT;
	if (form->is_given && !form_join_groups(compilation, form, nest))
		return NULL;
	for (;;) {
		nest_split_arrays(compilation, nest, attempt.split);
		set_band(compilation, nest, attempt.loops, bands);
		struct nest *own = ARENA_NEW(compilation->arena, struct nest);
		*own = *nest;
		struct choice *choice = nest->array_count <= MODEL_ARRAYS
			? choice_for(compilation, own) : NULL;
		if (choice)
			choice->attempt = attempt;
		*plan = before;
		*outcome = choice ? lower_band(choice, plan, out) : NO_FIT;
		if (*outcome != CLASH)
			return choice;
		nest_join_groups(compilation, nest, choice->obstacle.clash[0],
			choice->obstacle.clash[1]);
	}
}

/* Whether FORM leaves ATTEMPT to be tried. */
static bool allows(const struct nest *nest, const struct form *form, struct attempt attempt)
{
	int loops = form->loops > nest->outer_loops ? form->loops : nest->outer_loops;
	return !form->is_given || (attempt.loops == loops && attempt.split == form->is_split
		&& attempt.refetch == form->refetches);
}

/* A form that no attempt has. */
static void report_no_form(struct compilation *compilation, const struct nest *nest,
	const struct form *form)
{
	diag_error(compilation->diag, form->location,
		"the nest '%s' cannot be lowered in this form", nest->name);
}

/* Lowers the attempt with the least traffic, of equals that with the fewest transfers: the permutable band,
 * and where that leaves loops out or does not fit, the source's outer loops one after
 * the other with what can be tiled inside; each with one buffer an array, and with one
 * a reference group where those differ.  NULL if none fits or the user's schedule is
 * wrong. */
static struct choice *lower_best(struct compilation *compilation, struct nest *nest,
	const struct form *form, struct plan *plan, struct plan_nest *out, struct choice **first)
{
	int depth = nest_depth(nest), errors = diag_error_count(compilation->diag);
	bool may_split = nest_split_arrays(compilation, nest, true);
	bool is_complete = false;    /* more sequential loops would not help, or cost too much */
	bool has_sizes = nest->function->unbound != NULL, has_others = may_split;
	struct candidates candidates = { 0 };
	const struct plan before = *plan;
	struct nest **bands = ARENA_ARRAY(compilation->arena, struct nest *, depth + 1);
	*first = NULL;
	for (int loops = nest->outer_loops; loops <= depth && !is_complete; loops++)
		for (int way = 0; way <= (may_split ? 1 + (loops > 0) : 0); way++) {
			struct attempt attempt = { loops, way > 0, way > 1 };
			enum outcome outcome;
			if (!allows(nest, form, attempt))
				continue;
			struct choice *choice = lower_attempt(compilation, nest, form, attempt, bands, plan,
				out, &outcome);
			*plan = before;
			if (diag_error_count(compilation->diag) > errors)
				return NULL;
			*first = *first ? *first : choice;
			has_others |= nest->left_out || loops > nest->outer_loops;
			if (outcome != LOWERED)
				continue;
			add_candidate(compilation, &candidates, choice, total_bytes(out));
			is_complete |= (loops && !has_sizes)
				|| (!nest->left_out && (attempt.split || !may_split));
		}
	struct choice *best = candidates.count
		? emit_best(compilation, nest, &candidates, plan, out) : NULL;
	if (best)
		best->has_others = has_others || form->is_given;
	return best;
}

/* -Rloop: what keeps loops from being tiled, in terms of the source. */
static void remark_on_loops(struct compilation *compilation, const struct nest *nest)
{
	for (int i = 0; i < nest->left_out; i++) {
		const struct blocked_loop *blocked = &nest->blocked[i];
		if (!blocked->loop)
			continue;
		diag_remark(compilation->diag, blocked->loop->location, "loop",
			"loop '%s' is not tiled: a dependence would run backwards", blocked->loop->name);
		diag_note(compilation->diag, blocked->from->location, "from what is computed here");
		diag_note(compilation->diag, blocked->to->location, "to what is computed here");
	}
	for (int l = 0; l < nest->prefix; l++)
		diag_remark(compilation->diag, nest->location, "loop",
			"loop '%s' runs one iteration at a time, in order", nest->band[l].name);
}

static const char *describe(const struct choice *choice)
{
	struct compilation *compilation = choice->compilation;
	return arena_printf(compilation->arena, "nest %s\n%s%s", choice->nest->name,
		choice->has_others ? form_print(compilation, choice->nest, choice->attempt.loops,
			choice->is_expanded) : "",
		schedule_print(compilation->arena, &choice->model, &choice->options,
			&choice->schedule));
}

static void append_children(struct arena *arena, struct plan_node *block,
	const struct plan_node *from)
{
	for (int i = 0; i < from->child_count; i++)
		plan_append(arena, block, from->children[i]);
}

/* One part of a body: its own dependences, band, schedule and buffers. */
static bool lower_part(struct compilation *compilation, struct nest *part, struct plan *plan,
	struct plan_nest *out)
{
	struct plan_nest own;
	struct choice *first;
	if (part->array_count > MODEL_ARRAYS)
		return false;
	nest_find_dependences(compilation, part);
	struct form form;
	struct choice *choice = read_form(compilation, part, &form)
		? lower_best(compilation, part, &form, plan, &own, &first) : NULL;
	if (!choice)
		return false;
	append_children(compilation->arena, out->inner, own.inner);
	out->schedule = arena_printf(compilation->arena, "%s%s", out->schedule, describe(choice));
	out->points += choice->schedule.points;
	if (own.scratchpad_used_bytes > out->scratchpad_used_bytes)
		out->scratchpad_used_bytes = own.scratchpad_used_bytes;
	return true;
}

/* Where no schedule of the whole fits: the loops that all statements share run one
 * iteration at a time, and each part of their body has a schedule of its own. */
static bool lower_parts(struct compilation *compilation, struct nest *nest, struct plan *plan,
	struct plan_nest *out)
{
	int count, errors = diag_error_count(compilation->diag);
	const struct plan before = *plan;
	struct nest *parts = nest_parts(compilation, nest, &count);
	if (!parts)
		return false;
	nest_split_arrays(compilation, nest, false);
	nest_find_sequential_band(compilation, nest, parts[0].outer_loops);
	if (!nest->prefix)
		return false;
	for (int p = 0; p < count; p++)
		parts[p].outer_count = nest->prefix;
	nest_make_outer_vars(compilation, nest, plan, parts[0].outer_vars);
	nest_find_sequential_band(compilation, &parts[0], parts[0].outer_loops);
	*out = (struct plan_nest){ .name = nest->name, .location = nest->location,
		.schedule = arena_printf(compilation->arena, "nest %s\nform parts\n", nest->name) };
	out->body = plan_block(compilation->arena);
	out->inner = plan_around(&parts[0], compilation->arena, out->body);
	bool done = true;
	for (int p = 0; p < count && done; p++) {
		memcpy(parts[p].outer_vars, parts[0].outer_vars, sizeof parts[p].outer_vars);
		done = lower_part(compilation, &parts[p], plan, out);
	}
	done = done && nest_count_traffic(compilation, nest, out)
		&& diag_error_count(compilation->diag) == errors;
	if (!done)
		*plan = before;
	return done;
}

static bool is_consistent(struct compilation *compilation, const struct choice *choice,
	const struct plan_nest *out)
{
	if (agrees(choice, out))
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
	out->optimal = total_bytes(out) == out->bound_bytes;
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
	struct choice *first;        /* for the message then */
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
		&variant->first);
	if (variant->choice) {
		variant->plan.function = nest->function;
		fill_bounds(variant->choice, &variant->out);
	}
}

/* Loops stay whole, or run one by one, because scalars carry sums through them: with those
 * in arrays the nest may move less, or in fewer transfers. */
static void try_expanded(struct compilation *compilation, const struct form *form,
	const struct plan *plan, struct variant *best)
{
	struct variant variant;
	/* What stands for a scalar would be an array that grows with a size. */
	if (best->nest->function->unbound
		|| (best->choice && !best->choice->nest->prefix
		&& total_bytes(&best->out) == best->out.compulsory_bytes))
		return;
	struct nest *expanded = nest_expand_scalars(compilation, best->nest);
	if (!expanded || expanded->array_count > MODEL_ARRAYS)
		return;
	lower_variant(compilation, expanded, form, plan, &variant);
	if (best->choice)
		best->choice->has_others = true;
	if (!variant.choice)
		return;
	variant.choice->is_expanded = variant.choice->has_others = true;
	struct plan_nest other = best->out;
	bool has_other = best->choice;
	if (!has_other || total_bytes(&variant.out) < total_bytes(&other)
		|| (total_bytes(&variant.out) == total_bytes(&other)
		&& command_count(variant.choice) < command_count(best->choice)))
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
	best->out.optimal &= best->out.bound_bytes >= total_bytes(&best->out);
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

/* Whether NEST is not too much to be scheduled as one; else says so. */
static bool check_size(struct compilation *compilation, struct nest *nest)
{
	nest_split_arrays(compilation, nest, false);
	bool few_pairs = access_pairs_are_few((struct statement *const *)nest->statements,
		nest->statement_count);
	if (nest->array_count > MODEL_ARRAYS)
		diag_error(compilation->diag, nest->location,
			"this nest uses %d arrays; at most %d can be scheduled together: split it into "
			"several loops", nest->array_count, MODEL_ARRAYS);
	else if (!few_pairs)
		diag_error(compilation->diag, nest->location,
			"the %d statements of this nest touch the same arrays in more than %d pairs of "
			"accesses, too many to find their dependences: split it into several loops",
			nest->statement_count, ACCESS_PAIRS_LIMIT);
	return nest->array_count <= MODEL_ARRAYS && few_pairs;
}

bool lower_nest(struct compilation *compilation, struct nest *nest, struct plan *plan,
	struct plan_nest *out)
{
	double start = now_seconds();
	int errors = diag_error_count(compilation->diag);
	struct variant best = { .nest = nest };
	struct form form;
	nest = renewed(compilation, nest, plan);
	if (!check_size(compilation, nest) || !read_form(compilation, nest, &form))
		return false;
	if (form.is_given && form.is_parts)
		nest_find_dependences(compilation, nest);
	else
		lower_variants(compilation, nest, &form, plan, &best);
	if (best.choice) {
		*plan = best.plan;
		*out = best.out;
		out->schedule = describe(best.choice);
		remark_on_loops(compilation, best.choice->nest);
	} else if (diag_error_count(compilation->diag) > errors) {
		return false;
	} else if (nest->function->unbound) {
		if (best.first)
			report_no_fit(best.first);
		else
			report_no_form(compilation, nest, &form);
		diag_note(compilation->diag, nest->location, "with its sizes symbolic the parts of a "
			"nest are not scheduled one by one");
		return false;
	} else if ((!form.is_given || form.is_parts) && lower_parts(compilation, nest, plan, out)) {
		fill_compulsory(nest, out);
		remark_on_loops(compilation, nest);
	} else if (diag_error_count(compilation->diag) > errors) {
		return false;
	} else if (!best.first) {
		report_no_form(compilation, nest, &form);
		return false;
	} else {
		report_no_fit(best.first);
		return false;
	}
	out->macs = nest_macs(nest);
	out->seconds = now_seconds() - start;
	out->first_source = nest->index;
	out->source_count = 1;
	return !best.choice || is_consistent(compilation, best.choice, out);
}

/* ---- local arrays that leave the chip ---- */

static bool has_transfer(const struct plan_node *node, const struct array *array)
{
	if (node->kind == PLAN_TRANSFER)
		return node->transfer.buffer->array == array;
	if (node->body && has_transfer(node->body, array))
		return true;
	for (int i = 0; i < node->child_count; i++)
		if (has_transfer(node->children[i], array))
			return true;
	return false;
}

static bool leaves_the_chip(const struct plan *plan, const struct array *array)
{
	/* With symbolic sizes it may for other ones than those tuned for. */
	for (int n = 0; n < plan->nest_count && plan->function->unbound; n++)
		if (has_transfer(plan->nests[n].body, array))
			return true;
	for (int n = 0; n < plan->nest_count; n++)
		for (int a = 0; a < plan->nests[n].traffic_count; a++)
			if (plan->nests[n].traffic[a].array == array
				&& (plan->nests[n].traffic[a].read_bytes || plan->nests[n].traffic[a].write_bytes))
				return true;
	return false;
}

static void place_workspace(struct plan *plan)
{
	const struct function *function = plan->function;
	plan->workspace_offset = ARENA_ARRAY(plan->arena, long, function->array_count + 1);
	for (int i = 0; i < function->array_count; i++) {
		const struct array *array = function->arrays[i];
		plan->workspace_offset[i] = -1;
		if (array->is_parameter || array->by_value || !leaves_the_chip(plan, array))
			continue;
		plan->workspace_offset[i] = plan->workspace_bytes;
		plan->workspace_bytes += (array->elements * array->type.bytes
			+ WORKSPACE_ALIGNMENT - 1) / WORKSPACE_ALIGNMENT * WORKSPACE_ALIGNMENT;
	}
}

/* The compilation's program with NEW in the place of OLD. */
static const struct program *with_function(const struct compilation *compilation,
	const struct function *old, const struct function *new)
{
	struct program *program = ARENA_NEW(compilation->arena, struct program);
	*program = *compilation->program;
	program->functions = ARENA_ARRAY(compilation->arena, const struct function *,
		program->function_count + 1);
	for (int f = 0; f < program->function_count; f++)
		program->functions[f] = compilation->program->functions[f] == old ? new
			: compilation->program->functions[f];
	return program;
}

/* FUNCTION with its symbolic sizes at the values to tune for. */
static const struct function *bind_sizes(struct compilation *compilation,
	const struct function *function)
{
	long values[SYMBOLIC_LIMIT];
	for (int k = 0; k < function->symbolic_count; k++)
		values[k] = function->symbolic[k]->value;
	const struct function *bound = function_at(compilation->arena, function, values);
	if (!bound)
		diag_error(compilation->diag, function->location, "some statement of '%s' does not run "
			"for the sizes it is tuned for; give larger ones by -D", function->name);
	return bound;
}

/* A schedule that says what every group repeats is not held to a limit. */
static bool lower_groups(struct compilation *compilation, struct nest *nests, int count,
	const struct fuse_wishes *wishes, struct plan *plan)
{
	double percent = compilation->recompute_percent;
	if (wishes->is_complete)
		compilation->recompute_percent = INFINITY;
	bool done = lower_fused(compilation, nests, count, wishes, plan);
	compilation->recompute_percent = percent;
	return done;
}

struct plan *lower_function(struct compilation *compilation, const struct function *function)
{
	struct plan *plan = ARENA_NEW(compilation->arena, struct plan);
	plan->arena = compilation->arena;
	plan->program = compilation->program;
	plan->function = function;
	plan->arch = compilation->arch;
	plan_make_sizes(plan);
	if (function->symbolic_count && !(function = bind_sizes(compilation, function)))
		return NULL;
	plan->function = function;
	struct nest *nests = nests_of_function(compilation, function, &plan->nest_count);
	plan->nests = ARENA_ARRAY(compilation->arena, struct plan_nest, plan->nest_count + 1);
	struct fuse_wishes wishes;
	bool done = !plan->nest_count
		|| fuse_wishes_read(compilation, nests, plan->nest_count, &wishes);
	/* A group's tiles are counted: with symbolic sizes its nests are lowered one by one. */
	bool may_fuse = plan->nest_count > 1 && !function->unbound;
	if (done && plan->nest_count && wishes.forces && !may_fuse) {
		diag_error(compilation->diag, function->location,
			"nests of '%s' are to be fused, but its sizes are symbolic: give them values, without "
			"--symbolic", function->name);
		done = false;
	}
	/* Groups take their dependences from all nests together. */
	if (done && may_fuse && !wishes.forces)
		may_fuse = access_pairs_are_few(function->statements, function->statement_count);
	if (done && may_fuse && (wishes.fusion != FUSE_NEVER || wishes.forces))
		done = lower_groups(compilation, nests, plan->nest_count, &wishes, plan);
	else if (done)
		for (int n = 0; n < plan->nest_count; n++)
			done &= lower_nest(compilation, &nests[n], plan, &plan->nests[n]);
	if (done)
		place_workspace(plan);
	if (function->unbound) {
		plan->function = function->unbound;
		for (int n = 0; n < plan->nest_count && done && !compilation->only_weighs; n++)
			nest_traffic_formulas(compilation, plan, &plan->nests[n]);
	} else if (plan->function != function) {
		plan->program = compilation->program = with_function(compilation, function,
			plan->function);
	}
	return done ? plan : NULL;
}
