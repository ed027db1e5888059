#include "onnx/network.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void fail(struct network *network, const char *format, ...)
{
	va_list arguments;

	fflush(stdout);
	fprintf(stderr, "loopc-onnx: error: %s: ", network->file);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	putc('\n', stderr);
	longjmp(*network->failed, 1);
}

void refuse(struct network *network, const char *format, ...)
{
	struct refusal *refusal = ARENA_NEW(network->arena, struct refusal);
	va_list arguments;
	char text[600];

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	refusal->node = network->node;
	refusal->reason = arena_strdup(network->arena, text);
	*network->last_refusal = refusal;
	network->last_refusal = &refusal->next;
	longjmp(*network->refused, 1);
}

static unsigned hash_of(const char *name)
{
	unsigned hash = 2166136261u;
	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return hash % HASH_SIZE;
}

struct value *network_value(struct network *network, const char *name)
{
	struct value *value = network->hash[hash_of(name)];

	while (value && strcmp(value->name, name))
		value = value->hash_next;
	return value;
}

static struct value *value_new(struct network *network, const char *name)
{
	struct value *value = ARENA_NEW(network->arena, struct value);

	value->name = name;
	return value;
}

struct value *network_add_value(struct network *network, const char *name)
{
	struct value *value = value_new(network, name), **bucket = &network->hash[hash_of(name)];

	value->hash_next = *bucket;
	*bucket = value;
	return value;
}

static void set_type(struct value *value, enum type type, const struct shape *shape)
{
	value->type = value->declared = type;
	value->shape = *shape;
	value->is_known = true;
}

struct value *network_constant(struct network *network, const char *name, struct tensor *tensor)
{
	struct value *value = value_new(network, name);

	set_type(value, tensor->type, &tensor->shape);
	value->constant = tensor;
	return value;
}

struct value *network_temporary(struct network *network, const char *name, enum type type,
	const struct shape *shape)
{
	struct value *value = value_new(network, name);

	set_type(value, type, shape);
	value->uses = 1;
	return value;
}

void network_append(struct network *network, struct nest *nest)
{
	nest->next = NULL;
	if (network->last_nest)
		network->last_nest->next = nest;
	else
		network->first_nest = nest;
	network->last_nest = nest;
	nest->result->nest = nest;
}

void network_insert_before(struct network *network, struct nest *place, struct nest *nest)
{
	struct nest **at = &network->first_nest;

	while (*at != place)
		at = &(*at)->next;
	nest->next = place;
	*at = nest;
	nest->result->nest = nest;
}

void network_remove(struct network *network, struct nest *nest)
{
	struct nest **at = &network->first_nest, *previous = NULL;

	while (*at != nest) {
		previous = *at;
		at = &(*at)->next;
	}
	*at = nest->next;
	if (network->last_nest == nest)
		network->last_nest = previous;
}
