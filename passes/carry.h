#ifndef PASSES_CARRY_H
#define PASSES_CARRY_H

#include "passes/pass.h"

/* Keeps local arrays of PLAN on chip from the first nest that uses them to the last: where
 * the scratchpad has a place for all of one that is free in all these nests, its transfers
 * go.  Those that save most first; with a schedule that was given, those that it names. */
void carry_arrays(const struct compilation *compilation, struct plan *plan);

#endif
