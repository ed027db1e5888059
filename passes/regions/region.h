#ifndef PASSES_REGION_H
#define PASSES_REGION_H

#include "passes/regions/box.h"
#include "passes/regions/footprint.h"
#include "passes/regions/visit.h"

/* The region of one array, and what its visits move. */
struct general_region {
	struct visit visit;
	bool is_touched;             /* at all */
	struct footprint footprint;  /* until the buffers are made */
	struct box box;              /* likewise */
	long extent[ARRAY_RANK_LIMIT];   /* the most elements of the box; -1: not known */
	/* A window that slides: where the iteration before shows a window too (NULL: always), and
	 * where that ends. */
	bool knows_slide;
	struct plan_expr *continues, *end_before;
	/* [dimension]: where the buffer begins, if others are narrower later on in a run of the loop (NULL: where the box does); and
	 * how much comes, if that is the same in all of the run (NULL: what the box has) */
	struct plan_expr *run_first[ARRAY_RANK_LIMIT], *run_count[ARRAY_RANK_LIMIT];
	long span_of_two;            /* elements from where that begins to where this one ends, at
	                              * most; -1: unknown */
	/* At turns: bit l where loop l leaves the region and what is moved of it as they are (0: nothing
	 * is kept); and the visits that have a region (NULL: all). */
	unsigned long still;
	bool knows_visited;
	struct plan_expr *visited;
};

/* The visits that must fetch: something is read before it is written, or the box that
 * goes out holds elements that the visit does not write.  Caller frees. */
__isl_give isl_set *region_fetches(const struct lowering *lowering, int a,
	const struct footprint *footprint, const struct box *box);
/* True in the visits of SET; NULL if those are all that the first DEPTH tile loops have.  In all of them
 * where isl finds no condition. */
struct plan_expr *region_condition(struct lowering *lowering, __isl_keep isl_set *set, int depth);
/* *CONDITION is that; false where isl finds none. */
bool region_find_condition(struct lowering *lowering, __isl_keep isl_set *set, int depth,
	struct plan_expr **condition);

/* Fills in when array A's whole box comes, and when it goes. */
void region_fill_moves(struct lowering *lowering, int a, struct general_region *region);

/* Fills in REGION's box and extents, from its footprint. */
void region_find_box(struct general_region *region, int rank);
/* The buffer's extents, from a box that is known.  False if one is not. */
bool region_set_extents(const struct general_region *region, struct plan_buffer *buffer);
/* Both: the largest box of any visit. */
bool region_measure_box(struct general_region *region, struct plan_buffer *buffer);
/* Where the box begins and ends, by the first DEPTH tile loops.  False if that has no plan. */
bool region_find_ends(struct lowering *lowering, struct general_region *region, int depth, int rank);
/* Then where the buffer begins: with the box, or at a simpler place before it. */
void region_fill_origins(struct lowering *lowering, const struct general_region *region, int depth,
	struct plan_buffer *buffer);
/* Both. */
bool region_fill_box(struct lowering *lowering, struct general_region *region, int depth,
	struct plan_buffer *buffer);
/* In some visit of PARAMS, BOX has elements that are not in ELEMENTS. */
bool box_has_holes(__isl_keep isl_set *elements, __isl_keep isl_set *params,
	const struct box *box);

#endif
