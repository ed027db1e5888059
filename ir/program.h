#ifndef IR_PROGRAM_H
#define IR_PROGRAM_H

#include <stdbool.h>
#include <stdio.h>

#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/set.h>

#include "support/arena.h"
#include "support/diag.h"

/* The program: what a .loop file says, with every size bound to its value.
 * Built by the front end, read by the passes, never changed by them.  All of it
 * lives in the arena of the compilation; its isl objects are owned by the arena
 * and only lent (copy before you give one away). */

enum type_kind {
	TYPE_INT8, TYPE_UINT8, TYPE_INT16, TYPE_UINT16,
	TYPE_INT32, TYPE_UINT32, TYPE_INT64, TYPE_UINT64,
	TYPE_FLOAT, TYPE_DOUBLE, TYPE_BOOL
};

/* KIND decides the arithmetic; NAME is the spelling of the source ("int16_t",
 * "unsigned char", "long").  bytes = its size. */
struct type {
	enum type_kind kind;
	int bytes;
	const char *name;
};

bool type_is_float(enum type_kind kind);
bool type_is_signed(enum type_kind kind);

enum { ARRAY_RANK_LIMIT = 16, LOOP_DEPTH_LIMIT = 24, SYMBOLIC_LIMIT = 8 };

/* constant + sum coefficients[i] * iterator i of the statement + sum sizes[k] *
 * symbolic size k of the function. */
struct affine {
	long constant;
	long *coefficients;          /* [statement depth] */
	long *sizes;                 /* [SYMBOLIC_LIMIT]; NULL: all are 0 */
};

/* An array, or a scalar (rank 0). */
struct array {
	int index;                   /* in function.arrays */
	const char *name;            /* no other array of the function has it */
	const char *source_name;     /* what the source calls it: messages do too.  Several may be
	                              * called the same, and then names are numbered: "acc_2" */
	struct location location;
	struct type type;
	int rank;
	long extents[ARRAY_RANK_LIMIT];   /* with symbolic sizes at their values */
	struct affine shape[ARRAY_RANK_LIMIT];   /* extents as they depend on symbolic sizes */
	bool is_parameter;           /* else a local of the function */
	bool is_const;               /* a parameter that is only read */
	bool by_value;               /* a scalar parameter or local: no address.  A scalar
	                              * parameter by value is read only and lives in the core */
	struct loop *scope;          /* locals: innermost loop around the declaration; NULL:
	                              * the function.  What it held is lost with each
	                              * iteration */
	long elements;               /* product of the extents */
	bool is_read_unset;          /* a local that is known to be read before it is written */
};

/* Parameters that are integers used as sizes: bound to VALUE, or symbolic: known at run
 * time only, from 1 to MAX, and VALUE is what the schedule is chosen for. */
struct size {
	const char *name;
	long value;
	const char *type_name;       /* its spelling, "int" */
	bool is_symbolic;
	int index;                   /* in function.symbolic */
	long max;
};

struct loop {
	int index;                   /* in function.loops: source order */
	const char *name;            /* of the iterator; no loop around has it */
	const char *source_name;     /* what the source calls it, as messages do */
	struct location location;
	struct loop *parent;         /* NULL: outermost */
	int depth;                   /* number of loops around it */
	long step;                   /* != 0; < 0 for a loop that runs down */
	int position;                /* among the children of its parent body, from 0;
	                              * a statement and a loop share this count */
};

enum expr_kind {
	EXPR_LITERAL,                /* text */
	EXPR_AFFINE,                 /* an iterator or size as a value: affine */
	EXPR_ACCESS,                 /* statement.accesses[access] read */
	EXPR_UNARY,                  /* operator: "-" "+" "~" "!" */
	EXPR_BINARY,                 /* operator: C's binary operators */
	EXPR_CONDITIONAL,            /* operands 0 ? 1 : 2 */
	EXPR_CAST,                   /* (type) operand 0 */
	EXPR_CALL                    /* text = function name */
};

/* The value a statement computes.  type is the C type of the value, after
 * promotions and usual arithmetic conversions, so that a printer can make every
 * conversion explicit. */
struct expr {
	enum expr_kind kind;
	struct type type;
	struct location location;
	const char *text;            /* literal, function name */
	const char *operator;
	struct affine affine;
	int access;
	int operand_count;
	struct expr **operands;
};

struct access {
	int index;                   /* in statement.accesses */
	struct array *array;
	bool is_write;               /* accesses[0] is the one write */
	struct affine subscripts[ARRAY_RANK_LIMIT];  /* array.rank of them */
	struct location location;
	isl_map *map;                /* statement instance -> element, on the domain */
};

enum reduction {
	REDUCTION_NONE, REDUCTION_SUM, REDUCTION_PRODUCT, REDUCTION_MIN, REDUCTION_MAX,
	REDUCTION_AND, REDUCTION_OR, REDUCTION_XOR, REDUCTION_USER
};

/* One assignment, run once for each element of its domain. */
struct statement {
	int index;                   /* in function.statements: source order */
	const char *name;            /* S0, S1, ...: the tuple name of its domain */
	struct location location;
	int depth;
	struct loop *loops[LOOP_DEPTH_LIMIT];   /* outermost first */
	int position;                /* in the innermost body, see loop.position */
	isl_set *domain;             /* over the source values of its iterators */
	int access_count;
	struct access *accesses;     /* [0] is written; the others are read */
	struct expr *value;          /* assigned to accesses[0]; a += b is a + b here */
	enum reduction reduction;    /* value = access 0's element OP something that does not
	                              * read that element, OP associative and commutative */
};

/* A parameter of the function, in source order: exactly one of the two. */
struct parameter {
	struct size *size;
	struct array *array;
};

/* A pure function that statements call: printed as it was declared. */
struct prototype {
	const char *text;            /* "float sigmoid(float x);" or NULL if a header declares it */
	const char *name;
};

/* `#pragma loopc TEXT` before the loop at FUNCTION LEVEL that follows. */
struct pragma {
	const char *text;
	struct location location;
	struct loop *loop;           /* NULL: the whole function */
};

struct function {
	const char *name;
	struct location location;
	bool is_static;
	int parameter_count, array_count, loop_count, statement_count, pragma_count, size_count;
	struct parameter *parameters;
	struct array **arrays;       /* parameters and locals, scalars too */
	struct loop **loops;
	struct statement **statements;
	struct pragma *pragmas;
	struct size **sizes;
	/* Sizes known at run time only: the parameters of domains and access maps, in this
	 * order.  CONTEXT: the values they may have together; NULL if there are none. */
	int symbolic_count;
	struct size *symbolic[SYMBOLIC_LIMIT];
	isl_set *context;
	const struct function *unbound;   /* of function_at: what it was made from; else NULL */
	const char *distributed;     /* nests that became several, "f.2 f.3", each by its name at that time; NULL: none did */
};

struct program {
	struct arena *arena;
	isl_ctx *ctx;
	const char *file;            /* name of the source file as given */
	int function_count, include_count, prototype_count, file_count, unused_count;
	const struct function **functions;
	const char **includes;       /* "<math.h>" ... as written, without stdint.h */
	struct prototype *prototypes;
	const char **files;          /* headers read by #include "...", for depfiles */
	const char **unused;         /* names that have a value by -D, and that the file has not */
};

/* The coefficient of symbolic size K. */
static inline long affine_size(struct affine affine, int k)
{
	return affine.sizes ? affine.sizes[k] : 0;
}

/* The value of an affine of no iterators where the symbolic sizes have VALUES. */
long affine_at_sizes(struct affine affine, const long *values);
/* The elements of ARRAY for the symbolic sizes VALUES; saturates. */
long array_elements_at(const struct array *array, const long *values);
/* Whether the symbolic sizes of FUNCTION may have VALUES. */
bool sizes_are_possible(const struct function *function, const long *values);
/* Whether the coefficient of some symbolic size is not 0. */
bool affine_is_symbolic(struct affine affine);

/* FUNCTION with its symbolic sizes bound to VALUES.  Arrays and loops are those of
 * FUNCTION itself, statements have the same indices.  NULL if a statement has no
 * instance there. */
struct function *function_at(struct arena *arena, const struct function *function,
	const long *values);
/* The first statement of FUNCTION that has no instance where the symbolic sizes have VALUES;
 * NULL: all have some. */
const struct statement *statement_without_instances(const struct function *function,
	const long *values);

/* The position of statement instances in the source's order: an isl map from
 * the domain to [p0, i0, p1, i1, ..., pd, 0...] with 2 * DEPTH + 1 coordinates,
 * padded with zeros, i negated where a loop runs down.  Caller frees. */
__isl_give isl_map *statement_order(const struct statement *statement, int depth);

/* {[i0..] -> [affine]} for the space of STATEMENT's domain.  Caller frees. */
__isl_give isl_aff *statement_affine(const struct statement *statement, struct affine affine);

/* The text form; print(parse(x)) == x.  program_parse returns NULL after errors. */
void program_print(FILE *out, const struct program *program);
struct program *program_parse(struct arena *arena, isl_ctx *ctx, struct diag *diag,
	const char *file, const char *text);
/* True if every invariant above holds; else prints what does not to stderr. */
bool program_verify(const struct program *program);

#endif
