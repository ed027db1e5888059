/* A plan's nest, ready to be walked by its verifier. */

#include "ir/plan_steps.h"

#include <limits.h>

static struct copy *copy_of(struct plan_cells *cells, const struct plan_transfer *transfer)
{
	const struct plan_buffer *buffer = transfer->buffer;
	struct copy *copy = ARENA_NEW(cells->arena, struct copy);
	*copy = (struct copy){ .transfer = transfer, .rank = buffer->rank };
	if (buffer->slots > 1)
		copy->slot = plan_formula_of(cells, transfer->slot ? transfer->slot : buffer->slot);
	for (int d = 0; d < buffer->rank; d++) {
		copy->dims[d].first = plan_formula_of(cells, transfer->first[d]);
		copy->dims[d].count = plan_formula_of(cells, transfer->count[d]);
		copy->dims[d].local = plan_formula_of(cells, transfer->local[d]);
		copy->dims[d].extent = affine_at_sizes(buffer->array->shape[d], cells->sizes);
	}
	return copy;
}

/* ---- uses ---- */

/* COEFFICIENT * FORMULA is one more term, or more of the one with the same variable: 2 * j + (w - 2 * j) has
 * no j, and so one end only. */
static void add_term(struct plan_cells *cells, struct use_dim *dim, long coefficient,
	const struct plan_formula *formula)
{
	for (int t = 0; t < dim->term_count && formula->cell; t++) {
		struct use_term *term = &dim->terms[t];
		long sum;
		if (term->cell == formula->cell
			&& !__builtin_add_overflow(coefficient, term->coefficient, &sum)) {
			term->coefficient = sum;
			return;
		}
	}
	dim->terms = arena_grow(cells->arena, dim->terms, (size_t)dim->term_count, &dim->term_capacity,
		sizeof *dim->terms);
	dim->terms[dim->term_count++] = (struct use_term){ .coefficient = coefficient,
		.cell = formula->cell, .other = formula->cell ? NULL : formula };
}

/* COEFFICIENT * FORMULA is more terms of DIM. */
static void add_terms(struct plan_cells *cells, struct use_dim *dim, long coefficient,
	const struct plan_formula *formula)
{
	struct plan_formula *const *operands = formula->operands;
	long product;
	if (formula->op == PLAN_CONST && !__builtin_mul_overflow(coefficient, formula->value, &product)
		&& !__builtin_add_overflow(dim->constant, product, &product)) {
		dim->constant = product;
	} else if ((formula->op == PLAN_ADD || formula->op == PLAN_SUB) && coefficient > -LONG_MAX) {
		add_terms(cells, dim, coefficient, operands[0]);
		add_terms(cells, dim, formula->op == PLAN_ADD ? coefficient : -coefficient, operands[1]);
	} else if (formula->op == PLAN_MUL && operands[1]->op == PLAN_CONST
		&& !__builtin_mul_overflow(coefficient, operands[1]->value, &product)) {
		add_terms(cells, dim, product, operands[0]);
	} else if (formula->op == PLAN_MUL && operands[0]->op == PLAN_CONST
		&& !__builtin_mul_overflow(coefficient, operands[0]->value, &product)) {
		add_terms(cells, dim, product, operands[1]);
	} else {
		add_term(cells, dim, coefficient, formula);
	}
}

/* ACCESS from BUFFER by a statement whose DEPTH iterators are VALUES. */
static struct use use_of(struct plan_cells *cells, const struct access *access, int depth,
	struct plan_expr *const *values, const struct plan_buffer *buffer)
{
	struct use use = { .buffer = buffer, .is_write = access->is_write,
		.dims = ARENA_ARRAY(cells->arena, struct use_dim, buffer->rank + 1) };
	if (buffer->slots > 1)
		use.slot = plan_formula_of(cells, buffer->slot);
	for (int d = 0; d < buffer->rank; d++) {
		const struct affine *subscript = &access->subscripts[d];
		struct use_dim *dim = &use.dims[d];
		dim->dim = &buffer->dims[d];
		if (dim->dim->modulus <= 0)
			dim->origin = plan_formula_of(cells, dim->dim->origin);
		dim->constant = affine_at_sizes(*subscript, cells->sizes);
		for (int i = 0; i < depth; i++)
			if (subscript->coefficients[i])
				add_terms(cells, dim, subscript->coefficients[i],
					plan_formula_of(cells, values[i]));
	}
	return use;
}

static struct word word_of(struct plan_cells *cells, const struct plan_buffer *buffer,
	const struct plan_expr *slot, struct plan_expr *const *at)
{
	struct word word = { .buffer = buffer };
	if (!buffer)
		return word;
	if (slot)
		word.slot = plan_formula_of(cells, slot);
	word.at = ARENA_ARRAY(cells->arena, struct plan_formula *, buffer->rank + 1);
	for (int d = 0; d < buffer->rank; d++)
		word.at[d] = plan_formula_of(cells, at[d]);
	return word;
}

static void fill_uses(struct plan_cells *cells, struct step *step)
{
	const struct plan_node *node = step->node;
	const struct statement *statement = node->statement;
	step->uses = ARENA_ARRAY(cells->arena, struct use, statement->access_count + 1);
	for (int a = 0; a < statement->access_count; a++)
		if (node->buffers[a])
			step->uses[step->use_count++] = use_of(cells, &statement->accesses[a],
				statement->depth, node->values, node->buffers[a]);
}

/* ---- boxes ---- */

/* Point loops around a step. */
struct box {
	int count;
	const struct step *loops[LOOP_DEPTH_LIMIT];
};

static const struct step *loop_over(const struct box *box, const struct plan_cell *cell)
{
	for (int l = 0; l < box->count; l++)
		if (box->loops[l]->cell == cell)
			return box->loops[l];
	return NULL;
}

/* FORMULA (NULL: there is none) is the same in all of BOX. */
static bool is_fixed(const struct box *box, const struct plan_formula *formula)
{
	for (int l = 0; l < box->count && formula; l++)
		if (plan_formula_has(formula, box->loops[l]->cell))
			return false;
	return true;
}

/* Over BOX, dimension DIM of a use is a segment of its buffer, or goes round a ring. */
static bool dim_is_box(const struct box *box, struct use_dim *dim)
{
	bool is_box = is_fixed(box, dim->origin) && dim->dim->modulus <= dim->dim->extent;
	for (int t = 0; t < dim->term_count && is_box; t++) {
		struct use_term *term = &dim->terms[t];
		term->loop = term->cell ? loop_over(box, term->cell) : NULL;
		is_box = (term->cell || is_fixed(box, term->other)) && (!term->loop
			|| dim->dim->stride == 1 || term->coefficient % dim->dim->stride == 0);
	}
	return is_box;
}

static bool uses_are_boxes(const struct box *box, const struct step *step)
{
	for (int u = 0; u < step->use_count; u++) {
		if (!is_fixed(box, step->uses[u].slot))
			return false;
		for (int d = 0; d < step->uses[u].buffer->rank; d++)
			if (!dim_is_box(box, &step->uses[u].dims[d]))
				return false;
	}
	return true;
}

/* STEP is point loops and statements that make a box, with those AROUND. */
static bool is_box(const struct box *around, const struct step *step)
{
	struct box box = *around;
	switch (step->node->kind) {
	case PLAN_BLOCK:
		for (int i = 0; i < step->child_count; i++)
			if (!is_box(around, step->children[i]))
				return false;
		return true;
	case PLAN_LOOP:
		if ((step->node->loop != LOOP_POINT && step->node->loop != LOOP_ELEMENT) || box.count == LOOP_DEPTH_LIMIT
			|| loop_over(around, step->cell)
			|| !is_fixed(around, step->lower) || !is_fixed(around, step->upper))
			return false;
		box.loops[box.count++] = step;
		return is_box(&box, step->body);
	case PLAN_COMPUTE:
		return uses_are_boxes(around, step);
	default:
		return false;
	}
}

/* ---- steps ---- */

struct step *step_of(struct plan_cells *cells, const struct plan_node *node)
{
	struct step *step = ARENA_NEW(cells->arena, struct step);
	*step = (struct step){ .node = node, .size = 1, .child_count = node->child_count };
	step->children = ARENA_ARRAY(cells->arena, struct step *, node->child_count + 1);
	for (int i = 0; i < node->child_count; i++) {
		step->children[i] = step_of(cells, node->children[i]);
		step->size += step->children[i]->size;
	}
	if (node->body) {
		step->body = step_of(cells, node->body);
		step->size += step->body->size;
	}
	if (node->kind == PLAN_LOOP || node->kind == PLAN_LET)
		step->cell = plan_cell_of(cells, node->var);
	step->lower = plan_formula_of(cells, node->kind == PLAN_IF ? node->condition : node->lower);
	step->upper = plan_formula_of(cells, node->upper);
	if (node->kind == PLAN_TRANSFER)
		step->copy = copy_of(cells, &node->transfer);
	if (node->kind == PLAN_COMPUTE)
		fill_uses(cells, step);
	if (node->kind == PLAN_MOVE) {
		const struct plan_move *move = node->move;
		step->words[0] = word_of(cells, move->from, move->from_slot, move->from_at);
		step->words[1] = word_of(cells, move->to, move->to_slot, move->to_at);
	}
	if (node->kind == PLAN_LOOP)
		step->is_box = is_box(&(struct box){ .count = 0 }, step);
	return step;
}
