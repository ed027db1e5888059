/* The values of symbolic sizes that --verify tries. */

#include "driver/verify_sizes.h"

#include <stdlib.h>
#include <string.h>

#include "passes/analysis/values.h"

enum { VALUES = 24, CASES = 16 };

/* Numbers that may show what is wrong at an edge. */
struct values {
	int count;
	long values[VALUES];
};

static void add_value(struct values *values, long value)
{
	for (int i = 0; i < values->count; i++)
		if (values->values[i] == value)
			return;
	if (value > 0 && values->count < VALUES)
		values->values[values->count++] = value;
}

static void add_divisors(struct values *values, const struct plan_expr *expr)
{
	if (expr->op == PLAN_FLOORDIV && expr->operands[1]->value <= 64)
		for (long value = expr->operands[1]->value - 1, i = 0; i < 3; i++)
			add_value(values, value + i);
	for (int i = 0; i < plan_operand_count(expr->op); i++)
		add_divisors(values, expr->operands[i]);
}

/* The sizes of tiles, and one less and more. */
static void add_tiles(struct values *values, const struct plan_node *node)
{
	if (node->kind == PLAN_LOOP && node->loop == LOOP_TILE)
		add_divisors(values, node->upper);
	if (node->body)
		add_tiles(values, node->body);
	for (int i = 0; i < node->child_count; i++)
		add_tiles(values, node->children[i]);
}

static long elements_at(const struct function *function, const long *sizes)
{
	long elements = 0, sum;
	for (int a = 0; a < function->array_count; a++)
		elements = __builtin_add_overflow(elements,
			array_elements_at(function->arrays[a], sizes), &sum) ? INT64_MAX : sum;
	return elements;
}

/* Values of iterator I of STATEMENT, whose symbolic sizes are SIZES, at most. */
static double values_at(const struct function *function, const struct statement *statement, int i,
	const long *sizes)
{
	long least, most;
	isl_set *domain = isl_set_copy(statement->domain);
	for (int k = 0; k < function->symbolic_count; k++)
		domain = isl_set_fix_val(domain, isl_dim_param, (unsigned)k,
			isl_val_int_from_si(isl_set_get_ctx(domain), sizes[k]));
	bool runs = set_dim_range(domain, i, &least, &most);
	isl_set_free(domain);
	return runs ? (double)(most - least + 1) / (double)labs(statement->loops[i]->step) : 0;
}

/* How often the statements of FUNCTION run, at most. */
static double iterations_at(const struct function *function, const long *sizes)
{
	double all = 0;
	for (int s = 0; s < function->statement_count; s++) {
		double own = 1;
		for (int i = 0; i < function->statements[s]->depth && own > 0; i++)
			own *= values_at(function, function->statements[s], i, sizes);
		all += own;
	}
	return all;
}

static void add_case(struct session *session, const struct plan *plan, const long *sizes,
	int number)
{
	struct verify_case *one = &session->cases[session->case_count++];
	one->plan = plan;
	one->name = !number ? plan->function->name
		: arena_printf(session->arena, "%s@%d", plan->function->name, number);
	memcpy(one->sizes, sizes, sizeof one->sizes);
}

/* Each value for each size once, mixed; nothing that has many more elements than what was tuned for,
 * or runs much longer. */
static void add_cases(struct session *session, const struct plan *plan, const long *tuned)
{
	enum { ELEMENTS = 1000000, ITERATIONS = 10000000 };
	const struct function *function = plan->function;
	struct values values = { 0 };
	long limit = elements_at(function, tuned) > ELEMENTS ? elements_at(function, tuned) : ELEMENTS;
	double runs = iterations_at(function, tuned);
	int number = 1;
	if (runs < ITERATIONS)
		runs = ITERATIONS;
	for (long value = 1; value <= 3; value++)
		add_value(&values, value);
	for (int k = 0; k < function->symbolic_count; k++)
		for (long value = tuned[k] - 1; value <= tuned[k] + 1; value++)
			add_value(&values, value);
	for (int n = 0; n < plan->nest_count; n++)
		add_tiles(&values, plan->nests[n].body);
	for (int k = 0; k < function->symbolic_count; k++) {
		add_value(&values, 2 * tuned[k] + 1);
		add_value(&values, tuned[k] / 2 + 1);
	}
	for (int i = 0; i < values.count && number < CASES; i++) {
		long sizes[SYMBOLIC_LIMIT] = { 0 };
		for (int k = 0; k < function->symbolic_count; k++)
			sizes[k] = values.values[(i + 5 * k) % values.count];
		if (sizes_are_possible(function, sizes) && elements_at(function, sizes) <= limit
			&& memcmp(sizes, tuned, sizeof sizes) && iterations_at(function, sizes) <= runs)
			add_case(session, plan, sizes, number++);
	}
}

void verify_cases(struct session *session)
{
	session->cases = ARENA_ARRAY(session->arena, struct verify_case,
		session->plan_count * CASES + 1);
	session->case_count = 0;
	for (int p = 0; p < session->plan_count; p++) {
		const struct plan *plan = session->plans[p];
		long tuned[SYMBOLIC_LIMIT] = { 0 };
		for (int k = 0; k < plan->function->symbolic_count; k++)
			tuned[k] = plan->function->symbolic[k]->value;
		add_case(session, plan, tuned, 0);
		if (plan->function->symbolic_count)
			add_cases(session, plan, tuned);
	}
}
