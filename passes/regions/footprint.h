#ifndef PASSES_FOOTPRINT_H
#define PASSES_FOOTPRINT_H

#include "passes/tiles/instances.h"

/* Footprints: sets with the extremes of what a visit touches. */

/* Accesses of one statement whose subscripts differ by constants only touch the same
 * shape, shifted: its extremes are those of one of them, plus the least and the largest
 * constant.  So a stencil of many points takes as much work as one access. */
struct footprint {
	isl_set *lows, *highs;       /* each has the extremes of one side in every dimension;
	                              * one and the same set where all accesses are alike */
	isl_set *visits;             /* in which something is touched: a set of parameters */
};

/* Of array A; only the first DEPTH tile loops count, and REACH applies to the last of them.
 * Caller ends it. */
struct footprint footprint_find(const struct lowering *lowering, int a, int depth,
	enum reach reach);
void footprint_end(struct footprint *footprint);

/* What access I of array A touches by itself; NULL: one before it touches the same shape.  Caller frees. */
__isl_give isl_set *footprint_shape(const struct lowering *lowering, int a, int i, int depth);

/* ELEMENTS of BUFFER's array, numbered as the buffer has them: by its strides and phases (see struct
 * plan_dim). */
__isl_give isl_set *by_lattice(const struct plan_buffer *buffer, __isl_take isl_set *elements);
/* FOOTPRINT likewise. */
struct footprint footprint_by_lattice(const struct plan_buffer *buffer, struct footprint footprint);

/* The elements that accesses of array A touch (WRITES_ONLY: write) in a visit, as a
 * function of the tile parameters of the DEPTH loops outside.  Caller frees. */
__isl_give isl_set *touched_by(const struct lowering *lowering, int a, bool writes_only,
	int depth);
/* The elements that array A's accesses write in a visit.  Caller frees. */
__isl_give isl_set *written_by(const struct lowering *lowering, int a, int depth);
/* The elements that a visit of array A reads before it writes them; NULL: there are no reads.
 * Caller frees. */
__isl_give isl_set *read_before_written(const struct lowering *lowering, int a);
/* Statement S with those instances only that run in a visit.  Its domain is the
 * caller's to free. */
struct statement statement_in_visit(const struct lowering *lowering, int s, int depth);

/* Accesses of a statement from this one on do not borrow. */
enum { BORROWERS_LIMIT = 32 };
/* The instances of SET, of the statement that has ACCESS of group A, whose element the
 * lender's buffer holds.  Caller frees. */
__isl_give isl_set *borrowing(const struct lowering *lowering, int a,
	const struct access *access, __isl_take isl_set *set);

static inline isl_set *set_unite(__isl_take isl_set *a, __isl_take isl_set *b)
{
	return a ? isl_set_union(a, b) : b;
}

#endif
