#ifndef PASSES_DISTRIBUTE_H
#define PASSES_DISTRIBUTE_H

#include "passes/analysis/nest.h"

/* Loop distribution: a nest with several loops in its body becomes several nests, one after the other.  So a layer
 * norm, which is one nest over rows, becomes three: the sums of all rows, their variances, and the results.  These can be
 * tiled, ordered, fused and merged as if the source had them so. */

/* NEST may have several loops in its body, as its text alone says. */
bool nest_may_distribute(const struct nest *nest);

/* NEST's function with the nest distributed: each loop in the body of the loops that its statements share is a nest of its own, with
 * those loops around it, and so are loops that have to run in turns.  A statement that is in no such loop is with
 * the last one that it depends on, or else with the first that depends on it.  Scalars that carry values between
 * nests are arrays (expand.h).  NULL: it would be one nest.  The function is the arena's, with its name for NEST in
 * DISTRIBUTED behind those that were distributed before. */
const struct function *nest_distribute(struct compilation *compilation, const struct nest *nest);

#endif
