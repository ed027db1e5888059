/* How much stack the emitted function needs. */

#include "codegen/codegen.h"

#include "ir/plan_box.h"

/* No compiler promises the size of a frame.  These are fitted to what gcc's -fstack-usage says
 * of the examples on x86-64, from -O0 to -O2 and at -Os, and rounded up; tests/plan and
 * tests/driver compare.  At -O3 loops are unrolled and vectorised, and frames may be larger. */
enum {
	SAVED_BYTES = 80,            /* registers, return address, alignment */
	POINTER_BYTES = 8,           /* an array's address, or a buffer's */
	VALUE_BYTES = 8,             /* a variable; what is computed ahead of its use: each
	                              * dimension of a transfer, each operand of a statement */
	BOX_BYTES = 152,             /* lrt_box, where counts are known at run time only */
	TRANSFER_BYTES = 64          /* the frame of a transfer's function but for its box */
};

/* What the compiler may have to keep of a tree, at once at most. */
struct needs {
	long variables, ranks;       /* of all loops and named values, of all transfers */
	long operands;               /* of the statement that has most */
	long boxes;                  /* that are made at run time */
};

static long operands_of(const struct expr *expr)
{
	long operands = expr->operand_count ? 0 : 1;

	for (int i = 0; i < expr->operand_count; i++)
		operands += operands_of(expr->operands[i]);
	return operands;
}

/* The box is no constant. */
static bool makes_box(const struct plan_transfer *transfer)
{
	for (int d = 0; d < transfer->buffer->rank; d++) {
		long min, max;

		plan_range(transfer->count[d], &min, &max);
		if (min != max || affine_is_symbolic(transfer->buffer->array->shape[d]))
			return true;
	}
	return false;
}

static void add_needs(const struct plan_node *node, struct needs *needs)
{
	needs->variables += node->var != NULL;
	if (node->kind == PLAN_COMPUTE) {
		long operands = operands_of(node->statement->value);

		if (operands > needs->operands)
			needs->operands = operands;
	}
	if (node->kind == PLAN_MOVE)
		needs->ranks += node->move->to->rank + (node->move->from ? node->move->from->rank : 0);
	if (node->kind == PLAN_TRANSFER) {
		needs->ranks += node->transfer.buffer->rank;
		needs->boxes += makes_box(&node->transfer);
	}
	if (node->body)
		add_needs(node->body, needs);
	for (int i = 0; i < node->child_count; i++)
		add_needs(node->children[i], needs);
}

/* Transfers that are called once become part of the function; no more than two boxes are
 * found to be in use at a time. */
static long bytes_of(const struct needs *needs)
{
	return VALUE_BYTES * (needs->variables + needs->ranks + needs->operands)
		+ BOX_BYTES * (needs->boxes < 2 ? needs->boxes : 2);
}

/* Nests follow each other: the most demanding one counts.  Only without optimisation has each
 * variable of the function a place of its own, and then no value is computed ahead. */
long codegen_stack_bytes(const struct plan *plan)
{
	long bytes = 0, variables = 0, boxes = 0, registers = 0;

	for (int n = 0; n < plan->nest_count; n++) {
		struct needs needs = { 0 };

		add_needs(plan->nests[n].body, &needs);
		variables += needs.variables;
		boxes += needs.boxes;
		if (bytes_of(&needs) > bytes)
			bytes = bytes_of(&needs);
	}
	for (int i = 0; i < plan->buffer_count; i++)
		registers += plan->buffers[i]->home == IN_SCRATCHPAD ? 0 : plan->buffers[i]->bytes;
	if (variables * VALUE_BYTES > bytes)
		bytes = variables * VALUE_BYTES;
	return bytes + registers + SAVED_BYTES + TRANSFER_BYTES + (boxes ? BOX_BYTES : 0)
		+ POINTER_BYTES * (plan->function->array_count + plan->buffer_count);
}
