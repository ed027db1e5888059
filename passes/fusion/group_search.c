/* The best way to cut a group: which loops, in which order, with which tiles.  The innermost
 * one lets rows follow each other, so that producers run once and intermediates live in
 * rings; those outside it repeat what crosses their tiles, or nothing does. */

#include <limits.h>
#include <math.h>
#include <string.h>

#include "passes/fusion/carry.h"
#include "passes/fusion/group_border.h"
#include "passes/fusion/part_cost.h"
#include "support/seconds.h"

struct search {
	struct group_model *model;
	struct groups *groups;
	const struct fusion_candidate *candidate;
	struct group_limits limits;
	struct objective objective;
	bool is_priced;              /* something besides bytes has a price, */
	bool is_measured;            /* commands and cycles among it */
	double macs;                 /* of all nests once */
	double least_computing;      /* what computing them costs at least */
	bool can_repeat[GROUP_DIMS], can_turn[GROUP_DIMS];
	long *tiles[GROUP_DIMS];     /* sizes worth trying, rising: {ceil(extent / n)}, or the next
	                              * multiples of what the DMA can align */
	int tile_count[GROUP_DIMS];
	struct group_choice now, *best;
	struct group_range ranges[GROUP_DEPTH];   /* of the loops of a block, which are NOW's */
	bool *doubles;               /* [array of the function]: see struct group_limits */
	bool has_best, fits, is_cut_short;
	bool is_dear;                /* some loops were left for what they cost, before it was known whether they fit */
	bool is_open;                /* something was left out that was not looked at to its end */
	long points, most_points;
};

/* Leaves some of many sizes TILES [COUNT], the first and the last among them.  Returns how many. */
static int thin_tiles(struct search *search, long *tiles, int count)
{
	if (count <= GROUP_SIZES)
		return count;
	for (int i = 0; i < GROUP_SIZES; i++)
		tiles[i] = tiles[(long)i * (count - 1) / (GROUP_SIZES - 1)];
	search->is_cut_short = search->is_open = true;
	return GROUP_SIZES;
}

/* The sizes of a search for a bound: those of any search, and those with which a tile may lie at a border, where there is less. Of a short
 * loop all. */
static void find_tiles_of_bound(struct search *search, int l)
{
	enum { FEW = 64, EXTENT = 1 << 16, SIZES = 1024 };
	const struct group_dim *dim = &search->candidate->dims[l];
	long extent = dim->most - dim->least + 1, *tiles = NULL;
	int count = 0;
	size_t capacity = 0;
	for (long tile = 1; tile <= extent && tile <= EXTENT && count < SIZES; tile++) {
		long tiles_of = (extent + tile - 1) / tile;
		if (extent > FEW && tile != (extent + tiles_of - 1) / tiles_of
			&& !group_cuts_border(search->groups, search->candidate, dim, tile))
			continue;
		tiles = arena_grow(search->groups->compilation->arena, tiles, (size_t)count, &capacity, sizeof *tiles);
		tiles[count++] = tile;
	}
	search->is_open |= tiles[count - 1] < extent;
	search->tiles[l] = tiles;
	search->tile_count[l] = count;
}

static void find_tiles(struct search *search, int l)
{
	const struct group_dim *dim = &search->candidate->dims[l];
	long extent = dim->most - dim->least + 1, *tiles = NULL;
	long granule = group_granule(search->groups, search->candidate, dim);
	int count = 0;
	size_t capacity = 0;
	search->is_cut_short |= granule > 1;
	search->is_open |= granule > 1;
	for (long n = extent; n >= 1;) {
		long tile = (extent + n - 1) / n;
		tile = tile + (granule - tile % granule) % granule;
		/* the last tile is aligned too, or there is one */
		if (tile > extent || extent % granule)
			tile = extent;
		tiles = arena_grow(search->groups->compilation->arena, tiles, (size_t)count, &capacity,
			sizeof *tiles);
		tiles[count++] = tile;
		/* the largest number of tiles that makes them larger */
		n = (extent + tile - 1) / tile - 1;
	}
	search->tiles[l] = tiles;
	search->tile_count[l] = thin_tiles(search, tiles, count);
}

static void keep(struct search *search)
{
	struct group_choice *best = search->best;
	const struct group_choice *now = &search->now;
	size_t arrays = (size_t)search->groups->function->array_count;
	size_t nests = (size_t)search->groups->nest_count;
	best->depth = now->depth;
	memcpy(best->loops, now->loops, sizeof best->loops);
	memcpy(best->hold, now->hold, arrays * sizeof *best->hold);
	memcpy(best->stages, now->stages, nests * sizeof *best->stages);
	memcpy(best->stage_tile, now->stage_tile, nests * sizeof *best->stage_tile);
	memcpy(best->is_double, now->is_double, arrays * sizeof *best->is_double);
	memcpy(best->memory, now->memory, arrays * sizeof *best->memory);
	memcpy(best->needs, now->needs, sizeof best->needs);
	best->flow = now->flow;
	best->commands = now->commands;
	best->cycles = now->cycles;
	best->computing_price = now->computing_price;
	best->chunks = now->chunks;
	best->need = now->need;
	best->repetition = now->repetition;
	search->has_best = true;
}

/* Commands are counted where they have a price; of choices that are equal else the one with fewer tiles, and fewer chunks of
 * results in them, has fewer. */
struct cost group_choice_cost(const struct group_choice *choice)
{
	double tiles = 1;
	for (int l = 0; l < choice->depth; l++)
		tiles *= (double)choice->loops[l].count;
	const struct crossing external = { .bytes = (double)flow_bytes(&choice->flow), .commands = choice->commands,
		.runs = choice->flow.runs };
	return (struct cost){ .crossings = { [BOUNDARY_EXTERNAL] = external },
		.scratchpad_bytes = (double)choice->need, .cycles = choice->cycles, .computing_price = choice->computing_price,
		.work = choice->repetition, .complexity = tiles * (double)(1 + choice->chunks) };
}

static int compare_to_best(const struct search *search)
{
	const struct cost now = group_choice_cost(&search->now), best = group_choice_cost(search->best);
	return objective_compare(&search->objective, &now, &best);
}

static bool is_better(const struct search *search)
{
	return compare_to_best(search) < 0;
}

/* What the present choice moves is no more than the best does; if something else has a price, neither is all together. */
static bool is_no_worse(const struct search *search)
{
	return !search->is_priced || compare_to_best(search) <= 0;
}

void group_limits_take(struct group_limits *limits, const long *memories)
{
	limits->capacity = 0;
	for (int m = 0; m < MEMORY_LIMIT; m++) {
		limits->capacities[m] = memories[m];
		limits->capacity += memories[m];
	}
}

bool group_is_wanted(const struct group_limits *limits, const struct cost *cost)
{
	return objective_is_less(&limits->asked, cost, &limits->most, limits->takes_equals);
}

/* Whether what costs BOUND at least may be wanted. */
static bool may_be_wanted(const struct search *search, const struct cost *bound)
{
	if (!group_is_wanted(&search->limits, bound) || !search->has_best)
		return group_is_wanted(&search->limits, bound);
	const struct cost best = group_choice_cost(search->best);
	return objective_may_improve(&search->objective, bound, &best);
}

static bool is_used(const struct search *search, int depth, int dim)
{
	for (int l = 0; l < depth; l++)
		if (search->now.loops[l].dim == dim)
			return true;
	return false;
}

static long extent_of(const struct search *search, int dim)
{
	return search->candidate->dims[dim].most - search->candidate->dims[dim].least + 1;
}

/* Loop DIM is there with producers repeated. */
static bool is_repeated(const struct search *search, int dim)
{
	for (int l = 0; l < search->now.depth; l++)
		if (search->now.loops[l].dim == dim)
			return search->now.loops[l].repeats;
	return false;
}

/* Loop DIM is there, and turns. */
static bool does_turn(const struct search *search, int dim)
{
	for (int l = 0; l < search->now.depth; l++)
		if (search->now.loops[l].dim == dim)
			return search->now.loops[l].turns;
	return false;
}

/* The nest of the group that array I comes for, which is the only one to use it; -1: none. */
static int stage_of(const struct search *search, int i)
{
	const struct group_array *array = &search->groups->arrays[i];
	for (int a = 0; a < array->access_count; a++)
		if (array->accesses[a].nest >= search->candidate->first
			&& array->accesses[a].nest <= search->candidate->last)
			return array->accesses[a].nest;
	return -1;
}

/* What the user wants streamed or double is, as it was wanted. */
static bool holds_as_said(const struct search *search, const struct group_constraints *constraints)
{
	const struct group_choice *now = &search->now;
	for (int i = 0; i < search->groups->function->array_count; i++) {
		if (constraints->is_double[i] && !now->is_double[i])
			return false;
		if (!constraints->is_streamed[i])
			continue;
		int n = stage_of(search, i);
		if (n < 0 || now->hold[i] == HOLD_ALL)
			return false;
		if (constraints->stage_loop[i] && (now->hold[i] != HOLD_CHUNK
			|| now->stage_tile[n] != constraints->stage_tile[i]
			|| strcmp(now->stages[n].name, constraints->stage_loop[i])))
			return false;
	}
	return true;
}

/* The loops are those that the user wants, in that order. */
static bool suits_constraints(const struct search *search)
{
	const struct group_constraints *constraints = search->limits.constraints;
	bool suits = true;
	for (int dim = 0; constraints && dim < search->candidate->dim_count; dim++)
		suits &= (!constraints->repeats[dim] || is_repeated(search, dim))
			&& (!constraints->turns[dim] || does_turn(search, dim))
			&& (!constraints->tile[dim] || is_used(search, search->now.depth, dim)
			== (constraints->tile[dim] < extent_of(search, dim)));
	if (!constraints || !constraints->has_order)
		return suits;
	/* who says the order says whether the innermost loop repeats, which the others do */
	int inner = search->now.depth ? search->now.loops[search->now.depth - 1].dim : -1;
	suits &= inner < 0 || constraints->repeats[inner] || !is_repeated(search, inner);
	suits &= search->now.depth == constraints->order_count;
	for (int l = 0; l < search->now.depth && suits; l++)
		suits = search->now.loops[l].dim == constraints->order[l];
	return suits;
}

/* The tile that the user wants of DIM, or 0. */
static long wanted_tile(const struct search *search, int dim)
{
	return search->limits.constraints ? search->limits.constraints->tile[dim] : 0;
}

/* The LIMITS of what is evaluated, which are of bytes: of what may be wanted, and as good as the best so far. */
static struct group_limits limits_now(const struct search *search)
{
	struct group_limits limits = search->limits;
	if (search->has_best) {
		limits.most = group_choice_cost(search->best);
		limits.takes_equals = true;
	}
	limits.most = cost_of_bytes(part_bytes_within(search->groups->compilation, &limits.most, search->least_computing));
	return limits;
}

/* A choice that moves as NOW does, and takes so many cycles, is no better than the best; 0: cycles have no price. */
static double enough_cycles(const struct search *search)
{
	double price = search->objective.prices.cycle;
	if (price <= 0)
		return 0;
	if (!search->has_best)
		return INFINITY;
	const struct cost now = group_choice_cost(&search->now), best = group_choice_cost(search->best);
	return (objective_value(&search->objective, &best) - objective_sum_of(&search->objective, &now)) / price * (1 + 1e-9) + 1;
}

/* The present loops, which may be as good as the best. */
static bool evaluate_now(struct search *search, const struct group_limits *limits)
{
	search->points++;
	search->now.commands = search->now.cycles = search->now.computing_price = 0;
	if (!group_evaluate(search->model, limits, &search->now))
		return false;
	if (!search->is_priced)
		return true;
	search->now.computing_price = part_core_price(search->groups->compilation, search->macs * search->now.repetition,
		(double)search->now.flow.read_bytes);
	if (search->is_measured)
		group_time(search->model, limits, enough_cycles(search), &search->now);
	const struct cost cost = group_choice_cost(&search->now);
	return group_is_wanted(&search->limits, &cost);
}

/* Evaluates the present loops.  Equals of the best are wanted too. */
static void evaluate(struct search *search)
{
	const struct group_limits limits = limits_now(search);
	bool fits = evaluate_now(search, &limits);
	bool suits = suits_constraints(search);
	search->fits |= suits && search->now.need <= limits.capacity;
	search->is_cut_short |= fits && !search->now.is_optimal;
	search->is_open |= !search->now.is_optimal;
	if (fits && suits && (!search->has_best || is_better(search))
		&& (!search->limits.constraints || holds_as_said(search, search->limits.constraints)))
		keep(search);
}

/* The user wants loop DIM to turn. */
static bool is_to_turn(const struct search *search, int dim)
{
	return search->limits.constraints && search->limits.constraints->turns[dim];
}

static bool may_turn(const struct search *search, int dim, bool repeats)
{
	return search->can_turn[dim] && (repeats || !search->candidate->dims[dim].is_forward);
}

static void set_loop(struct search *search, int l, int dim, long tile, bool repeats)
{
	long extent = extent_of(search, dim);
	search->now.loops[l] = (struct group_loop){ dim, tile, (extent + tile - 1) / tile, repeats,
		may_turn(search, dim, repeats) && (l > 0 || is_to_turn(search, dim)) };
}

/* What a choice costs at least that moves so many BYTES. */
static struct cost least_with(const struct search *search, double bytes)
{
	struct cost cost = part_least_cost(search->groups->compilation, bytes);
	cost.computing_price = search->least_computing;
	return cost;
}

/* What the present DEPTH loops cost at least: what they move if the scratchpad were large. */
static struct cost least_cost(struct search *search, int depth)
{
	struct group_limits limits = search->limits;
	limits.most = cost_infinite();
	long memories[MEMORY_LIMIT] = { 0 };
	for (int m = 0; m < arch_memory_count(search->groups->compilation->arch); m++)
		memories[m] = LONG_MAX / 4 / arch_memory_count(search->groups->compilation->arch);
	group_limits_take(&limits, memories);
	search->now.depth = depth;
	search->points++;
	bool is_found = group_evaluate(search->model, &limits, &search->now);
	search->is_open |= !search->now.is_optimal;
	return is_found ? least_with(search, (double)flow_bytes(&search->now.flow)) : cost_infinite();
}

/* ---- blocks of choices ---- */

/* The sizes of DIM's tiles from number FIRST on; the one that the user wants, if there is one. */
static struct group_range sizes_from(const struct search *search, int dim, int first, int count)
{
	return wanted_tile(search, dim) ? (struct group_range){ &search->limits.constraints->tile[dim], 1 }
		: (struct group_range){ &search->tiles[dim][first], count };
}

/* Loop L of the block is along DIM, with any of so many sizes. */
static void set_range(struct search *search, int l, int dim, int first, int count, bool repeats)
{
	search->ranges[l] = sizes_from(search, dim, first, count);
	set_loop(search, l, dim, search->ranges[l].tiles[search->ranges[l].count - 1], repeats);
}

/* No choice of the block of DEPTH loops fits, or none is as good as the best.  Whether anything fits at all has
 * to be seen from some choice. */
static bool is_hopeless(struct search *search, int depth)
{
	const struct group_limits limits = limits_now(search);
	search->now.depth = depth;
	search->points++;
	bool may_be = group_evaluate_block(search->model, &limits, search->ranges, &search->now);
	return !may_be && search->now.is_optimal && (search->fits || search->now.need > limits.capacity);
}

/* The innermost loop along DIM may repeat producers, so that it turns. */
static bool may_repeat_inside(const struct search *search, int depth, int dim)
{
	return depth && search->candidate->dims[dim].is_forward && search->can_repeat[dim] && search->can_turn[dim];
}

/* The same of blocks of DEPTH loops and, inside them, none or one along INNER. */
static bool are_hopeless(struct search *search, int depth, int inner)
{
	int sizes = search->tile_count[inner] - 1;
	if (!is_hopeless(search, depth))
		return false;
	for (int repeats = 0; repeats <= may_repeat_inside(search, depth, inner) && sizes; repeats++) {
		set_range(search, depth, inner, 0, sizes, repeats);
		if (!is_hopeless(search, depth + 1))
			return false;
	}
	return true;
}

/* A block of fewer is looked at one by one. */
enum { BLOCK = 3 };

/* ---- loops ---- */

/* COUNT sizes of the innermost loop along DIM, which REPEATS producers or not. */
static void try_sizes(struct search *search, int depth, int dim, bool repeats, int first, int count)
{
	set_range(search, depth, dim, first, count, repeats);
	if (count >= BLOCK && is_hopeless(search, depth + 1))
		return;
	if (count > 1) {
		try_sizes(search, depth, dim, repeats, first, count / 2);
		try_sizes(search, depth, dim, repeats, first + count / 2, count - count / 2);
		return;
	}
	search->now.depth = depth + 1;
	evaluate(search);
}

/* The innermost loop along DIM, which REPEATS producers or not, with all sizes; and none: what comes for a stage
 * may come in chunks of a loop that is not tiled. */
static void try_tiles(struct search *search, int depth, int dim, bool repeats)
{
	long wanted = wanted_tile(search, dim);
	int sizes = wanted ? wanted < extent_of(search, dim) : search->tile_count[dim] - 1;
	if (sizes)
		try_sizes(search, depth, dim, repeats, 0, sizes);
	search->now.depth = depth;
	if (!repeats && (!wanted || !sizes))
		evaluate(search);
}

/* The innermost loop along DIM: rows wait for the next tile; or are repeated, so that it may turn. */
static void try_inner(struct search *search, int depth, int dim)
{
	try_tiles(search, depth, dim, false);
	if (may_repeat_inside(search, depth, dim))
		try_tiles(search, depth, dim, true);
}

static void try_outer(struct search *search, int depth, int outer, int inner);

/* Loop DEPTH along DIM with COUNT sizes, the largest first.  No tile is tried with which as much would move as the
 * best does, were the scratchpad without end; smaller ones may be, as they cut elsewhere. */
static void try_outer_sizes(struct search *search, int depth, int outer, int inner, int dim, int first, int count)
{
	bool repeats = search->candidate->dims[dim].is_forward;
	if (search->points > search->most_points) {
		search->is_cut_short = search->is_open = true;
		return;
	}
	set_range(search, depth, dim, first, count, repeats);
	if (count >= BLOCK && depth == outer - 1 && are_hopeless(search, depth + 1, inner))
		return;
	if (count > 1) {
		try_outer_sizes(search, depth, outer, inner, dim, first + count / 2, count - count / 2);
		try_outer_sizes(search, depth, outer, inner, dim, first, count / 2);
		return;
	}
	const struct cost least = least_cost(search, depth + 1);
	bool is_wanted = may_be_wanted(search, &least);
	search->is_dear |= !is_wanted;
	if (is_wanted)
		try_outer(search, depth + 1, outer, inner);
}

/* OUTER loops outside, from DEPTH on, then the innermost along INNER. */
static void try_outer(struct search *search, int depth, int outer, int inner)
{
	if (depth == outer)
		try_inner(search, depth, inner);
	for (int dim = 0; dim < search->candidate->dim_count && depth < outer; dim++) {
		const struct group_dim *cut = &search->candidate->dims[dim];
		int sizes = wanted_tile(search, dim) ? 1 : search->tile_count[dim] - 1;
		if (dim == inner || is_used(search, depth, dim) || !sizes
			|| (cut->is_forward && !search->can_repeat[dim]))
			continue;
		try_outer_sizes(search, depth, outer, inner, dim, 0, sizes);
	}
}

/* Which dimensions may turn. */
static void find_turns(struct search *search)
{
	const struct group_constraints *constraints = search->limits.constraints;
	bool all_forward = search->groups->compilation->request.restriction.is_forward, any = false, some = false;
	for (int l = 0; l < search->candidate->dim_count; l++) {
		bool can = group_can_turn(search->groups, search->candidate, &search->candidate->dims[l]);
		bool is_told = all_forward || (constraints && constraints->is_straight[l]);
		search->can_turn[l] = can && !is_told;
		any |= can;
		some |= can && !is_told;
	}
	search->best->is_told_forward = any && !some;
}

static void find_loops(struct search *search)
{
	const struct fusion_candidate *candidate = search->candidate;
	for (int l = 0; l < candidate->dim_count; l++) {
		if (search->limits.bounds_plans)
			find_tiles_of_bound(search, l);
		else
			find_tiles(search, l);
		search->can_repeat[l] = search->limits.repetition > 1
			&& group_can_repeat(search->groups, candidate, &candidate->dims[l]);
	}
	find_turns(search);
}

/* ---- turns ---- */

/* Loops of the best choice that turn and save nothing by that run forwards. */
static void straighten(struct search *search)
{
	const struct group_choice *best = search->best;
	for (int l = 0; l < best->depth; l++) {
		const struct group_limits limits = limits_now(search);
		if (!best->loops[l].turns || is_to_turn(search, best->loops[l].dim))
			continue;
		search->now.depth = best->depth;
		memcpy(search->now.loops, best->loops, sizeof best->loops);
		search->now.loops[l].turns = false;
		if (evaluate_now(search, &limits) && is_no_worse(search))
			keep(search);
	}
}

/* ---- double buffers ---- */

/* Which are wanted from the start: all, those that the user names, or none; a bound holds for plans in which some are not double
 * after all. */
static void want_doubles(struct search *search)
{
	const struct group_constraints *constraints = search->limits.constraints;
	enum buffering buffering = search->limits.bounds_plans ? BUFFERING_SINGLE
		: search->groups->compilation->request.buffering;
	for (int i = 0; i < search->groups->function->array_count; i++)
		search->doubles[i] = constraints && (constraints->has_order || constraints->is_double[i])
			? constraints->is_double[i] : buffering == BUFFERING_DOUBLE;
	search->limits.doubles = search->doubles;
}

/* The best choice with array I in a double buffer too, if there is room for it.  Those that
 * come for stages are double together. */
static void try_double(struct search *search, int i)
{
	const struct group_limits limits = limits_now(search);
	struct group_choice *best = search->best;
	enum group_hold hold = best->hold[i];
	if (best->is_double[i] || search->doubles[i])
		return;
	search->doubles[i] = true;
	search->now.depth = best->depth;
	memcpy(search->now.loops, best->loops, sizeof best->loops);
	if (evaluate_now(search, &limits) && search->now.is_double[i] && search->now.hold[i] == hold && is_no_worse(search))
		keep(search);
	else
		search->doubles[i] = false;
}

/* As there is room, those first that move most often. */
static void double_what_fits(struct search *search)
{
	const struct group_choice *best = search->best;
	for (int store = GROUP_DEPTH; store >= 0; store--)
		for (int i = 0; i < search->groups->function->array_count; i++)
			if (!search->groups->function->arrays[i]->by_value
				&& !is_carried(search->groups->compilation, search->groups->function->arrays[i])
				&& store == (best->hold[i] != HOLD_ALL ? best->depth
				: group_store(search->groups, search->candidate, best, i)))
				try_double(search, i);
}

/* Which buffers are double is chosen here. */
static bool chooses_doubles(const struct search *search)
{
	const struct group_constraints *constraints = search->limits.constraints;
	return !search->limits.bounds_plans && search->groups->compilation->request.buffering == BUFFERING_AUTO
		&& !(constraints && constraints->has_order);
}

/* Few loops first: what is best with them leaves little to try with more. */
static void try_loops(struct search *search)
{
	search->most_points = search->points + GROUP_POINTS;
	for (int outer = 0; outer < GROUP_DEPTH; outer++)
		for (int inner = 0; inner < search->candidate->dim_count; inner++)
			try_outer(search, 0, outer, inner);
	if (!search->candidate->dim_count)
		evaluate(search);
}

/* The same with double buffers for all that can have them: what hides copies takes room.  From then on those are wanted that the best choice
 * has. */
static void try_all_double(struct search *search)
{
	int arrays = search->groups->function->array_count;
	for (int i = 0; i < arrays; i++)
		search->doubles[i] = true;
	try_loops(search);
	for (int i = 0; i < arrays && search->has_best; i++)
		search->doubles[i] = search->best->is_double[i];
}

enum group_outcome group_search(struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_limits *limits, struct group_choice *best)
{
	enum { POINT_WORK = 8 };     /* a member's part of a point */
	double start = processor_seconds();
	struct arena *arena = groups->compilation->arena;
	int arrays = groups->function->array_count + 1, nests = groups->nest_count + 1;
	struct search search = { .model = group_model_new(groups, candidate, limits->bounds_plans), .groups = groups,
		.candidate = candidate, .limits = *limits, .best = best,
		.is_priced = parts_are_priced(groups->compilation) && !limits->bounds_plans,
		.is_measured = parts_are_measured(groups->compilation) && !limits->bounds_plans,
		.objective = limits->bounds_plans ? objective_of(RANK_GROUPS)
			: part_objective(groups->compilation, limits->prefers_memory ? RANK_SMALL_GROUPS : RANK_GROUPS) };
	search.now.hold = ARENA_ARRAY(arena, enum group_hold, arrays);
	search.now.stages = ARENA_ARRAY(arena, struct stage_dim, nests);
	search.now.stage_tile = ARENA_ARRAY(arena, long, nests);
	search.now.is_double = ARENA_ARRAY(arena, bool, arrays);
	search.now.memory = ARENA_ARRAY(arena, int, arrays);
	search.doubles = ARENA_ARRAY(arena, bool, arrays);
	*best = (struct group_choice){ .hold = ARENA_ARRAY(arena, enum group_hold, arrays),
		.stages = ARENA_ARRAY(arena, struct stage_dim, nests),
		.stage_tile = ARENA_ARRAY(arena, long, nests),
		.is_double = ARENA_ARRAY(arena, bool, arrays), .memory = ARENA_ARRAY(arena, int, arrays) };
	const struct cost moved = group_least_cost(search.model);
	for (int n = candidate->first; n <= candidate->last && search.is_priced; n++)
		search.macs += groups_nest_macs(groups, n);
	search.least_computing = search.is_priced ? part_core_price(groups->compilation, search.macs, 0) : 0;
	const struct cost least = least_with(&search, cost_figure(&moved, FIGURE_BYTES));
	best->is_bound = (limits->bounds_plans || group_is_exact(groups, candidate)) && !search.is_priced;
	if (!may_be_wanted(&search, &least)) {
		group_model_free(search.model);
		return GROUP_USELESS;
	}
	find_loops(&search);
	want_doubles(&search);
	try_loops(&search);
	if (search.is_measured && chooses_doubles(&search))
		try_all_double(&search);
	if (search.has_best && !limits->bounds_plans)
		straighten(&search);
	if (search.has_best && chooses_doubles(&search))
		double_what_fits(&search);
	best->is_optimal = !search.is_cut_short && !search.is_measured;
	best->is_bound &= !search.is_open;
	best->points = search.points;
	best->seconds = processor_seconds() - start;
	compilation_add_work(groups->compilation,
		(double)(search.points * POINT_WORK * (candidate->last - candidate->first + 1)));
	group_model_free(search.model);
	return search.has_best ? GROUP_FITS : search.fits || search.is_dear ? GROUP_USELESS : GROUP_TOO_LARGE;
}
