/* Expressions fold without changing their value; plans print, parse and verify; the
 * verifier sees what is broken. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ir/plan_box.h"
#include "ir/plan_count.h"
#include "passes/plan_passes/simplify.h"
#include "passes/plan_passes/split.h"
#include "tests/plan/random_plan.h"

enum { VARS = 4, EXPRESSIONS = 20000, POINTS = 12, PLANS = 60, STEP_LIMIT = 1000000 };

static const struct arch machine = { .name = "test \"quoted\"", .scratchpad_bytes = 1 << 20,
	.banks = 1, .align_bytes = 64, .bytes_per_cycle = 0.1, .clock_hz = 5e8, .max_rank = 2,
	.max_bytes = 40 };

/* ------------------------------------------------------------------ expressions */

struct expressions {
	struct random_source random;
	struct arena *arena;
	struct plan_var vars[VARS];
	long values[VARS];
};

/* A random expression, as the makers fold it and as it is written. */
struct pair {
	struct plan_expr *folded, *raw;
};

static struct pair leaf(struct expressions *e)
{
	long value = random_below(&e->random, 21) - 10;
	struct plan_var *var = &e->vars[random_below(&e->random, VARS)];
	struct pair pair = { plan_const(e->arena, value), plan_const(e->arena, value) };

	if (random_below(&e->random, 3) > 0) {
		pair.folded = plan_ref(e->arena, var);
		pair.raw = plan_raw(e->arena, PLAN_VAR, NULL, NULL, NULL);
		pair.raw->var = var;
	}
	return pair;
}

static struct pair truth(struct expressions *e, struct pair a)
{
	struct pair zero = { plan_const(e->arena, 0), plan_const(e->arena, 0) };

	return (struct pair){ plan_make(e->arena, PLAN_EQ, a.folded, zero.folded),
		plan_raw(e->arena, PLAN_EQ, a.raw, zero.raw, NULL) };
}

static struct pair random_pair(struct expressions *e, int depth)
{
	static const enum plan_op ops[] = { PLAN_ADD, PLAN_SUB, PLAN_ADD, PLAN_SUB, PLAN_MUL,
		PLAN_FLOORDIV, PLAN_MOD, PLAN_MIN, PLAN_MAX, PLAN_EQ, PLAN_LE, PLAN_AND, PLAN_OR,
		PLAN_NOT, PLAN_SELECT };
	enum plan_op op = ops[random_below(&e->random, sizeof ops / sizeof *ops)];
	struct pair a, b, c;

	if (depth == 0 || random_below(&e->random, 6) == 0)
		return leaf(e);
	a = random_pair(e, depth - 1);
	b = random_pair(e, depth - 1);
	if (op == PLAN_MUL || op == PLAN_FLOORDIV || op == PLAN_MOD) {
		long value = 1 + random_below(&e->random, 6);

		b.folded = b.raw = plan_const(e->arena, value);
	}
	if (op == PLAN_AND || op == PLAN_OR || op == PLAN_NOT || op == PLAN_SELECT)
		a = truth(e, a);
	if (op == PLAN_AND || op == PLAN_OR)
		b = truth(e, b);
	if (op == PLAN_SELECT) {
		c = random_pair(e, depth - 1);
		return (struct pair){ plan_select(e->arena, a.folded, b.folded, c.folded),
			plan_raw(e->arena, op, a.raw, b.raw, c.raw) };
	}
	return (struct pair){ plan_make(e->arena, op, a.folded, b.folded),
		plan_raw(e->arena, op, a.raw, op == PLAN_NOT ? NULL : b.raw, NULL) };
}

static long value_of(const struct expressions *e, const struct plan_expr *expr)
{
	long value[3] = { 0 };

	for (int i = 0; i < plan_operand_count(expr->op); i++)
		value[i] = value_of(e, expr->operands[i]);
	switch (expr->op) {
	case PLAN_CONST: return expr->value;
	case PLAN_VAR: return e->values[expr->var - e->vars];
	case PLAN_ADD: return value[0] + value[1];
	case PLAN_SUB: return value[0] - value[1];
	case PLAN_MUL: return value[0] * value[1];
	case PLAN_FLOORDIV: return (value[0] - (value[0] % value[1] + value[1]) % value[1])
		/ value[1];
	case PLAN_MOD: return (value[0] % value[1] + value[1]) % value[1];
	case PLAN_MIN: return value[0] < value[1] ? value[0] : value[1];
	case PLAN_MAX: return value[0] > value[1] ? value[0] : value[1];
	case PLAN_EQ: return value[0] == value[1];
	case PLAN_LE: return value[0] <= value[1];
	case PLAN_AND: return value[0] && value[1];
	case PLAN_OR: return value[0] || value[1];
	case PLAN_NOT: return !value[0];
	case PLAN_SELECT: return value[0] ? value[1] : value[2];
	}
	return 0;
}

static void set_up_expressions(struct expressions *e, unsigned long seed)
{
	static const char *const names[VARS] = { "i", "j", "step", "min" };

	memset(e, 0, sizeof *e);
	e->random.state = seed;
	e->arena = arena_new();
	for (int v = 0; v < VARS; v++) {
		e->vars[v].name = names[v];
		e->vars[v].min = random_below(&e->random, 9) - 4;
		e->vars[v].max = e->vars[v].min + random_below(&e->random, 9);
	}
}

static void pick_values(struct expressions *e)
{
	for (int v = 0; v < VARS; v++)
		e->values[v] = e->vars[v].min
			+ random_below(&e->random, e->vars[v].max - e->vars[v].min + 1);
}

static void test_folding_keeps_values(void **state)
{
	(void)state;
	for (unsigned long seed = 0; seed < EXPRESSIONS / 100; seed++) {
		struct expressions e;

		set_up_expressions(&e, seed);
		for (int i = 0; i < 100; i++) {
			struct pair pair = random_pair(&e, 4);
			long min, max;

			plan_range(pair.folded, &min, &max);
			for (int p = 0; p < POINTS; p++) {
				pick_values(&e);
				assert_int_equal(value_of(&e, pair.folded), value_of(&e, pair.raw));
				assert_in_range(value_of(&e, pair.folded) - min, 0, max - min);
			}
		}
		arena_free(e.arena);
	}
}

/* The makers' result is their own normal form: folded again, it stays. */
static struct plan_expr *refold(struct arena *arena, const struct plan_expr *expr)
{
	struct plan_expr *operands[3] = { NULL };

	for (int i = 0; i < plan_operand_count(expr->op); i++)
		operands[i] = refold(arena, expr->operands[i]);
	if (expr->op == PLAN_CONST)
		return plan_const(arena, expr->value);
	if (expr->op == PLAN_VAR)
		return plan_ref(arena, expr->var);
	if (expr->op == PLAN_SELECT)
		return plan_select(arena, operands[0], operands[1], operands[2]);
	return plan_make(arena, expr->op, operands[0], operands[1]);
}

static void test_folding_is_stable(void **state)
{
	(void)state;
	for (unsigned long seed = 0; seed < EXPRESSIONS / 100; seed++) {
		struct expressions e;

		set_up_expressions(&e, seed + 77);
		for (int i = 0; i < 100; i++) {
			struct pair pair = random_pair(&e, 4);

			assert_true(plan_equal(pair.folded, refold(e.arena, pair.folded)));
		}
		arena_free(e.arena);
	}
}

static void test_sums_cancel(void **state)
{
	struct expressions e;
	struct plan_expr *i, *sum;
	long value = 0;

	(void)state;
	set_up_expressions(&e, 1);
	i = plan_ref(e.arena, &e.vars[0]);
	sum = plan_make(e.arena, PLAN_ADD, plan_make(e.arena, PLAN_MUL, i, plan_const(e.arena, 3)),
		plan_const(e.arena, 7));
	sum = plan_make(e.arena, PLAN_SUB, sum, plan_make(e.arena, PLAN_ADD, i, i));
	sum = plan_make(e.arena, PLAN_SUB, sum, i);
	assert_true(plan_is_const(sum, &value));
	assert_int_equal(value, 7);
	arena_free(e.arena);
}

/* ------------------------------------------------------------------ plans */

struct sample {
	struct arena *arena;
	isl_ctx *ctx;
	struct program *program;
	struct plan *plans[PLANS];
};

static void set_up(struct sample *sample, unsigned long seed)
{
	sample->arena = arena_new();
	sample->ctx = isl_ctx_alloc();
	sample->program = random_program(sample->arena, sample->ctx, seed, PLANS, &machine,
		sample->plans);
}

static void tear_down(struct sample *sample)
{
	arena_free(sample->arena);
	isl_ctx_free(sample->ctx);
}

static char *print_plan(const struct plan *plan)
{
	char *text = NULL, *copy;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	plan_print_alone(stream, plan);
	fclose(stream);
	copy = strdup(text);
	free(text);
	assert_non_null(copy);
	return copy;
}

static struct plan *parse_plan(struct sample *sample, struct diag *diag, const char *text)
{
	int count;
	struct plan **plans = plans_parse_alone(sample->arena, diag, "x.plan", text, 1,
		sample->program, &count);

	return plans && count == 1 ? plans[0] : NULL;
}

static void check_round_trip(struct sample *sample, const struct plan *plan)
{
	struct diag *diag = diag_new(stderr);
	char *text = print_plan(plan), *again;
	struct plan *parsed = parse_plan(sample, diag, text);

	assert_non_null(parsed);
	again = print_plan(parsed);
	assert_string_equal(text, again);
	assert_true(plan_verify(parsed));
	free(text);
	free(again);
	diag_free(diag);
}

static void test_round_trip(void **state)
{
	struct sample sample;

	(void)state;
	set_up(&sample, 11);
	for (int i = 0; i < PLANS; i++) {
		assert_true(plan_verify(sample.plans[i]));
		check_round_trip(&sample, sample.plans[i]);
		assert_true(split_transfers(sample.plans[i]));
		check_round_trip(&sample, sample.plans[i]);
	}
	tear_down(&sample);
}

/* No text makes the parser crash, and what it accepts prints. */
static void test_damaged_text(void **state)
{
	struct random_source random = { 5 };
	struct sample sample;
	FILE *null = fopen("/dev/null", "w");

	(void)state;
	set_up(&sample, 12);
	for (int i = 0; i < 400; i++) {
		struct diag *diag = diag_new(null);
		char *text = print_plan(sample.plans[i % PLANS]), *again;
		size_t length = strlen(text);
		struct plan *plan;

		for (long change = random_below(&random, 3); change >= 0; change--) {
			size_t at = (size_t)random_below(&random, (long)length);

			if (random_below(&random, 3) == 0)
				text[at] = '\0';
			else
				text[at] = text[random_below(&random, (long)length)];
			length = strlen(text) > 0 ? strlen(text) : 1;
		}
		plan = parse_plan(&sample, diag, text);
		assert_true(plan || diag_error_count(diag) > 0 || !strstr(text, "plan"));
		if (plan) {
			again = print_plan(plan);
			free(again);
		}
		free(text);
		diag_free(diag);
	}
	fclose(null);
	tear_down(&sample);
}

static void test_deep_nesting_is_an_error(void **state)
{
	static const char *const openings[] = { "(", "!", "min(" };
	struct sample sample;
	FILE *null = fopen("/dev/null", "w");

	(void)state;
	set_up(&sample, 13);
	for (size_t i = 0; i < sizeof openings / sizeof *openings; i++) {
		struct diag *diag = diag_new(null);
		char *text = print_plan(sample.plans[0]), *body = strstr(text, "body {");
		size_t unit = strlen(openings[i]), count = 100000;
		char *deep = calloc(1, (size_t)(body - text) + unit * count + 100);

		assert_non_null(deep);
		memcpy(deep, text, (size_t)(body - text));
		strcat(deep, "body { if ");
		for (size_t n = 0, end = strlen(deep); n < count; n++, end += unit)
			memcpy(deep + end, openings[i], unit);
		assert_null(parse_plan(&sample, diag, deep));
		assert_int_equal(diag_error_count(diag), 1);
		free(deep);
		free(text);
		diag_free(diag);
	}
	fclose(null);
	tear_down(&sample);
}

/* ------------------------------------------------------------------ splitting */

static void check_boxes(const struct plan_node *node, const struct arch *arch)
{
	if (node->kind == PLAN_TRANSFER) {
		struct plan_box box;

		plan_box(&node->transfer, &box);
		assert_true(plan_box_fits(&box, node->transfer.buffer, arch));
	}
	if (node->body)
		check_boxes(node->body, arch);
	for (int i = 0; i < node->child_count; i++)
		check_boxes(node->children[i], arch);
}

static void count_plan(const struct plan *plan, struct plan_traffic *traffic, long *commands)
{
	memset(traffic, 0, 3 * sizeof *traffic);
	assert_true(plan_count(plan->nests[0].body, plan->function, STEP_LIMIT, traffic));
	*commands = plan_traffic_commands(traffic, 3);
	/* which are not the same for the pieces of a transfer */
	for (int a = 0; a < 3; a++)
		traffic[a].flow.commands = 0;
}

/* Pieces are within the limits, move the same bytes, and a second split finds nothing
 * to do. */
static void test_split(void **state)
{
	struct random_source random = { 3 };
	struct sample sample;

	(void)state;
	set_up(&sample, 14);
	for (int i = 0; i < PLANS; i++) {
		struct plan *plan = sample.plans[i];
		struct plan_traffic before[3], after[3];
		long commands, pieces, again;
		struct arch arch = machine;

		arch.max_rank = 1 + (int)random_below(&random, 3);
		arch.max_bytes = 8 + random_below(&random, 60);
		arch.max_count = random_below(&random, 5);
		arch.max_stride_bytes = random_below(&random, 2) * (8 + random_below(&random, 90));
		plan->arch = &arch;
		count_plan(plan, before, &commands);
		assert_true(split_transfers(plan));
		check_boxes(plan->nests[0].body, &arch);
		assert_true(plan_verify(plan));
		count_plan(plan, after, &pieces);
		assert_memory_equal(before, after, sizeof before);
		assert_true(pieces >= commands);
		assert_true(split_transfers(plan));
		count_plan(plan, after, &again);
		assert_int_equal(again, pieces);
	}
	tear_down(&sample);
}

static int count_ifs(const struct plan_node *node)
{
	int count = node->kind == PLAN_IF;

	if (node->body)
		count += count_ifs(node->body);
	for (int i = 0; i < node->child_count; i++)
		count += count_ifs(node->children[i]);
	return count;
}

/* Simplified plans move the same, hold what plans hold, and have what cannot happen
 * removed: of four conditions around a fetch at most one is left. */
static void test_simplify(void **state)
{
	struct sample sample;
	int before = 0, after = 0;

	(void)state;
	set_up(&sample, 15);
	for (int i = 0; i < PLANS; i++) {
		struct plan *plan = sample.plans[i];
		struct plan_traffic full[3], simple[3];
		long commands, same;

		count_plan(plan, full, &commands);
		before += count_ifs(plan->nests[0].body);
		plan_simplify(plan);
		after += count_ifs(plan->nests[0].body);
		assert_true(plan_verify(plan));
		count_plan(plan, simple, &same);
		assert_memory_equal(full, simple, sizeof full);
		assert_int_equal(commands, same);
		check_round_trip(&sample, plan);
	}
	assert_true(before >= 40);
	assert_true(after <= before / 4);
	tear_down(&sample);
}

enum { SIMPLIFY_ROOM = 10000 };      /* elements of the buffer */

/* A plan of one transfer whose count is VALUE of a variable 0 .. 9 and of LET, which is ten
 * times that, under CONDITION. */
static struct plan_expr *simplified_under(struct arena *arena, struct plan_var *var,
	struct plan_var *let, struct plan_expr *condition, struct plan_expr *value)
{
	static struct array array = { .name = "A", .source_name = "A", .type = { TYPE_INT8, 1, "int8_t" }, .rank = 1,
		.extents = { SIMPLIFY_ROOM } };
	static struct plan_buffer buffer = { .name = "A_0", .array = &array, .rank = 1, .slots = 1,
		.dims = { { .extent = SIMPLIFY_ROOM, .stride = 1, .modulus = SIMPLIFY_ROOM } } };
	struct plan_nest nest = { .name = "f", .body = plan_block(arena) };
	struct plan plan = { .arena = arena, .nest_count = 1, .nests = &nest };
	struct plan_node *loop = plan_loop(arena, LOOP_TILE, var, plan_const(arena, 0),
		plan_const(arena, 9), 1);
	struct plan_node *outer = plan_let(arena, let, plan_make(arena, PLAN_MUL,
		plan_ref(arena, var), plan_const(arena, 10)));
	struct plan_node *node = plan_if(arena, condition);
	struct plan_node *get = plan_transfer(arena, false, &buffer, 0);

	get->transfer.first[0] = get->transfer.local[0] = plan_const(arena, 0);
	get->transfer.count[0] = value;
	plan_append(arena, nest.body, loop);
	plan_append(arena, loop->body, outer);
	plan_append(arena, outer->body, node);
	plan_append(arena, node->body, get);
	plan_simplify(&plan);
	return get->transfer.count[0];
}

static void test_simplify_knows_conditions(void **state)
{
	struct arena *arena = arena_new();
	struct plan_var var = { .name = "i", .min = 0, .max = 9 };
	struct plan_var let = { .name = "j", .min = 0, .max = 90 };
	struct plan_expr *i = plan_ref(arena, &var), *seven = plan_const(arena, 7);
	struct plan_expr *minimum = plan_make(arena, PLAN_MIN, i, seven);
	struct plan_expr *is_last = plan_make(arena, PLAN_EQ, i, plan_const(arena, 9));
	struct plan_expr *up_to_seven = plan_make(arena, PLAN_LE, i, seven);
	struct plan_expr *simple;
	long value = 0;

	(void)state;
	simple = simplified_under(arena, &var, &let, is_last, minimum);
	assert_true(plan_is_const(simple, &value));
	assert_int_equal(value, 7);
	simple = simplified_under(arena, &var, &let, up_to_seven, minimum);
	assert_ptr_equal(simple->var, &var);
	simple = simplified_under(arena, &var, &let, plan_make(arena, PLAN_NOT, up_to_seven, NULL),
		minimum);
	assert_true(plan_is_const(simple, &value));
	assert_int_equal(value, 7);
	simple = simplified_under(arena, &var, &let, plan_make(arena, PLAN_NOT, is_last, NULL),
		plan_make(arena, PLAN_MIN, i, plan_const(arena, 8)));
	assert_ptr_equal(simple->var, &var);
	simple = simplified_under(arena, &var, &let, plan_make(arena, PLAN_EQ,
		plan_make(arena, PLAN_MUL, i, plan_const(arena, 3)), plan_const(arena, 6)), i);
	assert_true(plan_is_const(simple, &value));
	assert_int_equal(value, 2);
	assert_int_equal(var.min, 0);
	assert_int_equal(var.max, 9);
	arena_free(arena);
}

/* (i == 9 ? 93 : j + 9) - (i == 0 ? 0 : j - 4) + 1, where j is ten times i, is a choice
 * of constants. */
static void test_simplify_lifts_choices(void **state)
{
	struct arena *arena = arena_new();
	struct plan_var var = { .name = "i", .min = 0, .max = 9 };
	struct plan_var let = { .name = "j", .min = 0, .max = 90 };
	struct plan_expr *i = plan_ref(arena, &var), *j = plan_ref(arena, &let);
	struct plan_expr *is_last = plan_make(arena, PLAN_EQ, i, plan_const(arena, 9));
	struct plan_expr *is_first = plan_make(arena, PLAN_EQ, i, plan_const(arena, 0));
	struct plan_expr *end = plan_select(arena, is_last, plan_const(arena, 93),
		plan_make(arena, PLAN_ADD, j, plan_const(arena, 9)));
	struct plan_expr *start = plan_select(arena, is_first, plan_const(arena, 0),
		plan_make(arena, PLAN_SUB, j, plan_const(arena, 4)));
	struct plan_expr *count = plan_make(arena, PLAN_ADD,
		plan_make(arena, PLAN_SUB, end, start), plan_const(arena, 1));
	struct plan_expr *simple = simplified_under(arena, &var, &let,
		plan_make(arena, PLAN_LE, i, plan_const(arena, 20)), count);
	struct plan_expr *expected = plan_select(arena, is_last, plan_const(arena, 8),
		plan_select(arena, is_first, plan_const(arena, 10), plan_const(arena, 14)));

	(void)state;
	assert_true(plan_equal(simple, expected));
	/* a let whose variable has one value has one too */
	count = plan_make(arena, PLAN_MUL, start, plan_ref(arena, &let));
	simple = simplified_under(arena, &var, &let, is_last, count);
	assert_true(plan_equal(simple, plan_const(arena, 86 * 90)));
	/* no more comes than there is room for */
	count = plan_select(arena, is_first, plan_const(arena, SIMPLIFY_ROOM),
		plan_const(arena, SIMPLIFY_ROOM + 2));
	simple = simplified_under(arena, &var, &let, plan_make(arena, PLAN_LE, i, plan_const(arena, 20)),
		count);
	assert_true(plan_equal(simple, plan_const(arena, SIMPLIFY_ROOM)));
	/* what is too much for certain is left to the verifier */
	count = plan_const(arena, SIMPLIFY_ROOM + 2);
	simple = simplified_under(arena, &var, &let, plan_make(arena, PLAN_LE, i, plan_const(arena, 20)),
		count);
	assert_true(plan_equal(simple, count));
	arena_free(arena);
}

/* One box of 4 x 10 x 6 int16 in an array of 5 x 20 x 6: what the fewest commands are
 * is known by hand. */
static void split_box(const struct arch *arch, long expected)
{
	struct arena *arena = arena_new();
	struct array array = { .name = "A", .source_name = "A", .type = { TYPE_INT16, 2, "int16_t" }, .rank = 3,
		.extents = { 5, 20, 6 } };
	struct array *arrays[] = { &array };
	struct function function = { .name = "f", .array_count = 1, .arrays = arrays };
	struct plan_buffer buffer = { .name = "A_0", .array = &array, .rank = 3, .slots = 1,
		.dims = { { .extent = 4, .stride = 1 }, { .extent = 10, .stride = 1 },
			{ .extent = 6, .stride = 1 } } };
	struct plan_nest nest = { .name = "f", .body = plan_block(arena) };
	struct plan plan = { .arena = arena, .function = &function, .arch = arch, .nest_count = 1,
		.nests = &nest };
	struct plan_node *get = plan_transfer(arena, false, &buffer, 0);
	struct plan_traffic traffic[1] = { { .array = NULL } };

	for (int d = 0; d < 3; d++) {
		get->transfer.first[d] = get->transfer.local[d] = plan_const(arena, 0);
		get->transfer.count[d] = plan_const(arena, buffer.dims[d].extent);
	}
	plan_append(arena, nest.body, get);
	assert_true(split_transfers(&plan));
	assert_true(plan_count(nest.body, &function, 1000, traffic));
	assert_int_equal(traffic[0].flow.read_bytes, 4 * 10 * 6 * 2);
	assert_int_equal(traffic[0].flow.commands, expected);
	arena_free(arena);
}

static void test_split_by_hand(void **state)
{
	(void)state;
	split_box(&(struct arch){ .max_rank = 0 }, 1);
	split_box(&(struct arch){ .max_rank = 2 }, 1);       /* rows of 60 merge: 4 x 60 */
	split_box(&(struct arch){ .max_rank = 1 }, 4);
	split_box(&(struct arch){ .max_bytes = 480 }, 1);
	split_box(&(struct arch){ .max_bytes = 479 }, 2);
	split_box(&(struct arch){ .max_bytes = 240 }, 2);
	split_box(&(struct arch){ .max_bytes = 239 }, 3);    /* 4 x 4 x 6, the last 4 x 2 x 6 */
	split_box(&(struct arch){ .max_rank = 1, .max_bytes = 119 }, 8);
	split_box(&(struct arch){ .max_count = 60 }, 1);
	split_box(&(struct arch){ .max_count = 59 }, 2);
	split_box(&(struct arch){ .max_stride_bytes = 240 }, 1);
	split_box(&(struct arch){ .max_stride_bytes = 239 }, 4);
	split_box(&(struct arch){ .max_rank = 1, .max_bytes = 2 }, 240);
}

/* ------------------------------------------------------------------ the verifier */

/* The first node of KIND below NODE, and its block. */
static struct plan_node *find(struct plan_node *node, enum plan_kind kind, struct plan_node **block,
	int *index)
{
	for (int i = 0; i < node->child_count; i++) {
		struct plan_node *child = node->children[i], *found;

		if (child->kind == kind) {
			*block = node;
			*index = i;
			return child;
		}
		found = child->body ? find(child->body, kind, block, index) : NULL;
		if (found)
			return found;
	}
	return NULL;
}

static void remove_wait(struct plan *plan)
{
	struct plan_node *block = NULL;
	int index = 0;

	find(plan->nests[0].body, PLAN_WAIT, &block, &index);
	block->children[index]->tags = 0;
}

static void shift_region(struct plan *plan)
{
	struct plan_node *block, *node;
	int index;

	node = find(plan->nests[0].body, PLAN_TRANSFER, &block, &index);
	node->transfer.first[0] = plan_const(plan->arena, -1);
}

static void shift_local(struct plan *plan)
{
	struct plan_node *block, *node;
	int index;

	node = find(plan->nests[0].body, PLAN_TRANSFER, &block, &index);
	node->transfer.local[0] = plan_const(plan->arena, node->transfer.buffer->dims[0].extent);
}

static void overlap_buffers(struct plan *plan)
{
	plan->buffers[1]->offset_bytes = plan->buffers[0]->offset_bytes;
}

static void leave_scratchpad(struct plan *plan)
{
	plan->buffers[2]->offset_bytes = (1 << 20) - plan->buffers[2]->bytes + 8;
}

static void shrink_buffer(struct plan *plan)
{
	plan->buffers[0]->bytes--;
}

static void move_out_of_scope(struct plan *plan)
{
	struct plan_var *var = ARENA_NEW(plan->arena, struct plan_var);
	struct plan_node *block, *node;
	int index;

	var->name = "nowhere";
	var->max = 1;
	node = find(plan->nests[0].body, PLAN_COMPUTE, &block, &index);
	node->values[0] = plan_ref(plan->arena, var);
}

static void shift_value(struct plan *plan)
{
	struct plan_node *block, *node;
	int index;

	node = find(plan->nests[0].body, PLAN_COMPUTE, &block, &index);
	node->values[0] = plan_const(plan->arena, 1000);
}

static void narrow_range(struct plan *plan)
{
	struct plan_node *block, *node;
	int index;

	node = find(plan->nests[0].body, PLAN_LOOP, &block, &index);
	node->var->min = -5;
	node->var->max = -5;
}

static void put_into_const(struct plan *plan)
{
	struct plan_node *block, *node;
	int index;

	node = find(plan->nests[0].body, PLAN_TRANSFER, &block, &index);
	node->transfer.buffer = plan->buffers[1];
	node->transfer.is_put = true;
}

static void test_verifier_sees(void **state)
{
	static void (*const damages[])(struct plan *) = { remove_wait, shift_region, shift_local,
		overlap_buffers, leave_scratchpad, shrink_buffer, move_out_of_scope, shift_value,
		narrow_range, put_into_const };
	int saved = dup(STDERR_FILENO);

	(void)state;
	for (size_t i = 0; i < sizeof damages / sizeof *damages; i++)
		for (unsigned long seed = 20; seed < 24; seed++) {
			struct sample sample;

			set_up(&sample, seed);
			assert_true(plan_verify(sample.plans[0]));
			damages[i](sample.plans[0]);
			assert_non_null(freopen("/dev/null", "w", stderr));
			bool is_accepted = plan_verify(sample.plans[0]);
			fflush(stderr);
			dup2(saved, STDERR_FILENO);
			assert_false(is_accepted);
			tear_down(&sample);
		}
	close(saved);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folding_keeps_values),
		cmocka_unit_test(test_folding_is_stable),
		cmocka_unit_test(test_sums_cancel),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_damaged_text),
		cmocka_unit_test(test_deep_nesting_is_an_error),
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_split_by_hand),
		cmocka_unit_test(test_simplify),
		cmocka_unit_test(test_simplify_knows_conditions),
		cmocka_unit_test(test_simplify_lifts_choices),
		cmocka_unit_test(test_verifier_sees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
