#ifndef IR_AST_BUILD_H
#define IR_AST_BUILD_H

#include <isl/aff.h>
#include <isl/ast_build.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/space.h>
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

/* An option about all DIMS dimensions of dates that holds nowhere.  Where there is one isl shifts
 * no statements against each other, as it does those at 2 i and at 2 i + 1 for a loop without
 * tests.  It looks for such distances from one statement to each of the others alone, for the
 * parameters for which both run: with S0 at i = 3 or 4 if t = 1 and nowhere if t = 0, S1 at 4
 * and 3 then, and S1 and S2 at all i if t = 0, it takes S1 and S2 to be of one remainder by 2
 * each, and runs S2 at i + 1 before S1 (isl 0.25, generate_component). */
static inline __isl_give isl_union_map *option_without_shifts(isl_ctx *ctx, unsigned dims)
{
	isl_map *option = isl_map_universe(isl_space_alloc(ctx, 0, dims, 1));
	option = isl_map_set_tuple_name(option, isl_dim_out, "atomic");
	option = isl_map_fix_si(option, isl_dim_out, 0, -1);
	for (unsigned d = 0; d < dims; d++)
		option = isl_map_upper_bound_si(option, isl_dim_in, d, -1);
	return isl_union_map_from_map(option);
}

static inline isl_stat add_dims(__isl_take isl_map *map, void *user)
{
	*(unsigned *)user = (unsigned)isl_map_dim(map, isl_dim_out);
	isl_map_free(map);
	return isl_stat_ok;
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
	/* Of two statements either is the one that the other is compared with. */
	if (isl_union_map_n_map(order) > 2) {
		unsigned dims = 0;
		isl_union_map_foreach_map(order, add_dims, &dims);
		build = isl_ast_build_set_options(build, option_without_shifts(
			isl_union_map_get_ctx(order), dims));
	}
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
