/* Parts of a plan as they are for other values of their variables. */

#include "ir/plan_copy.h"

#include <stdlib.h>

static struct plan_expr *bound_value(const struct plan_binding *bindings,
	const struct plan_var *var)
{
	for (; bindings; bindings = bindings->outer)
		if (bindings->var == var)
			return bindings->value;
	return NULL;
}

struct plan_expr *plan_expr_at(struct arena *arena, struct plan_expr *expr,
	const struct plan_binding *bindings)
{
	struct plan_expr *operands[3] = { NULL };
	bool is_changed = false;

	if (expr->op == PLAN_VAR) {
		struct plan_expr *value = bound_value(bindings, expr->var);

		return value ? value : expr;
	}
	for (int i = 0; i < plan_operand_count(expr->op); i++) {
		operands[i] = plan_expr_at(arena, expr->operands[i], bindings);
		is_changed |= operands[i] != expr->operands[i];
	}
	if (!is_changed)
		return expr;
	return expr->op == PLAN_SELECT ? plan_select(arena, operands[0], operands[1], operands[2])
		: plan_make(arena, expr->op, operands[0], operands[1]);
}

static void copy_transfer(struct arena *arena, const struct plan_binding *bindings,
	struct plan_transfer *transfer)
{
	for (int d = 0; d < transfer->buffer->rank; d++) {
		transfer->first[d] = plan_expr_at(arena, transfer->first[d], bindings);
		transfer->count[d] = plan_expr_at(arena, transfer->count[d], bindings);
		transfer->local[d] = plan_expr_at(arena, transfer->local[d], bindings);
	}
	if (transfer->buffer->slots > 1)
		transfer->slot = plan_expr_at(arena, transfer->slot ? transfer->slot
			: transfer->buffer->slot, bindings);
	if (transfer->ring_count)
		transfer->ring_count = plan_expr_at(arena, transfer->ring_count, bindings);
}

/* The body of FROM, a scope of its own variable, which gets a new name. */
static struct plan_node *copy_scope(struct arena *arena, const struct plan_node *from,
	const struct plan_binding *bindings, plan_renamer *rename, void *user)
{
	struct plan_var *var = rename(user, from->var);
	struct plan_binding own = { bindings, from->var, plan_ref(arena, var) };
	struct plan_node *copy;

	if (from->kind == PLAN_LET)
		copy = plan_let(arena, var, plan_expr_at(arena, from->lower, bindings));
	else
		copy = plan_loop(arena, from->loop, var, plan_expr_at(arena, from->lower, bindings),
			plan_expr_at(arena, from->upper, bindings), from->step);
	plan_append_at(arena, copy->body, from->body, &own, rename, user);
	return copy;
}

static struct plan_node *copy_node(struct arena *arena, const struct plan_node *from,
	const struct plan_binding *bindings, plan_renamer *rename, void *user)
{
	struct plan_node *copy;

	switch (from->kind) {
	case PLAN_LOOP:
	case PLAN_LET:
		return copy_scope(arena, from, bindings, rename, user);
	case PLAN_IF:
		copy = plan_if(arena, plan_expr_at(arena, from->condition, bindings));
		plan_append_at(arena, copy->body, from->body, bindings, rename, user);
		return copy;
	case PLAN_TRANSFER:
		copy = plan_transfer(arena, from->transfer.is_put, from->transfer.buffer,
			from->transfer.tag);
		copy->transfer = from->transfer;
		copy_transfer(arena, bindings, &copy->transfer);
		return copy;
	case PLAN_WAIT:
		return plan_wait(arena, from->tags);
	case PLAN_BLOCK:
		break;
	case PLAN_COMPUTE:
	case PLAN_MOVE:
	case PLAN_STEP:
		abort();             /* no transfer */
	}
	copy = plan_block(arena);
	plan_append_at(arena, copy, from, bindings, rename, user);
	return copy;
}

void plan_append_at(struct arena *arena, struct plan_node *block, const struct plan_node *from,
	const struct plan_binding *bindings, plan_renamer *rename, void *user)
{
	for (int i = 0; i < from->child_count; i++)
		plan_append(arena, block, copy_node(arena, from->children[i], bindings, rename, user));
}
