/* The statement that is being made of an assignment: what access.c, value.c and store.c share. */

#ifndef FRONTEND_BUILDER_H
#define FRONTEND_BUILDER_H

#include "frontend/sema.h"

enum { SPLIT_GUARDS = 16 };

/* The statement that is being made. */
struct builder {
	struct sema *sema;
	struct statement *statement;
	size_t capacity;
	bool failed;
	/* The conditions of ?:, && and || that decide whether what is being built is
	 * evaluated, outermost first. */
	const struct ast_expr *guards[2 * AST_DEPTH_LIMIT + 8];   /* ifs on data make values deeper */
	int guard_count;
	/* Those around the first subscript that is out of range if they are not looked
	 * at: to split the statement by. */
	const struct ast_expr *split_guards[SPLIT_GUARDS];
	int split_count;
	const struct ast_expr *division;   /* in a subscript: it has to become affine */
};

/* Reports an error at AT; NULL. */
__attribute__((format(printf, 3, 4)))
struct expr *builder_fail(struct builder *builder, struct location at, const char *format, ...);

/* The access that AST is, checked to stay within its array; access.array is NULL after an error. */
struct access builder_find_access(struct builder *builder, const struct ast_expr *ast,
	bool is_write);

/* The index of ACCESS among those of the statement; reads that are alike are one. */
int builder_add_access(struct builder *builder, struct access access);

/* The values that AST, the access AST, and A OPERATOR B at AST have; NULL after an error. */
struct expr *build_value(struct builder *builder, const struct ast_expr *ast);
struct expr *build_access(struct builder *builder, const struct ast_expr *ast);
struct expr *build_operation(struct builder *builder, const struct ast_expr *ast,
	const char *operator, struct expr *a, struct expr *b);

#endif
