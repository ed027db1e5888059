/* The ways for elements to share a loop that a search for mappings tries. */

#include "passes/search/mapping_state.h"

#include <math.h>
#include <stdlib.h>

#include "passes/cost/cut.h"
#include "support/memory.h"

struct share share_of(const struct nest_model *model, const struct schedule *outer, int loop, long part, long space)
{
	long tile = outer->tile[loop], extent = model->loops[loop].extent, rest = extent % tile;
	long step = space > tile / part ? tile : space * part;
	struct split split = { tile, step, part };
	struct piece pieces[SPLIT_PIECES];
	struct share share = { .part = part, .space = space, .step = step, .steps_of_tile = tile_count(tile, step),
		.steps = (double)split_steps(&split, extent), .least_sharers = (double)space, .is_decided = true };
	int count = split_pieces(&split, extent, pieces);
	long rests[] = { tile % step, rest % step }, tiles[] = { extent / tile, 1 };

	for (int i = 0; i < count; i++)
		share.parts += (double)pieces[i].count;
	share.cycles = share.steps * (double)part;
	for (int i = 0; i < 2; i++)
		if (rests[i] > 0 && rests[i] < part)
			share.cycles -= (double)(tiles[i] * (part - rests[i]));
	if (rest > 0)
		share.least_sharers = fmin(share.least_sharers, (double)split_elements(&split, rest));
	return share;
}

/* ONE is as good as OTHER, with no larger boxes. */
static bool is_as_good(const struct share *one, const struct share *other)
{
	return one->part <= other->part && one->steps <= other->steps && one->cycles <= other->cycles &&
		one->parts <= other->parts;
}

static int compare_shares(const void *a, const void *b)
{
	const struct share *one = a, *other = b;

	if ((one->steps_of_tile > 1) != (other->steps_of_tile > 1))
		return one->steps_of_tile > 1 ? 1 : -1;
	if (one->steps != other->steps)
		return one->steps < other->steps ? -1 : 1;
	if (one->cycles != other->cycles)
		return one->cycles < other->cycles ? -1 : 1;
	if (one->space != other->space)
		return one->space < other->space ? -1 : 1;
	return one->part < other->part ? -1 : one->part > other->part;
}

long mapping_most_elements(const struct mapping_tree *tree, int loop)
{
	const struct pe_array *machine = tree->machine;
	long most = machine->is_free ? (long)machine->x * machine->y : machine->x > machine->y ? machine->x : machine->y;

	if (!(tree->rules->shareable >> loop & 1))
		most = 1;
	return most < tree->outer->tile[loop] ? most : tree->outer->tile[loop];
}

/* The most iterations of LOOP that an element may take in a step: of each array that it moves registers have room for what these
 * touch. */
static long most_iterations(const struct mapping_tree *tree, int loop)
{
	long most = tree->outer->tile[loop];

	for (int a = 0; a < tree->model->array_count; a++) {
		const struct model_array *array = &tree->model->arrays[a];
		long room = pe_array_room(tree->machine, array->role) / array->element_bytes;

		for (int d = 0; d < array->rank; d++) {
			const struct model_dim *dim = &array->dims[d];
			long c = dim->coefficient[loop];

			/* what does not exist at a border is not there */
			if (c == 0 || (dim->clip_high > 0 && dim->clip_high - dim->clip_low <= room))
				continue;
			most = room < dim->window ? 0 : (room - dim->window) / c + 1 < most ? (room - dim->window) / c + 1 : most;
		}
	}
	return most;
}

/* Counts SHARES looked at as points; false: there were enough. */
static bool count_shares(struct mapping_tree *tree, long shares)
{
	tree->points += shares / SHARES_OF_POINT;
	tree->is_over = tree->is_over || tree->points > tree->limit;
	return !tree->is_over;
}

/* Adds the shares of LOOP among SPACE elements, of up to MOST iterations each, to SHARES, which have ROOM.  False: they are too many
 * to look at. */
static bool add_shares(struct mapping_tree *tree, int loop, long space, long most, struct loop_shares *shares, size_t *room)
{
	long tile = tree->outer->tile[loop], fixed = tree->rules->part[loop], looked_at = 0;
	int first = shares->count;

	for (long part = fixed > 0 ? fixed : 1; part <= (fixed > 0 ? fixed : most); part++) {
		struct share share;
		bool is_worse = false;

		/* some element would have nothing to do */
		if (space - 1 > (tile - 1) / part)
			break;
		share = share_of(tree->model, tree->outer, loop, part, space);
		for (int i = first; i < shares->count && !is_worse; i++)
			is_worse = is_as_good(&shares->items[i], &share);
		looked_at += shares->count - first + 1;
		if (looked_at >= SHARES_OF_POINT) {
			if (!count_shares(tree, looked_at))
				return false;
			looked_at %= SHARES_OF_POINT;
		}
		if (is_worse)
			continue;
		if ((size_t)shares->count == *room) {
			*room = *room ? 2 * *room : 32;
			shares->items = realloc(shares->items, *room * sizeof *shares->items);
			if (!shares->items)
				memory_exhausted();
		}
		shares->items[shares->count++] = share;
	}
	return true;
}

/* Where no word comes between steps, more of them are worth while for fewer iterations of the busiest element alone, or for fewer words. */
static void find_inner(struct loop_shares *shares, bool may_shrink)
{
	for (int i = 0; i < shares->count; i++) {
		struct share *share = &shares->items[i];

		share->is_inner = true;
		for (int j = 0; j < i && share->is_inner; j++) {
			const struct share *other = &shares->items[j];

			share->is_inner = !(other->is_inner && other->space == share->space && (share->space == 1 || !may_shrink) &&
				other->cycles <= share->cycles && other->parts <= share->parts && other->least_sharers <= share->least_sharers &&
				other->part * other->steps_of_tile <= share->part * share->steps_of_tile &&
				(double)other->part * other->steps <= (double)share->part * share->steps);
		}
	}
}

/* Of SHARES, of LOOP among SPACE elements, the least of everything.  Steps are not outside all registers: tiles count. */
static struct share least_of(const struct mapping_tree *tree, int loop, const struct loop_shares *shares, long space)
{
	struct share least = { .part = 1, .space = space, .step = 1, .steps = tree->tiles[loop] };

	for (int i = 0; i < shares->count; i++) {
		const struct share *share = &shares->items[i];
		double of_tile = (double)(share->part * share->steps_of_tile), of_all = (double)share->part * share->steps;

		least.parts = i == 0 ? share->parts : fmin(least.parts, share->parts);
		least.cycles = i == 0 ? share->cycles : fmin(least.cycles, share->cycles);
		least.steps_of_tile = i == 0 || share->steps_of_tile < least.steps_of_tile ? share->steps_of_tile : least.steps_of_tile;
		least.least_sharers = i == 0 ? share->least_sharers : fmin(least.least_sharers, share->least_sharers);
		least.of_tile = i == 0 ? of_tile : fmin(least.of_tile, of_tile);
		least.of_all = i == 0 ? of_all : fmin(least.of_all, of_all);
	}
	return least;
}

const struct loop_shares *mapping_shares(struct mapping_tree *tree, int loop, long space)
{
	struct loop_shares *shares;
	long most, fixed, iterations, first, last;
	bool may_shrink = false;
	size_t room = 0;

	if (tree->lists[loop] && tree->lists[loop][space].is_made)
		return &tree->lists[loop][space];
	most = mapping_most_elements(tree, loop);
	if (!tree->lists[loop])
		tree->lists[loop] = memory_alloc((size_t)(most + 1) * sizeof *tree->lists[loop]);
	shares = &tree->lists[loop][space];
	fixed = tree->rules->space[loop];
	iterations = most_iterations(tree, loop);
	first = space > 0 ? space : fixed > 0 ? fixed : 1;
	last = space > 0 || (fixed > 0 && fixed <= most) ? first : most;
	free(shares->items);
	*shares = (struct loop_shares){ .is_made = true };
	for (long among = first; among <= last && shares->is_made; among++)
		shares->is_made = add_shares(tree, loop, among, iterations, shares, &room);
	if (shares->count > 0)
		qsort(shares->items, (size_t)shares->count, sizeof *shares->items, compare_shares);
	while (shares->single_count < shares->count && shares->items[shares->single_count].steps_of_tile == 1)
		shares->single_count++;
	for (int a = 0; a < tree->model->array_count; a++)
		may_shrink = may_shrink || tree->shrinking[a] >> loop & 1;
	find_inner(shares, may_shrink);
	shares->least = least_of(tree, loop, shares, space);
	return shares;
}

void mapping_clear_shares(struct mapping_tree *tree)
{
	for (int l = 0; l < tree->model->loop_count; l++) {
		for (long space = 0; tree->lists[l] && space <= mapping_most_elements(tree, l); space++)
			free(tree->lists[l][space].items);
		free(tree->lists[l]);
	}
}

struct share mapping_floor(const struct mapping_tree *tree, int loop, long part, const struct share *share)
{
	const struct share *least = &tree->shares[loop]->least;
	struct share floor = { .part = part, .space = least->space, .step = 1, .steps = share->steps, .steps_of_tile = share->steps_of_tile,
		.parts = fmax(share->steps, least->parts), .cycles = fmax(share->steps, least->cycles), .least_sharers = 1,
		.of_tile = least->of_tile, .of_all = least->of_all };

	if (least->space > 0) {
		floor.least_sharers = least->least_sharers;
		return floor;
	}
	floor.parts = share->steps;
	floor.cycles = fmax(share->steps, (double)tree->model->loops[loop].extent / (double)mapping_most_elements(tree, loop));
	return floor;
}
