#ifndef PASSES_SPACE_BOUND_H
#define PASSES_SPACE_BOUND_H

#include "passes/fusion/fuse.h"

/* What no partition of a function's nests into parts moves less than: that with the least sum of what each
 * of its parts moves at least.  docs/fusion.md proves it. */
struct space_bound;

/* How a part may run: which arrays stay on chip beside it, as far as that is settled.  The cases of a part are all there are. */
struct part_case {
	struct part_case *next;      /* of the same part */
	unsigned long carried, absent;   /* bit c: candidate c stays, or does not; others may */
	long bytes;                  /* the part then moves so many at least; LONG_MAX: there is no such part */
	bool is_open;                /* looking at it may show more */
	bool is_looked_at;           /* somebody has */
	bool is_searched;            /* plans were searched for */
};

/* Of COUNT nests, of which nothing is known yet.  LIVE [count + 1]: bit c: candidate c is in use before nest n and from it on, so that it
 * stays, or does not, beside the parts on both sides; NULL: none is. */
struct space_bound *space_bound_new(struct arena *arena, int count, const unsigned long *live);

/* The nests from FIRST to LAST move BYTES or more, in whatever way they are one part; LONG_MAX: they are in
 * no way. */
void space_bound_note(struct space_bound *bound, int first, int last, long bytes);

/* Merged they move BYTES or more, if that is not -1.  Returns the most that was said so; -1: nothing was. */
long space_bound_merged(struct space_bound *bound, int first, int last, long bytes);

/* What nests move at least as a group, where a search for less than MOST came to OUTCOME and CHOICE; -1: not
 * known. */
long space_bound_of_group(enum group_outcome outcome, const struct group_choice *choice,
	const struct cost *most);

/* Looks closer at the nests from FIRST to LAST in the case PART, which is open: raises its bytes; puts other cases behind it, of which there
 * are then less in this one; or closes it, where looking again shows no more. */
typedef void space_bound_look(void *user, int first, int last, struct part_case *part);

/* The bound of all nests, those of GROUPS.  LONG_MAX: there is no partition.  As long as it is below ENOUGH and due to parts of
 * which more may be found, LOOK looks at these.  LEAST (or NULL): the partition that it is of, if there is one. */
long space_bound_of(struct space_bound *bound, struct groups *groups, long enough, space_bound_look *look,
	void *user, struct space_partition *least);

#endif
