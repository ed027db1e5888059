#ifndef IR_PLAN_VERIFIER_H
#define IR_PLAN_VERIFIER_H

#include "ir/plan.h"

/* What ir/plan_verify.c checks plans with. */

enum { SHOWN_PROBLEMS = 10, SCOPE_LIMIT = 256 };

/* A started copy that was not waited for, as boxes in the array's lattice and in the
 * buffer. */
struct flight {
	const struct plan_transfer *transfer;
	long first[ARRAY_RANK_LIMIT], count[ARRAY_RANK_LIMIT], local[ARRAY_RANK_LIMIT];
	long slot;
};

struct verifier {
	const struct plan *plan;
	const struct plan_nest *nest;
	int problems;
	long sizes[SYMBOLIC_LIMIT];  /* the values of symbolic sizes */
	int scope_count;
	struct { const struct plan_var *var; long value; } scope[SCOPE_LIMIT];
	struct flight *flights;
	int flight_count, flight_capacity;
	unsigned long random;
	bool is_in_box;              /* loops are walked by their ends */
	bool is_in_step;             /* of elements */
};

/* An invariant does not hold, where the variables in scope have their values; the first are
 * printed. */
void plan_problem(struct verifier *verifier, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* One more variable in scope, with its value. */
void plan_push(struct verifier *verifier, const struct plan_var *var, long value);
/* All of NEST's transfers and statements, for the sizes chosen (ir/plan_verify_walk.c). */
void plan_walk_nest(struct verifier *verifier, const struct plan_nest *nest);

#endif
