#ifndef IR_ENERGY_H
#define IR_ENERGY_H

#include "ir/plan.h"

/* What a schedule costs in picojoules, from its counts: the models of ConvFusion (Waeijen
 * et al. 2021), section VII, whose parameters are the machine's (docs/machine.md). */

/* Three operands are read and one result is written. */
enum { ACCESSES_OF_MAC = 4 };

struct energy_counts {
	long macs;                   /* multiply-accumulates; -1: not known */
	long register_macs;          /* those whose operands come from a register file; those of the
	                              * others come from the scratchpad */
	long register_bytes;         /* moved between that and the scratchpad */
	long read_bytes, write_bytes;   /* from and to external memory */
	long delivered_bytes, reduced_bytes;   /* to and from processing elements; added to a neighbour's */
	long scratchpad_bytes;       /* the size of the scratchpad that is paid for */
};

struct energy {
	double mac_pj, register_pj, scratchpad_pj, dram_pj;
	double network_pj, reduce_pj;   /* of processing elements */
};

/* ARCH says what anything costs. */
bool energy_is_known(const struct arch *arch);

/* Picojoules of one access of a word of a scratchpad of BYTES:
 *     (scratchpad + scratchpad_sqrt sqrt(min(s, b))) (1 + bank_select ln ceil(s / b))
 * with s its bits and b the bits of a bank; without banks b = s. */
double energy_scratchpad_access_pj(const struct arch *arch, long bytes);

struct energy energy_of(const struct arch *arch, const struct energy_counts *counts);

double energy_total_pj(const struct energy *energy);

/* Adds all but the size of the scratchpad, which is the larger. */
void energy_counts_add(struct energy_counts *sum, const struct energy_counts *more);

/* Picojoules of a partial sum that is added to a neighbour's. */
double energy_reduce_pj(const struct arch *arch);

/* The counts of NEST, on ARCH, if SCRATCHPAD_BYTES are paid for.  macs is -1 too if, with a
 * register file, what moves to and from that is not known. */
struct energy_counts energy_counts_of_nest(const struct arch *arch, const struct plan_nest *nest,
	long scratchpad_bytes);

/* The bytes of scratchpad that are paid for on ARCH under a schedule that uses USED_BYTES. */
long energy_scratchpad_bytes(const struct arch *arch, long used_bytes);

#endif
