#ifndef PASSES_CREATED_H
#define PASSES_CREATED_H

#include "passes/analysis/variant.h"

/* No read of ARRAY sees a value from before the nest. */
bool nest_is_created(const struct variant *variant, const struct reference_group *array);
/* Nor is any value of it wanted after the nest. */
bool nest_is_dropped(const struct variant *variant, const struct reference_group *array);
/* ARRAY's accesses, all of one statement of NEST, read the elements that they write, and none that another statement
 * has written before: what is seen first of each is its value from before the nest.  False where that is not sure. */
bool nest_begins_with(const struct nest *nest, const struct reference_group *array);

#endif
