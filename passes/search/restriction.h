#ifndef PASSES_RESTRICTION_H
#define PASSES_RESTRICTION_H

#include "passes/analysis/variant.h"
#include "passes/search/search.h"

/* Parts of a nest's schedule space, for comparison with what others search. */

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
