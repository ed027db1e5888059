#include "frontend/ast.h"

#include <stdarg.h>
#include <string.h>

void ast_append(struct arena *arena, struct ast_list *list, void *item)
{
	list->items = arena_grow(arena, list->items, list->count, &list->capacity, sizeof item);
	list->items[list->count++] = item;
}

struct ast_expr *ast_leaf(struct arena *arena, enum ast_expr_kind kind, struct location at,
	const char *text)
{
	struct ast_expr *expr = ARENA_NEW(arena, struct ast_expr);
	expr->kind = kind;
	expr->location = at;
	expr->text = text;
	expr->depth = 1;
	return expr;
}

struct ast_expr *ast_node(struct arena *arena, enum ast_expr_kind kind, struct location at,
	const char *text, struct ast_expr *a, struct ast_expr *b, struct ast_expr *c)
{
	struct ast_expr *operands[] = { a, b, c };
	struct ast_expr *expr = ast_leaf(arena, kind, at, text);
	while (expr->operand_count < 3 && operands[expr->operand_count])
		expr->operand_count++;
	expr->operands = ARENA_ARRAY(arena, struct ast_expr *, expr->operand_count);
	for (int i = 0; i < expr->operand_count; i++) {
		expr->operands[i] = operands[i];
		if (operands[i]->depth >= expr->depth)
			expr->depth = operands[i]->depth + 1;
	}
	return expr;
}

struct ast_expr *ast_call(struct arena *arena, struct location at, struct ast_expr *callee,
	struct ast_list arguments)
{
	struct ast_expr *expr = ast_leaf(arena, AST_CALL, at, callee->text);
	expr->operand_count = 1 + (int)arguments.count;
	expr->operands = ARENA_ARRAY(arena, struct ast_expr *, expr->operand_count);
	expr->operands[0] = callee;
	for (size_t i = 0; i < arguments.count; i++)
		expr->operands[i + 1] = arguments.items[i];
	for (int i = 0; i < expr->operand_count; i++)
		if (expr->operands[i]->depth >= expr->depth)
			expr->depth = expr->operands[i]->depth + 1;
	return expr;
}

bool ast_is_same(const struct ast_expr *one, const struct ast_expr *other)
{
	const struct type a = one->type.type, b = other->type.type;
	bool same = one->kind == other->kind && one->operand_count == other->operand_count
		&& !one->text == !other->text && (!one->text || !strcmp(one->text, other->text))
		&& a.kind == b.kind && a.bytes == b.bytes;
	for (int i = 0; i < one->operand_count && same; i++)
		same = ast_is_same(one->operands[i], other->operands[i]);
	return same;
}

bool ast_mentions(const struct ast_expr *expr, const char *name)
{
	if (expr->kind == AST_NAME && !strcmp(expr->text, name))
		return true;
	for (int i = 0; i < expr->operand_count; i++)
		if (ast_mentions(expr->operands[i], name))
			return true;
	return false;
}

struct ast_stmt *ast_stmt(struct arena *arena, enum ast_stmt_kind kind, struct location at)
{
	struct ast_stmt *stmt = ARENA_NEW(arena, struct ast_stmt);
	stmt->kind = kind;
	stmt->location = at;
	stmt->depth = 1;
	return stmt;
}

/* Text of expressions, in a buffer that is cut at a length fit for a message. */

struct text {
	char bytes[200];
	size_t length;
};

static void put(struct text *text, const char *string)
{
	size_t length = strlen(string), room = sizeof text->bytes - 1 - text->length;
	if (length > room)
		length = room;
	memcpy(text->bytes + text->length, string, length);
	text->length += length;
}

static bool is_primary(const struct ast_expr *expr)
{
	return expr->kind == AST_NUMBER || expr->kind == AST_NAME || expr->kind == AST_SUBSCRIPT ||
		expr->kind == AST_CALL || expr->kind == AST_STRING;
}

static int precedence(const struct ast_expr *expr)
{
	static const struct { const char *text; int level; } levels[] = {
		{ "*", 10 }, { "/", 10 }, { "%", 10 }, { "+", 9 }, { "-", 9 }, { "<<", 8 },
		{ ">>", 8 }, { "<", 7 }, { ">", 7 }, { "<=", 7 }, { ">=", 7 }, { "==", 6 },
		{ "!=", 6 }, { "&", 5 }, { "^", 4 }, { "|", 3 }, { "&&", 2 }, { "||", 1 } };
	if (expr->kind == AST_BINARY)
		for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
			if (!strcmp(levels[i].text, expr->text))
				return levels[i].level;
	return is_primary(expr) ? 12 : expr->kind == AST_CONDITIONAL ? 0 :
		expr->kind == AST_BINARY || expr->kind == AST_ASSIGN ? -1 : 11;
}

static void put_expr(struct text *text, const struct ast_expr *expr, int level)
{
	bool parens = precedence(expr) < level;
	if (text->length >= sizeof text->bytes - 1)
		return;
	put(text, parens ? "(" : "");
	switch (expr->kind) {
	case AST_NUMBER: case AST_STRING: case AST_NAME:
		put(text, expr->text);
		break;
	case AST_SUBSCRIPT:
		put_expr(text, expr->operands[0], 12);
		put(text, "[");
		put_expr(text, expr->operands[1], -1);
		put(text, "]");
		break;
	case AST_CALL:
		put_expr(text, expr->operands[0], 12);
		put(text, "(");
		for (int i = 1; i < expr->operand_count; i++) {
			put(text, i > 1 ? ", " : "");
			put_expr(text, expr->operands[i], 0);
		}
		put(text, ")");
		break;
	case AST_UNARY:
		put(text, expr->text);
		put_expr(text, expr->operands[0], 12);
		break;
	case AST_STEP:
		put_expr(text, expr->operands[0], 11);
		put(text, expr->text);
		break;
	case AST_CAST:
		put(text, "(");
		put(text, expr->type.is_void ? "void" : expr->type.type.name);
		put(text, ")");
		put_expr(text, expr->operands[0], 11);
		break;
	case AST_CONDITIONAL:
		put_expr(text, expr->operands[0], 1);
		put(text, " ? ");
		put_expr(text, expr->operands[1], 0);
		put(text, " : ");
		put_expr(text, expr->operands[2], 0);
		break;
	case AST_BINARY: case AST_ASSIGN:
		put_expr(text, expr->operands[0], precedence(expr));
		put(text, strcmp(expr->text, ",") ? " " : "");
		put(text, expr->text);
		put(text, " ");
		put_expr(text, expr->operands[1], precedence(expr) + 1);
		break;
	case AST_UNSUPPORTED:
		put(text, "...");
		break;
	}
	put(text, parens ? ")" : "");
}

const char *ast_expr_text(struct arena *arena, const struct ast_expr *expr)
{
	struct text text = { .length = 0 };
	put_expr(&text, expr, -2);
	if (text.length == sizeof text.bytes - 1)
		memcpy(text.bytes + text.length - 3, "...", 3);
	return arena_strndup(arena, text.bytes, text.length);
}

/* The tree, for --emit=ast. */

static void print_indent(FILE *out, int depth)
{
	for (int i = 0; i < depth; i++)
		fputs("  ", out);
}

__attribute__((format(printf, 3, 4)))
static void print_line(FILE *out, int depth, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	print_indent(out, depth);
	vfprintf(out, format, arguments);
	fputc('\n', out);
	va_end(arguments);
}

static void print_expr(FILE *out, const struct ast_expr *expr, int depth)
{
	static const char *const names[] = { "number", "string", "name", "subscript", "call",
		"unary", "binary", "conditional", "cast", "assign", "step", "unsupported" };
	const char *text = expr->kind == AST_CAST ? expr->type.is_void ? "void" :
		expr->type.type.name : expr->kind == AST_CALL ? NULL : expr->text;
	print_line(out, depth, "%s%s%s", names[expr->kind], text ? " " : "", text ? text : "");
	for (int i = 0; i < expr->operand_count; i++)
		print_expr(out, expr->operands[i], depth + 1);
}

static void print_declarator(FILE *out, const struct ast_declarator *declarator, int depth)
{
	const struct ast_type *type = &declarator->type;
	print_line(out, depth, "%s %s : %s%s%s%s", declarator->is_function ? "function" : "variable",
		declarator->name ? declarator->name : "-", type->is_typedef ? "typedef " : "",
		type->is_static ? "static " : "", type->is_const ? "const " : "",
		type->is_void ? "void" : type->type.name);
	for (size_t i = 0; i < declarator->extents.count; i++) {
		print_line(out, depth + 1, "extent");
		if (declarator->extents.items[i])
			print_expr(out, declarator->extents.items[i], depth + 2);
	}
	for (size_t i = 0; i < declarator->parameters.count; i++)
		print_declarator(out, declarator->parameters.items[i], depth + 1);
	if (declarator->initial) {
		print_line(out, depth + 1, "initially");
		print_expr(out, declarator->initial, depth + 2);
	}
}

static void print_enumerators(FILE *out, const struct ast_stmt *stmt, int depth)
{
	for (size_t i = 0; i < stmt->items.count; i++) {
		const struct ast_enumerator *enumerator = stmt->items.items[i];
		print_line(out, depth, "enumerator %s", enumerator->name);
		if (enumerator->value)
			print_expr(out, enumerator->value, depth + 1);
	}
}

static void print_stmt(FILE *out, const struct ast_stmt *stmt, int depth)
{
	static const char *const names[] = { "block", "for", "if", "expression", "declaration",
		"enum", "pragma", "return", "empty" };
	print_line(out, depth, "%s%s%s @%d:%d", names[stmt->kind], stmt->text ? " " : "",
		stmt->text ? stmt->text : "", stmt->location.line, stmt->location.column);
	depth++;
	if (stmt->kind == AST_ENUM)
		print_enumerators(out, stmt, depth);
	for (size_t i = 0; i < stmt->items.count && stmt->kind == AST_DECLARATION; i++)
		print_declarator(out, stmt->items.items[i], depth);
	for (size_t i = 0; i < stmt->items.count && stmt->kind == AST_BLOCK; i++)
		print_stmt(out, stmt->items.items[i], depth);
	if (stmt->initial)
		print_stmt(out, stmt->initial, depth);
	if (stmt->condition)
		print_expr(out, stmt->condition, depth);
	if (stmt->step)
		print_expr(out, stmt->step, depth);
	if (stmt->body)
		print_stmt(out, stmt->body, depth);
	if (stmt->otherwise) {
		print_line(out, depth - 1, "else");
		print_stmt(out, stmt->otherwise, depth);
	}
}

void ast_print(FILE *out, const struct ast_file *file)
{
	for (size_t i = 0; i < file->items.count; i++) {
		const struct ast_item *item = file->items.items[i];
		if (item->kind == AST_ITEM_FUNCTION) {
			for (size_t j = 0; j < item->function->pragmas.count; j++)
				print_stmt(out, item->function->pragmas.items[j], 0);
			print_declarator(out, item->function->declarator, 0);
			print_stmt(out, item->function->body, 1);
		} else {
			print_stmt(out, item->stmt, 0);
		}
	}
}
