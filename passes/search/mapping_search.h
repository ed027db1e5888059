#ifndef PASSES_MAPPING_SEARCH_H
#define PASSES_MAPPING_SEARCH_H

#include "ir/prices.h"
#include "passes/cost/array_model.h"
#include "passes/cost/run_cycles.h"
#include "passes/search/shared_box.h"

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

/* What a mapping is looked for to compute: the tiles of OUTER, a legal schedule of MODEL, on MACHINE. */
struct mapping_problem {
	const struct nest_model *model;
	const struct pe_array *machine;
	const struct schedule *outer;
	const struct mapping_rules *rules;
	const struct prices *prices;
	/* The rest matters where the prices have time. */
	double macs;                     /* multiply-accumulates of an iteration of all loops */
	double base;                     /* what OUTER costs without time */
	struct copies copies;            /* of OUTER */
	/* What is found of boxes is remembered there; NULL: nowhere. */
	struct shared_boxes *boxes;
};

/* What a mapping costs: the price of its words; cycles in which elements compute and wait for words, and those more in which they wait
 * for copies beside them, 0 if the prices have no time; and all together with the problem's base and copies. */
struct mapping_cost { double words, cycles, late, value; long timed; };

/* Of MAPPING, evaluated. */
struct mapping_cost mapping_cost_of(const struct mapping_problem *problem, const struct mapping *mapping);
/* The same at a glance: cycles as if all steps were alike, and all tiles, which are no more. */
struct mapping_cost mapping_cost_about(const struct mapping_problem *problem, const struct mapping *mapping);

struct mapping_proof {
	bool is_complete;                /* all of the space was looked at */
	struct mapping_cost cost;        /* of what was found */
	double bound;                    /* nothing in the space costs less than this */
	long points;
};

/* The same, but that elements wait for nothing that only a step tells of, and copies are beside them: no more. */
double mapping_relaxed_value(const struct mapping_problem *problem, const struct mapping *mapping);
/* The registers of array A of PROBLEM, inside DEPTH loops, as they are searched. */
struct hold mapping_hold(const struct mapping_problem *problem, int a, int depth);
/* The rules of PROBLEM allow MAPPING. */
bool mapping_obeys(const struct mapping_problem *problem, const struct mapping *mapping);

/* What is looked for. */
struct mapping_sought {
	double below;                    /* what costs less than this; INFINITY: anything */
	long points;                     /* and that many are looked at */
};

/* Finds the mapping that costs least, if there is one that is SOUGHT; false if there is none (PROOF says whether
 * that is sure).  BEST is evaluated.  Where prices have time, sizes and orders that need no more words and iterations
 * than others stand for these, which may wait a little less: what was found costs little more than the least, and the bound
 * holds for all. */
bool mapping_search(const struct mapping_problem *problem, const struct mapping_sought *sought, struct mapping *best,
	struct mapping_proof *proof);

/* Gives BEST fewer cycles of elements, if one of POINTS mappings has fewer and costs no more than VALUE.  True: none has fewer than
 * BEST then. */
bool mapping_hasten(const struct mapping_problem *problem, double value, long points, struct mapping *best);

/* No mapping costs less, whatever the rules. */
double mapping_bound(const struct mapping_problem *problem);

#endif
