#ifndef IR_PLAN_COPY_H
#define IR_PLAN_COPY_H

#include "ir/plan.h"

/* Values for variables, the innermost first. */
struct plan_binding {
	const struct plan_binding *outer;
	const struct plan_var *var;
	struct plan_expr *value;
};

/* EXPR with the values of BINDINGS for their variables; what has none stays. */
struct plan_expr *plan_expr_at(struct arena *arena, struct plan_expr *expr,
	const struct plan_binding *bindings);

/* A variable like VAR that has a name of its own. */
typedef struct plan_var *plan_renamer(void *user, const struct plan_var *var);

/* Appends to BLOCK copies of the children of the block FROM, transfers with the loops and
 * conditions around them, with the values of BINDINGS.  Buffers stay the same; the slot of
 * one is that of the values.  Variables of loops inside are new ones, from RENAME. */
void plan_append_at(struct arena *arena, struct plan_node *block, const struct plan_node *from,
	const struct plan_binding *bindings, plan_renamer *rename, void *user);

#endif
