#include "passes/search_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* False if nothing below LEVEL can be better than the best so far. */
static bool is_promising(struct tree *tree, int depth)
{
	const struct space *space = tree->space;
	const struct level *level = &tree->levels[depth];
	struct saving savings[MODEL_ARRAYS];
	double traffic = 0, commands = 0, memory = 0, spare = 0;

	for (int a = 0; a < space->model->array_count; a++) {
		const struct stored *stored = &tree->stored[a];
		const struct array_state *state = &level->arrays[a];
		int bytes = space->model->arrays[a].element_bytes;

		if (level->stored >> a & 1) {
			traffic += stored->least_bytes;
			commands += stored->least_commands;
			memory += stored->least_memory;
			savings[a] = stored->saving;
			/* more slots may begin in what the least of them leave of a granule */
			if (savings[a].most > 0)
				spare += space->granule;
			continue;
		}
		traffic += state->first * (state->reuse * space->visit_bytes[a] -
			space->first_bytes[a]);
		savings[a].rate = state->turns * space->visit_bytes[a] / bytes;
		savings[a].most = state->turns > 0 ?
			(state->turned / state->turns - state->least) * bytes : 0;
		traffic -= fmin(state->turns * state->least, state->turned) *
			space->visit_bytes[a];
		memory += round_bytes(space, state->least * bytes);
		spare += space->granule;
		/* a run that turns still moves a tile, others two */
		commands += space->visit_bytes[a] == 0 ? 0 : 2 * (state->visits - state->turns) +
			(is_full_useful(space, a) ? 0 : state->turns);
	}
	if (memory > space->capacity)
		return false;
	if (space->is_minimal_memory)
		return !tree->found || memory < tree->best_scratchpad;
	if (tree->found)
		traffic -= best_savings(savings, space->model->array_count,
			space->capacity - memory + spare);
	if (!tree->found || traffic < tree->best_traffic - TRAFFIC_TOLERANCE)
		return true;
	return traffic <= tree->best_traffic + TRAFFIC_TOLERANCE && commands <= tree->best_commands;
}

static void descend(struct tree *tree, int depth);

/* Arrays that no loop is left for to be stored at: they have to be by now. */
static unsigned last_chance(const struct tree *tree, int depth)
{
	const struct space *space = tree->space;
	unsigned open = 0, arrays = 0;

	for (int l = 0; l < space->model->loop_count; l++)
		if (space->choice_count[l] > 0)
			open |= 1u << l;
	for (int i = 1; i <= depth; i++)
		open &= ~(1u << tree->levels[i].loop);
	for (int a = 0; a < space->model->array_count; a++)
		if ((space->indexed[a] & open) == 0)
			arrays |= 1u << a;
	return arrays;
}

/* Array sets to store at the level just placed: ARRAYS may be. */
static void choose_stores(struct tree *tree, int depth, unsigned arrays)
{
	struct level *level = &tree->levels[depth];
	unsigned before = level->stored, legal = 0, needed = last_chance(tree, depth) & ~before;
	struct stored kept[MODEL_ARRAYS];

	for (int a = 0; a < tree->space->model->array_count; a++)
		if ((arrays >> a & 1) && store_array(tree, a, depth)) {
			legal |= 1u << a;
			kept[a] = tree->stored[a];
		}
	if ((needed & ~legal) != 0)
		return;
	legal &= ~needed;
	/* all subsets, the largest first */
	for (unsigned set = legal;; set = (set - 1) & legal) {
		level->stored = before | needed | set;
		level->stores_here = (needed | set) != 0;
		for (int a = 0; a < tree->space->model->array_count; a++)
			if ((needed | set) >> a & 1)
				tree->stored[a] = kept[a];
		descend(tree, depth);
		if (set == 0 || tree->is_over)
			break;
	}
	level->stored = before;
}

static bool is_placed(const struct tree *tree, int depth, int loop)
{
	for (int i = 1; i <= depth; i++)
		if (tree->levels[i].loop == loop)
			return true;
	return false;
}

/* The user's order, if there is one, comes first; its loops may be left whole. */
static bool order_allows(const struct tree *tree, int depth, int loop)
{
	const struct space *space = tree->space;
	int last = -1;

	for (int i = 0; i < space->options->order_count; i++)
		if (is_placed(tree, depth, space->options->order[i]))
			last = i;
	for (int i = 0; i < depth; i++) {
		bool is_listed = false;

		for (int j = 0; j < space->options->order_count; j++)
			is_listed = is_listed || space->options->order[j] == tree->levels[i + 1].loop;
		if (!is_listed)
			last = space->options->order_count;
	}
	for (int i = 0; i < space->options->order_count; i++) {
		if (space->options->order[i] == loop)
			return i > last;
		if (i > last && space->is_tiled[space->options->order[i]])
			return false;
	}
	return true;
}

/* Two neighbours that no buffer lies between and that are alike for every array may
 * change places: one of the two orders is enough.  Where turns keep regions, clipped
 * tiles tell them apart. */
static bool is_twin_order(const struct tree *tree, int depth)
{
	const struct space *space = tree->space;
	const struct level *level = &tree->levels[depth], *before = level - 1;
	unsigned open = ~level->stored;

	if (depth < 2 || before->stores_here || level->stores_here ||
		before->loop < level->loop || space->options->order_count > 0 ||
		space->may_turn[before->loop] != space->may_turn[level->loop] ||
		((space->indexing[before->loop] ^ space->indexing[level->loop]) & open) != 0)
		return false;
	for (int a = 0; a < space->model->array_count; a++)
		if ((open >> a & 1) && (space->indexing[level->loop] >> a & 1) &&
			level->arrays[a].turns > 0 &&
			(last_tile(space, level->loop, level->choice) != (double)level->choice.tile ||
			last_tile(space, before->loop, before->choice) != (double)before->choice.tile))
			return false;
	return true;
}

static bool has_fixed_stores(const struct space *space)
{
	for (int a = 0; a < space->model->array_count; a++)
		if (space->options->store[a] >= 0)
			return true;
	return false;
}

static void place_loop(struct tree *tree, int depth, int loop, struct tile_choice choice)
{
	const struct space *space = tree->space;
	struct level *level = &tree->levels[depth], *before = level - 1;

	level->loop = loop;
	level->choice = choice;
	level->runs = before->runs * (double)choice.count;
	level->stored = before->stored;
	tree->path.order[depth - 1] = loop;
	tree->path.tile[loop] = choice.tile;
	for (int a = 0; a < space->model->array_count; a++)
		if (!(before->stored >> a & 1))
			array_step(tree, a, before, level);
	choose_stores(tree, depth, space->indexing[loop] & ~before->stored);
}

static void descend(struct tree *tree, int depth)
{
	const struct space *space = tree->space;
	struct level *level = &tree->levels[depth];
	unsigned all = (1u << space->model->array_count) - 1;

	tree->points++;
	if (tree->points >= tree->limit || (space->options->interrupted != NULL &&
		*space->options->interrupted))
		tree->is_over = true;
	if (tree->is_over || !is_promising(tree, depth))
		return;
	if (level->stored == all) {
		leaf(tree, depth);
		return;
	}
	if (is_twin_order(tree, depth))
		return;
	for (int l = 0; l < space->model->loop_count; l++) {
		if (space->choice_count[l] == 0 || is_placed(tree, depth, l) ||
			!order_allows(tree, depth, l))
			continue;
		/* a loop that moves no buffer's region can only cost */
		if ((space->indexing[l] & ~level->stored) == 0 && !space->is_tiled[l] &&
			!has_fixed_stores(space))
			continue;
		for (int i = 0; i < space->choice_count[l] && !tree->is_over; i++)
			place_loop(tree, depth + 1, l, space->choices[l][i]);
	}
}

/* ---- interface ---- */

struct tree *tree_new(const struct space *space)
{
	struct tree *tree = calloc(1, sizeof *tree);

	if (tree == NULL)
		abort();
	tree->space = space;
	return tree;
}

void tree_free(struct tree *tree)
{
	free(tree);
}

static void tree_start(struct tree *tree)
{
	const struct space *space = tree->space;
	struct level *root = &tree->levels[0];

	root->loop = -1;
	root->runs = 1;
	root->stored = 0;
	for (int a = 0; a < space->model->array_count; a++)
		array_start(space, a, root, &root->arrays[a]);
	for (int l = 0; l < space->model->loop_count; l++)
		tree->path.tile[l] = space->model->loops[l].extent;
}

/* Arrays stored outside all loops, with their buffers. */
static bool store_outside(struct tree *tree, unsigned outside)
{
	const struct space *space = tree->space;
	double memory = 0;

	for (int a = 0; a < space->model->array_count; a++)
		if (outside >> a & 1) {
			if (!store_array(tree, a, 0))
				return false;
			memory += slots_memory(space, &tree->stored[a], 1);
		}
	tree->levels[0].stored = outside;
	tree->levels[0].stores_here = outside != 0;
	return memory <= space->capacity;
}

struct task *tree_tasks(const struct space *space, int *count)
{
	unsigned all = (1u << space->model->array_count) - 1;
	struct tree *tree = tree_new(space);
	struct task *tasks = NULL;
	size_t capacity = 0, used = 0;

	tree_start(tree);
	for (unsigned outside = all;; outside--) {
		bool fits = store_outside(tree, outside);

		for (int l = -1; fits && l < space->model->loop_count; l++) {
			int choices = l < 0 ? 1 : space->choice_count[l];

			if ((l < 0) != (outside == all) || (l >= 0 && !order_allows(tree, 0, l)))
				continue;
			for (int i = 0; i < choices; i++) {
				if (used == capacity) {
					capacity = capacity == 0 ? 64 : 2 * capacity;
					tasks = realloc(tasks, capacity * sizeof *tasks);
					if (tasks == NULL)
						abort();
				}
				tasks[used++] = (struct task){ outside, l, i, 0 };
			}
		}
		if (outside == 0)
			break;
	}
	tree_free(tree);
	*count = (int)used;
	return tasks;
}

bool tree_search(struct tree *tree, const struct task *task, struct schedule *best,
	bool *found, long *points, long limit)
{
	const struct space *space = tree->space;

	tree_start(tree);
	tree->is_over = false;
	tree->points = *points;
	tree->limit = limit;
	tree->found = *found;
	if (*found) {
		tree->best = *best;
		tree->best_traffic = (double)best->total_bytes;
		tree->best_scratchpad = (double)best->scratchpad_bytes;
		tree->best_commands = 0;
		for (int a = 0; a < space->model->array_count; a++)
			tree->best_commands += (double)best->storage[a].commands;
	}
	store_outside(tree, task->outside);
	if (task->loop < 0)
		leaf(tree, 0);
	else if (is_promising(tree, 0) && ((space->indexing[task->loop] & ~task->outside) != 0 ||
		space->is_tiled[task->loop] || has_fixed_stores(space)))
		place_loop(tree, 1, task->loop, space->choices[task->loop][task->choice]);
	if (tree->found)
		*best = tree->best;
	*found = tree->found;
	*points = tree->points;
	return !tree->is_over;
}
