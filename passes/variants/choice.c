/* A variant of a nest: model, what the user wants of it, schedule, plan. */

#include <limits.h>
#include <string.h>

#include "passes/analysis/roles.h"
#include "passes/variants/choice.h"
#include "passes/cost/bound_nest.h"
#include "passes/cost/created.h"
#include "passes/cost/model_math.h"
#include "passes/cost/place.h"
#include "passes/cost/plan_cost.h"
#include "passes/nest_work.h"
#include "passes/search/restriction.h"
#include "passes/search/search_memo.h"
#include "passes/sizes/symbolic.h"
#include "passes/variants/choice_computing.h"

bool nest_read_form(struct compilation *compilation, const struct nest *nest, struct form *form)
{
	int count;
	const struct schedule_line **lines = schedule_constraints(compilation, nest, &count);
	*form = (struct form){ .is_given = false };
	return schedule_read_form(compilation, lines, count, form);
}

static void contradict(struct choice *choice, const struct schedule_line *line, const char *why)
{
	if (choice->asked.contradiction)
		return;
	choice->asked.contradiction = why;
	choice->asked.contradicts_at = schedule_line_at(line);
}

/* What needs closed forms where sizes are left to the run: nothing is kept there at a turn without
 * them. */
static void find_unkept(struct choice *choice, const struct schedule_reader *reader)
{
	struct arena *arena = choice->compilation->arena;
	const struct search_options *options = &choice->options;
	bool is_refused = !choice->has_forms && choice->variant.nest->function->unbound;
	for (int a = 0; a < choice->model.array_count && is_refused; a++)
		if (reader->stores[a] && options->slots[a] > 1)
			contradict(choice, reader->stores[a], arena_printf(arena, "the regions of '%s' have no "
				"closed form that holds for all sizes: its buffer has one slot",
				choice->model.arrays[a].name));
	for (int l = 0; l < choice->model.loop_count && is_refused; l++) {
		for (int i = 0; i < choice->asked.line_count && options->serpentine[l] == 1; i++)
			if (schedule_line_is(choice->asked.lines[i], "serpentine"))
				contradict(choice, choice->asked.lines[i], arena_printf(arena, "regions have no closed "
					"form that holds for all sizes: loop '%s' does not turn",
					choice->model.loops[l].name));
		choice->model.loops[l].is_forward = true;
	}
}

/* The tiles of sequential loops, and buffers beside another of the same array, are as they must
 * be; else says that the user wants them otherwise. */
static void find_contradiction(struct choice *choice, const struct schedule_reader *reader)
{
	struct arena *arena = choice->compilation->arena;
	const struct reference_groups *groups = choice->variant.groups;
	const struct search_options *options = &choice->options;
	for (int l = 0; l < choice->variant.band->prefix; l++)
		if (choice->model.loops[l].tile != 1 && reader->tiles[l])
			contradict(choice, reader->tiles[l], arena_printf(arena, "loop '%s' runs one iteration "
				"at a time, in order: it has no tiles of %ld", choice->model.loops[l].name,
				choice->model.loops[l].tile));
	for (int a = 0; a < groups->count; a++) {
		if (!reader->stores[a])
			continue;
		if (groups->items[a].has_siblings
			&& (options->slots[a] != 1 || options->sliding[a] == 1 || options->doubled[a] == 1))
			contradict(choice, reader->stores[a], arena_printf(arena, "array '%s' has several "
				"buffers, of which each holds one region: none has slots, slides or is double",
				groups->items[a].array->name));
	}
}

static void find_no_elements(struct choice *choice)
{
	const struct schedule_line *line = choice->asked.mapping.line;
	const char *why = line ? elements_hindrance(choice) : NULL;
	if (why)
		contradict(choice, line, why);
}

struct schedule_reader choice_reader(const struct choice *choice, struct nest_model *model,
	struct search_options *options)
{
	return (struct schedule_reader){ .arena = choice->compilation->arena,
		.function = choice->variant.nest->function, .prefix = choice->variant.band->prefix,
		.model = model, .options = options, .compilation = choice->compilation,
		.mapping = ARENA_NEW(choice->compilation->arena, struct mapping_asked) };
}

/* What pragmas and --schedule say of the nest. */
static void read_constraints(struct choice *choice)
{
	choice->asked.free_model = choice->model;
	choice->asked.free_options = choice->options;
	choice->asked.said = choice_reader(choice, &choice->model, &choice->options);
	choice->asked.said.mapping = &choice->asked.mapping;
	choice->asked.lines = schedule_constraints(choice->compilation, choice->variant.nest, &choice->asked.line_count);
	if (!schedule_read(&choice->asked.said, choice->asked.lines, choice->asked.line_count)) {
		choice->asked.contradiction = choice->asked.said.failure;
		choice->asked.contradicts_at = choice->asked.said.failed_at;
	}
	find_contradiction(choice, &choice->asked.said);
	find_unkept(choice, &choice->asked.said);
	find_no_elements(choice);
}

/* Without closed forms one region is held, unless the user wants more: what more would save only the
 * plan knows (choice_turn), and so with what is touched at an end of a loop alone (choice_end).  What is equal for the model is not for the plan: all commands take the
 * same of equals, that which has the fewest transfers of single buffers, if these may be single.  See
 * choice_overlap. */
static void restrict_to_boxes(struct choice *choice)
{
	choice->options.prefers_memory = false;
	if (choice->options.buffering == BUFFERING_AUTO && !choice->variant.nest->function->unbound)
		choice->options.buffering = BUFFERING_SINGLE;
	for (int a = 0; a < choice->model.array_count; a++) {
		if (!choice->options.slots[a])
			choice->options.slots[a] = 1;
		choice->takes_turns |= choice->options.slots[a] > 1;
		choice->anchored[a] = choice->model.arrays[a].anchored;
		choice->model.arrays[a].anchored = 0;
	}
}

/* The dimensions of the band, from the first on, that array A's buffer is inside of at least. */
static int least_dims_outside(const struct variant *variant, int a)
{
	const struct reference_group *group = &variant->groups->items[a];
	int outer = variant_outer_count(variant);
	int dims = !variant->options.refetches || !group->has_siblings ? 0
		: !variant->options.borrows ? variant->band->prefix : group->is_written ? 0
		: variant->band->count;
	return dims > outer ? dims : outer;
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
		if (choice->variant.groups->items[a].has_siblings) {
			choice->options.slots[a] = 1;
			choice->options.sliding[a] = 0;
			choice->options.doubled[a] = 0;
		}
		choice->options.min_store[a] = tile_loops_among(choice,
			least_dims_outside(&choice->variant, a));
	}
}

/* Sequential dimensions stay outermost, in order, an iteration a tile. */
static void fix_prefix(struct choice *choice)
{
	choice->options.order_count = choice->variant.band->prefix;
	for (int l = 0; l < choice->variant.band->prefix; l++) {
		choice->options.order[l] = l;
		choice->model.loops[l].tile = 1;
		choice->model.loops[l].is_forward = true;
	}
}

/* Borders that the model does not clip make the plan move less than it says. */
static bool is_unclipped(const struct choice *choice)
{
	for (int a = 0; a < choice->variant.groups->count; a++)
		if (choice->regions[a].is_clipped && !array_is_clipped(&choice->model.arrays[a]))
			return true;
	return false;
}

/* Where isl says what is kept at a turn, loops may turn that dependences let. */
static void free_turns(struct choice *choice)
{
	const struct variant *variant = &choice->variant;
	for (int l = 0; l < variant->band->count && !choice->has_forms; l++)
		choice->model.loops[l].is_forward = variant->band->dims[l].is_forward;
}

static bool prepare(struct choice *choice)
{
	struct compilation *compilation = choice->compilation;
	search_options_init(&choice->options);
	choice->options.buffering = compilation->request.buffering;
	choice->options.effort = compilation->request.effort;
	choice->options.threads = compilation->watch.threads;
	choice->options.show_progress = compilation->watch.show_progress;
	choice->options.interrupted = compilation->watch.interrupted;
	choice->regions = ARENA_ARRAY(compilation->arena, struct region,
		choice->variant.groups->count + 1);
	choice->has_forms = nest_model_build(compilation, &choice->variant, &choice->model,
		choice->regions);
	free_turns(choice);
	if (pass_done(compilation, "band"))
		nest_print_model(&choice->variant, &choice->model, choice->has_forms, compilation->watch.trace);
	choice->options.shared_loops = tile_loops_among(choice, variant_outer_count(&choice->variant));
	fix_prefix(choice);
	restrict_siblings(choice);
	for (int a = 0; a < choice->model.array_count; a++)
		choice->options.memories[a] = array_memories(compilation->arch, choice->variant.nest,
			choice->variant.groups->items[a].array);
	restriction_apply(compilation, &choice->variant, &choice->model, &choice->options);
	read_constraints(choice);
	computing_price(choice);
	if (!choice->has_forms)
		restrict_to_boxes(choice);
	if (choice->asked.contradiction || !choice->has_forms || choice->variant.groups->is_split || is_unclipped(choice)
	    || model_is_countable(&choice->model, compilation->arch->scratchpad_bytes))
		return true;
	diag_error(compilation->diag, choice->variant.nest->location,
		"every schedule of '%s' moves 2^63 bytes or more, which cannot be counted; "
		"give it smaller sizes", choice->variant.nest->name);
	return false;
}

/* ---- lowering ---- */

/* SCHEDULE moves less, or by fewer commands, if LOOP turns; -1: if all do. */
static bool is_better_turned(const struct nest_model *model, const struct arch *arch,
	const struct schedule *schedule, int loop)
{
	struct schedule turned = *schedule;
	const struct crossing *before = &schedule->cost.crossings[BOUNDARY_EXTERNAL];
	const struct crossing *after = &turned.cost.crossings[BOUNDARY_EXTERNAL];
	for (int l = 0; l < model->loop_count; l++)
		turned.is_serpentine[l] = !model->loops[l].is_forward && (loop < 0 || l == loop);
	return schedule_evaluate(model, arch, &turned)
		&& (after->bytes < before->bytes || (after->bytes == before->bytes && after->commands < before->commands));
}

/* No loop turns as the search ended before it saw that some should: who gives back what it found does
 * not want another schedule. */
static bool is_left_forward(const struct choice *choice)
{
	const struct compilation *compilation = choice->compilation;
	if (!choice->has_forms)
		return !is_thorough(compilation);
	for (int l = -1; l < choice->model.loop_count; l++)
		if (is_better_turned(&choice->model, compilation->arch, &choice->schedule, l))
			return true;
	return false;
}

/* Its schedule says of single buffers that they are: where others might be chosen without a word. */
static bool tells_single(const struct choice *choice)
{
	return choice->compilation->request.chooses_buffers || choice->options.buffering != BUFFERING_SINGLE;
}

static void show_schedule(const struct choice *choice)
{
	struct compilation *compilation = choice->compilation;
	if (pass_done(compilation, "search"))
		fprintf(compilation->watch.trace, "nest %s\n%s", choice->variant.nest->name,
			schedule_print(compilation->arena, compilation->arch, &choice->model, is_left_forward(choice),
				tells_single(choice), &choice->options, &choice->schedule));
}

/* The schedule with loops over all sequential dimensions, outermost, in their order: also over
 * those that have one iteration for the sizes tuned for, which the search knows no loops of. */
static struct schedule with_sequential_loops(const struct choice *choice)
{
	const struct schedule *found = &choice->schedule;
	int prefix = choice->variant.band->prefix;
	struct schedule schedule = *found;
	int level[NEST_LOOPS] = { 0 };   /* [dimension]: loops there are down to its own */
	schedule.depth = 0;
	for (int l = 0; l < prefix; l++)
		schedule.order[schedule.depth++] = l;
	for (int i = 0; i < found->depth; i++)
		if (found->order[i] >= prefix)
			schedule.order[schedule.depth++] = found->order[i];
	for (int i = 0; i < schedule.depth; i++)
		level[schedule.order[i]] = i + 1;
	for (int a = 0; a < choice->model.array_count; a++) {
		int store = found->storage[a].store, least = least_dims_outside(&choice->variant, a);
		store = store ? level[found->order[store - 1]] : 0;
		least = least < schedule.depth ? least : schedule.depth;
		schedule.storage[a].store = store > least ? store : least;
	}
	return schedule;
}

/* How array A is to be held, which STORAGE says. */
static struct holding holding_of(const struct choice *choice, int a, const struct storage *storage)
{
	bool as_fits = choice->compilation->request.buffering == BUFFERING_AUTO && choice->options.doubled[a] < 0;
	return (struct holding){ .memory = storage->memory, .store = storage->store, .slides = storage->is_sliding,
		.slots = storage->slots,
		.doubling = !storage->is_double ? DOUBLE_NEVER : as_fits ? DOUBLE_IF_FITS : DOUBLE_WANTED };
}

/* Lowers NEST under the schedule, which then says of buffers without closed forms which are
 * double after all, and how many slots they have: where that is as there is room, or as regions are
 * apart, the real ones decide. */
static bool lower_schedule(struct choice *choice, const struct variant *variant,
	const struct region *regions, enum detail detail, struct plan *plan, struct plan_nest *out)
{
	struct holding holdings[MODEL_ARRAYS];
	struct schedule schedule = with_sequential_loops(choice);
	const struct lowering_request asked = { .variant = variant, .model = &choice->model,
		.regions = choice->has_forms ? regions : NULL, .schedule = &schedule, .holdings = holdings, .detail = detail };
	for (int a = 0; a < variant->groups->count; a++)
		holdings[a] = holding_of(choice, a, &schedule.storage[a]);
	bool done = lower_with_holdings(choice->compilation, &asked, plan, out, &choice->hindrance.obstacle);
	for (int a = 0; a < choice->model.array_count && done && !choice->has_forms; a++) {
		choice->schedule.storage[a].is_double = holdings[a].doubling == DOUBLE_WANTED;
		choice->schedule.storage[a].slots = holdings[a].slots;
	}
	return done;
}

bool choice_lower_again(struct choice *choice, enum detail detail, struct plan *plan,
	struct plan_nest *out)
{
	restriction_trim(choice->compilation, &choice->variant, &choice->model, &choice->schedule);
	if (detail == TO_EMIT)
		elements_map_alone(choice);
	show_schedule(choice);
	return lower_schedule(choice, &choice->variant, choice->regions, detail, plan, out);
}

bool choice_weigh(struct choice *choice, struct plan *plan, struct plan_nest *out)
{
	enum { WEIGH_OPERATIONS = 2000000 };
	struct isl_work work = nest_question_begin(choice->compilation, WEIGH_OPERATIONS);
	bool done = choice_lower_again(choice, TO_WEIGH, plan, out);
	if (isl_work_end(&work))
		return done;
	choice->hindrance.obstacle = (struct obstacle){ 0, { -1, -1 }, -1 };
	return false;
}

bool choice_is_aligned(struct choice *choice, const struct plan *plan, const struct plan_nest *out)
{
	choice->hindrance.misaligned = plan_nest_misaligned(plan, out);
	return !choice->hindrance.misaligned.array;
}

/* Elements compute the tiles, if that is asked for.  False: they cannot. */
static bool obeys_elements(struct choice *choice)
{
	choice->schedule.mapping = NULL;
	if (!choice->asked.mapping.line)
		return true;
	restriction_trim(choice->compilation, &choice->variant, &choice->model, &choice->schedule);
	struct mapping_fault fault = elements_map(choice);
	if (fault.why)
		contradict(choice, fault.line, fault.why);
	return !fault.why;
}

static enum outcome lower_closed_forms(struct choice *choice, struct plan *plan,
	struct plan_nest *out)
{
	if (!search_schedule_once(choice->compilation->known.searches, &choice->model,
		choice->compilation->arch, &choice->options, &choice->schedule, &choice->proof)) {
		choice->hindrance.smallest = choice->proof.smallest;
		choice->hindrance.is_final = arch_memory_count(choice->compilation->arch) == 1;
		return NO_FIT;
	}
	if (choice->compilation->room.roomy && choice->options.buffering == BUFFERING_AUTO)
		schedule_double_what_fits(&choice->model, choice->compilation->room.roomy, &choice->options,
			&choice->schedule);
	if (!obeys_elements(choice))
		return NO_FIT;
	if (!choice_weigh(choice, plan, out))
		return choice->hindrance.obstacle.clash[0] >= 0 ? CLASH : TOO_LONG;
	return choice_is_aligned(choice, plan, out) ? LOWERED : NO_FIT;
}

/* ---- the nest's entry in the plan ---- */

/* Some box that the model moves has elements that nothing touches: regions from isl, which move row by row,
 * may move less. */
static bool has_holes(const struct choice *choice)
{
	bool has = false;
	for (int a = 0; a < choice->variant.groups->count; a++)
		for (int d = 0; d < choice->variant.groups->items[a].array->rank; d++)
			has |= choice->regions[a].dims[d].touched > 0;
	return has;
}

/* Whether the model counts what the plan moves, so that the search's bound is the plan's. */
static bool is_modelled(const struct choice *choice)
{
	return choice->has_forms && !is_unclipped(choice) && !choice->variant.groups->is_split;
}

/* Others move less but are not right for all sizes, or buffers are elsewhere than the schedule
 * says. */
static bool is_second_best(const struct choice *choice, const struct plan_nest *out)
{
	const struct cost cost = plan_nest_cost(out);
	return choice->is_fallback || (choice->variant.nest->function->unbound && choice->has_forms
		&& cost_is_less(&choice->schedule.cost, &cost, false));
}

bool choice_is_restricted(const struct choice *choice)
{
	for (int i = 0; i < choice->asked.line_count; i++)
		if (schedule_restricts(choice->asked.lines[i]))
			return true;
	return false;
}

long choice_bounded_bytes(const struct choice *choice, const struct plan_nest *out)
{
	long model = choice->schedule.scratchpad_bytes, real = out->scratchpad_used_bytes;
	if (choice->has_forms)
		return 0;
	return choice->tries > 1 ? LONG_MAX : real > model ? real : model;
}

/* What bounds the model's schedules bounds the plans of CHOICE. */
static bool is_bounded_by_model(const struct choice *choice)
{
	return is_modelled(choice) && !has_holes(choice) && !choice_is_restricted(choice);
}

long choice_space_bound(const struct choice *choice, const struct plan_nest *out)
{
	return is_bounded_by_model(choice) && !is_second_best(choice, out) ? choice->proof.bound_bytes : 0;
}

bool choice_is_beaten(const struct choice *choice, long most)
{
	enum { POINTS = 2000000 };
	struct search_options options = choice->options;
	options.effort = options.effort > 0 && options.effort < POINTS ? options.effort : POINTS;
	return most < LONG_MAX && is_bounded_by_model(choice) && !choice->asked.contradiction
		&& !choice->variant.nest->function->unbound && !options.elements && !prices_are_given(&options.prices)
		&& search_excludes(&choice->model, choice->compilation->arch, &options, most);
}

void choice_fill_bounds(const struct choice *choice, struct plan_nest *out)
{
	long space = choice_space_bound(choice, out);
	out->lower_bound_bytes = nest_lower_bound(choice->variant.nest,
		choice->compilation->arch->scratchpad_bytes, &out->compulsory_bytes,
		&out->lower_bound_argument);
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
	if (space > choice->rivals_bound)
		space = choice->rivals_bound;
	if (space > out->bound_bytes)
		out->bound_bytes = space;
	plan_nest_judge(out);
	if (out->elements)
		elements_bound_words(choice, out->elements);
	out->priced_bound = out->elements ? elements_priced_bound(choice, out->elements)
		: is_bounded_by_model(choice) && !is_second_best(choice, out) ? core_priced_bound(choice) : 0;
	out->points = choice->proof.points;
	out->seconds = choice->proof.seconds;
}

bool choice_agrees(const struct choice *choice, const struct plan_nest *out)
{
	/* Buffers outside sequential loops come inside them where they would grow with a size. */
	if (choice->variant.nest->function->unbound && choice->variant.band->prefix)
		return true;
	if (!choice->has_forms || (is_unclipped(choice)
		? plan_nest_bytes(out) <= choice->schedule.total_bytes
		: plan_nest_bytes(out) == choice->schedule.total_bytes))
		return true;
	fprintf(stderr, "loopc: schedule moves %ld bytes, plan %ld\n", choice->schedule.total_bytes,
		plan_nest_bytes(out));
	return false;
}

enum outcome choice_lower(struct choice *choice, struct plan *plan, struct plan_nest *out)
{
	*out = (struct plan_nest){ .name = choice->variant.nest->name,
		.location = choice->variant.nest->location };
	choice->hindrance.is_final = choice->asked.contradiction;
	if (choice->asked.contradiction)
		return NO_FIT;
	return choice->has_forms ? lower_closed_forms(choice, plan, out)
		: choice_lower_general(choice, plan, out);
}

struct choice *choice_make(struct compilation *compilation, const struct variant *variant)
{
	struct choice *choice = ARENA_NEW(compilation->arena, struct choice);
	choice->compilation = compilation;
	choice->variant = *variant;
	return prepare(choice) ? choice : NULL;
}

/* Every value that a read of a created array sees is set in the nest, whatever the sizes; else
 * says of which array not. */
static bool stays_created(const struct choice *choice, const struct variant *all,
	const char **reason)
{
	for (int a = 0; a < all->groups->count; a++)
		if (choice->model.arrays[a].is_created && !nest_is_created(all, &all->groups->items[a])) {
			*reason = arena_printf(choice->compilation->arena, "some element of '%s' is read "
				"before it is written for some sizes", all->groups->items[a].array->source_name);
			return false;
		}
	return true;
}

/* Why ALL, the nest for all sizes, has no plan under a schedule that is legal. */
static const char *reason_without_plan(const struct choice *choice, const struct variant *all)
{
	struct arena *arena = choice->compilation->arena;
	const struct obstacle *obstacle = &choice->hindrance.obstacle;
	const char *because = all->band->left_out && all->band->blocked[0].loop ? arena_printf(arena,
		", as loop '%s' cannot be tiled", all->band->blocked[0].loop->source_name) : "";
	if (obstacle->clash[0] >= 0)
		return arena_printf(arena, "buffers of '%s' hold the same elements for some sizes",
			all->groups->items[obstacle->clash[0]].array->source_name);
	if (obstacle->array < 0)
		return "isl finds no loops for it";
	const char *name = all->groups->items[obstacle->array].array->source_name;
	bool fits = obstacle->needed_bytes <= choice->compilation->arch->scratchpad_bytes;
	if (choice->has_forms)
		return arena_printf(arena, "what its tiles touch of '%s' depends on the sizes in a way "
			"that is not affine", name);
	if (fits)
		return arena_printf(arena, "where the elements of '%s' are that a tile touches depends on "
			"the sizes in a way that is too long to find%s", name, because);
	return arena_printf(arena, "the buffer of '%s' would grow with them until it no longer fits%s",
		name, because);
}

bool choice_lower_all_sizes(struct choice *choice, struct plan *plan, struct plan_nest *out,
	const char **reason)
{
	struct compilation *compilation = choice->compilation;
	struct region *regions = ARENA_ARRAY(compilation->arena, struct region,
		choice->variant.groups->count + 1);
	memcpy(regions, choice->regions, sizeof *regions * (size_t)choice->variant.groups->count);
	const struct variant *all = variant_with_sizes(compilation, &choice->variant, choice->has_forms,
		regions, reason);
	if (!all || !band_is_legal(compilation, all, &choice->schedule, reason))
		return false;
	if (!stays_created(choice, all, reason))
		return false;
	show_schedule(choice);
	if (lower_schedule(choice, all, regions, TO_EMIT, plan, out))
		return true;
	*reason = reason_without_plan(choice, all);
	return false;
}

struct cost choice_cost(const struct choice *choice, const struct plan_nest *out)
{
	const struct crossing *modelled = &choice->schedule.cost.crossings[BOUNDARY_EXTERNAL];
	struct cost cost = plan_nest_cost(out);
	cost.crossings[BOUNDARY_EXTERNAL].commands = modelled->commands;
	cost.crossings[BOUNDARY_EXTERNAL].runs = modelled->runs;
	cost.complexity = choice->schedule.cost.complexity;
	return cost;
}

const char *choice_describe(const struct choice *choice)
{
	struct compilation *compilation = choice->compilation;
	return arena_printf(compilation->arena, "nest %s\n%s%s%s", choice->variant.nest->name,
		choice->variant.nest->joined_count ? "merge\n" : "",
		choice->has_others || choice->variant.options.avoids_forms
			? form_print(compilation, &choice->variant, choice->is_expanded, choice->is_in_place) : "",
		schedule_print(compilation->arena, compilation->arch, &choice->model, is_left_forward(choice),
			tells_single(choice), &choice->options, &choice->schedule));
}
