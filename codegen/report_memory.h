#ifndef CODEGEN_REPORT_MEMORY_H
#define CODEGEN_REPORT_MEMORY_H

#include <jansson.h>

#include "codegen/report.h"

/* What a report says of the memories on chip. */

/* The value of the key "scratchpad" of a nest, and of "arch".  The caller owns them. */
json_t *report_memory_json(const struct plan *plan, const struct plan_nest *nest);
json_t *report_arch_json(const struct arch *arch);
/* The buffers of NEST, memory by memory. */
void report_memory_text(FILE *out, const struct plan *plan, const struct plan_nest *nest);

#endif
