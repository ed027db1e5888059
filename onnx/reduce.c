/* Sums, extremes and places of extremes along dimensions. */

#include <math.h>
#include <string.h>

#include "onnx/lower.h"

/* Which dimensions go; false if none does (noop_with_empty_axes). */
static bool take_axes(struct network *network, struct node *node, int rank, bool *is_reduced)
{
	const int since = node->kind->variant == REDUCE_SUM ? 13 : 18;
	int count = 0;
	const int64_t *axes = lower_list(network, node, since, 1, "axes", &count);

	memset(is_reduced, 0, sizeof(bool) * RANK_LIMIT);
	if (!axes || !count) {
		if (attribute_int(network, node, "noop_with_empty_axes", 0))
			return false;
		for (int d = 0; d < rank; d++)
			is_reduced[d] = true;
	}
	for (int a = 0; a < count; a++)
		is_reduced[lower_axis(network, axes[a], rank, rank)] = true;
	return true;
}

static struct shape reduced_shape(const struct shape *shape, const bool *is_reduced, bool keeps)
{
	struct shape result = { 0 };

	for (int d = 0; d < shape->rank; d++)
		if (!is_reduced[d])
			result.dims[result.rank++] = shape->dims[d];
		else if (keeps)
			result.dims[result.rank++] = 1;
	return result;
}

/* Loops over the reduced dimensions of X around the tail; its element's subscripts. */
static struct block *reduction_loops(struct nest *nest, const struct value *x, const bool *is_reduced,
	bool keeps, struct index *at)
{
	static const char *names[] = { "c", "d", "e", "f", "g", "h", "l", "m", "o", "p", "q", "u" };
	struct block *block = nest->tail;
	int kept = 0, reduced = 0;

	for (int d = 0; d < x->shape.rank; d++) {
		if (!is_reduced[d]) {
			at[d] = index_loop(nest->axes[kept++]);
			continue;
		}
		kept += keeps;
		const int loop = nest_loop(nest, names[reduced++], x->shape.dims[d]);
		block = add_loop(nest, block, loop);
		at[d] = index_loop(loop);
	}
	return block;
}

static struct expression *first_value(struct network *network, int variant, enum type type)
{
	struct arena *arena = network->arena;

	if (variant == REDUCE_MAX || variant == REDUCE_MIN) {
		if (type_is_float(type))
			return expression_number(arena, type, variant == REDUCE_MAX ? -INFINITY : INFINITY);
		return expression_integer(arena, type, variant == REDUCE_MAX ? type_infos[type].lowest :
			type_infos[type].highest);
	}
	return expression_integer(arena, type, variant == REDUCE_PROD);
}

static void reduce_one(struct network *network, struct nest *nest, struct block *block, int variant,
	struct expression *all, struct expression *x)
{
	struct arena *arena = network->arena;
	const bool is_float = type_is_float(x->type);

	switch (variant) {
	case REDUCE_MAX:
	case REDUCE_MIN:
		if (is_float)
			add_assign(nest, block, all, expression_call(arena, x->type, variant == REDUCE_MAX ? "fmax" : "fmin",
				all, x));
		else
			add_assign(nest, block, all, expression_cast(arena, all->type, expression_choose(arena,
				expression_binary(arena, variant == REDUCE_MAX ? GREATER : LESS, x, all), x, all)));
		break;
	case REDUCE_PROD: add_update(nest, block, all, MULTIPLY, x); break;
	case REDUCE_SUM_SQUARE:
	case REDUCE_L2: add_update(nest, block, all, ADD, expression_binary(arena, MULTIPLY, x, x)); break;
	case REDUCE_L1:
		add_update(nest, block, all, ADD, is_float ? expression_call(arena, x->type, "fabs", x, NULL) :
			expression_choose(arena, expression_binary(arena, LESS, x, expression_integer(arena, x->type, 0)),
				expression_unary(arena, EXPRESSION_NEGATE, x), x));
		break;
	case REDUCE_LOG_SUM_EXP:
		add_update(nest, block, all, ADD, expression_call(arena, x->type, "exp", x, NULL));
		break;
	default: add_update(nest, block, all, ADD, x);
	}
}

static struct expression *make_copy(struct network *network, struct node *node, struct expression **operands,
	int count)
{
	(void)network, (void)node, (void)count;
	return operands[0];
}

void lower_reduce(struct network *network, struct node *node)
{
	const int variant = node->kind->variant;
	struct value *x = lower_declared(network, node, lower_input(network, node, 0));
	const bool keeps = attribute_int(network, node, "keepdims", 1) != 0;
	bool is_reduced[RANK_LIMIT];
	struct index at[RANK_LIMIT];
	int64_t count = 1;

	if (!take_axes(network, node, x->shape.rank, is_reduced)) {
		lower_elementwise(network, node, lower_output(network, node, 0, x->type, &x->shape), &x, 1, make_copy);
		return;
	}
	for (int d = 0; d < x->shape.rank; d++)
		count *= is_reduced[d] ? x->shape.dims[d] : 1;
	const struct shape shape = reduced_shape(&x->shape, is_reduced, keeps);
	struct value *output = lower_output(network, node, 0, x->type, &shape);
	struct nest *nest = lower_nest(network, node, output);
	struct expression *all = lower_element(network, nest, output);
	add_assign(nest, nest->tail, all, first_value(network, variant, x->type));
	struct block *block = reduction_loops(nest, x, is_reduced, keeps, at);
	reduce_one(network, nest, block, variant, all, expression_read(network->arena, x, at));
	if (variant == REDUCE_MEAN)
		add_update(nest, nest->tail, all, DIVIDE, expression_number(network->arena, x->type, (double)count));
	else if (variant == REDUCE_L2)
		add_assign(nest, nest->tail, all, expression_call(network->arena, x->type, "sqrt", all, NULL));
	else if (variant == REDUCE_LOG_SUM || variant == REDUCE_LOG_SUM_EXP)
		add_assign(nest, nest->tail, all, expression_call(network->arena, x->type, "log", all, NULL));
	lower_emit(network, nest);
}

void lower_arg(struct network *network, struct node *node)
{
	struct value *x = lower_declared(network, node, lower_input(network, node, 0));
	const bool keeps = attribute_int(network, node, "keepdims", 1) != 0;
	const bool takes_last = attribute_int(network, node, "select_last_index", 0) != 0;
	const int axis = lower_axis(network, attribute_int(network, node, "axis", 0), x->shape.rank, x->shape.rank);
	const bool is_max = node->kind->variant == ARG_MAX;
	bool is_reduced[RANK_LIMIT] = { false };
	struct arena *arena = network->arena;
	struct index at[RANK_LIMIT];

	is_reduced[axis] = true;
	const struct shape shape = reduced_shape(&x->shape, is_reduced, keeps);
	struct value *output = lower_output(network, node, 0, TYPE_INT64, &shape);
	struct nest *nest = lower_nest(network, node, output);
	struct block *tail = nest->tail;
	struct expression *best = add_local(nest, tail, "best", x->type,
		first_value(network, is_max ? REDUCE_MAX : REDUCE_MIN, x->type));
	struct expression *place = add_local(nest, tail, "place", TYPE_INT64, expression_integer(arena, TYPE_INT64, 0));
	struct block *block = reduction_loops(nest, x, is_reduced, keeps, at);
	struct expression *element = expression_read(arena, x, at);
	const enum binary beats = is_max ? (takes_last ? GREATER_EQUAL : GREATER) : (takes_last ? LESS_EQUAL : LESS);
	struct expression *better = expression_binary(arena, beats, element, best);
	add_assign(nest, block, place, expression_choose(arena, better,
		expression_cast(arena, TYPE_INT64, expression_index(arena, at[axis])), place));
	add_assign(nest, block, best, expression_cast(arena, x->type, expression_choose(arena, better, element, best)));
	add_assign(nest, tail, lower_element(network, nest, output), place);
	nest->tail = NULL;
	lower_emit(network, nest);
}
