#ifndef IR_PLAN_FORMULA_H
#define IR_PLAN_FORMULA_H

#include "ir/plan.h"

/* Expressions of a plan that are evaluated often: what their variables are is found once, not each
 * time.  Who walks a plan gives cells their values as it goes. */

/* What a variable is where the walk is.  Walked a run of iterations at a time, it is value + slope * k in
 * iteration k of the run. */
struct plan_cell {
	const struct plan_var *var;
	long value, slope;
	struct plan_formula *definition;     /* what it stands for in formulas; NULL: its value */
	bool is_marked;              /* for whoever walks */
	struct plan_cell *next;
};

struct plan_cells {
	struct arena *arena;
	const long *sizes;           /* values of the symbolic sizes; NULL: those tuned for */
	struct plan_cell *first;
};

struct plan_formula {
	enum plan_op op;
	long value;
	struct plan_cell *cell;      /* of a variable; NULL: it is none */
	struct plan_formula *operands[3];
};

/* The cell of VAR: of a size with its value, of others with 0 until it is set. */
struct plan_cell *plan_cell_of(struct plan_cells *cells, const struct plan_var *var);
/* EXPR (NULL: there is none) as a formula over CELLS. */
struct plan_formula *plan_formula_of(struct plan_cells *cells, const struct plan_expr *expr);
/* FORMULA reads CELL. */
bool plan_formula_has(const struct plan_formula *formula, const struct plan_cell *cell);
/* What FORMULA is where the cells have their values. */
long plan_formula_value(const struct plan_formula *formula);

#endif
