/* What was found of a nest is taken again by all that have its statements, and by no others; not
 * where isl could not have found it; and not where it would outlive what it refers to. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <isl/options.h>

#include "ir/isl_work.h"
#include "passes/analysis/nest.h"
#include "passes/analysis/nest_memo.h"

struct fixture {
	struct compilation compilation;
	struct function functions[2];
	struct statement statements[4];
	const struct statement *list[4];
};

static void begin(struct fixture *fixture)
{
	*fixture = (struct fixture){ .compilation = { .ctx = isl_ctx_alloc(), .arena = arena_new() } };
	isl_options_set_on_error(fixture->compilation.ctx, ISL_ON_ERROR_CONTINUE);
	fixture->compilation.known.nests = nest_memos_new(fixture->compilation.arena);
	for (int s = 0; s < 4; s++)
		fixture->list[s] = &fixture->statements[s];
}

static void end(struct fixture *fixture)
{
	arena_free(fixture->compilation.arena);
	isl_ctx_free(fixture->compilation.ctx);
}

/* COUNT statements from FIRST on, of function F, inside LOOPS of PARENT's. */
static struct nest nest_of(const struct fixture *fixture, int f, int first, int count,
	const struct nest *parent, int loops)
{
	struct nest nest = { .function = &fixture->functions[f], .statements =
		(const struct statement **)&fixture->list[first], .statement_count = count,
		.parent = parent, .outer_loops = loops };
	nest.memo = nest_memo_of(&fixture->compilation, &nest);
	return nest;
}

static void keep(struct fixture *fixture, const struct nest *nest, int key, long value,
	unsigned long operations)
{
	unsigned long begun = isl_operations(fixture->compilation.ctx);
	isl_work_repeat(fixture->compilation.ctx, operations);
	nest_keep_answer(nest, (struct nest_query){ NEST_COMPULSORY, &key, sizeof key }, &value,
		sizeof value, begun);
}

/* -1: it is not known. */
static long take(const struct nest *nest, int key)
{
	const long *value = nest_answer(nest, (struct nest_query){ NEST_COMPULSORY, &key, sizeof key });
	return value ? *value : -1;
}

static void answers_are_those_of_the_same_statements(void **state)
{
	(void)state;
	struct fixture fixture;
	begin(&fixture);
	const struct nest nest = nest_of(&fixture, 0, 0, 2, NULL, 0);
	const struct nest part = nest_of(&fixture, 0, 0, 1, &nest, 1);
	keep(&fixture, &nest, 1, 100, 10);
	keep(&fixture, &nest, 2, 200, 10);
	keep(&fixture, &part, 1, 300, 10);
	const struct nest same = nest_of(&fixture, 0, 0, 2, NULL, 0);
	const struct nest same_part = nest_of(&fixture, 0, 0, 1, &same, 1);
	assert_int_equal(take(&same, 1), 100);
	assert_int_equal(take(&same, 2), 200);
	assert_int_equal(take(&same, 3), -1);
	assert_int_equal(take(&same_part, 1), 300);
	const struct nest others[] = { nest_of(&fixture, 1, 0, 2, NULL, 0),
		nest_of(&fixture, 0, 1, 2, NULL, 0), nest_of(&fixture, 0, 0, 3, NULL, 0),
		nest_of(&fixture, 0, 0, 1, NULL, 0), nest_of(&fixture, 0, 0, 1, &nest, 2) };
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_int_equal(take(&others[i], 1), -1);
	end(&fixture);
}

static void answers_take_their_part_of_a_limit(void **state)
{
	enum { OPERATIONS = 5000 };
	(void)state;
	struct fixture fixture;
	begin(&fixture);
	isl_ctx *ctx = fixture.compilation.ctx;
	const struct nest nest = nest_of(&fixture, 0, 0, 1, NULL, 0);
	keep(&fixture, &nest, 1, 100, OPERATIONS);
	struct isl_work work = isl_work_begin(ctx, 2 * OPERATIONS + OPERATIONS / 2);
	assert_int_equal(take(&nest, 1), 100);
	assert_int_equal(take(&nest, 1), 100);
	assert_int_equal(take(&nest, 1), -1);
	assert_true(isl_work_end(&work));
	/* what met the limit is incomplete */
	work = isl_work_begin(ctx, OPERATIONS);
	while (!isl_work_is_spent(ctx))
		isl_work_repeat(ctx, 1), free(isl_malloc_or_die(ctx, 1));
	keep(&fixture, &nest, 2, 200, 0);
	assert_false(isl_work_end(&work));
	assert_int_equal(take(&nest, 2), -1);
	end(&fixture);
}

static void answers_do_not_outlive_their_function(void **state)
{
	(void)state;
	struct fixture fixture;
	begin(&fixture);
	struct arena *own = arena_new(), *lasting = fixture.compilation.arena;
	nest_memos_admit(fixture.compilation.known.nests, &fixture.functions[0]);
	fixture.compilation.arena = own;
	const struct nest kept = nest_of(&fixture, 0, 0, 1, NULL, 0);
	const struct nest passing = nest_of(&fixture, 1, 0, 1, NULL, 0);
	assert_non_null(kept.memo);
	assert_null(passing.memo);
	assert_false(nest_memo_is_own(&fixture.compilation, &kept));
	assert_ptr_equal(nest_lasting(&fixture.compilation, &kept).arena, lasting);
	assert_ptr_equal(nest_lasting(&fixture.compilation, &passing).arena, own);
	keep(&fixture, &kept, 1, 100, 10);
	keep(&fixture, &passing, 1, 100, 10);
	arena_free(own);
	fixture.compilation.arena = lasting;
	const struct nest again = nest_of(&fixture, 0, 0, 1, NULL, 0);
	assert_int_equal(take(&again, 1), 100);
	assert_int_equal(take(&passing, 1), -1);
	end(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_are_those_of_the_same_statements),
		cmocka_unit_test(answers_take_their_part_of_a_limit),
		cmocka_unit_test(answers_do_not_outlive_their_function),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
