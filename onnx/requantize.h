#ifndef ONNX_REQUANTIZE_H
#define ONNX_REQUANTIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "support/arena.h"

/* Integers times a real factor, rounded to the nearest integer, of two as near ones to the even one: as
 * ONNX defines a requantization, on real numbers, with the scales exactly as they are in the file.  The
 * loops multiply by an integer and shift; whether that gives the same for every integer is proved here. */

/* numerator / denominator * 2^exponent: products and quotients of floats. */
struct factor {
	uint64_t numerator, denominator; /* 48 bits at most */
	int exponent;
};

/* A * B / (C * DIVISOR), DIVISOR less than 2^23.  False if one of them is not a positive float. */
bool factor_find(double a, double b, double c, int64_t divisor, struct factor *factor);

/* What the loops compute of an integer x, for each factor:
 *
 *   x cut to -(2^LIMIT_BITS - 1) .. 2^LIMIT_BITS - 1, unless that is 0
 *   t = x * multiplier
 *   t = (t + 2^(SNAP - 1)) >> SNAP, unless that is 0: what is as near to a tie as the multiplier is exact,
 *       is one
 *   y = (t + 2^(shift - 1) - 1 + ((t >> shift) & 1)) >> shift */
struct requantization {
	int64_t count;
	int64_t *multipliers;
	int *shifts;
	int limit_bits, snap;
};

/* One that is exact for every x from -BOUND to BOUND, which is of 32 bits, as far as y from LOW to HIGH tells
 * values apart: what is outside is outside.  False if 64 bits do not hold any. */
bool requantization_find(struct arena *arena, const struct factor *factors, int64_t count, int64_t low,
	int64_t high, int64_t bound, struct requantization *r);

/* The same for a * A + b * B, with a and b from LOWS to HIGHS, at most 2^10 numbers each; one shift
 * for both multipliers. */
bool requantization_find_sum(struct arena *arena, const struct factor factors[2], const int64_t lows[2],
	const int64_t highs[2], struct requantization *r);

#endif
