/* A schedule of a nest whose regions the model only bounds is compared with its neighbours, in
 * what their plans move. */

#include "passes/variants/improve.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "passes/cost/ends.h"
#include "passes/cost/model_math.h"
#include "passes/cost/plan_cost.h"
#include "passes/nest_work.h"

/* What a schedule is, of all that is said of it. */
struct features {
	long tile[MODEL_LOOPS];
	int depth, order[MODEL_LOOPS];
	bool is_serpentine[MODEL_LOOPS];
	struct { int store; long slots; bool is_sliding; } storage[MODEL_ARRAYS];
};

/* Plans that are compared, so that the answer does not depend on what isl remembers; and models,
 * which take no time beside. */
enum { PLANS = 8, MODELS = 24 };

struct improver {
	struct choice *best;
	struct choice *trial;
	const struct plan *before;
	struct plan *plan;
	struct plan_nest *out;
	bool is_better;              /* than the first one */
	int plan_count;              /* weighed */
	struct cost first;           /* of the first one, for the model */
	int seen_count;
	struct features *seen;       /* [MODELS + 1] */
};

static struct features features_of(const struct choice *choice)
{
	const struct schedule *schedule = &choice->schedule;
	struct features features;
	memset(&features, 0, sizeof features);
	features.depth = schedule->depth;
	for (int i = 0; i < schedule->depth; i++)
		features.order[i] = schedule->order[i];
	for (int l = 0; l < choice->model.loop_count; l++) {
		features.tile[l] = schedule->tile[l];
		features.is_serpentine[l] = schedule->is_serpentine[l];
	}
	for (int a = 0; a < choice->model.array_count; a++) {
		features.storage[a].store = schedule->storage[a].store;
		features.storage[a].slots = schedule->storage[a].slots;
		features.storage[a].is_sliding = schedule->storage[a].is_sliding;
	}
	return features;
}

/* The trial's schedule is new. */
static bool add_seen(struct improver *improver, const struct choice *choice)
{
	struct features features = features_of(choice);
	for (int i = 0; i < improver->seen_count; i++)
		if (!memcmp(&improver->seen[i], &features, sizeof features))
			return false;
	improver->seen[improver->seen_count++] = features;
	return true;
}

static bool is_over(const struct improver *improver)
{
	return improver->seen_count > MODELS || improver->plan_count >= PLANS
		|| plan_nest_reaches(improver->out, nest_compulsory(improver->best->variant.nest))
		|| nest_work_is_spent(improver->best->compilation);
}

/* ---- one neighbour ---- */

/* The trial is the best again, with all that the user left open. */
static void begin(struct improver *improver)
{
	*improver->trial = *improver->best;
}

/* Weighs the trial's schedule; true if it is the best so far. */
static bool weigh(struct improver *improver, enum outcome *outcome)
{
	struct choice *trial = improver->trial;
	struct plan plan = *improver->before;
	struct plan_nest out = { .name = improver->out->name, .location = improver->out->location };
	improver->plan_count++;
	*outcome = choice_weigh_general(trial, &plan, &out);
	if (*outcome != LOWERED
		|| plan_nest_compare(&out, improver->out) >= 0)
		return false;
	improver->best->schedule = trial->schedule;
	improver->best->proof = trial->proof;
	*improver->plan = plan;
	*improver->out = out;
	improver->is_better = true;
	return true;
}

/* The best for the model under what the trial is held to, in CAPACITY; with less where that does
 * not fit.  True if it is the best so far. */
static bool try_in(struct improver *improver, long capacity)
{
	enum { POINTS = THOROUGH_EFFORT, SHRINKS = 2, FAR = 3 };
	const struct objective asked = objective_of(RANK_ASKED);
	struct choice *trial = improver->trial;
	const struct proof proof = improver->best->proof;
	for (int i = 0; i <= SHRINKS && !is_over(improver); i++) {
		enum outcome outcome;
		if (!choice_search_within(trial, capacity, POINTS))
			return false;
		trial->proof.points += proof.points;
		trial->proof.seconds += proof.seconds;
		if (!add_seen(improver, trial)
			|| objective_value(&asked, &trial->schedule.cost)
			> FAR * objective_value(&asked, &improver->first))
			return false;
		if (weigh(improver, &outcome))
			return true;
		if (outcome != NO_FIT)
			return false;
		capacity = trial->schedule.scratchpad_bytes - trial->schedule.scratchpad_bytes / 6 - 1;
	}
	return false;
}

static bool try(struct improver *improver)
{
	return try_in(improver, improver->best->compilation->arch->scratchpad_bytes);
}

/* ---- neighbours ---- */

/* Real regions may be smaller than the model's: what it has too little for may fit. */
static void try_more_memory(struct improver *improver)
{
	enum { SIZES = 4 };
	const long all = improver->best->compilation->arch->scratchpad_bytes;
	long tried = all;
	for (int i = 0; i < SIZES; i++) {
		double needed = (double)improver->best->schedule.scratchpad_bytes;
		double used = (double)improver->out->scratchpad_used_bytes;
		long capacity = used > 0 ? (long)((double)all * needed / used) : 0;
		if (capacity <= tried)
			return;
		tried = capacity;
		begin(improver);
		try_in(improver, capacity);
	}
}

/* Quarters of doublings below what there is: the same for all machines that differ in their
 * scratchpad only. */
static void try_less_memory(struct improver *improver)
{
	enum { STEPS = 4, SIZES = 2 };
	const struct arch *arch = improver->best->compilation->arch;
	long granule = arch_granule_bytes(arch);
	int k = (int)ceil(STEPS * log2((double)arch->scratchpad_bytes));
	for (int i = 1; i <= SIZES && k - i > 0; i++) {
		begin(improver);
		try_in(improver, (long)exp2((double)(k - i) / STEPS) / granule * granule);
	}
}

/* Whether the size of loop L is open. */
static bool is_free(const struct improver *improver, int l)
{
	const struct model_loop *loop = &improver->best->model.loops[l];
	return loop->extent > 1 && !loop->tile;
}

/* Loop L (-1: each) runs one iteration at a time. */
static void try_single(struct improver *improver, int l)
{
	begin(improver);
	for (int k = 0; k < improver->trial->model.loop_count; k++)
		if (is_free(improver, k) && (l < 0 || k == l))
			improver->trial->model.loops[k].tile = 1;
	try(improver);
}

/* Loop L is outermost, inside those that stay where they are. */
static void try_outermost(struct improver *improver, int l)
{
	struct search_options *options = &improver->trial->options;
	begin(improver);
	if (options->has_fixed_order || options->order_count > improver->best->variant.band->prefix)
		return;
	options->order[options->order_count++] = l;
	options->has_fixed_order = true;
	try(improver);
}

static bool has_free_loop(const struct improver *improver)
{
	bool has_one = false;
	for (int l = 0; l < improver->best->model.loop_count; l++)
		has_one |= is_free(improver, l);
	return has_one;
}

static void try_neighbours(struct improver *improver)
{
	const struct choice *best = improver->best;
	try_more_memory(improver);
	for (int l = -1; l < best->model.loop_count; l++)
		if (l < 0 || is_free(improver, l))
			try_single(improver, l);
	for (int l = best->variant.band->prefix; l < best->model.loop_count; l++)
		if (is_free(improver, l))
			try_outermost(improver, l);
	try_less_memory(improver);
}

static struct improver improver_of(struct choice *choice, const struct plan *before, struct plan *plan,
	struct plan_nest *out)
{
	struct arena *arena = choice->compilation->arena;
	struct improver improver = { .best = choice, .trial = ARENA_NEW(arena, struct choice),
		.before = before, .plan = plan, .out = out, .seen = ARENA_ARRAY(arena, struct features, MODELS + 1),
		.first = choice->schedule.cost };
	add_seen(&improver, choice);
	return improver;
}

bool choice_improve(struct choice *choice, const struct plan *before, struct plan *plan,
	struct plan_nest *out)
{
	struct improver improver = improver_of(choice, before, plan, out);
	if (!has_free_loop(&improver))
		return false;
	try_neighbours(&improver);
	return improver.is_better;
}

/* ---- loops that turn ---- */

/* For the model CHOICE's schedule, with single buffers, moves so many bytes; LONG_MAX: it is none. */
static long modelled_bytes(const struct choice *choice, const struct schedule *schedule)
{
	struct schedule trial = *schedule;
	const struct arch *arch = choice->compilation->arch;
	const struct arch room = arch_resized(arch, trial.scratchpad_bytes > arch->scratchpad_bytes
		? trial.scratchpad_bytes : arch->scratchpad_bytes);
	for (int a = 0; a < choice->model.array_count; a++)
		trial.storage[a].is_double = false;
	return schedule_evaluate(&choice->model, &room, &trial) ? trial.total_bytes : LONG_MAX;
}

/* Those loops of the schedule turn that save something for the model, and may; false: none does. */
static bool turn_loops(struct choice *choice)
{
	struct schedule *schedule = &choice->schedule;
	long forward = modelled_bytes(choice, schedule);
	for (int i = 0; i < schedule->depth; i++) {
		int l = schedule->order[i];
		schedule->is_serpentine[l] |= !choice->model.loops[l].is_forward && choice->options.serpentine[l];
	}
	long least = modelled_bytes(choice, schedule);
	for (int l = 0; l < choice->model.loop_count; l++) {
		struct schedule straight = *schedule;
		straight.is_serpentine[l] = false;
		if (choice->options.serpentine[l] != 1 && modelled_bytes(choice, &straight) <= least)
			*schedule = straight;
	}
	return least < forward;
}

/* The best for the model where loops turn, with as many slots as it likes. */
static void try_slots(struct improver *improver)
{
	struct choice *trial = improver->trial;
	begin(improver);
	trial->takes_turns = true;
	for (int a = 0; a < trial->model.array_count; a++)
		if (!trial->asked.said.stores[a] && !trial->variant.groups->items[a].has_siblings)
			trial->options.slots[a] = 0;
	if (try(improver))
		improver->best->takes_turns = true;
}

/* The best where loops turn: as they are, and with slots. */
static void try_turns(struct improver *improver)
{
	enum outcome outcome;
	begin(improver);
	if (turn_loops(improver->trial))
		weigh(improver, &outcome);
	try_slots(improver);
}

bool choice_turn(struct choice *choice, const struct plan *before, struct plan *plan,
	struct plan_nest *out)
{
	struct improver improver = improver_of(choice, before, plan, out);
	if (plan_nest_reaches(out, nest_compulsory(choice->variant.nest)))
		return false;
	try_turns(&improver);
	return improver.is_better;
}

/* ---- ends of loops ---- */

/* The model of CHOICE counts what is touched at ends of loops alone, and what is touched there besides, as that.  False: there is
 * nothing. */
static bool count_ends(struct choice *choice)
{
	struct nest_model model = choice->model;
	for (int a = 0; a < model.array_count; a++)
		model.arrays[a].anchored = choice->anchored[a];
	const struct model_array *arrays = ends_of_model(choice->compilation, &choice->variant, &model);
	if (arrays)
		memcpy(choice->model.arrays, arrays, sizeof *arrays * (size_t)model.array_count);
	return arrays;
}

bool choice_end(struct choice *choice, const struct plan *before, struct plan *plan, struct plan_nest *out)
{
	struct improver improver = improver_of(choice, before, plan, out);
	const struct nest_model plain = choice->model;
	if (plan_nest_reaches(out, nest_compulsory(choice->variant.nest)) || !count_ends(choice))
		return false;
	begin(&improver);
	try(&improver);
	try_neighbours(&improver);
	if (improver.is_better)
		try_turns(&improver);
	else
		choice->model = plain;
	return improver.is_better;
}

/* Weighs TRIAL, and CHOICE takes its schedule if that moves the same. */
static bool take_equal(struct choice *choice, struct choice *trial, const struct plan *before,
	struct plan *plan, struct plan_nest *out)
{
	struct plan own = *before;
	struct plan_nest entry = { .name = out->name, .location = out->location };
	if (choice_weigh_general(trial, &own, &entry) != LOWERED
		|| plan_nest_compare(&entry, out) != 0)
		return false;
	choice->schedule = trial->schedule;
	choice->proof = trial->proof;
	*plan = own;
	*out = entry;
	return true;
}

void choice_overlap(struct choice *choice, const struct plan *before, struct plan *plan,
	struct plan_nest *out)
{
	enum { POINTS = 1000000 };
	const struct arch *arch = overlap_arch(choice->compilation);
	struct choice *trial = ARENA_NEW(choice->compilation->arena, struct choice);
	if (choice->compilation->request.buffering != BUFFERING_AUTO || choice->has_forms)
		return;
	*trial = *choice;
	trial->options.buffering = BUFFERING_DOUBLE;
	if (choice_search_within(trial, arch->scratchpad_bytes, POINTS)
		&& take_equal(choice, trial, before, plan, out))
		return;
	*trial = *choice;
	schedule_double_what_fits(&trial->model, arch, &trial->options, &trial->schedule);
	take_equal(choice, trial, before, plan, out);
}
