#ifndef ONNX_LOWER_H
#define ONNX_LOWER_H

#include <stdio.h>

#include "onnx/attribute.h"
#include "onnx/network.h"

/* Operators become nests, constants or views: one function for each family.  It checks the node,
 * finds types and shapes of its results, and makes them; or it refuses. */

typedef void lower_function(struct network *network, struct node *node);

struct operator {
	const char *name, *domain;
	int since;                       /* the first version of the set that has it */
	lower_function *lower;
	int variant;                     /* which of the family */
};

/* NULL where there is none. */
const struct operator *operator_find(const char *domain, const char *name);
/* What to write instead of an operator that is not supported, or NULL. */
const char *operator_advice(const char *name);

/* The table, a line each. */
void operator_list(FILE *out);

/* Lowers all nodes; lists those that cannot be and fails. */
void lower_network(struct network *network);

/* ---- for the families ---- */

/* The input's value; refuses if it is left out. */
struct value *lower_input(struct network *network, const struct node *node, int input);
/* The same, or NULL. */
struct value *lower_optional(const struct node *node, int input);
/* Its constant; refuses if it is not constant, and says how to make it so. */
const struct tensor *lower_constant(struct network *network, const struct node *node, int input, const char *what);
/* The list of integers that input INPUT (from version SINCE on) or attribute NAME is; NULL if neither. */
const int64_t *lower_list(struct network *network, const struct node *node, int since, int input,
	const char *name, int *count);
/* An axis from -RANK to LIMIT - 1 as one from 0 on. */
int lower_axis(struct network *network, int64_t axis, int rank, int limit);
/* The node's result NUMBER gets a type and a shape.  NULL if nobody uses it. */
struct value *lower_output(struct network *network, const struct node *node, int number, enum type type,
	const struct shape *shape);

/* The nest is complete: it is run if all that it reads is constant, else it joins the others. */
void lower_emit(struct network *network, struct nest *nest);
/* A nest with a loop for each dimension of RESULT; its body is the tail. */
struct nest *lower_nest(struct network *network, struct node *node, struct value *result);
/* The result's element at the axes of its nest. */
struct expression *lower_element(struct network *network, struct nest *nest, struct value *value);

/* OUTPUT is BASE in another shape; a view where it can be. */
void lower_reshape(struct network *network, struct node *node, struct value *output, struct value *base);
/* Subscript b of BASE is offset + factor * subscript axis of OUTPUT: a view where it can be. */
void lower_axes(struct network *network, struct node *node, struct value *output, struct value *base,
	const struct view_axis *axes);

/* One elementwise operator, in the nest that makes one of its operands where that can be: RESULT is
 * what MAKE makes of elements of the operands. */
typedef struct expression *make_function(struct network *network, struct node *node,
	struct expression **operands, int count);
void lower_elementwise(struct network *network, struct node *node, struct value *result,
	struct value **operands, int count, make_function *make);

/* Networks whose floats are integers in truth (see quantize.c).  A constant whose elements are all
 * integers, as one of an integer type with its range; a value that has a range as it is; else NULL. */
struct value *lower_integers(struct network *network, struct value *value);
/* The value in the type that the file declares: a conversion where that is another one. */
struct value *lower_declared(struct network *network, struct node *node, struct value *value);
/* The result, of a declared float, holds the integers LOW .. HIGH; refuses what no type holds. */
struct value *lower_integer_output(struct network *network, const struct node *node, const struct shape *shape,
	int64_t low, int64_t high);

/* An operand of a window of loops, such as convolutions and poolings have. */
struct window {
	int rank;
	int64_t in[RANK_LIMIT], kernel[RANK_LIMIT], stride[RANK_LIMIT], dilation[RANK_LIMIT];
	int64_t before[RANK_LIMIT], after[RANK_LIMIT], out[RANK_LIMIT];
	bool rounds_up;                  /* ceil_mode */
};

/* From the attributes kernel_shape (KERNEL if not NULL), strides, dilations, pads, auto_pad and
 * ceil_mode; INPUT is N x C x spatial. */
struct window lower_window(struct network *network, const struct node *node, const struct shape *input,
	const int64_t *kernel);

/* The loops of a window around BLOCK, from axis 2 of NEST's result on, and the element of X in it for
 * the channel (NULL: X is the whole).  The block returned is where the element is not in the border. */
struct block *lower_window_loops(struct network *network, struct nest *nest, struct block *block,
	const struct window *window, struct value *x, struct index channel, struct index *subscripts,
	struct index *taps);

/* A convolution, of floats or integers: RESULT is the sum of products, begun with FIRST.  Sums have
 * the type SUM, in a scalar if the result has another one; it is returned in *TOTAL.  The zero points
 * are subtracted from the elements, unless NULL. */
struct nest *lower_convolution_nest(struct network *network, struct node *node, struct value *result,
	struct value *x, struct value *w, const struct window *window, int64_t groups, enum type sum,
	struct value *bias, struct value *x_zero, struct value *w_zero, struct expression **total);
/* RESULT[..., i, j] is the sum over l of A[..., i, l] * B[..., l, j], shapes as MatMul's. */
struct nest *lower_product_nest(struct network *network, struct node *node, struct value *result,
	struct value *a, struct value *b, bool a_transposed, bool b_transposed, enum type sum,
	struct value *bias, struct value *a_zero, struct value *b_zero, struct expression **total);
/* The shape of MatMul's result; refuses those that do not go together. */
struct shape lower_product_shape(struct network *network, const struct shape *a, const struct shape *b);
/* Refuses a bias, unless NULL, that is not of one number for each of COUNT maps. */
void lower_check_bias(struct network *network, const struct value *bias, int64_t count);
/* Refuses zero points, unless NULL, that are neither one number nor COUNT of them. */
void lower_check_zero(struct network *network, const struct value *zero, int64_t count);
/* An element less its zero point: a number (none if ZERO is NULL), or one for each PLACE in a dimension. */
struct expression *lower_less_zero(struct network *network, struct expression *element, struct value *zero,
	struct index place);
/* Checks X and W of a convolution; the window, with the result's shape. */
struct window lower_convolution_window(struct network *network, struct node *node, struct value *x,
	struct value *w, int64_t *groups, struct shape *shape);

/* Convolution, Gemm or MatMul of floats that are integers in truth: the result of 32 bits, with the
 * range of its sums; the weights' dimension AXIS is the result's channel. */
struct value *lower_integer_sum(struct network *network, const struct node *node, const struct shape *shape,
	struct value *x, struct value *w, int axis, struct value *bias);

/* Between DequantizeLinear and QuantizeLinear: in integers.  False if that is not where it is. */
bool lower_qdq_convolution(struct network *network, struct node *node, const struct window *window,
	int64_t groups, const struct shape *shape);
bool lower_qdq_product(struct network *network, struct node *node, const struct shape *shape);
bool lower_qdq_average(struct network *network, struct node *node, const struct window *window,
	bool with_border, const struct shape *shape);
bool lower_qdq_binary(struct network *network, struct node *node, const struct shape *shape);
bool lower_qdq_relu(struct network *network, struct node *node);
/* An operator that only moves elements: on the integers that its operands are made of.  False if it is another one. */
bool lower_on_integers(struct network *network, struct node *node);
/* Is it what DequantizeLinear makes, with one constant scale and zero point for all? */
bool lower_is_quantized(const struct value *x);
/* OUTPUT is what DequantizeLinear makes of INTEGERS as it made LIKE. */
void lower_dequantized(struct network *network, struct node *node, struct value *output, struct value *integers,
	const struct value *like);
/* How many elements of the window there are at each place of the result: of the input, or with
 * WITH_BORDER of its border too. */
struct value *lower_window_counts(struct network *network, const struct window *window, bool with_border,
	enum type type);

/* OUTPUT is X times SCALE plus SHIFT (a number each for dimension 1, or one for all): folded into the
 * weights of the convolution, or the scaling, that makes X and nothing else needs; else an operator. */
void lower_scale(struct network *network, struct node *node, struct value *output, struct value *x,
	struct tensor *scale, struct tensor *shift);
/* Is the constant a number for each element of dimension 1 of X, or one for all? */
struct tensor *lower_channels(struct network *network, const struct value *constant, const struct value *x);

/* The families, in files of their own. */
lower_function lower_unary, lower_binary, lower_variadic, lower_clip, lower_prelu, lower_cast, lower_where;
lower_function lower_convolution, lower_convolution_transposed;
lower_function lower_pool, lower_global_pool;
lower_function lower_matmul, lower_gemm;
lower_function lower_batch_normalization, lower_layer_normalization, lower_instance_normalization,
	lower_lrn, lower_softmax;
lower_function lower_reduce, lower_arg;
lower_function lower_concat, lower_split, lower_slice, lower_transpose, lower_reshape_node, lower_flatten,
	lower_squeeze, lower_unsqueeze, lower_identity, lower_expand, lower_gather, lower_pad, lower_resize,
	lower_depth_to_space, lower_space_to_depth, lower_constant_node, lower_constant_of_shape, lower_shape,
	lower_dropout, lower_tile, lower_range;
lower_function lower_quantize, lower_dequantize, lower_dynamic_quantize, lower_requant_shift,
	lower_quantized_convolution, lower_quantized_matmul;

enum { UNARY_ABS, UNARY_NEG, UNARY_RELU, UNARY_LEAKY_RELU, UNARY_SIGMOID, UNARY_TANH, UNARY_EXP, UNARY_LOG,
	UNARY_SQRT, UNARY_ERF, UNARY_HARD_SWISH, UNARY_HARD_SIGMOID, UNARY_GELU, UNARY_RECIPROCAL, UNARY_FLOOR,
	UNARY_CEIL, UNARY_ROUND, UNARY_ELU, UNARY_SELU, UNARY_CELU, UNARY_SOFTPLUS, UNARY_SOFTSIGN,
	UNARY_THRESHOLDED_RELU, UNARY_NOT, UNARY_SIGN, UNARY_FUNCTION };
enum { BINARY_ADD, BINARY_SUB, BINARY_MUL, BINARY_DIV, BINARY_POW, BINARY_LESS, BINARY_GREATER,
	BINARY_LESS_EQUAL, BINARY_GREATER_EQUAL, BINARY_EQUAL, BINARY_AND, BINARY_OR };
enum { VARIADIC_SUM, VARIADIC_MEAN, VARIADIC_MIN, VARIADIC_MAX };
enum { CONVOLUTION_FLOAT, CONVOLUTION_INTEGER };
enum { POOL_MAX, POOL_AVERAGE };
enum { MATMUL_FLOAT, MATMUL_INTEGER };
enum { SOFTMAX, SOFTMAX_LOG };
enum { REDUCE_SUM, REDUCE_MEAN, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD, REDUCE_SUM_SQUARE, REDUCE_L1, REDUCE_L2,
	REDUCE_LOG_SUM, REDUCE_LOG_SUM_EXP };
enum { ARG_MAX, ARG_MIN };

#endif
