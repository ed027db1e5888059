#include "onnx/model.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "driver/output.h"
#include "onnx/proto/onnx.pb-c.h"
#include "onnx/wire.h"

enum { NODE_LIMIT = 50000 };

static void *allocate(void *arena, size_t size)
{
	return arena_alloc(arena, size);
}

static void release(void *arena, void *pointer)
{
	(void)arena, (void)pointer;
}

/* The message in a file, in the arena. */
static ProtobufCMessage *read_message(struct network *network, const char *file,
	const ProtobufCMessageDescriptor *descriptor)
{
	ProtobufCAllocator allocator = { allocate, release, network->arena };
	struct stat status;
	size_t length, at = 0;
	const char *data;

	if (!stat(file, &status) && S_ISDIR(status.st_mode))
		fail(network, "%s is a directory", file);
	data = file_read(network->arena, file, &length);
	if (!data)
		longjmp(*network->failed, 1);
	const char *problem = wire_check(descriptor, (const uint8_t *)data, length, &at);
	if (problem)
		fail(network, "not a model, or a damaged one: %s at byte %zu of %zu", problem, at, length);
	ProtobufCMessage *message = protobuf_c_message_unpack(descriptor, &allocator, length,
		(const uint8_t *)data);
	if (!message)
		fail(network, "not a model, or a damaged one: it cannot be decoded");
	return message;
}

static const char *text_of(const char *text)
{
	return text ? text : "";
}

/* ---- tensors ---- */

static int64_t decimal(struct network *network, const char *text, const char *what)
{
	char *end;

	errno = 0;
	long long number = strtoll(text, &end, 10);
	if (errno || *end || end == text || number < 0)
		fail(network, "external data: %s '%.40s' is not a size", what, text);
	return number;
}

/* The file that external data is in must be in the model's directory, links followed. */
static const char *external_path(struct network *network, const char *location)
{
	char directory[PATH_MAX], path[PATH_MAX];

	if (!location || !*location || *location == '/' || strlen(location) > 1000)
		fail(network, "external data: '%.80s' is not a file in the model's directory", text_of(location));
	const char *joined = arena_printf(network->arena, "%s/%s", network->directory, location);
	if (!realpath(network->directory, directory) || !realpath(joined, path))
		fail(network, "external data: cannot find '%.80s' in the model's directory", location);
	const size_t length = strlen(directory);
	if (strncmp(path, directory, length) || (path[length] != '/' && length > 1))
		fail(network, "external data: '%.80s' is outside the model's directory", location);
	return arena_strdup(network->arena, path);
}

static ProtobufCBinaryData external_data(struct network *network, const Onnx__TensorProto *proto, int64_t bytes)
{
	const char *location = NULL;
	int64_t offset = 0, length = -1;

	for (size_t e = 0; e < proto->n_external_data; e++) {
		const char *key = text_of(proto->external_data[e]->key);
		const char *value = text_of(proto->external_data[e]->value);

		if (!strcmp(key, "location"))
			location = value;
		else if (!strcmp(key, "offset"))
			offset = decimal(network, value, "offset");
		else if (!strcmp(key, "length"))
			length = decimal(network, value, "length");
	}
	const char *path = external_path(network, location);
	struct stat status;
	FILE *file = stat(path, &status) || !S_ISREG(status.st_mode) ? NULL : fopen(path, "rb");
	if (!file)
		fail(network, "external data: cannot read '%.80s'", location);
	if ((length >= 0 && length != bytes) || offset > status.st_size || bytes > status.st_size - offset) {
		fclose(file);
		fail(network, "external data: '%.80s' has not the %lld bytes of tensor '%.80s'", location,
			(long long)bytes, text_of(proto->name));
	}
	ProtobufCBinaryData data = { (size_t)bytes, arena_alloc(network->arena, (size_t)bytes + 1) };
	const bool is_read = !fseeko(file, (off_t)offset, SEEK_SET) &&
		fread(data.data, 1, data.len, file) == data.len;
	fclose(file);
	if (!is_read)
		fail(network, "external data: cannot read '%.80s'", location);
	return data;
}

/* How many elements the list has that the type's elements are in. */
static size_t listed(const Onnx__TensorProto *proto, enum type type)
{
	switch (type) {
	case TYPE_FLOAT: return proto->n_float_data;
	case TYPE_DOUBLE: return proto->n_double_data;
	case TYPE_INT64: return proto->n_int64_data;
	case TYPE_UINT32:
	case TYPE_UINT64: return proto->n_uint64_data;
	default: return proto->n_int32_data;
	}
}

static void take_listed(struct tensor *tensor, const Onnx__TensorProto *proto)
{
	for (int64_t e = 0; e < tensor->count; e++)
		switch (tensor->type) {
		case TYPE_FLOAT: ((float *)tensor->data)[e] = proto->float_data[e]; break;
		case TYPE_DOUBLE: ((double *)tensor->data)[e] = proto->double_data[e]; break;
		case TYPE_INT64: tensor_set_integer(tensor, e, proto->int64_data[e]); break;
		case TYPE_UINT32:
		case TYPE_UINT64: tensor_set_integer(tensor, e, (int64_t)proto->uint64_data[e]); break;
		default: tensor_set_integer(tensor, e, proto->int32_data[e]); break;
		}
}

struct tensor *model_tensor(struct network *network, const Onnx__TensorProto *proto)
{
	const char *name = text_of(proto->name);
	const enum type type = type_of_onnx(proto->data_type);
	struct shape shape = { 0 };

	if (type == TYPE_NONE)
		return NULL;
	if (proto->n_dims > RANK_LIMIT)
		fail(network, "tensor '%.80s' has %zu dimensions; there may be %d", name, proto->n_dims, RANK_LIMIT);
	shape.rank = (int)proto->n_dims;
	for (int d = 0; d < shape.rank; d++)
		if ((shape.dims[d] = proto->dims[d]) < 0)
			fail(network, "tensor '%.80s' has a dimension of %lld", name, (long long)shape.dims[d]);
	const int64_t count = shape_count(&shape);
	if (count < 0)
		fail(network, "tensor '%.80s' has more than %lld elements", name, (long long)ELEMENT_LIMIT);
	if (proto->segment)
		fail(network, "tensor '%.80s' is in segments", name);
	const int64_t bytes = count * type_infos[type].bytes;
	ProtobufCBinaryData raw = proto->raw_data;
	bool is_raw = proto->has_raw_data;
	if (proto->has_data_location && proto->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL) {
		raw = external_data(network, proto, bytes);
		is_raw = true;
	}
	if (is_raw ? raw.len != (size_t)bytes : listed(proto, type) != (size_t)count)
		fail(network, "tensor '%.80s' has data of %zu %s where its shape %s asks for %lld", name,
			is_raw ? raw.len : listed(proto, type), is_raw ? "bytes" : "elements",
			shape_text(network->arena, &shape), (long long)(is_raw ? bytes : count));
	struct tensor *tensor = tensor_new(network->arena, type, &shape, false);
	if (!is_raw)
		take_listed(tensor, proto);
	else if (bytes)
		memcpy(tensor->data, raw.data, (size_t)bytes);
	return tensor;
}

struct tensor *model_tensor_file(struct network *network, const char *file, const char **name)
{
	Onnx__TensorProto *proto = (Onnx__TensorProto *)read_message(network, file,
		&onnx__tensor_proto__descriptor);

	*name = text_of(proto->name);
	return model_tensor(network, proto);
}

struct tensor *model_vector(struct network *network, const char *what, int number, const char *name)
{
	const char *found;
	struct stat status;

	if (!network->vector)
		return NULL;
	/* By name, as inputs may be left out; else by number. */
	for (int n = 0; n < 64; n++) {
		const char *file = arena_printf(network->arena, "%s/%s_%d.pb", network->vector, what, n);
		if (stat(file, &status))
			break;
		struct tensor *tensor = model_tensor_file(network, file, &found);
		if (tensor && !strcmp(found, name))
			return tensor;
	}
	const char *file = arena_printf(network->arena, "%s/%s_%d.pb", network->vector, what, number);
	return stat(file, &status) ? NULL : model_tensor_file(network, file, &found);
}

/* ---- the graph ---- */

static int64_t symbolic_size(struct network *network, const char *symbol, const char *input, int axis)
{
	for (int d = 0; d < network->define_count; d++)
		if (!strcmp(network->defines[d].name, symbol)) {
			network->defines[d].is_used = true;
			return network->defines[d].value;
		}
	fail(network, "dimension %d of input '%.80s' has no size: give it with -D '%.80s=1'", axis, input, symbol);
}

static void read_input(struct network *network, const Onnx__ValueInfoProto *proto)
{
	const char *name = text_of(proto->name);
	const Onnx__TypeProto__Tensor *tensor = proto->type &&
		proto->type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE ? proto->type->tensor_type : NULL;

	if (network_value(network, name))
		return;                      /* has an initializer */
	struct value *value = network_add_value(network, name);
	value->is_input = true;
	network->inputs[network->input_count++] = value;
	if (!tensor)
		fail(network, "input '%.80s' is not a tensor", name);
	value->type = value->declared = type_of_onnx(tensor->elem_type);
	if (value->type == TYPE_NONE)
		fail(network, "input '%.80s' has elements of type %d of ONNX, which loopc has not", name,
			tensor->elem_type);
	if (!tensor->shape)
		fail(network, "input '%.80s' has no shape", name);
	if (tensor->shape->n_dim > RANK_LIMIT)
		fail(network, "input '%.80s' has %zu dimensions; there may be %d", name, tensor->shape->n_dim,
			RANK_LIMIT);
	value->shape.rank = (int)tensor->shape->n_dim;
	for (int d = 0; d < value->shape.rank; d++) {
		const Onnx__TensorShapeProto__Dimension *dim = tensor->shape->dim[d];
		int64_t *size = &value->shape.dims[d];

		if (dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE)
			*size = dim->dim_value;
		else
			*size = symbolic_size(network, dim->value_case ==
				ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM && *text_of(dim->dim_param) ?
				dim->dim_param : arena_printf(network->arena, "%s:%d", name, d), name, d);
		if (*size < 0)
			fail(network, "dimension %d of input '%.80s' is %lld", d, name, (long long)*size);
	}
	if (shape_count(&value->shape) < 0)
		fail(network, "input '%.80s' has more than %lld elements", name, (long long)ELEMENT_LIMIT);
	value->is_known = true;
}

static void read_initializers(struct network *network, const Onnx__GraphProto *graph)
{
	for (size_t i = 0; i < graph->n_initializer; i++) {
		const char *name = text_of(graph->initializer[i]->name);
		if (network_value(network, name))
			fail(network, "two initializers are called '%.80s'", name);
		struct value *value = network_add_value(network, name);
		struct tensor *tensor = model_tensor(network, graph->initializer[i]);
		if (!tensor)
			fail(network, "initializer '%.80s' has elements of type %d of ONNX, which loopc has not", name,
				graph->initializer[i]->data_type);
		*value = (struct value){ .name = value->name, .hash_next = value->hash_next, .is_known = true,
			.type = tensor->type, .declared = tensor->type, .shape = tensor->shape, .constant = tensor };
	}
	if (graph->n_sparse_initializer)
		fail(network, "it has sparse initializers");
}

static int version_of(struct network *network, const char *domain)
{
	for (int d = 0; d < network->domain_count; d++)
		if (!strcmp(network->domains[d].domain, domain))
			return (int)network->domains[d].version;
	return 0;
}

static struct node *read_node(struct network *network, const Onnx__NodeProto *proto, size_t number)
{
	struct node *node = ARENA_NEW(network->arena, struct node);

	node->proto = proto;
	node->operator = text_of(proto->op_type);
	node->domain = text_of(proto->domain);
	if (!strcmp(node->domain, "ai.onnx"))
		node->domain = "";
	node->name = *text_of(proto->name) ? proto->name :
		arena_printf(network->arena, "%s_%zu", node->operator, number);
	node->version = version_of(network, node->domain);
	node->input_count = (int)proto->n_input;
	node->output_count = (int)proto->n_output;
	node->inputs = ARENA_ARRAY(network->arena, struct value *, node->input_count + 1);
	node->outputs = ARENA_ARRAY(network->arena, struct value *, node->output_count + 1);
	node->order = ARENA_ARRAY(network->arena, int, node->input_count + 1);
	for (int i = 0; i < node->input_count; i++)
		node->order[i] = i;
	for (int o = 0; o < node->output_count; o++) {
		const char *name = text_of(proto->output[o]);
		if (!*name)
			continue;
		if (network_value(network, name))
			fail(network, "'%.80s' is made twice; the second time by node '%.80s'", name, node->name);
		node->outputs[o] = network_add_value(network, name);
		node->outputs[o]->producer = node;
	}
	return node;
}

static void connect(struct network *network, struct node *node)
{
	for (int i = 0; i < node->input_count; i++) {
		const char *name = text_of(node->proto->input[i]);
		if (!*name)
			continue;
		node->inputs[i] = network_value(network, name);
		if (!node->inputs[i])
			fail(network, "node '%.80s' uses '%.80s', which nothing makes", node->name, name);
	}
}

static int height_of(const struct value *value)
{
	return value && value->producer ? value->producer->height : 0;
}

/* What the outputs need, each node after those that it uses: a walk from the outputs, without
 * recursion, as a chain may be as long as the file. */
static void order(struct network *network, int limit)
{
	struct entry { struct node *node; int next; };
	struct entry *stack = ARENA_ARRAY(network->arena, struct entry, limit + 1);

	network->node_count = 0;
	for (int o = 0; o < network->output_count; o++) {
		int depth = 0;
		if (network->outputs[o]->producer && !network->outputs[o]->producer->is_done)
			stack[depth++] = (struct entry){ network->outputs[o]->producer, 0 };
		while (depth) {
			struct entry *top = &stack[depth - 1];
			top->node->is_open = true;
			if (top->next == top->node->input_count) {
				top->node->is_done = true;
				network->nodes[network->node_count++] = top->node;
				depth--;
				continue;
			}
			const struct value *input = top->node->inputs[top->node->order[top->next++]];
			struct node *producer = input ? input->producer : NULL;
			if (!producer || producer->is_done)
				continue;
			if (producer->is_open)
				fail(network, "node '%.80s' needs its own result: the graph has a cycle", producer->name);
			stack[depth++] = (struct entry){ producer, 0 };
		}
	}
}

struct branch {
	int input, height;
};

static int by_height(const void *a, const void *b)
{
	const struct branch *x = a, *y = b;

	return x->height != y->height ? (x->height > y->height) - (x->height < y->height) :
		(x->input > y->input) - (x->input < y->input);
}

/* Where branches come together, the longest is made last: it ends next to what joins it, which loopc can
 * fuse with it, and a short one does not stand between.  The order does not depend on that of the operands. */
static void order_branches(struct network *network)
{
	for (int n = 0; n < network->node_count; n++) {
		struct node *node = network->nodes[n];
		struct branch *branches = ARENA_ARRAY(network->arena, struct branch, node->input_count + 1);
		node->is_open = node->is_done = false;
		for (int i = 0; i < node->input_count; i++) {
			branches[i] = (struct branch){ i, height_of(node->inputs[i]) };
			if (branches[i].height >= node->height)
				node->height = branches[i].height + 1;
		}
		qsort(branches, (size_t)node->input_count, sizeof(branches[0]), by_height);
		for (int i = 0; i < node->input_count; i++)
			node->order[i] = branches[i].input;
	}
}

static void count_uses(struct network *network)
{
	for (int n = 0; n < network->node_count; n++) {
		network->nodes[n]->is_done = false;
		for (int i = 0; i < network->nodes[n]->input_count; i++)
			if (network->nodes[n]->inputs[i]) {
				network->nodes[n]->inputs[i]->uses++;
				network->nodes[n]->inputs[i]->user = network->nodes[n];
			}
	}
	for (int o = 0; o < network->output_count; o++)
		network->outputs[o]->uses++;
}

static void read_domains(struct network *network, const Onnx__ModelProto *model)
{
	network->domains = ARENA_ARRAY(network->arena, struct domain_version, model->n_opset_import + 1);
	for (size_t d = 0; d < model->n_opset_import; d++) {
		const char *domain = text_of(model->opset_import[d]->domain);
		int64_t version = model->opset_import[d]->version;

		if (version < 0 || version > 100000)
			fail(network, "operator set '%.80s' has version %lld", domain, (long long)version);
		network->domains[network->domain_count++] = (struct domain_version){
			strcmp(domain, "ai.onnx") ? domain : "", version };
	}
	network->opset = version_of(network, "");
	if (network->opset < 1)
		fail(network, "it does not say which operator set it is written in");
	if (network->opset > 18)
		fail(network, "it is written in operator set %d; sets up to 18 are read: export it with opset_version=17",
			network->opset);
}

static void read_graph(struct network *network, const Onnx__GraphProto *graph)
{
	if (graph->n_node > NODE_LIMIT)
		fail(network, "it has %zu nodes; there may be %d", graph->n_node, NODE_LIMIT);
	if (!graph->n_output)
		fail(network, "it has no output");
	network->inputs = ARENA_ARRAY(network->arena, struct value *, graph->n_input + 1);
	network->outputs = ARENA_ARRAY(network->arena, struct value *, graph->n_output);
	network->nodes = ARENA_ARRAY(network->arena, struct node *, graph->n_node + 1);
	struct node **nodes = ARENA_ARRAY(network->arena, struct node *, graph->n_node + 1);

	read_initializers(network, graph);
	for (size_t i = 0; i < graph->n_input; i++)
		read_input(network, graph->input[i]);
	for (size_t n = 0; n < graph->n_node; n++) {
		nodes[n] = read_node(network, graph->node[n], n);
		if (!nodes[n]->version && !strcmp(nodes[n]->domain, ""))
			nodes[n]->version = network->opset;
	}
	for (size_t n = 0; n < graph->n_node; n++)
		connect(network, nodes[n]);
	for (size_t o = 0; o < graph->n_output; o++) {
		const char *name = text_of(graph->output[o]->name);
		struct value *value = network_value(network, name);

		if (!value)
			fail(network, "nothing makes the output '%.80s'", name);
		if (value->is_output)
			fail(network, "'%.80s' is an output twice", name);
		value->is_output = true;
		network->outputs[network->output_count++] = value;
	}
	order(network, (int)graph->n_node);
	order_branches(network);
	order(network, (int)graph->n_node);
	count_uses(network);
}

void model_read(struct network *network)
{
	Onnx__ModelProto *model = (Onnx__ModelProto *)read_message(network, network->file,
		&onnx__model_proto__descriptor);

	if (!model->graph)
		fail(network, "not a model: it has no graph");
	read_domains(network, model);
	read_graph(network, model->graph);
	for (int d = 0; d < network->define_count; d++)
		if (!network->defines[d].is_used)
			fail(network, "-D %s: no dimension of an input is called so", network->defines[d].name);
}
