#ifndef PASSES_HULL_H
#define PASSES_HULL_H

#include "passes/analysis/variant.h"
#include "passes/cost/model.h"

/* The dimensions of OUT, ARRAY's: boxes that hold what a tile touches of it. */
void nest_hull(struct compilation *compilation, const struct variant *variant,
	const struct reference_group *array, struct model_array *out);

#endif
