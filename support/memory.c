#include "support/memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/program.h"

enum { GUARD_LIMIT = 8, RESERVE_BYTES = 262144, STATUS = 70 };

static struct guard {
	void (*clean_up)(void *user);
	void *user;
} guards[GUARD_LIMIT];
static int guard_count;
static void *reserve;            /* for the clean-ups */

void memory_guard(void (*clean_up)(void *user), void *user)
{
	if (guard_count == GUARD_LIMIT)
		abort();
	if (!reserve)
		reserve = memory_alloc(RESERVE_BYTES);
	guards[guard_count++] = (struct guard){ clean_up, user };
}

void memory_unguard(void)
{
	if (--guard_count == 0) {
		free(reserve);
		reserve = NULL;
	}
}

/* Streams are not flushed: what they hold is half of something, and they may be locked. */
_Noreturn void memory_exhausted(void)
{
	static int is_ending;

	/* Memory that a clean-up lacks, or another thread at the same time, ends it at once. */
	if (__atomic_exchange_n(&is_ending, 1, __ATOMIC_SEQ_CST))
		_exit(STATUS);
	const char *const message[] = { "\n", program_name, ": error: out of memory\n" };
	for (size_t m = 0; m < sizeof(message) / sizeof(message[0]); m++)
		if (write(STDERR_FILENO, message[m], strlen(message[m])) < 0)
			_exit(STATUS);
	free(reserve);
	while (guard_count > 0) {
		struct guard *guard = &guards[--guard_count];

		guard->clean_up(guard->user);
	}
	_exit(STATUS);
}

void *memory_alloc(size_t size)
{
	void *memory = calloc(1, size ? size : 1);
	if (!memory)
		memory_exhausted();
	return memory;
}

/* glibc lets a program have functions of these names in front of its own, which are also
 * called by these; its free takes what they return.  The sanitizers have theirs. */
#if defined HAVE___LIBC_MALLOC && !defined __SANITIZE_ADDRESS__

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

void *malloc(size_t size)
{
	void *memory = __libc_malloc(size);
	if (!memory)
		memory_exhausted();
	return memory;
}

void *calloc(size_t count, size_t size)
{
	void *memory = __libc_calloc(count, size);
	if (!memory)
		memory_exhausted();
	return memory;
}

/* Of size 0 it frees, and NULL is no failure. */
void *realloc(void *memory, size_t size)
{
	void *more = __libc_realloc(memory, size);
	if (!more && size)
		memory_exhausted();
	return more;
}

#endif
