/* isl's expressions become the plan's: the tile parameters are variables of the tile loops. */

#include "passes/tiles/expressions.h"

#include <string.h>

#include <isl/aff.h>
#include <isl/ast.h>
#include <isl/id.h>
#include <isl/val.h>

#include "ir/ast_build.h"
#include "ir/program_build.h"
#include "passes/tiles/instances.h"

struct binding {
	struct binding *outer;
	const char *name;
	struct plan_expr *value;
};

static struct plan_expr *lookup(struct translation *translation, __isl_take isl_id *id)
{
	struct plan_expr *value = NULL;
	for (struct binding *b = translation->bindings; b && !value; b = b->outer)
		if (!strcmp(b->name, isl_id_get_name(id)))
			value = b->value;
	isl_id_free(id);
	translation->failed |= !value;
	return value ? value : plan_const(translation->lowering->compilation->arena, 0);
}

char *isl_name(__isl_keep isl_ast_expr *expr, struct arena *arena)
{
	isl_id *id = isl_ast_expr_get_id(expr);
	char *name = arena_strdup(arena, isl_id_get_name(id));
	isl_id_free(id);
	return name;
}

struct plan_expr *translate_operand(struct translation *translation, __isl_keep isl_ast_expr *expr,
	int i)
{
	return translate(translation, isl_ast_expr_get_op_arg(expr, i));
}

static struct plan_expr *fold_operands(struct translation *translation,
	__isl_keep isl_ast_expr *expr, enum plan_op op)
{
	struct plan_expr *value = translate_operand(translation, expr, 0);
	for (int i = 1; i < isl_ast_expr_get_op_n_arg(expr); i++)
		value = plan_make(translation->lowering->compilation->arena, op, value,
			translate_operand(translation, expr, i));
	return value;
}

static struct plan_expr *operation(struct translation *translation, __isl_keep isl_ast_expr *expr)
{
	struct arena *arena = translation->lowering->compilation->arena;
	struct plan_expr *one = plan_const(arena, 1);
	switch (isl_ast_expr_get_op_type(expr)) {
	case isl_ast_op_and:
	case isl_ast_op_and_then: return fold_operands(translation, expr, PLAN_AND);
	case isl_ast_op_or:
	case isl_ast_op_or_else: return fold_operands(translation, expr, PLAN_OR);
	case isl_ast_op_max: return fold_operands(translation, expr, PLAN_MAX);
	case isl_ast_op_min: return fold_operands(translation, expr, PLAN_MIN);
	case isl_ast_op_minus:
		return plan_make(arena, PLAN_SUB, plan_const(arena, 0), translate_operand(translation, expr, 0));
	case isl_ast_op_add: return fold_operands(translation, expr, PLAN_ADD);
	case isl_ast_op_sub: return fold_operands(translation, expr, PLAN_SUB);
	case isl_ast_op_mul: return fold_operands(translation, expr, PLAN_MUL);
	case isl_ast_op_div:
	case isl_ast_op_fdiv_q:
	case isl_ast_op_pdiv_q: return fold_operands(translation, expr, PLAN_FLOORDIV);
	case isl_ast_op_pdiv_r:
	case isl_ast_op_zdiv_r: return fold_operands(translation, expr, PLAN_MOD);
	case isl_ast_op_cond:
	case isl_ast_op_select:
		return plan_select(arena, translate_operand(translation, expr, 0), translate_operand(translation, expr, 1),
			translate_operand(translation, expr, 2));
	case isl_ast_op_eq: return fold_operands(translation, expr, PLAN_EQ);
	case isl_ast_op_le: return fold_operands(translation, expr, PLAN_LE);
	case isl_ast_op_ge:
		return plan_make(arena, PLAN_LE, translate_operand(translation, expr, 1),
			translate_operand(translation, expr, 0));
	case isl_ast_op_lt:
		return plan_make(arena, PLAN_LE,
			plan_make(arena, PLAN_ADD, translate_operand(translation, expr, 0), one),
			translate_operand(translation, expr, 1));
	case isl_ast_op_gt:
		return plan_make(arena, PLAN_LE,
			plan_make(arena, PLAN_ADD, translate_operand(translation, expr, 1), one),
			translate_operand(translation, expr, 0));
	default:
		translation->failed = true;
		return plan_const(arena, 0);
	}
}

struct plan_expr *translate(struct translation *translation, __isl_take isl_ast_expr *expr)
{
	struct plan_expr *value = NULL;
	switch (isl_ast_expr_get_type(expr)) {
	case isl_ast_expr_op:
		value = operation(translation, expr);
		break;
	case isl_ast_expr_id:
		value = lookup(translation, isl_ast_expr_get_id(expr));
		break;
	case isl_ast_expr_int: {
		isl_val *number = isl_ast_expr_get_val(expr);
		value = plan_const(translation->lowering->compilation->arena,
			isl_val_get_num_si(number));
		isl_val_free(number);
		break;
	}
	default:
		translation->failed = true;
	}
	isl_ast_expr_free(expr);
	return value ? value : plan_const(translation->lowering->compilation->arena, 0);
}

void translation_bind(struct translation *translation, const char *name, struct plan_expr *value)
{
	struct binding *binding = ARENA_NEW(translation->lowering->compilation->arena,
		struct binding);
	*binding = (struct binding){ translation->bindings, name, value };
	translation->bindings = binding;
}

/* The tile parameters stand for the variables of the tile loops. */
struct translation translation_begin(struct lowering *lowering)
{
	struct translation translation = { .lowering = lowering };
	struct arena *arena = lowering->compilation->arena;
	for (int l = 0; l < lowering->depth; l++) {
		const struct tile_loop *loop = &lowering->loops[l];
		struct plan_expr *position = plan_ref(arena, loop->var);
		translation_bind(&translation, arena_printf(arena, "t.%d", l), plan_ref(arena, loop->tile_var));
		translation_bind(&translation, arena_printf(arena, "f.%d", l),
			plan_make(arena, PLAN_EQ, position, plan_const(arena, 0)));
		translation_bind(&translation, arena_printf(arena, "l.%d", l),
			plan_make(arena, PLAN_EQ, position, plan_make(arena, PLAN_SUB, loop->trips,
			plan_const(arena, 1))));
	}
	const struct function *function = lowering->nest->function;
	for (int k = 0; k < function->symbolic_count; k++)
		translation_bind(&translation, isl_size_name(arena, function->symbolic[k]->name),
			plan_ref(arena, lowering->plan->sizes[k]));
	return translation;
}

struct plan_expr *translate_expr(struct lowering *lowering, __isl_take isl_ast_expr *expr)
{
	return translate_expr_at(lowering, expr, NULL);
}

struct plan_expr *translate_expr_at(struct lowering *lowering, __isl_take isl_ast_expr *expr,
	const struct point *point)
{
	struct arena *arena = lowering->compilation->arena;
	struct translation translation = translation_begin(lowering);
	for (int d = 0; point && d < point->rank; d++)
		translation_bind(&translation, arena_printf(arena, "x%d", d), point->values[d]);
	struct plan_expr *value = translate(&translation, expr);
	return translation.failed ? NULL : value;
}

struct plan_expr *expression_of(struct lowering *lowering, __isl_keep isl_set *params,
	int depth, __isl_take isl_pw_aff *value)
{
	return expression_at(lowering, params, depth, value, NULL);
}

struct plan_expr *expression_at(struct lowering *lowering, __isl_keep isl_set *params,
	int depth, __isl_take isl_pw_aff *value, const struct point *point)
{
	isl_set *known = isl_set_intersect(context_at(lowering, depth), isl_set_copy(params));
	value = isl_pw_aff_gist(value, isl_set_copy(known));
	isl_ast_expr *expr = ast_of_value(known, value);
	return expr ? translate_expr_at(lowering, expr, point) : NULL;
}

struct plan_expr *both_hold(const struct lowering *lowering, struct plan_expr *a,
	struct plan_expr *b)
{
	return !a ? b : !b ? a : plan_make(lowering->compilation->arena, PLAN_AND, a, b);
}

struct plan_expr *either_holds(const struct lowering *lowering, struct plan_expr *a,
	struct plan_expr *b)
{
	return a ? plan_make(lowering->compilation->arena, PLAN_OR, a, b) : b;
}

struct plan_expr *does_not_hold(const struct lowering *lowering, struct plan_expr *condition)
{
	return plan_make(lowering->compilation->arena, PLAN_NOT, condition, NULL);
}

bool never_holds(const struct plan_expr *condition)
{
	long value;
	return condition && plan_is_const(condition, &value) && !value;
}

struct plan_expr *sized(struct lowering *lowering, long value, isl_pw_aff *sizes)
{
	struct arena *arena = lowering->compilation->arena;
	if (!sizes)
		return plan_const(arena, value);
	isl_set *known = isl_pw_aff_domain(isl_pw_aff_copy(sizes));
	struct plan_expr *expr = expression_of(lowering, known, 0,
		isl_pw_aff_copy(sizes));
	isl_set_free(known);
	lowering->compilation->failure.is_broken |= !expr;
	return expr ? expr : plan_const(arena, value);
}
