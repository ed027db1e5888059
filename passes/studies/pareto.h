#ifndef PASSES_PARETO_H
#define PASSES_PARETO_H

#include "passes/studies/front.h"
#include "passes/analysis/nest.h"

/* The fronts of a function: of all of it, and of each nest by itself. */
struct pareto {
	const struct function *function;
	struct front whole;
	int nest_count;
	const char **nest_names;
	struct front *nests;         /* [nest]; NULL: not asked for */
};

/* Finds them on machines like compilation->arch with any part of its scratchpad, in the
 * space that the compilation's restriction and fusion leave; buffers are single where
 * buffering is auto.  WITH_MACS: multiply-accumulates are a third objective; the fronts under
 * several limits to the work that groups repeat are made one (docs/reports.md).  Fronts without a point: nothing fits.
 * LIMIT: at most so many searches for each front; 0: until they have taken about as long as
 * thirty million points of a nest's search; PARETO_COMPLETE: as many as it takes. */
enum { PARETO_COMPLETE = -1 };
void pareto_find(const struct compilation *compilation, const struct function *function,
	bool with_macs, bool with_nests, int limit, struct pareto *pareto);

#endif
