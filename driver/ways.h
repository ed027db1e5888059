#ifndef DRIVER_WAYS_H
#define DRIVER_WAYS_H

#include "driver/objective.h"
#include "driver/session.h"

/* Plans for --objective.  The search (passes/search/) knows bytes, and a price of commands; what a plan takes
 * in time and energy is known when it is there.  So plans are made in several ways, and the best is taken. */

enum { PLAN_WAYS = 32 };

/* How a plan is made. */
struct plan_way {
	enum buffering buffering;
	struct prices prices;        /* of what the search makes least */
	bool keeps_apart;            /* no nests are fused */
	bool is_of_several;          /* nests */
};

/* A plan of FUNCTION, through all passes; NULL after errors. */
typedef struct plan *make_plan_fn(struct compilation *compilation, const struct function *function);

/* False, with a message, if the machine does not say what is asked for. */
bool ways_check(const struct session *session);
/* The plan of FUNCTION that is best in what --objective asks for, made by MAKE; NULL after errors.  Of what
 * was tried the session knows. */
struct plan *ways_make_best(struct session *session, const struct function *function,
	make_plan_fn *make);
/* The WAYS [PLAN_WAYS] that may lead to little of any of the FIGURES that are asked for, on ARCH, with what the
 * user says of buffers (-1: nothing); the first one is that of least traffic.  Returns how many they are. */
int ways_to_trade(const struct plan_objective *figures, const struct arch *arch, int buffering,
	struct plan_way *ways);
/* WAYS [count] are those of a function of SEVERAL nests. */
void ways_are_of(bool several, struct plan_way *ways, int count);
/* WAY differs from that of least traffic only in what parts of a function are chosen by, and there is one. */
bool way_is_idle(const struct plan_way *way);
/* The plan of FUNCTION that is made in that WAY on ARCH, without a word; NULL: none fits, or errors. */
struct plan *ways_make(const struct session *session, const struct arch *arch, const struct function *function,
	const struct plan_way *way, make_plan_fn *make);
/* Columns of a table, with their heading: the buffers of WAY, and what a command costs in it. */
#define WAY_HEADING "buffers  a command is"
void ways_print(FILE *out, const struct plan_way *way);
/* Tables of what was tried, of all plans. */
void ways_explain(FILE *out, const struct session *session);

#endif
