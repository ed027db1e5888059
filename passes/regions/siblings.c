/* Several buffers of one array: reference groups that move apart, such as the three blocks
 * that an update of LU touches.  None may miss what another one writes.  One that only reads
 * may overlap, in tiles on the diagonal, with one that writes: what the writer's buffer
 * holds is then read there. */

#include "ir/order.h"
#include "passes/nest_work.h"
#include "passes/regions/box.h"
#include "passes/regions/footprint.h"
#include "passes/regions/siblings.h"

static bool is_not_empty(__isl_take isl_map *map)
{
	bool empty = isl_map_is_empty(map) == isl_bool_true;
	isl_map_free(map);
	return !empty;
}

/* In some visit, group A reads an element after group B wrote it. */
static bool reads_after(const struct lowering *lowering, int a, int b, int depth)
{
	const struct reference_group *readers = &lowering->groups->items[a];
	const struct reference_group *writers = &lowering->groups->items[b];
	bool found = false;
	for (int w = 0; w < writers->access_count && !found; w++) {
		const struct nest_access *write = &writers->accesses[w];
		if (!write->access->is_write)
			continue;
		struct statement writer = statement_in_visit(lowering, write->statement, depth);
		for (int r = 0; r < readers->access_count && !found; r++) {
			struct statement reader = statement_in_visit(lowering, readers->accesses[r].statement, depth);
			found = is_not_empty(access_pairs(&writer, write->access, &reader,
				readers->accesses[r].access));
			isl_set_free(reader.domain);
		}
		isl_set_free(writer.domain);
	}
	return found;
}

/* In some visit, the box of group A, which goes out whole, holds what group B wrote. */
static bool overwrites(const struct lowering *lowering, int a, int b, int depth)
{
	struct footprint here = footprint_find(lowering, a, depth, IN_TILE);
	struct box box;
	box_find(here.lows, here.highs, here.visits, lowering->groups->items[a].array->rank, &box);
	isl_set *whole = isl_set_intersect_params(box_elements(&box, here.lows),
		isl_set_copy(here.visits));
	footprint_end(&here);
	box_free(&box);
	whole = isl_set_intersect(whole, written_by(lowering, b, depth));
	bool met = isl_set_is_empty(whole) != isl_bool_true;
	isl_set_free(whole);
	return met;
}

/* In some visit, group A touches what group B writes. */
static bool touches(const struct lowering *lowering, int a, int b, int depth)
{
	isl_set *both = isl_set_intersect(touched_by(lowering, a, false, depth),
		written_by(lowering, b, depth));
	bool met = isl_set_is_empty(both) != isl_bool_true;
	isl_set_free(both);
	return met;
}

/* Group A must see, while it holds a region, what group B writes. */
static bool meets(struct lowering *lowering, int a, int b)
{
	const struct holding *one = &lowering->holdings[a], *other = &lowering->holdings[b];
	int depth = one->store < other->store ? one->store : other->store;
	/* Closed forms keep regions from one visit to the next: nothing may be written there. */
	if (lowering->regions)
		return overwrites(lowering, a, b, depth);
	if (!lowering->groups->items[a].is_written)
		return reads_after(lowering, a, b, depth);
	/* A[i][j] and A[j][i] for i < j are apart, though the boxes around them are not */
	if (!overwrites(lowering, a, b, depth))
		return false;
	lowering->must_cut[a] = true;
	return touches(lowering, a, b, depth);
}

/* All accesses of ARRAY are such that may be told apart by a bit each. */
static bool are_few(const struct nest *nest, const struct reference_group *array)
{
	for (int i = 0; i < array->access_count; i++)
		if (array->accesses[i].access - nest->statements[array->accesses[i].statement]->accesses
			>= BORROWERS_LIMIT)
			return false;
	return true;
}

/* Group A, which only reads, reads from B's buffer what that holds. Its own region then
 * comes anew at least as often as B's, so that the rest of it is what memory has. */
static bool borrow(struct lowering *lowering, int a, int b)
{
	if (!lowering->variant->options.borrows || lowering->groups->items[a].is_written
		|| !are_few(lowering->nest, &lowering->groups->items[a])
		|| (lowering->lender[a] >= 0 && lowering->lender[a] != b))
		return false;
	lowering->lender[a] = b;
	if (lowering->holdings[a].store < lowering->holdings[b].store)
		lowering->holdings[a].store = lowering->holdings[b].store;
	return true;
}

/* Group B writes what group A, of the same array, may miss. */
static bool may_clash(const struct reference_group *a, const struct reference_group *b)
{
	return a != b && a->has_siblings && a->array == b->array && b->is_written;
}

bool groups_are_apart(struct lowering *lowering, int clash[2])
{
	const struct reference_groups *groups = lowering->groups;
	for (int a = 0; a < groups->count; a++)
		for (int b = 0; b < groups->count; b++)
			if (may_clash(&groups->items[a], &groups->items[b]) && meets(lowering, a, b)
				&& !borrow(lowering, a, b)) {
				clash[0] = a;
				clash[1] = b;
				return false;
			}
	return true;
}

/* What group A touches is written by group B, or it reads it after that: no box is asked for.  It is taken to be
 * where that is long to find, unless what is not sure is not wanted (IF_SURE). */
static bool has_conflict(const struct lowering *lowering, int a, int b, bool if_sure)
{
	enum { OPERATIONS = 500000 };
	struct isl_work work = nest_question_begin(lowering->compilation, OPERATIONS);
	bool has = lowering->groups->items[a].is_written ? touches(lowering, a, b, lowering->depth)
		: reads_after(lowering, a, b, lowering->depth);
	return isl_work_end(&work) ? has : !if_sure;
}

/* Groups that write come first: those that only read may borrow from what is left of them, from
 * one only. */
bool merge_clashing_groups(struct lowering *lowering, bool if_sure, struct merges *merges)
{
	const struct reference_groups *groups = lowering->groups;
	bool any = false, borrows = lowering->variant->options.borrows;
	for (int written = 1; written >= 0; written--)
		for (int a = 0; a < groups->count; a++)
			for (int b = 0; b < groups->count; b++) {
				if (groups->items[a].is_written != written || (any && !written && borrows)
					|| !may_clash(&groups->items[a], &groups->items[b])
					|| !has_conflict(lowering, a, b, if_sure) || borrow(lowering, a, b))
					continue;
				reference_groups_merge(lowering->compilation->arena, groups, a, b, merges);
				any = true;
			}
	return any;
}
