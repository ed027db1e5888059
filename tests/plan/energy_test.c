/* Energy: the formulas of ir/energy.h against numbers worked out by hand. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <math.h>

#include <cmocka.h>

#include "ir/energy.h"

static void near(double value, double expected)
{
	if (fabs(value - expected) > 1e-9 * fabs(expected))
		fprintf(stderr, "%.17g should be %.17g\n", value, expected);
	assert_true(fabs(value - expected) <= 1e-9 * fabs(expected));
}

/* The machine of ConvFusion, section VII, with its single-bank memory. */
static struct arch paper(void)
{
	return (struct arch){ .scratchpad_bytes = 2000, .energy_word_bits = 16,
		.energy_mac_pj = 10.2, .energy_register_pj = 2.4, .energy_scratchpad_pj = 4.61,
		.energy_scratchpad_sqrt_pj = 0.012, .energy_dram_pj = 1120 };
}

static void test_access_single_bank(void **state)
{
	(void)state;
	struct arch arch = paper();
	/* 20,000 bytes are 400^2 bits: 0.012 x 400 + 4.61 */
	near(energy_scratchpad_access_pj(&arch, 20000), 9.41);
	near(energy_scratchpad_access_pj(&arch, 0), 4.61);
	near(energy_scratchpad_access_pj(&arch, 320000), 0.012 * 1600 + 4.61);
}

static void test_access_banks(void **state)
{
	(void)state;
	struct arch arch = paper();
	arch.energy_bank_bits = 160000;
	arch.energy_bank_select = 3.05e-3;
	near(energy_scratchpad_access_pj(&arch, 20000), 9.41);
	near(energy_scratchpad_access_pj(&arch, 5000), 0.012 * 200 + 4.61);
	/* sixteen banks, and just over one */
	near(energy_scratchpad_access_pj(&arch, 320000), 9.41 * (1 + 3.05e-3 * 2.772588722239781));
	near(energy_scratchpad_access_pj(&arch, 20001), 9.41 * (1 + 3.05e-3 * 0.6931471805599453));
}

static void test_parts(void **state)
{
	(void)state;
	struct arch arch = paper();
	struct energy_counts counts = { .macs = 1000, .read_bytes = 600, .write_bytes = 200, .accessed_bytes = { 600 },
		.scratchpad_bytes = 20000 };
	struct energy energy = energy_of(&arch, &counts);
	near(energy.mac_pj, 10200);
	near(energy.dram_pj, 400 * 1120.0);
	/* four accesses a multiply-accumulate, and 300 words written that came from outside */
	near(energy.scratchpad_pj, 4300 * 9.41);
	assert_true(energy.register_pj == 0);
	near(energy_total_pj(&energy), 10200 + 448000 + 40463);

	counts.register_macs = 1000;
	counts.accessed_bytes[0] += 500;
	energy = energy_of(&arch, &counts);
	near(energy.register_pj, 9600);
	near(energy.scratchpad_pj, (250 + 300) * 9.41);
	near(energy.mac_pj, 10200);

	arch.energy_word_bits = 32;
	energy = energy_of(&arch, &counts);
	near(energy.scratchpad_pj, (125 + 150) * 9.41);
	near(energy.dram_pj, 200 * 1120.0);
}

static void test_counts(void **state)
{
	(void)state;
	struct arch arch = paper();
	struct plan_traffic traffic[] = { { .flow = { .read_bytes = 10, .write_bytes = 3 } },
		{ .flow = { .read_bytes = 5, .write_bytes = 0 } } };
	struct plan_nest none = { .macs = 7, .traffic_count = 2, .traffic = traffic };
	struct plan_nest some = { .macs = 5, .register_use = REGISTERS_USED,
		.register_traffic_bytes = 8 };
	struct energy_counts counts = energy_counts_of_nest(&arch, &none, 2000);
	assert_int_equal(counts.macs, 7);
	assert_int_equal(counts.read_bytes, 15);
	assert_int_equal(counts.write_bytes, 3);
	assert_int_equal(counts.scratchpad_bytes, 2000);
	assert_int_equal(counts.register_macs, 0);
	struct energy_counts more = energy_counts_of_nest(&arch, &some, 90);
	assert_int_equal(more.register_macs, 5);
	assert_int_equal(more.accessed_bytes[0] - more.read_bytes, 8);
	energy_counts_add(&counts, &more);
	assert_int_equal(counts.macs, 12);
	assert_int_equal(counts.register_macs, 5);
	assert_int_equal(counts.scratchpad_bytes, 2000);
	/* 7 multiply-accumulates from the scratchpad, 4 words of registers, 7.5 from outside */
	near(energy_of(&arch, &counts).scratchpad_pj,
		(28 + 4 + 7.5) * energy_scratchpad_access_pj(&arch, 2000));
	/* with a register file it has to be known who uses it */
	arch.energy_register_file_bytes = 64;
	assert_int_equal(energy_counts_of_nest(&arch, &none, 2000).macs, -1);
	none.register_use = REGISTERS_UNUSED;
	assert_int_equal(energy_counts_of_nest(&arch, &none, 2000).macs, 7);
	some.macs = -1;
	more = energy_counts_of_nest(&arch, &some, 90);
	energy_counts_add(&counts, &more);
	assert_int_equal(counts.macs, -1);
	assert_int_equal(energy_scratchpad_bytes(&arch, 90), 2000);
	arch.energy_is_sized_by_schedule = true;
	assert_int_equal(energy_scratchpad_bytes(&arch, 90), 90);
}

static void test_known(void **state)
{
	(void)state;
	struct arch arch = { .energy_word_bits = 16 };
	assert_false(energy_is_known(&arch));
	arch.energy_dram_pj = 1;
	assert_true(energy_is_known(&arch));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_access_single_bank),
		cmocka_unit_test(test_access_banks),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
