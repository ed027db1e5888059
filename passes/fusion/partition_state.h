#ifndef PASSES_PARTITION_STATE_H
#define PASSES_PARTITION_STATE_H

#include "passes/fusion/fuse.h"
#include "passes/fusion/fusion_memo.h"
#include "passes/fusion/merge.h"
#include "passes/fusion/space_bound.h"
#include "passes/variants/lower_nest.h"

/* What the files that choose a partition into groups share. */

/* How the nests up to one are grouped. */
struct partition {
	int first;                   /* nest of the last group */
	struct cost cost;            /* of all up to here */
	struct cost own;             /* of the last group */
	const struct weighed_nest *merged;   /* where its nests are merged, what came of that; else */
	struct fusion_candidate candidate;          /* where the last group has several nests */
	struct group_choice choice;
};

/* What the plan of a group costs, where it is not what the model says. */
struct price {
	const struct price *next;
	int first, last;
	struct cost cost;
};

struct partitioning {
	struct compilation *compilation;
	struct groups *groups;
	const struct nest *nests;
	int count;
	const struct plan *plan;
	const struct fuse_constraints *constraints;
	struct cost *alone;          /* of each nest by itself; infinite: it cannot be */
	const struct weighed_nest **weighed;   /* what came of each then; NULL: not known */
	struct partition *best;      /* [count + 1]: of the nests before that one */
	const struct price *prices;
	const struct carrying *carrying;
	struct objective asked;      /* what parts are chosen by first */
	const bool *cuts;            /* [count + 1]: a group may begin there, or end before it; NULL:
	                              * anywhere */
	struct space_bound *bound;   /* what no partition moves less than; NULL: not asked for */
	long enough;                 /* a bound of so many bytes is as good as any larger one */
	int pairs;                   /* of nests of parts that may still be looked at for it */
	int wide_tries;              /* how often wide nests were weighed merged */
};

/* ---- partition.c: what is chosen ---- */

/* From here on COMPILATION is for the nests from FIRST to LAST, in what is left for them of the
 * scratchpad.  False if nothing is. */
bool partition_enter(const struct partitioning *partitioning, int first, int last);
void partition_leave(const struct partitioning *partitioning);
/* The nests from FIRST to LAST as one, which was WEIGHED (or not: NULL).  False: errors (diagnosed),
 * or it does not fit. */
bool partition_lower_one(const struct partitioning *partitioning, int first, int last,
	const struct weighed_nest *weighed, struct plan *plan, struct plan_nest *out);
/* The best choice for CANDIDATE within LIMITS and what the user said of it. */
enum group_outcome partition_choose(const struct partitioning *partitioning,
	const struct fusion_candidate *candidate, const struct group_limits *limits,
	struct group_choice *choice);
/* The nests from FIRST to LAST as one. */
const struct nest *partition_as_one(const struct partitioning *partitioning, int first, int last);
/* What comes of them; *WEIGHED NULL: it does not fit.  It moves *BOUND at least, however it is tried; LONG_MAX: it cannot
 * fit.  False after other errors, without a word. */
bool partition_weigh(const struct partitioning *partitioning, int first, int last,
	const struct weighed_nest **weighed, long *bound);
/* What the nests from FIRST up to END cost one by one. */
struct cost partition_cost_alone(const struct partitioning *partitioning, int first, int end);
/* The nests from N on that the user wants fused cannot be. */
bool partition_report_refusal(const struct partitioning *partitioning, int n,
	enum group_outcome outcome);

/* ---- partition_bound.c: what none moves less than ---- */

/* What the nests from FIRST to LAST move at least merged, if they were not tried so; MOST or more if it is that or more. */
long partition_bound_merged(const struct partitioning *partitioning, int first, int last, long most);
/* CANDIDATE's nests move at least so much as a GROUP (-1: not known), or MERGED (-1: they were not tried so, now). */
void partition_note_bounds(const struct partitioning *partitioning, const struct fusion_candidate *candidate,
	long group, long merged);
/* What no choice moves less than.  No more is wanted than what was found. */
void partition_answer(struct partitioning *partitioning, struct space_question *question);

/* ---- partition_lower.c: plans of it ---- */

/* Lowers the group PART into PLAN, with its entry OUT; where the plan needs more than the model says, one of less.  False if none
 * has a plan that costs MOST or less, unless the user wants groups anyway. */
bool partition_lower_group(const struct partitioning *partitioning, const struct partition *part,
	const struct cost *most, struct plan *plan, struct plan_nest *out);
/* The whole function as it was found to be best as one.  False if it cannot be after all. */
bool partition_lower_as_one(const struct partitioning *partitioning, struct plan *plan);
/* The parts of the nests before END, in order. */
bool partition_lower_ranges(const struct partitioning *partitioning, int end, struct plan *plan);

#endif
