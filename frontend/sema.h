#ifndef FRONTEND_SEMA_H
#define FRONTEND_SEMA_H

#include <isl/aff.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

#include "frontend/preprocess.h"
#include "ir/program_build.h"

/* From the tree to the program: inside of the front end. */

__extension__ typedef __int128 wide;

enum symbol_kind {
	SYMBOL_INDEX,                /* a size, a constant, or a local that is affine */
	SYMBOL_ITERATOR,
	SYMBOL_ARRAY,                /* scalars of data too */
	SYMBOL_FUNCTION,
	SYMBOL_BAD                   /* its declaration was wrong: no more is said of it */
};

/* What a name stands for, from its declaration to the end of its block. */
struct symbol {
	struct symbol *outer;        /* declared before */
	enum symbol_kind kind;
	const char *name;
	struct location location;
	struct type type;
	struct array *array;
	/* SYMBOL_ITERATOR: the place of its loop in the nest, -1 while it has none */
	int dim;
	/* SYMBOL_INDEX: its value at depth loops, between min and max */
	isl_pw_aff *value;           /* the arena's */
	const struct ast_expr *initial;  /* if it divides: as it was declared */
	int depth;
	wide min, max;
	struct expr *expr;           /* as a value of a statement */
	/* SYMBOL_FUNCTION */
	const struct ast_declarator *prototype;
	bool is_definition, was_called;
};

/* A set of names of one function, each with where it is declared: a block's `t` is not another one's. */
struct name_set {
	struct ast_list list;
};
#define NOWHERE ((struct location){ .file = NULL })    /* outside the function */

/* An integer that is known of as an affine, or nearly affine, function of the
 * iterators around it.  value: the holder's. */
struct index {
	isl_pw_aff *value;
	struct type type;
	wide min, max;               /* bounds, not always tight */
};

struct sema {
	struct arena *arena;
	isl_ctx *ctx;
	struct diag *diag;
	const struct preprocessor *preprocessor;
	const struct binding *bindings;
	int binding_count;
	bool *binding_was_used;
	struct program *program;
	size_t function_capacity, prototype_capacity;
	struct symbol *symbols;
	bool has_isl_failed;         /* or its sets have grown too large: stop */

	/* The function at hand. */
	struct function *function;
	size_t array_capacity, loop_capacity, statement_capacity, pragma_capacity, size_capacity;
	struct name_set assigned, iterators, indices, conditions;
	const struct visible *visible;   /* while these are collected (scope.c) */

	/* The place in it. */
	int depth;
	struct loop *loops[LOOP_DEPTH_LIMIT];
	wide min[LOOP_DEPTH_LIMIT], max[LOOP_DEPTH_LIMIT];
	isl_set *domain;             /* iterations that come here */
	bool returns_value;          /* the function that is lowered, which is an error */
	bool is_dead;                /* there are none */
	int *position;               /* of the next statement or loop in the innermost body */
	bool is_associative;         /* the next assignment, by pragma */
	const struct quotient *quotients;    /* that have loops around the assignment at hand */
	const struct ast_expr *guard;    /* what is assigned is only if this holds; NULL: always */

	/* How indices are looked at. */
	bool is_quiet;               /* nothing is reported */
	bool is_unchecked;           /* the range of the innermost iterator is not known yet */
	int expansions;              /* of locals that are looked at as they were declared */
	const char *use;             /* "the bound of the loop": what the index is for */
};

/* Scopes (scope.c). */
struct symbol *symbol_find(const struct sema *sema, const char *name);
/* A name like NAME that nothing in scope has. */
const char *symbol_free_name(const struct sema *sema, const char *name);
struct symbol *symbol_add(struct sema *sema, enum symbol_kind kind, const char *name,
	struct location at);
void name_set_add(struct arena *arena, struct name_set *names, const char *name,
	struct location at);
bool name_set_has(const struct name_set *names, const char *name, struct location at);
const struct binding *sema_binding(const struct sema *sema, const char *name);
/* Fills in the sets of names of a function. */
void sema_collect_names(struct sema *sema, const struct ast_function *function);

/* Constants and functions of the headers (headers.c). */
struct header_constant {
	const char *name;
	struct type type;
	long value;                  /* of an integer type */
	const char *header;
};
const struct header_constant *header_constant_find(const char *name);
struct header_function {
	struct type result, parameters[3];
	int parameter_count;
	const char *header;
};
bool header_function_find(const char *name, struct header_function *function);

/* Indices (index.c, index_range.c, index_affine.c).  Results are false or NULL after an error, reported unless
 * is_quiet. */
bool index_of(struct sema *sema, const struct ast_expr *ast, struct index *index);
bool index_convert(struct sema *sema, struct index *index, struct type type,
	const struct ast_expr *ast);
void index_free(struct index *index);
/* The iterations of the domain in which AST holds.  The caller's. */
isl_set *index_condition(struct sema *sema, const struct ast_expr *ast);
/* Its value, if INDEX is affine where the domain is. */
bool index_affine(struct sema *sema, const struct index *index, struct affine *affine);
bool index_constant(struct sema *sema, const struct ast_expr *ast, struct type *type,
	long *value);
bool index_is_constant(const struct index *index);
/* The first value of SYMBOL, a local that divides; NULL: none, or one that cannot be looked at here. */
const struct ast_expr *index_declared_as(const struct sema *sema, const struct symbol *symbol);
/* AFFINE on the iterators and sizes here; more dimensions of the domain have no part in it. */
isl_aff *index_aff(struct sema *sema, const struct affine *affine);
isl_pw_aff *index_iterator(struct sema *sema, int dim);
isl_pw_aff *index_number(struct sema *sema, wide value);
/* The value of a symbolic size, which is a parameter of the domain. */
isl_pw_aff *index_size(struct sema *sema, const struct size *size);
const char *wide_text(struct arena *arena, wide value);
/* Whether isl gave up, or the domain is of too many pieces; reports it once. */
bool sema_isl_failed(struct sema *sema, struct location at);

/* Assignments (store.c). */
void lower_assignment(struct sema *sema, const struct ast_expr *ast);
/* TARGET = VALUE, or TARGET OPERATOR= VALUE where OPERATOR is not NULL. */
void lower_store(struct sema *sema, struct location at, const struct ast_expr *target,
	const char *operator, const struct ast_expr *value);

/* The first value of the local TARGET. */
void lower_initial(struct sema *sema, const struct ast_expr *target, const struct ast_expr *value);
/* CONDITION ? FIRST : SECOND, as values assigned to TARGET. */
struct ast_expr *choice_of(struct sema *sema, const struct ast_expr *condition,
	const struct ast_expr *first, const struct ast_expr *second, const struct ast_expr *target);
/* The value that TARGET has after ASSIGNMENT: x + e for x += e. */
const struct ast_expr *assigned_value(struct sema *sema, const struct ast_expr *assignment);

/* Conditions on data (guard.c). */
bool guard_is_data(const struct sema *sema, const struct ast_expr *ast);
/* The conditions on data, or those on iterators and sizes alone, among the operands of the &&
 * that AST is; NULL: none. */
struct ast_expr *guard_part(struct sema *sema, const struct ast_expr *ast, bool on_data);
void lower_data_if(struct sema *sema, const struct ast_stmt *stmt);

/* Loops and conditions (loop.c). */
void lower_for(struct sema *sema, const struct ast_stmt *stmt);
void lower_if(struct sema *sema, const struct ast_stmt *stmt);
/* Lowers ASSIGNMENT inside one more loop, from MIN to MAX, with DOMAIN, one dimension more than here. */
void lower_in_loop(struct sema *sema, const char *name, __isl_take isl_set *domain, wide min,
	wide max, const struct ast_expr *assignment);

/* The loop STMT as one over blocks of its iterator and one within a block, if subscripts in it
 * divide the iterator by a constant, always the same (block.c); NULL: it may stay as it is, or
 * is none that can be cut so. */
const struct ast_stmt *loop_in_blocks(struct sema *sema, const struct ast_stmt *stmt);
/* Loops of one iteration over what an assignment divides (divide.c). */
/* A part of AST that is not affine though what it divides is.  NULL: none. */
const struct ast_expr *index_division(struct sema *sema, const struct ast_expr *ast);
/* Lowers ASSIGNMENT inside a loop over the quotient of DIVISION, which is in it and affine there. */
void lower_divided(struct sema *sema, const struct ast_expr *division,
	const struct ast_expr *assignment);
/* Writes INDEX, the value of AST, with an iterator that is the quotient in it, if there is one. */
bool index_use_quotient(struct sema *sema, const struct ast_expr *ast, struct index *index);

/* Warnings about the whole program, once it is there (uninitialized.c). */
void warn_uninitialized(struct sema *sema);

/* Declarations (declare.c). */
/* A name for VALUE of TYPE. */
struct symbol *declare_constant(struct sema *sema, const char *name, struct location at,
	struct type type, wide value);
/* NAME is no other one's since SCOPE began, or that is an error. */
void declare_check(struct sema *sema, const struct symbol *scope, const char *name,
	struct location at);
void lower_enum(struct sema *sema, const struct ast_stmt *stmt);
void declare_parameter(struct sema *sema, const struct ast_declarator *declarator);
void declare_local(struct sema *sema, const struct ast_declarator *declarator,
	const struct symbol *scope);
/* Adds a local to the function and the scope, under a name that no other has: returns it. */
const char *sema_add_local(struct sema *sema, struct ast_declarator *declarator);
/* The sizes are, from here on, such that the arrays declared by now have elements: C, too, has no
 * arrays without. */
void assume_elements(struct sema *sema);
/* Statements before the last declaration are for the sizes that those after it are for. */
void narrow_domains(struct sema *sema);

/* Statements and functions (sema.c). */
void lower_stmt(struct sema *sema, const struct ast_stmt *stmt);
struct program *sema_lower(struct arena *arena, isl_ctx *ctx, struct diag *diag,
	const struct preprocessor *preprocessor, const struct ast_file *file, const char *name,
	const struct binding *bindings, int binding_count);

#endif
