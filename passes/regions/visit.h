#ifndef PASSES_VISIT_H
#define PASSES_VISIT_H

#include "passes/tiles/lowering.h"

/* What a provider of regions answers: closed forms (passes/regions/closed.c) or isl
 * (passes/regions/general.c).  Who places transfers (passes/lower/transfers.c) asks for no more. */

/* What a window that goes on shows anew, in the dimension along which it slides. */
struct fresh {
	struct plan_expr *when;      /* NULL: always */
	struct plan_expr *first, *count;
};

/* What a visit of an array's buffer brings and takes out, in the variables of the tile loops
 * outside.  With other values for those of the innermost one it is another visit, such as the
 * next. */
struct visit {
	struct plan_expr *exists;    /* for the sizes at hand anything is touched; NULL: always */
	bool is_fetched, is_put;     /* in some visit at all */
	/* What a double buffer shows next is on its way while the present region is computed with, not only
	 * within a run of the loop that moves it: from one iteration of loop ahead, outside of it, to the next,
	 * and of all loops between.  Those in kept show the same region after their step. */
	int ahead;
	unsigned long kept;
	struct plan_expr *begins, *ends;         /* of closed forms: when its region was not there before, and does
	                                          * not stay; NULL: always */
	struct plan_expr *fetches, *puts;        /* when; NULL: always */
	struct plan_expr *first[ARRAY_RANK_LIMIT], *count[ARRAY_RANK_LIMIT];     /* the box */
	/* A window that slides along dimension slide (-1: none): where it goes on, only what is fresh
	 * comes. */
	int slide;
	struct plan_expr *goes_on;
	struct fresh fresh[2];
	int fresh_count;
	/* Where not the whole box comes or goes, but some of its elements: how, when that is. */
	struct plan_node *get_rows, *put_rows;
};

#endif
