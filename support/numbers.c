/* Memory for the digits of GMP's numbers: cells of a few sizes, cut from blocks that live as long as
 * the thread. */

#include "support/numbers.h"

#ifdef HAVE_GMP

#include <stdlib.h>
#include <string.h>

#include <gmp.h>

#include "support/memory.h"

enum { CELL_STEP = 8, CELL_SIZES = 8, LARGEST = CELL_STEP * CELL_SIZES, BLOCK_BYTES = 65536 };

struct cell {
	struct cell *next;
};

struct block {
	struct block *next;
	char cells[];
};

static _Thread_local struct cell *free_cells[CELL_SIZES];
static _Thread_local struct block *blocks;
static _Thread_local size_t left;    /* bytes of the last block, at its end */

/* Which cells hold SIZE bytes, up to LARGEST. */
static size_t kind_of(size_t size)
{
	return size ? (size - 1) / CELL_STEP : 0;
}

static void *checked(void *memory)
{
	if (!memory)
		memory_exhausted();
	return memory;
}

static void *new_cell(size_t kind)
{
	size_t size = (kind + 1) * CELL_STEP;
	if (left < size) {
		struct block *block = checked(malloc(sizeof *block + BLOCK_BYTES));
		block->next = blocks;
		blocks = block;
		left = BLOCK_BYTES;
	}
	left -= size;
	return blocks->cells + left;
}

static void *allocate(size_t size)
{
	if (size > LARGEST)
		return checked(malloc(size));
	struct cell **list = &free_cells[kind_of(size)], *first = *list;
	if (!first)
		return new_cell(kind_of(size));
	*list = first->next;
	return first;
}

static void release(void *memory, size_t size)
{
	if (size > LARGEST) {
		free(memory);
		return;
	}
	struct cell *cell = memory, **list = &free_cells[kind_of(size)];
	cell->next = *list;
	*list = cell;
}

static void *resize(void *memory, size_t size, size_t new_size)
{
	if (size > LARGEST && new_size > LARGEST)
		return checked(realloc(memory, new_size));
	if (size <= LARGEST && new_size <= LARGEST && kind_of(size) == kind_of(new_size))
		return memory;
	void *other = allocate(new_size);
	memcpy(other, memory, size < new_size ? size : new_size);
	release(memory, size);
	return other;
}

void numbers_begin(void)
{
	mp_set_memory_functions(allocate, resize, release);
}

#else

void numbers_begin(void)
{
}

#endif
