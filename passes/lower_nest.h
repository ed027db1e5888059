#ifndef PASSES_LOWER_NEST_H
#define PASSES_LOWER_NEST_H

#include "passes/nest.h"

/* Lowers NEST alone, with its entry OUT in PLAN.  False after errors (diagnosed). */
bool lower_nest(struct compilation *compilation, struct nest *nest, struct plan *plan,
	struct plan_nest *out);

#endif
