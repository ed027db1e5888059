#ifndef PASSES_TRANSFERS_H
#define PASSES_TRANSFERS_H

#include "passes/tiles/lowering.h"

/* What moves, and what waits for it, as lowering.visits say: who walks the loops of a nest
 * (passes/lower/lower.c) says where in them it stands. */

/* Before and after the body of the visits of all buffers inside the first DEPTH tile loops. */
void begin_visits(struct lowering *lowering, int depth, struct plan_node *block);
void end_visits(struct lowering *lowering, int depth, struct plan_node *block);
/* After a whole run of the innermost of these loops. */
void end_run(struct lowering *lowering, int depth, struct plan_node *block);

/* Before the stages of a tile; before stage M, and after it; where an iteration of its own loop begins, and where
 * it ends. */
void begin_tile(struct lowering *lowering, struct plan_node *block);
void begin_stage(struct lowering *lowering, int m, struct plan_node *block);
void end_stage(struct lowering *lowering, int m, struct plan_node *block);
void begin_chunk(struct lowering *lowering, int m, struct plan_node *block);
void end_chunk(struct lowering *lowering, int m, struct plan_node *block);

#endif
