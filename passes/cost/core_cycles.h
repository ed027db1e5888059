#ifndef PASSES_CORE_CYCLES_H
#define PASSES_CORE_CYCLES_H

#include "ir/arch.h"
#include "passes/cost/model.h"

/* Cycles of a run of SCHEDULE, evaluated, of MODEL on ARCH, whose tiles a core computes in COMPUTING cycles, all together: about, as far as it is known
 * before there is a plan. */
double core_cycles(const struct nest_model *model, const struct arch *arch, const struct schedule *schedule, double computing);

#endif
