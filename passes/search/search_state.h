#ifndef PASSES_SEARCH_STATE_H
#define PASSES_SEARCH_STATE_H

#include "passes/search/search_tree.h"

/* A path of the tree places tile loops from the outermost inwards, each with its
 * tile size, and at each of them chooses which arrays are stored there.  What an
 * array moves depends only on the loops outside its buffer, so it is known exactly
 * from then on, but for the slots, which share what memory is left when all arrays
 * are stored.  Numbers are doubles: exact below 2^53, never overflowing above. */

struct dim_state {
	double sum;                  /* of the extents over the tiles of the loops placed */
	double lower;                /* no loops placed later make it less than this */
	double tiles;                /* how many of them */
	double extent;               /* of a region where the loops placed have full tiles */
	double least;                /* and the others the smallest */
	/* elements that a buffer has room for, with the same, at least */
	double room, least_room;
};

struct array_state {
	struct dim_state dims[MODEL_RANK];
	double reuse;                /* iterations of the loops placed that do not move it */
	double visits;               /* of the loops placed, all in all */
	double turns;                /* runs that begin with a turn and can keep regions */
	double turned;               /* elements of all of these runs, at most */
	double first;                /* elements of all its regions together, at least */
	double region, least;        /* elements */
	double ends;                 /* bytes that it moves besides at ends of the loops placed, at least */
	double piece;                /* bytes of external memory that are one behind the other, at most */
};

struct saving {
	double rate, most;           /* bytes of traffic a byte of memory saves; bytes */
};

/* An array that is stored: traffic with m slots is
 *     bytes - slope * (m - 1), at m = full_slots: full_bytes. */
struct stored {
	double bytes, slope, full_bytes;
	double memory, memory_step;  /* of the first slot and of each more, not rounded */
	double memory_most;          /* a ring never needs more */
	double memory_floor;         /* and never less: see least_side in cost/model.h */
	double visits, turns, first_visits;
	double idle;                 /* visits that may move nothing, for all that is new in a window lies outside the array */
	double most_moved;           /* bytes, by a command that may be none; 0: each visit has one */
	long most_slots, tiles;      /* what the rules allow; of the loop that moves it */
	/* What bounds ask for: slots worth trying, traffic, memory and commands with the
	 * least and the most of them, and what more of them save. */
	long least, most;
	double least_bytes, least_memory, least_commands;
	struct saving saving;
	/* of a double buffer: what comes before anything is computed, and leaves after, at least */
	double first_bytes, last_bytes;
	bool is_sliding, is_double;
	bool is_touching;            /* sliding without overlap */
	int store;
};

/* Double or not, sliding or not. */
enum { STORE_WAYS = 4 };

struct level {
	double used[MEMORY_LIMIT];   /* of each memory, by the arrays stored while they are chosen */
	int loop;
	struct tile_choice choice;
	unsigned stored;             /* bit a: array a is stored here or further out */
	bool stores_here;
	struct array_state *arrays;  /* [arrays of the model] */
	/* arrays that can be stored here, and that have to be, and the ways in which they can */
	unsigned legal, needed;
	struct stored *ways;         /* [arrays of the model][STORE_WAYS] */
	int way_count[MODEL_ARRAYS];
};

/* Cycles that copies of arrays take at least: ALONE, while nothing is computed, all but those of double buffers; IN_TURN, one after the other, as a core
 * waits for one copy of a buffer before it starts another. */
struct copy_waits { double alone, in_turn; };

struct tree {
	const struct space *space;
	struct stored stored[MODEL_ARRAYS];
	struct schedule path;        /* order and tiles of the levels */
	long slots[MODEL_ARRAYS];
	unsigned doubles;            /* bit a: array a is double where the user does not say and it can be */
	double left[MEMORY_LIMIT];   /* of each memory, while slots are chosen */
	struct schedule best;
	bool found, is_over;
	bool is_least;               /* nothing is less than the best in what is asked */
	long points;
	struct point_limits limits;
	/* Of the present leaf: points when it was reached; commands of an array with the least
	 * slots. */
	long leaf_points;
	double commands_of_least[MODEL_ARRAYS];
	double bypassed;             /* bytes of arrays that registers alone hold */
	struct computing_cost leaf_computing;   /* there, once it IS_MAPPED; no less before */
	struct mapping leaf_mapping, mapping; /* likewise; of the best */
	bool is_mapped;
	double unmapped, unsettled;  /* see struct outcome */
	bool is_cut;                 /* a mapping's search ended for it had few points */
	struct shared_boxes *boxes;  /* what is known of them; NULL: no elements compute */
	struct level levels[];       /* [loops of the model + 1] */
};

/* ---- search_array.c: what an array moves and needs, given the loops outside ---- */

/* SLOTS slots of array A as it is STORED: bytes of its memory and of traffic. */
double slots_memory(const struct space *space, int a, const struct stored *stored, long slots);
double slots_traffic(const struct stored *stored, long slots);
/* BYTES of array A in granules of its memory. */
double round_bytes(const struct space *space, int a, double bytes);
/* Registers are all that holds array A. */
static inline bool is_bypassed(const struct space *space, int a)
{
	return space->model->bypass_memory && space->memory_of[a] == space->model->bypass_memory;
}
/* Which buffers are double is chosen: they cost memory, and hide what takes time. */
static inline bool may_choose_double(const struct space *space)
{
	return space->options->buffering == BUFFERING_AUTO && prices_have_time(&space->options->prices);
}
/* The memory that array A lies in. */
static inline const struct room_of_memory *room_of(const struct space *space, int a)
{
	return &space->memories[space->memory_of[a]];
}
/* Each region of array A shows some of it, where the loops of LEVELS up to LAST are around it. */
bool shows_something(const struct space *space, int a, const struct level *levels, const struct level *last);
/* Iterations of the last tile of LOOP. */
double last_tile(const struct space *space, int loop, struct tile_choice choice);
/* Array A outside all loops; ROOT is the level of no loop. */
void array_start(const struct space *space, int a, const struct level *root,
	struct array_state *state);
/* State of array A one loop further in than BEFORE. */
void array_step(const struct tree *tree, int a, const struct level *before,
	struct level *level);
/* Stores array A at level STORE of the path, where its windows slide if they can and MAY_SLIDE; false if the user or the rules forbid it. */
bool store_array(struct tree *tree, int a, int store, bool may_slide);

/* ---- search_computing.c: what computing adds to the cost ---- */

/* No less than this where arrays move so many BYTES [array] between a scratchpad that keeps no regions, at least, and WAITS are cycles of
 * their copies. */
struct computing_cost least_computing(const struct space *space, const double *bytes, const struct copy_waits *waits);
/* Registers may hold array A, where a visit of its buffer has so many ITERATIONS [loop]; IS_MOVED: by some loop. */
bool elements_may_hold(const struct tree *tree, int a, const long *iterations, bool is_moved);
/* What elements cost for SCHEDULE, evaluated, of the present leaf, whose schedules cost LEAST or more without them: if all together
 * is less than BELOW; INFINITY: no mapping is, or none was found. */
struct computing_cost elements_at_leaf(struct tree *tree, const struct schedule *schedule, const struct cost *least, double below);

/* ---- search_tree.c ---- */

/* What array A, which is stored, moves at least if one region is kept of it at a time, and each is moved in smaller ones. */
double bytes_unkept(const struct tree *tree, int a);
/* What no schedule of the leaf of DEPTH levels costs less than, without what elements do. */
struct cost leaf_bound(const struct tree *tree, int depth);
/* Puts order and tiles of the first DEPTH levels into SCHEDULE. */
void finish_order(const struct tree *tree, int depth, struct schedule *schedule);

/* For who has a path of his own (annealing.c): TREE is at no loop of SPACE; at none of the path; at one loop more, in tiles of
 * CHOICE, if it may be there; what the levels up to DEPTH say is stored fits, and is all; that path as a schedule, with the
 * fewest slots. */
void tree_begin(struct tree *tree, const struct space *space);
void path_begin(struct tree *tree);
bool path_step(struct tree *tree, int depth, int loop, struct tile_choice choice);
bool path_fits(struct tree *tree, int depth);
void path_schedule(const struct tree *tree, int depth, struct schedule *schedule);

/* SCHEDULE is the best so far. */
void tree_take(struct tree *tree, const struct schedule *schedule);
/* One point more; true when there were enough of them, or the user says so. */
bool is_spent(struct tree *tree);

/* ---- search_slots.c: what more slots cost and save ---- */

double command_count(const struct space *space, int a, const struct stored *stored,
	long slots);
/* Fills in what bounds ask of STORED. */
void slots_saving(const struct space *space, int a, struct stored *stored);
/* More slots than the least may need no more memory: so many, or fewer. */
long slots_of_floor(const struct stored *stored);
/* The most traffic that BYTES of memory M can save the arrays that lie there: the fractional
 * knapsack.  Spends their SAVINGS. */
double best_savings(const struct space *space, int m, struct saving *savings, double bytes);
/* What copies of the arrays STORED, bit by bit, take at least. */
struct copy_waits copies_least(const struct tree *tree, unsigned stored);
/* All arrays are stored within the first DEPTH levels: tries the slots that may be
 * better than the best so far. */
void leaf(struct tree *tree, int depth);

#endif
