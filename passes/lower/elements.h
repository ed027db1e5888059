#ifndef PASSES_ELEMENTS_H
#define PASSES_ELEMENTS_H

#include "passes/tiles/lowering.h"

/* The tiles of a nest, computed by processing elements with registers (passes/cost/array_model.h): loops over steps, and
 * over the elements around the points of each; words that come to registers where a visit of theirs begins, and
 * leave where it ends.  What an array does at the same time is done here one element after the other. */
struct elements;

/* For LOWERING, whose schedule has a mapping and whose buffers are made. */
struct elements *elements_begin(struct lowering *lowering);
/* What comes to registers, and leaves them, inside DEPTH tile loops. */
void fill_elements(struct elements *elements, int depth, struct plan_node *block);
void drain_elements(struct elements *elements, int depth, struct plan_node *block);
/* The steps of a tile.  False if isl finds no loops. */
bool lower_elements(struct elements *elements, struct plan_node *block);
/* Registers become buffers of the plan; OUT says what elements move. */
void elements_end(struct elements *elements, struct plan_nest *out);

#endif
