/* What a group holds of the arrays that one stage reads, from the first tile to the last or
 * while no loop moves it, and what comes for its stage in each tile, whole or in chunks. */

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "passes/fusion/group_model.h"

/* ---- chunks ---- */

/* The bytes of ITEM with TILE iterations of its stage's loop DIM. */
static long chunk_bytes(const struct evaluation *evaluation, const struct held_item *item,
	const struct stage_dim *dim, long tile)
{
	const struct groups *groups = evaluation->model->groups;
	const struct group_access *access = item->entry->accesses[0];
	const struct statement *statement = groups->function->statements[access->statement];
	int first = groups->nests[item->stage].statements[0]->index;
	int i = dim->planes[access->statement - first].iterator;
	long bytes = item->entry->array->array->type.bytes, step = labs(statement->loops[i]->step);
	for (int d = 0; d < item->entry->array->array->rank; d++) {
		long c = labs(access->access->subscripts[d].coefficients[i]);
		long side = c ? (tile - 1) * c * step + 1 : item->side[d];
		bytes *= side < item->side[d] ? side : item->side[d];
	}
	return bytes;
}

/* What a buffer for TILE iterations of DIM needs: another one comes meanwhile, if it is
 * double and there is another. */
static long chunk_place(const struct evaluation *evaluation, const struct held_item *item,
	const struct stage_dim *dim, long tile)
{
	bool has_next = evaluation->overlaps && tile < dim->extent;
	long place = place_room(&evaluation->memory,
		chunk_bytes(evaluation, item, dim, tile) * (has_next ? 2 : 1));
	return place < item->place || tile > 1 ? place : item->place;
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
	return !item->must_be_held && item->entry->access_count == 1
		&& group_stage_moves(evaluation->model->groups, item->entry->accesses[0], dim);
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
	long need = 0;
	bool any = false;
	for (int i = 0; i < evaluation->item_count; i++) {
		const struct held_item *item = &evaluation->items[i];
		if (item->stage != n || item->must_be_held)
			continue;
		bool moves = has_chunks(evaluation, item, dim);
		any |= moves;
		need += moves ? chunk_place(evaluation, item, dim, 1) : item->place;
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
			item->least_place = item->has_chunks ? chunk_place(evaluation, item, dim, 1)
				: item->place;
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

/* The first candidate from J on; -1: none. */
static int next_candidate(const struct evaluation *evaluation, int n, int j)
{
	for (; j < group_stage_loops(evaluation->model->groups, n); j++)
		if (is_candidate(evaluation, n, j))
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

/* ---- what is held: a search among the items, the largest first ---- */

static int compare_items(const void *a, const void *b)
{
	const struct held_item *left = a, *right = b;
	if (left->bytes != right->bytes)
		return left->bytes > right->bytes ? -1 : 1;
	if (left->streamed_bytes != right->streamed_bytes)
		return left->streamed_bytes > right->streamed_bytes ? -1 : 1;
	return left->entry->index - right->entry->index;
}

static long up(long value, long step)
{
	return (value + step - 1) / step * step;
}

/* Where what comes for a stage may begin. */
static long step_of(const struct evaluation *evaluation)
{
	return place_step(&evaluation->memory, evaluation->model->element_bytes);
}

/* The scratchpad that stages need one after the other, each from a multiple of STEP on; IS_OPEN: at least,
 * whatever else comes. */
static long pool_in_steps(const struct evaluation *evaluation, long step, bool is_open)
{
	const struct group_model *model = evaluation->model;
	return place_turns(evaluation->pool, model->candidate.last - model->candidate.first + 1, step,
		evaluation->overlaps ? TURNS_OVERLAP : TURNS_APART, is_open);
}

static long pool_of(const struct evaluation *evaluation, bool is_open)
{
	return pool_in_steps(evaluation, step_of(evaluation), is_open);
}

static long need_of(const struct evaluation *evaluation, long held)
{
	long pool = pool_of(evaluation, false);
	return pool ? up(evaluation->need + held, step_of(evaluation)) + pool : evaluation->need + held;
}

struct holding {
	struct evaluation *evaluation;
	long capacity, best;         /* bytes that items move */
	bool *is_held, *is_best;
	long *rest;                  /* [item]: least that it and those after it move */
};

/* Decides on the items from I on. */
static void decide(struct holding *holding, int i, long held, long bytes)
{
	struct evaluation *evaluation = holding->evaluation;
	if (bytes + holding->rest[i] >= holding->best || evaluation->steps-- < 0
		|| evaluation->need + held + pool_of(evaluation, true) > holding->capacity)
		return;
	if (i == evaluation->item_count) {
		if (need_of(evaluation, held) > holding->capacity)
			return;
		holding->best = bytes;
		memcpy(holding->is_best, holding->is_held, (size_t)i * sizeof *holding->is_best);
		return;
	}
	struct held_item *item = &evaluation->items[i];
	const struct held_item *before = i ? &evaluation->items[i - 1] : NULL;
	int m = item->stage - evaluation->model->candidate.first;
	/* Of items of one stage that are alike the first are held; which stage has room is no matter of
	 * likeness. */
	bool is_alike = before && before->bytes == item->bytes
		&& before->streamed_bytes == item->streamed_bytes && before->held_place == item->held_place && before->least_place == item->least_place
		&& !before->is_streamed
		&& before->stage == item->stage
		&& !holding->is_held[i - 1];
	if (item->must_be_held || (!is_alike && !item->is_streamed)) {
		holding->is_held[i] = true;
		decide(holding, i + 1, held + item->held_place, bytes + item->bytes);
		holding->is_held[i] = false;
	}
	if (item->must_be_held)
		return;
	evaluation->pool[m] += item->least_place;
	decide(holding, i + 1, held, bytes + item->streamed_bytes);
	evaluation->pool[m] -= item->least_place;
}

static long item_least(const struct held_item *item)
{
	return item->bytes < item->streamed_bytes ? item->bytes : item->streamed_bytes;
}

/* What is within LIMITS moves fewer bytes: what is held is chosen by these alone. */
static long most_bytes(const struct group_limits *limits)
{
	return cost_is_finite(&limits->most)
		? (long)cost_figure(&limits->most, FIGURE_BYTES) + limits->takes_equals : LONG_MAX / 4;
}

/* False if nothing fits. */
bool group_choose_held(struct evaluation *evaluation, const struct group_limits *limits)
{
	struct group_model *model = evaluation->model;
	int count = evaluation->item_count;
	struct holding holding = { evaluation, limits->capacity, LONG_MAX / 4,
		model->is_held, model->is_best, model->rest };
	memset(model->is_held, 0, (size_t)count * sizeof *model->is_held);
	model->rest[count] = 0;
	if (count)
		qsort(evaluation->items, (size_t)count, sizeof *evaluation->items, compare_items);
	for (int i = count - 1; i >= 0; i--)
		holding.rest[i] = holding.rest[i + 1] + item_least(&evaluation->items[i]);
	long most = most_bytes(limits);
	if (flow_bytes(&evaluation->flow) >= most)
		return false;
	holding.best = most - flow_bytes(&evaluation->flow);
	long wanted = holding.best;
	evaluation->steps = GROUP_HOLD_STEPS;
	decide(&holding, 0, 0, 0);
	evaluation->choice->is_optimal &= evaluation->steps >= 0;
	if (holding.best == wanted)
		return false;
	for (int i = 0; i < count; i++)
		evaluation->items[i].is_held = holding.is_best[i];
	evaluation->flow.read_bytes += holding.best;   /* items are only read */
	return true;
}

/* No less scratchpad would do: everything comes as late as it can, or nothing is held apart.  It may come
 * from any place: what is held where there would be a gap takes no room. */
long group_least_need(struct evaluation *evaluation)
{
	int first = evaluation->model->candidate.first;
	long held = evaluation->need, fixed = 0;
	for (int i = 0; i < evaluation->item_count; i++) {
		const struct held_item *item = &evaluation->items[i];
		held += item->held_place;
		fixed += item->must_be_held ? item->held_place : 0;
		evaluation->pool[item->stage - first] += item->must_be_held ? 0 : item->least_place;
	}
	long need = evaluation->need + fixed + pool_in_steps(evaluation, 1, false);
	for (int i = 0; i < evaluation->item_count; i++)
		evaluation->pool[evaluation->items[i].stage - first] = 0;
	return need < held ? need : held;
}

/* What stage N's items need with TILE iterations of its loop (0: whole). */
static long stage_need(const struct evaluation *evaluation, int n, long tile)
{
	long need = 0;
	for (int i = 0; i < evaluation->item_count; i++) {
		const struct held_item *item = &evaluation->items[i];
		if (item->stage == n && !item->is_held)
			need += item->has_chunks && tile ? chunk_place(evaluation, item, &item->dim, tile)
				: item->place;
	}
	return need;
}

/* The chunks that the user wants; 0: free. */
static long wanted_tile(const struct evaluation *evaluation, const struct held_item *item)
{
	const struct group_constraints *constraints = evaluation->constraints;
	int index = item->entry->index;
	return constraints && constraints->stage_loop[index]
		&& !strcmp(constraints->stage_loop[index], item->dim.name)
		&& constraints->stage_tile[index] <= item->dim.extent ? constraints->stage_tile[index] : 0;
}

/* What comes before stage M's things, and after, in steps of BY: 0 is nothing. */
static long pool_beside(const struct evaluation *evaluation, int m, int by)
{
	int count = evaluation->model->candidate.last - evaluation->model->candidate.first + 1;
	for (m += by; m >= 0 && m < count; m += by)
		if (evaluation->pool[m])
			return evaluation->pool[m];
	return 0;
}

/* What stage N may use of ROOM, such that there is room for two stages that overlap: half
 * of it, unless one of them needs more.  The pool has what each one needs at least. */
static long room_of(const struct evaluation *evaluation, int n, long room)
{
	int own = n - evaluation->model->candidate.first;
	long before = pool_beside(evaluation, own, -1), after = pool_beside(evaluation, own, 1);
	long step = step_of(evaluation), half = room / 2 / step * step;
	long most = up(before > after ? before : after, step);
	long least = up(evaluation->pool[own], step);
	if (!evaluation->overlaps || !most)
		return room;
	return least > half ? least : room - most < half ? room - most : half;
}

static const struct held_item *chunked_item(const struct evaluation *evaluation, int n)
{
	const struct held_item *chunked = NULL;
	for (int i = 0; i < evaluation->item_count; i++)
		if (evaluation->items[i].stage == n && !evaluation->items[i].is_held
			&& evaluation->items[i].has_chunks)
			chunked = &evaluation->items[i];
	return chunked;
}

/* A tile of stage N's loop, as large as there is ROOM for; 0: the whole. */
static long chunk_tile(const struct evaluation *evaluation, const struct group_limits *limits, int n,
	long room)
{
	const struct held_item *chunked = chunked_item(evaluation, n);
	long tile = chunked ? wanted_tile(evaluation, chunked) : 0;
	if (tile || !chunked)
		return tile;
	if (limits->prefers_memory)
		return 1;
	long parts = 1, extent = chunked->dim.extent;
	while (tile != 1 && stage_need(evaluation, n, tile) > room) {
		parts++;
		tile = (extent + parts - 1) / parts;
	}
	return tile;
}

/* Chunks as large as there is room for. */
void group_choose_chunks(struct evaluation *evaluation, const struct group_limits *limits)
{
	struct group_choice *choice = evaluation->choice;
	const struct group_model *model = evaluation->model;
	const struct fusion_candidate *candidate = &model->candidate;
	long need = evaluation->need;
	for (int i = 0; i < evaluation->item_count; i++) {
		const struct held_item *item = &evaluation->items[i];
		need += item->is_held ? item->held_place : 0;
		evaluation->pool[item->stage - candidate->first] += item->is_held ? 0 : item->least_place;
	}
	long begin = up(need, step_of(evaluation));
	for (int n = candidate->first; n <= candidate->last; n++) {
		const struct held_item *chunked = chunked_item(evaluation, n);
		choice->stage_tile[n] = chunk_tile(evaluation, limits, n,
			room_of(evaluation, n, limits->capacity - begin));
		if (chunked)
			choice->stages[n] = chunked->dim;
		evaluation->pool[n - candidate->first] = stage_need(evaluation, n, choice->stage_tile[n]);
	}
	/* what was streamed with other loops may move with these */
	for (int i = 0; i < model->groups->function->array_count; i++)
		choice->hold[i] = HOLD_ALL;
	for (int i = 0; i < evaluation->item_count; i++) {
		const struct held_item *item = &evaluation->items[i];
		int index = item->entry->index;
		choice->hold[index] = item->is_held ? HOLD_ALL
			: choice->stage_tile[item->stage] && item->has_chunks ? HOLD_CHUNK : HOLD_STAGE;
		if (evaluation->doubles)
			choice->is_double[index] = item->is_held ? item->is_double : evaluation->overlaps;
	}
	long pool = pool_of(evaluation, false);
	choice->need = pool ? begin + pool : need;
}
