#ifndef IR_AST_BUILD_H
#define IR_AST_BUILD_H

#include <isl/aff.h>
#include <isl/ast_build.h>
#include <isl/set.h>
#include <isl/union_map.h>

/* isl's loops and expressions, asked for with the parameters of both sides in one order.
 * Where a guard takes a remainder, isl 0.25 looks in the context for a value known not to be
 * negative, and compares coefficients by position: in the context [N, t] -> { : N >= 1 },
 * a loop that needs (t + 2) mod 3 >= 1 of an order over [t, N] gets (N - 1) % 3 >= 1. */

static inline __isl_give isl_ast_build *ast_build_in(__isl_take isl_set *context,
	__isl_take isl_space *space)
{
	return isl_ast_build_from_context(isl_set_align_params(context, space));
}

/* Loops over the instances of ORDER, which maps them to dates; their variables are NAMES,
 * or isl's own if that is NULL. */
static inline __isl_give isl_ast_node *ast_of_order(__isl_take isl_set *context,
	__isl_take isl_id_list *names, __isl_take isl_union_map *order)
{
	order = isl_union_map_align_params(order, isl_set_get_space(context));
	isl_ast_build *build = ast_build_in(context, isl_union_map_get_space(order));
	if (names)
		build = isl_ast_build_set_iterators(build, names);
	isl_ast_node *node = isl_ast_build_node_from_schedule_map(build, order);
	isl_ast_build_free(build);
	return node;
}

/* Whether the parameters are in SET, for those in CONTEXT. */
static inline __isl_give isl_ast_expr *ast_of_set(__isl_take isl_set *context,
	__isl_take isl_set *set)
{
	set = isl_set_align_params(set, isl_set_get_space(context));
	isl_ast_build *build = ast_build_in(context, isl_set_get_space(set));
	isl_ast_expr *expr = isl_ast_build_expr_from_set(build, set);
	isl_ast_build_free(build);
	return expr;
}

/* VALUE of the parameters, for those in CONTEXT. */
static inline __isl_give isl_ast_expr *ast_of_value(__isl_take isl_set *context,
	__isl_take isl_pw_aff *value)
{
	value = isl_pw_aff_align_params(value, isl_set_get_space(context));
	isl_ast_build *build = ast_build_in(context, isl_pw_aff_get_domain_space(value));
	isl_ast_expr *expr = isl_ast_build_expr_from_pw_aff(build, value);
	isl_ast_build_free(build);
	return expr;
}

#endif
