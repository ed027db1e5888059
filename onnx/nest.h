#ifndef ONNX_NEST_H
#define ONNX_NEST_H

#include <stdbool.h>

#include "onnx/type.h"

/* What operators become: nests of loops over the elements of values.  A nest is printed
 * as C, or run here and now where all that it reads is constant. */

struct value;
struct node;

/* Loops of one nest, too: more end the program with a message. */
enum { TERM_LIMIT = 32 };

/* constant + sum of factor * loop. */
struct index {
	int64_t constant;
	int count;
	struct term {
		int loop;
		int64_t factor;
	} terms[TERM_LIMIT];
};

struct index index_constant(int64_t constant);
/* LOOP of -1 is one that does not exist, as its extent is 1: it counts as 0. */
struct index index_loop(int loop);
struct index index_sum(struct index a, struct index b);
struct index index_scaled(struct index a, int64_t factor);
struct index index_plus(struct index a, int64_t constant);

enum expression_kind {
	EXPRESSION_INTEGER, EXPRESSION_NUMBER,
	EXPRESSION_INDEX,        /* the value of an affine expression of loops */
	EXPRESSION_READ,         /* an element of a value */
	EXPRESSION_LOCAL,        /* a scalar of the nest */
	EXPRESSION_CALL,         /* of a function of <math.h> */
	EXPRESSION_BINARY, EXPRESSION_NEGATE, EXPRESSION_NOT,
	EXPRESSION_CAST,
	EXPRESSION_CHOOSE        /* arguments[0] ? [1] : [2] */
};

enum binary { ADD, SUBTRACT, MULTIPLY, DIVIDE, REMAINDER, SHIFT_LEFT, SHIFT_RIGHT,
	BIT_AND,
	LESS, GREATER, LESS_EQUAL, GREATER_EQUAL, EQUAL, UNEQUAL, AND, OR, BINARY_COUNT };

struct expression {
	enum expression_kind kind;
	enum type type;          /* in C: int8 + int8 is int32 */
	int64_t integer;         /* or the number of the local */
	double number;
	enum binary binary;
	const char *function;
	struct value *value;
	struct index *subscripts;   /* one for each dimension of the value */
	struct expression *arguments[3];
};

enum statement_kind { STATEMENT_LOOP, STATEMENT_IF, STATEMENT_ASSIGN, STATEMENT_LOCAL };

struct block {
	struct statement *first, *last;
};

/* LOW <= index <= HIGH. */
struct condition {
	struct index index;
	int64_t low, high;
};

struct statement {
	enum statement_kind kind;
	struct statement *next;
	int loop;                        /* LOOP */
	struct condition *conditions;    /* IF: all of them */
	int condition_count;
	struct block body, otherwise;    /* LOOP, IF */
	/* ASSIGN: TARGET is a READ or a LOCAL.  LOCAL: declares it, with EXPRESSION as its first
	 * value unless NULL. */
	struct expression *target, *expression;
	bool is_update;                  /* target += expression, for BINARY ADD and so on */
	enum binary update;
};

struct loop {
	const char *name;
	int64_t extent;
	/* Replaced by loops of its own, outermost first, when an array's shape asks for it. */
	int split_count;
	int split[RANK_LIMIT];
};

struct local {
	const char *name;
	enum type type;
};

struct nest {
	struct arena *arena;
	struct node *node;               /* whose operator it is; the last one, of several */
	const char *comment;             /* a line for each node in it */
	struct value *result;            /* what its elements go to */
	struct loop *loops;
	size_t loop_count, loop_capacity;
	struct local *locals;
	size_t local_count, local_capacity;
	struct block block;              /* all of it */
	/* Where an elementwise operator can go on: what is at the end of `tail` is run once for each
	 * element of the result, whose subscripts these loops are (-1 where the extent is 1).  NULL:
	 * it cannot. */
	struct block *tail;
	int axes[RANK_LIMIT];
	int operand_count;               /* of all operators in it: a nest that is too long is ended */
	bool is_pointwise;               /* equal elements read make equal elements */
	/* Its elements are those of `scaled` times `scale` plus `shift`, constants of a channel. */
	struct value *scaled;
	const struct tensor *scale, *shift;
	struct nest *next;
};

/* What is said above the loops of a node: its name, operator and shapes. */
const char *nest_comment(struct arena *arena, const struct node *node, const struct value *result);
struct nest *nest_new(struct arena *arena, struct node *node, struct value *result);
/* A loop of EXTENT; -1 if that is 1. */
int nest_loop(struct nest *nest, const char *name, int64_t extent);
int nest_local(struct nest *nest, const char *name, enum type type);

/* Statements at the end of a block.  The loop's body is returned, BLOCK itself for loop -1. */
struct block *add_loop(struct nest *nest, struct block *block, int loop);
/* BLOCK itself where the conditions always hold: those that do are left out. */
struct block *add_if(struct nest *nest, struct block *block, const struct condition *conditions, int count);
struct statement *add_assign(struct nest *nest, struct block *block, struct expression *target,
	struct expression *expression);
struct statement *add_update(struct nest *nest, struct block *block, struct expression *target,
	enum binary update, struct expression *expression);
/* Declares a new local and returns it. */
struct expression *add_local(struct nest *nest, struct block *block, const char *name, enum type type,
	struct expression *first);

struct expression *expression_integer(struct arena *arena, enum type type, int64_t integer);
struct expression *expression_number(struct arena *arena, enum type type, double number);
struct expression *expression_index(struct arena *arena, struct index index);
struct expression *expression_read(struct arena *arena, struct value *value, const struct index *subscripts);
struct expression *expression_local(struct nest *nest, int local);
/* FUNCTION without its f: "exp" is expf for floats. */
struct expression *expression_call(struct arena *arena, enum type type, const char *function,
	struct expression *a, struct expression *b);
struct expression *expression_binary(struct arena *arena, enum binary binary, struct expression *a,
	struct expression *b);
struct expression *expression_unary(struct arena *arena, enum expression_kind kind, struct expression *a);
/* A itself if it has the type. */
struct expression *expression_cast(struct arena *arena, enum type type, struct expression *a);
struct expression *expression_choose(struct arena *arena, struct expression *condition,
	struct expression *a, struct expression *b);

/* How often EXPRESSION reads VALUE. */
int expression_reads(const struct expression *expression, const struct value *value);
/* EXPRESSION with NEW in the place of each element of VALUE that it reads. */
struct expression *expression_substitute(struct arena *arena, struct expression *expression,
	const struct value *value, struct expression *replacement);
/* The same in all of a block, targets too; the nest's elements of VALUE are all those at its axes. */
void block_substitute(struct arena *arena, struct block *block, const struct value *value,
	struct expression *replacement);

/* Calls VISIT for every element read or written by the block. */
void block_visit(struct block *block, void (*visit)(struct expression *access, bool is_written, void *user),
	void *user);

/* Least and greatest value of an index in its loops. */
void index_range(const struct nest *nest, const struct index *index, int64_t *low, int64_t *high);

/* Runs the nest: everything it reads has a constant, and RESULT gets one.  False if that would
 * take too long. */
bool nest_evaluate(struct arena *arena, struct nest *nest);

#endif
