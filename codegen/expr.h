#ifndef CODEGEN_EXPR_H
#define CODEGEN_EXPR_H

#include "codegen/names.h"

/* C's precedences, from loose to tight. */
enum precedence {
	TEXT_CONDITIONAL, TEXT_OR, TEXT_AND, TEXT_BIT_OR, TEXT_BIT_XOR, TEXT_BIT_AND,
	TEXT_EQUALITY, TEXT_RELATION, TEXT_SHIFT, TEXT_SUM, TEXT_PRODUCT, TEXT_UNARY, TEXT_CAST,
	TEXT_PRIMARY
};

/* A C expression. */
struct text {
	const char *c;
	enum precedence precedence;
};

/* Prints expressions of one function of the emitted file. */
struct printer {
	struct arena *arena;         /* of the texts */
	struct names names;          /* variables, buffers and scalars of the function */
	const struct plan *plan;
	/* Helper functions that the texts call: [0] 32 bits wide, [1] 64. */
	bool uses_min[2], uses_max[2];
	const struct ring *rings;    /* remainders that have variables here (ring.h) */
};

/* TEXT, in parentheses if it binds looser than LEAST. */
const char *text_at(struct printer *printer, struct text text, enum precedence least);

/* An expression of the plan is computed in int32_t if everything in it fits, else
 * in int64_t ("wide"); so are variables. */
bool expr_is_wide(const struct plan_expr *expr);
bool var_is_wide(const struct plan_var *var);
struct text index_text(struct printer *printer, const struct plan_expr *expr);
/* As above, of the C type int64_t if WIDE, else int32_t. */
struct text index_text_as(struct printer *printer, const struct plan_expr *expr, bool wide);

/* The value of AFFINE, of the compute node's iterators. */
struct plan_expr *affine_value(struct printer *printer, const struct plan_node *node,
	struct affine affine);
/* Where, in dimension D of its buffer, access ACCESS of the compute node lies. */
struct plan_expr *access_coordinate(struct printer *printer, const struct plan_node *node,
	int access, int d);
/* The element that access ACCESS of the compute node names, in its buffer or as
 * a variable of the core. */
struct text access_text(struct printer *printer, const struct plan_node *node, int access);
/* The assignment of the compute node, without the semicolon.  Every conversion of
 * the source that could change a value is spelled as a cast. */
const char *assignment_text(struct printer *printer, const struct plan_node *node);

#endif
