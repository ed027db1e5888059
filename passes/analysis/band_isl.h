#ifndef PASSES_BAND_ISL_H
#define PASSES_BAND_ISL_H

#include "passes/analysis/nest.h"

/* Whether isl finds a schedule of NEST in good time. */
bool scheduler_may_run(const struct nest *nest);
/* The dimensions that isl finds, to BAND; how many they are. */
int scheduler_band(struct compilation *compilation, const struct nest *nest,
	struct band_dim *band);

#endif
