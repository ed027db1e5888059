#ifndef PASSES_GROUP_H
#define PASSES_GROUP_H

#include "ir/flow.h"
#include "passes/cost/objective.h"
#include "passes/tiles/stage.h"
#include "passes/variants/group_constraints.h"

/* Groups of consecutive nests, as numbers: how the loops of the members are aligned
 * (group_band.c), what a choice of tiles moves and needs (group_model.c), and the best choice
 * (group_search.c).  Sets and maps are asked once a pair of statements, and identical pairs
 * once (group_distance.c); groups.c finds what all groups share. */

/* Where instances run in a dimension: at floor((factor * i + shift) / divisor), i the
 * value of one iterator. */
struct group_plane {
	enum hyperplane_kind kind;
	int iterator;
	long factor, shift, divisor;
};

/* A direction in which a group may be cut.  Arrays are by index of the function's
 * statements; only those of members mean something. */
struct group_dim {
	const char *name;
	struct group_plane *planes;
	long least, most;            /* of all values */
	long extent;                 /* of the last member */
	bool is_forward;             /* some dependence goes from one value to a larger one */
	bool is_affine;              /* all planes are */
	/* An instance that is repeated in each tile that one of value .. value + span falls in
	 * gives its users in that tile all they read.  -1: no finite span does. */
	long *spans;
};

/* Consecutive nests that may become a group, with the loops that it may be cut along.  Candidates
 * with the same last nest grow at their front. */
struct fusion_candidate {
	int first, last;             /* nests */
	int dim_count;
	struct group_dim dims[GROUP_DIMS];
};

/* One access of an array, in any nest. */
struct group_access {
	int statement, nest;         /* of the function */
	const struct access *access;
	long low[ARRAY_RANK_LIMIT], high[ARRAY_RANK_LIMIT];   /* of subscripts over the domain */
};

/* The uses of an array. */
struct group_array {
	const struct array *array;
	int access_count;
	struct group_access *accesses;
	int first, last;             /* nests; last < first: none */
	bool is_created;             /* no read sees a value from before the first of them */
	bool is_intermediate;        /* a local that is created */
};

/* A dependence between two statements of the function; or a private value. */
struct group_pair {
	int from, to;
	bool is_private;             /* both ends must be in one tile */
	int shape;                   /* pairs with the same number are alike */
	isl_map *map;                /* owned by the arena */
};

struct natural_dim;
struct distance_memo;
struct group_tie;

/* What all groups of a function share. */
struct groups {
	struct compilation *compilation;
	const struct function *function;
	const struct nest *nests;
	int nest_count;
	int *nest_of;                /* [statement] */
	int pair_count, shape_count;
	struct group_pair *pairs;    /* by nest of FROM */
	int *first_pair;             /* [nest]; one more at the end */
	long (**ranges)[2];          /* [statement][iterator]: least and largest value */
	struct group_tie **ties;     /* [statement][iterator]; NULL: see group_border.h */
	struct group_array *arrays;  /* [array of the function] */
	struct natural_dim **naturals;   /* [nest][loop of its deepest statement] */
	struct distance_memo *distances;
	double *macs;                /* [nest]: see groups_nest_macs; -1: not counted yet */
};

/* Multiply-accumulates of nest N; counted once. */
double groups_nest_macs(struct groups *groups, int n);

/* NESTS stay the caller's, all else is the arena's. */
struct groups *groups_new(struct compilation *compilation, const struct nest *nests, int count);

/* A local array that is written before it is read and used only in the group. */
bool group_is_internal(const struct groups *groups, const struct fusion_candidate *candidate,
	int array);

/* Nest LAST alone, with the dimensions that a group ending with it may have. */
void group_begin(struct groups *groups, int last, struct fusion_candidate *candidate);
/* One nest more at the front.  Where no dimension is left the group has no loops: all of it
 * is in the scratchpad at once. */
void group_grow(struct groups *groups, struct fusion_candidate *candidate);
/* DIM may be cut with producers repeated: they write internal arrays only. */
bool group_can_repeat(const struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_dim *dim);
/* DIM's tiles, with producers repeated if it carries dependences, may run in the other order too. */
bool group_can_turn(struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_dim *dim);
/* The planes of DIM as those of a nest whose statements are the group's; values from 0,
 * spans if REPEATS. */
void group_make_band_dim(const struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_dim *dim, bool repeats, struct band_dim *out);

/* A loop of a member inside the group's tiles: the stage runs one tile of it at a time. */
struct stage_dim {
	int loop;                    /* of its deepest statement; -1: none */
	const char *name;
	const struct group_plane *planes;   /* [statement of the nest] */
	long extent;
};
/* Loops that nest N may have inside the tiles: those of its deepest statement. */
int group_stage_loops(struct groups *groups, int n);
/* Loop J of nest N, if it is not one of the dimensions in the set USED (bit l: dims[l]), and
 * no dependence runs backwards along it. */
bool group_stage_dim(struct groups *groups, const struct fusion_candidate *candidate,
	unsigned used, int n, int j,
	struct stage_dim *stage);
/* Each iteration of STAGE has elements of an array for itself, the same ones in all ACCESSES [count], which are
 * all of the array's that the stage has: it has a subscript for itself. */
bool group_stage_parts(const struct groups *groups, const struct group_access *const *accesses, int count,
	const struct stage_dim *stage);
/* Its planes as a dimension of the group. */
void group_make_stage_dim(const struct groups *groups, const struct fusion_candidate *candidate,
	int n,
	const struct stage_dim *stage, struct band_dim *out);

/* Tiles of DIM, and chunks of a stage's loop, are multiples of so many values where the machine's DMA
 * copies multiples of more bytes than elements have; 1: any.  See group_align.c. */
long group_granule(const struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_dim *dim);
long group_stage_granule(const struct groups *groups, const struct fusion_candidate *candidate, int n,
	const struct stage_dim *stage);

/* ---- choices ---- */

struct group_loop {
	int dim;                     /* of the group */
	long tile, count;            /* count > 1 */
	bool repeats;                /* producers are repeated, none waits for the next tile */
	bool turns;                  /* it goes to and fro in the runs of the loops outside it */
};

/* Where an array that one stage alone uses is held. */
enum group_hold {
	HOLD_ALL,                    /* from the first tile to the last, or while no loop moves it */
	HOLD_STAGE,                  /* comes, and goes, in each tile, for its stage alone */
	HOLD_CHUNK                   /* the same, in chunks: a tile of the stage's loop at a time */
};

/* How a group is cut: loops, outermost first; and how what they do not move is held. */
struct group_choice {
	int depth;
	struct group_loop loops[GROUP_DEPTH];
	bool is_told_forward;        /* loops may turn, but are told not to */
	enum group_hold *hold;       /* [array of the function] */
	struct stage_dim *stages;    /* [nest of the function]: of those with chunks */
	long *stage_tile;            /* [nest of the function]: of its loop; 0: it has none */
	long chunks;                 /* that results go in, of all stages, beyond one for each array */
	bool *is_double;             /* [array of the function] */
	struct flow flow;            /* of all arrays; commands are not counted */
	double commands, cycles;     /* about; 0, unless they have a price: see group_time */
	double computing_price;      /* of what a core computes, if that has one */
	int *memory;                 /* [array of the function]: that its buffer lies in */
	long need;                   /* of all memories: bytes; where nothing fits, of as many bytes as there
	                              * are, more of which are needed at least */
	long needs[MEMORY_LIMIT];    /* of each */
	double repetition;           /* multiply-accumulates run, over those of the source */
	bool is_optimal;             /* no choice of the space moves less */
	bool is_bound;               /* nor does any plan of one; where there is none: none than was
	                              * asked for */
	long points;                 /* evaluated */
	double seconds;              /* of processor time that it took to find */
};

/* What CHOICE, evaluated, costs; where banks are for one array each, banks stand for bytes of
 * scratchpad. */
struct cost group_choice_cost(const struct group_choice *choice);

/* How a search is limited. */
struct group_limits {
	struct objective asked;      /* what choices are asked for first */
	struct cost most;            /* only choices that cost less of it are wanted, */
	bool takes_equals;           /* or as much */
	double repetition;           /* at most */
	long capacity;               /* of all memories together: bytes */
	long capacities[MEMORY_LIMIT];   /* of each */
	bool prefers_memory;         /* of choices that move the same, that which needs least */
	bool holds_results;          /* what is written comes and goes for no stage, unless the user says so */
	/* [array of the function]: in double buffers where that is possible; NULL: none.  For
	 * group_evaluate: group_search decides it. */
	const bool *doubles;
	const struct group_constraints *constraints;   /* NULL: none */
	bool bounds_plans;           /* what is wanted is no choice, but what no plan of one moves less than: see
	                              * group_bound */
};

/* What there is of each memory in LIMITS is what MEMORIES [MEMORY_LIMIT] say. */
void group_limits_take(struct group_limits *limits, const long *memories);
/* COST is within LIMITS. */
bool group_is_wanted(const struct group_limits *limits, const struct cost *cost);

/* A model of CANDIDATE; BOUNDS_PLANS: of those accesses only of which plans move and need no less than it says.  The caller
 * frees it. */
struct group_model;
struct group_model *group_model_new(struct groups *groups,
	const struct fusion_candidate *candidate, bool bounds_plans);
void group_model_free(struct group_model *model);

/* Fills in the results of CHOICE for its loops: what is held and what comes again for each
 * stage is chosen so that the least is moved.  False if it needs more than the capacity:
 * choice.need is then the least that would do; or if it costs more than the limits say, or
 * repeats too much. */
bool group_evaluate(struct group_model *model, const struct group_limits *limits,
	struct group_choice *choice);

/* Fills in the commands and cycles of CHOICE, evaluated within LIMITS: about, but no fewer cycles than its bytes take.  A run that takes ENOUGH
 * cycles or more in any case may be said to take longer than that. */
void group_time(struct group_model *model, const struct group_limits *limits, double enough, struct group_choice *choice);

/* Sizes of a loop's tiles, rising. */
struct group_range {
	const long *tiles;
	int count;
};

/* The same of a block of choices, which have the loops of CHOICE with any tiles of RANGES [depth]: what it says
 * that they move and need, none of them is below.  Only if choice.is_optimal. */
bool group_evaluate_block(struct group_model *model, const struct group_limits *limits,
	const struct group_range *ranges, struct group_choice *choice);

/* The tile loop that moves an array, counted from 1; 0: none does. */
int group_store(const struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_choice *choice, int array);

/* ARRAY is made in the group, read there and wanted outside too: it is held like an internal
 * one, and goes out as it is made. */
bool group_keeps(const struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_choice *choice, int array);

/* Plans of CANDIDATE, cut in whatever way, move no less than the model says. */
bool group_is_exact(const struct groups *groups, const struct fusion_candidate *candidate);
/* Of which of the group's accesses of ARRAY plans move and need no less than a model says: of all; of those of its main statement;
 * they need no less, if it is internal for the model, and move what they do; that is not known. */
enum group_count { COUNTS_ALL, COUNTS_MAIN, COUNTS_ROOM, COUNTS_NONE };
enum group_count group_counts(const struct groups *groups, const struct fusion_candidate *candidate, int array);
/* The deepest of CANDIDATE's statements that touch ARRAY, by index of the function's; -1: none does. */
int group_main(const struct groups *groups, const struct fusion_candidate *candidate, int array);

/* No plan of CANDIDATE as a group, within LIMITS but for what a schedule says, moves fewer bytes; limits->most, if all that is
 * known is that none moves less.  -1: not known, as it would take too long to find out. */
long group_bound(struct groups *groups, const struct fusion_candidate *candidate, const struct group_limits *limits);

/* What any choice costs at least, in the model. */
struct cost group_least_cost(struct group_model *model);

enum group_outcome {
	GROUP_FITS,
	GROUP_TOO_LARGE,             /* for the scratchpad; so are groups that contain it */
	GROUP_USELESS                /* nothing within the limits */
};

/* The best choice (RANK_GROUPS, or RANK_SMALL_GROUPS if memory is preferred). */
enum group_outcome group_search(struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_limits *limits, struct group_choice *best);

#endif
