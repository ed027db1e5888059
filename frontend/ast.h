#ifndef FRONTEND_AST_H
#define FRONTEND_AST_H

#include <stdbool.h>
#include <stdio.h>

#include "ir/program.h"

/* What the parser makes of a file: its text as a tree, names not yet looked up
 * and nothing checked but the grammar.  It lives in the arena. */

enum {
	AST_DEPTH_LIMIT = 400        /* of an expression or statement, so that recursion over
	                              * the tree stays within the stack */
};

struct ast_type {
	struct type type;
	bool is_void, is_const, is_static, is_typedef;
	const char *unsupported;     /* "struct" ...: reported, treated as int */
};

enum ast_expr_kind {
	AST_NUMBER,                  /* text; a character constant too */
	AST_STRING,
	AST_NAME,                    /* text */
	AST_SUBSCRIPT,               /* operands 0 [ 1 ] */
	AST_CALL,                    /* operand 0 is the function, the others its arguments */
	AST_UNARY,                   /* text: - + ~ ! and, not in the language, & and * */
	AST_BINARY,                  /* text: C's binary operators; "," too */
	AST_CONDITIONAL,
	AST_CAST,                    /* (type) operand 0 */
	AST_ASSIGN,                  /* text: = += ...; operand 0 is assigned to */
	AST_STEP,                    /* text: ++ or -- */
	AST_UNSUPPORTED              /* reported already */
};

struct ast_expr {
	enum ast_expr_kind kind;
	struct location location;
	const char *text;
	struct ast_type type;
	int depth;
	int operand_count;
	struct ast_expr **operands;
};

/* A list of anything, in the arena. */
struct ast_list {
	size_t count, capacity;
	void **items;
};

struct ast_declarator {
	const char *name;            /* NULL: a parameter without a name */
	struct location location;
	struct ast_type type;
	int pointer_count;
	struct ast_list extents;     /* struct ast_expr, NULL for [] */
	bool is_function, is_variadic;
	struct ast_list parameters;  /* struct ast_declarator */
	struct ast_expr *initial;    /* NULL: none */
	bool has_braces;             /* = { ... } */
};

struct ast_enumerator {
	const char *name;
	struct location location;
	struct ast_expr *value;      /* NULL: one more than the one before */
};

enum ast_stmt_kind {
	AST_BLOCK,                   /* items: statements */
	AST_FOR,                     /* initial, condition, step, body */
	AST_IF,                      /* condition, body, otherwise */
	AST_EXPRESSION,              /* condition */
	AST_DECLARATION,             /* items: struct ast_declarator */
	AST_ENUM,                    /* items: struct ast_enumerator */
	AST_PRAGMA,                  /* text; body: what it stands before */
	AST_RETURN,                  /* condition or NULL */
	AST_EMPTY
};

struct ast_stmt {
	enum ast_stmt_kind kind;
	struct location location;
	int depth;
	struct ast_list items;
	struct ast_stmt *initial;    /* an expression, a declaration or NULL */
	struct ast_expr *condition, *step;
	struct ast_stmt *body, *otherwise;
	const char *text;
};

struct ast_function {
	struct ast_declarator *declarator;
	struct ast_stmt *body;
	struct ast_list pragmas;     /* struct ast_stmt: before the function */
};

enum ast_item_kind { AST_ITEM_FUNCTION, AST_ITEM_DECLARATION, AST_ITEM_ENUM };

/* Something at file level, in source order. */
struct ast_item {
	enum ast_item_kind kind;
	struct ast_function *function;
	struct ast_stmt *stmt;       /* AST_DECLARATION (prototypes too) or AST_ENUM */
};

struct ast_file {
	struct ast_list items;       /* struct ast_item */
};

void ast_append(struct arena *arena, struct ast_list *list, void *item);

struct ast_expr *ast_leaf(struct arena *arena, enum ast_expr_kind kind, struct location at,
	const char *text);
/* Up to three operands; the first NULL ends them. */
struct ast_expr *ast_node(struct arena *arena, enum ast_expr_kind kind, struct location at,
	const char *text, struct ast_expr *a, struct ast_expr *b, struct ast_expr *c);
struct ast_expr *ast_call(struct arena *arena, struct location at, struct ast_expr *callee,
	struct ast_list arguments);
/* Whether they are the same, but for their places. */
bool ast_is_same(const struct ast_expr *one, const struct ast_expr *other);
/* Whether the name is in EXPR. */
bool ast_mentions(const struct ast_expr *expr, const char *name);

struct ast_stmt *ast_stmt(struct arena *arena, enum ast_stmt_kind kind, struct location at);

/* The text of an expression, for messages: in C's syntax. */
const char *ast_expr_text(struct arena *arena, const struct ast_expr *expr);

/* One line a node, indented. */
void ast_print(FILE *out, const struct ast_file *file);

#endif
