#ifndef PASSES_LOWER_FUNCTION_H
#define PASSES_LOWER_FUNCTION_H

#include "passes/pass.h"

/* Program to plan: FUNCTION as it is written, or with nests distributed (passes/analysis/distribute.h) where that moves less.
 * NULL after errors (diagnosed).  The plan lives in the compilation's arena. */
struct plan *lower_function(struct compilation *compilation, const struct function *function);

/* Nests of FUNCTION may be distributed, though the user does not say so. */
bool may_distribute(struct compilation *compilation, const struct function *function);

#endif
