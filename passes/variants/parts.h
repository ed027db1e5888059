#ifndef PASSES_PARTS_H
#define PASSES_PARTS_H

#include "passes/variants/form.h"

/* The parts of NEST's body one by one, each with a schedule of its own, inside as many of the
 * loops they share (*WHOLE) as is best: as one entry OUT of PLAN, better than RIVAL (NULL: any).
 * False if there is none, or after an error (diagnosed); the parts of nests that are joined are
 * these nests, and not lowered here.  No parts of NEST that FORM leaves to be tried move less than *BOUND; 0: not
 * known. */
bool lower_all_parts(struct compilation *compilation, const struct nest *nest,
	const struct form *form, const struct plan_nest *rival, struct plan *plan,
	struct plan_nest *out, struct variant *whole, long *bound);

#endif
