/* Operators that make each element of elements at the same place. */

#include <math.h>
#include <string.h>

#include "onnx/lower.h"

static struct expression *operand_of(struct network *network, struct nest *nest, struct value *operand)
{
	const struct value *result = nest->result;
	struct index subscripts[RANK_LIMIT];
	double number;

	if (operand->constant && tensor_is_uniform(operand->constant, &number))
		return type_is_float(operand->type) ? expression_number(network->arena, operand->type, number) :
			expression_integer(network->arena, operand->type, tensor_integer(operand->constant, 0));
	for (int d = 0; d < operand->shape.rank; d++)
		subscripts[d] = operand->shape.dims[d] == 1 ? index_constant(0) :
			index_loop(nest->axes[d + result->shape.rank - operand->shape.rank]);
	return expression_read(network->arena, operand, subscripts);
}

/* Operands of the operators that one nest takes in. */
enum { OPERAND_LIMIT = 64 };

/* The nest that makes the value and can go on with its only use, if there is one. */
static struct nest *open_nest(const struct value *value, const struct value *result)
{
	return !value->constant && value->uses == 1 && !value->is_output && value->view == VIEW_NONE &&
		value->nest && value->nest->result == value && value->nest->tail &&
		value->nest->operand_count < OPERAND_LIMIT &&
		shape_equal(&value->shape, &result->shape) ? value->nest : NULL;
}

/* Is A made after B? */
static bool is_after(const struct nest *a, const struct nest *b)
{
	while (b && b != a)
		b = b->next;
	return b != NULL;
}

/* Elements of VALUE, which nobody else needs, become a scalar of the nest. */
static void make_local(struct network *network, struct nest *nest, struct value *value)
{
	struct statement *first = ARENA_NEW(network->arena, struct statement);
	const char *name = type_is_float(value->type) ? "value" : "sum";

	first->kind = STATEMENT_LOCAL;
	first->target = expression_local(nest, nest_local(nest, name, value->type));
	block_substitute(network->arena, nest->tail, value, first->target);
	/* Its first assignment declares it. */
	struct statement *s = nest->tail->first;
	if (s->kind == STATEMENT_ASSIGN && !s->is_update && s->target == first->target) {
		first->expression = s->expression;
		first->next = s->next;
		if (nest->tail->last == s)
			nest->tail->last = first;
	} else {
		first->next = s;
	}
	nest->tail->first = first;
}

struct use {
	const struct value *value;
	bool is_found;
};

static void find_use(struct expression *access, bool is_written, void *user)
{
	struct use *use = user;

	(void)is_written;
	use->is_found |= access->value == use->value;
}

/* LAST assigns RESULT now; what else there is of VALUE is a scalar. */
static void change_type(struct network *network, struct nest *nest, struct value *value, struct statement *last,
	struct value *result)
{
	struct use use = { value, false };

	last->target = lower_element(network, nest, result);
	block_visit(nest->tail, find_use, &use);
	if (use.is_found)
		make_local(network, nest, value);
}

/* Goes on in the nest that makes VALUE. */
static void append_to(struct network *network, struct nest *nest, struct node *node, struct value *value,
	struct value *result, struct expression *made)
{
	struct statement *last = nest->tail->last;
	const int reads = expression_reads(made, value);

	if (last->kind == STATEMENT_ASSIGN && !last->is_update && last->target->kind == EXPRESSION_READ &&
	    reads == 1) {
		made = expression_substitute(network->arena, made, value,
			expression_cast(network->arena, value->type, last->expression));
		last->expression = expression_cast(network->arena, result->type, made);
		if (value->type == result->type)
			block_substitute(network->arena, nest->tail, value, lower_element(network, nest, result));
		else
			change_type(network, nest, value, last, result);
	} else {
		struct expression *element = lower_element(network, nest, value);
		add_assign(nest, nest->tail, lower_element(network, nest, result),
			expression_cast(network->arena, result->type,
				expression_substitute(network->arena, made, value, element)));
		if (value->type == result->type)
			block_substitute(network->arena, nest->tail, value, lower_element(network, nest, result));
		else
			make_local(network, nest, value);
	}
	if (nest->node != node)
		nest->comment = arena_printf(network->arena, "%s\n%s", nest->comment,
			nest_comment(network->arena, node, result));
	nest->node = node;
	nest->result = result;
	nest->scaled = NULL;
	network_remove(network, nest);
	network_append(network, nest);
}

void lower_elementwise(struct network *network, struct node *node, struct value *result,
	struct value **operands, int count, make_function *make)
{
	struct expression *elements[64];
	struct nest *nest = NULL;
	struct value *value = NULL;

	if (count > 64)
		refuse(network, "it has %d operands; there may be 64", count);
	for (int o = 0; o < count; o++) {
		struct nest *open = open_nest(operands[o], result);
		if (open && (!nest || is_after(open, nest))) {
			nest = open;
			value = operands[o];
		}
	}
	struct nest *fresh = nest ? NULL : lower_nest(network, node, result);
	struct nest shape = nest ? *nest : *fresh;
	shape.result = result;
	for (int o = 0; o < count; o++)
		elements[o] = operand_of(network, &shape, operands[o]);
	struct expression *made = make(network, node, elements, count);
	if (nest && expression_reads(made, value)) {
		append_to(network, nest, node, value, result, made);
		nest->operand_count += count;
		return;
	}
	if (!fresh) {
		fresh = lower_nest(network, node, result);
		for (int o = 0; o < count; o++)
			elements[o] = operand_of(network, fresh, operands[o]);
		made = make(network, node, elements, count);
	}
	add_assign(fresh, fresh->tail, lower_element(network, fresh, result),
		expression_cast(network->arena, result->type, made));
	fresh->is_pointwise = true;
	lower_emit(network, fresh);
}

/* ---- building blocks ---- */

static struct expression *number(struct network *network, const struct expression *like, double n)
{
	return expression_number(network->arena, like->type, n);
}

static struct expression *two(struct network *network, enum binary binary, struct expression *a,
	struct expression *b)
{
	return expression_binary(network->arena, binary, a, b);
}

static struct expression *call(struct network *network, const char *function, struct expression *a,
	struct expression *b)
{
	return expression_call(network->arena, a->type, function, a, b);
}

static struct expression *greatest(struct network *network, enum binary comparison, struct expression *a,
	struct expression *b)
{
	if (type_is_float(a->type) && type_is_float(b->type))
		return call(network, comparison == GREATER ? "fmax" : "fmin", a, b);
	return expression_choose(network->arena, two(network, comparison, a, b), a, b);
}

static struct expression *choose(struct network *network, struct expression *condition, struct expression *a,
	struct expression *b)
{
	return expression_choose(network->arena, condition, a, b);
}

/* ---- one operand ---- */

static struct expression *sigmoid(struct network *network, struct expression *x)
{
	struct expression *minus = expression_unary(network->arena, EXPRESSION_NEGATE, x);
	return two(network, DIVIDE, number(network, x, 1),
		two(network, ADD, number(network, x, 1), call(network, "exp", minus, NULL)));
}

static struct expression *gelu(struct network *network, struct node *node, struct expression *x)
{
	const char *form = attribute_string(network, node, "approximate", "none");
	struct expression *half = two(network, MULTIPLY, number(network, x, 0.5), x), *inner;

	if (!strcmp(form, "tanh")) {
		struct expression *cube = two(network, MULTIPLY, two(network, MULTIPLY, x, x), x);
		inner = call(network, "tanh", two(network, MULTIPLY, number(network, x, 0.79788456080286535588),
			two(network, ADD, x, two(network, MULTIPLY, number(network, x, 0.044715), cube))), NULL);
	} else {
		inner = call(network, "erf", two(network, MULTIPLY, x,
			number(network, x, 0.70710678118654752440)), NULL);
	}
	return two(network, MULTIPLY, half, two(network, ADD, number(network, x, 1), inner));
}

static struct expression *clamp(struct network *network, struct expression *x, double low, double high)
{
	return greatest(network, GREATER, number(network, x, low),
		greatest(network, LESS, number(network, x, high), x));
}

static struct expression *elu(struct network *network, struct expression *x, double alpha, double gamma,
	double scale)
{
	struct expression *grown = scale == 1 ? call(network, "exp", x, NULL) :
		call(network, "exp", two(network, DIVIDE, x, number(network, x, scale)), NULL);
	struct expression *below = two(network, MULTIPLY, number(network, x, alpha * gamma),
		two(network, SUBTRACT, grown, number(network, x, 1)));
	struct expression *above = gamma == 1 ? x : two(network, MULTIPLY, number(network, x, gamma), x);

	return choose(network, two(network, GREATER, x, number(network, x, 0)), above, below);
}

static struct expression *make_unary(struct network *network, struct node *node, struct expression **operands,
	int count)
{
	struct expression *x = operands[0], *zero = number(network, x, 0), *one = number(network, x, 1);
	const bool is_float = type_is_float(x->type);

	(void)count;
	switch (node->kind->variant) {
	case UNARY_ABS:
		return is_float ? call(network, "fabs", x, NULL) :
			choose(network, two(network, LESS, x, zero), expression_unary(network->arena, EXPRESSION_NEGATE, x), x);
	case UNARY_NEG: return expression_unary(network->arena, EXPRESSION_NEGATE, x);
	case UNARY_RELU: return is_float ? call(network, "fmax", x, zero) : greatest(network, GREATER, x, zero);
	case UNARY_LEAKY_RELU:
		return choose(network, two(network, LESS, x, zero), two(network, MULTIPLY,
			number(network, x, attribute_float(network, node, "alpha", 0.01)), x), x);
	case UNARY_SIGMOID: return sigmoid(network, x);
	case UNARY_TANH: return call(network, "tanh", x, NULL);
	case UNARY_EXP: return call(network, "exp", x, NULL);
	case UNARY_LOG: return call(network, "log", x, NULL);
	case UNARY_SQRT: return call(network, "sqrt", x, NULL);
	case UNARY_ERF: return call(network, "erf", x, NULL);
	case UNARY_HARD_SIGMOID:
		return clamp(network, two(network, ADD, two(network, MULTIPLY,
			number(network, x, attribute_float(network, node, "alpha", 0.2)), x),
			number(network, x, attribute_float(network, node, "beta", 0.5))), 0, 1);
	case UNARY_HARD_SWISH:
		return two(network, MULTIPLY, x, clamp(network, two(network, ADD,
			two(network, MULTIPLY, x, number(network, x, 1.0 / 6)), number(network, x, 0.5)), 0, 1));
	case UNARY_GELU: return gelu(network, node, x);
	case UNARY_RECIPROCAL: return two(network, DIVIDE, one, x);
	case UNARY_FLOOR: return call(network, "floor", x, NULL);
	case UNARY_CEIL: return call(network, "ceil", x, NULL);
	case UNARY_ROUND: return call(network, "rint", x, NULL);
	case UNARY_ELU: return elu(network, x, attribute_float(network, node, "alpha", 1), 1, 1);
	case UNARY_SELU:
		return elu(network, x, attribute_float(network, node, "alpha", 1.67326319217681884765625),
			attribute_float(network, node, "gamma", 1.05070102214813232421875), 1);
	case UNARY_CELU: {
		const double alpha = attribute_float(network, node, "alpha", 1);
		return elu(network, x, alpha, 1, alpha);
	}
	case UNARY_SOFTPLUS:
		/* log(1 + e^x) without overflow */
		return two(network, ADD, call(network, "fmax", x, zero), call(network, "log1p", call(network, "exp",
			expression_unary(network->arena, EXPRESSION_NEGATE, call(network, "fabs", x, NULL)), NULL), NULL));
	case UNARY_SOFTSIGN: return two(network, DIVIDE, x, two(network, ADD, one, call(network, "fabs", x, NULL)));
	case UNARY_THRESHOLDED_RELU:
		return choose(network, two(network, GREATER, x,
			number(network, x, attribute_float(network, node, "alpha", 1))), x, zero);
	case UNARY_NOT: return expression_unary(network->arena, EXPRESSION_NOT, x);
	case UNARY_SIGN:
		return two(network, SUBTRACT, two(network, GREATER, x, zero), two(network, LESS, x, zero));
	default: {
		static const struct { const char *operator, *function; } functions[] = {
			{ "Sin", "sin" }, { "Cos", "cos" }, { "Tan", "tan" }, { "Asin", "asin" }, { "Acos", "acos" },
			{ "Atan", "atan" }, { "Sinh", "sinh" }, { "Cosh", "cosh" }, { "Asinh", "asinh" },
			{ "Acosh", "acosh" }, { "Atanh", "atanh" } };
		for (size_t f = 0; f < sizeof(functions) / sizeof(functions[0]); f++)
			if (!strcmp(functions[f].operator, node->operator))
				return call(network, functions[f].function, x, NULL);
		return x;
	}
	}
}

void lower_unary(struct network *network, struct node *node)
{
	struct value *x = lower_input(network, node, 0);
	const int variant = node->kind->variant;
	const bool takes_integers = variant == UNARY_ABS || variant == UNARY_NEG || variant == UNARY_RELU ||
		variant == UNARY_SIGN || variant == UNARY_NOT;
	struct value *output;

	if (variant == UNARY_RELU && lower_qdq_relu(network, node))
		return;
	if (x->type != x->declared && variant == UNARY_RELU) {
		output = lower_integer_output(network, node, &x->shape, x->low > 0 ? x->low : 0,
			x->high > 0 ? x->high : 0);
	} else {
		x = lower_declared(network, node, x);
		if (!type_is_float(x->type) && !takes_integers)
			refuse(network, "%s of %s is not defined", node->operator, type_infos[x->type].name);
		output = lower_output(network, node, 0, variant == UNARY_NOT ? TYPE_BOOL : x->type, &x->shape);
	}
	lower_elementwise(network, node, output, &x, 1, make_unary);
}

/* ---- two and more operands ---- */

static struct expression *power(struct network *network, struct expression *a, struct expression *b)
{
	if (!type_is_float(a->type) || !type_is_float(b->type)) {
		/* In doubles, as there is no power of integers. */
		struct expression *x = expression_cast(network->arena, TYPE_DOUBLE, a);
		return expression_call(network->arena, TYPE_DOUBLE, "pow", x,
			expression_cast(network->arena, TYPE_DOUBLE, b));
	}
	if (b->kind == EXPRESSION_NUMBER && b->number == 2 &&
	    (a->kind == EXPRESSION_READ || a->kind == EXPRESSION_LOCAL))
		return two(network, MULTIPLY, a, a);
	if (b->kind == EXPRESSION_NUMBER && b->number == 0.5)
		return call(network, "sqrt", a, NULL);
	return call(network, "pow", a, expression_cast(network->arena, a->type, b));
}

static struct expression *make_binary(struct network *network, struct node *node, struct expression **operands,
	int count)
{
	static const enum binary binaries[] = { [BINARY_ADD] = ADD, [BINARY_SUB] = SUBTRACT, [BINARY_MUL] = MULTIPLY,
		[BINARY_DIV] = DIVIDE, [BINARY_LESS] = LESS, [BINARY_GREATER] = GREATER,
		[BINARY_LESS_EQUAL] = LESS_EQUAL, [BINARY_GREATER_EQUAL] = GREATER_EQUAL, [BINARY_EQUAL] = EQUAL,
		[BINARY_AND] = AND, [BINARY_OR] = OR };

	(void)count;
	if (node->kind->variant == BINARY_POW)
		return power(network, operands[0], operands[1]);
	return two(network, binaries[node->kind->variant], operands[0], operands[1]);
}

/* Least and greatest of what Add, Sub or Mul makes of two ranges. */
static void binary_range(int variant, const struct value *a, const struct value *b, int64_t *low, int64_t *high)
{
	const int64_t ends[4] = { a->low * b->low, a->low * b->high, a->high * b->low, a->high * b->high };

	if (variant == BINARY_ADD) {
		*low = a->low + b->low;
		*high = a->high + b->high;
	} else if (variant == BINARY_SUB) {
		*low = a->low - b->high;
		*high = a->high - b->low;
	} else {
		*low = *high = ends[0];
		for (int e = 1; e < 4; e++) {
			*low = ends[e] < *low ? ends[e] : *low;
			*high = ends[e] > *high ? ends[e] : *high;
		}
	}
}

void lower_binary(struct network *network, struct node *node)
{
	const int variant = node->kind->variant;
	struct value *operands[2] = { lower_input(network, node, 0), lower_input(network, node, 1) };
	struct value *a = operands[0], *b = operands[1], *output;
	struct shape shape;

	if (!shape_broadcast(&a->shape, &b->shape, &shape))
		refuse(network, "shapes %s and %s do not go together", shape_text(network->arena, &a->shape),
			shape_text(network->arena, &b->shape));
	if (lower_qdq_binary(network, node, &shape))
		return;
	if ((a->type != a->declared || b->type != b->declared) && variant <= BINARY_MUL &&
	    lower_integers(network, a) && lower_integers(network, b)) {
		int64_t low, high;
		operands[0] = lower_integers(network, a);
		operands[1] = lower_integers(network, b);
		binary_range(variant, operands[0], operands[1], &low, &high);
		output = lower_integer_output(network, node, &shape, low, high);
	} else {
		operands[0] = a = lower_declared(network, node, a);
		operands[1] = b = lower_declared(network, node, b);
		if (a->type != b->type && variant != BINARY_POW)
			refuse(network, "operands of types %s and %s", type_infos[a->type].name, type_infos[b->type].name);
		output = lower_output(network, node, 0, variant >= BINARY_LESS ? TYPE_BOOL : a->type, &shape);
	}
	lower_elementwise(network, node, output, operands, 2, make_binary);
}

static struct expression *make_variadic(struct network *network, struct node *node, struct expression **operands,
	int count)
{
	struct expression *all = operands[0];

	for (int o = 1; o < count; o++)
		all = node->kind->variant == VARIADIC_MAX ? greatest(network, GREATER, all, operands[o]) :
			node->kind->variant == VARIADIC_MIN ? greatest(network, LESS, all, operands[o]) :
			two(network, ADD, all, operands[o]);
	if (node->kind->variant == VARIADIC_MEAN && count > 1)
		all = two(network, DIVIDE, all, number(network, all, count));
	return all;
}

void lower_variadic(struct network *network, struct node *node)
{
	struct value *operands[64];
	struct shape shape = { 0 };

	if (node->input_count < 1 || node->input_count > 64)
		refuse(network, "it has %d operands; there may be 1 to 64", node->input_count);
	for (int i = 0; i < node->input_count; i++) {
		operands[i] = lower_declared(network, node, lower_input(network, node, i));
		if (!shape_broadcast(&shape, &operands[i]->shape, &shape))
			refuse(network, "shapes of operands do not go together");
		if (operands[i]->type != operands[0]->type)
			refuse(network, "operands of types %s and %s", type_infos[operands[0]->type].name,
				type_infos[operands[i]->type].name);
	}
	lower_elementwise(network, node, lower_output(network, node, 0, operands[0]->type, &shape), operands,
		node->input_count, make_variadic);
}

/* Operands after the first, those of them that there are: the lower bound, then the upper. */
static struct expression *make_clip(struct network *network, struct node *node, struct expression **operands,
	int count)
{
	const bool has_low = node->version < 11 ? attribute_is_given(node, "min") : lower_optional(node, 1) != NULL;
	struct expression *x = operands[0];

	for (int o = 1; o < count; o++)
		x = o == 1 && has_low ? greatest(network, GREATER, x, operands[o]) :
			greatest(network, LESS, x, operands[o]);
	return x;
}

static struct value *clip_bound(struct network *network, struct node *node, int input, const char *name,
	enum type type)
{
	const struct shape scalar = { 0 };

	if (node->version >= 11)
		return lower_optional(node, input);
	if (!attribute_is_given(node, name))
		return NULL;
	struct tensor *tensor = tensor_new(network->arena, type, &scalar, false);
	tensor_set_number(tensor, 0, attribute_float(network, node, name, 0));
	return network_constant(network, name, tensor);
}

void lower_clip(struct network *network, struct node *node)
{
	struct value *x = lower_input(network, node, 0), *operands[3], *output;
	struct value *low = clip_bound(network, node, 1, "min", x->declared);
	struct value *high = clip_bound(network, node, 2, "max", x->declared);
	int count = 1;

	for (int b = 0; b < 2; b++)
		if ((b ? high : low) && shape_count(&(b ? high : low)->shape) != 1)
			refuse(network, "a bound that is not a scalar");
	if (x->type != x->declared && (!low || lower_integers(network, low)) &&
	    (!high || lower_integers(network, high))) {
		low = low ? lower_integers(network, low) : NULL;
		high = high ? lower_integers(network, high) : NULL;
		output = lower_integer_output(network, node, &x->shape,
			low && low->low > x->low ? low->low : x->low, high && high->high < x->high ? high->high : x->high);
	} else {
		x = lower_declared(network, node, x);
		output = lower_output(network, node, 0, x->type, &x->shape);
	}
	operands[0] = x;
	if (low)
		operands[count++] = low;
	if (high)
		operands[count++] = high;
	if (count == 1) {
		lower_reshape(network, node, output, x);
		return;
	}
	lower_elementwise(network, node, output, operands, count, make_clip);
}

static struct expression *make_prelu(struct network *network, struct node *node, struct expression **operands,
	int count)
{
	(void)node, (void)count;
	return choose(network, two(network, LESS, operands[0], number(network, operands[0], 0)),
		two(network, MULTIPLY, operands[1], operands[0]), operands[0]);
}

void lower_prelu(struct network *network, struct node *node)
{
	struct value *operands[2] = { lower_declared(network, node, lower_input(network, node, 0)),
		lower_input(network, node, 1) };
	struct shape shape;

	if (!shape_broadcast(&operands[0]->shape, &operands[1]->shape, &shape) ||
	    !shape_equal(&shape, &operands[0]->shape))
		refuse(network, "the slope's shape %s does not go with %s",
			shape_text(network->arena, &operands[1]->shape), shape_text(network->arena, &operands[0]->shape));
	lower_elementwise(network, node, lower_output(network, node, 0, operands[0]->type, &shape), operands, 2,
		make_prelu);
}

static struct expression *make_where(struct network *network, struct node *node, struct expression **operands,
	int count)
{
	(void)node, (void)count;
	return choose(network, operands[0], operands[1], operands[2]);
}

void lower_where(struct network *network, struct node *node)
{
	struct value *operands[3];
	struct shape shape = { 0 };

	for (int i = 0; i < 3; i++) {
		operands[i] = lower_declared(network, node, lower_input(network, node, i));
		if (!shape_broadcast(&shape, &operands[i]->shape, &shape))
			refuse(network, "shapes of operands do not go together");
	}
	if (operands[1]->type != operands[2]->type)
		refuse(network, "operands of types %s and %s", type_infos[operands[1]->type].name,
			type_infos[operands[2]->type].name);
	lower_elementwise(network, node, lower_output(network, node, 0, operands[1]->type, &shape), operands, 3,
		make_where);
}

static struct expression *make_cast(struct network *network, struct node *node, struct expression **operands,
	int count)
{
	(void)node, (void)count, (void)network;
	return operands[0];
}

static struct expression *make_bool(struct network *network, struct node *node, struct expression **operands,
	int count)
{
	(void)node, (void)count;
	return two(network, UNEQUAL, operands[0], number(network, operands[0], 0));
}

void lower_cast(struct network *network, struct node *node)
{
	struct value *x = lower_declared(network, node, lower_input(network, node, 0));
	const int64_t to = attribute_int(network, node, "to", 0);
	const enum type type = to > 0 && to < 100 ? type_of_onnx((int)to) : TYPE_NONE;

	if (type == TYPE_NONE)
		refuse(network, "a conversion to type %lld of ONNX, which loopc has not", (long long)to);
	struct value *output = lower_output(network, node, 0, type, &x->shape);
	if (type == x->type)
		lower_reshape(network, node, output, x);
	else
		lower_elementwise(network, node, output, &x, 1, type == TYPE_BOOL ? make_bool : make_cast);
}

/* ---- floats that are integers in truth ---- */

struct value *lower_integers(struct network *network, struct value *value)
{
	if (value->has_range)
		return value;
	if (!value->constant || !value->constant->count)
		return NULL;
	int64_t low = INT64_MAX, high = INT64_MIN;
	const int64_t count = value->constant->is_uniform ? 1 : value->constant->count;
	for (int64_t e = 0; e < count; e++) {
		const double number = tensor_number(value->constant, e);
		if (number != floor(number) || fabs(number) > 2147483648.0)
			return NULL;
		low = (int64_t)number < low ? (int64_t)number : low;
		high = (int64_t)number > high ? (int64_t)number : high;
	}
	struct tensor *tensor = tensor_new(network->arena, type_for_range(low, high), &value->shape,
		value->constant->is_uniform);
	for (int64_t e = 0; e < count; e++)
		tensor_set_integer(tensor, e, (int64_t)tensor_number(value->constant, e));
	struct value *integers = network_constant(network, value->name, tensor);
	integers->has_range = true;
	integers->low = low;
	integers->high = high;
	return integers;
}

struct value *lower_declared(struct network *network, struct node *node, struct value *value)
{
	if (value->type == value->declared)
		return value;
	struct value *plain = network_temporary(network, value->name, value->declared, &value->shape);
	lower_elementwise(network, node, plain, &value, 1, make_cast);
	return plain;
}

struct value *lower_integer_output(struct network *network, const struct node *node, const struct shape *shape,
	int64_t low, int64_t high)
{
	const enum type type = type_for_range(low, high);

	if (type == TYPE_NONE || type == TYPE_INT64)
		refuse(network, "its results may be from %lld to %lld, which 32 bits do not hold", (long long)low,
			(long long)high);
	/* Sums are in 32 bits, whatever they could be in. */
	struct value *output = lower_output(network, node, 0, type, shape);
	output->declared = TYPE_FLOAT;
	output->has_range = true;
	output->low = low;
	output->high = high;
	return output;
}
