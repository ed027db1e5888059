#ifndef PASSES_RUN_CYCLES_H
#define PASSES_RUN_CYCLES_H

#include "ir/arch.h"
#include "passes/cost/model.h"

/* How long a run takes, as far as it is known before there is a plan (docs/machine.md, "Time"). */

/* Cycles of the core that copies of CROSSING, of whose bytes COMING come, take on ARCH at least, whatever is done meanwhile: all bytes cross the bus, once
 * the first command has started, and each channel starts its commands one after the other. */
double copy_cycles(const struct arch *arch, const struct crossing *crossing, double coming);

/* Copies beside which nothing is computed: the bytes of all, cycles of the DMA engine in which their commands start, added up, and those of commands that
 * wait for each other, at least. */
struct alone { double bytes, starting, most; };
/* Adds what moves in CROSSING to or from a buffer of its own, by commands of which each takes START to start, and waits for the one before. */
void alone_add(const struct arch *arch, struct alone *alone, const struct crossing *crossing, double start);
/* Cycles of the core that copies ALONE take at least. */
double alone_cycles(const struct arch *arch, const struct alone *alone);
/* What a command of either way takes to start at least. */
double least_start(const struct arch *arch);

/* Commands one way: cycles in which each of them starts, all added up, and in which what they move has the bus. */
struct stream { double commands, starting, moving; };
/* Commands that are started one right after the other: puts first. */
struct batch { struct stream gets, puts; };

/* Copies of a nest beside which its tiles are computed. */
struct copies {
	double least;                /* cycles of all together, at least */
	double alone;                /* those in which nothing computes, at least */
	double exposed;              /* nothing is computed meanwhile */
	/* The rest goes on while tiles are computed.  A tile is what is computed inside the first DEPTH tile loops.  [place of one of these]: what comes
	 * during the tile before this loop goes on, and what is started as the one after begins, but not needed by the next. */
	int depth;
	struct batch coming[MODEL_LOOPS], leaving[MODEL_LOOPS];
	/* What is waited for as that loop goes on takes so long; 0: nothing is. */
	double standing[MODEL_LOOPS];
	/* What comes besides, of buffers with slots: in a run of that loop after a loop of TURNING [bit place] has gone on from so many SLOTS iterations on, as
	 * those before are kept; in others always. */
	struct batch after[MODEL_LOOPS];
	unsigned turning[MODEL_LOOPS];
	long slots[MODEL_LOOPS];
	double beside;               /* all that is not exposed, if the bus has no break */
	/* of the DMA engine */
	int channels;
	bool is_duplex;
};

void batch_add(struct batch *batch, const struct batch *other);
/* Cycles until the last of BATCH has come or left, and until its last put has, if the engine of COPIES is free before; those that it takes of the time
 * of all, where the next one like it is started as each of its commands is done. */
double batch_latency(const struct copies *copies, const struct batch *batch);
double puts_latency(const struct copies *copies, const struct batch *batch);
double batch_cycles(const struct copies *copies, const struct batch *batch);

/* Those of SCHEDULE, evaluated, of MODEL.  Double buffers fetch the next tile while one is computed, but for the first of all, or
 * with several slots or a window that slides the first in each run of the loop that moves them. */
struct copies copies_of(const struct nest_model *model, const struct arch *arch, const struct schedule *schedule);
/* Cycles of a run whose tiles take COMPUTING, all together, and wait for copies beside them LATE cycles more: about, but no fewer than its copies
 * take. */
double run_cycles(const struct copies *copies, double computing, double late);

#endif
