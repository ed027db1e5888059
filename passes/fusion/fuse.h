#ifndef PASSES_FUSE_H
#define PASSES_FUSE_H

#include "passes/fusion/carry.h"
#include "passes/fusion/group.h"

/* CANDIDATE may be lowered: its nests share an array, and no scalar with others. */
bool group_is_whole(const struct groups *groups, const struct fusion_candidate *candidate);

/* The nests from FIRST to LAST as a group.  False if they cannot be one. */
bool group_of(struct groups *groups, int first, int last, struct fusion_candidate *candidate);

/* What CANDIDATE's nests move at least, in whatever way they run as one part. */
long group_lower_bound(const struct groups *groups, const struct fusion_candidate *candidate);

/* What a group may repeat and need. */
struct group_limits group_limits_of(const struct compilation *compilation);

/* Lowers a group in COMPILATION's arena as CHOICE says, with its entry OUT in PLAN.  False if it does not fit after
 * all, repeats more than it may, or isl makes no loops for it; PLAN is then of no use. */
bool group_emit(struct compilation *compilation, const struct groups *groups,
	const struct fusion_candidate *candidate, const struct group_choice *choice, struct plan *plan,
	struct plan_nest *out);

/* Says of a group that was lowered so, as OUT, what bounds it: no choice for it moves less than LEAST (-1: not
 * known); nor any execution of its nests, which is asked only where the plan is not only weighed. */
void group_judge(const struct compilation *compilation, const struct groups *groups,
	const struct fusion_candidate *candidate, long least, struct plan_nest *out);

/* What a schedule that was given says of the group; nothing: NULL in *CONSTRAINTS.  False after an
 * error (diagnosed). */
bool group_read_constraints(struct groups *groups, struct compilation *compilation,
	const struct fusion_candidate *candidate, const struct group_constraints **constraints);

/* That says more than which nests they are. */
bool group_is_constrained(const struct groups *groups, const struct compilation *compilation,
	const struct fusion_candidate *candidate);
/* Notes what each of the lines that say it leaves, where all together leave nothing. */
void group_explain_constraints(struct groups *groups, struct compilation *compilation,
	const struct fusion_candidate *candidate);

/* What is asked of all choices for a function, beside the best of them. */
struct space_question {
	long enough;                 /* a bound of so many bytes is as good as any larger one */
	int pairs;                   /* of nests: parts of the function with so many may be looked at; then, that are left */
	long bytes;                  /* the answer: no choice moves less; -1: not known */
	unsigned long operations;    /* of isl, that it took */
};

/* Lowers the COUNT nests beside what CARRYING says, which is the compilation's, fused where
 * CONSTRAINTS
 * and CUTS [count + 1] say (NULL: no such limits), with the least traffic; fills in plan.nests and
 * plan.nest_count.  QUESTION: about the choices with what is carried so; NULL: there is none.  False after errors (diagnosed). */
bool lower_fused(struct compilation *compilation, const struct nest *nests, int count,
	const struct fuse_constraints *constraints, const struct carrying *carrying, const bool *cuts,
	struct space_question *question, struct plan *plan);

/* A choice for a function, as far as its parts say. */
struct space_partition {
	bool *cuts;                  /* [count + 1]: a part begins at that nest, or ends before it */
	unsigned long carried;       /* bit c: candidate c is */
};

/* What no choice for the nests of SPACE moves less than, whichever of its candidates are carried; ENOUGH as in struct space_question.  PLAN: empty.
 * BOUNDED: the choice that moves so little, as far as is known. */
long bound_fused(struct compilation *compilation, const struct nest *nests, const struct carry_space *space,
	const struct fuse_constraints *constraints, const struct plan *plan, long enough, struct space_partition *bounded);

#endif
