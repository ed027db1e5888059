/* How many multiply-accumulates statements do. */

#include "ir/macs.h"

#include <string.h>

static int products(const struct expr *expr)
{
	int yes, no;
	switch (expr->kind) {
	case EXPR_CAST:
	case EXPR_UNARY:
		return products(expr->operands[0]);
	case EXPR_BINARY:
		if (!strcmp(expr->operator, "*"))
			return 1;
		if (strcmp(expr->operator, "+") && strcmp(expr->operator, "-"))
			return 0;
		return products(expr->operands[0]) + products(expr->operands[1]);
	case EXPR_CONDITIONAL:
		yes = products(expr->operands[1]);
		no = products(expr->operands[2]);
		return yes > no ? yes : no;
	default:
		return 0;
	}
}

int statement_macs(const struct statement *statement)
{
	return statement->reduction == REDUCTION_SUM ? products(statement->value) : 0;
}
