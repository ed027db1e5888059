/* Sums of integers get the scale of a result.  Where ONNX multiplies a sum by a real number, rounds to
 * even and saturates, so do the loops, in integers, exactly: see requantize.h. */

#include <stdlib.h>

#include "onnx/quantize.h"

struct expression *integer_clamped(struct network *network, struct expression *x, int64_t low, int64_t high)
{
	struct expression *least = integer(network, TYPE_INT32, low), *most = integer(network, TYPE_INT32, high);

	return expression_choose(network->arena, two(network, LESS, x, least), least,
		expression_choose(network->arena, two(network, GREATER, x, most), most, x));
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

void finish_requantization(struct network *network, struct nest *nest, struct value *result,
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
		expression_cast(arena, result->type, integer_clamped(network, scaled, target->low, target->high)));
}

void requantize(struct network *network, struct nest *nest, struct value *result, struct expression *total,
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
		expression_cast(arena, TYPE_INT64, r->limit_bits ? integer_clamped(network, total, -limit, limit) : total),
		channel_element(network, arena_printf(arena, "%s_multiplier", result->name), multipliers, channel)));
	finish_requantization(network, nest, result, scaled, shift, r->snap, target);
}

static const struct tensor *scale_of(struct network *network, struct node *node, int input)
{
	return lower_constant(network, node, input, "a scale");
}

bool target_requantization(struct network *network, const struct tensor *a, const struct tensor *b,
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

int64_t sum_bound(const struct value *w, const struct value *zero, int64_t depth, const struct value *bias)
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

	if (!target_requantization(network, a, b, channels, 1, bound, target, &r))
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
