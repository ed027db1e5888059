#ifndef IR_PLAN_BOX_H
#define IR_PLAN_BOX_H

#include "ir/plan.h"

/* The shape of the command that a transfer becomes: nested dimensions around a
 * contiguous run (lrt_box).  Neighbouring dimensions of the array that lie without
 * a gap on both sides are one dimension of the box, and those of extent 1 are
 * none.  Only what is known when the plan is made is used, so the shape is the
 * same for edge tiles. */
struct plan_box {
	int rank;                    /* with the run: >= 1 */
	struct plan_box_dim {
		int from, to;        /* elements: product of the counts of the array's
		                      * dimensions from .. to - 1; 1 if from == to */
		long max_elems;
		long ext_stride_bytes, loc_stride_bytes;
		int inner;           /* the outside stride is times the extents of the array's
		                      * dimensions from here on that depend on symbolic sizes */
		bool is_symbolic;    /* there are such */
	} dims[ARRAY_RANK_LIMIT + 1];   /* outermost first; the last is the run */
};

/* Elements from one index of dimension D to the next: of the array outside, per
 * step of the lattice (times the extents behind D that depend on symbolic sizes), and of
 * the buffer. */
long plan_ext_stride(const struct plan_buffer *buffer, int d);
long plan_loc_stride(const struct plan_buffer *buffer, int d);
/* Elements of one slot. */
long plan_slot_elems(const struct plan_buffer *buffer);

/* The box of TRANSFER if count[d] is at most max[d], and always max[d] where
 * is_fixed[d]. */
void plan_box_of_counts(const struct plan_buffer *buffer, const long *max, const bool *is_fixed,
	struct plan_box *box);
/* The most elements of dimension D that TRANSFER moves: no more than its buffer has, whatever
 * the range of the expression says, which is wide where sizes are symbolic.  Whether it always
 * moves so many. */
bool plan_transfer_max(const struct plan_transfer *transfer, int d, long *max);

/* The box of TRANSFER as it stands. */
void plan_box(const struct plan_transfer *transfer, struct plan_box *box);

/* True if a command of this shape is within the limits of ARCH and of lrt_box. */
bool plan_box_fits(const struct plan_box *box, const struct plan_buffer *buffer,
	const struct arch *arch);

#endif
