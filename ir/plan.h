#ifndef IR_PLAN_H
#define IR_PLAN_H

#include <stdbool.h>
#include <stdio.h>

#include "ir/arch.h"
#include "ir/flow.h"
#include "ir/program.h"

/* The plan: what the emitted C does, in order.  One plan a function.  Codegen
 * prints it and decides nothing; the evaluator (ir/plan_count.h) counts from it,
 * element by element, what its transfers move. */

struct plan_time;

enum plan_op {
	PLAN_CONST,                  /* value */
	PLAN_VAR,                    /* var */
	PLAN_ADD, PLAN_SUB, PLAN_MUL,
	PLAN_FLOORDIV,               /* rounds down; the second operand is a constant > 0 */
	PLAN_MOD,                    /* never negative; the second operand is a constant > 0 */
	PLAN_MIN, PLAN_MAX,
	PLAN_EQ, PLAN_LE, PLAN_AND, PLAN_OR, PLAN_NOT,   /* 0 or 1 */
	PLAN_SELECT                  /* operand 0 ? 1 : 2 */
};

/* An integer expression over the variables around it.  Immutable and shared
 * freely. */
struct plan_expr {
	enum plan_op op;
	long value;
	struct plan_var *var;
	struct plan_expr *operands[3];
};

/* A loop variable or a named value; NAME is unique in its plan and a C
 * identifier.  [min, max] are its least and largest value, for codegen's types
 * and for folding. */
struct plan_var {
	const char *name;
	long min, max;
	const struct size *size;     /* a symbolic size of the function; NULL: a variable */
};

/* Makers fold constants and identities, so equal plans print equal. */
struct plan_expr *plan_const(struct arena *arena, long value);
struct plan_expr *plan_ref(struct arena *arena, struct plan_var *var);
struct plan_expr *plan_make(struct arena *arena, enum plan_op op, struct plan_expr *a,
	struct plan_expr *b);
struct plan_expr *plan_select(struct arena *arena, struct plan_expr *condition,
	struct plan_expr *yes, struct plan_expr *no);
/* AFFINE of COUNT iterators that have VALUES, and of the symbolic sizes SIZES. */
struct plan_expr *plan_affine(struct arena *arena, struct affine affine, int count,
	struct plan_expr **values, struct plan_var *const *sizes);
bool plan_is_const(const struct plan_expr *expr, long *value);
/* The node as it is, nothing folded (for the parser); unused operands NULL. */
struct plan_expr *plan_raw(struct arena *arena, enum plan_op op, struct plan_expr *a,
	struct plan_expr *b, struct plan_expr *c);
int plan_operand_count(enum plan_op op);
/* True if A and B are written alike. */
bool plan_equal(const struct plan_expr *a, const struct plan_expr *b);
/* One is "not" the other. */
bool plan_are_opposite(const struct plan_expr *a, const struct plan_expr *b);
/* The value of OP for operand values (as many as it has); saturates. */
long plan_apply(enum plan_op op, long a, long b, long c);
/* Rounds down; B > 0. */
long plan_floor_div(long a, long b);
/* Least and largest value over the ranges of the variables (not tight). */
void plan_range(const struct plan_expr *expr, long *min, long *max);

/* One dimension of a buffer, as the elements of its array's dimension map to it.
 * Only elements x with x = phase (mod stride) are held; the lattice coordinate of
 * x is y = (x - phase) / stride.  It is stored at y - origin, or at y modulo
 * modulus where modulus > 0 (a ring, for windows that slide). */
struct plan_dim {
	long extent;                 /* of the buffer */
	long stride, phase;          /* stride >= 1, 0 <= phase < stride */
	struct plan_expr *origin;    /* in lattice units; NULL where modulus > 0 */
	long modulus;
};

/* A buffer that holds regions of ARRAY: in a memory on chip, in the registers of processing elements (a slot for each of
 * them), or on the network between the two, for a word on its way. */
enum plan_home { IN_SCRATCHPAD, IN_REGISTERS, ON_NETWORK };

struct plan_buffer {
	int index;
	enum plan_home home;
	int memory;                  /* of the machine's, that it lies in; 0 elsewhere */
	const char *name;            /* a C identifier, unique: "I_0" */
	const struct array *array;
	int rank;                    /* of the array */
	struct plan_dim dims[ARRAY_RANK_LIMIT];
	long slots;                  /* copies of the region, >= 1 */
	struct plan_expr *slot;      /* which is in use, 0 .. slots - 1; NULL if slots == 1 */
	long offset_bytes, bytes;    /* place in its memory, 0 elsewhere; all slots */
	int bank, bank_count;        /* exclusive banks; else -1, 0 */
	bool is_double;              /* half of the slots are there to overlap transfers; of registers and networks: words come
	                              * while elements compute with others */
};

enum plan_kind { PLAN_BLOCK, PLAN_LOOP, PLAN_LET, PLAN_IF, PLAN_TRANSFER, PLAN_WAIT, PLAN_COMPUTE, PLAN_MOVE, PLAN_STEP };
enum plan_loop_kind { LOOP_TILE, LOOP_POINT, LOOP_TRANSFER, LOOP_ELEMENT };

/* A region on its way: count[d] lattice elements of dimension d of the buffer's
 * array, from lattice coordinate first[d].  In the buffer they lie at the place
 * the buffer's dims give them (a lowering never lets a transfer wrap in a ring).
 * slot overrides the buffer's slot (prefetch); NULL: as the buffer says.
 * A transfer with a count <= 0 moves nothing and is not started. */
struct plan_transfer {
	bool is_put;
	struct plan_buffer *buffer;
	int tag;
	struct plan_expr *first[ARRAY_RANK_LIMIT], *count[ARRAY_RANK_LIMIT];
	struct plan_expr *local[ARRAY_RANK_LIMIT];   /* buffer coordinate of the first element */
	struct plan_expr *slot;
	/* While a plan is made: where a window may wrap in its ring, what this transfer and the
	 * one after it have together of dimension ring_dim; the other is a rest. */
	struct plan_expr *ring_count;
	int ring_dim;
	bool is_rest;
};

/* A word of an array goes from one of its buffers to another, one of which at least is not in the scratchpad; or is added to
 * what is there.  At these coordinates of the buffers, in these slots (NULL where there is one). */
struct plan_move {
	struct plan_buffer *from, *to;           /* FROM NULL: the word is 0 */
	bool adds;
	struct plan_expr *from_at[ARRAY_RANK_LIMIT], *to_at[ARRAY_RANK_LIMIT];
	struct plan_expr *from_slot, *to_slot;
};

struct plan_node {
	enum plan_kind kind;
	/* PLAN_BLOCK */
	int child_count;
	size_t child_capacity;
	struct plan_node **children;
	/* PLAN_LOOP: var = lower, lower + step, ... <= upper.  PLAN_LET: var = lower */
	enum plan_loop_kind loop;
	struct plan_var *var;
	struct plan_expr *lower, *upper;
	long step;                   /* > 0 */
	/* PLAN_IF */
	struct plan_expr *condition;
	/* PLAN_LOOP, PLAN_LET (the scope of var), PLAN_IF: a block.  PLAN_STEP: what processing elements compute at the same
	 * time, one after the other in loops of the kind LOOP_ELEMENT, the only ones of it */
	struct plan_node *body;
	struct plan_transfer transfer;
	struct plan_move *move;      /* PLAN_MOVE */
	unsigned tags;               /* PLAN_WAIT: mask, bit t = tag t */
	/* PLAN_COMPUTE: one instance of STATEMENT; values[i] of its iterators.
	 * buffers[a]: where access a finds its element; NULL for a scalar kept in the
	 * core (a C variable). */
	const struct statement *statement;
	struct plan_expr **values;
	struct plan_buffer **buffers;
};

/* Words of an array that processing elements move: read from and written to the scratchpad, to and from single elements,
 * added to a neighbour's.  What PLAN_MOVE counts as is for words_of_move to say. */
enum plan_word { WORD_READ, WORD_WRITTEN, WORD_DELIVERED, WORD_REDUCED, PLAN_WORDS };
void words_of_move(const struct plan_move *move, bool counts[PLAN_WORDS]);

struct plan_words {
	const struct array *array;
	int memory;                              /* of the machine's, where the array's buffer is */
	long words[PLAN_WORDS];
};

/* WORDS are of an array that bypasses the memories on chip of ARCH. */
bool plan_words_bypass(const struct arch *arch, const struct plan_words *words);

/* What a nest makes of an array of processing elements. */
struct plan_array {
	long elements, steps, cycles;            /* that have work; cycles: iterations of the busiest, step by step */
	long register_bytes;                     /* of one element */
	long role_bytes[ROLE_COUNT];             /* of these what each role has, where the machine splits them */
	long bound_words;                        /* no mapping reads and writes fewer together; 0: not known */
	const char *bound_argument;
	int iteration_macs;                      /* multiply-accumulates of each iteration; 0: not the same in all */
	int count;
	struct plan_words *words;                /* by array of the nest */
};

/* Bytes that ELEMENTS of ARCH read from memories on chip and write to them. */
double plan_array_bytes(const struct arch *arch, const struct plan_array *elements);

/* What is predicted for an array, of one nest or of the whole plan, in bytes. */
struct plan_traffic {
	const struct array *array;
	struct flow flow;            /* of an entry of a nest bytes alone; plan_count has commands */
	/* With symbolic sizes: the same as C expressions of them (the numbers are for what
	 * they are tuned for); NULL: not known. */
	const char *read_formula, *write_formula;
};

/* One nest of the function: what was chosen for it and why it is good. */
struct plan_nest {
	const char *name;            /* the function's, with .N where it has several nests */
	struct location location;
	const char *schedule;        /* as --schedule reads it, a line for each fact */
	int first_source, source_count;  /* nests of the source that it does; 0: a plan that was read */
	struct plan_node *body;      /* a block */
	struct plan_node *inner;     /* while it is built: inside the loops around its parts */
	int traffic_count;
	struct plan_traffic *traffic;
	long compulsory_bytes, lower_bound_bytes;
	const char *lower_bound_argument;
	double priced_bound;         /* at the prices that it was searched for nothing costs less; 0: not known */
	long macs;                   /* multiply-accumulates (ir/macs.h) that run; -1: not known */
	/* What moves between a register file and the scratchpad, for energy (passes/studies/registers.h);
	 * if nothing does, operands come from the scratchpad. */
	enum { REGISTERS_UNKNOWN, REGISTERS_USED, REGISTERS_UNUSED } register_use;
	long register_traffic_bytes;
	long scratchpad_used_bytes;  /* of all memories together */
	long memory_used_bytes[MEMORY_LIMIT];   /* how far it reaches into each: whole banks, or multiples of
	                              * the alignment */
	bool optimal;
	long bound_bytes;            /* no schedule of the space is below this */
	long points;                 /* evaluated by the search */
	double seconds;              /* of processor time, of the search; never printed into emitted
	                              * code or IR */
	bool is_double;              /* double buffered */
	struct plan_array *elements; /* NULL: a single core computes it */
	/* While it is built: */
	double commands, cycles, computing_price;    /* where parts of a function are chosen by these (passes/fusion/part_cost.h); else 0 */
	bool has_forms;              /* its regions have closed forms */
	bool streams_results;        /* a group: something that it makes is on chip for its stage alone */
	/* Scratchpad in which nothing else is found in the forms that it could have whose regions a model
	 * only bounds; 0: there are none; LONG_MAX: not known. */
	long bounded_bytes;
};

/* What holds for the function as a whole, whatever is made of its nests. */
struct plan_bounds {
	long compulsory_bytes, lower_bound_bytes;    /* -1: not known */
	const char *lower_bound_argument;
	bool optimal;                /* nothing in the space moves less, all choices together */
	long bound_bytes;            /* no choice of the space is below this; as lower_bound_bytes, if nothing more
	                              * is known */
};

enum { WORKSPACE_ALIGNMENT = 64 };   /* of each array there, bytes */

/* What --objective asks for, where that is not traffic alone, of a plan that was made for it. */
struct plan_asked {
	const char *name;            /* NULL: traffic */
	double value, bound;         /* NAN: not known; nothing less is possible than BOUND, */
	bool is_of_space;            /* or nothing in the space that is searched */
	const char *why_unknown;     /* why VALUE is not known, if it is not */
};

struct plan {
	struct arena *arena;
	const struct program *program;
	const struct function *function;
	const struct function *written;  /* whose nests NESTS are made of: the source's function, or that with nests
	                              * distributed (passes/analysis/distribute.h); NULL: a plan that was read */
	const struct arch *arch;
	int nest_count, buffer_count;
	struct plan_nest *nests;
	struct plan_bounds bounds;
	struct plan_buffer **buffers;
	struct plan_name *names;     /* while it is built (plan_names.h) */
	struct plan_var *sizes[SYMBOLIC_LIMIT];   /* of function.symbolic: known everywhere */
	/* Arrays that live in external memory but are locals of the source: their
	 * place in the workspace that the emitted function takes, bytes; -1 for all
	 * others.  [function.array_count] */
	long *workspace_offset;
	long workspace_bytes;
	struct plan_asked asked;
	const struct plan_time *times;   /* [nest_count]: ir/plan_time.h, once asked for; NULL: not known */
	bool knows_times;            /* they were asked for */
};

/* Sets USED [buffer's index] of all buffers that a transfer or a statement in NODE touches. */
void plan_mark_buffers(const struct plan_node *node, bool *used);

/* NEST uses BYTES of memory M, or more. */
void plan_nest_use_memory(struct plan_nest *nest, int m, long bytes);

/* Takes the transfers of ARRAY out of NODE, and the waits, loops and blocks that have
 * nothing left to wait for or to hold. */
void plan_drop_transfers(struct plan_node *node, const struct array *array);

/* What all arrays of NEST move, bytes. */
long plan_nest_bytes(const struct plan_nest *nest);
/* What ARRAY moves of that. */
long plan_nest_moves(const struct plan_nest *nest, const struct array *array);
/* What all nests move; LONG_MAX if a long does not hold it. */
long plan_bytes(const struct plan *plan);
/* Nests of the source that it does. */
int plan_source_nests(const struct plan *plan);
/* Those of a function that is NEST alone. */
struct plan_bounds plan_bounds_of_nest(const struct plan_nest *nest);
/* The function's bounds say what those of its nests do not. */
bool plan_has_own_bounds(const struct plan *plan);

/* Fills in plan.sizes for its function. */
void plan_make_sizes(struct plan *plan);
/* Where array A (by index) begins in the workspace for the symbolic sizes SIZES; for A =
 * function.array_count the bytes of all of it. */
long plan_workspace_at(const struct plan *plan, const long *sizes, int a);
struct plan_node *plan_block(struct arena *arena);
void plan_append(struct arena *arena, struct plan_node *block, struct plan_node *node);
struct plan_node *plan_loop(struct arena *arena, enum plan_loop_kind kind, struct plan_var *var,
	struct plan_expr *lower, struct plan_expr *upper, long step);
struct plan_node *plan_let(struct arena *arena, struct plan_var *var, struct plan_expr *value);
struct plan_node *plan_if(struct arena *arena, struct plan_expr *condition);
struct plan_node *plan_step(struct arena *arena);
struct plan_node *plan_wait(struct arena *arena, unsigned tags);
/* The region (first, count, local, slot) is the caller's to fill. */
struct plan_node *plan_transfer(struct arena *arena, bool is_put, struct plan_buffer *buffer,
	int tag);
/* What moves is the caller's to fill. */
struct plan_node *plan_move(struct arena *arena);
/* Room for the values and buffers, which are the caller's to fill. */
struct plan_node *plan_compute(struct arena *arena, const struct statement *statement);

/* Text form; print(parse(x)) == x.  The program it belongs to is printed first,
 * so a .plan file stands alone.  NULL after errors, which DIAG has. */
void plan_print(FILE *out, const struct plan *plan);
struct plan *plan_parse(struct arena *arena, isl_ctx *ctx, struct diag *diag,
	const char *file, const char *text);
/* As above, of all plans of one program: it is printed once. */
void plans_print(FILE *out, const struct plan *const *plans, int count);
struct plan **plans_parse(struct arena *arena, isl_ctx *ctx, struct diag *diag, const char *file,
	const char *text, int *count);
/* Without the program.  LINE: where TEXT begins in FILE, for messages. */
void plan_print_alone(FILE *out, const struct plan *plan);
struct plan **plans_parse_alone(struct arena *arena, struct diag *diag, const char *file,
	const char *text, int line, const struct program *program, int *count);
void plan_expr_print(FILE *out, const struct plan_expr *expr);
/* True if every invariant holds: variables in scope, tags waited for, regions
 * inside array and buffer, buffers inside the scratchpad and apart.  Else prints
 * what does not to stderr. */
bool plan_verify(const struct plan *plan);

#endif
