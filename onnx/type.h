#ifndef ONNX_TYPE_H
#define ONNX_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "support/arena.h"

/* Element types, shapes and constant tensors. */

enum type {
	TYPE_NONE, TYPE_BOOL, TYPE_INT8, TYPE_UINT8, TYPE_INT16, TYPE_UINT16, TYPE_INT32,
	TYPE_UINT32, TYPE_INT64, TYPE_UINT64, TYPE_FLOAT, TYPE_DOUBLE, TYPE_COUNT
};

struct type_info {
	const char *name;        /* ONNX's */
	const char *c_name;
	int onnx;                /* TensorProto.DataType */
	int bytes;
	bool is_float;
	int64_t lowest;          /* of integers; UINT64's highest is cut to INT64_MAX */
	int64_t highest;
};

extern const struct type_info type_infos[TYPE_COUNT];

/* TYPE_NONE for what there is no C type for. */
enum type type_of_onnx(int onnx);
bool type_is_float(enum type type);
/* The narrowest type that holds LOW .. HIGH; TYPE_NONE if none does. */
enum type type_for_range(int64_t low, int64_t high);
/* What C's integer promotions and usual conversions make of two operands. */
enum type type_of_sum(enum type a, enum type b);

enum { RANK_LIMIT = 12 };
/* Elements of one tensor. */
#define ELEMENT_LIMIT INT64_C(0x7fffffff)

struct shape {
	int rank;
	int64_t dims[RANK_LIMIT];
};

/* The number of elements; -1 if there are more than ELEMENT_LIMIT or a dimension is negative. */
int64_t shape_count(const struct shape *shape);
bool shape_equal(const struct shape *a, const struct shape *b);
/* How A and B broadcast together, by ONNX's (numpy's) rule.  False if they do not. */
bool shape_broadcast(const struct shape *a, const struct shape *b, struct shape *result);
/* "1x64x56x56", "scalar". */
const char *shape_text(struct arena *arena, const struct shape *shape);

/* A constant.  One element stands for all where they are equal (weights of networks that
 * are published without theirs are so, and may be hundreds of megabytes). */
struct tensor {
	enum type type;
	struct shape shape;
	int64_t count;
	bool is_uniform;
	void *data;              /* COUNT elements of the C type, or one */
};

struct tensor *tensor_new(struct arena *arena, enum type type, const struct shape *shape, bool is_uniform);
double tensor_number(const struct tensor *tensor, int64_t element);
/* Truncated where the tensor holds floats. */
int64_t tensor_integer(const struct tensor *tensor, int64_t element);
/* Converted as C does; floats that do not fit an integer saturate. */
void tensor_set_number(struct tensor *tensor, int64_t element, double number);
void tensor_set_integer(struct tensor *tensor, int64_t element, int64_t integer);
/* All elements are the same number, and which. */
bool tensor_is_uniform(const struct tensor *tensor, double *number);

#endif
