/* Lists of names that are searched by a tree: a list with one more name shares all of the tree but a
 * path. */

#include "ir/plan_names.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Below SUB[b] are the names whose hash has bit b where this depth is. */
struct name_index {
	const struct name_index *sub[2];
	const struct plan_name *name;
};

enum index_key { BY_NAME, BY_BASE };

static const char *key_of(const struct plan_name *name, enum index_key key)
{
	return key == BY_NAME ? name->name : name->base;
}

/* FNV-1a, of 64 bits. */
static uint64_t hash_of(const char *text)
{
	uint64_t hash = 14695981039346656037u;
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 1099511628211u;
	return hash;
}

static const struct plan_name *find(const struct name_index *index, enum index_key key,
	const char *text)
{
	uint64_t hash = hash_of(text);
	for (; index; index = index->sub[hash & 1], hash >>= 1)
		if (!strcmp(key_of(index->name, key), text))
			return index->name;
	return NULL;
}

/* INDEX with NAME, in the place of one that has the same key. */
static const struct name_index *add(struct arena *arena, const struct name_index *index,
	enum index_key key, const struct plan_name *name)
{
	const struct name_index *first = NULL, **place = &first;
	uint64_t hash = hash_of(key_of(name, key));
	for (bool is_placed = false; !is_placed; hash >>= 1) {
		struct name_index *copy = ARENA_NEW(arena, struct name_index);
		is_placed = !index || !strcmp(key_of(index->name, key), key_of(name, key));
		if (index)
			*copy = *index;
		if (is_placed)
			copy->name = name;
		*place = copy;
		place = &copy->sub[hash & 1];
		index = *place;
	}
	return first;
}

struct plan_name *plan_names_add(struct arena *arena, struct plan_name *names, const char *name,
	const char *base, int number)
{
	struct plan_name *more = ARENA_NEW(arena, struct plan_name);
	*more = (struct plan_name){ .name = name, .base = base, .number = number, .next = names };
	more->by_name = add(arena, names ? names->by_name : NULL, BY_NAME, more);
	more->by_base = add(arena, names ? names->by_base : NULL, BY_BASE, more);
	return more;
}

const struct plan_name *plan_names_find(const struct plan_name *names, const char *name)
{
	return names ? find(names->by_name, BY_NAME, name) : NULL;
}

int plan_names_last_number(const struct plan_name *names, const char *base)
{
	const struct plan_name *last = names ? find(names->by_base, BY_BASE, base) : NULL;
	return last ? last->number : 0;
}
