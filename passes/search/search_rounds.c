/* Searches a space task by task: in rounds that threads share, so that the result does not depend on
 * them, and with larger and larger shares of what points there are. */

#include "passes/search/search_rounds.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "passes/search/search.h"
#include "passes/search/search_tree.h"

enum { ROUND_TASKS = 32, FIRST_SHARE = 30000, SHARE_GROWTH = 8 };
/* Where each leaf is a search of its own: all tasks are looked at soon. */
enum { FIRST_SHARE_OF_ELEMENTS = 2000, SHARE_GROWTH_OF_ELEMENTS = 4 };

/* Points after which a search ends whose best moves no more than the lower bound: it looks for
 * fewer commands only. */
static const long TIE_POINTS = 1000000;

static bool is_interrupted(const struct search_options *options)
{
	return options->interrupted != NULL && *options->interrupted;
}

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
		tree_search(job->tree, job->space, &job->tasks[i], &job->outcomes[i], job->limits);
	}
	return NULL;
}

struct progress {
	double next;                 /* when to show it again, seconds */
	bool is_shown;
};

void crew_init(struct crew *crew, int threads, const struct nest_model *model)
{
	*crew = (struct crew){ .count = threads < 1 ? 1 : threads > MAX_THREADS ? MAX_THREADS : threads,
		.model = model };
	crew->trees[0] = tree_new(model);
}

void crew_clear(struct crew *crew)
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
		total->unmapped = fmin(total->unmapped, outcomes[i].unmapped);
		total->unsettled = fmin(total->unsettled, outcomes[i].unsettled);
		if (outcomes[i].found && (!total->found ||
			schedule_compare(space, &outcomes[i].best, &total->best) < 0)) {
			total->best = outcomes[i].best;
			total->mapping = outcomes[i].mapping;
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
		(long)objective_value(&space->objective, &space->least), 100.0 * (count - left) / count);
	fflush(stderr);
}

static void start_progress(const struct space *space, struct progress *progress)
{
	*progress = (struct progress){ .is_shown = false };
	if (!space->options->show_progress)
		return;
	progress->next = seconds_now() + 1;
}

long outcome_points_left(const struct outcome *total, long limit)
{
	return limit > total->points ? limit - total->points : 0;
}

/* Nothing is less than the best in what is asked: what is left is to look among equals. */
static bool is_least(const struct space *space, const struct outcome *total)
{
	return total->found && objective_value(&space->objective, &total->best.cost)
		<= objective_value(&space->objective, &space->least);
}

/* Whether the search may go on to LIMIT, or among equals as far as these are looked for. */
static bool has_points(const struct space *space, const struct outcome *total, long limit)
{
	return outcome_points_left(total, is_least(space, total) && TIE_POINTS < limit ? TIE_POINTS : limit)
		> 0;
}

/* What each of SIZE tasks may look at, of which SHARE is the share so far. */
static struct point_limits limits_of(const struct outcome *total, long limit, long share, int size)
{
	long all = outcome_points_left(total, limit) / size + 1, equals = outcome_points_left(total,
		limit < TIE_POINTS ? limit : TIE_POINTS) / size + 1;

	all = share < all ? share : all;
	return (struct point_limits){ all, equals < all ? equals : all };
}

/* Searches all of SPACE for something better than TOTAL's best, with at most about
 * LIMIT points more.  A task that is not finished with its share begins anew in the
 * next pass with one so much larger that what was lost does not matter. */
void crew_search(struct crew *crew, const struct space *space, struct outcome *total,
	long limit)
{
	struct progress progress;
	int count, all;
	struct task *tasks = tree_tasks(crew->trees[0], space, &count);

	all = count;
	start_progress(space, &progress);
	limit += total->points;
	long share = space->elements ? FIRST_SHARE_OF_ELEMENTS : FIRST_SHARE;
	for (; count > 0; share *= space->elements ? SHARE_GROWTH_OF_ELEMENTS : SHARE_GROWTH) {
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
