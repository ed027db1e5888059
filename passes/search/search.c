#include "passes/search/search.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "passes/search/annealing.h"
#include "passes/search/mirror.h"
#include "passes/search/search_rounds.h"
#include "passes/search/search_space.h"
#include "passes/search/search_tree.h"
#include "support/seconds.h"

/* search_schedule: sets up the space, finds a good schedule with few tile sizes,
 * and proves or improves it with all of them. */

void search_options_init(struct search_options *options)
{
	memset(options, 0, sizeof *options);
	options->threads = 1;
	for (int a = 0; a < MODEL_ARRAYS; a++) {
		options->store[a] = options->sliding[a] = options->doubled[a] = -1;
		options->memories[a] = 1;
	}
	for (int l = 0; l < MODEL_LOOPS; l++)
		options->serpentine[l] = -1;
}

static void run_thinned(struct crew *crew, const struct space *space, int count, bool is_near,
	struct outcome *total, long limit)
{
	struct space thin;

	if (is_near && !total->found)
		return;
	space_thin(&thin, space, count, is_near ? &total->best : NULL);
	crew_search(crew, &thin, total, limit);
	space_clear(&thin);
}

/* Looks at everything in SPACE, with each of COUNT ways to give its arrays to memories. */
static void search_ways(struct crew *crew, struct space *space, int count, struct outcome *total,
	long limit)
{
	bool is_complete = true;
	double bound = INFINITY;

	for (int left = count; left > 0; left--) {
		crew_search(crew, space, total, outcome_points_left(total, limit) / left);
		is_complete = is_complete && total->is_complete;
		bound = fmin(bound, total->bound);
		space_assign_next(space);
	}
	total->is_complete = is_complete;
	total->bound = bound;
	space_assign_first(space);
}

/* Looks at few sizes of SPACE's loops, in all COUNT ways to give arrays to memories. */
static void run_few_sizes(struct crew *crew, struct space *space, int count, struct outcome *total, long limit)
{
	static const int sizes[] = { 2, 4, 8 };

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		for (int way = 0; way < count; way++) {
			run_thinned(crew, space, sizes[i], false, total, limit / 16 / count);
			run_thinned(crew, space, 1, true, total, limit / 16 / count);
			space_assign_next(space);
		}
		space_assign_first(space);
	}
}

/* Finds the best of SPACE.  The first rounds only serve to start the last one, which
 * looks at everything, from a good schedule. */
static void run_search(struct crew *crew, struct space *space, struct outcome *total, long limit)
{
	bool is_all;
	int count = space_assignments(space, &is_all);

	run_few_sizes(crew, space, count, total, limit);
	search_ways(crew, space, count, total, limit);
	if (!is_all) {
		total->is_complete = false;
		total->bound = 0;
	}
}

/* Of a schedule that nobody has, which costs COST. */
static struct outcome outcome_of_none(const struct space *space, double cost, long points)
{
	struct outcome none = { .found = true, .points = points, .unmapped = INFINITY, .unsettled = INFINITY };

	none.best.cost = cost_of_value(&space->objective, cost);
	none.best.depth = -1;
	return none;
}

/* What a search below some cost has shown: nothing that is not TOTAL's best costs less.  SPENT: the points were too few.  CUT: more of them for each
 * schedule may show more. */
struct reached { double bound; bool is_spent, is_cut; };

/* Searches SPACE for what costs less than BELOW, with at most LIMIT points more: the best of it becomes TOTAL's, if there is some. */
static struct reached search_below(struct crew *crew, const struct space *space, double below, struct outcome *total, long limit)
{
	struct outcome tried = outcome_of_none(space, below, total->points);
	struct reached reached;

	crew_search(crew, space, &tried, limit);
	total->points = tried.points;
	if (tried.best.depth >= 0) {
		total->best = tried.best;
		total->mapping = tried.mapping;
		total->found = true;
		below = objective_value(&space->objective, &tried.best.cost);
	}
	reached = (struct reached){ .bound = fmin(below, fmin(tried.bound, tried.unmapped)), .is_spent = !tried.is_complete };
	reached.is_cut = tried.unsettled <= reached.bound && reached.bound < below;
	return reached;
}

static double asked_of(const struct space *space, const struct outcome *total)
{
	return total->found ? objective_value(&space->objective, &total->best.cost) : INFINITY;
}

/* Searches SPACE, in which nothing costs less than BOUND, for what does not cost more than a share STEP more, then for what costs
 * more and more, up to TOTAL's best.  Returns what it showed to be a bound. */
static double search_upwards(struct crew *crew, const struct space *space, double bound, double step, struct outcome *total,
	long limit)
{
	long end = total->points + limit;

	for (; step < 1e6 && total->points < end; step *= 2) {
		double best = asked_of(space, total), below = fmin(bound * (1 + step), best);

		bound = fmax(bound, search_below(crew, space, below, total, outcome_points_left(total, end) / 4 + 1).bound);
		if (below >= best || asked_of(space, total) < best)
			break;
	}
	return bound;
}

/* Searches near TOTAL's best as long as that finds something better. */
static void search_near(struct crew *crew, const struct space *space, struct outcome *total, long limit)
{
	long end = total->points + limit;
	double before = INFINITY;

	while (total->points < end && asked_of(space, total) < before) {
		struct space near;

		before = asked_of(space, total);
		space_thin(&near, space, 1, &total->best);
		search_below(crew, &near, before, total, outcome_points_left(total, end));
		space_clear(&near);
	}
}

/* One element computes all, an iteration a step. */
static bool map_plainly(const struct mapping_problem *problem, struct mapping *mapping)
{
	*mapping = (struct mapping){ .depth = 0 };
	for (int l = 0; l < problem->model->loop_count; l++)
		mapping->part[l] = mapping->space[l] = 1;
	mapping_order(problem->model, problem->outer, mapping);
	mapping_stream(problem->model, problem->outer, mapping);
	for (int a = 0; a < problem->model->array_count; a++)
		mapping->holds[a] = mapping_hold(problem, a, bypasses(problem->model, &problem->outer->storage[a]) ?
			problem->outer->storage[a].store : mapping->holds[a].depth);
	return mapping_obeys(problem, mapping) && mapping_evaluate(problem->model, problem->machine, problem->outer, mapping);
}

/* The cost of SCHEDULE, evaluated, becomes that of it and MAPPING, evaluated too. */
static void weigh(const struct space *space, struct schedule *schedule, const struct mapping *mapping)
{
	const struct mapping_problem problem = elements_problem(space, schedule);
	struct mapping_cost cost = mapping_cost_of(&problem, mapping);

	add_computing(space, &(struct computing_cost){ .words = cost.words, .cycles = cost.cycles, .late = cost.late }, schedule);
}

/* Finds a good mapping of SCHEDULE, whose cost becomes that of both; adds to *POINTS. */
static bool map_schedule(const struct space *space, struct schedule *schedule, struct mapping *mapping, long *points)
{
	const struct mapping_problem problem = elements_problem(space, schedule);
	struct mapping_proof proof;
	bool found = mapping_search(&problem, &(struct mapping_sought){ INFINITY, MAPPING_LEAF_POINTS }, mapping, &proof);

	*points += proof.points;
	if (!found && !map_plainly(&problem, mapping))
		return false;
	weigh(space, schedule, mapping);
	return true;
}

/* Begins with the schedule that is best if elements cost nothing, and the best mapping of it. */
static void search_unpriced(struct crew *crew, const struct space *space, struct outcome *total, long limit)
{
	struct space plain = *space;
	struct prices bytes = { .byte = space->options->prices.byte, .command = space->options->prices.command };
	struct outcome best = { .found = false, .unmapped = INFINITY, .unsettled = INFINITY };

	plain.elements = NULL;
	space_forget_mirror(&plain);
	space_allow(&plain, NULL);
	if (bytes.byte <= 0)
		bytes = (struct prices){ .byte = 1 };
	plain.objective = objective_priced(RANK_SCHEDULES, &bytes, space->arch->max_rank == 1);
	run_search(crew, &plain, &best, limit);
	total->points = best.points;
	total->best = best.best;
	total->found = best.found && map_schedule(space, &total->best, &total->mapping, &total->points);
}

/* Looks for something better than TOTAL's best at random, with LIMIT points at most for all the WAYS to give arrays to memories. */
static void search_at_random(struct crew *crew, struct space *space, int ways, struct outcome *total, long limit)
{
	bool has_time = prices_have_time(&space->options->prices);
	long most = has_time ? TIMED_ANNEALING_POINTS : ANNEALING_POINTS, each;
	double worth = has_time ? 70 : 20;

	/* there are few ways to cut small loops */
	for (int l = 0; l < space->model->loop_count; l++)
		worth *= space->choice_count[l] + 1;
	limit = limit < most ? limit : most;
	limit = worth < (double)limit ? (long)worth : limit;
	each = limit / ways;
	/* one iteration is not cut in any way */
	if (space->model->loop_count == 0)
		return;
	for (int way = 0; way < ways && total->found && limit > 0; way++) {
		anneal(crew->trees[0], space, each, &total->best, &total->mapping);
		space_assign_next(space);
	}
	space_assign_first(space);
	total->points += limit;
}

/* Looks with few tile sizes, and a few mappings of each schedule, for something better than TOTAL's best; nothing in SPACE costs less
 * than BOUND.  At most LIMIT points more. */
static void look_from_below(struct crew *crew, struct space *space, double bound, struct outcome *total, long limit)
{
	static const int sizes[] = { 2, 4, 8 };

	double near = INFINITY;

	limit = limit < LOOK_POINTS ? limit : LOOK_POINTS;
	space->leaf_points = MAPPING_LOOK_POINTS;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct space thin;

		space_thin(&thin, space, sizes[i], NULL);
		search_upwards(crew, &thin, bound, 1.0 / 16, total, limit / 8);
		space_clear(&thin);
		/* not twice near the same */
		if (asked_of(space, total) < near)
			search_near(crew, space, total, limit / 8);
		near = asked_of(space, total);
	}
}

/* What has been shown of one way to give arrays to memories. */
struct way {
	double bound;                /* nothing costs less */
	double step;                 /* what costs so great a share more is to be looked at next; 0: no more is to be shown */
	long leaf_points;            /* of each of its schedules so many mappings, at most */
	double cut;                  /* the last search did not show more than this, for some mappings of it */
};

/* Searches SPACE, whose arrays lie as WAY has it, for what costs a step more than its bound, which rises.  Of schedules whose mappings were not
 * all looked at more are the next time, if that helps; where points are too few the next step is smaller.  At most LIMIT points more, or three
 * quarters of them where more steps follow. */
static void raise_bound(struct crew *crew, struct space *space, struct way *way, struct outcome *total, long limit)
{
	enum { LEAF_GROWTH = 8 };
	/* where time has a price points show little more in the end */
	const double least_step = prices_have_time(&space->options->prices) ? 1.0 / 64 : 1.0 / 256;
	double best = asked_of(space, total), below = way->bound * (1 + way->step);
	struct reached reached;

	/* little is left to the best */
	below = below * (1 + 1.0 / 64) < best ? below : best;
	space->leaf_points = way->leaf_points;
	reached = search_below(crew, space, below, total, below < best ? limit - limit / 4 : limit);
	way->bound = fmax(way->bound, reached.bound);
	if (reached.is_spent) {
		way->step = way->step > least_step ? way->step / 2 : 0;
	} else if (reached.is_cut && reached.bound > way->cut && way->leaf_points < limit) {
		way->cut = reached.bound;
		way->leaf_points *= LEAF_GROWTH;
	} else if (below >= best) {
		way->step = 0;
	} else {
		/* what keeps the bound down stays: something better may still be found */
		way->step = reached.bound < below ? INFINITY : way->step * 2;
	}
}

/* Of COUNT WAYS that with the least bound, if something may be better than BEST there and there were points for it; COUNT: none. */
static int most_promising(const struct way *ways, int count, double best)
{
	int least = count;

	for (int w = 0; w < count; w++)
		if (ways[w].step > 0 && ways[w].bound < best && (least == count || ways[w].bound < ways[least].bound))
			least = w;
	return least;
}

/* Searches all COUNT ways to give SPACE's arrays to memories, in none of which something costs less than BOUND, for what is better than
 * TOTAL's best; with LIMIT points in all.  Returns what nothing costs less than. */
static double search_from_below(struct crew *crew, struct space *space, int count, double bound, struct outcome *total, long limit)
{
	struct way ways[MEMORY_ASSIGNMENTS];
	double least = INFINITY;
	long share = outcome_points_left(total, limit) / count;

	for (int w = 0; w < count; w++) {
		ways[w] = (struct way){ .bound = bound, .step = 1.0 / 128, .leaf_points = 8 * MAPPING_LEAF_POINTS, .cut = -INFINITY };
		look_from_below(crew, space, bound, total, share);
		space_assign_next(space);
	}
	for (int w; (w = most_promising(ways, count, asked_of(space, total))) < count && total->points < limit;) {
		space_assign_first(space);
		for (int i = 0; i < w; i++)
			space_assign_next(space);
		raise_bound(crew, space, &ways[w], total, outcome_points_left(total, limit));
	}
	space_assign_first(space);
	for (int w = 0; w < count; w++)
		least = fmin(least, ways[w].bound);
	return fmin(least, asked_of(space, total));
}

/* TOTAL's best, or its image if that is better among equals: the search has not looked at it. */
static void look_at_image(const struct space *space, struct outcome *total)
{
	struct schedule image = total->best;
	struct mapping mapping = total->mapping;

	if (!total->found || !space->mirrored)
		return;
	mirror_image(space, &image, &mapping);
	if (!schedule_evaluate(space->model, space->arch, &image) ||
		!mapping_evaluate(space->model, &space->arch->array, &image, &mapping))
		return;
	weigh(space, &image, &mapping);
	if (schedule_compare(space, &image, &total->best) >= 0)
		return;
	total->best = image;
	total->mapping = mapping;
}

/* Finds the best of SPACE together with how elements compute its tiles.  What they cost at least is known sooner than what
 * they cost: the best with that alone bounds all.  Each way to give arrays to memories is searched by itself. */
static void search_elements(struct crew *crew, struct space *space, struct outcome *total, long limit)
{
	struct outcome relaxed = { .found = false, .unmapped = INFINITY, .unsettled = INFINITY };
	double bound;
	bool is_all;
	int ways = space_assignments(space, &is_all);

	search_unpriced(crew, space, total, limit / 16);
	search_at_random(crew, space, ways, total, limit - limit / 4);
	space->is_relaxed = true;
	run_search(crew, space, &relaxed, limit / 4);
	space->is_relaxed = false;
	total->points += relaxed.points;
	if (!relaxed.found)
		return;
	bound = fmin(asked_of(space, &relaxed), relaxed.bound);
	space_assign_first(space);
	if (is_all)
		bound = search_from_below(crew, space, ways, bound, total, limit);
	look_at_image(space, total);
	total->is_complete = is_all && bound >= asked_of(space, total);
	total->bound = bound;
}

/* A search for what moves less than MOST, of which nothing is known. */
struct below {
	struct space space;
	struct crew crew;
	struct outcome total;
	double lower;                /* nothing moves less */
};

/* False if there is none, by the lower bound of MODEL; then there is nothing to end. */
static bool below_begin(struct below *below, const struct nest_model *model, const struct arch *arch, const struct search_options *options, long most)
{
	const char *argument;

	below->lower = (double)model_lower_bound(model, arch->scratchpad_bytes, &argument);
	if (below->lower >= (double)most)
		return false;
	space_init(&below->space, model, arch, options, options->buffering == BUFFERING_DOUBLE, below->lower);
	crew_init(&below->crew, options->threads, model);
	below->total = outcome_of_none(&below->space, (double)most, 0);
	return true;
}

static void below_end(struct below *below)
{
	crew_clear(&below->crew);
	space_clear(&below->space);
}

long search_bound(const struct nest_model *model, const struct arch *arch, const struct search_options *options, long most)
{
	long limit = options->effort > 0 ? options->effort : EXHAUSTIVE_POINTS;
	struct below below;
	double reached;

	if (!below_begin(&below, model, arch, options, most))
		return most;
	reached = ceil(search_upwards(&below.crew, &below.space, below.lower, 1.0 / 32, &below.total, limit) * (1 - 1e-12));
	below_end(&below);
	return reached >= (double)most ? most : (long)fmax(reached, below.lower);
}

bool search_excludes(const struct nest_model *model, const struct arch *arch, const struct search_options *options, long most)
{
	struct below below;
	bool is_all;

	if (!below_begin(&below, model, arch, options, most))
		return true;
	run_few_sizes(&below.crew, &below.space, space_assignments(&below.space, &is_all), &below.total, options->effort);
	if (below.total.best.depth < 0)
		search_ways(&below.crew, &below.space, space_assignments(&below.space, &is_all), &below.total, options->effort);
	below_end(&below);
	return is_all && below.total.is_complete && below.total.best.depth < 0;
}

/* ONE moves no more than OTHER, in no more commands. */
static bool moves_no_more(const struct schedule *one, const struct schedule *other)
{
	const struct crossing *mine = &one->cost.crossings[BOUNDARY_EXTERNAL], *its = &other->cost.crossings[BOUNDARY_EXTERNAL];

	return mine->bytes <= its->bytes && mine->commands <= its->commands;
}

/* Turns that save nothing are switched off: simpler code.  What saves bytes or commands stays though these have no price: who gives the schedule back
 * without saying that a loop runs forwards gets that. */
static void drop_turns(const struct space *space, struct schedule *schedule)
{
	const struct computing_cost computing = { .cycles = space->options->core_cycles };

	/* registers may be where loops turn */
	for (int l = 0; l < space->model->loop_count && !space->elements; l++) {
		struct schedule trial = *schedule;

		if (!schedule->is_serpentine[l] || space->options->serpentine[l] == 1)
			continue;
		trial.is_serpentine[l] = false;
		if (!schedule_evaluate(space->model, space->arch, &trial))
			continue;
		add_computing(space, &computing, &trial);
		if (moves_no_more(&trial, schedule) && objective_compare(&space->objective, &trial.cost, &schedule->cost) <= 0)
			*schedule = trial;
	}
}

/* The schedule that needs the least scratchpad of all those that fit ARCH. */
static bool search_memory(struct crew *crew, const struct nest_model *model,
	const struct arch *arch, const struct search_options *options, bool is_double,
	struct outcome *total)
{
	struct search_options patient = *options;
	struct space space;
	bool is_window_fixed = false, is_all;

	/* quick, and an interrupted search may need it to have anything */
	patient.interrupted = NULL;
	patient.elements = NULL;
	patient.prices = (struct prices){ 0 };
	space_init(&space, model, arch, &patient, is_double, -1);  /* traffic does not matter */
	space.is_minimal_memory = true;
	space.objective = objective_of(RANK_TO_FIT);
	for (int a = 0; a < model->array_count; a++)
		is_window_fixed = is_window_fixed || options->sliding[a] == 1;
	/* small tiles need least, but may leave gaps between windows that have to slide */
	for (int l = 0; l < model->loop_count && !is_window_fixed; l++)
		space_keep_small(&space, l);
	search_ways(crew, &space, space_assignments(&space, &is_all), total, EXHAUSTIVE_POINTS / 8);
	space_clear(&space);
	return total->found;
}

bool search_least_memory(const struct nest_model *model, const struct arch *arch,
	const struct search_options *options, long *smallest)
{
	const struct arch large = arch_unbounded(arch);
	struct outcome least = { .found = false, .unmapped = INFINITY, .unsettled = INFINITY };
	struct crew crew;

	crew_init(&crew, options->threads, model);
	if (search_memory(&crew, model, &large, options, options->buffering == BUFFERING_DOUBLE, &least))
		*smallest = least.best.scratchpad_bytes;
	crew_clear(&crew);
	return least.found;
}

/* What TOTAL, of a search that found something, has shown; no schedule moves less than LOWER bytes.
 * Where something else has a price, of bytes alone nothing else is known. */
static struct proof proof_of(const struct arch *arch, const struct search_options *options, const struct outcome *total,
	long lower)
{
	bool is_priced = prices_are_given(&options->prices);
	struct proof proof = { .is_optimal = total->is_complete, .points = total->points, .mapping = total->mapping,
		.bound_bytes = is_priced ? lower : total->best.total_bytes };
	const struct objective asked = objective_priced(RANK_ASKED, &options->prices, arch->max_rank == 1);

	proof.bound_priced = fmin(objective_value(&asked, &total->best.cost), fmin(total->unmapped, total->bound));
	if (!is_priced && (double)proof.bound_bytes > total->bound)
		proof.bound_bytes = (long)fmax(0, ceil(total->bound * (1 - 1e-12)));
	if (!total->is_complete || is_priced) {
		proof.bound_bytes = proof.bound_bytes > lower ? proof.bound_bytes : lower;
		proof.is_optimal = proof.bound_bytes >= total->best.total_bytes;
	}
	return proof;
}

/* What a search looks at where the user does not say it. */
static long usual_points(const struct search_options *options)
{
	const struct prices *prices = &options->prices;
	bool proves = options->elements && options->elements->proves;

	if (!options->elements)
		return prices_have_time(prices) ? CORE_POINTS : EXHAUSTIVE_POINTS;
	if (prices_have_time(prices))
		return proves ? TIMED_POINTS : TIMED_SAID_POINTS;
	return !proves || prices->delivered > 0 || prices->reduced > 0 ? DELIVERED_POINTS : ELEMENTS_POINTS;
}

/* The best with IS_DOUBLE buffers or not.  No schedule moves less than LOWER bytes. */
static bool search_buffering(const struct nest_model *model, const struct arch *arch,
	const struct search_options *options, bool is_double, long lower, struct schedule *best,
	struct proof *proof)
{
	/* what needs the least of several memories together may not fit one of them */
	const struct arch large = arch->memory_count ? *arch : arch_unbounded(arch);
	struct space space;
	struct outcome total = { .found = false, .unmapped = INFINITY, .unsettled = INFINITY }, least = total;
	struct crew crew;
	long limit = options->effort > 0 ? options->effort : usual_points(options);

	space_init(&space, model, arch, options, is_double, (double)lower);
	crew_init(&crew, options->threads, model);
	if (space.elements)
		search_elements(&crew, &space, &total, limit);
	else
		run_search(&crew, &space, &total, limit);
	if (!total.found && search_memory(&crew, model, &large, options, is_double, &least)) {
		proof->smallest = least.best.scratchpad_bytes;
		total.best = least.best;
		/* an unfinished search may not have come by it */
		total.found = schedule_evaluate(model, arch, &total.best);
	}
	if (total.found) {
		drop_turns(&space, &total.best);
		*best = total.best;
		*proof = proof_of(arch, options, &total, lower);
	}
	crew_clear(&crew);
	space_clear(&space);
	return total.found;
}

void schedule_double_what_fits(const struct nest_model *model, const struct arch *arch,
	const struct search_options *options, struct schedule *schedule)
{
	bool is_tried[MODEL_ARRAYS] = { false };

	for (;;) {
		struct schedule trial = *schedule;
		int most = -1;

		for (int a = 0; a < model->array_count; a++)
			if (!is_tried[a] && schedule->storage[a].store > 0 && (most < 0 ||
				schedule->storage[a].flow.commands >
				schedule->storage[most].flow.commands))
				most = a;
		if (most < 0)
			return;
		is_tried[most] = true;
		trial.storage[most].is_double = true;
		if (options->doubled[most] != 0 && trial.storage[most].store > options->shared_loops &&
			schedule_evaluate(model, arch, &trial)) {
			trial.cost.computing_price = schedule->cost.computing_price;
			trial.cost.cycles = schedule->cost.cycles;
			*schedule = trial;
		}
	}
}

static bool search_with_buffers(const struct nest_model *model, const struct arch *arch,
	const struct search_options *options, struct schedule *best, struct proof *proof)
{
	bool is_double = options->buffering == BUFFERING_DOUBLE;
	struct objective asked = objective_priced(RANK_ASKED, &options->prices, arch->max_rank == 1);
	struct schedule overlapped;
	struct proof other = { .points = 0 };
	const char *argument;
	long lower = model_lower_bound(model, arch->scratchpad_bytes, &argument);

	if (!search_buffering(model, arch, options, is_double, lower, best, proof))
		return false;
	if (options->buffering != BUFFERING_AUTO)
		return true;
	/* arrays that are worth it are double */
	if (prices_have_time(&options->prices)) {
		schedule_double_what_fits(model, arch, options, best);
		return true;
	}
	if (search_buffering(model, arch, options, true, lower, &overlapped, &other) &&
		objective_compare(&asked, &overlapped.cost, &best->cost) == 0) {
		proof->points += other.points;
		*best = overlapped;
	} else {
		schedule_double_what_fits(model, arch, options, best);
	}
	return true;
}

bool search_schedule(const struct nest_model *model, const struct arch *arch,
	const struct search_options *options, struct schedule *best, struct proof *proof)
{
	double start = processor_seconds();
	bool found;

	memset(best, 0, sizeof *best);
	*proof = (struct proof){ .points = 0 };
	found = search_with_buffers(model, arch, options, best, proof);
	proof->seconds = processor_seconds() - start;
	return found;
}
