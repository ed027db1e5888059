#ifndef FRONTEND_FRONTEND_H
#define FRONTEND_FRONTEND_H

#include "ir/program.h"

/* -D NAME=VALUE.  It gives a size its value, or stands for a macro that the file
 * tests with #ifndef. */
struct binding {
	const char *name, *value;
	bool is_symbolic;            /* a size known at run time only; VALUE is to tune for */
};

/* Parses and checks TEXT, the LENGTH bytes of FILE, and lowers it.  The program
 * and all of it lives in ARENA.  NULL after errors, which are in DIAG.
 * #include "x.h" is looked for next to the including file, then in INCLUDE_DIRS. */
struct program *frontend_parse(struct arena *arena, isl_ctx *ctx, struct diag *diag,
	const char *file, const char *text, size_t length,
	const struct binding *bindings, int binding_count,
	const char *const *include_dirs, int include_dir_count);

/* Prints what preprocessing leaves of TEXT, a line of the source a line; false after errors. */
bool frontend_print_preprocessed(FILE *out, struct arena *arena, struct diag *diag,
	const char *file, const char *text, size_t length,
	const struct binding *bindings, int binding_count,
	const char *const *include_dirs, int include_dir_count);

/* Prints the syntax tree of TEXT; false after errors. */
bool frontend_print_ast(FILE *out, struct arena *arena, struct diag *diag,
	const char *file, const char *text, size_t length,
	const struct binding *bindings, int binding_count,
	const char *const *include_dirs, int include_dir_count);

#endif
