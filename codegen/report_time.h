#ifndef CODEGEN_REPORT_TIME_H
#define CODEGEN_REPORT_TIME_H

#include <jansson.h>

#include "codegen/report.h"

/* What a report says of time (ir/plan_time.h). */

/* Of PLAN's nests, found once; NULL: the machine has no clock, or it would take too long to find. */
const struct plan_time *report_times(struct plan *plan);
/* Of all nests of all plans, one after the other.  False if it is not known. */
bool report_time_of_all(const struct report *report, struct plan_time *sum);

/* The value of the key "time".  The caller owns it. */
json_t *report_time_json(const struct arch *arch, const struct plan_time *time);
/* Who computes what TIME is told of, bit by bit. */
enum workers { CORE_WORKS = 1, ELEMENTS_WORK = 2 };
enum workers report_workers(const struct plan_nest *nest);
/* What takes most of TIME on ARCH, of a nest that starts COMMANDS (-1: not known): WORKERS, the bus, or
 * starting commands. */
void report_time_explain(FILE *out, const struct arch *arch, enum workers workers, const struct plan_time *time,
	long commands);
void report_time_text(FILE *out, const char *indent, const struct arch *arch, enum workers workers,
	const struct plan_time *time);

#endif
