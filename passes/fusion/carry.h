#ifndef PASSES_CARRY_H
#define PASSES_CARRY_H

#include "passes/cost/place.h"
#include "passes/fusion/fuse_constraints.h"

/* Arrays that stay on chip from the first nest that uses them to the last.  Such an array is
 * *carried*: it has one place in a memory for all that time, and the nests and groups
 * there are lowered as if there was no such array, in what it leaves them of that memory. */

/* Local arrays that a function could carry. */
struct carry_space {
	const struct arch *arch;     /* of the whole scratchpad */
	const struct function *function;
	int nest_count, array_count;
	int count;
	struct carry_candidate {
		const struct array *array;
		int first, last;         /* nests that use it */
		unsigned memories;       /* bit m: it may lie in memory m */
	} candidates[CARRY_LIMIT];
	unsigned long wanted;        /* bit c: the user says so */
	bool is_given;               /* and of no others */
};

/* Some of them, with their places. */
struct carrying {
	const struct carry_space *space;
	unsigned long mask;          /* bit c: candidate c */
	struct memory memories[MEMORY_LIMIT];
	long steps[MEMORY_LIMIT];    /* of all places in each: bytes */
	int count;                   /* they lie at their memory's end while their nests run */
	struct place_request requests[CARRY_LIMIT];
	int request_of[CARRY_LIMIT]; /* [candidate] */
	struct carried carried;
};

/* The user names an array of FUNCTION that is to be carried. */
bool carry_is_wanted(const struct compilation *compilation, const struct function *function);

/* Fills in SPACE for the function of NESTS [count], with what pragmas and a schedule say; IS_FREE:
 * others may be carried too, unless a schedule is given. */
void carry_find(const struct compilation *compilation, const struct nest *nests, int count,
	bool is_free, struct carry_space *space);

/* What the user wants carried does not fit; false (diagnosed). */
bool carry_refuse(struct compilation *compilation, const struct carry_space *space);

/* All that the user names stays on chip in PLAN; else says what does not (diagnosed). */
bool carry_check(struct compilation *compilation, const struct plan *plan);

/* Some of the candidates may lie in several memories: which of them they do lie in is not searched. */
bool carry_has_ways(const struct carry_space *space);

/* Finds places for the candidates in MASK.  False if they do not fit. */
bool carry_place(const struct compilation *compilation, const struct carry_space *space,
	unsigned long mask, struct carrying *carrying);

/* The largest candidate of those in MASK; the first of equals; -1: it is empty. */
int carry_largest(const struct carry_space *space, unsigned long mask);

/* The candidates that have a place by themselves. */
unsigned long carry_possible(const struct compilation *compilation, const struct carry_space *space);
/* What is carried beside the nests from FIRST to LAST as one part, as far as that is settled: the candidates CARRIED, which these nests
 * use, all at once; and FREE, which may be carried or not.  No set of CARRIED and some of FREE leaves the nests more.  False if
 * CARRIED are too many. */
bool carry_part(const struct compilation *compilation, const struct carry_space *space, unsigned long carried, unsigned long free,
	int first, int last, struct carrying *carrying);

/* The machine that is left for the nests from FIRST to LAST as one part.  NULL: there is none, or
 * arrays that take the same place one after the other would be there at once. */
const struct arch *carry_arch(const struct compilation *compilation,
	const struct carrying *carrying, int first, int last);

/* The candidates of SPACE that the nests from FIRST to LAST use; and those of them in CARRYING's mask. */
unsigned long carry_candidates(const struct carry_space *space, int first, int last, const struct nest *nests);
unsigned long carry_used(const struct carrying *carrying, int first, int last,
	const struct nest *nests);

/* Gives the carried arrays buffers in PLAN, whose nests, of NESTS, were lowered as if there were no
 * such arrays, as far down as what the nests need lets them be. */
void carry_apply(const struct carrying *carrying, const struct nest *nests, struct plan *plan);

/* Lowers the nests with the arrays on chip and in the groups with which they move least, as far
 * as CONSTRAINTS leave that free.  LEAST: bytes that any choice moves, or less.  False after errors
 * (diagnosed). */
bool lower_carrying(struct compilation *compilation, const struct nest *nests, int count,
	const struct fuse_constraints *constraints, long least, struct plan *plan);

#endif
