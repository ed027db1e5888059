#include "passes/search/search_state.h"
#include "passes/search/shared_box.h"
#include "support/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TASK_ARRAYS = 6 };

/* What the arrays need of a memory at least, and what more of it their slots may begin in. */
struct need_of_memory {
	double least, spare;
};

/* Adds up the NEEDS of all memories; *FITS: there is as much of each. */
static double add_needs(const struct space *space, const struct need_of_memory *needs, bool *fits)
{
	double bytes = 0;

	*fits = true;
	for (int m = 0; m < space->memory_count; m++) {
		bytes += needs[m].least;
		*fits = *fits && needs[m].least <= space->memories[m].capacity;
	}
	*fits = *fits && bytes <= space->capacity;
	return bytes;
}

/* What array A moves at least where STATE's loops are outside its buffer, which holds SMALLEST elements or more, one region at a
 * time. */
static double least_unkept(const struct space *space, int a, const struct array_state *state, double smallest)
{
	return state->first * (state->reuse * space->visit_bytes[a] - space->first_bytes[a]) -
		fmin(state->turns * smallest, state->turned) * space->visit_bytes[a];
}

/* What elements move of array A at least likewise: at a turn their registers keep a region, which is as large as it may be at all, or as
 * they are all together. */
static double least_in_registers(const struct space *space, int a, const struct array_state *state)
{
	const struct pe_array *array = &space->arch->array;
	double all = (double)array->x * (double)array->y * (double)pe_array_room(array, space->model->arrays[a].role) / space->model->arrays[a].element_bytes;

	return least_unkept(space, a, state, fmin(state->region, all));
}

/* The same, if all that turns may keep is kept. */
static double least_kept(const struct space *space, int a, const struct array_state *state)
{
	return fmax(0, state->first * (state->reuse * space->visit_bytes[a] - space->first_bytes[a]) -
		state->turned * space->visit_bytes[a]);
}

double bytes_unkept(const struct tree *tree, int a)
{
	const struct array_state *state = &tree->levels[tree->stored[a].store].arrays[a];

	return tree->space->may_shrink[a] ? least_unkept(tree->space, a, state, state->region) : tree->stored[a].bytes;
}

/* Commands that array A, not stored yet at LEVEL, starts at least where STATE is what loops around it make of it: a run that turns
 * still moves a tile, others two. */
static double least_commands(const struct tree *tree, int a, const struct array_state *state, const struct level *level)
{
	const struct space *space = tree->space;

	if (space->visit_bytes[a] <= space->first_bytes[a])
		return 0;
	if (space->may_be_idle[a])
		return shows_something(space, a, tree->levels, level) ? state->visits - state->turns : 0;
	return 2 * (state->visits - state->turns) + (space->is_full_useful[a] ? 0 : state->turns);
}

/* Nothing below a node costs less than this, field by field; *FITS: its arrays may fit.  Arrays in the
 * set MOVED may still be stored at level DEPTH, with windows that slide: they move at least what they
 * moved before its loop. */
static struct cost node_bound(const struct tree *tree, int depth, unsigned moved, bool *fits)
{
	const struct space *space = tree->space;
	const struct level *level = &tree->levels[depth];
	struct saving savings[MODEL_ARRAYS];
	struct crossing least = { 0, 0, 0 };
	struct need_of_memory needs[MEMORY_LIMIT];
	struct computing_cost computing;
	struct copy_waits waits;
	double kept_none[MODEL_ARRAYS], before, bypassed = 0, coming = 0;
	struct cost cost;

	for (int m = 0; m < space->memory_count; m++)
		needs[m] = (struct need_of_memory){ 0, 0 };
	for (int a = 0; a < space->model->array_count; a++) {
		struct need_of_memory *need = &needs[space->memory_of[a]];
		const struct stored *stored = &tree->stored[a];
		const struct array_state *state = &level[moved >> a & 1 ? -1 : 0].arrays[a];
		double smallest = level->arrays[a].least;
		int bytes = space->model->arrays[a].element_bytes;

		before = least.bytes;
		if (level->stored >> a & 1) {
			least.bytes += stored->least_bytes;
			bypassed += is_bypassed(space, a) ? least.bytes - before : 0;
			coming += space->model->arrays[a].is_written ? 0 : stored->least_bytes;
			kept_none[a] = bytes_unkept(tree, a);
			least.commands += stored->least_commands;
			least.runs += slots_traffic(stored, stored->most) / tree->levels[stored->store].arrays[a].piece;
			need->least += stored->least_memory;
			savings[a] = stored->saving;
			/* more slots may begin in what the least of them leave of a granule */
			if (savings[a].most > 0)
				need->spare += room_of(space, a)->granule;
			continue;
		}
		least.bytes += least_unkept(space, a, state, smallest) + state->ends;
		bypassed += is_bypassed(space, a) ? least.bytes - before : 0;
		coming += space->model->arrays[a].is_written ? 0 : least.bytes - before;
		kept_none[a] = least_in_registers(space, a, state);
		least.runs += least_kept(space, a, state) / level->arrays[a].piece;
		savings[a].rate = state->turns * space->visit_bytes[a] / bytes;
		savings[a].most = state->turns > 0 ?
			fmax(state->turned / state->turns - smallest, 0) * bytes : 0;
		need->least += round_bytes(space, a, smallest * bytes);
		need->spare += room_of(space, a)->granule;
		least.commands += least_commands(tree, a, state, level);
	}
	for (int m = 0; m < space->memory_count && !space->is_minimal_memory; m++) {
		double saved = best_savings(space, m, savings, space->memories[m].capacity - needs[m].least + needs[m].spare);

		least.bytes -= saved;
		coming -= saved;
	}
	waits = copies_least(tree, level->stored);
	computing = least_computing(space, kept_none, &waits);
	computing.coming = coming;
	/* what memory saves of these bytes it saves at their whole price */
	cost = (struct cost){ .crossings = { [BOUNDARY_EXTERNAL] = least }, .bypassed_bytes = bypassed,
		.scratchpad_bytes = add_needs(space, needs, fits), .work = 1 };
	bound_computing(space, &computing, &cost);
	return cost;
}

struct cost leaf_bound(const struct tree *tree, int depth)
{
	bool fits;
	struct cost least = node_bound(tree, depth, 0, &fits);

	least.computing_price = least.cycles = 0;
	return least;
}

/* False if nothing below level DEPTH can be better than the best so far; MOVED as in
 * node_bound. */
static bool is_promising(const struct tree *tree, int depth, unsigned moved)
{
	bool fits;
	struct cost least = node_bound(tree, depth, moved, &fits);

	return fits && (!tree->found ||
		objective_may_improve(&tree->space->objective, &least, &tree->best.cost));
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

static double used_of_all(const struct space *space, const double *used)
{
	double sum = 0;

	for (int m = 0; m < space->memory_count; m++)
		sum += used[m];
	return sum;
}

static void choose_stores(struct tree *tree, int depth, int a, unsigned stored);

/* Stores array A at level DEPTH as CANDIDATE is, if that fits, and chooses for those after it. */
static void choose_store(struct tree *tree, int depth, int a, unsigned stored, const struct stored *candidate)
{
	const struct space *space = tree->space;
	double *used = &tree->levels[depth].used[space->memory_of[a]], before = *used;

	if (before + candidate->least_memory > room_of(space, a)->capacity ||
		used_of_all(space, tree->levels[depth].used) + candidate->least_memory > space->capacity)
		return;
	tree->stored[a] = *candidate;
	*used = before + candidate->least_memory;
	choose_stores(tree, depth, a + 1, stored | 1u << a);
	*used = before;
}

/* Chooses for array A and those after it whether they are stored at level DEPTH, of
 * LEGAL that can be and NEEDED that have to be; STORED are chosen, and use what USED of the level
 * says.  Storing comes first. */
static void choose_stores(struct tree *tree, int depth, int a, unsigned stored)
{
	const struct space *space = tree->space;
	struct level *level = &tree->levels[depth];
	int twin;

	while (a < space->model->array_count && !(level->legal >> a & 1))
		a++;
	if (is_spent(tree))
		return;
	if (a == space->model->array_count) {
		level->stored = stored;
		level->stores_here = stored != (depth > 0 ? level[-1].stored : 0);
		descend(tree, depth);
		return;
	}
	/* of arrays that are alike the first is stored first */
	twin = space->twin[a];
	if (twin < 0 || (stored >> twin & 1)) {
		for (int way = 0; way < level->way_count[a] && !tree->is_over; way++)
			choose_store(tree, depth, a, stored, &level->ways[a * STORE_WAYS + way]);
	}
	if (!(level->needed >> a & 1) && !tree->is_over)
		choose_stores(tree, depth, a + 1, stored);
}

/* Adds the way in which array A was found to be stored at level DEPTH. */
static void add_way(struct tree *tree, int depth, int a)
{
	struct level *level = &tree->levels[depth];

	level->ways[a * STORE_WAYS + level->way_count[a]++] = tree->stored[a];
	level->legal |= 1u << a;
}

/* How array A can be stored at level DEPTH, if it can: with windows that slide, which move least, and without them where that needs less
 * memory: windows that slide have room for what does not exist at borders. */
static void find_sliding(struct tree *tree, int depth, int a)
{
	const struct space *space = tree->space;
	bool is_legal = store_array(tree, a, depth, true);
	double least = is_legal ? tree->stored[a].least_memory : INFINITY;

	tree->points++;
	/* not double after all: as it is without */
	if (tree->doubles >> a & 1 && may_choose_double(space) && !(is_legal && tree->stored[a].is_double))
		return;
	if (is_legal)
		add_way(tree, depth, a);
	if (!space->is_clipped[a] || depth == 0 || space->options->sliding[a] >= 0 || (is_legal && !tree->stored[a].is_sliding))
		return;
	tree->points++;
	if (store_array(tree, a, depth, false) && tree->stored[a].least_memory < least)
		add_way(tree, depth, a);
}

/* The same, double and single where that is to be chosen. */
static void find_store(struct tree *tree, int depth, int a)
{
	tree->levels[depth].way_count[a] = 0;
	if (may_choose_double(tree->space) && depth > 0 && tree->space->options->doubled[a] < 0) {
		tree->doubles |= 1u << a;
		find_sliding(tree, depth, a);
		tree->doubles &= ~(1u << a);
	}
	find_sliding(tree, depth, a);
}

/* Which arrays can be stored at level DEPTH, ARRAYS at most, and which have to be.
 * False if one that has to be cannot. */
static bool find_stores(struct tree *tree, int depth, unsigned arrays)
{
	struct level *level = &tree->levels[depth];

	level->legal = 0;
	level->needed = last_chance(tree, depth) & arrays;
	for (int a = 0; a < tree->space->model->array_count; a++)
		if (arrays >> a & 1)
			find_store(tree, depth, a);
	return (level->needed & ~level->legal) == 0;
}

/* The arrays STORED use this of each memory: USED of the level at DEPTH.  False if there is less. */
static bool use_memory(struct tree *tree, int depth, unsigned stored)
{
	const struct space *space = tree->space;
	double *used = tree->levels[depth].used;
	bool fits = true;

	for (int m = 0; m < space->memory_count; m++)
		used[m] = 0;
	for (int a = 0; a < space->model->array_count; a++)
		if (stored >> a & 1)
			used[space->memory_of[a]] += tree->stored[a].least_memory;
	for (int m = 0; m < space->memory_count; m++)
		fits = fits && used[m] <= space->memories[m].capacity;
	return fits && used_of_all(space, used) <= space->capacity;
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

	if (depth < 2 || space->elements || before->stores_here || level->stores_here ||
		before->loop < level->loop || space->options->order_count > 0 ||
		space->may_turn[before->loop] != space->may_turn[level->loop] ||
		((space->indexing[before->loop] ^ space->indexing[level->loop]) & open) != 0)
		return false;
	for (int a = 0; a < space->model->array_count; a++)
		if ((open >> a & 1) && ((space->model->arrays[a].anchored >> level->loop ^
			space->model->arrays[a].anchored >> before->loop) & 1))
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
		if (space->options->store[a] >= 0 || space->options->min_store[a] > 0)
			return true;
	return false;
}

static void set_loop(struct tree *tree, int depth, int loop, struct tile_choice choice)
{
	struct level *level = &tree->levels[depth], *before = level - 1;

	level->loop = loop;
	level->choice = choice;
	level->stored = before->stored;
	tree->path.order[depth - 1] = loop;
	tree->path.tile[loop] = choice.tile;
	for (int a = 0; a < tree->space->model->array_count; a++)
		if (!(before->stored >> a & 1))
			array_step(tree, a, before, level);
}

static void place_loop(struct tree *tree, int depth, int loop, struct tile_choice choice)
{
	unsigned before = tree->levels[depth - 1].stored, moved;

	/* no loop that leaves a held array alone is outside its buffer */
	if ((tree->space->held & ~before & ~tree->space->indexing[loop]) != 0)
		return;
	set_loop(tree, depth, loop, choice);
	moved = tree->space->indexing[loop] & ~before;
	if ((last_chance(tree, depth) & ~before & ~moved) == 0 && is_promising(tree, depth, moved)
		&& find_stores(tree, depth, moved)) {
		use_memory(tree, depth, before);
		choose_stores(tree, depth, 0, before);
	}
}

/* Of a schedule and its image, in which loops have changed places (mirror.h), that is searched which first places the first of two such loops. */
static bool is_image(const struct tree *tree, int depth, int loop)
{
	bool is_image = tree->space->mirror[loop] < loop;

	for (int i = 1; i <= depth && is_image; i++)
		is_image = !(tree->space->mirrored >> tree->levels[i].loop & 1);
	return is_image;
}

/* A loop that moves no region of an array still to be stored can only cost, unless it
 * is there by the user's constraint. */
static bool is_worth_placing(const struct tree *tree, int depth, unsigned stored, int loop)
{
	const struct space *space = tree->space;

	return space->choice_count[loop] > 0 && !is_placed(tree, depth, loop) &&
		order_allows(tree, depth, loop) && !is_image(tree, depth, loop) && ((space->indexing[loop] & ~stored) != 0 ||
		space->is_tiled[loop] || has_fixed_stores(space));
}

static void descend(struct tree *tree, int depth)
{
	const struct space *space = tree->space;
	struct level *level = &tree->levels[depth];
	unsigned all = (1u << space->model->array_count) - 1;

	if (is_spent(tree) || !is_promising(tree, depth, 0))
		return;
	if (level->stored == all) {
		leaf(tree, depth);
		return;
	}
	if (is_twin_order(tree, depth))
		return;
	for (int l = 0; l < space->model->loop_count; l++) {
		if (!is_worth_placing(tree, depth, level->stored, l))
			continue;
		for (int i = 0; i < space->choice_count[l] && !tree->is_over; i++)
			place_loop(tree, depth + 1, l, space->choices[l][i]);
	}
}

/* ---- interface ---- */

/* As a search sets a level before it reads it, levels are not cleared: that takes longer than a small
 * search. */
struct tree *tree_new(const struct nest_model *model)
{
	size_t levels = (size_t)model->loop_count + 1, arrays = (size_t)model->array_count;
	struct tree *tree = memory_alloc(sizeof *tree + levels * sizeof *tree->levels);
	struct array_state *states = memory_alloc(levels * arrays * sizeof *states + 1);
	struct stored *ways = memory_alloc(levels * arrays * STORE_WAYS * sizeof *ways + 1);

	for (size_t l = 0; l < levels; l++) {
		tree->levels[l].arrays = states + l * arrays;
		tree->levels[l].ways = ways + l * arrays * STORE_WAYS;
	}
	tree->boxes = NULL;
	memset(&tree->path, 0, sizeof tree->path);
	memset(&tree->best, 0, sizeof tree->best);
	memset(tree->slots, 0, sizeof tree->slots);
	return tree;
}

void tree_free(struct tree *tree)
{
	free(tree->levels[0].arrays);
	free(tree->levels[0].ways);
	free(tree->boxes);
	free(tree);
}

static void tree_start(struct tree *tree, const struct space *space)
{
	struct level *root = &tree->levels[0];

	tree->space = space;
	if (space->elements && !tree->boxes)
		tree->boxes = shared_boxes_new();
	tree->doubles = space->is_double ? ~0u : 0;
	root->loop = -1;
	root->stored = 0;
	for (int a = 0; a < space->model->array_count; a++)
		array_start(space, a, root, &root->arrays[a]);
	for (int l = 0; l < space->model->loop_count; l++)
		tree->path.tile[l] = space->model->loops[l].extent;
}

/* ---- a path ---- */

void tree_begin(struct tree *tree, const struct space *space)
{
	tree_start(tree, space);
}

void path_begin(struct tree *tree)
{
	tree->levels[0].stored = 0;
	for (int l = 0; l < tree->space->model->loop_count; l++)
		tree->path.tile[l] = tree->space->model->loops[l].extent;
}

bool path_step(struct tree *tree, int depth, int loop, struct tile_choice choice)
{
	if (!order_allows(tree, depth - 1, loop) ||
		(tree->space->held & ~tree->levels[depth - 1].stored & ~tree->space->indexing[loop]) != 0)
		return false;
	set_loop(tree, depth, loop, choice);
	return true;
}

bool path_fits(struct tree *tree, int depth)
{
	unsigned all = (1u << tree->space->model->array_count) - 1;

	return tree->levels[depth].stored == all && use_memory(tree, depth, all);
}

/* ---- tasks ---- */

struct task_list {
	struct task *tasks;
	size_t count, capacity;
};

static void add_task(struct task_list *list, struct task task)
{
	if (list->count == list->capacity) {
		list->capacity = list->capacity == 0 ? 64 : 2 * list->capacity;
		list->tasks = realloc(list->tasks, list->capacity * sizeof *list->tasks);
		if (list->tasks == NULL)
			memory_exhausted();
	}
	list->tasks[list->count++] = task;
}

/* One array after the other stored outside all loops or not; then the first loop. */
static void list_tasks(struct tree *tree, int a, unsigned outside, struct task_list *list)
{
	const struct space *space = tree->space;
	const struct level *root = &tree->levels[0];
	int count = space->model->array_count;

	if (a < count && a < TASK_ARRAYS) {
		if ((root->legal >> a & 1) &&
			(space->twin[a] < 0 || (outside >> space->twin[a] & 1)))
			list_tasks(tree, a + 1, outside | 1u << a, list);
		if (!(root->needed >> a & 1))
			list_tasks(tree, a + 1, outside, list);
		return;
	}
	if (!use_memory(tree, 0, outside))
		return;
	if (a < count || outside == (1u << count) - 1) {
		add_task(list, (struct task){ outside, -1, 0 });
		return;
	}
	for (int l = 0; l < space->model->loop_count; l++)
		for (int i = 0; i < space->choice_count[l] && is_worth_placing(tree, 0, outside, l); i++)
			add_task(list, (struct task){ outside, l, i });
}

struct task *tree_tasks(struct tree *tree, const struct space *space, int *count)
{
	struct task_list list = { NULL, 0, 0 };

	tree_start(tree, space);
	if (find_stores(tree, 0, (1u << space->model->array_count) - 1))
		list_tasks(tree, 0, 0, &list);
	*count = (int)list.count;
	return list.tasks;
}

void tree_take(struct tree *tree, const struct schedule *schedule)
{
	const struct objective *objective = &tree->space->objective;

	tree->best = *schedule;
	tree->mapping = tree->leaf_mapping;
	tree->found = true;
	tree->is_least = objective_value(objective, &schedule->cost) <=
		objective_value(objective, &tree->space->least);
}

static void start_from(struct tree *tree, const struct outcome *outcome)
{
	tree->found = tree->is_least = tree->is_over = false;
	tree->leaf_mapping = outcome->mapping;
	if (outcome->found)
		tree_take(tree, &outcome->best);
}

void tree_search(struct tree *tree, const struct space *space, const struct task *task, struct outcome *outcome,
	struct point_limits limits)
{
	struct level *root = &tree->levels[0];
	int count = space->model->array_count;

	tree_start(tree, space);
	start_from(tree, outcome);
	tree->points = 0;
	tree->unmapped = outcome->unmapped;
	tree->unsettled = outcome->unsettled;
	tree->is_cut = false;
	tree->limits = limits;
	find_stores(tree, 0, (1u << count) - 1);
	root->stored = task->outside;
	root->stores_here = true;
	if (task->loop >= 0) {
		if (is_promising(tree, 0, 0))
			place_loop(tree, 1, task->loop, space->choices[task->loop][task->choice]);
	} else {
		use_memory(tree, 0, task->outside);
		choose_stores(tree, 0, count < TASK_ARRAYS ? count : TASK_ARRAYS, task->outside);
	}
	if (tree->found) {
		outcome->best = tree->best;
		outcome->mapping = tree->mapping;
	}
	outcome->found = tree->found;
	outcome->points = tree->points;
	outcome->is_complete = !tree->is_over && !tree->is_cut;
	if (!outcome->is_complete)
		return;
	outcome->unmapped = tree->unmapped;
	outcome->unsettled = tree->unsettled;
}

double tree_bound(struct tree *tree, const struct space *space, const struct task *task)
{
	struct cost least;
	bool fits;

	tree_start(tree, space);
	find_stores(tree, 0, (1u << space->model->array_count) - 1);
	/* what is not decided may be stored further in, which costs no less */
	tree->levels[0].stored = task->loop < 0 ? 0 : task->outside;
	if (task->loop >= 0)
		set_loop(tree, 1, task->loop, space->choices[task->loop][task->choice]);
	least = task->loop < 0 ? node_bound(tree, 0, 0, &fits)
		: node_bound(tree, 1, space->indexing[task->loop] & ~task->outside, &fits);
	return fits ? objective_value(&space->objective, &least) : INFINITY;
}
