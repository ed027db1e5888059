#ifndef SUPPORT_DIAG_H
#define SUPPORT_DIAG_H

#include <stdbool.h>
#include <stdio.h>

/* A place in a source file: 1-based line and byte columns; end_column is one
 * past the last byte of what is meant (0: only the column is known).  line 0:
 * no place. */
struct location {
	const char *file;
	int line, column, end_column;
};

/* Collects and prints diagnostics in the form `file:line:column: error: text
 * [-Wname]` with the source line and a caret. */
struct diag;

enum diag_color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* Writes to OUT (not owned). */
struct diag *diag_new(FILE *out);
void diag_free(struct diag *diag);
void diag_set_color(struct diag *diag, enum diag_color color);
void diag_set_json(struct diag *diag, bool json);
/* -Werror; -WNAME / -Wno-NAME; -RNAME.  False for an unknown name. */
void diag_set_werror(struct diag *diag, bool on);
bool diag_set_warning(struct diag *diag, const char *name, bool on);
bool diag_set_remark(struct diag *diag, const char *name, bool on);

/* All names of warnings and remarks, a line each. */
void diag_list_names(FILE *out);

/* The text of FILE, for showing its lines (copied). */
void diag_add_source(struct diag *diag, const char *file, const char *text, size_t length);

void diag_error(struct diag *diag, struct location at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* NAME is the option that silences it, without -W. */
void diag_warning(struct diag *diag, struct location at, const char *name,
	const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Printed only if -RNAME was given, and once at a place. */
void diag_remark(struct diag *diag, struct location at, const char *name,
	const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Whether it would be: what is only known by work need not be found out otherwise. */
bool diag_has_remark(const struct diag *diag, const char *name);
/* Belongs to the diagnostic before it, and is printed only if that was. */
void diag_note(struct diag *diag, struct location at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

int diag_error_count(const struct diag *diag);
/* True when 20 errors were printed: the rest is dropped, callers may stop. */
bool diag_full(const struct diag *diag);
/* Ends the output (closes the JSON array). */
void diag_finish(struct diag *diag);

#endif
