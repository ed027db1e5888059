/* Reads the text of a program that ir/program_text.c printed. */

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <isl/options.h>

#include "ir/program_build.h"

enum { NAME_LIMIT = 256, DEPTH_LIMIT = 1000 };

struct reader {
	struct arena *arena;
	isl_ctx *ctx;
	struct diag *diag;
	const char *file, *at, *line_start;
	int line, depth;
	bool failed;
	struct program *program;
	struct function *function;
	size_t function_capacity, prototype_capacity, include_capacity;
	size_t parameter_capacity, array_capacity, size_capacity, loop_capacity,
		statement_capacity, pragma_capacity, access_capacity;
	struct loop *loops[LOOP_DEPTH_LIMIT];
	int loop_depth;
	struct statement *statement;
	/* Locals may name a loop that is read later. */
	int scopes[4096];
	int pragma_loops[4096];
};

__attribute__((format(printf, 2, 3)))
static void fail(struct reader *reader, const char *format, ...)
{
	char text[300];
	va_list arguments;
	if (reader->failed)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	struct location at = { reader->file, reader->line,
		(int)(reader->at - reader->line_start) + 1, 0 };
	diag_error(reader->diag, at, "%s in the text of a program", text);
	reader->failed = true;
}

/* Tokens. */

/* Space, and comments from # to the line's end. */
static void skip_space(struct reader *reader)
{
	while (isspace((unsigned char)*reader->at) || *reader->at == '#') {
		if (*reader->at == '#')
			reader->at += strcspn(reader->at, "\n");
		if (*reader->at == '\n') {
			reader->line++;
			reader->line_start = reader->at + 1;
		}
		reader->at += *reader->at != 0;
	}
}

static bool peek(struct reader *reader, const char *text)
{
	skip_space(reader);
	size_t length = strlen(text);
	bool is_word = isalnum((unsigned char)text[length - 1]) || text[length - 1] == '_';
	unsigned char next = 0;
	if (strncmp(reader->at, text, length))
		return false;
	next = (unsigned char)reader->at[length];
	return !is_word || !(isalnum(next) || next == '_');
}

static bool accept(struct reader *reader, const char *text)
{
	if (reader->failed || !peek(reader, text))
		return false;
	reader->at += strlen(text);
	return true;
}

static void expect(struct reader *reader, const char *text)
{
	if (!accept(reader, text))
		fail(reader, "expected '%s'", text);
}

/* A place to go back to. */
struct mark {
	const char *at, *line_start;
	int line;
};

static struct mark mark_here(const struct reader *reader)
{
	return (struct mark){ reader->at, reader->line_start, reader->line };
}

static void go_back(struct reader *reader, struct mark mark)
{
	reader->at = mark.at;
	reader->line_start = mark.line_start;
	reader->line = mark.line;
}

static bool is_name_start(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

static const char *read_name(struct reader *reader)
{
	skip_space(reader);
	const char *start = reader->at;
	if (!is_name_start(*start)) {
		fail(reader, "expected a name");
		return "";
	}
	while (isalnum((unsigned char)*reader->at) || *reader->at == '_')
		reader->at++;
	return arena_strndup(reader->arena, start, (size_t)(reader->at - start));
}

static long read_long(struct reader *reader)
{
	skip_space(reader);
	long sign = *reader->at == '-' ? -1 : 1, value = 0;
	reader->at += *reader->at == '-';
	if (!isdigit((unsigned char)*reader->at))
		fail(reader, "expected a number");
	for (; isdigit((unsigned char)*reader->at); reader->at++)
		if (__builtin_mul_overflow(value, 10L, &value) ||
		    __builtin_add_overflow(value, *reader->at - '0', &value)) {
			fail(reader, "a number of more than 64 bits");
			return 0;
		}
	return sign * value;
}

static int read_int(struct reader *reader, long min, long max)
{
	long value = read_long(reader);
	if (value < min || value > max) {
		fail(reader, "%ld is out of range here", value);
		return (int)min;
	}
	return (int)value;
}

static const char *read_string(struct reader *reader)
{
	expect(reader, "\"");
	if (reader->failed)
		return "";
	const char *start = reader->at;
	while (*reader->at && *reader->at != '"' && *reader->at != '\n')
		reader->at += 1 + (*reader->at == '\\' && reader->at[1] && reader->at[1] != '\n');
	char *text = arena_strndup(reader->arena, start, (size_t)(reader->at - start)), *to = text;
	for (const char *from = text; *from; from++) {
		from += *from == '\\' && from[1];
		*to++ = *from;
	}
	*to = 0;
	expect(reader, "\"");
	return text;
}

static struct location read_place(struct reader *reader)
{
	struct location at = { .file = reader->program->file };
	if (accept(reader, "@")) {
		at.line = read_int(reader, 1, INT32_MAX);
		expect(reader, ":");
		at.column = read_int(reader, 0, INT32_MAX);
		if (accept(reader, "-"))
			at.end_column = read_int(reader, at.column, INT32_MAX);
	}
	return at;
}

/* A type's name, of several words; false, with nothing read, if there is none. */
static bool accept_type(struct reader *reader, struct type *type)
{
	static const char *const words[] = { "unsigned", "signed", "long", "short", "char", "int" };
	struct mark before = mark_here(reader);
	const char *name = "";
	bool more = true;
	while (more) {
		more = false;
		for (size_t i = 0; i < sizeof words / sizeof *words; i++)
			if (accept(reader, words[i])) {
				name = arena_printf(reader->arena, "%s%s%s", name, *name ? " " : "",
					words[i]);
				more = strlen(name) < NAME_LIMIT;
				break;
			}
	}
	skip_space(reader);
	if (!*name && is_name_start(*reader->at))
		name = read_name(reader);
	if (type_find(name, type))
		return true;
	go_back(reader, before);
	return false;
}

static struct type read_type(struct reader *reader)
{
	struct type type = { TYPE_INT32, 4, "int" };
	if (!accept_type(reader, &type))
		fail(reader, "expected a type");
	return type;
}

/* Affines. */

/* Where AFFINE has the coefficient of the iterator or symbolic size NAME. */
static long *find_coefficient(struct reader *reader, struct affine *affine, const char *name)
{
	const struct function *function = reader->function;
	int dim = reader->statement ? reader->statement->depth - 1 : -1, k = 0;
	while (dim >= 0 && strcmp(reader->statement->loops[dim]->name, name))
		dim--;
	if (dim >= 0)
		return &affine->coefficients[dim];
	while (k < function->symbolic_count && strcmp(function->symbolic[k]->name, name))
		k++;
	if (k == function->symbolic_count) {
		fail(reader, "'%s' is no iterator", name);
		return NULL;
	}
	if (!affine->sizes)
		affine->sizes = ARENA_ARRAY(reader->arena, long, SYMBOLIC_LIMIT);
	return &affine->sizes[k];
}

/* One more term, NUMBER, NAME or NUMBER*NAME, of SIGN. */
static void read_term(struct reader *reader, long sign, struct affine *affine)
{
	long number = 1;
	skip_space(reader);
	bool has_number = isdigit((unsigned char)*reader->at);
	if (has_number)
		number = read_long(reader);
	bool overflow = false;
	if (has_number && !accept(reader, "*")) {
		overflow = __builtin_add_overflow(affine->constant, sign * number, &affine->constant);
	} else {
		long *coefficient = find_coefficient(reader, affine, read_name(reader));
		overflow = coefficient && __builtin_add_overflow(*coefficient, sign * number,
			coefficient);
	}
	if (overflow)
		fail(reader, "a number of more than 64 bits");
}

static struct affine read_affine(struct reader *reader)
{
	struct affine affine = affine_constant(reader->arena, 0);
	long sign = accept(reader, "-") ? -1 : 1;
	do {
		read_term(reader, sign, &affine);
		sign = accept(reader, "+") ? 1 : accept(reader, "-") ? -1 : 0;
	} while (sign && !reader->failed);
	return affine;
}

/* Declarations. */

static struct array *find_array(const struct function *function, const char *name)
{
	for (int i = 0; i < function->array_count; i++)
		if (!strcmp(function->arrays[i]->name, name))
			return function->arrays[i];
	return NULL;
}

static struct array *read_array(struct reader *reader, bool is_parameter)
{
	struct function *function = reader->function;
	struct array *array = ARENA_NEW(reader->arena, struct array);
	array->index = function->array_count;
	array->is_parameter = is_parameter;
	array->name = array->source_name = read_name(reader);
	if (find_array(function, array->name))
		fail(reader, "'%s' is declared twice", array->name);
	expect(reader, ":");
	array->is_const = accept(reader, "const");
	array->type = read_type(reader);
	array->elements = 1;
	long values[SYMBOLIC_LIMIT] = { 0 };
	for (int k = 0; k < function->symbolic_count; k++)
		values[k] = function->symbolic[k]->value;
	while (accept(reader, "[") && !reader->failed) {
		struct affine shape = read_affine(reader);
		long extent = affine_at_sizes(shape, values), bytes;
		if (array->rank == ARRAY_RANK_LIMIT || extent < 1 ||
		    __builtin_mul_overflow(array->elements, extent, &array->elements) ||
		    __builtin_mul_overflow(array->elements, 8L, &bytes)) {
			fail(reader, "'%s' is too large or has no size", array->name);
			break;
		}
		array->shape[array->rank] = shape;
		array->extents[array->rank++] = extent;
		expect(reader, "]");
	}
	array->by_value = array->rank == 0;
	array->is_const |= is_parameter && array->by_value;
	reader->scopes[array->index] = -1;
	if (accept(reader, "in loop"))
		reader->scopes[array->index] = read_int(reader, 0, INT32_MAX);
	array->location = read_place(reader);
	function->arrays = arena_grow(reader->arena, function->arrays,
		(size_t)function->array_count, &reader->array_capacity, sizeof array);
	function->arrays[function->array_count++] = array;
	if (function->array_count == (int)(sizeof reader->scopes / sizeof *reader->scopes))
		fail(reader, "too many arrays");
	return array;
}

static struct size *read_size(struct reader *reader)
{
	struct function *function = reader->function;
	struct size *size = ARENA_NEW(reader->arena, struct size);
	size->name = read_name(reader);
	expect(reader, ":");
	size->type_name = read_type(reader).name;
	expect(reader, "=");
	size->value = read_long(reader);
	if (accept(reader, "symbolic to")) {
		size->is_symbolic = true;
		size->max = read_int(reader, size->value, INT32_MAX);
		size->index = function->symbolic_count;
		if (size->value < 1 || size->index == SYMBOLIC_LIMIT)
			fail(reader, "'%s' is too small, or one symbolic size too many", size->name);
		else
			function->symbolic[function->symbolic_count++] = size;
	}
	function->sizes = arena_grow(reader->arena, function->sizes, (size_t)function->size_count,
		&reader->size_capacity, sizeof size);
	function->sizes[function->size_count++] = size;
	return size;
}

static void read_parameter(struct reader *reader, bool is_size)
{
	struct function *function = reader->function;
	struct parameter parameter = { 0 };
	if (is_size)
		parameter.size = read_size(reader);
	else
		parameter.array = read_array(reader, true);
	function->parameters = arena_grow(reader->arena, function->parameters,
		(size_t)function->parameter_count, &reader->parameter_capacity, sizeof parameter);
	function->parameters[function->parameter_count++] = parameter;
}

static void read_pragma(struct reader *reader)
{
	struct function *function = reader->function;
	int index = function->pragma_count;
	if (index == (int)(sizeof reader->pragma_loops / sizeof *reader->pragma_loops)) {
		fail(reader, "too many pragmas");
		return;
	}
	struct pragma pragma = { .text = read_string(reader) };
	reader->pragma_loops[index] = accept(reader, "before loop") ?
		read_int(reader, 0, INT32_MAX) : -1;
	pragma.location = read_place(reader);
	function->pragmas = arena_grow(reader->arena, function->pragmas, (size_t)index,
		&reader->pragma_capacity, sizeof pragma);
	function->pragmas[function->pragma_count++] = pragma;
}

/* Expressions. */

static int read_access(struct reader *reader, const char *name, bool is_write)
{
	struct statement *statement = reader->statement;
	struct access access = { .is_write = is_write, .location = statement->location };
	access.array = find_array(reader->function, name);
	if (!access.array) {
		fail(reader, "'%s' is not declared", name);
		return 0;
	}
	for (int d = 0; d < access.array->rank && !reader->failed; d++) {
		expect(reader, "[");
		access.subscripts[d] = read_affine(reader);
		expect(reader, "]");
	}
	for (int i = 1; i < statement->access_count && !is_write && !reader->failed; i++)
		if (access_is_same(&statement->accesses[i], &access, statement->depth))
			return i;
	access.index = statement->access_count;
	statement->accesses = arena_grow(reader->arena, statement->accesses,
		(size_t)statement->access_count, &reader->access_capacity, sizeof access);
	statement->accesses[statement->access_count++] = access;
	return access.index;
}

static struct expr *new_expr(struct reader *reader, enum expr_kind kind, int count)
{
	struct expr *expr = ARENA_NEW(reader->arena, struct expr);
	expr->kind = kind;
	expr->type = (struct type){ TYPE_INT32, 4, "int" };
	expr->location = reader->statement->location;
	expr->operand_count = count;
	expr->operands = ARENA_ARRAY(reader->arena, struct expr *, count);
	return expr;
}

static struct expr *read_expr(struct reader *reader);

static const char *accept_operator(struct reader *reader)
{
	static const char *const operators[] = { "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
		"+", "-", "*", "/", "%", "<", ">", "&", "|", "^" };
	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
		if (accept(reader, operators[i]))
			return operators[i];
	return NULL;
}

/* What is in parentheses: an operation. */
static struct expr *read_operation(struct reader *reader)
{
	static const char *const unary[] = { "-", "+", "~", "!" };
	struct type type;
	struct mark before = mark_here(reader);
	if (accept(reader, "(")) {
		if (accept_type(reader, &type) && accept(reader, ")")) {
			struct expr *cast = new_expr(reader, EXPR_CAST, 1);
			cast->type = type;
			cast->operands[0] = read_expr(reader);
			return cast;
		}
		go_back(reader, before);
	}
	for (size_t i = 0; i < sizeof unary / sizeof *unary; i++)
		if (accept(reader, unary[i])) {
			struct expr *expr = new_expr(reader, EXPR_UNARY, 1);
			expr->operator = unary[i];
			expr->operands[0] = read_expr(reader);
			expr->type = type_of_unary(unary[i], expr->operands[0]->type);
			return expr;
		}
	struct expr *first = read_expr(reader);
	if (accept(reader, "?")) {
		struct expr *expr = new_expr(reader, EXPR_CONDITIONAL, 3);
		expr->operands[0] = first;
		expr->operands[1] = read_expr(reader);
		expr->operands[2] = new_expr(reader, EXPR_LITERAL, 0);
		expect(reader, ":");
		if (!reader->failed)
			expr->operands[2] = read_expr(reader);
		expr->type = type_common(expr->operands[1]->type, expr->operands[2]->type);
		return expr;
	}
	struct expr *expr = new_expr(reader, EXPR_BINARY, 2);
	expr->operator = accept_operator(reader);
	if (!expr->operator) {
		fail(reader, "expected an operator");
		return first;
	}
	expr->operands[0] = first;
	expr->operands[1] = read_expr(reader);
	expr->type = type_of_binary(expr->operator, first->type, expr->operands[1]->type);
	return expr;
}

static struct expr *read_literal(struct reader *reader)
{
	struct expr *expr = new_expr(reader, EXPR_LITERAL, 0);
	const char *start = reader->at;
	if (*reader->at == '\'') {
		reader->at += 1 + (reader->at[1] == '\\');
		reader->at += (reader->at[0] != 0) + (reader->at[0] != 0 && reader->at[1] == '\'');
	} else {
		while (isalnum((unsigned char)*reader->at) || *reader->at == '.' ||
		       ((*reader->at == '+' || *reader->at == '-') && reader->at > start &&
			strchr("eEpP", reader->at[-1]) &&
			!((reader->at[-1] | 0x20) == 'e' && start[0] == '0' && (start[1] | 0x20) == 'x')))
			reader->at++;
	}
	expr->text = arena_strndup(reader->arena, start, (size_t)(reader->at - start));
	if (!type_of_number(expr->text, &expr->type))
		fail(reader, "'%s' is no number", expr->text);
	return expr;
}

static struct expr *read_call(struct reader *reader, struct type type)
{
	struct expr *operands[64];
	int count = 0;
	const char *name = read_name(reader);
	expect(reader, "(");
	while (!peek(reader, ")") && !reader->failed && count < 64) {
		operands[count++] = read_expr(reader);
		if (!accept(reader, ","))
			break;
	}
	expect(reader, ")");
	struct expr *expr = new_expr(reader, EXPR_CALL, count);
	expr->type = type;
	expr->text = name;
	if (count)
		memcpy(expr->operands, operands, sizeof *operands * (size_t)count);
	return expr;
}

static struct expr *read_leaf(struct reader *reader)
{
	struct type type;
	skip_space(reader);
	if (isdigit((unsigned char)*reader->at) || *reader->at == '.' || *reader->at == '\'')
		return read_literal(reader);
	if (accept(reader, "{")) {
		struct expr *expr = new_expr(reader, EXPR_AFFINE, 0);
		expr->type = read_type(reader);
		expect(reader, ":");
		if (!reader->failed)
			expr->affine = read_affine(reader);
		expect(reader, "}");
		return expr;
	}
	if (!accept_type(reader, &type)) {
		struct expr *expr = new_expr(reader, EXPR_ACCESS, 0);
		expr->access = read_access(reader, read_name(reader), false);
		if (!reader->failed)
			expr->type = reader->statement->accesses[expr->access].array->type;
		return expr;
	}
	if (!accept(reader, ":"))
		return read_call(reader, type);
	skip_space(reader);
	struct expr *expr = new_expr(reader, EXPR_LITERAL, 0);
	if (is_name_start(*reader->at))
		expr->text = read_name(reader);
	else
		expr = read_literal(reader);
	expr->type = type;
	return expr;
}

static struct expr *read_expr(struct reader *reader)
{
	if (reader->failed)
		return new_expr(reader, EXPR_LITERAL, 0);
	if (++reader->depth > DEPTH_LIMIT)
		fail(reader, "an expression of more than %d levels", (int)DEPTH_LIMIT);
	struct expr *expr;
	if (accept(reader, "(")) {
		expr = read_operation(reader);
		expect(reader, ")");
	} else {
		expr = read_leaf(reader);
	}
	reader->depth--;
	return expr;
}

/* Statements. */

static isl_set *read_domain(struct reader *reader, const struct statement *statement)
{
	expect(reader, "domain");
	skip_space(reader);
	const char *start = reader->at;
	while (*reader->at && *reader->at != '\n' && *reader->at != '}')
		reader->at++;
	if (reader->failed || !strchr("{[", *start) || *reader->at != '}') {
		fail(reader, "expected a set in braces");
		return NULL;
	}
	reader->at++;
	const char *text = arena_strndup(reader->arena, start, (size_t)(reader->at - start));
	isl_set *set = isl_set_read_from_str(reader->ctx, text);
	const char *name = set && isl_set_has_tuple_name(set) == isl_bool_true ?
		isl_set_get_tuple_name(set) : NULL;
	if (!set || !name || strcmp(name, statement->name) ||
	    isl_set_dim(set, isl_dim_set) != statement->depth ||
	    isl_set_dim(set, isl_dim_param) != reader->function->symbolic_count) {
		fail(reader, "expected a set of %s of %d iterators", statement->name,
			statement->depth);
		isl_set_free(set);
		return NULL;
	}
	return set;
}

static enum reduction read_reduction(struct reader *reader)
{
	for (enum reduction reduction = REDUCTION_SUM; reduction <= REDUCTION_USER; reduction++)
		if (accept(reader, reduction_word(reduction)))
			return reduction;
	return REDUCTION_NONE;
}

static void read_statement(struct reader *reader)
{
	struct function *function = reader->function;
	struct statement *statement = reader->statement = ARENA_NEW(reader->arena, struct statement);
	statement->index = function->statement_count;
	statement->name = read_name(reader);
	statement->depth = reader->loop_depth;
	memcpy(statement->loops, reader->loops, sizeof statement->loops);
	reader->access_capacity = 0;
	expect(reader, "at");
	statement->position = read_int(reader, 0, INT32_MAX);
	statement->location = read_place(reader);
	statement->reduction = read_reduction(reader);
	isl_set *domain = read_domain(reader, statement);
	if (!domain)
		return;
	if (!function->context)
		function_set_context(reader->arena, reader->ctx, function);
	if (function->context)
		domain = isl_set_align_params(domain, isl_set_get_space(function->context));
	statement_set_domain(reader->arena, statement, domain);
	read_access(reader, read_name(reader), true);
	expect(reader, "=");
	statement->value = read_expr(reader);
	if (reader->failed)
		return;
	for (int i = 0; i < statement->access_count; i++)
		access_make_map(reader->arena, statement, &statement->accesses[i]);
	function->statements = arena_grow(reader->arena, function->statements,
		(size_t)function->statement_count, &reader->statement_capacity, sizeof statement);
	function->statements[function->statement_count++] = statement;
}

static void read_loop(struct reader *reader)
{
	struct function *function = reader->function;
	struct loop *loop = ARENA_NEW(reader->arena, struct loop);
	if (reader->loop_depth == LOOP_DEPTH_LIMIT) {
		fail(reader, "more than %d nested loops", (int)LOOP_DEPTH_LIMIT);
		return;
	}
	loop->index = function->loop_count;
	loop->name = loop->source_name = read_name(reader);
	loop->depth = reader->loop_depth;
	loop->parent = loop->depth ? reader->loops[loop->depth - 1] : NULL;
	expect(reader, "step");
	loop->step = read_int(reader, INT32_MIN, INT32_MAX);
	expect(reader, "at");
	loop->position = read_int(reader, 0, INT32_MAX);
	loop->location = read_place(reader);
	expect(reader, "{");
	function->loops = arena_grow(reader->arena, function->loops, (size_t)function->loop_count,
		&reader->loop_capacity, sizeof loop);
	function->loops[function->loop_count++] = loop;
	reader->loops[reader->loop_depth++] = loop;
}

/* What locals and pragmas said of loops by number. */
static void resolve_loops(struct reader *reader)
{
	struct function *function = reader->function;
	for (int i = 0; i < function->array_count; i++)
		if (reader->scopes[i] >= function->loop_count)
			fail(reader, "'%s' is in a loop that is not there", function->arrays[i]->name);
		else if (reader->scopes[i] >= 0)
			function->arrays[i]->scope = function->loops[reader->scopes[i]];
	for (int i = 0; i < function->pragma_count; i++)
		if (reader->pragma_loops[i] >= function->loop_count)
			fail(reader, "a pragma is before a loop that is not there");
		else if (reader->pragma_loops[i] >= 0)
			function->pragmas[i].loop = function->loops[reader->pragma_loops[i]];
}

static void read_body(struct reader *reader)
{
	while (!reader->failed) {
		if (accept(reader, "}")) {
			if (reader->loop_depth == 0)
				return;
			reader->loop_depth--;
		} else if (accept(reader, "for")) {
			read_loop(reader);
		} else if (reader->function->loop_count + reader->function->statement_count == 0 &&
			   accept(reader, "size")) {
			read_parameter(reader, true);
		} else if (accept(reader, "parameter")) {
			read_parameter(reader, false);
		} else if (accept(reader, "local")) {
			read_array(reader, false);
		} else if (accept(reader, "pragma")) {
			read_pragma(reader);
		} else {
			read_statement(reader);
		}
	}
}

static void read_function(struct reader *reader)
{
	struct program *program = reader->program;
	struct function *function = reader->function = ARENA_NEW(reader->arena, struct function);
	reader->parameter_capacity = reader->array_capacity = reader->size_capacity = 0;
	reader->loop_capacity = reader->statement_capacity = reader->pragma_capacity = 0;
	reader->loop_depth = 0;
	reader->statement = NULL;
	function->name = read_name(reader);
	function->is_static = accept(reader, "static");
	function->location = read_place(reader);
	expect(reader, "{");
	if (reader->failed)
		return;
	read_body(reader);
	if (!reader->failed)
		resolve_loops(reader);
	program->functions = arena_grow(reader->arena, program->functions,
		(size_t)program->function_count, &reader->function_capacity, sizeof function);
	program->functions[program->function_count++] = function;
}

static void read_include(struct reader *reader)
{
	struct program *program = reader->program;
	skip_space(reader);
	const char *start = reader->at;
	while (*reader->at && *reader->at != '\n' && *reader->at != '>')
		reader->at++;
	if (*start != '<' || *reader->at != '>') {
		fail(reader, "expected a header in < >");
		return;
	}
	reader->at++;
	program->includes = arena_grow(reader->arena, program->includes,
		(size_t)program->include_count, &reader->include_capacity, sizeof(char *));
	program->includes[program->include_count++] = arena_strndup(reader->arena, start,
		(size_t)(reader->at - start));
}

static void read_prototype(struct reader *reader)
{
	struct program *program = reader->program;
	struct prototype prototype = { .name = read_name(reader) };
	if (peek(reader, "\""))
		prototype.text = read_string(reader);
	program->prototypes = arena_grow(reader->arena, program->prototypes,
		(size_t)program->prototype_count, &reader->prototype_capacity, sizeof prototype);
	program->prototypes[program->prototype_count++] = prototype;
}

static void read_program(struct reader *reader)
{
	struct program *program = reader->program;
	program->file = "";
	expect(reader, "program");
	program->file = read_string(reader);
	while (!reader->failed) {
		skip_space(reader);
		if (accept(reader, "include"))
			read_include(reader);
		else if (accept(reader, "prototype"))
			read_prototype(reader);
		else if (accept(reader, "function"))
			read_function(reader);
		else if (!*reader->at || peek(reader, "plan"))
			return;
		else
			fail(reader, "expected 'function'");
	}
}

struct program *program_parse(struct arena *arena, isl_ctx *ctx, struct diag *diag,
	const char *file, const char *text)
{
	struct reader *reader = ARENA_NEW(arena, struct reader);
	*reader = (struct reader){ .arena = arena, .ctx = ctx, .diag = diag, .file = file,
		.at = text, .line_start = text, .line = 1 };
	struct program *program = reader->program = ARENA_NEW(arena, struct program);
	program->arena = arena;
	program->ctx = ctx;
	int on_error = isl_options_get_on_error(ctx);
	isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
	diag_add_source(diag, file, text, strlen(text));
	read_program(reader);
	isl_ctx_reset_error(ctx);
	isl_options_set_on_error(ctx, on_error);
	if (!reader->failed && !program_verify(program))
		diag_error(diag, (struct location){ .file = file },
			"the text is no consistent program");
	return reader->failed || diag_error_count(diag) ? NULL : program;
}
