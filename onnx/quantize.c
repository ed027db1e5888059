/* Quantized operators.  Where ONNX multiplies a sum by a real number, rounds to even and saturates,
 * so do the loops, in integers: the number is a multiplier of 31 bits and a shift. */

#include <math.h>
#include <string.h>

#include "onnx/lower.h"

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

void lower_quantize(struct network *network, struct node *node)
{
	struct value *x = lower_declared(network, node, lower_input(network, node, 0));
	struct value *scale = lower_input(network, node, 1), *zero = lower_optional(node, 2);
	const int axis = quantized_axis(network, node, x);
	const enum type type = zero ? zero->type : TYPE_UINT8;

	if (type != TYPE_INT8 && type != TYPE_UINT8 && type != TYPE_INT16 && type != TYPE_UINT16)
		refuse(network, "a result of %s; int8, uint8, int16 and uint16 are supported", type_infos[type].name);
	if (!type_is_float(x->type) || scale->type != x->type)
		refuse(network, "operands of types %s and %s", type_infos[x->type].name, type_infos[scale->type].name);
	struct value *output = lower_output(network, node, 0, type, &x->shape);
	struct value *operands[3] = { x, beside(network, node, scale, x, axis),
		zero ? beside(network, node, zero, x, axis) : NULL };
	lower_elementwise(network, node, output, operands, zero ? 3 : 2, make_quantized);
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
	struct value *operands[3] = { integers, like->scale, like->zero };

	output->quantized = integers;
	output->scale = like->scale;
	output->zero = like->zero;
	output->quantized_axis = like->quantized_axis;
	integers->uses = 2;
	lower_elementwise(network, node, output, operands, like->zero ? 3 : 2, make_dequantized);
}

/* ---- requantization ---- */

/* The real number as multiplier * 2^-shift, the multiplier of 31 bits. */
static void take_apart(struct network *network, double real, int64_t *multiplier, int *shift)
{
	int exponent;
	const double fraction = frexp(real, &exponent);

	if (!(real > 0) || !isfinite(real))
		refuse(network, "a scale of %g", real);
	*multiplier = (int64_t)rint(ldexp(fraction, 31));
	*shift = 31 - exponent;
	if (*multiplier == INT64_C(1) << 31) {
		*multiplier >>= 1;
		(*shift)--;
	}
	for (; *shift > 62; (*shift)--)
		*multiplier >>= 1;
	if (*shift < 1)
		refuse(network, "a scale of %g, which is too large", real);
}

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

/* SCALED becomes SCALED * 2^-SHIFT, rounded to even, plus ZERO, and RESULT that from LOW to HIGH. */
static void finish_requantization(struct network *network, struct nest *nest, struct value *result,
	struct expression *scaled, struct expression *shift, int64_t zero, int64_t low, int64_t high)
{
	struct arena *arena = network->arena;
	struct expression *one = integer(network, TYPE_INT64, 1);
	/* Half less one, and one more where the quotient is odd. */
	struct expression *half = two(network, SUBTRACT, two(network, SHIFT_LEFT,
		expression_cast(arena, TYPE_INT64, integer(network, TYPE_INT32, 1)),
		two(network, SUBTRACT, shift, integer(network, TYPE_INT32, 1))), one);

	if (shift->kind == EXPRESSION_INTEGER)
		half = integer(network, TYPE_INT64, (INT64_C(1) << (shift->integer - 1)) - 1);
	struct expression *odd = two(network, BIT_AND, two(network, SHIFT_RIGHT, scaled, shift), one);
	add_assign(nest, nest->tail, scaled, two(network, SHIFT_RIGHT,
		two(network, ADD, two(network, ADD, scaled, half), odd), shift));
	if (zero)
		add_update(nest, nest->tail, scaled, ADD, integer(network, TYPE_INT32, zero));
	add_assign(nest, nest->tail, lower_element(network, nest, result),
		expression_cast(arena, result->type, clamped(network, scaled, low, high)));
}

/* At the end of the nest RESULT becomes TOTAL * SCALES[channel], rounded to even, plus ZERO, from LOW to
 * HIGH.  COUNT scales, one for all or one for each value of CHANNEL. */
static void requantize(struct network *network, struct nest *nest, struct value *result, struct expression *total,
	const double *scales, int64_t count, struct index channel, int64_t zero, int64_t low, int64_t high)
{
	struct arena *arena = network->arena;
	const struct shape shape = { 1, { count } };
	struct tensor *multipliers = tensor_new(arena, TYPE_INT32, &shape, false);
	struct tensor *shifts = tensor_new(arena, TYPE_INT8, &shape, false);

	for (int64_t c = 0; c < count; c++) {
		int64_t multiplier;
		int shift;
		take_apart(network, scales[c], &multiplier, &shift);
		tensor_set_integer(multipliers, c, multiplier);
		tensor_set_integer(shifts, c, shift);
	}
	struct expression *shift = channel_element(network, arena_printf(arena, "%s_shift", result->name), shifts,
		channel);
	struct expression *scaled = add_local(nest, nest->tail, "scaled", TYPE_INT64, two(network, MULTIPLY,
		expression_cast(arena, TYPE_INT64, total),
		channel_element(network, arena_printf(arena, "%s_multiplier", result->name), multipliers, channel)));
	finish_requantization(network, nest, result, scaled, shift, zero, low, high);
}

static const struct tensor *scale_of(struct network *network, struct node *node, int input)
{
	return lower_constant(network, node, input, "a scale");
}

/* a * b / c for each channel. */
static double *all_scales(struct network *network, const struct tensor *a, const struct tensor *b,
	const struct tensor *c, int64_t channels, int64_t *count)
{
	if (a->count != 1 || c->count != 1 || (b->count != 1 && b->count != channels))
		refuse(network, "scales of %lld numbers", (long long)b->count);
	*count = b->count;
	double *scales = ARENA_ARRAY(network->arena, double, *count);
	for (int64_t i = 0; i < *count; i++)
		scales[i] = tensor_number(a, 0) * tensor_number(b, i) / tensor_number(c, 0);
	return scales;
}

static int64_t zero_of(struct network *network, struct node *node, int input)
{
	const struct tensor *zero = lower_constant(network, node, input, "the zero point of the result");

	if (zero->count != 1)
		refuse(network, "a zero point of %lld numbers", (long long)zero->count);
	return tensor_integer(zero, 0);
}

void lower_quantized_convolution(struct network *network, struct node *node)
{
	struct value *x = lower_input(network, node, 0), *w = lower_input(network, node, 3);
	struct value *y_zero = lower_input(network, node, 7), *bias = lower_optional(node, 8);
	struct expression *total;
	struct shape shape;
	int64_t groups, count;
	const struct window window = lower_convolution_window(network, node, x, w, &groups, &shape);
	struct value *output = lower_output(network, node, 0, y_zero->type, &shape);
	const double *scales = all_scales(network, scale_of(network, node, 1), scale_of(network, node, 4),
		scale_of(network, node, 6), shape.dims[1], &count);

	struct nest *nest = lower_convolution_nest(network, node, output, x, w, &window, groups, TYPE_INT32, bias,
		lower_input(network, node, 2), lower_input(network, node, 5), &total);
	requantize(network, nest, output, total, scales, count, index_loop(nest->axes[1]),
		zero_of(network, node, 7), type_infos[output->type].lowest, type_infos[output->type].highest);
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
	int64_t count;
	const double *scales = all_scales(network, scale_of(network, node, 1), scale_of(network, node, 4),
		scale_of(network, node, 6), b->shape.dims[b->shape.rank - 1], &count);

	struct nest *nest = lower_product_nest(network, node, output, a, b, false, false, TYPE_INT32, NULL,
		lower_input(network, node, 2), lower_input(network, node, 5), &total);
	requantize(network, nest, output, total, scales, count, index_loop(nest->axes[shape.rank - 1]),
		zero_of(network, node, 7), type_infos[output->type].lowest, type_infos[output->type].highest);
	nest->tail = NULL;
	lower_emit(network, nest);
}

/* ---- between DequantizeLinear and QuantizeLinear ---- */

/* What follows until QuantizeLinear. */
struct ending {
	struct node *quantize;
	const struct tensor *scale;
	int64_t zero, low, high;         /* limits: of the type, and of Relu or Clip before it */
};

static int64_t quantized_bound(const struct ending *ending, double bound, enum type type)
{
	const double q = rint(bound / tensor_number(ending->scale, 0)) + (double)ending->zero;

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

static bool find_ending(struct network *network, struct node *node, struct ending *ending)
{
	struct value *result = node->outputs[0];
	struct node *limit = NULL, *next = result->uses == 1 && !result->is_output ? result->user : NULL;
	double bound = 0;

	(void)network;
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
	*ending = (struct ending){ next, next->inputs[1]->constant, zero ? tensor_integer(zero->constant, 0) : 0,
		type_infos[type].lowest, type_infos[type].highest };
	if (limit && !strcmp(limit->operator, "Relu"))
		ending->low = quantized_bound(ending, 0, type);
	if (limit && !strcmp(limit->operator, "Clip")) {
		if (lower_optional(limit, 1) && !constant_bound(limit->inputs[1], &bound))
			return false;
		if (lower_optional(limit, 1))
			ending->low = quantized_bound(ending, bound, type);
		if (lower_optional(limit, 2) && !constant_bound(limit->inputs[2], &bound))
			return false;
		if (lower_optional(limit, 2))
			ending->high = quantized_bound(ending, bound, type);
	}
	if (limit)
		limit->is_done = true;
	next->is_done = true;
	return true;
}

static struct value *ending_output(struct network *network, const struct ending *ending, const struct shape *shape)
{
	const struct value *zero = lower_optional(ending->quantize, 2);

	return lower_output(network, ending->quantize, 0, zero ? zero->type : TYPE_UINT8, shape);
}

bool lower_is_quantized(const struct value *x)
{
	return x->quantized && x->scale->constant && x->scale->constant->count == 1 &&
		(!x->zero || x->zero->constant);
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
	for (int64_t c = 0; c < w->scale->constant->count || c < bias->scale->constant->count; c++) {
		const double sum = tensor_number(x->scale->constant, 0) *
			tensor_number(w->scale->constant, w->scale->constant->count == 1 ? 0 : c);
		const double own = tensor_number(bias->scale->constant, bias->scale->constant->count == 1 ? 0 : c);
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
	struct ending ending;
	int64_t count;

	if (node->kind->variant != CONVOLUTION_FLOAT || !lower_is_quantized(x) || !w->quantized ||
	    !w->scale->constant || (w->scale->constant->count > 1 && w->quantized_axis != 0) ||
	    !quantized_bias(lower_optional(node, 2), x, w, &bias) || !find_ending(network, node, &ending))
		return false;
	struct value *output = ending_output(network, &ending, shape);
	const double *scales = all_scales(network, x->scale->constant, w->scale->constant, ending.scale,
		shape->dims[1], &count);
	struct nest *nest = lower_convolution_nest(network, node, output, x->quantized, w->quantized, window, groups,
		TYPE_INT32, bias, x->zero, w->zero, &total);
	requantize(network, nest, output, total, scales, count, index_loop(nest->axes[1]), ending.zero, ending.low,
		ending.high);
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
	struct ending ending;
	int64_t count;

	if ((!is_gemm && strcmp(node->operator, "MatMul")) || !lower_is_quantized(a) || !b->quantized ||
	    !b->scale->constant || (b->scale->constant->count > 1 &&
		b->quantized_axis != b->shape.rank - (b_transposed ? 2 : 1)) ||
	    (is_gemm && (attribute_float(network, node, "alpha", 1) != 1 || attribute_float(network, node, "beta", 1) != 1)) ||
	    !quantized_bias(is_gemm ? lower_optional(node, 2) : NULL, a, b, &bias) || !find_ending(network, node, &ending))
		return false;
	struct value *output = ending_output(network, &ending, shape);
	const double *scales = all_scales(network, a->scale->constant, b->scale->constant, ending.scale,
		shape->dims[shape->rank - 1], &count);
	struct nest *nest = lower_product_nest(network, node, output, a->quantized, b->quantized, a_transposed,
		b_transposed, TYPE_INT32, bias, a->zero, b->zero, &total);
	requantize(network, nest, output, total, scales, count, index_loop(nest->axes[shape->rank - 1]), ending.zero,
		ending.low, ending.high);
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
	struct ending ending;
	double count;

	const struct value *counts = lower_window_counts(network, window, with_border, TYPE_INT32);
	/* At the border, where fewer elements count, the factor would be another one. */
	if (!lower_is_quantized(x) || !tensor_is_uniform(counts->constant, &count) || count > 8e6 ||
	    !find_ending(network, node, &ending))
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
	const double scale = tensor_number(x->scale->constant, 0) / (tensor_number(ending.scale, 0) * count);
	requantize(network, nest, output, sum, &scale, 1, index_constant(0), ending.zero, ending.low, ending.high);
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

/* Both scales as multipliers of one shift: 40 bits, as elements have no more than 17. */
bool lower_qdq_add(struct network *network, struct node *node, const struct shape *shape)
{
	struct value *operands[2] = { lower_optional(node, 0), lower_optional(node, 1) };
	struct arena *arena = network->arena;
	struct expression *sum = NULL;
	struct ending ending;
	double scales[2];
	int exponent;

	if (strcmp(node->operator, "Add") || !lower_is_quantized(operands[0]) || !lower_is_quantized(operands[1]) ||
	    type_infos[operands[0]->quantized->type].bytes > 2 || type_infos[operands[1]->quantized->type].bytes > 2 ||
	    !find_ending(network, node, &ending))
		return false;
	for (int o = 0; o < 2; o++)
		scales[o] = tensor_number(operands[o]->scale->constant, 0) / tensor_number(ending.scale, 0);
	frexp(scales[0] > scales[1] ? scales[0] : scales[1], &exponent);
	const int shift = 40 - exponent;
	if (shift < 1 || shift > 62)
		refuse(network, "scales of %g and %g", scales[0], scales[1]);
	struct value *output = ending_output(network, &ending, shape);
	struct nest *nest = lower_nest(network, node, output);
	for (int o = 0; o < 2; o++) {
		const int64_t zero = operands[o]->zero ? tensor_integer(operands[o]->zero->constant, 0) : 0;
		struct expression *element = broadcast_element(network, nest, operands[o]->quantized);
		if (zero)
			element = two(network, SUBTRACT, element, integer(network, TYPE_INT32, zero));
		element = two(network, MULTIPLY, expression_cast(arena, TYPE_INT64, element),
			integer(network, TYPE_INT64, (int64_t)rint(ldexp(scales[o], shift))));
		sum = sum ? two(network, ADD, sum, element) : element;
	}
	struct expression *scaled = add_local(nest, nest->tail, "scaled", TYPE_INT64, sum);
	finish_requantization(network, nest, output, scaled, integer(network, TYPE_INT32, shift), ending.zero,
		ending.low, ending.high);
	nest->tail = NULL;
	lower_emit(network, nest);
	return true;
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
