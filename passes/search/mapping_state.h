#ifndef PASSES_MAPPING_STATE_H
#define PASSES_MAPPING_STATE_H

#include <math.h>

#include "passes/cost/array_cycles.h"
#include "passes/cost/model_math.h"
#include "passes/search/mapping_search.h"

/* What the files that search mappings share.  A path places step loops from the outermost inwards, each with its share, and
 * chooses at each which arrays' registers are there; loops that no array is left for come last.  Numbers are doubles:
 * exact below 2^53, never overflowing above. */

/* How elements share a loop.  If it is not decided, what is said is the least of all shares that may be chosen, among SPACE elements; 0: among
 * any number. */
struct share {
	bool is_decided;
	bool is_inner;                   /* no share with fewer steps is as good inside all registers */
	long part, space, step;
	double steps;                    /* of all tiles together */
	double parts;                    /* boxes that elements have of them */
	double cycles;                   /* iterations of the busiest element in each step, all together */
	long steps_of_tile;              /* a whole one */
	double least_sharers;            /* elements with work in any tile */
	double of_tile, of_all;          /* not decided: iterations of an element in a whole tile, and in all, as if each step were whole */
};

struct loop_shares {
	struct share *items;             /* those of one step in a whole tile first; then fewer steps first */
	int count, single_count;
	bool is_made;
	struct share least;              /* of all of them */
};

/* What moves in tile loops does not depend on the mapping, if one read serves all elements: words of all visits, and of those in
 * which a region comes for the first time.  SHRINKS: smaller boxes may be fewer words all together. */
struct tile_words { double all, first; bool may_turn, shrinks; };

/* Where the registers of an array are. */
struct held {
	bool is_open;                    /* not decided: at DEPTH, or further in; if that is no tile loop, than all step loops
	                                  * placed so far */
	int depth;                       /* as struct hold */
	unsigned outside;                /* bit l: the step loop of l is outside, if it is not open */
};

/* What an element needs of a dimension of an array: factors of the array's register_need, and of a box (HAS_BOX) that elements share,
 * with a SIDE, or none. */
struct need_dim {
	double least, whole;
	unsigned loops;
	bool has_box, has_side;
	double fixed;
	struct box_side side;
};

/* Bytes of an array's registers in one element, where a word has so many BYTES: LEAST, at least; and WHOLE, which elements share along
 * what they are given of LOOPS. */
struct register_need {
	double bytes, least, whole;
	unsigned loops;
	struct need_dim dims[MODEL_RANK];
	/* what that was found for */
	bool is_found;
	struct held held;
	unsigned changed;                /* bit l: the share of loop l, which moves the array, has changed since */
	/* where so many elements are USED along each axis, so many bytes were TOO_FEW for its box, and so many ENOUGH */
	long used[3];
	double too_few, enough;
};

/* What loops make of a dimension in an element's registers: a side that is KNOWN and, of loops whose iterations may be divided,
 * OPEN, which they are with the LARGEST iterations; and so many boxes of it. */
struct dim_sums { double known, open, open_coefficients, largest, boxes; };

/* What registers need where a share of LOOP is to be chosen.  Of each array, in bytes, LEAST and WHOLE of the dimensions that the loop does
 * not move; WHOLE may be divided if it IS_SHARED.  DIM is the one that it moves, or -1, and SUMS what its other loops make of it. */
struct array_rest { double least, whole; bool is_shared; int dim; struct dim_sums sums; };
struct loop_rest {
	int loop;
	double most;                     /* elements that other loops may have, whatever the machine */
	struct array_rest arrays[MODEL_ARRAYS];
};

/* A dimension of an array, for sums of extents: its COUNTED loops, of which each has EXTENT iterations that count; GAPS: smaller windows may be less
 * all together. */
struct sum_dim {
	const struct model_dim *dim;
	int count, loops[MODEL_LOOPS];
	double coefficient[MODEL_LOOPS], extent[MODEL_LOOPS], fixed;     /* the window less all coefficients */
	bool has_gaps;
};

struct mapping_tree {
	const struct mapping_problem *problem;
	/* of the problem */
	const struct nest_model *model;
	const struct pe_array *machine;
	const struct schedule *outer;
	const struct mapping_rules *rules;
	const struct prices *prices;
	bool has_places;                 /* the rules say in which step loops something is */
	bool hastens;                    /* fewer cycles are sought */
	bool is_space_first;             /* how many elements share each loop is chosen before its steps */
	bool is_quick;                   /* loops inside all registers need no steps: nothing that is sought would be better */
	double tiles[MODEL_LOOPS];
	int tile_position[MODEL_LOOPS];  /* of the tile loop; outer->depth: there is none */
	unsigned indexing[MODEL_ARRAYS]; /* bit l: loop l moves the array */
	unsigned moving[MODEL_ARRAYS][MODEL_RANK];       /* the same of a dimension */
	unsigned counted[MODEL_ARRAYS][MODEL_RANK];      /* bit l: the first of the array's dimensions that l moves */
	/* bit l: smaller boxes along loop l may be less of the array all together: there are gaps between windows, or l moves two dimensions */
	unsigned shrinking[MODEL_ARRAYS];
	struct sum_dim *sums[MODEL_ARRAYS];              /* [rank] */
	struct loop_shares *lists[MODEL_LOOPS];          /* [elements]: shares among so many; 0: among any number */
	const struct loop_shares *shares[MODEL_LOOPS];   /* those of them that may be chosen */
	struct tile_words *by_tiles[MODEL_ARRAYS];       /* [depth], of registers in tile loops */
	/* the path */
	const struct share *chosen[MODEL_LOOPS];         /* NULL: not yet */
	enum axis axis[MODEL_LOOPS];
	long used[3];                    /* elements along each axis */
	int depth, order[MODEL_LOOPS];
	struct held held[MODEL_ARRAYS];
	struct register_need *needs;     /* [array], as they were last found */
	/* the best so far */
	bool found, is_over;
	double below, cycles;            /* what is sought costs less than BELOW; or no more, in fewer CYCLES */
	double relaxed;                  /* whatever was evaluated costs no less, if elements wait for nothing that they need not */
	struct mapping *best;
	long points, limit;
};

/* What nothing below a node is less than; CYCLES: iterations of the busiest element. */
struct mapping_least { double value, cycles; bool fits; };

/* Sums of array A leave for a memory that may add them up. */
static inline bool may_add(const struct mapping_problem *problem, int a)
{
	return problem->rules->sums >> a & problem->rules->accumulating >> problem->outer->storage[a].memory & 1;
}

/* A share of LOOP has been chosen. */
static inline bool mapping_is_decided(const struct mapping_tree *tree, int loop)
{
	return tree->chosen[loop] && tree->chosen[loop]->is_decided;
}

/* It is known how many elements share LOOP. */
static inline bool mapping_has_space(const struct mapping_tree *tree, int loop)
{
	return tree->chosen[loop] && tree->chosen[loop]->space > 0;
}

/* SPACE elements that take PART iterations of LOOP each, in the tiles of OUTER. */
struct share share_of(const struct nest_model *model, const struct schedule *outer, int loop, long part, long space);
/* Most elements that may share LOOP. */
long mapping_most_elements(const struct mapping_tree *tree, int loop);
/* The shares of LOOP among SPACE elements, or any number of them: 0.  TREE is over where they are too many to look at. */
const struct loop_shares *mapping_shares(struct mapping_tree *tree, int loop, long space);
void mapping_clear_shares(struct mapping_tree *tree);
/* What is known of LOOP before it is decided which of its shares it has: this one's PART, and as many steps as SHARE or more. */
struct share mapping_floor(const struct mapping_tree *tree, int loop, long part, const struct share *share);

/* LOOP is given SHARE, or none: NULL. */
void mapping_change_share(struct mapping_tree *tree, int loop, const struct share *share);
/* Fills in SUMS and BY_TILES, which the caller frees: one piece of memory for each array. */
void mapping_begin_sums(struct mapping_tree *tree);
void mapping_count_tiles(struct mapping_tree *tree);
/* Of the present path. */
struct mapping_least mapping_least(const struct mapping_tree *tree);
/* The most iterations of a loop with TILE of them that an element takes in a step, in any share with as many steps of a tile as
 * where it takes PART. */
static inline double longest_part(long tile, long part, long space)
{
	long steps = (tile - 1) / (part * space) + 1;

	return (double)(steps == 1 ? (tile - 1) / space + 1 : (tile - 1) / ((steps - 1) * space));
}

/* Iterations of the busiest of SPACE elements, which take PART each, in the last step of a tile of TILE. */
static inline double last_part(long tile, long part, long space)
{
	long last = tile - (tile - 1) / (part * space) * part * space;

	return (double)(last < part ? last : part);
}

/* The same of all tiles of a loop together. */
static inline double last_parts(long extent, long tile, long part, long space)
{
	return (double)(extent / tile) * last_part(tile, part, space) + (extent % tile ? last_part(extent % tile, part, space) : 0);
}

/* Windows along LOOP, in the first dimension of ARRAY that it moves, touch: however many there are, all words come once. */
static inline bool windows_touch(const struct model_array *array, int loop)
{
	for (int d = 0; d < array->rank; d++) {
		const struct model_dim *dim = &array->dims[d];
		bool is_alone = true;

		if (dim->coefficient[loop] == 0)
			continue;
		for (int l = 0; l < MODEL_LOOPS; l++)
			is_alone = is_alone && (l == loop || dim->coefficient[l] == 0);
		return is_alone && dim->coefficient[loop] == dim->window && dim->clip_high == 0;
	}
	return false;
}

/* Elements of array A's box, whose loops have so many ITERATIONS [loop]. */
static inline double box_elements(const struct model_array *array, const double *iterations)
{
	double elements = 1;

	for (int d = 0; d < array->rank; d++) {
		const struct model_dim *dim = &array->dims[d];
		double extent = (double)dim->window;

		for (int l = 0; l < MODEL_LOOPS; l++)
			if (dim->coefficient[l] > 0)
				extent += (double)dim->coefficient[l] * (iterations[l] - 1);
		elements *= dim->clip_high > 0 ? fmin(extent, (double)(dim->clip_high - dim->clip_low)) : extent;
	}
	return elements;
}

/* Elements of MACHINE beside those that are USED along each axis. */
static inline double elements_beside(const struct pe_array *machine, const long used[3])
{
	return machine->is_free ? (double)((long)machine->x * machine->y / used[AXIS_FREE]) :
		(double)(machine->x / used[AXIS_X]) * (double)(machine->y / used[AXIS_Y]);
}

/* Elements that loops without a share may still have. */
double mapping_elements_left(const struct mapping_tree *tree);
/* What is held may fit the registers of an element, or the part of them that each role has, if LEFT elements may still share it. */
bool mapping_may_fit(const struct mapping_tree *tree, double left);
/* LOOP has no share: what its shares are compared by. */
void mapping_rest(const struct mapping_tree *tree, int loop, struct loop_rest *rest);
/* False: with SHARE along AXIS mapping_may_fit would be false. */
bool mapping_share_may_fit(const struct mapping_tree *tree, const struct loop_rest *rest, const struct share *share, enum axis axis);
/* What an array has at least. */
struct least_words { double read, written, delivered, reduced; };

/* How registers in step loops are filled: with so many words of an array in boxes of EACH element, in boxes around those of ALL, each once;
 * so OFTEN, for so many elements TOGETHER. */
struct step_words { double each, all, often, together; };
/* What array A has at least of those. */
struct least_words mapping_step_words(const struct mapping_tree *tree, int a, const struct step_words *step);
/* The extents of dimension D of array A, summed over all boxes, which are so many COUNTS [loop] of intervals; more of loops that are not FINAL may
 * be less. */
double mapping_dim_sum(const struct mapping_tree *tree, int a, int d, const double *counts, unsigned final);
double mapping_words_price(const struct mapping_tree *tree, int a, const struct least_words *words);
/* Elements that have the same words of array A. */
double mapping_sharers(const struct mapping_tree *tree, int a);
/* The registers of array A will be double (mapping_search.c). */
bool mapping_is_double(const struct mapping_tree *tree, int a);
/* Bytes of one word of array A, or of two where there is another while it comes. */
double mapping_word_bytes(const struct mapping_tree *tree, int a);
/* Bytes of an element's registers that arrays of ROLE have which are held in step loops. */
double mapping_room_left(const struct mapping_tree *tree, enum array_role role);
/* What all that the path moves costs at least, and what of it arrays that are not in step loops do; and the work of all, and of those. */
struct least_cost { double price, closed; struct array_work work, closed_work; };
struct least_cost mapping_least_cost(const struct mapping_tree *tree);
/* Something below a node with COST may be looked for, if the busiest element has so many CYCLES. */
bool mapping_cycles_may_do(const struct mapping_tree *tree, const struct least_cost *cost, double cycles);
/* What the words of arrays in step loops may cost, all together, in what is looked for. */
double mapping_price_left(const struct mapping_tree *tree, const struct least_cost *cost);
/* Adds WORDS of array A to WORK. */
void mapping_add_words(const struct mapping_tree *tree, int a, const struct least_words *words, struct array_work *work);
/* What is looked for may do WORK, which its closed arrays' are part of, whose other words have so high a PRICE, where the busiest element has so many
 * CYCLES and waits for so many BURSTS (array_cycles.h). */
bool mapping_work_may_do(const struct mapping_tree *tree, const struct least_cost *cost, const struct array_work *work, double price,
	double cycles, double bursts);
/* It is known how many elements share each loop, and what is held in tile loops: chooses all steps, and which of them are outside the registers of
 * other arrays.  False: there are too many of these, or they have too many dimensions. */
bool mapping_choose_steps(struct mapping_tree *tree);
/* All is chosen: takes the mapping if it is better. */
void mapping_take(struct mapping_tree *tree);
/* Whatever the registers: its cycles, and its cost if it has that many. */
double mapping_least_cycles(const struct mapping_tree *tree);
double mapping_least_value(const struct mapping_tree *tree, double cycles);

#endif
