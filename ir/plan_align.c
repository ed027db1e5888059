/* Copies that a DMA controller of coarse addresses can do. */

#include "ir/plan_align.h"

#include "ir/plan_box.h"

/* A value is REST modulo MODULUS, a power of two that divides the alignment. */
struct residue {
	long modulus, rest;
};

/* The variables around a node, innermost first. */
struct scope {
	const struct scope *outer;
	const struct plan_var *var;
	struct residue residue;
};

struct alignment {
	long bytes;
};

static struct residue residue_make(long modulus, long rest)
{
	return (struct residue){ modulus, ((rest % modulus) + modulus) % modulus };
}

/* The largest power of two that divides VALUE, no more than LIMIT; of 0, LIMIT. */
static long power_in(long value, long limit)
{
	long power = 1;
	while (power < limit && value % (2 * power) == 0)
		power *= 2;
	return power;
}

static long smaller(long a, long b)
{
	return a < b ? a : b;
}

/* What two values that may each be this one are for sure. */
static struct residue either(struct residue a, struct residue b)
{
	long modulus = power_in(a.rest - b.rest, smaller(a.modulus, b.modulus));
	return residue_make(modulus, a.rest);
}

static struct residue product(struct residue a, struct residue b, long limit)
{
	/* (ma x + ra)(mb y + rb): each of the three terms but ra rb is a multiple of this */
	long modulus = smaller(a.modulus * power_in(b.rest, limit), b.modulus * power_in(a.rest, limit));
	modulus = smaller(smaller(modulus, a.modulus * b.modulus), limit);
	return residue_make(modulus, a.rest * b.rest);
}

static struct residue residue_of(const struct plan_expr *expr, const struct scope *scope,
	long limit);

/* x / d and x mod d with a constant d > 0. */
static struct residue division(const struct plan_expr *expr, const struct scope *scope, long limit)
{
	long divisor = expr->operands[1]->op == PLAN_CONST ? expr->operands[1]->value : 0;
	if (divisor <= 0)
		return residue_make(1, 0);
	struct residue a = residue_of(expr->operands[0], scope, limit);
	if (expr->op == PLAN_MOD)
		return residue_make(smaller(a.modulus, power_in(divisor, limit)), a.rest);
	return a.modulus % divisor == 0 ? residue_make(a.modulus / divisor, a.rest / divisor) :
		residue_make(1, 0);
}

static struct residue residue_of(const struct plan_expr *expr, const struct scope *scope, long limit)
{
	struct residue a, b;
	if (expr->op == PLAN_CONST)
		return residue_make(limit, expr->value);
	if (expr->op == PLAN_VAR) {
		while (scope && scope->var != expr->var)
			scope = scope->outer;
		return scope ? scope->residue : residue_make(1, 0);
	}
	if (expr->op == PLAN_FLOORDIV || expr->op == PLAN_MOD)
		return division(expr, scope, limit);
	if (expr->op == PLAN_SELECT)
		return either(residue_of(expr->operands[1], scope, limit),
			residue_of(expr->operands[2], scope, limit));
	if (plan_operand_count(expr->op) != 2)
		return residue_make(1, 0);
	a = residue_of(expr->operands[0], scope, limit);
	b = residue_of(expr->operands[1], scope, limit);
	switch (expr->op) {
	case PLAN_ADD: return residue_make(smaller(a.modulus, b.modulus), a.rest + b.rest);
	case PLAN_SUB: return residue_make(smaller(a.modulus, b.modulus), a.rest - b.rest);
	case PLAN_MUL: return product(a, b, limit);
	case PLAN_MIN: case PLAN_MAX: return either(a, b);
	default: return residue_make(1, 0);
	}
}

static struct residue times(struct residue a, long factor, long limit)
{
	return product(a, residue_make(limit, factor), limit);
}

static struct residue plus(struct residue a, struct residue b)
{
	return residue_make(smaller(a.modulus, b.modulus), a.rest + b.rest);
}

static bool is_multiple(const struct alignment *alignment, struct residue a)
{
	return a.modulus >= alignment->bytes && a.rest == 0;
}

/* ---- one transfer ---- */

/* The same times a number that nothing is known of. */
static struct residue scaled(struct residue a, bool is_scaled)
{
	return is_scaled ? residue_make(power_in(a.rest, a.modulus), 0) : a;
}

static bool is_symbolic_behind(const struct plan_buffer *buffer, int d)
{
	for (int i = d + 1; i < buffer->rank; i++)
		if (affine_is_symbolic(buffer->array->shape[i]))
			return true;
	return false;
}

/* Where the transfer begins in its array, bytes. */
static struct residue ext_offset(const struct alignment *alignment,
	const struct plan_transfer *transfer, const struct scope *scope)
{
	const struct plan_buffer *buffer = transfer->buffer;
	long limit = alignment->bytes, bytes = buffer->array->type.bytes;
	struct residue sum = residue_make(limit, 0);
	for (int d = 0; d < buffer->rank; d++) {
		const struct plan_dim *dim = &buffer->dims[d];
		long row = plan_ext_stride(buffer, d) / dim->stride * bytes;
		struct residue index = plus(times(residue_of(transfer->first[d], scope, limit),
			dim->stride, limit), residue_make(limit, dim->phase));
		sum = plus(sum, scaled(times(index, row, limit), is_symbolic_behind(buffer, d)));
	}
	return sum;
}

/* Where it begins in the scratchpad. */
static struct residue loc_offset(const struct alignment *alignment,
	const struct plan_transfer *transfer, const struct scope *scope)
{
	const struct plan_buffer *buffer = transfer->buffer;
	const struct plan_expr *slot = transfer->slot ? transfer->slot : buffer->slot;
	long limit = alignment->bytes, bytes = buffer->array->type.bytes;
	struct residue sum = residue_make(limit, buffer->offset_bytes);
	for (int d = 0; d < buffer->rank; d++)
		sum = plus(sum, times(residue_of(transfer->local[d], scope, limit),
			plan_loc_stride(buffer, d) * bytes, limit));
	if (slot && buffer->slots > 1)
		sum = plus(sum, times(residue_of(slot, scope, limit), plan_slot_elems(buffer) * bytes,
			limit));
	return sum;
}

/* The bytes of its run. */
static struct residue run_bytes(const struct alignment *alignment,
	const struct plan_transfer *transfer, const struct plan_box_dim *run, const struct scope *scope)
{
	long limit = alignment->bytes;
	struct residue bytes = residue_make(limit, transfer->buffer->array->type.bytes);
	for (int d = run->from; d < run->to; d++)
		bytes = product(bytes, residue_of(transfer->count[d], scope, limit), limit);
	return bytes;
}

/* What of the transfer is no multiple; NULL: nothing. */
static const char *complaint(const struct alignment *alignment,
	const struct plan_transfer *transfer, const struct scope *scope)
{
	struct plan_box box;
	plan_box(transfer, &box);
	if (!is_multiple(alignment, ext_offset(alignment, transfer, scope)))
		return "begins at other addresses of external memory";
	if (!is_multiple(alignment, loc_offset(alignment, transfer, scope)))
		return "begins at other addresses of the scratchpad";
	if (!is_multiple(alignment, run_bytes(alignment, transfer, &box.dims[box.rank - 1], scope)))
		return "has runs of other lengths";
	for (int i = 0; i + 1 < box.rank; i++)
		if (box.dims[i].ext_stride_bytes % alignment->bytes)
			return "has rows at other distances in external memory";
		else if (box.dims[i].loc_stride_bytes % alignment->bytes)
			return "has rows at other distances in the scratchpad";
	return NULL;
}

void misaligned_report(const struct arch *arch, struct location location,
	const struct misaligned *misaligned, struct diag *diag)
{
	const struct array *array = misaligned->array;
	long bytes = arch->dma_align_bytes;
	diag_error(diag, location, "nothing fits: the DMA of '%s' takes addresses, strides and "
		"lengths that are multiples of %ld bytes, and a copy of '%s' %s", arch->name, bytes,
		array->source_name, misaligned->why);
	diag_note(diag, array->location, "what does: rows of '%s' (pad its last extent) and tiles of "
		"them that are multiples of %ld elements, without a border", array->source_name,
		bytes / array->type.bytes);
}

/* ---- the tree ---- */

static struct misaligned find_in(const struct alignment *alignment, const struct plan_node *node,
	const struct scope *scope)
{
	struct misaligned found = { NULL, NULL };
	struct scope inner = { scope, node->var, { 1, 0 } };
	if (node->kind == PLAN_TRANSFER) {
		found.why = complaint(alignment, &node->transfer, scope);
		found.array = found.why ? node->transfer.buffer->array : NULL;
		return found;
	}
	if (node->var) {
		inner.residue = residue_of(node->lower, scope, alignment->bytes);
		if (node->kind == PLAN_LOOP)
			inner.residue = residue_make(smaller(inner.residue.modulus,
				power_in(node->step, alignment->bytes)), inner.residue.rest);
		scope = &inner;
	}
	for (int i = 0; i < node->child_count && !found.array; i++)
		found = find_in(alignment, node->children[i], scope);
	return found.array || !node->body ? found : find_in(alignment, node->body, scope);
}

struct misaligned plan_nest_misaligned(const struct plan *plan, const struct plan_nest *nest)
{
	struct alignment alignment = { plan->arch->dma_align_bytes };
	return alignment.bytes > 1 ? find_in(&alignment, nest->body, NULL)
		: (struct misaligned){ NULL, NULL };
}

bool plan_check_alignment(const struct plan *plan, struct diag *diag)
{
	for (int n = 0; n < plan->nest_count; n++) {
		struct misaligned found = plan_nest_misaligned(plan, &plan->nests[n]);
		if (!found.array)
			continue;
		misaligned_report(plan->arch, plan->nests[n].location, &found, diag);
		return false;
	}
	return true;
}
