#ifndef IR_MACS_H
#define IR_MACS_H

#include "ir/program.h"

/* Multiply-accumulates.  A statement x = x + e (or -, see struct statement.reduction)
 * does one for each product among the terms that it adds to x: signs, casts and further
 * sums in e are looked through, and of a conditional term the branch with more counts,
 * whichever is taken.  Any other statement does none. */
int statement_macs(const struct statement *statement);

/* The number of points of SET; -1 if finding it takes too much work, or it is no long.
 * Dimensions that no constraint couples are counted apart. */
long set_count(__isl_take isl_set *set);

#endif
