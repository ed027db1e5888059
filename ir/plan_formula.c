/* Expressions of a plan that are evaluated often. */

#include "ir/plan_formula.h"

struct plan_cell *plan_cell_of(struct plan_cells *cells, const struct plan_var *var)
{
	struct plan_cell *cell = cells->first;
	while (cell && cell->var != var)
		cell = cell->next;
	if (!cell) {
		cell = ARENA_NEW(cells->arena, struct plan_cell);
		*cell = (struct plan_cell){ .var = var, .next = cells->first };
		if (var->size)
			cell->value = cells->sizes ? cells->sizes[var->size->index] : var->size->value;
		cells->first = cell;
	}
	return cell;
}

struct plan_formula *plan_formula_of(struct plan_cells *cells, const struct plan_expr *expr)
{
	if (!expr)
		return NULL;
	if (expr->op == PLAN_VAR && plan_cell_of(cells, expr->var)->definition)
		return plan_cell_of(cells, expr->var)->definition;
	struct plan_formula *formula = ARENA_NEW(cells->arena, struct plan_formula);
	*formula = (struct plan_formula){ .op = expr->op, .value = expr->value };
	if (expr->op == PLAN_VAR)
		formula->cell = plan_cell_of(cells, expr->var);
	for (int i = 0; i < plan_operand_count(expr->op); i++)
		formula->operands[i] = plan_formula_of(cells, expr->operands[i]);
	return formula;
}

bool plan_formula_has(const struct plan_formula *formula, const struct plan_cell *cell)
{
	bool has = formula->cell == cell;
	for (int i = 0; i < plan_operand_count(formula->op) && !has; i++)
		has = plan_formula_has(formula->operands[i], cell);
	return has;
}

long plan_formula_value(const struct plan_formula *formula)
{
	long value[3] = { 0 };
	if (formula->op == PLAN_CONST)
		return formula->value;
	if (formula->op == PLAN_VAR)
		return formula->cell->value;
	for (int i = 0; i < plan_operand_count(formula->op); i++)
		value[i] = plan_formula_value(formula->operands[i]);
	return plan_apply(formula->op, value[0], value[1], value[2]);
}
