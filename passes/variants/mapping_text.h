#ifndef PASSES_MAPPING_TEXT_H
#define PASSES_MAPPING_TEXT_H

#include "passes/analysis/variant.h"
#include "passes/cost/array_model.h"
#include "passes/search/search.h"
#include "passes/variants/schedule_lines.h"

/* What a schedule's text says of processing elements:
 *     spatial LOOP x|y|free N   N elements share LOOP, along an axis of the array
 *     register LOOP N           each takes N of its iterations in a step
 *     steps LOOP ...            the loops over steps, outermost first
 *     serpentine LOOP.step ...  those that turn
 *     hold ARRAY outside|in LOOP|in LOOP.step [slots N] [sliding] [double]
 *                               where its words are in registers
 * What is not said is searched.  But a line `steps`, or one that says what the search does not know (turns, slots,
 * windows that slide, double registers), is of a whole mapping: where nothing is said of a loop one element takes one of its
 * iterations, and where nothing is said of an array it is held in the innermost loop that moves it. */
struct hold_asked {
	enum hold_place place;
	int loop;
	long slots;
	bool is_sliding, is_double;
	const struct schedule_line *line;
};

struct mapping_asked {
	const struct schedule_line *line;    /* the first; NULL: none */
	long part[MODEL_LOOPS], space[MODEL_LOOPS];      /* 0: nothing is said */
	enum axis axis[MODEL_LOOPS];
	const struct schedule_line *parts[MODEL_LOOPS], *spaces[MODEL_LOOPS], *steps, *serpentine;
	int step_count, order[MODEL_LOOPS];
	bool is_serpentine[MODEL_LOOPS];
	struct hold_asked holds[MODEL_ARRAYS];
};

/* What is wrong, and where; WHY NULL: nothing. */
struct mapping_fault {
	const char *why;
	const struct schedule_line *line;
};

/* Elements that are asked to compute VARIANT, whose model is MODEL, on the machine of ARCH; sums of floating-point numbers may have
 * another rounding if this REASSOCIATES.  In a TRIAL what was found with the schedule will do. */
struct element_question {
	struct arena *arena;
	const struct mapping_asked *asked;
	const struct variant *variant;
	const struct nest_model *model;
	const struct arch *arch;
	bool reassociates, is_trial;
};

/* What is searched of a mapping; false if what is ASKED is of a whole one. */
bool mapping_rules_of(const struct element_question *question, struct mapping_rules *rules);

/* MAPPING as is asked, for the tiles of SCHEDULE: what is not said such that it costs the least of
 * the prices of SEARCHED, with which SCHEDULE was found, and the mapping of PROOF (NULL: the least words are read and written), then
 * takes the fewest iterations of the busiest element. */
struct mapping_fault mapping_make(const struct element_question *question, const struct schedule *schedule,
	const struct search_options *searched, const struct proof *proof, struct mapping *mapping);

/* Its lines, but for `serpentine`, of which this is what follows the tile loops: " LOOP.step ...". */
const char *mapping_print(struct arena *arena, const struct nest_model *model, const struct schedule *schedule);
const char *mapping_print_turns(struct arena *arena, const struct nest_model *model, const struct mapping *mapping);

#endif
