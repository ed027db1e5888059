#ifndef DRIVER_TRADES_H
#define DRIVER_TRADES_H

#include "driver/output.h"
#include "driver/ways.h"

/* --pareto of figures that only finished plans have.  Plans are made in many ways, and in many scratchpads where
 * memory is asked for; the front is those of them that no other one is as good as in all figures. */

/* Figures of a plan: those of enum plan_figure, and these. */
enum {
	TRADE_MEMORY = PLAN_FIGURE_COUNT,    /* bytes of the scratchpad that it uses */
	TRADE_MACS,                  /* multiply-accumulates */
	TRADE_FIGURE_COUNT
};

/* Two or three of them. */
struct trades_asked {
	int count;
	int figures[3];
};

/* "memory,cycles", "traffic,commands,energy": false if TEXT is none. */
bool trades_parse(const char *text, struct trades_asked *asked);
bool trades_ask_for(const struct trades_asked *asked, int figure);

/* The fronts of all functions, as tables on standard output and in the files of --pareto-output.
 * STATUS_DOES_NOT_FIT if some function has no point; then nothing is written, and why is the
 * caller's to tell. */
enum status trades(struct session *session, struct outputs *outputs, make_plan_fn *make);

#endif
