#ifndef ONNX_NETWORK_H
#define ONNX_NETWORK_H

#include <setjmp.h>
#include <stddef.h>

#include "onnx/nest.h"
#include "onnx/type.h"

/* A network on its way from a model file to loops. */

struct function;
struct nest;
struct network;
struct Onnx__NodeProto;
struct Onnx__TensorProto;

/* Where the elements of a value are that has none of its own: those of another value.
 *
 * VIEW_AXES: subscript b of the base is offset + factor * subscript `axis` of the value
 * (axis -1: offset alone).  Transposition, slices, one part of a concatenation.
 * VIEW_RESHAPE: the elements in the same order, in another shape. */
enum view_kind { VIEW_NONE, VIEW_AXES, VIEW_RESHAPE };

struct view_axis {
	int axis;
	int64_t factor, offset;
};

struct value {
	const char *name;
	const char *c_name;              /* set when the file is written */
	bool is_known;                   /* type and shape are */
	enum type type;
	struct shape shape;
	struct tensor *constant;
	struct node *producer;           /* NULL: an input or a constant */
	struct nest *nest;               /* the last that writes to it */
	int uses;                        /* by nodes, and as an output of the network */
	struct node *user;               /* one of them */
	bool is_input, is_output;

	enum view_kind view;
	struct value *base;
	struct view_axis *axes;          /* one for each dimension of the base */
	bool is_written_by_parts;        /* a concatenation that its parts are views of */
	/* Dimension d and d + 1 are one in memory. */
	bool is_joined[RANK_LIMIT];
	/* As a constant: the loops that its dimension d is split for, their extents. */
	int split_count[RANK_LIMIT];
	int64_t splits[RANK_LIMIT][RANK_LIMIT];

	/* Of integers: no element is outside.  In a network whose floats are integers in truth,
	 * TYPE is an integer type and DECLARED the file's. */
	bool has_range;
	bool is_wide;                    /* what it is rounded from needs 64 bits */
	int64_t low, high;
	enum type declared;

	/* Is what DequantizeLinear makes of QUANTIZED: (it - zero) * scale. */
	struct value *quantized;
	struct value *scale, *zero;
	int quantized_axis;

	/* Is what Pad makes of `padded`: zeros around it, so many before and after dimension d. */
	struct value *padded;
	int64_t before[RANK_LIMIT], after[RANK_LIMIT];

	bool is_used;                    /* by a nest; set when the file is written */
	/* Set when the file is written: the nests that use it, and the last that writes to it, by number, or -1. */
	bool is_in_nests;
	int first_nest, last_nest, last_write;
	int function;                    /* the last that uses it, from 1 on */
	int between;                     /* the one that makes it for others; 0: there is none */
	int64_t offset;                  /* of a constant in the weights' file; of an array between functions */
	struct value *hash_next;
};

struct node {
	const char *name;                /* the file's, or one made of the operator and its number */
	const char *operator;
	const char *domain;
	const struct Onnx__NodeProto *proto;
	const struct operator *kind;
	int version;                     /* of the operator set */
	struct value **inputs;           /* NULL: left out */
	int input_count;
	struct value **outputs;
	int output_count;
	int *order;                      /* the inputs, in the order in which they are made */
	int height;                      /* nodes on the longest way from an input */
	bool is_open;                    /* while nodes are put in order */
	bool is_done;                    /* in order; later: as part of another one */
};

struct refusal {
	const struct node *node;
	const char *reason;
	struct refusal *next;
};

struct define {
	const char *name;
	int64_t value;
	bool is_used;
};

enum { HASH_SIZE = 4096, FLOAT_NODES_SHOWN = 16 };

struct network {
	struct arena *arena;
	const char *file;                /* the model's, for messages */
	const char *directory;           /* external data is in it */
	const char *name;

	struct value **inputs, **outputs;
	int input_count, output_count;
	struct node **nodes;             /* each after those whose results it uses */
	int node_count;
	struct value *hash[HASH_SIZE];
	int opset;                       /* of ONNX's own operators */
	struct domain_version {
		const char *domain;
		int64_t version;
	} *domains;
	int domain_count;

	struct define *defines;          /* -D */
	int define_count;
	const char *float_nodes;         /* those of floats between integers, the first of them, for a note; or NULL */
	int float_node_count;
	bool is_integer;                 /* floats of the file are integers in truth */
	const char *vector;              /* directory of a test vector, or NULL */

	struct nest *first_nest, *last_nest;
	struct function *functions;      /* see function.h */
	int function_count;
	int64_t between_bytes;
	struct refusal *refusals, **last_refusal;
	const struct node *node;         /* that is being lowered */
	jmp_buf *failed;                 /* after a message */
	jmp_buf *refused;                /* the node at hand */
};

/* Prints "loopc-onnx: error: FILE: ..." and leaves. */
_Noreturn void fail(struct network *network, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The node at hand cannot be imported: remembers why, and leaves it.  All are listed together. */
_Noreturn void refuse(struct network *network, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct value *network_value(struct network *network, const char *name);   /* NULL: none */
struct value *network_add_value(struct network *network, const char *name);
/* A constant of the importer's own.  NAME says what it is. */
struct value *network_constant(struct network *network, const char *name, struct tensor *tensor);
/* A value of the importer's own, between nests. */
struct value *network_temporary(struct network *network, const char *name, enum type type,
	const struct shape *shape);

/* The nest becomes the last one. */
void network_append(struct network *network, struct nest *nest);
void network_insert_before(struct network *network, struct nest *place, struct nest *nest);
void network_remove(struct network *network, struct nest *nest);

#endif
