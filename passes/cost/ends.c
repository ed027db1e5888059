/* What is touched in the last tiles of loops, or the first ones, and not in others. */

#include "passes/cost/ends.h"

#include <string.h>

#include "passes/cost/hull.h"

/* Bit l: STATEMENT is in dimension l of BAND as KIND says. */
static long dims_of_kind(const struct band *band, int statement, enum hyperplane_kind kind)
{
	long mask = 0;
	for (int l = 0; l < band->count; l++)
		mask |= band->dims[l].planes[statement].kind == kind ? 1L << l : 0;
	return mask;
}

/* Some statement runs in several tiles, or dimensions are chained. */
static bool is_intricate(const struct band *band, const struct touch *touches, int count)
{
	for (int l = 0; l < band->count; l++) {
		if (band->dims[l].is_chained)
			return true;
		for (int t = 0; t < count; t++)
			if (band->dims[l].planes[touches[t].statement].span)
				return true;
	}
	return false;
}

/* Bit l: loop l moves DIM. */
static long movers_of(const struct model_dim *dim)
{
	long mask = 0;
	for (int l = 0; l < MODEL_LOOPS; l++)
		mask |= dim->coefficient[l] > 0 ? 1L << l : 0;
	return mask;
}

/* Some loop moves two dimensions of OUT. */
static bool is_coupled(const struct model_array *out)
{
	long moved = 0;
	for (int d = 0; d < out->rank; d++) {
		long movers = movers_of(&out->dims[d]);
		if (moved & movers)
			return true;
		moved |= movers;
	}
	return false;
}

static bool moves_alike(const struct model_dim *one, const struct model_dim *other)
{
	return !memcmp(one->coefficient, other->coefficient, sizeof one->coefficient);
}

/* TOUCH, which is known or around what is, moves as MAIN does, and is no longer; what it writes is in MAIN's regions, too. */
static bool is_within(const struct touch *touch, const struct touch *main, int rank)
{
	for (int d = 0; d < rank; d++)
		if (!moves_alike(&touch->dims[d], &main->dims[d]) || touch->dims[d].window > main->dims[d].window
			|| (touch->is_written && (touch->first[d] != main->first[d] || touch->stride[d] != main->stride[d])))
			return false;
	return true;
}

/* Dimension DIM of a touch in the end tiles of the loops ENDS is MAIN's, or, where some of these move it and no other loop
 * does, does not move. */
static bool is_longer(const struct model_dim *dim, const struct model_dim *main, long ends)
{
	long movers = movers_of(main);
	if (!(movers & ends))
		return moves_alike(dim, main) && dim->window == main->window;
	return !(movers & ~ends) && !movers_of(dim) && dim->window >= main->window;
}

/* The loops that move TOUCH. */
static long moving_loops(const struct touch *touch, int rank)
{
	long moving = 0;
	for (int d = 0; d < rank; d++)
		moving |= movers_of(&touch->dims[d]);
	return moving;
}

/* Where arrays of the kind of OUT have ends: in the last tiles if they are written, as what is there has been made before; else in the first
 * ones, in which more comes than is used in tiles of others. */
static enum hyperplane_kind end_kind(bool is_written)
{
	return is_written ? HYPERPLANE_LAST : HYPERPLANE_FIRST;
}

/* TOUCH is in the tiles of some loops that KIND says, and longer there.  *ENDS: of which. */
static bool is_at_end(const struct band *band, const struct touch *touch, const struct touch *main, int rank,
	enum hyperplane_kind kind, long *ends)
{
	long moving = moving_loops(main, rank);
	*ends = dims_of_kind(band, touch->statement, kind);
	bool is_at = touch->is_known && touch->is_read && (*ends & moving)
		&& !(dims_of_kind(band, touch->statement, kind == HYPERPLANE_LAST ? HYPERPLANE_FIRST : HYPERPLANE_LAST) & moving);
	for (int d = 0; d < rank && is_at; d++)
		is_at = is_longer(&touch->dims[d], &main->dims[d], *ends);
	return is_at;
}

/* None of A's windows is shorter than B's. */
static bool holds(const struct touch *a, const struct touch *b, int rank)
{
	for (int d = 0; d < rank; d++)
		if (a->dims[d].window < b->dims[d].window)
			return false;
	return true;
}

void ends_find(const struct band *band, const struct touch *touches, int count, int main, struct model_array *out)
{
	const struct touch *longest = NULL;
	const enum hyperplane_kind kind = end_kind(out->is_written);
	long ends = 0;
	bool is_written = out->is_dropped;
	if ((!out->is_written && !out->is_read) || is_intricate(band, touches, count) || is_coupled(out))
		return;
	for (int t = 0; t < count; t++) {
		const struct touch *touch = &touches[t];
		long its;
		if (touch->is_around && is_within(touch, &touches[main], out->rank))
			continue;
		bool is_at = is_at_end(band, touch, &touches[main], out->rank, kind, &its) && (!longest || its == ends)
			&& (!longest || holds(touch, longest, out->rank) || holds(longest, touch, out->rank));
		if (!is_at && touch->is_written)
			return;
		if (!is_at)
			continue;
		is_written |= touch->is_written;
		ends = its;
		longest = longest && holds(longest, touch, out->rank) ? longest : touch;
	}
	for (int d = 0; d < out->rank && longest; d++)
		if (out->dims[d].clip_high || (movers_of(&touches[main].dims[d]) & ends
			&& out->dims[d].least_side > longest->dims[d].window))
			return;
	if (!longest)
		return;
	for (int d = 0; d < out->rank; d++)
		if (movers_of(&touches[main].dims[d]) & ends)
			out->dims[d].least_side = out->dims[d].end_side = longest->dims[d].window;
	out->ends = ends;
	out->ends_first = kind == HYPERPLANE_FIRST;
	out->ends_read = true;
	out->ends_written = is_written;
}

/* ---- without closed forms ---- */

bool accesses_are_alike(const struct nest *nest, const struct nest_access *first, const struct nest_access *other)
{
	bool alike = first->statement == other->statement;
	for (int d = 0; d < first->access->array->rank; d++)
		for (int i = 0; i < nest->statements[first->statement]->depth && alike; i++)
			alike = first->access->subscripts[d].coefficients[i] == other->access->subscripts[d].coefficients[i];
	return alike;
}

/* Accesses of ARRAY like that of number I, the first of them, as a group; none if it is not. */
static struct reference_group alike_group(struct arena *arena, const struct nest *nest, const struct reference_group *array, int i)
{
	struct nest_access *accesses = ARENA_ARRAY(arena, struct nest_access, array->access_count);
	struct reference_group group = { .array = array->array, .accesses = accesses };
	for (int a = 0; a < array->access_count; a++) {
		if (!accesses_are_alike(nest, &array->accesses[i], &array->accesses[a]))
			continue;
		if (a < i)
			return (struct reference_group){ .array = array->array };
		accesses[group.access_count++] = array->accesses[a];
		group.is_read |= !array->accesses[a].access->is_write;
		group.is_written |= array->accesses[a].access->is_write;
	}
	return group;
}

/* TOUCH, of a statement in DEPTH loops, is in all tiles rather than MAIN (NULL: none), of one in MOST. */
static bool is_in_more(const struct band *band, const struct touch *touch, int depth, const struct touch *main, int most, int rank, bool is_written)
{
	if (!is_written)
		return !main || __builtin_popcountl((unsigned long)moving_loops(touch, rank))
			> __builtin_popcountl((unsigned long)moving_loops(main, rank));
	return touch->is_written && depth > most && !dims_of_kind(band, touch->statement, HYPERPLANE_FIRST)
		&& !dims_of_kind(band, touch->statement, HYPERPLANE_LAST);
}

/* What is touched of ARRAY, by alike accesses, as its hulls say, [*COUNT]; returns which of it is touched innermost in all tiles, and
 * written, or which most loops move if it is only read; -1: nothing is. */
static int find_touches(struct compilation *compilation, const struct variant *variant, const struct reference_group *array,
	struct touch *touches, int *count)
{
	int main = -1, most = -1;
	*count = 0;
	for (int i = 0; i < array->access_count; i++) {
		const struct reference_group group = alike_group(compilation->arena, variant->nest, array, i);
		int s = array->accesses[i].statement, depth = variant->nest->statements[s]->depth;
		struct model_array hull = { .rank = array->array->rank };
		if (!group.access_count)
			continue;
		nest_hull(compilation, variant, &group, &hull);
		touches[*count] = (struct touch){ .statement = s, .is_known = true, .is_around = true, .is_read = group.is_read,
			.is_written = group.is_written };
		memcpy(touches[*count].dims, hull.dims, sizeof touches->dims);
		if (is_in_more(variant->band, &touches[*count], depth, main < 0 ? NULL : &touches[main], most, array->array->rank,
			array->is_written)) {
			most = depth;
			main = *count;
		}
		++*count;
	}
	return main;
}

/* Some statement that touches ARRAY runs in last tiles, or first ones, and some do not. */
static bool may_have_ends(const struct band *band, const struct reference_group *array)
{
	bool has_end = false, has_other = false;
	long first = 0;
	for (int a = 0; a < array->access_count; a++) {
		long ends = dims_of_kind(band, array->accesses[a].statement, end_kind(array->is_written));
		first = a ? first : ends;
		has_end |= ends != 0;
		has_other |= array->is_written ? !ends : ends != first;
	}
	return !array->has_siblings && has_end && has_other;
}

/* OUT, ARRAY of VARIANT, is of the model; true if it has ends now. */
static bool take_ends(struct compilation *compilation, const struct variant *variant, const struct reference_group *array,
	struct model_array *out)
{
	struct touch *touches = ARENA_ARRAY(compilation->arena, struct touch, array->access_count);
	struct model_array own = *out;
	int count, main = may_have_ends(variant->band, array) ? find_touches(compilation, variant, array, touches, &count) : -1;
	if (main < 0 || own.rank > array->array->rank)
		return false;
	for (int d = 0; d < own.rank; d++) {
		own.dims[d].window = touches[main].dims[d].window;
		memcpy(own.dims[d].coefficient, touches[main].dims[d].coefficient, sizeof own.dims[d].coefficient);
	}
	ends_find(variant->band, touches, count, main, &own);
	if (own.ends)
		*out = own;
	return own.ends;
}

const struct model_array *ends_of_model(struct compilation *compilation, const struct variant *variant,
	const struct nest_model *model)
{
	struct model_array *arrays = ARENA_ARRAY(compilation->arena, struct model_array, model->array_count + 1);
	bool any = false;
	memcpy(arrays, model->arrays, sizeof *arrays * (size_t)model->array_count);
	for (int a = 0; a < model->array_count; a++) {
		bool has_ends = take_ends(compilation, variant, &variant->groups->items[a], &arrays[a]);
		any |= has_ends || arrays[a].anchored;
	}
	return any ? arrays : NULL;
}
