#ifndef PASSES_GROUP_DISTANCE_H
#define PASSES_GROUP_DISTANCE_H

#include "passes/analysis/legality.h"
#include "passes/fusion/group.h"

struct known_distance;

enum { DISTANCE_BUCKETS = 1024 };

struct distance_memo {
	struct known_distance *buckets[DISTANCE_BUCKETS];
};

/* The distances MULTIPLE_TO * value at TO - MULTIPLE_FROM * value at FROM of PAIR; none unless both
 * are affine. */
struct distance group_distance(struct groups *groups, const struct group_pair *pair,
	const struct group_plane *from, long multiple_from, const struct group_plane *to,
	long multiple_to);

#endif
