#ifndef PASSES_PIPELINE_H
#define PASSES_PIPELINE_H

#include <stdbool.h>
#include <stdio.h>

#include "passes/pass.h"

/* The passes in the order they run: what --list-passes lists, --print-after names
 * and --time-passes times. */
struct pass {
	const char *name, *file, *summary;
};

/* Ended by a name of NULL. */
extern const struct pass passes[];

/* NULL if there is no pass of that name. */
const struct pass *pass_find(const char *name);

/* One line for each pass. */
void passes_list(FILE *out);

#endif
