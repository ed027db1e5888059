#ifndef PASSES_FORMS_BOUND_H
#define PASSES_FORMS_BOUND_H

#include "passes/analysis/variant.h"

/* No schedule of NEST as a whole moves less, in whatever form (form.h) with its statements as they stand.
 * OUTER: around it, if it is a part.  MOST: what is known to be moved, above which no bound is wanted; LONG_MAX: that is
 * not known.  0: nothing is known; LONG_MAX: nothing fits. */
long forms_bound(struct compilation *compilation, const struct nest *nest,
	const struct outer_loops *outer, long most);

#endif
