/* Rings without divisions in inner loops: where a remainder gets a variable, and how the
 * variable follows its loop. */

#include "codegen/ring.h"

#include <string.h>

#include "ir/plan_copy.h"

enum { NAME_LENGTH = 32 };           /* C99 tells 63 characters apart */

bool is_printed_as_loop(const struct plan_node *node)
{
	long lower, upper;

	return node->kind == PLAN_LOOP && !(plan_is_const(node->lower, &lower)
		&& plan_is_const(node->upper, &upper) && lower == upper);
}

static bool has_var(const struct plan_expr *expr, const struct plan_var *var)
{
	bool found = expr->op == PLAN_VAR && expr->var == var;

	for (int i = 0; i < plan_operand_count(expr->op) && !found; i++)
		found = has_var(expr->operands[i], var);
	return found;
}

/* Whether EXPR is FACTOR times VAR and something without it. */
static bool is_linear(const struct plan_expr *expr, const struct plan_var *var, long *factor)
{
	long a, b;

	*factor = expr->op == PLAN_VAR && expr->var == var;
	if (*factor || !has_var(expr, var))
		return true;
	if (expr->op != PLAN_ADD && expr->op != PLAN_SUB && expr->op != PLAN_MUL)
		return false;
	if (!is_linear(expr->operands[0], var, &a) || !is_linear(expr->operands[1], var, &b))
		return false;
	if (expr->op == PLAN_MUL && expr->operands[1]->op == PLAN_CONST)
		return !__builtin_mul_overflow(a, expr->operands[1]->value, factor);
	if (expr->op == PLAN_MUL)
		return expr->operands[0]->op == PLAN_CONST
			&& !__builtin_mul_overflow(b, expr->operands[0]->value, factor);
	return expr->op == PLAN_ADD ? !__builtin_add_overflow(a, b, factor)
		: !__builtin_sub_overflow(a, b, factor);
}

/* The names of the variables in EXPR, one after the other. */
static const char *names_in(struct printer *printer, const struct plan_expr *expr)
{
	const char *names = expr->op == PLAN_VAR ? names_of(&printer->names, expr->var) : "";

	for (int i = 0; i < plan_operand_count(expr->op); i++) {
		const char *more = names_in(printer, expr->operands[i]);
		names = arena_printf(printer->arena, "%s%s%s", names, *names && *more ? "_" : "", more);
	}
	return names;
}

/* "y_r_plus_1_mod_12" for (y + r + 1) % 12. */
static const char *wanted_name(struct printer *printer, const struct plan_expr *expr)
{
	const struct plan_expr *operand = expr->operands[0];
	const char *names = names_in(printer, operand), *offset = "";
	bool is_sum = operand->op == PLAN_ADD || operand->op == PLAN_SUB;

	if (is_sum && operand->operands[1]->op == PLAN_CONST) {
		long value = operand->operands[1]->value;
		bool is_minus = (operand->op == PLAN_SUB) != (value < 0);

		offset = arena_printf(printer->arena, "_%s_%lu", is_minus ? "minus" : "plus",
			value < 0 ? 0 - (unsigned long)value : (unsigned long)value);
	}
	return arena_printf(printer->arena, "%s%s_mod_%ld",
		strlen(names) < NAME_LENGTH ? names : "place", offset, expr->operands[1]->value);
}

/* Makes RING a counter of LOOP; false if its value does not go up evenly. */
static bool make_counter(struct printer *printer, const struct plan_node *loop,
	struct ring *ring)
{
	const struct plan_binding first = { NULL, loop->var, loop->lower };
	long factor, modulus = ring->expr->operands[1]->value, step;
	bool is_wide = var_is_wide(loop->var);

	if (expr_is_wide(ring->expr) != is_wide
		|| !is_linear(ring->expr->operands[0], loop->var, &factor)
		|| __builtin_mul_overflow(factor % modulus, loop->step % modulus, &step))
		return false;
	step -= plan_floor_div(step, modulus) * modulus;
	ring->value = index_text_as(printer, plan_expr_at(printer->arena,
		(struct plan_expr *)ring->expr, &first), is_wide).c;
	ring->advance = step == 1
		? arena_printf(printer->arena, "%s = %s == %ld ? 0 : %s + 1", ring->name, ring->name,
			modulus - 1, ring->name)
		: arena_printf(printer->arena, "%s = %s >= %ld ? %s - %ld : %s + %ld", ring->name,
			ring->name, modulus - step, ring->name, modulus - step, ring->name, step);
	return true;
}

/* ---- which ones ---- */

/* The variables bound between the binder and what is looked at, the innermost first. */
struct inner {
	const struct inner *outer;
	const struct plan_var *var;
	bool in_loop;                /* that binder, or one between it and the first, is a loop */
};

/* A remainder of the binder's variable. */
struct found {
	const struct plan_expr *expr;
	bool is_direct;              /* some statement uses it outside of further loops */
};

struct search {
	struct printer *printer;
	const struct plan_node *binder;
	struct found *found;
	int count;
	size_t capacity;
};

static void find_in(struct search *search, const struct plan_expr *expr, const struct inner *inner)
{
	struct found *found = search->found;

	if (!expr)
		return;
	if (expr->op != PLAN_MOD) {
		for (int i = 0; i < plan_operand_count(expr->op); i++)
			find_in(search, expr->operands[i], inner);
		return;
	}
	if (!has_var(expr, search->binder->var))
		return;
	for (const struct inner *other = inner; other; other = other->outer)
		if (has_var(expr, other->var))
			return;
	for (int i = 0; i < search->count; i++)
		if (plan_equal(found[i].expr, expr)) {
			found[i].is_direct |= !inner || !inner->in_loop;
			return;
		}
	search->found = arena_grow(search->printer->arena, found, (size_t)search->count,
		&search->capacity, sizeof *found);
	search->found[search->count++] = (struct found){ expr, !inner || !inner->in_loop };
}

static void find_in_access(struct search *search, const struct plan_node *node, int access,
	const struct inner *inner)
{
	const struct plan_buffer *buffer = node->buffers[access];

	if (!buffer)
		return;
	if (buffer->slots > 1)
		find_in(search, buffer->slot, inner);
	for (int d = 0; d < buffer->rank; d++)
		find_in(search, access_coordinate(search->printer, node, access, d), inner);
}

static void find_in_value(struct search *search, const struct plan_node *node,
	const struct expr *value, const struct inner *inner)
{
	if (value->kind == EXPR_ACCESS)
		find_in_access(search, node, value->access, inner);
	for (int i = 0; i < value->operand_count; i++)
		find_in_value(search, node, value->operands[i], inner);
}

static void find_in_node(struct search *search, const struct plan_node *node,
	const struct inner *inner)
{
	if (node->kind == PLAN_COMPUTE) {
		find_in_access(search, node, 0, inner);
		find_in_value(search, node, node->statement->value, inner);
	}
	for (int i = 0; i < node->child_count; i++)
		find_in_node(search, node->children[i], inner);
	if (node->kind == PLAN_LOOP || node->kind == PLAN_LET) {
		const struct inner here = { inner, node->var,
			is_printed_as_loop(node) || (inner && inner->in_loop) };
		find_in_node(search, node->body, &here);
	} else if (node->body) {
		find_in_node(search, node->body, inner);
	}
}

const struct ring *rings_open(struct printer *printer, const struct plan_node *binder)
{
	struct search search = { .printer = printer, .binder = binder };
	const struct ring *before = printer->rings, *rings = before;

	find_in_node(&search, binder->body, NULL);
	for (int i = 0; i < search.count; i++) {
		struct ring *ring = ARENA_NEW(printer->arena, struct ring);
		ring->outer = rings;
		ring->expr = search.found[i].expr;
		if (search.found[i].is_direct && !is_printed_as_loop(binder))
			continue;
		ring->name = names_add(&printer->names, ring, wanted_name(printer, ring->expr));
		ring->value = index_text(printer, ring->expr).c;
		if (!search.found[i].is_direct || make_counter(printer, binder, ring))
			rings = ring;
	}
	printer->rings = rings;
	return before;
}
