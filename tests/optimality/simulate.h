#ifndef TESTS_OPTIMALITY_SIMULATE_H
#define TESTS_OPTIMALITY_SIMULATE_H

#include "passes/search/search.h"

/* What a schedule moves, by walking through all of its visits with the buffers'
 * contents in hand.  Shares nothing with the compiler but the structures: rules
 * and sums are written again, in the plainest way. */

struct simulated {
	long read_bytes[MODEL_ARRAYS], write_bytes[MODEL_ARRAYS], commands[MODEL_ARRAYS];
	long bytes[MODEL_ARRAYS];    /* of the buffer */
	long total_bytes, total_commands, scratchpad_bytes;
};

/* SCHEDULE has to be legal (simulate_is_legal). */
void simulate(const struct nest_model *model, const struct schedule *schedule,
	struct simulated *result);

/* The rules of struct storage. */
bool simulate_is_legal(const struct nest_model *model, const struct schedule *schedule);

/* SIZE bytes in whole granules of ARCH, and what ARCH has of them. */
long simulate_round(const struct arch *arch, long size);
long simulate_capacity(const struct arch *arch);
/* The same of memory M of several. */
long simulate_memory_round(const struct arch *arch, int m, long size);
long simulate_memory_capacity(const struct arch *arch, int m);

/* Makes loops 0 and 1 of MODEL alike: each dimension that loop 0 moves is there once more for loop 1.  False: MODEL stays as it is, for it
 * has one loop, or both move one dimension. */
bool make_alike(struct nest_model *model);

/* Small random nests and schedules, from a seed. */
struct random_source { unsigned long state; };
long random_below(struct random_source *source, long bound);
void random_model(struct random_source *source, int max_loops, long max_extent,
	struct nest_model *model);
/* Some arrays of MODEL that are written, and not clipped, have least sides, and some of these have ends. */
void random_ends(struct random_source *source, struct nest_model *model);
void random_schedule(struct random_source *source, const struct nest_model *model,
	struct schedule *schedule);
void print_case(const struct nest_model *model, const struct schedule *schedule);

/* Now and then MACHINE's registers have parts for roles, and arrays of MODEL have roles. */
void random_split(struct random_source *source, struct nest_model *model, struct pe_array *machine);

#endif
