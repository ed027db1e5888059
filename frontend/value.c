/* Values: the typed tree of an expression, and the accesses in it. */

#include <string.h>

#include "frontend/builder.h"

static struct expr *new_expr(struct builder *builder, enum expr_kind kind,
	const struct ast_expr *ast, struct type type)
{
	struct expr *expr = ARENA_NEW(builder->sema->arena, struct expr);
	expr->kind = kind;
	expr->type = type;
	expr->location = ast->location;
	return expr;
}

static struct expr *new_operation(struct builder *builder, enum expr_kind kind,
	const struct ast_expr *ast, struct type type, int count)
{
	struct expr *expr = new_expr(builder, kind, ast, type);
	expr->operand_count = count;
	expr->operands = ARENA_ARRAY(builder->sema->arena, struct expr *, count);
	return expr;
}

struct expr *build_access(struct builder *builder, const struct ast_expr *ast)
{
	struct access access = builder_find_access(builder, ast, false);
	if (!access.array)
		return NULL;
	struct expr *expr = new_expr(builder, EXPR_ACCESS, ast, access.array->type);
	expr->access = builder_add_access(builder, access);
	return expr;
}

/* Leaves. */

static struct expr *build_affine(struct builder *builder, const struct ast_expr *ast,
	struct type type, struct affine affine)
{
	struct expr *expr = new_expr(builder, EXPR_AFFINE, ast, type);
	expr->affine = affine;
	return expr;
}

static struct expr *build_index(struct builder *builder, const struct ast_expr *ast,
	const struct symbol *symbol)
{
	struct sema *sema = builder->sema;
	if (symbol && symbol->kind == SYMBOL_INDEX && symbol->expr)
		return symbol->expr;
	struct index index;
	struct affine affine;
	sema->use = "a value";
	if (!index_of(sema, ast, &index)) {
		builder->failed = true;
		return NULL;
	}
	bool ok = index_affine(sema, &index, &affine);
	struct type type = index.type;
	index_free(&index);
	const struct ast_expr *division = ok ? NULL : index_division(sema, ast);
	if (division) {
		builder->division = division;
		return NULL;
	}
	if (!ok)
		return builder_fail(builder, ast->location, "'%s' is too large for a value",
			ast_expr_text(sema->arena, ast));
	return build_affine(builder, ast, type, affine);
}

static struct expr *build_constant(struct builder *builder, const struct ast_expr *ast,
	const struct header_constant *constant)
{
	if (!preprocess_has_include(builder->sema->preprocessor, constant->header))
		return builder_fail(builder, ast->location, "'%s' is not declared; write #include %s",
			constant->name, constant->header);
	struct expr *expr = new_expr(builder, EXPR_LITERAL, ast, constant->type);
	expr->text = constant->name;
	return expr;
}

static struct expr *build_name(struct builder *builder, const struct ast_expr *ast)
{
	struct sema *sema = builder->sema;
	const struct symbol *symbol = symbol_find(sema, ast->text);
	if (symbol && symbol->kind == SYMBOL_ARRAY) {
		if (symbol->array->rank > 0)
			return builder_fail(builder, ast->location, "array '%s' has no subscript here; write "
				"'%s[...]'", ast->text, ast->text);
		return build_access(builder, ast);
	}
	const struct header_constant *constant = symbol ? NULL : header_constant_find(ast->text);
	if (constant)
		return build_constant(builder, ast, constant);
	return build_index(builder, ast, symbol);
}

static struct expr *build_number(struct builder *builder, const struct ast_expr *ast)
{
	struct type type;
	if (!type_of_number(ast->text, &type))
		return builder_fail(builder, ast->location, "'%s' is no number of C, or no type "
			"of at most 64 bits can hold it", ast->text);
	struct expr *expr = new_expr(builder, EXPR_LITERAL, ast, type);
	expr->text = ast->text;
	return expr;
}

/* Operations. */

static bool needs_integers(const char *operator)
{
	return strchr("%&|^~", *operator) ? strcmp(operator, "&&") && strcmp(operator, "||") :
		!strcmp(operator, "<<") || !strcmp(operator, ">>");
}

struct expr *build_operation(struct builder *builder, const struct ast_expr *ast,
	const char *operator, struct expr *a, struct expr *b)
{
	if (!a || !b)
		return NULL;
	if (needs_integers(operator) && (type_is_float(a->type.kind) || type_is_float(b->type.kind)))
		return builder_fail(builder, ast->location, "'%s' needs integers, and an operand is of type "
			"%s; cast it", operator,
			type_is_float(a->type.kind) ? a->type.name : b->type.name);
	struct expr *expr = new_operation(builder, EXPR_BINARY, ast,
		type_of_binary(operator, a->type, b->type), 2);
	expr->operator = operator;
	expr->operands[0] = a;
	expr->operands[1] = b;
	return expr;
}

static struct expr *build_binary(struct builder *builder, const struct ast_expr *ast)
{
	if (!strcmp(ast->text, ","))
		return builder_fail(builder, ast->location, "the comma operator is not supported; write two "
			"statements");
	struct expr *a = build_value(builder, ast->operands[0]);
	bool is_guard = !strcmp(ast->text, "&&") || !strcmp(ast->text, "||");
	if (is_guard)
		builder->guards[builder->guard_count++] = ast->operands[0];
	struct expr *b = build_value(builder, ast->operands[1]);
	builder->guard_count -= is_guard;
	return build_operation(builder, ast, ast->text, a, b);
}

static struct expr *build_unary(struct builder *builder, const struct ast_expr *ast)
{
	struct expr *operand = build_value(builder, ast->operands[0]);
	if (!operand)
		return NULL;
	if (needs_integers(ast->text) && type_is_float(operand->type.kind))
		return builder_fail(builder, ast->location, "'%s' needs an integer, and its operand is of "
			"type %s; cast it", ast->text, operand->type.name);
	struct expr *expr = new_operation(builder, EXPR_UNARY, ast,
		type_of_unary(ast->text, operand->type), 1);
	expr->operator = ast->text;
	expr->operands[0] = operand;
	return expr;
}

/* The cast that AST is of OPERAND; one that only stands for an assignment, with the text "=",
 * may be left out where it keeps all values. */
static struct expr *make_cast(struct builder *builder, const struct ast_expr *ast,
	struct type type, struct expr *operand)
{
	if (!operand)
		return NULL;
	if (ast->kind == AST_CAST && ast->text && type_is_within(operand->type, type))
		return operand;
	struct expr *expr = new_operation(builder, EXPR_CAST, ast, type, 1);
	expr->operands[0] = operand;
	return expr;
}

/* What has to be decided for ASIDE, of the same statement, has to be for BUILDER. */
static void take_over(struct builder *builder, const struct builder *aside)
{
	builder->failed |= aside->failed;
	if (!builder->division)
		builder->division = aside->division;
	if (builder->split_count)
		return;
	memcpy(builder->split_guards, aside->split_guards, sizeof builder->split_guards);
	builder->split_count = aside->split_count;
}

/* c ? a : b where it is known which is taken: that one alone, in their common type. */
static struct expr *build_decided(struct builder *builder, const struct ast_expr *ast)
{
	int taken = *ast->text == '1' ? 1 : 2;
	struct expr *value = build_value(builder, ast->operands[taken]);
	struct builder aside = *builder;
	struct statement scratch = *builder->statement;
	aside.statement = &scratch;
	scratch.accesses = NULL;
	scratch.access_count = 0;
	aside.capacity = 0;
	aside.guards[aside.guard_count++] = ast->operands[0];
	struct expr *other = build_value(&aside, ast->operands[3 - taken]);
	if (!other)
		take_over(builder, &aside);
	if (!value || !other)
		return NULL;
	struct type type = type_common(value->type, other->type);
	bool is_same = type.kind == value->type.kind;
	return is_same ? value : make_cast(builder, ast, type, value);
}

static struct expr *build_conditional(struct builder *builder, const struct ast_expr *ast)
{
	struct expr *operands[3];
	if (ast->text)
		return build_decided(builder, ast);
	for (int i = 0; i < 3; i++) {
		builder->guards[builder->guard_count] = ast->operands[0];
		builder->guard_count += i > 0;
		operands[i] = build_value(builder, ast->operands[i]);
		builder->guard_count -= i > 0;
	}
	if (!operands[0] || !operands[1] || !operands[2])
		return NULL;
	struct expr *expr = new_operation(builder, EXPR_CONDITIONAL, ast,
		type_common(operands[1]->type, operands[2]->type), 3);
	memcpy(expr->operands, operands, sizeof operands);
	return expr;
}

/* Calls. */

static bool prototype_function(struct builder *builder, const struct ast_expr *ast,
	struct symbol *symbol, struct header_function *function, struct type *parameters)
{
	struct sema *sema = builder->sema;
	const struct ast_declarator *prototype = symbol->prototype;
	if (symbol->is_definition && !strcmp(symbol->name, sema->function->name)) {
		builder_fail(builder, ast->location, "'%s' calls itself; recursion is not supported, write "
			"a loop", symbol->name);
		return false;
	}
	if (symbol->is_definition) {
		builder_fail(builder, ast->location, prototype->type.is_void
			? "'%s' is defined in this file and works on arrays; its loops must be written out here"
			: "'%s' is defined in this file: only what other files define can be called",
			symbol->name);
		return false;
	}
	if (prototype->type.is_void) {
		builder_fail(builder, ast->location, "'%s' returns nothing; call a function that returns "
			"the value", symbol->name);
		return false;
	}
	*function = (struct header_function){ .result = prototype->type.type,
		.parameter_count = (int)prototype->parameters.count };
	for (size_t i = 0; i < prototype->parameters.count; i++) {
		const struct ast_declarator *parameter = prototype->parameters.items[i];
		parameters[i] = parameter->type.type;
	}
	symbol->was_called = true;
	return true;
}

enum { PARAMETER_LIMIT = 64 };

static bool find_function(struct builder *builder, const struct ast_expr *ast,
	struct header_function *function, struct type *parameters)
{
	const struct ast_expr *callee = ast->operands[0];
	if (callee->kind != AST_NAME) {
		builder_fail(builder, ast->location, "only a function's name may be called");
		return false;
	}
	struct symbol *symbol = symbol_find(builder->sema, callee->text);
	if (symbol && symbol->kind == SYMBOL_FUNCTION)
		return prototype_function(builder, ast, symbol, function, parameters);
	if (symbol) {
		if (symbol->kind != SYMBOL_BAD)
			builder_fail(builder, callee->location, "'%s' is no function", callee->text);
		builder->failed = true;
		return false;
	}
	if (!header_function_find(callee->text, function)) {
		builder_fail(builder, callee->location, "function '%s' is not declared; write a prototype, "
			"such as float %s(float x); at the top", callee->text, callee->text);
		return false;
	}
	memcpy(parameters, function->parameters, sizeof function->parameters);
	if (preprocess_has_include(builder->sema->preprocessor, function->header))
		return true;
	builder_fail(builder, callee->location, "function '%s' is not declared; write #include %s",
		callee->text, function->header);
	return false;
}

static struct expr *build_call(struct builder *builder, const struct ast_expr *ast)
{
	struct header_function function;
	struct type parameters[PARAMETER_LIMIT];
	if (!find_function(builder, ast, &function, parameters))
		return NULL;
	int count = ast->operand_count - 1;
	if (count != function.parameter_count)
		return builder_fail(builder, ast->location, "'%s' takes %d argument%s and is given %d",
			ast->operands[0]->text, function.parameter_count,
			function.parameter_count == 1 ? "" : "s", count);
	struct expr *expr = new_operation(builder, EXPR_CALL, ast, function.result, count);
	expr->text = ast->operands[0]->text;
	for (int i = 0; i < count; i++) {
		struct expr *operand = build_value(builder, ast->operands[i + 1]);
		if (!operand)
			return NULL;
		bool is_same = operand->type.kind == parameters[i].kind;
		expr->operands[i] = is_same ? operand :
			make_cast(builder, ast->operands[i + 1], parameters[i], operand);
	}
	return expr;
}

struct expr *build_value(struct builder *builder, const struct ast_expr *ast)
{
	switch (ast->kind) {
	case AST_NUMBER:
		return build_number(builder, ast);
	case AST_NAME:
		return build_name(builder, ast);
	case AST_SUBSCRIPT:
		return build_access(builder, ast);
	case AST_CALL:
		return build_call(builder, ast);
	case AST_UNARY:
		return build_unary(builder, ast);
	case AST_BINARY:
		return build_binary(builder, ast);
	case AST_CONDITIONAL:
		return build_conditional(builder, ast);
	case AST_CAST:
		if (ast->type.is_void)
			return builder_fail(builder, ast->location, "a value cast to void has no value");
		return make_cast(builder, ast, ast->type.type, build_value(builder, ast->operands[0]));
	case AST_ASSIGN: case AST_STEP:
		return builder_fail(builder, ast->location, "'%s' changes a variable inside an expression; "
			"write it as a statement of its own",
			ast_expr_text(builder->sema->arena, ast));
	case AST_STRING: case AST_UNSUPPORTED:
		builder->failed = true;
		break;
	}
	return NULL;
}
