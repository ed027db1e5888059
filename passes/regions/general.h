#ifndef PASSES_GENERAL_H
#define PASSES_GENERAL_H

#include "passes/regions/region.h"

/* What the files share that make regions without closed forms: the regions of visits
 * (passes/regions/general.c), windows that slide (passes/regions/slide.c), what stays at turns
 * (passes/regions/still.c) and in slots (passes/regions/slots.c), what comes for a stage
 * (passes/regions/streamed.c), and arrays that never leave the chip (passes/regions/on_chip.c). */

/* Sees whether array A's window slides along the innermost loop outside; and makes its buffer
 * a ring, once it is known where the region begins. */
void slide_find(struct lowering *lowering, int a, struct general_region *region);
void slide_fill(struct lowering *lowering, int a, struct general_region *region,
	struct plan_buffer *buffer);

/* Whether array A's buffer may hold a region for longer than the visit that shows it, if that stays the
 * same. */
bool region_may_stay(const struct lowering *lowering, int a);
/* Finds which loops leave the region of array A where it is; and makes the conditions of what moves such
 * that nothing is that is kept at a turn, where the buffer holds the regions of so many SLOTS. */
void still_find(struct lowering *lowering, int a, struct general_region *region);
void still_fill(struct lowering *lowering, int a, struct general_region *region, long slots);
/* Fills in which of the visits of the first DEPTH tile loops have a region; false if that has no plan. */
bool region_find_visited(struct lowering *lowering, struct general_region *region, int depth);

/* Makes room in array A's buffer for as many regions as its holding says, or for one, which that
 * then says, where several cannot be held. */
void general_hold_slots(struct lowering *lowering, int a, struct general_region *region,
	struct plan_buffer *buffer);
/* The buffer of array A has so many SLOTS. */
void set_slots(struct lowering *lowering, int a, struct plan_buffer *buffer, long slots);
/* No two boxes of array A whose tiles are at most TILES apart have an element in common. */
bool region_is_apart(struct lowering *lowering, int a, const struct general_region *region, long tiles);
/* The most elements from where the window of one of so many TILES in a row begins to where another one
 * ends; -1: not known. */
long region_span(struct lowering *lowering, int a, const struct general_region *region, long tiles);

/* Array A, which comes for its stage: its buffer's extents; what is moved when. */
bool streamed_measure(struct lowering *lowering, int a, struct general_region *region,
	struct plan_buffer *buffer);
bool streamed_fill(struct lowering *lowering, int a, struct general_region *region,
	struct plan_buffer *buffer);

/* The buffer of array A, which stays on chip; and what goes out of it, if it is kept. */
bool on_chip_measure(struct lowering *lowering, int a, struct plan_buffer *buffer);
bool on_chip_fill_kept(struct lowering *lowering, int a, struct general_region *region,
	const struct plan_buffer *buffer);

/* Makes room in array A's buffer, which is kept, so that what goes out of it may do so while
 * the next tile computes. */
bool on_chip_double(struct lowering *lowering, int a, struct plan_buffer *buffer);

/* Doubles the buffers for which it is wanted and possible; then, as there is room, those
 * that may be.  What was done is left in the holdings. */
void general_double_wanted(struct lowering *lowering);
void general_double_what_fits(struct lowering *lowering);
/* Fills in the buffer's bytes; false if they are too many. */
bool buffer_measure(struct plan_buffer *buffer);

/* Gives all buffers their places; *NEEDED are the bytes that they need of all memories.  Whether they
 * fit ARCH, which has the memories of the lowering's machine, of other sizes maybe. */
bool general_place(struct lowering *lowering, const struct arch *arch, long *needed);

/* False if the buffers need more than the machine has; *NEEDED says how much. */
bool make_general_buffers(struct lowering *lowering, long *needed);

#endif
