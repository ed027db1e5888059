#ifndef PASSES_CHOICE_COMPUTING_H
#define PASSES_CHOICE_COMPUTING_H

#include "passes/variants/choice.h"

/* Processing elements compute nests whose regions are known in numbers.  Why not CHOICE's; NULL: they can. */
const char *elements_hindrance(const struct choice *choice);
/* CHOICE is searched for what has a price: together with how elements share its tiles, if what they do has one, and is not said; or with how long a
 * core takes. */
void computing_price(struct choice *choice);
/* What was searched has shown at its prices: nothing costs less, if elements compute the nest, or a core; 0: not known. */
double elements_priced_bound(const struct choice *choice, const struct plan_array *elements);
double core_priced_bound(const struct choice *choice);
/* Elements compute the tiles of the schedule that was found; a fault: they cannot. */
struct mapping_fault elements_map(struct choice *choice);
/* The same on a machine whose elements compute what they can, without being asked; else choice->no_elements says why not. */
void elements_map_alone(struct choice *choice);
/* Fills in what no mapping of CHOICE's nest goes below. */
void elements_bound_words(const struct choice *choice, struct plan_array *elements);

#endif
