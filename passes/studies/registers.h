#ifndef PASSES_REGISTERS_H
#define PASSES_REGISTERS_H

#include "passes/analysis/nest.h"

/* What moves between a register file and the scratchpad, for the energy of a machine whose
 * operands come from one (energy_pj.register_file_bytes).  ConvFusion's approximation (VII-C):
 * what the best schedule of the nest would move if its scratchpad were as large as the
 * register file.  Where the nest has no such schedule, the operands come from the
 * scratchpad. */

/* [nest of FUNCTION] bytes, or -1: no such schedule.  NULL: the machine has no register
 * file. */
const long *register_traffic(const struct compilation *compilation,
	const struct function *function);

/* Fills in an entry of a plan whose nests of the source are known; TRAFFIC may be NULL. */
void register_traffic_fill(const long *traffic, struct plan_nest *entry);

#endif
