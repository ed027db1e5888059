/* A function of the program becomes a plan: nest by nest, dependences, band, model,
 * schedule, plan. */

#include <string.h>
#include <time.h>

#include <isl/union_set.h>
#include <isl/val.h>

#include "passes/fuse.h"
#include "passes/nest.h"
#include "passes/pipeline.h"
#include "passes/schedule_text.h"
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
	long count = box_count(set);
	if (count && isl_set_is_box(set) != isl_bool_true) {
		isl_val *value = count <= COUNT_LIMIT ? isl_set_count_val(set) : NULL;
		count = value && isl_val_is_int(value) == isl_bool_true ? isl_val_get_num_si(value) : 0;
		isl_val_free(value);
	}
	isl_set_free(set);
	return count;
}

/* Written elements must go out once; what is only read must come in once. */
static long general_compulsory(const struct nest *nest)
{
	long bytes = 0;
	for (int a = 0; a < nest->array_count; a++) {
		const struct nest_array *array = &nest->arrays[a];
		isl_set *elements = NULL;
		if (array->is_internal)
			continue;
		for (int i = 0; i < array->access_count; i++) {
			const struct access *access = array->accesses[i].access;
			if (array->is_written && !access->is_write)
				continue;
			isl_set *set = isl_map_range(isl_map_copy(access->map));
			elements = elements ? isl_set_union(elements, set) : set;
		}
		bytes += count_at_least(isl_set_coalesce(elements)) * array->array->type.bytes;
	}
	return bytes;
}

/* ---- choosing a schedule ---- */

struct choice {
	struct compilation *compilation;
	const struct nest *nest;
	struct nest_model model;
	struct region *regions;
	bool exact;
	struct search_options options;
	struct schedule schedule;
	long smallest;               /* scratchpad that would do, where nothing fits */
};

/* What pragmas and --schedule say of the nest. */
static bool read_wishes(struct choice *choice)
{
	struct compilation *compilation = choice->compilation;
	const struct nest *nest = choice->nest;
	for (int i = 0; i < nest->function->pragma_count; i++) {
		const struct pragma *pragma = &nest->function->pragmas[i];
		if (pragma->loop && (!nest->statements[0]->depth
			|| pragma->loop != nest->statements[0]->loops[0]))
			continue;
		if (!schedule_parse(compilation->diag, pragma->location, pragma->text, nest->name,
			&choice->model, &choice->options))
			return false;
	}
	struct location at = { .file = compilation->schedule_file, .line = 1, .column = 1 };
	return !compilation->schedule_text || schedule_parse(compilation->diag, at,
		compilation->schedule_text, nest->name, &choice->model, &choice->options);
}

/* Without closed forms the lowering moves whole boxes forward. */
static void restrict_to_boxes(struct choice *choice)
{
	for (int a = 0; a < choice->model.array_count; a++) {
		choice->options.slots[a] = 1;
		choice->model.arrays[a].anchored = 0;
	}
	choice->options.buffering = BUFFERING_SINGLE;
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
			schedule_print(compilation->arena, &choice->model, &choice->schedule));
}

/* What is wrong where no plan was made. */
enum outcome { LOWERED, NO_FIT, TOO_LONG };

static enum outcome lower_exactly(struct choice *choice, struct plan *plan, struct plan_nest *out)
{
	struct compilation *compilation = choice->compilation;
	long needed = 0;
	if (!search_schedule(&choice->model, compilation->arch, &choice->options, &choice->schedule,
		&choice->smallest))
		return NO_FIT;
	show_schedule(choice);
	return nest_lower(compilation, choice->nest, &choice->model, choice->regions, true,
		&choice->schedule, plan, out, &needed) ? LOWERED : TOO_LONG;
}

/* The model only bounds the regions: search under a budget that shrinks until the real
 * ones fit. */
static enum outcome lower_boxes(struct choice *choice, struct plan *plan, struct plan_nest *out)
{
	enum { TRIES = 24 };
	struct compilation *compilation = choice->compilation;
	struct arch budget = *compilation->arch;
	long bank_bytes = budget.scratchpad_bytes / budget.banks, needed = 0, smallest = 0;
	for (int i = 0; i < TRIES && budget.scratchpad_bytes > 0; i++) {
		if (!search_schedule(&choice->model, &budget, &choice->options, &choice->schedule,
			&smallest))
			break;
		show_schedule(choice);
		if (nest_lower(compilation, choice->nest, &choice->model, choice->regions, false,
			&choice->schedule, plan, out, &needed))
			return LOWERED;
		if (!needed)
			return TOO_LONG;
		budget.scratchpad_bytes -= budget.scratchpad_bytes / 6 + 1;
		budget.banks = (int)(budget.scratchpad_bytes / bank_bytes);
		if (budget.exclusive)
			budget.scratchpad_bytes = budget.banks * bank_bytes;
	}
	choice->smallest = smallest > needed ? smallest : needed;
	return NO_FIT;
}

/* ---- the nest's entry in the plan ---- */

/* Borders make the plan move less than the model says. */
static bool is_clipped(const struct choice *choice)
{
	for (int a = 0; a < choice->nest->array_count; a++)
		if (choice->regions[a].is_clipped)
			return true;
	return false;
}

static void fill_bounds(struct choice *choice, struct plan_nest *out)
{
	const struct arch *arch = choice->compilation->arch;
	if (choice->exact && !is_clipped(choice)) {
		out->compulsory_bytes = model_compulsory(&choice->model);
		out->lower_bound_bytes = model_lower_bound(&choice->model, arch->scratchpad_bytes,
			&out->lower_bound_argument);
		out->optimal = choice->schedule.is_optimal;
		out->bound_bytes = choice->schedule.bound_bytes;
	} else {
		out->compulsory_bytes = out->lower_bound_bytes = general_compulsory(choice->nest);
		out->lower_bound_argument = "compulsory";
		out->bound_bytes = out->lower_bound_bytes;
	}
	out->points = choice->schedule.points;
	for (int a = 0; a < choice->model.array_count; a++)
		out->is_double |= choice->schedule.storage[a].is_double;
}

static long total_bytes(const struct plan_nest *nest)
{
	long total = 0;
	for (int a = 0; a < nest->traffic_count; a++)
		total += nest->traffic[a].read_bytes + nest->traffic[a].write_bytes;
	return total;
}

/* The plan's own count is the second opinion on the model's closed forms. */
static bool agrees(const struct choice *choice, const struct plan_nest *out)
{
	if (!choice->exact || (is_clipped(choice)
		? total_bytes(out) <= choice->schedule.total_bytes
		: total_bytes(out) == choice->schedule.total_bytes))
		return true;
	for (int a = 0; a < choice->model.array_count; a++)
		fprintf(stderr, "loopc: array %s: model %ld + %ld, plan %ld + %ld\n",
			choice->model.arrays[a].name, choice->schedule.storage[a].read_bytes,
			choice->schedule.storage[a].write_bytes, out->traffic[a].read_bytes,
			out->traffic[a].write_bytes);
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

static struct choice *choice_for(struct compilation *compilation, const struct nest *nest)
{
	struct choice *choice = ARENA_NEW(compilation->arena, struct choice);
	choice->compilation = compilation;
	choice->nest = nest;
	return prepare(choice) ? choice : NULL;
}

static void find_band(struct compilation *compilation, struct nest *nest, int loops)
{
	if (loops)
		nest_find_sequential_band(compilation, nest, loops);
	else
		nest_find_band(compilation, nest);
}

/* The bands to choose from: the permutable one, and where that leaves loops out or does
 * not fit, the source's outer loops one after the other with what can be tiled inside.
 * Lowers the one with least traffic, the first of equals.  NULL if none fits or the
 * user's schedule is wrong. */
static struct choice *lower_best_band(struct compilation *compilation, struct nest *nest,
	struct plan *plan, struct plan_nest *out)
{
	int best = -1, depth = nest_depth(nest);
	long best_bytes = 0;
	const struct plan before = *plan;
	struct choice *choice, *first = NULL;
	for (int loops = 0; loops <= depth; loops++) {
		find_band(compilation, nest, loops);
		choice = choice_for(compilation, nest);
		if (!choice)
			return NULL;
		if (pass_done(compilation, "band"))
			nest_print_model(nest, &choice->model, choice->exact, compilation->trace);
		first = first ? first : choice;
		*plan = before;
		if (lower_band(choice, plan, out) != LOWERED)
			continue;
		if (!loops && !nest->left_out)
			return choice;
		if (best < 0 || total_bytes(out) < best_bytes) {
			best = loops;
			best_bytes = total_bytes(out);
		}
	}
	*plan = before;
	if (best < 0) {
		report_no_fit(first);
		return NULL;
	}
	find_band(compilation, nest, best);
	choice = choice_for(compilation, nest);
	return lower_band(choice, plan, out) == LOWERED ? choice : NULL;
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

static bool lower_nest(struct compilation *compilation, struct nest *nest, struct plan *plan,
	struct plan_nest *out)
{
	double start = now_seconds();
	if (nest->array_count > MODEL_ARRAYS) {
		diag_error(compilation->diag, nest->location,
			"this nest uses %d arrays; at most %d can be scheduled together: split it into "
			"several loops", nest->array_count, MODEL_ARRAYS);
		return false;
	}
	nest_find_dependences(compilation, nest);
	if (pass_done(compilation, "dependences"))
		nest_print_dependences(compilation, nest, compilation->trace);
	struct choice *choice = lower_best_band(compilation, nest, plan, out);
	if (!choice)
		return false;
	out->schedule = arena_printf(compilation->arena, "nest %s\n%s", nest->name,
		schedule_print(compilation->arena, &choice->model, &choice->schedule));
	fill_bounds(choice, out);
	remark_on_loops(compilation, nest);
	out->seconds = now_seconds() - start;
	if (!agrees(choice, out)) {
		diag_error(compilation->diag, nest->location,
			"internal error: the plan of '%s' moves other bytes than its schedule; please report",
			nest->name);
		compilation->is_broken = true;
		return false;
	}
	return true;
}

/* ---- local arrays that leave the chip ---- */

static bool leaves_the_chip(const struct plan *plan, const struct array *array)
{
	for (int n = 0; n < plan->nest_count; n++)
		for (int a = 0; a < plan->nests[n].traffic_count; a++)
			if (plan->nests[n].traffic[a].array == array
				&& (plan->nests[n].traffic[a].read_bytes || plan->nests[n].traffic[a].write_bytes))
				return true;
	return false;
}

static void place_workspace(struct plan *plan)
{
	enum { ALIGNMENT = 64 };
	const struct function *function = plan->function;
	plan->workspace_offset = ARENA_ARRAY(plan->arena, long, function->array_count + 1);
	for (int i = 0; i < function->array_count; i++) {
		const struct array *array = function->arrays[i];
		plan->workspace_offset[i] = -1;
		if (array->is_parameter || array->by_value || !leaves_the_chip(plan, array))
			continue;
		plan->workspace_offset[i] = plan->workspace_bytes;
		plan->workspace_bytes += (array->elements * array->type.bytes + ALIGNMENT - 1)
			/ ALIGNMENT * ALIGNMENT;
	}
}

/* ---- fusion ---- */

/* How the nests from one on are grouped with the least traffic. */
struct partition {
	int count;                   /* nests in the first group */
	long bytes;                  /* of all from here on */
};

static long group_bytes(struct compilation *compilation, const struct nest *nests, int count,
	struct plan *plan)
{
	const struct plan before = *plan;
	struct plan_nest trial;
	long bytes = fuse_group(compilation, nests, count, plan, &trial) ? total_bytes(&trial) : -1;
	*plan = before;
	return bytes;
}

/* Dynamic programming from the last nest to the first: a group is extended until it has
 * no plan any more.  SEPARATE: bytes of each nest alone. */
static struct partition *choose_partition(struct compilation *compilation,
	const struct nest *nests, int count, const long *separate, struct plan *plan)
{
	struct partition *best = ARENA_ARRAY(compilation->arena, struct partition, count + 1);
	for (int n = count - 1; n >= 0; n--) {
		best[n] = (struct partition){ 1, separate[n] + best[n + 1].bytes };
		for (int length = 2; n + length <= count; length++) {
			long bytes = group_bytes(compilation, nests + n, length, plan);
			if (bytes < 0)
				break;
			if (bytes + best[n + length].bytes < best[n].bytes
				|| compilation->fusion == FUSE_ALL)
				best[n] = (struct partition){ length, bytes + best[n + length].bytes };
		}
	}
	return best;
}

/* Lowers COUNT nests as one group, with its entry in the plan. */
static bool lower_group(struct compilation *compilation, const struct nest *nests, int count,
	struct plan *plan, struct plan_nest *out)
{
	double start = now_seconds();
	struct nest *group = fuse_group(compilation, nests, count, plan, out);
	if (!group)
		return false;
	out->compulsory_bytes = out->lower_bound_bytes = general_compulsory(group);
	out->bound_bytes = out->lower_bound_bytes;
	out->lower_bound_argument = "compulsory";
	out->optimal = total_bytes(out) == out->bound_bytes;
	out->seconds = now_seconds() - start;
	return true;
}

static bool lower_fused(struct compilation *compilation, struct nest *nests, int count,
	struct plan *plan)
{
	if (lower_group(compilation, nests, count, plan, &plan->nests[0])) {
		plan->nest_count = 1;
		return true;
	}
	const struct plan before = *plan;
	long *separate = ARENA_ARRAY(compilation->arena, long, count);
	for (int n = 0; n < count; n++) {
		if (!lower_nest(compilation, &nests[n], plan, &plan->nests[0]))
			return false;
		separate[n] = total_bytes(&plan->nests[0]);
		*plan = before;
	}
	struct partition *best = choose_partition(compilation, nests, count, separate, plan);
	plan->nest_count = 0;
	for (int n = 0; n < count; n += best[n].count) {
		struct plan_nest *out = &plan->nests[plan->nest_count++];
		if (best[n].count == 1 ? !lower_nest(compilation, &nests[n], plan, out)
			: !lower_group(compilation, nests + n, best[n].count, plan, out))
			return false;
	}
	return true;
}

struct plan *lower_function(struct compilation *compilation, const struct function *function)
{
	struct plan *plan = ARENA_NEW(compilation->arena, struct plan);
	plan->arena = compilation->arena;
	plan->program = compilation->program;
	plan->function = function;
	plan->arch = compilation->arch;
	struct nest *nests = nests_of_function(compilation, function, &plan->nest_count);
	plan->nests = ARENA_ARRAY(compilation->arena, struct plan_nest, plan->nest_count + 1);
	bool done = true;
	if (compilation->fusion != FUSE_NEVER && plan->nest_count > 1)
		done = lower_fused(compilation, nests, plan->nest_count, plan);
	else
		for (int n = 0; n < plan->nest_count; n++)
			done &= lower_nest(compilation, &nests[n], plan, &plan->nests[n]);
	place_workspace(plan);
	return done ? plan : NULL;
}
