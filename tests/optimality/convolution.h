#ifndef TESTS_OPTIMALITY_CONVOLUTION_H
#define TESTS_OPTIMALITY_CONVOLUTION_H

#include "passes/model.h"

struct convolution { long n, k, c, p, q, r, s; };

/* O[n][k][p][q] += I[n][c][p * stride + r][q * stride + s] * W[k][c][r][s], O created
 * on chip; the input is padded. */
void convolution_model(struct nest_model *model, const struct convolution *sizes, long stride,
	int element_bytes);

#endif
