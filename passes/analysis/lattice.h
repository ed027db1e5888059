#ifndef PASSES_LATTICE_H
#define PASSES_LATTICE_H

#include "passes/analysis/reference_groups.h"

/* The largest that divides A and B, of any sign; gcd(0, b) is b. */
long gcd(long a, long b);

/* The elements of a dimension that are touched at most: phase, phase + stride, ... */
struct lattice {
	long stride, phase;          /* stride >= 1, 0 <= phase < stride */
};

/* That of dimension D of ARRAY, of NEST: of I[2 * p + 1] and I[2 * p + 5] it is 1, 3, 5, ...  What
 * must be aligned comes with its neighbours, so that all elements are. */
struct lattice reference_group_lattice(const struct compilation *compilation,
	const struct nest *nest, const struct reference_group *array, int d);

#endif
