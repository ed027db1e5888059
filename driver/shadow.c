#include "driver/shadow.h"

#include <stdlib.h>
#include <string.h>

#include <isl/ast.h>
#include <isl/printer.h>
#include <isl/space.h>
#include <isl/union_map.h>

#include "driver/harness.h"
#include "driver/shadow_writer.h"
#include "ir/ast_build.h"
#include "ir/isl_work.h"
#include "ir/program_build.h"

static int factor_count(const struct expr *expr)
{
	int count = expr->kind == EXPR_BINARY && !strcmp(expr->operator, "*");
	for (int o = 0; o < expr->operand_count; o++)
		count += factor_count(expr->operands[o]);
	return count;
}

static void print_store(struct shadow *shadow, struct value value)
{
	const struct statement *statement = shadow->statement;
	const struct access *target = &statement->accesses[0];
	bool is_moved = shadow_is_reordered(statement) && shadow->is_inexact[target->array->index];
	const char *unit = shadow_unit(target->array->type), *error = shadow_error(shadow, value);
	shadow_line(shadow, "%s *const loopc_target = &%s;", target->array->type.name,
		shadow_element(shadow, "a", target));
	shadow_line(shadow, "const double loopc_old = (double)*loopc_target;");
	shadow_line(shadow, "*loopc_target = loopc_v%d;", value.number);
	if (!shadow->is_inexact[target->array->index]) {
		shadow_line(shadow, "(void)loopc_old;");
		return;
	}
	const char *place = arena_printf(shadow->arena, "&%s", shadow_element(shadow, "error", target));
	if (!is_moved)
		shadow_line(shadow, "(void)loopc_old;\n\tverify_assign(%s, %s);", place, error);
	else if (statement->reduction == REDUCTION_SUM)
		shadow_line(shadow, "verify_add(%s, &loopc_terms, loopc_old, %s);", place, unit);
	else if (statement->reduction == REDUCTION_PRODUCT)
		shadow_line(shadow, "verify_multiply(%s, loopc_old, (double)loopc_v%d, %s, %d);", place,
			value.number, error, factor_count(statement->value));
	else
		shadow_line(shadow, "verify_combine(%s, loopc_old, (double)loopc_v%d, %s);", place, value.number,
			error);
}

static void print_statement(struct shadow *shadow, const struct statement *statement)
{
	shadow->statement = statement;
	shadow->next = 0;
	const struct array *array = statement->accesses[0].array;
	bool is_moved = shadow_is_reordered(statement) && shadow->is_inexact[array->index];
	bool is_sum = is_moved && statement->reduction == REDUCTION_SUM;
	shadow->is_own = is_moved;
	fprintf(shadow->out, "\nstatic void loopc_%d_%d(", shadow->f, statement->index);
	for (int i = 0; i < statement->depth; i++)
		fprintf(shadow->out, "%slong loopc_i%d", i ? ", " : "", i);
	fputs(statement->depth ? ")\n{\n" : "void)\n{\n", shadow->out);
	shadow->depth = 1;
	if (is_sum)
		shadow_line(shadow, "struct verify_terms loopc_terms = { 0, 0, 0 };");
	struct value value = (is_sum ? shadow_sum : shadow_value)(shadow, statement->value);
	print_store(shadow, shadow_converted(shadow, value, array->type, statement->location.line));
	fputs("}\n", shadow->out);
	shadow->statement = NULL;
}

/* ---- the order ---- */

static void rename_sizes(isl_map **map, const struct session *session,
	const struct function *function)
{
	for (int k = 0; k < function->symbolic_count; k++) {
		int at = isl_map_find_dim_by_name(*map, isl_dim_param,
			isl_size_name(session->arena, function->symbolic[k]->name));
		if (at >= 0)
			*map = isl_map_set_dim_name(*map, isl_dim_param, (unsigned)at,
				arena_printf(session->arena, "loopc_size_%d", k));
	}
}

static isl_ast_node *order_of(const struct session *session, const struct function *function, int f)
{
	isl_ctx *ctx = session->ctx;
	int depth = 0;
	for (int s = 0; s < function->statement_count; s++)
		if (function->statements[s]->depth > depth)
			depth = function->statements[s]->depth;
	isl_union_map *order = NULL;
	for (int s = 0; s < function->statement_count; s++) {
		isl_map *map = statement_order(function->statements[s], depth);
		rename_sizes(&map, session, function);
		map = isl_map_set_tuple_name(map, isl_dim_in, arena_printf(session->arena, "loopc_%d_%d",
			f, s));
		isl_union_map *one = isl_union_map_from_map(map);
		order = order ? isl_union_map_union(order, one) : one;
	}
	isl_set *any_sizes = isl_set_universe(isl_space_params_alloc(ctx, 0));
	if (order)
		return ast_of_order(any_sizes, NULL, order);
	isl_set_free(any_sizes);
	return NULL;
}

static char *order_text(const struct session *session, const struct function *function, int f)
{
	enum { OPERATIONS = 40000000 };
	isl_ctx *ctx = session->ctx;
	struct isl_work work = isl_work_begin(ctx, OPERATIONS);
	isl_options_set_ast_iterator_type(ctx, "long");
	isl_ast_node *node = order_of(session, function, f);
	isl_printer *printer = isl_printer_set_output_format(isl_printer_to_str(ctx), ISL_FORMAT_C);
	printer = isl_printer_set_indent(printer, 8);
	printer = isl_ast_op_type_set_print_name(printer, isl_ast_op_min, "loopc_min");
	printer = isl_ast_op_type_set_print_name(printer, isl_ast_op_max, "loopc_max");
	printer = isl_ast_op_type_set_print_name(printer, isl_ast_op_fdiv_q, "loopc_floord");
	printer = node ? isl_ast_node_print(node, printer, isl_ast_print_options_alloc(ctx)) : printer;
	char *text = node ? isl_printer_get_str(printer) : NULL;
	isl_printer_free(printer);
	isl_ast_node_free(node);
	isl_work_end(&work);
	return text;
}

/* ---- functions ---- */

static bool is_size_or_scalar(const struct parameter *parameter)
{
	return parameter->size || parameter->array->by_value;
}

static void print_variables(struct shadow *shadow)
{
	const struct function *function = shadow->function;
	fprintf(shadow->out, "\nstatic const long *loopc_sizes_%d;\n", shadow->f);
	for (int a = 0; a < function->array_count; a++) {
		fprintf(shadow->out, "static %s *loopc_a_%d_%d;\n", function->arrays[a]->type.name,
			shadow->f, a);
		if (shadow->is_inexact[a])
			fprintf(shadow->out, "static struct verify_error *loopc_error_%d_%d;\n", shadow->f, a);
	}
}

/* Parameters are the caller's, all else is made. */
static void print_memory(struct shadow *shadow)
{
	const struct function *function = shadow->function;
	int next = 0;
	for (int p = 0; p < function->parameter_count; p++) {
		const struct parameter *parameter = &function->parameters[p];
		if (is_size_or_scalar(parameter))
			continue;
		int a = parameter->array->index;
		shadow_line(shadow, "loopc_a_%d_%d = loopc_arrays[%d];", shadow->f, a, next);
		if (shadow->is_inexact[a])
			shadow_line(shadow, "loopc_error_%d_%d = loopc_errors[%d];", shadow->f, a, next);
		next++;
	}
	for (int a = 0; a < function->array_count; a++) {
		const struct array *array = function->arrays[a];
		const char *elements = "1";
		if (array->is_parameter && !array->by_value)
			continue;
		for (int d = 0; d < array->rank; d++)
			elements = arena_printf(shadow->arena, "%s * (%s)", elements,
				shadow_affine(shadow, array->shape[d]));
		shadow_line(shadow, "loopc_a_%d_%d = verify_allocate((size_t)(%s) * %d);", shadow->f, a, elements,
			array->type.bytes);
		if (shadow->is_inexact[a])
			shadow_line(shadow, "loopc_error_%d_%d = verify_allocate((size_t)(%s) * "
				"sizeof(struct verify_error));", shadow->f, a, elements);
		if (array->is_parameter) {
			fprintf(shadow->out, "\tloopc_a_%d_%d[0] = ", shadow->f, a);
			harness_print_scalar(shadow->out, shadow->session, function, array);
			fputs(";\n", shadow->out);
		}
	}
}

static void print_release(struct shadow *shadow)
{
	const struct function *function = shadow->function;
	for (int a = 0; a < function->array_count; a++) {
		if (function->arrays[a]->is_parameter && !function->arrays[a]->by_value)
			continue;
		shadow_line(shadow, "free(loopc_a_%d_%d);", shadow->f, a);
		if (shadow->is_inexact[a])
			shadow_line(shadow, "free(loopc_error_%d_%d);", shadow->f, a);
	}
}

bool shadow_print(FILE *out, const struct session *session, int f)
{
	const struct function *function = session->program->functions[f];
	struct shadow shadow = { .out = out, .arena = session->arena,
		.session = session, .function = function, .f = f,
		.is_inexact = shadow_inexact(session->arena, function, session->options->reassociate) };
	char *order = order_text(session, function, f);
	if (!order)
		return false;
	print_variables(&shadow);
	for (int s = 0; s < function->statement_count; s++)
		print_statement(&shadow, function->statements[s]);
	fprintf(out, "\nvoid loopc_shadow_%d(void *const *loopc_arrays, struct verify_error *const "
		"*loopc_errors,\n\tconst long *loopc_sizes);\nvoid loopc_shadow_%d(void *const *loopc_arrays, "
		"struct verify_error *const *loopc_errors,\n\tconst long *loopc_sizes)\n{\n", f, f);
	shadow.depth = 1;
	for (int k = 0; k < function->symbolic_count; k++)
		shadow_line(&shadow, "const long loopc_size_%d = loopc_sizes[%d];", k, k);
	shadow_line(&shadow, "(void)loopc_arrays;\n\t(void)loopc_errors;\n\tloopc_sizes_%d = loopc_sizes;", f);
	print_memory(&shadow);
	fputs(order, out);
	print_release(&shadow);
	fputs("}\n", out);
	free(order);
	return true;
}
