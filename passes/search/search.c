#include "passes/search/search.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "passes/search/search_tree.h"
#include "support/memory.h"
#include "support/seconds.h"

/* search_schedule: sets up the space, finds a good schedule with few tile sizes,
 * and proves or improves it with all of them. */

enum { ROUND_TASKS = 32, MAX_THREADS = 64, FIRST_SHARE = 30000, SHARE_GROWTH = 8 };

/* Points after which an exhaustive search gives up; its gap is reported. */
static const long EXHAUSTIVE_POINTS = 80000000;
/* Points after which a search ends whose best moves no more than the lower bound: it looks for
 * fewer commands only. */
static const long TIE_POINTS = 1000000;

void search_options_init(struct search_options *options)
{
	memset(options, 0, sizeof *options);
	options->threads = 1;
	for (int a = 0; a < MODEL_ARRAYS; a++)
		options->store[a] = options->sliding[a] = options->doubled[a] = -1;
	for (int l = 0; l < MODEL_LOOPS; l++)
		options->serpentine[l] = -1;
}

/* ---- the space ---- */

/* The next smaller size that cuts EXTENT into another number of tiles; 0: none. */
static long next_tile(long extent, long tile)
{
	return tile == 1 ? 0 : tile_count(extent, tile_count(extent, tile - 1));
}

/* The user wants LOOP cut into tiles: of a size, in an order, or walked to and fro. */
static bool is_tiled_by_constraint(const struct space *space, int loop)
{
	const struct model_loop *at = &space->model->loops[loop];
	bool is_wanted = at->tile > 0 || space->options->serpentine[loop] == 1;

	for (int i = 0; i < space->options->order_count && space->options->has_fixed_order; i++)
		is_wanted = is_wanted || space->options->order[i] == loop;
	return is_wanted && at->extent > 1 && at->tile < at->extent;
}

/* The sizes that cut EXTENT into as many tiles as TILE does, the least that does, and are multiples
 * of a power of two up to GRANULE, the largest of these sizes first: the least multiple of each power,
 * if CHOICES are given.  Returns how many they are. */
static int add_multiples(struct tile_choice *choices, long extent, long tile, long granule)
{
	long count = tile_count(extent, tile), last = 0;
	int added = 0;

	for (; granule > 0; granule /= 2) {
		long size = (tile + granule - 1) / granule * granule;

		if (size >= extent || size == last || tile_count(extent, size) != count)
			continue;
		if (choices != NULL)
			choices[added] = (struct tile_choice){ size, count };
		added++;
		last = size;
	}
	return added;
}

/* The sizes that cut LOOP into several tiles, the largest first: of those that cut it into as many
 * the least, and the least for each alignment that larger ones may have. */
static void add_choices(struct space *space, int loop)
{
	const struct model_loop *at = &space->model->loops[loop];
	struct tile_choice *choices;
	long granule = loop_granule(space->model, loop);
	int count = 0, all = 0;

	space->is_tiled[loop] = is_tiled_by_constraint(space, loop);
	if (at->extent == 1 || at->tile >= at->extent)
		return;
	if (at->tile > 0) {
		space->choices[loop] = choices = memory_alloc(sizeof *choices);
		choices[0] = (struct tile_choice){ at->tile, tile_count(at->extent, at->tile) };
		space->choice_count[loop] = 1;
		return;
	}
	for (long tile = (at->extent + 1) / 2; tile > 0; tile = next_tile(at->extent, tile))
		count += add_multiples(NULL, at->extent, tile, granule);
	space->choices[loop] = choices = memory_alloc((size_t)count * sizeof *choices);
	for (long tile = (at->extent + 1) / 2; tile > 0; tile = next_tile(at->extent, tile))
		all += add_multiples(choices + all, at->extent, tile, granule);
	for (int i = 0; i < all; i++)
		if (!space->options->divides || at->extent % choices[i].tile == 0)
			choices[space->choice_count[loop]++] = choices[i];
}

/* The largest dimension first that shares no loop with those before. */
static void count_dims(struct space *space, int a)
{
	const struct model_array *array = &space->model->arrays[a];
	bool is_used[MODEL_LOOPS] = { false };

	for (int taken = 0; taken < array->rank; taken++) {
		int next = -1;

		for (int d = 0; d < array->rank; d++) {
			bool is_free = !space->is_counted[a][d];

			for (int l = 0; l < space->model->loop_count; l++)
				is_free = is_free && (array->dims[d].coefficient[l] == 0 || !is_used[l]);
			if (is_free && (next < 0 || space->distinct[a][d] > space->distinct[a][next]))
				next = d;
		}
		if (next < 0)
			return;
		space->is_counted[a][next] = true;
		for (int l = 0; l < space->model->loop_count; l++)
			is_used[l] = is_used[l] || array->dims[next].coefficient[l] > 0;
	}
}

/* The most that all windows together have outside [0, LIMIT) where they begin at 0, STEP, 2 STEP
 * ... from a border, LENGTH elements before it. */
static double outside(double length, double step)
{
	double count = ceil(length / step);

	return length > 0 ? count * length - step * count * (count - 1) / 2 : 0;
}

/* What clipping takes at most from the sum of dimension D of array A over all tiles, whatever
 * these are.  The loop with gaps has tiles that begin, and end, at different iterations; of the
 * others no more than all iterations are tiles. */
static double clipped_away(const struct space *space, int a, int d)
{
	const struct model_dim *dim = &space->model->arrays[a].dims[d];
	int gap = space->gap_loop[a][d];
	double end = (double)dim->window, others = 1, step;

	if (gap < 0 || dim->clip_high == 0)
		return 0;
	step = (double)dim->coefficient[gap];
	for (int l = 0; l < space->model->loop_count; l++) {
		double extent = (double)space->model->loops[l].extent;

		end += (double)dim->coefficient[l] * (extent - 1);
		if (l != gap && dim->coefficient[l] > 0)
			others *= extent;
	}
	return others * (outside((double)dim->clip_low, step)
		+ outside(end - (double)dim->clip_high, step));
}

static void add_array(struct space *space, int a)
{
	const struct model_array *array = &space->model->arrays[a];

	space->visit_bytes[a] = array->is_written ? 2 * array->element_bytes :
		array->is_read ? array->element_bytes : 0;
	space->first_bytes[a] = array->is_written ?
		(array->is_created + array->is_dropped) * array->element_bytes : 0;
	space->is_apart[a] = true;
	for (int d = 0; d < array->rank; d++) {
		int loops = 0;

		space->gap_loop[a][d] = NO_GAPS;
		space->distinct[a][d] = (double)dim_elements(space->model, &array->dims[d],
			array->dims[d].window);
		for (int l = 0; l < space->model->loop_count; l++)
			if (array->dims[d].coefficient[l] > 0) {
				loops++;
				space->is_apart[a] = space->is_apart[a] &&
					array->dims[d].window <= array->dims[d].coefficient[l];
				if (array->dims[d].coefficient[l] > array->dims[d].window &&
					space->model->loops[l].extent > 1)
					space->gap_loop[a][d] = space->gap_loop[a][d] == NO_GAPS ? l :
						MANY_GAPS;
			}
		space->clipped_away[a][d] = clipped_away(space, a, d);
		space->is_apart[a] = space->is_apart[a] && loops <= 1;
	}
	space->is_clipped[a] = array_is_clipped(array);
	count_dims(space, a);
	for (int l = 0; l < space->model->loop_count; l++) {
		int dims = 0;

		for (int d = 0; d < array->rank; d++)
			dims += array->dims[d].coefficient[l] > 0;
		space->is_coupled[a] = space->is_coupled[a] || dims > 1;
		if (dims > 0) {
			space->indexed[a] |= 1u << l;
			space->indexing[l] |= 1u << a;
		}
	}
}

/* Arrays that can change places without a difference. */
static bool are_twins(const struct space *space, int one, int other)
{
	const struct search_options *options = space->options;
	struct model_array a = space->model->arrays[one], b = space->model->arrays[other];

	a.name = b.name = NULL;
	for (int d = 0; d < a.rank && a.rank == b.rank; d++)
		if (a.dims[d].window != b.dims[d].window ||
			a.dims[d].clip_low != b.dims[d].clip_low ||
			a.dims[d].clip_high != b.dims[d].clip_high ||
			((a.dims[d].clip_high > 0 || a.align_bytes > 1) &&
			a.dims[d].negative != b.dims[d].negative) ||
			a.dims[d].step_bytes != b.dims[d].step_bytes ||
			memcmp(a.dims[d].coefficient, b.dims[d].coefficient,
				sizeof a.dims[d].coefficient) != 0)
			return false;
	return a.rank == b.rank && a.element_bytes == b.element_bytes &&
		a.is_read == b.is_read && a.is_written == b.is_written &&
		a.is_created == b.is_created && a.is_dropped == b.is_dropped &&
		a.anchored == b.anchored && a.align_bytes == b.align_bytes &&
		a.first_bytes == b.first_bytes && a.align_rank == b.align_rank &&
		options->store[one] == options->store[other] &&
		options->min_store[one] == options->min_store[other] &&
		options->slots[one] == options->slots[other] &&
		options->held[one] == options->held[other] &&
		options->doubled[one] == options->doubled[other] &&
		options->sliding[one] == options->sliding[other];
}

static void space_init(struct space *space, const struct nest_model *model,
	const struct arch *arch, const struct search_options *options, bool is_double,
	double least_traffic)
{
	memset(space, 0, sizeof *space);
	space->model = model;
	space->arch = arch;
	space->options = options;
	space->is_double = is_double;
	space->granule = (double)arch_granule_bytes(arch);
	space->capacity = (double)(arch->exclusive ? arch_granule_bytes(arch) * arch->banks :
		arch->scratchpad_bytes);
	space->least_traffic = least_traffic;
	for (int l = 0; l < model->loop_count; l++) {
		space->may_turn[l] = !model->loops[l].is_forward && options->serpentine[l] != 0;
		add_choices(space, l);
	}
	for (int a = 0; a < model->array_count; a++) {
		add_array(space, a);
		space->held |= (unsigned)options->held[a] << a;
	}
	for (int a = 0; a < model->array_count; a++) {
		space->twin[a] = -1;
		for (int b = 0; b < a; b++)
			if (are_twins(space, b, a))
				space->twin[a] = b;
	}
}

static void space_clear(struct space *space)
{
	for (int l = 0; l < space->model->loop_count; l++)
		free(space->choices[l]);
}

/* SPACE with at most COUNT sizes a loop, or those within COUNT places of SCHEDULE's. */
static void space_thin(struct space *thin, const struct space *space, int count,
	const struct schedule *schedule)
{
	*thin = *space;
	for (int l = 0; l < space->model->loop_count; l++) {
		int all = space->choice_count[l], used = 0, here = all - 1;

		thin->choices[l] = memory_alloc((size_t)all * sizeof **thin->choices);
		while (schedule != NULL && here > 0 &&
			space->choices[l][here].tile < schedule->tile[l])
			here--;
		for (int i = 0; i < all; i++)
			if (schedule != NULL ? abs(i - here) <= count :
				i == 0 || i == all - 1 || i * count / all != (i - 1) * count / all)
				thin->choices[l][used++] = space->choices[l][i];
		thin->choice_count[l] = used;
	}
}

/* ---- running the tree ---- */

static bool is_interrupted(const struct search_options *options)
{
	return options->interrupted != NULL && *options->interrupted;
}

struct outcome {
	struct schedule best;
	bool found, is_complete;
	long points;
	double bound;                /* of what is not searched; INFINITY: nothing */
};

struct job {
	const struct space *space;
	struct tree *tree;
	const struct task *tasks;
	struct outcome *outcomes;    /* one a task of the round */
	int first, step, count;
	struct point_limits limits;
};

static void *run_job(void *argument)
{
	struct job *job = argument;

	for (int i = job->first; i < job->count; i += job->step) {
		struct outcome *outcome = &job->outcomes[i];

		outcome->is_complete = tree_search(job->tree, job->space, &job->tasks[i],
			&outcome->best, &outcome->found, &outcome->points, job->limits);
	}
	return NULL;
}

struct progress {
	double next;                 /* when to show it again, seconds */
	bool is_shown;
};

/* The threads of a search, each with its own path.  Most searches are over before another thread has
 * begun: the first points are looked at by one. */
struct crew {
	int count;
	const struct nest_model *model;
	struct tree *trees[MAX_THREADS];     /* NULL: it has had nothing to do yet */
	long points_alone;           /* that one has looked at */
};

static void crew_init(struct crew *crew, int threads, const struct nest_model *model)
{
	*crew = (struct crew){ .count = threads < 1 ? 1 : threads > MAX_THREADS ? MAX_THREADS : threads,
		.model = model };
	crew->trees[0] = tree_new(model);
}

static void crew_clear(struct crew *crew)
{
	for (int t = 0; t < crew->count; t++)
		if (crew->trees[t])
			tree_free(crew->trees[t]);
}

/* The first tasks of JOB, until it is worth while to share; the rest is left in it. */
static void run_alone(struct crew *crew, struct job *job)
{
	enum { ALONE_POINTS = 50000 };

	for (; job->first < job->count && crew->points_alone < ALONE_POINTS; job->first++) {
		struct job one = *job;

		one.count = one.first + 1;
		run_job(&one);
		crew->points_alone += job->outcomes[job->first].points;
	}
}

/* JOB, which CREW's threads share. */
static void run_shared(struct crew *crew, const struct job *job)
{
	pthread_t others[MAX_THREADS];
	struct job jobs[MAX_THREADS];
	bool started[MAX_THREADS] = { false };

	for (int t = 0; t < crew->count; t++) {
		if (!crew->trees[t])
			crew->trees[t] = tree_new(crew->model);
		jobs[t] = *job;
		jobs[t].tree = crew->trees[t];
		jobs[t].first += t;
		jobs[t].step = crew->count;
		if (t > 0)
			started[t] = pthread_create(&others[t], NULL, run_job, &jobs[t]) == 0;
	}
	run_job(&jobs[0]);
	for (int t = 1; t < crew->count; t++)
		if (started[t])
			pthread_join(others[t], NULL);
		else
			run_job(&jobs[t]);
}

/* COUNT tasks, each from the same best so far, so that their results do not depend
 * on which thread runs them when.  Those not finished within LIMITS go back to
 * the front of TASKS; returns their number. */
static int run_round(struct crew *crew, const struct space *space, struct task *tasks,
	int count, struct point_limits limits, struct outcome *total)
{
	struct outcome outcomes[ROUND_TASKS];
	struct job job = { space, crew->trees[0], tasks, outcomes, 0, 1, count, limits };
	int left = 0;

	for (int i = 0; i < count; i++)
		outcomes[i] = *total;
	run_alone(crew, &job);
	if (job.first < job.count)
		run_shared(crew, &job);
	for (int i = 0; i < count; i++) {
		total->points += outcomes[i].points;
		if (outcomes[i].found && (!total->found ||
			schedule_compare(space, &outcomes[i].best, &total->best) < 0)) {
			total->best = outcomes[i].best;
			total->found = true;
		}
		if (!outcomes[i].is_complete)
			tasks[left++] = tasks[i];
	}
	return left;
}

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A line on the terminal that writes over itself, of searches of more than a second.
 * LEFT of COUNT subtrees are open; all LEFT -1: the end. */
static void show_progress(const struct space *space, struct progress *progress,
	const struct outcome *total, int left, int count)
{
	double now;

	if (!space->options->show_progress)
		return;
	now = seconds_now();
	if (left < 0 && progress->is_shown)
		fputs("\r\033[K", stderr);
	if (left < 0 || now < progress->next)
		return;
	progress->next = now + 0.2;
	progress->is_shown = true;
	fprintf(stderr, "\rsearch: ");
	if (total->found)
		fprintf(stderr, "best %ld bytes, ", total->best.total_bytes);
	fprintf(stderr, "no less than %ld, %.0f %% of the space closed\033[K",
		(long)space->least_traffic, 100.0 * (count - left) / count);
	fflush(stderr);
}

static void start_progress(const struct space *space, struct progress *progress)
{
	*progress = (struct progress){ .is_shown = false };
	if (!space->options->show_progress)
		return;
	progress->next = seconds_now() + 1;
}

/* Points left of LIMIT, of all since the search began. */
static long points_left(const struct outcome *total, long limit)
{
	return limit > total->points ? limit - total->points : 0;
}

/* Nothing moves less than the best: what is left is to look among equals. */
static bool is_least(const struct space *space, const struct outcome *total)
{
	return total->found && (double)total->best.total_bytes <= space->least_traffic;
}

/* Whether the search may go on to LIMIT, or among equals as far as these are looked for. */
static bool has_points(const struct space *space, const struct outcome *total, long limit)
{
	return points_left(total, is_least(space, total) && TIE_POINTS < limit ? TIE_POINTS : limit)
		> 0;
}

/* What each of SIZE tasks may look at, of which SHARE is the share so far. */
static struct point_limits limits_of(const struct outcome *total, long limit, long share, int size)
{
	long all = points_left(total, limit) / size + 1, equals = points_left(total,
		limit < TIE_POINTS ? limit : TIE_POINTS) / size + 1;

	all = share < all ? share : all;
	return (struct point_limits){ all, equals < all ? equals : all };
}

/* Searches all of SPACE for something better than TOTAL's best, with at most about
 * LIMIT points more.  A task that is not finished with its share begins anew in the
 * next pass with one so much larger that what was lost does not matter. */
static void run_tree(struct crew *crew, const struct space *space, struct outcome *total,
	long limit)
{
	struct progress progress;
	int count, all;
	struct task *tasks = tree_tasks(crew->trees[0], space, &count);

	all = count;
	start_progress(space, &progress);
	limit += total->points;
	for (long share = FIRST_SHARE; count > 0; share *= SHARE_GROWTH) {
		int left = 0;

		if (!has_points(space, total, limit) || is_interrupted(space->options))
			break;
		for (int done = 0; done < count; done += ROUND_TASKS) {
			int size = count - done < ROUND_TASKS ? count - done : ROUND_TASKS, kept = size;

			if (has_points(space, total, limit))
				kept = run_round(crew, space, tasks + done, size,
					limits_of(total, limit, share, size), total);
			memmove(tasks + left, tasks + done, (size_t)kept * sizeof *tasks);
			left += kept;
			show_progress(space, &progress, total, left + count - done - size, all);
		}
		count = left;
	}
	show_progress(space, &progress, total, -1, all);
	total->is_complete = count == 0;
	total->bound = INFINITY;
	for (int i = 0; i < count; i++)
		total->bound = fmin(total->bound, tree_bound(crew->trees[0], space, &tasks[i]));
	free(tasks);
}

static void run_thinned(struct crew *crew, const struct space *space, int count, bool is_near,
	struct outcome *total, long limit)
{
	struct space thin;

	if (is_near && !total->found)
		return;
	space_thin(&thin, space, count, is_near ? &total->best : NULL);
	run_tree(crew, &thin, total, limit);
	space_clear(&thin);
}

/* Finds the best of SPACE.  The first rounds only serve to start the last one, which
 * looks at everything, from a good schedule. */
static void run_search(struct crew *crew, const struct space *space, struct outcome *total,
	long limit)
{
	static const int sizes[] = { 2, 4, 8 };

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		run_thinned(crew, space, sizes[i], false, total, limit / 16);
		run_thinned(crew, space, 1, true, total, limit / 16);
	}
	run_tree(crew, space, total, points_left(total, limit));
}

/* Turns that save nothing are switched off: simpler code. */
static void drop_turns(const struct space *space, struct schedule *schedule)
{
	for (int l = 0; l < space->model->loop_count; l++) {
		struct schedule trial = *schedule;

		if (!schedule->is_serpentine[l] || space->options->serpentine[l] == 1)
			continue;
		trial.is_serpentine[l] = false;
		if (schedule_evaluate(space->model, space->arch, &trial) &&
			trial.total_bytes == schedule->total_bytes &&
			schedule_commands(space->model, &trial) <= schedule_commands(space->model, schedule))
			*schedule = trial;
	}
}

/* Of the sizes of LOOP the least for each alignment that larger ones may have. */
static void keep_small(struct space *space, int loop)
{
	long granule = loop_granule(space->model, loop);
	struct tile_choice *choices = space->choices[loop];
	int all = space->choice_count[loop], kept = 0;

	for (int i = 0; i < all; i++)
		if (i == all - 1 ||
			(choices[i].tile <= granule && (choices[i].tile & (choices[i].tile - 1)) == 0))
			choices[kept++] = choices[i];
	space->choice_count[loop] = kept;
}

/* The schedule that needs the least scratchpad of all. */
static bool search_memory(struct crew *crew, const struct nest_model *model,
	const struct arch *arch, const struct search_options *options, bool is_double,
	struct outcome *total)
{
	struct arch large = *arch;
	struct search_options patient = *options;
	struct space space;
	bool is_window_fixed = false;

	/* quick, and an interrupted search may need it to have anything */
	patient.interrupted = NULL;
	large.banks = 1 << 30;
	large.scratchpad_bytes = arch->exclusive ? arch_granule_bytes(arch) * large.banks :
		LONG_MAX / 4;
	space_init(&space, model, &large, &patient, is_double, -1);  /* traffic does not matter */
	space.is_minimal_memory = true;
	for (int a = 0; a < model->array_count; a++)
		is_window_fixed = is_window_fixed || options->sliding[a] == 1;
	/* small tiles need least, but may leave gaps between windows that have to slide */
	for (int l = 0; l < model->loop_count && !is_window_fixed; l++)
		keep_small(&space, l);
	run_tree(crew, &space, total, EXHAUSTIVE_POINTS / 8);
	space_clear(&space);
	return total->found;
}

/* What SCHEDULE needs: bytes, or banks where ARCH has them for one array each. */
static long scratchpad_of(const struct arch *arch, const struct schedule *schedule)
{
	return arch->exclusive ? schedule->scratchpad_bytes / arch_granule_bytes(arch)
		: schedule->scratchpad_bytes;
}

bool search_least_memory(const struct nest_model *model, const struct arch *arch,
	const struct search_options *options, long *smallest)
{
	struct outcome least = { .found = false };
	struct crew crew;

	crew_init(&crew, options->threads, model);
	if (search_memory(&crew, model, arch, options, options->buffering == BUFFERING_DOUBLE, &least))
		*smallest = scratchpad_of(arch, &least.best);
	crew_clear(&crew);
	return least.found;
}

/* The best with IS_DOUBLE buffers or not; *SMALLEST as search_schedule says.  No schedule moves less
 * than LOWER bytes. */
static bool search_buffering(const struct nest_model *model, const struct arch *arch,
	const struct search_options *options, bool is_double, long lower, struct schedule *best,
	long *smallest)
{
	struct space space;
	struct outcome total = { .found = false };
	struct crew crew;
	long limit = options->effort > 0 ? options->effort : EXHAUSTIVE_POINTS;

	space_init(&space, model, arch, options, is_double, (double)lower);
	crew_init(&crew, options->threads, model);
	run_search(&crew, &space, &total, limit);
	if (!total.found) {
		struct outcome least = { .found = false };

		*smallest = 0;
		if (search_memory(&crew, model, arch, options, is_double, &least)) {
			*smallest = scratchpad_of(arch, &least.best);
			total.best = least.best;
			/* an unfinished search may not have come by it */
			total.found = schedule_evaluate(model, arch, &total.best);
		}
	}
	if (total.found) {
		drop_turns(&space, &total.best);
		*best = total.best;
		best->is_optimal = total.is_complete;
		best->bound_bytes = best->total_bytes;
		if ((double)best->bound_bytes > total.bound)
			best->bound_bytes = (long)fmax(0, ceil(total.bound * (1 - 1e-12)));
		if (!total.is_complete) {
			best->bound_bytes = best->bound_bytes > lower ? best->bound_bytes : lower;
			best->is_optimal = best->bound_bytes >= best->total_bytes;
		}
		best->points = total.points;
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
				schedule->storage[a].commands > schedule->storage[most].commands))
				most = a;
		if (most < 0)
			return;
		is_tried[most] = true;
		trial.storage[most].is_double = true;
		if (options->doubled[most] != 0 && trial.storage[most].store > options->shared_loops &&
			schedule_evaluate(model, arch, &trial))
			*schedule = trial;
	}
}

static bool search_with_buffers(const struct nest_model *model, const struct arch *arch,
	const struct search_options *options, struct schedule *best, long *smallest)
{
	bool is_double = options->buffering == BUFFERING_DOUBLE;
	struct schedule overlapped;
	const char *argument;
	long lower = model_lower_bound(model, arch->scratchpad_bytes, &argument), unused;

	if (!search_buffering(model, arch, options, is_double, lower, best, smallest))
		return false;
	if (options->buffering != BUFFERING_AUTO)
		return true;
	if (search_buffering(model, arch, options, true, lower, &overlapped, &unused) &&
		overlapped.total_bytes == best->total_bytes) {
		overlapped.is_optimal = best->is_optimal;
		overlapped.bound_bytes = best->bound_bytes;
		overlapped.points += best->points;
		*best = overlapped;
	} else {
		schedule_double_what_fits(model, arch, options, best);
	}
	return true;
}

bool search_schedule(const struct nest_model *model, const struct arch *arch,
	const struct search_options *options, struct schedule *best, long *smallest)
{
	double start = processor_seconds();
	bool found;

	memset(best, 0, sizeof *best);
	found = search_with_buffers(model, arch, options, best, smallest);
	best->seconds = processor_seconds() - start;
	return found;
}
