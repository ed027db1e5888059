#ifndef PASSES_TURNS_H
#define PASSES_TURNS_H

#include <stdbool.h>

#include "ir/arch.h"

/* What a buffer takes of the scratchpad (passes/regions/place.c): bytes, or banks where these
 * are exclusive; and where the buffers that take turns begin, the largest element of the
 * group being ELEMENT_BYTES. */
long group_round(const struct arch *arch, long bytes);
long group_turns_begin(const struct arch *arch, long next, int element_bytes);
/* The room for those that take turns, TURNS [count] being what each stage needs (0: nothing):
 * for the largest, or, if they overlap, for any two of them. */
long group_turns_need(const struct arch *arch, const long *turns, int count, int element_bytes,
	bool overlap);

#endif
