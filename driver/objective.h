#ifndef DRIVER_OBJECTIVE_H
#define DRIVER_OBJECTIVE_H

#include <stdbool.h>

#include "ir/plan.h"
#include "ir/prices.h"

/* What --objective asks for, of plans that are made: the figures of a plan, and which of two plans is
 * better.  driver/ways.h makes them. */

enum plan_figure {
	PLAN_TRAFFIC,                /* bytes across the boundary of external memory and scratchpad */
	PLAN_COMMANDS,               /* DMA commands */
	PLAN_CYCLES,                 /* of the core (ir/plan_time.h) */
	PLAN_ENERGY,                 /* picojoules (ir/energy.h) */
	PLAN_EDP,                    /* energy times cycles */
	PLAN_SCRATCHPAD,             /* bytes between the scratchpad and an array of processing elements */
	PLAN_FIGURE_COUNT
};
extern const char *const plan_figure_names[PLAN_FIGURE_COUNT];

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
bool objective_asks_for(const struct plan_objective *objective, enum plan_figure figure);
/* It depends on how long a run takes on ARCH. */
bool objective_asks_for_time(const struct plan_objective *objective, const struct arch *arch);
/* It asks for fewest bytes and nothing else. */
bool objective_is_traffic(const struct plan_objective *objective);
/* What ARCH would have to say for the figures that are asked for; NULL: it does. */
const char *objective_lacks(const struct plan_objective *objective, const struct arch *arch);

/* Of a plan that passes have finished, all nests together: FIGURES [PLAN_FIGURE_COUNT].  NAN: too much work to
 * find; 0: nobody asks. */
void objective_figures(const struct plan_objective *objective, struct plan *plan, double *figures);

/* A value of the first sum, and of those after it; of figures of a plan. */
struct objective_values {
	double value[OBJECTIVE_SUMS];
	bool is_known;               /* else some figure is not */
};
struct objective_values objective_values_of(const struct plan_objective *objective,
	const double *figures);
/* < 0: ONE is better. */
int objective_values_compare(const struct plan_objective *objective,
	const struct objective_values *one, const struct objective_values *other);
/* Sum S of FIGURES [PLAN_FIGURE_COUNT]. */
double objective_sum(const struct plan_objective *objective, int s, const double *figures);

/* What a sum of figures with WEIGHTS [PLAN_FIGURE_COUNT] gives a price on ARCH, times SCALE; but for a product. */
struct prices objective_prices(const double *weights, const struct arch *arch, double scale);

/* What a search with PRICES has shown: nothing costs less than VALUE. */
struct objective_searched {
	struct prices prices;
	double value;
};

/* No plan of PLAN's function, whose source has MACS multiply-accumulates (-1: not known), has less of the
 * first sum than this: by what holds of all, or by what was SEARCHED [COUNT], which holds in the space of that search alone:
 * elements compute, with registers that hold one region at a time (passes/search/mapping_search.h).  *IS_OF_SPACE: the latter. */
double objective_bound(const struct plan_objective *objective, const struct plan *plan,
	const struct objective_searched *searched, int count, long macs, bool *is_of_space);

#endif
