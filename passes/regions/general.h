#ifndef PASSES_GENERAL_H
#define PASSES_GENERAL_H

#include "passes/regions/region.h"

/* What the files share that make regions without closed forms: the regions of visits
 * (passes/regions/general.c), windows that slide (passes/regions/slide.c), what comes for a stage
 * (passes/regions/streamed.c), and arrays that never leave the chip (passes/regions/on_chip.c). */

/* Sees whether array A's window slides along the innermost loop outside; and makes its buffer
 * a ring, once it is known where the region begins. */
void slide_find(struct lowering *lowering, int a, struct general_region *region);
void slide_fill(struct lowering *lowering, int a, struct general_region *region,
	struct plan_buffer *buffer);

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
 * that may be.  What was done is left in lowering.doubling. */
void general_double_wanted(struct lowering *lowering);
void general_double_what_fits(struct lowering *lowering);
/* Fills in the buffer's bytes; false if they are too many. */
bool buffer_measure(struct plan_buffer *buffer);

/* Gives all buffers their places; returns the bytes that they need. */
long general_place(struct lowering *lowering);

/* False if the buffers need more than the machine has; *NEEDED says how much. */
bool make_general_buffers(struct lowering *lowering, long *needed);

#endif
