#ifndef PASSES_FUSE_WISHES_H
#define PASSES_FUSE_WISHES_H

#include "passes/analysis/nest.h"

/* What the user says of fusing: `#pragma loopc fuse` before a nest (it is fused with the
 * next one) or before a function (as --fuse=all), `#pragma loopc nofuse` (not at all), and
 * a schedule's headings: `nest F.2-4` makes these nests one group, `nest F.2` keeps the
 * nest out of any. */
struct fuse_wishes {
	enum fusion fusion;          /* of what nothing else is said of */
	int nest_count;
	struct fuse_wish *wishes;    /* [nest] */
	bool forces;                 /* some nests have to be fused */
	bool is_complete;            /* a schedule says of every nest where it is */
};

struct fuse_wish {
	bool is_alone, with_next;
	int first, count;            /* the group it is in; count 0: none is given */
	struct location location;
};

/* False after an error (diagnosed). */
bool fuse_wishes_read(struct compilation *compilation, const struct nest *nests, int nest_count,
	struct fuse_wishes *wishes);

/* Whether the COUNT nests from FIRST on may be lowered as one. */
bool fuse_wishes_allow(const struct fuse_wishes *wishes, int first, int count);

/* The nests from FIRST on that have to be one group at least; 1: none have. */
int fuse_wishes_forced(const struct fuse_wishes *wishes, int first);

#endif
