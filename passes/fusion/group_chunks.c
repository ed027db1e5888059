/* Which loop a stage of a group has inside the tiles, so that what one stage alone uses comes and goes in chunks of
 * it, and what a chunk needs. */

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "passes/fusion/group_model.h"

long group_chunk_side(const struct evaluation *evaluation, const struct held_item *item,
	const struct stage_dim *dim, long tile, int d)
{
	const struct groups *groups = evaluation->model->groups;
	const struct group_access *access = item->entry->accesses[0];
	const struct statement *statement = groups->function->statements[access->statement];
	int first = groups->nests[item->stage].statements[0]->index;
	int i = dim->planes[access->statement - first].iterator;
	long step = labs(statement->loops[i]->step), c = labs(access->access->subscripts[d].coefficients[i]);
	long side = c ? (tile - 1) * c * step + 1 : item->side[d];
	return side < item->side[d] ? side : item->side[d];
}

/* The bytes of ITEM with TILE iterations of its stage's loop DIM. */
static long chunk_bytes(const struct evaluation *evaluation, const struct held_item *item,
	const struct stage_dim *dim, long tile)
{
	long bytes = item->entry->array->array->type.bytes;
	for (int d = 0; d < item->entry->array->array->rank; d++)
		bytes *= group_chunk_side(evaluation, item, dim, tile, d);
	return bytes;
}

long group_chunk_place(const struct evaluation *evaluation, const struct held_item *item,
	const struct stage_dim *dim, long tile, int m)
{
	bool has_next = evaluation->overlaps && tile < dim->extent;
	long place = place_room(&evaluation->memories[m],
		chunk_bytes(evaluation, item, dim, tile) * (has_next ? 2 : 1));
	return place < item->place[m] || tile > 1 ? place : item->place[m];
}

/* The user wants chunks of DIM for stage N. */
static bool is_said(const struct evaluation *evaluation, int n, const struct stage_dim *dim)
{
	bool is_said = false;
	for (int i = 0; i < evaluation->item_count && evaluation->constraints; i++) {
		const char *wanted = evaluation->constraints->stage_loop[evaluation->items[i].entry->index];
		is_said |= evaluation->items[i].stage == n && wanted && !strcmp(wanted, dim->name);
	}
	return is_said;
}

/* Loop J of the stage N, NULL if it cannot run inside the present loops' tiles, or one iteration of
 * it is no chunk that the DMA can align. */
static const struct stage_dim *stage_dim(const struct evaluation *evaluation, int n, int j)
{
	struct group_model *model = evaluation->model;
	struct stage_loop *loop = &model->stage_loops[n - model->candidate.first][j];
	unsigned used = 0;
	for (int l = 0; l < evaluation->choice->depth; l++)
		used |= 1U << evaluation->choice->loops[l].dim;
	if (!loop->is_known || loop->used != used)
		loop->suits = group_stage_dim(model->groups, &model->candidate, used, n, j, &loop->dim)
			&& (is_said(evaluation, n, &loop->dim)
			|| group_stage_granule(model->groups, &model->candidate, n, &loop->dim) == 1);
	loop->is_known = true;
	loop->used = used;
	return loop->suits ? &loop->dim : NULL;
}

static bool has_chunks(const struct evaluation *evaluation, const struct held_item *item,
	const struct stage_dim *dim)
{
	struct group_model *model = evaluation->model;
	struct stage_loop *loop = &model->stage_loops[item->stage - model->candidate.first][dim->loop];
	long e = item->entry - model->entries;
	if (item->must_be_held)
		return false;
	if (!loop->parts)
		loop->parts = arena_alloc(model->arena, sizeof *loop->parts * (size_t)model->entry_count);
	if (loop->parts[e] == PARTS_UNKNOWN)
		loop->parts[e] = group_stage_parts(model->groups, item->entry->accesses, item->entry->access_count,
			dim) ? PARTS_SOME : PARTS_NONE;
	return loop->parts[e] == PARTS_SOME;
}

/* What ITEM needs of memory M at least, in chunks of DIM if it has any. */
static long least_place(const struct evaluation *evaluation, const struct held_item *item,
	const struct stage_dim *dim, int m)
{
	return has_chunks(evaluation, item, dim) ? group_chunk_place(evaluation, item, dim, 1, m) : item->place[m];
}

/* The user wants another loop than DIM for some item of stage N. */
static bool is_unwanted(const struct evaluation *evaluation, int n, const struct stage_dim *dim)
{
	bool is_unwanted = false;
	for (int i = 0; i < evaluation->item_count && evaluation->constraints; i++) {
		const char *wanted = evaluation->constraints->stage_loop[evaluation->items[i].entry->index];
		is_unwanted |= evaluation->items[i].stage == n && wanted && strcmp(wanted, dim->name);
	}
	return is_unwanted;
}

/* What all items of stage N need, one iteration of DIM at a time; LONG_MAX: none comes so. */
static long least_places(const struct evaluation *evaluation, int n, const struct stage_dim *dim)
{
	long need = 0, places[MEMORY_LIMIT];
	bool any = false;
	for (int i = 0; i < evaluation->item_count; i++) {
		const struct held_item *item = &evaluation->items[i];
		if (item->stage != n || item->must_be_held)
			continue;
		any |= has_chunks(evaluation, item, dim);
		for (int m = 0; m < evaluation->memory_count; m++)
			places[m] = least_place(evaluation, item, dim, m);
		need += group_least_of(item->memories, places);
	}
	return any ? need : LONG_MAX;
}

static bool has_moved(const struct evaluation *evaluation, int n)
{
	bool any = false;
	for (int i = 0; i < evaluation->item_count; i++)
		any |= evaluation->items[i].stage == n && evaluation->items[i].is_moved
			&& !evaluation->items[i].must_be_held;
	return any;
}

/* The loop for stage N; NULL: none. */
static const struct stage_dim *best_dim(const struct evaluation *evaluation, int n)
{
	const struct stage_dim *best = NULL;
	long least = LONG_MAX;
	for (int j = 0; j < group_stage_loops(evaluation->model->groups, n); j++) {
		const struct stage_dim *dim = stage_dim(evaluation, n, j);
		if (!dim || is_unwanted(evaluation, n, dim))
			continue;
		long need = least_places(evaluation, n, dim);
		if (need < least)
			best = dim;
		least = need < least ? need : least;
	}
	return best;
}

void group_find_chunks(struct evaluation *evaluation)
{
	int first = evaluation->model->candidate.first;
	for (int n = first; n <= evaluation->model->candidate.last; n++) {
		int wanted = evaluation->stage_loop[n - first];
		const struct stage_dim *dim = NULL;
		bool is_asked = false;
		for (int i = 0; i < evaluation->item_count; i++) {
			struct held_item *item = &evaluation->items[i];
			if (item->stage != n)
				continue;
			if (!is_asked)
				dim = wanted < 0 ? best_dim(evaluation, n) : stage_dim(evaluation, n, wanted);
			is_asked = true;
			item->has_chunks = dim && has_chunks(evaluation, item, dim);
			if (item->has_chunks)
				item->dim = *dim;
			for (int m = 0; m < evaluation->memory_count; m++)
				item->least_place[m] = dim ? least_place(evaluation, item, dim, m) : item->place[m];
		}
	}
}

/* Loop J makes sense for stage N, in which something is moved: some of it comes in chunks. */
static bool is_candidate(const struct evaluation *evaluation, int n, int j)
{
	const struct stage_dim *dim = stage_dim(evaluation, n, j);
	return dim && !is_unwanted(evaluation, n, dim)
		&& least_places(evaluation, n, dim) < LONG_MAX;
}

/* ITEM needs no more with chunks of loop ONE of its stage than of OTHER; nor is it in chunks of that alone. */
static bool needs_no_more(const struct evaluation *evaluation, const struct held_item *item,
	const struct stage_dim *one, const struct stage_dim *other)
{
	bool no_more = has_chunks(evaluation, item, one) || !has_chunks(evaluation, item, other);
	for (int m = 0; m < evaluation->memory_count && no_more; m++)
		no_more = least_place(evaluation, item, one, m) <= least_place(evaluation, item, other, m);
	return no_more;
}

/* A candidate before loop J of stage N needs no more for any item, so that J is no better: what items move does
 * not depend on the loop. */
static bool is_outdone(const struct evaluation *evaluation, int n, int j)
{
	bool is_outdone = false;
	for (int before = 0; before < j && !is_outdone; before++) {
		is_outdone = is_candidate(evaluation, n, before);
		for (int i = 0; i < evaluation->item_count && is_outdone; i++)
			is_outdone = evaluation->items[i].stage != n || needs_no_more(evaluation, &evaluation->items[i],
				stage_dim(evaluation, n, before), stage_dim(evaluation, n, j));
	}
	return is_outdone;
}

/* The first candidate from J on that none before outdoes; -1: none. */
static int next_candidate(const struct evaluation *evaluation, int n, int j)
{
	for (; j < group_stage_loops(evaluation->model->groups, n); j++)
		if (is_candidate(evaluation, n, j) && !is_outdone(evaluation, n, j))
			return j;
	return -1;
}

void group_first_loops(struct evaluation *evaluation)
{
	int first = evaluation->model->candidate.first;
	for (int n = first; n <= evaluation->model->candidate.last; n++)
		evaluation->stage_loop[n - first] = has_moved(evaluation, n)
			? next_candidate(evaluation, n, 0) : -1;
}

bool group_next_loops(struct evaluation *evaluation)
{
	int first = evaluation->model->candidate.first;
	for (int n = first; n <= evaluation->model->candidate.last; n++) {
		int *loop = &evaluation->stage_loop[n - first];
		if (*loop < 0)
			continue;
		*loop = next_candidate(evaluation, n, *loop + 1);
		if (*loop >= 0)
			return true;
		*loop = next_candidate(evaluation, n, 0);
	}
	return false;
}
