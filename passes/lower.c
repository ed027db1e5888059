/* A nest under its schedule becomes plan nodes: tile loops, transfers at their store
 * levels, and the statements of a tile. */

#include "passes/lowering.h"

#include <string.h>

#include "ir/macs.h"
#include "ir/plan_count.h"

#define ARENA(lowering) ((lowering)->compilation->arena)

/* ---- names ---- */

static bool function_has(const struct function *function, const char *name)
{
	for (int i = 0; i < function->array_count; i++)
		if (!strcmp(function->arrays[i]->name, name))
			return true;
	for (int i = 0; i < function->size_count; i++)
		if (!strcmp(function->sizes[i]->name, name))
			return true;
	return !strcmp(function->name, name) || !strcmp(name, "workspace");
}

static bool is_taken(const struct lowering *lowering, const char *name)
{
	for (const struct plan_name *n = *lowering->names; n; n = n->next)
		if (!strcmp(n->name, name))
			return true;
	return function_has(lowering->nest->function, name);
}

const char *unique_name(struct lowering *lowering, const char *base)
{
	const char *name = base;
	for (int i = 2; is_taken(lowering, name); i++)
		name = arena_printf(ARENA(lowering), "%s_%d", base, i);
	struct plan_name *taken = ARENA_NEW(ARENA(lowering), struct plan_name);
	*taken = (struct plan_name){ name, *lowering->names };
	*lowering->names = taken;
	return name;
}

struct plan_var *new_var(struct lowering *lowering, const char *base, long min, long max)
{
	struct plan_var *var = ARENA_NEW(ARENA(lowering), struct plan_var);
	*var = (struct plan_var){ unique_name(lowering, base), min, max };
	return var;
}

/* ---- tile loops ---- */

struct plan_expr *tile_at(const struct lowering *lowering, int l, struct plan_expr *position)
{
	const struct tile_loop *loop = &lowering->loops[l];
	if (!loop->is_backward)
		return position;
	struct arena *arena = ARENA(lowering);
	struct plan_expr *down = plan_make(arena, PLAN_SUB, plan_const(arena, loop->count - 1),
		position);
	return plan_select(arena, loop->is_backward, down, position);
}

/* Loop L goes down in its odd runs: the number of runs before this one, modulo 2. */
static struct plan_expr *is_odd_run(const struct lowering *lowering, int l)
{
	struct arena *arena = ARENA(lowering);
	struct plan_expr *runs = plan_const(arena, 0);
	bool even = false;           /* outer loops take an even number of runs each */
	for (int m = l - 1; m >= 0 && !even; m--) {
		runs = plan_make(arena, PLAN_ADD, plan_ref(arena, lowering->loops[m].var), runs);
		even = lowering->loops[m].count % 2 == 0;
	}
	return plan_make(arena, PLAN_MOD, runs, plan_const(arena, 2));
}

static void make_tile_loops(struct lowering *lowering)
{
	const struct schedule *schedule = lowering->schedule;
	for (int dim = 0; dim < NEST_LOOPS; dim++)
		lowering->loop_of_dim[dim] = -1;
	lowering->depth = schedule->depth;
	for (int l = 0; l < schedule->depth; l++) {
		struct tile_loop *loop = &lowering->loops[l];
		loop->dim = schedule->order[l];
		loop->size = schedule->tile[loop->dim];
		loop->count = (lowering->nest->band[loop->dim].extent + loop->size - 1) / loop->size;
		lowering->loop_of_dim[loop->dim] = l;
		const char *name = lowering->nest->band[loop->dim].name;
		loop->var = l < lowering->nest->outer_count ? lowering->nest->outer_vars[l]
			: new_var(lowering, arena_printf(ARENA(lowering), "%s_tile", name), 0,
				loop->count - 1);
		struct plan_expr *odd = l ? is_odd_run(lowering, l) : NULL;
		loop->is_serpentine = schedule->is_serpentine[loop->dim] || !l;
		if (schedule->is_serpentine[loop->dim] && l) {
			loop->is_backward = odd;
			loop->tile_var = new_var(lowering, arena_printf(ARENA(lowering), "%s_turned", name), 0,
				loop->count - 1);
		} else {
			loop->tile_var = loop->var;
		}
	}
}

/* ---- levels ---- */

static void append_wait(struct lowering *lowering, struct plan_node *block, unsigned tags)
{
	if (tags)
		plan_append(ARENA(lowering), block, plan_wait(ARENA(lowering), tags));
}

static unsigned append_gets(struct lowering *lowering, int depth, struct plan_node *block)
{
	unsigned tags = 0;
	for (int a = 0; a < lowering->nest->array_count; a++)
		if (lowering->store[a] == depth)
			tags |= lowering->regions ? append_exact_gets(lowering, a, block)
				: append_general_gets(lowering, a, block);
	return tags;
}

static unsigned append_puts(struct lowering *lowering, int depth, struct plan_node *block)
{
	unsigned tags = 0;
	for (int a = 0; a < lowering->nest->array_count; a++)
		if (lowering->store[a] == depth)
			tags |= lowering->regions ? append_exact_puts(lowering, a, block)
				: append_general_puts(lowering, a, block);
	return tags;
}

static unsigned tags_after_run(const struct lowering *lowering, int depth)
{
	unsigned tags = 0;
	for (int a = 0; a < lowering->nest->array_count && lowering->regions; a++)
		if (lowering->store[a] == depth)
			tags |= exact_tags_after_run(lowering, a);
	return tags;
}

/* What runs inside the first DEPTH tile loops. */
static bool lower_level(struct lowering *lowering, int depth, struct plan_node *block)
{
	struct arena *arena = ARENA(lowering);
	append_wait(lowering, block, append_gets(lowering, depth, block));
	bool done;
	if (depth == lowering->depth) {
		done = lowering->detail == TO_WEIGH || lower_points(lowering, block);
	} else {
		const struct tile_loop *loop = &lowering->loops[depth];
		struct plan_node *node = plan_loop(arena, LOOP_TILE, loop->var, plan_const(arena, 0),
			plan_const(arena, loop->count - 1), 1);
		plan_append(arena, block, node);
		struct plan_node *body = node->body;
		if (loop->tile_var != loop->var) {
			struct plan_node *let = plan_let(arena, loop->tile_var,
				tile_at(lowering, depth, plan_ref(arena, loop->var)));
			plan_append(arena, body, let);
			body = let->body;
		}
		done = lower_level(lowering, depth + 1, body);
		append_wait(lowering, block, tags_after_run(lowering, depth + 1));
	}
	append_wait(lowering, block, append_puts(lowering, depth, block));
	return done;
}

/* ---- a nest ---- */

static void register_buffers(struct lowering *lowering)
{
	struct plan *plan = lowering->plan;
	int count = plan->buffer_count + lowering->nest->array_count;
	struct plan_buffer **buffers = ARENA_ARRAY(ARENA(lowering), struct plan_buffer *, count + 1);
	if (plan->buffer_count)
		memcpy(buffers, plan->buffers, (size_t)plan->buffer_count * sizeof *buffers);
	for (int a = 0; a < lowering->nest->array_count; a++) {
		lowering->buffers[a]->index = plan->buffer_count;
		buffers[plan->buffer_count++] = lowering->buffers[a];
	}
	plan->buffers = buffers;
}

bool nest_count_traffic(struct compilation *compilation, const struct nest *nest,
	struct plan_nest *out)
{
	enum { STEPS = 30000000 };
	const struct function *function = nest->function;
	struct plan_traffic *all = ARENA_ARRAY(compilation->arena, struct plan_traffic,
		function->array_count + 1);
	for (int i = 0; i < function->array_count; i++)
		all[i].array = function->arrays[i];
	if (!plan_count(out->body, function, STEPS, all, NULL))
		return false;
	out->traffic_count = 0;
	out->traffic = ARENA_ARRAY(compilation->arena, struct plan_traffic,
		nest->array_count + 1);
	for (int a = 0; a < nest->array_count; a++) {
		const struct array *array = nest->arrays[a].array;
		bool is_new = true;
		for (int b = 0; b < a; b++)
			is_new &= nest->arrays[b].array != array;
		if (is_new)
			out->traffic[out->traffic_count++] = all[array->index];
	}
	return true;
}

long nest_macs(const struct nest *nest)
{
	long total = 0;
	for (int s = 0; s < nest->statement_count; s++) {
		int macs = statement_macs(nest->statements[s]);
		long runs = macs ? set_count(isl_set_copy(nest->statements[s]->domain)) : 0, product;
		if (runs < 0 || __builtin_mul_overflow(runs, macs, &product)
			|| __builtin_add_overflow(total, product, &total))
			return -1;
	}
	return total;
}

void nest_make_outer_vars(struct compilation *compilation, const struct nest *nest,
	struct plan *plan, struct plan_var **vars)
{
	struct lowering lowering = { .compilation = compilation, .nest = nest, .plan = plan,
		.names = &plan->names };
	for (int l = 0; l < nest->prefix; l++)
		vars[l] = new_var(&lowering, arena_printf(compilation->arena, "%s_tile",
			nest->band[l].name), 0, nest->band[l].extent - 1);
}

struct plan_node *plan_around(const struct nest *nest, struct arena *arena,
	struct plan_node *block)
{
	for (int l = 0; l < nest->outer_count; l++) {
		struct plan_node *loop = plan_loop(arena, LOOP_TILE, nest->outer_vars[l],
			plan_const(arena, 0), plan_const(arena, nest->band[l].extent - 1), 1);
		plan_append(arena, block, loop);
		block = loop->body;
	}
	return block;
}

/* Buffers are made; now the body, its traffic, and the plan's list of buffers. */
static bool lower_body(struct lowering *lowering, struct plan_nest *out)
{
	int outer = lowering->nest->outer_count;
	out->body = plan_block(ARENA(lowering));
	out->inner = plan_around(lowering->nest, ARENA(lowering), out->body);
	if (!lower_level(lowering, outer, out->inner) || !nest_count_traffic(lowering->compilation, lowering->nest, out))
		return false;
	register_buffers(lowering);
	out->scratchpad_used_bytes = 0;
	for (int a = 0; a < lowering->nest->array_count; a++)
		out->scratchpad_used_bytes += lowering->buffers[a]->bytes;
	return true;
}

static struct lowering lowering_of(struct compilation *compilation, const struct nest *nest,
	const struct schedule *schedule, struct plan *plan)
{
	struct lowering lowering = { .compilation = compilation, .nest = nest,
		.schedule = schedule, .plan = plan, .names = &plan->names };
	lowering.buffers = ARENA_ARRAY(compilation->arena, struct plan_buffer *,
		nest->array_count + 1);
	lowering.store = ARENA_ARRAY(compilation->arena, int, nest->array_count + 1);
	lowering.slides = ARENA_ARRAY(compilation->arena, bool, nest->array_count + 1);
	lowering.instances = ARENA_ARRAY(compilation->arena, isl_set *,
		nest->statement_count * (NEST_LOOPS + 1) * REACHES);
	make_tile_loops(&lowering);
	return lowering;
}

/* Frees what is not the arena's. */
static void lowering_end(struct lowering *lowering)
{
	for (int i = 0; i < lowering->nest->statement_count * (NEST_LOOPS + 1) * REACHES; i++)
		isl_set_free(lowering->instances[i]);
}

static bool lower_with_buffers(struct lowering *lowering, struct plan_nest *out,
	struct obstacle *obstacle)
{
	*obstacle = (struct obstacle){ 0, { -1, -1 } };
	if (!groups_are_apart(lowering, obstacle->clash))
		return false;
	if (lowering->regions)
		make_exact_buffers(lowering);
	else if (!make_general_buffers(lowering, &obstacle->needed_bytes))
		return false;
	obstacle->needed_bytes = 0;
	return lower_body(lowering, out);
}

bool nest_lower(struct compilation *compilation, const struct nest *nest,
	const struct nest_model *model, const struct region *regions, bool exact,
	const struct schedule *schedule, enum detail detail, struct plan *plan,
	struct plan_nest *out, struct obstacle *obstacle)
{
	struct lowering lowering = lowering_of(compilation, nest, schedule, plan);
	lowering.model = model;
	lowering.detail = detail;
	lowering.regions = exact ? regions : NULL;
	for (int a = 0; a < nest->array_count; a++) {
		lowering.store[a] = schedule->storage[a].store;
		lowering.slides[a] = schedule->storage[a].is_sliding;
	}
	bool done = lower_with_buffers(&lowering, out, obstacle);
	lowering_end(&lowering);
	return done;
}

bool group_lower(struct compilation *compilation, const struct nest *group,
	const struct schedule *schedule, const int *store, enum detail detail, struct plan *plan,
	struct plan_nest *out)
{
	struct lowering lowering = lowering_of(compilation, group, schedule, plan);
	long needed;
	lowering.detail = detail;
	for (int a = 0; a < group->array_count; a++) {
		lowering.store[a] = store[a];
		lowering.slides[a] = true;
	}
	bool done = make_general_buffers(&lowering, &needed) && lower_body(&lowering, out);
	lowering_end(&lowering);
	return done;
}
