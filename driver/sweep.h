#ifndef DRIVER_SWEEP_H
#define DRIVER_SWEEP_H

#include "driver/output.h"
#include "driver/session.h"

/* What --sweep asks for. */
struct sweep_asked {
	const char *name;            /* "scratchpad", or of a memory: LENGTH bytes */
	int length;
	long from, to;               /* bytes */
	int steps;                   /* sizes in each doubling */
};

/* True if TEXT is "NAME:FROM..TO[/STEPS]", sizes in bytes that may end in K or M; 2 STEPS if it does not say. */
bool sweep_parse(const char *text, struct sweep_asked *asked);

/* --sweep: the least traffic of the program for each size of scratchpad, as a table on
 * standard output, and in the files of --sweep-output.  Of several memories that one has other sizes
 * which is named, or all have in proportion.  Each schedule serves all
 * smaller sizes that hold it too. */
enum status sweep(struct session *session, struct outputs *outputs);

#endif
