#ifndef PASSES_LOWER_WRITTEN_H
#define PASSES_LOWER_WRITTEN_H

#include "passes/pass.h"

/* FUNCTION with the nests that it has as it is written becomes a plan: for each nest dependences, a band, a
 * schedule, and what is fused.  NULL after errors (diagnosed).  The plan lives in the compilation's arena. */
struct plan *lower_written(struct compilation *compilation, const struct function *function);

/* The compilation's program with NEW in the place of OLD. */
const struct program *program_with(const struct compilation *compilation, const struct function *old,
	const struct function *new);

#endif
