#ifndef PASSES_LOWER_NEST_H
#define PASSES_LOWER_NEST_H

#include "passes/analysis/reference_groups.h"

struct choice;

/* What came of a nest alone, without statements. */
struct weighed_nest {
	struct plan_nest entry;
	struct choice *choice;       /* that it was lowered by; NULL: several, or not known */
	const struct function *function;     /* the plan's before */
	long bound;                  /* no schedule of it moves less; LONG_MAX: none fits.  Known also where
	                              * none was found, and there is no more than this */
};

/* Lowers NEST alone, with its entry OUT in PLAN.  WEIGHED: what came of the same before; it is
 * lowered again in the form found then.  NULL: in the best there is.  False after errors
 * (diagnosed). */
bool lower_nest(struct compilation *compilation, const struct nest *nest,
	const struct weighed_nest *weighed, struct plan *plan, struct plan_nest *out);

/* What NEST alone would move in PLAN, which stays as it is.  COMPILATION only weighs; what it
 * finds lives in its arena.  False after errors (diagnosed). */
bool weigh_nest(struct compilation *compilation, const struct nest *nest, const struct plan *plan,
	struct weighed_nest *weighed);

/* No schedule of NEST alone as a whole moves less in PLAN, nor do those that were not looked for; MOST as in forms_bound.h.  0: nothing is
 * known; LONG_MAX: nothing fits. */
long nest_bound_unweighed(struct compilation *compilation, const struct nest *nest, const struct plan *plan, long most);

#endif
