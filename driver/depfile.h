#ifndef DRIVER_DEPFILE_H
#define DRIVER_DEPFILE_H

#include <stdio.h>

#include "driver/options.h"

/* A make rule that says what the outputs depend on: TARGETS on FILES, with an empty
 * rule for each file after the first where -MP. */
void depfile_print(FILE *out, struct arena *arena, const struct options *options,
	const struct string_list *files);

/* NAME as make reads it, in the arena. */
const char *depfile_quote(struct arena *arena, const char *name);

/* Whether -MD has a file to write: -MF, or one that an output is named after. */
bool depfile_is_named(const struct options *options);

/* Where -MD writes: -MF, or the output with its suffix replaced by .d. */
const char *depfile_name(struct arena *arena, const struct options *options);

#endif
