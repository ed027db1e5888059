/* Assignments: a statement, its accesses and the tree of its value. */

#include <stdarg.h>
#include <string.h>

#include <isl/ilp.h>
#include <isl/point.h>

#include "frontend/sema.h"
#include "ir/coalesce.h"

enum { SPLIT_GUARDS = 16 };

/* The statement that is being made. */
struct builder {
	struct sema *sema;
	struct statement *statement;
	size_t capacity;
	bool failed;
	/* The conditions of ?:, && and || that decide whether what is being built is
	 * evaluated, outermost first. */
	const struct ast_expr *guards[AST_DEPTH_LIMIT + 8];   /* ifs on data make values deeper */
	int guard_count;
	/* Those around the first subscript that is out of range if they are not looked
	 * at: to split the statement by. */
	const struct ast_expr *split_guards[SPLIT_GUARDS];
	int split_count;
};

static struct expr *build(struct builder *builder, const struct ast_expr *ast);

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

__attribute__((format(printf, 3, 4)))
static struct expr *fail(struct builder *builder, struct location at, const char *format, ...)
{
	char text[600];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	diag_error(builder->sema->diag, at, "%s", text);
	builder->failed = true;
	return NULL;
}

/* Accesses. */

/* The index of ACCESS among those of the statement; reads that are alike are one. */
static int add_access(struct builder *builder, struct access access)
{
	struct statement *statement = builder->statement;
	for (int i = 1; i < statement->access_count && !access.is_write; i++)
		if (access_is_same(&statement->accesses[i], &access, statement->depth))
			return i;
	access.index = statement->access_count;
	statement->accesses = arena_grow(builder->sema->arena, statement->accesses,
		(size_t)statement->access_count, &builder->capacity, sizeof access);
	statement->accesses[statement->access_count++] = access;
	return access.index;
}

/* "when i = 3 and j = 0", for a point of the domain. */
static const char *iteration_text(struct sema *sema, isl_point *point)
{
	const char *text = "";
	for (int i = 0; i < sema->depth; i++) {
		isl_val *val = isl_point_get_coordinate_val(point, isl_dim_set, i);
		text = arena_printf(sema->arena, "%s%s%s = %ld", text,
			i == 0 ? " when " : i + 1 < sema->depth ? ", " : " and ",
			sema->loops[i]->name, isl_val_get_num_si(val));
		isl_val_free(val);
	}
	return text;
}

/* ", N = 2" for every symbolic size. */
static const char *sizes_text(struct sema *sema, isl_point *point)
{
	const char *text = "";
	for (int k = 0; k < sema->function->symbolic_count; k++) {
		isl_val *val = isl_point_get_coordinate_val(point, isl_dim_param, k);
		text = arena_printf(sema->arena, "%s%s%s = %ld", text, k ? ", " : " if ",
			sema->function->symbolic[k]->name, isl_val_get_num_si(val));
		isl_val_free(val);
	}
	return text;
}

static wide affine_at(struct affine affine, isl_point *point, int depth)
{
	wide value = affine.constant;
	for (int i = 0; i < depth; i++) {
		isl_val *val = isl_point_get_coordinate_val(point, isl_dim_set, i);
		value += (wide)affine.coefficients[i] * isl_val_get_num_si(val);
		isl_val_free(val);
	}
	for (int k = 0; k < SYMBOLIC_LIMIT; k++) {
		if (!affine_size(affine, k))
			continue;
		isl_val *val = isl_point_get_coordinate_val(point, isl_dim_param, k);
		value += (wide)affine.sizes[k] * isl_val_get_num_si(val);
		isl_val_free(val);
	}
	return value;
}

/* AFFINE as isl's. */
static isl_pw_aff *affine_value(struct sema *sema, struct affine affine)
{
	isl_pw_aff *value = index_number(sema, affine.constant);
	for (int i = 0; i < sema->depth; i++)
		if (affine.coefficients[i])
			value = isl_pw_aff_add(value, isl_pw_aff_scale_val(index_iterator(sema, i),
				isl_val_int_from_si(sema->ctx, affine.coefficients[i])));
	for (int k = 0; k < sema->function->symbolic_count; k++)
		if (affine_size(affine, k))
			value = isl_pw_aff_add(value, isl_pw_aff_scale_val(
				index_size(sema, sema->function->symbolic[k]),
				isl_val_int_from_si(sema->ctx, affine_size(affine, k))));
	return value;
}

/* Iterations of the domain where AFFINE is not within [0, EXTENT). */
static isl_set *outside(struct sema *sema, struct affine affine, struct affine extent)
{
	isl_pw_aff *value = affine_value(sema, affine);
	extent.coefficients = ARENA_ARRAY(sema->arena, long, LOOP_DEPTH_LIMIT);
	isl_set *below = isl_pw_aff_lt_set(isl_pw_aff_copy(value), index_number(sema, 0));
	isl_set *above = isl_pw_aff_ge_set(value, affine_value(sema, extent));
	return isl_set_intersect(isl_set_union(below, above), isl_set_copy(sema->domain));
}

static void report_range(struct builder *builder, const struct ast_expr *ast, int dim,
	const struct array *array, struct affine affine, __isl_take isl_set *bad)
{
	struct sema *sema = builder->sema;
	bool is_bounded = isl_set_is_bounded(bad) == isl_bool_true;
	isl_point *point = isl_set_sample_point(is_bounded ? isl_set_lexmin(bad) : bad);
	wide value = affine_at(affine, point, sema->depth);
	struct affine shape = array->shape[dim];
	long extent = (long)affine_at(shape, point, 0);
	fail(builder, ast->location, "subscript %d of '%s' is %s%s%s; it must be from 0 to %ld",
		dim + 1, array->name, wide_text(sema->arena, value), iteration_text(sema, point),
		sizes_text(sema, point), extent - 1);
	diag_note(sema->diag, array->location, "'%s' has %ld element%s in this dimension; narrow "
		"the loop's bounds or put an if around the statement", array->name,
		extent, extent == 1 ? "" : "s");
	isl_point_free(point);
}

static bool is_inside(const struct sema *sema, struct affine affine, struct affine extent)
{
	if (affine_is_symbolic(affine) || affine_is_symbolic(extent))
		return false;
	wide min = affine.constant, max = affine.constant;
	for (int i = 0; i < sema->depth; i++) {
		wide coefficient = affine.coefficients[i];
		min += coefficient * (coefficient > 0 ? sema->min[i] : sema->max[i]);
		max += coefficient * (coefficient > 0 ? sema->max[i] : sema->min[i]);
	}
	return min >= 0 && max < extent.constant;
}

static void remember_guard(struct builder *builder, const struct ast_expr *guard)
{
	if (builder->split_count < SPLIT_GUARDS)
		builder->split_guards[builder->split_count++] = guard;
	/* of a && b either may decide alone, but only those on the left are split by */
	if (guard->kind != AST_BINARY || strcmp(guard->text, "&&"))
		return;
	remember_guard(builder, guard->operands[0]);
	if (guard->operands[1]->kind == AST_BINARY)
		remember_guard(builder, guard->operands[1]);
}

static void remember_guards(struct builder *builder)
{
	for (int i = 0; i < builder->guard_count; i++)
		remember_guard(builder, builder->guards[i]);
}

/* Checks that subscript DIM never leaves the array. */
static void check_range(struct builder *builder, const struct ast_expr *ast, int dim,
	const struct array *array, struct affine affine)
{
	struct sema *sema = builder->sema;
	if (sema->is_dead || is_inside(sema, affine, array->shape[dim]))
		return;
	isl_set *bad = outside(sema, affine, array->shape[dim]);
	isl_bool is_fine = isl_set_is_empty(bad);
	if (is_fine == isl_bool_false && builder->guard_count) {
		if (!builder->split_count)
			remember_guards(builder);
	} else if (is_fine == isl_bool_false) {
		report_range(builder, ast, dim, array, affine, isl_set_copy(bad));
	} else if (is_fine == isl_bool_error) {
		builder->failed = true;
	}
	isl_set_free(bad);
}

/* ARRAY[...][...] with its subscripts outermost first.  NULL: AST is no such thing. */
static const struct ast_expr *split_subscripts(const struct ast_expr *ast,
	const struct ast_expr *subscripts[ARRAY_RANK_LIMIT], int *count)
{
	const struct ast_expr *base = ast;
	*count = 0;
	for (; base->kind == AST_SUBSCRIPT; base = base->operands[0])
		++*count;
	int at = *count;
	for (base = ast; base->kind == AST_SUBSCRIPT; base = base->operands[0])
		if (--at < ARRAY_RANK_LIMIT)
			subscripts[at] = base->operands[1];
	return base->kind == AST_NAME ? base : NULL;
}

/* The condition of a c ? a : b in AST that is not decided yet. */
static const struct ast_expr *find_choice(const struct ast_expr *ast)
{
	if (ast->kind == AST_CONDITIONAL && !ast->text)
		return ast->operands[0];
	const struct ast_expr *found = NULL;
	for (int i = 0; i < ast->operand_count && !found; i++)
		found = find_choice(ast->operands[i]);
	return found;
}

static bool find_subscripts(struct builder *builder, const struct ast_expr *subscripts[],
	struct access *access)
{
	struct sema *sema = builder->sema;
	bool ok = true;
	for (int d = 0; d < access->array->rank; d++) {
		struct index index;
		sema->use = arena_printf(sema->arena, "a subscript of '%s'", access->array->name);
		if (!index_of(sema, subscripts[d], &index)) {
			builder->failed = true;
			ok = false;
			continue;
		}
		const struct ast_expr *choice;
		if (index_affine(sema, &index, &access->subscripts[d])) {
			check_range(builder, subscripts[d], d, access->array, access->subscripts[d]);
		} else if ((choice = find_choice(subscripts[d]))) {
			if (!builder->split_count)
				builder->split_guards[builder->split_count++] = choice;
			ok = false;
		} else {
			fail(builder, subscripts[d]->location, "a subscript of '%s' is not affine: "
				"'%s'; write sums of iterators times constants, and loop over blocks "
				"instead of dividing", access->array->name,
				ast_expr_text(sema->arena, subscripts[d]));
			ok = false;
		}
		index_free(&index);
	}
	return ok;
}

/* The access that AST is; access.array is NULL after an error. */
static struct access find_access(struct builder *builder, const struct ast_expr *ast,
	bool is_write)
{
	struct sema *sema = builder->sema;
	const struct ast_expr *subscripts[ARRAY_RANK_LIMIT];
	int count;
	const struct ast_expr *base = split_subscripts(ast, subscripts, &count);
	struct access access = { .is_write = is_write, .location = ast->location };
	struct symbol *symbol = base ? symbol_find(sema, base->text) : NULL;
	if (!base) {
		fail(builder, ast->location, "only an array may have a subscript");
	} else if (!symbol) {
		fail(builder, base->location, "'%s' is not declared; declare it as a parameter or "
			"a local variable", base->text);
	} else if (symbol->kind == SYMBOL_BAD) {
		builder->failed = true;
	} else if (symbol->kind != SYMBOL_ARRAY) {
		fail(builder, base->location, "'%s' is no array", base->text);
	} else if (symbol->array->rank != count) {
		fail(builder, ast->location, "'%s' has %d dimension%s and is given %d subscript%s; "
			"write '%s%s'", base->text, symbol->array->rank,
			symbol->array->rank == 1 ? "" : "s", count, count == 1 ? "" : "s", base->text,
			symbol->array->rank == 0 ? "" : symbol->array->rank == 1 ? "[i]" :
			symbol->array->rank == 2 ? "[i][j]" : "[i][j]...");
	} else {
		access.array = symbol->array;
		if (!find_subscripts(builder, subscripts, &access))
			access.array = NULL;
	}
	return access;
}

static struct expr *build_access(struct builder *builder, const struct ast_expr *ast)
{
	struct access access = find_access(builder, ast, false);
	if (!access.array)
		return NULL;
	struct expr *expr = new_expr(builder, EXPR_ACCESS, ast, access.array->type);
	expr->access = add_access(builder, access);
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
	if (!ok)
		return fail(builder, ast->location, "'%s' is too large for a value",
			ast_expr_text(sema->arena, ast));
	return build_affine(builder, ast, type, affine);
}

static struct expr *build_constant(struct builder *builder, const struct ast_expr *ast,
	const struct header_constant *constant)
{
	if (!preprocess_has_include(builder->sema->preprocessor, constant->header))
		return fail(builder, ast->location, "'%s' is not declared; write #include %s",
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
			return fail(builder, ast->location, "array '%s' has no subscript here; write "
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
		return fail(builder, ast->location, "'%s' is no number of C, or one of "
			"more than 64 bits", ast->text);
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

static struct expr *make_binary(struct builder *builder, const struct ast_expr *ast,
	const char *operator, struct expr *a, struct expr *b)
{
	if (!a || !b)
		return NULL;
	if (needs_integers(operator) && (type_is_float(a->type.kind) || type_is_float(b->type.kind)))
		return fail(builder, ast->location, "'%s' needs integers, and an operand is of type "
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
		return fail(builder, ast->location, "the comma operator is not supported; write two "
			"statements");
	struct expr *a = build(builder, ast->operands[0]);
	bool is_guard = !strcmp(ast->text, "&&") || !strcmp(ast->text, "||");
	if (is_guard)
		builder->guards[builder->guard_count++] = ast->operands[0];
	struct expr *b = build(builder, ast->operands[1]);
	builder->guard_count -= is_guard;
	return make_binary(builder, ast, ast->text, a, b);
}

static struct expr *build_unary(struct builder *builder, const struct ast_expr *ast)
{
	struct expr *operand = build(builder, ast->operands[0]);
	if (!operand)
		return NULL;
	if (needs_integers(ast->text) && type_is_float(operand->type.kind))
		return fail(builder, ast->location, "'%s' needs an integer, and its operand is of "
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

/* c ? a : b where it is known which is taken: that one alone, in their common type. */
static struct expr *build_decided(struct builder *builder, const struct ast_expr *ast)
{
	int taken = *ast->text == '1' ? 1 : 2;
	struct expr *value = build(builder, ast->operands[taken]);
	struct builder aside = *builder;
	struct statement scratch = *builder->statement;
	aside.statement = &scratch;
	scratch.accesses = NULL;
	scratch.access_count = 0;
	aside.capacity = 0;
	aside.guards[aside.guard_count++] = ast->operands[0];
	struct expr *other = build(&aside, ast->operands[3 - taken]);
	if (!value || !other) {
		builder->failed = true;
		return NULL;
	}
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
		operands[i] = build(builder, ast->operands[i]);
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
		fail(builder, ast->location, "'%s' calls itself; recursion is not supported, write "
			"a loop", symbol->name);
		return false;
	}
	if (symbol->is_definition) {
		fail(builder, ast->location, "'%s' is defined in this file and works on arrays; its "
			"loops must be written out here", symbol->name);
		return false;
	}
	if (prototype->type.is_void) {
		fail(builder, ast->location, "'%s' returns nothing; call a function that returns "
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
		fail(builder, ast->location, "only a function's name may be called");
		return false;
	}
	struct symbol *symbol = symbol_find(builder->sema, callee->text);
	if (symbol && symbol->kind == SYMBOL_FUNCTION)
		return prototype_function(builder, ast, symbol, function, parameters);
	if (symbol) {
		if (symbol->kind != SYMBOL_BAD)
			fail(builder, callee->location, "'%s' is no function", callee->text);
		builder->failed = true;
		return false;
	}
	if (!header_function_find(callee->text, function)) {
		fail(builder, callee->location, "function '%s' is not declared; write a prototype, "
			"such as float %s(float x); at the top", callee->text, callee->text);
		return false;
	}
	memcpy(parameters, function->parameters, sizeof function->parameters);
	if (preprocess_has_include(builder->sema->preprocessor, function->header))
		return true;
	fail(builder, callee->location, "function '%s' is not declared; write #include %s",
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
		return fail(builder, ast->location, "'%s' takes %d argument%s and is given %d",
			ast->operands[0]->text, function.parameter_count,
			function.parameter_count == 1 ? "" : "s", count);
	struct expr *expr = new_operation(builder, EXPR_CALL, ast, function.result, count);
	expr->text = ast->operands[0]->text;
	for (int i = 0; i < count; i++) {
		struct expr *operand = build(builder, ast->operands[i + 1]);
		if (!operand)
			return NULL;
		bool is_same = operand->type.kind == parameters[i].kind;
		expr->operands[i] = is_same ? operand :
			make_cast(builder, ast->operands[i + 1], parameters[i], operand);
	}
	return expr;
}

static struct expr *build(struct builder *builder, const struct ast_expr *ast)
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
			return fail(builder, ast->location, "a value cast to void has no value");
		return make_cast(builder, ast, ast->type.type, build(builder, ast->operands[0]));
	case AST_ASSIGN: case AST_STEP:
		return fail(builder, ast->location, "'%s' changes a variable inside an expression; "
			"write it as a statement of its own",
			ast_expr_text(builder->sema->arena, ast));
	case AST_STRING: case AST_UNSUPPORTED:
		builder->failed = true;
		break;
	}
	return NULL;
}

/* Statements. */

static void check_target(struct builder *builder, const struct ast_expr *target)
{
	const struct ast_expr *base = target;
	while (base->kind == AST_SUBSCRIPT)
		base = base->operands[0];
	if (base->kind == AST_UNSUPPORTED) {
		builder->failed = true;
		return;
	}
	if (base->kind != AST_NAME) {
		fail(builder, target->location, "'%s' cannot be assigned to; write a variable or an "
			"array's element on the left",
			ast_expr_text(builder->sema->arena, target));
		return;
	}
	const struct symbol *symbol = symbol_find(builder->sema, base->text);
	if (!symbol)
		return;
	if (symbol->kind == SYMBOL_ITERATOR)
		fail(builder, target->location, "'%s' is a loop's iterator; only its for may change "
			"it", symbol->name);
	else if (symbol->kind == SYMBOL_INDEX)
		fail(builder, target->location, "'%s' is a size or a constant and cannot be assigned "
			"to; use a variable of its own", symbol->name);
	else if (symbol->kind == SYMBOL_ARRAY && symbol->array->is_parameter &&
		 symbol->array->by_value)
		fail(builder, target->location, "'%s' is a parameter by value and cannot be "
			"assigned to; use a local variable, or an array %s[1] for a result",
			symbol->name, symbol->name);
	else if (symbol->kind == SYMBOL_ARRAY && symbol->array->is_const)
		fail(builder, target->location, "'%s' is const and cannot be written; drop const "
			"from its declaration", symbol->name);
}

static struct statement *new_statement(struct sema *sema, struct location at)
{
	struct statement *statement = ARENA_NEW(sema->arena, struct statement);
	statement->index = sema->function->statement_count;
	statement->name = arena_printf(sema->arena, "S%d", statement->index);
	statement->location = at;
	statement->depth = sema->depth;
	memcpy(statement->loops, sema->loops, sizeof statement->loops);
	return statement;
}

/* The domain of STATEMENT and what follows from it. */
static void set_domain(struct sema *sema, struct statement *statement, __isl_take isl_set *domain)
{
	statement_set_domain(sema->arena, statement, domain);
	for (int i = 0; i < statement->access_count; i++)
		access_make_map(sema->arena, statement, &statement->accesses[i]);
}

/* The value of STATEMENT, if it is nothing but an access: that; else NULL. */
static const struct access *copied_access(const struct statement *statement)
{
	const struct expr *value = statement->value;
	while (value->kind == EXPR_CAST && type_is_within(value->operands[0]->type, value->type))
		value = value->operands[0];
	return value->kind == EXPR_ACCESS ? &statement->accesses[value->access] : NULL;
}

/* A[j][i] = A[i][j] for j >= i does nothing where i = j; without those instances what is
 * read and what is written are apart.  The domain must stay in one piece.  False if nothing
 * is left. */
static bool drop_copies_onto_itself(struct sema *sema, struct statement *statement)
{
	const struct access *copied = copied_access(statement);
	if (!copied || copied->array != statement->accesses[0].array)
		return true;
	isl_map *to = statement->accesses[0].map;
	isl_set *same = isl_map_domain(isl_map_intersect(isl_map_copy(to), isl_map_copy(copied->map)));
	isl_set *rest = set_coalesce(isl_set_subtract(isl_set_copy(statement->domain), same));
	bool is_left = isl_set_is_empty(rest) != isl_bool_true;
	if (is_left && isl_set_n_basic_set(rest) == 1)
		set_domain(sema, statement, rest);
	else
		isl_set_free(rest);
	return is_left;
}

static void finish_statement(struct sema *sema, struct statement *statement)
{
	bool is_associative = sema->is_associative;
	sema->is_associative = false;
	statement->position = (*sema->position)++;
	if (sema->is_dead)
		return;
	set_domain(sema, statement, isl_set_copy(sema->domain));
	if (!drop_copies_onto_itself(sema, statement))
		return;
	statement->reduction = statement_reduction(statement, is_associative);
	if (is_associative && statement->reduction != REDUCTION_USER)
		diag_error(sema->diag, statement->location, "'#pragma loopc associative' stands "
			"before what is not x = f(x, y), with a y that never reads x; leave it out");
	struct function *function = sema->function;
	function->statements = arena_grow(sema->arena, function->statements,
		(size_t)function->statement_count, &sema->statement_capacity,
		sizeof(struct statement *));
	function->statements[function->statement_count++] = statement;
}

/* An assignment as it stands in the source, with ?: replaced where it was decided. */
struct store {
	struct location location;
	const struct ast_expr *target, *value;
	const char *operator;
};

static void lower_once(struct sema *sema, struct store store, int splits);

/* AST with the conditional (or && and ||) that GUARD decides replaced by the arm
 * for which GUARD is TRUTH. */
static struct ast_expr *resolve(struct sema *sema, const struct ast_expr *ast,
	const struct ast_expr *guard, bool truth)
{
	struct ast_expr *copy = ARENA_NEW(sema->arena, struct ast_expr);
	*copy = *ast;
	if (ast->operand_count && ast->operands[0] == guard) {
		static const char *const digits[] = { "0", "1" };
		struct ast_expr *digit = ast_leaf(sema->arena, AST_NUMBER, guard->location,
			digits[truth && ast->kind != AST_CONDITIONAL && *ast->text == '|']);
		if (ast->kind == AST_CONDITIONAL)
			copy->text = digits[truth];
		else if (truth == (*ast->text == '|'))
			copy = digit;
		else
			copy = ast_node(sema->arena, AST_BINARY, ast->location, "!=",
				ast->operands[1], digit, NULL);
		return copy;
	}
	copy->operands = ARENA_ARRAY(sema->arena, struct ast_expr *, ast->operand_count);
	for (int i = 0; i < ast->operand_count; i++)
		copy->operands[i] = resolve(sema, ast->operands[i], guard, truth);
	return copy;
}

enum { SPLIT_LIMIT = 6 };

/* A subscript is out of range where C would not evaluate it: makes two statements,
 * one for the iterations in which GUARD holds and one for the others. */
static bool split(struct sema *sema, struct store store, const struct ast_expr *guard,
	int splits)
{
	sema->is_quiet = true;
	isl_set *where = index_condition(sema, guard);
	sema->is_quiet = false;
	if (!where)
		return false;
	isl_set *domain = sema->domain;
	bool was_dead = sema->is_dead;
	for (int truth = 1; truth >= 0; truth--) {
		struct store part = store;
		part.value = resolve(sema, store.value, guard, truth);
		part.target = resolve(sema, store.target, guard, truth);
		sema->domain = (truth ? isl_set_intersect : isl_set_subtract)(isl_set_copy(domain),
			isl_set_copy(where));
		sema->is_dead = was_dead || isl_set_is_empty(sema->domain) == isl_bool_true;
		lower_once(sema, part, splits + 1);
		isl_set_free(sema->domain);
	}
	sema->domain = domain;
	sema->is_dead = was_dead;
	isl_set_free(where);
	return true;
}

static void build_statement(struct builder *builder, struct store store)
{
	check_target(builder, store.target);
	if (builder->failed)
		return;
	struct access target = find_access(builder, store.target, true);
	if (target.array)
		add_access(builder, target);
	struct expr *left = NULL;
	if (store.operator && target.array)
		left = build_access(builder, store.target);
	struct expr *right = build(builder, store.value);
	if (!target.array || !right)
		return;
	struct ast_expr at = { .location = store.location };
	builder->statement->value = store.operator ?
		make_binary(builder, &at, store.operator, left, right) : right;
}

static void lower_once(struct sema *sema, struct store store, int splits)
{
	struct builder builder = { .sema = sema, .statement = new_statement(sema, store.location) };
	build_statement(&builder, store);
	if (builder.failed || sema_isl_failed(sema, store.location))
		return;
	for (int i = 0; i < builder.split_count && splits < SPLIT_LIMIT; i++)
		if (split(sema, store, builder.split_guards[i], splits))
			return;
	if (builder.split_count)
		diag_error(sema->diag, builder.split_guards[0]->location, "a subscript leaves its array unless "
			"this condition is looked at first; write an if on iterators and sizes around "
			"the statement");
	else if (builder.statement->value)
		finish_statement(sema, builder.statement);
}

/* What AST is once it is assigned to something of TYPE. */
static struct ast_expr *assigned(struct sema *sema, const struct ast_expr *ast, struct type type)
{
	struct ast_expr *cast = ast_node(sema->arena, AST_CAST, ast->location, "=",
		(struct ast_expr *)ast, NULL, NULL);
	cast->type.type = type;
	return cast;
}

/* The variable that TARGET is, or is an element of; NULL: none that can be written. */
static const struct symbol *target_symbol(const struct sema *sema, const struct ast_expr *target)
{
	while (target->kind == AST_SUBSCRIPT)
		target = target->operands[0];
	const struct symbol *symbol = target->kind == AST_NAME ? symbol_find(sema, target->text) : NULL;
	return symbol && symbol->kind == SYMBOL_ARRAY ? symbol : NULL;
}

/* CONDITION ? FIRST : SECOND as something of TYPE. */
static struct ast_expr *choice(struct sema *sema, const struct ast_expr *condition,
	const struct ast_expr *first, const struct ast_expr *second, struct type type)
{
	return ast_node(sema->arena, AST_CONDITIONAL, condition->location, NULL,
		(struct ast_expr *)condition, assigned(sema, first, type),
		assigned(sema, second, type));
}

static const struct ast_expr *plain_value(struct sema *sema, const struct ast_expr *target,
	const char *operator, const struct ast_expr *value)
{
	return operator ? ast_node(sema->arena, AST_BINARY, value->location, operator,
		(struct ast_expr *)target, (struct ast_expr *)value, NULL) : value;
}

void lower_store(struct sema *sema, struct location at, const struct ast_expr *target,
	const char *operator, const struct ast_expr *value)
{
	const struct symbol *symbol = target_symbol(sema, target);
	if (sema->guard && symbol) {
		value = choice(sema, sema->guard, plain_value(sema, target, operator, value), target,
			symbol->array->type);
		operator = NULL;
	}
	lower_once(sema, (struct store){ at, target, value, operator }, 0);
}

void lower_initial(struct sema *sema, const struct ast_expr *target, const struct ast_expr *value)
{
	const struct symbol *symbol = target_symbol(sema, target);
	if (sema->guard && symbol)
		value = choice(sema, sema->guard, value,
			ast_leaf(sema->arena, AST_NUMBER, value->location, "0"), symbol->array->type);
	lower_once(sema, (struct store){ target->location, target, value, NULL }, 0);
}

/* The target, operator and value of the assignment, or step, AST. */
static struct store store_of(struct sema *sema, const struct ast_expr *ast)
{
	static const char *const operators[][2] = { { "+=", "+" }, { "-=", "-" }, { "*=", "*" },
		{ "/=", "/" }, { "%=", "%" }, { "<<=", "<<" }, { ">>=", ">>" }, { "&=", "&" },
		{ "^=", "^" }, { "|=", "|" } };
	struct store store = { .location = ast->location, .target = ast->operands[0] };
	if (ast->kind == AST_STEP) {
		store.value = ast_leaf(sema->arena, AST_NUMBER, ast->location, "1");
		store.operator = *ast->text == '+' ? "+" : "-";
		return store;
	}
	store.value = ast->operands[1];
	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
		if (!strcmp(operators[i][0], ast->text))
			store.operator = operators[i][1];
	return store;
}

void lower_choice(struct sema *sema, const struct ast_expr *condition,
	const struct ast_expr *first, const struct ast_expr *second)
{
	struct store a = store_of(sema, first), b = store_of(sema, second);
	const struct symbol *symbol = target_symbol(sema, a.target);
	struct type type = symbol ? symbol->array->type : (struct type){ TYPE_INT32, 4, "int" };
	lower_store(sema, a.location, a.target, NULL, choice(sema, condition,
		plain_value(sema, a.target, a.operator, a.value),
		plain_value(sema, b.target, b.operator, b.value), type));
}

void lower_assignment(struct sema *sema, const struct ast_expr *ast)
{
	struct store store = store_of(sema, ast);
	if (store.value->kind == AST_ASSIGN) {
		lower_assignment(sema, store.value);
		store.value = store.value->operands[0];
	}
	lower_store(sema, store.location, store.target, store.operator, store.value);
}
