#ifndef PASSES_MERGE_H
#define PASSES_MERGE_H

#include "passes/fusion/group.h"

/* Nests that are merged are one nest, with loops in common: a product, the nest before it that sets its
 * result, and the one behind that takes the larger of it and zero.  All that there is for a nest is
 * there for them: closed forms, slots, loops that turn, and proofs. */

enum merging {
	MERGE_NEVER,
	MERGE_WIDE,                  /* several have more loops, as a norm and the product behind it: looked at where
	                              * bounds let them move less */
	MERGE_TO_SAVE,               /* in the dimensions that they have in common each nest uses what
	                              * another one makes in the same iteration; one of them has more
	                              * loops, others windows at most, and the search takes longer than
	                              * that for a group */
	MERGE_ALIKE                  /* none has */
};

/* Whether CANDIDATE's nests may be worth merging. */
enum merging merging_of(const struct groups *groups, const struct fusion_candidate *candidate);

#endif
