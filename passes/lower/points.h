#ifndef PASSES_POINTS_H
#define PASSES_POINTS_H

#include "passes/tiles/lowering.h"

/* The statements of one tile, in source order. */

/* Appends the point loops to BLOCK, of all statements or of those from FIRST up to END. */
bool lower_points(struct lowering *lowering, struct plan_node *block);
bool lower_statements(struct lowering *lowering, int first, int end, struct plan_node *block);

#endif
