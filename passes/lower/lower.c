/* A nest under its schedule becomes plan nodes: tile loops, transfers at their store
 * levels, and the statements of a tile. */

#include "passes/lower/lower.h"

#include <string.h>

#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/val.h>

#include "ir/macs.h"
#include "ir/set_count.h"
#include "ir/plan_count.h"
#include "passes/cost/model_math.h"
#include "passes/cost/place.h"
#include "passes/lower/elements.h"
#include "passes/lower/points.h"
#include "passes/lower/tile_loops.h"
#include "passes/lower/transfers.h"
#include "passes/regions/closed.h"
#include "passes/regions/general.h"
#include "passes/regions/siblings.h"
#include "passes/tiles/expressions.h"
#include "passes/tiles/instances.h"

#define ARENA(lowering) ((lowering)->compilation->arena)

/* ---- tile loops ---- */

/* The loop of DIM over blocks of as many iterations as it was tuned for. */
static void make_block_loop(struct lowering *lowering, int dim)
{
	struct arena *arena = ARENA(lowering);
	struct tile_loop *loop = &lowering->loops[lowering->depth];
	long size = lowering->band->dims[dim].extent;
	make_tile_loop(lowering, loop, dim, size, lowering->extent[dim], "block");
	loop->is_block = true;
	lowering->block_of_dim[dim] = lowering->depth++;
	struct plan_expr *whole = plan_const(arena, size);
	lowering->origin[dim] = plan_make(arena, PLAN_MUL, whole, plan_ref(arena, loop->var));
	lowering->extent[dim] = plan_make(arena, PLAN_MIN, whole,
		plan_make(arena, PLAN_SUB, lowering->extent[dim], lowering->origin[dim]));
}

/* Array A's ring holds the whole run of the loop it slides along. */
static bool is_whole_ring(const struct lowering *lowering, int a, int dim)
{
	const struct storage *storage = &lowering->schedule->storage[a];
	long size = lowering->schedule->tile[dim];
	return storage->is_sliding && storage->store > 0
		&& lowering->schedule->order[storage->store - 1] == dim
		&& size * (storage->slots + (storage->is_double ? 1 : 0))
			>= lowering->band->dims[dim].extent;
}

/* Some buffer holds what all iterations of dimension DIM touch. */
static bool needs_blocks(const struct lowering *lowering, int dim)
{
	const struct schedule *schedule = lowering->schedule;
	int place = 0;
	while (place < schedule->depth && schedule->order[place] != dim)
		place++;
	for (int a = 0; a < lowering->groups->count; a++)
		if (moves_with(lowering, a, dim) && (place >= schedule->storage[a].store
			|| is_whole_ring(lowering, a, dim)))
			return true;
	return false;
}

static void make_tile_loops(struct lowering *lowering)
{
	const struct schedule *schedule = lowering->schedule;
	const struct nest *nest = lowering->nest;
	for (int dim = 0; dim < NEST_LOOPS; dim++)
		lowering->loop_of_dim[dim] = lowering->block_of_dim[dim] = -1;
	for (int dim = 0; dim < lowering->band->count; dim++) {
		lowering->extent[dim] = sized(lowering, lowering->band->dims[dim].extent,
			lowering->band->dims[dim].sized_extent);
		lowering->origin[dim] = plan_const(ARENA(lowering), 0);
		lowering->may_be_empty[dim] = lowering->band->dims[dim].sized_extent
			&& dim_has_ends(lowering->variant, dim)
			&& dim_may_be_empty(lowering, dim);
	}
	int place = 0;
	/* What is sequential stays outermost: only inside may loops change places. */
	while (place < lowering->band->prefix && nest->function->symbolic_count)
		make_scheduled_loop(lowering, place++, "tile");
	for (int dim = place; dim < lowering->band->count; dim++)
		if (lowering->band->dims[dim].sized_extent && needs_blocks(lowering, dim))
			make_block_loop(lowering, dim);
	lowering->first_inner = lowering->depth > place ? lowering->depth : 0;
	while (place < schedule->depth)
		make_scheduled_loop(lowering, place++, "tile");
}

/* The tile loops outside array A's buffer, those over blocks among them. */
static int store_with_blocks(const struct lowering *lowering, int a, int store)
{
	const struct nest *nest = lowering->nest;
	int prefix = nest->function->symbolic_count ? lowering->band->prefix : 0, moved = store;
	if (store > prefix)
		return store + lowering->depth - lowering->schedule->depth;
	if (store < 0)
		return store;
	/* Sequential loops have no blocks: their buffers hold what one iteration touches. */
	for (int l = store; l < lowering->depth && (l < prefix || lowering->loops[l].is_block); l++)
		if (lowering->band->dims[lowering->loops[l].dim].sized_extent
			&& moves_with(lowering, a, lowering->loops[l].dim))
			moved = l + 1;
	return moved;
}

/* ---- stages ---- */

static void make_stage_loops(struct lowering *lowering)
{
	lowering->stage_loops = ARENA_ARRAY(ARENA(lowering), struct tile_loop,
		lowering->stage_count + 1);
	for (int m = 0; m < lowering->stage_count; m++) {
		const struct group_stage *stage = &lowering->stages[m];
		if (!stage->tile)
			continue;
		long count = (stage->dim.extent + stage->tile - 1) / stage->tile;
		struct plan_var *var = new_var(lowering,
			arena_printf(ARENA(lowering), "%s_tile", stage->dim.name), 0, count - 1);
		lowering->stage_loops[m] = (struct tile_loop){ .dim = -1, .size = stage->tile,
			.count = count, .trips = plan_const(ARENA(lowering), count), .var = var,
			.tile_var = var };
	}
}

/* The plan says what a tile computes. */
static bool has_work(const struct lowering *lowering)
{
	return lowering->detail != TO_WEIGH && (lowering->elements || !lowering->compilation->request.omits_points);
}

static bool lower_stage(struct lowering *lowering, int m, struct plan_node *block)
{
	const struct group_stage *stage = &lowering->stages[m];
	struct plan_node *chunk = block;
	begin_stage(lowering, m, block);
	enter_stage(lowering, m);
	if (stage->tile) {
		const struct tile_loop *loop = &lowering->stage_loops[m];
		struct plan_node *node = plan_loop(ARENA(lowering), LOOP_TILE, loop->var,
			plan_const(ARENA(lowering), 0), plan_const(ARENA(lowering), loop->count - 1), 1);
		plan_append(ARENA(lowering), block, node);
		chunk = node->body;
		begin_chunk(lowering, m, chunk);
	}
	bool done = !has_work(lowering) || lower_statements(lowering, stage->first, stage->end, chunk);
	if (stage->tile)
		end_chunk(lowering, m, chunk);
	leave_stage(lowering);
	end_stage(lowering, m, block);
	return done;
}

static bool lower_tile(struct lowering *lowering, struct plan_node *block)
{
	bool done = true;
	begin_tile(lowering, block);
	for (int m = 0; m < lowering->stage_count && done; m++)
		done = lower_stage(lowering, m, block);
	if (lowering->stage_count || !has_work(lowering))
		return done;
	return lowering->elements ? lower_elements(lowering->elements, block) : lower_points(lowering, block);
}

/* What runs inside the first DEPTH tile loops. */
static bool lower_level(struct lowering *lowering, int depth, struct plan_node *block)
{
	struct arena *arena = ARENA(lowering);
	begin_visits(lowering, depth, block);
	if (lowering->elements)
		fill_elements(lowering->elements, depth, block);
	bool done;
	if (depth == lowering->depth) {
		done = lower_tile(lowering, block);
	} else {
		const struct tile_loop *loop = &lowering->loops[depth];
		struct plan_node *node = plan_loop(arena, LOOP_TILE, loop->var, plan_const(arena, 0),
			plan_make(arena, PLAN_SUB, loop->trips, plan_const(arena, 1)), 1);
		plan_append(arena, block, node);
		struct plan_node *body = node->body;
		if (loop->tile_var != loop->var) {
			struct plan_node *let = plan_let(arena, loop->tile_var,
				tile_at(lowering, loop, plan_ref(arena, loop->var)));
			plan_append(arena, body, let);
			body = let->body;
		}
		done = lower_level(lowering, depth + 1, body);
		end_run(lowering, depth + 1, block);
	}
	if (lowering->elements)
		drain_elements(lowering->elements, depth, block);
	end_visits(lowering, depth, block);
	return done;
}

/* ---- a nest ---- */

static void register_buffers(struct lowering *lowering)
{
	struct plan *plan = lowering->plan;
	int count = plan->buffer_count + lowering->groups->count;
	struct plan_buffer **buffers = ARENA_ARRAY(ARENA(lowering), struct plan_buffer *, count + 1);
	if (plan->buffer_count)
		memcpy(buffers, plan->buffers, (size_t)plan->buffer_count * sizeof *buffers);
	for (int a = 0; a < lowering->groups->count; a++) {
		lowering->buffers[a]->index = plan->buffer_count;
		buffers[plan->buffer_count++] = lowering->buffers[a];
	}
	plan->buffers = buffers;
}

/* An entry for each array of the function. */
static struct plan_traffic *no_traffic(struct compilation *compilation,
	const struct function *function)
{
	struct plan_traffic *all = ARENA_ARRAY(compilation->arena, struct plan_traffic,
		function->array_count + 1);
	for (int i = 0; i < function->array_count; i++)
		all[i].array = function->arrays[i];
	return all;
}

/* OUT's traffic is what ALL says of the arrays of NEST. */
static void set_traffic(struct compilation *compilation, const struct variant *variant,
	const struct plan_traffic *all, struct plan_nest *out)
{
	out->traffic_count = 0;
	out->traffic = ARENA_ARRAY(compilation->arena, struct plan_traffic,
		variant->groups->count + 1);
	for (int a = 0; a < variant->groups->count; a++) {
		const struct array *array = variant->groups->items[a].array;
		bool is_new = true;
		for (int b = 0; b < a; b++)
			is_new &= variant->groups->items[b].array != array;
		if (!is_new)
			continue;
		out->traffic[out->traffic_count] = all[array->index];
		/* there will be others when transfers are split */
		out->traffic[out->traffic_count++].flow.commands = 0;
	}
}

bool nest_count_traffic(struct compilation *compilation, const struct variant *variant,
	struct plan_nest *out)
{
	struct plan_traffic *all = no_traffic(compilation, variant->nest->function);
	if (!plan_count(out->body, variant->nest->function, COUNT_STEPS, all))
		return false;
	set_traffic(compilation, variant, all, out);
	return true;
}

/* A plan moves what the model says, if it says it exactly. */
static bool take_model_traffic(const struct lowering *lowering, struct plan_nest *out)
{
	const struct nest *nest = lowering->nest;
	struct plan_traffic *all = no_traffic(lowering->compilation, nest->function);
	if (!lowering->regions || nest->function->symbolic_count || variant_outer_count(lowering->variant))
		return false;
	for (int a = 0; a < lowering->groups->count; a++) {
		const struct storage *storage = &lowering->schedule->storage[a];
		struct plan_traffic *traffic = &all[lowering->groups->items[a].array->index];
		if (lowering->regions[a].is_clipped && !array_is_clipped(&lowering->model->arrays[a]))
			return false;
		traffic->flow.read_bytes += storage->flow.read_bytes;
		traffic->flow.write_bytes += storage->flow.write_bytes;
	}
	set_traffic(lowering->compilation, lowering->variant, all, out);
	return true;
}

/* The plan is counted, unless it takes too long.  Plans that are only weighed are not, where
 * the model is exact: what becomes of one of them is counted then. */
static bool find_traffic(const struct lowering *lowering, struct plan_nest *out)
{
	struct compilation *compilation = lowering->compilation;
	return (compilation->only_weighs && take_model_traffic(lowering, out))
		|| nest_count_traffic(compilation, lowering->variant, out) || take_model_traffic(lowering, out);
}

/* tile_size * t - span <= affine / divisor < tile_size * (t + 1), with t the dimension that
 * is put in front of SET's. */
static __isl_give isl_set *in_tiles(__isl_take isl_set *set, const struct hyperplane *plane,
	int before, int depth, long size)
{
	set = isl_set_insert_dims(set, isl_dim_set, 0, 1);
	isl_local_space *space = isl_local_space_from_space(isl_set_get_space(set));
	for (int side = 0; side < 2; side++) {
		int sign = side ? -1 : 1;
		isl_constraint *row = isl_constraint_alloc_inequality(isl_local_space_copy(space));
		isl_ctx *ctx = isl_set_get_ctx(set);
		long constant = side ? plane->divisor * size - 1 - plane->affine.constant
			: plane->divisor * plane->span + plane->affine.constant;
		row = isl_constraint_set_constant_val(row, isl_val_int_from_si(ctx, constant));
		row = isl_constraint_set_coefficient_val(row, isl_dim_set, 0,
			isl_val_int_from_si(ctx, -sign * plane->divisor * size));
		for (int i = 0; i < depth; i++)
			row = isl_constraint_set_coefficient_val(row, isl_dim_set, before + 1 + i,
				isl_val_int_from_si(ctx, sign * plane->affine.coefficients[i]));
		set = isl_set_add_constraint(set, row);
	}
	isl_local_space_free(space);
	return set;
}

/* How often STATEMENT, number S of its nest, runs in the tiles of BAND that SCHEDULE says. */
static long runs_of(const struct statement *statement, int s, const struct band *band,
	const struct schedule *schedule)
{
	isl_set *set = isl_set_copy(statement->domain);
	int before = 0;
	for (int l = 0; schedule && l < schedule->depth; l++) {
		const struct hyperplane *plane = &band->dims[schedule->order[l]].planes[s];
		long size = schedule->tile[schedule->order[l]];
		if (plane->kind != HYPERPLANE_AFFINE || !plane->span)
			continue;
		set = in_tiles(set, plane, before++, statement->depth, size);
		set = isl_set_lower_bound_si(set, isl_dim_set, 0, 0);
		set = isl_set_upper_bound_val(set, isl_dim_set, 0, isl_val_int_from_si(isl_set_get_ctx(set),
			(band->dims[schedule->order[l]].extent - 1) / size));
	}
	return set_count(set);
}

static long macs_of(const struct nest *nest, const struct band *band,
	const struct schedule *schedule)
{
	long total = 0;
	for (int s = 0; s < nest->statement_count; s++) {
		int macs = statement_macs(nest->statements[s]);
		long runs = macs ? runs_of(nest->statements[s], s, band, schedule) : 0, product;
		if (runs < 0 || __builtin_mul_overflow(runs, macs, &product)
			|| __builtin_add_overflow(total, product, &total))
			return -1;
	}
	return total;
}

long group_macs(const struct variant *group, const struct schedule *schedule)
{
	return macs_of(group->nest, group->band, schedule);
}

long nest_macs(const struct nest *nest)
{
	return macs_of(nest, NULL, NULL);
}

/* The iterations of DIM. */
static struct plan_expr *extent_of_dim(struct compilation *compilation, const struct nest *nest,
	const struct band_dim *dim, struct plan *plan)
{
	struct lowering lowering = { .compilation = compilation, .nest = nest, .plan = plan };
	return sized(&lowering, dim->extent, dim->sized_extent);
}

struct outer_loops *outer_loops_make(struct compilation *compilation, const struct variant *variant,
	struct plan *plan)
{
	const struct band *band = variant->band;
	struct lowering lowering = { .compilation = compilation, .nest = variant->nest, .plan = plan,
		.names = &plan->names };
	struct outer_loops *loops = ARENA_NEW(compilation->arena, struct outer_loops);
	loops->nest = variant->nest;
	loops->band = band;
	for (int l = 0; l < band->count; l++) {
		long min, max;
		plan_range(extent_of_dim(compilation, variant->nest, &band->dims[l], plan), &min, &max);
		loops->vars[l] = l < variant_outer_count(variant) ? variant->outer->vars[l]
			: new_var(&lowering, arena_printf(compilation->arena, "%s_tile", band->dims[l].name), 0,
			max - 1);
	}
	return loops;
}

struct plan_node *plan_around(struct compilation *compilation, const struct outer_loops *loops,
	int from, int end, struct plan *plan, struct plan_node *block)
{
	struct arena *arena = compilation->arena;
	for (int l = from; l < end; l++) {
		struct plan_expr *last = plan_make(arena, PLAN_SUB, extent_of_dim(compilation, loops->nest,
			&loops->band->dims[l], plan), plan_const(arena, 1));
		struct plan_node *loop = plan_loop(arena, LOOP_TILE, loops->vars[l], plan_const(arena, 0),
			last, 1);
		plan_append(arena, block, loop);
		block = loop->body;
	}
	return block;
}

/* How far the buffers reach into the memories. */
static void find_used_memory(const struct lowering *lowering, struct plan_nest *out)
{
	memset(out->memory_used_bytes, 0, sizeof out->memory_used_bytes);
	out->scratchpad_used_bytes = 0;
	for (int a = 0; a < lowering->groups->count; a++) {
		const struct plan_buffer *buffer = lowering->buffers[a];
		const struct memory memory = place_memory(lowering->compilation->arch, buffer->memory);
		plan_nest_use_memory(out, buffer->memory, buffer->offset_bytes
			+ place_room(&memory, buffer->bytes));
	}
}

/* Buffers are made; now the body, its traffic, and the plan's list of buffers. */
static bool lower_body(struct lowering *lowering, struct plan_nest *out)
{
	int outer = variant_outer_count(lowering->variant);
	out->body = plan_block(ARENA(lowering));
	out->inner = plan_around(lowering->compilation, lowering->variant->outer, 0, outer,
		lowering->plan, out->body);
	if (!lower_level(lowering, outer, out->inner) || !find_traffic(lowering, out))
		return false;
	register_buffers(lowering);
	find_used_memory(lowering, out);
	for (int a = 0; a < lowering->groups->count; a++)
		out->is_double |= lowering->buffers[a]->is_double;
	return true;
}

static struct lowering lowering_of(struct compilation *compilation, const struct variant *variant,
	const struct nest_model *model, const struct schedule *schedule, struct plan *plan)
{
	struct lowering lowering = { .compilation = compilation, .variant = variant,
		.nest = variant->nest, .groups = variant->groups, .band = variant->band, .model = model,
		.schedule = schedule, .plan = plan, .names = &plan->names, .refused = -1 };
	lowering.buffers = ARENA_ARRAY(compilation->arena, struct plan_buffer *,
		variant->groups->count + 1);
	lowering.holdings = ARENA_ARRAY(compilation->arena, struct holding, variant->groups->count + 1);
	lowering.visits = ARENA_ARRAY(compilation->arena, struct visit, variant->groups->count + 1);
	lowering.must_cut = ARENA_ARRAY(compilation->arena, bool, variant->groups->count + 1);
	lowering.lender = ARENA_ARRAY(compilation->arena, int, variant->groups->count + 1);
	for (int a = 0; a < variant->groups->count; a++)
		lowering.lender[a] = -1;
	lowering.instances = ARENA_ARRAY(compilation->arena, isl_set *,
		variant->nest->statement_count * (TILE_LOOPS + 1) * REACHES);
	make_tile_loops(&lowering);
	return lowering;
}

/* Frees what is not the arena's. */
static void lowering_end(struct lowering *lowering)
{
	for (int i = 0; i < lowering->nest->statement_count * (TILE_LOOPS + 1) * REACHES; i++)
		isl_set_free(lowering->instances[i]);
}

bool nest_merge_clashing(struct compilation *compilation, const struct variant *variant,
	bool if_sure, struct merges *merges)
{
	struct plan own = { .function = variant->nest->function };
	struct schedule finest = { .depth = variant->band->count };
	for (int l = 0; l < variant->band->count; l++) {
		finest.order[l] = l;
		finest.tile[l] = 1;
	}
	struct lowering lowering = lowering_of(compilation, variant, NULL, &finest, &own);
	for (int a = 0; a < variant->groups->count; a++)
		lowering.holdings[a] = (struct holding){ .store = lowering.depth, .slots = 1 };
	bool any = merge_clashing_groups(&lowering, if_sure, merges);
	lowering_end(&lowering);
	return any;
}

static bool lower_with_buffers(struct lowering *lowering, struct plan_nest *out,
	struct obstacle *obstacle)
{
	*obstacle = (struct obstacle){ 0, { -1, -1 }, -1 };
	if (!groups_are_apart(lowering, obstacle->clash))
		return false;
	bool done = lowering->regions ? make_closed_buffers(lowering)
		: make_general_buffers(lowering, &obstacle->needed_bytes);
	obstacle->array = lowering->refused;
	if (!done)
		return false;
	obstacle->needed_bytes = 0;
	if (!lowering->has_elements)
		return lower_body(lowering, out);
	lowering->elements = elements_begin(lowering);
	done = lower_body(lowering, out);
	elements_end(lowering->elements, out);
	return done;
}

bool lower_with_holdings(struct compilation *compilation, const struct lowering_request *request, struct plan *plan,
	struct plan_nest *out, struct obstacle *obstacle)
{
	int count = request->variant->groups->count;
	struct lowering lowering = lowering_of(compilation, request->variant, request->model, request->schedule, plan);
	lowering.detail = request->detail;
	lowering.regions = request->regions;
	lowering.has_elements = request->schedule->mapping && request->detail != TO_WEIGH;
	lowering.stages = request->stages;
	lowering.stage_count = request->stage_count;
	make_stage_loops(&lowering);
	for (int a = 0; a < count; a++) {
		lowering.holdings[a] = request->holdings[a];
		lowering.holdings[a].store = store_with_blocks(&lowering, a, request->holdings[a].store);
	}
	bool done = lower_with_buffers(&lowering, out, obstacle);
	for (int a = 0; a < count && done; a++) {
		request->holdings[a].doubling = lowering.holdings[a].doubling;
		request->holdings[a].slots = lowering.holdings[a].slots;
	}
	lowering_end(&lowering);
	return done;
}
