#ifndef DRIVER_SESSION_H
#define DRIVER_SESSION_H

#include "codegen/report.h"
#include "driver/options.h"
#include "driver/trace.h"
#include "passes/pass.h"

/* A call that --verify makes of a function: with its symbolic sizes at SIZES. */
struct verify_case {
	const struct plan *plan;
	const char *name;            /* the function's, and "@3" for its case 3, from 1 on */
	long sizes[SYMBOLIC_LIMIT];
};

/* One run of the command on one file: what was asked, what was read, what came of
 * it.  Everything lives in the arena. */
struct session {
	struct arena *arena;
	isl_ctx *ctx;
	struct diag *diag;
	const struct options *options;
	struct string_list files;    /* read so far: the source first */
	const char *text;            /* of the source */
	size_t length;
	const struct arch *arch;
	const struct program *program;
	int plan_count;
	struct plan **plans;
	struct compilation compilation;
	struct trace *trace;
	int case_count;              /* --verify */
	struct verify_case *cases;
	struct verify_result verify;
	struct plan_ways *ways;      /* [plan_count], in which they were made (driver/ways.h); NULL: in one */
	struct strategies *strategies;   /* of --explain=strategies; NULL: not asked for */
};

/* Sets up what a compilation needs.  Never fails. */
void session_begin(struct session *session, struct arena *arena, const struct options *options);

/* -W and -R name diagnostics; false if one has no such name: wrong usage. */
bool session_choose_warnings(struct session *session);

/* Reads the source, the machine and the schedule; the program is there afterwards,
 * and for a .plan file its plan.  False after errors. */
bool session_read(struct session *session);

/* -E: the tokens that are left of the input, as lines of C.  False after errors. */
bool session_print_preprocessed(struct session *session, FILE *out);

/* --emit=ast, which needs no program: the syntax tree of the source. */
bool session_print_ast(struct session *session, FILE *out);

/* Releases what the arena does not own. */
void session_end(struct session *session);

#endif
