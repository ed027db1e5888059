#ifndef PASSES_POLYNOMIAL_H
#define PASSES_POLYNOMIAL_H

#include <stdbool.h>

#include <isl/polynomial.h>

#include "ir/program.h"
#include "support/arena.h"

/* Piecewise polynomials on sets of integers. */

/* OF with fewer pieces; IS_FINAL: on sizes alone, which is worth more work. */
__isl_give isl_pw_qpolynomial *polynomial_tidy(__isl_take isl_pw_qpolynomial *of, bool is_final);

/* OF summed up over its last dimension, DIM.  Sets *FAILED where powers or residues are too
 * many; what is returned then means nothing. */
__isl_give isl_pw_qpolynomial *polynomial_sum_last(__isl_take isl_pw_qpolynomial *of,
	unsigned dim, bool *failed);

/* OF, on the symbolic sizes of FUNCTION, as a C expression of their names that is right for all
 * values they may have: "(N * N + 2 * N) / 2".  NULL if it has none, or only a long one.
 * (polynomial_text.c) */
const char *polynomial_text(struct arena *arena, const struct function *function,
	__isl_keep isl_pw_qpolynomial *of);

#endif
