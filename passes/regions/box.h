#ifndef PASSES_BOX_H
#define PASSES_BOX_H

#include <stdbool.h>

#include <isl/aff.h>
#include <isl/set.h>

#include "ir/program.h"

/* The least box around a set of elements, for each value of the parameters of the set:
 * from low to high, both within, in each dimension. */
struct box {
	int rank;
	isl_pw_aff *low[ARRAY_RANK_LIMIT], *high[ARRAY_RANK_LIMIT];
};

/* Fills in BOX, of dimension RANK, from two sets, which may be one: the elements of LOWS have
 * its lower ends, those of HIGHS its upper ends.  VISITS: the parameters where these are not
 * empty.  A bound with very many cases becomes one that holds for all of VISITS.  Free it
 * with box_free. */
void box_find(__isl_keep isl_set *lows, __isl_keep isl_set *highs, __isl_keep isl_set *visits,
	int rank, struct box *box);
void box_free(struct box *box);

/* The elements of BOX, in the space of ELEMENTS. */
__isl_give isl_set *box_elements(const struct box *box, __isl_keep isl_set *elements);

/* The most elements from LOW to HIGH for any value of the parameters; -1: unknown. */
long box_extent(__isl_keep isl_pw_aff *low, __isl_keep isl_pw_aff *high);

/* Where a buffer may begin that holds dimension DIM of BOX in each of VISITS: the low end,
 * or where that has several cases one of them that is never above the others, if the buffer
 * need not be larger for it. */
__isl_give isl_pw_aff *box_origin(const struct box *box, int dim, __isl_keep isl_set *visits);

#endif
