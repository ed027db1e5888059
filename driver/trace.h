#ifndef DRIVER_TRACE_H
#define DRIVER_TRACE_H

#include <stdbool.h>
#include <stdio.h>

#include "driver/options.h"
#include "passes/pass.h"

/* --print-after, --print-changed and --time-passes.  A pass calls
 * compilation.watch.traced when it is done, and if that is true prints its result to
 * compilation.watch.trace. */
struct trace;

struct trace *trace_new(struct arena *arena, const struct options *options);

/* Where passes print; NULL if nobody wants to see it. */
FILE *trace_stream(struct trace *trace);

/* compilation.watch.traced: PASS is done; true if its result is to be printed. */
bool trace_after(const struct compilation *compilation, const char *pass);

/* What took the time since the last pass was WHAT, which is none itself. */
void trace_time(const char *what);

/* Shows what is left, and the times, on stderr. */
void trace_end(struct trace *trace);

#endif
