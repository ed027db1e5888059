/* Preloaded, glibc's allocator without end of memory but at the NO_MEMORY_ATth call, which
 * fails.  At the end the file NO_MEMORY_COUNT gets the number of calls. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static long calls, limit;

/* What the environment says; not for the programs that this one starts. */
static void __attribute__((constructor)) begin(void)
{
	const char *at = getenv("NO_MEMORY_AT");

	limit = at ? atol(at) + calls : 0;
	unsetenv("LD_PRELOAD");
}

static void __attribute__((destructor)) end(void)
{
	const char *name = getenv("NO_MEMORY_COUNT");
	long count = calls;          /* but for those of the next lines */
	FILE *out = name ? fopen(name, "w") : NULL;

	if (out) {
		fprintf(out, "%ld\n", count);
		fclose(out);
	}
}

static int is_at_end(void)
{
	if (__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) != limit)
		return 0;
	errno = ENOMEM;
	return 1;
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

void *__libc_malloc(size_t size)
{
	static void *(*real)(size_t);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "__libc_malloc");
	return is_at_end() ? NULL : real(size);
}

void *__libc_calloc(size_t count, size_t size)
{
	static void *(*real)(size_t, size_t);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "__libc_calloc");
	return is_at_end() ? NULL : real(count, size);
}

void *__libc_realloc(void *memory, size_t size)
{
	static void *(*real)(void *, size_t);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "__libc_realloc");
	return is_at_end() ? NULL : real(memory, size);
}
