#ifndef PASSES_FUSE_H
#define PASSES_FUSE_H

#include "passes/nest.h"

/* Tries to lower the COUNT consecutive nests from NESTS on as one fused group: one row
 * (or block of rows) of the last result at a time, every intermediate array in a ring
 * that never leaves the chip, each producer as late as its users allow.  Returns NULL
 * (and leaves PLAN as it was) if dependences forbid it, an intermediate has a use
 * outside, or it does not fit. */
struct nest *fuse_group(struct compilation *compilation, const struct nest *nests, int count,
	enum detail detail, struct plan *plan, struct plan_nest *out);

#endif
