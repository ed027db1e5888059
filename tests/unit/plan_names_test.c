/* Lists of names against plain arrays of them: also lists that were given up and gone on from. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ir/plan_names.h"

enum { NAMES = 400, BASES = 23, LISTS = 200 };

struct entry {
	char name[24], base[24];
	int number;
};

static unsigned long state = 1;

static unsigned below(unsigned limit)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % limit;
}

static int last_number(const struct entry *entries, int count, const char *base)
{
	for (int i = count - 1; i >= 0; i--)
		if (!strcmp(entries[i].base, base))
			return entries[i].number;
	return 0;
}

static void compare(const struct plan_name *names, const struct entry *entries, int count)
{
	char text[24];
	int listed = 0;
	for (const struct plan_name *n = names; n; n = n->next)
		assert_string_equal(n->name, entries[count - ++listed].name);
	assert_int_equal(listed, count);
	for (int i = 0; i < count; i++) {
		const struct plan_name *found = plan_names_find(names, entries[i].name);
		assert_non_null(found);
		assert_string_equal(found->name, entries[i].name);
	}
	for (int b = 0; b < BASES; b++) {
		snprintf(text, sizeof text, "base%d", b);
		assert_int_equal(plan_names_last_number(names, text), last_number(entries, count, text));
		snprintf(text, sizeof text, "other%d", b);
		assert_null(plan_names_find(names, text));
		assert_int_equal(plan_names_last_number(names, text), 0);
	}
}

static void names_are_found_in_each_list(void **unused)
{
	(void)unused;
	static struct entry entries[NAMES];
	static struct plan_name *lists[NAMES + 1];
	struct arena *arena = arena_new();
	int count = 0;
	for (int l = 0; l < LISTS; l++) {
		/* some are given up, and others take their place */
		count -= (int)below((unsigned)(count < 40 ? count + 1 : 40));
		for (int more = (int)below(60); more > 0 && count < NAMES; more--) {
			struct entry *entry = &entries[count];
			unsigned base = below(BASES);
			snprintf(entry->base, sizeof entry->base, "base%u", base);
			entry->number = last_number(entries, count, entry->base) + 1;
			snprintf(entry->name, sizeof entry->name, "base%u_%d", base, entry->number);
			lists[count + 1] = plan_names_add(arena, lists[count],
				arena_strdup(arena, entry->name), arena_strdup(arena, entry->base), entry->number);
			count++;
		}
		int before = (int)below((unsigned)count + 1);
		compare(lists[count], entries, count);
		compare(lists[before], entries, before);
	}
	arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_found_in_each_list),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
