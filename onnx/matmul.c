/* Products of matrices. */

#include <string.h>

#include "onnx/lower.h"

struct shape lower_product_shape(struct network *network, const struct shape *a, const struct shape *b)
{
	struct shape left = *a, right = *b, batch;

	if (!left.rank || !right.rank)
		refuse(network, "a scalar as operand");
	if (left.rank == 1)
		left = (struct shape){ 2, { 1, a->dims[0] } };
	if (right.rank == 1)
		right = (struct shape){ 2, { b->dims[0], 1 } };
	const int64_t rows = left.dims[left.rank - 2], columns = right.dims[right.rank - 1];
	const bool is_fitting = left.dims[left.rank - 1] == right.dims[right.rank - 2];
	left.rank -= 2;
	right.rank -= 2;
	if (!is_fitting || !shape_broadcast(&left, &right, &batch) || batch.rank + 2 > RANK_LIMIT)
		refuse(network, "operands of shapes %s and %s", shape_text(network->arena, a),
			shape_text(network->arena, b));
	if (a->rank > 1)
		batch.dims[batch.rank++] = rows;
	if (b->rank > 1)
		batch.dims[batch.rank++] = columns;
	return batch;
}

/* Subscripts of dimensions before the last two, aligned at the right with those of the result. */
static void batch_subscripts(const struct nest *nest, int batch_rank, const struct value *operand,
	struct index *at)
{
	for (int d = 0; d < operand->shape.rank - 2; d++)
		at[d] = operand->shape.dims[d] == 1 ? index_constant(0) :
			index_loop(nest->axes[d + batch_rank - (operand->shape.rank - 2)]);
}

struct nest *lower_product_nest(struct network *network, struct node *node, struct value *result,
	struct value *a, struct value *b, bool a_transposed, bool b_transposed, enum type sum,
	struct value *bias, struct value *a_zero, struct value *b_zero, struct expression **total)
{
	struct nest *nest = lower_nest(network, node, result);
	const bool has_rows = a->shape.rank > 1, has_columns = b->shape.rank > 1;
	const int batch = result->shape.rank - has_rows - has_columns;
	const struct index i = has_rows ? index_loop(nest->axes[batch]) : index_constant(0),
		j = has_columns ? index_loop(nest->axes[batch + has_rows]) : index_constant(0);
	const int64_t depth = a->shape.dims[a->shape.rank - (a_transposed ? 2 : 1)];
	const int loop = nest_loop(nest, "c", depth);
	const struct index l = index_loop(loop);
	struct index a_at[RANK_LIMIT], b_at[RANK_LIMIT];
	struct expression *first = expression_integer(network->arena, sum, 0);

	lower_check_zero(network, a_zero, has_rows ? a->shape.dims[a->shape.rank - (a_transposed ? 1 : 2)] : 1);
	lower_check_zero(network, b_zero, has_columns ? b->shape.dims[b->shape.rank - (b_transposed ? 2 : 1)] : 1);
	if (bias) {
		struct index at[RANK_LIMIT];
		for (int d = 0; d < bias->shape.rank; d++)
			at[d] = bias->shape.dims[d] == 1 ? index_constant(0) :
				index_loop(nest->axes[d + result->shape.rank - bias->shape.rank]);
		first = expression_cast(network->arena, sum, expression_read(network->arena, bias, at));
	}
	batch_subscripts(nest, batch, a, a_at);
	batch_subscripts(nest, batch, b, b_at);
	if (has_rows)
		a_at[a->shape.rank - (a_transposed ? 1 : 2)] = i;
	a_at[a->shape.rank - (a_transposed ? 2 : 1)] = l;
	if (has_columns)
		b_at[b->shape.rank - (b_transposed ? 2 : 1)] = j;
	b_at[has_columns ? b->shape.rank - (b_transposed ? 1 : 2) : 0] = l;
	struct expression *element = lower_element(network, nest, result);
	if (result->type == sum) {
		*total = element;
		add_assign(nest, nest->tail, element, first);
	} else {
		*total = add_local(nest, nest->tail, "sum", sum, first);
	}
	add_update(nest, add_loop(nest, nest->tail, loop), *total, ADD, expression_binary(network->arena, MULTIPLY,
		lower_less_zero(network, expression_read(network->arena, a, a_at), a_zero, i),
		lower_less_zero(network, expression_read(network->arena, b, b_at), b_zero, j)));
	return nest;
}

void lower_matmul(struct network *network, struct node *node)
{
	struct value *a = lower_input(network, node, 0), *b = lower_input(network, node, 1), *output;
	struct value *a_zero = NULL, *b_zero = NULL, *b_integers;
	const struct shape shape = lower_product_shape(network, &a->shape, &b->shape);
	struct expression *total;

	if (lower_qdq_product(network, node, &shape))
		return;
	if (node->kind->variant == MATMUL_INTEGER) {
		a_zero = lower_optional(node, 2);
		b_zero = lower_optional(node, 3);
		output = lower_output(network, node, 0, TYPE_INT32, &shape);
	} else if (a->type != a->declared && (b_integers = lower_integers(network, b)) && b_integers->constant) {
		b = b_integers;
		output = lower_integer_sum(network, node, &shape, a, b, b->shape.rank - 1, NULL);
	} else {
		a = lower_declared(network, node, a);
		b = lower_declared(network, node, b);
		if (a->type != b->type)
			refuse(network, "operands of types %s and %s", type_infos[a->type].name, type_infos[b->type].name);
		output = lower_output(network, node, 0, a->type, &shape);
	}
	lower_emit(network, lower_product_nest(network, node, output, a, b, false, false, output->type, NULL, a_zero,
		b_zero, &total));
}

static struct expression *make_scaled(struct network *network, struct node *node, struct expression **operands,
	int count)
{
	const double alpha = attribute_float(network, node, "alpha", 1), beta = attribute_float(network, node, "beta", 1);
	struct expression *all = operands[0];

	if (alpha != 1)
		all = expression_binary(network->arena, MULTIPLY, expression_number(network->arena, all->type, alpha), all);
	if (count > 1)
		all = expression_binary(network->arena, ADD, all, beta == 1 ? operands[1] : expression_binary(network->arena,
			MULTIPLY, expression_number(network->arena, all->type, beta), operands[1]));
	return all;
}

void lower_gemm(struct network *network, struct node *node)
{
	struct value *a = lower_input(network, node, 0), *b = lower_input(network, node, 1);
	struct value *bias = lower_optional(node, 2), *output;
	const bool a_transposed = attribute_int(network, node, "transA", 0) != 0;
	const bool b_transposed = attribute_int(network, node, "transB", 0) != 0;
	const double alpha = attribute_float(network, node, "alpha", 1), beta = attribute_float(network, node, "beta", 1);
	struct expression *total;

	if (a->shape.rank != 2 || b->shape.rank != 2 ||
	    a->shape.dims[a_transposed ? 0 : 1] != b->shape.dims[b_transposed ? 1 : 0])
		refuse(network, "operands of shapes %s and %s", shape_text(network->arena, &a->shape),
			shape_text(network->arena, &b->shape));
	const struct shape shape = { 2, { a->shape.dims[a_transposed ? 1 : 0], b->shape.dims[b_transposed ? 0 : 1] } };
	struct shape both;
	if (bias && (!shape_broadcast(&shape, &bias->shape, &both) || !shape_equal(&shape, &both)))
		refuse(network, "a bias of shape %s", shape_text(network->arena, &bias->shape));
	if (lower_qdq_product(network, node, &shape))
		return;
	struct value *w = a->type != a->declared ? lower_integers(network, b) : NULL;
	struct value *c = w && bias ? lower_integers(network, bias) : NULL;
	if (w && w->constant && alpha == 1 && beta == 1 && (!bias || (c && c->shape.rank == 1))) {
		output = lower_integer_sum(network, node, &shape, a, w, b_transposed ? 0 : 1, c);
		b = w;
		bias = c;
	} else {
		a = lower_declared(network, node, a);
		b = lower_declared(network, node, b);
		bias = bias ? lower_declared(network, node, bias) : NULL;
		if (a->type != b->type || (bias && bias->type != a->type))
			refuse(network, "operands of types %s and %s", type_infos[a->type].name, type_infos[b->type].name);
		output = lower_output(network, node, 0, a->type, &shape);
	}
	if (alpha == 1 && beta == 1) {
		lower_emit(network, lower_product_nest(network, node, output, a, b, a_transposed, b_transposed,
			output->type, bias, NULL, NULL, &total));
		return;
	}
	struct value *product = network_temporary(network, output->name, output->type, &shape);
	lower_emit(network, lower_product_nest(network, node, product, a, b, a_transposed, b_transposed, output->type,
		NULL, NULL, NULL, &total));
	struct value *operands[2] = { product, bias };
	lower_elementwise(network, node, output, operands, bias ? 2 : 1, make_scaled);
}
