#ifndef PASSES_ANNEALING_H
#define PASSES_ANNEALING_H

#include "passes/search/search_tree.h"

/* Looks at POINTS schedules of SPACE with mappings to elements, from SCHEDULE and MAPPING on, which become the best ones
 * that were found; costs are those of elements too.  TREE is for its own use.  False: nothing was found, they are as they were. */
bool anneal(struct tree *tree, const struct space *space, long points, struct schedule *schedule, struct mapping *mapping);

#endif
