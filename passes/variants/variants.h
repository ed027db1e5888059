#ifndef PASSES_VARIANTS_H
#define PASSES_VARIANTS_H

#include "passes/variants/candidates.h"

/* Lowers the variant of NEST, whose dependences are known, that moves least, of those that FORM
 * leaves to be tried, with its entry OUT in PLAN.  OUTER is around a part.  Where closed forms of
 * regions do not hold for all sizes these come from isl.  What moves MOST bytes or more is not
 * wanted and need not be found; LONG_MAX: all is wanted.  NULL if none fits or moves less, or the
 * user's schedule is wrong (diagnosed): *REFUSAL says why. */
struct choice *lower_best_variant(struct compilation *compilation, const struct nest *nest,
	const struct outer_loops *outer, const struct form *form, long most, struct plan *plan,
	struct plan_nest *out, struct refusal *refusal);

#endif
