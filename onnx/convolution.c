/* Convolutions and poolings. */

#include <math.h>
#include <string.h>

#include "onnx/lower.h"

static const char *tap_name(int rank, int d)
{
	static const char *names[3][3] = { { "r" }, { "r", "s" }, { "t", "r", "s" } };

	return rank <= 3 ? names[rank - 1][d] : "r";
}

static void take_list(struct network *network, const struct node *node, const char *name, int rank, int64_t least,
	int64_t *list)
{
	int count;
	const int64_t *given = attribute_ints(network, node, name, &count);

	if (!given || !count)
		return;
	if (count != rank)
		refuse(network, "%s has %d numbers where there are %d dimensions", name, count, rank);
	for (int d = 0; d < rank; d++) {
		if (given[d] < least || given[d] > 1000000)
			refuse(network, "%s has the number %lld", name, (long long)given[d]);
		list[d] = given[d];
	}
}

/* Sizes of the border so that the result has as many elements as strides fit. */
static void pad_alike(struct window *w, bool is_upper)
{
	for (int d = 0; d < w->rank; d++) {
		const int64_t out = (w->in[d] + w->stride[d] - 1) / w->stride[d];
		int64_t total = (out - 1) * w->stride[d] + (w->kernel[d] - 1) * w->dilation[d] + 1 - w->in[d];
		if (total < 0)
			total = 0;
		w->before[d] = is_upper ? total / 2 : total - total / 2;
		w->after[d] = total - w->before[d];
	}
}

static void take_pads(struct network *network, const struct node *node, struct window *w)
{
	const char *automatic = attribute_string(network, node, "auto_pad", "NOTSET");
	int64_t pads[2 * RANK_LIMIT] = { 0 };

	if (!strcmp(automatic, "SAME_UPPER") || !strcmp(automatic, "SAME_LOWER")) {
		pad_alike(w, !strcmp(automatic, "SAME_UPPER"));
		return;
	}
	if (!strcmp(automatic, "VALID"))
		return;
	if (strcmp(automatic, "NOTSET"))
		refuse(network, "auto_pad is %.20s", automatic);
	take_list(network, node, "pads", 2 * w->rank, -1000000, pads);
	for (int d = 0; d < w->rank; d++) {
		w->before[d] = pads[d];
		w->after[d] = pads[w->rank + d];
	}
}

struct window lower_window(struct network *network, const struct node *node, const struct shape *input,
	const int64_t *kernel)
{
	struct window w = { .rank = input->rank - 2 };

	if (w.rank < 1 || w.rank > 3)
		refuse(network, "an operand of %d dimensions; 3 to 5 are supported", input->rank);
	for (int d = 0; d < w.rank; d++) {
		w.in[d] = input->dims[d + 2];
		w.stride[d] = w.dilation[d] = 1;
		if (kernel)
			w.kernel[d] = kernel[d];
	}
	take_list(network, node, "kernel_shape", w.rank, 1, w.kernel);
	for (int d = 0; d < w.rank; d++)
		if (w.kernel[d] < 1 || (kernel && w.kernel[d] != kernel[d]))
			refuse(network, "kernel_shape is missing, or not that of the weights");
	take_list(network, node, "strides", w.rank, 1, w.stride);
	take_list(network, node, "dilations", w.rank, 1, w.dilation);
	take_pads(network, node, &w);
	w.rounds_up = attribute_int(network, node, "ceil_mode", 0) != 0;
	for (int d = 0; d < w.rank; d++) {
		const int64_t room = w.in[d] + w.before[d] + w.after[d] - (w.kernel[d] - 1) * w.dilation[d] - 1;
		if (room < 0)
			refuse(network, "its window of %lld is larger than its input of %lld",
				(long long)w.kernel[d], (long long)w.in[d]);
		w.out[d] = room / w.stride[d] + 1;
		/* What begins beyond the border's end is left out. */
		if (w.rounds_up && room % w.stride[d] && w.out[d] * w.stride[d] < w.in[d] + w.before[d])
			w.out[d]++;
	}
	return w;
}

static struct shape window_shape(const struct window *w, int64_t images, int64_t channels)
{
	struct shape shape = { w->rank + 2, { images, channels } };

	memcpy(shape.dims + 2, w->out, sizeof(w->out[0]) * (size_t)w->rank);
	return shape;
}

struct block *lower_window_loops(struct network *network, struct nest *nest, struct block *block,
	const struct window *w, struct value *x, struct index channel, struct index *subscripts,
	struct index *taps)
{
	struct condition conditions[3];

	(void)network;
	subscripts[0] = index_loop(nest->axes[0]);
	subscripts[1] = channel;
	for (int d = 0; d < w->rank; d++) {
		const int loop = nest_loop(nest, tap_name(w->rank, d), w->kernel[d]);
		block = add_loop(nest, block, loop);
		taps[d] = index_loop(loop);
		subscripts[d + 2] = index_plus(index_sum(index_scaled(index_loop(nest->axes[d + 2]), w->stride[d]),
			index_scaled(taps[d], w->dilation[d])), -w->before[d]);
		conditions[d] = (struct condition){ subscripts[d + 2], 0, x->shape.dims[d + 2] - 1 };
	}
	return add_if(nest, block, conditions, w->rank);
}

/* ---- convolution ---- */

struct window lower_convolution_window(struct network *network, struct node *node, struct value *x,
	struct value *w, int64_t *groups, struct shape *shape)
{
	*groups = attribute_int(network, node, "group", 1);
	if (x->shape.rank != w->shape.rank || x->shape.rank < 3)
		refuse(network, "operands of shapes %s and %s", shape_text(network->arena, &x->shape),
			shape_text(network->arena, &w->shape));
	if (*groups < 1 || *groups > w->shape.dims[0] || w->shape.dims[0] % *groups ||
	    x->shape.dims[1] != w->shape.dims[1] * *groups)
		refuse(network, "%lld groups of weights %s for %s", (long long)*groups,
			shape_text(network->arena, &w->shape), shape_text(network->arena, &x->shape));
	struct window window = lower_window(network, node, &x->shape, w->shape.dims + 2);
	*shape = window_shape(&window, x->shape.dims[0], w->shape.dims[0]);
	return window;
}

void lower_check_bias(struct network *network, const struct value *bias, int64_t count)
{
	if (bias && (bias->shape.rank != 1 || bias->shape.dims[0] != count))
		refuse(network, "a bias of shape %s, where %lld numbers are meant", shape_text(network->arena, &bias->shape),
			(long long)count);
}

static struct expression *bias_element(struct network *network, struct value *bias, enum type sum,
	struct index channel)
{
	if (!bias)
		return expression_integer(network->arena, sum, 0);
	return expression_cast(network->arena, sum, expression_read(network->arena, bias, &channel));
}

struct nest *lower_convolution_nest(struct network *network, struct node *node, struct value *result,
	struct value *x, struct value *w, const struct window *window, int64_t groups, enum type sum,
	struct value *bias, struct value *x_zero, struct value *w_zero, struct expression **total)
{
	struct nest *nest = lower_nest(network, node, result);
	const int64_t maps = w->shape.dims[0], of_group = w->shape.dims[1];
	const int k = nest->axes[1];
	struct index map = index_loop(k), group = index_constant(0), x_at[RANK_LIMIT], w_at[RANK_LIMIT];

	lower_check_zero(network, x_zero, 1);
	lower_check_zero(network, w_zero, maps);
	if (groups > 1 && maps / groups == 1) {
		group = map;
	} else if (groups > 1) {
		/* The loop over maps is one over groups and one in a group. */
		const int outer = nest_loop(nest, "g", groups), inner = nest_loop(nest, "k", maps / groups);
		nest->loops[k].split_count = 2;
		nest->loops[k].split[0] = outer;
		nest->loops[k].split[1] = inner;
		group = index_loop(outer);
	}
	struct expression *element = lower_element(network, nest, result);
	struct expression *first = bias_element(network, bias, sum, map);
	if (result->type == sum) {
		*total = element;
		add_assign(nest, nest->tail, element, first);
	} else {
		*total = add_local(nest, nest->tail, "sum", sum, first);
	}
	const int c = nest_loop(nest, "c", of_group);
	struct block *block = add_loop(nest, nest->tail, c);
	block = lower_window_loops(network, nest, block, window, x,
		index_sum(index_scaled(group, of_group), index_loop(c)), x_at, w_at + 2);
	w_at[0] = map;
	w_at[1] = index_loop(c);
	struct expression *a = lower_less_zero(network, expression_read(network->arena, x, x_at), x_zero, x_at[1]);
	struct expression *b = lower_less_zero(network, expression_read(network->arena, w, w_at), w_zero, map);
	add_update(nest, block, *total, ADD, expression_binary(network->arena, MULTIPLY, a, b));
	return nest;
}

/* Least and greatest sums, partial ones too, of integers X with weights W whose map is dimension
 * AXIS, and a bias. */
static void sum_range(const struct value *x, const struct tensor *w, int axis, const struct tensor *bias,
	double *low, double *high)
{
	const int64_t maps = w->shape.dims[axis];
	int64_t inner = 1;

	for (int d = axis + 1; d < w->shape.rank; d++)
		inner *= w->shape.dims[d];
	*low = *high = 0;
	for (int64_t k = 0; k < maps; k++) {
		double least = 0, most = 0;
		for (int64_t e = 0; e < w->count / maps; e++) {
			const double weight = tensor_number(w, (e / inner * maps + k) * inner + e % inner);
			const double p = weight * (double)x->low, q = weight * (double)x->high;
			least += fmin(fmin(p, q), 0);
			most += fmax(fmax(p, q), 0);
		}
		const double begin = bias ? tensor_number(bias, bias->count == 1 ? 0 : k) : 0;
		*low = fmin(*low, least + begin);
		*high = fmax(*high, most + begin);
	}
}

struct value *lower_integer_sum(struct network *network, const struct node *node, const struct shape *shape,
	struct value *x, struct value *w, int axis, struct value *bias)
{
	double low, high;

	sum_range(x, w->constant, axis, bias ? bias->constant : NULL, &low, &high);
	if (low < -1e15 || high > 1e15)
		refuse(network, "its results may be from %.3g to %.3g, which 32 bits do not hold", low, high);
	struct value *output = lower_integer_output(network, node, shape, (int64_t)low, (int64_t)high);
	output->type = TYPE_INT32;
	return output;
}

void lower_convolution(struct network *network, struct node *node)
{
	const int variant = node->kind->variant;
	struct value *x = lower_input(network, node, 0), *w = lower_input(network, node, 1), *bias = NULL, *output;
	struct value *x_zero = NULL, *w_zero = NULL, *x_integers = NULL, *w_integers = NULL;
	struct expression *total;
	struct shape shape;
	int64_t groups;
	struct window window = lower_convolution_window(network, node, x, w, &groups, &shape);

	if (x->padded && x->uses == 1 && w->constant && variant == CONVOLUTION_FLOAT) {
		/* Zeros around are the convolution's own border. */
		for (int d = 0; d < window.rank; d++) {
			window.before[d] += x->before[d + 2];
			window.after[d] += x->after[d + 2];
			window.in[d] = x->padded->shape.dims[d + 2];
		}
		if (x->nest)             /* else it is lowered again */
			network_remove(network, x->nest);
		x->nest = NULL;
		x = x->padded;
	}
	if (variant == CONVOLUTION_FLOAT)
		lower_check_bias(network, lower_optional(node, 2), w->shape.dims[0]);
	if (lower_qdq_convolution(network, node, &window, groups, &shape))
		return;
	if (variant == CONVOLUTION_INTEGER) {
		x_zero = lower_optional(node, 2);
		w_zero = lower_optional(node, 3);
		output = lower_output(network, node, 0, TYPE_INT32, &shape);
	} else {
		bias = lower_optional(node, 2);
		x_integers = x->type != x->declared ? x : NULL;
		w_integers = x_integers ? lower_integers(network, w) : NULL;
		if (w_integers && w_integers->constant && (!bias || lower_integers(network, bias))) {
			x = x_integers;
			w = w_integers;
			bias = bias ? lower_integers(network, bias) : NULL;
			output = lower_integer_sum(network, node, &shape, x, w, 0, bias);
		} else {
			x = lower_declared(network, node, x);
			w = lower_declared(network, node, w);
			if (x->type != w->type || !type_is_float(x->type))
				refuse(network, "operands of types %s and %s", type_infos[x->type].name,
					type_infos[w->type].name);
			output = lower_output(network, node, 0, x->type, &shape);
		}
	}
	lower_emit(network, lower_convolution_nest(network, node, output, x, w, &window, groups, output->type, bias,
		x_zero, w_zero, &total));
}

/* ---- transposed convolution: every element of the input is added where it goes ---- */

static void transposed_shape(struct network *network, struct node *node, struct window *w)
{
	int64_t shape[RANK_LIMIT] = { 0 }, extra[RANK_LIMIT] = { 0 }, pads[2 * RANK_LIMIT] = { 0 };
	const char *automatic = attribute_string(network, node, "auto_pad", "NOTSET");
	const bool is_same = !strncmp(automatic, "SAME", 4);

	take_list(network, node, "output_padding", w->rank, 0, extra);
	take_list(network, node, "output_shape", w->rank, 1, shape);
	if (!strcmp(automatic, "NOTSET"))
		take_list(network, node, "pads", 2 * w->rank, 0, pads);
	for (int d = 0; d < w->rank; d++) {
		const int64_t full = w->stride[d] * (w->in[d] - 1) + extra[d] +
			(w->kernel[d] - 1) * w->dilation[d] + 1;
		w->before[d] = pads[d];
		w->after[d] = pads[w->rank + d];
		w->out[d] = full - w->before[d] - w->after[d];
		if (shape[d] || is_same) {
			w->out[d] = shape[d] ? shape[d] : w->in[d] * w->stride[d];
			const int64_t total = full - w->out[d] > 0 ? full - w->out[d] : 0;
			w->before[d] = !strcmp(automatic, "SAME_UPPER") ? total / 2 : total - total / 2;
		}
		if (w->out[d] < 1)
			refuse(network, "its result is empty");
	}
}

void lower_convolution_transposed(struct network *network, struct node *node)
{
	struct value *x = lower_declared(network, node, lower_input(network, node, 0));
	struct value *w = lower_input(network, node, 1), *bias = lower_optional(node, 2);
	const int64_t groups = attribute_int(network, node, "group", 1);
	struct window window = { .rank = x->shape.rank - 2 };

	if (window.rank < 1 || window.rank > 3 || w->shape.rank != x->shape.rank || groups < 1 ||
	    x->shape.dims[1] != w->shape.dims[0] || w->shape.dims[0] % groups ||
	    x->type != w->type || !type_is_float(x->type))
		refuse(network, "operands of shapes %s and %s", shape_text(network->arena, &x->shape),
			shape_text(network->arena, &w->shape));
	for (int d = 0; d < window.rank; d++) {
		window.in[d] = x->shape.dims[d + 2];
		window.kernel[d] = w->shape.dims[d + 2];
		window.stride[d] = window.dilation[d] = 1;
	}
	take_list(network, node, "strides", window.rank, 1, window.stride);
	take_list(network, node, "dilations", window.rank, 1, window.dilation);
	transposed_shape(network, node, &window);
	const int64_t maps = w->shape.dims[1], of_group = w->shape.dims[0] / groups;
	lower_check_bias(network, bias, maps * groups);
	struct shape shape = window_shape(&window, x->shape.dims[0], maps * groups);
	struct value *output = lower_output(network, node, 0, x->type, &shape);
	struct nest *nest = nest_new(network->arena, node, output);
	const int n = nest_loop(nest, "n", shape.dims[0]), g = nest_loop(nest, "g", groups),
		k = nest_loop(nest, "k", maps), c = nest_loop(nest, "c", of_group);
	struct block *body = add_loop(nest, add_loop(nest, add_loop(nest, &nest->block, n), g), k), *block = body;
	struct index o_at[RANK_LIMIT], x_at[RANK_LIMIT], w_at[RANK_LIMIT];
	struct condition conditions[3];
	static const char *all[3][3] = { { "x" }, { "y", "x" }, { "z", "y", "x" } };

	o_at[0] = x_at[0] = index_loop(n);
	o_at[1] = index_sum(index_scaled(index_loop(g), maps), index_loop(k));
	x_at[1] = w_at[0] = index_sum(index_scaled(index_loop(g), of_group), index_loop(c));
	w_at[1] = index_loop(k);
	for (int d = 0; d < window.rank; d++) {
		const int loop = nest_loop(nest, all[window.rank - 1][d], window.out[d]);
		block = add_loop(nest, block, loop);
		o_at[d + 2] = index_loop(loop);
	}
	add_assign(nest, block, expression_read(network->arena, output, o_at),
		bias_element(network, bias, output->type, o_at[1]));
	block = add_loop(nest, body, c);
	for (int d = 0; d < window.rank; d++) {
		const int loop = nest_loop(nest, all[window.rank - 1][d], window.in[d]);
		block = add_loop(nest, block, loop);
		x_at[d + 2] = index_loop(loop);
	}
	for (int d = 0; d < window.rank; d++) {
		const int loop = nest_loop(nest, tap_name(window.rank, d), window.kernel[d]);
		block = add_loop(nest, block, loop);
		w_at[d + 2] = index_loop(loop);
		o_at[d + 2] = index_plus(index_sum(index_scaled(x_at[d + 2], window.stride[d]),
			index_scaled(w_at[d + 2], window.dilation[d])), -window.before[d]);
		conditions[d] = (struct condition){ o_at[d + 2], 0, window.out[d] - 1 };
	}
	block = add_if(nest, block, conditions, window.rank);
	add_update(nest, block, expression_read(network->arena, output, o_at), ADD, expression_binary(network->arena,
		MULTIPLY, expression_read(network->arena, x, x_at), expression_read(network->arena, w, w_at)));
	lower_emit(network, nest);
}

/* ---- pooling ---- */

static struct expression *least_of(struct network *network, enum type type)
{
	if (type_is_float(type))
		return expression_number(network->arena, type, -INFINITY);
	return expression_integer(network->arena, type, type_infos[type].lowest);
}

static struct expression *greater_of(struct network *network, struct expression *a, struct expression *b)
{
	if (type_is_float(a->type))
		return expression_call(network->arena, a->type, "fmax", a, b);
	return expression_choose(network->arena, expression_binary(network->arena, GREATER, b, a), b, a);
}

struct value *lower_window_counts(struct network *network, const struct window *w, bool with_border,
	enum type type)
{
	struct shape shape = { w->rank, { 0 } };

	memcpy(shape.dims, w->out, sizeof(w->out[0]) * (size_t)w->rank);
	if (shape_count(&shape) < 0 || shape_count(&shape) > 100000000)
		refuse(network, "its result %s is too large", shape_text(network->arena, &shape));
	struct tensor *tensor = tensor_new(network->arena, type, &shape, false);
	for (int64_t e = 0; e < tensor->count; e++) {
		int64_t count = 1, rest = e;
		for (int d = w->rank - 1; d >= 0; d--) {
			const int64_t begin = rest % w->out[d] * w->stride[d] - w->before[d];
			const int64_t end = w->in[d] + (with_border ? w->after[d] : 0) - begin;
			/* Taps from the first to the last that is inside. */
			const int64_t first = with_border || begin >= 0 ? 0 : (-begin + w->dilation[d] - 1) / w->dilation[d];
			int64_t last = end < 1 ? -1 : (end - 1) / w->dilation[d];
			last = last < w->kernel[d] - 1 ? last : w->kernel[d] - 1;
			const int64_t here = last >= first ? last - first + 1 : 0;
			count *= here;
			rest /= w->out[d];
		}
		tensor_set_integer(tensor, e, count ? count : 1);
	}
	return network_constant(network, "count", tensor);
}

static struct expression *divide_by(struct network *network, struct nest *nest, struct expression *element,
	struct value *counts)
{
	double number;
	struct index at[RANK_LIMIT];

	if (tensor_is_uniform(counts->constant, &number))
		return expression_binary(network->arena, DIVIDE, element,
			expression_number(network->arena, counts->type, number));
	for (int d = 0; d < counts->shape.rank; d++)
		at[d] = index_loop(nest->axes[d + 2]);
	return expression_binary(network->arena, DIVIDE, element, expression_read(network->arena, counts, at));
}

static void pool(struct network *network, struct node *node, struct value *output, struct value *x,
	const struct window *window, bool is_average, bool with_border)
{
	struct index at[RANK_LIMIT], taps[RANK_LIMIT];

	if (!is_average && x->has_range) {
		output->has_range = true;
		output->low = x->low;
		output->high = x->high;
		output->declared = x->declared;
	}
	struct nest *nest = lower_nest(network, node, output);
	struct expression *element = lower_element(network, nest, output);
	add_assign(nest, nest->tail, element, is_average ? expression_integer(network->arena, x->type, 0) :
		least_of(network, x->type));
	struct block *block = lower_window_loops(network, nest, nest->tail, window, x, index_loop(nest->axes[1]), at,
		taps);
	struct expression *read = expression_read(network->arena, x, at);
	if (is_average) {
		add_update(nest, block, element, ADD, read);
		add_assign(nest, nest->tail, element, divide_by(network, nest, element,
			lower_window_counts(network, window, with_border, x->type)));
	} else {
		add_assign(nest, block, element, expression_cast(network->arena, x->type,
			greater_of(network, element, read)));
	}
	lower_emit(network, nest);
}

/* The output of a pooling, and the operands it is made of.  The greatest of what DequantizeLinear
 * makes is what it makes of the greatest. */
static void pool_node(struct network *network, struct node *node, struct value *x, const struct window *window,
	bool is_average, bool with_border)
{
	const struct shape shape = window_shape(window, x->shape.dims[0], x->shape.dims[1]);

	if (is_average && lower_qdq_average(network, node, window, with_border, &shape))
		return;
	struct value *output = lower_output(network, node, 0, x->type, &shape);
	if (is_average || !lower_is_quantized(x)) {
		pool(network, node, output, x, window, is_average, with_border);
		return;
	}
	struct value *integers = network_temporary(network, x->quantized->name, x->quantized->type, &shape);
	pool(network, node, integers, x->quantized, window, false, false);
	lower_dequantized(network, node, output, integers, x);
}

void lower_pool(struct network *network, struct node *node)
{
	struct value *x = lower_input(network, node, 0);
	const bool is_average = node->kind->variant == POOL_AVERAGE;

	if (is_average)
		x = lower_declared(network, node, x);
	const struct window window = lower_window(network, node, &x->shape, NULL);
	pool_node(network, node, x, &window, is_average, attribute_int(network, node, "count_include_pad", 0) != 0);
}

void lower_global_pool(struct network *network, struct node *node)
{
	struct value *x = lower_input(network, node, 0);
	const bool is_average = node->kind->variant == POOL_AVERAGE;
	struct window window = { .rank = x->shape.rank - 2 };

	if (is_average)
		x = lower_declared(network, node, x);
	if (window.rank < 1 || window.rank > 3)
		refuse(network, "an operand of %d dimensions; 3 to 5 are supported", x->shape.rank);
	for (int d = 0; d < window.rank; d++) {
		window.in[d] = window.kernel[d] = x->shape.dims[d + 2];
		window.stride[d] = window.dilation[d] = window.out[d] = 1;
	}
	pool_node(network, node, x, &window, is_average, false);
}
