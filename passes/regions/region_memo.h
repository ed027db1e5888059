#ifndef PASSES_REGION_MEMO_H
#define PASSES_REGION_MEMO_H

#include "passes/regions/general.h"

/* The forms of a nest, and the schedules that are tried for each, have most regions in common:
 * the same accesses under the same tile loops.  What isl finds of one is kept, by the loops and
 * the accesses that it depends on, and taken again where they are the same: when other arrays
 * are grouped otherwise, when boxes have been weighed and rows come next, when the best of all is
 * emitted, and when the nest is lowered once more for another scratchpad.  Names are given anew
 * each time, as if isl had been asked.
 *
 * The first time that a lowering of the nest takes what another one has found, it counts as as much
 * work as it was (nest_memo.h). */

/* From now on what one lowering of NEST, in all its variants, finds is kept; as is what it has found
 * before. */
void region_memo_begin(struct compilation *compilation, const struct nest *nest);

/* Fills in the footprint and the box of array A's REGION, and whether it is touched; false if
 * they were not looked for yet.  *DONE: whether they were found. */
bool region_memo_take_box(struct lowering *lowering, int a, struct general_region *region,
	bool *done);
/* They were looked for since isl had done so many operations as BEGUN says, and were found if
 * DONE. */
void region_memo_keep_box(struct lowering *lowering, int a, const struct general_region *region,
	bool done, unsigned long begun);

/* Fills in where the box of REGION begins and how long it is; false if that is not known yet. */
bool region_memo_take_ends(struct lowering *lowering, int a, struct general_region *region);

/* Fills in what is moved when, of a region whose box is known and whose buffer has its origins;
 * false if it is not known yet.  *DONE: whether that has a plan. */
bool region_memo_take_transfers(struct lowering *lowering, int a, struct general_region *region,
	bool *done);
/* It is known from now on.  NAMES: the plan's before it was found; BEGUN: isl's operations before
 * the box's ends were, and before what is moved was. */
void region_memo_keep_transfers(struct lowering *lowering, int a,
	const struct general_region *region, bool done, const struct plan_name *names,
	const unsigned long begun[2]);

#endif
