#ifndef PASSES_HULL_H
#define PASSES_HULL_H

#include "passes/analysis/nest.h"
#include "passes/cost/model.h"

/* The dimensions of OUT, ARRAY's: boxes that hold what a tile touches of it. */
void nest_hull(struct compilation *compilation, const struct nest *nest,
	struct nest_array *array, struct model_array *out);

#endif
