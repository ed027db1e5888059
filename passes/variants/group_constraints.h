#ifndef PASSES_GROUP_CONSTRAINTS_H
#define PASSES_GROUP_CONSTRAINTS_H

#include <stdbool.h>

#include "passes/limits.h"

/* What a schedule that is given says of a group. */
struct group_constraints {
	long tile[GROUP_DIMS];       /* 0: free */
	bool repeats[GROUP_DIMS];    /* producers are to be repeated */
	/* A loop is to turn, or not to; by itself it does where that saves something. */
	bool turns[GROUP_DIMS], is_straight[GROUP_DIMS];
	bool *is_internal;           /* [array of the function]: it stays on chip */
	bool has_order;
	int order_count, order[GROUP_DIMS];
	bool *is_streamed;           /* [array of the function]: held for its stage only */
	bool *is_double;             /* [array of the function]; all, if HAS_ORDER */
	const char **stage_loop;     /* [array of the function]: in chunks along that; NULL */
	long *stage_tile;            /* [array of the function] */
	unsigned *memories;          /* [array of the function], bit m: it may lie there; 0: free */
};

#endif
