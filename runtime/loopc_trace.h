#ifndef LOOPC_TRACE_H
#define LOOPC_TRACE_H

#include "loopc_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The trace port's own interface: the machine whose time is simulated, and what
 * came out.  A program that never calls lrt_trace_begin is traced with the default
 * model from its first copy to its exit; the environment variable LRT_TRACE names
 * the file then. */

/* The DMA engine has CHANNELS channels and one bus.  A command occupies a channel,
 * the first that is free, from its start to its end: STARTUP_CYCLES, then its bytes
 * on the bus, BYTES_PER_CYCLE at a time, when the bus is free.  The core
 * starts commands in no time and stands still in a wait.  It computes for the cycles given
 * to lrt_trace_compute and, if COMPUTE_HZ > 0, for the processor time that the
 * program spends between calls of the runtime, taken at that clock.  CLOCK_HZ gives
 * the times in the file; 0: a cycle is shown as a microsecond. */
typedef struct lrt_trace_model {
	uint64_t startup_cycles;
	double bytes_per_cycle;
	unsigned channels;
	double clock_hz, compute_hz;
} lrt_trace_model;

typedef struct lrt_trace_result {
	uint64_t cycles;                    /* until the core and the last copy are done */
	uint64_t compute_cycles, wait_cycles;
	uint64_t bus_cycles;                /* the bus was busy */
	uint64_t commands, bytes;
	int failed;                         /* the file could not be written in full */
} lrt_trace_result;

/* Begins a timeline; MODEL NULL: 100 cycles, 4 bytes a cycle, one channel.  FILE
 * (may be NULL) gets it in the format of Chrome's trace viewer. */
void lrt_trace_begin(const lrt_trace_model *model, const char *file);
/* More of the DMA engine, where it is not as simple.  Its cycles are of CLOCK_HZ (0: of the model's); a
 * command takes as many whole cycles of the core as it needs.  A put starts up in WRITE_STARTUP_CYCLES.  A
 * command is moved in bursts of at most BURST_BYTES (0: it is not), none of which goes across runs; each takes
 * whole cycles for its bytes, and BURST_CYCLES more, or of a put WRITE_BURST_CYCLES.  DUPLEX: gets and puts
 * have a bus each.  LATENCY_ONLY_FIRST: a command that begins on its channel as one of the same tag and direction
 * ends there does not start up. */
typedef struct lrt_trace_dma {
	double clock_hz;
	uint64_t write_startup_cycles;
	uint64_t burst_bytes, burst_cycles, write_burst_cycles;
	int duplex, latency_only_first;
} lrt_trace_dma;

/* To be called when the timeline has begun, before the first copy. */
void lrt_trace_dma_engine(const lrt_trace_dma *dma);
/* Copies of this region are shown under NAME, which is kept. */
void lrt_trace_array(const char *name, const void *base, size_t bytes);
/* The core computes for CYCLES. */
void lrt_trace_compute(const char *name, uint64_t cycles);
/* The core computes MAC_CYCLES for each multiply-accumulate that the code counts in lrt_trace_macs: between two calls of
 * the runtime so many whole cycles as these need.  What loopc emits for a machine with core.mac_cycles counts
 * them if it is compiled with LRT_TRACE_COMPUTE defined.  To be called when the timeline has begun. */
void lrt_trace_core(double mac_cycles);
extern uint64_t lrt_trace_macs;
/* An array of processing elements: cycles of an element for a multiply-accumulate, arrays that networks carry at a time from
 * the scratchpad, to it, and between neighbours, the words of each network in a cycle, and those of each memory on chip
 * (0: no limit; [0] is a scratchpad that is all).  docs/machine.md says how long a step of all elements takes, by words and by what the busiest of them
 * does.  The code that loopc emits for a machine with pe_array.mac_cycles tells both by the functions below, if it is
 * compiled with LRT_TRACE_COMPUTE defined.  To be called when the timeline has begun. */
typedef struct lrt_trace_pe_array {
	double mac_cycles;
	unsigned networks[3];               /* LRT_READ, LRT_WRITE, LRT_REDUCE */
	double words_per_cycle;
	double memory_words_per_cycle[LRT_MEMORIES];
} lrt_trace_pe_array;

void lrt_trace_elements(const lrt_trace_pe_array *array);
enum { LRT_READ, LRT_WRITE, LRT_REDUCE, LRT_WAYS };
/* Elements begin with a nest of their own. */
void lrt_trace_begin_nest(void);
/* A word of ARRAY (a number of the nest's), which is in MEMORY (a number of the machine's), goes its way, to or from
 * registers that are double or not. */
void lrt_trace_word(unsigned way, unsigned array, unsigned memory, int is_double);
/* An element has done its multiply-accumulates of this step, counted in lrt_trace_macs; all have. */
void lrt_trace_element(void);
void lrt_trace_step(void);
/* Ends the timeline and closes the file. */
lrt_trace_result lrt_trace_end(void);

#ifdef __cplusplus
}
#endif

#endif
