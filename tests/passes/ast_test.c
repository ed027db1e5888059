/* ir/ast_build.h: the loops that isl makes run the instances of statements, each once, by their
 * dates.  Random orders of two to four statements, which run in places, boxes and steps of their
 * own for each value of a parameter. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <isl/ast.h>
#include <isl/id.h>
#include <isl/val.h>

#include "ir/ast_build.h"

enum { ORDERS = 600, STATEMENTS = 4, VALUES = 3, SIDE = 5, NAMES = 16, TEXT_BYTES = 1 << 14 };

struct order {
	uint32_t state;
	int statements;
	int part[STATEMENTS];        /* of the body of the outer loop */
	bool runs[STATEMENTS][VALUES][SIDE][SIDE];
	char text[TEXT_BYTES];
	size_t length;
};

static int draw(struct order *order, int count)
{
	order->state = order->state * 1664525u + 1013904223u;
	return (int)((order->state >> 10) % (uint32_t)count);
}

static void __attribute__((format(printf, 2, 3))) put(struct order *order, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	order->length += (size_t)vsnprintf(order->text + order->length, TEXT_BYTES - order->length,
		format, arguments);
	va_end(arguments);
	assert_true(order->length < TEXT_BYTES);
}

/* Where t is T statement S runs nowhere, at one place, or in a box, in steps or not. */
static void put_piece(struct order *order, int s, int t, const char *between)
{
	int kind = draw(order, 4), step = 1 + draw(order, 2);
	int from[2], to[2];
	for (int d = 0; d < 2; d++) {
		from[d] = draw(order, SIDE);
		to[d] = kind < 2 ? from[d] : from[d] + draw(order, SIDE - from[d]);
	}
	if (!kind)
		return;
	put(order, "%s S%d[i, j] -> [i, %d, j, %d] : t = %d and %d <= i <= %d and (i - %d) mod %d = 0 "
		"and %d <= j <= %d", between, s, order->part[s], s, t, from[0], to[0], from[0], step,
		from[1], to[1]);
	for (int i = from[0]; i <= to[0]; i += step)
		for (int j = from[1]; j <= to[1]; j++)
			order->runs[s][t][i][j] = true;
}

static void make_order(struct order *order)
{
	order->statements = 2 + draw(order, STATEMENTS - 1);
	put(order, "[t] -> {");
	const char *between = "";
	for (int s = 0; s < order->statements; s++) {
		order->part[s] = draw(order, 2);
		for (int t = 0; t < VALUES; t++) {
			size_t before = order->length;
			put_piece(order, s, t, between);
			if (order->length > before)
				between = ";";
		}
	}
	put(order, " }");
}

/* ---- what the loops do ---- */

struct run {
	struct order *order;
	int t;
	int count;
	struct {
		char name[16];
		long value;
	} names[NAMES];
	bool did[STATEMENTS][SIDE][SIDE];
	long last[4];                /* the date of the instance before */
	bool is_wrong;
};

static long *value_named(struct run *run, __isl_take isl_id *id)
{
	const char *name = isl_id_get_name(id);
	int n = 0;
	while (n < run->count && strcmp(run->names[n].name, name))
		n++;
	assert_true(n < NAMES);
	if (n == run->count)
		snprintf(run->names[run->count++].name, sizeof run->names[n].name, "%s", name);
	isl_id_free(id);
	return &run->names[n].value;
}

static long floor_of(long a, long b)
{
	return a / b - (a % b < 0);
}

static long value_of(struct run *run, __isl_take isl_ast_expr *expr);

static long apply(struct run *run, __isl_keep isl_ast_expr *expr)
{
	long v[3] = { 0 };
	int count = isl_ast_expr_get_op_n_arg(expr);
	enum isl_ast_op_type op = isl_ast_expr_get_op_type(expr);
	for (int i = 0; i < count && i < 3; i++) {
		v[i] = value_of(run, isl_ast_expr_get_op_arg(expr, i));
		if ((op == isl_ast_op_and_then && !v[i]) || (op == isl_ast_op_or_else && v[i]))
			return v[i];
		if (i && op == isl_ast_op_min && v[i] > v[0])
			v[i] = v[0];
		if (i && op == isl_ast_op_max && v[i] < v[0])
			v[i] = v[0];
		if (op == isl_ast_op_min || op == isl_ast_op_max)
			v[0] = v[i];
	}
	switch (op) {
	case isl_ast_op_min: case isl_ast_op_max: return v[0];
	case isl_ast_op_and: case isl_ast_op_and_then: return v[0] && v[1];
	case isl_ast_op_or: case isl_ast_op_or_else: return v[0] || v[1];
	case isl_ast_op_minus: return -v[0];
	case isl_ast_op_add: return v[0] + v[1];
	case isl_ast_op_sub: return v[0] - v[1];
	case isl_ast_op_mul: return v[0] * v[1];
	case isl_ast_op_div: case isl_ast_op_pdiv_q: case isl_ast_op_fdiv_q: return floor_of(v[0], v[1]);
	case isl_ast_op_pdiv_r: return v[0] - floor_of(v[0], v[1]) * v[1];
	case isl_ast_op_zdiv_r: return v[0] % v[1];
	case isl_ast_op_cond: case isl_ast_op_select: return v[0] ? v[1] : v[2];
	case isl_ast_op_eq: return v[0] == v[1];
	case isl_ast_op_le: return v[0] <= v[1];
	case isl_ast_op_lt: return v[0] < v[1];
	case isl_ast_op_ge: return v[0] >= v[1];
	case isl_ast_op_gt: return v[0] > v[1];
	default: fail_msg("an operation that is not known");
	}
	return 0;
}

static long value_of(struct run *run, __isl_take isl_ast_expr *expr)
{
	long value;
	if (isl_ast_expr_get_type(expr) == isl_ast_expr_int) {
		isl_val *constant = isl_ast_expr_get_val(expr);
		value = isl_val_get_num_si(constant);
		isl_val_free(constant);
	} else if (isl_ast_expr_get_type(expr) == isl_ast_expr_id) {
		value = *value_named(run, isl_ast_expr_get_id(expr));
	} else {
		value = apply(run, expr);
	}
	isl_ast_expr_free(expr);
	return value;
}

/* S runs at (I, J): not for the second time, and not before what was there earlier. */
static void run_instance(struct run *run, int s, long i, long j)
{
	const long date[4] = { i, run->order->part[s], j, s };
	int d = 0;
	assert_in_range(i, 0, SIDE - 1);
	assert_in_range(j, 0, SIDE - 1);
	while (d < 3 && date[d] == run->last[d])
		d++;
	run->is_wrong |= date[d] < run->last[d] || run->did[s][i][j]
		|| !run->order->runs[s][run->t][i][j];
	run->did[s][i][j] = true;
	memcpy(run->last, date, sizeof date);
}

static void run_node(struct run *run, __isl_take isl_ast_node *node);

static void run_loop(struct run *run, __isl_keep isl_ast_node *node)
{
	isl_ast_expr *iterator = isl_ast_node_for_get_iterator(node);
	long *value = value_named(run, isl_ast_expr_get_id(iterator));
	bool is_one = isl_ast_node_for_is_degenerate(node) == isl_bool_true;
	isl_ast_expr_free(iterator);
	*value = value_of(run, isl_ast_node_for_get_init(node));
	while (is_one || value_of(run, isl_ast_node_for_get_cond(node))) {
		run_node(run, isl_ast_node_for_get_body(node));
		if (is_one)
			break;
		*value += value_of(run, isl_ast_node_for_get_inc(node));
	}
}

static void run_call(struct run *run, __isl_keep isl_ast_node *node)
{
	isl_ast_expr *call = isl_ast_node_user_get_expr(node), *callee = isl_ast_expr_get_op_arg(call, 0);
	isl_id *id = isl_ast_expr_get_id(callee);
	run_instance(run, isl_id_get_name(id)[1] - '0', value_of(run, isl_ast_expr_get_op_arg(call, 1)),
		value_of(run, isl_ast_expr_get_op_arg(call, 2)));
	isl_id_free(id);
	isl_ast_expr_free(callee);
	isl_ast_expr_free(call);
}

static void run_node(struct run *run, __isl_take isl_ast_node *node)
{
	if (isl_ast_node_get_type(node) == isl_ast_node_for) {
		run_loop(run, node);
	} else if (isl_ast_node_get_type(node) == isl_ast_node_if) {
		if (value_of(run, isl_ast_node_if_get_cond(node)))
			run_node(run, isl_ast_node_if_get_then(node));
		else if (isl_ast_node_if_has_else(node) == isl_bool_true)
			run_node(run, isl_ast_node_if_get_else(node));
	} else if (isl_ast_node_get_type(node) == isl_ast_node_block) {
		isl_ast_node_list *children = isl_ast_node_block_get_children(node);
		for (int i = 0; i < isl_ast_node_list_n_ast_node(children); i++)
			run_node(run, isl_ast_node_list_get_ast_node(children, i));
		isl_ast_node_list_free(children);
	} else {
		run_call(run, node);
	}
	isl_ast_node_free(node);
}

/* Runs all for the value T of the parameter; false if that is not what ORDER says. */
static bool is_obeyed(struct order *order, int t, __isl_keep isl_ast_node *node)
{
	struct run run = { .order = order, .t = t, .last = { -1 } };
	run.count = 1;
	snprintf(run.names[0].name, sizeof run.names[0].name, "t");
	run.names[0].value = t;
	run_node(&run, isl_ast_node_copy(node));
	for (int s = 0; s < STATEMENTS; s++)
		for (int i = 0; i < SIDE; i++)
			for (int j = 0; j < SIDE; j++)
				run.is_wrong |= run.did[s][i][j] != order->runs[s][t][i][j];
	return !run.is_wrong;
}

static void loops_obey_orders(void **state)
{
	isl_ctx *ctx = isl_ctx_alloc();
	int wrong = 0;
	(void)state;
	for (int n = 0; n < ORDERS; n++) {
		static struct order order;
		order = (struct order){ .state = (uint32_t)n * 2654435761u + 17u };
		make_order(&order);
		isl_union_map *map = isl_union_map_read_from_str(ctx, order.text);
		isl_ast_node *node = ast_of_order(isl_set_read_from_str(ctx, "[t] -> { : 0 <= t <= 2 }"),
			NULL, map);
		bool is_right = true;
		for (int t = 0; t < VALUES; t++)
			is_right = is_obeyed(&order, t, node) && is_right;
		if (!is_right && !wrong++)
			print_message("order %d: %s\n", n, order.text);
		isl_ast_node_free(node);
	}
	isl_ctx_free(ctx);
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(loops_obey_orders) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
