#ifndef TESTS_OPTIMALITY_ARRAY_SIMULATE_H
#define TESTS_OPTIMALITY_ARRAY_SIMULATE_H

#include "passes/cost/array_model.h"

/* Walks over all tiles, steps and elements of a mapping and counts what they move word by word, with the registers'
 * contents in hand. */
struct array_simulated {
	long read[MODEL_ARRAYS], written[MODEL_ARRAYS], delivered[MODEL_ARRAYS], reduced[MODEL_ARRAYS];
	long registers[MODEL_ARRAYS];
	long steps, cycles;
	double time;                 /* of ir/array_time.h, if nothing waits for copies and an iteration is a multiply-accumulate */
	/* NULL, or what cannot be: an element that computes with what it does not hold, say. */
	const char *impossible;
};

void array_simulate(const struct nest_model *model, const struct pe_array *machine, const struct schedule *outer,
	const struct mapping *mapping, struct array_simulated *result);

#endif
