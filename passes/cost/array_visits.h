#ifndef PASSES_ARRAY_VISITS_H
#define PASSES_ARRAY_VISITS_H

#include "passes/cost/array_parts.h"
#include "support/arena.h"

/* Visits of the registers of an array of processing elements, one by one: what each holds, and when words of it move. */

enum { PLACES = 2 * MODEL_LOOPS };

/* Dimensions of an array that share loops, and these loops; the words of visits whose sizes are told by a key. */
struct dims { unsigned dims, loops; };
struct visit_words { unsigned long key; double words; };
/* Elements that share the words of an array where tiles are as short as KEY says. */
struct visit_sharing { unsigned long key; double elements; };

/* The tile loops, then the step loops, outermost first; a *place* is a position in this sequence. */
struct sequence {
	struct mapped mapped;
	int length;
	int loop[PLACES];
	bool turns[PLACES];
	int tile_place[MODEL_LOOPS], step_place[MODEL_LOOPS];   /* -1: the loop is none of these */
	unsigned is_clipped;         /* bit LOOP: it moves a region that a border may cut */
	unsigned indexed[MODEL_ARRAYS];      /* bit LOOP: it moves the array's region */
	int dims_count[MODEL_ARRAYS];
	struct dims dims[MODEL_ARRAYS][MODEL_RANK];
	struct visit_words *known;   /* [KNOWN_WORDS] */
	struct visit_sharing *sharing;       /* [2 * array + view]: the last one */
	struct arena *arena;
};

/* The places of OUTER's tile loops and MAPPING's step loops.  ARENA: for as long as the sequence is used. */
void sequence_begin(struct sequence *sequence, struct mapped mapped, struct arena *arena);

/* Where a loop of the sequence is: at tile or step INDEX, in the iteration POSITION of a run that goes backwards or not.
 * IS_SHORT: that is smaller than others.  IS_BORDER: where other loops are, a border may cut a region there. */
struct place { long position, index; bool is_back, is_first, is_last, is_short, is_border; };

struct places { struct place at[PLACES]; };

/* Iterations of loop L in the tile, and in the step, that loops are at. */
long sequence_tile(const struct sequence *sequence, const struct places *places, int l);
long sequence_step(const struct sequence *sequence, const struct places *places, int l);
/* The iterations that the loop at PLACE goes through, and by how many it goes on. */
void sequence_loop(const struct sequence *sequence, const struct places *places, int place, long *extent, long *size);
/* Puts the loop at PLACE where it is at POSITION of a run (-1: at its last), which goes backwards if IS_ODD. */
void sequence_set(const struct sequence *sequence, struct places *places, int place, long position, bool is_odd);

/* Words of all boxes of array A in a visit; what is new of windows, if the loop at SLIDE (-1: none) moves these on. */
double sequence_words(const struct sequence *sequence, const struct places *places, int a, enum view view, int slide);
/* Elements that have the same words of array A. */
double sequence_sharing(const struct sequence *sequence, const struct places *places, int a, enum view view);

/* The loop at PLACE moves regions of array A. */
bool sequence_moves(const struct sequence *sequence, int a, int place);
/* Whether the visit of array A at PLACES is kept since before the turn; the loop at WENT_ON has gone on. */
bool sequence_keeps(const struct sequence *sequence, const struct places *places, int a, int went_on);
/* Whether the visit after that at PLACES is kept, or will be, if the loop at GOES_ON does: results stay until then. */
bool sequence_retains(const struct sequence *sequence, const struct places *places, int a, int goes_on);
/* Array A is touched where the loops of its anchors are. */
bool sequence_visits(const struct sequence *sequence, const struct places *places, int a);
/* All loops outside that do not index array A are at their first iteration, or their last. */
bool sequence_is_at_end(const struct sequence *sequence, const struct places *places, int a, bool first);

#endif
