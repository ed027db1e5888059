#ifndef SUPPORT_ARENA_H
#define SUPPORT_ARENA_H

#include <stddef.h>

/* Memory of one compilation.  The AST, the program and the plan live in one
 * arena and are freed with it; an isl object that outlives a function is
 * registered with arena_own(), and the arena holds the only reference. */
struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *arena);

/* SIZE zeroed bytes, aligned for any type.  Never NULL: out of memory ends the
 * program with a message and status 70. */
void *arena_alloc(struct arena *arena, size_t size);

char *arena_strndup(struct arena *arena, const char *text, size_t length);
char *arena_strdup(struct arena *arena, const char *text);
char *arena_printf(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* OBJECT is released by RELEASE when the arena is freed, the last owned first.
 * Returns OBJECT.  A NULL object is ignored. */
void *arena_own(struct arena *arena, void *object, void (*release)(void *));

/* A growing vector in an arena: makes room for one more element of SIZE bytes in
 * ITEMS, of which COUNT are used and *CAPACITY allocated; returns the items. */
void *arena_grow(struct arena *arena, void *items, size_t count, size_t *capacity, size_t size);

#define ARENA_NEW(arena, type) ((type *)arena_alloc(arena, sizeof(type)))
#define ARENA_ARRAY(arena, type, count) \
	((type *)arena_alloc(arena, sizeof(type) * (size_t)(count)))

#endif
