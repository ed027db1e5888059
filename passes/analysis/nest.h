#ifndef PASSES_NEST_H
#define PASSES_NEST_H

#include <isl/union_map.h>

#include "passes/limits.h"
#include "passes/pass.h"

enum { NEST_LOOPS = MODEL_LOOPS };

/* What is kept of a nest from one lowering to the next; NULL: nothing yet. */
struct nest_findings {
	struct region_memo *regions; /* without closed forms (region_memo.h) */
	struct twins *twins;         /* it with other sizes (symbolic.h) */
};

/* One top-level loop (or run of statements) of a function: what the program is.  How it is written
 * before it is tiled is a variant of it (variant.h). */
struct nest {
	const char *name;
	struct location location;
	const struct function *function;
	int index;                   /* among the function's nests: its own, or the first's */
	int joined_count;            /* nests of the function that it is made of (nest_join); 0: it is
	                              * one of them */
	int statement_count;
	const struct statement *const *statements;
	const struct reference_groups *arrays;   /* one an array (reference_groups.h) */
	int loop_depth;              /* deepest statement */
	/* A part of the body of sequential loops, one of several that each have a schedule. */
	const struct nest *parent;   /* NULL: a whole nest */
	int first_in_parent;         /* its first statement there */
	int outer_loops;             /* source loops around all parts */
	isl_union_set *domain;       /* owned by the arena */
	isl_union_map *order;        /* source order, 2 loop_depth + 1 coordinates */
	/* Pairs of instances that must stay in their order; reductions are left out.  Between a
	 * source and a destination statement: one map each.  NULL: they were not asked for
	 * (nest_with_dependences). */
	isl_union_map *dependences;
	/* Values passed in scalars that are private to a tile: their two ends must be in
	 * the same tile, and then no other order matters for them. */
	isl_union_map *private_values;
	/* What is found of it is kept elsewhere: */
	struct nest_findings *findings;
	struct nest_memo *memo;      /* of all nests with these statements; NULL: nothing is kept */
};

/* Statement S of FUNCTION is the first of a nest. */
bool nest_begins(const struct function *function, int s);
/* The nests of FUNCTION in source order; fills *COUNT. */
const struct nest *nests_of_function(struct compilation *compilation,
	const struct function *function, int *count);

/* Some array is used by several of the COUNT nests of a function. */
bool nests_share(const struct nest *nests, int count);
/* So groups may gain something, and they are not too many to be weighed together. */
bool nests_may_gain(const struct nest *nests, int count);

/* Loops that all statements of NEST share. */
int nest_shared_loops(const struct nest *nest);
/* The parts of NEST's body inside the first LOOPS of the loops that all its statements share:
 * each may run as a whole before the next, as its dependences say, which are known if LOOPS
 * are not all.  NULL: it cannot be parted. */
const struct nest *nest_parts(struct compilation *compilation, const struct nest *nest, int loops,
	int *count);
/* The part of PARENT that PART is of its own parent, whose statements are the same but for
 * symbolic sizes. */
const struct nest *nest_part_like(struct compilation *compilation, const struct nest *parent,
	const struct nest *part);

/* NEST with other statements, those of FUNCTION. */
const struct nest *nest_renew(struct compilation *compilation, const struct nest *nest,
	const struct function *function, const struct statement *const *statements, int count);

/* NEST, with other ARRAYS: without those that are carried by now, or in a group that keeps some on
 * chip. */
const struct nest *nest_with_arrays(struct arena *arena, const struct nest *nest,
	const struct reference_groups *arrays);

/* The COUNT consecutive nests from NESTS on as one nest, F.0-2 of the nests F.0 to F.2. */
const struct nest *nest_join(struct compilation *compilation, const struct nest *nests, int count);

/* Whether COUNT statements have no more than ACCESS_PAIRS_LIMIT; takes no isl. */
bool access_pairs_are_few(const struct statement *const *statements, int count);

/* NEST with its dependences. */
const struct nest *nest_with_dependences(struct compilation *compilation, const struct nest *nest);

/* The pairs of a write of SCALAR and the reads of that very value; NULL if a read may see
 * a value from outside the nest.  Caller frees. */
__isl_give isl_union_map *nest_scalar_values(const struct nest *nest, const struct array *scalar);

/* Their text, by kind. */
void nest_print_dependences(struct compilation *compilation, const struct nest *nest, FILE *out);

/* --emit=deps: the dependences of each nest of FUNCTION, in isl's text. */
bool print_dependences(struct compilation *compilation, const struct function *function,
	FILE *out);

/* The place among NEST's statements of that with NAME; -1: none, or NAME is NULL. */
int nest_statement_named(const struct nest *nest, const char *name);
/* The first of its statements with most loops around. */
const struct statement *nest_deepest(const struct nest *nest);

/* Whether the statements of FUNCTION from FIRST up to END read ARRAY, or write it. */
enum { USE_READ = 1, USE_WRITE = 2 };
unsigned statements_use(const struct function *function, const struct array *array, int first,
	int end);
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
/* Adds both to *BYTES; false if that is more than a long holds: then *BYTES is LONG_MAX. */
bool array_add_compulsory(const struct nest *nest, const struct array *array, long *bytes);
/* The bytes that reference group GROUP, of NEST, touches, or WRITES_ONLY those that it writes, whoever needs them; fewer where counting
 * them is too much work. */
struct reference_group;
long reference_group_bytes(const struct nest *nest, const struct reference_group *group, bool writes_only);
#endif
