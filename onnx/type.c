#include "onnx/type.h"

#include <string.h>

const struct type_info type_infos[TYPE_COUNT] = {
	[TYPE_NONE] = { "unknown", "void", 0, 0, false, 0, 0 },
	[TYPE_BOOL] = { "bool", "uint8_t", 9, 1, false, 0, 1 },
	[TYPE_INT8] = { "int8", "int8_t", 3, 1, false, INT8_MIN, INT8_MAX },
	[TYPE_UINT8] = { "uint8", "uint8_t", 2, 1, false, 0, UINT8_MAX },
	[TYPE_INT16] = { "int16", "int16_t", 5, 2, false, INT16_MIN, INT16_MAX },
	[TYPE_UINT16] = { "uint16", "uint16_t", 4, 2, false, 0, UINT16_MAX },
	[TYPE_INT32] = { "int32", "int32_t", 6, 4, false, INT32_MIN, INT32_MAX },
	[TYPE_UINT32] = { "uint32", "uint32_t", 12, 4, false, 0, UINT32_MAX },
	[TYPE_INT64] = { "int64", "int64_t", 7, 8, false, INT64_MIN, INT64_MAX },
	[TYPE_UINT64] = { "uint64", "uint64_t", 13, 8, false, 0, INT64_MAX },
	[TYPE_FLOAT] = { "float", "float", 1, 4, true, 0, 0 },
	[TYPE_DOUBLE] = { "double", "double", 11, 8, true, 0, 0 },
};

enum type type_of_onnx(int onnx)
{
	for (int t = 1; t < TYPE_COUNT; t++)
		if (type_infos[t].onnx == onnx)
			return (enum type)t;
	return TYPE_NONE;
}

bool type_is_float(enum type type)
{
	return type_infos[type].is_float;
}

enum type type_for_range(int64_t low, int64_t high)
{
	static const enum type order[] = { TYPE_INT8, TYPE_UINT8, TYPE_INT16, TYPE_UINT16,
		TYPE_INT32, TYPE_INT64 };

	for (size_t t = 0; t < sizeof(order) / sizeof(order[0]); t++)
		if (low >= type_infos[order[t]].lowest && high <= type_infos[order[t]].highest)
			return order[t];
	return TYPE_NONE;
}

static enum type promoted(enum type type)
{
	return !type_is_float(type) && type_infos[type].bytes < 4 ? TYPE_INT32 : type;
}

enum type type_of_sum(enum type a, enum type b)
{
	a = promoted(a);
	b = promoted(b);
	return a > b ? a : b;
}

int64_t shape_count(const struct shape *shape)
{
	int64_t count = 1;
	for (int d = 0; d < shape->rank; d++) {
		if (shape->dims[d] < 0 || __builtin_mul_overflow(count, shape->dims[d], &count) ||
		    count > ELEMENT_LIMIT)
			return -1;
	}
	return count;
}

bool shape_equal(const struct shape *a, const struct shape *b)
{
	return a->rank == b->rank &&
		!memcmp(a->dims, b->dims, sizeof(a->dims[0]) * (size_t)a->rank);
}

bool shape_broadcast(const struct shape *a, const struct shape *b, struct shape *result)
{
	struct shape sum = { a->rank > b->rank ? a->rank : b->rank, { 0 } };

	for (int d = 0; d < sum.rank; d++) {
		int at_a = d - (sum.rank - a->rank), at_b = d - (sum.rank - b->rank);
		int64_t size_a = at_a < 0 ? 1 : a->dims[at_a], size_b = at_b < 0 ? 1 : b->dims[at_b];

		if (size_a != size_b && size_a != 1 && size_b != 1)
			return false;
		sum.dims[d] = size_a == 1 ? size_b : size_a;
	}
	*result = sum;
	return true;
}

const char *shape_text(struct arena *arena, const struct shape *shape)
{
	const char *text = shape->rank ? "" : "scalar";
	for (int d = 0; d < shape->rank; d++)
		text = arena_printf(arena, "%s%s%lld", text, d ? "x" : "", (long long)shape->dims[d]);
	return text;
}

struct tensor *tensor_new(struct arena *arena, enum type type, const struct shape *shape, bool is_uniform)
{
	struct tensor *tensor = ARENA_NEW(arena, struct tensor);

	*tensor = (struct tensor){ type, *shape, shape_count(shape), is_uniform, NULL };
	tensor->data = arena_alloc(arena, (size_t)type_infos[type].bytes *
		(is_uniform ? 1 : (size_t)tensor->count) + sizeof(int64_t));
	return tensor;
}

double tensor_number(const struct tensor *tensor, int64_t element)
{
	const int64_t e = tensor->is_uniform ? 0 : element;

	switch (tensor->type) {
	case TYPE_FLOAT: return ((const float *)tensor->data)[e];
	case TYPE_DOUBLE: return ((const double *)tensor->data)[e];
	case TYPE_UINT64: return (double)((const uint64_t *)tensor->data)[e];
	default: return (double)tensor_integer(tensor, element);
	}
}

static int64_t saturated(double number)
{
	return number != number ? 0 : number >= 9.2233720368547758e18 ? INT64_MAX :
		number <= -9.2233720368547758e18 ? INT64_MIN : (int64_t)number;
}

int64_t tensor_integer(const struct tensor *tensor, int64_t element)
{
	const int64_t e = tensor->is_uniform ? 0 : element;

	switch (tensor->type) {
	case TYPE_BOOL:
	case TYPE_UINT8: return ((const uint8_t *)tensor->data)[e];
	case TYPE_INT8: return ((const int8_t *)tensor->data)[e];
	case TYPE_INT16: return ((const int16_t *)tensor->data)[e];
	case TYPE_UINT16: return ((const uint16_t *)tensor->data)[e];
	case TYPE_INT32: return ((const int32_t *)tensor->data)[e];
	case TYPE_UINT32: return ((const uint32_t *)tensor->data)[e];
	case TYPE_INT64:
	case TYPE_UINT64: return ((const int64_t *)tensor->data)[e];
	case TYPE_FLOAT:
	case TYPE_DOUBLE: return saturated(tensor_number(tensor, element));
	default: return 0;
	}
}

void tensor_set_integer(struct tensor *tensor, int64_t element, int64_t integer)
{
	switch (tensor->type) {
	case TYPE_BOOL: ((uint8_t *)tensor->data)[element] = integer != 0; break;
	case TYPE_UINT8: ((uint8_t *)tensor->data)[element] = (uint8_t)integer; break;
	case TYPE_INT8: ((int8_t *)tensor->data)[element] = (int8_t)integer; break;
	case TYPE_INT16: ((int16_t *)tensor->data)[element] = (int16_t)integer; break;
	case TYPE_UINT16: ((uint16_t *)tensor->data)[element] = (uint16_t)integer; break;
	case TYPE_INT32: ((int32_t *)tensor->data)[element] = (int32_t)integer; break;
	case TYPE_UINT32: ((uint32_t *)tensor->data)[element] = (uint32_t)integer; break;
	case TYPE_INT64:
	case TYPE_UINT64: ((int64_t *)tensor->data)[element] = integer; break;
	case TYPE_FLOAT: ((float *)tensor->data)[element] = (float)integer; break;
	case TYPE_DOUBLE: ((double *)tensor->data)[element] = (double)integer; break;
	default: break;
	}
}

void tensor_set_number(struct tensor *tensor, int64_t element, double number)
{
	if (tensor->type == TYPE_FLOAT)
		((float *)tensor->data)[element] = (float)number;
	else if (tensor->type == TYPE_DOUBLE)
		((double *)tensor->data)[element] = number;
	else
		tensor_set_integer(tensor, element, saturated(number));
}

bool tensor_is_uniform(const struct tensor *tensor, double *number)
{
	if (tensor->count < 1)
		return false;
	*number = tensor_number(tensor, 0);
	for (int64_t e = 1; e < tensor->count && !tensor->is_uniform; e++)
		if (memcmp((const char *)tensor->data + e * type_infos[tensor->type].bytes, tensor->data,
			    (size_t)type_infos[tensor->type].bytes))
			return false;
	return true;
}
