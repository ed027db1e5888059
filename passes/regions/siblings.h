#ifndef PASSES_SIBLINGS_H
#define PASSES_SIBLINGS_H

#include "passes/tiles/lowering.h"

/* Several buffers of one array. */

/* False if in some visit one buffer of an array needs, or writes back, what another one
 * wrote meanwhile, and cannot borrow it there; CLASH: which two. */
bool groups_are_apart(struct lowering *lowering, int clash[2]);
/* Adds all such groups to MERGES; false if there are none.  What is long to find out is taken to be so, or, IF_SURE,
 * not to be. */
bool merge_clashing_groups(struct lowering *lowering, bool if_sure, struct merges *merges);

#endif
