/* Sums of piecewise polynomials: right, and none where isl's work is at an end. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <isl/options.h>
#include <isl/val.h>

#include "ir/isl_work.h"
#include "passes/sizes/polynomial.h"

const char *__lsan_default_suppressions(void);

/* isl leaves some behind where its limit ends a sum.  What else it makes holds on to its context,
 * so that freeing the context finds it. */
const char *__lsan_default_suppressions(void)
{
	return "leak:isl_malloc_or_die\n";
}

/* Elements of triangles, of every second or third row, and of halves of rows. */
static const char *const SUMS[] = {
	"[n] -> { [i, j] -> 1 : 0 <= i < n and 0 <= j <= i }",
	"[n] -> { [i, j] -> i * j : 0 <= i < n and 0 <= j and 2j <= i }",
	"[n] -> { [i, j] -> floor(j / 2) : 0 <= i < n and 0 <= j < n and (i + j) mod 2 = 0 }",
	"[n] -> { [i, j] -> j + 1 : 0 <= i < n and i <= j < n and j mod 3 = 1; "
		"[i, j] -> 5 : 0 <= i < n and 0 <= j < i and (i - j) mod 2 = 1 }",
};

enum { SUM_COUNT = sizeof SUMS / sizeof *SUMS };

static isl_ctx *new_ctx(void)
{
	isl_ctx *ctx = isl_ctx_alloc();
	isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
	return ctx;
}

/* Sum number K over both dimensions; NULL: it was not found. */
static isl_pw_qpolynomial *sum_of(isl_ctx *ctx, int k)
{
	bool failed = false;
	isl_pw_qpolynomial *sum = isl_pw_qpolynomial_read_from_str(ctx, SUMS[k]);
	for (int dim = 1; dim >= 0 && sum && !failed; dim--)
		sum = polynomial_sum_last(sum, (unsigned)dim, &failed);
	if (!failed)
		return sum;
	isl_pw_qpolynomial_free(sum);
	return NULL;
}

/* The value of summand number K at I and J, or 0. */
static long summand(int k, long i, long j)
{
	switch (k) {
	case 0:
		return j <= i;
	case 1:
		return 2 * j <= i ? i * j : 0;
	case 2:
		return (i + j) % 2 ? 0 : j / 2;
	default:
		return j >= i ? (j % 3 == 1) * (j + 1) : ((i - j) % 2 == 1) * 5;
	}
}

static void sums_are_right(void **state)
{
	(void)state;
	isl_ctx *ctx = new_ctx();
	for (int k = 0; k < SUM_COUNT; k++) {
		isl_pw_qpolynomial *sum = sum_of(ctx, k);
		assert_non_null(sum);
		sum = isl_pw_qpolynomial_project_domain_on_params(sum);
		for (long n = 1; n < 12; n++) {
			long all = 0;
			for (long i = 0; i < n; i++)
				for (long j = 0; j < n; j++)
					all += summand(k, i, j);
			isl_point *point = isl_point_zero(isl_pw_qpolynomial_get_domain_space(sum));
			point = isl_point_add_ui(point, isl_dim_param, 0, (unsigned)n);
			isl_val *value = isl_pw_qpolynomial_eval(isl_pw_qpolynomial_copy(sum), point);
			assert_int_equal(isl_val_get_num_si(value), all);
			assert_int_equal(isl_val_get_den_si(value), 1);
			isl_val_free(value);
		}
		isl_pw_qpolynomial_free(sum);
	}
	isl_ctx_free(ctx);
}

/* Wherever in a sum the limit is met, there is no sum; nothing else comes of it. */
static void work_may_end_anywhere(void **state)
{
	enum { STEPS = 400 };
	(void)state;
	for (int k = 0; k < SUM_COUNT; k++) {
		isl_ctx *ctx = new_ctx();
		unsigned long begun = isl_operations(ctx);
		isl_pw_qpolynomial_free(sum_of(ctx, k));
		unsigned long used = isl_operations(ctx) - begun;
		int ended = 0;
		for (unsigned long limit = 1; limit < used; limit += used / STEPS + 1) {
			struct isl_work work = isl_work_begin(ctx, limit);
			isl_pw_qpolynomial_free(sum_of(ctx, k));
			ended += !isl_work_end(&work);
		}
		assert_in_range(ended, 2, used);
		isl_ctx_free(ctx);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_right),
		cmocka_unit_test(work_may_end_anywhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
