#ifndef PASSES_SEARCH_ROUNDS_H
#define PASSES_SEARCH_ROUNDS_H

#include "passes/search/search_tree.h"

/* The threads of a search, each with its own path.  Most searches are over before another thread has
 * begun: the first points are looked at by one. */
struct crew {
	int count;
	const struct nest_model *model;
	struct tree *trees[MAX_THREADS];     /* NULL: it has had nothing to do yet */
	long points_alone;           /* that one has looked at */
};

void crew_init(struct crew *crew, int threads, const struct nest_model *model);
void crew_clear(struct crew *crew);
/* Points left of LIMIT, of all since the search began. */
long outcome_points_left(const struct outcome *total, long limit);
/* Searches all of SPACE for something better than TOTAL's best, with at most about
 * LIMIT points more. */
void crew_search(struct crew *crew, const struct space *space, struct outcome *total,
	long limit);

#endif
