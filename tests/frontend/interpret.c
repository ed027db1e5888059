#include "tests/frontend/interpret.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <isl/point.h>
#include <isl/val.h>

#include "ir/program_build.h"

enum { COORDINATES = 2 * LOOP_DEPTH_LIMIT + 1 };

/* One instance of a statement: where it stands in the order, and its iterators. */
struct event {
	const struct statement *statement;
	long order[COORDINATES], iterators[LOOP_DEPTH_LIMIT];
};

struct interpreter {
	const struct function *function;
	void **memory;               /* of each array */
	size_t count, capacity;
	struct event *events;
	const struct statement *statement;
	const long *iterators;
};

/* A value of KIND: integers in INTEGER, as they are in 64 bits of their sign. */
struct value {
	enum type_kind kind;
	int64_t integer;
	double number;
};

static struct value of_integer(enum type_kind kind, uint64_t bits)
{
	struct value value = { .kind = kind };
	switch (kind) {
	case TYPE_INT8: value.integer = (int8_t)bits; break;
	case TYPE_UINT8: value.integer = (uint8_t)bits; break;
	case TYPE_INT16: value.integer = (int16_t)bits; break;
	case TYPE_UINT16: value.integer = (uint16_t)bits; break;
	case TYPE_INT32: value.integer = (int32_t)bits; break;
	case TYPE_UINT32: value.integer = (uint32_t)bits; break;
	case TYPE_BOOL: value.integer = bits != 0; break;
	default: value.integer = (int64_t)bits; break;
	}
	return value;
}

static struct value of_number(enum type_kind kind, double number)
{
	return (struct value){ .kind = kind,
		.number = kind == TYPE_FLOAT ? (double)(float)number : number };
}

static double to_double(struct value value)
{
	return value.kind == TYPE_UINT64 ? (double)(uint64_t)value.integer : (double)value.integer;
}

static struct value convert(struct value value, enum type_kind kind)
{
	if (type_is_float(value.kind) && type_is_float(kind))
		return of_number(kind, value.number);
	if (type_is_float(kind)) {
		float single = value.kind == TYPE_UINT64 ? (float)(uint64_t)value.integer :
			(float)value.integer;
		return of_number(kind, kind == TYPE_FLOAT ? (double)single : to_double(value));
	}
	if (!type_is_float(value.kind))
		return of_integer(kind, (uint64_t)value.integer);
	if (kind == TYPE_BOOL)
		return of_integer(kind, value.number != 0);
	if (kind == TYPE_UINT64)
		return of_integer(kind, (uint64_t)value.number);
	return of_integer(kind, (uint64_t)(int64_t)value.number);
}

static struct value load(const struct type *type, const char *at)
{
	float single;
	double number;
	uint64_t bits = 0;
	if (type->kind == TYPE_FLOAT) {
		memcpy(&single, at, sizeof single);
		return of_number(TYPE_FLOAT, (double)single);
	}
	if (type->kind == TYPE_DOUBLE) {
		memcpy(&number, at, sizeof number);
		return of_number(TYPE_DOUBLE, number);
	}
	memcpy(&bits, at, (size_t)type->bytes);
	return of_integer(type->kind, bits);
}

static void store(const struct type *type, char *at, struct value value)
{
	value = convert(value, type->kind);
	float single = (float)value.number;
	if (type->kind == TYPE_FLOAT)
		memcpy(at, &single, sizeof single);
	else if (type->kind == TYPE_DOUBLE)
		memcpy(at, &value.number, sizeof value.number);
	else
		memcpy(at, &value.integer, (size_t)type->bytes);
}

static long affine_value(const struct interpreter *in, struct affine affine)
{
	long value = affine.constant;
	for (int i = 0; i < in->statement->depth; i++)
		value += affine.coefficients[i] * in->iterators[i];
	return value;
}

static char *element(const struct interpreter *in, const struct access *access)
{
	const struct array *array = access->array;
	long offset = 0;
	for (int d = 0; d < array->rank; d++) {
		long subscript = affine_value(in, access->subscripts[d]);
		assert_in_range(subscript, 0, array->extents[d] - 1);
		offset = offset * array->extents[d] + subscript;
	}
	return (char *)in->memory[array->index] + offset * array->type.bytes;
}

static bool is_true(struct value value)
{
	return type_is_float(value.kind) ? value.number != 0 : value.integer != 0;
}

static struct value of_test(bool holds)
{
	return of_integer(TYPE_INT32, holds);
}

static struct value compare(const char *operator, struct value a, struct value b)
{
	bool less, equal;
	if (type_is_float(a.kind)) {
		less = a.number < b.number;
		equal = a.number == b.number;
		if (!strcmp(operator, ">="))
			return of_test(a.number >= b.number);
		if (!strcmp(operator, ">"))
			return of_test(a.number > b.number);
	} else {
		less = a.kind == TYPE_UINT64 ? (uint64_t)a.integer < (uint64_t)b.integer :
			a.integer < b.integer;
		equal = a.integer == b.integer;
	}
	switch (*operator) {
	case '<': return of_test(less || (operator[1] && equal));
	case '>': return of_test(operator[1] ? !less : !less && !equal);
	case '=': return of_test(equal);
	default: return of_test(!equal);
	}
}

static struct value float_operation(const char *operator, enum type_kind kind, double a, double b)
{
	float x = (float)a, y = (float)b;
	bool is_float = kind == TYPE_FLOAT;
	switch (*operator) {
	case '+': return of_number(kind, is_float ? (double)(x + y) : a + b);
	case '-': return of_number(kind, is_float ? (double)(x - y) : a - b);
	case '*': return of_number(kind, is_float ? (double)(x * y) : a * b);
	default: return of_number(kind, is_float ? (double)(x / y) : a / b);
	}
}

static struct value integer_operation(const char *operator, enum type_kind kind, int64_t a,
	int64_t b)
{
	uint64_t x = (uint64_t)a, y = (uint64_t)b;
	bool is_unsigned = kind == TYPE_UINT64;
	switch (*operator) {
	case '+': return of_integer(kind, x + y);
	case '-': return of_integer(kind, x - y);
	case '*': return of_integer(kind, x * y);
	case '/': return of_integer(kind, is_unsigned ? x / y : (uint64_t)(a / b));
	case '%': return of_integer(kind, is_unsigned ? x % y : (uint64_t)(a % b));
	case '&': return of_integer(kind, x & y);
	case '|': return of_integer(kind, x | y);
	case '^': return of_integer(kind, x ^ y);
	case '<': return of_integer(kind, x << y);
	default: return of_integer(kind, is_unsigned ? x >> y : (uint64_t)(a >> b));
	}
}

static struct value evaluate(const struct interpreter *in, const struct expr *expr);

static struct value evaluate_binary(const struct interpreter *in, const struct expr *expr)
{
	const char *operator = expr->operator;
	struct value a = evaluate(in, expr->operands[0]);
	if (!strcmp(operator, "&&"))
		return of_test(is_true(a) && is_true(evaluate(in, expr->operands[1])));
	if (!strcmp(operator, "||"))
		return of_test(is_true(a) || is_true(evaluate(in, expr->operands[1])));
	struct value b = evaluate(in, expr->operands[1]);
	if (!strcmp(operator, "<<") || !strcmp(operator, ">>"))
		return integer_operation(operator, expr->type.kind,
			convert(a, expr->type.kind).integer, b.integer);
	enum type_kind kind = type_common(expr->operands[0]->type, expr->operands[1]->type).kind;
	a = convert(a, kind);
	b = convert(b, kind);
	if (strchr("<>=!", *operator))
		return compare(operator, a, b);
	return type_is_float(kind) ? float_operation(operator, kind, a.number, b.number) :
		integer_operation(operator, kind, a.integer, b.integer);
}

static struct value evaluate_unary(const struct interpreter *in, const struct expr *expr)
{
	struct value value = evaluate(in, expr->operands[0]);
	if (*expr->operator == '!')
		return of_test(!is_true(value));
	value = convert(value, expr->type.kind);
	if (*expr->operator == '-')
		return type_is_float(value.kind) ? of_number(value.kind, -value.number) :
			of_integer(value.kind, 0 - (uint64_t)value.integer);
	if (*expr->operator == '~')
		return of_integer(value.kind, ~(uint64_t)value.integer);
	return value;
}

static struct value evaluate_literal(const struct expr *expr)
{
	static const struct { const char *name; double value; } known[] = {
		{ "FLT_MAX", (double)FLT_MAX }, { "DBL_MAX", DBL_MAX } };
	unsigned long bits;
	struct type type;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(known[i].name, expr->text))
			return of_number(expr->type.kind, known[i].value);
	if (!strcmp(expr->text, "INT16_MIN"))
		return of_integer(TYPE_INT32, (uint64_t)INT16_MIN);
	if (integer_of_number(expr->text, &bits, &type))
		return of_integer(expr->type.kind, bits);
	return of_number(expr->type.kind, expr->type.kind == TYPE_FLOAT ?
		(double)strtof(expr->text, NULL) : strtod(expr->text, NULL));
}

static struct value evaluate_call(const struct interpreter *in, const struct expr *expr)
{
	double operands[3] = { 0 };
	for (int i = 0; i < expr->operand_count; i++)
		operands[i] = evaluate(in, expr->operands[i]).number;
	float x = (float)operands[0], y = (float)operands[1];
	if (!strcmp(expr->text, "fmaxf"))
		return of_number(TYPE_FLOAT, (double)fmaxf(x, y));
	if (!strcmp(expr->text, "sqrt"))
		return of_number(TYPE_DOUBLE, sqrt(operands[0]));
	if (!strcmp(expr->text, "fabsf"))
		return of_number(TYPE_FLOAT, (double)fabsf(x));
	fail_msg("function %s is not known to the interpreter", expr->text);
	return of_test(false);
}

static struct value evaluate(const struct interpreter *in, const struct expr *expr)
{
	switch (expr->kind) {
	case EXPR_LITERAL:
		return evaluate_literal(expr);
	case EXPR_AFFINE:
		return of_integer(expr->type.kind, (uint64_t)affine_value(in, expr->affine));
	case EXPR_ACCESS:
		return load(&expr->type, element(in, &in->statement->accesses[expr->access]));
	case EXPR_UNARY:
		return evaluate_unary(in, expr);
	case EXPR_BINARY:
		return evaluate_binary(in, expr);
	case EXPR_CONDITIONAL:
		return convert(evaluate(in, expr->operands[is_true(evaluate(in,
			expr->operands[0])) ? 1 : 2]), expr->type.kind);
	case EXPR_CAST:
		return convert(evaluate(in, expr->operands[0]), expr->type.kind);
	case EXPR_CALL:
		return evaluate_call(in, expr);
	}
	return of_test(false);
}

/* The order. */

struct collection {
	struct interpreter *in;
	const struct statement *statement;
	isl_map *order;
};

static isl_stat add_event(__isl_take isl_point *point, void *user)
{
	struct collection *collection = user;
	struct interpreter *in = collection->in;
	if (in->count == in->capacity) {
		in->capacity = in->capacity ? 2 * in->capacity : 1024;
		in->events = realloc(in->events, in->capacity * sizeof *in->events);
		assert_non_null(in->events);
	}
	struct event *event = &in->events[in->count++];
	memset(event, 0, sizeof *event);
	event->statement = collection->statement;
	for (int i = 0; i < event->statement->depth; i++) {
		isl_val *val = isl_point_get_coordinate_val(point, isl_dim_set, i);
		event->iterators[i] = isl_val_get_num_si(val);
		isl_val_free(val);
	}
	isl_set *at = isl_set_apply(isl_set_from_point(point), isl_map_copy(collection->order));
	isl_point *place = isl_set_sample_point(at);
	for (int i = 0; i < COORDINATES; i++) {
		isl_val *val = isl_point_get_coordinate_val(place, isl_dim_set, i);
		event->order[i] = isl_val_get_num_si(val);
		isl_val_free(val);
	}
	isl_point_free(place);
	return isl_stat_ok;
}

static int compare_events(const void *a, const void *b)
{
	const struct event *left = a, *right = b;
	for (int i = 0; i < COORDINATES; i++)
		if (left->order[i] != right->order[i])
			return left->order[i] < right->order[i] ? -1 : 1;
	return 0;
}

void interpret(const struct function *function, void *const *arguments)
{
	struct interpreter in = { .function = function };
	in.memory = calloc((size_t)function->array_count + 1, sizeof *in.memory);
	for (int i = 0; i < function->parameter_count; i++)
		if (function->parameters[i].array)
			in.memory[function->parameters[i].array->index] = arguments[i];
	for (int i = 0; i < function->array_count; i++)
		if (!function->arrays[i]->is_parameter)
			in.memory[i] = calloc((size_t)function->arrays[i]->elements, 8);
	for (int i = 0; i < function->statement_count; i++) {
		struct collection collection = { &in, function->statements[i],
			statement_order(function->statements[i], LOOP_DEPTH_LIMIT) };
		isl_set_foreach_point(function->statements[i]->domain, add_event, &collection);
		isl_map_free(collection.order);
	}
	if (in.count)
		qsort(in.events, in.count, sizeof *in.events, compare_events);
	for (size_t i = 0; i < in.count; i++) {
		assert_true(i == 0 || compare_events(&in.events[i - 1], &in.events[i]) < 0);
		in.statement = in.events[i].statement;
		in.iterators = in.events[i].iterators;
		struct value value = evaluate(&in, in.statement->value);
		const struct access *target = &in.statement->accesses[0];
		store(&target->array->type, element(&in, target), value);
	}
	for (int i = 0; i < function->array_count; i++)
		if (!function->arrays[i]->is_parameter)
			free(in.memory[i]);
	free(in.memory);
	free(in.events);
}
