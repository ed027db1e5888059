#ifndef DRIVER_DEPFILE_H
#define DRIVER_DEPFILE_H

#include <stdio.h>

#include "driver/options.h"

/* A make rule that says what the outputs depend on: TARGETS on FILES, with an empty
 * rule for each file after the first where -MP. */
void depfile_print(FILE *out, const struct options *options, const struct string_list *files);

/* Where -MD writes: -MF, or the output with its suffix replaced by .d. */
const char *depfile_name(struct arena *arena, const struct options *options);

#endif
