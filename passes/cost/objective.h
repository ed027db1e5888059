#ifndef PASSES_OBJECTIVE_H
#define PASSES_OBJECTIVE_H

#include <stdbool.h>

#include "ir/prices.h"

/* What a choice costs, and which of two choices is better.  A choice is a schedule of a nest, a plan
 * that was made of one, or a way to cut a group of nests; whoever compares two of them asks here.
 *
 * A cost is monotone: where no field is more and some field is less, no figure is more.  So if each
 * field of BOUND is no more than that of any choice in some set, no choice of the set is better than
 * BOUND, whatever the objective: that is all that branch and bound has to know.
 *
 * To add an objective, say cycles: a figure, what it is of a cost (cost_figure), and a field of
 * struct cost if the fields do not say it yet; then it is what objective_of asks for first.  Bounds
 * that are not filled in are 0, and hold: a search is right at once, and fast when they are better. */

/* Between two memories. */
enum boundary {
	BOUNDARY_EXTERNAL,           /* external memory and the scratchpad */
	BOUNDARY_COUNT
};

/* What all arrays together move across a boundary: sums of flows (ir/flow.h), or less than
 * these.  Doubles: sums of whole numbers are exact below 2^53 and never overflow. */
struct crossing {
	double bytes, commands, runs;
};

struct cost {
	struct crossing crossings[BOUNDARY_COUNT];
	double bypassed_bytes;       /* of those across the boundary of external memory that go to registers alone */
	double scratchpad_bytes;
	double work;                 /* multiply-accumulates that run, or over those of the source: one
	                              * of the two in all costs that are compared */
	double complexity;           /* of what is chosen: more of it is more code */
	double computing_price;      /* of what computing does and moves, where that has one */
	double cycles;               /* of the run, where these have a price: as far as they are known */
};

/* A number that can be asked to be least. */
enum figure {
	FIGURE_BYTES,                /* read and written */
	FIGURE_COMMANDS,             /* transfers started */
	FIGURE_RUNS,                 /* contiguous pieces of external memory that they consist of */
	FIGURE_PRICED,               /* what all together costs at the objective's prices */
	FIGURE_STARTS,               /* both, as far as they cost time: a command as much as some runs */
	FIGURE_SCRATCHPAD,
	FIGURE_WORK,
	FIGURE_COMPLEXITY,
	FIGURE_COUNT
};

/* The choice with the least of the first figure is wanted, of those that with the least of the
 * second, and so on.  What equals the best in the first SOUGHT figures is not looked for, unless
 * these are all: of what costs the same one is taken by what it is. */
struct objective {
	int count, sought;
	enum figure figures[FIGURE_COUNT];
	struct prices prices;        /* of FIGURE_PRICED */
	bool has_rows;               /* the controller takes a command for each contiguous piece */
};

/* What choices are compared for.  All of them ask first for what --objective says (RANK_TO_FIT
 * alone does not); they differ in what they make of equals. */
enum ranking {
	RANK_ASKED,                  /* nothing */
	RANK_SCHEDULES,              /* of a nest, by its model */
	RANK_SMALL_SCHEDULES,        /* likewise, where memory is spared: points of a front */
	RANK_TO_FIT,                 /* schedules of a nest that nothing else fits of */
	RANK_PLANS,                  /* of a nest in several variants: their models bound commands and
	                              * runs more or less closely, so that both are weighed */
	RANK_GROUPS,                 /* ways to cut a group; bounds say nothing of equals */
	RANK_SMALL_GROUPS,           /* likewise, where memory is spared */
	RANKING_COUNT
};

struct objective objective_of(enum ranking ranking);
/* The same, if what costs least at PRICES, if there are any, is wanted where bytes are asked for; HAS_ROWS: of a controller that
 * takes a command for each contiguous piece, of which a cost has as many as its tiles make on average. */
struct objective objective_priced(enum ranking ranking, const struct prices *prices, bool has_rows);

/* Of what runs one after the other: memory is used in turns.  What is better in what is asked for
 * stays so with anything else beside it: partitions of functions into groups count on it. */
struct cost cost_sum(const struct cost *one, const struct cost *other);
/* What may run beside PART for as much as ALL, which costs no less. */
struct cost cost_rest(const struct cost *all, const struct cost *part);
/* Of what moves so many bytes at least, if nothing else is known: a bound. */
struct cost cost_of_bytes(double bytes);
/* Of what OBJECTIVE finds to cost VALUE in what it asks for first. */
struct cost cost_of_value(const struct objective *objective, double value);
/* Of a choice that does not exist: everything else is better. */
struct cost cost_infinite(void);
bool cost_is_finite(const struct cost *cost);

/* Not FIGURE_PRICED. */
double cost_figure(const struct cost *cost, enum figure figure);

/* None of the COUNT FIGURES is more of ONE than of OTHER: on a front of these ONE takes its place. */
bool cost_dominates(const struct cost *one, const struct cost *other, const enum figure *figures,
	int count);
/* < 0: ONE is better than OTHER; 0: they are equals. */
int objective_compare(const struct objective *objective, const struct cost *one,
	const struct cost *other);
/* ONE is better than OTHER for OBJECTIVE; or as good, if EQUALS are taken. */
bool objective_is_less(const struct objective *objective, const struct cost *one, const struct cost *other, bool equals);
/* The same in bytes. */
bool cost_is_less(const struct cost *one, const struct cost *other, bool equals);
/* COST at OBJECTIVE's prices, but for that of its cycles. */
double objective_sum_of(const struct objective *objective, const struct cost *cost);
/* The figure that is asked for first. */
double objective_value(const struct objective *objective, const struct cost *cost);
/* Whether a choice that costs BOUND or more is looked for where BEST is known.  Bounds of bytes
 * may be rounded: TRAFFIC_TOLERANCE. */
bool objective_may_improve(const struct objective *objective, const struct cost *bound,
	const struct cost *best);
/* Of choices that are equal in what is asked for that which needs less scratchpad is better,
 * whatever else it costs. */
bool objective_spares_memory(const struct objective *objective);

/* Bytes are whole numbers: a bound that is so little off still says which. */
#define TRAFFIC_TOLERANCE 1e-3

#endif
