#ifndef DRIVER_SWEEP_H
#define DRIVER_SWEEP_H

#include "driver/output.h"
#include "driver/session.h"

/* True if TEXT is "scratchpad:FROM..TO[/STEPS]", sizes in bytes that may end in K or M
 * and STEPS of them in each doubling (default 2). */
bool sweep_parse(const char *text, long *from, long *to, int *steps);

/* --sweep: the least traffic of the program for each size of scratchpad, as a table on
 * standard output, and in the files of --sweep-output.  Each schedule serves all
 * smaller sizes that hold it too. */
enum status sweep(struct session *session, struct outputs *outputs);

#endif
