#ifndef IR_AST_BUILD_H
#define IR_AST_BUILD_H

#include <isl/aff.h>
#include <isl/ast_build.h>
#include <isl/set.h>
#include <isl/union_map.h>

/* isl's loops and expressions, asked for in the ways that isl 0.25 answers right, and soon. */

/* Loops over the instances of ORDER, which maps them to dates; their variables are NAMES,
 * or isl's own if that is NULL. */
__isl_give isl_ast_node *ast_of_order(__isl_take isl_set *context, __isl_take isl_id_list *names,
	__isl_take isl_union_map *order);

/* Whether the parameters are in SET, for those in CONTEXT. */
__isl_give isl_ast_expr *ast_of_set(__isl_take isl_set *context, __isl_take isl_set *set);

/* VALUE of the parameters, for those in CONTEXT. */
__isl_give isl_ast_expr *ast_of_value(__isl_take isl_set *context, __isl_take isl_pw_aff *value);

#endif
