#ifndef PASSES_LOOPS_H
#define PASSES_LOOPS_H

#include "passes/tiles/expressions.h"

/* Loops that isl makes over the points of a set, in the plan. */

/* Appends to BLOCK what NODE, a leaf of isl's tree, becomes; sets TRANSLATION's failed where that
 * has no plan. */
typedef void tree_leaf(struct translation *translation, __isl_keep isl_ast_node *node, void *user,
	struct plan_node *block);

/* Appends to BLOCK the loops, of KIND, and conditions of isl's tree NODE (NULL: isl found none),
 * with what LEAF makes of its leaves.  False if something of it has no plan. */
bool translate_tree(struct lowering *lowering, __isl_take isl_ast_node *node, enum plan_loop_kind kind,
	tree_leaf *leaf, void *user, struct plan_node *block);

/* Appends to BLOCK what POINT becomes. False if that has no plan. */
typedef bool point_leaf(struct lowering *lowering, const struct point *point, void *user,
	struct plan_node *block);

/* Appends to BLOCK, in the first DEPTH tile loops, loops over the points of SET, in
 * lexicographic order, their variables called NAME_0, ...  False if isl makes none, or LEAF
 * fails. */
bool lower_set(struct lowering *lowering, __isl_take isl_set *set, int depth, const char *name,
	point_leaf *leaf, void *user, struct plan_node *block);

#endif
