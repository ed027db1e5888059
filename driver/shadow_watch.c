/* What shadow code has to watch: results that the order of sums changes, and what data can make
 * undefined. */

#include <string.h>

#include "driver/shadow.h"
#include "driver/shadow_writer.h"
#include "ir/program_build.h"

bool shadow_is_reordered(const struct statement *statement)
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
			bool reaches = shadow_is_reordered(statement);
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

bool shadow_is_shift(const struct expr *expr)
{
	return expr->kind == EXPR_BINARY && (!strcmp(expr->operator, "<<") ||
		!strcmp(expr->operator, ">>"));
}

bool shadow_is_division(const struct expr *expr)
{
	return expr->kind == EXPR_BINARY && strchr("/%", *expr->operator) &&
		!type_is_float(expr->type.kind);
}

bool shadow_is_risky_conversion(struct type from, struct type to)
{
	return type_is_float(from.kind) && !type_is_float(to.kind) && to.kind != TYPE_BOOL;
}

static bool is_risky_expr(const struct expr *expr)
{
	unsigned long value;
	if (shadow_is_shift(expr) && !(is_literal(expr->operands[1], &value) &&
		value < 8 * (unsigned long)expr->type.bytes))
		return true;
	if (shadow_is_division(expr) && !(is_literal(expr->operands[1], &value) && value))
		return true;
	if (expr->kind == EXPR_CAST && shadow_is_risky_conversion(expr->operands[0]->type, expr->type))
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
		if (is_risky_expr(statement->value) || shadow_is_risky_conversion(statement->value->type,
			statement->accesses[0].array->type))
			return true;
	}
	return false;
}
