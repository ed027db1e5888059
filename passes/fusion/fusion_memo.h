#ifndef PASSES_FUSION_MEMO_H
#define PASSES_FUSION_MEMO_H

#include "passes/fusion/group.h"
#include "passes/variants/lower_nest.h"

/* What was found of a function's nests and groups for one scratchpad and some carried arrays
 * holds for others: what is proved, for all down to what the answer needs.  So each question is
 * asked once.  A MEMO that is NULL knows nothing and keeps nothing. */
struct fusion_memo;

/* All it keeps lives in ARENA; what a single scratchpad is lowered with need not, unless it
 * KEEPS_CHOICES. */
struct fusion_memo *fusion_memo_new(struct arena *arena, bool keeps_choices);

/* What MEMO, or one beside it, knows of FUNCTION: it is about one function only. */
struct fusion_memo *fusion_memo_for(struct fusion_memo *memo, const struct function *function);

/* What is asked from here on is one call: for another scratchpad, or another limit. */
void fusion_memo_begin(struct fusion_memo *memo);

/* groups_new for the COUNT nests, of the memo's function. */
struct groups *fusion_memo_groups(struct fusion_memo *memo, struct compilation *compilation,
	const struct nest *nests, int count);

/* The nests from FIRST to LAST as one nest, in what ARCH has on chip, without the arrays
 * CARRIED (see carry_used): whether it FITS, and what came of it, without a body.  False: not known. */
bool fusion_memo_nest(struct fusion_memo *memo, int first, int last, unsigned long carried,
	const struct arch *arch, bool *fits, struct weighed_nest *out);
void fusion_memo_keep_nest(struct fusion_memo *memo, int first, int last, unsigned long carried,
	const struct arch *arch, bool fits, const struct weighed_nest *out);

/* group_search of the nests from FIRST to LAST, where all else in LIMITS is always the
 * same.  False: not known. */
bool fusion_memo_choice(const struct fusion_memo *memo, const struct fusion_candidate *candidate,
	unsigned long carried, const struct group_limits *limits, enum group_outcome *outcome,
	struct group_choice *choice);
void fusion_memo_keep_choice(struct fusion_memo *memo, const struct fusion_candidate *candidate,
	unsigned long carried, const struct group_limits *limits, enum group_outcome outcome,
	const struct group_choice *choice);

/* Whether a group can be lowered as CHOICE says in COMPILATION, and its entry, without a
 * body.  False: not known. */
bool fusion_memo_group(const struct fusion_memo *memo, const struct compilation *compilation,
	const struct group_choice *choice, bool *fits, struct plan_nest *out);
void fusion_memo_keep_group(struct fusion_memo *memo, const struct compilation *compilation,
	const struct group_choice *choice, bool fits, const struct plan_nest *out);

#endif
