#ifndef PASSES_ENDS_H
#define PASSES_ENDS_H

#include "passes/analysis/variant.h"
#include "passes/cost/model.h"

/* Arrays of which more is touched in the last tile of a loop than in the others: a row of scores, made tile by tile, of
 * which a softmax needs all in the end. */

/* What alike accesses of one statement touch of an array in an iteration of the band. */
struct touch {
	int statement;               /* in the nest */
	bool is_known;               /* all of what follows is touched; else some of it at most, if anything follows */
	bool is_around;              /* no more than that is */
	bool is_read, is_written;
	struct model_dim dims[ARRAY_RANK_LIMIT];     /* windows and coefficients */
	long first[ARRAY_RANK_LIMIT], stride[ARRAY_RANK_LIMIT];  /* the elements of a window, where the band begins; 0 if only the
	                              * hull is known */
};

/* OUT, of a nest with BAND, has the regions of TOUCHES[MAIN], which all tiles have; fills in its ends, if all that is known of TOUCHES
 * [count], all there are of its array, says that it has some. */
void ends_find(const struct band *band, const struct touch *touches, int count, int main, struct model_array *out);

/* The arrays of MODEL, of VARIANT without closed forms, as they are where it is known what is touched at ends of loops alone, and
 * what more there; [array_count].  NULL: nothing is.  Owned by the arena. */
const struct model_array *ends_of_model(struct compilation *compilation, const struct variant *variant,
	const struct nest_model *model);

/* Accesses FIRST and OTHER of NEST are of one statement, and their subscripts differ by constants. */
bool accesses_are_alike(const struct nest *nest, const struct nest_access *first, const struct nest_access *other);

#endif
