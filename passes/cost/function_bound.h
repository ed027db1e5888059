#ifndef PASSES_FUNCTION_BOUND_H
#define PASSES_FUNCTION_BOUND_H

#include "passes/analysis/reference_groups.h"

/* What a function must move, whatever is made of its nests: fused or not, in any tiles, with any
 * arrays kept on chip, and with what groups repeat.  docs/fusion.md proves it. */
struct function_bound;

/* For FUNCTION, whose symbolic sizes have values.  Lives in COMPILATION's arena. */
struct function_bound *function_bound_new(struct compilation *compilation,
	const struct function *function);

/* Bytes: what the function reads of its caller's arrays before it writes it comes in once, what
 * it writes of them goes out once.  -1: not known. */
long function_compulsory(const struct function_bound *bound);

/* Bytes that every execution in SCRATCHPAD_BYTES moves, at least the compulsory ones; *ARGUMENT
 * names why.  -1: not known. */
long function_lower_bound(struct function_bound *bound, long scratchpad_bytes,
	const char **argument);

#endif
