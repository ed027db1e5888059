/* Normalizations and softmax. */

#include <math.h>
#include <string.h>

#include "onnx/lower.h"

/* ---- a scale and a shift for each channel ---- */

struct tensor *lower_channels(struct network *network, const struct value *constant, const struct value *x)
{
	const int channel = constant->shape.rank - (x->shape.rank - 1);
	struct shape shape = { 1, { 0 } };

	if (!constant->constant || !type_is_float(constant->type) || x->shape.rank < 2 ||
	    constant->shape.rank > x->shape.rank)
		return NULL;
	for (int d = 0; d < constant->shape.rank; d++)
		if (constant->shape.dims[d] != 1 && (d != channel || constant->shape.dims[d] != x->shape.dims[1]))
			return NULL;
	struct tensor *tensor = ARENA_NEW(network->arena, struct tensor);
	*tensor = *constant->constant;
	shape.dims[0] = tensor->count;
	tensor->shape = shape;
	return tensor;
}

static double channel_number(const struct tensor *tensor, int64_t channel)
{
	return !tensor ? 0 : tensor_number(tensor, tensor->count == 1 ? 0 : channel);
}

/* W with the elements of each map of dimension AXIS multiplied by its scale. */
static struct tensor *scaled_weights(struct network *network, const struct tensor *w, int axis,
	const struct tensor *scale)
{
	double number;
	const bool is_uniform = w->is_uniform && tensor_is_uniform(scale, &number);
	struct tensor *result = tensor_new(network->arena, w->type, &w->shape, is_uniform);
	int64_t inner = 1;

	for (int d = axis + 1; d < w->shape.rank; d++)
		inner *= w->shape.dims[d];
	for (int64_t e = 0; e < (is_uniform ? 1 : w->count); e++)
		tensor_set_number(result, e, tensor_number(w, e) *
			channel_number(scale, e / inner % w->shape.dims[axis]));
	return result;
}

/* A for each channel times SCALE, plus SHIFT.  NULL as A is zero. */
static struct tensor *scaled_shift(struct network *network, const struct tensor *a, const struct tensor *scale,
	const struct tensor *shift, int64_t channels, enum type type)
{
	const struct shape shape = { 1, { channels } };
	struct tensor *result = tensor_new(network->arena, type, &shape, false);

	for (int64_t c = 0; c < channels; c++)
		tensor_set_number(result, c, channel_number(a, c) * channel_number(scale, c) + channel_number(shift, c));
	return result;
}

/* The convolution that makes X, if its weights can take the scale. */
static struct node *scalable(struct network *network, const struct value *x)
{
	struct node *node = x->nest ? x->nest->node : NULL;

	(void)network;
	if (x->uses != 1 || x->is_output || !node || x->nest->result != x || node->outputs[0] != x ||
	    node->kind->lower != lower_convolution || node->kind->variant != CONVOLUTION_FLOAT ||
	    x->type != x->declared || !node->inputs[1]->constant)
		return NULL;
	return node->input_count < 3 || !node->inputs[2] || node->inputs[2]->constant ? node : NULL;
}

static void fold_into(struct network *network, struct node *convolution, struct value *output,
	const struct tensor *scale, const struct tensor *shift)
{
	struct value *w = convolution->inputs[1], *bias = lower_optional(convolution, 2);
	const struct tensor *old = bias ? bias->constant : NULL;
	struct value **inputs = ARENA_ARRAY(network->arena, struct value *, 3);

	inputs[0] = convolution->inputs[0];
	inputs[1] = network_constant(network, w->name, scaled_weights(network, w->constant, 0, scale));
	inputs[2] = network_constant(network, bias ? bias->name : arena_printf(network->arena, "%s_bias", w->name),
		scaled_shift(network, old, scale, shift, w->shape.dims[0], w->type));
	network_remove(network, convolution->outputs[0]->nest);
	convolution->inputs = inputs;
	convolution->input_count = 3;
	convolution->outputs[0] = output;
	lower_convolution(network, convolution);
}

static struct expression *make_scale(struct network *network, struct node *node, struct expression **operands,
	int count)
{
	(void)node, (void)count;
	return expression_binary(network->arena, ADD, expression_binary(network->arena, MULTIPLY, operands[0],
		operands[1]), operands[2]);
}

/* For each channel: C x 1 x 1 beside N x C x H x W. */
static struct value *channel_constant(struct network *network, const char *name, const struct tensor *tensor,
	int rank)
{
	struct tensor *column = ARENA_NEW(network->arena, struct tensor);

	*column = *tensor;
	if (tensor->count > 1) {
		column->shape.rank = rank - 1;
		for (int d = 1; d < rank - 1; d++)
			column->shape.dims[d] = 1;
	}
	return network_constant(network, name, column);
}

void lower_scale(struct network *network, struct node *node, struct value *output, struct value *x,
	struct tensor *scale, struct tensor *shift)
{
	const int64_t channels = x->shape.dims[1];
	struct node *convolution = scalable(network, x);
	struct nest *before = x->nest;

	if (convolution) {
		fold_into(network, convolution, output, scale, shift);
		return;
	}
	if (x->uses == 1 && !x->is_output && before && before->result == x && before->scaled) {
		shift = scaled_shift(network, before->shift, scale, shift, channels, x->type);
		scale = scaled_shift(network, before->scale, scale, NULL, channels, x->type);
		network_remove(network, before);
		x = before->scaled;
	}
	struct value *operands[3] = { x,
		channel_constant(network, arena_printf(network->arena, "%s_scale", output->name), scale, x->shape.rank),
		channel_constant(network, arena_printf(network->arena, "%s_shift", output->name), shift, x->shape.rank) };
	lower_elementwise(network, node, output, operands, 3, make_scale);
	if (output->nest && output->nest->result == output && output->nest->is_pointwise) {
		output->nest->scaled = x;
		output->nest->scale = scale;
		output->nest->shift = shift;
	}
}

static const struct tensor *statistic(struct network *network, struct node *node, int input, int64_t channels)
{
	const struct value *value = lower_input(network, node, input);

	if (shape_count(&value->shape) != channels)
		refuse(network, "statistics of shape %s for %lld channels", shape_text(network->arena, &value->shape),
			(long long)channels);
	return value->constant;
}

static struct expression *make_normalized(struct network *network, struct node *node,
	struct expression **operands, int count)
{
	struct expression *x = operands[0], *epsilon = expression_number(network->arena, x->type,
		attribute_float(network, node, "epsilon", 1e-5));
	struct expression *deviation = expression_call(network->arena, x->type, "sqrt",
		expression_binary(network->arena, ADD, operands[4], epsilon), NULL);
	struct expression *scale = expression_binary(network->arena, DIVIDE, operands[1], deviation);

	(void)count;
	return expression_binary(network->arena, ADD, expression_binary(network->arena, MULTIPLY,
		expression_binary(network->arena, SUBTRACT, x, operands[3]), scale), operands[2]);
}

void lower_batch_normalization(struct network *network, struct node *node)
{
	struct value *x = lower_declared(network, node, lower_input(network, node, 0));
	const double epsilon = attribute_float(network, node, "epsilon", 1e-5);
	const struct tensor *constants[4];
	struct value *output;
	bool is_constant = true;

	if (x->shape.rank < 2)
		refuse(network, "an operand of shape %s", shape_text(network->arena, &x->shape));
	if (attribute_int(network, node, "training_mode", 0) || (node->version < 9 &&
	    attribute_int(network, node, "spatial", 1) != 1))
		refuse(network, "the mode for training; export the network for inference");
	const int64_t channels = x->shape.dims[1];
	for (int i = 0; i < 4; i++) {
		constants[i] = statistic(network, node, i + 1, channels);
		is_constant &= constants[i] != NULL;
	}
	output = lower_output(network, node, 0, x->type, &x->shape);
	if (!is_constant) {
		struct value *operands[5] = { x };
		struct shape column = { x->shape.rank - 1, { 0 } };
		for (int d = 0; d < column.rank; d++)
			column.dims[d] = d ? 1 : channels;
		for (int i = 1; i < 5; i++) {
			operands[i] = network_temporary(network, node->inputs[i]->name, x->type, &column);
			lower_reshape(network, node, operands[i], node->inputs[i]);
		}
		lower_elementwise(network, node, output, operands, 5, make_normalized);
		return;
	}
	struct shape shape = { 1, { channels } };
	struct tensor *scale = tensor_new(network->arena, x->type, &shape, false);
	struct tensor *shift = tensor_new(network->arena, x->type, &shape, false);
	for (int64_t c = 0; c < channels; c++) {
		const double s = tensor_number(constants[0], c) / sqrt(tensor_number(constants[3], c) + epsilon);
		tensor_set_number(scale, c, s);
		tensor_set_number(shift, c, tensor_number(constants[1], c) - tensor_number(constants[2], c) * s);
	}
	lower_scale(network, node, output, x, scale, shift);
}

/* ---- mean and variance of rows ---- */

/* One row's loops from AXIS on; the subscripts of its element. */
static struct block *row_loops(struct nest *nest, struct block *block, const struct shape *shape, int axis,
	const struct index *outer, struct index *at)
{
	static const char *names[] = { "c", "d", "e", "f", "g", "h", "l", "m", "o", "p", "q", "u" };

	for (int d = 0; d < shape->rank; d++) {
		if (d < axis) {
			at[d] = outer[d];
			continue;
		}
		const int loop = nest_loop(nest, names[d - axis], shape->dims[d]);
		block = add_loop(nest, block, loop);
		at[d] = index_loop(loop);
	}
	return block;
}

/* The nest of rows of OUTPUT, of X normalized; *AT their elements, where *BLOCK is the loop in which
 * the result is to be assigned *NORMAL. */
static struct nest *normalized_rows(struct network *network, struct node *node, struct value *output,
	struct value *x, int axis, double epsilon, struct value *mean_out, struct value *deviation_out,
	struct block **block, struct index *at, struct expression **normal)
{
	static const char *names[] = { "n", "k", "y", "x", "z", "i", "j", "v", "w", "a", "b", "i11" };
	struct arena *arena = network->arena;
	struct nest *nest = nest_new(arena, node, output);
	struct index outer[RANK_LIMIT];
	int64_t count = 1;

	*block = &nest->block;
	for (int d = 0; d < x->shape.rank; d++) {
		if (d >= axis) {
			count *= x->shape.dims[d];
			continue;
		}
		const int loop = nest_loop(nest, names[d], x->shape.dims[d]);
		*block = add_loop(nest, *block, loop);
		outer[d] = index_loop(loop);
	}
	struct block *row = *block;
	struct expression *size = expression_number(arena, x->type, (double)count);
	struct expression *mean = add_local(nest, row, "mean", x->type, expression_number(arena, x->type, 0));
	struct block *inner = row_loops(nest, row, &x->shape, axis, outer, at);
	add_update(nest, inner, mean, ADD, expression_read(arena, x, at));
	add_assign(nest, row, mean, expression_binary(arena, DIVIDE, mean, size));
	struct expression *variance = add_local(nest, row, "variance", x->type, expression_number(arena, x->type, 0));
	inner = row_loops(nest, row, &x->shape, axis, outer, at);
	struct expression *difference = expression_binary(arena, SUBTRACT, expression_read(arena, x, at), mean);
	add_update(nest, inner, variance, ADD, expression_binary(arena, MULTIPLY, difference, difference));
	struct expression *scale = add_local(nest, row, "scale", x->type, expression_binary(arena, DIVIDE,
		expression_number(arena, x->type, 1), expression_call(arena, x->type, "sqrt", expression_binary(arena, ADD,
			expression_binary(arena, DIVIDE, variance, size), expression_number(arena, x->type, epsilon)), NULL)));
	for (int d = axis; d < x->shape.rank; d++)
		outer[d] = index_constant(0);
	if (mean_out)
		add_assign(nest, row, expression_read(arena, mean_out, outer), mean);
	if (deviation_out)
		add_assign(nest, row, expression_read(arena, deviation_out, outer), scale);
	*block = row_loops(nest, row, &x->shape, axis, outer, at);
	*normal = expression_binary(arena, MULTIPLY, expression_binary(arena, SUBTRACT,
		expression_read(arena, x, at), mean), scale);
	return nest;
}

static struct expression *operand_at(struct network *network, struct value *operand, const struct index *at,
	int rank)
{
	struct index own[RANK_LIMIT];

	for (int d = 0; d < operand->shape.rank; d++)
		own[d] = operand->shape.dims[d] == 1 ? index_constant(0) : at[d + rank - operand->shape.rank];
	return expression_read(network->arena, operand, own);
}

void lower_layer_normalization(struct network *network, struct node *node)
{
	struct value *x = lower_declared(network, node, lower_input(network, node, 0));
	struct value *scale = lower_input(network, node, 1), *bias = lower_optional(node, 2);
	const int axis = lower_axis(network, attribute_int(network, node, "axis", -1), x->shape.rank, x->shape.rank);
	struct value *output = lower_output(network, node, 0, x->type, &x->shape);
	struct shape rows = x->shape, both;
	struct index at[RANK_LIMIT];
	struct expression *normal;
	struct block *block;

	for (int d = axis; d < rows.rank; d++)
		rows.dims[d] = 1;
	if (!shape_broadcast(&scale->shape, &x->shape, &both) || !shape_equal(&both, &x->shape) ||
	    (bias && (!shape_broadcast(&bias->shape, &x->shape, &both) || !shape_equal(&both, &x->shape))))
		refuse(network, "a scale or a bias that does not go with shape %s",
			shape_text(network->arena, &x->shape));
	struct value *mean = lower_output(network, node, 1, x->type, &rows);
	struct value *deviation = lower_output(network, node, 2, x->type, &rows);
	struct nest *nest = normalized_rows(network, node, output, x, axis,
		attribute_float(network, node, "epsilon", 1e-5), mean, deviation, &block, at, &normal);
	normal = expression_binary(network->arena, MULTIPLY, normal, operand_at(network, scale, at, x->shape.rank));
	if (bias)
		normal = expression_binary(network->arena, ADD, normal, operand_at(network, bias, at, x->shape.rank));
	add_assign(nest, block, expression_read(network->arena, output, at), normal);
	lower_emit(network, nest);
	if (mean)
		mean->nest = nest;
	if (deviation)
		deviation->nest = nest;
}

void lower_instance_normalization(struct network *network, struct node *node)
{
	struct value *x = lower_declared(network, node, lower_input(network, node, 0));
	struct value *scale = lower_input(network, node, 1), *bias = lower_input(network, node, 2);
	struct value *output = lower_output(network, node, 0, x->type, &x->shape);
	struct index at[RANK_LIMIT];
	struct expression *normal;
	struct block *block;

	if (x->shape.rank < 3 || scale->shape.rank != 1 || bias->shape.rank != 1 ||
	    scale->shape.dims[0] != x->shape.dims[1] || bias->shape.dims[0] != x->shape.dims[1])
		refuse(network, "operands of shapes %s and %s", shape_text(network->arena, &x->shape),
			shape_text(network->arena, &scale->shape));
	struct nest *nest = normalized_rows(network, node, output, x, 2,
		attribute_float(network, node, "epsilon", 1e-5), NULL, NULL, &block, at, &normal);
	normal = expression_binary(network->arena, ADD, expression_binary(network->arena, MULTIPLY, normal,
		expression_read(network->arena, scale, &at[1])), expression_read(network->arena, bias, &at[1]));
	add_assign(nest, block, expression_read(network->arena, output, at), normal);
	lower_emit(network, nest);
}

/* ---- local response: the squares of channels around ---- */

void lower_lrn(struct network *network, struct node *node)
{
	struct value *x = lower_declared(network, node, lower_input(network, node, 0));
	struct arena *arena = network->arena;
	const int64_t size = attribute_int(network, node, "size", 0);
	const double alpha = attribute_float(network, node, "alpha", 1e-4),
		beta = attribute_float(network, node, "beta", 0.75), bias = attribute_float(network, node, "bias", 1);
	struct index at[RANK_LIMIT];

	if (size < 1 || size > 1000000 || x->shape.rank < 2)
		refuse(network, "size %lld for shape %s", (long long)size, shape_text(arena, &x->shape));
	struct value *output = lower_output(network, node, 0, x->type, &x->shape);
	struct nest *nest = lower_nest(network, node, output);
	struct expression *sum = add_local(nest, nest->tail, "squares", x->type, expression_number(arena, x->type, 0));
	const int loop = nest_loop(nest, "r", size);
	for (int d = 0; d < x->shape.rank; d++)
		at[d] = index_loop(nest->axes[d]);
	at[1] = index_plus(index_sum(at[1], index_loop(loop)), -((size - 1) / 2));
	const struct condition inside = { at[1], 0, x->shape.dims[1] - 1 };
	struct block *block = add_if(nest, add_loop(nest, nest->tail, loop), &inside, 1);
	struct expression *element = expression_read(arena, x, at);
	add_update(nest, block, sum, ADD, expression_binary(arena, MULTIPLY, element, element));
	struct expression *base = expression_binary(arena, ADD, expression_number(arena, x->type, bias),
		expression_binary(arena, MULTIPLY, expression_number(arena, x->type, alpha / (double)size), sum));
	add_assign(nest, nest->tail, lower_element(network, nest, output), expression_binary(arena, DIVIDE,
		lower_element(network, nest, x), expression_call(arena, x->type, "pow", base,
			expression_number(arena, x->type, beta))));
	lower_emit(network, nest);
}

/* ---- softmax ---- */

/* Subscripts with the dimensions from FIRST to LAST in loops of their own around BLOCK. */
static struct block *part_loops(struct nest *nest, struct block *block, const struct shape *shape, int first,
	int last, const struct index *outer, struct index *at)
{
	for (int d = 0; d < shape->rank; d++) {
		if (d < first || d > last) {
			at[d] = outer[d];
			continue;
		}
		const int loop = nest_loop(nest, d == first ? "c" : d == first + 1 ? "d" : d == first + 2 ? "e" : "f",
			shape->dims[d]);
		block = add_loop(nest, block, loop);
		at[d] = index_loop(loop);
	}
	return block;
}

void lower_softmax(struct network *network, struct node *node)
{
	static const char *names[] = { "n", "k", "y", "x", "z", "i", "j", "v", "w", "a", "b", "i11" };
	struct value *x = lower_declared(network, node, lower_input(network, node, 0));
	struct arena *arena = network->arena;
	const int rank = x->shape.rank, first = lower_axis(network, attribute_int(network, node, "axis",
		node->version < 13 ? 1 : -1), rank, rank > 0 ? rank : 1);
	const int last = node->version < 13 ? rank - 1 : first;
	const bool is_log = node->kind->variant == SOFTMAX_LOG;
	struct value *output = lower_output(network, node, 0, x->type, &x->shape);
	struct nest *nest = nest_new(arena, node, output);
	struct block *row = &nest->block, *inner;
	struct index outer[RANK_LIMIT], at[RANK_LIMIT];

	for (int d = 0; d < rank; d++) {
		if (d >= first && d <= last)
			continue;
		const int loop = nest_loop(nest, names[d], x->shape.dims[d]);
		row = add_loop(nest, row, loop);
		outer[d] = index_loop(loop);
	}
	struct expression *peak = add_local(nest, row, "peak", x->type, expression_number(arena, x->type, -INFINITY));
	inner = part_loops(nest, row, &x->shape, first, last, outer, at);
	add_assign(nest, inner, peak, expression_call(arena, x->type, "fmax", peak, expression_read(arena, x, at)));
	struct expression *sum = add_local(nest, row, "sum", x->type, expression_number(arena, x->type, 0));
	inner = part_loops(nest, row, &x->shape, first, last, outer, at);
	struct expression *difference = expression_binary(arena, SUBTRACT, expression_read(arena, x, at), peak);
	struct expression *grown = expression_call(arena, x->type, "exp", difference, NULL);
	if (!is_log) {
		struct expression *element = expression_read(arena, output, at);
		add_assign(nest, inner, element, grown);
		add_update(nest, inner, sum, ADD, element);
	} else {
		add_update(nest, inner, sum, ADD, grown);
		add_assign(nest, row, sum, expression_call(arena, x->type, "log", sum, NULL));
	}
	inner = part_loops(nest, row, &x->shape, first, last, outer, at);
	struct expression *element = expression_read(arena, output, at);
	if (is_log)
		add_assign(nest, inner, element, expression_binary(arena, SUBTRACT, expression_binary(arena, SUBTRACT,
			expression_read(arena, x, at), peak), sum));
	else
		add_update(nest, inner, element, DIVIDE, sum);
	lower_emit(network, nest);
}
