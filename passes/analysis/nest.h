#ifndef PASSES_NEST_H
#define PASSES_NEST_H

#include <isl/union_map.h>

#include "passes/limits.h"
#include "passes/pass.h"

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
	struct affine affine;        /* the same over DIVISOR: value = affine / divisor */
	long divisor;                /* > 0; exact on the domain */
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
	bool can_tile;               /* no dependence runs backwards in it */
	int blocked_from, blocked_to;    /* statements of the nest whose dependence does */
	struct hyperplane *planes;   /* [statement of the nest] */
};

/* A loop that is not tiled: the dependence that runs backwards in it. */
struct blocked_loop {
	const struct loop *loop;
	const struct statement *from, *to;
};

/* One access of a statement of the nest. */
struct nest_access {
	int statement;               /* in the nest */
	const struct access *access;
};

/* An array of the nest that lives outside and is brought in by regions; or one of its
 * reference groups, the accesses whose subscripts differ by constants only, where the
 * nest holds those in buffers of their own. */
struct nest_array {
	const struct array *array;
	bool has_siblings;           /* other groups of the array; some access writes it */
	int access_count;
	struct nest_access *accesses;
	bool is_read, is_written;
	/* nest_is_created's answer, once it was asked. */
	enum created { CREATED_UNKNOWN, CREATED_YES, CREATED_NO } created;
	const struct model_array *hull;  /* with the dimensions that hold its regions, for the
	                              * nest's band, where there are no closed forms; NULL: they
	                              * were not asked for */
	bool is_internal;            /* of a fused group: never leaves the chip */
	bool is_kept;                /* of a fused group: made and read on chip like an internal one,
	                              * and goes out as it is made */
};

enum { NEST_LOOPS = MODEL_LOOPS };

/* One top-level loop (or run of statements) of a function. */
struct nest {
	const char *name;
	struct location location;
	const struct function *function;
	int index;                   /* among the function's nests: its own, or the first's */
	int joined_count;            /* nests of the function that it is made of (nest_join); 0: it is
	                              * one of them */
	int statement_count;
	const struct statement **statements;
	bool is_split;               /* some array has several reference groups */
	bool refetches;              /* groups beside a written one are taken to move with the
	                              * sequential loops, so that none is stored outside them; if it
	                              * borrows, those that only read are stored in all tile loops */
	bool borrows;                /* where a group that only reads meets a written one, it reads in
	                              * the buffer of that: regions come from isl */
	bool avoids_forms;           /* regions come from isl though they have closed forms: the user
	                              * wants that, or these do not hold for all symbolic sizes */
	int joint_count;             /* groups that must share a buffer all the same: accesses, */
	size_t joint_capacity;       /* in pairs */
	const struct access **joint;
	int array_count;
	struct nest_array *arrays;
	int loop_depth;              /* deepest statement */
	int band_count;
	int left_out;                /* loops of the source that run inside the tiles */
	struct blocked_loop blocked[LOOP_DEPTH_LIMIT];   /* [left_out], where the source's loops
	                              * make the band */
	int prefix;                  /* the first dims are the source's outer loops, run in their
	                              * order, one iteration a tile */
	struct band_dim band[NEST_LOOPS];
	/* A part of the body of sequential loops, one of several that each have a schedule:
	 * its first outer_count dims are the loops around them all, with their variables. */
	const struct nest *parent;   /* NULL: a whole nest */
	int first_in_parent;         /* its first statement there */
	int outer_loops;             /* source loops around all parts */
	int outer_count;
	struct plan_var *outer_vars[NEST_LOOPS], *inner_vars[NEST_LOOPS];   /* those of its parts */
	/* With symbolic sizes: the nest that stands for this one where they have any values
	 * (symbolic.h), once there is one. */
	struct nest *all_sizes;
	struct twins *twins;         /* it with other sizes (symbolic.h) */
	struct region_memo *regions_found;   /* without closed forms (region_memo.h); NULL: is not
	                              * kept */
	struct nest_memo *memo;      /* what is known of all nests with these statements; NULL: nothing
	                              * is kept */
	isl_union_set *domain;       /* owned by the arena */
	isl_union_map *order;        /* source order, 2 loop_depth + 1 coordinates */
	/* Pairs of instances that must stay in their order; reductions are left out.
	 * Between a source and a destination statement: one map each. */
	isl_union_map *dependences;
	/* Values passed in scalars that are private to a tile: their two ends must be in
	 * the same tile, and then no other order matters for them. */
	isl_union_map *together;
};

/* Statement S of FUNCTION is the first of a nest. */
bool nest_begins(const struct function *function, int s);
/* The nests of FUNCTION in source order; fills *COUNT. */
struct nest *nests_of_function(struct compilation *compilation,
	const struct function *function, int *count);

/* Some array is used by several of the COUNT nests of a function. */
bool nests_share(const struct nest *nests, int count);

/* Gives each reference group of NEST's arrays a buffer of its own (SPLIT), or each array
 * one.  Returns true if the two are different. */
bool nest_split_arrays(struct compilation *compilation, struct nest *nest, bool split);
/* Loops that all statements of NEST share. */
int nest_shared_loops(const struct nest *nest);
/* The parts of NEST's body inside the first LOOPS of the loops that all its statements share:
 * each may run as a whole before the next, as its dependences say, which are known if LOOPS
 * are not all.  NULL: it cannot be parted. */
struct nest *nest_parts(struct compilation *compilation, const struct nest *nest, int loops,
	int *count);
/* The part of PARENT that PART is of its own parent, whose statements are the same but for
 * symbolic sizes. */
struct nest *nest_part_like(struct compilation *compilation, const struct nest *parent,
	const struct nest *part);

/* From the next nest_split_arrays on, entries A and B of NEST's arrays are one. */
void nest_join_groups(struct compilation *compilation, struct nest *nest, int a, int b);

/* Likewise, groups are one that are the same function of NEST's band but for constants, as
 * A[i][i] at j = i and A[i][j] are. */
void nest_join_alike(struct compilation *compilation, struct nest *nest);

/* NEST with other statements, those of FUNCTION. */
struct nest *nest_renew(struct compilation *compilation, const struct nest *nest,
	const struct function *function, const struct statement **statements, int count);

/* The COUNT consecutive nests from NESTS on as one nest, F.0-2 of the nests F.0 to F.2. */
struct nest *nest_join(struct compilation *compilation, const struct nest *nests, int count);

/* Pairs of accesses that may meet: more are refused, for dependences are looked for in each
 * and none may be left out. */
enum { ACCESS_PAIRS_LIMIT = 150000 };
/* Whether COUNT statements have no more; takes no isl. */
bool access_pairs_are_few(struct statement *const *statements, int count);

/* Fills in nest.dependences. */
void nest_find_dependences(struct compilation *compilation, struct nest *nest);

/* The pairs of a write of SCALAR and the reads of that very value; NULL if a read may see
 * a value from outside the nest.  Caller frees. */
__isl_give isl_union_map *nest_scalar_values(const struct nest *nest, const struct array *scalar);

/* Their text, by kind. */
void nest_print_dependences(struct compilation *compilation, const struct nest *nest, FILE *out);

/* --emit=deps: the dependences of each nest of FUNCTION, in isl's text. */
bool print_dependences(struct compilation *compilation, const struct function *function,
	FILE *out);

/* Chooses the band: loops of the statement with most iterations, aligned with those
 * of the others, such that no dependence runs backwards in any; skewed where that
 * makes one so.  Fills in band.  Loops that cannot be are left to the point loops.
 * If NEST borrows, its statements are rather in one iteration of a loop that is not theirs than
 * in its first or last tile: what A[k][k] touches is then a part of what a tile touches of
 * A[i][j], and not there for all of its tiles. */
void nest_find_band(struct compilation *compilation, struct nest *nest);

/* Instead: the outer LOOPS source loops as sequential dimensions, which keeps their
 * order whatever the dependences, and what can be tiled inside them. */
void nest_find_sequential_band(struct compilation *compilation, struct nest *nest, int loops);
/* TO gets the band that was found of FROM, the same nest in another form. */
void nest_take_band(struct nest *to, const struct nest *from);
/* Loop J of the deepest statement as a dimension, the other statements aligned with it;
 * whatever dependences say. */
bool nest_source_dim(struct compilation *compilation, const struct nest *nest, int j,
	struct band_dim *dim);
/* The plane AFFINE / DIVISOR of STATEMENT. */
struct hyperplane hyperplane_make(struct compilation *compilation,
	const struct statement *statement, struct affine affine, long divisor);
/* The place among NEST's statements of that with NAME; -1: none, or NAME is NULL. */
int nest_statement_named(const struct nest *nest, const char *name);
/* The loop of the source that DIM, of NEST's band, has its name from; NULL: none alone. */
const struct loop *nest_loop_of(const struct nest *nest, const struct band_dim *dim);
/* Loops around the deepest statement. */
int nest_depth(const struct nest *nest);

/* Statements of the function that are not in NEST use ARRAY. */
bool nest_shares(const struct nest *nest, const struct array *array);
/* A value that SCALAR has in NEST may be read outside. */
bool nest_passes_on(const struct nest *nest, const struct array *scalar);
/* Bytes that NEST must move whatever its schedule: each element comes in whose value from before
 * is read, and each that is written goes out, unless nobody needs it.  Fewer where counting them
 * is too much work.  Internal arrays of a group move nothing. */
long nest_compulsory(const struct nest *nest);
/* Of one array: the bytes that come in, and those that go out. */
struct compulsory {
	long in, out;
};
struct compulsory array_compulsory(const struct nest *nest, const struct array *array);
#endif
