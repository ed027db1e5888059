#ifndef CODEGEN_REPORT_ELEMENTS_H
#define CODEGEN_REPORT_ELEMENTS_H

#include <jansson.h>

#include "codegen/report.h"

/* What a report says of a nest that processing elements compute (passes/cost/array_model.h). */

/* Adds the keys "array" and "levels" to ENTRY, that of NEST. */
void report_elements_json(json_t *entry, const struct plan *plan, const struct plan_nest *nest,
	const struct plan_time *time);
void report_elements_text(FILE *out, const struct plan *plan, const struct plan_nest *nest,
	const struct plan_time *time);

#endif
