#ifndef PASSES_MAPPING_SEARCH_H
#define PASSES_MAPPING_SEARCH_H

#include "passes/cost/array_model.h"

/* The best mapping of a schedule's tiles to processing elements (passes/cost/array_model.h), with proof.
 *
 * The space: each loop is shared by some elements, along any axis, that take some iterations each; for each number of
 * elements those sizes are tried that no smaller one is as good as in steps, parts and iterations of the busiest element.  Step
 * loops have any order, and all run forward.  Registers hold an array in any loop, one region at a time. */

/* What a mapping has to be. */
enum hold_place { HOLD_FREE, HOLD_OUTSIDE, HOLD_IN_TILE, HOLD_IN_STEP };
struct hold_rule {
	enum hold_place place;
	int loop;
};
struct mapping_rules {
	unsigned shareable;              /* bit l: several elements may share loop l */
	long part[MODEL_LOOPS], space[MODEL_LOOPS];      /* 0: any */
	int axis[MODEL_LOOPS];           /* -1: any */
	struct hold_rule holds[MODEL_ARRAYS];
	unsigned sums;                   /* bit a: array a is a sum that a memory may add up; */
	unsigned accumulating;           /* bit m: memory m does */
};

struct mapping_proof {
	bool is_complete;                /* nothing in the space costs less */
	double value;                    /* what was found costs */
	double bound;                    /* nothing in the space costs less than this */
	long points;
};

/* The price of MAPPING, evaluated. */
double mapping_value(const struct nest_model *model, const struct mapping *mapping, const struct element_price *price);

/* What is looked for. */
struct mapping_sought {
	double below;                    /* what costs less than this; INFINITY: anything */
	long points;                     /* and that many are looked at */
	bool breaks_ties;                /* of those that cost the same one with the fewest cycles; else any */
};

/* Finds the mapping of OUTER's tiles that costs least, if there is one that is SOUGHT; false if there is none (PROOF says whether
 * that is sure).  BEST is evaluated. */
bool mapping_search(const struct nest_model *model, const struct pe_array *machine, const struct schedule *outer,
	const struct mapping_rules *rules, const struct element_price *price, const struct mapping_sought *sought,
	struct mapping *best, struct mapping_proof *proof);

/* No mapping of OUTER's tiles costs less, whatever the rules. */
double mapping_bound(const struct nest_model *model, const struct pe_array *machine, const struct schedule *outer,
	const struct mapping_rules *rules, const struct element_price *price);

#endif
