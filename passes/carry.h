#ifndef PASSES_CARRY_H
#define PASSES_CARRY_H

#include "passes/pass.h"

/* Keeps local arrays of PLAN on chip from the first nest that uses them to the last: where
 * the scratchpad has a place for all of one that is free in all these nests, its transfers
 * go.  Those that a pragma names first, then those that save most; with a
 * schedule that was given, only those that it or a pragma names. */
void carry_arrays(const struct compilation *compilation, struct plan *plan);

/* The user names an array that is to be carried in PLAN. */
bool carry_is_wanted(const struct compilation *compilation, const struct plan *plan);
/* All that the user names is on chip; else says what is not (diagnosed). */
bool carry_check(struct compilation *compilation, const struct plan *plan);

#endif
