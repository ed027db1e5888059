/* Runs a nest on constants, with C's arithmetic. */

#include <math.h>
#include <string.h>

#include "onnx/network.h"

/* Statements that are run for one nest at most. */
#define WORK_LIMIT 400000000.0

struct scalar {
	bool is_float;
	double number;
	int64_t integer;
};

struct run {
	const struct nest *nest;
	int64_t *loops;
	struct scalar *locals;
};

static double number_of(struct scalar s)
{
	return s.is_float ? s.number : (double)s.integer;
}

static struct scalar converted(struct scalar s, enum type type)
{
	if (type == TYPE_FLOAT)
		return (struct scalar){ true, (double)(float)number_of(s), 0 };
	if (type == TYPE_DOUBLE)
		return (struct scalar){ true, number_of(s), 0 };
	int64_t integer = s.integer;
	if (s.is_float)
		integer = s.number != s.number ? 0 : s.number >= 9.2e18 ? INT64_MAX :
			s.number <= -9.2e18 ? INT64_MIN : (int64_t)s.number;
	switch (type) {
	case TYPE_BOOL:
	case TYPE_UINT8: integer = (uint8_t)integer; break;
	case TYPE_INT8: integer = (int8_t)integer; break;
	case TYPE_INT16: integer = (int16_t)integer; break;
	case TYPE_UINT16: integer = (uint16_t)integer; break;
	case TYPE_INT32: integer = (int32_t)integer; break;
	case TYPE_UINT32: integer = (uint32_t)integer; break;
	default: break;
	}
	return (struct scalar){ false, 0, integer };
}

static int64_t index_value(const struct run *run, const struct index *index)
{
	int64_t value = index->constant;
	for (int t = 0; t < index->count; t++)
		value += index->terms[t].factor * run->loops[index->terms[t].loop];
	return value;
}

static int64_t element_of(const struct run *run, const struct expression *read)
{
	int64_t element = 0;
	for (int d = 0; d < read->value->shape.rank; d++)
		element = element * read->value->shape.dims[d] + index_value(run, &read->subscripts[d]);
	return element;
}

static double call(const char *f, enum type type, double a, double b)
{
	static const struct {
		const char *name;
		double (*exact)(double);
		float (*single)(float);
	} functions[] = {
		{ "exp", exp, expf }, { "log", log, logf }, { "sqrt", sqrt, sqrtf }, { "erf", erf, erff },
		{ "tanh", tanh, tanhf }, { "fabs", fabs, fabsf }, { "rint", rint, rintf },
		{ "floor", floor, floorf }, { "ceil", ceil, ceilf }, { "sin", sin, sinf },
		{ "cos", cos, cosf }, { "tan", tan, tanf }, { "asin", asin, asinf }, { "acos", acos, acosf },
		{ "atan", atan, atanf }, { "sinh", sinh, sinhf }, { "cosh", cosh, coshf },
		{ "asinh", asinh, asinhf }, { "acosh", acosh, acoshf }, { "atanh", atanh, atanhf },
		{ "log1p", log1p, log1pf },
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(f, functions[i].name))
			return type == TYPE_FLOAT ? functions[i].single((float)a) : functions[i].exact(a);
	if (!strcmp(f, "fmax"))
		return fmax(a, b);
	if (!strcmp(f, "fmin"))
		return fmin(a, b);
	if (!strcmp(f, "fmod"))
		return fmod(a, b);
	return type == TYPE_FLOAT ? powf((float)a, (float)b) : pow(a, b);
}

static struct scalar integer_result(enum binary binary, int64_t x, int64_t y)
{
	const uint64_t u = (uint64_t)x, v = (uint64_t)y;
	int64_t r = 0;

	switch (binary) {
	case ADD: r = (int64_t)(u + v); break;
	case SUBTRACT: r = (int64_t)(u - v); break;
	case MULTIPLY: r = (int64_t)(u * v); break;
	case DIVIDE: r = y == 0 ? 0 : y == -1 ? (int64_t)(0 - u) : x / y; break;
	case REMAINDER: r = y == 0 || y == -1 ? 0 : x % y; break;
	case SHIFT_LEFT: r = (int64_t)(u << (y & 63)); break;
	case SHIFT_RIGHT: r = x >> (y & 63); break;
	case BIT_AND: r = x & y; break;
	case LESS: r = x < y; break;
	case GREATER: r = x > y; break;
	case LESS_EQUAL: r = x <= y; break;
	case GREATER_EQUAL: r = x >= y; break;
	case EQUAL: r = x == y; break;
	case UNEQUAL: r = x != y; break;
	case AND: r = x && y; break;
	case OR: r = x || y; break;
	default: break;
	}
	return (struct scalar){ false, 0, r };
}

static struct scalar binary_result(enum binary binary, enum type type, struct scalar a, struct scalar b)
{
	double x, y, r = 0;

	if (!a.is_float && !b.is_float)
		return converted(integer_result(binary, a.integer, b.integer), type);
	x = number_of(a);
	y = number_of(b);
	switch (binary) {
	case ADD: r = x + y; break;
	case SUBTRACT: r = x - y; break;
	case MULTIPLY: r = x * y; break;
	case DIVIDE: r = x / y; break;
	case LESS: return (struct scalar){ false, 0, x < y };
	case GREATER: return (struct scalar){ false, 0, x > y };
	case LESS_EQUAL: return (struct scalar){ false, 0, x <= y };
	case GREATER_EQUAL: return (struct scalar){ false, 0, x >= y };
	case EQUAL: return (struct scalar){ false, 0, x == y };
	case UNEQUAL: return (struct scalar){ false, 0, x != y };
	case AND: return (struct scalar){ false, 0, x != 0 && y != 0 };
	case OR: return (struct scalar){ false, 0, x != 0 || y != 0 };
	default: break;
	}
	return converted((struct scalar){ true, r, 0 }, type);
}

static struct scalar evaluate(struct run *run, const struct expression *e)
{
	struct scalar a;

	switch (e->kind) {
	case EXPRESSION_INTEGER: return (struct scalar){ false, 0, e->integer };
	case EXPRESSION_NUMBER: return (struct scalar){ true, e->number, 0 };
	case EXPRESSION_INDEX: return (struct scalar){ false, 0, index_value(run, e->subscripts) };
	case EXPRESSION_READ: {
		const struct tensor *tensor = e->value->constant;
		const int64_t element = element_of(run, e);

		if (type_is_float(tensor->type))
			return (struct scalar){ true, tensor_number(tensor, element), 0 };
		return (struct scalar){ false, 0, tensor_integer(tensor, element) };
	}
	case EXPRESSION_LOCAL: return run->locals[e->integer];
	case EXPRESSION_CALL:
		a = evaluate(run, e->arguments[0]);
		return converted((struct scalar){ true, call(e->function, e->type, number_of(a),
			e->arguments[1] ? number_of(evaluate(run, e->arguments[1])) : 0), 0 }, e->type);
	case EXPRESSION_BINARY:
		a = evaluate(run, e->arguments[0]);
		return binary_result(e->binary, e->type, a, evaluate(run, e->arguments[1]));
	case EXPRESSION_NEGATE:
		a = evaluate(run, e->arguments[0]);
		return a.is_float ? (struct scalar){ true, -a.number, 0 } :
			converted(integer_result(SUBTRACT, 0, a.integer), e->type);
	case EXPRESSION_NOT: return (struct scalar){ false, 0, number_of(evaluate(run, e->arguments[0])) == 0 };
	case EXPRESSION_CAST: return converted(evaluate(run, e->arguments[0]), e->type);
	default:
		a = evaluate(run, e->arguments[0]);
		return converted(evaluate(run, e->arguments[number_of(a) != 0 ? 1 : 2]), e->type);
	}
}

static void store(struct run *run, const struct expression *target, struct scalar s)
{
	if (target->kind == EXPRESSION_LOCAL) {
		run->locals[target->integer] = converted(s, target->type);
		return;
	}
	struct tensor *tensor = target->value->constant;
	if (type_is_float(tensor->type))
		tensor_set_number(tensor, element_of(run, target), number_of(s));
	else
		tensor_set_integer(tensor, element_of(run, target), converted(s, tensor->type).integer);
}

static bool holds(const struct run *run, const struct statement *s)
{
	for (int c = 0; c < s->condition_count; c++) {
		const int64_t value = index_value(run, &s->conditions[c].index);
		if (value < s->conditions[c].low || value > s->conditions[c].high)
			return false;
	}
	return true;
}

static void set_loop(struct run *run, int loop, int64_t value)
{
	run->loops[loop] = value;
	for (int d = run->nest->loops[loop].split_count - 1; d >= 0; d--) {
		const int part = run->nest->loops[loop].split[d];
		set_loop(run, part, value % run->nest->loops[part].extent);
		value /= run->nest->loops[part].extent;
	}
}

static void run_block(struct run *run, const struct block *block)
{
	for (const struct statement *s = block->first; s; s = s->next)
		switch (s->kind) {
		case STATEMENT_LOOP:
			for (int64_t i = 0; i < run->nest->loops[s->loop].extent; i++) {
				set_loop(run, s->loop, i);
				run_block(run, &s->body);
			}
			break;
		case STATEMENT_IF:
			run_block(run, holds(run, s) ? &s->body : &s->otherwise);
			break;
		default:
			if (!s->expression)
				break;
			struct scalar value = evaluate(run, s->expression);
			if (s->is_update)
				value = binary_result(s->update, type_of_sum(s->target->type, s->expression->type),
					evaluate(run, s->target), value);
			store(run, s->target, value);
		}
}

static double work_of(const struct nest *nest, const struct block *block)
{
	double work = 0;
	for (const struct statement *s = block->first; s; s = s->next)
		work += s->kind == STATEMENT_LOOP ?
			(double)nest->loops[s->loop].extent * work_of(nest, &s->body) :
			1 + work_of(nest, &s->body) + work_of(nest, &s->otherwise);
	return work;
}

bool nest_evaluate(struct arena *arena, struct nest *nest)
{
	struct run run = { nest, arena_alloc(arena, sizeof(int64_t) * (nest->loop_count + 1)),
		arena_alloc(arena, sizeof(struct scalar) * (nest->local_count + 1)) };

	if (work_of(nest, &nest->block) > WORK_LIMIT)
		return false;
	if (!nest->result->constant)
		nest->result->constant = tensor_new(arena, nest->result->type, &nest->result->shape, false);
	run_block(&run, &nest->block);
	return true;
}
