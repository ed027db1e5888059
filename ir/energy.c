#include "ir/energy.h"

#include <math.h>

bool energy_is_known(const struct arch *arch)
{
	return arch->energy_mac_pj > 0 || arch->energy_register_pj > 0 ||
		arch->energy_scratchpad_pj > 0 || arch->energy_scratchpad_sqrt_pj > 0 ||
		arch->energy_dram_pj > 0 || arch->energy_leakage_pj > 0 ||
		arch->energy_register_by_bytes.count || arch->energy_scratchpad_by_bytes.count;
}

/* On the line through the two sizes nearest to BYTES, in logarithms. */
static double price_of_size(const struct price_by_size *prices, long bytes)
{
	int i = 0;
	while (i + 2 < prices->count && prices->at[i + 1].bytes <= bytes)
		i++;
	for (int k = 0; k < prices->count; k++)
		if (prices->at[k].bytes == bytes || prices->count == 1)
			return prices->at[k].pj;
	double slope = log(prices->at[i + 1].pj / prices->at[i].pj)
		/ log((double)prices->at[i + 1].bytes / (double)prices->at[i].bytes);
	return bytes > 0 ? prices->at[i].pj * pow((double)bytes / (double)prices->at[i].bytes, slope) : 0;
}

double energy_scratchpad_access_pj(const struct arch *arch, long bytes)
{
	if (arch->energy_scratchpad_by_bytes.count)
		return price_of_size(&arch->energy_scratchpad_by_bytes, bytes);
	double bits = 8 * (double)bytes, bank_bits = (double)arch->energy_bank_bits;
	if (bank_bits <= 0 || bank_bits > bits)
		bank_bits = bits;
	double banks = bank_bits > 0 ? ceil(bits / bank_bits) : 1;
	return (arch->energy_scratchpad_pj + arch->energy_scratchpad_sqrt_pj * sqrt(bank_bits))
		* (1 + arch->energy_bank_select * log(banks));
}

/* Of a word of memory M as large as it is, or, if the schedule decides that, as it can be at least. */
static double memory_access_pj(const struct arch *arch, int m)
{
	return energy_scratchpad_access_pj(arch, arch->energy_is_sized_by_schedule ? 0 : arch_memory(arch, m).bytes);
}

bool energy_memories_are_alike(const struct arch *arch)
{
	for (int m = 1; m < arch_memory_count(arch); m++)
		if (m != arch->bypass_memory && memory_access_pj(arch, m) != memory_access_pj(arch, 0))
			return false;
	return true;
}

double energy_least_access_pj(const struct arch *arch)
{
	double least = memory_access_pj(arch, 0);
	for (int m = 1; m < arch_memory_count(arch); m++)
		if (m != arch->bypass_memory)
			least = fmin(least, memory_access_pj(arch, m));
	return least;
}

/* Of a word of the registers that arrays of ROLE have. */
static double register_access_pj(const struct arch *arch, enum array_role role)
{
	if (!arch->energy_register_by_bytes.count)
		return arch->energy_register_pj;
	return price_of_size(&arch->energy_register_by_bytes, arch->has_pe_array ? pe_array_room(&arch->array, role)
		: arch->energy_register_file_bytes);
}

double energy_operands_pj(const struct arch *arch)
{
	if (arch->has_pe_array && arch->array.register_accesses == 1)
		return register_access_pj(arch, ROLE_OUTPUT);
	return register_access_pj(arch, ROLE_INPUT) + register_access_pj(arch, ROLE_WEIGHT)
		+ 2 * register_access_pj(arch, ROLE_OUTPUT);
}

double energy_scratchpad_operands_pj(const struct arch *arch)
{
	return ACCESSES_OF_MAC * energy_least_access_pj(arch);
}

/* What moves from and to memories on chip, and what a core takes from them. */
static double on_chip_pj(const struct arch *arch, const struct energy_counts *counts)
{
	double words = 8.0 / arch->energy_word_bits;
	double pj = 0;
	/* what bypasses memories goes to registers, whose accesses are counted */
	for (int m = 0; m < arch_memory_count(arch) && (!m || m != arch->bypass_memory); m++) {
		double accesses = (double)counts->accessed_bytes[m] * words;
		/* where these cost not the same, elements have all operands */
		accesses += m ? 0 : ACCESSES_OF_MAC * ((double)counts->macs - (double)counts->register_macs);
		pj += accesses * energy_scratchpad_access_pj(arch, arch_has_memories(arch) ? arch->memories[m].bytes : counts->scratchpad_bytes);
	}
	return pj;
}

struct energy energy_of(const struct arch *arch, const struct energy_counts *counts)
{
	double words = 8.0 / arch->energy_word_bits, macs = (double)counts->macs;
	return (struct energy){
		.mac_pj = macs * arch->energy_mac_pj,
		.register_pj = (double)counts->register_macs * energy_operands_pj(arch),
		.scratchpad_pj = on_chip_pj(arch, counts),
		.dram_pj = ((double)counts->read_bytes + (double)counts->write_bytes) * words *
			arch->energy_dram_pj,
		.network_pj = (double)counts->delivered_bytes * words * arch->energy_network_pj,
		.reduce_pj = (double)counts->reduced_bytes * words * energy_reduce_pj(arch),
		.leakage_pj = (double)counts->cycles * arch->energy_leakage_pj,
	};
}

/* Two sums are read and one is written, it goes to the neighbour, and that adds. */
double energy_reduce_pj(const struct arch *arch)
{
	return arch->energy_reduce_pj >= 0 ? arch->energy_reduce_pj
		: 3 * register_access_pj(arch, ROLE_OUTPUT) + arch->energy_network_pj + arch->energy_mac_pj;
}

double energy_total_pj(const struct energy *energy)
{
	return energy->mac_pj + energy->register_pj + energy->scratchpad_pj + energy->dram_pj +
		energy->network_pj + energy->reduce_pj + energy->leakage_pj;
}

void energy_add(struct energy *energy, const struct energy *more)
{
	energy->mac_pj += more->mac_pj;
	energy->register_pj += more->register_pj;
	energy->scratchpad_pj += more->scratchpad_pj;
	energy->dram_pj += more->dram_pj;
	energy->network_pj += more->network_pj;
	energy->reduce_pj += more->reduce_pj;
	energy->leakage_pj += more->leakage_pj;
}

void energy_counts_add(struct energy_counts *sum, const struct energy_counts *more)
{
	sum->macs = sum->macs < 0 || more->macs < 0 ? -1 : sum->macs + more->macs;
	sum->register_macs += more->register_macs;
	for (int m = 0; m < MEMORY_LIMIT; m++)
		sum->accessed_bytes[m] += more->accessed_bytes[m];
	sum->cycles = sum->cycles < 0 || more->cycles < 0 ? -1 : sum->cycles + more->cycles;
	sum->read_bytes += more->read_bytes;
	sum->write_bytes += more->write_bytes;
	sum->delivered_bytes += more->delivered_bytes;
	sum->reduced_bytes += more->reduced_bytes;
	if (more->scratchpad_bytes > sum->scratchpad_bytes)
		sum->scratchpad_bytes = more->scratchpad_bytes;
}

/* Bytes of ARRAY that cross the bus in NEST. */
static long crossing_bytes(const struct plan_nest *nest, const struct array *array)
{
	for (int t = 0; t < nest->traffic_count; t++)
		if (nest->traffic[t].array == array)
			return nest->traffic[t].flow.read_bytes + nest->traffic[t].flow.write_bytes;
	return 0;
}

/* All operands come from the registers of elements, and what moves between these and memories on chip is known, as is what
 * goes on to external memory. */
static void count_elements(const struct plan_nest *nest, struct energy_counts *counts)
{
	counts->register_macs = nest->macs;
	for (int i = 0; i < nest->elements->count; i++) {
		const struct plan_words *words = &nest->elements->words[i];
		long bytes = words->array->type.bytes;
		counts->accessed_bytes[words->memory] += bytes * (words->words[WORD_READ] + words->words[WORD_WRITTEN])
			+ crossing_bytes(nest, words->array);
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
	/* what comes from outside is written into the scratchpad */
	counts.accessed_bytes[0] = counts.read_bytes;
	if (nest->register_use == REGISTERS_USED) {
		counts.register_macs = nest->macs;
		counts.accessed_bytes[0] += nest->register_traffic_bytes;
	}
	if (arch->energy_register_file_bytes && nest->register_use == REGISTERS_UNKNOWN)
		counts.macs = -1;
	if (!energy_memories_are_alike(arch))
		counts.macs = -1;
	return counts;
}

long energy_scratchpad_bytes(const struct arch *arch, long used_bytes)
{
	return arch->energy_is_sized_by_schedule ? used_bytes : arch_held_bytes(arch);
}
