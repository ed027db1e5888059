#ifndef IR_MACS_H
#define IR_MACS_H

#include "ir/program.h"

/* Multiply-accumulates.  A statement x = x + e (or -, see struct statement.reduction)
 * does one for each product among the terms that it adds to x: signs, casts and further
 * sums in e are looked through, and of a conditional term the branch with more counts,
 * whichever is taken.  Any other statement does none. */
int statement_macs(const struct statement *statement);

#endif
