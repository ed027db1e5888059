/* isl's loops and expressions, asked for in the ways that isl 0.25 answers right, and soon. */

#include "ir/ast_build.h"

#include <stdbool.h>

#include <isl/id.h>
#include <isl/map.h>
#include <isl/space.h>
#include <isl/val.h>

/* A context has the parameters of what is asked for in it, in one order.
 * Where a guard takes a remainder, isl 0.25 looks in the context for a value known not to be
 * negative, and compares coefficients by position: in the context [N, t] -> { : N >= 1 },
 * a loop that needs (t + 2) mod 3 >= 1 of an order over [t, N] gets (N - 1) % 3 >= 1. */

static __isl_give isl_ast_build *ast_build_in(__isl_take isl_set *context,
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
static __isl_give isl_union_map *option_without_shifts(isl_ctx *ctx, unsigned dims)
{
	isl_map *option = isl_map_universe(isl_space_alloc(ctx, 0, dims, 1));
	option = isl_map_set_tuple_name(option, isl_dim_out, "atomic");
	option = isl_map_fix_si(option, isl_dim_out, 0, -1);
	for (unsigned d = 0; d < dims; d++)
		option = isl_map_upper_bound_si(option, isl_dim_in, d, -1);
	return isl_union_map_from_map(option);
}

/* All instances have one date in dimension D of MAPS. */
static bool is_common(__isl_keep isl_map_list *maps, unsigned d)
{
	isl_val *common = NULL;
	bool is = true;
	for (int i = 0; i < isl_map_list_n_map(maps) && is; i++) {
		isl_map *map = isl_map_list_get_map(maps, i);
		isl_val *date = isl_map_plain_get_val_if_fixed(map, isl_dim_out, d);
		isl_map_free(map);
		is = isl_val_is_int(date) == isl_bool_true
			&& (!common || isl_val_eq(date, common) == isl_bool_true);
		isl_val_free(common);
		common = date;
	}
	isl_val_free(common);
	return is;
}

/* MAPS and the NAMES of their dates without the dimensions that say nothing, as they are one date for
 * all instances.  There is no loop for them, but isl works long to say so.  The first
 * dimension is left: isl puts conditions there. */
static __isl_give isl_map_list *drop_common(__isl_take isl_map_list *maps, isl_id_list **names,
	unsigned *dims)
{
	for (unsigned d = *dims; d-- > 1;) {
		if (!is_common(maps, d))
			continue;
		for (int i = 0; i < isl_map_list_n_map(maps); i++)
			maps = isl_map_list_set_map(maps, i, isl_map_project_out(
				isl_map_list_get_map(maps, i), isl_dim_out, d, 1));
		if (*names)
			*names = isl_id_list_drop(*names, d, 1);
		--*dims;
	}
	return maps;
}

/* ORDER without the dates that say nothing, in *DIMS dimensions. */
static __isl_give isl_union_map *simple_order(__isl_take isl_union_map *order, isl_id_list **names,
	unsigned *dims)
{
	isl_map_list *maps = isl_union_map_get_map_list(order);
	*dims = 0;
	if (isl_map_list_n_map(maps) < 1) {      /* nothing runs, or an error */
		isl_map_list_free(maps);
		return order;
	}
	isl_union_map *simple = isl_union_map_empty(isl_union_map_get_space(order));
	isl_map *first = isl_map_list_get_map(maps, 0);
	*dims = (unsigned)isl_map_dim(first, isl_dim_out);
	isl_map_free(first);
	maps = drop_common(maps, names, dims);
	for (int i = 0; i < isl_map_list_n_map(maps); i++)
		simple = isl_union_map_add_map(simple, isl_map_list_get_map(maps, i));
	isl_map_list_free(maps);
	isl_union_map_free(order);
	return simple;
}

__isl_give isl_ast_node *ast_of_order(__isl_take isl_set *context,
	__isl_take isl_id_list *names, __isl_take isl_union_map *order)
{
	unsigned dims;
	order = isl_union_map_align_params(order, isl_set_get_space(context));
	order = simple_order(order, &names, &dims);
	isl_ast_build *build = ast_build_in(context, isl_union_map_get_space(order));
	if (names)
		build = isl_ast_build_set_iterators(build, names);
	/* Of two statements either is the one that the other is compared with. */
	if (isl_union_map_n_map(order) > 2)
		build = isl_ast_build_set_options(build, option_without_shifts(
			isl_union_map_get_ctx(order), dims));
	isl_ast_node *node = isl_ast_build_node_from_schedule_map(build, order);
	isl_ast_build_free(build);
	return node;
}

__isl_give isl_ast_expr *ast_of_set(__isl_take isl_set *context, __isl_take isl_set *set)
{
	set = isl_set_align_params(set, isl_set_get_space(context));
	isl_ast_build *build = ast_build_in(context, isl_set_get_space(set));
	isl_ast_expr *expr = isl_ast_build_expr_from_set(build, set);
	isl_ast_build_free(build);
	return expr;
}

__isl_give isl_ast_expr *ast_of_value(__isl_take isl_set *context, __isl_take isl_pw_aff *value)
{
	value = isl_pw_aff_align_params(value, isl_set_get_space(context));
	isl_ast_build *build = ast_build_in(context, isl_pw_aff_get_domain_space(value));
	isl_ast_expr *expr = isl_ast_build_expr_from_pw_aff(build, value);
	isl_ast_build_free(build);
	return expr;
}
