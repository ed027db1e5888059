/* ir/order against what statement_order says, on random programs: nests of loops up and
 * down with statements before, between and after them. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <isl/set.h>

#include "frontend/frontend.h"
#include "ir/order.h"

enum { PROGRAMS = 40, DEPTH = 3, TEXT_BYTES = 1 << 14 };

struct writer {
	uint32_t state;
	char text[TEXT_BYTES];
	size_t length;
	int loops;
};

static int draw(struct writer *writer, int count)
{
	writer->state = writer->state * 1664525u + 1013904223u;
	return (int)((writer->state >> 10) % (uint32_t)count);
}

static void __attribute__((format(printf, 2, 3))) put(struct writer *writer, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	writer->length += (size_t)vsnprintf(writer->text + writer->length,
		TEXT_BYTES - writer->length, format, arguments);
	va_end(arguments);
	assert_true(writer->length < TEXT_BYTES);
}

/* One of the iterators in scope, shifted, or a number: 0 to 15. */
static void put_subscript(struct writer *writer, const int *iterators, int depth)
{
	if (depth && draw(writer, 4))
		put(writer, "[i%d + %d]", iterators[draw(writer, depth)], draw(writer, 3));
	else
		put(writer, "[%d]", draw(writer, 6));
}

static void put_statement(struct writer *writer, const int *iterators, int depth)
{
	bool is_flat = draw(writer, 2);
	for (int access = 0; access < 2; access++) {
		put(writer, access ? " = " : is_flat ? "A" : "B");
		if (access)
			put(writer, draw(writer, 2) ? "A" : "B");
		bool is_array_a = writer->text[writer->length - 1] == 'A';
		put_subscript(writer, iterators, depth);
		if (!is_array_a)
			put_subscript(writer, iterators, depth);
	}
	put(writer, ";\n");
}

static void put_body(struct writer *writer, int *iterators, int depth)
{
	int items = 1 + draw(writer, depth ? 2 : 3);
	for (int item = 0; item < items; item++) {
		if (depth == DEPTH || !draw(writer, 3)) {
			put_statement(writer, iterators, depth);
			continue;
		}
		int i = iterators[depth] = writer->loops++;
		if (draw(writer, 3))
			put(writer, "for (int i%d = 0; i%d < %d; i%d++) {\n", i, i, 2 + draw(writer, 5), i);
		else
			put(writer, "for (int i%d = %d; i%d >= 0; i%d -= 2) {\n", i, 2 + draw(writer, 5), i, i);
		put_body(writer, iterators, depth + 1);
		put(writer, "}\n");
	}
}

static const char *random_program(struct writer *writer, uint32_t seed)
{
	int iterators[DEPTH + 1] = { 0 };
	*writer = (struct writer){ .state = seed };
	put(writer, "void f(int A[16], int B[16][16])\n{\n");
	put_body(writer, iterators, 0);
	put(writer, "}\n");
	return writer->text;
}

/* As the order's definition has it. */
static isl_map *pairs_by_order(const struct statement *from, const struct access *a,
	const struct statement *to, const struct access *b)
{
	isl_map *before = isl_map_lex_lt_map(statement_order(from, DEPTH), statement_order(to, DEPTH));
	return isl_map_intersect(before, isl_map_apply_range(isl_map_copy(a->map),
		isl_map_reverse(isl_map_copy(b->map))));
}

static void check_pair(const struct statement *from, const struct access *a,
	const struct statement *to, const struct access *b)
{
	isl_map *expected = pairs_by_order(from, a, to, b);
	isl_map *pairs = access_pairs(from, a, to, b);
	assert_int_equal(isl_map_is_equal(pairs, expected), isl_bool_true);
	int shared = shared_loop_count(from, to);
	isl_map *levels = isl_map_empty(isl_map_get_space(pairs));
	for (int level = 0; level <= shared; level++) {
		isl_map *map = access_pairs_at(from, a, to, b, level);
		if (!map)
			continue;
		assert_int_equal(isl_map_is_disjoint(map, levels), isl_bool_true);
		levels = isl_map_union(levels, map);
	}
	assert_int_equal(isl_map_is_equal(levels, expected), isl_bool_true);
	isl_map_free(levels);
	isl_map_free(pairs);
	isl_map_free(expected);
}

/* READ against all writes of its array at once. */
static void check_read(const struct function *function, const struct statement *reader,
	const struct access *read)
{
	struct statement_access writes[256];
	int count = 0;
	isl_set *expected = isl_set_copy(reader->domain);
	for (int s = 0; s < function->statement_count; s++) {
		const struct statement *writer = function->statements[s];
		if (writer->accesses[0].array != read->array)
			continue;
		assert_true(count < 256);
		writes[count++] = (struct statement_access){ writer, &writer->accesses[0] };
		expected = isl_set_subtract(expected, isl_map_range(pairs_by_order(writer,
			&writer->accesses[0], reader, read)));
	}
	isl_set *open = reads_without_write(isl_set_copy(reader->domain),
		(struct statement_access){ reader, read }, writes, count, 0);
	assert_int_equal(isl_set_is_equal(open, expected), isl_bool_true);
	isl_set_free(open);
	isl_set_free(expected);
}

static void check_function(const struct function *function)
{
	for (int s = 0; s < function->statement_count; s++)
		for (int a = 0; a < function->statements[s]->access_count; a++) {
			const struct statement *from = function->statements[s];
			for (int t = 0; t < function->statement_count; t++)
				for (int b = 0; b < function->statements[t]->access_count; b++)
					if (from->accesses[a].array == function->statements[t]->accesses[b].array)
						check_pair(from, &from->accesses[a], function->statements[t],
							&function->statements[t]->accesses[b]);
			if (!from->accesses[a].is_write)
				check_read(function, from, &from->accesses[a]);
		}
}

static void order_is_that_of_the_source(void **state)
{
	(void)state;
	static struct writer writer;
	int statements = 0;
	for (uint32_t seed = 1; seed <= PROGRAMS; seed++) {
		struct arena *arena = arena_new();
		isl_ctx *ctx = isl_ctx_alloc();
		struct diag *diag = diag_new(stderr);
		const char *text = random_program(&writer, seed);
		struct program *program = frontend_parse(arena, ctx, diag, "random.loop", text,
			strlen(text), NULL, 0, NULL, 0);
		assert_non_null(program);
		check_function(program->functions[0]);
		statements += program->functions[0]->statement_count;
		diag_free(diag);
		arena_free(arena);
		isl_ctx_free(ctx);
	}
	assert_true(statements > 3 * PROGRAMS);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(order_is_that_of_the_source) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
