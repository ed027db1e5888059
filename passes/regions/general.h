#ifndef PASSES_GENERAL_H
#define PASSES_GENERAL_H

#include "passes/regions/box.h"
#include "passes/regions/footprint.h"

/* What the files share that make regions without closed forms: the regions of visits
 * (passes/regions/general.c), windows that slide (passes/regions/slide.c), what comes for a stage
 * (passes/regions/turn.c), arrays that never leave the chip
 * (passes/regions/resident.c), buffers' places (passes/cost/place.c), and the transfers
 * (passes/lower/general_transfers.c). */

/* What a visit of one array moves. */
struct general_region {
	struct plan_expr *first[ARRAY_RANK_LIMIT], *count[ARRAY_RANK_LIMIT];
	struct plan_expr *fetches, *puts;        /* when; NULL: always */
	bool is_touched, is_fetched, is_put;     /* at all */
	struct footprint footprint;  /* until the buffers are made */
	struct box box;              /* likewise */
	long extent[ARRAY_RANK_LIMIT];   /* the most elements of the box; -1: not known */
	/* A window that slides along dimension slide (-1: none): where the iteration before
	 * shows a window too (continues; NULL: always), what is new begins at fresh. */
	int slide;
	bool knows_slide;
	struct plan_expr *continues, *fresh;
	struct plan_expr *end_before;    /* where the window of the iteration before ends */
	long span_of_two;            /* elements from where that begins to where this one ends, at
	                              * most; -1: unknown */
	/* Where not the whole box comes or goes, but some of its elements: how. */
	struct plan_node *get_rows, *put_rows;
};

/* The visits that must fetch: something is read before it is written, or the box that
 * goes out holds elements that the visit does not write.  Caller frees. */
__isl_give isl_set *region_fetches(const struct lowering *lowering, int a,
	const struct footprint *footprint, const struct box *box);
/* True in the visits of SET; NULL if those are all that the first DEPTH tile loops have. */
struct plan_expr *region_condition(struct lowering *lowering, __isl_keep isl_set *set, int depth);

/* The largest box of any visit: the buffer's extents.  False if one is not known. */
bool region_measure_box(struct general_region *region, struct plan_buffer *buffer);
/* Where the box begins, by the first DEPTH tile loops.  False if that has no plan. */
bool region_fill_box(struct lowering *lowering, struct general_region *region, int depth,
	struct plan_buffer *buffer);
/* In some visit of PARAMS, BOX has elements that are not in ELEMENTS. */
bool box_has_holes(__isl_keep isl_set *elements, __isl_keep isl_set *params,
	const struct box *box);

/* Sees whether array A's window slides along the innermost loop outside; and makes its buffer
 * a ring, once it is known where the region begins. */
void slide_find(struct lowering *lowering, int a, struct general_region *region);
void slide_fill(struct lowering *lowering, struct general_region *region,
	struct plan_buffer *buffer);

/* Array A, which comes for its stage: its buffer's extents; what is moved when. */
bool turn_measure(struct lowering *lowering, int a, struct general_region *region,
	struct plan_buffer *buffer);
bool turn_fill(struct lowering *lowering, int a, struct general_region *region,
	struct plan_buffer *buffer);

/* The buffer of array A, which stays on chip; and what goes out of it, if it is kept. */
bool resident_measure(struct lowering *lowering, int a, struct plan_buffer *buffer);
bool resident_fill_kept(struct lowering *lowering, int a, struct general_region *region,
	const struct plan_buffer *buffer);

/* Makes room in array A's buffer, which is kept, so that what goes out of it may do so while
 * the next tile computes. */
bool resident_double(struct lowering *lowering, int a, struct plan_buffer *buffer);

/* The loop whose iterations show array A's buffer one region after the other; NULL. */
const struct tile_loop *general_mover(const struct lowering *lowering, int a);
/* Doubles the buffers for which it is wanted and possible; then, as there is room, those
 * that may be.  What was done is left in lowering.doubling. */
void general_double_wanted(struct lowering *lowering);
void general_double_what_fits(struct lowering *lowering);
/* Fills in the buffer's bytes; false if they are too many. */
bool buffer_measure(struct plan_buffer *buffer);

/* Gives all buffers their places; returns the bytes that they need. */
long general_place(struct lowering *lowering);

#endif
