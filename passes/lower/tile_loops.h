#ifndef PASSES_TILE_LOOPS_H
#define PASSES_TILE_LOOPS_H

#include "passes/tiles/lowering.h"

/* A loop that is empty for some sizes has a first and a last tile all the same, where
 * something runs there. */
bool dim_has_ends(const struct variant *variant, int dim);
/* Fills in LOOP, one of those of LOWERING: over tiles of SIZE of the EXTENT iterations of DIM, "DIM_SUFFIX". */
void make_tile_loop(struct lowering *lowering, struct tile_loop *loop, int dim, long size,
	struct plan_expr *extent, const char *suffix);
/* Adds the loop of entry PLACE of the schedule's order to those of LOWERING, "DIM_SUFFIX". */
void make_scheduled_loop(struct lowering *lowering, int place, const char *suffix);

#endif
