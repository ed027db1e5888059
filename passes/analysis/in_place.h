#ifndef PASSES_IN_PLACE_H
#define PASSES_IN_PLACE_H

#include "passes/analysis/nest.h"

/* NEST with each local array that is used up, element by element, by what makes another array, in
 * the place of that one:
 *
 *     C[i][j] += A[i][k] * B[k][j];                    D[i][j] += A[i][k] * B[k][j];
 *     D[i][j] = C[i][j] > 0 ? C[i][j] : 0;             D[i][j] = D[i][j] > 0 ? D[i][j] : 0;
 *
 * One buffer then does for both.  The result has no dependences yet, and a function of its own, in
 * which nothing uses the local array. */
struct in_place {
	const struct nest *nest;     /* NULL: there is no such array */
	bool is_no_worse;            /* all that touches the two arrays touches one element of them,
	                              * which it makes or changes: no schedule with a buffer for each
	                              * moves less */
};

struct in_place nest_in_place(struct compilation *compilation, const struct nest *nest);

#endif
