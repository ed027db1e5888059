/* Stretches of isl's work: limits are met where they are, and nest. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <isl/options.h>
#include <isl/set.h>

#include "ir/isl_work.h"

static isl_ctx *new_ctx(void)
{
	isl_ctx *ctx = isl_ctx_alloc();
	isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
	return ctx;
}

/* Some thousand operations; true if they were done. */
static bool do_work(isl_ctx *ctx)
{
	isl_set *set = isl_set_read_from_str(ctx, "{ [i, j, k] : 0 <= i <= 10 and i <= 2j <= 30 and "
		"j <= 3k <= 40 }");
	set = isl_set_project_out(set, isl_dim_set, 1, 1);
	bool is_done = isl_set_is_empty(set) == isl_bool_false;
	isl_set_free(set);
	return is_done;
}

static unsigned long operations_of_work(void)
{
	isl_ctx *ctx = new_ctx();
	unsigned long before = isl_operations(ctx);
	assert_true(do_work(ctx));
	unsigned long used = isl_operations(ctx) - before;
	isl_ctx_free(ctx);
	return used;
}

static void work_is_the_same_each_time(void **state)
{
	(void)state;
	unsigned long used = operations_of_work();
	assert_in_range(used, 100, 100000);
	assert_int_equal(operations_of_work(), used);
}

static void a_limit_ends_work_and_leaves_no_error(void **state)
{
	(void)state;
	isl_ctx *ctx = new_ctx();
	unsigned long used = operations_of_work();
	for (int part = 1; part <= 5; part += 2) {
		struct isl_work work = isl_work_begin(ctx, used * (unsigned long)part / 2);
		bool is_done = do_work(ctx);
		assert_int_equal(isl_work_end(&work), is_done);
		assert_int_equal(is_done, part > 2);
		assert_int_equal(isl_ctx_last_error(ctx), isl_error_none);
		assert_true(do_work(ctx));
	}
	isl_ctx_free(ctx);
}

/* A stretch has as much as is left of the one around it, which sees that it was met. */
static void limits_nest(void **state)
{
	(void)state;
	isl_ctx *ctx = new_ctx();
	unsigned long used = operations_of_work();
	struct isl_work outer = isl_work_begin(ctx, 2 * used + used / 2);
	int done = 0;
	for (int i = 0; i < 4; i++) {
		struct isl_work inner = isl_work_begin(ctx, 2 * used);
		done += do_work(ctx);
		isl_work_end(&inner);
	}
	assert_int_equal(done, 2);
	assert_false(isl_work_end(&outer));
	outer = isl_work_begin(ctx, 4 * used);
	struct isl_work inner = isl_work_begin(ctx, used / 2);
	assert_false(do_work(ctx));
	assert_false(isl_work_end(&inner));
	assert_true(do_work(ctx));
	assert_true(isl_work_end(&outer));
	isl_ctx_free(ctx);
}

/* What is counted again is as much as was done, and is refused where that would have met a limit. */
static void work_that_is_repeated_counts(void **state)
{
	enum { ASKING = 200 };       /* takes a few operations too */
	(void)state;
	isl_ctx *ctx = new_ctx();
	unsigned long used = operations_of_work(), before = isl_operations(ctx);
	assert_true(isl_work_repeat(ctx, used));
	assert_in_range(isl_operations(ctx) - before, used, used + ASKING);
	struct isl_work work = isl_work_begin(ctx, 2 * used + used / 2);
	assert_true(isl_work_repeat(ctx, used));
	assert_false(isl_work_is_spent(ctx));
	assert_false(isl_work_repeat(ctx, 2 * used));
	assert_false(isl_work_is_spent(ctx));
	assert_true(do_work(ctx));
	assert_false(do_work(ctx));
	assert_true(isl_work_is_spent(ctx));
	assert_false(isl_work_repeat(ctx, 0));
	assert_false(isl_work_end(&work));
	assert_false(isl_work_is_spent(ctx));
	assert_true(do_work(ctx));
	isl_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(work_is_the_same_each_time),
		cmocka_unit_test(a_limit_ends_work_and_leaves_no_error),
		cmocka_unit_test(limits_nest),
		cmocka_unit_test(work_that_is_repeated_counts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
