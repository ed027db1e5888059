/* What a group holds of the arrays that one stage alone uses, from the first tile to the last or
 * while no loop moves it, and what comes and goes for its stage in each tile, whole or in chunks. */

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "passes/fusion/group_model.h"

/* ---- memories ---- */

int group_memory_from(unsigned memories, int m)
{
	while (m < MEMORY_LIMIT && !(memories >> m & 1))
		m++;
	return m;
}

long group_least_of(unsigned memories, const long *rooms)
{
	long least = LONG_MAX;
	for (int m = group_memory_from(memories, 0); m < MEMORY_LIMIT; m = group_memory_from(memories, m + 1))
		least = rooms[m] < least ? rooms[m] : least;
	return least;
}

/* ---- what is held: a search among the items, the largest first ---- */

static int compare_items(const void *a, const void *b)
{
	const struct held_item *left = a, *right = b;
	long held = flow_bytes(&left->held) - flow_bytes(&right->held);
	long streamed = flow_bytes(&left->streamed) - flow_bytes(&right->streamed);
	if (held || streamed)
		return (held ? held : streamed) > 0 ? -1 : 1;
	return left->entry->index - right->entry->index;
}

/* The largest first: what is left is for those that fit more easily. */
static int compare_open(const void *a, const void *b)
{
	const struct open_buffer *left = a, *right = b;
	long more = group_least_of(left->memories, left->place) - group_least_of(right->memories, right->place);
	return more ? (more > 0 ? -1 : 1) : left->index - right->index;
}

static long up(long value, long step)
{
	return (value + step - 1) / step * step;
}

static int member_count(const struct evaluation *evaluation)
{
	return evaluation->model->candidate.last - evaluation->model->candidate.first + 1;
}

long *group_pool(const struct evaluation *evaluation, int m, int member)
{
	return &evaluation->pool[m * member_count(evaluation) + member];
}

/* What comes for ITEM's stage in memory M. */
static long *pool_for(const struct evaluation *evaluation, int m, const struct held_item *item)
{
	return group_pool(evaluation, m, item->stage - evaluation->model->candidate.first);
}

/* Where what comes for a stage may begin in memory M. */
static long step_of(const struct evaluation *evaluation, int m)
{
	return place_step(&evaluation->memories[m], evaluation->model->element_bytes);
}

/* What stages need of memory M one after the other, each from a multiple of STEP on; IS_OPEN: at least,
 * whatever else comes. */
static long pool_in_steps(const struct evaluation *evaluation, int m, long step, bool is_open)
{
	return place_turns(group_pool(evaluation, m, 0), member_count(evaluation), step,
		evaluation->overlaps ? TURNS_OVERLAP : TURNS_APART, is_open);
}

static long pool_of(const struct evaluation *evaluation, int m, bool is_open)
{
	return pool_in_steps(evaluation, m, step_of(evaluation, m), is_open);
}

/* What is needed of memory M, where EVALUATION's need is known of all that does not come for stages. */
static long need_of(const struct evaluation *evaluation, int m)
{
	long pool = pool_of(evaluation, m, false), need = evaluation->need[m];
	return pool ? up(need, step_of(evaluation, m)) + pool : need;
}

/* While it is searched the evaluation's need counts what is held. */
struct hold_search {
	struct evaluation *evaluation;
	const struct group_limits *limits;
	long best;                   /* bytes that items move */
	bool *is_held, *is_best;     /* [item] */
	int *memory, *best_memory;   /* [open buffer, then item] */
	long *rest;                  /* [item]: least that it and those after it move */
};

/* All fits as it was decided so far; IS_OPEN: whatever else comes may take turns with it. */
static bool fits(const struct hold_search *search, bool is_open)
{
	const struct evaluation *evaluation = search->evaluation;
	long sum = 0;
	for (int m = 0; m < evaluation->memory_count; m++) {
		long need = is_open ? evaluation->need[m] + pool_of(evaluation, m, true) : need_of(evaluation, m);
		if (need > search->limits->capacities[m])
			return false;
		sum += need;
	}
	return sum <= search->limits->capacity;
}

/* Items A and B move as much, held or not, and may both come for their stage or neither. */
static bool move_alike(const struct held_item *a, const struct held_item *b)
{
	return flow_bytes(&a->held) == flow_bytes(&b->held)
		&& flow_bytes(&a->streamed) == flow_bytes(&b->streamed)
		&& a->entry->is_written == b->entry->is_written && a->has_chunks == b->has_chunks;
}

/* Items A and B take as much, wherever they lie. */
static bool take_alike(const struct held_item *a, const struct held_item *b)
{
	bool alike = a->memories == b->memories;
	for (int m = group_memory_from(a->memories, 0); m < MEMORY_LIMIT && alike;
		m = group_memory_from(a->memories, m + 1))
		alike = a->held_place[m] == b->held_place[m] && a->least_place[m] == b->least_place[m];
	return alike;
}

static void decide(struct hold_search *search, int i, long bytes);

/* Item I is held, in one memory or the other, and so are others with BYTES that move. */
static void decide_held(struct hold_search *search, int i, long bytes)
{
	struct evaluation *evaluation = search->evaluation;
	const struct held_item *item = &evaluation->items[i];
	search->is_held[i] = true;
	for (int m = group_memory_from(item->memories, 0); m < MEMORY_LIMIT; m = group_memory_from(item->memories, m + 1)) {
		search->memory[evaluation->open_count + i] = m;
		evaluation->need[m] += item->held_place[m];
		decide(search, i + 1, bytes + flow_bytes(&item->held));
		evaluation->need[m] -= item->held_place[m];
	}
	search->is_held[i] = false;
}

/* Item I comes for its stage. */
static void decide_streamed(struct hold_search *search, int i, long bytes)
{
	struct evaluation *evaluation = search->evaluation;
	const struct held_item *item = &evaluation->items[i];
	for (int m = group_memory_from(item->memories, 0); m < MEMORY_LIMIT; m = group_memory_from(item->memories, m + 1)) {
		search->memory[evaluation->open_count + i] = m;
		*pool_for(evaluation, m, item) += item->least_place[m];
		decide(search, i + 1, bytes + flow_bytes(&item->streamed));
		*pool_for(evaluation, m, item) -= item->least_place[m];
	}
}

/* ITEM is to go out while the next of it is computed, as far as it comes for its stage: then it comes in chunks, as
 * what is there as a whole goes before the next stage. */
static bool must_overlap(const struct evaluation *evaluation, const struct held_item *item)
{
	return item->entry->is_written && evaluation->overlaps && evaluation->doubles[item->entry->index];
}

/* Decides on the items from I on, where those before move BYTES. */
static void decide(struct hold_search *search, int i, long bytes)
{
	struct evaluation *evaluation = search->evaluation;
	if (bytes + search->rest[i] >= search->best || evaluation->steps-- < 0 || !fits(search, true))
		return;
	if (i == evaluation->item_count) {
		if (!fits(search, false))
			return;
		search->best = bytes;
		memcpy(search->is_best, search->is_held, (size_t)i * sizeof *search->is_best);
		memcpy(search->best_memory, search->memory,
			(size_t)(evaluation->open_count + i) * sizeof *search->best_memory);
		return;
	}
	const struct held_item *item = &evaluation->items[i];
	const struct held_item *before = i ? &evaluation->items[i - 1] : NULL;
	/* Of items of one stage that are alike the first are held; which stage has room is no matter of
	 * likeness. */
	bool is_alike = before && move_alike(before, item) && take_alike(before, item)
		&& !before->is_streamed
		&& before->stage == item->stage
		&& !search->is_held[i - 1];
	if (item->must_be_held || (!is_alike && !item->is_streamed))
		decide_held(search, i, bytes);
	if (!item->must_be_held && (item->is_streamed || item->has_chunks || !must_overlap(evaluation, item)))
		decide_streamed(search, i, bytes);
}

/* Decides in which memories the open buffers from O on lie, and on all items: what these move does not
 * depend on it, so that the first way is the best in which nothing has to move more. */
static void decide_open(struct hold_search *search, int o)
{
	struct evaluation *evaluation = search->evaluation;
	if (o == evaluation->open_count) {
		decide(search, 0, 0);
		return;
	}
	const struct open_buffer *open = &evaluation->open[o];
	if (search->rest[0] >= search->best || evaluation->steps-- < 0 || !fits(search, true))
		return;
	for (int m = group_memory_from(open->memories, 0); m < MEMORY_LIMIT; m = group_memory_from(open->memories, m + 1)) {
		search->memory[o] = m;
		evaluation->need[m] += open->place[m];
		decide_open(search, o + 1);
		evaluation->need[m] -= open->place[m];
	}
}

static long item_least(const struct held_item *item)
{
	long held = flow_bytes(&item->held), streamed = flow_bytes(&item->streamed);
	return held < streamed ? held : streamed;
}

/* What is within LIMITS moves fewer bytes: what is held is chosen by these alone. */
static long most_bytes(const struct group_limits *limits)
{
	return cost_is_finite(&limits->most)
		? (long)cost_figure(&limits->most, FIGURE_BYTES) + limits->takes_equals : LONG_MAX / 4;
}

bool group_may_improve(const struct evaluation *evaluation, const struct group_limits *limits)
{
	long bytes = flow_bytes(&evaluation->flow);
	for (int i = 0; i < evaluation->item_count; i++)
		bytes += item_least(&evaluation->items[i]);
	return bytes < most_bytes(limits);
}

/* What was found is so: the evaluation's need counts what is open, too, and its flow the items. */
static void take(const struct hold_search *search)
{
	struct evaluation *evaluation = search->evaluation;
	for (int o = 0; o < evaluation->open_count; o++) {
		struct open_buffer *open = &evaluation->open[o];
		open->memory = search->best_memory[o];
		evaluation->need[open->memory] += open->place[open->memory];
		evaluation->choice->memory[open->index] = open->memory;
	}
	for (int i = 0; i < evaluation->item_count; i++) {
		struct held_item *item = &evaluation->items[i];
		item->is_held = search->is_best[i];
		item->memory = search->best_memory[evaluation->open_count + i];
		evaluation->choice->memory[item->entry->index] = item->memory;
		const struct flow *flow = item->is_held ? &item->held : &item->streamed;
		evaluation->flow.read_bytes += flow->read_bytes;
		evaluation->flow.write_bytes += flow->write_bytes;
	}
}

/* False if nothing fits. */
bool group_choose_held(struct evaluation *evaluation, const struct group_limits *limits)
{
	struct group_model *model = evaluation->model;
	int count = evaluation->item_count;
	struct hold_search search = { evaluation, limits, LONG_MAX / 4,
		model->is_held, model->is_best, model->memory, model->best_memory, model->rest };
	memset(model->is_held, 0, (size_t)count * sizeof *model->is_held);
	model->rest[count] = 0;
	if (count)
		qsort(evaluation->items, (size_t)count, sizeof *evaluation->items, compare_items);
	if (evaluation->open_count)
		qsort(evaluation->open, (size_t)evaluation->open_count, sizeof *evaluation->open, compare_open);
	for (int i = count - 1; i >= 0; i--)
		search.rest[i] = search.rest[i + 1] + item_least(&evaluation->items[i]);
	long most = most_bytes(limits);
	if (flow_bytes(&evaluation->flow) >= most)
		return false;
	search.best = most - flow_bytes(&evaluation->flow);
	long wanted = search.best;
	evaluation->steps = GROUP_HOLD_STEPS;
	decide_open(&search, 0);
	evaluation->choice->is_optimal &= evaluation->steps >= 0;
	if (search.best == wanted)
		return false;
	take(&search);
	return true;
}

/* No less of the memories WITHIN would do for what lies nowhere else: everything comes as late as it can, or
 * nothing is held apart.  It may come from any place: what is held where there would be a gap takes no
 * room.  Each takes what is least of the memories it may lie in. */
static long least_within(struct evaluation *evaluation, unsigned within)
{
	long fixed = 0, held = 0;
	for (int m = group_memory_from(within, 0); m < evaluation->memory_count; m = group_memory_from(within, m + 1))
		fixed += evaluation->need[m];
	for (int o = 0; o < evaluation->open_count; o++)
		if (!(evaluation->open[o].memories & ~within))
			fixed += group_least_of(evaluation->open[o].memories, evaluation->open[o].place);
	for (int i = 0; i < evaluation->item_count; i++) {
		const struct held_item *item = &evaluation->items[i];
		if (item->memories & ~within)
			continue;
		held += item->must_be_held ? 0 : group_least_of(item->memories, item->held_place);
		fixed += item->must_be_held ? group_least_of(item->memories, item->held_place) : 0;
		*pool_for(evaluation, 0, item) += item->must_be_held ? 0
			: group_least_of(item->memories, item->least_place);
	}
	long pool = pool_in_steps(evaluation, 0, 1, false);
	for (int i = 0; i < evaluation->item_count; i++)
		*pool_for(evaluation, 0, &evaluation->items[i]) = 0;
	return fixed + (pool < held ? pool : held);
}

long group_least_need(struct evaluation *evaluation, const struct group_limits *limits)
{
	long need = least_within(evaluation, (1u << evaluation->memory_count) - 1);
	for (int m = 0; m < evaluation->memory_count && evaluation->memory_count > 1; m++) {
		double own = (double)least_within(evaluation, 1u << m), there = (double)limits->capacities[m];
		if (own > there && there <= 0)
			return LONG_MAX / 2;
		double all = own > there ? ceil(own / there * (double)limits->capacity) : 0;
		if (all > (double)need)
			need = all < (double)(LONG_MAX / 2) ? (long)all : LONG_MAX / 2;
	}
	return need;
}

/* What stage N's items need of memory M with TILE iterations of its loop (0: whole). */
static long stage_need(const struct evaluation *evaluation, int m, int n, long tile)
{
	long need = 0;
	for (int i = 0; i < evaluation->item_count; i++) {
		const struct held_item *item = &evaluation->items[i];
		if (item->stage == n && !item->is_held && item->memory == m)
			need += item->has_chunks && tile ? group_chunk_place(evaluation, item, &item->dim, tile, m)
				: item->place[m];
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

/* What comes before the things of MEMBER in memory M, and after, in steps of BY: 0 is nothing. */
static long pool_beside(const struct evaluation *evaluation, int m, int member, int by)
{
	for (member += by; member >= 0 && member < member_count(evaluation); member += by)
		if (*group_pool(evaluation, m, member))
			return *group_pool(evaluation, m, member);
	return 0;
}

/* What stage N may use of ROOM of memory M, such that there is room for two stages that overlap: half
 * of it, unless one of them needs more.  The pool has what each one needs at least. */
static long room_of(const struct evaluation *evaluation, int m, int n, long room)
{
	int own = n - evaluation->model->candidate.first;
	long before = pool_beside(evaluation, m, own, -1), after = pool_beside(evaluation, m, own, 1);
	long step = step_of(evaluation, m), half = room / 2 / step * step;
	long most = up(before > after ? before : after, step);
	long least = up(*group_pool(evaluation, m, own), step);
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

/* What goes in chunks for stage N is to overlap. */
static bool has_overlap(const struct evaluation *evaluation, int n)
{
	bool has = false;
	for (int i = 0; i < evaluation->item_count; i++) {
		const struct held_item *item = &evaluation->items[i];
		has |= item->stage == n && !item->is_held && item->has_chunks && must_overlap(evaluation, item);
	}
	return has;
}

/* Stage N has in each memory the ROOMS [memory] that TILE iterations of its loop need. */
static bool has_rooms(const struct evaluation *evaluation, int n, long tile, const long *rooms)
{
	bool has = true;
	for (int m = 0; m < evaluation->memory_count && has; m++) {
		long need = stage_need(evaluation, m, n, tile);
		has = !need || need <= rooms[m];
	}
	return has;
}

/* A tile of stage N's loop, as large as there are ROOMS for; 0: the whole. */
static long chunk_tile(const struct evaluation *evaluation, const struct group_limits *limits, int n,
	const long *rooms)
{
	const struct held_item *chunked = chunked_item(evaluation, n);
	long tile = chunked ? wanted_tile(evaluation, chunked) : 0;
	if (tile || !chunked)
		return tile;
	/* where no more may be used of all memories than some have, all of it may be gone */
	if (limits->prefers_memory || arch_is_limited(evaluation->model->groups->compilation->arch))
		return 1;
	long parts = has_overlap(evaluation, n) ? 2 : 1, extent = chunked->dim.extent;
	tile = parts > 1 ? (extent + parts - 1) / parts : 0;
	while (tile != 1 && !has_rooms(evaluation, n, tile, rooms)) {
		parts++;
		tile = (extent + parts - 1) / parts;
	}
	return tile;
}

/* What goes out for ITEM's stage does so in chunks of TILE iterations: in shorter pieces than if it was held, and
 * by more commands. */
static void count_pieces(const struct evaluation *evaluation, const struct held_item *item, long tile)
{
	struct group_choice *choice = evaluation->choice;
	const struct array *array = item->entry->array->array;
	bool is_cut = tile && item->has_chunks;
	long elements = item->streamed.write_bytes / array->type.bytes, run = 1;
	if (array->rank)
		run = is_cut ? group_chunk_side(evaluation, item, &item->dim, tile, array->rank - 1)
			: item->side[array->rank - 1];
	choice->flow.runs += (run > 0 ? (double)elements / (double)run : 0) - item->held.runs;
	choice->chunks += is_cut ? (item->dim.extent + tile - 1) / tile - 1 : 0;
}

/* Chunks as large as there is room for. */
void group_choose_chunks(struct evaluation *evaluation, const struct group_limits *limits)
{
	struct group_choice *choice = evaluation->choice;
	const struct group_model *model = evaluation->model;
	const struct fusion_candidate *candidate = &model->candidate;
	long rooms[MEMORY_LIMIT];
	for (int i = 0; i < evaluation->item_count; i++) {
		const struct held_item *item = &evaluation->items[i];
		*(item->is_held ? &evaluation->need[item->memory] : pool_for(evaluation, item->memory, item))
			+= item->is_held ? item->held_place[item->memory] : item->least_place[item->memory];
	}
	for (int n = candidate->first; n <= candidate->last; n++) {
		const struct held_item *chunked = chunked_item(evaluation, n);
		for (int m = 0; m < evaluation->memory_count; m++)
			rooms[m] = room_of(evaluation, m, n, limits->capacities[m]
				- up(evaluation->need[m], step_of(evaluation, m)));
		choice->stage_tile[n] = chunk_tile(evaluation, limits, n, rooms);
		if (chunked)
			choice->stages[n] = chunked->dim;
		for (int m = 0; m < evaluation->memory_count; m++)
			*group_pool(evaluation, m, n - candidate->first) = stage_need(evaluation, m, n,
				choice->stage_tile[n]);
	}
	/* what was streamed with other loops may move with these */
	for (int i = 0; i < model->groups->function->array_count; i++)
		choice->hold[i] = HOLD_ALL;
	for (int i = 0; i < evaluation->item_count; i++) {
		const struct held_item *item = &evaluation->items[i];
		int index = item->entry->index;
		choice->hold[index] = item->is_held ? HOLD_ALL
			: choice->stage_tile[item->stage] && item->has_chunks ? HOLD_CHUNK : HOLD_STAGE;
		bool is_whole = item->entry->is_written && choice->hold[index] == HOLD_STAGE;
		if (evaluation->doubles)
			choice->is_double[index] = item->is_held ? item->is_double : evaluation->overlaps && !is_whole;
	}
	choice->chunks = 0;
	for (int i = 0; i < evaluation->item_count; i++)
		if (!evaluation->items[i].is_held && evaluation->items[i].entry->is_written)
			count_pieces(evaluation, &evaluation->items[i], choice->stage_tile[evaluation->items[i].stage]);
	choice->need = 0;
	for (int m = 0; m < evaluation->memory_count; m++)
		choice->need += choice->needs[m] = need_of(evaluation, m);
}
