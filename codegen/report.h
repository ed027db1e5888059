#ifndef CODEGEN_REPORT_H
#define CODEGEN_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "ir/plan_time.h"

/* What --verify found. */
enum verify_status { VERIFY_NOT_RUN, VERIFY_PASSED, VERIFY_FAILED };

/* What one nest did. */
struct verify_nest {
	long read_bytes, write_bytes, macs, commands;
	struct plan_time time;       /* zeros on a machine without a clock */
};

struct verify_result {
	enum verify_status status;
	long measured_read_bytes, measured_write_bytes;
	long measured_macs, measured_commands, measured_cycles;
	int nest_count;
	struct verify_nest *nests;   /* of all plans, in their order; NULL: the run did not end */
	long mismatched_elements;
	bool is_exact;               /* all functions that reorder sums were compared on data
	                              * without any rounding too */
	const char *tolerance;       /* how floats were compared; NULL: nothing to say */
};

/* All that a report is about: the plans of one file. */
struct report {
	const struct arch *arch;
	int plan_count;
	struct plan *const *plans;
	struct verify_result verify;
	struct json_t *strategies;   /* the value of that key, borrowed; NULL: no key */
};

/* The JSON of docs/loopc.1, keys always in the same order.  False if memory or the
 * stream fails. */
bool report_json(FILE *out, const struct report *report);

/* What --verify found, in a line of text; nothing if it was not run. */
void report_verified(FILE *out, const struct report *report);

/* DMA commands that a nest of the plan starts; -1: counting them would take too long. */
long report_commands_of_nest(const struct plan *plan, const struct plan_nest *nest);

/* What NEST of PLAN costs.  False if the machine gives no prices, or not all counts are known. */
struct energy;
bool report_energy_of_nest(const struct plan *plan, const struct plan_nest *nest,
	const struct plan_time *time, struct energy *energy);

/* The table for people. */
void report_text(FILE *out, const struct report *report);

/* Copy by copy: where it stands, how often it runs, what it moves and why an array
 * is read more than once. */
void report_explain(FILE *out, const struct report *report);

/* What the source calls ARRAY, if its name is numbered: "  'acc' of line 6". */
void report_source(FILE *out, const struct array *array);

/* VALUE with a comma every three digits, in one of a few buffers of its own. */
const char *report_number(long value);

#endif
