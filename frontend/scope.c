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

struct declared_name {
	const char *name;
	struct location at;
};

bool name_set_has(const struct name_set *names, const char *name, struct location at)
{
	for (size_t i = 0; i < names->list.count; i++) {
		const struct declared_name *one = names->list.items[i];
		if (!strcmp(one->name, name) && one->at.line == at.line && one->at.column == at.column
			&& one->at.file == at.file)
			return true;
	}
	return false;
}

void name_set_add(struct arena *arena, struct name_set *names, const char *name,
	struct location at)
{
	if (name_set_has(names, name, at))
		return;
	struct declared_name *one = ARENA_NEW(arena, struct declared_name);
	*one = (struct declared_name){ name, at };
	ast_append(arena, &names->list, one);
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

/* What the function declares, as far as it is visible where its names are collected. */
struct visible {
	const struct visible *outer;
	const struct ast_declarator *declarator;
};

static void show(struct sema *sema, const struct ast_declarator *declarator)
{
	struct visible *visible = ARENA_NEW(sema->arena, struct visible);
	*visible = (struct visible){ sema->visible, declarator };
	sema->visible = visible;
}

/* Where what NAME stands for here is declared; nowhere: not in the function. */
static struct location declared_at(const struct sema *sema, const char *name)
{
	const struct visible *visible = sema->visible;
	while (visible && (!visible->declarator->name || strcmp(visible->declarator->name, name)))
		visible = visible->outer;
	return visible ? visible->declarator->location : NOWHERE;
}

static void collect(struct sema *sema, struct name_set *names, const char *name)
{
	name_set_add(sema->arena, names, name, declared_at(sema, name));
}

/* VISIT of STMT and all statements in it, each with what is visible there. */
static void walk(struct sema *sema, const struct ast_stmt *stmt,
	void (*visit)(struct sema *sema, const struct ast_stmt *stmt))
{
	if (!stmt)
		return;
	const struct visible *outer = sema->visible;
	const struct ast_stmt *declaration = stmt->kind == AST_FOR ? stmt->initial : stmt;
	for (size_t i = 0; declaration && declaration->kind == AST_DECLARATION
		&& i < declaration->items.count; i++)
		show(sema, declaration->items.items[i]);
	visit(sema, stmt);
	for (size_t i = 0; i < stmt->items.count && stmt->kind == AST_BLOCK; i++)
		walk(sema, stmt->items.items[i], visit);
	walk(sema, stmt->body, visit);
	walk(sema, stmt->otherwise, visit);
	if (stmt->kind != AST_DECLARATION)
		sema->visible = outer;
}

/* All names in EXPR. */
static void collect_all(struct sema *sema, struct name_set *names, const struct ast_expr *expr)
{
	if (!expr)
		return;
	if (expr->kind == AST_NAME)
		collect(sema, names, expr->text);
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
		collect(sema, &sema->assigned, expr->operands[0]->text);
	if (expr->kind == AST_SUBSCRIPT)
		collect_all(sema, &sema->indices, expr->operands[1]);
	for (int i = 0; i < expr->operand_count; i++)
		collect_expr(sema, expr->operands[i]);
}

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
			collect(sema, &sema->iterators, target->text);
		collect_all(sema, &sema->indices, initial->condition->operands[1]);
	}
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

static void collect_uses(struct sema *sema, const struct ast_stmt *stmt)
{
	if (stmt->kind == AST_FOR)
		collect_for(sema, stmt);
	else if (stmt->kind == AST_DECLARATION)
		collect_declaration(sema, stmt);
	else if (stmt->kind == AST_IF || stmt->kind == AST_EXPRESSION)
		collect_expr(sema, stmt->condition);
}

/* Names in the initial values of locals that are themselves used as indices. */
static void collect_initials(struct sema *sema, const struct ast_stmt *stmt)
{
	const struct ast_stmt *declaration = stmt->kind == AST_FOR ? stmt->initial : stmt;
	for (size_t i = 0; declaration && declaration->kind == AST_DECLARATION
		&& i < declaration->items.count; i++) {
		const struct ast_declarator *declarator = declaration->items.items[i];
		if (declarator->initial
			&& name_set_has(&sema->indices, declarator->name, declarator->location))
			collect_all(sema, &sema->indices, declarator->initial);
	}
}

/* Whether data is in EXPR, as far as that is seen before names are declared. */
static bool has_data(const struct sema *sema, const struct ast_expr *expr)
{
	if (expr->kind == AST_SUBSCRIPT || expr->kind == AST_CALL)
		return true;
	if (expr->kind == AST_NAME) {
		const struct location at = declared_at(sema, expr->text);
		return name_set_has(&sema->assigned, expr->text, at)
			&& !name_set_has(&sema->iterators, expr->text, at);
	}
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
	if (stmt->kind == AST_IF)
		collect_condition(sema, stmt->condition);
}

void sema_collect_names(struct sema *sema, const struct ast_function *function)
{
	const struct ast_declarator *head = function->declarator;
	sema->assigned = sema->iterators = (struct name_set){ 0 };
	sema->indices = sema->conditions = (struct name_set){ 0 };
	sema->visible = NULL;
	for (size_t i = 0; i < head->parameters.count; i++) {
		const struct ast_declarator *parameter = head->parameters.items[i];
		show(sema, parameter);
		for (size_t j = 0; j < parameter->extents.count; j++)
			collect_all(sema, &sema->indices, parameter->extents.items[j]);
	}
	walk(sema, function->body, collect_uses);
	walk(sema, function->body, collect_conditions);
	for (size_t count = 0; count != sema->indices.list.count;) {
		count = sema->indices.list.count;
		walk(sema, function->body, collect_initials);
	}
}
