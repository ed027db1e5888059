#ifndef PASSES_BOUND_VALUES_H
#define PASSES_BOUND_VALUES_H

#include <isl/set.h>

#include "passes/analysis/nest.h"

/* Where the values come from that statements of a nest read. */

enum { KIND_STATEMENTS = 8, KIND_READS = 16 };

/* Statements with the same loops and accesses, which differ in their domains only: an iteration of the
 * kind is an instance of one of them. */
struct kind {
	int count;
	const struct statement *statements[KIND_STATEMENTS];
};

/* A and B, of statements in DEPTH loops, have the same subscripts. */
bool accesses_touch_alike(const struct access *a, const struct access *b, int depth);

/* The access I of KIND's statements reads what each of them writes: a chain of updates. */
bool kind_updates(const struct kind *kind, int i);

/* The elements that the accesses READS [COUNT] of KIND touch, which are of one array.  Caller frees. */
__isl_give isl_set *kind_elements(const struct kind *kind, const int *reads, int count);

/* At most so many elements, each counted once for each value, that READS [COUNT] of KIND read are
 * made by instances of NEST, but by the chain of updates they may be of; or are read by another
 * chain of updates of KIND, too.  INFINITY: not known. */
double values_made(const struct nest *nest, const struct kind *kind, const int *reads, int count);

#endif
