/* Which other ways to lower a nest cannot be better than the one that was found. */

#include "passes/variants/rivals.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- a statement that is the whole nest ---- */

/* A subscript as a function of the band's values. */
struct band_affine {
	long coefficients[NEST_LOOPS];
	long constant;
};

/* The iterator that PLANE is, but for sign, constant and divisor; -1: it is none. */
static int iterator_of(const struct statement *statement, const struct hyperplane *plane)
{
	int found = -1;
	if (plane->kind != HYPERPLANE_AFFINE)
		return -1;
	for (int i = 0; i < statement->depth; i++)
		if (plane->affine.coefficients[i]) {
			if (found >= 0 || labs(plane->affine.coefficients[i]) != 1)
				return -1;
			found = i;
		}
	return found;
}

/* Iterator I of STATEMENT has one value, as that of a loop that runs once; such loops are in no
 * band. */
static bool is_fixed(const struct statement *statement, int i, long *value)
{
	isl_val *fixed = isl_set_plain_get_val_if_fixed(statement->domain, isl_dim_set, (unsigned)i);
	bool is_one = isl_val_is_int(fixed) == isl_bool_true;
	if (is_one)
		*value = isl_val_get_num_si(fixed);
	isl_val_free(fixed);
	return is_one;
}

/* False if SUBSCRIPT of statement S is not one. */
static bool in_band(const struct nest *nest, int s, const struct affine *subscript,
	struct band_affine *out)
{
	const struct statement *statement = nest->statements[s];
	bool is_known[LOOP_DEPTH_LIMIT] = { false };
	*out = (struct band_affine){ .constant = subscript->constant };
	for (int l = 0; l < nest->band_count; l++) {
		const struct hyperplane *plane = &nest->band[l].planes[s];
		int i = iterator_of(statement, plane);
		if (i < 0 || is_known[i])
			continue;
		/* value = (sign i + c) / divisor, so i = sign (divisor value - c) */
		long factor = subscript->coefficients[i] * plane->affine.coefficients[i];
		is_known[i] = true;
		out->coefficients[l] = factor * plane->divisor;
		out->constant -= factor * plane->affine.constant;
	}
	for (int i = 0; i < statement->depth; i++) {
		long value;
		if (!subscript->coefficients[i] || is_known[i])
			continue;
		if (!is_fixed(statement, i, &value))
			return false;
		out->constant += subscript->coefficients[i] * value;
	}
	return true;
}

/* In each iteration of the band access A of statement S touches what B of statement T does. */
static bool is_same(const struct nest *nest, int s, const struct access *a, int t,
	const struct access *b)
{
	bool same = a->array == b->array;
	for (int d = 0; d < a->array->rank && same; d++) {
		struct band_affine one, other;
		same = in_band(nest, s, &a->subscripts[d], &one)
			&& in_band(nest, t, &b->subscripts[d], &other)
			&& !memcmp(&one, &other, sizeof one);
	}
	return same;
}

/* Statement MAIN touches what statement S does of the nest's arrays. */
static bool covers(const struct nest *nest, int main, int s)
{
	for (int a = 0; a < nest->array_count; a++)
		for (int i = 0; i < nest->arrays[a].access_count; i++) {
			const struct nest_access *access = &nest->arrays[a].accesses[i];
			bool is_covered = access->statement != s;
			for (int k = 0; k < nest->statements[main]->access_count && !is_covered; k++)
				is_covered = is_same(nest, s, access->access, main,
					&nest->statements[main]->accesses[k]);
			if (!is_covered)
				return false;
		}
	return true;
}

/* STATEMENT runs only in the first or last tile of some dimension of the band. */
static bool is_anchored(const struct nest *nest, int statement)
{
	for (int l = 0; l < nest->band_count; l++)
		if (nest->band[l].planes[statement].kind != HYPERPLANE_AFFINE)
			return true;
	return false;
}

/* Loops around STATEMENT that run more than once. */
static int true_depth(const struct statement *statement)
{
	long value;
	int depth = 0;
	for (int i = 0; i < statement->depth; i++)
		depth += !is_fixed(statement, i, &value);
	return depth;
}

/* STATEMENT is in loops that are around MAIN too, and MAIN runs wherever it does. */
static bool runs_with(const struct statement *statement, const struct statement *main)
{
	if (statement->depth > main->depth)
		return false;
	for (int i = 0; i < statement->depth; i++)
		if (statement->loops[i] != main->loops[i])
			return false;
	isl_set *places = isl_set_project_out(isl_set_copy(main->domain), isl_dim_set,
		(unsigned)statement->depth, (unsigned)(main->depth - statement->depth));
	places = isl_set_set_tuple_id(places, isl_set_get_tuple_id(statement->domain));
	bool does = isl_set_is_subset(statement->domain, places) == isl_bool_true;
	isl_set_free(places);
	return does;
}

/* Statement MAIN of NEST runs in all iterations of the band, and the others with it or at beginnings
 * and ends of its loops, where they touch nothing more.  The regions of the nest are those of MAIN
 * alone, and so is what it moves, but that elements set on chip are not fetched: the part that
 * has MAIN moves no less when it runs alone. */
static bool is_main(const struct nest *nest, int main)
{
	const struct statement *statement = nest->statements[main];
	if (is_anchored(nest, main) || true_depth(statement) != nest->band_count)
		return false;
	for (int s = 0; s < nest->statement_count; s++)
		if ((!is_anchored(nest, s) && !runs_with(nest->statements[s], statement))
			|| !covers(nest, main, s))
			return false;
	return true;
}

static bool has_main_statement(const struct nest *nest)
{
	if (nest->left_out || nest->prefix)
		return false;
	for (int s = 0; s < nest->statement_count; s++)
		if (is_main(nest, s))
			return true;
	return false;
}

/* ---- what parts need ---- */

/* Each of the parts inside the first LOOPS loops moves what it needs by itself, at least once. */
static long parts_compulsory(struct compilation *compilation, const struct nest *nest, int loops)
{
	int count;
	const struct nest *parts = nest_parts(compilation, nest, loops, &count);
	long bytes = 0;
	if (!parts)
		return LONG_MAX;
	for (int p = 0; p < count; p++)
		if (__builtin_add_overflow(bytes, nest_compulsory(&parts[p]), &bytes))
			return LONG_MAX;
	return bytes;
}

bool parts_may_move_less(struct compilation *compilation, struct nest *nest,
	const struct nest *band, long bytes)
{
	if (nest->statement_count < 2 || (band && has_main_statement(band)))
		return false;
	for (int loops = nest->outer_loops; loops <= nest_shared_loops(nest); loops++)
		if (parts_compulsory(compilation, nest, loops) < bytes)
			return true;
	return false;
}
