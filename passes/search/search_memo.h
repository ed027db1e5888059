#ifndef PASSES_SEARCH_MEMO_H
#define PASSES_SEARCH_MEMO_H

#include "passes/search/search.h"
#include "support/arena.h"

/* Searches already done: a network with repeated layers pays once for each.  Names do
 * not matter, everything else does. */
struct search_memo;

/* WORK (may be NULL) is told the points of each search that is not remembered. */
struct search_memo *search_memo_new(struct arena *arena, double *work);

/* search_schedule, or what it gave for the same question before.  MEMO may be NULL. */
bool search_schedule_once(struct search_memo *memo, const struct nest_model *model,
	const struct arch *arch, const struct search_options *options, struct schedule *best,
	struct proof *proof);

#endif
