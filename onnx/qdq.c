/* Operators between DequantizeLinear and QuantizeLinear: they work on the integers themselves where that
 * is exact. */

#include <math.h>
#include <string.h>

#include "onnx/quantize.h"

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
	    !target_requantization(network, x->scale->constant, w->scale->constant, shape->dims[1], 1,
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
	if (!target_requantization(network, a->scale->constant, b->scale->constant, columns, 1,
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
	if (!tensor_is_uniform(counts->constant, &count) || count > 8e6 || !target_requantization(network,
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
	    !(variant == BINARY_MUL ? target_requantization(network, operands[0]->scale->constant,
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
	if (!target_requantization(network, x->scale->constant, one_tensor(network), 1, 1, INT32_MAX, target, &r))
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

bool lower_quantized_again(struct network *network, struct node *node, struct value *x, struct value *scale,
	struct value *zero, enum type type)
{
	if (!lower_is_quantized(x) || !is_one_number(x->zero) || !scale->constant || !is_one_number(scale) ||
	    !is_one_number(zero))
		return false;
	const struct target target = { scale->constant, zero ? tensor_integer(zero->constant, 0) : 0,
		type_infos[type].lowest, type_infos[type].highest };
	return lower_rescaled(network, node, lower_output(network, node, 0, type, &x->shape), x, &target);
}
