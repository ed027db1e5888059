/* Conditions on data.  What such an if guards is run for all iterations, and what it assigns
 * is a choice of values: if (c) x = e; is x = c ? e : x. */

#include <string.h>

#include "frontend/sema.h"

/* Whether AST is floating point by itself, which no condition on iterators is. */
static bool is_floating(const struct ast_expr *ast)
{
	struct type type;
	if (ast->kind == AST_NUMBER)
		return type_of_number(ast->text, &type) && type_is_float(type.kind);
	return ast->kind == AST_CAST && !ast->type.is_void && type_is_float(ast->type.type.kind);
}

bool guard_is_data(const struct sema *sema, const struct ast_expr *ast)
{
	if (ast->kind == AST_CALL || is_floating(ast))
		return true;
	if (ast->kind == AST_NAME) {
		const struct symbol *symbol = symbol_find(sema, ast->text);
		return symbol && symbol->kind == SYMBOL_ARRAY;
	}
	for (int i = 0; i < ast->operand_count; i++)
		if (guard_is_data(sema, ast->operands[i]))
			return true;
	return false;
}

/* ---- what a branch assigns ---- */

/* The assignments that STMT consists of, in order; false if it is something else. */
static bool find_assignments(struct arena *arena, const struct ast_stmt *stmt,
	struct ast_list *assignments)
{
	if (!stmt || stmt->kind == AST_EMPTY)
		return true;
	if (stmt->kind == AST_BLOCK) {
		for (size_t i = 0; i < stmt->items.count; i++)
			if (!find_assignments(arena, stmt->items.items[i], assignments))
				return false;
		return true;
	}
	if (stmt->kind != AST_EXPRESSION || (stmt->condition->kind != AST_STEP &&
	    (stmt->condition->kind != AST_ASSIGN || stmt->condition->operands[1]->kind == AST_ASSIGN)))
		return false;
	ast_append(arena, assignments, stmt->condition);
	return true;
}

static void find_assigned_by(struct arena *arena, const struct ast_expr *ast,
	struct name_set *names)
{
	if (ast->kind == AST_ASSIGN || ast->kind == AST_STEP) {
		const struct ast_expr *base = ast->operands[0];
		while (base->kind == AST_SUBSCRIPT)
			base = base->operands[0];
		if (base->kind == AST_NAME)
			name_set_add(arena, names, base->text);
	}
	for (int i = 0; i < ast->operand_count; i++)
		find_assigned_by(arena, ast->operands[i], names);
}

/* Names that STMT assigns to; what it declares may be among them. */
static void find_assigned(struct arena *arena, const struct ast_stmt *stmt, struct name_set *names)
{
	if (!stmt)
		return;
	if (stmt->kind == AST_EXPRESSION)
		find_assigned_by(arena, stmt->condition, names);
	for (size_t i = 0; i < stmt->items.count && stmt->kind == AST_BLOCK; i++)
		find_assigned(arena, stmt->items.items[i], names);
	find_assigned(arena, stmt->body, names);
	find_assigned(arena, stmt->otherwise, names);
}

static bool has_name(const struct ast_expr *ast, const struct name_set *names)
{
	if (ast->kind == AST_NAME && name_set_has(names, ast->text))
		return true;
	for (int i = 0; i < ast->operand_count; i++)
		if (has_name(ast->operands[i], names))
			return true;
	return false;
}

/* Whether both branches assign to the same places in the same order. */
static bool are_alike(const struct sema *sema, const struct ast_list *a, const struct ast_list *b)
{
	bool alike = a->count && a->count == b->count;
	for (size_t i = 0; i < a->count && alike; i++) {
		const struct ast_expr *first = a->items[i], *second = b->items[i];
		alike = !strcmp(ast_expr_text(sema->arena, first->operands[0]),
			ast_expr_text(sema->arena, second->operands[0]));
	}
	return alike;
}

/* ---- guards ---- */

static struct ast_expr *both(struct sema *sema, const struct ast_expr *a, const struct ast_expr *b)
{
	return a ? ast_node(sema->arena, AST_BINARY, b->location, "&&", (struct ast_expr *)a,
		(struct ast_expr *)b, NULL) : (struct ast_expr *)b;
}

static struct ast_expr *negation(struct sema *sema, const struct ast_expr *condition)
{
	return ast_node(sema->arena, AST_UNARY, condition->location, "!",
		(struct ast_expr *)condition, NULL, NULL);
}

/* A local that holds what CONDITION is now, under the guard there is; so it stays while what
 * CONDITION reads is assigned to. */
static struct ast_expr *keep_condition(struct sema *sema, const struct ast_expr *condition)
{
	struct ast_declarator declarator = { .name = "condition", .location = condition->location,
		.type = { .type = { TYPE_BOOL, 1, "_Bool" } } };
	struct ast_expr *name = ast_leaf(sema->arena, AST_NAME, condition->location,
		sema_add_local(sema, &declarator));
	const struct ast_expr *guard = sema->guard;
	sema->guard = NULL;
	lower_store(sema, condition->location, name, NULL, both(sema, guard, condition));
	sema->guard = guard;
	return name;
}

static void lower_under(struct sema *sema, const struct ast_expr *guard,
	const struct ast_stmt *stmt)
{
	const struct ast_expr *outer = sema->guard;
	sema->guard = both(sema, outer, guard);
	if (stmt)
		lower_stmt(sema, stmt);
	sema->guard = outer;
}

/* The index conditions, or those on data, among the operands of the && that AST is; NULL: none. */
static struct ast_expr *conjuncts(struct sema *sema, const struct ast_expr *ast, bool on_data)
{
	if (ast->kind == AST_BINARY && !strcmp(ast->text, "&&")) {
		struct ast_expr *a = conjuncts(sema, ast->operands[0], on_data);
		struct ast_expr *b = conjuncts(sema, ast->operands[1], on_data);
		return b ? both(sema, a, b) : a;
	}
	return guard_is_data(sema, ast) == on_data ? (struct ast_expr *)ast : NULL;
}

void lower_data_if(struct sema *sema, const struct ast_stmt *stmt)
{
	struct ast_expr *indices = conjuncts(sema, stmt->condition, false);
	if (indices && !stmt->otherwise) {
		struct ast_stmt inner = *stmt, outer = *stmt;
		inner.condition = conjuncts(sema, stmt->condition, true);
		outer.condition = indices;
		outer.body = &inner;
		lower_if(sema, &outer);
		return;
	}
	struct symbol *scope = sema->symbols;
	const struct ast_expr *condition = both(sema, indices, conjuncts(sema, stmt->condition, true));
	struct ast_list first = { 0 }, second = { 0 };
	struct name_set assigned = { 0 };
	bool are_simple = find_assignments(sema->arena, stmt->body, &first)
		&& find_assignments(sema->arena, stmt->otherwise, &second);
	bool alike = are_simple && are_alike(sema, &first, &second);
	find_assigned(sema->arena, stmt->body, &assigned);
	find_assigned(sema->arena, stmt->otherwise, &assigned);
	bool is_one = are_simple && first.count == 1 && (alike || !second.count);
	if (!is_one && has_name(condition, &assigned))
		condition = keep_condition(sema, condition);
	for (size_t i = 0; i < first.count && alike; i++)
		lower_choice(sema, condition, first.items[i], second.items[i]);
	if (!alike) {
		lower_under(sema, condition, stmt->body);
		lower_under(sema, negation(sema, condition), stmt->otherwise);
	}
	sema->symbols = scope;
}
