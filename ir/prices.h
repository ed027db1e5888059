#ifndef IR_PRICES_H
#define IR_PRICES_H

#include <stdbool.h>

/* What a search weighs against each other.  What costs least is wanted: the sum of all that a schedule has of these, each times
 * its price; with MULTIPLIES that sum times the cycles of the run.  All 0: fewest bytes are wanted. */
struct prices {
	double byte;                 /* that crosses the boundary of external memory; of which */
	double access;               /* so much is what it costs in a memory on chip: what bypasses these saves it */
	double command;              /* of the DMA engine */
	/* A byte that the array of processing elements reads from the scratchpad or writes to it; that single elements get or
	 * give; that is added to a neighbour's. */
	double moved, delivered, reduced;
	double cycle;                /* of the run, as far as a search knows it (passes/cost/run_cycles.h) */
	bool multiplies;
	double mac;                  /* of a multiply-accumulate; of these there are */
	double macs;                 /* so many whatever the schedule, which matters where cycles multiply */
	/* What parts of a function are chosen by, beside bytes, commands and cycles: a picojoule of their plans, and a byte that elements move from or to
	 * a memory on chip.  Both are in the prices above, too, as far as a search knows them. */
	double picojoule, scratchpad;
};

static inline bool prices_are_equal(const struct prices *one, const struct prices *other)
{
	return one->byte == other->byte && one->access == other->access && one->command == other->command && one->moved == other->moved
		&& one->delivered == other->delivered && one->reduced == other->reduced && one->cycle == other->cycle
		&& one->multiplies == other->multiplies && one->mac == other->mac && one->macs == other->macs
		&& one->picojoule == other->picojoule && one->scratchpad == other->scratchpad;
}

/* Cycles of the run matter. */
static inline bool prices_have_time(const struct prices *prices)
{
	return prices->cycle > 0 || prices->multiplies;
}

/* What processing elements do matters. */
static inline bool prices_have_elements(const struct prices *prices)
{
	return prices->moved > 0 || prices->delivered > 0 || prices->reduced > 0 || prices_have_time(prices);
}

/* What is computed matters, and who computes it. */
static inline bool prices_have_computing(const struct prices *prices)
{
	return prices->picojoule > 0 || prices->scratchpad > 0;
}

/* Something matters besides bytes. */
static inline bool prices_are_given(const struct prices *prices)
{
	return prices->command > 0 || prices_have_elements(prices) || prices_have_computing(prices);
}

/* What costs SUM without its cycles, but with what is fixed, costs all in all if it runs for so many CYCLES. */
static inline double prices_with_time(const struct prices *prices, double sum, double cycles)
{
	double all = prices->cycle > 0 ? sum + prices->cycle * cycles : sum;

	return prices->multiplies ? all * cycles : all;
}

#endif
