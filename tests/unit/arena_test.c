/* The arena: memory is zeroed, aligned, kept and freed; owned objects are released. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/arena.h"

static void memory_is_zeroed_and_apart(void **state)
{
	(void)state;
	enum { COUNT = 3000 };
	struct arena *arena = arena_new();
	unsigned char *blocks[COUNT];
	size_t sizes[COUNT];
	for (size_t i = 0; i < COUNT; i++) {
		sizes[i] = i % 500 == 7 ? 100000 + i : i % 97;
		blocks[i] = arena_alloc(arena, sizes[i]);
		assert_int_equal((uintptr_t)blocks[i] % _Alignof(max_align_t), 0);
		for (size_t j = 0; j < sizes[i]; j++)
			assert_int_equal(blocks[i][j], 0);
		memset(blocks[i], (int)(i % 251), sizes[i]);
	}
	for (size_t i = 0; i < COUNT; i++)
		for (size_t j = 0; j < sizes[i]; j++)
			assert_int_equal(blocks[i][j], i % 251);
	arena_free(arena);
}

static void strings_are_copied(void **state)
{
	(void)state;
	struct arena *arena = arena_new();
	char text[] = "hello";
	char *whole = arena_strdup(arena, text), *part = arena_strndup(arena, text, 2);
	text[0] = 'j';
	assert_string_equal(whole, "hello");
	assert_string_equal(part, "he");
	assert_string_equal(arena_printf(arena, "%s %d", part, 42), "he 42");
	assert_string_equal(arena_printf(arena, "%s", ""), "");
	arena_free(arena);
}

static int released[3], release_count;

static void release(void *object)
{
	released[release_count++] = *(int *)object;
}

static void last_owned_is_released_first(void **state)
{
	(void)state;
	static int objects[] = { 1, 2, 3 };
	struct arena *arena = arena_new();
	release_count = 0;
	for (int i = 0; i < 3; i++)
		assert_ptr_equal(arena_own(arena, &objects[i], release), &objects[i]);
	assert_null(arena_own(arena, NULL, release));
	assert_int_equal(release_count, 0);
	arena_free(arena);
	assert_int_equal(release_count, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(released[i], 3 - i);
	arena_free(NULL);
}

static void vectors_grow(void **state)
{
	(void)state;
	struct arena *arena = arena_new();
	size_t capacity = 0;
	int *items = NULL;
	for (int i = 0; i < 10000; i++) {
		items = arena_grow(arena, items, (size_t)i, &capacity, sizeof *items);
		assert_true(capacity > (size_t)i);
		items[i] = i;
	}
	for (int i = 0; i < 10000; i++)
		assert_int_equal(items[i], i);
	arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_zeroed_and_apart), cmocka_unit_test(strings_are_copied),
		cmocka_unit_test(last_owned_is_released_first), cmocka_unit_test(vectors_grow),
	};
	return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
