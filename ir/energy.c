#include "ir/energy.h"

#include <math.h>

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
	double from_registers = ACCESSES_OF_MAC * (double)counts->register_macs;
	/* what comes from outside is written into the scratchpad */
	double accesses = ((double)counts->read_bytes + (double)counts->register_bytes) * words +
		ACCESSES_OF_MAC * macs - from_registers;
	return (struct energy){
		.mac_pj = macs * arch->energy_mac_pj,
		.register_pj = from_registers * arch->energy_register_pj,
		.scratchpad_pj = accesses *
			energy_scratchpad_access_pj(arch, counts->scratchpad_bytes),
		.dram_pj = ((double)counts->read_bytes + (double)counts->write_bytes) * words *
			arch->energy_dram_pj,
		.network_pj = (double)counts->delivered_bytes * words * arch->energy_network_pj,
		.reduce_pj = (double)counts->reduced_bytes * words * energy_reduce_pj(arch),
	};
}

/* Two sums are read and one is written, it goes to the neighbour, and that adds. */
double energy_reduce_pj(const struct arch *arch)
{
	return arch->energy_reduce_pj >= 0 ? arch->energy_reduce_pj
		: 3 * arch->energy_register_pj + arch->energy_network_pj + arch->energy_mac_pj;
}

double energy_total_pj(const struct energy *energy)
{
	return energy->mac_pj + energy->register_pj + energy->scratchpad_pj + energy->dram_pj +
		energy->network_pj + energy->reduce_pj;
}

void energy_counts_add(struct energy_counts *sum, const struct energy_counts *more)
{
	sum->macs = sum->macs < 0 || more->macs < 0 ? -1 : sum->macs + more->macs;
	sum->register_macs += more->register_macs;
	sum->register_bytes += more->register_bytes;
	sum->read_bytes += more->read_bytes;
	sum->write_bytes += more->write_bytes;
	sum->delivered_bytes += more->delivered_bytes;
	sum->reduced_bytes += more->reduced_bytes;
	if (more->scratchpad_bytes > sum->scratchpad_bytes)
		sum->scratchpad_bytes = more->scratchpad_bytes;
}

/* All operands come from the registers of elements, and what moves between these and the scratchpad is known, as is what
 * goes on to external memory. */
static void count_elements(const struct plan_nest *nest, struct energy_counts *counts)
{
	counts->register_macs = nest->macs;
	counts->register_bytes = counts->write_bytes;
	for (int i = 0; i < nest->elements->count; i++) {
		const struct plan_words *words = &nest->elements->words[i];
		long bytes = words->array->type.bytes;
		counts->register_bytes += bytes * (words->words[WORD_READ] + words->words[WORD_WRITTEN]);
		counts->delivered_bytes += bytes * words->words[WORD_DELIVERED];
		counts->reduced_bytes += bytes * words->words[WORD_REDUCED];
	}
}

struct energy_counts energy_counts_of_nest(const struct arch *arch, const struct plan_nest *nest,
	long scratchpad_bytes)
{
	struct energy_counts counts = { .macs = nest->macs, .scratchpad_bytes = scratchpad_bytes };
	for (int t = 0; t < nest->traffic_count; t++) {
		counts.read_bytes += nest->traffic[t].flow.read_bytes;
		counts.write_bytes += nest->traffic[t].flow.write_bytes;
	}
	if (nest->elements) {
		count_elements(nest, &counts);
		return counts;
	}
	if (nest->register_use == REGISTERS_USED) {
		counts.register_macs = nest->macs;
		counts.register_bytes = nest->register_traffic_bytes;
	}
	if (arch->energy_register_file_bytes && nest->register_use == REGISTERS_UNKNOWN)
		counts.macs = -1;
	return counts;
}

long energy_scratchpad_bytes(const struct arch *arch, long used_bytes)
{
	return arch->energy_is_sized_by_schedule ? used_bytes : arch->scratchpad_bytes;
}
