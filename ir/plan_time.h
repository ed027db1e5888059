#ifndef IR_PLAN_TIME_H
#define IR_PLAN_TIME_H

#include "ir/plan.h"

/* Cycles of the core that a nest takes, as the trace port measures them (runtime/loopc_timeline.h). */
struct plan_time {
	long cycles;                 /* from when the nest before was done until the core and the last copy
	                              * of this one are */
	long compute_cycles;         /* of these: the core, or elements, compute */
	long move_cycles;            /* elements wait for words from the scratchpad, or to leave for it */
	long wait_cycles;            /* it waits for copies */
	long dma_cycles;             /* the bus is busy */
	long network_cycles;         /* words travel between scratchpad and elements, or among these, beside computing or
	                              * not; not measured */
	long start_cycles;           /* commands start up, on all channels together; not measured */
};

/* TIMES [plan.nest_count], of the nests one after the other, on the plan's machine and with its symbolic
 * sizes at what they are tuned for.  Between two calls of the runtime the core takes as many whole
 * cycles as the multiply-accumulates there do (ir/macs.h); all else that it does takes none.  Processing elements that
 * compute a nest take the time of ir/array_time.h, if the machine says it, and none else.  False if
 * the machine has no clock, the passes are not done (commands would be missing), more than a hundred
 * million steps were to be walked, or the time is more than 2^60 cycles. */
bool plan_times(const struct plan *plan, struct plan_time *times);

#endif
