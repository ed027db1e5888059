/* isl's loops become the plan's. */

#include "passes/tiles/loops.h"

#include <isl/ast.h>
#include <isl/id.h>
#include <isl/union_map.h>

#include "ir/ast_memo.h"
#include "ir/program_build.h"
#include "passes/tiles/instances.h"

struct walk {
	struct translation *translation;
	enum plan_loop_kind kind;
	tree_leaf *leaf;
	void *user;
};

static void tree(const struct walk *walk, __isl_take isl_ast_node *node,
	struct plan_node *block);

static struct plan_expr *upper_bound(struct translation *translation,
	__isl_take isl_ast_expr *condition)
{
	struct arena *arena = translation->lowering->compilation->arena;
	bool strict = isl_ast_expr_get_op_type(condition) == isl_ast_op_lt;
	translation->failed |= !strict && isl_ast_expr_get_op_type(condition) != isl_ast_op_le;
	struct plan_expr *bound = translate_operand(translation, condition, 1);
	isl_ast_expr_free(condition);
	return strict ? plan_make(arena, PLAN_SUB, bound, plan_const(arena, 1)) : bound;
}

static void loop_node(const struct walk *walk, __isl_keep isl_ast_node *node,
	struct plan_node *block)
{
	struct translation *translation = walk->translation;
	struct lowering *lowering = translation->lowering;
	struct arena *arena = lowering->compilation->arena;
	isl_ast_expr *iterator = isl_ast_node_for_get_iterator(node);
	const char *name = isl_name(iterator, arena);
	isl_ast_expr_free(iterator);
	struct plan_expr *lower = translate(translation, isl_ast_node_for_get_init(node));
	struct binding *outer = translation->bindings;
	if (isl_ast_node_for_is_degenerate(node) == isl_bool_true) {
		translation_bind(translation, name, lower);
		tree(walk, isl_ast_node_for_get_body(node), block);
	} else {
		struct plan_expr *upper = upper_bound(translation, isl_ast_node_for_get_cond(node));
		struct plan_expr *step = translate(translation, isl_ast_node_for_get_inc(node));
		long stride = 1, min, max, ignored;
		translation->failed |= !plan_is_const(step, &stride);
		plan_range(lower, &min, &ignored);
		plan_range(upper, &ignored, &max);
		struct plan_var *var = new_var(lowering, name, min, max < min ? min : max);
		struct plan_node *loop = plan_loop(arena, walk->kind,
			var, lower, upper, stride);
		plan_append(arena, block, loop);
		translation_bind(translation, name, plan_ref(arena, var));
		tree(walk, isl_ast_node_for_get_body(node), loop->body);
	}
	translation->bindings = outer;
}

static void if_node(const struct walk *walk, __isl_keep isl_ast_node *node,
	struct plan_node *block)
{
	struct arena *arena = walk->translation->lowering->compilation->arena;
	struct plan_expr *condition = translate(walk->translation, isl_ast_node_if_get_cond(node));
	struct plan_node *yes = plan_if(arena, condition);
	plan_append(arena, block, yes);
	tree(walk, isl_ast_node_if_get_then(node), yes->body);
	if (isl_ast_node_if_has_else(node) == isl_bool_true) {
		struct plan_node *no = plan_if(arena, plan_make(arena, PLAN_NOT, condition, NULL));
		plan_append(arena, block, no);
		tree(walk, isl_ast_node_if_get_else(node), no->body);
	}
}

static void tree(const struct walk *walk, __isl_take isl_ast_node *node,
	struct plan_node *block)
{
	switch (isl_ast_node_get_type(node)) {
	case isl_ast_node_for:
		loop_node(walk, node, block);
		break;
	case isl_ast_node_if:
		if_node(walk, node, block);
		break;
	case isl_ast_node_block: {
		isl_ast_node_list *children = isl_ast_node_block_get_children(node);
		for (int i = 0; i < isl_ast_node_list_n_ast_node(children); i++)
			tree(walk, isl_ast_node_list_get_ast_node(children, i), block);
		isl_ast_node_list_free(children);
		break;
	}
	case isl_ast_node_user:
		walk->leaf(walk->translation, node, walk->user, block);
		break;
	default:
		walk->translation->failed = true;
	}
	isl_ast_node_free(node);
}

bool translate_tree(struct lowering *lowering, __isl_take isl_ast_node *node, enum plan_loop_kind kind,
	tree_leaf *leaf, void *user, struct plan_node *block)
{
	struct translation translation = translation_begin(lowering);
	struct walk walk = { &translation, kind, leaf, user };
	if (!node)
		return false;
	tree(&walk, node, block);
	return !translation.failed;
}

/* ---- sets ---- */

struct set_walk {
	int rank;
	point_leaf *leaf;
	void *user;
};

static void point_of_set(struct translation *translation, __isl_keep isl_ast_node *node,
	void *user, struct plan_node *block)
{
	const struct set_walk *walk = user;
	isl_ast_expr *call = isl_ast_node_user_get_expr(node);
	struct point point = { .rank = walk->rank };
	for (int d = 0; d < point.rank; d++)
		point.values[d] = translate_operand(translation, call, d + 1);
	isl_ast_expr_free(call);
	translation->failed |= !walk->leaf(translation->lowering, &point, walk->user, block);
}

bool lower_set(struct lowering *lowering, __isl_take isl_set *set, int depth, const char *name,
	point_leaf *leaf, void *user, struct plan_node *block)
{
	if (!set)
		return false;
	int rank = isl_set_dim(set, isl_dim_set);
	isl_ctx *ctx = lowering->compilation->ctx;
	isl_id_list *names = isl_id_list_alloc(ctx, rank);
	for (int d = 0; d < rank; d++)
		names = isl_id_list_add(names, isl_id_alloc(ctx,
			arena_printf(lowering->compilation->arena, "%s_%d", name, d), NULL));
	set = isl_set_set_tuple_name(set, "point");
	isl_map *order = isl_map_reset_tuple_id(isl_set_identity(set), isl_dim_out);
	isl_ast_node *node = ast_of_order_once(lowering->compilation->known.loops, context_at(lowering, depth), names,
		isl_union_map_from_map(order));
	struct set_walk walk = { rank, leaf, user };
	return translate_tree(lowering, node, LOOP_TRANSFER, point_of_set, &walk, block);
}
