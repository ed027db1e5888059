/* The C of random expressions of a plan, run, has the values that plan_apply gives
 * them: narrow and wide, with negative operands of divisions. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "codegen/expr.h"
#include "tests/plan/random_plan.h"

enum { VARS = 4, EXPRESSIONS = 400, POINTS = 5 };

struct sample {
	struct random_source random;
	struct arena *arena;
	struct printer printer;
	struct plan_var vars[VARS];
	long values[VARS];
};

static struct plan_expr *leaf(struct sample *sample)
{
	struct plan_expr *expr;

	if (random_below(&sample->random, 3) == 0)
		return plan_const(sample->arena, random_below(&sample->random, 41) - 20);
	expr = plan_raw(sample->arena, PLAN_VAR, NULL, NULL, NULL);
	expr->var = &sample->vars[random_below(&sample->random, VARS)];
	return expr;
}

/* Built raw: codegen prints whatever a plan says, folded or not. */
static struct plan_expr *random_expr(struct sample *sample, int depth)
{
	enum plan_op op = (enum plan_op)(PLAN_ADD + random_below(&sample->random,
		PLAN_SELECT - PLAN_ADD + 1));
	struct plan_expr *operands[3] = { NULL };

	if (depth == 0 || random_below(&sample->random, 8) == 0)
		return leaf(sample);
	for (int i = 0; i < plan_operand_count(op); i++)
		operands[i] = random_expr(sample, depth - 1);
	if (op == PLAN_MUL || op == PLAN_FLOORDIV || op == PLAN_MOD)
		operands[1] = plan_const(sample->arena, 1 + random_below(&sample->random, 9));
	return plan_raw(sample->arena, op, operands[0], operands[1], operands[2]);
}

static long value_of(const struct sample *sample, const struct plan_expr *expr)
{
	long value[3] = { 0 };

	if (expr->op == PLAN_CONST)
		return expr->value;
	if (expr->op == PLAN_VAR)
		return sample->values[expr->var - sample->vars];
	for (int i = 0; i < plan_operand_count(expr->op); i++)
		value[i] = value_of(sample, expr->operands[i]);
	return plan_apply(expr->op, value[0], value[1], value[2]);
}

static void set_up(struct sample *sample)
{
	static const long ranges[VARS][2] = { { 0, 7 }, { -6, 5 }, { 3, 3 },
		{ -5000000000, 7000000000 } };
	static const char *const names[VARS] = { "a", "b", "c", "wide" };

	memset(sample, 0, sizeof *sample);
	sample->arena = arena_new();
	sample->random.state = 4;
	sample->printer.arena = sample->arena;
	names_init(&sample->printer.names, sample->arena, NULL);
	for (int v = 0; v < VARS; v++) {
		sample->vars[v] = (struct plan_var){ .name = names[v],
			.min = ranges[v][0], .max = ranges[v][1] };
		names_add(&sample->printer.names, &sample->vars[v], names[v]);
	}
}

/* One function an expression, called at some points. */
static void print_expression(FILE *out, struct sample *sample, int number)
{
	struct plan_expr *expr = random_expr(sample, 4);

	fprintf(out, "static int64_t e%d(int32_t a, int32_t b, int32_t c, int64_t wide)\n{\n"
		"\t(void)a, (void)b, (void)c, (void)wide;\n"
		"\tfor (int64_t i = 0; i < %s; i++)\n\t\tbreak;\n"
		"\treturn %s;\n}\n\n", number,
		text_at(&sample->printer, index_text_as(&sample->printer, expr, true), TEXT_SUM),
		index_text(&sample->printer, expr).c);
	fprintf(out, "static void test%d(void)\n{\n", number);
	for (int p = 0; p < POINTS; p++) {
		for (int v = 0; v < VARS; v++)
			sample->values[v] = sample->vars[v].min + random_below(&sample->random,
				sample->vars[v].max - sample->vars[v].min + 1);
		fprintf(out, "\tcheck(%d, e%d(%ld, %ld, %ld, %ld), %ld);\n", number, number,
			sample->values[0], sample->values[1], sample->values[2], sample->values[3],
			value_of(sample, expr));
	}
	fputs("}\n\n", out);
}

static void print_program(FILE *out, struct sample *sample)
{
	static const char *const types[] = { "int32_t", "int64_t" };
	static const char *const suffixes[] = { "", "64" };

	fputs("#include <stdint.h>\n#include <stdio.h>\n\nstatic int failures;\n\n", out);
	for (int i = 0; i < 2; i++)
		fprintf(out, "static inline %s loopc_min%s(%s a, %s b) { return a < b ? a : b; }\n"
			"static inline %s loopc_max%s(%s a, %s b) { return a > b ? a : b; }\n", types[i],
			suffixes[i], types[i], types[i], types[i], suffixes[i], types[i], types[i]);
	fputs("static void check(int number, int64_t got, int64_t expected)\n{\n"
		"\tif (got != expected) {\n\t\tfailures++;\n\t\tprintf(\"e%d: %lld, not %lld\\n\", "
		"number, (long long)got, (long long)expected);\n\t}\n}\n\n", out);
	for (int i = 0; i < EXPRESSIONS; i++)
		print_expression(out, sample, i);
	fputs("int main(void)\n{\n", out);
	for (int i = 0; i < EXPRESSIONS; i++)
		fprintf(out, "\ttest%d();\n", i);
	fputs("\treturn failures > 0;\n}\n", out);
}

static void test_values(void **state)
{
	char directory[] = "/tmp/loopc-expr-XXXXXX";
	const char *compiler = getenv("CC");
	struct sample sample;
	const char *path;
	FILE *file;
	int status;

	(void)state;
	set_up(&sample);
	assert_non_null(mkdtemp(directory));
	path = arena_printf(sample.arena, "%s/expr.c", directory);
	file = fopen(path, "w");
	assert_non_null(file);
	print_program(file, &sample);
	assert_int_equal(fclose(file), 0);
	status = system(arena_printf(sample.arena, "cd %s && %s -std=c99 -w "
		"-fsanitize=undefined -fno-sanitize-recover=all -o expr expr.c && ./expr", directory,
		compiler && *compiler ? compiler : "cc"));
	unlink(path);
	unlink(arena_printf(sample.arena, "%s/expr", directory));
	rmdir(directory);
	arena_free(sample.arena);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
