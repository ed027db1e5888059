#ifndef FRONTEND_ARCH_H
#define FRONTEND_ARCH_H

#include <stddef.h>
#include <stdio.h>

#include "ir/arch.h"
#include "support/arena.h"
#include "support/diag.h"

/* The machine that TEXT, the YAML of FILE, describes (docs/machine.md).  NULL after
 * errors, which are diagnosed with their line and column.  Lives in ARENA. */
const struct arch *arch_parse(struct arena *arena, struct diag *diag, const char *file,
	const char *text, size_t length);

/* A machine file that is built into loopc. */
struct arch_builtin {
	const char *name, *text;
};

/* Sorted by name; ended by a name of NULL. */
extern const struct arch_builtin arch_builtins[];

/* NULL if there is none of that name. */
const struct arch_builtin *arch_builtin_find(const char *name);

/* One line for each built-in machine. */
void arch_list(FILE *out);

#endif
