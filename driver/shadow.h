#ifndef DRIVER_SHADOW_H
#define DRIVER_SHADOW_H

#include <stdio.h>

#include "driver/session.h"

/* Shadow code: the source's computation once more, made from the program, with a bound of
 * what another order of its sums may change in each element, and checks of what C leaves
 * undefined (driver/verify_shadow.h). */

/* Arrays of FUNCTION whose results may differ by rounding: sums and products of floats that may be
 * done in another order reach them, if only through other arrays.  By array.index. */
const bool *shadow_inexact(struct arena *arena, const struct function *function,
	bool is_reassociated);
/* Whether data can make something undefined: a division, a shift, a conversion. */
bool shadow_is_risky(const struct function *function);

/* The C of function F of the session's program:
 *     void loopc_shadow_F(void *const *arrays, struct verify_error *const *errors,
 *         const long *sizes)
 * arrays as the reference has them; errors: for each of them NULL, or of its elements, where
 * shadow_inexact holds of it; sizes: of the symbolic ones.  False: isl found no order to print. */
bool shadow_print(FILE *out, const struct session *session, int f);

#endif
