#ifndef PASSES_ALIGN_H
#define PASSES_ALIGN_H

#include "ir/plan.h"
#include "support/diag.h"

/* Whether all that a copy of PLAN gives the DMA controller (both addresses, the bytes of its
 * run, the strides of its dimensions) is always a multiple of arch.dma_align_bytes, if arrays begin
 * at such addresses.  False after an error that says of one copy what is not, and what
 * would do.  What cannot be proved from the form of the plan's expressions does not hold. */
bool align_check(const struct plan *plan, struct diag *diag);

#endif
