/* Reads the text of a program that ir/program_text.c printed: its declarations, statements and
 * functions.  ir/program_read_words.c reads the words, ir/program_read_expr.c expressions. */

#include <stdint.h>
#include <string.h>

#include <isl/options.h>

#include "ir/program_build.h"
#include "ir/program_reader.h"

/* Declarations. */

static struct array *read_array(struct reader *reader, bool is_parameter)
{
	struct function *function = reader->function;
	struct array *array = ARENA_NEW(reader->arena, struct array);
	array->index = function->array_count;
	array->is_parameter = is_parameter;
	array->name = array->source_name = reader_name(reader);
	if (reader_array(function, array->name))
		reader_fail(reader, "'%s' is declared twice", array->name);
	reader_expect(reader, ":");
	array->is_const = reader_accept(reader, "const");
	array->type = reader_type(reader);
	array->elements = 1;
	long values[SYMBOLIC_LIMIT] = { 0 };
	for (int k = 0; k < function->symbolic_count; k++)
		values[k] = function->symbolic[k]->value;
	while (reader_accept(reader, "[") && !reader->failed) {
		struct affine shape = reader_affine(reader);
		long extent = affine_at_sizes(shape, values), bytes;
		if (array->rank == ARRAY_RANK_LIMIT || extent < 1 ||
		    __builtin_mul_overflow(array->elements, extent, &array->elements) ||
		    __builtin_mul_overflow(array->elements, 8L, &bytes)) {
			reader_fail(reader, "'%s' is too large or has no size", array->name);
			break;
		}
		array->shape[array->rank] = shape;
		array->extents[array->rank++] = extent;
		reader_expect(reader, "]");
	}
	array->by_value = array->rank == 0;
	array->is_const |= is_parameter && array->by_value;
	reader->scopes[array->index] = -1;
	if (reader_accept(reader, "in loop"))
		reader->scopes[array->index] = reader_int(reader, 0, INT32_MAX);
	array->location = reader_place(reader);
	function->arrays = arena_grow(reader->arena, function->arrays,
		(size_t)function->array_count, &reader->array_capacity, sizeof array);
	function->arrays[function->array_count++] = array;
	if (function->array_count == (int)(sizeof reader->scopes / sizeof *reader->scopes))
		reader_fail(reader, "too many arrays");
	return array;
}

static struct size *read_size(struct reader *reader)
{
	struct function *function = reader->function;
	struct size *size = ARENA_NEW(reader->arena, struct size);
	size->name = reader_name(reader);
	reader_expect(reader, ":");
	size->type_name = reader_type(reader).name;
	reader_expect(reader, "=");
	size->value = reader_long(reader);
	if (reader_accept(reader, "symbolic to")) {
		size->is_symbolic = true;
		size->max = reader_int(reader, size->value, INT32_MAX);
		size->index = function->symbolic_count;
		if (size->value < 1 || size->index == SYMBOLIC_LIMIT)
			reader_fail(reader, "'%s' is too small, or one symbolic size too many", size->name);
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
		reader_fail(reader, "too many pragmas");
		return;
	}
	struct pragma pragma = { .text = reader_string(reader) };
	reader->pragma_loops[index] = reader_accept(reader, "before loop") ?
		reader_int(reader, 0, INT32_MAX) : -1;
	pragma.location = reader_place(reader);
	function->pragmas = arena_grow(reader->arena, function->pragmas, (size_t)index,
		&reader->pragma_capacity, sizeof pragma);
	function->pragmas[function->pragma_count++] = pragma;
}

/* Statements. */

static isl_set *read_domain(struct reader *reader, const struct statement *statement)
{
	reader_expect(reader, "domain");
	reader_skip_space(reader);
	const char *start = reader->at;
	while (*reader->at && *reader->at != '\n' && *reader->at != '}')
		reader->at++;
	if (reader->failed || !strchr("{[", *start) || *reader->at != '}') {
		reader_fail(reader, "expected a set in braces");
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
		reader_fail(reader, "expected a set of %s of %d iterators", statement->name,
			statement->depth);
		isl_set_free(set);
		return NULL;
	}
	return set;
}

static enum reduction read_reduction(struct reader *reader)
{
	for (enum reduction reduction = REDUCTION_SUM; reduction <= REDUCTION_USER; reduction++)
		if (reader_accept(reader, reduction_word(reduction)))
			return reduction;
	return REDUCTION_NONE;
}

static void read_statement(struct reader *reader)
{
	struct function *function = reader->function;
	struct statement *statement = reader->statement = ARENA_NEW(reader->arena, struct statement);
	statement->index = function->statement_count;
	statement->name = reader_name(reader);
	statement->depth = reader->loop_depth;
	memcpy(statement->loops, reader->loops, sizeof statement->loops);
	reader->access_capacity = 0;
	reader_expect(reader, "at");
	statement->position = reader_int(reader, 0, INT32_MAX);
	statement->location = reader_place(reader);
	statement->reduction = read_reduction(reader);
	isl_set *domain = read_domain(reader, statement);
	if (!domain)
		return;
	if (!function->context)
		function_set_context(reader->arena, reader->ctx, function);
	if (function->context)
		domain = isl_set_align_params(domain, isl_set_get_space(function->context));
	statement_set_domain(reader->arena, statement, domain);
	reader_access(reader, reader_name(reader), true);
	reader_expect(reader, "=");
	statement->value = reader_expr(reader);
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
		reader_fail(reader, "more than %d nested loops", (int)LOOP_DEPTH_LIMIT);
		return;
	}
	loop->index = function->loop_count;
	loop->name = loop->source_name = reader_name(reader);
	loop->depth = reader->loop_depth;
	loop->parent = loop->depth ? reader->loops[loop->depth - 1] : NULL;
	reader_expect(reader, "step");
	loop->step = reader_int(reader, INT32_MIN, INT32_MAX);
	reader_expect(reader, "at");
	loop->position = reader_int(reader, 0, INT32_MAX);
	loop->location = reader_place(reader);
	reader_expect(reader, "{");
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
			reader_fail(reader, "'%s' is in a loop that is not there", function->arrays[i]->name);
		else if (reader->scopes[i] >= 0)
			function->arrays[i]->scope = function->loops[reader->scopes[i]];
	for (int i = 0; i < function->pragma_count; i++)
		if (reader->pragma_loops[i] >= function->loop_count)
			reader_fail(reader, "a pragma is before a loop that is not there");
		else if (reader->pragma_loops[i] >= 0)
			function->pragmas[i].loop = function->loops[reader->pragma_loops[i]];
}

static void read_body(struct reader *reader)
{
	while (!reader->failed) {
		if (reader_accept(reader, "}")) {
			if (reader->loop_depth == 0)
				return;
			reader->loop_depth--;
		} else if (reader_accept(reader, "for")) {
			read_loop(reader);
		} else if (reader->function->loop_count + reader->function->statement_count == 0 &&
			   reader_accept(reader, "size")) {
			read_parameter(reader, true);
		} else if (reader_accept(reader, "parameter")) {
			read_parameter(reader, false);
		} else if (reader_accept(reader, "local")) {
			read_array(reader, false);
		} else if (reader_accept(reader, "pragma")) {
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
	function->name = reader_name(reader);
	function->is_static = reader_accept(reader, "static");
	function->location = reader_place(reader);
	reader_expect(reader, "{");
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
	reader_skip_space(reader);
	const char *start = reader->at;
	while (*reader->at && *reader->at != '\n' && *reader->at != '>')
		reader->at++;
	if (*start != '<' || *reader->at != '>') {
		reader_fail(reader, "expected a header in < >");
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
	struct prototype prototype = { .name = reader_name(reader) };
	if (reader_peek(reader, "\""))
		prototype.text = reader_string(reader);
	program->prototypes = arena_grow(reader->arena, program->prototypes,
		(size_t)program->prototype_count, &reader->prototype_capacity, sizeof prototype);
	program->prototypes[program->prototype_count++] = prototype;
}

static void read_program(struct reader *reader)
{
	struct program *program = reader->program;
	program->file = "";
	reader_expect(reader, "program");
	program->file = reader_string(reader);
	while (!reader->failed) {
		reader_skip_space(reader);
		if (reader_accept(reader, "include"))
			read_include(reader);
		else if (reader_accept(reader, "prototype"))
			read_prototype(reader);
		else if (reader_accept(reader, "function"))
			read_function(reader);
		else if (!*reader->at || reader_peek(reader, "plan"))
			return;
		else
			reader_fail(reader, "expected 'function'");
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
