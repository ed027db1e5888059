/* Operators whose results are constants. */

#include <math.h>
#include <string.h>

#include "onnx/move.h"

static struct tensor *integers(struct network *network, const int64_t *list, int count)
{
	const struct shape shape = { 1, { count } };
	struct tensor *tensor = tensor_new(network->arena, TYPE_INT64, &shape, false);

	for (int i = 0; i < count; i++)
		tensor_set_integer(tensor, i, list[i]);
	return tensor;
}

/* The node's result is a constant. */
static void set_constant(struct network *network, struct node *node, struct tensor *tensor)
{
	struct value *output = lower_output(network, node, 0, tensor->type, &tensor->shape);

	output->constant = tensor;
}

void lower_shape(struct network *network, struct node *node)
{
	const struct shape *shape = &lower_input(network, node, 0)->shape;
	int64_t start = attribute_int(network, node, "start", 0), end = attribute_int(network, node, "end", shape->rank);

	start = start < 0 ? start + shape->rank : start;
	end = end < 0 ? end + shape->rank : end;
	start = start < 0 ? 0 : start > shape->rank ? shape->rank : start;
	end = end < start ? start : end > shape->rank ? shape->rank : end;
	if (!strcmp(node->operator, "Size")) {
		const struct shape scalar = { 0 };
		struct tensor *size = tensor_new(network->arena, TYPE_INT64, &scalar, false);
		tensor_set_integer(size, 0, shape_count(shape));
		set_constant(network, node, size);
		return;
	}
	set_constant(network, node, integers(network, shape->dims + start, (int)(end - start)));
}

void lower_constant_node(struct network *network, struct node *node)
{
	const struct shape scalar = { 0 };
	struct tensor *tensor = attribute_tensor(network, node, "value");
	int count;

	if (!tensor && attribute_is_given(node, "value_float")) {
		tensor = tensor_new(network->arena, TYPE_FLOAT, &scalar, false);
		tensor_set_number(tensor, 0, attribute_float(network, node, "value_float", 0));
	} else if (!tensor && attribute_is_given(node, "value_int")) {
		tensor = tensor_new(network->arena, TYPE_INT64, &scalar, false);
		tensor_set_integer(tensor, 0, attribute_int(network, node, "value_int", 0));
	} else if (!tensor && attribute_is_given(node, "value_ints")) {
		const int64_t *list = attribute_ints(network, node, "value_ints", &count);
		tensor = integers(network, list, count);
	} else if (!tensor && attribute_is_given(node, "value_floats")) {
		const float *list = attribute_floats(network, node, "value_floats", &count);
		const struct shape shape = { 1, { count } };
		tensor = tensor_new(network->arena, TYPE_FLOAT, &shape, false);
		for (int i = 0; i < count; i++)
			tensor_set_number(tensor, i, (double)list[i]);
	}
	if (!tensor)
		refuse(network, "its value is of a kind that loopc has not");
	set_constant(network, node, tensor);
}

void lower_constant_of_shape(struct network *network, struct node *node)
{
	const struct shape shape = move_shape(network, lower_constant(network, node, 0, "the shape"));
	struct tensor *value = attribute_tensor(network, node, "value");

	if (value && value->count != 1)
		refuse(network, "a value of %lld elements", (long long)value->count);
	struct value *output = lower_output(network, node, 0, value ? value->type : TYPE_FLOAT, &shape);
	output->constant = tensor_new(network->arena, output->type, &shape, true);
	if (value && type_is_float(value->type))
		tensor_set_number(output->constant, 0, tensor_number(value, 0));
	else if (value)
		tensor_set_integer(output->constant, 0, tensor_integer(value, 0));
}

void lower_range(struct network *network, struct node *node)
{
	const struct tensor *start = lower_constant(network, node, 0, "the start"),
		*limit = lower_constant(network, node, 1, "the limit"), *delta = lower_constant(network, node, 2, "the step");
	const double step = tensor_number(delta, 0);
	const double count = step == 0 ? -1 : ceil((tensor_number(limit, 0) - tensor_number(start, 0)) / step);

	if (!(step != 0) || count > 1e8)
		refuse(network, "a range without end");
	const struct shape shape = { 1, { count > 0 ? (int64_t)count : 0 } };
	struct tensor *tensor = tensor_new(network->arena, start->type, &shape, false);
	for (int64_t e = 0; e < tensor->count; e++)
		if (type_is_float(start->type))
			tensor_set_number(tensor, e, tensor_number(start, 0) + (double)e * step);
		else
			tensor_set_integer(tensor, e, (int64_t)((uint64_t)tensor_integer(start, 0) +
				(uint64_t)e * (uint64_t)tensor_integer(delta, 0)));
	set_constant(network, node, tensor);
}
