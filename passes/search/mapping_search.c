/* The search for mappings: a tree over step loops, with the registers of arrays between them, then over the loops that
 * nothing is held in. */

#include "passes/search/mapping_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "passes/search/mapping_state.h"
#include "support/memory.h"

/* ---- the path ---- */

static bool is_spent(struct mapping_tree *tree)
{
	tree->is_over = tree->is_over || ++tree->points > tree->limit;
	return tree->is_over;
}

/* Whether what costs LEAST or more is looked for. */
static bool is_sought(const struct mapping_tree *tree, double value, double cycles)
{
	return tree->hastens ? value <= tree->below && cycles < tree->cycles : value < tree->below;
}

static bool is_promising(const struct mapping_tree *tree)
{
	struct mapping_least least = mapping_least(tree);

	return least.fits && is_sought(tree, least.value, least.cycles);
}

/* The same, whatever fits. */
static bool may_be_worth(const struct mapping_tree *tree)
{
	double cycles = mapping_least_cycles(tree);

	return is_sought(tree, mapping_least_value(tree, cycles), cycles);
}

/* After a share was chosen. */
static bool may_go_on(const struct mapping_tree *tree)
{
	return tree->is_quick ? mapping_may_fit(tree, mapping_elements_left(tree)) : is_promising(tree);
}

/* As many elements as SHARE has are free along AXIS. */
static bool has_elements(const struct mapping_tree *tree, const struct share *share, enum axis axis)
{
	const struct pe_array *machine = tree->machine;
	long room[] = { machine->x, machine->y, (long)machine->x * machine->y };

	return tree->is_space_first || share->space <= room[axis] / tree->used[axis];
}

/* Takes up SHARE's elements along AXIS, unless they are. */
static void take_elements(struct mapping_tree *tree, int loop, const struct share *share, enum axis axis)
{
	if (!tree->is_space_first) {
		tree->used[axis] *= share->space;
		tree->axis[loop] = axis;
	}
	mapping_change_share(tree, loop, share);
}

/* What is known of LOOP before its share is chosen. */
static const struct share *undecided(const struct mapping_tree *tree, int loop)
{
	return tree->is_space_first ? &tree->shares[loop]->least : NULL;
}

static void give_back(struct mapping_tree *tree, int loop)
{
	if (!tree->is_space_first)
		tree->used[tree->axis[loop]] /= tree->chosen[loop]->space;
	mapping_change_share(tree, loop, undecided(tree, loop));
}

/* The axes that SPACE elements of LOOP may lie on; where there is one it does not matter. */
static void axes_of(const struct mapping_tree *tree, int loop, long space, int *first, int *last)
{
	*first = tree->machine->is_free ? AXIS_FREE : AXIS_X;
	*last = tree->machine->is_free ? AXIS_FREE : space == 1 ? AXIS_X : AXIS_Y;
	if (space > 1 && tree->rules->axis[loop] >= 0)
		*first = *last = tree->rules->axis[loop];
}

/* Those that a share of LOOP among SPACE elements may lie on. */
static void axes_left(const struct mapping_tree *tree, int loop, long space, int *first, int *last)
{
	if (tree->is_space_first)
		*first = *last = (int)tree->axis[loop];
	else
		axes_of(tree, loop, space, first, last);
}

/* ---- leaves ---- */

struct hold mapping_hold(const struct mapping_problem *problem, int a, int depth)
{
	const struct model_array *array = &problem->model->arrays[a];

	return (struct hold){ .depth = depth, .slots = 1, .may_add = may_add(problem, a),
		.is_double = problem->machine->is_double && depth > 0 && !array->anchored && !array->is_written };
}

static bool hold_obeys(const struct mapping_problem *problem, const struct mapping *mapping, int a)
{
	const struct hold_rule *rule = &problem->rules->holds[a];
	const struct schedule *outer = problem->outer;
	int depth = mapping->holds[a].depth;
	bool is_step = depth > outer->depth;
	int loop = depth == 0 ? -1 : is_step ? mapping->order[depth - 1 - outer->depth] : outer->order[depth - 1];

	if (bypasses(problem->model, &outer->storage[a]) && !mapping_holds_alone(&mapping->holds[a], &outer->storage[a]))
		return false;

	return rule->place == HOLD_FREE || (rule->place == HOLD_OUTSIDE && depth == 0) ||
		(rule->place == (is_step ? HOLD_IN_STEP : HOLD_IN_TILE) && loop == rule->loop);
}

bool mapping_obeys(const struct mapping_problem *problem, const struct mapping *mapping)
{
	const struct mapping_rules *rules = problem->rules;

	for (int l = 0; l < problem->model->loop_count; l++)
		if ((rules->part[l] > 0 && mapping->part[l] != rules->part[l]) ||
			(rules->space[l] > 0 && mapping->space[l] != rules->space[l]) ||
			(mapping->space[l] > 1 && (!(rules->shareable >> l & 1) ||
			(rules->axis[l] >= 0 && (int)mapping->axis[l] != rules->axis[l]))))
			return false;
	for (int a = 0; a < problem->model->array_count; a++)
		if (!hold_obeys(problem, mapping, a))
			return false;
	return true;
}

static bool is_placed(const struct mapping_tree *tree, int loop)
{
	for (int i = 0; i < tree->depth; i++)
		if (tree->order[i] == loop)
			return true;
	return false;
}

void mapping_take(struct mapping_tree *tree)
{
	struct mapping mapping;
	struct mapping_cost cost;
	double relaxed;

	memset(&mapping, 0, sizeof mapping);
	for (int l = 0; l < tree->model->loop_count; l++) {
		mapping.part[l] = tree->chosen[l]->part;
		mapping.space[l] = tree->chosen[l]->space;
		mapping.axis[l] = tree->axis[l];
	}
	mapping.depth = tree->depth;
	memcpy(mapping.order, tree->order, sizeof mapping.order);
	for (int l = 0; l < tree->model->loop_count; l++)
		if (tree->chosen[l]->steps_of_tile > 1 && !is_placed(tree, l))
			mapping.order[mapping.depth++] = l;
	for (int a = 0; a < tree->model->array_count; a++)
		mapping.holds[a] = mapping_hold(tree->problem, a, tree->held[a].depth);
	if (!mapping_evaluate(tree->model, tree->machine, tree->outer, &mapping))
		return;
	relaxed = mapping_relaxed_value(tree->problem, &mapping);
	if (!is_sought(tree, relaxed, (double)mapping.cycles))
		return;
	tree->relaxed = fmin(tree->relaxed, relaxed);
	cost = mapping_cost_of(tree->problem, &mapping);
	tree->points += cost.timed / STEPS_OF_POINT;
	if (!is_sought(tree, cost.value, (double)mapping.cycles))
		return;
	tree->found = true;
	tree->below = cost.value;
	tree->cycles = (double)mapping.cycles;
	*tree->best = mapping;
}

/* All arrays are held: loops from LOOP on, but for those that are placed.  More than one step inside all registers may mean fewer
 * cycles, and nothing else. */
static void choose_rest(struct mapping_tree *tree, int loop)
{
	struct loop_rest rest;
	double below;

	while (loop < tree->model->loop_count && mapping_is_decided(tree, loop))
		loop++;
	if (is_spent(tree))
		return;
	if (loop == tree->model->loop_count) {
		mapping_take(tree);
		return;
	}
	mapping_rest(tree, loop, &rest);
	below = tree->below;
	for (int i = 0; i < (tree->is_quick ? tree->shares[loop]->single_count : tree->shares[loop]->count); i++) {
		const struct share *share = &tree->shares[loop]->items[i];
		int first, last;

		if (tree->is_space_first && !share->is_inner)
			continue;
		/* something was found */
		if (tree->below < below && !may_be_worth(tree))
			return;
		below = tree->below;
		axes_left(tree, loop, share->space, &first, &last);
		for (int axis = first; axis <= last && !tree->is_over; axis++) {
			if (!has_elements(tree, share, (enum axis)axis) || !mapping_share_may_fit(tree, &rest, share, (enum axis)axis))
				continue;
			take_elements(tree, loop, share, (enum axis)axis);
			if (may_go_on(tree))
				choose_rest(tree, loop + 1);
			give_back(tree, loop);
		}
	}
}

/* ---- steps ---- */

static void descend(struct mapping_tree *tree, bool held_something);

/* The innermost step loop may be where the registers of array A are. */
static bool may_hold(const struct mapping_tree *tree, int a)
{
	const struct hold_rule *rule = &tree->rules->holds[a];
	int loop = tree->order[tree->depth - 1];

	return tree->held[a].is_open && (tree->indexing[a] >> loop & 1) &&
		(rule->place == HOLD_FREE || (rule->place == HOLD_IN_STEP && rule->loop == loop));
}

/* Whether registers of array A and those after it are inside the innermost step loop, or further in. */
static void choose_holds(struct mapping_tree *tree, int a, bool held_something)
{
	while (a < tree->model->array_count && !may_hold(tree, a))
		a++;
	if (tree->is_over)
		return;
	if (a == tree->model->array_count) {
		descend(tree, held_something);
		return;
	}
	tree->held[a] = (struct held){ .depth = tree->outer->depth + tree->depth };
	for (int i = 0; i < tree->depth; i++)
		tree->held[a].outside |= 1u << tree->order[i];
	if (is_promising(tree))
		choose_holds(tree, a + 1, true);
	tree->held[a] = (struct held){ .is_open = true, .depth = tree->outer->depth + 1 };
	if (tree->rules->holds[a].place != HOLD_IN_STEP)
		choose_holds(tree, a + 1, held_something);
}

/* Two neighbours that nothing is held between may change places: one of the two orders is enough, for what is held inside
 * both is moved by both, or would rather be held between in the other order.  Not where the rules say what is in which. */
static bool is_twin_order(const struct mapping_tree *tree, int loop, bool held_something)
{
	return tree->depth > 0 && !held_something && !tree->has_places && loop < tree->order[tree->depth - 1];
}

/* LOOP moves what is not held yet. */
static bool is_worth_placing(const struct mapping_tree *tree, int loop)
{
	bool is_worth = false;

	for (int a = 0; a < tree->model->array_count; a++)
		is_worth = is_worth || (tree->held[a].is_open && (tree->indexing[a] >> loop & 1));
	return is_worth && !mapping_is_decided(tree, loop);
}

/* Whether shares of LOOP that take as many steps as SHARE, or more, may be better than what is known: with one as good as any of
 * them. */
static bool are_promising(struct mapping_tree *tree, int loop, const struct share *share)
{
	const struct share floor = mapping_floor(tree, loop, 1, share);
	bool are_promising;

	mapping_change_share(tree, loop, &floor);
	are_promising = may_be_worth(tree);
	mapping_change_share(tree, loop, undecided(tree, loop));
	return are_promising;
}

/* The largest part of LOOP for which registers may have room, whoever shares it; 0: for none.  What is not held yet has so many
 * iterations of it, or more. */
static long largest_part(struct mapping_tree *tree, int loop)
{
	const struct loop_shares *shares = tree->shares[loop];
	double left = mapping_elements_left(tree);
	long fits = 0, tried = 0, most = 0;

	for (int i = shares->single_count; i < shares->count; i++)
		most = shares->items[i].part > most ? shares->items[i].part : most;
	for (tried = most; fits < most; tried = fits + (most - fits + 1) / 2) {
		const struct share floor = mapping_floor(tree, loop, tried, &shares->items[shares->count - 1]);

		mapping_change_share(tree, loop, &floor);
		if (mapping_may_fit(tree, left))
			fits = tried;
		else
			most = tried - 1;
	}
	mapping_change_share(tree, loop, undecided(tree, loop));
	return fits;
}

static void place_loop(struct mapping_tree *tree, int loop)
{
	const struct loop_shares *shares = tree->shares[loop];
	long most = largest_part(tree, loop);
	struct loop_rest rest;
	double steps = 0;

	mapping_rest(tree, loop, &rest);
	for (int i = shares->single_count; i < shares->count && !tree->is_over && most > 0; i++) {
		const struct share *share = &shares->items[i];
		int first, last;

		if (share->part > most)
			continue;
		if (share->steps > steps && !is_spent(tree) && !are_promising(tree, loop, share))
			break;
		steps = share->steps;
		axes_left(tree, loop, share->space, &first, &last);
		for (int axis = first; axis <= last && !tree->is_over; axis++) {
			if (!has_elements(tree, share, (enum axis)axis) || is_spent(tree) ||
				!mapping_share_may_fit(tree, &rest, share, (enum axis)axis))
				continue;
			take_elements(tree, loop, share, (enum axis)axis);
			tree->order[tree->depth++] = loop;
			if (may_go_on(tree))
				choose_holds(tree, 0, false);
			tree->depth--;
			give_back(tree, loop);
		}
	}
}

static void descend(struct mapping_tree *tree, bool held_something)
{
	bool is_open = false;

	/* most schedules cost too much before anything is shared */
	for (int l = 0; l < tree->model->loop_count && !tree->is_over; l++)
		if (!tree->shares[l])
			tree->shares[l] = mapping_shares(tree, l, 0);
	if (tree->is_over)
		return;
	for (int a = 0; a < tree->model->array_count; a++)
		is_open = is_open || tree->held[a].is_open;
	if (!is_open) {
		choose_rest(tree, 0);
		return;
	}
	for (int l = 0; l < tree->model->loop_count && !tree->is_over; l++)
		if (is_worth_placing(tree, l) && !is_twin_order(tree, l, held_something))
			place_loop(tree, l);
}

/* How many elements share LOOP and those after it, along which axes; then their steps.  All of that costs COST at least. */
static void choose_space(struct mapping_tree *tree, int loop, const struct least_cost *cost)
{
	const struct pe_array *machine = tree->machine;
	long room[] = { machine->x, machine->y, (long)machine->x * machine->y };
	long fixed, most;

	if (is_spent(tree))
		return;
	if (loop == tree->model->loop_count) {
		/* where the user says which steps registers are in these are placed one by one */
		if (tree->has_places || !mapping_choose_steps(tree))
			descend(tree, true);
		return;
	}
	fixed = tree->rules->space[loop];
	most = mapping_most_elements(tree, loop);
	for (long space = fixed > 0 ? fixed : 1; space <= most && (fixed == 0 || space == fixed) && !tree->is_over; space++) {
		const struct loop_shares *shares = mapping_shares(tree, loop, space);
		int first, last;

		if (shares->count == 0)
			continue;
		axes_of(tree, loop, space, &first, &last);
		for (int axis = first; axis <= last && !tree->is_over; axis++) {
			if (space > room[axis] / tree->used[axis])
				continue;
			tree->used[axis] *= space;
			tree->axis[loop] = (enum axis)axis;
			tree->shares[loop] = shares;
			mapping_change_share(tree, loop, &shares->least);
			/* most take too long */
			if (mapping_cycles_may_do(tree, cost, mapping_least_cycles(tree)) && is_promising(tree))
				choose_space(tree, loop + 1, cost);
			tree->used[axis] /= space;
			mapping_change_share(tree, loop, NULL);
		}
	}
}

static void begin_space(struct mapping_tree *tree)
{
	const struct least_cost cost = mapping_least_cost(tree);

	choose_space(tree, 0, &cost);
}

/* Registers of array A and those after it outside all step loops, or further in.  Outermost first. */
static void choose_outside(struct mapping_tree *tree, int a)
{
	const struct hold_rule *rule = &tree->rules->holds[a];
	const struct storage *storage = &tree->outer->storage[a];
	bool is_all;

	if (is_spent(tree))
		return;
	if (a == tree->model->array_count) {
		if (tree->is_space_first)
			begin_space(tree);
		else
			descend(tree, true);
		return;
	}
	is_all = bypasses(tree->model, storage);
	for (int depth = storage->store; depth <= (is_all ? storage->store : tree->outer->depth) && !tree->is_over; depth++) {
		int moving = depth > 0 ? tree->outer->order[depth - 1] : -1;

		if ((moving >= 0 && !(tree->indexing[a] >> moving & 1)) ||
			(rule->place != HOLD_FREE && rule->place != (depth > 0 ? HOLD_IN_TILE : HOLD_OUTSIDE)) ||
			(rule->place == HOLD_IN_TILE && rule->loop != moving))
			continue;
		tree->held[a] = (struct held){ .depth = depth };
		if (is_promising(tree))
			choose_outside(tree, a + 1);
	}
	tree->held[a] = (struct held){ .is_open = true, .depth = tree->outer->depth + 1 };
	if (!is_all && (rule->place == HOLD_FREE || rule->place == HOLD_IN_STEP))
		choose_outside(tree, a + 1);
	tree->held[a] = (struct held){ .is_open = true, .depth = tree->outer->storage[a].store };
}

/* ---- interface ---- */

/* Loops along which smaller boxes may be less of array A. */
static unsigned shrinking_of(const struct mapping_tree *tree, int a)
{
	const struct model_array *array = &tree->model->arrays[a];
	unsigned loops = 0;

	for (int d = 0; d < array->rank; d++)
		for (int l = 0; l < tree->model->loop_count; l++)
			if (array->dims[d].coefficient[l] > (tree->counted[a][d] >> l & 1 ? array->dims[d].window : 0))
				loops |= 1u << l;
	return loops;
}

static void tree_start(struct mapping_tree *tree, const struct mapping_problem *problem)
{
	const struct nest_model *model = problem->model;
	const struct schedule *outer = problem->outer;
	const struct mapping_rules *rules = problem->rules;
	const struct prices *prices = problem->prices;

	*tree = (struct mapping_tree){ .problem = problem, .model = model, .machine = problem->machine, .outer = outer,
		.rules = rules, .prices = prices, .used = { 1, 1, 1 } };
	for (int l = 0; l < model->loop_count; l++) {
		tree->tiles[l] = (double)tile_count(model->loops[l].extent, outer->tile[l]);
		tree->tile_position[l] = outer->depth;
	}
	for (int i = 0; i < outer->depth; i++)
		tree->tile_position[outer->order[i]] = i;
	for (int a = 0; a < model->array_count; a++) {
		tree->has_places = tree->has_places || rules->holds[a].place == HOLD_IN_STEP;
		tree->held[a] = (struct held){ .is_open = true, .depth = outer->storage[a].store };
		for (int d = 0; d < model->arrays[a].rank; d++) {
			for (int l = 0; l < model->loop_count; l++)
				if (model->arrays[a].dims[d].coefficient[l] > 0)
					tree->moving[a][d] |= 1u << l;
			tree->counted[a][d] = tree->moving[a][d] & ~tree->indexing[a];
			tree->indexing[a] |= tree->counted[a][d];
		}
	}
	for (int a = 0; a < model->array_count; a++)
		tree->shrinking[a] = shrinking_of(tree, a);
	tree->is_quick = prices->delivered <= 0 && prices->reduced <= 0 && !prices_have_time(prices);
	for (int l = 0; l < model->loop_count; l++)
		tree->is_quick = tree->is_quick && rules->part[l] == 0;
	/* smaller boxes are fewer words, or need fewer registers */
	for (int a = 0; a < model->array_count; a++)
		tree->is_quick = tree->is_quick && !tree->shrinking[a];
	tree->is_space_first = prices_have_time(prices);
	tree->needs = memory_alloc((size_t)model->array_count * sizeof *tree->needs);
	mapping_begin_sums(tree);
	mapping_count_tiles(tree);
}

static void tree_clear(struct mapping_tree *tree)
{
	mapping_clear_shares(tree);
	for (int a = 0; a < tree->model->array_count; a++) {
		free(tree->sums[a]);
		free(tree->by_tiles[a]);
	}
	free(tree->needs);
}

double mapping_bound(const struct mapping_problem *problem)
{
	struct mapping_tree tree;
	double value;

	tree_start(&tree, problem);
	value = mapping_least_value(&tree, mapping_least_cycles(&tree));
	tree_clear(&tree);
	return value;
}

/* Looks for what costs less than BELOW, or no more, at SHARE more points at most; false: not all of it was looked at. */
static bool search_below(struct mapping_tree *tree, double below, long share)
{
	tree->below = below;
	tree->relaxed = INFINITY;
	tree->is_over = false;
	tree->limit = tree->points + share;
	choose_outside(tree, 0);
	return !tree->is_over;
}

bool mapping_search(const struct mapping_problem *problem, const struct mapping_sought *sought, struct mapping *best,
	struct mapping_proof *proof)
{
	static const double NEAR = 1.0 / 32;
	struct mapping_tree tree;
	bool is_complete = false;
	double bound, step = 1.0 / 64;

	tree_start(&tree, problem);
	tree.best = best;
	bound = mapping_least_value(&tree, mapping_least_cycles(&tree));
	/* what costs little more than the least that may be is found fast, if it is there: more and more is looked at */
	while (!tree.found && !is_complete && tree.points < sought->points) {
		double most = bound * (1 + step) + step;
		bool is_all = sought->below <= bound * (1 + NEAR) || most >= sought->below || step > 1e6;
		long left = sought->points - tree.points;

		is_complete = search_below(&tree, is_all ? sought->below : most, is_all ? left : left / 4) && is_all;
		if (is_complete || tree.found)
			break;
		if (!tree.is_over)
			bound = fmax(bound, fmin(most, tree.relaxed));
		step *= 2;
	}
	tree_clear(&tree);
	*proof = (struct mapping_proof){ .is_complete = is_complete || (tree.found && !tree.is_over), .points = tree.points };
	if (proof->is_complete)
		bound = prices_have_time(problem->prices) ? fmin(tree.below, tree.relaxed) : tree.below;
	proof->bound = bound;
	if (tree.found)
		proof->cost = mapping_cost_of(problem, best);
	return tree.found;
}

bool mapping_hasten(const struct mapping_problem *problem, double value, long points, struct mapping *best)
{
	struct mapping_tree tree;
	bool is_complete = false;
	double least, most, step = 1.0 / 16;

	tree_start(&tree, problem);
	tree.best = best;
	tree.hastens = true;
	tree.is_quick = false;
	least = mapping_least_cycles(&tree);
	/* as above: what takes little more than the least is found fast, if it is there */
	for (; !tree.found && !is_complete && tree.points < points; step *= 2) {
		bool is_all = (most = least * (1 + step)) >= (double)best->cycles;
		long left = points - tree.points;

		tree.cycles = is_all ? (double)best->cycles : most;
		is_complete = search_below(&tree, value, is_all ? left : left / 4 + 1) && is_all;
	}
	tree_clear(&tree);
	return is_complete || (tree.found && !tree.is_over);
}
