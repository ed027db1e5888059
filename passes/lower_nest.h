#ifndef PASSES_LOWER_NEST_H
#define PASSES_LOWER_NEST_H

#include "passes/nest.h"

/* Lowers NEST alone, with its entry OUT in PLAN.  WEIGHED: what came of the same before, without
 * statements; it is lowered again in the form found then.  NULL: in the best there is.  False
 * after errors (diagnosed). */
bool lower_nest(struct compilation *compilation, struct nest *nest,
	const struct plan_nest *weighed, struct plan *plan, struct plan_nest *out);

#endif
