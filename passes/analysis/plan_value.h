#ifndef PASSES_PLAN_VALUE_H
#define PASSES_PLAN_VALUE_H

#include <isl/aff.h>
#include <isl/set.h>

#include "ir/plan.h"

/* Expressions of a plan as isl's. */

struct plan_values {
	isl_space *space;            /* of the sets that values are functions on */
	/* The value of VAR on it; NULL: it has none. */
	__isl_give isl_pw_aff *(*variable)(const struct plan_values *values, const struct plan_var *var);
	void *user;
};

/* EXPR as a function on the space, and where it is not 0.  NULL if a variable has no value. */
__isl_give isl_pw_aff *plan_value(const struct plan_values *values, const struct plan_expr *expr);
__isl_give isl_set *plan_truth(const struct plan_values *values, const struct plan_expr *expr);

#endif
