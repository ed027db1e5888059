#include "passes/search/search_state.h"

#include <math.h>
#include <string.h>

#include "passes/cost/copy_visits.h"
#include "passes/cost/run_cycles.h"

bool is_spent(struct tree *tree)
{
	const volatile int *interrupted = tree->space->options->interrupted;

	if (++tree->points >= (tree->is_least ? tree->limits.equals : tree->limits.all) ||
		(interrupted != NULL && *interrupted))
		tree->is_over = true;
	return tree->is_over;
}

double best_savings(const struct space *space, int m, struct saving *savings, double bytes)
{
	double saved = 0;

	while (bytes > 0) {
		int best = -1;

		for (int a = 0; a < space->model->array_count; a++)
			if (savings[a].most > 0 && savings[a].rate > 0 && space->memory_of[a] == m &&
				(best < 0 || savings[a].rate > savings[best].rate))
				best = a;
		if (best < 0)
			break;
		if (savings[best].most > bytes)
			savings[best].most = bytes;
		saved += savings[best].rate * savings[best].most;
		bytes -= savings[best].most;
		savings[best].most = 0;
	}
	return saved;
}

/* What a double buffer of array A copies before anything is computed, or after all is. */
static void add_edges(const struct tree *tree, int a, struct alone *alone)
{
	const struct arch *arch = tree->space->arch;
	const struct stored *at = &tree->stored[a];
	const struct crossing first = { .bytes = at->first_bytes, .commands = at->first_bytes > 0 };
	const struct crossing last = { .bytes = at->last_bytes, .commands = at->last_bytes > 0 };

	alone_add(arch, alone, &first, (double)arch->startup_cycles);
	alone_add(arch, alone, &last, (double)arch->write_startup_cycles);
}

struct copy_waits copies_least(const struct tree *tree, unsigned stored)
{
	const struct space *space = tree->space;
	struct alone alone = { .most = space->least_edges };
	struct copy_waits waits = { 0, 0 };

	if (!prices_have_time(&space->options->prices))
		return waits;
	for (int a = 0; a < space->model->array_count; a++) {
		const struct model_array *array = &space->model->arrays[a];
		const struct stored *at = &tree->stored[a];
		struct crossing all;
		struct alone own = { 0, 0, 0 };
		double start;

		/* what some tiles alone touch may be copied while others are computed */
		if (!(stored >> a & 1) || is_bypassed(space, a) || array->anchored)
			continue;
		start = array->is_written ? least_start(space->arch) : (double)space->arch->startup_cycles;
		all = (struct crossing){ .bytes = fmin(at->least_bytes, slots_traffic(at, at->most)), .commands = at->least_commands };
		all.runs = all.bytes / tree->levels[at->store].arrays[a].piece;
		alone_add(space->arch, &own, &all, start);
		/* what is put does not wait for what comes */
		waits.in_turn = fmax(waits.in_turn, alone_cycles(space->arch, &own) / (array->is_written ? 2 : 1));
		if (at->is_double)
			add_edges(tree, a, &alone);
		else
			alone_add(space->arch, &alone, &all, start);
	}
	waits.alone = alone_cycles(space->arch, &alone);
	return waits;
}

/* Loops that the user wants cut and that no buffer sees go inside, in the largest tiles there
 * are. */
void finish_order(const struct tree *tree, int depth, struct schedule *schedule)
{
	const struct space *space = tree->space;
	bool is_placed[MODEL_LOOPS] = { false };

	schedule->depth = depth;
	for (int i = 0; i < depth; i++) {
		schedule->order[i] = tree->levels[i + 1].loop;
		is_placed[schedule->order[i]] = true;
	}
	for (int l = 0; l < space->model->loop_count; l++) {
		schedule->tile[l] = space->is_tiled[l] ? space->choices[l][0].tile :
			space->model->loops[l].extent;
		schedule->is_serpentine[l] = false;
	}
	for (int i = 0; i < space->options->order_count; i++) {
		int loop = space->options->order[i];

		if (space->is_tiled[loop] && !is_placed[loop]) {
			schedule->order[schedule->depth++] = loop;
			is_placed[loop] = true;
		}
	}
	for (int l = 0; l < space->model->loop_count; l++)
		if (space->is_tiled[l] && !is_placed[l])
			schedule->order[schedule->depth++] = l;
	for (int i = 0; i < schedule->depth; i++) {
		int loop = schedule->order[i];

		if (i < depth)
			schedule->tile[loop] = tree->levels[i + 1].choice.tile;
		schedule->is_serpentine[loop] = space->may_turn[loop];
	}
}

/* Finds out what elements cost at the present leaf, of which SCHEDULE is one, unless it is known, or more than what is left of
 * the best so far. */
static void map_leaf(struct tree *tree, int depth, const struct schedule *schedule)
{
	const struct space *space = tree->space;
	struct cost least;

	if (tree->is_mapped || space->is_relaxed)
		return;
	/* other slots than SCHEDULE's may cost less */
	least = leaf_bound(tree, depth);
	tree->leaf_computing = elements_at_leaf(tree, schedule, &least,
		tree->found ? objective_value(&space->objective, &tree->best.cost) : INFINITY);
	tree->is_mapped = true;
}

static struct storage storage_of(const struct tree *tree, int a, long slots)
{
	const struct stored *stored = &tree->stored[a];

	/* windows that only touch move the same bytes without a ring, which may still be smaller than slots */
	return (struct storage){ .memory = tree->space->memory_of[a], .store = stored->store, .slots = slots,
		.is_double = stored->is_double, .is_sliding = stored->is_sliding && !(stored->is_touching &&
			stored->memory + stored->memory_step * (double)(slots - 1) <= stored->memory_most) };
}

void path_schedule(const struct tree *tree, int depth, struct schedule *schedule)
{
	memset(schedule, 0, sizeof *schedule);
	finish_order(tree, depth, schedule);
	for (int a = 0; a < tree->space->model->array_count; a++)
		schedule->storage[a] = storage_of(tree, a, tree->stored[a].least);
}

/* What a core computes is known, but how long SCHEDULE, of the present leaf, runs only about, and whether all of its commands are there: it costs no
 * less than what is. */
static void note_relaxed(struct tree *tree, int depth, const struct schedule *schedule)
{
	const struct space *space = tree->space;
	struct computing_cost computing = tree->leaf_computing;
	struct cost least;

	if (!space->is_any_idle && !prices_have_time(&space->options->prices))
		return;
	least = leaf_bound(tree, depth);
	least.crossings[BOUNDARY_EXTERNAL].bytes = (double)schedule->total_bytes;
	computing.coming = coming_bytes(space->model, schedule);
	bound_computing(space, &computing, &least);
	tree->unmapped = fmin(tree->unmapped, objective_value(&space->objective, &least));
}

/* All choices are made: takes the schedule if it is better. */
static void take(struct tree *tree, int depth)
{
	const struct space *space = tree->space;
	struct schedule schedule;

	memset(&schedule, 0, sizeof schedule);
	finish_order(tree, depth, &schedule);
	for (int a = 0; a < space->model->array_count; a++)
		schedule.storage[a] = storage_of(tree, a, tree->slots[a]);
	if (!schedule_evaluate(space->model, space->arch, &schedule))
		return;
	if (space->elements) {
		struct cost least = schedule.cost;

		bound_computing(space, &tree->leaf_computing, &least);
		if (tree->found && !objective_may_improve(&space->objective, &least, &tree->best.cost))
			return;
		map_leaf(tree, depth, &schedule);
	} else {
		note_relaxed(tree, depth, &schedule);
	}
	if (space->is_relaxed)
		bound_computing(space, &tree->leaf_computing, &schedule.cost);
	else
		add_computing(space, &tree->leaf_computing, &schedule);
	if (tree->found && schedule_compare(space, &schedule, &tree->best) >= 0)
		return;
	tree_take(tree, &schedule);
}

/* What the arrays after one cost, at least, and the most that a byte of its memory saves them. */
struct others {
	double traffic, commands;
	double traffic_rate, commands_rate;
};

/* What is left of the memories is for more slots of the arrays after A than the least. */
static struct others others_after(const struct tree *tree, int a)
{
	const struct space *space = tree->space;
	struct saving savings[MODEL_ARRAYS] = { { 0, 0 } }, commands[MODEL_ARRAYS] = { { 0, 0 } };
	struct others others = { 0, 0, 0, 0 };
	double left[MEMORY_LIMIT];

	for (int m = 0; m < space->memory_count; m++)
		left[m] = tree->left[m];
	for (int b = a + 1; b < space->model->array_count; b++) {
		const struct stored *stored = &tree->stored[b];
		double saved = tree->commands_of_least[b] - stored->least_commands;

		others.traffic += stored->least_bytes;
		others.commands += tree->commands_of_least[b];
		savings[b] = stored->saving;
		if (stored->saving.most > 0)
			commands[b] = (struct saving){ saved / stored->saving.most, stored->saving.most };
		else
			others.commands -= saved;
		left[space->memory_of[b]] += room_of(space, b)->granule;
		if (space->memory_of[b] != space->memory_of[a] && !space->is_limited)
			continue;
		if (savings[b].most > 0)
			others.traffic_rate = fmax(others.traffic_rate, savings[b].rate);
		others.commands_rate = fmax(others.commands_rate, commands[b].rate);
	}
	for (int m = 0; m < space->memory_count; m++) {
		others.traffic -= best_savings(space, m, savings, left[m]);
		others.commands -= best_savings(space, m, commands, left[m]);
	}
	return others;
}

/* Of the schedules of one leaf that move as much in as many commands few are looked at: where
 * arrays are alike there are many ways to share memory. */
static bool has_equals(const struct tree *tree)
{
	enum { EQUALS = 1000 };

	return tree->points - tree->leaf_points >= EQUALS
		&& !objective_spares_memory(&tree->space->objective);
}

/* Whether what moves LOWER bytes in COMMANDS, at least, in SCRATCHPAD bytes or more may be better
 * than the best so far. */
static bool may_be_better(const struct tree *tree, double lower, double scratchpad,
	double commands)
{
	struct cost least = { .crossings = { [BOUNDARY_EXTERNAL] = { lower, commands, 0 } },
		.bypassed_bytes = tree->bypassed, .scratchpad_bytes = scratchpad,
		.work = 1 };
	struct objective objective = tree->space->objective;

	if (tree->space->is_minimal_memory || !tree->found)
		return true;
	bound_computing(tree->space, &tree->leaf_computing, &least);
	if (has_equals(tree))
		objective.sought = 2;
	return objective_may_improve(&objective, &least, &tree->best.cost);
}

/* By how many slots fewer of array A a number EXCESS too large has to become less: each of them adds
 * LOSS, and what it leaves of memory saves the others at most RATE a byte. */
static double steps_until(const struct tree *tree, int a, double excess, double loss, double rate)
{
	double granule = room_of(tree->space, a)->granule;
	double gain = rate * tree->stored[a].memory_step - loss;

	if (excess - rate * granule <= 0)
		return 1;
	return gain > 0 ? fmax(ceil((excess - rate * granule) / gain), 1) : INFINITY;
}

/* By how many slots fewer than M of array A there may be something better, where with M, LOWER and
 * COMMANDS, there is not. */
static double steps_to_better(const struct tree *tree, int a, long m, double lower,
	double commands, const struct others *others)
{
	const struct space *space = tree->space;
	const struct stored *stored = &tree->stored[a];
	const struct crossing *best = &tree->best.cost.crossings[BOUNDARY_EXTERNAL];
	const enum figure *figures = space->objective.figures;
	double steps = 1;

	if (figures[0] != FIGURE_BYTES || !tree->found || m == stored->most)
		return 1;
	if (lower > best->bytes + TRAFFIC_TOLERANCE)
		steps = steps_until(tree, a, lower - best->bytes - TRAFFIC_TOLERANCE,
			stored->slope, others->traffic_rate);
	/* where no number of slots moves less, fewer commands are needed */
	else if (figures[1] == FIGURE_COMMANDS && stored->slope >= others->traffic_rate * stored->memory_step
		&& lower - others->traffic_rate * room_of(space, a)->granule
			>= best->bytes - TRAFFIC_TOLERANCE)
		steps = steps_until(tree, a, commands - best->commands,
			command_count(space, a, stored, 1) - command_count(space, a, stored, 2),
			others->commands_rate);
	return steps;
}

/* What the arrays use of all memories. */
static double used_memory(const struct tree *tree)
{
	const struct space *space = tree->space;
	double used = 0;

	for (int m = 0; m < space->memory_count; m++)
		used += space->memories[m].capacity - tree->left[m];
	return used;
}

/* Chooses the slots of array A and those after it, from what is left of the memories when
 * all have their least; TRAFFIC and COMMANDS are what is chosen so far. */
static void choose_slots(struct tree *tree, int depth, int a, double traffic, double commands)
{
	const struct space *space = tree->space;
	const struct stored *stored = &tree->stored[a];
	double *left, memory, room;

	/* there are many ways to share memory where arrays are alike: their number is work too */
	if (is_spent(tree))
		return;
	if (a == space->model->array_count) {
		if (may_be_better(tree, traffic, used_memory(tree), commands))
			take(tree, depth);
		return;
	}
	left = &tree->left[space->memory_of[a]];
	memory = *left;
	room = fmin(memory, space->capacity - used_memory(tree));
	/* more slots than the least need no less scratchpad */
	for (long m = space->is_minimal_memory ? stored->least : stored->most;
		m >= stored->least && !tree->is_over; m--) {
		double more = slots_memory(space, a, stored, m) - stored->least_memory;

		if (room - more < 0) {
			/* straight to the most that fits */
			long fit = stored->least + slots_of_floor(stored)
				+ (long)((room + room_of(space, a)->granule) / stored->memory_step);

			if (fit < m - 1)
				m = fit + 1;
			continue;
		}
		double moved = traffic + slots_traffic(stored, m);
		double started = commands + command_count(space, a, stored, m);
		*left = memory - more;
		struct others others = others_after(tree, a);

		if (may_be_better(tree, moved + others.traffic, used_memory(tree),
			started + others.commands)) {
			tree->slots[a] = m;
			choose_slots(tree, depth, a + 1, moved, started);
		} else {
			double steps = steps_to_better(tree, a, m, moved + others.traffic,
				started + others.commands, &others);

			if (steps > (double)(m - stored->least))
				break;
			m -= (long)steps - 1;
		}
		/* fewer slots of the last array only move more */
		if (a == space->model->array_count - 1 && !objective_spares_memory(&space->objective))
			break;
	}
	*left = memory;
}

void leaf(struct tree *tree, int depth)
{
	const struct space *space = tree->space;
	double kept_none[MODEL_ARRAYS] = { 0 }, coming = 0;
	struct copy_waits waits;
	bool fits = true;

	tree->bypassed = 0;
	for (int m = 0; m < space->memory_count; m++)
		tree->left[m] = space->memories[m].capacity;
	for (int a = 0; a < space->model->array_count; a++) {
		double *left = &tree->left[space->memory_of[a]];

		kept_none[a] = bytes_unkept(tree, a);
		*left -= tree->stored[a].least_memory;
		coming += space->model->arrays[a].is_written ? 0 : fmin(tree->stored[a].least_bytes, slots_traffic(&tree->stored[a], tree->stored[a].most));
		tree->bypassed += is_bypassed(space, a) ? tree->stored[a].least_bytes : 0;
		fits = fits && *left >= 0;
		tree->commands_of_least[a] = command_count(space, a, &tree->stored[a],
			tree->stored[a].least);
	}
	tree->leaf_points = tree->points;
	tree->is_mapped = false;
	waits = copies_least(tree, (1u << space->model->array_count) - 1);
	tree->leaf_computing = least_computing(space, kept_none, &waits);
	tree->leaf_computing.coming = coming;
	if (fits && used_memory(tree) <= space->capacity)
		choose_slots(tree, depth, 0, 0, 0);
}
