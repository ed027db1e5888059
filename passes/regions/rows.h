#ifndef PASSES_ROWS_H
#define PASSES_ROWS_H

#include "passes/tiles/lowering.h"

/* Sets of elements that are no boxes. */

/* Appends transfers of exactly the elements of SET of array A (by tile parameters), boxes
 * where it is one, else its rows one by one; the buffer's origins are known.  False if
 * its rows are no boxes either, or isl needs too long. */
bool append_rows(struct lowering *lowering, int a, bool is_put, __isl_take isl_set *set,
	struct plan_node *block);

#endif
