#ifndef PASSES_SYMBOLIC_H
#define PASSES_SYMBOLIC_H

#include "passes/cost/nest_model.h"

/* Sizes known at run time only.  Bands, models and the search see a nest with its sizes
 * bound to the values they are tuned for.  What they found is then taken over to the nest
 * as it is for all sizes: its numbers are seen to grow with each size by what they differ
 * by where that size is one more, and isl proves that all that depends on them holds for
 * every value. */

/* What is kept of a nest with other sizes (nest.twins), so that each is looked at once. */
struct twins *twins_new(struct arena *arena);

/* NEST, of a function made by function_at and with the band of so many sequential LOOPS, for all values of its sizes; REGIONS [array], of
 * the closed forms where EXACT, get their slopes (NULL: only its sequential
 * dims are asked for).  If NEST is a
 * part, its parent's all_sizes is known.  NULL, and *REASON, where that cannot be. */
struct nest *nest_with_sizes(struct compilation *compilation, const struct nest *nest,
	int loops, bool exact, struct region *regions, const char **reason);

/* For all sizes every iteration of NEST, which nest_with_sizes made, is in some tile, and
 * no dependence runs backwards in its band, nor either way along a loop that turns in
 * SCHEDULE. */
bool band_is_legal(struct compilation *compilation, const struct nest *nest,
	const struct schedule *schedule, const char **reason);

#endif
