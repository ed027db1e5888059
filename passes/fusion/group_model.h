#ifndef PASSES_GROUP_MODEL_H
#define PASSES_GROUP_MODEL_H

#include "passes/cost/place.h"
#include "passes/cost/tile_clock.h"
#include "passes/fusion/group.h"

/* What the files of a group's model share: its arrays (group_entries.c), what a loop does to them
 * (group_profile.c), what becomes of them then (group_use.c), what is held of those that one stage alone uses (group_hold.c) and what comes
 * and goes in chunks (group_chunks.c), and the sums (group_model.c). */

/* Elements from low to high; none if high < low. */
struct segment {
	long low, high;
};

/* How an array moves with one loop. */
struct array_profile {
	bool moves;
	bool slides;                 /* along the one dimension that moves, upwards */
	long sum, fresh;             /* over tiles: elements of the dimensions that move, all of
	                              * them; or what the tile before did not show.  If none does: tiles */
	long most[ARRAY_RANK_LIMIT];     /* of a tile; 0: the dimension does not move */
	long window[ARRAY_RANK_LIMIT];   /* what lives in a tile, of an internal array */
	/* The same of two tiles, for double buffers: from where one begins to where the next one
	 * ends; what lives in a tile while what the one before wrote goes out. */
	long most_of_two[ARRAY_RANK_LIMIT], window_of_two[ARRAY_RANK_LIMIT];
	bool is_apart;               /* no element is in two tiles that follow each other */
	/* For turns (see group_turns.c): whether all tiles that show some of it show the same; of the first
	 * accesses, bit by bit, which touch it in all these tiles, and which the same of it there; SUM of the tiles
	 * of even numbers and of odd ones; what the first and the last tile have of it; and SUM of those tiles that
	 * come behind one that shows some, by their numbers too. */
	bool stays;
	unsigned long everywhere, constant;
	long part[2], end[2], behind[2];
	bool is_fixed[ARRAY_RANK_LIMIT]; /* the dimension does not move */
	/* Of what SUM stands for, so much is there at least: less than 1 where a border leaves out some of other
	 * dimensions in some tiles.  1 if the model bounds no plans. */
	double share;
};

/* What a loop with a tile size does. */
struct loop_profile {
	struct loop_profile *next;
	struct group_loop loop;
	int class_count;             /* tiles that are alike: n of them from t on */
	long *t, *n;
	struct array_profile *arrays;    /* [array of the model] */
	double *runs;                /* [member]: how often its iterations run, over their number */
};

struct model_entry {
	int index;                   /* of the function */
	const struct group_array *array;
	int access_count;            /* of the group */
	const struct group_access **accesses;
	bool is_internal, is_read, is_written;
	bool may_be_kept;            /* see group_keeps; by all loops that move it */
	int stage;                   /* the only nest that uses it; -1: there are several */
	int main;                    /* the deepest statement that does */
	bool is_main;                /* the group has other accesses, of which nothing is counted */
	long extent[ARRAY_RANK_LIMIT];   /* of all that is touched (internal: written) */
	unsigned memories;           /* bit m: it may lie in memory m */
};

/* What one stage alone uses. */
struct held_item {
	const struct model_entry *entry;
	int stage;
	bool is_moved;               /* by some loop: held, it comes in regions */
	long side[ARRAY_RANK_LIMIT]; /* of what a tile touches */
	struct flow held, streamed;  /* what it moves if it is held, or comes for its stage */
	unsigned memories;           /* bit m: it may lie in memory m, */
	int memory;                  /* and does, once that is chosen */
	/* In each memory: held, and whether the buffer is double; if it comes for its stage: whole, or in
	 * the smallest chunks. */
	long held_place[MEMORY_LIMIT];
	bool is_double;
	long place[MEMORY_LIMIT], least_place[MEMORY_LIMIT];
	bool has_chunks;
	struct stage_dim dim;
	bool is_held, is_streamed;   /* streamed: as the user wants */
	bool must_be_held;           /* held, whatever is best */
};

/* A buffer that is there all the time, and may lie in several memories. */
struct open_buffer {
	int index;                   /* of its array in the function */
	unsigned memories;
	int memory;                  /* that is chosen */
	long place[MEMORY_LIMIT];    /* what it takes of each */
};

/* A loop that a stage may have inside the tiles. */
struct stage_loop {
	bool is_known, suits;
	unsigned used;               /* the group's dimensions with loops when it was asked */
	struct stage_dim dim;
	enum { PARTS_UNKNOWN, PARTS_NONE, PARTS_SOME } *parts;   /* [entry]: see group_stage_parts; NULL: all unknown */
};

enum { PROFILE_BUCKETS = 64 };

struct group_model {
	struct groups *groups;
	struct fusion_candidate candidate;
	bool bounds_plans;
	struct arena *arena;
	int entry_count;
	struct model_entry *entries;
	int element_bytes;           /* the largest */
	double *weights;             /* [member]: its share of the work */
	struct loop_profile *profiles[PROFILE_BUCKETS];
	struct range_profile *ranges[PROFILE_BUCKETS];   /* of group_block.c */
	/* room for an evaluation: [entry], [member] */
	struct held_item *items;
	struct stage_loop (*stage_loops)[LOOP_DEPTH_LIMIT];   /* [member][loop] */
	struct open_buffer *open;
	bool *is_held, *is_best;
	int *memory, *best_memory;   /* [entry of OPEN, then of ITEMS] */
	int *array_memory;           /* [array of the function] */
	long *rest, *pool;           /* the pool: [memory][member] */
	int *stage_loop;
	struct tile_buffer *buffers; /* of group_cycles.c: [entry], */
	struct tile_stage *stages;   /* [member] */
};

struct evaluation {
	struct group_model *model;
	int memory_count;
	struct memory memories[MEMORY_LIMIT];
	const struct group_constraints *constraints;
	const bool *doubles;         /* [array of the function]; NULL: none is double */
	const struct loop_profile *profiles[GROUP_DEPTH];
	struct group_choice *choice;
	bool is_block;               /* of choices, which is bounded */
	struct flow flow;            /* of all but the items */
	/* Of each memory, what is there all the time but for items and, while they are not chosen, those
	 * buffers that are open. */
	long need[MEMORY_LIMIT];
	int open_count;
	struct open_buffer *open;
	int item_count;
	struct held_item *items;
	int *stage_loop;             /* [member]: that it has, -1: the best (see group_first_loops) */
	long *pool;                  /* [memory][member]: scratch of what comes for it; see group_pool */
	bool overlaps;               /* items come while the stage before computes */
	long steps;                  /* of the search among what is held */
};

/* ---- what is done with an array (group_use.c) ---- */

/* What a group does with an array that is not held for a stage. */
struct group_use {
	int store;
	bool is_kept;
	bool is_dropped;             /* nothing of it is moved */
	bool both;                   /* it comes and goes */
	bool is_read_first;          /* even where nothing comes back */
	bool is_double;
};

/* Loops up to the innermost that moves array E. */
int group_store_in(const struct evaluation *evaluation, int e);
/* What the group does with array E, whose buffer is inside the first STORE loops. */
struct group_use group_use_of(const struct evaluation *evaluation, int e, int store);
/* Side D of the buffer of array E inside STORE loops; of one that is internal, or kept, and may be double. */
long group_outer_side(const struct evaluation *evaluation, int e, int d, int store);
long group_internal_side(const struct evaluation *evaluation, int e, int d, bool is_double);
/* What array E moves that has a buffer of its own; or that comes, and goes, for its stage in each tile.  False if a number is
 * too large. */
bool group_held_flow(const struct evaluation *evaluation, int e, const struct group_use *use, struct flow *flow);
bool group_streamed_flow(const struct evaluation *evaluation, int e, struct flow *flow);
/* How many contiguous pieces FLOW of array E, which has a buffer of its own, consists of; none of what is
 * read and stays for all tiles. */
double group_runs_of(const struct evaluation *evaluation, int e, const struct group_use *use, const struct flow *flow);

/* Multiplies *ELEMENTS by those of the dimensions of array E that none of the first STORE loops moves.  False
 * if that is too large. */
bool group_times_still(const struct evaluation *evaluation, int e, int store, long *elements);

/* Loop L leaves array E's region where it is, in all visits of its buffer inside STORE loops: its box, and what each access that touches
 * it in all of them touches (see add_shapes in passes/regions/still.c). */
bool group_leaves(const struct evaluation *evaluation, int e, int store, int l);

/* Of the elements that array E shows in all visits of its buffer, which the first STORE loops move, those
 * that are still there since before a turn.  False if a number is too large. */
bool group_kept_at_turns(const struct evaluation *evaluation, int e, int store, long *elements);

/* An evaluation of CHOICE, whose loops are to be looked at. */
struct evaluation group_evaluation_of(struct group_model *model, struct group_choice *choice);

/* group_evaluate, of loops that do what PROFILES say (NULL: it cannot be counted); IS_BLOCK: they bound several. */
bool group_evaluate_with(struct group_model *model, const struct group_limits *limits,
	const struct loop_profile *const *profiles, bool is_block, struct group_choice *choice);

/* The values of the iterator of statement S in tile T of LOOP, which S has a plane of its own in; none if HIGH < LOW. */
struct segment group_values(const struct group_model *model, int s, const struct group_loop *loop, long t);
/* The least share of what the tiles of LOOP show of ENTRY, where TILES show some, that borders leave; 0: not known. */
double group_border_share(const struct group_model *model, const struct model_entry *entry, const struct group_loop *loop,
	long tiles);

/* What LOOP does; NULL if it has too many tiles, or a number is too large. */
const struct loop_profile *group_profile_of(struct group_model *model, const struct group_loop *loop);

/* Gives each stage its loop, or that along which what comes for it needs least, and its items
 * chunks. */
void group_find_chunks(struct evaluation *evaluation);

/* Stages for which something comes that a loop moves may want different loops for their
 * items: all combinations are tried, one after the other.  False: that was the last. */
void group_first_loops(struct evaluation *evaluation);
bool group_next_loops(struct evaluation *evaluation);

/* The side D of ITEM with TILE iterations of its stage's loop DIM. */
long group_chunk_side(const struct evaluation *evaluation, const struct held_item *item,
	const struct stage_dim *dim, long tile, int d);
/* What a buffer for TILE iterations of DIM needs of memory M: another one comes meanwhile, if it is
 * double and there is another. */
long group_chunk_place(const struct evaluation *evaluation, const struct held_item *item,
	const struct stage_dim *dim, long tile, int m);

/* The first memory of the set MEMORIES from M on; MEMORY_LIMIT: there is none. */
int group_memory_from(unsigned memories, int m);
/* What is least of ROOMS in MEMORIES. */
long group_least_of(unsigned memories, const long *rooms);

/* What comes for MEMBER in memory M. */
long *group_pool(const struct evaluation *evaluation, int m, int member);

/* The least of all memories that would do: everything comes as late as it can, or nothing is
 * held apart.  Where some memory alone has too little of what LIMITS say, as much more of all as of that. */
long group_least_need(struct evaluation *evaluation, const struct group_limits *limits);

/* Some way to hold the items may move as little as LIMITS want, were there room for it. */
bool group_may_improve(const struct evaluation *evaluation, const struct group_limits *limits);

/* Decides which items are held, and in which memories all lie, such that the least is moved.  False if nothing fits, or
 * moves less than is wanted. */
bool group_choose_held(struct evaluation *evaluation, const struct group_limits *limits);

/* Chunks as large as there is room for; completes the choice. */
void group_choose_chunks(struct evaluation *evaluation, const struct group_limits *limits);

#endif
