#include "driver/shadow.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <isl/ast.h>
#include <isl/printer.h>
#include <isl/space.h>
#include <isl/union_map.h>

#include "driver/harness.h"
#include "ir/ast_build.h"
#include "ir/isl_work.h"
#include "ir/program_build.h"

/* One statement being written.  Values are variables of the emitted function: loopc_v3, and
 * its error loopc_e3 where it has one. */
struct shadow {
	FILE *out;
	struct arena *arena;
	const struct session *session;
	const struct function *function;
	int f;                       /* its number in the program */
	const bool *is_inexact;      /* [array.index] */
	const struct statement *statement;
	bool is_own;                 /* the target's roundings are counted apart */
	int depth, next;
};

struct value {
	int number;
	struct type type;
	bool has_error;
};

/* ---- what there is to watch ---- */

static bool is_reordered(const struct statement *statement)
{
	return type_is_float(statement->accesses[0].array->type.kind) &&
		statement->reduction != REDUCTION_NONE &&
		statement->reduction != REDUCTION_MIN && statement->reduction != REDUCTION_MAX;
}

const bool *shadow_inexact(struct arena *arena, const struct function *function,
	bool is_reassociated)
{
	bool *is_inexact = ARENA_ARRAY(arena, bool, function->array_count + 1);
	bool is_changing = is_reassociated;
	while (is_changing) {
		is_changing = false;
		for (int s = 0; s < function->statement_count; s++) {
			const struct statement *statement = function->statements[s];
			bool reaches = is_reordered(statement);
			for (int a = 1; a < statement->access_count; a++)
				reaches |= is_inexact[statement->accesses[a].array->index];
			bool *written = &is_inexact[statement->accesses[0].array->index];
			is_changing |= reaches && !*written;
			*written |= reaches;
		}
	}
	return is_inexact;
}

static bool is_literal(const struct expr *expr, unsigned long *value)
{
	struct type type;
	while (expr->kind == EXPR_CAST)
		expr = expr->operands[0];
	return expr->kind == EXPR_LITERAL && integer_of_number(expr->text, value, &type);
}

static bool is_shift(const struct expr *expr)
{
	return expr->kind == EXPR_BINARY && (!strcmp(expr->operator, "<<") ||
		!strcmp(expr->operator, ">>"));
}

static bool is_integer_division(const struct expr *expr)
{
	return expr->kind == EXPR_BINARY && strchr("/%", *expr->operator) &&
		!type_is_float(expr->type.kind);
}

static bool is_risky_conversion(struct type from, struct type to)
{
	return type_is_float(from.kind) && !type_is_float(to.kind) && to.kind != TYPE_BOOL;
}

static bool is_risky_expr(const struct expr *expr)
{
	unsigned long value;
	if (is_shift(expr) && !(is_literal(expr->operands[1], &value) &&
		value < 8 * (unsigned long)expr->type.bytes))
		return true;
	if (is_integer_division(expr) && !(is_literal(expr->operands[1], &value) && value))
		return true;
	if (expr->kind == EXPR_CAST && is_risky_conversion(expr->operands[0]->type, expr->type))
		return true;
	for (int o = 0; o < expr->operand_count; o++)
		if (is_risky_expr(expr->operands[o]))
			return true;
	return false;
}

bool shadow_is_risky(const struct function *function)
{
	for (int s = 0; s < function->statement_count; s++) {
		const struct statement *statement = function->statements[s];
		if (is_risky_expr(statement->value) || is_risky_conversion(statement->value->type,
			statement->accesses[0].array->type))
			return true;
	}
	return false;
}

/* ---- writing ---- */

static void __attribute__((format(printf, 2, 3))) line(struct shadow *shadow, const char *format, ...)
{
	va_list arguments;
	for (int i = 0; i < shadow->depth; i++)
		fputc('\t', shadow->out);
	va_start(arguments, format);
	vfprintf(shadow->out, format, arguments);
	va_end(arguments);
	fputc('\n', shadow->out);
}

/* One unit in the last place of 1: what a rounding of this type makes of a value. */
static const char *unit_of(struct type type)
{
	return type.kind == TYPE_FLOAT ? "FLT_EPSILON" : type.kind == TYPE_DOUBLE ? "DBL_EPSILON" : "0";
}

static struct value new_value(struct shadow *shadow, struct type type, bool has_error)
{
	return (struct value){ shadow->next++, type, has_error };
}

/* The name of a value's error, or 0. */
static const char *error_of(const struct shadow *shadow, struct value value)
{
	return value.has_error ? arena_printf(shadow->arena, "loopc_e%d", value.number) : "0";
}

static const char *range_of(const struct shadow *shadow, struct type type)
{
	return arena_printf(shadow->arena, "%ld.0, %lu.0", type_min(type.kind), type_max(type.kind));
}

/* "long form": of iterators loopc_i0, ... and sizes. */
static const char *affine_text(const struct shadow *shadow, struct affine affine)
{
	const char *text = arena_printf(shadow->arena, "%ldL", affine.constant);
	for (int i = 0; shadow->statement && i < shadow->statement->depth; i++)
		if (affine.coefficients && affine.coefficients[i])
			text = arena_printf(shadow->arena, "%s + %ldL * loopc_i%d", text,
				affine.coefficients[i], i);
	for (int k = 0; k < shadow->function->symbolic_count; k++)
		if (affine_size(affine, k))
			text = arena_printf(shadow->arena, "%s + %ldL * loopc_sizes_%d[%d]", text,
				affine_size(affine, k), shadow->f, k);
	return text;
}

static const char *index_text(const struct shadow *shadow, const struct access *access)
{
	const char *text = "0";
	for (int d = 0; d < access->array->rank; d++) {
		/* extents are of no iterators */
		struct affine extent = access->array->shape[d];
		extent.coefficients = NULL;
		text = arena_printf(shadow->arena, "(%s) * (%s) + (%s)", text,
			affine_text(shadow, extent), affine_text(shadow, access->subscripts[d]));
	}
	return text;
}

static const char *element_text(const struct shadow *shadow, const char *of,
	const struct access *access)
{
	return arena_printf(shadow->arena, "loopc_%s_%d_%d[%s]", of, shadow->f, access->array->index,
		index_text(shadow, access));
}

static bool has_error(const struct shadow *shadow, const struct expr *expr)
{
	if (expr->kind == EXPR_ACCESS)
		return shadow->is_inexact[shadow->statement->accesses[expr->access].array->index];
	for (int o = 0; o < expr->operand_count; o++)
		if (has_error(shadow, expr->operands[o]))
			return true;
	return false;
}

/* ---- values ---- */

static struct value value_of(struct shadow *shadow, const struct expr *expr);

static struct value converted(struct shadow *shadow, struct value value, struct type to, int at)
{
	if (value.type.kind == to.kind)
		return value;
	struct value result = new_value(shadow, to, value.has_error);
	const char *error = error_of(shadow, value);
	const char *source = arena_printf(shadow->arena, "loopc_v%d", value.number);
	if (is_risky_conversion(value.type, to))
		source = arena_printf(shadow->arena, "(verify_defined((double)%s > %ld.0 - 1 && "
			"(double)%s < %lu.0 + 1, \"a conversion to a type that cannot hold the value\", %d) ? %s : 0)",
			source, type_min(to.kind), source, type_max(to.kind), at, source);
	line(shadow, "const %s loopc_v%d = (%s)%s;", to.name, result.number, to.name, source);
	if (!result.has_error)
		return result;
	if (to.kind == TYPE_BOOL)
		line(shadow, "const double loopc_e%d = verify_is_close((double)loopc_v%d, %s, 0, 0);",
			result.number, value.number, error);
	else if (type_is_float(to.kind))
		line(shadow, "const double loopc_e%d = verify_rounded((double)loopc_v%d, %s, %s);",
			result.number, result.number, error, unit_of(to));
	else
		line(shadow, "const double loopc_e%d = verify_wrapped((double)loopc_v%d, %s > 0 ? %s + %d : 0, "
			"%s);", result.number, result.number, error, error,
			type_is_float(value.type.kind), range_of(shadow, to));
	return result;
}

static struct value value_of_access(struct shadow *shadow, const struct expr *expr)
{
	const struct access *access = &shadow->statement->accesses[expr->access];
	struct value result = new_value(shadow, access->array->type, has_error(shadow, expr));
	line(shadow, "const %s loopc_v%d = %s;", access->array->type.name, result.number,
		element_text(shadow, "a", access));
	if (!result.has_error)
		return result;
	bool is_own = shadow->is_own && access_is_same(access, &shadow->statement->accesses[0],
		shadow->statement->depth);
	line(shadow, "const double loopc_e%d = %s(&%s, (double)loopc_v%d, %s%s);", result.number,
		is_own ? "verify_own_error" : "verify_error_of", element_text(shadow, "error", access),
		result.number, unit_of(access->array->type),
		!is_own ? "" : shadow->statement->reduction == REDUCTION_PRODUCT ? ", 1" : ", 0");
	return result;
}

/* The error of an operation's result, of the right type but not wrapped or rounded. */
static const char *raw_error(struct shadow *shadow, const struct expr *expr, struct value a,
	struct value b)
{
	const char *x = arena_printf(shadow->arena, "(double)loopc_v%d", a.number);
	const char *y = arena_printf(shadow->arena, "(double)loopc_v%d", b.number);
	const char *x_error = error_of(shadow, a), *y_error = error_of(shadow, b);
	switch (*expr->operator) {
	case '+': case '-':
		return arena_printf(shadow->arena, "%s + %s", x_error, y_error);
	case '*':
		return arena_printf(shadow->arena, "verify_product(%s, %s, %s, %s)", x, x_error, y, y_error);
	case '/':
		return arena_printf(shadow->arena, "verify_quotient(%s, %s, %s, %s, %d)", x, x_error, y,
			y_error, !type_is_float(expr->type.kind));
	default:
		/* remainders, shifts and bits: nothing is known of what is off by a little */
		return arena_printf(shadow->arena, "(%s > 0 || %s > 0) ? (double)INFINITY : 0", x_error,
			y_error);
	}
}

static const char *operation_text(struct shadow *shadow, const struct expr *expr, struct value a,
	struct value b)
{
	const char *text = arena_printf(shadow->arena, "loopc_v%d %s loopc_v%d", a.number,
		expr->operator, b.number);
	int at = expr->location.line;
	if (is_integer_division(expr)) {
		text = arena_printf(shadow->arena, "(verify_defined(loopc_v%d != 0, \"a division by zero\", "
			"%d)", b.number, at);
		if (type_is_signed(expr->type.kind))
			text = arena_printf(shadow->arena, "%s && verify_defined(loopc_v%d != -1 || loopc_v%d != "
				"(%s)%ld, \"a quotient that its type cannot hold\", %d)", text, b.number,
				a.number, expr->type.name, type_min(expr->type.kind), at);
		return arena_printf(shadow->arena, "%s ? loopc_v%d %s loopc_v%d : 0)", text, a.number,
			expr->operator, b.number);
	}
	if (is_shift(expr))
		return arena_printf(shadow->arena, "(verify_defined(loopc_v%d >= 0 && loopc_v%d < %d, "
			"\"a shift by less than 0 or all bits\", %d) ? %s : 0)", b.number, b.number,
			8 * expr->type.bytes, at, text);
	return text;
}

static bool is_comparison(const struct expr *expr)
{
	return !is_shift(expr) && (strchr("<>", *expr->operator) || !strcmp(expr->operator, "==") ||
		!strcmp(expr->operator, "!="));
}

static struct value value_of_operation(struct shadow *shadow, const struct expr *expr)
{
	struct value a = value_of(shadow, expr->operands[0]), b = value_of(shadow, expr->operands[1]);
	bool compares = is_comparison(expr);
	struct type type = compares ? type_common(a.type, b.type) : expr->type;
	if (!is_shift(expr)) {
		a = converted(shadow, a, type, expr->location.line);
		b = converted(shadow, b, type, expr->location.line);
	} else {
		a = converted(shadow, a, expr->type, expr->location.line);
	}
	struct value result = new_value(shadow, expr->type, a.has_error || b.has_error);
	line(shadow, "const %s loopc_v%d = (%s)(%s);", expr->type.name, result.number, expr->type.name,
		operation_text(shadow, expr, a, b));
	if (!result.has_error)
		return result;
	if (compares)
		line(shadow, "const double loopc_e%d = verify_is_close((double)loopc_v%d, %s, "
			"(double)loopc_v%d, %s);", result.number, a.number, error_of(shadow, a), b.number,
			error_of(shadow, b));
	else if (type_is_float(expr->type.kind))
		line(shadow, "const double loopc_e%d = verify_rounded((double)loopc_v%d, %s, %s);",
			result.number, result.number, raw_error(shadow, expr, a, b), unit_of(expr->type));
	else
		line(shadow, "const double loopc_e%d = verify_wrapped((double)loopc_v%d, %s, %s);",
			result.number, result.number, raw_error(shadow, expr, a, b),
			range_of(shadow, expr->type));
	return result;
}

/* && and ||: the second operand is looked at only where the first does not decide. */
static struct value value_of_logic(struct shadow *shadow, const struct expr *expr)
{
	struct value result = new_value(shadow, expr->type, has_error(shadow, expr));
	const char *zero = *expr->operator == '&' ? "" : "!";
	line(shadow, "%s loopc_v%d;", expr->type.name, result.number);
	line(shadow, "double loopc_e%d = 0;", result.number);
	line(shadow, "{");
	shadow->depth++;
	struct value a = value_of(shadow, expr->operands[0]);
	line(shadow, "loopc_v%d = loopc_v%d != 0;", result.number, a.number);
	if (a.has_error)
		line(shadow, "loopc_e%d = verify_is_close((double)loopc_v%d, loopc_e%d, 0, 0);",
			result.number, a.number, a.number);
	line(shadow, "if (%sloopc_v%d) {", zero, result.number);
	shadow->depth++;
	struct value b = value_of(shadow, expr->operands[1]);
	line(shadow, "loopc_v%d = loopc_v%d != 0;", result.number, b.number);
	if (b.has_error)
		line(shadow, "if (verify_is_close((double)loopc_v%d, loopc_e%d, 0, 0))\n\t\t\tloopc_e%d = 1;",
			b.number, b.number, result.number);
	shadow->depth--;
	line(shadow, "}");
	shadow->depth--;
	line(shadow, "}");
	line(shadow, "(void)loopc_e%d;", result.number);
	return result;
}

static struct value value_of_unary(struct shadow *shadow, const struct expr *expr)
{
	struct value a = value_of(shadow, expr->operands[0]);
	bool negates = !strcmp(expr->operator, "!");
	if (!negates)
		a = converted(shadow, a, expr->type, expr->location.line);
	struct value result = new_value(shadow, expr->type, a.has_error);
	line(shadow, "const %s loopc_v%d = (%s)(%s loopc_v%d);", expr->type.name, result.number,
		expr->type.name, expr->operator, a.number);
	if (a.has_error && negates)
		line(shadow, "const double loopc_e%d = verify_is_close((double)loopc_v%d, loopc_e%d, 0, 0);",
			result.number, a.number, a.number);
	else if (a.has_error)
		line(shadow, "const double loopc_e%d = loopc_e%d;", result.number, a.number);
	return result;
}

/* One arm of a conditional, left in loopc_x and loopc_x_error of RESULT's type. */
static void print_arm(struct shadow *shadow, const struct expr *arm, struct value result)
{
	struct value value = converted(shadow, value_of(shadow, arm), result.type, arm->location.line);
	line(shadow, "loopc_x%d = loopc_v%d;", result.number, value.number);
	if (value.has_error)
		line(shadow, "loopc_d%d = loopc_e%d;", result.number, value.number);
}

/* The arm taken, then the other one where rounding decides between them. */
static struct value value_of_conditional(struct shadow *shadow, const struct expr *expr)
{
	struct value test = value_of(shadow, expr->operands[0]);
	struct value result = new_value(shadow, expr->type, has_error(shadow, expr));
	int n = result.number;
	line(shadow, "%s loopc_v%d = 0;", expr->type.name, n);
	line(shadow, "double loopc_e%d = 0;", n);
	line(shadow, "for (int loopc_r%d = 0; loopc_r%d <= %s; loopc_r%d++) {", n, n, test.has_error ?
		arena_printf(shadow->arena, "verify_is_close((double)loopc_v%d, loopc_e%d, 0, 0)",
			test.number, test.number) : "0", n);
	shadow->depth++;
	line(shadow, "%s loopc_x%d;", expr->type.name, n);
	line(shadow, "double loopc_d%d = 0;", n);
	line(shadow, "verify_speculation += loopc_r%d;", n);
	line(shadow, "if ((loopc_v%d != 0) != loopc_r%d) {", test.number, n);
	shadow->depth++;
	print_arm(shadow, expr->operands[1], result);
	shadow->depth--;
	line(shadow, "} else {");
	shadow->depth++;
	print_arm(shadow, expr->operands[2], result);
	shadow->depth--;
	line(shadow, "}");
	line(shadow, "verify_speculation -= loopc_r%d;", n);
	line(shadow, "if (loopc_r%d == 0)\n\t\t\tloopc_v%d = loopc_x%d;", n, n, n);
	line(shadow, "loopc_e%d = verify_either((double)loopc_v%d, loopc_e%d, (double)loopc_x%d, "
		"loopc_d%d);", n, n, n, n, n);
	shadow->depth--;
	line(shadow, "}");
	line(shadow, "(void)loopc_e%d;", n);
	return result;
}

/* A call whose argument MOVED (-1: none) is SIGN times its error away. */
static const char *call_text(struct shadow *shadow, const struct expr *expr,
	const struct value *arguments, int moved, char sign)
{
	const char *text = arena_printf(shadow->arena, "%s(", expr->text);
	for (int i = 0; i < expr->operand_count; i++) {
		int n = arguments[i].number;
		text = i != moved ? arena_printf(shadow->arena, "%s%sloopc_v%d", text, i ? ", " : "", n) :
			arena_printf(shadow->arena, "%s%s(%s)((double)loopc_v%d %c loopc_e%d)", text,
				i ? ", " : "", arguments[i].type.name, n, sign, n);
	}
	return arena_printf(shadow->arena, "%s)", text);
}

static struct value value_of_call(struct shadow *shadow, const struct expr *expr)
{
	struct value *arguments = ARENA_ARRAY(shadow->arena, struct value, expr->operand_count + 1);
	struct value result = new_value(shadow, expr->type, has_error(shadow, expr));
	for (int i = 0; i < expr->operand_count; i++)
		arguments[i] = value_of(shadow, expr->operands[i]);
	line(shadow, "const %s loopc_v%d = %s;", expr->type.name, result.number,
		call_text(shadow, expr, arguments, -1, ' '));
	if (!result.has_error)
		return result;
	line(shadow, "double loopc_e%d = 0;", result.number);
	for (int i = 0; i < expr->operand_count; i++)
		if (arguments[i].has_error) {
			line(shadow, "if (loopc_e%d > 1e18)\n\t\tloopc_e%d = (double)INFINITY;",
				arguments[i].number, result.number);
			line(shadow, "else if (loopc_e%d > 0)", arguments[i].number);
			line(shadow, "\tloopc_e%d += verify_moved((double)loopc_v%d, (double)%s, (double)%s);",
				result.number, result.number, call_text(shadow, expr, arguments, i, '+'),
				call_text(shadow, expr, arguments, i, '-'));
		}
	line(shadow, "loopc_e%d = verify_rounded((double)loopc_v%d, loopc_e%d, 4 * %s);", result.number,
		result.number, result.number, unit_of(expr->type));
	return result;
}

static struct value value_of(struct shadow *shadow, const struct expr *expr)
{
	struct value result;
	switch (expr->kind) {
	case EXPR_ACCESS:
		return value_of_access(shadow, expr);
	case EXPR_UNARY:
		return value_of_unary(shadow, expr);
	case EXPR_BINARY:
		return !strcmp(expr->operator, "&&") || !strcmp(expr->operator, "||") ?
			value_of_logic(shadow, expr) : value_of_operation(shadow, expr);
	case EXPR_CONDITIONAL:
		return value_of_conditional(shadow, expr);
	case EXPR_CAST:
		return converted(shadow, value_of(shadow, expr->operands[0]), expr->type,
			expr->location.line);
	case EXPR_CALL:
		return value_of_call(shadow, expr);
	default:
		result = new_value(shadow, expr->type, false);
		line(shadow, "const %s loopc_v%d = (%s)(%s);", expr->type.name, result.number,
			expr->type.name, expr->kind == EXPR_LITERAL ? expr->text :
			affine_text(shadow, expr->affine));
		return result;
	}
}

/* ---- sums that may be done in another order ---- */

static bool is_target(const struct shadow *shadow, const struct expr *expr)
{
	const struct statement *statement = shadow->statement;
	return expr->kind == EXPR_ACCESS && access_is_same(&statement->accesses[expr->access],
		&statement->accesses[0], statement->depth);
}

static bool reads_target(const struct shadow *shadow, const struct expr *expr)
{
	if (is_target(shadow, expr))
		return true;
	for (int o = 0; o < expr->operand_count; o++)
		if (reads_target(shadow, expr->operands[o]))
			return true;
	return false;
}

static void print_term(struct shadow *shadow, struct value value)
{
	line(shadow, "verify_term(&loopc_terms, (double)loopc_v%d, %s);", value.number,
		error_of(shadow, value));
}

static struct value sum_of(struct shadow *shadow, const struct expr *expr);

/* c ? x + a : x.  Where rounding decides, nothing is known. */
static struct value sum_of_conditional(struct shadow *shadow, const struct expr *expr)
{
	struct value test = value_of(shadow, expr->operands[0]);
	struct value result = new_value(shadow, expr->type, false);
	line(shadow, "%s loopc_v%d;", expr->type.name, result.number);
	if (test.has_error)
		line(shadow, "if (verify_is_close((double)loopc_v%d, loopc_e%d, 0, 0))\n"
			"\t\tloopc_terms.error = (double)INFINITY;", test.number, test.number);
	for (int i = 1; i <= 2; i++) {
		line(shadow, i == 1 ? "if (loopc_v%d != 0) {" : "} else {", test.number);
		shadow->depth++;
		struct value value = converted(shadow, sum_of(shadow, expr->operands[i]), expr->type,
			expr->location.line);
		line(shadow, "loopc_v%d = loopc_v%d;", result.number, value.number);
		shadow->depth--;
	}
	line(shadow, "}");
	return result;
}

/* The value of a sum that the target is a term of; the others go to loopc_terms.  What it
 * returns has no error of its own. */
static struct value sum_of(struct shadow *shadow, const struct expr *expr)
{
	if (expr->kind == EXPR_CONDITIONAL)
		return sum_of_conditional(shadow, expr);
	if (expr->kind == EXPR_CAST)
		return converted(shadow, sum_of(shadow, expr->operands[0]), expr->type,
			expr->location.line);
	struct value result;
	if (expr->kind != EXPR_BINARY) {
		result = value_of(shadow, expr);
		result.has_error = false;
		return result;
	}
	struct value values[2];
	for (int o = 0; o < 2; o++) {
		bool leads = reads_target(shadow, expr->operands[o]);
		values[o] = (leads ? sum_of : value_of)(shadow, expr->operands[o]);
		if (!leads)
			print_term(shadow, values[o]);
		values[o] = converted(shadow, values[o], expr->type, expr->location.line);
	}
	result = new_value(shadow, expr->type, false);
	line(shadow, "const %s loopc_v%d = loopc_v%d %s loopc_v%d;", expr->type.name, result.number,
		values[0].number, expr->operator, values[1].number);
	return result;
}

static int factor_count(const struct expr *expr)
{
	int count = expr->kind == EXPR_BINARY && !strcmp(expr->operator, "*");
	for (int o = 0; o < expr->operand_count; o++)
		count += factor_count(expr->operands[o]);
	return count;
}

/* ---- statements ---- */

static void print_store(struct shadow *shadow, struct value value)
{
	const struct statement *statement = shadow->statement;
	const struct access *target = &statement->accesses[0];
	bool is_moved = is_reordered(statement) && shadow->is_inexact[target->array->index];
	const char *unit = unit_of(target->array->type), *error = error_of(shadow, value);
	line(shadow, "%s *const loopc_target = &%s;", target->array->type.name,
		element_text(shadow, "a", target));
	line(shadow, "const double loopc_old = (double)*loopc_target;");
	line(shadow, "*loopc_target = loopc_v%d;", value.number);
	if (!shadow->is_inexact[target->array->index]) {
		line(shadow, "(void)loopc_old;");
		return;
	}
	const char *place = arena_printf(shadow->arena, "&%s", element_text(shadow, "error", target));
	if (!is_moved)
		line(shadow, "(void)loopc_old;\n\tverify_assign(%s, %s);", place, error);
	else if (statement->reduction == REDUCTION_SUM)
		line(shadow, "verify_add(%s, &loopc_terms, loopc_old, %s);", place, unit);
	else if (statement->reduction == REDUCTION_PRODUCT)
		line(shadow, "verify_multiply(%s, loopc_old, (double)loopc_v%d, %s, %d);", place,
			value.number, error, factor_count(statement->value));
	else
		line(shadow, "verify_combine(%s, loopc_old, (double)loopc_v%d, %s);", place, value.number,
			error);
}

static void print_statement(struct shadow *shadow, const struct statement *statement)
{
	shadow->statement = statement;
	shadow->next = 0;
	const struct array *array = statement->accesses[0].array;
	bool is_moved = is_reordered(statement) && shadow->is_inexact[array->index];
	bool is_sum = is_moved && statement->reduction == REDUCTION_SUM;
	shadow->is_own = is_moved;
	fprintf(shadow->out, "\nstatic void loopc_%d_%d(", shadow->f, statement->index);
	for (int i = 0; i < statement->depth; i++)
		fprintf(shadow->out, "%slong loopc_i%d", i ? ", " : "", i);
	fputs(statement->depth ? ")\n{\n" : "void)\n{\n", shadow->out);
	shadow->depth = 1;
	if (is_sum)
		line(shadow, "struct verify_terms loopc_terms = { 0, 0, 0 };");
	struct value value = (is_sum ? sum_of : value_of)(shadow, statement->value);
	print_store(shadow, converted(shadow, value, array->type, statement->location.line));
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
		line(shadow, "loopc_a_%d_%d = loopc_arrays[%d];", shadow->f, a, next);
		if (shadow->is_inexact[a])
			line(shadow, "loopc_error_%d_%d = loopc_errors[%d];", shadow->f, a, next);
		next++;
	}
	for (int a = 0; a < function->array_count; a++) {
		const struct array *array = function->arrays[a];
		const char *elements = "1";
		if (array->is_parameter && !array->by_value)
			continue;
		for (int d = 0; d < array->rank; d++)
			elements = arena_printf(shadow->arena, "%s * (%s)", elements,
				affine_text(shadow, array->shape[d]));
		line(shadow, "loopc_a_%d_%d = verify_allocate((size_t)(%s) * %d);", shadow->f, a, elements,
			array->type.bytes);
		if (shadow->is_inexact[a])
			line(shadow, "loopc_error_%d_%d = verify_allocate((size_t)(%s) * "
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
		line(shadow, "free(loopc_a_%d_%d);", shadow->f, a);
		if (shadow->is_inexact[a])
			line(shadow, "free(loopc_error_%d_%d);", shadow->f, a);
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
		line(&shadow, "const long loopc_size_%d = loopc_sizes[%d];", k, k);
	line(&shadow, "(void)loopc_arrays;\n\t(void)loopc_errors;\n\tloopc_sizes_%d = loopc_sizes;", f);
	print_memory(&shadow);
	fputs(order, out);
	print_release(&shadow);
	fputs("}\n", out);
	free(order);
	return true;
}
