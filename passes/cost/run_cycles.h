#ifndef PASSES_RUN_CYCLES_H
#define PASSES_RUN_CYCLES_H

#include "ir/arch.h"
#include "passes/cost/model.h"

/* How long a run takes, as far as it is known before there is a plan (docs/machine.md, "Time"). */

/* Cycles of the core that copies of CROSSING take on ARCH at least, whatever is done meanwhile: all bytes cross the bus, and
 * each channel starts its commands one after the other. */
double copy_cycles(const struct arch *arch, const struct crossing *crossing);

/* The same of some of the copies, added up: those of two crossings take no less together than each alone, one after the other. */
double copy_cycles_apart(const struct arch *arch, const struct crossing *crossing);

/* Copies of a nest beside which its tiles are computed. */
struct copies {
	double least;                /* cycles of all together, at least */
	double alone;                /* those in which nothing computes, at least */
	double exposed;              /* nothing is computed meanwhile */
	double waits;                /* tiles before which something is waited for so */
	/* The rest goes on while tiles are computed: [place of a tile loop] what comes during the tile before this loop goes on, and leaves
	 * during the one after. */
	double coming[MODEL_LOOPS], leaving[MODEL_LOOPS];
	double beside;               /* all of that together */
	/* But copies of buffers with slots, inside [depth] tile loops: what a turn does not keep comes in some tiles, one behind the other. */
	struct bunch { double cycles, tiles, of; } bunches[MODEL_LOOPS + 1];
};

/* Those of SCHEDULE, evaluated, of MODEL.  Double buffers fetch the next tile while one is computed, but for the first of all, or
 * with several slots or a window that slides the first in each run of the loop that moves them. */
struct copies copies_of(const struct nest_model *model, const struct arch *arch, const struct schedule *schedule);
/* Cycles in which tiles that are computed in so many CYCLES, all together, wait for bunches of COPIES, about. */
double bunched_cycles(const struct copies *copies, double cycles);
/* Cycles of a run whose tiles take COMPUTING, all together, and wait for copies beside them LATE cycles more: about, but no fewer than its copies
 * take. */
double run_cycles(const struct copies *copies, double computing, double late);

#endif
