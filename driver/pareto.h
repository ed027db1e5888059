#ifndef DRIVER_PARETO_H
#define DRIVER_PARETO_H

#include "driver/output.h"
#include "driver/session.h"

/* True if TEXT is memory,traffic or memory,traffic,macs, in any order: what searches prove. */
bool pareto_parse(const char *text, bool *with_macs);

/* --pareto: the Pareto front of each function, as a table on standard output and in the
 * files of --pareto-output.  STATUS_DOES_NOT_FIT if some function has no point; then
 * nothing is written, and why is the caller's to tell. */
enum status pareto(struct session *session, struct outputs *outputs);

#endif
