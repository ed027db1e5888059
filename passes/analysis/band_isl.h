#ifndef PASSES_BAND_ISL_H
#define PASSES_BAND_ISL_H

#include "passes/analysis/band.h"

/* Whether isl finds a schedule of NEST in good time. */
bool scheduler_may_run(const struct nest *nest);
/* Those dimensions that isl finds become BAND's, which has no sequential ones. */
void scheduler_band(struct compilation *compilation, const struct nest *nest, struct band *band);

#endif
