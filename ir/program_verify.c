/* Checks what ir/program.h promises of a program. */

#include <stdarg.h>
#include <string.h>

#include <isl/aff.h>

#include "ir/program_build.h"

struct verifier {
	const struct program *program;
	const struct function *function;
	const struct statement *statement;
	bool ok;
};

__attribute__((format(printf, 3, 4)))
static void check(struct verifier *verifier, bool holds, const char *format, ...)
{
	if (holds)
		return;
	va_list arguments;
	va_start(arguments, format);
	fprintf(stderr, "loopc: program: %s%s%s: ",
		verifier->function ? verifier->function->name : verifier->program->file,
		verifier->statement ? "." : "", verifier->statement ? verifier->statement->name : "");
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	verifier->ok = false;
}

static void check_type(struct verifier *verifier, struct type type)
{
	struct type known;
	check(verifier, type.name && type_find(type.name, &known) && known.kind == type.kind &&
		known.bytes == type.bytes, "type '%s' is unknown or of another kind",
		type.name ? type.name : "");
}

static void check_array(struct verifier *verifier, const struct array *array, int index)
{
	const struct function *function = verifier->function;
	long elements = 1, values[SYMBOLIC_LIMIT] = { 0 };
	for (int k = 0; k < function->symbolic_count; k++)
		values[k] = function->symbolic[k]->value;
	bool fits = array->rank >= 0 && array->rank <= ARRAY_RANK_LIMIT;
	check(verifier, array->index == index, "array '%s' has index %d", array->name, array->index);
	check(verifier, fits, "array '%s' has rank %d", array->name, array->rank);
	for (int d = 0; fits && d < array->rank; d++)
		fits = array->extents[d] > 0 && array->extents[d] == affine_at_sizes(array->shape[d], values) &&
			!__builtin_mul_overflow(elements, array->extents[d], &elements);
	check(verifier, fits && elements == array->elements, "array '%s' has %ld elements",
		array->name, array->elements);
	check(verifier, !array->is_const || array->is_parameter, "local '%s' is const",
		array->name);
	check(verifier, array->by_value == (array->rank == 0), "'%s' is by value and has rank %d",
		array->name, array->rank);
	check(verifier, !array->scope || (!array->is_parameter &&
		array->scope->index < function->loop_count &&
		function->loops[array->scope->index] == array->scope),
		"'%s' is of no loop of the function", array->name);
	for (int i = 0; i < index; i++)
		check(verifier, strcmp(function->arrays[i]->name, array->name),
			"two arrays are called '%s'", array->name);
	check_type(verifier, array->type);
}

static void check_loop(struct verifier *verifier, const struct loop *loop, int index)
{
	check(verifier, loop->index == index, "loop %d has index %d", index, loop->index);
	check(verifier, loop->step != 0, "loop %d has step 0", index);
	check(verifier, loop->depth == (loop->parent ? loop->parent->depth + 1 : 0),
		"loop %d has depth %d", index, loop->depth);
	check(verifier, loop->depth < LOOP_DEPTH_LIMIT, "loop %d is too deep", index);
	check(verifier, !loop->parent || loop->parent->index < index,
		"loop %d comes before its parent", index);
	for (const struct loop *outer = loop->parent; outer; outer = outer->parent)
		check(verifier, strcmp(outer->name, loop->name),
			"loop %d and one around it are both called '%s'", index, loop->name);
}

static void check_expr(struct verifier *verifier, const struct expr *expr);

static void check_operands(struct verifier *verifier, const struct expr *expr, int count)
{
	check(verifier, expr->operand_count == count, "an expression has %d operands, not %d",
		expr->operand_count, count);
	for (int i = 0; i < expr->operand_count; i++)
		check_expr(verifier, expr->operands[i]);
}

static void check_result(struct verifier *verifier, const struct expr *expr, struct type type)
{
	check(verifier, expr->type.kind == type.kind, "'%s' has type %s, not %s",
		expr->operator ? expr->operator : "?:", expr->type.name, type.name);
}

static void check_expr(struct verifier *verifier, const struct expr *expr)
{
	const struct statement *statement = verifier->statement;
	check_type(verifier, expr->type);
	switch (expr->kind) {
	case EXPR_LITERAL:
		check(verifier, expr->text && *expr->text, "a literal has no text");
		check_operands(verifier, expr, 0);
		break;
	case EXPR_AFFINE:
		check(verifier, !type_is_float(expr->type.kind), "an affine value is of type %s",
			expr->type.name);
		check_operands(verifier, expr, 0);
		break;
	case EXPR_ACCESS:
		check(verifier, expr->access > 0 && expr->access < statement->access_count &&
			expr->type.kind == statement->accesses[expr->access].array->type.kind,
			"a value reads access %d", expr->access);
		check_operands(verifier, expr, 0);
		break;
	case EXPR_UNARY:
		check_operands(verifier, expr, 1);
		if (verifier->ok)
			check_result(verifier, expr, type_of_unary(expr->operator,
				expr->operands[0]->type));
		break;
	case EXPR_BINARY:
		check_operands(verifier, expr, 2);
		if (verifier->ok)
			check_result(verifier, expr, type_of_binary(expr->operator,
				expr->operands[0]->type, expr->operands[1]->type));
		break;
	case EXPR_CONDITIONAL:
		check_operands(verifier, expr, 3);
		if (verifier->ok)
			check_result(verifier, expr, type_common(expr->operands[1]->type,
				expr->operands[2]->type));
		break;
	case EXPR_CAST:
		check_operands(verifier, expr, 1);
		break;
	case EXPR_CALL:
		check(verifier, expr->text && *expr->text, "a call has no name");
		check_operands(verifier, expr, expr->operand_count);
		break;
	}
}

/* Whether every element that ACCESS touches is in its array. */
static bool is_in_bounds(const struct verifier *verifier, const struct access *access)
{
	const struct array *array = access->array;
	isl_set *range = isl_map_range(isl_map_copy(access->map));
	isl_set *box = isl_set_universe(isl_set_get_space(range));
	for (int d = 0; d < array->rank; d++) {
		isl_local_space *space = isl_local_space_from_space(isl_set_get_space(range));
		isl_aff *last = isl_aff_neg(isl_aff_var_on_domain(space, isl_dim_set, (unsigned)d));
		isl_ctx *ctx = isl_set_get_ctx(range);
		last = isl_aff_add_constant_val(last,
			isl_val_int_from_si(ctx, array->shape[d].constant - 1));
		for (int k = 0; k < verifier->function->symbolic_count; k++)
			last = isl_aff_set_coefficient_val(last, isl_dim_param, k,
				isl_val_int_from_si(ctx, affine_size(array->shape[d], k)));
		box = isl_set_lower_bound_si(box, isl_dim_set, (unsigned)d, 0);
		box = isl_set_intersect(box, isl_pw_aff_nonneg_set(isl_pw_aff_from_aff(last)));
	}
	bool result = isl_set_is_subset(range, box) == isl_bool_true;
	isl_set_free(range);
	isl_set_free(box);
	return result;
}

static void check_access(struct verifier *verifier, const struct access *access, int index)
{
	const struct function *function = verifier->function;
	const struct array *array = access->array;
	bool is_known = array && array->index >= 0 && array->index < function->array_count &&
		function->arrays[array->index] == array;
	check(verifier, is_known, "access %d is to no array of the function", index);
	check(verifier, access->index == index, "access %d has index %d", index, access->index);
	check(verifier, access->is_write == (index == 0), "access %d is %s", index,
		access->is_write ? "a write" : "a read");
	if (!is_known)
		return;
	check(verifier, !access->is_write || !array->is_const, "'%s' is const and written",
		array->name);
	check(verifier, access->map, "access %d has no map", index);
	if (!access->map)
		return;
	check(verifier, isl_map_dim(access->map, isl_dim_out) == array->rank,
		"access %d has the wrong number of subscripts", index);
	check(verifier, is_in_bounds(verifier, access), "access %d leaves '%s'", index, array->name);
}

static void check_statement(struct verifier *verifier, const struct statement *statement,
	int index)
{
	verifier->statement = statement;
	check(verifier, statement->index == index, "statement %d has index %d", index,
		statement->index);
	check(verifier, statement->depth >= 0 && statement->depth <= LOOP_DEPTH_LIMIT,
		"it is in %d loops", statement->depth);
	for (int i = 0; i < statement->depth; i++)
		check(verifier, statement->loops[i]->depth == i &&
			statement->loops[i]->parent == (i ? statement->loops[i - 1] : NULL),
			"its loop %d is not in the one before", i);
	check(verifier, statement->domain &&
		isl_set_dim(statement->domain, isl_dim_set) == statement->depth &&
		isl_set_is_empty(statement->domain) == isl_bool_false &&
		isl_set_is_bounded(statement->domain) == isl_bool_true,
		"its domain is empty, without bounds or of another depth");
	check(verifier, statement->access_count > 0 && statement->value, "it assigns nothing");
	for (int i = 0; verifier->ok && i < statement->access_count; i++)
		check_access(verifier, &statement->accesses[i], i);
	if (verifier->ok)
		check_expr(verifier, statement->value);
	if (verifier->ok && statement->reduction != REDUCTION_USER)
		check(verifier, statement->reduction == REDUCTION_NONE ||
			statement_reduction(statement, false) == statement->reduction,
			"it is no reduction by %s", reduction_word(statement->reduction));
	verifier->statement = NULL;
}

static void check_parameters(struct verifier *verifier)
{
	const struct function *function = verifier->function;
	int arrays = 0, sizes = 0;
	for (int i = 0; i < function->parameter_count; i++) {
		const struct parameter *parameter = &function->parameters[i];
		check(verifier, !parameter->size != !parameter->array, "parameter %d is %s", i,
			parameter->size ? "a size and an array" : "nothing");
		if (parameter->size)
			check(verifier, sizes < function->size_count &&
				function->sizes[sizes++] == parameter->size, "size %d is in disorder", i);
		else
			check(verifier, arrays < function->array_count &&
				function->arrays[arrays++] == parameter->array,
				"parameter %d is in disorder", i);
	}
	for (int i = 0; i < function->array_count; i++)
		check(verifier, function->arrays[i]->is_parameter == (i < arrays),
			"array %d is in disorder", i);
}

static void check_function(struct verifier *verifier, const struct function *function)
{
	verifier->function = function;
	for (int i = 0; i < function->loop_count; i++)
		check_loop(verifier, function->loops[i], i);
	for (int i = 0; i < function->array_count; i++)
		check_array(verifier, function->arrays[i], i);
	check_parameters(verifier);
	for (int i = 0; verifier->ok && i < function->statement_count; i++)
		check_statement(verifier, function->statements[i], i);
	verifier->function = NULL;
}

bool program_verify(const struct program *program)
{
	struct verifier verifier = { .program = program, .ok = true };
	for (int i = 0; i < program->function_count; i++)
		check_function(&verifier, program->functions[i]);
	return verifier.ok;
}
