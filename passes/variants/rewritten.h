/* A nest with its statements as they stand, or rewritten: scalars that carry sums as arrays
 * (expand.h), local arrays in the place of others (in_place.h). */

#ifndef PASSES_REWRITTEN_H
#define PASSES_REWRITTEN_H

#include "passes/variants/candidates.h"

/* A nest, rewritten or not, and what came of lowering it. */
struct lowered {
	const struct nest *nest;
	struct plan plan;
	struct plan_nest out;
	struct choice *choice;       /* NULL: it has no plan */
	const struct choice *expanded;   /* the best with scalars in arrays; NULL: there is none */
	struct refusal refusal;      /* then */
};

/* NEST in the form that the user wants, or the best of those there are.  PLAN stays as it is. */
void lower_rewritten(struct compilation *compilation, const struct nest *nest,
	const struct form *form, const struct plan *plan, struct lowered *best);

/* No schedule of NEST as a whole moves less, whatever form it has, its statements as they stand or rewritten; MOST as in forms_bound.h.
 * 0: nothing is known; LONG_MAX: nothing fits. */
long rewritten_bound(struct compilation *compilation, const struct nest *nest, long most);

#endif
