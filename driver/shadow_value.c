/* Values in shadow code: lines of C that compute what the source does, and an error beside it where
 * there is one. */

#include <stdarg.h>
#include <string.h>

#include "driver/shadow_writer.h"
#include "ir/program_build.h"

void shadow_line(struct shadow *shadow, const char *format, ...)
{
	va_list arguments;
	for (int i = 0; i < shadow->depth; i++)
		fputc('\t', shadow->out);
	va_start(arguments, format);
	vfprintf(shadow->out, format, arguments);
	va_end(arguments);
	fputc('\n', shadow->out);
}

const char *shadow_unit(struct type type)
{
	return type.kind == TYPE_FLOAT ? "FLT_EPSILON" : type.kind == TYPE_DOUBLE ? "DBL_EPSILON" : "0";
}

static struct value new_value(struct shadow *shadow, struct type type, bool has_error)
{
	return (struct value){ shadow->next++, type, has_error };
}

const char *shadow_error(const struct shadow *shadow, struct value value)
{
	return value.has_error ? arena_printf(shadow->arena, "loopc_e%d", value.number) : "0";
}

static const char *range_of(const struct shadow *shadow, struct type type)
{
	return arena_printf(shadow->arena, "%ld.0, %lu.0", type_min(type.kind), type_max(type.kind));
}

const char *shadow_affine(const struct shadow *shadow, struct affine affine)
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
			shadow_affine(shadow, extent), shadow_affine(shadow, access->subscripts[d]));
	}
	return text;
}

const char *shadow_element(const struct shadow *shadow, const char *of,
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

struct value shadow_converted(struct shadow *shadow, struct value value, struct type to, int at)
{
	if (value.type.kind == to.kind)
		return value;
	struct value result = new_value(shadow, to, value.has_error);
	const char *error = shadow_error(shadow, value);
	const char *source = arena_printf(shadow->arena, "loopc_v%d", value.number);
	if (shadow_is_risky_conversion(value.type, to))
		source = arena_printf(shadow->arena, "(verify_defined((double)%s > %ld.0 - 1 && "
			"(double)%s < %lu.0 + 1, \"a conversion to a type that cannot hold the value\", %d) ? %s : 0)",
			source, type_min(to.kind), source, type_max(to.kind), at, source);
	shadow_line(shadow, "const %s loopc_v%d = (%s)%s;", to.name, result.number, to.name, source);
	if (!result.has_error)
		return result;
	if (to.kind == TYPE_BOOL)
		shadow_line(shadow, "const double loopc_e%d = verify_is_close((double)loopc_v%d, %s, 0, 0);",
			result.number, value.number, error);
	else if (type_is_float(to.kind))
		shadow_line(shadow, "const double loopc_e%d = verify_rounded((double)loopc_v%d, %s, %s);",
			result.number, result.number, error, shadow_unit(to));
	else
		shadow_line(shadow, "const double loopc_e%d = verify_wrapped((double)loopc_v%d, %s > 0 ? %s + %d : 0, "
			"%s);", result.number, result.number, error, error,
			type_is_float(value.type.kind), range_of(shadow, to));
	return result;
}

static struct value value_of_access(struct shadow *shadow, const struct expr *expr)
{
	const struct access *access = &shadow->statement->accesses[expr->access];
	struct value result = new_value(shadow, access->array->type, has_error(shadow, expr));
	shadow_line(shadow, "const %s loopc_v%d = %s;", access->array->type.name, result.number,
		shadow_element(shadow, "a", access));
	if (!result.has_error)
		return result;
	bool is_own = shadow->is_own && access_is_same(access, &shadow->statement->accesses[0],
		shadow->statement->depth);
	shadow_line(shadow, "const double loopc_e%d = %s(&%s, (double)loopc_v%d, %s%s);", result.number,
		is_own ? "verify_own_error" : "verify_error_of", shadow_element(shadow, "error", access),
		result.number, shadow_unit(access->array->type),
		!is_own ? "" : shadow->statement->reduction == REDUCTION_PRODUCT ? ", 1" : ", 0");
	return result;
}

/* The error of an operation's result, of the right type but not wrapped or rounded. */
static const char *raw_error(struct shadow *shadow, const struct expr *expr, struct value a,
	struct value b)
{
	const char *x = arena_printf(shadow->arena, "(double)loopc_v%d", a.number);
	const char *y = arena_printf(shadow->arena, "(double)loopc_v%d", b.number);
	const char *x_error = shadow_error(shadow, a), *y_error = shadow_error(shadow, b);
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
	if (shadow_is_division(expr)) {
		text = arena_printf(shadow->arena, "(verify_defined(loopc_v%d != 0, \"a division by zero\", "
			"%d)", b.number, at);
		if (type_is_signed(expr->type.kind))
			text = arena_printf(shadow->arena, "%s && verify_defined(loopc_v%d != -1 || loopc_v%d != "
				"(%s)%ld, \"a quotient that its type cannot hold\", %d)", text, b.number,
				a.number, expr->type.name, type_min(expr->type.kind), at);
		return arena_printf(shadow->arena, "%s ? loopc_v%d %s loopc_v%d : 0)", text, a.number,
			expr->operator, b.number);
	}
	if (shadow_is_shift(expr))
		return arena_printf(shadow->arena, "(verify_defined(loopc_v%d >= 0 && loopc_v%d < %d, "
			"\"a shift by less than 0 or all bits\", %d) ? %s : 0)", b.number, b.number,
			8 * expr->type.bytes, at, text);
	return text;
}

static bool is_comparison(const struct expr *expr)
{
	return !shadow_is_shift(expr) && (strchr("<>", *expr->operator) || !strcmp(expr->operator, "==") ||
		!strcmp(expr->operator, "!="));
}

static struct value value_of_operation(struct shadow *shadow, const struct expr *expr)
{
	struct value a = shadow_value(shadow, expr->operands[0]), b = shadow_value(shadow, expr->operands[1]);
	bool compares = is_comparison(expr);
	struct type type = compares ? type_common(a.type, b.type) : expr->type;
	if (!shadow_is_shift(expr)) {
		a = shadow_converted(shadow, a, type, expr->location.line);
		b = shadow_converted(shadow, b, type, expr->location.line);
	} else {
		a = shadow_converted(shadow, a, expr->type, expr->location.line);
	}
	struct value result = new_value(shadow, expr->type, a.has_error || b.has_error);
	shadow_line(shadow, "const %s loopc_v%d = (%s)(%s);", expr->type.name, result.number, expr->type.name,
		operation_text(shadow, expr, a, b));
	if (!result.has_error)
		return result;
	if (compares)
		shadow_line(shadow, "const double loopc_e%d = verify_is_close((double)loopc_v%d, %s, "
			"(double)loopc_v%d, %s);", result.number, a.number, shadow_error(shadow, a), b.number,
			shadow_error(shadow, b));
	else if (type_is_float(expr->type.kind))
		shadow_line(shadow, "const double loopc_e%d = verify_rounded((double)loopc_v%d, %s, %s);",
			result.number, result.number, raw_error(shadow, expr, a, b), shadow_unit(expr->type));
	else
		shadow_line(shadow, "const double loopc_e%d = verify_wrapped((double)loopc_v%d, %s, %s);",
			result.number, result.number, raw_error(shadow, expr, a, b),
			range_of(shadow, expr->type));
	return result;
}

/* && and ||: the second operand is looked at only where the first does not decide. */
static struct value value_of_logic(struct shadow *shadow, const struct expr *expr)
{
	struct value result = new_value(shadow, expr->type, has_error(shadow, expr));
	const char *zero = *expr->operator == '&' ? "" : "!";
	shadow_line(shadow, "%s loopc_v%d;", expr->type.name, result.number);
	shadow_line(shadow, "double loopc_e%d = 0;", result.number);
	shadow_line(shadow, "{");
	shadow->depth++;
	struct value a = shadow_value(shadow, expr->operands[0]);
	shadow_line(shadow, "loopc_v%d = loopc_v%d != 0;", result.number, a.number);
	if (a.has_error)
		shadow_line(shadow, "loopc_e%d = verify_is_close((double)loopc_v%d, loopc_e%d, 0, 0);",
			result.number, a.number, a.number);
	shadow_line(shadow, "if (%sloopc_v%d) {", zero, result.number);
	shadow->depth++;
	struct value b = shadow_value(shadow, expr->operands[1]);
	shadow_line(shadow, "loopc_v%d = loopc_v%d != 0;", result.number, b.number);
	if (b.has_error)
		shadow_line(shadow, "if (verify_is_close((double)loopc_v%d, loopc_e%d, 0, 0))\n\t\t\tloopc_e%d = 1;",
			b.number, b.number, result.number);
	shadow->depth--;
	shadow_line(shadow, "}");
	shadow->depth--;
	shadow_line(shadow, "}");
	shadow_line(shadow, "(void)loopc_e%d;", result.number);
	return result;
}

static struct value value_of_unary(struct shadow *shadow, const struct expr *expr)
{
	struct value a = shadow_value(shadow, expr->operands[0]);
	bool negates = !strcmp(expr->operator, "!");
	if (!negates)
		a = shadow_converted(shadow, a, expr->type, expr->location.line);
	struct value result = new_value(shadow, expr->type, a.has_error);
	shadow_line(shadow, "const %s loopc_v%d = (%s)(%s loopc_v%d);", expr->type.name, result.number,
		expr->type.name, expr->operator, a.number);
	if (a.has_error && negates)
		shadow_line(shadow, "const double loopc_e%d = verify_is_close((double)loopc_v%d, loopc_e%d, 0, 0);",
			result.number, a.number, a.number);
	else if (a.has_error)
		shadow_line(shadow, "const double loopc_e%d = loopc_e%d;", result.number, a.number);
	return result;
}

/* One arm of a conditional, left in loopc_x and loopc_x_error of RESULT's type. */
static void print_arm(struct shadow *shadow, const struct expr *arm, struct value result)
{
	struct value value = shadow_converted(shadow, shadow_value(shadow, arm), result.type, arm->location.line);
	shadow_line(shadow, "loopc_x%d = loopc_v%d;", result.number, value.number);
	if (value.has_error)
		shadow_line(shadow, "loopc_d%d = loopc_e%d;", result.number, value.number);
}

/* The arm taken, then the other one where rounding decides between them. */
static struct value value_of_conditional(struct shadow *shadow, const struct expr *expr)
{
	struct value test = shadow_value(shadow, expr->operands[0]);
	struct value result = new_value(shadow, expr->type, has_error(shadow, expr));
	int n = result.number;
	shadow_line(shadow, "%s loopc_v%d = 0;", expr->type.name, n);
	shadow_line(shadow, "double loopc_e%d = 0;", n);
	shadow_line(shadow, "for (int loopc_r%d = 0; loopc_r%d <= %s; loopc_r%d++) {", n, n, test.has_error ?
		arena_printf(shadow->arena, "verify_is_close((double)loopc_v%d, loopc_e%d, 0, 0)",
			test.number, test.number) : "0", n);
	shadow->depth++;
	shadow_line(shadow, "%s loopc_x%d;", expr->type.name, n);
	shadow_line(shadow, "double loopc_d%d = 0;", n);
	shadow_line(shadow, "verify_speculation += loopc_r%d;", n);
	shadow_line(shadow, "if ((loopc_v%d != 0) != loopc_r%d) {", test.number, n);
	shadow->depth++;
	print_arm(shadow, expr->operands[1], result);
	shadow->depth--;
	shadow_line(shadow, "} else {");
	shadow->depth++;
	print_arm(shadow, expr->operands[2], result);
	shadow->depth--;
	shadow_line(shadow, "}");
	shadow_line(shadow, "verify_speculation -= loopc_r%d;", n);
	shadow_line(shadow, "if (loopc_r%d == 0)\n\t\t\tloopc_v%d = loopc_x%d;", n, n, n);
	shadow_line(shadow, "loopc_e%d = verify_either((double)loopc_v%d, loopc_e%d, (double)loopc_x%d, "
		"loopc_d%d);", n, n, n, n, n);
	shadow->depth--;
	shadow_line(shadow, "}");
	shadow_line(shadow, "(void)loopc_e%d;", n);
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
		arguments[i] = shadow_value(shadow, expr->operands[i]);
	shadow_line(shadow, "const %s loopc_v%d = %s;", expr->type.name, result.number,
		call_text(shadow, expr, arguments, -1, ' '));
	if (!result.has_error)
		return result;
	shadow_line(shadow, "double loopc_e%d = 0;", result.number);
	for (int i = 0; i < expr->operand_count; i++)
		if (arguments[i].has_error) {
			shadow_line(shadow, "if (loopc_e%d > 1e18)\n\t\tloopc_e%d = (double)INFINITY;",
				arguments[i].number, result.number);
			shadow_line(shadow, "else if (loopc_e%d > 0)", arguments[i].number);
			shadow_line(shadow, "\tloopc_e%d += verify_moved((double)loopc_v%d, (double)%s, (double)%s);",
				result.number, result.number, call_text(shadow, expr, arguments, i, '+'),
				call_text(shadow, expr, arguments, i, '-'));
		}
	shadow_line(shadow, "loopc_e%d = verify_rounded((double)loopc_v%d, loopc_e%d, 4 * %s);", result.number,
		result.number, result.number, shadow_unit(expr->type));
	return result;
}

struct value shadow_value(struct shadow *shadow, const struct expr *expr)
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
		return shadow_converted(shadow, shadow_value(shadow, expr->operands[0]), expr->type,
			expr->location.line);
	case EXPR_CALL:
		return value_of_call(shadow, expr);
	default:
		result = new_value(shadow, expr->type, false);
		shadow_line(shadow, "const %s loopc_v%d = (%s)(%s);", expr->type.name, result.number,
			expr->type.name, expr->kind == EXPR_LITERAL ? expr->text :
			shadow_affine(shadow, expr->affine));
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
	shadow_line(shadow, "verify_term(&loopc_terms, (double)loopc_v%d, %s);", value.number,
		shadow_error(shadow, value));
}

/* c ? x + a : x.  Where rounding decides, nothing is known. */
static struct value sum_of_conditional(struct shadow *shadow, const struct expr *expr)
{
	struct value test = shadow_value(shadow, expr->operands[0]);
	struct value result = new_value(shadow, expr->type, false);
	shadow_line(shadow, "%s loopc_v%d;", expr->type.name, result.number);
	if (test.has_error)
		shadow_line(shadow, "if (verify_is_close((double)loopc_v%d, loopc_e%d, 0, 0))\n"
			"\t\tloopc_terms.error = (double)INFINITY;", test.number, test.number);
	for (int i = 1; i <= 2; i++) {
		shadow_line(shadow, i == 1 ? "if (loopc_v%d != 0) {" : "} else {", test.number);
		shadow->depth++;
		struct value value = shadow_converted(shadow, shadow_sum(shadow, expr->operands[i]), expr->type,
			expr->location.line);
		shadow_line(shadow, "loopc_v%d = loopc_v%d;", result.number, value.number);
		shadow->depth--;
	}
	shadow_line(shadow, "}");
	return result;
}

struct value shadow_sum(struct shadow *shadow, const struct expr *expr)
{
	if (expr->kind == EXPR_CONDITIONAL)
		return sum_of_conditional(shadow, expr);
	if (expr->kind == EXPR_CAST)
		return shadow_converted(shadow, shadow_sum(shadow, expr->operands[0]), expr->type,
			expr->location.line);
	struct value result;
	if (expr->kind != EXPR_BINARY) {
		result = shadow_value(shadow, expr);
		result.has_error = false;
		return result;
	}
	struct value values[2];
	for (int o = 0; o < 2; o++) {
		bool leads = reads_target(shadow, expr->operands[o]);
		values[o] = (leads ? shadow_sum : shadow_value)(shadow, expr->operands[o]);
		if (!leads)
			print_term(shadow, values[o]);
		values[o] = shadow_converted(shadow, values[o], expr->type, expr->location.line);
	}
	result = new_value(shadow, expr->type, false);
	shadow_line(shadow, "const %s loopc_v%d = loopc_v%d %s loopc_v%d;", expr->type.name, result.number,
		values[0].number, expr->operator, values[1].number);
	return result;
}
