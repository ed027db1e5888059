#ifndef IR_ENERGY_H
#define IR_ENERGY_H

#include "ir/plan.h"

/* What a schedule costs in picojoules, from its counts: the models of ConvFusion (Waeijen
 * et al. 2021), section VII, whose parameters are the machine's (docs/machine.md). */

struct energy_counts {
	long macs;                   /* multiply-accumulates; -1: not known */
	long register_macs;          /* those whose operands come from a register file; those of the
	                              * others come from the scratchpad */
	long read_bytes, write_bytes;   /* from and to external memory */
	long accessed_bytes[MEMORY_LIMIT];   /* of each memory on chip, by what moves from or to others */
	long delivered_bytes, reduced_bytes;   /* to and from processing elements; added to a neighbour's */
	long scratchpad_bytes;       /* the size of the scratchpad that is paid for */
	long cycles;                 /* of the run, where leakage has a price; -1: not known */
};

struct energy {
	double mac_pj, register_pj, scratchpad_pj, dram_pj;
	double network_pj, reduce_pj;   /* of processing elements */
	double leakage_pj;
};

/* ARCH says what anything costs. */
bool energy_is_known(const struct arch *arch);

/* Picojoules of one access of a word of a scratchpad of BYTES:
 *     (scratchpad + scratchpad_sqrt sqrt(min(s, b))) (1 + bank_select ln ceil(s / b))
 * with s its bits and b the bits of a bank; without banks b = s.  Where prices are given by size, what lies between two
 * sizes is on the line through both in logarithms of size and price, what lies outside on the nearest such line. */
double energy_scratchpad_access_pj(const struct arch *arch, long bytes);
/* Accesses of all memories on chip cost the same. */
bool energy_memories_are_alike(const struct arch *arch);
/* The least that an access of one of them costs; of a scratchpad whose size the schedule decides, of the smallest. */
double energy_least_access_pj(const struct arch *arch);
/* Picojoules of what a multiply-accumulate reads from registers and writes to them: an input, a weight, and an output both
 * ways; of machines that pay for one access, the output alone. */
double energy_operands_pj(const struct arch *arch);
/* The same of a core without registers, at least. */
double energy_scratchpad_operands_pj(const struct arch *arch);

struct energy energy_of(const struct arch *arch, const struct energy_counts *counts);

double energy_total_pj(const struct energy *energy);

/* Adds all but the size of the scratchpad, which is the larger. */
void energy_counts_add(struct energy_counts *sum, const struct energy_counts *more);

/* Picojoules of a partial sum that is added to a neighbour's. */
double energy_reduce_pj(const struct arch *arch);

/* The counts of NEST, on ARCH, if SCRATCHPAD_BYTES are paid for, but its cycles.  macs is -1 too if, with a
 * register file, what moves to and from that is not known, or if a core takes operands from memories of several prices. */
struct energy_counts energy_counts_of_nest(const struct arch *arch, const struct plan_nest *nest,
	long scratchpad_bytes);

/* ENERGY, with more added to it. */
void energy_add(struct energy *energy, const struct energy *more);

/* The bytes of scratchpad that are paid for on ARCH under a schedule that uses USED_BYTES. */
long energy_scratchpad_bytes(const struct arch *arch, long used_bytes);

#endif
