/* A nest as written, with a given band: model, what the user wants of it, schedule, plan. */

#include <limits.h>
#include <string.h>

#include "passes/choice.h"
#include "passes/model_math.h"
#include "passes/restriction.h"
#include "passes/schedule_text.h"
#include "passes/symbolic.h"

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

bool nest_read_form(struct compilation *compilation, const struct nest *nest, struct form *form)
{
	int count;
	const struct wish *wishes = wishes_of(compilation, nest, &count);
	*form = (struct form){ .is_given = false };
	for (int i = 0; i < count; i++)
		if (!schedule_read_form(compilation, wishes[i].at, wishes[i].text, nest->name, form))
			return false;
	return true;
}

/* The tiles of sequential loops, and buffers beside another of the same array, are as they must
 * be; else says what is wished of them all the same. */
static void find_contradiction(struct choice *choice)
{
	struct arena *arena = choice->compilation->arena;
	const struct nest *nest = choice->nest;
	for (int l = 0; l < nest->prefix; l++)
		if (choice->model.loops[l].tile != 1)
			choice->contradiction = arena_printf(arena, "loop '%s' runs one iteration at a time, "
				"in order: it has no tiles of %ld", choice->model.loops[l].name,
				choice->model.loops[l].tile);
	for (int a = 0; a < nest->array_count; a++)
		if (nest->arrays[a].has_siblings && (choice->options.slots[a] != 1 ||
		    choice->options.sliding[a] != 0 || choice->options.doubled[a] != 0))
			choice->contradiction = arena_printf(arena, "array '%s' has several buffers, of "
				"which each holds one region: none has slots, slides or is double",
				nest->arrays[a].array->name);
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
	if (count > 0)
		choice->contradicts_at = wishes[count - 1].at;
	find_contradiction(choice);
	return schedule_read_end(&reader);
}

/* Without closed forms the lowering moves whole boxes forward. */
static void restrict_to_boxes(struct choice *choice)
{
	for (int a = 0; a < choice->model.array_count; a++) {
		choice->options.slots[a] = 1;
		choice->model.arrays[a].anchored = 0;
	}
}

/* The dimensions of the band, from the first on, that array A's buffer is inside of at least. */
static int least_dims_outside(const struct nest *nest, int a)
{
	int dims = !nest->refetches || !nest->arrays[a].has_siblings ? 0 : !nest->borrows ? nest->prefix
		: nest->arrays[a].is_written ? 0 : nest->band_count;
	return dims > nest->outer_count ? dims : nest->outer_count;
}

/* How many of the first DIMS dimensions may have tile loops: one that has a single iteration for
 * the sizes tuned for has none in a schedule. */
static int tile_loops_among(const struct choice *choice, int dims)
{
	int count = 0;
	for (int l = 0; l < dims; l++)
		count += choice->model.loops[l].extent > 1;
	return count;
}

/* A buffer beside another of the same array holds one region, fetched when it is shown:
 * what it kept from before could be stale. */
static void restrict_siblings(struct choice *choice)
{
	for (int a = 0; a < choice->model.array_count; a++) {
		if (choice->nest->arrays[a].has_siblings) {
			choice->options.slots[a] = 1;
			choice->options.sliding[a] = 0;
			choice->options.doubled[a] = 0;
		}
		choice->options.min_store[a] = tile_loops_among(choice,
			least_dims_outside(choice->nest, a));
	}
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

/* Borders that the model does not clip make the plan move less than it says. */
static bool is_unclipped(const struct choice *choice)
{
	for (int a = 0; a < choice->nest->array_count; a++)
		if (choice->regions[a].is_clipped && !array_is_clipped(&choice->model.arrays[a]))
			return true;
	return false;
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
	choice->options.shared_loops = tile_loops_among(choice, choice->nest->outer_count);
	fix_prefix(choice);
	restrict_siblings(choice);
	restriction_apply(compilation, choice->nest, &choice->model, &choice->options);
	if (!read_wishes(choice))
		return false;
	if (!choice->exact)
		restrict_to_boxes(choice);
	if (!choice->exact || choice->nest->is_split || is_unclipped(choice)
	    || model_is_countable(&choice->model, compilation->arch->scratchpad_bytes))
		return true;
	diag_error(compilation->diag, choice->nest->location,
		"every schedule of '%s' moves 2^63 bytes or more, which cannot be counted; "
		"give it smaller sizes", choice->nest->name);
	return false;
}

void choice_report_no_fit(struct choice *choice)
{
	struct compilation *compilation = choice->compilation;
	const struct arch *arch = compilation->arch;
	const char *argument;
	if (choice->contradiction) {
		diag_error(compilation->diag, choice->contradicts_at, "%s", choice->contradiction);
		return;
	}
	if (choice->exact && model_lower_bound(&choice->model, arch->scratchpad_bytes, &argument)
	    > LONG_MAX / 2) {
		diag_error(compilation->diag, choice->nest->location, "no schedule of '%s' was found "
			"that moves less than 2^63 bytes, which can be counted; give it smaller sizes",
			choice->nest->name);
		return;
	}
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

/* The schedule with loops over all sequential dimensions, outermost, in their order: also over
 * those that have one iteration for the sizes tuned for, which the search knows no loops of. */
static struct schedule with_sequential_loops(const struct choice *choice)
{
	const struct schedule *found = &choice->schedule;
	const struct nest *nest = choice->nest;
	struct schedule schedule = *found;
	int level[NEST_LOOPS] = { 0 };   /* [dimension]: loops there are down to its own */
	schedule.depth = 0;
	for (int l = 0; l < nest->prefix; l++)
		schedule.order[schedule.depth++] = l;
	for (int i = 0; i < found->depth; i++)
		if (found->order[i] >= nest->prefix)
			schedule.order[schedule.depth++] = found->order[i];
	for (int i = 0; i < schedule.depth; i++)
		level[schedule.order[i]] = i + 1;
	for (int a = 0; a < choice->model.array_count; a++) {
		int store = found->storage[a].store, least = least_dims_outside(nest, a);
		store = store ? level[found->order[store - 1]] : 0;
		least = least < schedule.depth ? least : schedule.depth;
		schedule.storage[a].store = store > least ? store : least;
	}
	return schedule;
}

/* Lowers NEST under the schedule, which then says of buffers without closed forms which are
 * double after all: where that is as there is room, the real regions decide. */
static bool lower_schedule(struct choice *choice, const struct nest *nest,
	const struct region *regions, enum detail detail, struct plan *plan, struct plan_nest *out)
{
	enum doubling doubling[MODEL_ARRAYS];
	bool as_fits = choice->options.buffering == BUFFERING_AUTO;
	for (int a = 0; a < choice->model.array_count; a++)
		doubling[a] = !choice->schedule.storage[a].is_double ? DOUBLE_NEVER
			: as_fits && choice->options.doubled[a] < 0 ? DOUBLE_IF_FITS : DOUBLE_WANTED;
	const struct schedule schedule = with_sequential_loops(choice);
	bool done = nest_lower(choice->compilation, nest, &choice->model, regions, choice->exact,
		&schedule, doubling, detail, plan, out, &choice->obstacle);
	for (int a = 0; a < choice->model.array_count && done && !choice->exact; a++)
		choice->schedule.storage[a].is_double = doubling[a] == DOUBLE_WANTED;
	return done;
}

bool choice_lower_again(struct choice *choice, enum detail detail, struct plan *plan,
	struct plan_nest *out)
{
	restriction_trim(choice->compilation, choice->nest, &choice->model, &choice->schedule);
	show_schedule(choice);
	return lower_schedule(choice, choice->nest, choice->regions, detail, plan, out);
}

static enum outcome lower_exactly(struct choice *choice, struct plan *plan, struct plan_nest *out)
{
	if (!search_schedule_once(choice->compilation->searches, &choice->model,
		choice->compilation->arch, &choice->options,
		&choice->schedule, &choice->smallest))
		return NO_FIT;
	return choice_lower_again(choice, TO_WEIGH, plan, out) ? LOWERED
		: choice->obstacle.clash[0] >= 0 ? CLASH : TOO_LONG;
}

/* Regions that are no boxes may move row by row, which is less, in as much scratchpad. */
static void try_rows(struct choice *choice, const struct plan *before, struct plan *plan,
	struct plan_nest *out)
{
	struct plan rows_plan = *before;
	struct plan_nest rows = { .name = out->name, .location = out->location };
	if (plan_nest_bytes(out) == nest_compulsory(choice->nest))
		return;
	choice->nest->moves_boxes = false;
	if (choice_lower_again(choice, TO_WEIGH, &rows_plan, &rows)
		&& plan_nest_bytes(&rows) < plan_nest_bytes(out)) {
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
	enum { ALL_POINTS = 10000000, LEAST_POINTS = 50000 };
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
	double seconds = 0;
	for (int i = 0; i < TRIES && budget.scratchpad_bytes > 0; i++) {
		limit_effort(choice, points);
		if (!search_schedule_once(choice->compilation->searches, &choice->model, &budget,
			&choice->options, &choice->schedule, &smallest))
			break;
		choice->schedule.points = points += choice->schedule.points;
		choice->schedule.seconds = seconds += choice->schedule.seconds;
		if (choice_lower_again(choice, TO_WEIGH, plan, out)) {
			try_rows(choice, &before, plan, out);
			return LOWERED;
		}
		if (choice->obstacle.clash[0] >= 0)
			return CLASH;
		if (!choice->obstacle.needed_bytes)
			return TOO_LONG;
		/* where the real regions are far from the model's, isl has long to say so each time */
		long share = choice->obstacle.needed_bytes / 4 > budget.scratchpad_bytes ? 2 : 6;
		budget.scratchpad_bytes -= budget.scratchpad_bytes / share + 1;
		/* nor may it be the same schedule again */
		if (budget.scratchpad_bytes >= choice->schedule.scratchpad_bytes)
			budget.scratchpad_bytes = choice->schedule.scratchpad_bytes - 1;
		budget.banks = (int)(budget.scratchpad_bytes / bank_bytes);
		if (budget.exclusive)
			budget.scratchpad_bytes = budget.banks * bank_bytes;
	}
	choice->smallest = smallest > choice->obstacle.needed_bytes ? smallest
		: choice->obstacle.needed_bytes;
	return NO_FIT;
}

/* ---- the nest's entry in the plan ---- */

/* Whether the model counts what the plan moves, so that the search's bound is the plan's. */
static bool is_modelled(const struct choice *choice)
{
	return choice->exact && !is_unclipped(choice) && !choice->nest->is_split;
}

/* Others move less but are not right for all sizes, or buffers are elsewhere than the schedule
 * says. */
static bool is_second_best(const struct choice *choice, const struct plan_nest *out)
{
	return choice->is_fallback || (choice->nest->function->unbound && choice->exact
		&& plan_nest_bytes(out) > choice->schedule.total_bytes);
}

void choice_fill_bounds(const struct choice *choice, struct plan_nest *out)
{
	out->compulsory_bytes = out->lower_bound_bytes = nest_compulsory(choice->nest);
	out->lower_bound_argument = "compulsory";
	if (is_modelled(choice)) {
		const char *argument;
		long bytes = model_lower_bound(&choice->model,
			choice->compilation->arch->scratchpad_bytes, &argument);
		if (bytes > out->lower_bound_bytes) {
			out->lower_bound_bytes = bytes;
			out->lower_bound_argument = argument;
		}
	}
	out->bound_bytes = out->lower_bound_bytes;
	if (is_modelled(choice) && !is_second_best(choice, out)
		&& choice->schedule.bound_bytes > out->bound_bytes)
		out->bound_bytes = choice->schedule.bound_bytes;
	out->optimal = plan_nest_bytes(out) <= out->bound_bytes;
	out->points = choice->schedule.points;
	out->seconds = choice->schedule.seconds;
}

bool choice_agrees(const struct choice *choice, const struct plan_nest *out)
{
	/* Buffers outside sequential loops come inside them where they would grow with a size. */
	if (choice->nest->function->unbound && choice->nest->prefix)
		return true;
	if (!choice->exact || (is_unclipped(choice)
		? plan_nest_bytes(out) <= choice->schedule.total_bytes
		: plan_nest_bytes(out) == choice->schedule.total_bytes))
		return true;
	fprintf(stderr, "loopc: schedule moves %ld bytes, plan %ld\n", choice->schedule.total_bytes,
		plan_nest_bytes(out));
	return false;
}

enum outcome choice_lower(struct choice *choice, struct plan *plan, struct plan_nest *out)
{
	*out = (struct plan_nest){ .name = choice->nest->name, .location = choice->nest->location };
	if (choice->contradiction)
		return NO_FIT;
	return choice->exact ? lower_exactly(choice, plan, out) : lower_boxes(choice, plan, out);
}

struct choice *choice_make(struct compilation *compilation, struct nest *nest)
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

bool choice_lower_all_sizes(struct choice *choice, struct plan *plan, struct plan_nest *out,
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
	return lower_schedule(choice, all, regions, TO_EMIT, plan, out);
}

double choice_starts(const struct choice *choice)
{
	/* Some hundred cycles to set up a command, some to begin a burst elsewhere. */
	enum { RUNS_A_COMMAND = 64 };
	double starts = schedule_runs(&choice->model, &choice->schedule);
	for (int a = 0; a < choice->model.array_count; a++)
		starts += RUNS_A_COMMAND * (double)choice->schedule.storage[a].commands;
	return starts;
}

const char *choice_describe(const struct choice *choice)
{
	struct compilation *compilation = choice->compilation;
	return arena_printf(compilation->arena, "nest %s\n%s%s", choice->nest->name,
		choice->has_others ? form_print(compilation, choice->nest, choice->attempt.loops,
			choice->is_expanded) : "",
		schedule_print(compilation->arena, &choice->model, &choice->options,
			&choice->schedule));
}
