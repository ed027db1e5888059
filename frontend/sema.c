/* Declarations, functions and the statements that only hold others. */

#include "frontend/sema.h"

#include <stdint.h>
#include <string.h>

static const struct type type_int = { TYPE_INT32, 4, "int" };

/* Arithmetic on sizes up to here and small constants stays within an int. */
enum { SYMBOLIC_SIZE_MAX = 1 << 28 };

static void release_pw_aff(void *value)
{
	isl_pw_aff_free(value);
}

/* The number that -D gives NAME; false after an error or without one. */
static bool binding_value(struct sema *sema, const char *name, struct location at, wide *value)
{
	const struct binding *binding = sema_binding(sema, name);
	if (!binding)
		return false;
	bool is_negative = *binding->value == '-';
	unsigned long magnitude;
	struct type type;
	if (!integer_of_number(binding->value + is_negative, &magnitude, &type)) {
		diag_error(sema->diag, at, "-D %s=%s gives no integer of 64 bits", name,
			binding->value);
		*value = 1;
		return true;
	}
	*value = is_negative ? -(wide)magnitude : (wide)magnitude;
	return true;
}

/* A name for VALUE of TYPE. */
static struct symbol *add_constant(struct sema *sema, const char *name, struct location at,
	struct type type, wide value)
{
	struct symbol *symbol = symbol_add(sema, SYMBOL_INDEX, name, at);
	symbol->type = type;
	symbol->min = symbol->max = value;
	symbol->depth = sema->depth;
	symbol->value = arena_own(sema->arena, index_number(sema, value), release_pw_aff);
	return symbol;
}

static bool is_declared_here(const struct sema *sema, const struct symbol *scope, const char *name)
{
	for (const struct symbol *symbol = sema->symbols; symbol && symbol != scope;
	     symbol = symbol->outer)
		if (!strcmp(symbol->name, name))
			return true;
	return false;
}

static void check_new(struct sema *sema, const struct symbol *scope, const char *name,
	struct location at)
{
	if (!is_declared_here(sema, scope, name))
		return;
	diag_error(sema->diag, at, "'%s' is declared twice; use another name", name);
	diag_note(sema->diag, symbol_find(sema, name)->location, "it was declared here");
}

static void lower_enum(struct sema *sema, const struct ast_stmt *stmt)
{
	wide next = 0;
	for (size_t i = 0; i < stmt->items.count; i++) {
		const struct ast_enumerator *enumerator = stmt->items.items[i];
		struct type type;
		long value = (long)next;
		sema->use = "the value of an enum constant";
		if (enumerator->value && !index_constant(sema, enumerator->value, &type, &value))
			value = 1;
		if (value > INT32_MAX || value < INT32_MIN) {
			diag_error(sema->diag, enumerator->location, "enum constant '%s' is %ld, which "
				"does not fit int; use #define", enumerator->name, value);
			value = 1;
		}
		check_new(sema, NULL, enumerator->name, enumerator->location);
		add_constant(sema, enumerator->name, enumerator->location, type_int, value);
		next = (wide)value + 1;
	}
}

/* The values that symbolic sizes are tuned for. */
static const long *sema_size_values(struct sema *sema)
{
	long *values = ARENA_ARRAY(sema->arena, long, SYMBOLIC_LIMIT);
	for (int k = 0; k < sema->function->symbolic_count; k++)
		values[k] = sema->function->symbolic[k]->value;
	return values;
}

/* Arrays. */

/* A name that no other array of the function has. */
static const char *unique_name(struct sema *sema, const char *name)
{
	const char *result = name;
	for (int number = 2;; number++) {
		bool is_used = false;
		for (int i = 0; i < sema->function->array_count && !is_used; i++)
			is_used = !strcmp(sema->function->arrays[i]->name, result);
		for (int i = 0; i < sema->function->size_count && !is_used; i++)
			is_used = !strcmp(sema->function->sizes[i]->name, result);
		if (!is_used)
			return result;
		result = arena_printf(sema->arena, "%s_%d", name, number);
	}
}

/* An extent that depends on symbolic sizes; those that make it 0 are no values of theirs.
 * False, with nothing said, if AST is something else. */
static bool find_symbolic_extent(struct sema *sema, const struct ast_expr *ast,
	struct affine *shape)
{
	struct index index;
	bool was_quiet = sema->is_quiet;
	if (!sema->function->symbolic_count)
		return false;
	sema->is_quiet = true;
	bool known = index_of(sema, ast, &index);
	sema->is_quiet = was_quiet;
	if (!known)
		return false;
	known = !index_is_constant(&index) && index_affine(sema, &index, shape);
	for (int i = 0; known && i < sema->depth; i++)
		known = !shape->coefficients[i];
	known = known && affine_is_symbolic(*shape);
	index_free(&index);
	return known;
}

static bool find_extent(struct sema *sema, const struct ast_declarator *declarator, size_t dim,
	long *extent, struct affine *shape)
{
	const struct ast_expr *ast = declarator->extents.items[dim];
	struct type type;
	*extent = 1;
	if (!ast) {
		diag_error(sema->diag, declarator->location, "dimension %zu of '%s' has no size; "
			"write it between the brackets", dim + 1, declarator->name);
		return false;
	}
	sema->use = arena_printf(sema->arena, "a size of '%s'", declarator->name);
	if (find_symbolic_extent(sema, ast, shape))
		*extent = affine_at_sizes(*shape, sema_size_values(sema));
	else if (!index_constant(sema, ast, &type, extent))
		return false;
	else
		*shape = affine_constant(sema->arena, *extent);
	if (*extent > 0)
		return true;
	diag_error(sema->diag, ast->location, "a size of '%s' is %ld; it must be at least 1",
		declarator->name, *extent);
	*extent = 1;
	return false;
}

/* Of an array: sums of some of them stay within 64 bits. */
static const long BYTES_LIMIT = 1L << 59;

static bool find_extents(struct sema *sema, const struct ast_declarator *declarator,
	struct array *array)
{
	bool ok = true;
	long bytes = array->type.bytes;
	array->rank = (int)declarator->extents.count;
	if (declarator->extents.count > ARRAY_RANK_LIMIT) {
		diag_error(sema->diag, declarator->location, "'%s' has more than %d dimensions",
			declarator->name, (int)ARRAY_RANK_LIMIT);
		return false;
	}
	array->elements = 1;
	for (size_t d = 0; d < declarator->extents.count; d++)
		ok &= find_extent(sema, declarator, d, &array->extents[d], &array->shape[d]);
	for (int d = 0; d < array->rank; d++)
		if (__builtin_mul_overflow(bytes, array->extents[d], &bytes) ||
		    bytes > BYTES_LIMIT) {
			diag_error(sema->diag, declarator->location,
				"'%s' is too large: an array has at most 2^59 bytes, so that what is moved "
				"can be counted", declarator->name);
			return false;
		} else {
			array->elements *= array->extents[d];
		}
	return ok;
}

/* The sizes are, from here on, such that the arrays declared by now have elements: C, too, has no
 * arrays without. */
static void assume_elements(struct sema *sema)
{
	function_set_context(sema->arena, sema->ctx, sema->function);
	if (sema->function->context)
		sema->domain = isl_set_intersect_params(sema->domain,
			isl_set_copy(sema->function->context));
}

/* Statements before the last declaration are for the sizes that those after it are for. */
static void narrow_domains(struct sema *sema)
{
	struct function *function = sema->function;
	for (int s = 0; s < function->statement_count && function->context; s++) {
		struct statement *statement = function->statements[s];
		isl_set *narrow = isl_set_intersect_params(isl_set_copy(statement->domain),
			isl_set_copy(function->context));
		if (isl_set_is_subset(statement->domain, narrow) != isl_bool_false) {
			isl_set_free(narrow);
			continue;
		}
		statement_set_domain(sema->arena, statement, narrow);
		for (int a = 0; a < statement->access_count; a++)
			access_make_map(sema->arena, statement, &statement->accesses[a]);
	}
}

/* Adds the array, or scalar, to the function and to the scope. */
static void add_array(struct sema *sema, const struct ast_declarator *declarator,
	bool is_parameter)
{
	struct array *array = ARENA_NEW(sema->arena, struct array);
	struct function *function = sema->function;
	*array = (struct array){ .index = function->array_count,
		.name = unique_name(sema, declarator->name), .source_name = declarator->name,
		.location = declarator->location,
		.type = declarator->type.type, .is_parameter = is_parameter,
		.by_value = !declarator->extents.count,
		.is_const = is_parameter && (declarator->type.is_const || !declarator->extents.count),
		.scope = sema->depth ? sema->loops[sema->depth - 1] : NULL };
	bool ok = find_extents(sema, declarator, array);
	struct symbol *symbol = symbol_add(sema, ok ? SYMBOL_ARRAY : SYMBOL_BAD, declarator->name,
		declarator->location);
	symbol->type = array->type;
	symbol->array = array;
	function->arrays = arena_grow(sema->arena, function->arrays, (size_t)function->array_count,
		&sema->array_capacity, sizeof array);
	function->arrays[function->array_count++] = array;
	if (!is_parameter && array->rank && ok)
		assume_elements(sema);
}

const char *sema_add_local(struct sema *sema, struct ast_declarator *declarator)
{
	declarator->name = unique_name(sema, declarator->name);
	while (symbol_find(sema, declarator->name))
		declarator->name = arena_printf(sema->arena, "%s_", declarator->name);
	add_array(sema, declarator, false);
	return declarator->name;
}

/* Parameters. */

/* The values of SIZE are a parameter of all sets from here on. */
static void make_symbolic(struct sema *sema, const struct ast_declarator *declarator,
	struct size *size, struct symbol *symbol)
{
	struct function *function = sema->function;
	unsigned long most = type_max(symbol->type.kind);
	size->max = most < SYMBOLIC_SIZE_MAX ? (long)most : SYMBOLIC_SIZE_MAX;
	if (function->symbolic_count == SYMBOLIC_LIMIT) {
		diag_error(sema->diag, declarator->location, "'%s' has more than %d symbolic sizes; "
			"leave one out of --symbolic", function->name, (int)SYMBOLIC_LIMIT);
		return;
	}
	if (size->value < 1 || size->value > size->max) {
		diag_error(sema->diag, declarator->location, "symbolic size '%s' is tuned for %ld; "
			"it must be from 1 to %ld", size->name, size->value, size->max);
		return;
	}
	unsigned place = (unsigned)function->symbolic_count;
	size->is_symbolic = true;
	size->index = function->symbolic_count;
	function->symbolic[function->symbolic_count++] = size;
	isl_set *domain = isl_set_add_dims(sema->domain, isl_dim_param, 1);
	domain = isl_set_set_dim_name(domain, isl_dim_param, place,
		isl_size_name(sema->arena, size->name));
	domain = isl_set_lower_bound_si(domain, isl_dim_param, place, 1);
	sema->domain = isl_set_upper_bound_si(domain, isl_dim_param, place, (int)size->max);
	symbol->min = 1;
	symbol->max = size->max;
	symbol->value = arena_own(sema->arena, index_size(sema, size), release_pw_aff);
}

static void add_size(struct sema *sema, const struct ast_declarator *declarator)
{
	struct function *function = sema->function;
	struct type type = declarator->type.type;
	wide value = 1;
	if (!binding_value(sema, declarator->name, declarator->location, &value))
		diag_error(sema->diag, declarator->location, "size '%s' has no value; give it one "
			"with -D %s=VALUE", declarator->name, declarator->name);
	if (value < type_min(type.kind) || value > (wide)type_max(type.kind) ||
	    value > INT64_MAX / 2) {
		diag_error(sema->diag, declarator->location, "size '%s' is %s, which does not fit "
			"its type '%s'", declarator->name, wide_text(sema->arena, value), type.name);
		value = 1;
	}
	struct symbol *symbol = add_constant(sema, declarator->name, declarator->location, type,
		value);
	struct size *size = ARENA_NEW(sema->arena, struct size);
	*size = (struct size){ .name = declarator->name, .value = (long)value,
		.type_name = type.name };
	const struct binding *binding = sema_binding(sema, declarator->name);
	if (binding && binding->is_symbolic)
		make_symbolic(sema, declarator, size, symbol);
	function->sizes = arena_grow(sema->arena, function->sizes, (size_t)function->size_count,
		&sema->size_capacity, sizeof size);
	function->sizes[function->size_count++] = size;
	function->parameters[function->parameter_count++].size = size;
}

static void add_parameter(struct sema *sema, const struct ast_declarator *declarator)
{
	if (!declarator->name) {
		diag_error(sema->diag, declarator->location, "this parameter has no name; write one");
		return;
	}
	if (declarator->type.is_void || declarator->is_function) {
		diag_error(sema->diag, declarator->location, "parameter '%s' is no number and no "
			"array", declarator->name);
	} else if (declarator->pointer_count) {
		diag_error(sema->diag, declarator->location, "parameter '%s' is a pointer; declare an "
			"array with its sizes, such as %s %s[N]", declarator->name,
			declarator->type.type.name, declarator->name);
	} else if (!declarator->extents.count && !type_is_float(declarator->type.type.kind) &&
		   declarator->type.type.kind != TYPE_BOOL &&
		   (name_set_has(&sema->indices, declarator->name) ||
		    name_set_has(&sema->conditions, declarator->name) ||
		    sema_binding(sema, declarator->name))) {
		add_size(sema, declarator);
		return;
	} else {
		add_array(sema, declarator, true);
		sema->function->parameters[sema->function->parameter_count++].array =
			sema->function->arrays[sema->function->array_count - 1];
		return;
	}
	symbol_add(sema, SYMBOL_BAD, declarator->name, declarator->location);
}

/* Locals. */

/* A local integer that is never assigned to again and whose value is known from
 * iterators and sizes stands for that value. */
static bool add_index(struct sema *sema, const struct ast_declarator *declarator)
{
	struct index index;
	bool is_wanted = name_set_has(&sema->indices, declarator->name);
	bool is_useful = is_wanted || name_set_has(&sema->conditions, declarator->name);
	if (!declarator->initial || type_is_float(declarator->type.type.kind) ||
	    declarator->type.type.kind == TYPE_BOOL || declarator->extents.count ||
	    (!declarator->type.is_const && (name_set_has(&sema->assigned, declarator->name) ||
	    name_set_has(&sema->iterators, declarator->name))))
		return false;
	sema->is_quiet = true;
	sema->use = "a value";
	bool ok = index_of(sema, declarator->initial, &index);
	sema->is_quiet = false;
	if (!ok && is_wanted) {
		/* Its use will be an error: say why it is no index. */
		sema->use = arena_printf(sema->arena, "'%s', used as an index,", declarator->name);
		int errors = diag_error_count(sema->diag);
		ok = index_of(sema, declarator->initial, &index);
		if (!ok && diag_error_count(sema->diag) > errors) {
			symbol_add(sema, SYMBOL_BAD, declarator->name, declarator->location);
			return true;
		}
	}
	if (!ok)
		return false;
	sema->is_quiet = !is_wanted;
	ok = index_convert(sema, &index, declarator->type.type, declarator->initial);
	sema->is_quiet = false;
	struct affine affine;
	bool is_affine = ok && index_affine(sema, &index, &affine);
	if (!ok || (!is_affine && !is_useful)) {
		index_free(&index);
		return false;
	}
	struct symbol *symbol = symbol_add(sema, SYMBOL_INDEX, declarator->name,
		declarator->location);
	symbol->type = index.type;
	symbol->value = arena_own(sema->arena, index.value, release_pw_aff);
	symbol->initial = is_affine ? NULL : declarator->initial;
	symbol->depth = sema->depth;
	symbol->min = index.min;
	symbol->max = index.max;
	return true;
}

static void add_local(struct sema *sema, const struct ast_declarator *declarator,
	const struct symbol *scope)
{
	const struct ast_type *type = &declarator->type;
	check_new(sema, scope, declarator->name, declarator->location);
	bool is_bad = true;
	if (type->is_void || declarator->is_function)
		diag_error(sema->diag, declarator->location, "'%s' is no variable; declare functions "
			"at the top of the file", declarator->name);
	else if (declarator->pointer_count)
		diag_error(sema->diag, declarator->location, "'%s' is a pointer; declare an array "
			"with its sizes, such as %s %s[N]", declarator->name, type->type.name,
			declarator->name);
	else if (type->is_static && !type->is_const)
		diag_error(sema->diag, declarator->location, "'%s' is static: it would keep its value "
			"from call to call; leave out static or pass it as a parameter",
			declarator->name);
	else if (declarator->has_braces)
		diag_error(sema->diag, declarator->location, "'%s' has a list of first values; give "
			"them in a loop, or pass the array as a parameter", declarator->name);
	else
		is_bad = false;
	if (is_bad) {
		symbol_add(sema, SYMBOL_BAD, declarator->name, declarator->location);
		return;
	}
	if (!declarator->extents.count && !type->is_const &&
	    name_set_has(&sema->iterators, declarator->name) &&
	    !name_set_has(&sema->assigned, declarator->name) && !type_is_float(type->type.kind)) {
		struct symbol *symbol = symbol_add(sema, SYMBOL_ITERATOR, declarator->name,
			declarator->location);
		symbol->type = type->type;
		return;
	}
	if (add_index(sema, declarator))
		return;
	add_array(sema, declarator, false);
	if (!declarator->initial)
		return;
	struct ast_expr *target = ast_leaf(sema->arena, AST_NAME, declarator->location,
		declarator->name);
	if (declarator->initial->kind == AST_ASSIGN) {
		lower_assignment(sema, declarator->initial);
		lower_initial(sema, target, declarator->initial->operands[0]);
	} else {
		lower_initial(sema, target, declarator->initial);
	}
}

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
					add_local(sema, declarator, scope);
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
			check_new(sema, scope, parameter->name, parameter->location);
		add_parameter(sema, parameter);
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
		check_new(sema, NULL, declarator->name, declarator->location);
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
				add_constant(sema, declarator->name, declarator->location, index.type,
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

static void warn_unused_bindings(struct sema *sema)
{
	for (int i = 0; i < sema->binding_count; i++)
		if (!sema->binding_was_used[i] &&
		    !preprocess_is_macro(sema->preprocessor, sema->bindings[i].name))
			diag_warning(sema->diag, (struct location){ .file = sema->program->file },
				"unused-define", "-D %s: the file has no size and no macro of that name",
				sema->bindings[i].name);
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
		warn_unused_bindings(&sema);
		warn_uninitialized(&sema);
	}
	isl_set_free(sema.domain);
	return program;
}
