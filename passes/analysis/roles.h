#ifndef PASSES_ROLES_H
#define PASSES_ROLES_H

#include "passes/analysis/nest.h"

/* What arrays are to the layer that a nest computes. */

/* What ARRAY is to the layer, whichever of NEST's arrays are carried.  An output is written in the nest.  Of what is only read, an
 * input is what the function writes elsewhere, or what somewhere in the function a window
 * slides over (a subscript with two iterators); if the nest has neither, the array that its
 * innermost statement reads first.  Weights are the rest. */
enum array_role array_role_in(const struct nest *nest, const struct array *array);

/* The memories of ARCH that ARRAY may lie in where NEST uses it: those that hold its role in the whole nest, which does not
 * depend on what of it is looked at, or stays on chip.  Bit m: memory m; 0: NEST does not use it. */
unsigned array_memories(const struct arch *arch, const struct nest *nest, const struct array *array);

#endif
