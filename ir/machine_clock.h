#ifndef IR_MACHINE_CLOCK_H
#define IR_MACHINE_CLOCK_H

#include "ir/array_time.h"
#include "ir/plan_time.h"

/* A core, its DMA engine and processing elements, as docs/machine.md ("Time") defines them: the calls of a
 * run one after the other, and where they leave the machine.  The twin of runtime/loopc_timeline.h. */

enum { CHANNEL_LIMIT = 64, TAG_LIMIT = 32 };

/* Times are whole cycles of the core since it began. */
struct machine_clock {
	const struct arch *arch;
	double scale;                /* cycles of the core in one of the DMA engine's clock */
	struct array_clock array;
	double macs;                 /* since the last call of the runtime, or of an element */
	long now, bus_free[2], last_end;     /* [1]: of what is written, where that has a bus */
	long channel_free[CHANNEL_LIMIT], tag_done[TAG_LIMIT];
	int channel_last[CHANNEL_LIMIT];     /* 1 + twice its last command's tag, + 1 for a put; 0: none */
	int channels;
	bool is_over;                /* a time was too late for a long */
	struct plan_time sum;        /* of the nest, but for its cycles */
};

void clock_begin(struct machine_clock *clock, const struct arch *arch);
/* Nothing of the nest before is on its way.  TRAVELLERS: arrays whose words travel to elements or from them;
 * NULL: elements do not compute it. */
void clock_begin_nest(struct machine_clock *clock, const struct travellers *travellers);
/* A call of the runtime: what the core has computed since the last one takes its time, and so does what
 * leaves elements. */
void clock_call(struct machine_clock *clock);
/* A command of RUNS contiguous runs of RUN bytes each. */
void clock_copy(struct machine_clock *clock, bool is_put, int tag, double runs, double run);
void clock_wait(struct machine_clock *clock, unsigned tags);
/* A step of elements, of which the busiest does MACS multiply-accumulates. */
void clock_step(struct machine_clock *clock, double macs);

/* What the future of a machine depends on, with times as how far they are from now: two machines of the same
 * state do the same calls in the same cycles. */
enum { STATE_LIMIT = 8 + MEMORY_LIMIT + TAG_LIMIT + 2 * CHANNEL_LIMIT + 8 + ARRAY_WAYS * 2 * TRAVELLERS };
/* Fills in STATE [STATE_LIMIT]; returns how many values it has, always as many for a nest.  Only TAGS are used. */
int clock_state(const struct machine_clock *clock, unsigned tags, long *state);

/* What calls have done to a machine of some state, for others of the same one. */
enum { EFFECT_LIMIT = STATE_LIMIT + CHANNEL_LIMIT + 8 };
/* Fills in EFFECT [EFFECT_LIMIT] of what happened since the machine was as BEFORE; returns how many values it has. */
int clock_effect(const struct machine_clock *before, const struct machine_clock *clock, unsigned tags, long *effect);
/* The same happens to CLOCK. */
void clock_apply(struct machine_clock *clock, unsigned tags, const long *effect);

#endif
