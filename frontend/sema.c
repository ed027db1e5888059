/* Functions, what stands beside them in a file, and the statements that only hold others. */

#include "frontend/sema.h"

#include <string.h>

/* Statements. */

static void lower_expression(struct sema *sema, const struct ast_expr *ast)
{
	if (ast->kind == AST_BINARY && !strcmp(ast->text, ",")) {
		lower_expression(sema, ast->operands[0]);
		lower_expression(sema, ast->operands[1]);
	} else if (ast->kind == AST_ASSIGN || ast->kind == AST_STEP) {
		lower_assignment(sema, ast);
	} else if (ast->kind == AST_CALL) {
		diag_error(sema->diag, ast->location, "the result of '%s' is not used; assign it, "
			"such as y = %s", ast_expr_text(sema->arena, ast),
			ast_expr_text(sema->arena, ast));
	} else if (ast->kind == AST_CAST && ast->type.is_void) {
		const struct ast_expr *operand = ast->operands[0];
		if (operand->kind != AST_NAME || !symbol_find(sema, operand->text))
			diag_error(sema->diag, ast->location, "only a parameter may be cast to void");
	} else if (ast->kind != AST_UNSUPPORTED) {
		diag_error(sema->diag, ast->location, "'%s' changes nothing; write an assignment",
			ast_expr_text(sema->arena, ast));
	}
}

/* #pragma loopc TEXT before STMT. */
static void lower_pragma(struct sema *sema, const struct ast_stmt *stmt)
{
	if (!strcmp(stmt->text, "associative")) {
		if (stmt->body->kind != AST_EXPRESSION)
			diag_error(sema->diag, stmt->location, "#pragma loopc associative belongs before "
				"an assignment x = f(x, y)");
		sema->is_associative = stmt->body->kind == AST_EXPRESSION;
		lower_stmt(sema, stmt->body);
		sema->is_associative = false;
		return;
	}
	const struct ast_stmt *target = stmt->body;
	while (target->kind == AST_PRAGMA)
		target = target->body;
	struct function *function = sema->function;
	if (target->kind != AST_FOR || sema->depth > 0) {
		diag_error(sema->diag, stmt->location, "#pragma loopc %s belongs before an outermost "
			"for loop, or before the function", stmt->text);
		lower_stmt(sema, stmt->body);
		return;
	}
	int loop = function->loop_count, pragma = function->pragma_count++;
	function->pragmas = arena_grow(sema->arena, function->pragmas, (size_t)pragma,
		&sema->pragma_capacity, sizeof(struct pragma));
	function->pragmas[pragma] = (struct pragma){ .text = stmt->text,
		.location = stmt->location };
	lower_stmt(sema, stmt->body);
	if (function->loop_count > loop)
		function->pragmas[pragma].loop = function->loops[loop];
}

static void lower_block(struct sema *sema, const struct ast_stmt *stmt)
{
	struct symbol *scope = sema->symbols;
	for (size_t i = 0; i < stmt->items.count && !diag_full(sema->diag); i++) {
		const struct ast_stmt *item = stmt->items.items[i];
		if (item->kind == AST_DECLARATION) {
			for (size_t j = 0; j < item->items.count; j++) {
				const struct ast_declarator *declarator = item->items.items[j];
				if (!declarator->type.is_typedef)
					declare_local(sema, declarator, scope);
			}
		} else {
			lower_stmt(sema, item);
		}
	}
	sema->symbols = scope;
}

void lower_stmt(struct sema *sema, const struct ast_stmt *stmt)
{
	if (sema->has_isl_failed || diag_full(sema->diag))
		return;
	switch (stmt->kind) {
	case AST_BLOCK:
		lower_block(sema, stmt);
		break;
	case AST_FOR:
		lower_for(sema, stmt);
		break;
	case AST_IF:
		lower_if(sema, stmt);
		break;
	case AST_EXPRESSION:
		lower_expression(sema, stmt->condition);
		break;
	case AST_ENUM:
		lower_enum(sema, stmt);
		break;
	case AST_PRAGMA:
		lower_pragma(sema, stmt);
		break;
	case AST_RETURN:
		if (stmt->condition && sema->returns_value)
			break;               /* said of the function */
		diag_error(sema->diag, stmt->location, stmt->condition ?
			"a function of a .loop file returns no value; write the result to an array" :
			"a return before the function's end is not supported; put what follows into "
			"an if");
		break;
	case AST_DECLARATION: case AST_EMPTY:
		break;
	}
}

/* Functions. */

/* Drops the locals of loops without any statement, of which none uses them. */
static void prune_locals(struct function *function, const struct loop *unused)
{
	int count = 0;
	for (int i = 0; i < function->array_count; i++) {
		struct array *array = function->arrays[i];
		if (array->scope == unused)
			continue;
		array->index = count;
		function->arrays[count++] = array;
	}
	function->array_count = count;
}

/* Drops loops without any statement: passes need not think of them. */
static void prune_loops(struct function *function)
{
	int count = 0;
	for (int i = 0; i < function->loop_count; i++) {
		struct loop *loop = function->loops[i];
		bool is_used = false;
		for (int j = 0; j < function->statement_count && !is_used; j++)
			is_used = loop->depth < function->statements[j]->depth &&
				function->statements[j]->loops[loop->depth] == loop;
		for (int j = 0; j < function->pragma_count && !is_used; j++)
			if (function->pragmas[j].loop == loop) {
				function->pragma_count--;
				memmove(&function->pragmas[j], &function->pragmas[j + 1],
					sizeof(struct pragma) * (size_t)(function->pragma_count - j));
				j--;
			}
		if (!is_used) {
			prune_locals(function, loop);
			continue;
		}
		loop->index = count;
		function->loops[count++] = loop;
	}
	function->loop_count = count;
}

static void begin_function(struct sema *sema, const struct ast_function *ast)
{
	const struct ast_declarator *head = ast->declarator;
	struct function *function = ARENA_NEW(sema->arena, struct function);
	struct program *program = sema->program;
	*function = (struct function){ .name = head->name, .location = head->location,
		.is_static = head->type.is_static };
	function->parameters = ARENA_ARRAY(sema->arena, struct parameter, head->parameters.count);
	sema->function = function;
	sema->array_capacity = sema->loop_capacity = sema->statement_capacity = 0;
	sema->pragma_capacity = sema->size_capacity = 0;
	program->functions = arena_grow(sema->arena, program->functions,
		(size_t)program->function_count, &sema->function_capacity, sizeof function);
	program->functions[program->function_count++] = function;
	for (size_t i = 0; i < ast->pragmas.count; i++) {
		const struct ast_stmt *pragma = ast->pragmas.items[i];
		function->pragmas = arena_grow(sema->arena, function->pragmas,
			(size_t)function->pragma_count, &sema->pragma_capacity, sizeof(struct pragma));
		function->pragmas[function->pragma_count++] = (struct pragma){
			.text = pragma->text, .location = pragma->location };
	}
}

static bool is_void_list(const struct ast_list *parameters)
{
	const struct ast_declarator *only = parameters->count == 1 ? parameters->items[0] : NULL;
	return only && only->type.is_void && !only->name && !only->pointer_count;
}

static void lower_function(struct sema *sema, const struct ast_function *ast)
{
	const struct ast_declarator *head = ast->declarator;
	const struct symbol *other = symbol_find(sema, head->name);
	if (other && (other->kind != SYMBOL_FUNCTION || other->is_definition)) {
		diag_error(sema->diag, head->location, "'%s' is declared twice; use another name",
			head->name);
		diag_note(sema->diag, other->location, "it was declared here");
	}
	struct symbol *symbol = symbol_add(sema, SYMBOL_FUNCTION, head->name, head->location);
	symbol->prototype = head;
	symbol->is_definition = true;
	sema->returns_value = !head->type.is_void || head->pointer_count;
	if (sema->returns_value)
		diag_error(sema->diag, head->location, "function '%s' returns a value, which functions of a "
			".loop file do not: write the result to an array, or, if others call it, make it a "
			"macro, or declare it here and define it in a C file", head->name);
	sema_collect_names(sema, ast);
	begin_function(sema, ast);
	struct symbol *scope = sema->symbols;
	isl_set *domain = isl_set_copy(sema->domain);
	for (size_t i = 0; i < head->parameters.count && !is_void_list(&head->parameters); i++) {
		const struct ast_declarator *parameter = head->parameters.items[i];
		if (parameter->name)
			declare_check(sema, scope, parameter->name, parameter->location);
		declare_parameter(sema, parameter);
	}
	assume_elements(sema);
	int position = 0;
	sema->position = &position;
	const struct ast_stmt *body = ast->body;
	size_t last = body->items.count;
	const struct ast_stmt *end = last ? body->items.items[last - 1] : NULL;
	struct ast_stmt trimmed = *body;
	if (end && end->kind == AST_RETURN && !end->condition)
		trimmed.items.count--;
	lower_block(sema, &trimmed);
	sema->symbols = scope;
	isl_set_free(sema->domain);
	sema->domain = domain;
	narrow_domains(sema);
	prune_loops(sema->function);
}

/* Prototypes and constants at file level. */

static const char *type_text(struct sema *sema, const struct ast_type *type)
{
	return type->is_void ? "void" : arena_strdup(sema->arena, type->type.name);
}

static const char *prototype_text(struct sema *sema, const struct ast_declarator *declarator)
{
	const char *text = arena_printf(sema->arena, "%s %s(", type_text(sema, &declarator->type),
		declarator->name);
	for (size_t i = 0; i < declarator->parameters.count; i++) {
		const struct ast_declarator *parameter = declarator->parameters.items[i];
		text = arena_printf(sema->arena, "%s%s%s%s%s", text, i ? ", " : "",
			type_text(sema, &parameter->type), parameter->name ? " " : "",
			parameter->name ? parameter->name : "");
	}
	return arena_printf(sema->arena, "%s%s);", text,
		declarator->parameters.count ? "" : "void");
}

static void add_prototype(struct sema *sema, const struct ast_declarator *declarator)
{
	bool ok = !declarator->pointer_count && declarator->parameters.count <= 16;
	struct ast_declarator *copy = ARENA_NEW(sema->arena, struct ast_declarator);
	*copy = *declarator;
	if (is_void_list(&declarator->parameters))
		copy->parameters.count = 0;
	for (size_t i = 0; i < copy->parameters.count; i++) {
		const struct ast_declarator *parameter = copy->parameters.items[i];
		ok &= !parameter->pointer_count && !parameter->extents.count &&
			!parameter->type.is_void && !parameter->is_function;
	}
	if (!ok && !declarator->type.is_void)
		diag_error(sema->diag, declarator->location, "function '%s' must take and return "
			"numbers, at most 16", declarator->name);
	struct symbol *symbol = symbol_add(sema, ok ? SYMBOL_FUNCTION : SYMBOL_BAD,
		declarator->name, declarator->location);
	symbol->prototype = copy;
}

static void lower_file_declaration(struct sema *sema, const struct ast_stmt *stmt)
{
	for (size_t i = 0; i < stmt->items.count; i++) {
		const struct ast_declarator *declarator = stmt->items.items[i];
		if (declarator->type.is_typedef)
			continue;
		if (declarator->is_function) {
			add_prototype(sema, declarator);
			continue;
		}
		declare_check(sema, NULL, declarator->name, declarator->location);
		struct index index;
		sema->use = arena_printf(sema->arena, "the value of '%s'", declarator->name);
		bool is_constant = declarator->type.is_const && declarator->initial &&
			!declarator->extents.count && !type_is_float(declarator->type.type.kind);
		if (!is_constant)
			diag_error(sema->diag, declarator->location, "'%s' is declared outside of all "
				"functions; pass it as a parameter, or make it an enum constant",
				declarator->name);
		if (is_constant && index_of(sema, declarator->initial, &index)) {
			if (index_convert(sema, &index, declarator->type.type, declarator->initial)) {
				declare_constant(sema, declarator->name, declarator->location, index.type,
					index.min);
				index_free(&index);
				continue;
			}
			index_free(&index);
		}
		symbol_add(sema, SYMBOL_BAD, declarator->name, declarator->location);
	}
}

/* Functions that statements call, in the order of their declaration. */
static void add_called(struct sema *sema)
{
	struct program *program = sema->program;
	struct ast_list called = { 0 };
	for (struct symbol *symbol = sema->symbols; symbol; symbol = symbol->outer)
		if (symbol->kind == SYMBOL_FUNCTION && symbol->was_called)
			ast_append(sema->arena, &called, symbol);
	program->prototypes = ARENA_ARRAY(sema->arena, struct prototype, called.count);
	for (size_t i = called.count; i-- > 0;) {
		const struct symbol *symbol = called.items[i];
		program->prototypes[program->prototype_count++] = (struct prototype){
			.text = prototype_text(sema, symbol->prototype), .name = symbol->name };
	}
}

static void add_includes(struct sema *sema)
{
	const struct ast_list *includes = preprocess_includes(sema->preprocessor);
	struct program *program = sema->program;
	program->includes = ARENA_ARRAY(sema->arena, const char *, includes->count);
	for (size_t i = 0; i < includes->count; i++)
		if (strcmp(includes->items[i], "<stdint.h>"))
			program->includes[program->include_count++] = includes->items[i];
}

/* Names that the file does not have are no macros for C compilers either: it may use them for something else. */
static void find_unused_bindings(struct sema *sema)
{
	struct program *program = sema->program;
	program->unused = ARENA_ARRAY(sema->arena, const char *, sema->binding_count + 1);
	for (int i = 0; i < sema->binding_count; i++) {
		if (sema->binding_was_used[i] || preprocess_is_macro(sema->preprocessor, sema->bindings[i].name))
			continue;
		program->unused[program->unused_count++] = sema->bindings[i].name;
		diag_warning(sema->diag, (struct location){ .file = program->file },
			"unused-define", "-D %s: the file has no size and no macro of that name",
			sema->bindings[i].name);
	}
}

/* --symbolic names sizes, not macros, and only what the file has. */
static void check_symbolic(struct sema *sema)
{
	const struct program *program = sema->program;
	for (int i = 0; i < sema->binding_count; i++) {
		bool is_size = !sema->bindings[i].is_symbolic;
		for (int f = 0; f < program->function_count && !is_size; f++)
			for (int s = 0; s < program->functions[f]->size_count; s++)
				is_size |= !strcmp(program->functions[f]->sizes[s]->name,
					sema->bindings[i].name);
		if (!is_size)
			diag_error(sema->diag, (struct location){ .file = program->file },
				"--symbolic=%s: no function has a size '%s'; make it a parameter, as "
				"in void f(int %s, ...)", sema->bindings[i].name,
				sema->bindings[i].name, sema->bindings[i].name);
	}
}

static void lower_item(struct sema *sema, const struct ast_item *item)
{
	if (item->kind == AST_ITEM_FUNCTION)
		lower_function(sema, item->function);
	else if (item->kind == AST_ITEM_ENUM)
		lower_enum(sema, item->stmt);
	else
		lower_file_declaration(sema, item->stmt);
}

struct program *sema_lower(struct arena *arena, isl_ctx *ctx, struct diag *diag,
	const struct preprocessor *preprocessor, const struct ast_file *file, const char *name,
	const struct binding *bindings, int binding_count)
{
	struct sema sema = { .arena = arena, .ctx = ctx, .diag = diag,
		.preprocessor = preprocessor, .bindings = bindings, .binding_count = binding_count };
	struct program *program = sema.program = ARENA_NEW(arena, struct program);
	program->arena = arena;
	program->ctx = ctx;
	program->file = name;
	sema.binding_was_used = ARENA_ARRAY(arena, bool, binding_count);
	sema.domain = isl_set_universe(isl_space_set_alloc(ctx, 0, 0));
	for (size_t i = 0; i < file->items.count && !diag_full(diag); i++)
		lower_item(&sema, file->items.items[i]);
	if (!program->function_count && !diag_error_count(diag))
		diag_error(diag, (struct location){ .file = name }, "the file defines no function");
	add_called(&sema);
	add_includes(&sema);
	if (!diag_error_count(diag))
		check_symbolic(&sema);
	if (!diag_error_count(diag)) {
		find_unused_bindings(&sema);
		warn_uninitialized(&sema);
	}
	isl_set_free(sema.domain);
	return program;
}
