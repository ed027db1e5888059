#ifndef PASSES_SPLIT_H
#define PASSES_SPLIT_H

#include "ir/plan.h"

/* Splits every transfer of PLAN that its machine's DMA (or the runtime's box)
 * cannot do in one command into loops of smaller ones, with the fewest commands for
 * a whole tile; edge tiles use the same pieces.  After it, each transfer that is
 * started is one command, so plan_count counts commands.  A plan whose transfers
 * all fit is not changed.
 *
 * False, with a message on stderr, if one element is more than a command may move. */
bool split_transfers(struct plan *plan);

#endif
