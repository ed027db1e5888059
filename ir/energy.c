#include "ir/energy.h"

#include <math.h>

/* Three operands are read and one result is written. */
enum { ACCESSES_OF_MAC = 4 };

bool energy_is_known(const struct arch *arch)
{
	return arch->energy_mac_pj > 0 || arch->energy_register_pj > 0 ||
		arch->energy_scratchpad_pj > 0 || arch->energy_scratchpad_sqrt_pj > 0 ||
		arch->energy_dram_pj > 0;
}

double energy_scratchpad_access_pj(const struct arch *arch, long bytes)
{
	double bits = 8 * (double)bytes, bank_bits = (double)arch->energy_bank_bits;
	if (bank_bits <= 0 || bank_bits > bits)
		bank_bits = bits;
	double banks = bank_bits > 0 ? ceil(bits / bank_bits) : 1;
	return (arch->energy_scratchpad_pj + arch->energy_scratchpad_sqrt_pj * sqrt(bank_bits))
		* (1 + arch->energy_bank_select * log(banks));
}

struct energy energy_of(const struct arch *arch, const struct energy_counts *counts)
{
	double words = 8.0 / arch->energy_word_bits, macs = (double)counts->macs;
	double operands = ACCESSES_OF_MAC * macs;
	bool has_registers = counts->register_bytes >= 0;
	/* what comes from outside is written into the scratchpad */
	double accesses = (double)counts->read_bytes * words +
		(has_registers ? (double)counts->register_bytes * words : operands);
	return (struct energy){
		.mac_pj = macs * arch->energy_mac_pj,
		.register_pj = has_registers ? operands * arch->energy_register_pj : 0,
		.scratchpad_pj = accesses *
			energy_scratchpad_access_pj(arch, counts->scratchpad_bytes),
		.dram_pj = ((double)counts->read_bytes + (double)counts->write_bytes) * words *
			arch->energy_dram_pj,
	};
}

double energy_total_pj(const struct energy *energy)
{
	return energy->mac_pj + energy->register_pj + energy->scratchpad_pj + energy->dram_pj;
}

bool energy_counts_of_nest(const struct plan *plan, const struct plan_nest *nest,
	struct energy_counts *counts)
{
	*counts = (struct energy_counts){ .macs = nest->macs, .register_bytes = -1,
		.scratchpad_bytes = plan->arch->scratchpad_bytes };
	for (int t = 0; t < nest->traffic_count; t++) {
		counts->read_bytes += nest->traffic[t].read_bytes;
		counts->write_bytes += nest->traffic[t].write_bytes;
	}
	if (nest->has_register_traffic)
		counts->register_bytes = nest->register_traffic_bytes;
	if (plan->arch->energy_is_sized_by_schedule) {
		counts->scratchpad_bytes = 0;
		for (int n = 0; n < plan->nest_count; n++)
			if (plan->nests[n].scratchpad_used_bytes > counts->scratchpad_bytes)
				counts->scratchpad_bytes = plan->nests[n].scratchpad_used_bytes;
	}
	return nest->macs >= 0;
}
