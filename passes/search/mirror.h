#ifndef PASSES_MIRROR_H
#define PASSES_MIRROR_H

#include "passes/search/search_tree.h"

/* Loops that may change places: the rows and the columns of a convolution, with those of its filter.  A schedule and the same one with these loops
 * exchanged, its *image*, move the same through all memories, so one of the two is enough. */

/* Finds loops of SPACE that are like each other in all that bytes and words depend on: its mirror.  Where commands or time have a price none are, for
 * rows are copied in one piece and columns are not. */
void space_find_mirror(struct space *space);
/* SPACE has none. */
void space_forget_mirror(struct space *space);

/* The image of SCHEDULE and of MAPPING, whose results are not filled in. */
void mirror_image(const struct space *space, struct schedule *schedule, struct mapping *mapping);

#endif
