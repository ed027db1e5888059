#ifndef CODEGEN_SIGNATURE_H
#define CODEGEN_SIGNATURE_H

#include "codegen/codegen.h"
#include "codegen/names.h"

/* "void conv(lrt_ext I, lrt_ext O)", parameters named by NAMES. */
const char *signature_text(struct arena *arena, const struct plan *plan,
	const struct codegen_options *options, const struct names *names, const char *workspace);
/* The prototypes of all functions, a line each; their parameters have names that
 * are good for C++ as well. */
void signatures_print(FILE *out, const struct plan *const *plans, int count,
	const struct codegen_options *options);

#endif
