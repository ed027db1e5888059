#ifndef PASSES_ARRAY_CYCLES_H
#define PASSES_ARRAY_CYCLES_H

#include "passes/cost/array_model.h"
#include "passes/cost/run_cycles.h"

/* How long an array of processing elements takes for a nest, by its model alone (docs/machine.md, "Steps of elements"): what
 * ir/array_time.c finds by walking a plan, if nothing ever waits for a copy.  Steps that are alike are counted once. */

/* CYCLES of all steps; those more in which tiles are LATE; and kinds of steps that were TIMED one by one, some dozens, or thousands
 * where many loops have a smaller last tile and a border. */
struct array_time { double cycles, late; long timed; };

/* The time of MAPPING, which mapping_evaluate found to be good, of OUTER on MACHINE, whose mac_cycles are known.  An iteration
 * of all loops does MACS multiply-accumulates (ir/macs.h) at most.  Its cycles are exact, but that iterations count as if no condition left
 * any out, which may be more; and that results in double registers are never waited for, which may be less.  Tiles are late
 * for COPIES that go on beside them, about; NULL: there are none. */
struct array_time mapping_cycles(const struct nest_model *model, const struct pe_array *machine, const struct schedule *outer,
	const struct mapping *mapping, double macs, const struct copies *copies);

/* What is known of a nest on an array, or less than that. */
struct array_work {
	double macs;                 /* multiply-accumulates that run */
	long elements;               /* no more than that compute; 0: the whole array */
	/* Words, of the array that has most of them and of all together. */
	double read, most_read, written, most_written, reduced, most_reduced;
	double late, most_late;      /* read to registers that are not double */
	double comes[MEMORY_LIMIT], leaves[MEMORY_LIMIT];    /* from each memory on chip, and to it */
	bool is_serial;              /* no result leaves double registers; then */
	double held_up;              /* cycles in which words come or leave and nothing computes */
	double bursts;               /* cycles in which elements wait for words that are hidden, but come in less time than that takes */
};

/* No mapping that does at least WORK takes fewer cycles, copies or not.  Falls with each field of WORK but ELEMENTS. */
double array_least_cycles(const struct pe_array *machine, const struct array_work *work);
/* Adds what an array in MEMORY reads and writes, and to which registers. */
void array_work_add(struct array_work *work, int memory, double read, double written, double reduced, bool is_double, bool is_written);
/* How words come to registers of an array or leave them: so many in all, in so many VISITS, of at MOST so many words.  HIDDEN: while the step
 * before a visit is computed; in all of these the busiest element has so many ITERATIONS, at most. */
struct register_visits { double words, visits, most, iterations; bool is_hidden; };
/* The bursts of all COUNT ARRAYS on MACHINE, if an iteration takes so many CYCLES: there are no fewer. */
double array_bursts(const struct pe_array *machine, const struct register_visits *arrays, int count, double cycles);
/* The work of MAPPING, evaluated, of OUTER, where so many MACS run in all. */
struct array_work mapping_work(const struct nest_model *model, const struct schedule *outer, const struct mapping *mapping,
	double macs);

#endif
