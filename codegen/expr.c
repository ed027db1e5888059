/* C expressions: of the plan (indices and bounds) and of the source (values). */

#include "codegen/expr.h"

#include <ctype.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/ring.h"
#include "ir/program_build.h"

enum { NARROW_LIMIT = 1 << 30 };     /* leaves room for one step beyond */

const char *text_at(struct printer *printer, struct text text, enum precedence least)
{
	return text.precedence >= least ? text.c : arena_printf(printer->arena, "(%s)", text.c);
}

static struct text primary(const char *c)
{
	return (struct text){ c, TEXT_PRIMARY };
}

/* A OPERATOR B, both at least as tight as LEFT and RIGHT. */
static struct text infix(struct printer *printer, struct text a, const char *operator,
	struct text b, enum precedence own, enum precedence left, enum precedence right)
{
	return (struct text){ arena_printf(printer->arena, "%s %s %s", text_at(printer, a, left),
		operator, text_at(printer, b, right)), own };
}

/* ---------------------------------------------------- expressions of the plan */

bool var_is_wide(const struct plan_var *var)
{
	return var->min < -NARROW_LIMIT || var->max > NARROW_LIMIT;
}

bool expr_is_wide(const struct plan_expr *expr)
{
	long min, max;

	plan_range(expr, &min, &max);
	if (min < INT32_MIN / 2 || max > INT32_MAX / 2)
		return true;
	for (int i = 0; i < plan_operand_count(expr->op); i++)
		if (expr_is_wide(expr->operands[i]))
			return true;
	return expr->op == PLAN_VAR && var_is_wide(expr->var);
}

static struct text plain(struct printer *printer, const struct plan_expr *expr, bool wide);

static struct text constant(struct printer *printer, long value)
{
	if (value == LONG_MIN)
		return primary("(-9223372036854775807 - 1)");
	return (struct text){ arena_printf(printer->arena, "%ld", value),
		value < 0 ? TEXT_UNARY : TEXT_PRIMARY };
}

/* The quotient or remainder by a constant, its operand lifted above zero where it
 * may be negative, so that C's division rounds down. */
static struct text division(struct printer *printer, const struct plan_expr *expr, bool wide)
{
	long min, max, divisor = expr->operands[1]->value, lift;
	struct text operand = plain(printer, expr->operands[0], wide);
	struct text by = constant(printer, divisor), result;

	plan_range(expr->operands[0], &min, &max);
	lift = min < 0 ? -plan_floor_div(min, divisor) : 0;
	if (lift > 0)
		operand = infix(printer, operand, "+", constant(printer, lift * divisor), TEXT_SUM,
			TEXT_SUM, TEXT_PRODUCT);
	result = infix(printer, operand, expr->op == PLAN_MOD ? "%" : "/", by, TEXT_PRODUCT,
		TEXT_PRODUCT, TEXT_UNARY);
	if (lift > 0 && expr->op == PLAN_FLOORDIV)
		result = infix(printer, result, "-", constant(printer, lift), TEXT_SUM, TEXT_SUM,
			TEXT_PRODUCT);
	return result;
}

static struct text extremum(struct printer *printer, const struct plan_expr *expr, bool wide)
{
	bool is_min = expr->op == PLAN_MIN;
	struct text a = plain(printer, expr->operands[0], wide);
	struct text b = plain(printer, expr->operands[1], wide);

	(is_min ? printer->uses_min : printer->uses_max)[wide] = true;
	return primary(arena_printf(printer->arena, "loopc_%s%s(%s, %s)", is_min ? "min" : "max",
		wide ? "64" : "", a.c, b.c));
}

/* A relation as OPERATOR says it, or with a constant on the right as MIRRORED does. */
static struct text relation(struct printer *printer, const struct plan_expr *expr,
	const char *operator, const char *mirrored, bool wide)
{
	bool is_mirrored = expr->operands[0]->op == PLAN_CONST;

	return infix(printer, plain(printer, expr->operands[is_mirrored], wide),
		is_mirrored ? mirrored : operator,
		plain(printer, expr->operands[!is_mirrored], wide),
		expr->op == PLAN_EQ ? TEXT_EQUALITY : TEXT_RELATION, TEXT_SUM, TEXT_SUM);
}

static struct text negation(struct printer *printer, const struct plan_expr *operand, bool wide)
{
	if (operand->op == PLAN_EQ)
		return relation(printer, operand, "!=", "!=", wide);
	if (operand->op == PLAN_LE)
		return relation(printer, operand, ">", "<", wide);
	return (struct text){ arena_printf(printer->arena, "!%s",
		text_at(printer, plain(printer, operand, wide), TEXT_PRIMARY)), TEXT_UNARY };
}

static struct text selection(struct printer *printer, const struct plan_expr *expr, bool wide)
{
	static const enum precedence least[] = { TEXT_EQUALITY, TEXT_SUM, TEXT_CONDITIONAL };
	const char *part[3];

	for (int i = 0; i < 3; i++)
		part[i] = text_at(printer, plain(printer, expr->operands[i], wide), least[i]);
	return (struct text){ arena_printf(printer->arena, "%s ? %s : %s", part[0], part[1],
		part[2]), TEXT_CONDITIONAL };
}

/* The variable NAME, of the type int64_t if IS_WIDE, as a value that is if WIDE. */
static struct text variable(struct printer *printer, const char *name, bool is_wide, bool wide)
{
	if (wide && !is_wide)
		return (struct text){ arena_printf(printer->arena, "(int64_t)%s", name), TEXT_CAST };
	return primary(name);
}

/* A remainder: a variable where it has one. */
static struct text remainder_of(struct printer *printer, const struct plan_expr *expr, bool wide)
{
	for (const struct ring *ring = printer->rings; ring; ring = ring->outer)
		if (plan_equal(ring->expr, expr))
			return variable(printer, ring->name, expr_is_wide(expr), wide);
	return division(printer, expr, wide);
}

/* "a && b && c"; what is mixed gets parentheses. */
static struct text logic(struct printer *printer, const struct plan_expr *expr, bool wide)
{
	bool is_and = expr->op == PLAN_AND;
	enum precedence own = is_and ? TEXT_AND : TEXT_OR;
	bool is_chain = expr->operands[0]->op == expr->op;

	return infix(printer, plain(printer, expr->operands[0], wide), is_and ? "&&" : "||",
		plain(printer, expr->operands[1], wide), own, is_chain ? own : TEXT_EQUALITY,
		TEXT_EQUALITY);
}

static struct text plain(struct printer *printer, const struct plan_expr *expr, bool wide)
{
	static const struct {
		const char *operator;
		enum precedence own, left, right;
	} infixes[] = {
		[PLAN_ADD] = { "+", TEXT_SUM, TEXT_SUM, TEXT_PRODUCT },
		[PLAN_SUB] = { "-", TEXT_SUM, TEXT_SUM, TEXT_PRODUCT },
		[PLAN_MUL] = { "*", TEXT_PRODUCT, TEXT_PRODUCT, TEXT_UNARY },
	};

	switch (expr->op) {
	case PLAN_CONST:
		return constant(printer, expr->value);
	case PLAN_VAR:
		return variable(printer, names_of(&printer->names, expr->var), var_is_wide(expr->var),
			wide);
	case PLAN_MOD:
		return remainder_of(printer, expr, wide);
	case PLAN_FLOORDIV:
		return division(printer, expr, wide);
	case PLAN_MIN:
	case PLAN_MAX:
		return extremum(printer, expr, wide);
	case PLAN_EQ:
		return relation(printer, expr, "==", "==", wide);
	case PLAN_LE:
		return relation(printer, expr, "<=", ">=", wide);
	case PLAN_AND:
	case PLAN_OR:
		return logic(printer, expr, wide);
	case PLAN_NOT:
		return negation(printer, expr->operands[0], wide);
	case PLAN_SELECT:
		return selection(printer, expr, wide);
	default:
		return infix(printer, plain(printer, expr->operands[0], wide),
			infixes[expr->op].operator, plain(printer, expr->operands[1], wide),
			infixes[expr->op].own, infixes[expr->op].left, infixes[expr->op].right);
	}
}

struct text index_text(struct printer *printer, const struct plan_expr *expr)
{
	return plain(printer, expr, expr_is_wide(expr));
}

struct text index_text_as(struct printer *printer, const struct plan_expr *expr, bool wide)
{
	bool is_wide = expr_is_wide(expr);
	struct text text = plain(printer, expr, is_wide);

	if (is_wide == wide || (wide && expr->op == PLAN_CONST))
		return text;
	return (struct text){ arena_printf(printer->arena, "(%s)%s", wide ? "int64_t" : "int32_t",
		text_at(printer, text, TEXT_UNARY)), TEXT_CAST };
}

/* ---------------------------------------------------- elements */

struct plan_expr *affine_value(struct printer *printer, const struct plan_node *node,
	struct affine affine)
{
	return plan_affine(printer->arena, affine, node->statement->depth, node->values,
		printer->plan->sizes);
}

struct plan_expr *access_coordinate(struct printer *printer, const struct plan_node *node,
	int access, int d)
{
	struct arena *arena = printer->arena;
	const struct plan_dim *dim = &node->buffers[access]->dims[d];
	struct plan_expr *x = affine_value(printer, node,
		node->statement->accesses[access].subscripts[d]);
	struct plan_expr *y = plan_make(arena, PLAN_FLOORDIV,
		plan_make(arena, PLAN_SUB, x, plan_const(arena, dim->phase)),
		plan_const(arena, dim->stride));

	if (dim->modulus > 0)
		return plan_make(arena, PLAN_MOD, y, plan_const(arena, dim->modulus));
	return plan_make(arena, PLAN_SUB, y, dim->origin);
}

struct text access_text(struct printer *printer, const struct plan_node *node, int access)
{
	const struct access *source = &node->statement->accesses[access];
	const struct plan_buffer *buffer = node->buffers[access];
	const char *text;

	if (!buffer)
		return primary(names_of(&printer->names, source->array));
	text = names_of(&printer->names, buffer);
	if (buffer->slots > 1)
		text = arena_printf(printer->arena, "%s[%s]", text,
			index_text(printer, buffer->slot).c);
	else if (buffer->rank == 0)
		return primary(arena_printf(printer->arena, "%s[0]", text));
	for (int d = 0; d < buffer->rank; d++)
		text = arena_printf(printer->arena, "%s[%s]", text,
			index_text(printer, access_coordinate(printer, node, access, d)).c);
	return primary(text);
}

/* ---------------------------------------------------- values of the source */

static int integer_bits(struct type type)
{
	return type.kind == TYPE_BOOL ? 1 : type.bytes * 8;
}

/* Whether every value of FROM is one of TO, so that C may convert silently. */
static bool is_lossless(struct type from, struct type to)
{
	int bits = integer_bits(from) - (type_is_signed(from.kind) ? 1 : 0);

	if (from.kind == to.kind)
		return true;
	if (type_is_float(from.kind))
		return type_is_float(to.kind) && to.bytes > from.bytes;
	if (type_is_float(to.kind))
		return bits < (to.kind == TYPE_FLOAT ? 24 : 53);
	if (to.kind == TYPE_BOOL || (type_is_signed(from.kind) && !type_is_signed(to.kind)))
		return false;
	return bits <= integer_bits(to) - (type_is_signed(to.kind) ? 1 : 0);
}

/* Whether the value of a literal, or of one with a minus, is one of TO, whatever its
 * own type. */
static bool literal_fits(const struct expr *expr, struct type to)
{
	unsigned long value;
	int bits = integer_bits(to) - (type_is_signed(to.kind) ? 1 : 0);

	if (expr->kind == EXPR_UNARY && strcmp(expr->operator, "-") == 0
		&& type_is_signed(to.kind) && type_is_signed(expr->type.kind))
		expr = expr->operands[0];
	if (expr->kind != EXPR_LITERAL || type_is_float(expr->type.kind) || to.kind == TYPE_BOOL
		|| !isdigit((unsigned char)*expr->text))
		return false;
	value = strtoul(expr->text, NULL, 0);
	if (type_is_float(to.kind))
		bits = to.kind == TYPE_FLOAT ? 24 : 53;
	return bits >= 64 || value >> bits == 0;
}

static struct text cast(struct printer *printer, const char *type, struct text text)
{
	return (struct text){ arena_printf(printer->arena, "(%s)%s", type,
		text_at(printer, text, TEXT_UNARY)), TEXT_CAST };
}

static bool is_narrow(const struct expr *expr);

/* A OPERATOR B that gcc 12 does in less than 32 bits, where A and B are so narrow. */
static bool is_narrow_operation(const struct expr *expr)
{
	const struct expr *a = expr->operands[0], *b = expr->operands[1];
	bool is_bitwise = strlen(expr->operator) == 1 && strchr("&|^", *expr->operator);
	bool is_division = *expr->operator == '/' || *expr->operator == '%' ||
		strcmp(expr->operator, ">>") == 0;

	if (is_bitwise && a->kind == EXPR_LITERAL)
		return is_narrow(b);
	return (is_bitwise || is_division) && is_narrow(a) &&
		(b->kind == EXPR_LITERAL || (is_bitwise && is_narrow(b)));
}

/* EXPR is a signed value of less than 32 bits, or an operation on or choice of such ones. */
static bool is_narrow(const struct expr *expr)
{
	while (expr->kind == EXPR_CAST && is_lossless(expr->operands[0]->type, expr->type))
		expr = expr->operands[0];
	if (expr->kind == EXPR_CONDITIONAL)
		return is_narrow(expr->operands[1]) || is_narrow(expr->operands[2]);
	if (expr->kind == EXPR_BINARY)
		return is_narrow_operation(expr);
	if (expr->kind == EXPR_UNARY && *expr->operator == '+')
		return is_narrow(expr->operands[0]);
	return type_is_signed(expr->type.kind) && !type_is_float(expr->type.kind)
		&& expr->type.bytes < 4;
}

/* gcc 12 looks through the cast in "u + (uint32_t)b", b an int8_t, or b | 1, and warns of the
 * conversion that the cast spells out; it does not look through "(uint32_t)(b + 0)". */
static struct text cast_from(struct printer *printer, struct type to, struct text text,
	const struct expr *expr)
{
	if (to.kind == TYPE_UINT32 && is_narrow(expr))
		text = infix(printer, text, "+", primary("0"), TEXT_SUM, TEXT_SUM, TEXT_PRODUCT);
	return cast(printer, to.name, text);
}

/* TEXT is EXPR in C; as a value of type TO. */
static struct text converted(struct printer *printer, struct text text, const struct expr *expr,
	struct type to)
{
	if (is_lossless(expr->type, to) || literal_fits(expr, to))
		return text;
	return cast_from(printer, to, text, expr);
}

enum operator_class { ARITHMETIC, COMPARISON, SHIFT, LOGICAL };

static const struct operator {
	const char *text;
	enum operator_class class;
	/* left and right: looser operands get parentheses, more than C needs where
	 * compilers warn about mixtures. */
	enum precedence own, left, right;
} operators[] = {
	{ "*", ARITHMETIC, TEXT_PRODUCT, TEXT_PRODUCT, TEXT_UNARY },
	{ "/", ARITHMETIC, TEXT_PRODUCT, TEXT_PRODUCT, TEXT_UNARY },
	{ "%", ARITHMETIC, TEXT_PRODUCT, TEXT_PRODUCT, TEXT_UNARY },
	{ "+", ARITHMETIC, TEXT_SUM, TEXT_SUM, TEXT_PRODUCT },
	{ "-", ARITHMETIC, TEXT_SUM, TEXT_SUM, TEXT_PRODUCT },
	{ "<<", SHIFT, TEXT_SHIFT, TEXT_UNARY, TEXT_UNARY },
	{ ">>", SHIFT, TEXT_SHIFT, TEXT_UNARY, TEXT_UNARY },
	{ "<", COMPARISON, TEXT_RELATION, TEXT_SUM, TEXT_SUM },
	{ ">", COMPARISON, TEXT_RELATION, TEXT_SUM, TEXT_SUM },
	{ "<=", COMPARISON, TEXT_RELATION, TEXT_SUM, TEXT_SUM },
	{ ">=", COMPARISON, TEXT_RELATION, TEXT_SUM, TEXT_SUM },
	{ "==", COMPARISON, TEXT_EQUALITY, TEXT_SUM, TEXT_SUM },
	{ "!=", COMPARISON, TEXT_EQUALITY, TEXT_SUM, TEXT_SUM },
	{ "&", ARITHMETIC, TEXT_BIT_AND, TEXT_UNARY, TEXT_UNARY },
	{ "^", ARITHMETIC, TEXT_BIT_XOR, TEXT_UNARY, TEXT_UNARY },
	{ "|", ARITHMETIC, TEXT_BIT_OR, TEXT_UNARY, TEXT_UNARY },
	{ "&&", LOGICAL, TEXT_AND, TEXT_EQUALITY, TEXT_EQUALITY },
	{ "||", LOGICAL, TEXT_OR, TEXT_EQUALITY, TEXT_EQUALITY },
};

static const struct operator *find_operator(const char *text)
{
	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
		if (strcmp(operators[i].text, text) == 0)
			return &operators[i];
	fprintf(stderr, "loopc: internal error: operator %s cannot be printed\n", text);
	exit(70);
}

static struct text value_text(struct printer *printer, const struct plan_node *node,
	const struct expr *expr);

/* EXPR where C asks whether it is zero: a comparison is spelled out for floats and
 * constants, whose conversion to a truth value compilers warn of. */
static struct text truth_text(struct printer *printer, const struct plan_node *node,
	const struct expr *expr)
{
	struct text text = value_text(printer, node, expr);
	const char *zero = expr->type.kind == TYPE_FLOAT ? "0.0f"
		: expr->type.kind == TYPE_DOUBLE ? "0.0" : "0";
	const struct expr *leaf = expr;

	while (leaf->kind == EXPR_CAST)
		leaf = leaf->operands[0];
	if (!type_is_float(expr->type.kind) && leaf->kind != EXPR_LITERAL
		&& leaf->kind != EXPR_AFFINE)
		return text;
	return infix(printer, text, "!=", primary(zero), TEXT_EQUALITY, TEXT_SUM, TEXT_SUM);
}

static struct text binary_text(struct printer *printer, const struct plan_node *node,
	const struct expr *expr)
{
	const struct operator *operator = find_operator(expr->operator);
	const struct expr *a = expr->operands[0], *b = expr->operands[1];
	bool is_logical = operator->class == LOGICAL;
	struct text left = (is_logical ? truth_text : value_text)(printer, node, a);
	struct text right = (is_logical ? truth_text : value_text)(printer, node, b);
	struct type type = expr->type;

	if (operator->class == COMPARISON)
		type = type_common(a->type, b->type);
	if (operator->class == ARITHMETIC || operator->class == COMPARISON) {
		left = converted(printer, left, a, type);
		right = converted(printer, right, b, type);
	}
	return infix(printer, left, operator->text, right, operator->own, operator->left,
		operator->right);
}

static struct text conditional_text(struct printer *printer, const struct plan_node *node,
	const struct expr *expr)
{
	const char *part[3];

	for (int i = 0; i < 3; i++) {
		struct text text = (i == 0 ? truth_text : value_text)(printer, node,
			expr->operands[i]);

		if (i > 0)
			text = converted(printer, text, expr->operands[i], expr->type);
		/* a chain of them needs no parentheses, of which compilers limit the levels */
		part[i] = text_at(printer, text, i < 2 ? TEXT_BIT_OR : TEXT_CONDITIONAL);
	}
	return (struct text){ arena_printf(printer->arena, "%s ? %s : %s", part[0], part[1],
		part[2]), TEXT_CONDITIONAL };
}

static struct text unary_text(struct printer *printer, const struct plan_node *node,
	const struct expr *expr)
{
	bool is_logical = strcmp(expr->operator, "!") == 0;
	struct text operand = (is_logical ? truth_text : value_text)(printer, node,
		expr->operands[0]);

	/* compilers warn of ! in a comparison without parentheses */
	return (struct text){ arena_printf(printer->arena, "%s%s", expr->operator,
		text_at(printer, operand, TEXT_CAST)), is_logical ? TEXT_EQUALITY : TEXT_UNARY };
}

static struct text call_text(struct printer *printer, const struct plan_node *node,
	const struct expr *expr)
{
	const char *arguments = "";

	for (int i = 0; i < expr->operand_count; i++)
		arguments = arena_printf(printer->arena, "%s%s%s", arguments, i > 0 ? ", " : "",
			value_text(printer, node, expr->operands[i]).c);
	return primary(arena_printf(printer->arena, "%s(%s)", expr->text, arguments));
}

/* An iterator or size as a value: of exactly the type it has in the source. */
static struct text affine_text(struct printer *printer, const struct plan_node *node,
	const struct expr *expr)
{
	struct plan_expr *value = affine_value(printer, node, expr->affine);
	struct text text = index_text(printer, value);

	if (expr->type.kind == TYPE_INT32 && !expr_is_wide(value))
		return text;
	return cast(printer, expr->type.name, text);
}

static struct text value_text(struct printer *printer, const struct plan_node *node,
	const struct expr *expr)
{
	switch (expr->kind) {
	case EXPR_LITERAL:
		return primary(expr->text);
	case EXPR_AFFINE:
		return affine_text(printer, node, expr);
	case EXPR_ACCESS:
		return access_text(printer, node, expr->access);
	case EXPR_UNARY:
		return unary_text(printer, node, expr);
	case EXPR_BINARY:
		return binary_text(printer, node, expr);
	case EXPR_CONDITIONAL:
		return conditional_text(printer, node, expr);
	case EXPR_CAST:
		return cast_from(printer, expr->type,
			value_text(printer, node, expr->operands[0]), expr->operands[0]);
	case EXPR_CALL:
		return call_text(printer, node, expr);
	}
	return primary("");
}

/* "x += y" for "x = x + y" where no conversion is hidden in it; else NULL. */
static const char *compound_text(struct printer *printer, const struct plan_node *node,
	struct text target)
{
	const struct expr *value = node->statement->value;
	const struct expr *old;
	struct text right;

	if (value->kind != EXPR_BINARY || value->operands[0]->kind != EXPR_ACCESS)
		return NULL;
	old = value->operands[0];
	if (find_operator(value->operator)->class != ARITHMETIC
		|| value->type.kind != node->statement->accesses[0].array->type.kind
		|| old->type.kind != value->type.kind
		|| strcmp(access_text(printer, node, old->access).c, target.c) != 0)
		return NULL;
	right = converted(printer, value_text(printer, node, value->operands[1]),
		value->operands[1], value->type);
	return arena_printf(printer->arena, "%s %s= %s", target.c, value->operator, right.c);
}

const char *assignment_text(struct printer *printer, const struct plan_node *node)
{
	const struct statement *statement = node->statement;
	struct text target = access_text(printer, node, 0), value;
	const char *compound = compound_text(printer, node, target);

	if (compound)
		return compound;
	value = converted(printer, value_text(printer, node, statement->value), statement->value,
		statement->accesses[0].array->type);
	return arena_printf(printer->arena, "%s = %s", target.c, value.c);
}
