#ifndef PASSES_EXPAND_H
#define PASSES_EXPAND_H

#include "passes/analysis/nest.h"

/* NEST with each scalar that carries a value through inner loops held in an array, an
 * element for each iteration of the loops around all its uses, so that those loops can be
 * tiled.  The scalar may not be used elsewhere, and no value of it may pass between those
 * iterations.  The result has no dependences and no band yet, and a function of its own,
 * in which the scalar is an array of the same name, or nothing uses it.  NULL if there is
 * no such scalar.  All of it is the arena's. */
const struct nest *nest_expand_scalars(struct compilation *compilation, const struct nest *nest);

#endif
