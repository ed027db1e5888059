/* set_count is right for random sets of few points: coupled dimensions, unions, divisions. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <isl/aff.h>
#include <isl/set.h>

#include "ir/set_count.h"
#include "tests/plan/random_plan.h"

enum { DIMS = 4, EXTENT = 7, SETS = 300, ROWS = 4, PIECES = 2 };

/* constant + sum coefficient * x >= 0; or its left side a multiple of MODULUS. */
struct row {
	long constant, coefficients[DIMS], modulus;
};

struct piece {
	int count;
	struct row rows[ROWS];
};

static void random_piece(struct random_source *random, struct piece *piece)
{
	piece->count = (int)random_below(random, ROWS + 1);
	for (int r = 0; r < piece->count; r++) {
		struct row *row = &piece->rows[r];
		memset(row, 0, sizeof *row);
		row->constant = random_below(random, 9) - 2;
		for (int i = 0; i < 2; i++)
			row->coefficients[random_below(random, DIMS)] = random_below(random, 5) - 2;
		if (random_below(random, 8) == 0)
			row->modulus = 2 + random_below(random, 3);
	}
}

static int holds(const struct row *row, const long *point)
{
	long value = row->constant;
	for (int d = 0; d < DIMS; d++)
		value += row->coefficients[d] * point[d];
	return row->modulus ? value % row->modulus == 0 : value >= 0;
}

static long count_plainly(const struct piece *pieces)
{
	long total = 0, point[DIMS];
	for (long n = 0; n < EXTENT * EXTENT * EXTENT * EXTENT; n++) {
		long rest = n;
		int inside = 0;
		for (int d = 0; d < DIMS; d++, rest /= EXTENT)
			point[d] = rest % EXTENT;
		for (int p = 0; p < PIECES && !inside; p++) {
			inside = 1;
			for (int r = 0; r < pieces[p].count; r++)
				inside &= holds(&pieces[p].rows[r], point);
		}
		total += inside;
	}
	return total;
}

static void print_piece(FILE *out, const struct piece *piece)
{
	fputs("[a, b, c, d] : ", out);
	for (int d = 0; d < DIMS; d++)
		fprintf(out, "%s0 <= %c < %d", d ? " and " : "", 'a' + d, EXTENT);
	for (int r = 0; r < piece->count; r++) {
		const struct row *row = &piece->rows[r];
		fprintf(out, " and (%ld", row->constant);
		for (int d = 0; d < DIMS; d++)
			fprintf(out, " + %ld %c", row->coefficients[d], 'a' + d);
		if (row->modulus)
			fprintf(out, ") mod %ld = 0", row->modulus);
		else
			fputs(") >= 0", out);
	}
}

static void count_random_sets(void **state)
{
	struct random_source random = { 20261122 };
	isl_ctx *ctx = isl_ctx_alloc();
	(void)state;
	for (int i = 0; i < SETS; i++) {
		struct piece pieces[PIECES];
		char *text = NULL;
		size_t length;
		FILE *out = open_memstream(&text, &length);
		fputs("{ ", out);
		for (int p = 0; p < PIECES; p++) {
			random_piece(&random, &pieces[p]);
			fputs(p ? "; " : "", out);
			print_piece(out, &pieces[p]);
		}
		fputs(" }", out);
		fclose(out);
		long count = set_count(isl_set_read_from_str(ctx, text));
		if (set_count_at_least(isl_set_read_from_str(ctx, text)) != count)
			fail_msg("not all of %ld points in %s", count, text);
		if (count != count_plainly(pieces))
			fail_msg("%ld instead of %ld points in %s", count, count_plainly(pieces), text);
		free(text);
	}
	isl_ctx_free(ctx);
}

/* Far more points than steps: triples and pairs in order. */
static void count_large_triangles(void **state)
{
	static const struct { const char *text; long count; } sets[] = {
		{ "{ [i, j, k] : 0 <= k < j < i < 20000 }", 1333133340000 },
		{ "{ [i, j, k] : 0 <= k < i and i <= j < 20000 }", 1333333330000 },
		{ "{ [k, i, j] : 0 <= k < j < i < 20000 and i + j < 20000 }", 333283335000 },
		{ "{ [i, j] : 0 <= j <= i < 3000000 }", 4500001500000 },
	};
	isl_ctx *ctx = isl_ctx_alloc();
	(void)state;
	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
		assert_int_equal(set_count_at_least(isl_set_read_from_str(ctx, sets[i].text)),
			sets[i].count);
	isl_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(count_random_sets),
		cmocka_unit_test(count_large_triangles) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
