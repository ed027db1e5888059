#ifndef PASSES_RESTRICTION_H
#define PASSES_RESTRICTION_H

#include "passes/analysis/variant.h"
#include "passes/search/search.h"

/* Parts of a nest's schedule space, for comparison with what others search. */

/* What ARRAY is to a layer.  An output is written in the nest.  Of what is only read, an
 * input is what the function writes elsewhere, or what somewhere in the function a window
 * slides over (a subscript with two iterators); if the nest has neither, the array that it
 * reads first.  Weights are the rest. */
enum array_role nest_array_role(const struct nest *nest, const struct reference_groups *groups, int a);

/* The memories of ARCH that ARRAY may lie in where NEST uses it: those that hold its role in the whole nest, which does not
 * depend on what of it is looked at, or stays on chip.  Bit m: memory m; 0: NEST does not use it. */
unsigned array_memories(const struct arch *arch, const struct nest *nest, const struct array *array);

/* Narrows the space of MODEL to compilation->request.restriction.  What the user fixed comes
 * after it and counts. */
void restriction_apply(const struct compilation *compilation, const struct variant *variant,
	struct nest_model *model, struct search_options *options);

/* Parts of a nest's body with schedules of their own belong to what is searched.  They do not
 * where arrays are held or the source's order is kept: the model of a part does not have the
 * loops around it, which may be outside a held array's buffer. */
bool restriction_has_parts(const struct compilation *compilation);

/* Under a fixed order of the source: tile loops that no buffer of SCHEDULE is inside of
 * are no tile loops. */
void restriction_trim(const struct compilation *compilation, const struct variant *variant,
	const struct nest_model *model, struct schedule *schedule);

#endif
