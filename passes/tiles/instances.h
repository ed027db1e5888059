#ifndef PASSES_INSTANCES_H
#define PASSES_INSTANCES_H

#include "passes/tiles/lowering.h"

/* What runs in a tile, as sets over the parameters of the tile loops. */

/* Which tiles of the innermost loop are meant: the one, the one before it, all up to
 * it, or all from it on. */
enum reach { IN_TILE, IN_TILE_BEFORE, UP_TO_TILE, FROM_TILE, REACHES };

/* The instances of statement S in the tiles that the tile parameters give; only the first
 * DEPTH tile loops count, and REACH applies to the last of them.  Caller frees. */
__isl_give isl_set *tile_instances(const struct lowering *lowering, int s, int depth,
	enum reach reach);
/* The values tile parameters take in some tile.  Caller frees. */
__isl_give isl_set *tile_context(const struct lowering *lowering);
/* Those they take where the first DEPTH tile loops are around: the loops inside may be
 * empty.  Caller frees. */
__isl_give isl_set *context_at(const struct lowering *lowering, int depth);
/* Dimension DIM of the band has no iteration for some symbolic sizes. */
bool dim_may_be_empty(const struct lowering *lowering, int dim);
/* The instances of statement S in the present tile of its stage's loop, whatever the other
 * tiles.  Caller frees. */
__isl_give isl_set *stage_instances(const struct lowering *lowering, int s);
/* SET for any tile of loop L. */
__isl_give isl_set *whatever_tile(const struct lowering *lowering, __isl_take isl_set *set, int l);
/* SET whether or not loop L is in the first or the last iteration of its run, at the same tile. */
__isl_give isl_set *whatever_end(const struct lowering *lowering, __isl_take isl_set *set, int l);
/* What SET has in some tile of loop L that is FROM to TO further on than the present one. */
__isl_give isl_set *tiles_further(const struct lowering *lowering, __isl_take isl_set *set, int l,
	long from, long to);

#endif
