/* Runs the conformance test on a port with each fault in turn: it must find all of
 * them, and nothing where there is none. */

#include "conformance.h"
#include "faulty.h"

#include <stdio.h>
#include <stdlib.h>

static void say_nothing(const char *line)
{
	(void)line;
}

int main(void)
{
	struct conformance conformance = { 0 };
	int fault, missed = 0;
	conformance.scratchpad_bytes = 128 << 10;
	conformance.window_bytes = 2 * ((size_t)256 << 10) + conformance.scratchpad_bytes;
	/* A fault may write beyond the window. */
	unsigned char *allocated = calloc(3, conformance.window_bytes);
	if (!allocated)
		return 99;
	conformance.window = allocated + conformance.window_bytes;
	conformance.ext = (lrt_ext)conformance.window;
	conformance.say = say_nothing;
	for (fault = FAULT_NONE; fault < FAULT_COUNT; fault++) {
		int failures;
		faulty_begin((enum fault)fault);
		failures = conformance_run(&conformance);
		if ((failures > 0) != (fault != FAULT_NONE)) {
			printf("# fault %d: %d groups failed\n", fault, failures);
			missed++;
		}
	}
	free(allocated);
	return missed != 0;
}
