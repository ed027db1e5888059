#ifndef IR_ARRAY_TIME_H
#define IR_ARRAY_TIME_H

#include "ir/pe_array.h"
#include "ir/plan.h"

/* How long processing elements take, step by step (docs/machine.md, "Time"): what the trace port finds for the code that is
 * emitted (runtime/loopc_timeline.h).
 *
 * Words come to registers before a step, and leave after it.  What comes to registers that are double may come since
 * the step before began to compute, what comes to others since its elements were done and had added up their sums.
 * What leaves registers that are double does so while steps go on; what leaves others holds them up. */

enum { TRAVELLERS = 64 };        /* arrays of a nest whose words travel */

/* Words that travel one way: in all, of the array that has most of them, and by the memory on chip that they cross. */
struct array_amount { double all, most, crossing[MEMORY_LIMIT]; };

void array_amount_add(struct array_amount *amount, int memory, double words);
/* Cycles in which AMOUNT travels, while OTHER words (NULL: none) cross each memory too. */
double array_travel_cycles(const struct pe_array *array, enum array_way way, const struct array_amount *amount, const double *other);

/* What travels between two steps, by way, whether to or from double registers, and array. */
struct array_load { double words[ARRAY_WAYS][2][TRAVELLERS]; };

/* The arrays of a nest whose words travel, and the memory on chip where each is. */
struct travellers { int count, memory[TRAVELLERS]; };

struct array_clock {
	const struct pe_array *array;
	struct travellers travellers;
	struct array_load load;
	double early, late;          /* since when words may come to double registers, and to others */
	double leaving;              /* until when words leave double ones */
	double written[MEMORY_LIMIT];        /* words to each memory, since LATE */
	double computing, moving;    /* cycles in which elements compute; in which they wait for words */
	double travelling;           /* in which words travel, whatever else happens */
};

/* The way, and the buffer in registers or on the network, of a word between these and the scratchpad, or from one element
 * to another.  False: it is no such word. */
bool word_travels(const struct plan_move *move, enum array_way *way, const struct plan_buffer **buffer);
/* The memory on chip that such a word comes from or goes to; 0 between elements. */
int word_memory(const struct plan_move *move);
/* The travellers of BODY, a nest's; the number of BUFFER among them. */
struct travellers travellers_of(const struct plan_node *body);
int traveller_of(const struct plan_node *body, const struct plan_buffer *buffer);

/* Nothing is on its way at NOW, and nothing came before. */
void array_clock_begin(struct array_clock *clock, const struct pe_array *array, const struct travellers *travellers, double now);
/* Words that came for a step leave at NOW or later, as far as they do: when the core may go on.  IS_CALL: it calls
 * the runtime, which nothing overlaps. */
double array_clock_drain(struct array_clock *clock, double now, bool is_call);
/* Copies that the core waited for were done at DONE. */
void array_clock_wait(struct array_clock *clock, double done);
/* A step in which the busiest element does MACS multiply-accumulates: when it has. */
double array_clock_step(struct array_clock *clock, double now, double macs);

#endif
