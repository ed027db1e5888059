#ifndef DRIVER_WAYS_H
#define DRIVER_WAYS_H

#include "driver/session.h"

/* Plans for --objective.  The search (passes/search/) knows bytes, and a price of commands; what a plan takes
 * in time and energy is known when it is there.  So plans are made in several ways, and the best is taken. */

/* A plan of FUNCTION, through all passes; NULL after errors. */
typedef struct plan *make_plan_fn(struct compilation *compilation, const struct function *function);

/* False, with a message, if the machine does not say what is asked for. */
bool ways_check(const struct session *session);
/* The plan of FUNCTION that is best in what --objective asks for, made by MAKE; NULL after errors.  Of what
 * was tried the session knows. */
struct plan *ways_make_best(struct session *session, const struct function *function,
	make_plan_fn *make);
/* Tables of what was tried, of all plans. */
void ways_explain(FILE *out, const struct session *session);

#endif
