#ifndef RANDOM_PLAN_H
#define RANDOM_PLAN_H

#include "ir/plan.h"

/* Random programs and right plans for them, from a seed: rectangular nests, one
 * statement, inputs with separable affine subscripts (strides and offsets too), all
 * element types, tiles that do not divide, tile loops in any order, slots, buffers
 * addressed modulo their extent, puts and gets around every tile. */

struct random_source {
	unsigned long state;
};

/* 0 .. BOUND - 1 */
long random_below(struct random_source *random, long bound);

/* A program of COUNT functions f0, f1, ... and their plans, COUNT of them, for ARCH;
 * transfers are not split. */
struct program *random_program(struct arena *arena, isl_ctx *ctx, unsigned long seed, int count,
	const struct arch *arch, struct plan **plans);

/* EXPR in C, every conversion spelled out, elements as the plain source names them:
 * for a reference written apart from the compiler's printer. */
const char *reference_text(struct arena *arena, const struct statement *statement,
	const struct expr *expr);
/* "A[2 * i + 1][j]" */
const char *reference_element(struct arena *arena, const struct statement *statement, int access);

#endif
