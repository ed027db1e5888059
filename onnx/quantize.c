/* Quantized operators.  Where ONNX multiplies a sum by a real number, rounds to even and saturates,
 * so do the loops, in integers, exactly: see requantize.h. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "onnx/lower.h"
#include "onnx/requantize.h"

static struct expression *two(struct network *network, enum binary binary, struct expression *a,
	struct expression *b)
{
	return expression_binary(network->arena, binary, a, b);
}

static struct expression *integer(struct network *network, enum type type, int64_t n)
{
	return expression_integer(network->arena, type, n);
}

/* LOW .. HIGH of an integer expression. */
static struct expression *clamped(struct network *network, struct expression *x, int64_t low, int64_t high)
{
	struct expression *least = integer(network, TYPE_INT32, low), *most = integer(network, TYPE_INT32, high);

	return expression_choose(network->arena, two(network, LESS, x, least), least,
		expression_choose(network->arena, two(network, GREATER, x, most), most, x));
}

/* ---- to integers and back ---- */

static bool is_quantized_type(enum type type)
{
	return type == TYPE_INT8 || type == TYPE_UINT8 || type == TYPE_INT16 || type == TYPE_UINT16;
}

/* A scale or a zero point beside elements of X: one number, or one for each element of dimension AXIS. */
static struct value *beside(struct network *network, struct node *node, struct value *parameter,
	const struct value *x, int axis)
{
	struct shape shape = { 0 };

	if (shape_count(&parameter->shape) != 1) {
		if (parameter->shape.rank != 1 || axis < 0 || axis >= x->shape.rank ||
		    parameter->shape.dims[0] != x->shape.dims[axis])
			refuse(network, "a scale of shape %s for %s", shape_text(network->arena, &parameter->shape),
				shape_text(network->arena, &x->shape));
		shape.rank = x->shape.rank - axis;
		shape.dims[0] = parameter->shape.dims[0];
		for (int d = 1; d < shape.rank; d++)
			shape.dims[d] = 1;
	}
	struct value *result = network_temporary(network, parameter->name, parameter->type, &shape);
	lower_reshape(network, node, result, parameter);
	return result;
}

static int quantized_axis(struct network *network, const struct node *node, const struct value *x)
{
	const int64_t axis = attribute_int(network, node, "axis", 1);

	return (int)(axis < 0 ? axis + x->shape.rank : axis);
}

static struct expression *make_quantized(struct network *network, struct node *node,
	struct expression **operands, int count)
{
	const struct type_info *type = &type_infos[node->outputs[0]->type];
	struct expression *x = expression_call(network->arena, operands[0]->type, "rint",
		two(network, DIVIDE, operands[0], operands[1]), NULL);

	if (count > 2 && !(operands[2]->kind == EXPRESSION_INTEGER && !operands[2]->integer))
		x = two(network, ADD, x, expression_cast(network->arena, x->type, operands[2]));
	x = expression_call(network->arena, x->type, "fmin", x, expression_number(network->arena, x->type,
		(double)type->highest));
	return expression_call(network->arena, x->type, "fmax", x, expression_number(network->arena, x->type,
		(double)type->lowest));
}

static struct expression *make_dequantized(struct network *network, struct node *node,
	struct expression **operands, int count)
{
	struct expression *x = operands[0];

	(void)node;
	if (count > 2 && !(operands[2]->kind == EXPRESSION_INTEGER && !operands[2]->integer))
		x = two(network, SUBTRACT, x, operands[2]);
	return two(network, MULTIPLY, expression_cast(network->arena, operands[1]->type, x), operands[1]);
}

void lower_dequantize(struct network *network, struct node *node)
{
	struct value *x = lower_input(network, node, 0), *scale = lower_input(network, node, 1);
	struct value *zero = lower_optional(node, 2);
	const int axis = quantized_axis(network, node, x);

	if (type_is_float(x->type) || !type_is_float(scale->type))
		refuse(network, "operands of types %s and %s", type_infos[x->type].name, type_infos[scale->type].name);
	struct value *output = lower_output(network, node, 0, scale->type, &x->shape);
	struct value *operands[3] = { x, beside(network, node, scale, x, axis),
		zero ? beside(network, node, zero, x, axis) : NULL };
	/* Whoever needs the integers still finds them, and the loops here go if nobody needs the numbers. */
	output->quantized = x;
	output->scale = scale;
	output->zero = zero;
	output->quantized_axis = axis;
	x->uses++;                       /* by them too */
	lower_elementwise(network, node, output, operands, zero ? 3 : 2, make_dequantized);
}

void lower_dequantized(struct network *network, struct node *node, struct value *output, struct value *integers,
	const struct value *like)
{
	struct value *operands[3] = { integers, beside(network, node, like->scale, integers, like->quantized_axis),
		like->zero ? beside(network, node, like->zero, integers, like->quantized_axis) : NULL };

	output->quantized = integers;
	output->scale = like->scale;
	output->zero = like->zero;
	output->quantized_axis = like->quantized_axis;
	integers->uses = 2;
	lower_elementwise(network, node, output, operands, like->zero ? 3 : 2, make_dequantized);
}

void lower_check_zero(struct network *network, const struct value *zero, int64_t count)
{
	bool is_one_dimension = false;

	for (int d = 0; zero && d < zero->shape.rank; d++)
		is_one_dimension |= zero->shape.dims[d] == count;
	if (zero && shape_count(&zero->shape) != 1 && !(is_one_dimension && shape_count(&zero->shape) == count))
		refuse(network, "a zero point of shape %s, where %lld numbers or one are meant",
			shape_text(network->arena, &zero->shape), (long long)count);
}

struct expression *lower_less_zero(struct network *network, struct expression *element, struct value *zero,
	struct index place)
{
	double number;

	if (!zero)
		return element;
	if (zero->constant && tensor_is_uniform(zero->constant, &number))
		return number == 0 ? element : expression_binary(network->arena, SUBTRACT, element,
			expression_integer(network->arena, zero->type, tensor_integer(zero->constant, 0)));
	struct index at[RANK_LIMIT];
	for (int d = 0; d < zero->shape.rank; d++)
		at[d] = zero->shape.dims[d] == 1 ? index_constant(0) : place;
	return expression_binary(network->arena, SUBTRACT, element, expression_read(network->arena, zero, at));
}

/* ---- requantization ---- */

/* A parameter of a channel: a number where it is the same for all. */
static struct expression *channel_element(struct network *network, const char *name, struct tensor *tensor,
	struct index channel)
{
	double number;
	struct index at[1] = { channel };

	if (tensor_is_uniform(tensor, &number))
		return integer(network, tensor->type, (int64_t)number);
	return expression_read(network->arena, network_constant(network, name, tensor), at);
}

/* What the result of an operator becomes. */
struct target {
	const struct tensor *scale;
	int64_t zero, low, high;
};

/* SCALED is shifted and rounded as R says, ZERO added, and RESULT that from LOW to HIGH. */
static void finish_requantization(struct network *network, struct nest *nest, struct value *result,
	struct expression *scaled, struct expression *shift, int snap, const struct target *target)
{
	struct arena *arena = network->arena;
	struct expression *one = integer(network, TYPE_INT64, 1);
	/* Half less one, and one more where the quotient is odd. */
	struct expression *half = two(network, SUBTRACT, two(network, SHIFT_LEFT,
		expression_cast(arena, TYPE_INT64, integer(network, TYPE_INT32, 1)),
		two(network, SUBTRACT, shift, integer(network, TYPE_INT32, 1))), one);

	if (snap)
		add_assign(nest, nest->tail, scaled, two(network, SHIFT_RIGHT, two(network, ADD, scaled,
			integer(network, TYPE_INT64, INT64_C(1) << (snap - 1))), integer(network, TYPE_INT32, snap)));
	if (shift->kind == EXPRESSION_INTEGER)
		half = integer(network, TYPE_INT64, (INT64_C(1) << (shift->integer - 1)) - 1);
	struct expression *odd = two(network, BIT_AND, two(network, SHIFT_RIGHT, scaled, shift), one);
	add_assign(nest, nest->tail, scaled, two(network, SHIFT_RIGHT,
		two(network, ADD, two(network, ADD, scaled, half), odd), shift));
	if (target->zero)
		add_update(nest, nest->tail, scaled, ADD, integer(network, TYPE_INT32, target->zero));
	add_assign(nest, nest->tail, lower_element(network, nest, result),
		expression_cast(arena, result->type, clamped(network, scaled, target->low, target->high)));
}

/* At the end of the nest RESULT becomes TOTAL, an integer of 32 bits, requantized; with the factor of the
 * channel, or one for all. */
static void requantize(struct network *network, struct nest *nest, struct value *result, struct expression *total,
	const struct requantization *r, struct index channel, const struct target *target)
{
	struct arena *arena = network->arena;
	const struct shape shape = { 1, { r->count } };
	struct tensor *multipliers = tensor_new(arena, r->limit_bits ? TYPE_INT64 : TYPE_INT32, &shape, false);
	struct tensor *shifts = tensor_new(arena, TYPE_INT8, &shape, false);
	const int64_t limit = (INT64_C(1) << r->limit_bits) - 1;

	for (int64_t c = 0; c < r->count; c++) {
		tensor_set_integer(multipliers, c, r->multipliers[c]);
		tensor_set_integer(shifts, c, r->shifts[c]);
	}
	struct expression *shift = channel_element(network, arena_printf(arena, "%s_shift", result->name), shifts,
		channel);
	struct expression *scaled = add_local(nest, nest->tail, "scaled", TYPE_INT64, two(network, MULTIPLY,
		expression_cast(arena, TYPE_INT64, r->limit_bits ? clamped(network, total, -limit, limit) : total),
		channel_element(network, arena_printf(arena, "%s_multiplier", result->name), multipliers, channel)));
	finish_requantization(network, nest, result, scaled, shift, r->snap, target);
}

static const struct tensor *scale_of(struct network *network, struct node *node, int input)
{
	return lower_constant(network, node, input, "a scale");
}

/* Of integers up to BOUND, by A * B[channel] / (TARGET's scale * DIVISOR): false if 64 bits do not hold what is
 * exact. */
static bool find_requantization(struct network *network, const struct tensor *a, const struct tensor *b,
	int64_t channels, int64_t divisor, int64_t bound, const struct target *target, struct requantization *r)
{
	struct factor *factors = ARENA_ARRAY(network->arena, struct factor, b->count);

	/* Each value of each channel is looked at. */
	if (a->count != 1 || target->scale->count != 1 || (b->count != 1 && b->count != channels) ||
	    (target->high - target->low) > (INT64_C(1) << 25) / b->count)
		return false;
	for (int64_t c = 0; c < b->count; c++)
		if (!factor_find(tensor_number(a, 0), tensor_number(b, c), tensor_number(target->scale, 0), divisor,
			&factors[c]))
			return false;
	return requantization_find(network->arena, factors, b->count, target->low - target->zero,
		target->high - target->zero, bound < INT32_MAX ? bound : INT32_MAX, r);
}

/* No sum of DEPTH products of bytes, W less ZERO one of them, and a bias is larger. */
static int64_t sum_bound(const struct value *w, const struct value *zero, int64_t depth, const struct value *bias)
{
	double number;

	int64_t weight = 255, most = 0;

	if (depth > 32768 || (bias && !bias->constant))
		return INT32_MAX;
	if (w->type == TYPE_INT8 && w->constant && (!zero || (zero->constant &&
	    tensor_is_uniform(zero->constant, &number) && number == 0))) {
		weight = 0;
		for (int64_t e = 0; e < (w->constant->is_uniform ? 1 : w->constant->count); e++)
			weight = llabs(tensor_integer(w->constant, e)) > weight ? llabs(tensor_integer(w->constant, e)) : weight;
	}
	for (int64_t e = 0; bias && e < bias->constant->count; e++)
		most = llabs(tensor_integer(bias->constant, e)) > most ? llabs(tensor_integer(bias->constant, e)) : most;
	return depth * 255 * weight + most;
}

/* The same for the operators that have no other form. */
static struct requantization need_requantization(struct network *network, const struct tensor *a,
	const struct tensor *b, int64_t channels, int64_t bound, const struct target *target)
{
	struct requantization r;

	if (!find_requantization(network, a, b, channels, 1, bound, target, &r))
		refuse(network, "scales of %lld, %lld and %lld numbers, the first %g * %g / %g: not one of the result, or no "
			"multiplier of 64 bits is exact", (long long)a->count, (long long)b->count, (long long)target->scale->count,
			tensor_number(a, 0), tensor_number(b, 0), tensor_number(target->scale, 0));
	return r;
}

static int64_t zero_of(struct network *network, struct node *node, int input)
{
	const struct tensor *zero = lower_constant(network, node, input, "the zero point of the result");

	if (zero->count != 1)
		refuse(network, "a zero point of %lld numbers", (long long)zero->count);
	return tensor_integer(zero, 0);
}

static struct target target_of(struct network *network, struct node *node, enum type type)
{
	if (!is_quantized_type(type))
		refuse(network, "a result of %s", type_infos[type].name);
	return (struct target){ scale_of(network, node, 6), zero_of(network, node, 7), type_infos[type].lowest,
		type_infos[type].highest };
}

void lower_quantized_convolution(struct network *network, struct node *node)
{
	struct value *x = lower_input(network, node, 0), *w = lower_input(network, node, 3);
	struct value *y_zero = lower_input(network, node, 7), *bias = lower_optional(node, 8);
	struct expression *total;
	struct shape shape;
	int64_t groups;
	const struct window window = lower_convolution_window(network, node, x, w, &groups, &shape);
	lower_check_bias(network, bias, shape.dims[1]);
	struct value *output = lower_output(network, node, 0, y_zero->type, &shape);
	const struct target target = target_of(network, node, y_zero->type);
	const struct requantization r = need_requantization(network, scale_of(network, node, 1),
		scale_of(network, node, 4), shape.dims[1],
		sum_bound(w, lower_input(network, node, 5), shape_count(&w->shape) / w->shape.dims[0], bias), &target);

	struct nest *nest = lower_convolution_nest(network, node, output, x, w, &window, groups, TYPE_INT32, bias,
		lower_input(network, node, 2), lower_input(network, node, 5), &total);
	requantize(network, nest, output, total, &r, index_loop(nest->axes[1]), &target);
	nest->tail = NULL;
	lower_emit(network, nest);
}

void lower_quantized_matmul(struct network *network, struct node *node)
{
	struct value *a = lower_input(network, node, 0), *b = lower_input(network, node, 3);
	struct value *y_zero = lower_input(network, node, 7);
	const struct shape shape = lower_product_shape(network, &a->shape, &b->shape);
	struct value *output = lower_output(network, node, 0, y_zero->type, &shape);
	struct expression *total;
	const struct target target = target_of(network, node, y_zero->type);
	const struct requantization r = need_requantization(network, scale_of(network, node, 1),
		scale_of(network, node, 4), b->shape.dims[b->shape.rank - 1],
		sum_bound(b, lower_input(network, node, 5), a->shape.dims[a->shape.rank - 1], NULL), &target);

	struct nest *nest = lower_product_nest(network, node, output, a, b, false, false, TYPE_INT32, NULL,
		lower_input(network, node, 2), lower_input(network, node, 5), &total);
	requantize(network, nest, output, total, &r,
		b->shape.rank > 1 ? index_loop(nest->axes[shape.rank - 1]) : index_constant(0), &target);
	nest->tail = NULL;
	lower_emit(network, nest);
}

/* ---- between DequantizeLinear and QuantizeLinear ---- */

/* What follows until QuantizeLinear. */
struct ending {
	struct node *quantize, *limit;   /* LIMIT: Relu or Clip before it, or NULL */
	struct target target;
};

/* As QuantizeLinear makes it of the number, in floats. */
static int64_t quantized_bound(const struct target *target, double bound, enum type type)
{
	const double q = rint((double)((float)bound / (float)tensor_number(target->scale, 0))) + (double)target->zero;

	return q < (double)type_infos[type].lowest ? type_infos[type].lowest :
		q > (double)type_infos[type].highest ? type_infos[type].highest : (int64_t)q;
}

/* The constant of a scalar input that a Constant or an initializer gives. */
static bool constant_bound(const struct value *value, double *bound)
{
	if (!value || !value->constant || value->constant->count != 1)
		return false;
	*bound = tensor_number(value->constant, 0);
	return true;
}

static bool find_ending(struct node *node, struct ending *ending)
{
	struct value *result = node->outputs[0];
	struct node *limit = NULL, *next = result->uses == 1 && !result->is_output ? result->user : NULL;
	double bound = 0;

	if (next && (!strcmp(next->operator, "Relu") || (!strcmp(next->operator, "Clip") && next->version >= 11))) {
		limit = next;
		result = next->outputs[0];
		next = result->uses == 1 && !result->is_output ? result->user : NULL;
	}
	if (!next || strcmp(next->operator, "QuantizeLinear") || next->input_count < 2 || next->inputs[0] != result)
		return false;
	const struct value *zero = lower_optional(next, 2);
	if (!next->inputs[1] || !next->inputs[1]->constant || next->inputs[1]->constant->count != 1 ||
	    (zero && (!zero->constant || zero->constant->count != 1)) || !(tensor_number(next->inputs[1]->constant, 0) > 0))
		return false;
	const enum type type = zero ? zero->type : TYPE_UINT8;
	if (!is_quantized_type(type))
		return false;
	struct target *target = &ending->target;
	*ending = (struct ending){ next, limit, { next->inputs[1]->constant, zero ? tensor_integer(zero->constant, 0) : 0,
		type_infos[type].lowest, type_infos[type].highest } };
	if (limit && !strcmp(limit->operator, "Relu"))
		target->low = quantized_bound(target, 0, type);
	if (limit && !strcmp(limit->operator, "Clip")) {
		if (lower_optional(limit, 1) && !constant_bound(limit->inputs[1], &bound))
			return false;
		if (lower_optional(limit, 1))
			target->low = quantized_bound(target, bound, type);
		if (lower_optional(limit, 2) && !constant_bound(limit->inputs[2], &bound))
			return false;
		if (lower_optional(limit, 2))
			target->high = quantized_bound(target, bound, type);
	}
	return target->low <= target->high;
}

static struct value *ending_output(struct network *network, const struct ending *ending, const struct shape *shape)
{
	const struct value *zero = lower_optional(ending->quantize, 2);

	/* Both are in the nest that is made now. */
	if (ending->limit)
		ending->limit->is_done = true;
	ending->quantize->is_done = true;
	return lower_output(network, ending->quantize, 0, zero ? zero->type : TYPE_UINT8, shape);
}

bool lower_is_quantized(const struct value *x)
{
	return x->quantized && x->scale->constant && x->scale->constant->count == 1 &&
		(!x->zero || x->zero->constant);
}

/* The same, of 8 bits: sums and products of them are of 32. */
static bool is_of_bytes(const struct value *x)
{
	return lower_is_quantized(x) && type_infos[x->quantized->type].bytes == 1;
}

/* Weights of 8 bits, a scale for each of dimension AXIS or one for all, and sums of DEPTH products. */
static bool are_weights(const struct value *w, int axis, int64_t depth)
{
	return w->quantized && w->scale->constant && (w->scale->constant->count == 1 || w->quantized_axis == axis) &&
		type_infos[w->quantized->type].bytes == 1 && depth <= 32768;
}

static struct tensor *one_tensor(struct network *network)
{
	const struct shape scalar = { 0 };
	struct tensor *one = tensor_new(network->arena, TYPE_FLOAT, &scalar, false);

	tensor_set_number(one, 0, 1);
	return one;
}

/* The bias as integers of the scale of the sums; false if it is not written so. */
static bool quantized_bias(const struct value *bias, const struct value *x, const struct value *w,
	struct value **integers)
{
	double number;

	*integers = NULL;
	if (!bias)
		return true;
	if (!bias->quantized || !bias->scale->constant || bias->quantized->type != TYPE_INT32 ||
	    (bias->zero && (!bias->zero->constant || !tensor_is_uniform(bias->zero->constant, &number) || number != 0)))
		return false;
	const int64_t w_count = w->scale->constant->count, count = bias->scale->constant->count;
	if (count != w_count && count != 1 && w_count != 1)
		return false;
	for (int64_t c = 0; c < w_count || c < count; c++) {
		const double sum = tensor_number(x->scale->constant, 0) *
			tensor_number(w->scale->constant, w_count == 1 ? 0 : c);
		const double own = tensor_number(bias->scale->constant, count == 1 ? 0 : c);
		if (fabs(sum - own) > 1e-6 * sum)
			return false;
	}
	*integers = bias->quantized;
	return true;
}

bool lower_qdq_convolution(struct network *network, struct node *node, const struct window *window,
	int64_t groups, const struct shape *shape)
{
	struct value *x = lower_optional(node, 0), *w = lower_optional(node, 1), *bias;
	struct expression *total;
	struct requantization r;
	struct ending ending;

	if (node->kind->variant != CONVOLUTION_FLOAT || !is_of_bytes(x) ||
	    !are_weights(w, 0, shape_count(&w->shape) / w->shape.dims[0]) ||
	    !quantized_bias(lower_optional(node, 2), x, w, &bias) || !find_ending(node, &ending) ||
	    !find_requantization(network, x->scale->constant, w->scale->constant, shape->dims[1], 1,
		sum_bound(w->quantized, w->zero, shape_count(&w->shape) / w->shape.dims[0], bias), &ending.target, &r))
		return false;
	struct value *output = ending_output(network, &ending, shape);
	struct nest *nest = lower_convolution_nest(network, node, output, x->quantized, w->quantized, window, groups,
		TYPE_INT32, bias, x->zero, w->zero, &total);
	requantize(network, nest, output, total, &r, index_loop(nest->axes[1]), &ending.target);
	nest->tail = NULL;
	lower_emit(network, nest);
	return true;
}

bool lower_qdq_product(struct network *network, struct node *node, const struct shape *shape)
{
	const bool is_gemm = !strcmp(node->operator, "Gemm");
	struct value *a = lower_optional(node, 0), *b = lower_optional(node, 1), *bias = NULL;
	const bool a_transposed = is_gemm && attribute_int(network, node, "transA", 0);
	const bool b_transposed = is_gemm && attribute_int(network, node, "transB", 0);
	struct expression *total;
	struct requantization r;
	struct ending ending;

	if ((!is_gemm && strcmp(node->operator, "MatMul")) || !is_of_bytes(a) ||
	    !are_weights(b, b->shape.rank < 2 ? -1 : b->shape.rank - (b_transposed ? 2 : 1),
		a->shape.dims[a->shape.rank - (a_transposed ? 2 : 1)]) ||
	    (is_gemm && (attribute_float(network, node, "alpha", 1) != 1 || attribute_float(network, node, "beta", 1) != 1)) ||
	    !quantized_bias(is_gemm ? lower_optional(node, 2) : NULL, a, b, &bias) || !find_ending(node, &ending))
		return false;
	const int64_t columns = b->shape.dims[b->shape.rank - (b_transposed || b->shape.rank < 2 ? 2 : 1)];
	if (!find_requantization(network, a->scale->constant, b->scale->constant, columns, 1,
		sum_bound(b->quantized, b->zero, a->shape.dims[a->shape.rank - (a_transposed ? 2 : 1)], bias), &ending.target, &r))
		return false;
	struct value *output = ending_output(network, &ending, shape);
	struct nest *nest = lower_product_nest(network, node, output, a->quantized, b->quantized, a_transposed,
		b_transposed, TYPE_INT32, bias, a->zero, b->zero, &total);
	requantize(network, nest, output, total, &r, r.count == 1 ? index_constant(0) :
		index_loop(nest->axes[shape->rank - 1]), &ending.target);
	nest->tail = NULL;
	lower_emit(network, nest);
	return true;
}

/* Sums of a window, less what the zero point adds to them. */
bool lower_qdq_average(struct network *network, struct node *node, const struct window *window,
	bool with_border, const struct shape *shape)
{
	struct value *x = lower_optional(node, 0);
	struct arena *arena = network->arena;
	struct index at[RANK_LIMIT], taps[RANK_LIMIT];
	struct requantization r;
	struct ending ending;
	double count;

	if (!is_of_bytes(x) || !find_ending(node, &ending))
		return false;
	/* At the border, where fewer elements count, the factor would be another one. */
	const struct value *counts = lower_window_counts(network, window, with_border, TYPE_INT32);
	if (!tensor_is_uniform(counts->constant, &count) || count > 8e6 || !find_requantization(network,
		x->scale->constant, one_tensor(network), 1, (int64_t)count, 255 * (int64_t)count, &ending.target, &r))
		return false;
	struct value *output = ending_output(network, &ending, shape);
	struct nest *nest = lower_nest(network, node, output);
	struct expression *sum = add_local(nest, nest->tail, "sum", TYPE_INT32, integer(network, TYPE_INT32, 0));
	struct block *block = lower_window_loops(network, nest, nest->tail, window, x, index_loop(nest->axes[1]), at,
		taps);
	struct expression *element = expression_read(arena, x->quantized, at);
	const int64_t zero = x->zero ? tensor_integer(x->zero->constant, 0) : 0;
	add_update(nest, block, sum, ADD, !zero ? element : two(network, SUBTRACT, element,
		integer(network, TYPE_INT32, zero)));
	requantize(network, nest, output, sum, &r, index_constant(0), &ending.target);
	nest->tail = NULL;
	lower_emit(network, nest);
	return true;
}

static struct expression *broadcast_element(struct network *network, const struct nest *nest, struct value *x)
{
	struct index at[RANK_LIMIT];

	for (int d = 0; d < x->shape.rank; d++)
		at[d] = x->shape.dims[d] == 1 ? index_constant(0) :
			index_loop(nest->axes[d + nest->result->shape.rank - x->shape.rank]);
	return expression_read(network->arena, x, at);
}

static int64_t zero_point(const struct value *x)
{
	return x->zero ? tensor_integer(x->zero->constant, 0) : 0;
}

/* The integer less its zero point: from LOW to HIGH. */
static struct expression *centred(struct network *network, const struct nest *nest, const struct value *x)
{
	struct expression *element = broadcast_element(network, nest, x->quantized);

	return !zero_point(x) ? element : two(network, SUBTRACT, element, integer(network, TYPE_INT32, zero_point(x)));
}

/* Add and Sub: both scales as multipliers of one shift. */
static bool find_sum(struct network *network, struct value *const operands[2], bool is_difference,
	const struct target *target, struct requantization *r)
{
	struct factor factors[2];
	int64_t lows[2], highs[2];

	for (int o = 0; o < 2; o++) {
		const struct type_info *type = &type_infos[operands[o]->quantized->type];
		if (!factor_find(tensor_number(operands[o]->scale->constant, 0), 1, tensor_number(target->scale, 0), 1,
			&factors[o]))
			return false;
		lows[o] = type->lowest - zero_point(operands[o]);
		highs[o] = type->highest - zero_point(operands[o]);
	}
	if (is_difference) {
		const int64_t low = lows[1];
		lows[1] = -highs[1];
		highs[1] = -low;
	}
	if (!requantization_find_sum(network->arena, factors, lows, highs, r))
		return false;
	r->multipliers[1] *= is_difference ? -1 : 1;
	return true;
}

bool lower_qdq_binary(struct network *network, struct node *node, const struct shape *shape)
{
	struct value *operands[2] = { lower_optional(node, 0), lower_optional(node, 1) };
	const int variant = node->kind->variant;
	struct arena *arena = network->arena;
	struct expression *elements[2];
	struct requantization r;
	struct ending ending;

	if (variant > BINARY_MUL || !is_of_bytes(operands[0]) || !is_of_bytes(operands[1]) || !find_ending(node, &ending) ||
	    !(variant == BINARY_MUL ? find_requantization(network, operands[0]->scale->constant,
		operands[1]->scale->constant, 1, 1, 255 * 255, &ending.target, &r) :
		find_sum(network, operands, variant == BINARY_SUB, &ending.target, &r)))
		return false;
	struct value *output = ending_output(network, &ending, shape);
	struct nest *nest = lower_nest(network, node, output);
	for (int o = 0; o < 2; o++)
		elements[o] = centred(network, nest, operands[o]);
	if (variant == BINARY_MUL) {
		requantize(network, nest, output, two(network, MULTIPLY, elements[0], elements[1]), &r, index_constant(0),
			&ending.target);
	} else {
		for (int o = 0; o < 2; o++)
			elements[o] = two(network, MULTIPLY, expression_cast(arena, TYPE_INT64, elements[o]),
				integer(network, TYPE_INT64, r.multipliers[o]));
		struct expression *scaled = add_local(nest, nest->tail, "scaled", TYPE_INT64,
			two(network, ADD, elements[0], elements[1]));
		finish_requantization(network, nest, output, scaled, integer(network, TYPE_INT32, r.shifts[0]), r.snap,
			&ending.target);
	}
	nest->tail = NULL;
	lower_emit(network, nest);
	return true;
}

/* ---- integers that change their scale, or their place ---- */

static bool is_one_number(const struct value *parameter)
{
	return !parameter || (parameter->constant && parameter->constant->count == 1);
}

static bool are_alike(const struct value *a, const struct value *b)
{
	return tensor_number(a->scale->constant, 0) == tensor_number(b->scale->constant, 0) &&
		zero_point(a) == zero_point(b) && a->quantized->type == b->quantized->type;
}

/* OUTPUT becomes the integers of X in the scale of TARGET.  False if it cannot. */
static bool lower_rescaled(struct network *network, struct node *node, struct value *output, struct value *x,
	const struct target *target)
{
	struct requantization r;

	if (type_infos[x->quantized->type].bytes > 2 && zero_point(x))
		return false;
	if (tensor_number(x->scale->constant, 0) == tensor_number(target->scale, 0) && zero_point(x) == target->zero &&
	    x->quantized->type == output->type && target->low == type_infos[output->type].lowest &&
	    target->high == type_infos[output->type].highest) {
		lower_reshape(network, node, output, x->quantized);
		return true;
	}
	if (!find_requantization(network, x->scale->constant, one_tensor(network), 1, 1, INT32_MAX, target, &r))
		return false;
	struct nest *nest = lower_nest(network, node, output);
	requantize(network, nest, output, centred(network, nest, x), &r, index_constant(0), target);
	nest->tail = NULL;
	lower_emit(network, nest);
	return true;
}

static bool is_mover(const struct operator *kind)
{
	static lower_function *const movers[] = { lower_transpose, lower_slice, lower_split, lower_expand, lower_gather,
		lower_tile, lower_resize, lower_depth_to_space, lower_space_to_depth, lower_concat, lower_reshape_node,
		lower_flatten, lower_squeeze, lower_unsqueeze, lower_identity };

	for (size_t m = 0; m < sizeof(movers) / sizeof(movers[0]); m++)
		if (kind->lower == movers[m])
			return true;
	return false;
}

/* The concatenation of tensors of different scales, each in that of the result. */
static bool lower_qdq_concat(struct network *network, struct node *node)
{
	struct value **inputs = ARENA_ARRAY(network->arena, struct value *, node->input_count + 1), **given = node->inputs;
	struct value *output = node->outputs[0];
	struct ending ending;

	if (!find_ending(node, &ending))
		return false;
	const struct value *zero = lower_optional(ending.quantize, 2);
	for (int i = 0; i < node->input_count; i++) {
		inputs[i] = network_temporary(network, given[i]->name, zero ? zero->type : TYPE_UINT8, &given[i]->shape);
		if (!lower_rescaled(network, node, inputs[i], given[i], &ending.target))
			return false;
	}
	const struct shape none = { 0 };
	struct value *integers = ending_output(network, &ending, &none);
	node->inputs = inputs;
	node->outputs[0] = integers;
	node->kind->lower(network, node);
	node->inputs = given;
	node->outputs[0] = output;
	return true;
}

bool lower_on_integers(struct network *network, struct node *node)
{
	const int count = is_mover(node->kind) ? node->kind->lower == lower_concat ? node->input_count : 1 : 0;
	struct value **given = node->inputs, **wanted = node->outputs;
	const struct shape none = { 0 };
	bool is_alike = true;

	for (int i = 0; i < count; i++) {
		if (!lower_optional(node, i) || !lower_is_quantized(given[i]) || !is_one_number(given[i]->zero))
			return false;
		is_alike &= are_alike(given[i], given[0]);
	}
	if (!count || !is_alike)
		return count && lower_qdq_concat(network, node);
	const struct value *like = given[0];
	node->inputs = ARENA_ARRAY(network->arena, struct value *, node->input_count + 1);
	node->outputs = ARENA_ARRAY(network->arena, struct value *, node->output_count + 1);
	for (int i = 0; i < node->input_count; i++)
		node->inputs[i] = i < count ? given[i]->quantized : given[i];
	for (int o = 0; o < node->output_count; o++)
		if (wanted[o] && wanted[o]->uses)
			node->outputs[o] = network_temporary(network, wanted[o]->name, like->quantized->type, &none);
	node->kind->lower(network, node);
	struct value **made = node->outputs;
	node->inputs = given;
	node->outputs = wanted;
	for (int o = 0; o < node->output_count; o++)
		if (made[o])
			lower_dequantized(network, node, lower_output(network, node, o, like->scale->type, &made[o]->shape),
				made[o], like);
	return true;
}

static struct expression *make_above_zero(struct network *network, struct node *node, struct expression **operands,
	int count)
{
	struct expression *zero = integer(network, TYPE_INT32, zero_point(node->inputs[0]));

	(void)count;
	return expression_choose(network->arena, two(network, LESS, operands[0], zero), zero, operands[0]);
}

bool lower_qdq_relu(struct network *network, struct node *node)
{
	struct value *x = lower_optional(node, 0);

	if (!lower_is_quantized(x) || !is_one_number(x->zero))
		return false;
	struct value *integers = network_temporary(network, x->quantized->name, x->quantized->type, &x->shape);
	lower_elementwise(network, node, integers, &x->quantized, 1, make_above_zero);
	lower_dequantized(network, node, lower_output(network, node, 0, x->type, &x->shape), integers, x);
	return true;
}

/* QuantizeLinear of what DequantizeLinear has made. */
static bool lower_quantized_again(struct network *network, struct node *node, struct value *x, struct value *scale,
	struct value *zero, enum type type)
{
	if (!lower_is_quantized(x) || !is_one_number(x->zero) || !scale->constant || !is_one_number(scale) ||
	    !is_one_number(zero))
		return false;
	const struct target target = { scale->constant, zero ? tensor_integer(zero->constant, 0) : 0,
		type_infos[type].lowest, type_infos[type].highest };
	return lower_rescaled(network, node, lower_output(network, node, 0, type, &x->shape), x, &target);
}

static bool takes_quantized(const struct node *node)
{
	for (int i = 0; i < node->input_count; i++)
		if (node->inputs[i] && node->inputs[i]->quantized)
			return true;
	return false;
}

/* Before what NODE makes is quantized: if it is made of integers, the operator that takes them computes in
 * floats. */
static void note_floats(struct network *network, const struct node *node)
{
	while (node && !takes_quantized(node)) {
		const struct node *before = NULL;
		for (int i = 0; i < node->input_count && !before; i++)
			before = node->inputs[i] ? node->inputs[i]->producer : NULL;
		node = before;
	}
	if (node && network->float_node_count++ < FLOAT_NODES_SHOWN)
		network->float_nodes = arena_printf(network->arena, "%s%s%s (%s)", network->float_nodes ? network->float_nodes : "",
			network->float_nodes ? ", " : "", node->name, node->operator);
}

void lower_quantize(struct network *network, struct node *node)
{
	struct value *x = lower_declared(network, node, lower_input(network, node, 0));
	struct value *scale = lower_input(network, node, 1), *zero = lower_optional(node, 2);
	const int axis = quantized_axis(network, node, x);
	const enum type type = zero ? zero->type : TYPE_UINT8;

	if (!is_quantized_type(type))
		refuse(network, "a result of %s; int8, uint8, int16 and uint16 are supported", type_infos[type].name);
	if (!type_is_float(x->type) || scale->type != x->type)
		refuse(network, "operands of types %s and %s", type_infos[x->type].name, type_infos[scale->type].name);
	if (lower_quantized_again(network, node, x, scale, zero, type))
		return;
	note_floats(network, lower_input(network, node, 0)->producer);
	struct value *output = lower_output(network, node, 0, type, &x->shape);
	struct value *operands[3] = { x, beside(network, node, scale, x, axis),
		zero ? beside(network, node, zero, x, axis) : NULL };
	lower_elementwise(network, node, output, operands, zero ? 3 : 2, make_quantized);
}

/* ---- a scale found at run time ---- */

void lower_dynamic_quantize(struct network *network, struct node *node)
{
	struct value *x = lower_declared(network, node, lower_input(network, node, 0));
	struct arena *arena = network->arena;
	const struct shape scalar = { 0 };
	struct value *output = lower_output(network, node, 0, TYPE_UINT8, &x->shape);
	struct value *scale_out = lower_output(network, node, 1, TYPE_FLOAT, &scalar);
	struct value *zero_out = lower_output(network, node, 2, TYPE_UINT8, &scalar);
	struct index at[RANK_LIMIT];

	if (!scale_out)
		scale_out = network_temporary(network, "scale", TYPE_FLOAT, &scalar);
	if (!zero_out)
		zero_out = network_temporary(network, "zero_point", TYPE_UINT8, &scalar);
	struct nest *nest = lower_nest(network, node, x);
	struct expression *zero = expression_number(arena, TYPE_FLOAT, 0);
	struct block loops = nest->block, *inner = nest->tail == &nest->block ? NULL : nest->tail;
	nest->result = scale_out;
	nest->block = (struct block){ 0 };
	struct expression *low = add_local(nest, &nest->block, "low", TYPE_FLOAT, zero);
	struct expression *high = add_local(nest, &nest->block, "high", TYPE_FLOAT, zero);
	if (inner) {
		nest->block.last->next = loops.first;
		nest->block.last = loops.last;
	}
	for (int d = 0; d < x->shape.rank; d++)
		at[d] = index_loop(nest->axes[d]);
	struct expression *element = expression_read(arena, x, at);
	struct block *body = inner ? inner : &nest->block;
	add_assign(nest, body, low, expression_call(arena, TYPE_FLOAT, "fmin", low, element));
	add_assign(nest, body, high, expression_call(arena, TYPE_FLOAT, "fmax", high, element));
	struct expression *scale = expression_read(arena, scale_out, at), *point = expression_read(arena, zero_out, at);
	add_assign(nest, &nest->block, scale, two(network, DIVIDE, two(network, SUBTRACT, high, low),
		expression_number(arena, TYPE_FLOAT, 255)));
	struct expression *rounded = expression_call(arena, TYPE_FLOAT, "rint", two(network, DIVIDE,
		two(network, SUBTRACT, zero, low), scale), NULL);
	add_assign(nest, &nest->block, point, expression_cast(arena, TYPE_UINT8, expression_call(arena, TYPE_FLOAT,
		"fmax", expression_call(arena, TYPE_FLOAT, "fmin", rounded, expression_number(arena, TYPE_FLOAT, 255)), zero)));
	nest->tail = NULL;
	network_append(network, nest);
	zero_out->nest = nest;
	struct value *operands[3] = { x, scale_out, zero_out };
	lower_elementwise(network, node, output, operands, 3, make_quantized);
}

/* ---- RequantShift of integer networks ----
 *
 * y = clamp((x * mul + add + div / 2) >> log2(div)); with div / 2 it gives what the networks that use
 * it were published with. */

static int64_t attribute_whole(struct network *network, const struct node *node, const char *name, int64_t missing)
{
	if (!attribute_is_given(node, name))
		return missing;
	const struct tensor *tensor = attribute_tensor(network, node, name);
	if (!tensor || tensor->count != 1 || tensor_number(tensor, 0) != floor(tensor_number(tensor, 0)))
		refuse(network, "attribute %s is not one integer", name);
	return tensor_integer(tensor, 0);
}

static struct expression *make_shifted(struct network *network, struct node *node,
	struct expression **operands, int count)
{
	const int64_t div = attribute_whole(network, node, "div", 1);
	const enum type type = node->outputs[0]->is_wide ? TYPE_INT64 : TYPE_INT32;
	struct expression *y = operands[0];
	int shift = 0;

	(void)count;
	while ((INT64_C(1) << shift) < div)
		shift++;
	if (type == TYPE_INT64)
		y = expression_cast(network->arena, type, y);
	y = two(network, MULTIPLY, y, operands[1]);
	/* Half of the divisor more: the nearest, upwards where two are. */
	if (operands[2]->kind == EXPRESSION_INTEGER)
		operands[2] = integer(network, type, operands[2]->integer + div / 2);
	else if (div > 1)
		y = two(network, ADD, y, integer(network, type, div / 2));
	if (operands[2]->kind != EXPRESSION_INTEGER || operands[2]->integer)
		y = two(network, ADD, y, operands[2]);
	return shift ? two(network, SHIFT_RIGHT, y, integer(network, TYPE_INT32, shift)) : y;
}

static struct expression *make_limited(struct network *network, struct node *node,
	struct expression **operands, int count)
{
	(void)count;
	return clamped(network, operands[0], node->outputs[0]->low, node->outputs[0]->high);
}

void lower_requant_shift(struct network *network, struct node *node)
{
	struct value *x = lower_input(network, node, 0), *output;
	struct value *mul = lower_integers(network, lower_input(network, node, 1)),
		*add = lower_integers(network, lower_input(network, node, 2));
	const int64_t div = attribute_whole(network, node, "div", 0);
	const int64_t levels = attribute_whole(network, node, attribute_is_given(node, "n_levels_out") ?
		"n_levels_out" : "n_levels", 256);
	const bool is_signed = attribute_whole(network, node, "signed", 1) != 0;

	if (!x->has_range)
		refuse(network, "its input is not known to be of integers: a conversion or an operator of real numbers "
			"stands before it");
	if (!mul || !add || !mul->constant || !add->constant)
		refuse(network, "its factors are not constant integers");
	if (div < 1 || (div & (div - 1)) || div > INT64_C(1) << 40 || levels < 2 || levels > 65536 || levels % 2)
		refuse(network, "div %lld and %lld levels: a power of two and an even number of levels are supported",
			(long long)div, (long long)levels);
	const int64_t ends[4] = { x->low * mul->low, x->low * mul->high, x->high * mul->low, x->high * mul->high };
	int64_t low = ends[0], high = ends[0];
	for (int e = 1; e < 4; e++) {
		low = ends[e] < low ? ends[e] : low;
		high = ends[e] > high ? ends[e] : high;
	}
	output = lower_integer_output(network, node, &x->shape, is_signed ? -levels / 2 : 0,
		is_signed ? levels / 2 - 1 : levels - 1);
	/* Products that 32 bits do not hold are of 64, which always do: the operands are of 32. */
	output->is_wide = low + add->low < INT32_MIN || high + add->high + div / 2 > INT32_MAX || low < INT32_MIN ||
		high > INT32_MAX;
	struct value *operands[3] = { x, mul, add };
	struct value *shifted = network_temporary(network, output->name, output->is_wide ? TYPE_INT64 : TYPE_INT32,
		&x->shape);
	lower_elementwise(network, node, shifted, operands, 3, make_shifted);
	lower_elementwise(network, node, output, &shifted, 1, make_limited);
}
