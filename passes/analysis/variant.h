#ifndef PASSES_VARIANT_H
#define PASSES_VARIANT_H

#include "passes/analysis/reference_groups.h"

/* How a nest is to be written before it is tiled. */
struct variant_options {
	int loops;                   /* of the source's outer ones, which run one after the other */
	bool is_split;               /* reference groups have buffers of their own */
	bool refetches;              /* groups beside a written one are taken to move with the
	                              * sequential loops, so that none is stored outside them; if it
	                              * borrows, those that only read are stored in all tile loops */
	bool borrows;                /* where a group that only reads meets a written one, it reads in
	                              * the buffer of that: regions come from isl */
	bool chains;                 /* sums that run one behind the other have one dimension */
	bool avoids_forms;           /* regions come from isl though they have closed forms: the user
	                              * wants that, or these do not hold for all symbolic sizes */
};

/* The sequential loops around the parts of a nest's body, each of which has tiles of its own: they
 * run outside of all of them, one iteration at a time. */
struct outer_loops {
	const struct nest *nest;     /* whose body it is */
	const struct band *band;     /* of it: they are all its dimensions */
	struct plan_var *vars[NEST_LOOPS];
	const struct outer_loops *all_sizes;     /* the same for all values of symbolic sizes; NULL:
	                              * there are none, or they are not asked for */
};

/* A nest as it is written before it is tiled: what search and lowering work on. */
struct variant {
	const struct nest *nest;
	struct variant_options options;
	const struct reference_groups *groups;
	const struct band *band;
	const struct outer_loops *outer;     /* of a part; NULL: it is a whole nest */
	struct answers *found;               /* of variants of this nest (nest_memo.h); NULL: nothing
	                                      * is kept */
};

/* The dimensions of VARIANT's band that are loops around all parts. */
static inline int variant_outer_count(const struct variant *variant)
{
	return variant->outer ? variant->outer->band->count : 0;
}

/* The band that VARIANT's options ask for. */
const struct band *variant_find_band(struct compilation *compilation,
	const struct variant *variant);
/* NEST with one buffer an array and all loops tiled that can be. */
struct variant variant_plain(struct compilation *compilation, const struct nest *nest);

/* In some access of ARRAY, a reference group of VARIANT, dimension D has an iterator that dimension
 * DIM of the band has too. */
bool variant_moves(const struct variant *variant, const struct reference_group *array, int d, int dim);

#endif
