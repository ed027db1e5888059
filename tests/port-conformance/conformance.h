#ifndef LOOPC_CONFORMANCE_H
#define LOOPC_CONFORMANCE_H

#include "loopc_rt.h"

/* What the conformance test must know of a port and its machine.  It needs no C
 * library and allocates nothing, so it runs on bare metal as it does on a host.
 *
 * window: external memory as the core sees it, ext: its address for the port.  The
 * test uses all of it, and all of the scratchpad.  16 times the scratchpad or more
 * makes it thorough.  Limits are those of the machine file, 0 for none: no copy of
 * the test is beyond them.
 *
 * say gets one line of text, without a newline: the results in TAP. */
struct conformance {
	unsigned char *window;
	lrt_ext ext;
	size_t window_bytes, scratchpad_bytes;
	uint32_t max_rank, max_bytes, max_count, max_stride_bytes, align_bytes;
	void (*say)(const char *line);
};

/* Runs the test and returns how many of its groups failed. */
int conformance_run(const struct conformance *conformance);

#endif
