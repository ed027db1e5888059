/* Numbers that grow and shrink through all sizes of cells keep their values. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/numbers.h"

#ifdef HAVE_GMP
#include <gmp.h>

enum { NUMBERS = 200, STEPS = 50000, BITS = 700 };

static unsigned long state = 1;

static unsigned below(unsigned limit)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % limit;
}

/* Number I is (2 i + 1) times a power of two, and takes as much room as that. */
static void numbers_keep_their_values(void **unused)
{
	static mpz_t numbers[NUMBERS];
	static unsigned power[NUMBERS];
	mpz_t expected;
	(void)unused;
	numbers_begin();
	mpz_init(expected);
	for (unsigned i = 0; i < NUMBERS; i++)
		mpz_init_set_ui(numbers[i], 2 * i + 1);
	for (int step = 0; step < STEPS; step++) {
		unsigned i = below(NUMBERS);
		mpz_set_ui(expected, 2 * i + 1);
		mpz_mul_2exp(expected, expected, power[i]);
		assert_int_equal(mpz_cmp(numbers[i], expected), 0);
		power[i] = below(BITS);
		if (below(2)) {
			mpz_set_ui(numbers[i], 2 * i + 1);
			mpz_mul_2exp(numbers[i], numbers[i], power[i]);
			mpz_realloc2(numbers[i], below(2 * BITS) + BITS + 16);
		} else {
			mpz_clear(numbers[i]);
			mpz_init2(numbers[i], below(BITS));
			mpz_set_ui(numbers[i], 2 * i + 1);
			mpz_mul_2exp(numbers[i], numbers[i], power[i]);
		}
	}
	for (unsigned i = 0; i < NUMBERS; i++)
		mpz_clear(numbers[i]);
	mpz_clear(expected);
}

#else

static void numbers_keep_their_values(void **unused)
{
	(void)unused;
	skip();
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_keep_their_values),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
