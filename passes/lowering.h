#ifndef PASSES_LOWERING_H
#define PASSES_LOWERING_H

#include <isl/ast_build.h>

#include "passes/nest.h"

/* The state of lowering one nest; shared by the files that do it. */

/* A tile loop of the plan.  position counts its iterations from 0, whichever way
 * the tiles are walked; tile is the index of the tile. */
struct tile_loop {
	int dim;                     /* of the band */
	long size, count;            /* of a tile; tiles */
	bool is_serpentine;
	struct plan_var *var;        /* the position */
	struct plan_var *tile_var;   /* named tile index; var itself if not serpentine */
	struct plan_expr *is_backward;   /* serpentine: 1 in the runs that go down; else NULL */
};

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
	struct tile_loop loops[NEST_LOOPS];      /* outermost first */
	int loop_of_dim[NEST_LOOPS];             /* its tile loop, or -1 */
	struct plan_buffer **buffers;            /* [array of the nest] */
	int *store;                              /* [array of the nest] */
	bool *slides;                            /* [array of the nest]: may, where isl agrees */
	struct general_region *general;          /* [array], where regions come from isl */
	isl_set **instances;                     /* tile_instances' answers; NULL: not asked yet */
};

/* The tags of array A's transfers.  Arrays may share them: a level's transfers are waited
 * for together. */
static inline int get_tag(int a) { return a % 16; }
static inline int put_tag(int a) { return 16 + a % 16; }

/* BASE, or BASE with a number where the plan has that name already. */
const char *unique_name(struct lowering *lowering, const char *base);
struct plan_var *new_var(struct lowering *lowering, const char *base, long min, long max);

/* The index of the tile of loop L at POSITION of its run. */
struct plan_expr *tile_at(const struct lowering *lowering, int l, struct plan_expr *position);

/* ---- passes/points.c: the statements of one tile, in source order ---- */

/* Appends the point loops to BLOCK. */
bool lower_points(struct lowering *lowering, struct plan_node *block);
/* Which tiles of the innermost loop are meant: the one, the one before it, all up to
 * it, or all from it on. */
enum reach { IN_TILE, IN_TILE_BEFORE, UP_TO_TILE, FROM_TILE, REACHES };

/* The instances of statement S in the tiles that the tile parameters give; only the first
 * DEPTH tile loops count, and REACH applies to the last of them.  Caller frees. */
__isl_give isl_set *tile_instances(const struct lowering *lowering, int s, int depth,
	enum reach reach);
/* The values tile parameters take.  Caller frees. */
__isl_give isl_set *tile_context(const struct lowering *lowering);
/* An isl expression over tile parameters as a plan's; NULL if it has no such form. */
struct plan_expr *translate_expr(struct lowering *lowering, __isl_take isl_ast_expr *expr);
/* VALUE, over tile parameters that are in PARAMS, as a plan's expression; NULL likewise. */
struct plan_expr *expression_of(struct lowering *lowering, __isl_keep isl_set *params,
	__isl_take isl_pw_aff *value);

/* A point of a set: what its coordinates are in the plan. */
struct point {
	int rank;
	struct plan_expr *values[ARRAY_RANK_LIMIT];
};

/* As above; parameters x0, x1, ... are POINT's coordinates. */
struct plan_expr *translate_expr_at(struct lowering *lowering, __isl_take isl_ast_expr *expr,
	const struct point *point);
struct plan_expr *expression_at(struct lowering *lowering, __isl_keep isl_set *params,
	__isl_take isl_pw_aff *value, const struct point *point);

/* Appends to BLOCK what POINT becomes. False if that has no plan. */
typedef bool point_leaf(struct lowering *lowering, const struct point *point, void *user,
	struct plan_node *block);

/* Appends to BLOCK loops over the points of SET, in lexicographic order, their variables
 * called NAME_0, ...  False if isl makes none, or LEAF fails. */
bool lower_set(struct lowering *lowering, __isl_take isl_set *set, const char *name,
	point_leaf *leaf, void *user, struct plan_node *block);

/* ---- passes/transfers.c: regions in closed form ---- */

void make_exact_buffers(struct lowering *lowering);
/* Appends what brings array A's region in (before the body of a visit), and what
 * takes it out (after); returns the tags to wait for. */
unsigned append_exact_gets(struct lowering *lowering, int a, struct plan_node *block);
unsigned append_exact_puts(struct lowering *lowering, int a, struct plan_node *block);
/* The tags to wait for after a whole run of the innermost loop outside A's buffer. */
unsigned exact_tags_after_run(const struct lowering *lowering, int a);

/* COUNT elements from FIRST of dimension D, a ring, of what REGION says for the other
 * dimensions: in two pieces where they wrap. */
void append_ring_get(struct lowering *lowering, const struct plan_transfer *region, int d,
	struct plan_expr *first, struct plan_expr *count, struct plan_node *block);

/* ---- passes/rows.c: sets of elements that are no boxes ---- */

/* Appends transfers of exactly the elements of SET of array A (by tile parameters), boxes
 * where it is one, else its rows one by one; the buffer's origins are known.  False if
 * its rows are no boxes either, or isl needs too long. */
bool append_rows(struct lowering *lowering, int a, bool is_put, __isl_take isl_set *set,
	struct plan_node *block);

/* ---- passes/general.c: regions from isl ---- */

/* False if the buffers need more than the machine has; *NEEDED says how much. */
bool make_general_buffers(struct lowering *lowering, long *needed);
/* False if in some visit one buffer of an array reads, or writes back, what another one
 * wrote meanwhile; CLASH: which two. */
bool groups_are_apart(const struct lowering *lowering, int clash[2]);
unsigned append_general_gets(struct lowering *lowering, int a, struct plan_node *block);
unsigned append_general_puts(struct lowering *lowering, int a, struct plan_node *block);

#endif
