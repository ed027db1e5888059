#ifndef PASSES_CLOSED_H
#define PASSES_CLOSED_H

#include "passes/regions/visit.h"

/* The provider of regions that have a closed form (lowering.regions): makes all buffers, in the
 * places that the schedule gives them, and says what their visits move.  False if, with symbolic
 * sizes, some closed form does not hold for all of them. */
bool make_closed_buffers(struct lowering *lowering);

#endif
