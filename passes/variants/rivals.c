/* Which other ways to lower a nest cannot be better than the one that was found. */

#include "passes/variants/rivals.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "passes/analysis/values.h"
#include "passes/cost/plan_cost.h"
#include "passes/search/search_memo.h"

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

/* False if SUBSCRIPT of statement S is not one, or has several elements at one value. */
static bool in_band(const struct variant *variant, int s, const struct affine *subscript,
	struct band_affine *out)
{
	const struct statement *statement = variant->nest->statements[s];
	bool is_known[LOOP_DEPTH_LIMIT] = { false };
	*out = (struct band_affine){ .constant = subscript->constant };
	for (int l = 0; l < variant->band->count; l++) {
		const struct hyperplane *plane = &variant->band->dims[l].planes[s];
		int i = iterator_of(statement, plane);
		if (i < 0 || is_known[i])
			continue;
		if (plane->divisor > labs(statement->loops[i]->step))
			return false;
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
		if (!set_dim_value(statement->domain, i, &value))
			return false;
		out->constant += subscript->coefficients[i] * value;
	}
	return true;
}

/* In each iteration of the band access A of statement S touches what B of statement T does. */
static bool is_same(const struct variant *variant, int s, const struct access *a, int t,
	const struct access *b)
{
	bool same = a->array == b->array;
	for (int d = 0; d < a->array->rank && same; d++) {
		struct band_affine one, other;
		same = in_band(variant, s, &a->subscripts[d], &one)
			&& in_band(variant, t, &b->subscripts[d], &other)
			&& !memcmp(&one, &other, sizeof one);
	}
	return same;
}

/* Statement MAIN touches what statement S does of the nest's arrays, but for those it does not touch
 * at all: they are in *OTHERS (bit a: nest.groups->items[a]). */
static bool covers(const struct variant *variant, int main, int s, unsigned *others)
{
	const struct statement *statement = variant->nest->statements[main];
	for (int a = 0; a < variant->groups->count; a++)
		for (int i = 0; i < variant->groups->items[a].access_count; i++) {
			const struct nest_access *access = &variant->groups->items[a].accesses[i];
			bool is_covered = access->statement != s, is_touched = false;
			for (int k = 0; k < statement->access_count && !is_covered; k++) {
				is_touched |= statement->accesses[k].array == variant->groups->items[a].array;
				is_covered = is_same(variant, s, access->access, main, &statement->accesses[k]);
			}
			if (!is_covered && is_touched)
				return false;
			if (!is_covered)
				*others |= 1u << a;
		}
	return true;
}

/* STATEMENT runs only in a part of some dimension of the band: in its first or last tile, or in its turn. */
static bool is_anchored(const struct band *band, int statement)
{
	for (int l = 0; l < band->count; l++)
		if (band->dims[l].planes[statement].kind != HYPERPLANE_AFFINE || band->dims[l].is_chained)
			return true;
	return false;
}

/* Loops around STATEMENT that run more than once. */
static int true_depth(const struct statement *statement)
{
	long value;
	int depth = 0;
	for (int i = 0; i < statement->depth; i++)
		depth += !set_dim_value(statement->domain, i, &value);
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
 * and ends of its loops, where they touch nothing more but *OTHERS.  The regions of all other arrays
 * are those of MAIN alone, and so is what moves of them, but that elements set on chip are not
 * fetched: the part that has MAIN moves no less of them when it runs alone. */
static bool is_main(const struct variant *variant, int main, unsigned *others)
{
	const struct statement *statement = variant->nest->statements[main];
	*others = 0;
	if (is_anchored(variant->band, main) || true_depth(statement) != variant->band->count)
		return false;
	for (int s = 0; s < variant->nest->statement_count; s++)
		if ((!is_anchored(variant->band, s) && !runs_with(variant->nest->statements[s], statement))
			|| !covers(variant, main, s, others))
			return false;
	return true;
}

/* A statement that is the whole nest but for *OTHERS, as few arrays as can be. */
static bool has_main_statement(const struct variant *variant, unsigned *others)
{
	bool has = false;
	if (variant->band->left_out || variant->band->prefix)
		return false;
	for (int s = 0; s < variant->nest->statement_count; s++) {
		unsigned own;
		if (is_main(variant, s, &own)
			&& (!has || __builtin_popcount(own) < __builtin_popcount(*others))) {
			*others = own;
			has = true;
		}
	}
	return has;
}

/* CHOICE's model without the arrays of OTHERS; the first LOOPS loops of the source run one after the
 * other, an iteration a tile. */
static void reduce(const struct choice *choice, unsigned others, int loops,
	struct nest_model *model, struct search_options *options)
{
	const struct nest *nest = choice->variant.nest;
	const struct band *band = choice->variant.band;
	*model = choice->asked.free_model;
	*options = choice->asked.free_options;
	model->array_count = 0;
	for (int a = 0; a < choice->asked.free_model.array_count; a++) {
		if (others >> a & 1)
			continue;
		int to = model->array_count++;
		model->arrays[to] = choice->asked.free_model.arrays[a];
		options->memories[to] = options->memories[a];
		options->store[to] = options->store[a];
		options->min_store[to] = options->min_store[a];
		options->slots[to] = options->slots[a];
		options->sliding[to] = options->sliding[a];
		options->doubled[to] = options->doubled[a];
		options->held[to] = options->held[a];
	}
	for (int i = 0; i < loops; i++)
		for (int l = 0; l < band->count; l++)
			if (nest_loop_of(nest, &band->dims[l]) == nest->statements[0]->loops[i]
				&& model->loops[l].extent > 1) {
				model->loops[l].tile = 1;
				model->loops[l].is_forward = true;
				options->order[options->order_count++] = l;
			}
}

/* What the part that has NEST's main statement moves, and the others of OTHERS, inside the first LOOPS
 * loops of the source at least: the best of CHOICE's space without OTHERS, in a scratchpad with room for
 * an element of each array more, as those of expanded scalars are in registers in a part. */
static long main_part_bound(struct compilation *compilation, const struct choice *choice,
	unsigned others, int loops)
{
	struct nest_model *model = ARENA_NEW(compilation->arena, struct nest_model);
	struct search_options *options = ARENA_NEW(compilation->arena, struct search_options);
	const struct reference_groups *groups = choice->variant.groups;
	struct schedule best;
	struct proof proof;
	long bytes;
	reduce(choice, others, loops, model, options);
	const struct arch arch = arch_enlarged(compilation->arch, groups->count);
	bytes = !search_schedule_once(compilation->known.searches, model, &arch, options, &best, &proof)
		? LONG_MAX : proof.bound_bytes;
	for (int a = 0; a < groups->count; a++)
		if (others >> a & 1 && !array_add_compulsory(choice->variant.nest, groups->items[a].array, &bytes))
			break;
	return bytes;
}

/* ---- what parts need ---- */

long parts_compulsory(struct compilation *compilation, const struct nest *nest, int loops)
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

long parts_bound(struct compilation *compilation, const struct nest *nest, const struct choice *choice,
	const struct plan_nest *best)
{
	unsigned others = 0;
	long bound = LONG_MAX;
	if (nest->statement_count < 2)
		return LONG_MAX;
	bool has_main = choice->has_forms && has_main_statement(&choice->variant, &others);
	if (has_main && !others && !choice->is_expanded)
		return LONG_MAX;
	for (int loops = nest->outer_loops; loops <= nest_shared_loops(nest); loops++) {
		long least = parts_compulsory(compilation, nest, loops);
		if (!plan_nest_reaches(best, least) && has_main && choice->rivals_bound == LONG_MAX) {
			long main = main_part_bound(compilation, choice, others, loops);
			least = main > least ? main : least;
		}
		bound = least < bound ? least : bound;
	}
	return bound;
}
