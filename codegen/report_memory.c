/* What a report says of the memories on chip: where the buffers lie. */

#include "codegen/report_memory.h"

#include "codegen/codegen.h"

/* Whether a transfer or a computation below NODE uses BUFFER. */
static bool node_uses(const struct plan_node *node, const struct plan_buffer *buffer)
{
	if (!node)
		return false;
	for (int c = 0; c < node->child_count; c++)
		if (node_uses(node->children[c], buffer))
			return true;
	if (node->kind == PLAN_TRANSFER)
		return node->transfer.buffer == buffer;
	if (node->kind == PLAN_MOVE)
		return node->move->from == buffer || node->move->to == buffer;
	if (node->kind == PLAN_COMPUTE)
		for (int a = 0; a < node->statement->access_count; a++)
			if (node->buffers[a] == buffer)
				return true;
	return node_uses(node->body, buffer);
}

static json_t *buffers_json(const struct plan *plan, const struct plan_nest *nest)
{
	json_t *list = json_array();
	for (int b = 0; b < plan->buffer_count; b++) {
		const struct plan_buffer *buffer = plan->buffers[b];
		if (buffer->home != IN_SCRATCHPAD || !node_uses(nest->body, buffer))
			continue;
		json_t *extents = json_array();
		for (int d = 0; d < buffer->rank; d++)
			json_array_append_new(extents, json_integer(buffer->dims[d].extent));
		json_t *entry = json_pack("{ss ss sI sI sI so sb}", "name", buffer->name,
			"array", buffer->array->name, "offset_bytes", (json_int_t)buffer->offset_bytes,
			"bytes", (json_int_t)buffer->bytes, "slots", (json_int_t)buffer->slots,
			"extents", extents, "double", buffer->is_double);
		if (entry && buffer->bank >= 0) {
			json_object_set_new(entry, "bank", json_integer(buffer->bank));
			json_object_set_new(entry, "banks", json_integer(buffer->bank_count));
		}
		if (entry && arch_memory_count(plan->arch) > 1)
			json_object_set_new(entry, "memory",
				json_string(arch_memory(plan->arch, buffer->memory).name));
		json_array_append_new(list, entry);
	}
	return list;
}

/* What NEST uses of each of several memories. */
static json_t *memories_json(const struct plan *plan, const struct plan_nest *nest)
{
	json_t *list = json_array();
	for (int m = 0; m < plan->arch->memory_count; m++)
		json_array_append_new(list, json_pack("{ss sI}", "name", plan->arch->memories[m].name,
			"used_bytes", (json_int_t)nest->memory_used_bytes[m]));
	return list;
}

json_t *report_memory_json(const struct plan *plan, const struct plan_nest *nest)
{
	json_t *entry = json_pack("{sI so}", "used_bytes", (json_int_t)nest->scratchpad_used_bytes,
		"buffers", buffers_json(plan, nest));
	if (entry && plan->arch->memory_count)
		json_object_set_new(entry, "memories", memories_json(plan, nest));
	return entry;
}

json_t *report_arch_json(const struct arch *arch)
{
	json_t *entry = json_pack("{ss sI}", "name", arch->name,
		"scratchpad_bytes", (json_int_t)arch->scratchpad_bytes);
	json_t *memories = json_array();
	for (int m = 0; m < arch->memory_count; m++)
		json_array_append_new(memories, json_pack("{ss sI}", "name", arch->memories[m].name,
			"bytes", (json_int_t)arch->memories[m].bytes));
	if (entry && arch->memory_count)
		json_object_set(entry, "memories", memories);
	json_decref(memories);
	return entry;
}

/* The buffers of NEST that lie in memory M. */
static void memory_text(FILE *out, const struct plan *plan, const struct plan_nest *nest, int m)
{
	const struct arch_memory memory = arch_memory(plan->arch, m);
	fprintf(out, "  %s: %s of %s bytes used%s\n", memory.name,
		report_number(nest->memory_used_bytes[m]), report_number(memory.bytes), nest->is_double && !m ? ", double buffered" : "");
	for (int b = 0; b < plan->buffer_count; b++) {
		const struct plan_buffer *buffer = plan->buffers[b];
		if (buffer->home != IN_SCRATCHPAD || buffer->memory != m || !node_uses(nest->body, buffer))
			continue;
		fprintf(out, "    %-14s %10s bytes at %10s ", buffer->name,
			report_number(buffer->bytes), report_number(buffer->offset_bytes));
		if (buffer->bank_count > 0)
			fprintf(out, " banks %d..%d ", buffer->bank, buffer->bank + buffer->bank_count - 1);
		for (int d = 0; d < buffer->rank; d++)
			fprintf(out, "%s[%ld]", d ? "" : " ", buffer->dims[d].extent);
		if (buffer->slots > 1)
			fprintf(out, " x %ld slots", buffer->slots);
		putc('\n', out);
	}
}

void report_memory_text(FILE *out, const struct plan *plan, const struct plan_nest *nest)
{
	for (int m = 0; m < arch_memory_count(plan->arch); m++)
		/* nothing bypasses memories but what is told */
		if (!m || m != plan->arch->bypass_memory || nest->memory_used_bytes[m] > 0)
			memory_text(out, plan, nest, m);
	fprintf(out, "  stack: about %s bytes, by gcc up to -O2\n", report_number(codegen_stack_bytes(plan)));
}
