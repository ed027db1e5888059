#ifndef CODEGEN_CODEGEN_H
#define CODEGEN_CODEGEN_H

#include <stdbool.h>
#include <stdio.h>

#include "ir/plan.h"

struct codegen_options {
	const char *version;         /* of loopc: "0.1.0" */
	const char *arguments;       /* the options given, for the comment; may be NULL */
	const char *prefix;          /* of every exported name; NULL or "": none */
	const char *header;          /* file that codegen_header writes, to be included; NULL:
	                              * the C file declares its functions itself */
	bool line_directives;        /* #line before each statement of the source */
	bool is_measured;            /* for a test on a host: counts multiply-accumulates (ir/macs.h)
	                              * in lrt_checked_macs of the checked port, and tells the
	                              * program of each nest that begins: lrt_checked_nest(n) */
	const char *output;          /* name of the C file, for #line; may be NULL */
};

/* Writes the C of PLANS, all of one program, in source order.  Every function of
 * the source that has a plan is written as an extern function, static ones too:
 * the emitted file is what a firmware calls into.
 *
 *     void [prefix]NAME(lrt_ext A, ..., float alpha, ... [, lrt_ext workspace])
 *
 * arrays and scalars by value in the order of the source, sizes left out since
 * they are bound; last, if plan.workspace_bytes > 0, the address of that many
 * bytes of external memory for local arrays, aligned for every type.
 *
 * False, with a message on stderr, if a transfer is no box of the runtime (its
 * plan was not split, see passes/plan_passes/split.h).  Write errors are the caller's to see
 * (ferror). */
bool codegen_c(FILE *out, const struct plan *const *plans, int count,
	const struct codegen_options *options);

/* Writes the header: prototypes, and for each function NAME macros that say what
 * it needs and does: [prefix]NAME_SCRATCHPAD_BYTES, _WORKSPACE_BYTES, _READ_BYTES,
 * _WRITE_BYTES, the value of each size, and the bytes of each array. */
bool codegen_header(FILE *out, const struct plan *const *plans, int count,
	const struct codegen_options *options);

/* An estimate, rounded up, of the stack that the function of PLAN needs when gcc compiles it
 * up to -O2, in bytes: its frame and the largest of its transfers'.  The runtime's functions
 * and called pure functions are left out.  No bound: no compiler promises one. */
long codegen_stack_bytes(const struct plan *plan);

#endif
