/* Numbers become integers with a scale, and integers numbers. */

#include "onnx/quantize.h"

#include <math.h>

bool is_quantized_type(enum type type)
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

int quantized_axis(struct network *network, const struct node *node, const struct value *x)
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
	return integer_clamped(network, operands[0], node->outputs[0]->low, node->outputs[0]->high);
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
