#ifndef DRIVER_OPTIONS_H
#define DRIVER_OPTIONS_H

#include <stdbool.h>

#include "driver/objective.h"
#include "passes/pass.h"
#include "support/arena.h"
#include "support/diag.h"

/* Exit statuses of the command. */
enum status {
	STATUS_DONE = 0,
	STATUS_INPUT_ERROR = 1,
	STATUS_USAGE = 2,
	STATUS_DOES_NOT_FIT = 3,
	STATUS_VERIFY_FAILED = 4,
	STATUS_INTERNAL = 70
};

enum emit {
	EMIT_PREPROCESSED, EMIT_AST, EMIT_PROGRAM, EMIT_DEPS, EMIT_REUSE, EMIT_SCHEDULE, EMIT_PLAN, EMIT_C, EMIT_H,
	EMIT_REPORT, EMIT_COUNT
};

/* One form of the result and where it goes: "-" is standard output. */
struct emission {
	enum emit form;
	const char *file;
};

/* What to do besides compiling, or instead of it. */
extern const char *const buffering_names[];      /* [enum buffering], as --buffering has them */

enum action {
	ACTION_COMPILE, ACTION_HELP, ACTION_VERSION, ACTION_LIST_ARCHS, ACTION_LIST_PASSES, ACTION_LIST_WARNINGS,
	ACTION_PRINT_RUNTIME_DIR
};

struct string_list {
	int count;
	size_t capacity;
	const char **items;
};

struct warning_choice {
	const char *name;
	bool on, is_remark;
};

/* Of the work that fusion may repeat, where nothing else is said. */
#define RECOMPUTE_PERCENT 25.0

struct options {
	enum action action;
	const char *input;           /* "-" is standard input */
	const char *arch;            /* a built-in name or a file */
	struct string_list defines;  /* "NAME=VALUE", one a name */
	struct string_list symbolic; /* names of sizes known at run time only */
	struct string_list include_dirs;
	/* An option that is given which means nothing once sizes are bound, or a plan is made; NULL:
	 * none is. */
	const char *binding_option, *planning_option;
	const char *output;          /* -o; NULL: not given */
	int emission_count;
	struct emission emissions[EMIT_COUNT];
	const char *schedule_file;
	enum buffering buffering;
	bool is_buffering_given;
	struct plan_objective objective;
	enum fusion fusion;
	bool is_fusion_given;
	double recompute_percent;    /* of work that fusion may repeat; infinite: any */
	bool is_recompute_given;
	long effort;
	long time_limit_seconds;     /* of processor time to make plans; 0: none */
	int threads;
	bool reassociate;
	const char *prefix;          /* of the emitted functions' names; "" for none */
	bool line_directives;
	bool syntax_only;            /* the input is read and checked, nothing is written */

	const char *report_file;     /* JSON; NULL: none */
	bool report_text;            /* the table, on standard output */
	bool explain, explain_strategies, verify;
	struct string_list verify_files, verify_ranges;   /* "ARRAY=FILE", "ARRAY=LO..HI" */
	const char *save_temps;      /* directory that keeps what --verify makes; NULL: none */

	const char *sweep;           /* "8K..1M": sizes of scratchpad; NULL: none */
	struct string_list sweep_files;
	const char *pareto;          /* "memory,traffic" or other figures (driver/trades.h); NULL: none */
	struct string_list pareto_files;
	long pareto_points;          /* searches for a front; 0, PARETO_COMPLETE: see pareto_find */
	bool pareto_nests;
	const char *space;           /* a name of options_space_names; NULL: not given */

	struct string_list print_after;   /* pass names, or "all" */
	bool print_changed, time_passes;

	bool depfile;                /* -MD, -MF */
	bool depfile_only;           /* -M */
	const char *depfile_file;    /* NULL: from the output's name */
	struct string_list depfile_targets;
	bool depfile_phony;

	struct warning_choice *warnings;
	int warning_count;
	size_t warning_capacity;
	bool werror;
	enum diag_color color;
	bool json_diagnostics;
};

/* Fills in OPTIONS from the command line.  False after a message to stderr: the
 * command was used wrongly. */
bool options_parse(struct arena *arena, int argc, char **argv, struct options *options);

/* All that is asked for is the preprocessed text. */
bool options_only_preprocess(const struct options *options);

/* --help; it fits a screen. */
void options_help(void);

#endif
