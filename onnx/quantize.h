#ifndef ONNX_QUANTIZE_H
#define ONNX_QUANTIZE_H

#include "onnx/lower.h"
#include "onnx/requantize.h"

/* What quantized operators share. */

static inline struct expression *two(struct network *network, enum binary binary, struct expression *a,
	struct expression *b)
{
	return expression_binary(network->arena, binary, a, b);
}

static inline struct expression *integer(struct network *network, enum type type, int64_t n)
{
	return expression_integer(network->arena, type, n);
}

/* To integers and back (quantize.c). */

bool is_quantized_type(enum type type);
/* The dimension of X that the node's scales are of. */
int quantized_axis(struct network *network, const struct node *node, const struct value *x);

/* Results get their scale (rescale.c). */

/* What the result of an operator becomes. */
struct target {
	const struct tensor *scale;
	int64_t zero, low, high;
};

/* LOW .. HIGH of an integer expression. */
struct expression *integer_clamped(struct network *network, struct expression *x, int64_t low, int64_t high);
/* SCALED is shifted and rounded as R says, ZERO added, and RESULT that from LOW to HIGH. */
void finish_requantization(struct network *network, struct nest *nest, struct value *result,
	struct expression *scaled, struct expression *shift, int snap, const struct target *target);
/* At the end of the nest RESULT becomes TOTAL, an integer of 32 bits, requantized; with the factor of the
 * channel, or one for all. */
void requantize(struct network *network, struct nest *nest, struct value *result, struct expression *total,
	const struct requantization *r, struct index channel, const struct target *target);
/* Of integers up to BOUND, by A * B[channel] / (TARGET's scale * DIVISOR): false if 64 bits do not hold what is
 * exact. */
bool target_requantization(struct network *network, const struct tensor *a, const struct tensor *b,
	int64_t channels, int64_t divisor, int64_t bound, const struct target *target, struct requantization *r);
/* No sum of DEPTH products of bytes, W less ZERO one of them, and a bias is larger. */
int64_t sum_bound(const struct value *w, const struct value *zero, int64_t depth, const struct value *bias);

/* On integers (qdq.c). */

/* QuantizeLinear of what DequantizeLinear has made. */
bool lower_quantized_again(struct network *network, struct node *node, struct value *x, struct value *scale,
	struct value *zero, enum type type);

#endif
