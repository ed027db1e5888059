#ifndef IR_PLAN_ALIGN_H
#define IR_PLAN_ALIGN_H

#include "ir/plan.h"
#include "support/diag.h"

/* An array of which a copy is not aligned, and what of the copy is not. */
struct misaligned {
	const struct array *array;
	const char *why;
};

/* The error: nothing fits ARCH, at LOCATION, for what MISALIGNED says, and what would do. */
void misaligned_report(const struct arch *arch, struct location location,
	const struct misaligned *misaligned, struct diag *diag);

/* Whether all that a copy of PLAN gives the DMA controller (both addresses, the bytes of its
 * run, the strides of its dimensions) is always a multiple of arch.dma_align_bytes, if arrays begin
 * at such addresses.  False after an error that says of one copy what is not, and what
 * would do.  What cannot be proved from the form of the plan's expressions does not hold. */
bool plan_check_alignment(const struct plan *plan, struct diag *diag);
/* Of the copies of NEST, which may have no statements yet, one that is not such; {0}: all are. */
struct misaligned plan_nest_misaligned(const struct plan *plan, const struct plan_nest *nest);

#endif
