#ifndef PASSES_EXPRESSIONS_H
#define PASSES_EXPRESSIONS_H

#include <isl/ast.h>

#include "passes/tiles/lowering.h"

/* isl's expressions as the plan's. */

struct binding;

/* The plan's values of what isl calls by a name, while one of its trees is translated. */
struct translation {
	struct lowering *lowering;
	struct binding *bindings;    /* the innermost first */
	bool failed;                 /* something has no form in a plan */
};

/* One in which the tile parameters and the sizes have their values. */
struct translation translation_begin(struct lowering *lowering);
/* NAME stands for VALUE, until bindings are what they were. */
void translation_bind(struct translation *translation, const char *name, struct plan_expr *value);
/* EXPR, or operand I of EXPR; anything where it has no form (failed). */
struct plan_expr *translate(struct translation *translation, __isl_take isl_ast_expr *expr);
struct plan_expr *translate_operand(struct translation *translation, __isl_keep isl_ast_expr *expr,
	int i);
/* The name that EXPR is, in ARENA. */
char *isl_name(__isl_keep isl_ast_expr *expr, struct arena *arena);

/* An isl expression over tile parameters as a plan's; NULL if it has no such form. */
struct plan_expr *translate_expr(struct lowering *lowering, __isl_take isl_ast_expr *expr);
/* VALUE, over parameters of the first DEPTH tile loops that are in PARAMS, as a plan's
 * expression; NULL likewise. */
struct plan_expr *expression_of(struct lowering *lowering, __isl_keep isl_set *params,
	int depth, __isl_take isl_pw_aff *value);

/* A point of a set: what its coordinates are in the plan. */
struct point {
	int rank;
	struct plan_expr *values[ARRAY_RANK_LIMIT];
};

/* As above; parameters x0, x1, ... are POINT's coordinates. */
struct plan_expr *translate_expr_at(struct lowering *lowering, __isl_take isl_ast_expr *expr,
	const struct point *point);
struct plan_expr *expression_at(struct lowering *lowering, __isl_keep isl_set *params,
	int depth, __isl_take isl_pw_aff *value, const struct point *point);

/* Conditions, NULL where they always hold: A and B; it never holds. */
struct plan_expr *both_hold(const struct lowering *lowering, struct plan_expr *a,
	struct plan_expr *b);
bool never_holds(const struct plan_expr *condition);
/* A (NULL: nothing yet) or B; not CONDITION. */
struct plan_expr *either_holds(const struct lowering *lowering, struct plan_expr *a,
	struct plan_expr *b);
struct plan_expr *does_not_hold(const struct lowering *lowering, struct plan_expr *condition);

/* A number of the nest as the symbolic sizes make it: VALUE where SIZES is NULL. */
struct plan_expr *sized(struct lowering *lowering, long value, isl_pw_aff *sizes);

#endif
