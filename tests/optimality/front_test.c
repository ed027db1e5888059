/* Pareto fronts of random small nests against trying every schedule: the same points, in
 * whole or, with few searches, some of them, and nothing is missed that is said to have
 * been searched. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "passes/studies/front.h"
#include "tests/optimality/exhaust.h"

struct problem {
	struct nest_model model;
	struct arch arch;
	struct search_options options;
	long granule, capacity;
	long *traffic_in;            /* [bytes]: by brute force, LONG_MAX where none */
	int searches;
};

/* Whether some iteration touches an element of DIM that exists; the other loops' iterations
 * from LOOP on are still to be added to FIRST. */
static bool touches_any(const struct nest_model *model, const struct model_dim *dim, int loop,
	long first)
{
	if (dim->clip_high == 0)
		return true;
	if (loop == model->loop_count)
		return first < dim->clip_high && first + dim->window > dim->clip_low;
	for (long i = 0; i < model->loops[loop].extent; i++)
		if (touches_any(model, dim, loop + 1, first + dim->coefficient[loop] * i))
			return true;
	return false;
}

/* Borders that leave nothing of an array are those of no program. */
static void drop_empty_borders(struct nest_model *model)
{
	for (int a = 0; a < model->array_count; a++)
		for (int d = 0; d < model->arrays[a].rank; d++) {
			struct model_dim *dim = &model->arrays[a].dims[d];
			if (!touches_any(model, dim, 0, 0))
				dim->clip_low = dim->clip_high = 0;
		}
}

static void random_problem(struct random_source *source, bool restricts, struct problem *problem)
{
	*problem = (struct problem){ .granule = 1 };
	random_model(source, 3, 8, &problem->model);
	drop_empty_borders(&problem->model);
	problem->arch = (struct arch){ .banks = 1, .align_bytes = 1 << random_below(source, 2) };
	problem->arch.scratchpad_bytes = problem->arch.align_bytes * (16 + random_below(source, 600));
	problem->granule = problem->arch.align_bytes;
	if (random_below(source, 3) == 0) {
		problem->arch.exclusive = true;
		problem->arch.banks = 2 + (int)random_below(source, 12);
		problem->granule = 4 + random_below(source, 30);
		problem->arch.align_bytes = 1;
		problem->arch.scratchpad_bytes = problem->arch.banks * problem->granule;
	}
	problem->capacity = problem->arch.scratchpad_bytes;
	search_options_init(&problem->options);
	problem->options.prefers_memory = true;
	for (int l = 0; l < problem->model.loop_count && restricts; l++)
		problem->options.serpentine[l] = 0;
	problem->options.divides = restricts;
}

static void solve_by_force(struct problem *problem)
{
	struct exhausted all;
	problem->traffic_in = malloc((size_t)(problem->capacity + 1) * sizeof *problem->traffic_in);
	assert_non_null(problem->traffic_in);
	for (long bytes = 0; bytes <= problem->capacity; bytes++)
		problem->traffic_in[bytes] = LONG_MAX;
	all.traffic_in = problem->traffic_in;
	exhaust(&problem->model, &problem->arch, &problem->options, false, &all);
}

static bool search(void *user, long capacity, struct front_point *point)
{
	struct problem *problem = user;
	struct arch arch = problem->arch;
	struct schedule best;
	struct proof proof;
	problem->searches++;
	arch.scratchpad_bytes = capacity;
	if (arch.exclusive)
		arch.banks = (int)(capacity / problem->granule);
	if (!search_schedule(&problem->model, &arch, &problem->options, &best, &proof))
		return false;
	*point = (struct front_point){ .memory_bytes = best.scratchpad_bytes,
		.traffic_bytes = best.total_bytes, .is_proved = proof.is_optimal };
	return true;
}

/* BYTES are a point of the true front. */
static bool is_true_point(const struct problem *problem, long bytes)
{
	if (problem->traffic_in[bytes] == LONG_MAX)
		return false;
	for (long less = 0; less < bytes; less++)
		if (problem->traffic_in[less] <= problem->traffic_in[bytes])
			return false;
	return true;
}

static bool is_found(const struct front *front, long bytes)
{
	for (int p = 0; p < front->point_count; p++)
		if (front->points[p].memory_bytes == bytes)
			return true;
	return false;
}

static bool is_in_gap(const struct front *front, long bytes)
{
	for (int g = 0; g < front->gap_count; g++)
		if (bytes >= front->gaps[g].from_bytes && bytes <= front->gaps[g].to_bytes)
			return true;
	return false;
}

static void check_front(const struct problem *problem, const struct front *front)
{
	for (int p = 0; p < front->point_count; p++) {
		const struct front_point *point = &front->points[p];
		assert_true(is_true_point(problem, point->memory_bytes));
		assert_int_equal(point->traffic_bytes, problem->traffic_in[point->memory_bytes]);
		assert_true(point->is_proved);
		assert_true(p == 0 || point->memory_bytes < point[-1].memory_bytes);
		assert_true(p == 0 || point->traffic_bytes > point[-1].traffic_bytes);
	}
	for (long bytes = 0; bytes <= problem->capacity; bytes++)
		if (is_true_point(problem, bytes) && !is_found(front, bytes))
			assert_true(is_in_gap(front, bytes));
}

static void compare(unsigned long seed, int count, bool restricts, int *points, int *missed)
{
	struct random_source source = { seed };
	for (int i = 0; i < count; i++) {
		struct arena *arena = arena_new();
		struct problem problem;
		struct front front;
		const struct front_limits whole = { .searches = 0 };
		random_problem(&source, restricts, &problem);
		solve_by_force(&problem);
		front_find(arena, search, &problem, problem.capacity, problem.granule, &whole, &front);
		assert_int_equal(front.gap_count, 0);
		check_front(&problem, &front);
		*points += front.point_count;
		/* one search a point, and one that finds nothing */
		assert_true(problem.searches <= front.point_count + 1);
		for (int limit = 1; limit <= 6; limit++) {
			struct front some;
			const struct front_limits limits = { .searches = limit };
			problem.searches = 0;
			front_find(arena, search, &problem, problem.capacity, problem.granule,
				&limits, &some);
			assert_true(problem.searches <= limit);
			check_front(&problem, &some);
			*missed += front.point_count - some.point_count;
			if (!some.gap_count)
				assert_int_equal(some.point_count, front.point_count);
		}
		free(problem.traffic_in);
		arena_free(arena);
	}
}

static void whole_space(void **state)
{
	int points = 0, missed = 0;
	(void)state;
	compare(1, 400, false, &points, &missed);
	printf("# %d points, %d left out by limits\n", points, missed);
	assert_true(points > 500);
	assert_true(missed > 500);
}

static void restricted_space(void **state)
{
	int points = 0, missed = 0;
	(void)state;
	compare(2, 300, true, &points, &missed);
	printf("# %d points\n", points);
	assert_true(points > 300);
}

static void interrupted(void **state)
{
	struct random_source source = { 3 };
	struct arena *arena = arena_new();
	struct problem problem;
	struct front front;
	int stop = 1;
	const struct front_limits limits = { .interrupted = &stop };
	(void)state;
	random_problem(&source, false, &problem);
	front_find(arena, search, &problem, problem.capacity, problem.granule, &limits, &front);
	assert_int_equal(problem.searches, 0);
	assert_int_equal(front.point_count, 0);
	assert_int_equal(front.gap_count, 1);
	assert_int_equal(front.gaps[0].to_bytes, problem.capacity / problem.granule * problem.granule);
	arena_free(arena);
}

/* None begins once the work is done; until then the front is whole. */
static void limited_by_work(void **state)
{
	struct random_source source = { 4 };
	struct arena *arena = arena_new();
	struct problem problem;
	struct front front, whole;
	double work = 7;
	struct front_limits limits = { .work = &work, .most_work = 7 };
	const struct front_limits none = { .searches = 0 };
	(void)state;
	random_problem(&source, false, &problem);
	front_find(arena, search, &problem, problem.capacity, problem.granule, &limits, &front);
	assert_int_equal(problem.searches, 0);
	assert_int_equal(front.gap_count, 1);
	limits.most_work = 8;
	front_find(arena, search, &problem, problem.capacity, problem.granule, &limits, &front);
	front_find(arena, search, &problem, problem.capacity, problem.granule, &none, &whole);
	assert_int_equal(front.gap_count, 0);
	assert_true(front.point_count > 0);
	assert_int_equal(front.point_count, whole.point_count);
	arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_space),
		cmocka_unit_test(limited_by_work),
		cmocka_unit_test(restricted_space),
		cmocka_unit_test(interrupted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
