#ifndef PASSES_LOWER_FUNCTION_H
#define PASSES_LOWER_FUNCTION_H

#include "passes/pass.h"

/* Program to plan: splits FUNCTION into nests, and for each finds dependences, a
 * band, a schedule, and its plan.  NULL after errors (diagnosed).  The plan lives
 * in the compilation's arena. */
struct plan *lower_function(struct compilation *compilation, const struct function *function);

#endif
