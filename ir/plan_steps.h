#ifndef IR_PLAN_STEPS_H
#define IR_PLAN_STEPS_H

#include "ir/plan_formula.h"

/* A plan's nest, ready to be walked by its verifier (ir/plan_verify_walk.c): expressions are formulas,
 * and what a statement uses is a sum over the loops' variables. */

/* What a transfer moves. */
struct copy {
	const struct plan_transfer *transfer;
	int rank;
	struct plan_formula *slot;   /* NULL: there is one only */
	struct {
		struct plan_formula *first, *count, *local;
		long extent;             /* of the array */
	} dims[ARRAY_RANK_LIMIT];
};

/* A term of a subscript: coefficient * what CELL or OTHER is. */
struct use_term {
	long coefficient;
	const struct plan_cell *cell;
	const struct plan_formula *other;        /* where CELL is NULL: what is no sum */
	const struct step *loop;     /* of a box, over CELL; NULL: none */
};

/* Where a use of an array is, in one dimension: constant + its terms. */
struct use_dim {
	const struct plan_dim *dim;
	struct plan_formula *origin; /* NULL: a ring */
	long constant;
	int term_count;
	size_t term_capacity;
	struct use_term *terms;
};

struct use {
	const struct plan_buffer *buffer;
	bool is_write;
	struct plan_formula *slot;   /* NULL: there is one only */
	struct use_dim *dims;
};

/* Where a word is that moves. */
struct word {
	const struct plan_buffer *buffer;        /* NULL: it is 0 */
	struct plan_formula *slot, **at;
};

struct step {
	const struct plan_node *node;
	long size;                   /* steps in it, with itself */
	int child_count;
	struct step **children;
	struct step *body;
	struct plan_cell *cell;      /* of a loop or a named value */
	struct plan_formula *lower, *upper;      /* lower: a named value or a condition, too */
	/* A loop: with those in it, its iterations are a box in which each use is a box, so that
	 * what holds at the ends of each dimension holds between them. */
	bool is_box;
	long span;                   /* while a box is walked: its last value - its first */
	struct copy *copy;
	int use_count;
	struct use *uses;            /* by a statement */
	struct word words[2];        /* of a move: from and to */
};

/* NODE over CELLS, whose sizes are known. */
struct step *step_of(struct plan_cells *cells, const struct plan_node *node);

#endif
