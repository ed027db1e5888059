#ifndef PASSES_BAND_CHAIN_H
#define PASSES_BAND_CHAIN_H

#include "passes/analysis/band.h"

/* Sums into the same elements, one behind the other, whose loops are chained: one dimension, in which d runs
 * from 0 to D - 1 and k from D on.
 *
 *     for (d) gate[j] += W[j][d] * x[d];
 *     for (k) gate[j] += U[j][k] * h[k];
 */

/* Some loops of NEST may be. */
bool nest_may_chain(const struct nest *nest);
/* DIM is loop J of the deepest statement, chained with loops of others.  False if there are none, or DIM
 * cannot be tiled. */
bool dim_by_chain(struct compilation *compilation, const struct nest *nest, const struct band *band,
	int j, struct band_dim *dim);

#endif
