#ifndef TESTS_FRONTEND_INTERPRET_H
#define TESTS_FRONTEND_INTERPRET_H

#include "ir/program.h"

/* Runs FUNCTION as its program says, statement instance by statement instance in
 * statement_order, with C's arithmetic.  ARGUMENTS[i] is where parameter i is: an
 * array's elements or a scalar; NULL for sizes.  Locals live and die inside. */
void interpret(const struct function *function, void *const *arguments);

#endif
