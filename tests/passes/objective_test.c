/* Objectives order costs, and a bound of each field of a cost bounds what is better. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "passes/cost/objective.h"

enum { TRIALS = 20000, FIELDS = sizeof(struct cost) / sizeof(double) };

static unsigned long state = 1;

static unsigned below(unsigned limit)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % limit;
}

/* All fields of a cost are doubles, those that will be added too.  Few values, so that many are
 * equal. */
static struct cost random_cost(void)
{
	double fields[FIELDS];
	struct cost cost;
	for (int i = 0; i < FIELDS; i++)
		fields[i] = below(3);
	memcpy(&cost, fields, sizeof cost);
	return cost;
}

/* COST or more: each field of it is. */
static struct cost or_more(const struct cost *cost)
{
	double fields[FIELDS];
	struct cost more;
	memcpy(fields, cost, sizeof fields);
	for (int i = 0; i < FIELDS; i++)
		fields[i] += below(3) ? 0 : below(3);
	memcpy(&more, fields, sizeof more);
	return more;
}

static void objectives_name_figures_once(void **unused)
{
	(void)unused;
	for (int r = 0; r < RANKING_COUNT; r++) {
		struct objective objective = objective_of((enum ranking)r);
		bool is_named[FIGURE_COUNT] = { false };
		assert_in_range(objective.count, 1, FIGURE_COUNT);
		assert_in_range(objective.sought, 1, objective.count);
		for (int i = 0; i < objective.count; i++) {
			assert_false(is_named[objective.figures[i]]);
			is_named[objective.figures[i]] = true;
		}
	}
}

static void comparing_is_a_total_order(void **unused)
{
	(void)unused;
	for (int t = 0; t < TRIALS; t++) {
		struct objective objective = objective_of((enum ranking)below(RANKING_COUNT));
		struct cost a = random_cost(), b = random_cost(), c = random_cost();
		int ab = objective_compare(&objective, &a, &b), bc = objective_compare(&objective, &b, &c);
		assert_int_equal(objective_compare(&objective, &a, &a), 0);
		assert_int_equal(objective_compare(&objective, &b, &a), -ab);
		if (ab <= 0 && bc <= 0)
			assert_int_equal(objective_compare(&objective, &a, &c), ab < bc ? ab : bc);
	}
}

static void more_of_a_field_is_no_better(void **unused)
{
	(void)unused;
	for (int t = 0; t < TRIALS; t++) {
		struct cost less = random_cost(), more = or_more(&less);
		for (int f = 0; f < FIGURE_COUNT; f++)
			assert_true(cost_figure(&less, (enum figure)f) <= cost_figure(&more, (enum figure)f));
		for (int r = 0; r < RANKING_COUNT; r++) {
			struct objective objective = objective_of((enum ranking)r);
			assert_true(objective_compare(&objective, &less, &more) <= 0);
			assert_true(objective_value(&objective, &less) <= objective_value(&objective, &more));
		}
	}
}

/* No field is left out of all figures: one that nobody asks for is no cost. */
static void each_field_counts(void **unused)
{
	const struct objective priced = objective_priced(RANK_ASKED, &(struct prices){ .byte = 1, .access = 0.5, .cycle = 1 }, false);
	(void)unused;
	for (int i = 0; i < FIELDS; i++) {
		double fields[FIELDS] = { 0 };
		const struct cost nothing = { .work = 0 };
		struct cost cost;
		bool counts = false;
		fields[i] = 1;
		memcpy(&cost, fields, sizeof cost);
		/* what bypasses memories saves something */
		counts = objective_value(&priced, &cost) != objective_value(&priced, &nothing);
		for (int f = 0; f < FIGURE_COUNT; f++)
			counts |= cost_figure(&cost, (enum figure)f) > cost_figure(&nothing, (enum figure)f);
		assert_true(counts);
	}
}

/* What runs besides does not change which is better in what is asked for, and makes nothing cheaper. */
static void sums_keep_the_order(void **unused)
{
	const struct objective asked = objective_of(RANK_ASKED);
	(void)unused;
	for (int t = 0; t < TRIALS; t++) {
		struct cost a = random_cost(), b = random_cost(), c = random_cost();
		struct cost ac = cost_sum(&a, &c), bc = cost_sum(&b, &c), ca = cost_sum(&c, &a);
		struct cost rest = cost_rest(&ac, &c);
		assert_int_equal(objective_compare(&asked, &a, &b), objective_compare(&asked, &ac, &bc));
		assert_memory_equal(&ac, &ca, sizeof ac);
		assert_int_equal(objective_compare(&asked, &rest, &a), 0);
		for (int f = 0; f < FIGURE_COUNT; f++)
			assert_true(cost_figure(&ac, (enum figure)f) >= cost_figure(&a, (enum figure)f));
	}
}

static void what_does_not_exist_is_worst(void **unused)
{
	const struct cost none = cost_infinite();
	(void)unused;
	for (int t = 0; t < TRIALS; t++) {
		struct objective objective = objective_of((enum ranking)below(RANKING_COUNT));
		struct cost cost = random_cost(), sum = cost_sum(&cost, &none), rest = cost_rest(&none, &cost);
		assert_true(cost_is_finite(&cost) && !cost_is_finite(&sum) && !cost_is_finite(&rest));
		assert_true(objective_compare(&objective, &cost, &none) < 0);
		assert_int_equal(objective_compare(&objective, &sum, &none), 0);
	}
}

/* What dominates in all figures that an objective asks for is no worse. */
static void what_dominates_is_no_worse(void **unused)
{
	int dominated = 0;
	(void)unused;
	for (int t = 0; t < TRIALS; t++) {
		struct objective objective = objective_of((enum ranking)below(RANKING_COUNT));
		struct cost a = random_cost(), b = random_cost(), more = or_more(&a);
		assert_true(cost_dominates(&a, &more, objective.figures, objective.count));
		if (!cost_dominates(&a, &b, objective.figures, objective.count))
			continue;
		dominated++;
		assert_true(objective_compare(&objective, &a, &b) <= 0);
	}
	assert_in_range(dominated, TRIALS / 20, TRIALS);
}

/* What a bound rules out is no better in what is sought, whatever it costs. */
static void nothing_better_is_ruled_out(void **unused)
{
	int ruled_out = 0;
	(void)unused;
	for (int t = 0; t < TRIALS; t++) {
		struct objective objective = objective_of((enum ranking)below(RANKING_COUNT));
		struct cost best = random_cost(), bound = random_cost(), cost = or_more(&bound);
		objective.sought = 1 + (int)below((unsigned)objective.count);
		if (objective_may_improve(&objective, &bound, &best))
			continue;
		ruled_out++;
		objective.count = objective.sought;
		assert_true(objective_compare(&objective, &cost, &best) >= 0);
	}
	assert_in_range(ruled_out, TRIALS / 10, TRIALS * 9 / 10);
}

/* A choice that is its own bound is looked for where it is better, or an equal of those wanted. */
static void what_is_better_is_let_through(void **unused)
{
	(void)unused;
	for (int t = 0; t < TRIALS; t++) {
		struct objective objective = objective_of((enum ranking)below(RANKING_COUNT));
		struct cost cost = random_cost(), best = random_cost();
		bool is_wanted = objective_may_improve(&objective, &cost, &best);
		bool takes_equals = objective.sought == objective.count;
		objective.count = objective.sought;
		assert_int_equal(is_wanted, objective_compare(&objective, &cost, &best) < takes_equals);
	}
}

/* A bound of bytes that is a rounding above what it bounds still lets it through. */
static void bounds_of_bytes_may_be_rounded(void **unused)
{
	const struct objective objective = objective_of(RANK_SCHEDULES);
	struct cost best = { .crossings = { { 1000, 10, 10 } } };
	struct cost bound = { .crossings = { { 1000 + TRAFFIC_TOLERANCE / 2, 9, 0 } } };
	(void)unused;
	assert_true(objective_may_improve(&objective, &bound, &best));
	bound.crossings[BOUNDARY_EXTERNAL].bytes = 1001;
	assert_false(objective_may_improve(&objective, &bound, &best));
}

/* The documented order of what is equal (docs/search.md). */
static void equals_are_ranked(void **unused)
{
	const struct cost few_commands = { .crossings = { { 100, 1, 9 } }, .scratchpad_bytes = 9 };
	const struct cost few_runs = { .crossings = { { 100, 2, 1 } }, .scratchpad_bytes = 9 };
	const struct cost small = { .crossings = { { 100, 3, 300 } }, .scratchpad_bytes = 1 };
	const struct cost less = { .crossings = { { 99, 9, 900 } }, .scratchpad_bytes = 99 };
	const struct objective quick = objective_of(RANK_SCHEDULES);
	const struct objective spare = objective_of(RANK_SMALL_SCHEDULES);
	const struct objective asked = objective_of(RANK_ASKED);
	const struct objective fit = objective_of(RANK_TO_FIT);
	(void)unused;
	assert_true(objective_compare(&quick, &few_commands, &few_runs) < 0);
	assert_true(objective_compare(&quick, &few_runs, &small) < 0);
	assert_true(objective_compare(&spare, &small, &few_commands) < 0);
	assert_int_equal(objective_compare(&asked, &small, &few_commands), 0);
	assert_true(objective_compare(&quick, &less, &few_commands) < 0);
	assert_true(objective_compare(&spare, &less, &small) < 0);
	assert_true(objective_compare(&asked, &less, &small) < 0);
	assert_true(objective_compare(&fit, &small, &less) < 0);
	assert_false(objective_spares_memory(&quick));
	assert_true(objective_spares_memory(&spare));
	assert_true(objective_spares_memory(&fit));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objectives_name_figures_once),
		cmocka_unit_test(comparing_is_a_total_order),
		cmocka_unit_test(more_of_a_field_is_no_better),
		cmocka_unit_test(each_field_counts),
		cmocka_unit_test(what_dominates_is_no_worse),
		cmocka_unit_test(sums_keep_the_order),
		cmocka_unit_test(what_does_not_exist_is_worst),
		cmocka_unit_test(nothing_better_is_ruled_out),
		cmocka_unit_test(what_is_better_is_let_through),
		cmocka_unit_test(bounds_of_bytes_may_be_rounded),
		cmocka_unit_test(equals_are_ranked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
