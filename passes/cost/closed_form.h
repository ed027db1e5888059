#ifndef PASSES_CLOSED_FORM_H
#define PASSES_CLOSED_FORM_H

#include "passes/cost/nest_model.h"

/* What the model of a nest asks about closed forms. */

/* The values of one iterator of a statement: min, min + step, ... max. */
struct range {
	long min, max, step;
};

/* A variant of a nest whose regions are looked at. */
struct form_builder {
	struct compilation *compilation;
	const struct variant *variant;
	struct range (*ranges)[LOOP_DEPTH_LIMIT];   /* [statement]: of the box around */
	bool *is_box;                /* [statement]: the domain is all of that box */
};

/* A builder of VARIANT, that knows nothing of its statements yet. */
struct form_builder form_builder_of(struct compilation *compilation, const struct variant *variant);

/* Finds the REGION that the accesses of ARRAY touch, which may be some of a reference group's.  False if it has no
 * closed form. */
bool closed_form_inside(struct form_builder *builder, const struct reference_group *array,
	struct region *region);

/* Finds a REGION that holds what the accesses of ARRAY touch, also where their statements run in boxes that are clipped at borders.
 * Whether it is clipped is not said. */
bool closed_form_around(struct form_builder *builder, const struct reference_group *array, struct region *region);

/* SIDES [dimension], in lattice units, of what the accesses of ARRAY, all of one statement, touch at each value of the band at which that
 * runs.  False if that differs, or is not known. */
bool closed_form_sides(struct form_builder *builder, const struct reference_group *array, long *sides);

/* Finds where the REGIONS [array] of BUILDER's nest are, and fills in what BUILDER has of its
 * statements.  False if some region has no closed form. */
bool closed_forms(struct form_builder *builder, struct region *regions);

#endif
