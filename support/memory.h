#ifndef SUPPORT_MEMORY_H
#define SUPPORT_MEMORY_H

#include <stddef.h>

/* Out of memory ends loopc with a message and status 70 wherever it happens, in isl, libyaml
 * and the C library too: support/memory.c has a malloc of its own in front of glibc's.  No
 * caller sees NULL, so that no pass can take half an answer for a whole one. */

/* Says "out of memory", runs what is registered, ends the program. */
_Noreturn void memory_exhausted(void);

/* SIZE zeroed bytes, freed by the caller; never NULL. */
void *memory_alloc(size_t size);

/* CLEAN_UP(USER), which must not allocate more than it can do without, runs before the program
 * ends for lack of memory: the last registered first.  At most eight at a time. */
void memory_guard(void (*clean_up)(void *user), void *user);
/* The last one registered is no longer. */
void memory_unguard(void);

#endif
