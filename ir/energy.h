#ifndef IR_ENERGY_H
#define IR_ENERGY_H

#include "ir/plan.h"

/* What a schedule costs in picojoules, from its counts: the models of ConvFusion (Waeijen
 * et al. 2021), section VII, whose parameters are the machine's (docs/machine.md). */

struct energy_counts {
	long macs;                   /* multiply-accumulates */
	long read_bytes, write_bytes;   /* from and to external memory */
	long scratchpad_bytes;       /* the size of the scratchpad that is paid for */
	long register_bytes;         /* moved between a register file and the scratchpad; -1: the
	                              * operands of a multiply-accumulate come from the scratchpad */
};

struct energy {
	double mac_pj, register_pj, scratchpad_pj, dram_pj;
};

/* ARCH says what anything costs. */
bool energy_is_known(const struct arch *arch);

/* Picojoules of one access of a word of a scratchpad of BYTES:
 *     (scratchpad + scratchpad_sqrt sqrt(min(s, b))) (1 + bank_select ln ceil(s / b))
 * with s its bits and b the bits of a bank; without banks b = s. */
double energy_scratchpad_access_pj(const struct arch *arch, long bytes);

struct energy energy_of(const struct arch *arch, const struct energy_counts *counts);

double energy_total_pj(const struct energy *energy);

/* The counts of NEST, one of PLAN's.  False if its multiply-accumulates are not known. */
bool energy_counts_of_nest(const struct plan *plan, const struct plan_nest *nest,
	struct energy_counts *counts);

#endif
