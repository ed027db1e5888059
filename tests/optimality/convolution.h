#ifndef TESTS_OPTIMALITY_CONVOLUTION_H
#define TESTS_OPTIMALITY_CONVOLUTION_H

#include "passes/search/search.h"

struct convolution { long n, k, c, p, q, r, s; };

/* O[n][k][p][q] += I[n][c][p * stride + r][q * stride + s] * W[k][c][r][s], O created
 * on chip; the input is padded. */
void convolution_model(struct nest_model *model, const struct convolution *sizes, long stride,
	int element_bytes);

/* The first and last BORDER rows and columns of the input of MODEL, a convolution, are zeros that
 * exist nowhere: they are not moved and take no scratchpad. */
void convolution_pad(struct nest_model *model, long border);

#endif
