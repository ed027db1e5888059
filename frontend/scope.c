/* Names: what is visible, and how a function uses its names. */

#include <string.h>

#include "frontend/sema.h"

struct symbol *symbol_find(const struct sema *sema, const char *name)
{
	struct symbol *symbol = sema->symbols;
	while (symbol && strcmp(symbol->name, name))
		symbol = symbol->outer;
	return symbol;
}

const char *symbol_free_name(const struct sema *sema, const char *name)
{
	const char *result = name;
	for (int number = 2; symbol_find(sema, result); number++)
		result = arena_printf(sema->arena, "%s_%d", name, number);
	return result;
}

struct symbol *symbol_add(struct sema *sema, enum symbol_kind kind, const char *name,
	struct location at)
{
	struct symbol *symbol = ARENA_NEW(sema->arena, struct symbol);
	symbol->outer = sema->symbols;
	symbol->kind = kind;
	symbol->name = name;
	symbol->location = at;
	symbol->dim = -1;
	sema->symbols = symbol;
	return symbol;
}

bool name_set_has(const struct name_set *names, const char *name)
{
	for (size_t i = 0; i < names->list.count; i++)
		if (!strcmp(names->list.items[i], name))
			return true;
	return false;
}

void name_set_add(struct arena *arena, struct name_set *names, const char *name)
{
	if (!name_set_has(names, name))
		ast_append(arena, &names->list, (void *)name);
}

const struct binding *sema_binding(const struct sema *sema, const char *name)
{
	const struct binding *found = NULL;
	for (int i = 0; i < sema->binding_count; i++)
		if (!strcmp(sema->bindings[i].name, name))
			found = &sema->bindings[i];
	if (found)
		sema->binding_was_used[found - sema->bindings] = true;
	return found;
}

/* All names in EXPR. */
static void collect_all(struct sema *sema, struct name_set *names, const struct ast_expr *expr)
{
	if (!expr)
		return;
	if (expr->kind == AST_NAME)
		name_set_add(sema->arena, names, expr->text);
	for (int i = 0; i < expr->operand_count; i++)
		collect_all(sema, names, expr->operands[i]);
}

/* The names that EXPR assigns to, and those in its subscripts. */
static void collect_expr(struct sema *sema, const struct ast_expr *expr)
{
	if (!expr)
		return;
	if ((expr->kind == AST_ASSIGN || expr->kind == AST_STEP) &&
	    expr->operands[0]->kind == AST_NAME)
		name_set_add(sema->arena, &sema->assigned, expr->operands[0]->text);
	if (expr->kind == AST_SUBSCRIPT)
		collect_all(sema, &sema->indices, expr->operands[1]);
	for (int i = 0; i < expr->operand_count; i++)
		collect_expr(sema, expr->operands[i]);
}

static void collect_stmt(struct sema *sema, const struct ast_stmt *stmt);

static void collect_for(struct sema *sema, const struct ast_stmt *stmt)
{
	const struct ast_stmt *initial = stmt->initial;
	collect_all(sema, &sema->indices, stmt->condition);
	collect_all(sema, &sema->indices, stmt->step);
	if (initial && initial->kind == AST_DECLARATION) {
		for (size_t i = 0; i < initial->items.count; i++) {
			const struct ast_declarator *declarator = initial->items.items[i];
			collect_all(sema, &sema->indices, declarator->initial);
		}
	} else if (initial && initial->condition->kind == AST_ASSIGN) {
		const struct ast_expr *target = initial->condition->operands[0];
		if (target->kind == AST_NAME)
			name_set_add(sema->arena, &sema->iterators, target->text);
		collect_all(sema, &sema->indices, initial->condition->operands[1]);
	}
	collect_stmt(sema, stmt->body);
}

static void collect_declaration(struct sema *sema, const struct ast_stmt *stmt)
{
	for (size_t i = 0; i < stmt->items.count; i++) {
		const struct ast_declarator *declarator = stmt->items.items[i];
		for (size_t j = 0; j < declarator->extents.count; j++)
			collect_all(sema, &sema->indices, declarator->extents.items[j]);
		collect_expr(sema, declarator->initial);
	}
}

static void collect_stmt(struct sema *sema, const struct ast_stmt *stmt)
{
	if (!stmt)
		return;
	if (stmt->kind == AST_FOR) {
		collect_for(sema, stmt);
		return;
	}
	if (stmt->kind == AST_DECLARATION)
		collect_declaration(sema, stmt);
	else if (stmt->kind == AST_IF)
		collect_expr(sema, stmt->condition);
	else if (stmt->kind == AST_EXPRESSION)
		collect_expr(sema, stmt->condition);
	for (size_t i = 0; i < stmt->items.count && stmt->kind == AST_BLOCK; i++)
		collect_stmt(sema, stmt->items.items[i]);
	collect_stmt(sema, stmt->body);
	collect_stmt(sema, stmt->otherwise);
}

/* Names in the initial values of locals that are themselves used as indices. */
static void collect_initials(struct sema *sema, const struct ast_stmt *stmt)
{
	if (!stmt)
		return;
	for (size_t i = 0; i < stmt->items.count; i++) {
		const struct ast_declarator *declarator = stmt->items.items[i];
		if (stmt->kind == AST_BLOCK)
			collect_initials(sema, stmt->items.items[i]);
		else if (stmt->kind == AST_DECLARATION && declarator->initial &&
		    name_set_has(&sema->indices, declarator->name))
			collect_all(sema, &sema->indices, declarator->initial);
	}
	if (stmt->kind == AST_FOR)
		collect_initials(sema, stmt->initial);
	collect_initials(sema, stmt->body);
	collect_initials(sema, stmt->otherwise);
}

/* Whether data is in EXPR, as far as that is seen before names are declared. */
static bool has_data(const struct sema *sema, const struct ast_expr *expr)
{
	if (expr->kind == AST_SUBSCRIPT || expr->kind == AST_CALL)
		return true;
	if (expr->kind == AST_NAME)
		return name_set_has(&sema->assigned, expr->text)
			&& !name_set_has(&sema->iterators, expr->text);
	for (int i = 0; i < expr->operand_count; i++)
		if (has_data(sema, expr->operands[i]))
			return true;
	return false;
}

/* Names in the parts of an if's condition that no data is in. */
static void collect_condition(struct sema *sema, const struct ast_expr *expr)
{
	bool joins = expr->kind == AST_BINARY
		&& (!strcmp(expr->text, "&&") || !strcmp(expr->text, "||"));
	if (!joins && !has_data(sema, expr))
		collect_all(sema, &sema->conditions, expr);
	for (int i = 0; i < expr->operand_count && joins; i++)
		collect_condition(sema, expr->operands[i]);
}

static void collect_conditions(struct sema *sema, const struct ast_stmt *stmt)
{
	if (!stmt)
		return;
	if (stmt->kind == AST_IF)
		collect_condition(sema, stmt->condition);
	for (size_t i = 0; i < stmt->items.count && stmt->kind == AST_BLOCK; i++)
		collect_conditions(sema, stmt->items.items[i]);
	collect_conditions(sema, stmt->body);
	collect_conditions(sema, stmt->otherwise);
}

void sema_collect_names(struct sema *sema, const struct ast_function *function)
{
	const struct ast_declarator *head = function->declarator;
	sema->assigned = sema->iterators = (struct name_set){ 0 };
	sema->indices = sema->conditions = (struct name_set){ 0 };
	for (size_t i = 0; i < head->parameters.count; i++) {
		const struct ast_declarator *parameter = head->parameters.items[i];
		for (size_t j = 0; j < parameter->extents.count; j++)
			collect_all(sema, &sema->indices, parameter->extents.items[j]);
	}
	collect_stmt(sema, function->body);
	collect_conditions(sema, function->body);
	for (size_t count = 0; count != sema->indices.list.count;) {
		count = sema->indices.list.count;
		collect_initials(sema, function->body);
	}
}
