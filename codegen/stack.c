/* How much stack the emitted function can need. */

#include "codegen/codegen.h"

#include "ir/plan_box.h"

/* Frames that compilers made at -Os to -O3, with -mavx2 and without, stay below:
 * a fixed part for saved registers and alignment, a place for every variable that
 * may be spilled, and, as vectorised loops spill whole vectors, several for each
 * leaf of a computed expression.  tests/plan compares with -fstack-usage. */
enum {
	FRAME_BYTES = 512,
	VARIABLE_BYTES = 16,
	LEAF_BYTES = 128,
	TRANSFER_FRAME_BYTES = 512
};

static long expr_leaves(const struct expr *expr)
{
	long leaves = 1;

	for (int i = 0; i < expr->operand_count; i++)
		leaves += expr_leaves(expr->operands[i]);
	return leaves;
}

static long node_bytes(const struct plan_node *node)
{
	long bytes = node->var ? VARIABLE_BYTES : 0;

	if (node->kind == PLAN_COMPUTE)
		bytes += expr_leaves(node->statement->value) * LEAF_BYTES;
	if (node->kind == PLAN_TRANSFER)
		bytes += VARIABLE_BYTES * 3 * node->transfer.buffer->rank;
	if (node->body)
		bytes += node_bytes(node->body);
	for (int i = 0; i < node->child_count; i++)
		bytes += node_bytes(node->children[i]);
	return bytes;
}

long codegen_stack_bytes(const struct plan *plan)
{
	long bytes = FRAME_BYTES + TRANSFER_FRAME_BYTES;

	bytes += VARIABLE_BYTES * (plan->function->array_count + plan->buffer_count);
	for (int i = 0; i < plan->nest_count; i++)
		bytes += node_bytes(plan->nests[i].body);
	return bytes;
}
