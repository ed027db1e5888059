#ifndef PASSES_NEST_MODEL_PARTS_H
#define PASSES_NEST_MODEL_PARTS_H

#include "passes/cost/closed_form.h"

/* What both models of a nest are made of: that which a schedule is chosen by (nest_model.c) and that which is inside all forms (inside.c). */

/* MODEL has the loops of BAND and nothing else; they may turn as the band says, if it HAS_FORMS, else not. */
void model_fill_loops(const struct band *band, bool has_forms, struct nest_model *model);

/* The model clips arrays that no loop moves in two dimensions, where few of its sums' terms have to be added one by one.
 * With symbolic sizes borders are elsewhere for other sizes, and a buffer must hold what is between them. */
bool model_may_clip(const struct variant *variant, const struct model_array *array);

/* OUT is ARRAY, or some of its accesses, in the model: with REGION, which these have in closed form. */
void model_fill_closed_form(const struct form_builder *builder, const struct reference_group *array,
	const struct region *region, struct model_array *out);

#endif
