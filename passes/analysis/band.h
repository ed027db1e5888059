#ifndef PASSES_BAND_H
#define PASSES_BAND_H

#include "passes/analysis/nest.h"

struct answers;

/* What a statement is in one dimension of the band. */
enum hyperplane_kind {
	HYPERPLANE_AFFINE,           /* runs at value(instance) */
	HYPERPLANE_FIRST,            /* in the first tile that is executed, whatever its place */
	HYPERPLANE_LAST              /* in the last */
};

struct hyperplane {
	enum hyperplane_kind kind;
	isl_aff *value;              /* HYPERPLANE_AFFINE: on the statement's domain space;
	                              * owned by the arena */
	struct affine affine;        /* the same over DIVISOR: value = floor(affine / divisor) */
	long divisor;                /* > 0 */
	long span;                   /* it runs in each tile that one of value .. value + span falls
	                              * in: more than once, where that is longer than a tile's rest */
};

/* A dimension of the band: tile loops run over floor(value / tile). */
struct band_dim {
	const char *name;
	long extent;                 /* values run from 0 to extent - 1 */
	isl_pw_aff *sized_extent;    /* what it is for all values of the symbolic sizes, which are its
	                              * parameters; NULL: the same.  Owned by the arena */
	bool is_forward;             /* carries a dependence between affine statements */
	bool is_chained;             /* several loops, one behind the other (band_chain.h): planes have a part
	                              * of it */
	bool can_tile;               /* no dependence runs backwards in it */
	int blocked_from, blocked_to;    /* statements of the nest whose dependence does */
	const struct hyperplane *planes;   /* [statement of the nest] */
};

/* A loop that is not tiled: the dependence that runs backwards in it. */
struct blocked_loop {
	const struct loop *loop;
	const struct statement *from, *to;
};

/* The dimensions in which a nest is cut into tiles: legal in their order, the first PREFIX of them
 * one after the other. */
struct band {
	int count;
	struct band_dim dims[NEST_LOOPS];
	int prefix;                  /* the first dims are the source's outer loops, run in their
	                              * order, one iteration a tile */
	int left_out;                /* loops of the source that run inside the tiles */
	struct blocked_loop blocked[LOOP_DEPTH_LIMIT];   /* [left_out], where the source's loops
	                              * make the band */
};

/* The band of NEST, whose dependences are known: loops of the statement with most iterations, aligned
 * with those of the others, such that no dependence runs backwards in any; skewed where that makes
 * one so.  Loops that cannot be are left to the point loops.
 * If groups are to borrow from each other (BORROWS), statements are rather in one iteration of a loop
 * that is not theirs than in its first or last tile: what A[k][k] touches is then a part of what a
 * tile touches of A[i][j], and not there for all of its tiles.
 * FOUND: answers about NEST that are taken again (nest_memo.h); NULL: none are. */
const struct band *nest_find_band(struct compilation *compilation, const struct nest *nest,
	bool borrows, struct answers *found);

/* Instead: with loops chained that can be; no dimensions, if none can. */
const struct band *nest_find_chained_band(struct compilation *compilation, const struct nest *nest,
	struct answers *found);

/* Instead: the outer LOOPS source loops as sequential dimensions, which keeps their order whatever
 * the dependences, and what can be tiled inside them.  OUTER: the dimensions around all parts of
 * the body that NEST is a part of; NULL: it is a whole nest. */
const struct band *nest_find_sequential_band(struct compilation *compilation,
	const struct nest *nest, const struct band *outer, int loops, bool borrows,
	struct answers *found);
/* BAND without the dimensions behind its sequential ones. */
const struct band *band_prefix(struct arena *arena, const struct band *band);
/* Loop J of the deepest statement as a dimension, the other statements aligned with it;
 * whatever dependences say. */
bool nest_source_dim(struct compilation *compilation, const struct nest *nest, int j,
	struct band_dim *dim);
/* The plane AFFINE / DIVISOR of STATEMENT. */
struct hyperplane hyperplane_make(struct compilation *compilation,
	const struct statement *statement, struct affine affine, long divisor);
/* The loop of the source that DIM, of NEST's band, has its name from; NULL: none alone. */
const struct loop *nest_loop_of(const struct nest *nest, const struct band_dim *dim);

#endif
