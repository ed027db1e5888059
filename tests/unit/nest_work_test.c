/* What isl may do for a nest: parts share what there is, what is granted comes on top, and what
 * does not count does not. */

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <isl/options.h>
#include <isl/set.h>

#include "passes/nest_work.h"

static struct compilation begin(void)
{
	struct compilation compilation = { .ctx = isl_ctx_alloc() };
	isl_options_set_on_error(compilation.ctx, ISL_ON_ERROR_CONTINUE);
	return compilation;
}

/* Some thousand operations; true if they were done. */
static bool do_work(const struct compilation *compilation)
{
	isl_set *set = isl_set_read_from_str(compilation->ctx, "{ [i, j, k] : 0 <= i <= 10 and "
		"i <= 2j <= 30 and j <= 3k <= 40 }");
	set = isl_set_project_out(set, isl_dim_set, 1, 1);
	bool is_done = isl_set_is_empty(set) == isl_bool_false;
	isl_set_free(set);
	return is_done;
}

static unsigned long operations_of_work(void)
{
	struct compilation compilation = begin();
	unsigned long before = isl_operations(compilation.ctx);
	assert_true(do_work(&compilation));
	unsigned long used = isl_operations(compilation.ctx) - before;
	isl_ctx_free(compilation.ctx);
	return used;
}

static void without_a_limit_nothing_is_spent(void **state)
{
	(void)state;
	struct compilation compilation = begin();
	assert_true(nest_work_left(&compilation) == ULONG_MAX);
	do_work(&compilation);
	assert_false(nest_work_is_spent(&compilation));
	struct nest_work work = nest_work_begin(&compilation, NEST_WORK_FREE);
	assert_true(nest_work_left(&compilation) == ULONG_MAX);
	nest_work_end(&compilation, &work);
	isl_ctx_free(compilation.ctx);
}

static void parts_share_what_there_is(void **state)
{
	(void)state;
	unsigned long used = operations_of_work();
	struct compilation compilation = begin();
	struct nest_work whole = nest_work_begin(&compilation, 3 * used);
	for (int part = 0; part < 4; part++) {
		unsigned long left = nest_work_left(&compilation);
		struct nest_work work = nest_work_begin(&compilation, 10 * used);
		assert_true(nest_work_left(&compilation) <= left);
		do_work(&compilation);
		nest_work_end(&compilation, &work);
	}
	assert_true(nest_work_is_spent(&compilation));
	struct nest_work granted = nest_work_grant(&compilation, used);
	assert_false(nest_work_is_spent(&compilation));
	nest_work_end(&compilation, &granted);
	assert_true(nest_work_is_spent(&compilation));
	nest_work_end(&compilation, &whole);
	assert_false(nest_work_is_spent(&compilation));
	isl_ctx_free(compilation.ctx);
}

static void what_does_not_count_leaves_all(void **state)
{
	(void)state;
	unsigned long used = operations_of_work();
	struct compilation compilation = begin();
	struct nest_work work = nest_work_begin(&compilation, used);
	for (int i = 0; i < 3; i++) {
		unsigned long paused = nest_work_pause(&compilation);
		do_work(&compilation);
		nest_work_resume(&compilation, paused);
	}
	/* asking takes a few */
	assert_true(nest_work_left(&compilation) > used - used / 4);
	nest_work_end(&compilation, &work);
	isl_ctx_free(compilation.ctx);
}

static void a_question_has_no_more_than_is_left(void **state)
{
	(void)state;
	unsigned long used = operations_of_work();
	struct compilation compilation = begin();
	for (int half = 1; half <= 3; half += 2) {
		struct nest_work work = nest_work_begin(&compilation, used * (unsigned long)half / 2);
		struct isl_work question = nest_question_begin(&compilation, 4 * used);
		bool is_done = do_work(&compilation);
		assert_int_equal(isl_work_end(&question), is_done);
		assert_int_equal(is_done, half > 2);
		nest_work_end(&compilation, &work);
	}
	/* and always some */
	struct nest_work none = nest_work_begin(&compilation, 1);
	do_work(&compilation);
	assert_true(nest_work_is_spent(&compilation));
	struct isl_work question = nest_question_begin(&compilation, 32 * used);
	assert_true(do_work(&compilation));
	assert_true(isl_work_end(&question));
	nest_work_end(&compilation, &none);
	isl_ctx_free(compilation.ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_limit_nothing_is_spent),
		cmocka_unit_test(parts_share_what_there_is),
		cmocka_unit_test(what_does_not_count_leaves_all),
		cmocka_unit_test(a_question_has_no_more_than_is_left),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
