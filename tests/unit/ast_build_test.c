/* Loops that isl makes: they visit what the order says, whatever the order of parameters in
 * it and in the context. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <isl/id.h>
#include <isl/options.h>
#include <isl/val.h>

#include "ir/ast_memo.h"
#include "ir/isl_work.h"

enum { TILES = 7, SIZES = 5, POINTS = 8, NAMES = 8 };

/* One run of a tree: which values the statement's iterator had, and how often. */
struct run {
	int name_count;
	struct { const char *name; long value; } names[NAMES];
	int visits[POINTS];
};

static long value_of(const struct run *run, __isl_take isl_ast_expr *expr);

static long floor_div(long a, long b)
{
	return a / b - (a % b < 0);
}

/* The most or the least of them. */
static long fold(const long *values, int count, bool is_most)
{
	long best = values[0];
	for (int i = 1; i < count; i++)
		if (is_most ? values[i] > best : values[i] < best)
			best = values[i];
	return best;
}

/* Divisions round down, as those of a plan. */
static long operation(const struct run *run, __isl_keep isl_ast_expr *expr)
{
	int count = (int)isl_ast_expr_get_op_n_arg(expr);
	long args[4] = { 0 };
	assert_in_range(count, 1, 4);
	for (int i = 0; i < count; i++)
		args[i] = value_of(run, isl_ast_expr_get_op_arg(expr, i));
	long a = args[0], b = args[1];
	switch (isl_ast_expr_get_op_type(expr)) {
	case isl_ast_op_and:
	case isl_ast_op_and_then: return a && b;
	case isl_ast_op_or:
	case isl_ast_op_or_else: return a || b;
	case isl_ast_op_max: return fold(args, count, true);
	case isl_ast_op_min: return fold(args, count, false);
	case isl_ast_op_minus: return -a;
	case isl_ast_op_add: return a + b;
	case isl_ast_op_sub: return a - b;
	case isl_ast_op_mul: return a * b;
	case isl_ast_op_div:
	case isl_ast_op_fdiv_q:
	case isl_ast_op_pdiv_q: return floor_div(a, b);
	case isl_ast_op_pdiv_r:
	case isl_ast_op_zdiv_r: return a - b * floor_div(a, b);
	case isl_ast_op_cond:
	case isl_ast_op_select: return a ? b : args[2];
	case isl_ast_op_eq: return a == b;
	case isl_ast_op_le: return a <= b;
	case isl_ast_op_lt: return a < b;
	case isl_ast_op_ge: return a >= b;
	case isl_ast_op_gt: return a > b;
	default: fail(); return 0;
	}
}

static long value_of_name(const struct run *run, __isl_take isl_id *id)
{
	int n = run->name_count - 1;
	while (n >= 0 && strcmp(run->names[n].name, isl_id_get_name(id)))
		n--;
	isl_id_free(id);
	assert_true(n >= 0);
	return run->names[n].value;
}

static long value_of(const struct run *run, __isl_take isl_ast_expr *expr)
{
	long value;
	if (isl_ast_expr_get_type(expr) == isl_ast_expr_id) {
		value = value_of_name(run, isl_ast_expr_get_id(expr));
	} else if (isl_ast_expr_get_type(expr) == isl_ast_expr_int) {
		isl_val *number = isl_ast_expr_get_val(expr);
		value = isl_val_get_num_si(number);
		isl_val_free(number);
	} else {
		value = operation(run, expr);
	}
	isl_ast_expr_free(expr);
	return value;
}

static void walk(struct run *run, __isl_take isl_ast_node *node);

static void walk_loop(struct run *run, __isl_keep isl_ast_node *node)
{
	isl_ast_expr *iterator = isl_ast_node_for_get_iterator(node);
	isl_id *id = isl_ast_expr_get_id(iterator);
	bool is_once = isl_ast_node_for_is_degenerate(node) == isl_bool_true;
	int n = run->name_count++;
	assert_true(n < NAMES);
	run->names[n].name = isl_id_get_name(id);
	run->names[n].value = value_of(run, isl_ast_node_for_get_init(node));
	while (is_once || value_of(run, isl_ast_node_for_get_cond(node))) {
		walk(run, isl_ast_node_for_get_body(node));
		if (is_once)
			break;
		run->names[n].value += value_of(run, isl_ast_node_for_get_inc(node));
	}
	run->name_count--;
	isl_id_free(id);
	isl_ast_expr_free(iterator);
}

static void walk_block(struct run *run, __isl_keep isl_ast_node *node)
{
	isl_ast_node_list *children = isl_ast_node_block_get_children(node);
	for (int i = 0; i < (int)isl_ast_node_list_n_ast_node(children); i++)
		walk(run, isl_ast_node_list_get_ast_node(children, i));
	isl_ast_node_list_free(children);
}

static void walk_statement(struct run *run, __isl_keep isl_ast_node *node)
{
	isl_ast_expr *call = isl_ast_node_user_get_expr(node);
	long i = value_of(run, isl_ast_expr_get_op_arg(call, 1));
	isl_ast_expr_free(call);
	assert_in_range(i, 0, POINTS - 1);
	run->visits[i]++;
}

static void walk(struct run *run, __isl_take isl_ast_node *node)
{
	switch (isl_ast_node_get_type(node)) {
	case isl_ast_node_for: walk_loop(run, node); break;
	case isl_ast_node_block: walk_block(run, node); break;
	case isl_ast_node_user: walk_statement(run, node); break;
	case isl_ast_node_if:
		if (value_of(run, isl_ast_node_if_get_cond(node)))
			walk(run, isl_ast_node_if_get_then(node));
		else if (isl_ast_node_if_has_else(node) == isl_bool_true)
			walk(run, isl_ast_node_if_get_else(node));
		break;
	default: fail();
	}
	isl_ast_node_free(node);
}

/* Points 0 <= i <= HIGH, i = t mod STEP, FACTOR * t + i = REST mod DIVISOR. */
struct remainder {
	int step, factor, divisor, rest, high;
};

static bool has_point(const struct remainder *of, int t, int i)
{
	return i % of->step == 0 && i <= of->high && (of->factor * t + i) % of->divisor == of->rest;
}

static void loops_are_right(isl_ctx *ctx, const struct remainder *of, const char *context,
	const char *parameters)
{
	char text[300];
	snprintf(text, sizeof text, "%s -> { : 1 <= N <= %d and 0 <= t < %d }", context, SIZES, TILES);
	isl_set *known = isl_set_read_from_str(ctx, text);
	snprintf(text, sizeof text, "%s -> { S[i] -> [i, t] : i mod %d = 0 and (%d t + i) mod %d = %d "
		"and 0 <= i <= %d and 1 <= N <= %d }", parameters, of->step, of->factor, of->divisor, of->rest,
		of->high, SIZES);
	isl_ast_node *node = ast_of_order(known, NULL, isl_union_map_read_from_str(ctx, text));
	assert_non_null(node);
	for (int t = 0; t < TILES; t++)
		for (int size = 1; size <= SIZES; size++) {
			struct run run = { 2, { { "t", t }, { "N", size } }, { 0 } };
			walk(&run, isl_ast_node_copy(node));
			for (int i = 0; i < POINTS; i++)
				if (run.visits[i] != has_point(of, t, i))
					fail_msg("%s in %s: t = %d, N = %d, i = %d", text, context, t, size, i);
		}
	isl_ast_node_free(node);
}

static void loops_do_not_depend_on_the_order_of_parameters(void **state)
{
	(void)state;
	static const char *const orders[] = { "[N, t]", "[t, N]" };
	isl_ctx *ctx = isl_ctx_alloc();
	for (int step = 1; step <= 2; step++)
		for (int factor = 1; factor <= 2; factor++)
			for (int divisor = 2; divisor <= 6; divisor++)
				for (int rest = 0; rest < 3 && rest < divisor; rest++)
					for (int high = 3; high < POINTS; high += 4)
						for (int which = 0; which < 4; which++)
							loops_are_right(ctx, &(struct remainder){ step, factor, divisor, rest, high },
								orders[which / 2], orders[which % 2]);
	isl_ctx_free(ctx);
}

/* Loops over S[i], 0 <= i < LENGTH, and T[i] behind them; MEMO may be NULL. */
static char *loops_of(isl_ctx *ctx, struct ast_memo *memo, int length, const char *name)
{
	char text[200];
	snprintf(text, sizeof text, "[t] -> { S[i] -> [i, 0] : 0 <= i < %d + t; T[i] -> [i, 1] : 0 <= i < %d }", length, length);
	isl_id_list *names = isl_id_list_alloc(ctx, 2);
	names = isl_id_list_add(names, isl_id_alloc(ctx, name, NULL));
	names = isl_id_list_add(names, isl_id_alloc(ctx, "which", NULL));
	isl_ast_node *node = ast_of_order_once(memo, isl_set_read_from_str(ctx, "[t] -> { : 0 <= t < 3 }"), names,
		isl_union_map_read_from_str(ctx, text));
	char *shown = node ? isl_ast_node_to_C_str(node) : NULL;
	isl_ast_node_free(node);
	return shown;
}

/* More questions than are remembered, one after the other, and each twice: as without a memo. */
static void what_is_remembered_is_what_was_found(void **state)
{
	(void)state;
	isl_ctx *ctx = isl_ctx_alloc();
	struct arena *arena = arena_new();
	struct ast_memo *memo = ast_memo_new(arena);
	for (int question = 0; question < 300; question++) {
		int length = 1 + question / 2 % 100;
		const char *name = question % 3 ? "i" : "j";
		char *found = loops_of(ctx, NULL, length, name), *first = loops_of(ctx, memo, length, name),
			*again = loops_of(ctx, memo, length, name);
		assert_string_equal(first, found);
		assert_string_equal(again, found);
		free(found);
		free(first);
		free(again);
	}
	arena_free(arena);
	isl_ctx_free(ctx);
}

/* An answer that is taken counts as the work that it was, and is none where that is too much. */
static void what_is_remembered_is_counted(void **state)
{
	(void)state;
	isl_ctx *ctx = isl_ctx_alloc();
	struct arena *arena = arena_new();
	struct ast_memo *memo = ast_memo_new(arena);
	isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
	unsigned long begun = isl_operations(ctx);
	free(loops_of(ctx, memo, 5, "i"));
	unsigned long found = isl_operations(ctx);
	free(loops_of(ctx, memo, 5, "i"));
	unsigned long taken = isl_operations(ctx) - found;
	assert_true(10 * taken > 9 * (found - begun) && 9 * taken < 10 * (found - begun));
	struct isl_work work = isl_work_begin(ctx, taken / 2);
	char *none = loops_of(ctx, memo, 5, "i");
	assert_null(none);
	assert_false(isl_work_end(&work));
	arena_free(arena);
	isl_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_remembered_is_what_was_found),
		cmocka_unit_test(what_is_remembered_is_counted),
		cmocka_unit_test(loops_do_not_depend_on_the_order_of_parameters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
