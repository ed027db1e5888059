#ifndef PASSES_BOUND_NEST_H
#define PASSES_BOUND_NEST_H

#include "passes/analysis/reference_groups.h"

/* No execution of NEST's instances in so many bytes of scratchpad moves fewer bytes, whatever the
 * shape of its domains; *ARGUMENT names the reason ("compulsory", "partition").  *COMPULSORY is
 * what nest_compulsory says.  Statements that write internal arrays may run more than once. */
long nest_lower_bound(const struct nest *nest, long scratchpad_bytes, long *compulsory,
	const char **argument);

#endif
