#ifndef PASSES_AHEAD_H
#define PASSES_AHEAD_H

#include "passes/regions/turn.h"
#include "passes/regions/visit.h"

/* A double buffer asks for what it shows next while its present region is computed with: within a run of
 * the loop that moves it, and from there to the next run where the other of its two slots is free then. */

/* Fills in how far ahead the VISIT of array A, whose BUFFER moves as TURNING says, asks; and which slot of
 * BUFFER is in use, where that is not the tile's. */
void ask_ahead(const struct lowering *lowering, int a, const struct turning *turning,
	struct plan_buffer *buffer, struct visit *visit);

#endif
