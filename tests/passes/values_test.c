/* What loops' values are, as passes/analysis/values.h reads it off isl's sets: random loops with steps
 * and conditions.  That one has a single value is known as soon as the program is read, and no later
 * question to isl, which may write what it finds into the sets, makes it another answer. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "frontend/frontend.h"
#include "passes/analysis/values.h"

enum { PROGRAMS = 3000, DEPTH = 4 };

static uint32_t state;

static int draw(int count)
{
	state = state * 1664525u + 1013904223u;
	return (int)((state >> 10) % (uint32_t)count);
}

/* ---- programs: a statement in loops with steps, and conditions on their iterators ---- */

static void put_condition(char *text, int depth)
{
	text += strlen(text);
	switch (draw(4)) {
	case 0:
		sprintf(text, "if (i%d %% %d == %d)\n", draw(depth), 2 + draw(3), draw(2));
		break;
	case 1:
		sprintf(text, "if (i%d + i%d == %d)\n", draw(depth), draw(depth), draw(5));
		break;
	case 2:
		sprintf(text, "if (i%d >= %d)\n", draw(depth), draw(4));
		break;
	default:
		sprintf(text, "if (2 * i%d < i%d + %d)\n", draw(depth), draw(depth), draw(4));
		break;
	}
}

static const char *random_program(int *depth)
{
	static char text[4096];
	*depth = 1 + draw(DEPTH);
	strcpy(text, "void f(int A[1])\n{\n");
	for (int l = 0; l < *depth; l++) {
		char *end = text + strlen(text);
		if (l && !draw(3))
			sprintf(end, "for (int i%d = i%d; i%d < %d; i%d += %d)\n", l, l - 1, l, 1 + draw(6), l,
				1 + draw(5));
		else if (draw(4))
			sprintf(end, "for (int i%d = %d; i%d < %d; i%d += %d)\n", l, draw(3), l, 1 + draw(6), l,
				1 + draw(5));
		else
			sprintf(end, "for (int i%d = %d; i%d >= %d; i%d -= %d)\n", l, draw(6), l, draw(3), l,
				1 + draw(5));
		if (!draw(3))
			put_condition(text, l + 1);
	}
	return strcat(text, "A[0] += 1;\n}\n");
}

/* ---- the questions ---- */

/* Whether each iterator of STATEMENT is said to have one value, and which. */
static void ask(const struct statement *statement, bool *has, long *value)
{
	for (int i = 0; i < statement->depth; i++)
		has[i] = set_dim_value(statement->domain, i, &value[i]);
}

static void check_statement(const struct statement *statement, const char *text)
{
	bool has[DEPTH];
	long value[DEPTH];
	ask(statement, has, value);
	for (int i = 0; i < statement->depth; i++) {
		long min, max;
		assert_true(set_dim_range(statement->domain, i, &min, &max));
		if (has[i] != (min == max) || (has[i] && value[i] != min))
			fail_msg("i%d runs from %ld to %ld in\n%s", i, min, max, text);
	}
}

static void one_value_is_known_at_once(void **unused)
{
	int statements = 0;
	(void)unused;
	state = 5;
	for (int p = 0; p < PROGRAMS; p++) {
		int depth;
		const char *text = random_program(&depth);
		FILE *nowhere = fopen("/dev/null", "w");
		isl_ctx *ctx = isl_ctx_alloc();
		struct arena *arena = arena_new();
		struct diag *diag = diag_new(nowhere);
		struct program *program = frontend_parse(arena, ctx, diag, "random.loop", text, strlen(text),
			NULL, 0, NULL, 0);
		for (int s = 0; program && s < program->functions[0]->statement_count; s++, statements++)
			check_statement(program->functions[0]->statements[s], text);
		diag_free(diag);
		arena_free(arena);
		isl_ctx_free(ctx);
		fclose(nowhere);
	}
	assert_true(statements > PROGRAMS / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(one_value_is_known_at_once) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
