/* The conformance test on a host port, with the limits of a machine or none:
 * host [scratchpad max_rank max_bytes max_count max_stride align] */

#include "conformance.h"

#ifdef PORT_CHECKED
#include "loopc_checked.h"
#endif

#include <stdio.h>
#include <stdlib.h>

static void say(const char *line)
{
	puts(line);
	fflush(stdout);
}

static uint32_t argument(int count, char **arguments, int i, uint32_t otherwise)
{
	return i < count ? (uint32_t)strtoul(arguments[i], NULL, 0) : otherwise;
}

int main(int argc, char **argv)
{
	struct conformance conformance;
	int failures;
	conformance.scratchpad_bytes = argument(argc, argv, 1, 65536);
	conformance.max_rank = argument(argc, argv, 2, 0);
	conformance.max_bytes = argument(argc, argv, 3, 0);
	conformance.max_count = argument(argc, argv, 4, 0);
	conformance.max_stride_bytes = argument(argc, argv, 5, 0);
	conformance.align_bytes = argument(argc, argv, 6, 0);
	conformance.window_bytes = 2 * ((size_t)2 << 20) + conformance.scratchpad_bytes;
	conformance.window = calloc(1, conformance.window_bytes);
	if (!conformance.window)
		return 99;
	conformance.ext = (lrt_ext)conformance.window;
	conformance.say = say;
#ifdef PORT_CHECKED
	{
		lrt_limits limits;
		limits.scratchpad_bytes = conformance.scratchpad_bytes;
		limits.max_rank = conformance.max_rank;
		limits.max_bytes = conformance.max_bytes;
		limits.max_count = conformance.max_count;
		limits.max_stride_bytes = conformance.max_stride_bytes;
		limits.align_bytes = conformance.align_bytes;
		lrt_checked_begin(&limits);
		lrt_checked_array("window", conformance.window, conformance.window_bytes, 1);
	}
#endif
	failures = conformance_run(&conformance);
#ifdef PORT_CHECKED
	if (lrt_checked_end() != 0) {
		puts("Bail out! the checked port found violations");
		failures++;
	}
#endif
	free(conformance.window);
	return failures != 0;
}
