/* Counts what a plan moves by walking its loops.  The tree is first copied without
 * what moves nothing, its variables resolved to cells, so that a walk is cheap. */

#include "ir/plan_count.h"

#include <string.h>

struct cell {
	const struct plan_var *var;
	long value;
	struct cell *next;
};

struct formula {
	enum plan_op op;
	long value;
	struct cell *cell;
	struct formula *operands[3];
};

/* Bytes of each array, and commands; kept apart so that iterations that are alike
 * can be multiplied. */
struct tally {
	long commands;
	long *read_bytes, *write_bytes;
};

/* What moves nothing is left out: a node has children only if there is a transfer
 * below.  SKIPS: a loop all of whose iterations move the same, PART. */
struct step {
	enum plan_kind kind;
	bool skips;
	struct tally part;
	struct cell *cell;
	struct formula *lower, *upper;
	long stride;
	int formula_count;           /* PLAN_TRANSFER: the counts */
	struct formula **formulas;
	int array;
	bool is_put;
	long element_bytes;
	struct step *child, *sibling;
};

struct counter {
	struct arena *arena;
	struct cell *cells;
	const struct function *function;
	long steps;
};

static struct cell *find_cell(struct counter *counter, const struct plan_var *var)
{
	struct cell *cell = counter->cells;

	while (cell && cell->var != var)
		cell = cell->next;
	if (!cell) {
		cell = ARENA_NEW(counter->arena, struct cell);
		cell->var = var;
		cell->next = counter->cells;
		counter->cells = cell;
	}
	return cell;
}

static struct formula *compile_expr(struct counter *counter, const struct plan_expr *expr)
{
	struct formula *formula = ARENA_NEW(counter->arena, struct formula);

	formula->op = expr->op;
	formula->value = expr->value;
	if (expr->op == PLAN_VAR)
		formula->cell = find_cell(counter, expr->var);
	for (int i = 0; i < plan_operand_count(expr->op); i++)
		formula->operands[i] = compile_expr(counter, expr->operands[i]);
	return formula;
}

static long evaluate(const struct formula *formula)
{
	long a, b;

	switch (formula->op) {
	case PLAN_CONST:
		return formula->value;
	case PLAN_VAR:
		return formula->cell->value;
	case PLAN_NOT:
		return !evaluate(formula->operands[0]);
	case PLAN_SELECT:
		return evaluate(formula->operands[evaluate(formula->operands[0]) ? 1 : 2]);
	default:
		a = evaluate(formula->operands[0]);
		b = evaluate(formula->operands[1]);
		return plan_apply(formula->op, a, b, 0);
	}
}

static bool mentions(const struct formula *formula, const struct cell *cell)
{
	if (!formula)
		return false;
	if (formula->op == PLAN_VAR)
		return formula->cell == cell;
	for (int i = 0; i < plan_operand_count(formula->op); i++)
		if (mentions(formula->operands[i], cell))
			return true;
	return false;
}

/* Whether what STEP and its siblings move depends on CELL. */
static bool depends(const struct step *step, const struct cell *cell)
{
	for (; step; step = step->sibling) {
		if (mentions(step->upper, cell))
			return true;
		if (mentions(step->lower, cell)
			&& (step->kind != PLAN_LET || depends(step->child, step->cell)))
			return true;
		for (int i = 0; i < step->formula_count; i++)
			if (mentions(step->formulas[i], cell))
				return true;
		if (depends(step->child, cell))
			return true;
	}
	return false;
}

static void new_tally(struct counter *counter, struct tally *tally)
{
	size_t count = (size_t)counter->function->array_count + 1;

	tally->read_bytes = ARENA_ARRAY(counter->arena, long, count);
	tally->write_bytes = ARENA_ARRAY(counter->arena, long, count);
}

static struct step *compile_node(struct counter *counter, const struct plan_node *node);

static struct step *compile_block(struct counter *counter, const struct plan_node *block)
{
	struct step *first = NULL, **end = &first;

	for (int i = 0; i < block->child_count; i++) {
		*end = compile_node(counter, block->children[i]);
		while (*end)
			end = &(*end)->sibling;
	}
	return first;
}

static struct step *compile_transfer(struct counter *counter, const struct plan_transfer *transfer)
{
	struct step *step = ARENA_NEW(counter->arena, struct step);
	int rank = transfer->buffer->rank;

	step->kind = PLAN_TRANSFER;
	step->is_put = transfer->is_put;
	step->array = transfer->buffer->array->index;
	step->element_bytes = transfer->buffer->array->type.bytes;
	step->formula_count = rank;
	step->formulas = ARENA_ARRAY(counter->arena, struct formula *, rank + 1);
	for (int d = 0; d < rank; d++)
		step->formulas[d] = compile_expr(counter, transfer->count[d]);
	return step;
}

static struct step *compile_node(struct counter *counter, const struct plan_node *node)
{
	struct step *step, *child;

	switch (node->kind) {
	case PLAN_BLOCK:
		return compile_block(counter, node);
	case PLAN_TRANSFER:
		return compile_transfer(counter, &node->transfer);
	case PLAN_LOOP:
	case PLAN_LET:
	case PLAN_IF:
		child = compile_block(counter, node->body);
		if (!child)
			return NULL;
		break;
	default:
		return NULL;
	}
	step = ARENA_NEW(counter->arena, struct step);
	step->kind = node->kind;
	step->child = child;
	step->stride = node->step;
	if (node->kind == PLAN_IF) {
		step->upper = compile_expr(counter, node->condition);
		return step;
	}
	step->cell = find_cell(counter, node->var);
	step->lower = compile_expr(counter, node->lower);
	if (node->kind == PLAN_LOOP) {
		step->upper = compile_expr(counter, node->upper);
		step->skips = !depends(child, step->cell);
		if (step->skips)
			new_tally(counter, &step->part);
	}
	return step;
}

/* TALLY += FACTOR * PART. */
static bool add_tally(const struct counter *counter, struct tally *tally, long factor,
	const struct tally *part)
{
	long product;
	bool overflow = __builtin_mul_overflow(factor, part->commands, &product)
		|| __builtin_add_overflow(tally->commands, product, &tally->commands);

	for (int a = 0; a < counter->function->array_count && !overflow; a++)
		overflow = __builtin_mul_overflow(factor, part->read_bytes[a], &product)
			|| __builtin_add_overflow(tally->read_bytes[a], product, &tally->read_bytes[a])
			|| __builtin_mul_overflow(factor, part->write_bytes[a], &product)
			|| __builtin_add_overflow(tally->write_bytes[a], product,
				&tally->write_bytes[a]);
	return !overflow;
}

static bool count_transfer(const struct step *step, struct tally *tally)
{
	long bytes = step->element_bytes, *sum = step->is_put ? tally->write_bytes : tally->read_bytes;

	for (int d = 0; d < step->formula_count; d++) {
		long count = evaluate(step->formulas[d]);

		if (count <= 0)
			return true;
		if (__builtin_mul_overflow(bytes, count, &bytes))
			return false;
	}
	tally->commands++;
	return !__builtin_add_overflow(sum[step->array], bytes, &sum[step->array]);
}

static bool count_steps(struct counter *counter, struct step *step, struct tally *tally);

static bool count_alike(struct counter *counter, struct step *loop, long trips,
	struct tally *tally)
{
	struct tally *part = &loop->part;
	size_t bytes = (size_t)counter->function->array_count * sizeof *part->read_bytes;

	part->commands = 0;
	memset(part->read_bytes, 0, bytes);
	memset(part->write_bytes, 0, bytes);
	return count_steps(counter, loop->child, part) && add_tally(counter, tally, trips, part);
}

static bool count_loop(struct counter *counter, struct step *loop, struct tally *tally)
{
	long lower = evaluate(loop->lower), upper = evaluate(loop->upper);
	long trips = upper < lower ? 0 : (upper - lower) / loop->stride + 1;

	if (trips == 0)
		return true;
	if (loop->skips && trips > 1) {
		loop->cell->value = lower;
		return --counter->steps >= 0 && count_alike(counter, loop, trips, tally);
	}
	for (long i = 0; i < trips; i++) {
		if (--counter->steps < 0)
			return false;
		loop->cell->value = lower + i * loop->stride;
		if (!count_steps(counter, loop->child, tally))
			return false;
	}
	return true;
}

static bool count_steps(struct counter *counter, struct step *step, struct tally *tally)
{
	for (; step; step = step->sibling) {
		bool fits = true;

		switch (step->kind) {
		case PLAN_TRANSFER:
			fits = count_transfer(step, tally);
			break;
		case PLAN_LOOP:
			fits = count_loop(counter, step, tally);
			break;
		case PLAN_LET:
			step->cell->value = evaluate(step->lower);
			fits = count_steps(counter, step->child, tally);
			break;
		default:
			if (evaluate(step->upper))
				fits = count_steps(counter, step->child, tally);
			break;
		}
		if (!fits)
			return false;
	}
	return true;
}

bool plan_count(const struct plan_node *node, const struct function *function, long steps,
	struct plan_traffic *traffic, long *commands)
{
	struct arena *arena = arena_new();
	struct counter counter = { .arena = arena, .function = function, .steps = steps };
	struct step *root = compile_node(&counter, node);
	struct tally tally = { 0 };
	bool counted;

	new_tally(&counter, &tally);
	counted = count_steps(&counter, root, &tally);
	for (int a = 0; a < function->array_count && counted; a++)
		counted = !__builtin_add_overflow(traffic[a].read_bytes, tally.read_bytes[a],
				&traffic[a].read_bytes)
			&& !__builtin_add_overflow(traffic[a].write_bytes, tally.write_bytes[a],
				&traffic[a].write_bytes);
	if (counted && commands)
		*commands += tally.commands;
	arena_free(arena);
	return counted;
}
