/* What the body of an emitted function uses, so that nothing unused is declared. */

#include "codegen/writer.h"

#include <string.h>

#include "codegen/transfer.h"

bool writer_uses(const struct writer *writer, const void *object)
{
	for (int i = 0; i < writer->used_count; i++)
		if (writer->used[i] == object)
			return true;
	return false;
}

static void use(struct writer *writer, const void *object)
{
	if (!object || writer_uses(writer, object))
		return;
	writer->used = arena_grow(writer->printer.arena, writer->used, (size_t)writer->used_count,
		&writer->used_capacity, sizeof *writer->used);
	writer->used[writer->used_count++] = object;
}

static void use_expr(struct writer *writer, const struct plan_expr *expr)
{
	if (!expr)
		return;
	use(writer, expr->var);
	for (int i = 0; i < plan_operand_count(expr->op); i++)
		use_expr(writer, expr->operands[i]);
}

static void use_affine(struct writer *writer, struct affine affine)
{
	for (int k = 0; k < SYMBOLIC_LIMIT; k++)
		if (affine_size(affine, k))
			use(writer, writer->printer.plan->sizes[k]);
}

static void use_transfer(struct writer *writer, const struct plan_transfer *transfer)
{
	const struct plan_buffer *buffer = transfer->buffer;
	const char **names = &writer->tags[transfer->tag & 31];

	use(writer, buffer->array);
	use_expr(writer, transfer->slot ? transfer->slot : buffer->slot);
	for (int k = 0; k < writer->printer.plan->function->symbolic_count; k++)
		if (transfer_has_size(&writer->forms, transfer, k))
			use(writer, writer->printer.plan->sizes[k]);
	for (int d = 0; d < buffer->rank; d++) {
		use_expr(writer, transfer->first[d]);
		use_expr(writer, transfer->count[d]);
		use_expr(writer, transfer->local[d]);
	}
	if (!*names)
		*names = buffer->name;
	else if (!strstr(*names, buffer->name))
		*names = arena_printf(writer->printer.arena, "%s, %s", *names, buffer->name);
}

static void use_access(struct writer *writer, const struct plan_node *node, int access)
{
	const struct plan_buffer *buffer = node->buffers[access];

	if (!buffer) {
		use(writer, node->statement->accesses[access].array);
		return;
	}
	use(writer, buffer);
	if (buffer->slots > 1)
		use_expr(writer, buffer->slot);
	for (int d = 0; d < buffer->rank; d++)
		use_expr(writer, access_coordinate(&writer->printer, node, access, d));
}

static void use_value(struct writer *writer, const struct plan_node *node, const struct expr *value)
{
	if (value->kind == EXPR_ACCESS)
		use_access(writer, node, value->access);
	if (value->kind == EXPR_AFFINE)
		use_expr(writer, affine_value(&writer->printer, node, value->affine));
	for (int i = 0; i < value->operand_count; i++)
		use_value(writer, node, value->operands[i]);
}

static void use_word(struct writer *writer, const struct plan_buffer *buffer, const struct plan_expr *slot,
	struct plan_expr *const *at)
{
	if (!buffer)
		return;
	use(writer, buffer);
	use_expr(writer, slot);
	for (int d = 0; d < buffer->rank; d++)
		use_expr(writer, at[d]);
}

static void use_compute(struct writer *writer, const struct plan_node *node)
{
	use_access(writer, node, 0);
	use_value(writer, node, node->statement->value);
}

void writer_use_node(struct writer *writer, const struct plan_node *node)
{
	use_expr(writer, node->lower);
	use_expr(writer, node->upper);
	use_expr(writer, node->condition);
	if (node->kind == PLAN_TRANSFER)
		use_transfer(writer, &node->transfer);
	if (node->kind == PLAN_COMPUTE)
		use_compute(writer, node);
	if (node->kind == PLAN_MOVE) {
		use_word(writer, node->move->from, node->move->from_slot, node->move->from_at);
		use_word(writer, node->move->to, node->move->to_slot, node->move->to_at);
	}
	if (node->body)
		writer_use_node(writer, node->body);
	for (int i = 0; i < node->child_count; i++)
		writer_use_node(writer, node->children[i]);
}

void writer_use_workspace(struct writer *writer)
{
	const struct plan *plan = writer->printer.plan;
	int last = 0;

	for (int i = 0; i < plan->function->array_count; i++)
		if (plan->workspace_offset[i] >= 0 && writer_uses(writer, plan->function->arrays[i]))
			last = i;
	for (int i = 0; i < last; i++)
		for (int d = 0; d < plan->function->arrays[i]->rank && plan->workspace_offset[i] >= 0; d++)
			use_affine(writer, plan->function->arrays[i]->shape[d]);
}
