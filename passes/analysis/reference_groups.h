#ifndef PASSES_REFERENCE_GROUPS_H
#define PASSES_REFERENCE_GROUPS_H

#include "passes/analysis/band.h"

/* One access of a statement of the nest. */
struct nest_access {
	int statement;               /* in the nest */
	const struct access *access;
};

/* An array of the nest that lives outside and is brought in by regions; or one of its
 * reference groups, the accesses whose subscripts differ by constants only, where the
 * nest holds those in buffers of their own. */
struct reference_group {
	const struct array *array;
	bool has_siblings;           /* other groups of the array; some access writes it */
	int access_count;
	const struct nest_access *accesses;
	bool is_read, is_written;
	bool is_internal;            /* of a fused group: never leaves the chip */
	bool is_kept;                /* of a fused group: made and read on chip like an internal one,
	                              * and goes out as it is made */
};

/* Pairs of accesses whose groups share a buffer all the same. */
struct merges {
	int count;                   /* of accesses: two a pair */
	size_t capacity;
	const struct access **accesses;
};

/* What of the arrays outside a nest brings in by regions, one buffer each.  Scalars stay in the
 * core, and what is carried stays on chip. */
struct reference_groups {
	int count;
	const struct reference_group *items;
	bool is_split;               /* some array has several */
	struct merges merges;        /* that were asked for */
};

/* GROUPS of which some stay on chip, [group]: internal ones, and those that are kept (NULL: none). */
const struct reference_groups *reference_groups_on_chip(struct arena *arena,
	const struct reference_groups *groups, const bool *is_internal, const bool *is_kept);
/* One group an array. */
const struct reference_groups *reference_groups_whole(struct compilation *compilation,
	const struct nest *nest);
/* Several, where subscripts differ by more than constants; but for MERGES (NULL: none).  If they are
 * to borrow from each other (BORROWS), accesses of several statements are in one only if MERGES say
 * so. */
const struct reference_groups *reference_groups_split(struct compilation *compilation,
	const struct nest *nest, bool borrows, const struct merges *merges);

struct merges merges_copy(struct arena *arena, const struct merges *merges);
/* Entries A and B of GROUPS are one, MERGES says from now on. */
void reference_groups_merge(struct arena *arena, const struct reference_groups *groups, int a,
	int b, struct merges *merges);
/* Likewise those groups, to borrow, that are the same function of BAND but for constants, as A[i][i]
 * at j = i and A[i][j] are. */
void reference_groups_merge_alike(struct compilation *compilation, const struct nest *nest,
	const struct band *band, struct merges *merges);

#endif
