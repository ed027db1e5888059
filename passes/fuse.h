#ifndef PASSES_FUSE_H
#define PASSES_FUSE_H

#include "passes/fuse_wishes.h"

/* What all groups of a function share: its nests and their dependences. */
struct groups;

/* NESTS stay the caller's, all else is the arena's. */
struct groups *groups_new(struct compilation *compilation, struct nest *nests, int count);

/* Consecutive nests as one: one row (or block of rows) of the last result at a time,
 * every intermediate array in a ring that never leaves the chip, each producer as late
 * as its users allow. */
struct group {
	struct nest *nest;
	long bytes;                  /* moved, with one row at a time */
};

enum group_outcome {
	GROUP_FITS,
	GROUP_TOO_LARGE,             /* for the scratchpad; so are groups that contain it */
	GROUP_ILLEGAL                /* dependences forbid it, or nothing would stay on chip */
};

/* Weighs the COUNT nests from FIRST on as a group. */
enum group_outcome group_try(const struct groups *fusion, int first, int count,
	const struct plan *plan, struct group *result);

/* Lowers a group that fits, with as many rows at a time as move no more, with its entry
 * OUT in PLAN.  False if isl makes no loops for it; PLAN is then of no use. */
bool group_emit(const struct groups *fusion, const struct group *group, struct plan *plan,
	struct plan_nest *out);

/* What NEST's plan moves. */
long plan_nest_bytes(const struct plan_nest *nest);

/* Lowers the COUNT nests, fused where WISHES say, with the least traffic; fills in
 * plan.nests and plan.nest_count.  False after errors (diagnosed). */
bool lower_fused(struct compilation *compilation, struct nest *nests, int count,
	const struct fuse_wishes *wishes, struct plan *plan);

#endif
