#ifndef PASSES_FUSION_MEMO_H
#define PASSES_FUSION_MEMO_H

#include "passes/group.h"

/* What was found of a function's nests and groups for one scratchpad holds for others: all
 * down to what the answer needs.  So a front (--pareto) asks each question once.  A MEMO
 * that is NULL knows nothing and keeps nothing. */
struct fusion_memo;

/* All it keeps lives in ARENA; what a single scratchpad is lowered with need not. */
struct fusion_memo *fusion_memo_new(struct arena *arena);

/* groups_new for the COUNT nests, of a function that is always the same. */
struct groups *fusion_memo_groups(struct fusion_memo *memo, struct compilation *compilation,
	struct nest *nests, int count);

/* Nest N alone in a scratchpad of CAPACITY bytes: whether it FITS, and its entry, without a
 * body.  False: not known. */
bool fusion_memo_nest(const struct fusion_memo *memo, int n, long capacity, bool *fits,
	struct plan_nest *out);
void fusion_memo_keep_nest(struct fusion_memo *memo, int n, long capacity, bool fits,
	const struct plan_nest *out);

/* group_search of the nests from FIRST to LAST, where all else in LIMITS is always the
 * same.  False: not known. */
bool fusion_memo_choice(const struct fusion_memo *memo, const struct grown *grown,
	const struct group_limits *limits, enum group_outcome *outcome, struct group_choice *choice);
void fusion_memo_keep_choice(struct fusion_memo *memo, const struct grown *grown,
	const struct group_limits *limits, enum group_outcome outcome,
	const struct group_choice *choice);

/* Whether a group can be lowered as CHOICE says in COMPILATION, and its entry, without a
 * body.  False: not known. */
bool fusion_memo_group(const struct fusion_memo *memo, const struct compilation *compilation,
	const struct group_choice *choice, bool *fits, struct plan_nest *out);
void fusion_memo_keep_group(struct fusion_memo *memo, const struct compilation *compilation,
	const struct group_choice *choice, bool fits, const struct plan_nest *out);

#endif
