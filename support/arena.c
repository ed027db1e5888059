#include "support/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory.h"

enum { ALIGNMENT = 16, BLOCK_BYTES = 65536 };

struct block {
	struct block *next;
	size_t used, size;
	_Alignas(ALIGNMENT) char bytes[];
};

struct owned {
	struct owned *next;
	void *object;
	void (*release)(void *);
};

struct arena {
	struct block *blocks;
	struct owned *owned;
};

struct arena *arena_new(void)
{
	return memory_alloc(sizeof(struct arena));
}

void arena_free(struct arena *arena)
{
	if (!arena)
		return;
	for (struct owned *owned = arena->owned; owned; owned = owned->next)
		owned->release(owned->object);
	for (struct block *block = arena->blocks, *next; block; block = next) {
		next = block->next;
		free(block);
	}
	free(arena);
}

void *arena_alloc(struct arena *arena, size_t size)
{
	size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	if (!arena->blocks || arena->blocks->size - arena->blocks->used < size) {
		size_t bytes = size > BLOCK_BYTES ? size : BLOCK_BYTES;
		struct block *block = memory_alloc(sizeof *block + bytes);
		block->size = bytes;
		block->next = arena->blocks;
		arena->blocks = block;
	}
	void *memory = arena->blocks->bytes + arena->blocks->used;
	arena->blocks->used += size;
	return memory;
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
	char *copy = arena_alloc(arena, length + 1);
	memcpy(copy, text, length);
	return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
	return arena_strndup(arena, text, strlen(text));
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list arguments, again;
	va_start(arguments, format);
	va_copy(again, arguments);
	int length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	char *text = arena_alloc(arena, (size_t)length + 1);
	vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	return text;
}

void *arena_own(struct arena *arena, void *object, void (*release)(void *))
{
	if (object) {
		struct owned *owned = ARENA_NEW(arena, struct owned);
		*owned = (struct owned){ arena->owned, object, release };
		arena->owned = owned;
	}
	return object;
}

void *arena_grow(struct arena *arena, void *items, size_t count, size_t *capacity, size_t size)
{
	if (count < *capacity)
		return items;
	*capacity = *capacity ? 2 * *capacity : 8;
	void *more = arena_alloc(arena, *capacity * size);
	if (count)
		memcpy(more, items, count * size);
	return more;
}
