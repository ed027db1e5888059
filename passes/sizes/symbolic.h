#ifndef PASSES_SYMBOLIC_H
#define PASSES_SYMBOLIC_H

#include "passes/cost/nest_model.h"

/* Sizes known at run time only.  Bands, models and the search see a nest with its sizes
 * bound to the values they are tuned for.  What they found is then taken over to the nest
 * as it is for all sizes: its numbers are seen to grow with each size by what they differ
 * by where that size is one more, and isl proves that all that depends on them holds for
 * every value. */

/* VARIANT, of a nest of a function made by function_at, for all values of its sizes; REGIONS [array],
 * of the closed forms where it HAS_FORMS, get their slopes (NULL: only its sequential dims are asked for).
 * If it is a part, the loops around it are known for all sizes.  NULL, and *REASON, where that
 * cannot be. */
const struct variant *variant_with_sizes(struct compilation *compilation,
	const struct variant *variant, bool has_forms, struct region *regions, const char **reason);

/* For all sizes every iteration of VARIANT, which variant_with_sizes made, is in some tile, and no
 * dependence runs backwards in its band, nor either way along a loop that turns in SCHEDULE. */
bool band_is_legal(struct compilation *compilation, const struct variant *variant,
	const struct schedule *schedule, const char **reason);

#endif
