#ifndef PASSES_BAND_DIM_H
#define PASSES_BAND_DIM_H

#include "passes/analysis/band.h"

/* AFF over COUNT iterators, where it is a plain sum with whole numbers. */
bool affine_of_isl(__isl_keep isl_aff *aff, int count, struct affine *affine);
/* (sign * iterator I - origin) / divisor */
struct hyperplane iterator_plane(struct compilation *compilation,
	const struct statement *statement, int iterator, int sign, long origin, long divisor);
/* STATEMENT, which has no part in a loop of MAIN's, runs behind it rather than before. */
bool runs_behind(const struct statement *statement, const struct statement *main);
/* DIM, which BAND may get, has PLANES: shifts those that are affine so that values start at 0, and
 * fills in extent and legality.  False if the statements' values are not known. */
bool band_dim_finish(struct compilation *compilation, const struct nest *nest,
	const struct band *band, struct hyperplane *planes, struct band_dim *dim);

#endif
