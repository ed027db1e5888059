#include "onnx/attribute.h"

#include <string.h>

#include "onnx/model.h"
#include "onnx/proto/onnx.pb-c.h"

static const Onnx__AttributeProto *find(const struct node *node, const char *name)
{
	for (size_t a = 0; a < node->proto->n_attribute; a++)
		if (node->proto->attribute[a]->name && !strcmp(node->proto->attribute[a]->name, name))
			return node->proto->attribute[a];
	return NULL;
}

bool attribute_is_given(const struct node *node, const char *name)
{
	return find(node, name) != NULL;
}

int64_t attribute_int(struct network *network, const struct node *node, const char *name, int64_t missing)
{
	const Onnx__AttributeProto *a = find(node, name);

	if (a && !a->has_i)
		refuse(network, "attribute %s is not an integer", name);
	return a ? a->i : missing;
}

double attribute_float(struct network *network, const struct node *node, const char *name, double missing)
{
	const Onnx__AttributeProto *a = find(node, name);

	if (a && !a->has_f)
		refuse(network, "attribute %s is not a number", name);
	return a ? (double)a->f : missing;
}

const char *attribute_string(struct network *network, const struct node *node, const char *name,
	const char *missing)
{
	const Onnx__AttributeProto *a = find(node, name);

	if (a && !a->has_s)
		refuse(network, "attribute %s is not a text", name);
	return a ? arena_strndup(network->arena, a->s.len ? (const char *)a->s.data : "", a->s.len) : missing;
}

const int64_t *attribute_ints(struct network *network, const struct node *node, const char *name, int *count)
{
	const Onnx__AttributeProto *a = find(node, name);

	*count = 0;
	if (a && (a->n_ints > 100000 || a->has_i || a->has_f || a->has_s || a->n_floats))
		refuse(network, "attribute %s is not a list of integers", name);
	if (!a)
		return NULL;
	*count = (int)a->n_ints;
	return a->n_ints ? a->ints : (const int64_t *)"";
}

const float *attribute_floats(struct network *network, const struct node *node, const char *name, int *count)
{
	const Onnx__AttributeProto *a = find(node, name);

	*count = 0;
	if (a && (a->n_floats > 100000 || a->has_i || a->has_f || a->has_s || a->n_ints))
		refuse(network, "attribute %s is not a list of numbers", name);
	if (!a)
		return NULL;
	*count = (int)a->n_floats;
	return a->n_floats ? a->floats : (const float *)"";
}

struct tensor *attribute_tensor(struct network *network, const struct node *node, const char *name)
{
	const Onnx__AttributeProto *a = find(node, name);

	if (a && !a->t)
		refuse(network, "attribute %s is not a tensor", name);
	return a ? model_tensor(network, a->t) : NULL;
}
