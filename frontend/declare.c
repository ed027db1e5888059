/* Declarations: constants, arrays, parameters with the sizes among them, and locals, some of which
 * stand for an index. */

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

struct symbol *declare_constant(struct sema *sema, const char *name, struct location at,
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

void declare_check(struct sema *sema, const struct symbol *scope, const char *name,
	struct location at)
{
	if (!is_declared_here(sema, scope, name))
		return;
	diag_error(sema->diag, at, "'%s' is declared twice; use another name", name);
	diag_note(sema->diag, symbol_find(sema, name)->location, "it was declared here");
}

void lower_enum(struct sema *sema, const struct ast_stmt *stmt)
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
		declare_check(sema, NULL, enumerator->name, enumerator->location);
		declare_constant(sema, enumerator->name, enumerator->location, type_int, value);
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

/* Dimension DIM of what is declared; after an error it has one element, whatever the sizes, so that
 * they keep their values and no other message follows from this one. */
static bool find_extent(struct sema *sema, const struct ast_declarator *declarator, size_t dim,
	long *extent, struct affine *shape)
{
	const struct ast_expr *ast = declarator->extents.items[dim];
	struct type type;
	struct affine found;
	long value;
	*extent = 1;
	*shape = affine_constant(sema->arena, 1);
	if (!ast) {
		diag_error(sema->diag, declarator->location, "dimension %zu of '%s' has no size; "
			"write it between the brackets", dim + 1, declarator->name);
		return false;
	}
	sema->use = arena_printf(sema->arena, "a size of '%s'", declarator->name);
	if (find_symbolic_extent(sema, ast, &found))
		value = affine_at_sizes(found, sema_size_values(sema));
	else if (!index_constant(sema, ast, &type, &value))
		return false;
	else
		found = affine_constant(sema->arena, value);
	if (value < 1) {
		diag_error(sema->diag, ast->location, "a size of '%s' is %ld; it must be at least 1",
			declarator->name, value);
		return false;
	}
	*extent = value;
	*shape = found;
	return true;
}

/* Of an array: sums of some of them stay within 64 bits. */
static const long BYTES_LIMIT = 1L << 59;

static bool find_extents(struct sema *sema, const struct ast_declarator *declarator,
	struct array *array)
{
	bool ok = true;
	long bytes = array->type.bytes;
	array->elements = 1;
	if (declarator->extents.count > ARRAY_RANK_LIMIT) {
		diag_error(sema->diag, declarator->location, "'%s' has more than %d dimensions",
			declarator->name, (int)ARRAY_RANK_LIMIT);
		return false;
	}
	array->rank = (int)declarator->extents.count;
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

void assume_elements(struct sema *sema)
{
	function_set_context(sema->arena, sema->ctx, sema->function);
	if (sema->function->context)
		sema->domain = isl_set_intersect_params(sema->domain,
			isl_set_copy(sema->function->context));
}

void narrow_domains(struct sema *sema)
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
	struct symbol *symbol = declare_constant(sema, declarator->name, declarator->location, type,
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

void declare_parameter(struct sema *sema, const struct ast_declarator *declarator)
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
		   (name_set_has(&sema->indices, declarator->name, declarator->location) ||
		    name_set_has(&sema->conditions, declarator->name, declarator->location) ||
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
	bool is_wanted = name_set_has(&sema->indices, declarator->name, declarator->location);
	bool is_useful = is_wanted
		|| name_set_has(&sema->conditions, declarator->name, declarator->location);
	if (!declarator->initial || type_is_float(declarator->type.type.kind) ||
	    declarator->type.type.kind == TYPE_BOOL || declarator->extents.count ||
	    (!declarator->type.is_const &&
	    (name_set_has(&sema->assigned, declarator->name, declarator->location) ||
	    name_set_has(&sema->iterators, declarator->name, declarator->location))))
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

void declare_local(struct sema *sema, const struct ast_declarator *declarator,
	const struct symbol *scope)
{
	const struct ast_type *type = &declarator->type;
	declare_check(sema, scope, declarator->name, declarator->location);
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
	    name_set_has(&sema->iterators, declarator->name, declarator->location) &&
	    !name_set_has(&sema->assigned, declarator->name, declarator->location) &&
	    !type_is_float(type->type.kind)) {
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
