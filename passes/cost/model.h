#ifndef PASSES_MODEL_H
#define PASSES_MODEL_H

#include <stdbool.h>

#include "ir/arch.h"
#include "ir/flow.h"
#include "passes/cost/objective.h"
#include "passes/limits.h"
#include "support/arena.h"

/* The model of one nest: all that the traffic of a schedule depends on where the
 * domain is a box and subscripts are separable.  Passes build it from the program
 * (passes/analysis/nest.h), the search chooses a schedule for it, and lowering turns the
 * schedule into a plan; the plan's own count must agree to the byte. */

struct model_loop {
	const char *name;
	long extent;                 /* iterations, >= 1 */
	bool is_forward;             /* carries a dependence: may not run backwards */
	long tile;                   /* > 0: the user fixed it; 0: free */
};

/* Elements of one dimension that a tile touches, in units of the dimension's
 * lattice (elements that no iteration touches between two that are do not count):
 *     window + sum over loops l of coefficient[l] * (T_l - 1)
 * with T_l the tile of loops outside the store level (clipped at the edge:
 * D_l - i T_l if less) and the whole extent of loops inside it. */
struct model_dim {
	long window;                 /* >= 1 */
	long touched;                /* elements of the window that accesses touch at least; 0: all.
	                              * Regions are boxes, which may have others in between */
	long coefficient[MODEL_LOOPS];  /* >= 0 */
	long negative;               /* bit l set if the subscript falls as loop l rises; matters
	                              * only where the dimension is clipped */
	/* Only the elements from clip_low up to clip_high, of all from 0 that the loops reach,
	 * exist: a region moves those that it has of them, and a buffer has room for those of
	 * the largest region, but for whole windows if they slide.  clip_high 0: all.  Only in arrays no loop moves
	 * in two dimensions. */
	long clip_low, clip_high;
	long least_side;             /* a buffer is no shorter, as it holds something else besides what the model moves; 0: there
	                              * is nothing else.  Only where nothing is clipped */
	long end_side;               /* in an array with ends, of dimensions that these are about: a region's side in the last tile */
	long step_bytes;             /* from one element of the lattice to the next in external
	                              * memory, as far as it is known; for aligned arrays only */
};

struct model_array {
	const char *name;
	int element_bytes;
	enum array_role role;        /* known where registers are split by roles, or may be all that holds an array */
	int rank;
	bool is_read;                /* its elements are fetched */
	bool is_written;             /* its regions go out when they leave the chip */
	bool is_created;             /* nothing is fetched when a region comes for the
	                              * first time, since its elements are set on chip.  Only
	                              * where different tiles never touch the same element */
	bool is_dropped;             /* written: nobody needs its elements after the nest, so that
	                              * nothing goes out when a region leaves for the last time.
	                              * Only where is_created may be */
	bool is_partial;             /* some iterations do not touch it, or set its elements and do not
	                              * look at what they held: bounds cannot count on these */
	/* The DMA controller copies multiples of ALIGN_BYTES only, of addresses, runs and strides;
	 * 1: anything.  What is copied of the array begins FIRST_BYTES behind its own begin, which
	 * is aligned; it has ALIGN_RANK dimensions in memory. */
	long align_bytes, first_bytes;
	int align_rank;
	long anchored;               /* bit l: touched only by statements that run in the first (or
	                              * last) tile of loop l that a run executes, an initialisation
	                              * or a final step.  Such a loop indexes the array only if its
	                              * tile is 1 and fixed (passes/cost/nest_model.c).  See below */
	long ends;                   /* bit l: in the last tile of all these loops a region is as long as its dimensions' end_side
	                              * is, in those that some of them move and no other loop does.  Only if no loop moves two dimensions.  See below */
	bool ends_first;             /* rather in the first tile, of an array that is only read */
	bool ends_read, ends_written;    /* what it has besides comes in then; goes out once more */
	struct model_dim dims[MODEL_RANK];
};

struct nest_model {
	int loop_count, array_count;
	struct model_loop loops[MODEL_LOOPS];
	int bypass_memory;           /* of the machine's, that stands for registers; 0: none does */
	struct model_array arrays[MODEL_ARRAYS];
};

/* COPY becomes MODEL, but for the arrays and dimensions that it does not have: most of the room they could take. */
void model_copy(const struct nest_model *model, struct nest_model *copy);

/* How one array is held.
 *
 * Tile loops are numbered from 0, outermost.  The first STORE of them are outside
 * the buffer: each of their iterations is a visit and shows the buffer one region.
 * A store level is normal: it is 0, or loop STORE - 1 indexes the array (else the
 * same buffer further out moves the same bytes).  Let b = STORE - 1, the loop that
 * moves the region.
 *
 * SLOTS: the buffer keeps the regions of the last SLOTS iterations of b.
 * 1 <= SLOTS <= the tiles of b; more than 1 only if b is serpentine, and, for an array
 * that is written, only if different tiles never touch the same element.
 *
 * IS_SLIDING (only if the array is not written, exactly one dimension moves with b,
 * and windows of consecutive whole tiles overlap or touch): the buffer is a ring
 * along that dimension, of window + (SLOTS - 1) * step lattice elements (at most the
 * whole extent of a run of b), and an iteration of b fetches only what the one before
 * did not hold.
 *
 * What a visit finds.  Let pos(l) be the count of loop l in its present run, from 0
 * (whichever way it goes; a serpentine loop goes backwards in its runs 1, 3, 5, ...
 * counted over the whole nest).  Let r be the innermost loop outside b with
 * pos(r) > 0.
 *  - If r exists, does not index the array, and every loop inside r and outside or
 *    equal to b that indexes the array is serpentine, then this run of b goes back
 *    over the one before it, and its visits with pos(b) < SLOTS are kept: their
 *    regions are still there since before the turn.  They move nothing.
 *  - Else, if sliding and pos(b) > 0: what is new in the window moves.
 *  - Else the whole region moves, whatever else of it may be on chip by chance.
 * With STORE = 0 there is one visit.
 *
 * An array with anchored loops is visited only where those of them that are outside b,
 * or b, have pos 0: they count as loops of one iteration.  What its buffer holds is there
 * until one of these goes on: no visit is kept where one of them is b, or between r and b.
 * SLOTS is 1 if b is anchored; IS_DOUBLE is false.
 *
 * An array with ends, as a row of sums of which a last statement needs the largest: the sums of a tile go out, and in the
 * last tile they come back with the whole row.  Or whole rows come in the first tile, as their norm is needed there, and parts of them in the
 * others.  What comes and goes besides is counted once for all regions apart.
 *
 * A written array: a visit that is not kept fetches its region, unless it comes for
 * the first time (pos of every loop outside that does not index it is 0) and
 * is_created.  At the end of a visit the region goes out, unless it leaves for the
 * last time (every loop outside that does not index it is in its last iteration) and
 * is_dropped, or its next visit is kept: the innermost loop r outside b that is not in
 * its last iteration exists, does not index the array, every loop inside r and outside
 * or equal to b that indexes the array is serpentine, and this is one of the last SLOTS
 * iterations of b's run.
 *
 * Of an aligned array each copy is what its align_bytes ask (passes/cost/aligned.c). */
struct storage {
	int memory;                  /* of the machine's */
	int store;
	long slots;
	bool is_sliding;
	bool is_double;              /* one slot (or step of a ring) more, to overlap; not if
	                              * the array is anchored, or is written where different tiles
	                              * touch the same element */
	/* results */
	long bytes;                  /* of the buffer, aligned */
	long offset;                 /* in its memory, bytes */
	int bank, bank_count;        /* exclusive banks; else -1, 0 */
	struct flow flow;            /* commands: transfers of boxes (before splitting) */
};

/* The array of STORAGE is in no memory on chip: it goes between external memory and registers, which hold it where STORAGE says, one
 * region at a time. */
static inline bool bypasses(const struct nest_model *model, const struct storage *storage)
{
	return model->bypass_memory && storage->memory == model->bypass_memory;
}

struct mapping;                  /* passes/cost/array_model.h */

struct schedule {
	long tile[MODEL_LOOPS];      /* of each loop, 1 .. extent */
	int depth;                   /* tile loops: those with tile < extent */
	int order[MODEL_LOOPS];      /* loop of each tile loop, outermost first */
	bool is_serpentine[MODEL_LOOPS];   /* by loop */
	struct storage storage[MODEL_ARRAYS];
	const struct mapping *mapping;     /* who computes its tiles: processing elements; NULL: a core */
	bool moves_boxes;            /* where regions come from isl: those that are no boxes move as the
	                              * boxes around them; else row by row.  Found when it is lowered */
	long total_bytes, scratchpad_bytes;  /* moved; used of all memories together */
	struct cost cost;
};

/* Fills in all results of SCHEDULE (bytes, flows, total_bytes, scratchpad_bytes, cost,
 * places) from its choices, in closed form.  False if it breaks a rule above, needs
 * more than ARCH has, or a number overflows a long. */
bool schedule_evaluate(const struct nest_model *model, const struct arch *arch,
	struct schedule *schedule);

/* No schedule of MODEL in S bytes of scratchpad moves less than this many bytes;
 * *ARGUMENT names the reason ("compulsory", "partition"). MACS: iterations of the
 * whole domain. */
long model_lower_bound(const struct nest_model *model, long scratchpad_bytes,
	const char **argument);
/* False if every schedule moves more bytes than a long holds. */
bool model_is_countable(const struct nest_model *model, long scratchpad_bytes);
/* Every element read once and every element written once. */
long model_compulsory(const struct nest_model *model);

#endif
