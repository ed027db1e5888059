#ifndef PASSES_STAGE_H
#define PASSES_STAGE_H

#include "passes/cost/nest_model.h"

/* What lowering is told of a nest beside its tiles and their order. */

/* Which buffers without closed forms are double: not; where it is possible; where there is
 * also room. */
enum doubling { DOUBLE_NEVER, DOUBLE_WANTED, DOUBLE_IF_FITS };

/* How a group of references is held on chip. */
struct holding {
	int memory;                  /* of the machine's, that its buffer lies in */
	int store;                   /* tile loops outside its buffer; or STORE_STAGE, STORE_CHUNK */
	bool slides;                 /* its windows may, where isl agrees */
	/* Where regions come from isl, what is wanted, then what was done: */
	enum doubling doubling;
	long slots;                  /* without those of double buffers */
};

/* A plan to weigh has all transfers but no statements. */
enum detail { TO_WEIGH, TO_EMIT };

/* A member of a fused group: its statements, one after the other in each tile; with a loop
 * of its own inside the tiles, if it has a tile size. */
struct group_stage {
	int first, end;              /* statements of the group */
	long tile;                   /* 0: no loop */
	struct band_dim dim;
};

/* Store levels of arrays that only one stage uses: they come for it in each tile; or for
 * each iteration of its loop. */
enum { STORE_STAGE = -1, STORE_CHUNK = -2 };

#endif
