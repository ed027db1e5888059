/* Places in the scratchpad that buffers use one after the other. */

#include "passes/cost/turns.h"

#include <limits.h>

long group_round(const struct arch *arch, long bytes)
{
	/* more than any scratchpad has; a million of them can be added up */
	const long most = LONG_MAX >> 20;
	long unit = arch->align_bytes > 1 ? arch->align_bytes : 1;
	bytes = bytes < most ? bytes : most;
	bytes = (bytes + unit - 1) / unit * unit;
	long bank_bytes = arch->scratchpad_bytes / arch->banks;
	return arch->exclusive ? (bytes + bank_bytes - 1) / bank_bytes : bytes;
}

long group_turns_begin(const struct arch *arch, long next, int element_bytes)
{
	return arch->exclusive ? next : (next + element_bytes - 1) / element_bytes * element_bytes;
}

long group_turns_need(const struct arch *arch, const long *turns, int count, int element_bytes,
	bool overlap)
{
	long most = 0, second = 0;
	for (int m = 0; m < count; m++) {
		long own = overlap ? group_turns_begin(arch, turns[m], element_bytes) : turns[m];
		second = own > most ? most : own > second ? own : second;
		most = own > most ? own : most;
	}
	return overlap ? most + second : most;
}
