#ifndef PASSES_FUSE_CONSTRAINTS_H
#define PASSES_FUSE_CONSTRAINTS_H

#include "passes/analysis/reference_groups.h"

/* What the user says of fusing: `#pragma loopc fuse` before a nest (it is fused with the
 * next one) or before a function (as --fuse=all), `#pragma loopc nofuse` (not at all), and
 * a schedule's headings: `nest F.2-4` makes these nests one group, or one nest with the line
 * `merge` below it, `nest F.2` keeps the nest out of any. */
struct fuse_constraints {
	enum fusion fusion;          /* of what nothing else is said of */
	int nest_count;
	struct fuse_constraint *of_nest;        /* [nest] */
	bool forces;                 /* some nests have to be fused */
	bool is_complete;            /* a schedule says of every nest where it is */
	bool is_free;                /* nothing is said */
};

struct fuse_constraint {
	bool is_alone, with_next;
	int first, count;            /* the group it is in; count 0: none is given */
	bool is_merged;              /* whose nests are merged; else they are fused */
	struct location location;
};

/* False after an error (diagnosed). */
bool fuse_constraints_read(struct compilation *compilation, const struct nest *nests,
	int nest_count, struct fuse_constraints *constraints);

/* Whether the COUNT nests from FIRST on may be lowered as one. */
bool fuse_constraints_allow(const struct fuse_constraints *constraints, int first, int count);

/* The nests that begin with FIRST, if they may be one, have to be merged, or may be. */
bool fuse_constraints_merge(const struct fuse_constraints *constraints, int first);
bool fuse_constraints_may_merge(const struct fuse_constraints *constraints, int first);

/* The nests from FIRST on that have to be one group at least; 1: none have. */
int fuse_constraints_forced(const struct fuse_constraints *constraints, int first);

#endif
