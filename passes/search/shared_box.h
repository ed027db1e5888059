#ifndef PASSES_SHARED_BOX_H
#define PASSES_SHARED_BOX_H

#include <stdbool.h>

#include "ir/pe_array.h"
#include "passes/limits.h"

/* A box of words that elements share. */

/* A side of it, which so many loops move: an element that has ITERATIONS [loop] of them has
 *     BASE + sum of COEFFICIENT (ITERATIONS - 1)
 * words, or fewer in several boxes where these leave gaps between them. */
enum { BOX_LOOPS = 2 };
struct box_loop { double coefficient; long iterations; };
struct box_side { double base; int count; struct box_loop loops[BOX_LOOPS]; };

struct shared_box {
	double fixed;                /* times the sides: what the box has */
	int count;
	struct box_side sides[MODEL_RANK];
};

/* What was found of boxes, which many mappings share.  The caller frees it. */
struct shared_boxes;
struct shared_boxes *shared_boxes_new(void);

/* Whether the busiest element can have no more than MOST of BOX, where each loop is shared by elements along one of MACHINE's axes, of which
 * USED [axis] are taken.  Each has whole iterations: 13 that 12 elements share are 2 for one of them.  BOXES (may be NULL) remembers it. */
bool shared_box_fits(struct shared_boxes *boxes, const struct shared_box *box, const struct pe_array *machine, const long *used,
	double most);

#endif
