#ifndef PASSES_LOWERING_H
#define PASSES_LOWERING_H

#include <isl/ast_build.h>

#include "passes/analysis/nest.h"

/* Steps that counting what one plan moves may take (plan_count). */
enum { COUNT_STEPS = 8000000 };

/* The state of lowering one nest; shared by the files that do it. */

/* A tile loop of the plan.  position counts its iterations from 0, whichever way
 * the tiles are walked; tile is the index of the tile. */
struct tile_loop {
	int dim;                     /* of the band; -1: the present stage's */
	long size, count;            /* of a tile; tiles, or 0 if only a run knows them */
	struct plan_expr *trips;     /* tiles */
	bool is_block;               /* its tiles are blocks, see below */
	bool is_serpentine;
	struct plan_var *var;        /* the position */
	struct plan_var *tile_var;   /* named tile index; var itself if not serpentine */
	struct plan_expr *is_backward;   /* serpentine: 1 in the runs that go down; else NULL */
};

/* Where sizes are symbolic a schedule is one of blocks: of as many iterations as the loop
 * has for the sizes that are tuned for.  A loop over blocks goes around all others where
 * some buffer holds what all iterations of a symbolic loop touch, so that no buffer grows
 * with a size.  For the sizes tuned for there is one block. */
enum { TILE_LOOPS = 2 * NEST_LOOPS };

struct lowering {
	struct compilation *compilation;
	const struct nest *nest;
	const struct nest_model *model;
	const struct region *regions;    /* closed forms; NULL: regions come from isl */
	const struct schedule *schedule;
	struct plan *plan;
	struct plan_name **names;        /* taken in the plan */
	enum detail detail;
	int depth;
	struct tile_loop loops[TILE_LOOPS];      /* outermost first */
	int first_inner;                         /* the first tile loop inside all blocks */
	int loop_of_dim[NEST_LOOPS];             /* its tile loop in the block, or -1 */
	int block_of_dim[NEST_LOOPS];            /* its loop over blocks, or -1 */
	struct plan_expr *extent[NEST_LOOPS];    /* iterations in the present block */
	struct plan_expr *origin[NEST_LOOPS];    /* the first of them */
	bool may_be_empty[NEST_LOOPS];           /* and then has one tile all the same */
	/* [array]: whether anything of it is touched for the sizes at hand; NULL: always */
	struct plan_expr **present;
	struct plan_buffer **buffers;            /* [array of the nest] */
	int *store;                              /* [array of the nest] */
	bool *slides;                            /* [array of the nest]: may, where isl agrees */
	enum doubling *doubling;                 /* [array]: wanted, then done; regions from isl */
	bool overlaps_turns;                     /* what comes for a stage does so during the one
	                                          * before, in another place than that one's */
	bool *must_cut;                          /* [array]: only what it touches may move, the
	                                          * box around it has what another one writes */
	int *lender;                             /* [array]: what this group's buffer holds is read
	                                          * there, as it is written meanwhile; -1: none */
	struct general_region *general;          /* [array], where regions come from isl */
	int refused;                             /* the array whose buffer has no plan; -1: none */
	isl_set **instances;                     /* tile_instances' answers; NULL: not asked yet */
	/* A group's members.  While one is lowered its loop is the last of loops. */
	int stage_count;
	const struct group_stage *stages;
	struct tile_loop *stage_loops;
	const struct group_stage *stage;         /* the present one */
};

/* The tags of array A's transfers.  Arrays may share them: a level's transfers are waited
 * for together. */
static inline int get_tag(int a) { return a % 16; }
static inline int put_tag(int a) { return 16 + a % 16; }

/* The stage that array A, of store level STORE_STAGE or STORE_CHUNK, comes for. */
int stage_of(const struct lowering *lowering, int a);
/* From here on, or no longer, what runs is stage M. */
void enter_stage(struct lowering *lowering, int m);
void leave_stage(struct lowering *lowering);

/* FUNCTION, or something in it, is called NAME. */
bool function_has(const struct function *function, const char *name);
/* BASE, or BASE with a number where the plan has that name already. */
const char *unique_name(struct lowering *lowering, const char *base);
struct plan_var *new_var(struct lowering *lowering, const char *base, long min, long max);

/* The index of the tile of loop L at POSITION of its run. */
struct plan_expr *tile_at(const struct lowering *lowering, int l, struct plan_expr *position);

/* A number of the nest as the symbolic sizes make it: VALUE where SIZES is NULL. */
struct plan_expr *sized(const struct lowering *lowering, long value, isl_pw_aff *sizes);
/* Array A's buffer depends on dimension DIM of the band. */
bool moves_with(const struct lowering *lowering, int a, int dim);

/* ---- passes/lower/points.c: the statements of one tile, in source order ---- */

/* Appends the point loops to BLOCK, of all statements or of those from FIRST up to END. */
bool lower_points(struct lowering *lowering, struct plan_node *block);
bool lower_statements(struct lowering *lowering, int first, int end, struct plan_node *block);
/* Which tiles of the innermost loop are meant: the one, the one before it, all up to
 * it, or all from it on. */
enum reach { IN_TILE, IN_TILE_BEFORE, UP_TO_TILE, FROM_TILE, REACHES };

/* The instances of statement S in the tiles that the tile parameters give; only the first
 * DEPTH tile loops count, and REACH applies to the last of them.  Caller frees. */
__isl_give isl_set *tile_instances(const struct lowering *lowering, int s, int depth,
	enum reach reach);
/* The values tile parameters take in some tile.  Caller frees. */
__isl_give isl_set *tile_context(const struct lowering *lowering);
/* Those they take where the first DEPTH tile loops are around: the loops inside may be
 * empty.  Caller frees. */
__isl_give isl_set *context_at(const struct lowering *lowering, int depth);
/* Dimension DIM of the band has no iteration for some symbolic sizes. */
bool dim_may_be_empty(const struct lowering *lowering, int dim);
/* The instances of statement S in the present tile of its stage's loop, whatever the other
 * tiles.  Caller frees. */
__isl_give isl_set *stage_instances(const struct lowering *lowering, int s);
/* SET for any tile of loop L. */
__isl_give isl_set *whatever_tile(const struct lowering *lowering, __isl_take isl_set *set, int l);
/* An isl expression over tile parameters as a plan's; NULL if it has no such form. */
struct plan_expr *translate_expr(struct lowering *lowering, __isl_take isl_ast_expr *expr);
/* VALUE, over parameters of the first DEPTH tile loops that are in PARAMS, as a plan's
 * expression; NULL likewise. */
struct plan_expr *expression_of(struct lowering *lowering, __isl_keep isl_set *params,
	int depth, __isl_take isl_pw_aff *value);

/* A point of a set: what its coordinates are in the plan. */
struct point {
	int rank;
	struct plan_expr *values[ARRAY_RANK_LIMIT];
};

/* As above; parameters x0, x1, ... are POINT's coordinates. */
struct plan_expr *translate_expr_at(struct lowering *lowering, __isl_take isl_ast_expr *expr,
	const struct point *point);
struct plan_expr *expression_at(struct lowering *lowering, __isl_keep isl_set *params,
	int depth, __isl_take isl_pw_aff *value, const struct point *point);

/* Appends to BLOCK what POINT becomes. False if that has no plan. */
typedef bool point_leaf(struct lowering *lowering, const struct point *point, void *user,
	struct plan_node *block);

/* Appends to BLOCK, in the first DEPTH tile loops, loops over the points of SET, in
 * lexicographic order, their variables called NAME_0, ...  False if isl makes none, or LEAF
 * fails. */
bool lower_set(struct lowering *lowering, __isl_take isl_set *set, int depth, const char *name,
	point_leaf *leaf, void *user, struct plan_node *block);

/* ---- passes/lower/transfers.c: regions in closed form ---- */

/* False if, with symbolic sizes, some closed form does not hold for all of them. */
bool make_exact_buffers(struct lowering *lowering);
/* Appends what brings array A's region in (before the body of a visit), and what
 * takes it out (after); returns the tags to wait for. */
unsigned append_exact_gets(struct lowering *lowering, int a, struct plan_node *block);
unsigned append_exact_puts(struct lowering *lowering, int a, struct plan_node *block);
/* The tags to wait for after a whole run of the innermost loop outside A's buffer. */
unsigned exact_tags_after_run(const struct lowering *lowering, int a);

/* COUNT elements from FIRST of dimension D, a ring, of what REGION says for the other
 * dimensions, in its direction: in two pieces where they wrap. */
void append_ring_get(struct lowering *lowering, const struct plan_transfer *region, int d,
	struct plan_expr *first, struct plan_expr *count, struct plan_node *block);

/* ---- passes/regions/rows.c: sets of elements that are no boxes ---- */

/* Appends transfers of exactly the elements of SET of array A (by tile parameters), boxes
 * where it is one, else its rows one by one; the buffer's origins are known.  False if
 * its rows are no boxes either, or isl needs too long. */
bool append_rows(struct lowering *lowering, int a, bool is_put, __isl_take isl_set *set,
	struct plan_node *block);

/* ---- passes/regions/general.c: regions from isl ---- */

/* False if the buffers need more than the machine has; *NEEDED says how much. */
bool make_general_buffers(struct lowering *lowering, long *needed);
/* Fills in lowering.present. */
void find_present(struct lowering *lowering);
/* The elements that accesses of array A touch (WRITES_ONLY: write) in a visit, as a
 * function of the tile parameters of the DEPTH loops outside.  Caller frees. */
__isl_give isl_set *touched_by(const struct lowering *lowering, int a, bool writes_only,
	int depth);
unsigned append_general_gets(struct lowering *lowering, int a, struct plan_node *block);
unsigned append_general_puts(struct lowering *lowering, int a, struct plan_node *block);
/* The tags to wait for after a whole run of the innermost loop outside A's buffer. */
unsigned general_tags_after_run(const struct lowering *lowering, int a);
/* What array A's buffer, which is double, shows first in the run that is to begin; or in the
 * iteration after the present one. */
void append_first_gets(struct lowering *lowering, int a, struct plan_node *block);
void append_next_gets(struct lowering *lowering, int a, struct plan_node *block);

/* ---- passes/regions/siblings.c: several buffers of one array ---- */

/* Accesses of a statement from this one on do not borrow. */
enum { BORROWERS_LIMIT = 32 };
/* False if in some visit one buffer of an array needs, or writes back, what another one
 * wrote meanwhile, and cannot borrow it there; CLASH: which two. */
bool groups_are_apart(struct lowering *lowering, int clash[2]);
/* Joins all such groups of NEST, which LOWERING is of; false if there are none. */
bool join_clashing_groups(struct lowering *lowering, struct nest *nest);
/* The instances of SET, of the statement that has ACCESS of group A, whose element the
 * lender's buffer holds.  Caller frees. */
__isl_give isl_set *borrowing(const struct lowering *lowering, int a,
	const struct access *access, __isl_take isl_set *set);

#endif
