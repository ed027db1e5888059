#ifndef PASSES_ARRAY_MODEL_H
#define PASSES_ARRAY_MODEL_H

#include "ir/pe_array.h"
#include "passes/cost/model.h"

/* The model of the second boundary: what moves between the scratchpad and the registers of an array of processing
 * elements that computes the tiles of a schedule.  It is the first boundary's model (passes/cost/model.h) with other
 * sizes, for each of its rules holds again, and two things are new: a region may be needed by several elements at
 * once, and what has to hold it is one element.
 *
 * A scratchpad tile of loop l has t iterations, t = T or less at the edge.  SPACE[l] elements take PART[l] of them each, so
 * that a step covers A = min(SPACE PART, T), and a tile has ceil(t / A) steps.  The loops over steps are inside all tile
 * loops, in ORDER; then come the elements, all at the same time; then the iterations of an element.  Loops of one
 * step in a whole tile are not in ORDER.  Step loops begin anew in each tile, forward; a serpentine one goes
 * backwards in its runs 1, 3, 5, ... of a tile. */

/* Where an array is in the registers.
 *
 * The tile loops, then the step loops, are numbered from 0.  DEPTH of them are outside the registers' buffer, with the
 * meaning of struct storage: each of their iterations is a visit, and shows each element its region; loop DEPTH - 1
 * indexes the array, or DEPTH is 0.  The scratchpad's buffer of the array is no further in.
 *
 * An element's region is a box, if no loop inside the buffer that indexes the array is in space: else its iterations are
 * not side by side, and it has a box for each step.  (With SPACE 2 and PART 3, element 0 has iterations 0-2, 6-8, ...)
 * Between tiles nothing stays of a buffer that step loops move; within a tile, and of a buffer that tile loops move, SLOTS,
 * IS_SLIDING and IS_DOUBLE are those of struct storage.  A dimension that slides is moved by no loop in space.
 *
 * What a visit that is not kept moves:
 *  - *delivered*: each element gets, or gives, its region.  Of loops in space that do not index the array as many elements
 *    get it as have work in a whole step of the tile (of a whole tile, if a tile loop moves the buffer).
 *  - *read* words of an array that is only read: of elements along axes with multicast the box around their regions, once; of
 *    others each element's.
 *  - an array that is written has regions of its own in elements along loops that index it.  Of those along loops that do not
 *    one gets the sums so far, and when the visit ends the others add what they have: *reduced* words.  Where its memory
 *    adds (may_add), a visit that is not the first begins with 0, and what leaves is added, unless some loop outside
 *    turns or the array has slots: what stays at a turn may be the first visit's.
 * All of them are clipped as regions are. */
struct hold {
	int depth;
	long slots;
	bool is_sliding, is_double;
	bool may_add;                /* its memory adds what leaves to what is there, and the array is a sum */
	bool adds;                   /* found: it does, and no sums come back to registers */
	/* results, in words */
	long registers;              /* of one element */
	long read, written, delivered, reduced;
};

struct mapping {
	long part[MODEL_LOOPS];      /* of each loop, 1 .. its tile */
	long space[MODEL_LOOPS];     /* elements along it; in a whole tile each of them has work */
	enum axis axis[MODEL_LOOPS]; /* of a loop with more than one */
	int depth;                   /* step loops */
	int order[MODEL_LOOPS];
	bool is_serpentine[MODEL_LOOPS];   /* by loop */
	struct hold holds[MODEL_ARRAYS];
	/* results */
	long steps;
	long cycles;                 /* iterations of the element that has most of them, step by step */
	long elements;               /* that have work */
	long register_bytes;         /* of one element */
	long role_bytes[ROLE_COUNT]; /* of these what arrays of each role have, where registers are split by roles */
};

/* HOLD may be all that holds an array on chip, where STORAGE says what comes and leaves: both keep one region. */
static inline bool mapping_holds_alone(const struct hold *hold, const struct storage *storage)
{
	return hold->depth == storage->store && hold->slots == 1 && !hold->is_sliding && storage->slots == 1
		&& !storage->is_sliding && !storage->is_double;
}

/* The iterations of LOOP that a step of a whole tile covers. */
long mapping_step(const struct mapping *mapping, const struct schedule *outer, int loop);

/* Puts into ORDER the step loops that there are, in the order of the loops, forward. */
void mapping_order(const struct nest_model *model, const struct schedule *outer, struct mapping *mapping);
/* Puts each array where the innermost loop that indexes it moves it. */
void mapping_stream(const struct nest_model *model, const struct schedule *outer, struct mapping *mapping);

/* Fills in all results of MAPPING, which computes the tiles of OUTER, a legal schedule of MODEL, on MACHINE.  False if it
 * breaks a rule above, needs more elements or registers than there are, or a number overflows.  That loops in space carry no
 * dependence but that of sums is for the caller to know. */
bool mapping_evaluate(const struct nest_model *model, const struct pe_array *machine, const struct schedule *outer,
	struct mapping *mapping);

#endif
