#ifndef PASSES_LOWER_FUNCTION_H
#define PASSES_LOWER_FUNCTION_H

#include "passes/nest.h"

/* Lowers NEST alone, with its entry OUT in PLAN.  False after errors (diagnosed). */
bool lower_nest(struct compilation *compilation, struct nest *nest, struct plan *plan,
	struct plan_nest *out);

/* Bytes that NEST must move whatever its schedule: what it writes goes out once, what
 * it only reads comes in once.  Internal arrays of a group move nothing. */
long nest_compulsory(const struct nest *nest);

#endif
