#ifndef PASSES_SEARCH_TREE_H
#define PASSES_SEARCH_TREE_H

#include "passes/cost/model_math.h"
#include "passes/search/search.h"

/* The branch and bound under search_schedule (search.c); docs/search.md has the
 * argument for every bound. */

struct tile_choice {
	long tile, count;            /* count = ceil(extent / tile) >= 2 */
};

enum { NO_GAPS = -1, MANY_GAPS = -2 };

/* What is there of a memory, bytes. */
struct room_of_memory {
	double capacity, granule;
};

/* What is searched: constant while threads read it. */
struct space {
	const struct nest_model *model;
	const struct arch *arch;
	const struct search_options *options;
	bool is_double;
	int memory_count;
	struct room_of_memory memories[MEMORY_LIMIT];
	double capacity;             /* of all together: bytes */
	bool is_limited;             /* that is less than the sum */
	unsigned allowed[MODEL_ARRAYS];     /* bit m: the array may lie in memory m */
	int memory_of[MODEL_ARRAYS];        /* in which of them it lies */
	/* By loop: sizes that make it a tile loop, largest first; none if only the whole
	 * extent may be used.  is_tiled: the user fixed a size below the extent. */
	struct tile_choice *choices[MODEL_LOOPS];
	int choice_count[MODEL_LOOPS];
	bool is_tiled[MODEL_LOOPS];
	bool may_turn[MODEL_LOOPS];
	unsigned indexed[MODEL_ARRAYS];     /* bit l: loop l moves the array */
	unsigned indexing[MODEL_LOOPS];     /* bit a: the loop moves array a */
	bool is_coupled[MODEL_ARRAYS];      /* a loop moves two of its dimensions */
	bool is_clipped[MODEL_ARRAYS];      /* array_is_clipped */
	/* What lies outside an array is not moved, and what is all outside starts no command.  Where commands are weighed against
	 * what elements do, bounds count those of such an array that are sure; else each visit has one. */
	bool may_be_idle[MODEL_ARRAYS];
	bool is_any_idle;            /* ... of some array, and commands have a price */
	bool is_apart[MODEL_ARRAYS];        /* regions never overlap, whatever the tiles */
	/* The loop that steps over more than a window of a dimension, if there is one; and
	 * the elements of the dimension that are touched at all, at least. */
	int gap_loop[MODEL_ARRAYS][MODEL_RANK];
	double distinct[MODEL_ARRAYS][MODEL_RANK];
	double clipped_away[MODEL_ARRAYS][MODEL_RANK];  /* then, of all windows together, at most */
	/* Dimensions without common loops: for bounds the others count as a window. */
	bool is_counted[MODEL_ARRAYS][MODEL_RANK];
	unsigned held;               /* bit a: options->held[a] */
	bool is_full_useful[MODEL_ARRAYS];  /* as many slots as tiles may be better than
	                              * storing further out */
	int alike[MODEL_ARRAYS];            /* the array before that is just like it, wherever the two
	                              * lie; or -1 */
	int twin[MODEL_ARRAYS];             /* the same, if it lies in the same memory; or -1 */
	/* bytes moved for each element of a visit that is not kept, and for each element
	 * the first time */
	double visit_bytes[MODEL_ARRAYS], first_bytes[MODEL_ARRAYS];
	struct objective objective;
	const struct element_options *elements;   /* NULL: none compute, or they cost nothing */
	/* The loop that each may change places with, or itself; bit l: loop l does (mirror.h). */
	int mirror[MODEL_LOOPS];
	unsigned mirrored;
	bool may_shrink[MODEL_ARRAYS];      /* smaller regions may leave gaps between them: elements may move less of an array */
	bool is_relaxed;             /* elements are taken to cost what they do at least */
	long leaf_points;            /* of each schedule so many mappings are looked at, at most */
	/* no less costs what the array of elements moves; what single ones get and give, and add to a neighbour's */
	double least_moved, least_delivered;
	double least_words;          /* that come from scratchpads or leave for them */
	double least_edges;          /* cycles of the DMA engine in which the first command to come starts and the last to leave, while nothing is computed */
	double iterations;           /* of all loops together */
	bool is_minimal_memory;      /* it is the least scratchpad, not traffic */
	struct cost least;           /* nothing costs less: model_lower_bound */
};

struct tree;

/* Room for a search of MODEL, to be used for any number of them one after the other. */
struct tree *tree_new(const struct nest_model *model);
void tree_free(struct tree *tree);

/* The subtrees to search one by one: what is stored outside all loops (of the first
 * arrays only, where there are many), and a first loop with its tile (-1: any, or
 * none if all arrays are stored).  In a fixed order; the caller frees them. */
struct task {
	unsigned outside;
	int loop, choice;
};

struct task *tree_tasks(struct tree *tree, const struct space *space, int *count);

/* How many points a search may look at; and with a schedule that is as
 * good as space.least, where only equals are left to find. */
struct point_limits {
	long all, equals;
};

/* What came of a search. */
struct outcome {
	struct schedule best;
	struct mapping mapping;      /* of its tiles, where elements compute these */
	bool found, is_complete;
	long points;
	double bound;                /* of what is not searched; INFINITY: nothing */
	double unmapped;             /* of schedules whose mappings to elements were not all looked at, likewise, or not to the end of what time tells */
	double unsettled;            /* of those of them of which more points may tell more */
};

/* Searches TASK for a schedule better than that of OUTCOME, if it has one, and replaces it.  OUTCOME's points are the work done;
 * gives up when it reaches LIMITS or the user interrupts: then OUTCOME is not complete.  Its unmapped may become less. */
void tree_search(struct tree *tree, const struct space *space, const struct task *task, struct outcome *outcome,
	struct point_limits limits);
/* No schedule of TASK moves less than this; INFINITY if none fits. */
double tree_bound(struct tree *tree, const struct space *space, const struct task *task);

/* ---- search_computing.c: what computing adds ---- */

/* What computing adds: the price of elements' words, cycles in which elements or a core compute, or wait for words, and those more in which they wait for
 * copies that go on beside them; in a bound, those in which they wait for others, those that copies take in turn, and the bytes that come, at least. */
struct computing_cost { double words, cycles, late, alone, in_turn, coming; };

/* The mapping of OUTER, evaluated, that is looked for. */
struct mapping_problem elements_problem(const struct space *space, const struct schedule *outer);
/* What COST has besides its crossings is no less than this. */
void bound_computing(const struct space *space, const struct computing_cost *elements, struct cost *cost);
/* Fills in what SCHEDULE costs besides its crossings. */
void add_computing(const struct space *space, const struct computing_cost *elements, struct schedule *schedule);

/* The total order of schedules that search_schedule minimises: < 0 if ONE is
 * better than OTHER.  Both evaluated. */
int schedule_compare(const struct space *space, const struct schedule *one,
	const struct schedule *other);

#endif
