/* Which of two choices is better. */

#include "passes/cost/objective.h"

#include <math.h>

/* Some hundred cycles to set up a command, some to begin a burst elsewhere. */
static const double RUNS_A_COMMAND = 64;

/* What --objective asks for. */
static const enum figure ASKED = FIGURE_BYTES;

struct objective objective_of(enum ranking ranking)
{
	static const struct {
		bool asks;           /* what is asked for comes first */
		int count;
		enum figure figures[FIGURE_COUNT];
		bool is_greedy;      /* equals in the first figure are not looked for */
	} rankings[RANKING_COUNT] = {
		[RANK_ASKED] = { true, 0, { 0 }, false },
		[RANK_SCHEDULES] = { true, 4, { FIGURE_COMMANDS, FIGURE_RUNS, FIGURE_SCRATCHPAD,
			FIGURE_COMPLEXITY }, false },
		[RANK_SMALL_SCHEDULES] = { true, 4, { FIGURE_SCRATCHPAD, FIGURE_COMMANDS,
			FIGURE_RUNS, FIGURE_COMPLEXITY }, false },
		[RANK_TO_FIT] = { false, 2, { FIGURE_SCRATCHPAD, FIGURE_COMPLEXITY }, true },
		[RANK_PLANS] = { true, 1, { FIGURE_STARTS }, false },
		[RANK_GROUPS] = { true, 3, { FIGURE_WORK, FIGURE_RUNS, FIGURE_COMPLEXITY }, true },
		[RANK_SMALL_GROUPS] = { true, 4, { FIGURE_SCRATCHPAD, FIGURE_WORK, FIGURE_RUNS,
			FIGURE_COMPLEXITY }, false },
	};
	struct objective objective = { .count = 0 };

	if (rankings[ranking].asks)
		objective.figures[objective.count++] = ASKED;
	for (int i = 0; i < rankings[ranking].count; i++)
		objective.figures[objective.count++] = rankings[ranking].figures[i];
	objective.sought = rankings[ranking].is_greedy ? 1 : objective.count;
	return objective;
}

struct objective objective_priced(enum ranking ranking, const struct prices *prices, bool has_rows)
{
	struct objective objective = objective_of(ranking);

	objective.prices = *prices;
	objective.has_rows = has_rows;
	if (prices_are_given(prices) && objective.figures[0] == FIGURE_BYTES)
		objective.figures[0] = FIGURE_PRICED;
	return objective;
}

struct cost cost_sum(const struct cost *one, const struct cost *other)
{
	struct cost sum = *one;

	for (int b = 0; b < BOUNDARY_COUNT; b++) {
		sum.crossings[b].bytes += other->crossings[b].bytes;
		sum.crossings[b].commands += other->crossings[b].commands;
		sum.crossings[b].runs += other->crossings[b].runs;
	}
	sum.bypassed_bytes += other->bypassed_bytes;
	sum.scratchpad_bytes = fmax(one->scratchpad_bytes, other->scratchpad_bytes);
	sum.work += other->work;
	sum.complexity += other->complexity;
	sum.computing_price += other->computing_price;
	sum.cycles += other->cycles;
	return sum;
}

struct cost cost_rest(const struct cost *all, const struct cost *part)
{
	struct cost rest = *all;

	for (int b = 0; b < BOUNDARY_COUNT; b++) {
		rest.crossings[b].bytes -= part->crossings[b].bytes;
		rest.crossings[b].commands -= part->crossings[b].commands;
		rest.crossings[b].runs -= part->crossings[b].runs;
	}
	rest.work -= part->work;
	rest.bypassed_bytes -= part->bypassed_bytes;
	rest.complexity -= part->complexity;
	rest.computing_price -= part->computing_price;
	rest.cycles -= part->cycles;
	return rest;
}

struct cost cost_of_bytes(double bytes)
{
	return (struct cost){ .crossings = { [BOUNDARY_EXTERNAL] = { .bytes = bytes } } };
}

struct cost cost_of_value(const struct objective *objective, double value)
{
	const struct prices *prices = &objective->prices;

	if (objective->figures[0] != FIGURE_PRICED)
		return cost_of_bytes(value);
	double rest = value - prices->mac * prices->macs;
	/* of a product the other factor is one cycle, which has its price */
	if (prices->multiplies)
		return (struct cost){ .computing_price = rest - prices->cycle, .cycles = 1 };
	return (struct cost){ .computing_price = rest };
}

struct cost cost_infinite(void)
{
	const struct crossing endless = { INFINITY, INFINITY, INFINITY };
	struct cost cost = { .scratchpad_bytes = INFINITY, .work = INFINITY,
		.complexity = INFINITY, .cycles = INFINITY };

	for (int b = 0; b < BOUNDARY_COUNT; b++)
		cost.crossings[b] = endless;
	return cost;
}

bool cost_is_finite(const struct cost *cost)
{
	return cost->crossings[BOUNDARY_EXTERNAL].bytes < INFINITY;
}

double cost_figure(const struct cost *cost, enum figure figure)
{
	const struct crossing *external = &cost->crossings[BOUNDARY_EXTERNAL];

	switch (figure) {
	case FIGURE_BYTES:
		return external->bytes;
	case FIGURE_COMMANDS:
		return external->commands;
	case FIGURE_RUNS:
		return external->runs;
	case FIGURE_STARTS:
		return external->runs + RUNS_A_COMMAND * external->commands;
	case FIGURE_SCRATCHPAD:
		return cost->scratchpad_bytes;
	case FIGURE_WORK:
		return cost->work;
	case FIGURE_COMPLEXITY:
		return cost->complexity;
	case FIGURE_PRICED:
	case FIGURE_COUNT:
		break;
	}
	return 0;
}

double objective_sum_of(const struct objective *objective, const struct cost *cost)
{
	const struct prices *prices = &objective->prices;
	const struct crossing *external = &cost->crossings[BOUNDARY_EXTERNAL];
	double commands = objective->has_rows ? fmax(external->commands, external->runs) : external->commands;

	/* what costs nothing may be endless */
	return (prices->byte > 0 ? prices->byte * external->bytes : 0) + (prices->command > 0 ? prices->command * commands : 0) +
		cost->computing_price + prices->mac * prices->macs - prices->access * cost->bypassed_bytes;
}

/* The I-th figure that OBJECTIVE asks for. */
static double figure_of(const struct objective *objective, const struct cost *cost, int i)
{
	if (objective->figures[i] != FIGURE_PRICED)
		return cost_figure(cost, objective->figures[i]);
	return prices_with_time(&objective->prices, objective_sum_of(objective, cost), cost->cycles);
}

bool cost_dominates(const struct cost *one, const struct cost *other, const enum figure *figures,
	int count)
{
	for (int i = 0; i < count; i++)
		if (cost_figure(one, figures[i]) > cost_figure(other, figures[i]))
			return false;
	return true;
}

int objective_compare(const struct objective *objective, const struct cost *one,
	const struct cost *other)
{
	for (int i = 0; i < objective->count; i++) {
		double mine = figure_of(objective, one, i), its = figure_of(objective, other, i);

		if (mine != its)
			return mine < its ? -1 : 1;
	}
	return 0;
}

bool objective_is_less(const struct objective *objective, const struct cost *one, const struct cost *other, bool equals)
{
	return objective_compare(objective, one, other) < equals;
}

bool cost_is_less(const struct cost *one, const struct cost *other, bool equals)
{
	const struct objective asked = objective_of(RANK_ASKED);

	return objective_is_less(&asked, one, other, equals);
}

double objective_value(const struct objective *objective, const struct cost *cost)
{
	return figure_of(objective, cost, 0);
}

bool objective_may_improve(const struct objective *objective, const struct cost *bound,
	const struct cost *best)
{
	for (int i = 0; i < objective->sought; i++) {
		double least = figure_of(objective, bound, i), most = figure_of(objective, best, i);
		double tolerance = objective->figures[i] == FIGURE_BYTES
			|| objective->figures[i] == FIGURE_PRICED ? TRAFFIC_TOLERANCE : 0;

		if (least < most - tolerance)
			return true;
		if (least > most + tolerance)
			return false;
	}
	return objective->sought == objective->count;
}

bool objective_spares_memory(const struct objective *objective)
{
	return objective->figures[0] == FIGURE_SCRATCHPAD
		|| (objective->count > 1 && objective->figures[1] == FIGURE_SCRATCHPAD);
}
