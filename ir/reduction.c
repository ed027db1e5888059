/* Recognises reductions: x = x OP e, in the forms that C gives it. */

#include <string.h>

#include <isl/map.h>

#include "ir/program_build.h"

static bool is_target(const struct statement *statement, const struct expr *expr)
{
	return expr->kind == EXPR_ACCESS &&
		access_is_same(&statement->accesses[expr->access],
			&statement->accesses[0], statement->depth);
}

/* Whether EXPR may read what the statement writes. */
static bool reads_target(const struct statement *statement, const struct expr *expr)
{
	if (expr->kind == EXPR_ACCESS) {
		const struct access *access = &statement->accesses[expr->access];
		if (access->array != statement->accesses[0].array)
			return false;
		isl_map *both = isl_map_intersect(isl_map_copy(access->map),
			isl_map_copy(statement->accesses[0].map));
		bool is_apart = isl_map_is_empty(both) == isl_bool_true;
		isl_map_free(both);
		return !is_apart;
	}
	for (int i = 0; i < expr->operand_count; i++)
		if (reads_target(statement, expr->operands[i]))
			return true;
	return false;
}

bool type_is_within(struct type inner, struct type outer)
{
	if (inner.kind == outer.kind)
		return true;
	if (type_is_float(outer.kind))
		return type_is_float(inner.kind) ? outer.bytes >= inner.bytes :
			inner.bytes < outer.bytes;
	return !type_is_float(inner.kind) && type_min(inner.kind) >= type_min(outer.kind) &&
		type_max(inner.kind) <= type_max(outer.kind);
}

/* Whether conversion of a value of type VALUE to the target's type keeps sums and
 * products: wraps both, or rounds both. */
static bool is_ring(struct type target, struct type value)
{
	return target.kind != TYPE_BOOL && type_is_float(target.kind) == type_is_float(value.kind);
}

/* x OP e: in a chain x + a - b the target is leftmost; the rest must not read it.
 * *LAST is the outermost operator's right side. */
static bool leads_chain(const struct statement *statement, const struct expr *expr,
	const char *operators)
{
	if (is_target(statement, expr))
		return true;
	return expr->kind == EXPR_BINARY && strlen(expr->operator) == 1 &&
		strchr(operators, *expr->operator) &&
		is_ring(statement->accesses[0].array->type, expr->type) &&
		!reads_target(statement, expr->operands[1]) &&
		leads_chain(statement, expr->operands[0], operators);
}

static bool is_chain(const struct statement *statement, const struct expr *value,
	const char *operators, bool commutes)
{
	if (value->kind != EXPR_BINARY || strlen(value->operator) != 1 ||
	    !strchr(operators, *value->operator))
		return false;
	if (!reads_target(statement, value->operands[1]))
		return leads_chain(statement, value->operands[0], operators);
	return commutes && *value->operator != '-' && is_target(statement, value->operands[1]) &&
		!reads_target(statement, value->operands[0]);
}

static enum reduction of_binary(const struct statement *statement, const struct expr *value)
{
	struct type target = statement->accesses[0].array->type;
	bool is_integer = !type_is_float(target.kind) && !type_is_float(value->type.kind);
	bool ring = is_ring(target, value->type);
	if (ring && is_chain(statement, value, "+-", true))
		return REDUCTION_SUM;
	if (ring && is_chain(statement, value, "*", true))
		return REDUCTION_PRODUCT;
	bool bits = is_integer && (target.kind != TYPE_BOOL ||
		(value->operands[0]->type.kind == TYPE_BOOL &&
		 value->operands[1]->type.kind == TYPE_BOOL));
	if (bits && is_chain(statement, value, "&", true))
		return REDUCTION_AND;
	if (bits && is_chain(statement, value, "|", true))
		return REDUCTION_OR;
	if (bits && is_chain(statement, value, "^", true))
		return REDUCTION_XOR;
	return REDUCTION_NONE;
}

/* The operand of VALUE that is the target, the other one in *OTHER; NULL if it is
 * not x OP e. */
static const struct expr *target_operand(const struct statement *statement, struct expr **operands,
	const struct expr **other)
{
	for (int i = 0; i < 2; i++)
		if (is_target(statement, operands[i]) &&
		    !reads_target(statement, operands[1 - i])) {
			*other = operands[1 - i];
			return operands[i];
		}
	return NULL;
}

static bool same_expr(const struct expr *a, const struct expr *b, int depth)
{
	if (a->kind != b->kind || a->type.kind != b->type.kind ||
	    a->operand_count != b->operand_count || a->access != b->access)
		return false;
	if (a->text != b->text && (!a->text || !b->text || strcmp(a->text, b->text)))
		return false;
	if (a->operator != b->operator &&
	    (!a->operator || !b->operator || strcmp(a->operator, b->operator)))
		return false;
	if (a->kind == EXPR_AFFINE && !affine_is_equal(a->affine, b->affine, depth))
		return false;
	for (int i = 0; i < a->operand_count; i++)
		if (!same_expr(a->operands[i], b->operands[i], depth))
			return false;
	return true;
}

/* x > e ? x : e and its kin. */
static enum reduction of_conditional(const struct statement *statement, const struct expr *value)
{
	const struct expr *test = value->operands[0], *e;
	struct type target = statement->accesses[0].array->type;
	const struct expr *x = target_operand(statement, value->operands + 1, &e);
	if (!x || test->kind != EXPR_BINARY || !strchr("<>", *test->operator) ||
	    !strcmp(test->operator, "<<") || !strcmp(test->operator, ">>") ||
	    !type_is_within(e->type, target))
		return REDUCTION_NONE;
	/* The comparison must be one of values, not of what conversion makes of them. */
	struct type common = type_common(x->type, e->type);
	if (!type_is_within(x->type, common) || !type_is_within(e->type, common))
		return REDUCTION_NONE;
	const struct expr *a = test->operands[0], *b = test->operands[1];
	bool is_straight = is_target(statement, a) && same_expr(b, e, statement->depth);
	bool is_swapped = is_target(statement, b) && same_expr(a, e, statement->depth);
	if (!is_straight && !is_swapped)
		return REDUCTION_NONE;
	bool keeps_if_greater = (*test->operator == '>') == is_straight;
	bool keeps_if_true = value->operands[1] == x;
	return keeps_if_greater == keeps_if_true ? REDUCTION_MAX : REDUCTION_MIN;
}

static enum reduction of_call(const struct statement *statement, const struct expr *value,
	bool is_associative)
{
	static const struct { const char *name; enum reduction reduction; } known[] = {
		{ "fmax", REDUCTION_MAX }, { "fmaxf", REDUCTION_MAX },
		{ "fmin", REDUCTION_MIN }, { "fminf", REDUCTION_MIN } };
	struct type target = statement->accesses[0].array->type;
	const struct expr *e;
	if (value->operand_count != 2 || !target_operand(statement, value->operands, &e))
		return REDUCTION_NONE;
	if (is_associative)
		return REDUCTION_USER;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(known[i].name, value->text) && value->type.kind == target.kind)
			return known[i].reduction;
	return REDUCTION_NONE;
}

/* VALUE without casts that keep all values, of which the target's type is one. */
static const struct expr *uncast(const struct statement *statement, const struct expr *value)
{
	struct type target = statement->accesses[0].array->type;
	while (value->kind == EXPR_CAST && value->type.kind == target.kind)
		value = value->operands[0];
	return value;
}

static enum reduction of_value(const struct statement *statement, const struct expr *value,
	bool is_associative);

/* c ? x OP e : x and its kin, c ? x OP e : x OP f: what is added is chosen, or may be nothing. */
static enum reduction of_guarded(const struct statement *statement, const struct expr *value,
	bool is_associative)
{
	if (reads_target(statement, value->operands[0]))
		return REDUCTION_NONE;
	enum reduction found = REDUCTION_NONE;
	for (int i = 1; i <= 2; i++) {
		const struct expr *arm = uncast(statement, value->operands[i]);
		if (is_target(statement, arm))
			continue;
		enum reduction reduction = of_value(statement, arm, is_associative);
		if (reduction == REDUCTION_NONE || (found != REDUCTION_NONE && reduction != found))
			return REDUCTION_NONE;
		found = reduction;
	}
	return found;
}

static enum reduction of_value(const struct statement *statement, const struct expr *value,
	bool is_associative)
{
	enum reduction reduction;
	switch (value->kind) {
	case EXPR_BINARY:
		return is_associative ? REDUCTION_NONE : of_binary(statement, value);
	case EXPR_CONDITIONAL:
		reduction = of_guarded(statement, value, is_associative);
		return reduction != REDUCTION_NONE || is_associative ? reduction
			: of_conditional(statement, value);
	case EXPR_CALL:
		return of_call(statement, value, is_associative);
	default:
		return REDUCTION_NONE;
	}
}

enum reduction statement_reduction(const struct statement *statement, bool is_associative)
{
	return of_value(statement, statement->value, is_associative);
}
