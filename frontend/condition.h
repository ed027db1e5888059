#ifndef FRONTEND_CONDITION_H
#define FRONTEND_CONDITION_H

#include "frontend/lexer.h"

/* Whether the expression of an #if at AT, COUNT TOKENS with all macros expanded, is not zero:
 * C's operators on integers of 64 bits; names that are left are 0.  False after an error
 * (diagnosed): one that is malformed, overflows, divides by zero where that is evaluated, or
 * mixes negative values with unsigned ones, which C would wrap. */
bool condition_holds(struct diag *diag, struct location at, const struct token *tokens,
	size_t count);

#endif
