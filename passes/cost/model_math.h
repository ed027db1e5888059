#ifndef PASSES_MODEL_MATH_H
#define PASSES_MODEL_MATH_H

#include "passes/cost/cut.h"
#include "passes/cost/model.h"

/* What the evaluator (model.c) shares with the search. */

/* True if LOOP moves ARRAY's region. */
bool array_is_indexed(const struct model_array *array, int loop);
/* Tiles of TILE iterations that EXTENT iterations need. */
static inline long tile_count(long extent, long tile)
{
	return (extent - 1) / tile + 1;
}
/* The dimension of ARRAY that can slide along the last of the STORE loops outside
 * its buffer; -1 if none can. */
int slide_dim(const struct nest_model *model, const struct schedule *schedule,
	const struct model_array *array, int store);
/* True if two different regions of ARRAY never share an element. */
bool regions_are_disjoint(const struct nest_model *model, const struct schedule *schedule,
	const struct model_array *array, int store);
/* At least so many different elements of a dimension are touched by all iterations, where ELEMENTS
 * of a window are. */
long dim_elements(const struct nest_model *model, const struct model_dim *dim, long elements);
/* Some dimension of ARRAY is clipped. */
bool array_is_clipped(const struct model_array *array);
/* Tiles of a loop, by index. */
struct tile_range { long first, count; };
/* The sum of the clipped extents of DIM over all tiles in RANGE [loop] of the loops around
 * the buffer, those with TILE [loop] > 0; the others run whole.  JOINED (-1: none): where
 * the windows of that loop's tiles touch, what they cover together counts once.  False if
 * *TOTAL overflows. */
bool clipped_sum(const struct nest_model *model, const struct model_dim *dim, const long *tile,
	const struct tile_range *range, int joined, long *total);
/* The same of the boxes that CUT (NULL: none) makes of each tile; JOINED is not cut. */
bool clipped_cut_sum(const struct nest_model *model, const struct model_dim *dim, const long *tile,
	const struct tile_range *range, int joined, const struct cut *cut, long *total);
/* Elements of dimension D of ARRAY, which is clipped, that a buffer has room for if its windows do not slide, in tiles as above: those of the
 * largest region. Rows of aligned arrays keep their length: as many as a whole region has, or as exist. */
long clipped_room(const struct nest_model *model, const struct model_array *array, int d, const long *tile);
/* Whether all that copies into STORAGE give the DMA controller is a multiple of ARRAY's
 * align_bytes, whatever the tile. */
bool storage_is_aligned(const struct nest_model *model, const struct schedule *schedule,
	const struct model_array *array, const struct storage *storage);
/* The largest power of two that divides VALUE, no more than LIMIT; of 0, LIMIT. */
long power_in(long value, long limit);
/* A power of two: tiles of LOOP that are multiples of it are aligned as far as it depends on
 * them, and no larger power is any better. */
long loop_granule(const struct nest_model *model, int loop);
/* True if tiles, order and directions of SCHEDULE are. */
bool tiles_are_legal(const struct nest_model *model, const struct schedule *schedule);
/* Bytes that the regions of ARRAY, which has ends, have besides in the last tiles of these loops, inside the first STORE loops of
 * SCHEDULE; LONG_MAX if they are too many. */
long array_end_bytes(const struct nest_model *model, const struct schedule *schedule,
	const struct model_array *array, int store);
/* Fills in the flow, without its runs, and the (unaligned) bytes of STORAGE.  False if it
 * breaks a rule of struct storage or a number overflows. */
bool array_evaluate(const struct nest_model *model, const struct schedule *schedule,
	const struct model_array *array, struct storage *storage);
/* The same where what counts of a region are the boxes that CUT (NULL: none) makes of it; its bytes are then what one
 * element holds.  The dimension that slides is not cut. */
bool array_cut_evaluate(const struct nest_model *model, const struct schedule *schedule,
	const struct model_array *array, const struct cut *cut, struct storage *storage);

#endif
