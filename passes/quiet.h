#ifndef PASSES_QUIET_H
#define PASSES_QUIET_H

#include "passes/pass.h"

/* A compilation that says nothing: for questions that may be answered by "nothing fits". */
struct quiet {
	struct compilation compilation;
	char *text;
	size_t length;
	FILE *unseen;
};

/* A copy of COMPILATION whose diagnostics, passes and progress are not shown.  What it
 * makes is the arena's. */
void quiet_begin(struct quiet *quiet, const struct compilation *compilation);
void quiet_end(struct quiet *quiet);

#endif
