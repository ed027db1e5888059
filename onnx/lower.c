#include "onnx/lower.h"

#include <stdio.h>
#include <string.h>

struct value *lower_optional(const struct node *node, int input)
{
	return input < node->input_count ? node->inputs[input] : NULL;
}

struct value *lower_input(struct network *network, const struct node *node, int input)
{
	struct value *value = lower_optional(node, input);

	if (!value)
		refuse(network, "input %d is missing", input);
	return value;
}

/* An input that is a list of sizes has no more elements. */
enum { SIZES_LIMIT = 64 };

/* An input that the value is made of, which makes that it is not constant; NULL if there is none. */
static const struct value *origin(const struct value *value)
{
	while (value && !value->is_input) {
		const struct value *next = NULL;
		for (int i = 0; value->producer && i < value->producer->input_count && !next; i++)
			if (value->producer->inputs[i] && !value->producer->inputs[i]->constant)
				next = value->producer->inputs[i];
		value = next;
	}
	return value;
}

const struct tensor *lower_constant(struct network *network, const struct node *node, int input, const char *what)
{
	const struct value *value = lower_input(network, node, input);

	if (value->constant)
		return value->constant;
	const struct value *from = origin(value);
	if (from && shape_count(&from->shape) <= SIZES_LIMIT)
		refuse(network, "%s must be constant, as loops need sizes: fix input '%s' by --constant", what, from->name);
	refuse(network, "%s must be constant, as loops need sizes", what);
}

const int64_t *lower_list(struct network *network, const struct node *node, int since, int input,
	const char *name, int *count)
{
	if (node->version < since)
		return attribute_ints(network, node, name, count);
	if (!lower_optional(node, input))
		return NULL;
	const struct tensor *tensor = lower_constant(network, node, input, name);
	if (tensor->count > 100000)
		refuse(network, "%s has %lld numbers", name, (long long)tensor->count);
	int64_t *list = ARENA_ARRAY(network->arena, int64_t, tensor->count + 1);
	for (int64_t e = 0; e < tensor->count; e++)
		list[e] = tensor_integer(tensor, e);
	*count = (int)tensor->count;
	return list;
}

int lower_axis(struct network *network, int64_t axis, int rank, int limit)
{
	if (axis < -limit || axis >= limit)
		refuse(network, "axis %lld of a tensor of %d dimensions", (long long)axis, rank);
	return (int)(axis < 0 ? axis + limit : axis);
}

struct value *lower_output(struct network *network, const struct node *node, int number, enum type type,
	const struct shape *shape)
{
	struct value *value = number < node->output_count ? node->outputs[number] : NULL;

	if (!value || (!value->uses && number))
		return NULL;
	const int64_t count = shape_count(shape);
	if (count < 0)
		refuse(network, "its result %s has more than %lld elements", shape_text(network->arena, shape),
			(long long)ELEMENT_LIMIT);
	if (type == TYPE_NONE)
		refuse(network, "its result has elements of a type that loopc has not");
	value->type = type;
	value->declared = type;
	value->shape = *shape;
	value->is_known = true;
	if (!count)                      /* a constant without elements */
		value->constant = tensor_new(network->arena, type, shape, false);
	return value;
}

struct nest *lower_nest(struct network *network, struct node *node, struct value *result)
{
	static const char *names[] = { "n", "k", "y", "x" }, *deep[] = { "n", "k", "z", "y", "x" },
		*flat[] = { "n", "k", "x" }, *rows[] = { "i", "j" }, *row[] = { "i" };
	static const char *many[] = { "i0", "i1", "i2", "i3", "i4", "i5", "i6", "i7", "i8", "i9", "i10", "i11" };
	struct nest *nest = nest_new(network->arena, node, result);
	const int rank = result->shape.rank;
	const char **name = rank == 4 ? names : rank == 5 ? deep : rank == 3 ? flat : rank == 2 ? rows :
		rank == 1 ? row : many;

	nest->tail = &nest->block;
	for (int d = 0; d < rank; d++) {
		nest->axes[d] = nest_loop(nest, name[d], result->shape.dims[d]);
		nest->tail = add_loop(nest, nest->tail, nest->axes[d]);
	}
	return nest;
}

struct expression *lower_element(struct network *network, struct nest *nest, struct value *value)
{
	struct index subscripts[RANK_LIMIT];

	for (int d = 0; d < value->shape.rank; d++)
		subscripts[d] = index_loop(nest->axes[d]);
	return expression_read(network->arena, value, subscripts);
}

/* ---- nests that are complete ---- */

struct survey {
	const struct value *result;
	bool is_constant, is_uniform;
};

static void survey(struct expression *access, bool is_written, void *user)
{
	struct survey *s = user;

	if (is_written || access->value == s->result)
		return;
	s->is_constant &= access->value->constant != NULL;
	s->is_uniform &= access->value->constant && access->value->constant->is_uniform;
}

void lower_emit(struct network *network, struct nest *nest)
{
	struct survey s = { nest->result, true, nest->is_pointwise };

	block_visit(&nest->block, survey, &s);
	if (s.is_constant && s.is_uniform) {
		/* One element stands for all: at the first of every loop. */
		for (size_t l = 0; l < nest->loop_count; l++)
			nest->loops[l].extent = 1;
		nest->result->constant = tensor_new(network->arena, nest->result->type, &nest->result->shape, true);
	}
	if (nest->result->constant && !nest->result->constant->count)
		return;
	if (s.is_constant && nest_evaluate(network->arena, nest))
		return;
	nest->result->constant = NULL;
	network_append(network, nest);
}

/* ---- views ---- */

/* A nest that copies, and stays where all of its elements are constant. */
static void copy(struct network *network, struct node *node, struct value *output, struct value *base,
	const struct view_axis *axes)
{
	struct nest *nest = lower_nest(network, node, output);
	struct index subscripts[RANK_LIMIT];

	for (int b = 0; b < base->shape.rank; b++)
		subscripts[b] = axes[b].axis < 0 ? index_constant(axes[b].offset) :
			index_plus(index_scaled(index_loop(nest->axes[axes[b].axis]), axes[b].factor), axes[b].offset);
	add_assign(nest, nest->tail, lower_element(network, nest, output),
		expression_read(network->arena, base, subscripts));
	nest->is_pointwise = true;
	lower_emit(network, nest);
}

static void inherit(struct value *output, const struct value *base)
{
	output->has_range = base->has_range;
	output->low = base->low;
	output->high = base->high;
	output->declared = base->declared;
}

void lower_axes(struct network *network, struct node *node, struct value *output, struct value *base,
	const struct view_axis *axes)
{
	inherit(output, base);
	if (base->constant || output->is_output) {
		copy(network, node, output, base, axes);
		return;
	}
	output->view = VIEW_AXES;
	output->base = base;
	output->axes = ARENA_ARRAY(network->arena, struct view_axis, base->shape.rank + 1);
	memcpy(output->axes, axes, sizeof(axes[0]) * (size_t)base->shape.rank);
}

void lower_reshape(struct network *network, struct node *node, struct value *output, struct value *base)
{
	(void)network, (void)node;
	inherit(output, base);
	if (base->constant) {
		struct tensor *tensor = ARENA_NEW(network->arena, struct tensor);
		*tensor = *base->constant;
		tensor->shape = output->shape;
		output->constant = tensor;
		return;
	}
	output->view = VIEW_RESHAPE;
	output->base = base;
}

/* ---- all nodes ---- */

static void lower_node(struct network *network, struct node *node)
{
	jmp_buf refused;

	network->node = node;
	network->refused = &refused;
	if (setjmp(refused))
		return;
	node->kind = operator_find(node->domain, node->operator);
	if (!node->kind) {
		const char *advice = operator_advice(node->operator);
		refuse(network, "%s", advice ? advice : "not supported");
	}
	if (node->version < node->kind->since)
		refuse(network, "its operator set is version %d, where it had another meaning: from %d on it is supported; "
			"convert the model with onnx.version_converter", node->version, node->kind->since);
	if (node->is_done)
		return;
	for (int i = 0; i < node->input_count; i++)
		if (node->inputs[i] && !node->inputs[i]->is_known)
			return;              /* another one has been refused before it */
	if (!node->output_count || !node->outputs[0])
		refuse(network, "its result has no name");
	if (!lower_on_integers(network, node))
		node->kind->lower(network, node);
	for (int o = 1; o < node->output_count; o++)
		if (node->outputs[o] && node->outputs[o]->uses && !node->outputs[o]->is_known)
			refuse(network, "its result number %d is not supported", o);
}

static void list_refusals(struct network *network)
{
	int count = 0;

	for (const struct refusal *r = network->refusals; r; r = r->next)
		count++;
	fprintf(stderr, "loopc-onnx: error: %s: %d of %d nodes cannot be imported:\n", network->file, count,
		network->node_count);
	for (const struct refusal *r = network->refusals; r; r = r->next)
		fprintf(stderr, "  %s (%s%s%s): %s\n", r->node->name, r->node->domain, *r->node->domain ? "." : "",
			r->node->operator, r->reason);
	longjmp(*network->failed, 1);
}

void lower_network(struct network *network)
{
	for (int n = 0; n < network->node_count; n++)
		lower_node(network, network->nodes[n]);
	if (network->refusals)
		list_refusals(network);
}
