#include "passes/analysis/plan_value.h"

#include <isl/space.h>
#include <isl/val.h>

static __isl_give isl_pw_aff *constant(const struct plan_values *values, long value)
{
	return isl_pw_aff_from_aff(isl_aff_val_on_domain_space(isl_space_copy(values->space),
		isl_val_int_from_si(isl_space_get_ctx(values->space), value)));
}

static __isl_give isl_pw_aff *arithmetic(const struct plan_values *values,
	const struct plan_expr *expr)
{
	isl_pw_aff *a = plan_value(values, expr->operands[0]);
	isl_pw_aff *b = plan_value(values, expr->operands[1]);
	isl_pw_aff *whole;
	switch (expr->op) {
	case PLAN_ADD: return isl_pw_aff_add(a, b);
	case PLAN_SUB: return isl_pw_aff_sub(a, b);
	case PLAN_MUL: return isl_pw_aff_mul(a, b);
	case PLAN_FLOORDIV: return isl_pw_aff_floor(isl_pw_aff_div(a, b));
	case PLAN_MOD:
		whole = isl_pw_aff_floor(isl_pw_aff_div(isl_pw_aff_copy(a), isl_pw_aff_copy(b)));
		return isl_pw_aff_sub(a, isl_pw_aff_mul(whole, b));
	case PLAN_MIN: return isl_pw_aff_min(a, b);
	default: return isl_pw_aff_max(a, b);
	}
}

__isl_give isl_pw_aff *plan_value(const struct plan_values *values, const struct plan_expr *expr)
{
	switch (expr->op) {
	case PLAN_CONST:
		return constant(values, expr->value);
	case PLAN_VAR:
		return values->variable(values, expr->var);
	case PLAN_ADD: case PLAN_SUB: case PLAN_MUL: case PLAN_FLOORDIV: case PLAN_MOD:
	case PLAN_MIN: case PLAN_MAX:
		return arithmetic(values, expr);
	case PLAN_SELECT:
		return isl_pw_aff_cond(isl_set_indicator_function(plan_truth(values, expr->operands[0])),
			plan_value(values, expr->operands[1]), plan_value(values, expr->operands[2]));
	default:
		return isl_set_indicator_function(plan_truth(values, expr));
	}
}

__isl_give isl_set *plan_truth(const struct plan_values *values, const struct plan_expr *expr)
{
	switch (expr->op) {
	case PLAN_EQ:
		return isl_pw_aff_eq_set(plan_value(values, expr->operands[0]),
			plan_value(values, expr->operands[1]));
	case PLAN_LE:
		return isl_pw_aff_le_set(plan_value(values, expr->operands[0]),
			plan_value(values, expr->operands[1]));
	case PLAN_AND:
		return isl_set_intersect(plan_truth(values, expr->operands[0]),
			plan_truth(values, expr->operands[1]));
	case PLAN_OR:
		return isl_set_union(plan_truth(values, expr->operands[0]),
			plan_truth(values, expr->operands[1]));
	case PLAN_NOT:
		return isl_set_complement(plan_truth(values, expr->operands[0]));
	default:
		return isl_pw_aff_non_zero_set(plan_value(values, expr));
	}
}
