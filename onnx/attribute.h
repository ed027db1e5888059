#ifndef ONNX_ATTRIBUTE_H
#define ONNX_ATTRIBUTE_H

#include "onnx/network.h"

/* Attributes of a node.  One that is there with another type than asked for refuses the node. */

bool attribute_is_given(const struct node *node, const char *name);
int64_t attribute_int(struct network *network, const struct node *node, const char *name, int64_t missing);
double attribute_float(struct network *network, const struct node *node, const char *name, double missing);
/* MISSING if it is not given. */
const char *attribute_string(struct network *network, const struct node *node, const char *name,
	const char *missing);
/* NULL if it is not given. */
const int64_t *attribute_ints(struct network *network, const struct node *node, const char *name, int *count);
const float *attribute_floats(struct network *network, const struct node *node, const char *name, int *count);
struct tensor *attribute_tensor(struct network *network, const struct node *node, const char *name);

#endif
