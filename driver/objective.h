#ifndef DRIVER_OBJECTIVE_H
#define DRIVER_OBJECTIVE_H

#include <stdbool.h>
#include <stdio.h>

#include "ir/plan.h"
#include "passes/pass.h"

/* What --objective asks for, of plans that are made: the figures of a plan, which of two plans is better, and
 * the ways in which plans are made for it.  The search (passes/search/) knows bytes, and a price of commands;
 * what a plan takes in time and energy is known when it is there.  So plans are made in several ways, and
 * the best is taken. */

enum plan_figure {
	PLAN_TRAFFIC,                /* bytes across the boundary of external memory and scratchpad */
	PLAN_COMMANDS,               /* DMA commands */
	PLAN_CYCLES,                 /* of the core (ir/plan_time.h) */
	PLAN_ENERGY,                 /* picojoules (ir/energy.h) */
	PLAN_EDP,                    /* energy times cycles */
	PLAN_FIGURE_COUNT
};

/* Figures with weights.  Sums come one after the other: the least of the first is wanted, of those the
 * least of the second, and so on. */
enum { OBJECTIVE_SUMS = 4 };
struct plan_objective {
	int count;
	double weight[OBJECTIVE_SUMS][PLAN_FIGURE_COUNT];
	const char *text;            /* as it was given */
};

/* "cycles", "traffic+16*commands", "energy,cycles": false if TEXT is none. */
bool objective_parse(const char *text, struct plan_objective *objective);
/* It asks for fewest bytes and nothing else. */
bool objective_is_traffic(const struct plan_objective *objective);
/* What ARCH would have to say for the figures that are asked for; NULL: it does. */
const char *objective_lacks(const struct plan_objective *objective, const struct arch *arch);

/* A value of the first sum, and of those after it; of figures of a plan. */
struct objective_values {
	double value[OBJECTIVE_SUMS];
	bool is_known;               /* else some figure is too much work to find */
};
struct objective_values objective_values_of(const struct plan_objective *objective,
	const double *figures);
/* < 0: ONE is better. */
int objective_values_compare(const struct plan_objective *objective,
	const struct objective_values *one, const struct objective_values *other);
/* No plan of PLAN's function, whose source has MACS multiply-accumulates (-1: not known), has less of the
 * first sum than this. */
double objective_bound(const struct plan_objective *objective, const struct plan *plan, long macs);

/* How a plan is made. */
struct plan_way {
	enum buffering buffering;
	double command_bytes;        /* see search_options; 0: only bytes count */
};
enum { PLAN_WAYS = 12 };
/* What came of a way: the figures of its plan, NAN where one is not known; or none fits. */
struct plan_tried {
	struct plan_way way;
	bool fits, is_best;
	double figures[PLAN_FIGURE_COUNT];
};
/* The figures of a plan that passes have finished; those that nobody asks for are 0. */
void objective_figures(const struct plan_objective *objective, struct plan *plan, double *figures);
/* A table of the COUNT ways that were tried for FUNCTION. */
void objective_explain(FILE *out, const struct plan_objective *objective, const char *function,
	const struct plan_tried *tried, int count);

/* The ways that may lead to what is asked for on ARCH, with what the user says of buffers (-1: nothing);
 * the first one is that of least traffic.  Returns how many they are. */
int objective_ways(const struct plan_objective *objective, const struct arch *arch, int buffering,
	struct plan_way *ways);

#endif
