#ifndef PASSES_BAND_USE_H
#define PASSES_BAND_USE_H

#include "passes/analysis/band.h"

/* Statements of nests that are merged, aligned by the elements that they share. */

/* A dimension for BAND along loop J of NEST's deepest statement, in which the other statements run where
 * what they share with it is used: of a pooling that reads T[2 * y + r] row y, when the rows 2 * y and
 * 2 * y + 1 of T are made.  False if there is none. */
bool dim_by_use(struct compilation *compilation, const struct nest *nest, const struct band *band,
	int j, struct band_dim *dim);

/* Loop J of the deepest statement only moves a window that no other one meets over what the nest makes, r
 * of T[2 * y + r]: cut into tiles of its own it would keep others from using T where it is made. */
bool is_window_loop(const struct nest *nest, int j);

#endif
