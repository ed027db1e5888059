#ifndef DRIVER_EMIT_H
#define DRIVER_EMIT_H

#include "driver/output.h"
#include "driver/session.h"

/* True if FORM is printed from plans: the pipeline must have run to its end. */
bool emit_needs_plan(enum emit form);

/* Prints every form that was asked for, the reports and the depfile into OUTPUTS.
 * False after a message. */
bool emit_all(struct session *session, struct outputs *outputs);

/* Those of them that are still worth having when verification failed: reports. */
bool emit_reports(struct session *session, struct outputs *outputs);

/* Says on stderr what --verify found to be right, unless a report on standard output does, or
 * stderr has JSON. */
void emit_verified(const struct session *session);

/* Prints the C, or the header, as --emit does; HEADER is included by the C, NULL:
 * it declares itself what it defines.  IS_MEASURED: see struct codegen_options. */
bool emit_c(struct session *session, FILE *out, const char *header, bool is_measured);
bool emit_header(struct session *session, FILE *out);

#endif
