/* Operators that only name elements otherwise: their results are views, which cost nothing, where they
 * can be. */

#include "onnx/move.h"

#include <string.h>

struct shape move_shape(struct network *network, const struct tensor *list)
{
	struct shape shape = { 0 };

	if (list->shape.rank > 1 || list->count > RANK_LIMIT)
		refuse(network, "a shape of %lld numbers; there may be %d", (long long)list->count, RANK_LIMIT);
	shape.rank = (int)list->count;
	for (int d = 0; d < shape.rank; d++)
		shape.dims[d] = tensor_integer(list, d);
	return shape;
}

void move_keep_type(struct value *output, const struct value *x)
{
	output->type = x->type;
	output->declared = x->declared;
}

/* A view of the same elements in another shape. */
static void reshape_to(struct network *network, struct node *node, struct value *x, const struct shape *shape)
{
	if (shape_count(shape) != shape_count(&x->shape))
		refuse(network, "shape %s for the elements of %s", shape_text(network->arena, shape),
			shape_text(network->arena, &x->shape));
	struct value *output = lower_output(network, node, 0, x->type, shape);
	move_keep_type(output, x);
	lower_reshape(network, node, output, x);
}

/* ---- shapes ---- */

void lower_reshape_node(struct network *network, struct node *node)
{
	struct value *x = lower_input(network, node, 0);
	struct shape shape = move_shape(network, lower_constant(network, node, 1, "the shape"));
	const bool allows_zero = attribute_int(network, node, "allowzero", 0) != 0;
	int free = -1;
	int64_t product = 1;

	for (int d = 0; d < shape.rank; d++) {
		if (shape.dims[d] == 0 && !allows_zero && d < x->shape.rank)
			shape.dims[d] = x->shape.dims[d];
		if (shape.dims[d] == -1 && free < 0)
			free = d;
		else if (shape.dims[d] < 0 || __builtin_mul_overflow(product, shape.dims[d], &product))
			refuse(network, "shape %s", shape_text(network->arena, &shape));
	}
	if (free >= 0)
		shape.dims[free] = product ? shape_count(&x->shape) / product : 0;
	reshape_to(network, node, x, &shape);
}

void lower_flatten(struct network *network, struct node *node)
{
	struct value *x = lower_input(network, node, 0);
	const int64_t given = attribute_int(network, node, "axis", 1);
	const int axis = given == x->shape.rank ? x->shape.rank : lower_axis(network, given, x->shape.rank, x->shape.rank);
	struct shape shape = { 2, { 1, 1 } };

	for (int d = 0; d < x->shape.rank; d++)
		shape.dims[d >= axis] *= x->shape.dims[d];
	reshape_to(network, node, x, &shape);
}

void lower_squeeze(struct network *network, struct node *node)
{
	struct value *x = lower_input(network, node, 0);
	int count = 0;
	const int64_t *axes = lower_list(network, node, 13, 1, "axes", &count);
	bool goes[RANK_LIMIT] = { false };
	struct shape shape = { 0 };

	for (int a = 0; a < count; a++)
		goes[lower_axis(network, axes[a], x->shape.rank, x->shape.rank)] = true;
	for (int d = 0; d < x->shape.rank; d++) {
		if (!axes)
			goes[d] = x->shape.dims[d] == 1;
		if (goes[d] && x->shape.dims[d] != 1)
			refuse(network, "dimension %d of %s is not 1", d, shape_text(network->arena, &x->shape));
		if (!goes[d])
			shape.dims[shape.rank++] = x->shape.dims[d];
	}
	reshape_to(network, node, x, &shape);
}

void lower_unsqueeze(struct network *network, struct node *node)
{
	struct value *x = lower_input(network, node, 0);
	int count = 0, from = 0;
	const int64_t *axes = lower_list(network, node, 13, 1, "axes", &count);
	struct shape shape = { x->shape.rank + count, { 0 } };

	if (!axes || shape.rank > RANK_LIMIT)
		refuse(network, "no axes, or more than %d dimensions", RANK_LIMIT);
	for (int a = 0; a < count; a++)
		shape.dims[lower_axis(network, axes[a], shape.rank, shape.rank)]++;
	for (int d = 0; d < shape.rank; d++) {
		if (shape.dims[d] > 1)
			refuse(network, "an axis is given twice");
		if (!shape.dims[d])
			shape.dims[d] = x->shape.dims[from++];
	}
	reshape_to(network, node, x, &shape);
}

void lower_identity(struct network *network, struct node *node)
{
	struct value *x = lower_input(network, node, 0);

	reshape_to(network, node, x, &x->shape);
}

void lower_dropout(struct network *network, struct node *node)
{
	const struct value *mode = lower_optional(node, 2);
	const struct shape shape = lower_input(network, node, 0)->shape;

	if (mode && (!mode->constant || tensor_integer(mode->constant, 0)))
		refuse(network, "the mode for training; export the network for inference");
	lower_identity(network, node);
	struct value *mask = lower_output(network, node, 1, node->version < 10 ? node->inputs[0]->type : TYPE_BOOL,
		&shape);
	if (mask) {
		mask->constant = tensor_new(network->arena, mask->type, &shape, true);
		tensor_set_integer(mask->constant, 0, 1);
	}
}

/* ---- other orders and parts ---- */

void move_identity_axes(struct view_axis *axes, int rank)
{
	for (int d = 0; d < rank; d++)
		axes[d] = (struct view_axis){ d, 1, 0 };
}

void lower_transpose(struct network *network, struct node *node)
{
	struct value *x = lower_input(network, node, 0);
	int count;
	const int64_t *order = attribute_ints(network, node, "perm", &count);
	struct view_axis axes[RANK_LIMIT];
	struct shape shape = x->shape;
	bool is_taken[RANK_LIMIT] = { false };

	if (order && count != x->shape.rank)
		refuse(network, "an order of %d dimensions for %d", count, x->shape.rank);
	for (int d = 0; d < x->shape.rank; d++) {
		const int64_t from = order ? order[d] : x->shape.rank - 1 - d;
		if (from < 0 || from >= x->shape.rank || is_taken[from])
			refuse(network, "its order of dimensions is none");
		is_taken[from] = true;
		shape.dims[d] = x->shape.dims[from];
		axes[from] = (struct view_axis){ d, 1, 0 };
	}
	struct value *output = lower_output(network, node, 0, x->type, &shape);
	move_keep_type(output, x);
	lower_axes(network, node, output, x, axes);
}

void lower_split(struct network *network, struct node *node)
{
	struct value *x = lower_input(network, node, 0);
	const int axis = lower_axis(network, attribute_int(network, node, "axis", 0), x->shape.rank, x->shape.rank);
	int count = 0;
	const int64_t *sizes = lower_list(network, node, 13, 1, "split", &count);
	const int64_t size = x->shape.dims[axis], part = (size + node->output_count - 1) / node->output_count;
	int64_t begin = 0;

	if (sizes && count && count != node->output_count)
		refuse(network, "%d parts for %d results", count, node->output_count);
	for (int o = 0; o < node->output_count; o++) {
		struct shape shape = x->shape;
		struct view_axis axes[RANK_LIMIT];

		shape.dims[axis] = sizes && count ? sizes[o] : begin + part > size ? size - begin : part;
		if (shape.dims[axis] < 0 || begin + shape.dims[axis] > size)
			refuse(network, "parts larger than the %lld elements", (long long)size);
		struct value *output = lower_output(network, node, o, x->type, &shape);
		move_identity_axes(axes, x->shape.rank);
		axes[axis].offset = begin;
		begin += shape.dims[axis];
		if (output) {
			move_keep_type(output, x);
			lower_axes(network, node, output, x, axes);
		}
	}
}

static void take_slice(struct network *network, struct node *node, const int64_t *lists[4], int counts[4])
{
	static const char *names[4] = { "starts", "ends", "axes", "steps" };

	for (int l = 0; l < 4; l++)
		lists[l] = l == 3 && node->version < 10 ? NULL : lower_list(network, node, 10, l + 1, names[l], &counts[l]);
	if (!lists[0] || !lists[1] || counts[0] != counts[1] || (lists[2] && counts[2] != counts[0]) ||
	    (lists[3] && counts[3] != counts[0]))
		refuse(network, "lists of different lengths");
}

int64_t move_clamped(int64_t x, int64_t low, int64_t high)
{
	return x < low ? low : x > high ? high : x;
}

void lower_slice(struct network *network, struct node *node)
{
	struct value *x = lower_input(network, node, 0);
	const int64_t *lists[4] = { NULL };
	int counts[4] = { 0 };
	struct view_axis axes[RANK_LIMIT];
	struct shape shape = x->shape;

	take_slice(network, node, lists, counts);
	move_identity_axes(axes, x->shape.rank);
	for (int a = 0; a < counts[0]; a++) {
		const int axis = lower_axis(network, lists[2] ? lists[2][a] : a, x->shape.rank, x->shape.rank);
		const int64_t size = x->shape.dims[axis], step = lists[3] ? lists[3][a] : 1;
		int64_t begin = lists[0][a], end = lists[1][a];

		if (!step || step < -ELEMENT_LIMIT || step > ELEMENT_LIMIT)
			refuse(network, "a step of %lld", (long long)step);
		begin = begin < 0 ? move_clamped(begin, -size - 1, 0) + size : begin;
		end = end < 0 ? move_clamped(end, -size - 1, 0) + size : end;
		begin = step > 0 ? move_clamped(begin, 0, size) : move_clamped(begin, 0, size - 1);
		end = step > 0 ? move_clamped(end, 0, size) : move_clamped(end, -1, size - 1);
		const int64_t count = step > 0 ? (end - begin + step - 1) / step : (begin - end - step - 1) / -step;
		shape.dims[axis] = count > 0 ? count : 0;
		axes[axis] = (struct view_axis){ axis, step, begin };
	}
	struct value *output = lower_output(network, node, 0, x->type, &shape);
	move_keep_type(output, x);
	lower_axes(network, node, output, x, axes);
}

void lower_expand(struct network *network, struct node *node)
{
	struct value *x = lower_input(network, node, 0);
	const struct shape wanted = move_shape(network, lower_constant(network, node, 1, "the shape"));
	struct view_axis axes[RANK_LIMIT];
	struct shape shape;

	if (!shape_broadcast(&x->shape, &wanted, &shape))
		refuse(network, "shapes %s and %s do not go together", shape_text(network->arena, &x->shape),
			shape_text(network->arena, &wanted));
	for (int d = 0; d < x->shape.rank; d++)
		axes[d] = x->shape.dims[d] == 1 ? (struct view_axis){ -1, 0, 0 } :
			(struct view_axis){ d + shape.rank - x->shape.rank, 1, 0 };
	struct value *output = lower_output(network, node, 0, x->type, &shape);
	move_keep_type(output, x);
	lower_axes(network, node, output, x, axes);
}

/* X in shape FIRST, its dimensions in the order given, in the shape of the result. */
static void rearrange(struct network *network, struct node *node, struct value *x, const struct shape *first,
	const int *order, const struct shape *last)
{
	struct value *parts = network_temporary(network, x->name, x->type, first);
	struct shape moved = *first;
	struct view_axis axes[RANK_LIMIT];

	for (int d = 0; d < first->rank; d++) {
		moved.dims[d] = first->dims[order[d]];
		axes[order[d]] = (struct view_axis){ d, 1, 0 };
	}
	struct value *turned = network_temporary(network, x->name, x->type, &moved);
	lower_reshape(network, node, parts, x);
	lower_axes(network, node, turned, parts, axes);
	struct value *output = lower_output(network, node, 0, x->type, last);
	move_keep_type(output, x);
	lower_reshape(network, node, output, turned);
}

static int64_t take_block(struct network *network, struct node *node, const struct value *x)
{
	const int64_t b = attribute_int(network, node, "blocksize", 0);

	if (b < 1 || b > 10000 || x->shape.rank != 4)
		refuse(network, "blocks of %lld for shape %s", (long long)b, shape_text(network->arena, &x->shape));
	return b;
}

void lower_depth_to_space(struct network *network, struct node *node)
{
	struct value *x = lower_input(network, node, 0);
	const int64_t b = take_block(network, node, x), *in = x->shape.dims, c = in[1] / (b * b);
	const bool is_column = !strcmp(attribute_string(network, node, "mode", "DCR"), "CRD");
	static const int depth_first[] = { 0, 3, 4, 1, 5, 2 }, column_first[] = { 0, 1, 4, 2, 5, 3 };
	const struct shape depth = { 6, { in[0], b, b, c, in[2], in[3] } }, column = { 6, { in[0], c, b, b, in[2], in[3] } };
	const struct shape last = { 4, { in[0], c, in[2] * b, in[3] * b } };

	if (in[1] % (b * b))
		refuse(network, "blocks of %lld for %lld channels", (long long)b, (long long)in[1]);
	rearrange(network, node, x, is_column ? &column : &depth, is_column ? column_first : depth_first, &last);
}

void lower_space_to_depth(struct network *network, struct node *node)
{
	struct value *x = lower_input(network, node, 0);
	const int64_t b = take_block(network, node, x), *in = x->shape.dims;
	static const int order[] = { 0, 3, 5, 1, 2, 4 };
	const struct shape first = { 6, { in[0], in[1], in[2] / b, b, in[3] / b, b } };
	const struct shape last = { 4, { in[0], in[1] * b * b, in[2] / b, in[3] / b } };

	if (in[2] % b || in[3] % b)
		refuse(network, "blocks of %lld for shape %s", (long long)b, shape_text(network->arena, &x->shape));
	rearrange(network, node, x, &first, order, &last);
}
