#ifndef PASSES_LOWERING_H
#define PASSES_LOWERING_H

#include <isl/ast_build.h>

#include "passes/tiles/stage.h"

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
	bool has_ends;               /* some statement runs in the first or last tile of a run alone */
	struct plan_var *var;        /* the position */
	struct plan_var *tile_var;   /* named tile index; var itself if not serpentine */
	struct plan_expr *is_backward;   /* serpentine: 1 in the runs that go down; else NULL */
};

/* Where sizes are symbolic a schedule is one of blocks: of as many iterations as the loop
 * has for the sizes that are tuned for.  A loop over blocks goes around all others where
 * some buffer holds what all iterations of a symbolic loop touch, so that no buffer grows
 * with a size.  For the sizes tuned for there is one block. */
enum { TILE_LOOPS = 3 * NEST_LOOPS };   /* with steps of elements, and elements */

struct elements;

struct lowering {
	struct compilation *compilation;
	const struct variant *variant;
	const struct nest *nest;         /* the variant's, with its groups and band */
	const struct reference_groups *groups;
	const struct band *band;
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
	struct plan_buffer **buffers;            /* [array of the nest] */
	struct holding *holdings;                /* [array of the nest] */
	bool overlaps_stages;                     /* what comes for a stage does so during the one
	                                          * before, in another place than that one's */
	bool *must_cut;                          /* [array]: only what it touches may move, the
	                                          * box around it has what another one writes */
	int *lender;                             /* [array]: what this group's buffer holds is read
	                                          * there, as it is written meanwhile; -1: none */
	struct general_region *general;          /* [array], where regions come from isl */
	struct visit *visits;                    /* [array]: what its visits move */
	int refused;                             /* the array whose buffer has no plan; -1: none */
	isl_set **instances;                     /* tile_instances' answers; NULL: not asked yet */
	bool has_elements;                       /* processing elements compute the tiles */
	struct elements *elements;               /* passes/lower/elements.h; NULL: none do, or not yet */
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
/* The loop whose iterations show array A's buffer one region after the other; NULL. */
const struct tile_loop *mover_of(const struct lowering *lowering, int a);
/* The tile loops around a visit of array A's buffer; for what comes for a stage, while that is entered: all. */
int visit_depth(const struct lowering *lowering, int a);
/* From here on, or no longer, what runs is stage M. */
void enter_stage(struct lowering *lowering, int m);
void leave_stage(struct lowering *lowering);

/* FUNCTION, or something in it, is called NAME. */
bool function_has(const struct function *function, const char *name);
/* BASE, or BASE with a number where the plan has that name already. */
const char *unique_name(struct lowering *lowering, const char *base);
/* A buffer for array A, with no extents yet. */
struct plan_buffer *new_buffer(struct lowering *lowering, int a);
struct plan_var *new_var(struct lowering *lowering, const char *base, long min, long max);

/* The index of the tile of LOOP at POSITION of its run. */
struct plan_expr *tile_at(const struct lowering *lowering, const struct tile_loop *loop,
	struct plan_expr *position);

/* Steps of the first DEPTH tile loops from the first iteration of all, in the block, to the present one,
 * modulo 2: those of the innermost, and of each loop that goes on when the ones inside it have ended, but
 * for loops whose bit is set in UNCOUNTED. */
struct plan_expr *odd_steps(const struct lowering *lowering, int depth, unsigned long uncounted);

/* Array A's buffer depends on dimension DIM of the band. */
bool moves_with(const struct lowering *lowering, int a, int dim);

#endif
