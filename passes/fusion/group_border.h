#ifndef PASSES_GROUP_BORDER_H
#define PASSES_GROUP_BORDER_H

#include "passes/fusion/group.h"

/* What borders leave out of the iterations of a statement.  For example, with
 *     if (y + r >= 1 && y + r <= H)  A[y] += X[y + r - 1] * W[r];
 * the rows r of a filter that lie on the image depend on y: y and r are tied.  For the first y row 0 of W
 * is not touched, for the last y row 2 is not. */

/* How an iterator is tied. */
struct group_tie {
	int partner;                 /* the iterator that it is tied to; -1: it runs for all of its values */
	long *low, *high;            /* [value, from the least on]: the partner's values there */
	long lacking[2];             /* values at the low and the high end that have not all of the partner's */
};

/* Each iterator of STATEMENT, where they run for all values in RANGES but that some are tied, two by two.
 * NULL: where it runs is not known so well.  Each value of a tied iterator has some value of its partner,
 * and one of them has all.  In ARENA. */
struct group_tie *group_ties(struct arena *arena, const struct statement *statement, long (*ranges)[2]);

/* Statement S of the function runs in a box: nothing is tied. */
bool group_is_box(const struct groups *groups, int s);

/* Some tile of DIM, if it is cut into tiles of size TILE, has values at a border alone of a statement of CANDIDATE. */
bool group_cuts_border(const struct groups *groups, const struct fusion_candidate *candidate, const struct group_dim *dim,
	long tile);

/* The values of the partner of iterator I of statement S, which has VALUES: from ENDS[0] to ENDS[1], some of which it may
 * have with none of these. */
void group_partners(const struct groups *groups, int s, int i, const long values[2], long ends[2]);

/* A loop of CANDIDATE along iterator I of statement S; -1: there is none. */
int group_dim_along(const struct fusion_candidate *candidate, int s, int i);
/* In each tile of CANDIDATE what ACCESS touches is a box.  Its sides are those that its loops have where nothing is tied, as far as
 * they lie from ACCESS->low to ACCESS->high; but an iterator whose partner a tile cuts may have fewer values. */
bool group_ties_suit(const struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_access *access);

#endif
