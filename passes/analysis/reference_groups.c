/* Reference groups: which accesses of a nest to an array share a buffer. */

#include "passes/analysis/reference_groups.h"

#include <stdlib.h>
#include <string.h>

/* The array's and the iterators' part of A's subscripts are B's: constants may differ,
 * and so may the statements if their loops are the same. */
static bool are_written_alike(const struct nest *nest, const struct nest_access *a,
	const struct nest_access *b)
{
	const struct statement *from = nest->statements[a->statement];
	const struct statement *to = nest->statements[b->statement];
	for (int d = 0; d < a->access->array->rank; d++)
		for (int i = 0; i < from->depth || i < to->depth; i++) {
			long left = i < from->depth ? a->access->subscripts[d].coefficients[i] : 0;
			long right = i < to->depth ? b->access->subscripts[d].coefficients[i] : 0;
			if (left != right || (left && from->loops[i] != to->loops[i]
				&& strcmp(from->loops[i]->name, to->loops[i]->name)))
				return false;
		}
	return true;
}

/* Likewise; what borrows is grouped by what it is in the band (reference_groups_merge_alike): A[i][k]
 * of a statement that runs where j = k is a part of another one's A[i][j] there. */
static bool in_one_group(const struct nest *nest, bool borrows, const struct nest_access *a,
	const struct nest_access *b)
{
	return (!borrows || a->statement == b->statement) && are_written_alike(nest, a, b);
}

static bool are_merged(const struct merges *merges, const struct access *a, const struct access *b)
{
	for (int i = 0; merges && i < merges->count; i += 2)
		if ((merges->accesses[i] == a && merges->accesses[i + 1] == b)
			|| (merges->accesses[i] == b && merges->accesses[i + 1] == a))
			return true;
	return false;
}

/* All accesses to arrays in external memory; scalars stay in the core, and others on chip. */
static struct nest_access *all_accesses(struct compilation *compilation, const struct nest *nest,
	int *count)
{
	*count = 0;
	for (int s = 0; s < nest->statement_count; s++)
		*count += nest->statements[s]->access_count;
	struct nest_access *accesses = ARENA_ARRAY(compilation->arena, struct nest_access,
		*count + 1);
	*count = 0;
	for (int s = 0; s < nest->statement_count; s++)
		for (int a = 0; a < nest->statements[s]->access_count; a++)
			if (!nest->statements[s]->accesses[a].array->by_value
				&& !is_carried(compilation, nest->statements[s]->accesses[a].array))
				accesses[(*count)++] = (struct nest_access){ s,
					&nest->statements[s]->accesses[a] };
	return accesses;
}

/* How accesses of an array are grouped. */
struct grouping {
	const struct nest *nest;
	bool is_split;               /* else all are one group */
	bool borrows;
	const struct merges *merges;
};

static bool belong_together(const struct grouping *grouping, const struct nest_access *a,
	const struct nest_access *b)
{
	return a->access->array == b->access->array && (!grouping->is_split
		|| in_one_group(grouping->nest, grouping->borrows, a, b)
		|| are_merged(grouping->merges, a->access, b->access));
}

/* LEADER[i]: the first access of the group that access I belongs to. */
static int *find_leaders(struct compilation *compilation, const struct grouping *grouping,
	const struct nest_access *accesses, int count)
{
	int *leader = ARENA_ARRAY(compilation->arena, int, count + 1);
	for (int i = 0; i < count; i++) {
		leader[i] = i;
		for (int j = 0; j < i; j++) {
			if (leader[j] == leader[i] || !belong_together(grouping, &accesses[j], &accesses[i]))
				continue;
			int low = leader[i] < leader[j] ? leader[i] : leader[j];
			int high = leader[i] < leader[j] ? leader[j] : leader[i];
			for (int k = 0; k <= i; k++)
				leader[k] = leader[k] == high ? low : leader[k];
		}
	}
	return leader;
}

/* Which of the COUNT ITEMS are of one array; returns whether any are. */
static bool find_siblings(struct reference_group *items, int count)
{
	bool is_split = false;
	for (int a = 0; a < count; a++)
		for (int b = 0; b < count; b++) {
			if (a == b || items[a].array != items[b].array)
				continue;
			is_split = true;
			items[a].has_siblings |= items[a].is_written || items[b].is_written;
		}
	return is_split;
}

/* The accesses that LEADER says are in a group with the first one, ACCESSES [COUNT] from there on. */
static struct reference_group group_of(struct arena *arena, const struct nest_access *accesses,
	const int *leader, int count)
{
	struct reference_group group = { .array = accesses[0].access->array };
	struct nest_access *own = ARENA_ARRAY(arena, struct nest_access, count);
	for (int i = 0; i < count; i++) {
		if (leader[i] != leader[0])
			continue;
		own[group.access_count++] = accesses[i];
		group.is_read |= !accesses[i].access->is_write;
		group.is_written |= accesses[i].access->is_write;
	}
	group.accesses = own;
	return group;
}

static struct reference_groups *collect(struct compilation *compilation,
	const struct grouping *grouping)
{
	struct arena *arena = compilation->arena;
	struct reference_groups *groups = ARENA_NEW(arena, struct reference_groups);
	int count;
	struct nest_access *accesses = all_accesses(compilation, grouping->nest, &count);
	int *leader = find_leaders(compilation, grouping, accesses, count);
	struct reference_group *items = ARENA_ARRAY(arena, struct reference_group, count + 1);
	for (int i = 0; i < count; i++)
		if (leader[i] == i)
			items[groups->count++] = group_of(arena, accesses + i, leader + i, count - i);
	groups->is_split = find_siblings(items, groups->count);
	groups->items = items;
	return groups;
}

const struct reference_groups *reference_groups_on_chip(struct arena *arena,
	const struct reference_groups *groups, const bool *is_internal, const bool *is_kept)
{
	struct reference_groups *copy = ARENA_NEW(arena, struct reference_groups);
	struct reference_group *items = ARENA_ARRAY(arena, struct reference_group, groups->count + 1);
	*copy = *groups;
	copy->items = items;
	for (int a = 0; a < groups->count; a++) {
		items[a] = groups->items[a];
		items[a].is_internal = is_internal[a];
		items[a].is_kept = is_kept && is_kept[a];
	}
	return copy;
}

const struct reference_groups *reference_groups_whole(struct compilation *compilation,
	const struct nest *nest)
{
	const struct grouping grouping = { .nest = nest };
	return collect(compilation, &grouping);
}

const struct reference_groups *reference_groups_split(struct compilation *compilation,
	const struct nest *nest, bool borrows, const struct merges *merges)
{
	const struct grouping grouping = { nest, true, borrows, merges };
	struct reference_groups *groups = collect(compilation, &grouping);
	if (merges)
		groups->merges = *merges;
	return groups;
}

struct merges merges_copy(struct arena *arena, const struct merges *merges)
{
	struct merges copy = { merges->count, (size_t)merges->count,
		ARENA_ARRAY(arena, const struct access *, merges->count + 1) };
	if (merges->count)
		memcpy(copy.accesses, merges->accesses, (size_t)merges->count * sizeof *copy.accesses);
	return copy;
}

void reference_groups_merge(struct arena *arena, const struct reference_groups *groups, int a,
	int b, struct merges *merges)
{
	merges->accesses = arena_grow(arena, merges->accesses, (size_t)merges->count,
		&merges->capacity, sizeof *merges->accesses);
	merges->accesses[merges->count++] = groups->items[a].accesses[0].access;
	merges->accesses[merges->count++] = groups->items[b].accesses[0].access;
}

/* The dimension of the band that is iterator I of statement S, and its SIGN; -1: none. */
static int band_dim_of(const struct nest *nest, const struct band *band, int s, int i, long *sign)
{
	for (int l = 0; l < band->count; l++) {
		const struct hyperplane *plane = &band->dims[l].planes[s];
		bool is_one = plane->kind == HYPERPLANE_AFFINE && plane->divisor == 1
			&& labs(plane->affine.coefficients[i]) == 1;
		for (int j = 0; j < nest->statements[s]->depth && is_one; j++)
			is_one = j == i || !plane->affine.coefficients[j];
		if (is_one) {
			*sign = plane->affine.coefficients[i];
			return l;
		}
	}
	return -1;
}

/* As functions of the band, the subscripts of A, which are iterators of it, and of B differ by
 * constants only. */
static bool are_alike(const struct nest *nest, const struct band *band,
	const struct nest_access *a, const struct nest_access *b)
{
	int depth = nest->statements[b->statement]->depth;
	for (int d = 0; d < a->access->array->rank; d++) {
		long rest[LOOP_DEPTH_LIMIT];
		for (int j = 0; j < depth; j++)
			rest[j] = b->access->subscripts[d].coefficients[j];
		for (int i = 0; i < nest->statements[a->statement]->depth; i++) {
			long factor = a->access->subscripts[d].coefficients[i], sign = 0;
			int l = factor ? band_dim_of(nest, band, a->statement, i, &sign) : -1;
			const struct hyperplane *plane = l < 0 ? NULL : &band->dims[l].planes[b->statement];
			if (factor && (!plane || plane->kind != HYPERPLANE_AFFINE || plane->divisor != 1))
				return false;
			for (int j = 0; j < depth && factor; j++)
				rest[j] -= factor * sign * plane->affine.coefficients[j];
		}
		for (int j = 0; j < depth; j++)
			if (rest[j])
				return false;
	}
	return true;
}

/* The access of the deepest statement: what it is in the band says most of where the region is. */
static const struct nest_access *deepest(const struct nest *nest, const struct reference_group *array)
{
	const struct nest_access *deepest = &array->accesses[0];
	for (int i = 1; i < array->access_count; i++)
		if (nest->statements[array->accesses[i].statement]->depth
			> nest->statements[deepest->statement]->depth)
			deepest = &array->accesses[i];
	return deepest;
}

/* All accesses of group B are like group A's. */
static bool groups_are_alike(const struct nest *nest, const struct band *band,
	const struct reference_group *a, const struct reference_group *b)
{
	bool alike = a != b && a->array == b->array;
	for (int i = 0; i < b->access_count && alike; i++)
		alike = are_alike(nest, band, deepest(nest, a), &b->accesses[i]);
	return alike;
}

/* All accesses of ARRAY have subscripts that are written alike. */
static bool is_written_alike(const struct nest *nest, const struct reference_group *array)
{
	bool alike = true;
	for (int i = 1; i < array->access_count && alike; i++)
		alike = are_written_alike(nest, &array->accesses[0], &array->accesses[i]);
	return alike;
}

/* Groups whose subscripts are written alike, of which none is a part of another one in the band,
 * unless both only read. */
static bool are_left_alike(const struct nest *nest, const struct reference_group *a,
	const struct reference_group *b)
{
	return a != b && a->array == b->array
		&& are_written_alike(nest, &a->accesses[0], &b->accesses[0])
		&& ((!a->is_written && !b->is_written)
		|| (is_written_alike(nest, a) && is_written_alike(nest, b)));
}

/* Which groups are merged: those that are written, with one of a statement in more loops, or as
 * many; then any; then those that are written alike in the source. */
enum merging { MERGE_WRITTEN, MERGE_ANY, MERGE_LEFT, MERGINGS };

static bool should_merge(const struct nest *nest, const struct band *band,
	const struct reference_group *a, const struct reference_group *b, enum merging merging)
{
	if (merging == MERGE_LEFT)
		return are_left_alike(nest, a, b);
	if (merging == MERGE_WRITTEN && !(a->is_written && b->is_written
		&& nest->statements[deepest(nest, a)->statement]->depth
		>= nest->statements[deepest(nest, b)->statement]->depth))
		return false;
	return groups_are_alike(nest, band, a, b);
}

void reference_groups_merge_alike(struct compilation *compilation, const struct nest *nest,
	const struct band *band, struct merges *merges)
{
	for (enum merging merging = MERGE_WRITTEN; merging < MERGINGS; merging++) {
		const struct reference_groups *groups = reference_groups_split(compilation, nest, true,
			merges);
		/* where dimensions coincide a group may be like two that are not like each other */
		for (int b = 0; b < groups->count; b++)
			for (int a = 0; a < groups->count; a++)
				if (should_merge(nest, band, &groups->items[a], &groups->items[b], merging)) {
					reference_groups_merge(compilation->arena, groups, a, b, merges);
					break;
				}
	}
}
