#ifndef CODEGEN_RESERVED_H
#define CODEGEN_RESERVED_H

#include <stdbool.h>

#include "ir/program.h"

/* Whether TEXT is a macro of <stddef.h> or <stdint.h>, which emitted C includes. */
bool reserved_is_macro(const char *text);

/* Whether the functions of PROGRAM, with PREFIX before their names, can be functions of an emitted
 * file: not C's or C++'s words, its library's, or the runtime's.  Else errors that say so. */
bool reserved_check(const struct program *program, const char *prefix, struct diag *diag);

#endif
