#ifndef PASSES_TILE_CLOCK_H
#define PASSES_TILE_CLOCK_H

#include "ir/arch.h"
#include "passes/cost/copy_visits.h"

/* How long a run takes that is cut into tiles, before there is a plan: all tiles are taken to be alike. */

/* A buffer, and what is copied to and from it. */
struct tile_buffer {
	int store;                       /* tile loops outside */
	int stage;                       /* that alone has it, in each tile; -1: it is there for all of a tile */
	bool is_chunked;                 /* what a stage has comes and goes in its chunks */
	bool is_double;
	bool is_by_runs;                 /* asks ahead within a run of its loop alone (passes/regions/ahead.h) */
	bool reuses_room;                /* slots are used in turns, so that a put is waited for before the next one */
	unsigned kept;                   /* bit PLACE: as that loop goes on its buffer stays as it is */
	double share;                    /* of its own loop's steps those where something moves */
	/* of a window that slides what is new in each step; and all of it, where a run of its loop begins */
	struct visit_copies gets, puts, whole;
};

/* What is computed in a tile, one after the other. */
struct tile_stage {
	double cycles;                   /* that it computes */
	double chunks;                   /* of what comes and goes in chunks: a whole number */
};

struct tile_run {
	const struct arch *arch;
	int depth;                       /* tile loops */
	const double *iterations;        /* [depth + 1]: of the first so many tile loops, all in all */
	int buffer_count, stage_count;
	const struct tile_buffer *buffers;
	const struct tile_stage *stages;
};

/* Cycles of RUN, whose copies take COPYING cycles or more: about, and no fewer than that.  What may be too long for the machine is not timed: then
 * copies and computing, one after the other. */
double tile_run_cycles(const struct tile_run *run, double copying);

#endif
