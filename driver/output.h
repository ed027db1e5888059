#ifndef DRIVER_OUTPUT_H
#define DRIVER_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "support/arena.h"

/* Output files.  Each is written to a temporary file next to its place and renamed
 * by outputs_commit; whatever ends the compilation before leaves nothing behind.
 * Standard output is kept until then.  Devices and pipes with a name are written directly. */
struct outputs;

/* At most one at a time. */
struct outputs *outputs_new(struct arena *arena);
/* Removes the temporary files of what was not committed. */
void outputs_free(struct outputs *outputs);

/* A stream for FILE ("-": standard output).  The same file may be opened once.  NULL
 * after a message to stderr.  Owned by OUTPUTS. */
FILE *outputs_open(struct outputs *outputs, const char *file);

/* Flushes and closes all of them, writes standard output, then renames.  False after a message if anything could
 * not be written; then no file is changed whose rename had not been done. */
bool outputs_commit(struct outputs *outputs);

/* The whole of FILE ("-": standard input), with a zero byte after *LENGTH bytes.
 * NULL after a message to stderr.  Lives in ARENA. */
char *file_read(struct arena *arena, const char *file, size_t *length);

#endif
