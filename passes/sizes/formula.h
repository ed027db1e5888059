#ifndef PASSES_FORMULA_H
#define PASSES_FORMULA_H

#include "passes/pass.h"

/* Fills in the formulas of NEST's traffic, of a plan with symbolic sizes: C expressions of
 * the sizes' names, of type int64_t if these are, that give the bytes for every value.
 * NULL where isl finds none, or only a long one. */
void nest_traffic_formulas(struct compilation *compilation, const struct plan *plan,
	struct plan_nest *nest);

#endif
