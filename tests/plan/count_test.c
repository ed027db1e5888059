/* plan_count, which walks runs of iterations at once, against walking every iteration: on
 * random trees of loops, named values and conditions with random expressions. */

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ir/plan_count.h"

enum { TREES = 3000, ARRAYS = 2, VARS = 12, RANK = 3, STEP_LIMIT = 1000000 };

struct source {
	struct arena *arena;
	uint64_t state;
	int var_count;
	struct plan_var *vars[VARS];
	struct plan_buffer *buffers;
};

static long below(struct source *source, long bound)
{
	source->state = source->state * 6364136223846793005u + 1442695040888963407u;
	return (long)((source->state >> 33) % (uint64_t)bound);
}

/* ---- random trees ---- */

static struct plan_expr *random_expr(struct source *source, int depth)
{
	static const enum plan_op ops[] = { PLAN_ADD, PLAN_ADD, PLAN_SUB, PLAN_SUB, PLAN_MUL,
		PLAN_FLOORDIV, PLAN_MOD, PLAN_MIN, PLAN_MIN, PLAN_MAX, PLAN_MAX, PLAN_EQ, PLAN_LE,
		PLAN_AND, PLAN_OR, PLAN_NOT, PLAN_SELECT };
	struct arena *arena = source->arena;
	enum plan_op op = ops[below(source, sizeof ops / sizeof *ops)];

	if (!depth || !below(source, 5))
		return source->var_count && below(source, 3)
			? plan_ref(arena, source->vars[below(source, source->var_count)])
			: plan_const(arena, below(source, 40) - 12);
	struct plan_expr *left = random_expr(source, depth - 1);
	if (op == PLAN_FLOORDIV || op == PLAN_MOD)
		return plan_make(arena, op, left, plan_const(arena, 1 + below(source, 9)));
	if (op == PLAN_NOT)
		return plan_make(arena, op, left, NULL);
	struct plan_expr *right = random_expr(source, depth - 1);
	if (op == PLAN_SELECT)
		return plan_select(arena, plan_make(arena, PLAN_LE, left, right),
			random_expr(source, depth - 1), random_expr(source, depth - 1));
	return plan_make(arena, op, left, right);
}

static struct plan_var *push_var(struct source *source, long min, long max)
{
	struct plan_var *var = ARENA_NEW(source->arena, struct plan_var);

	var->name = arena_printf(source->arena, "v%d", source->var_count);
	var->min = min;
	var->max = max;
	source->vars[source->var_count++] = var;
	return var;
}

static void random_block(struct source *source, struct plan_node *block, int depth);

static struct plan_node *random_loop(struct source *source, int depth)
{
	struct arena *arena = source->arena;
	bool is_constant = below(source, 3);
	struct plan_expr *lower = is_constant ? plan_const(arena, below(source, 3))
		: random_expr(source, 1);
	struct plan_expr *upper = is_constant ? plan_const(arena, below(source, 40))
		: random_expr(source, 2);
	long min, max, ignored;

	/* Values of a loop that never runs are any. */
	plan_range(lower, &min, &ignored);
	plan_range(upper, &ignored, &max);
	struct plan_var *var = push_var(source, min, max < min ? min : max);
	struct plan_node *loop = plan_loop(arena, LOOP_TILE, var, lower, upper, 1 + below(source, 4));
	random_block(source, loop->body, depth - 1);
	source->var_count--;
	return loop;
}

static struct plan_node *random_node(struct source *source, int depth)
{
	struct arena *arena = source->arena;
	struct plan_node *node;
	struct plan_expr *value;
	long min, max;

	switch (depth ? below(source, 6) : 0) {
	case 0:
		node = plan_transfer(arena, below(source, 2), &source->buffers[below(source, ARRAYS)], 0);
		for (int d = 0; d < node->transfer.buffer->rank; d++)
			node->transfer.count[d] = random_expr(source, 2);
		return node;
	case 1:
		value = random_expr(source, 3);
		plan_range(value, &min, &max);
		node = plan_let(arena, push_var(source, min, max), value);
		random_block(source, node->body, depth - 1);
		source->var_count--;
		return node;
	case 2:
		node = plan_if(arena, random_expr(source, 3));
		random_block(source, node->body, depth - 1);
		return node;
	default:
		return random_loop(source, depth);
	}
}

static void random_block(struct source *source, struct plan_node *block, int depth)
{
	for (long i = 1 + below(source, 2); i > 0; i--)
		plan_append(source->arena, block, random_node(source, depth));
}

/* ---- the plain way ---- */

struct walk {
	const struct plan_var *vars[VARS];
	long values[VARS];
	int depth;
	struct plan_traffic traffic[ARRAYS];
	long steps;
};

static long value_of(const struct walk *walk, const struct plan_expr *expr)
{
	long operands[3] = { 0 };

	if (expr->op == PLAN_CONST)
		return expr->value;
	for (int i = walk->depth - 1; expr->op == PLAN_VAR; i--)
		if (walk->vars[i] == expr->var)
			return walk->values[i];
	for (int i = 0; i < plan_operand_count(expr->op); i++)
		operands[i] = value_of(walk, expr->operands[i]);
	return plan_apply(expr->op, operands[0], operands[1], operands[2]);
}

static void walk_node(struct walk *walk, const struct plan_node *node);

static void walk_with(struct walk *walk, const struct plan_node *node, long value)
{
	walk->vars[walk->depth] = node->var;
	walk->values[walk->depth++] = value;
	walk_node(walk, node->body);
	walk->depth--;
}

static void walk_transfer(struct walk *walk, const struct plan_transfer *transfer)
{
	struct plan_traffic *traffic = &walk->traffic[transfer->buffer->array->index];
	long bytes = transfer->buffer->array->type.bytes;

	for (int d = 0; d < transfer->buffer->rank; d++) {
		long count = value_of(walk, transfer->count[d]);

		bytes *= count > 0 ? count : 0;
	}
	traffic->flow.commands += bytes > 0;
	*(transfer->is_put ? &traffic->flow.write_bytes : &traffic->flow.read_bytes) += bytes;
}

static void walk_node(struct walk *walk, const struct plan_node *node)
{
	walk->steps++;
	switch (node->kind) {
	case PLAN_BLOCK:
		for (int i = 0; i < node->child_count; i++)
			walk_node(walk, node->children[i]);
		break;
	case PLAN_LOOP:
		for (long i = value_of(walk, node->lower), end = value_of(walk, node->upper);
		     i <= end && walk->steps < STEP_LIMIT; i += node->step)
			walk_with(walk, node, i);
		break;
	case PLAN_LET:
		walk_with(walk, node, value_of(walk, node->lower));
		break;
	case PLAN_IF:
		if (value_of(walk, node->condition))
			walk_node(walk, node->body);
		break;
	default:
		walk_transfer(walk, &node->transfer);
	}
}

static int try_tree(struct arena *arena, uint64_t seed)
{
	struct array arrays[ARRAYS] = {
		{ .name = "A", .type = { TYPE_INT16, 2, "int16_t" }, .rank = 1 },
		{ .name = "B", .type = { TYPE_INT32, 4, "int32_t" }, .rank = RANK, .index = 1 } };
	struct array *pointers[ARRAYS] = { &arrays[0], &arrays[1] };
	struct function function = { .name = "f", .array_count = ARRAYS, .arrays = pointers };
	struct plan_buffer buffers[ARRAYS] = { { .array = &arrays[0], .rank = 1 },
		{ .array = &arrays[1], .rank = RANK } };
	struct source source = { .arena = arena, .state = seed, .buffers = buffers };
	struct plan_node *block = plan_block(arena);
	struct walk walk = { .depth = 0 };
	long commands = 0;
	struct plan_traffic traffic[ARRAYS] = { { .array = NULL } };

	random_block(&source, block, 4);
	walk_node(&walk, block);
	if (walk.steps >= STEP_LIMIT)
		return 0;
	assert_true(plan_count(block, &function, 4L * STEP_LIMIT, traffic));
	for (int a = 0; a < ARRAYS; a++) {
		assert_int_equal(traffic[a].flow.read_bytes, walk.traffic[a].flow.read_bytes);
		assert_int_equal(traffic[a].flow.write_bytes, walk.traffic[a].flow.write_bytes);
		assert_int_equal(traffic[a].flow.commands, walk.traffic[a].flow.commands);
		commands += walk.traffic[a].flow.commands;
	}
	assert_int_equal(plan_traffic_commands(traffic, ARRAYS), commands);
	return commands > 0;
}

static void runs_count_as_iterations_do(void **state)
{
	int moving = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= TREES; seed++) {
		struct arena *arena = arena_new();

		moving += try_tree(arena, seed);
		arena_free(arena);
	}
	assert_true(moving > TREES / 4);
}

/* A triangle of 10^6 x 10^6 tiles, whose rows are clipped, takes a million steps. */
static void inner_loops_are_not_walked(void **state)
{
	enum { SIDE = 1000000 };
	struct arena *arena = arena_new();
	struct array array = { .name = "A", .source_name = "A", .type = { TYPE_INT16, 2, "int16_t" }, .rank = 1 };
	struct array *arrays[] = { &array };
	struct function function = { .name = "f", .array_count = 1, .arrays = arrays };
	struct plan_buffer buffer = { .array = &array, .rank = 1 };
	struct plan_var i = { .name = "i", .max = SIDE - 1 }, j = { .name = "j", .max = SIDE - 1 };
	struct plan_traffic traffic[1] = { { .array = NULL } };
	struct plan_node *outer = plan_loop(arena, LOOP_TILE, &i, plan_const(arena, 0),
		plan_const(arena, SIDE - 1), 1);
	struct plan_node *inner = plan_loop(arena, LOOP_TILE, &j, plan_const(arena, 0),
		plan_const(arena, SIDE - 1), 1);
	struct plan_node *get = plan_transfer(arena, false, &buffer, 0);

	(void)state;
	plan_append(arena, outer->body, inner);
	plan_append(arena, inner->body, get);
	get->transfer.count[0] = plan_make(arena, PLAN_MIN, plan_const(arena, 100),
		plan_make(arena, PLAN_SUB, plan_ref(arena, &i), plan_ref(arena, &j)));
	assert_true(plan_count(outer, &function, 4 * SIDE, traffic));
	/* sum over i of the sum over 1 <= d <= i of min(100, d) */
	long expected = 0, row = 0;
	for (long d = 0; d < SIDE; d++) {
		row += d < 100 ? d : 100;
		expected += row;
	}
	assert_int_equal(traffic[0].flow.read_bytes, 2 * expected);
	assert_int_equal(traffic[0].flow.commands, (long)SIDE * (SIDE - 1) / 2);
	assert_false(plan_count(outer, &function, SIDE, traffic));
	traffic[0].flow.commands = LONG_MAX;
	assert_int_equal(plan_traffic_commands(traffic, 1), LONG_MAX);
	assert_false(plan_count(outer, &function, 4 * SIDE, traffic));
	arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_count_as_iterations_do),
		cmocka_unit_test(inner_loops_are_not_walked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
