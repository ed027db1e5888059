#ifndef PASSES_REMARKS_H
#define PASSES_REMARKS_H

#include "passes/variants/choice.h"

/* -Rloop: what keeps the loops of VARIANT from being tiled. */
void remark_on_loops(struct compilation *compilation, const struct variant *variant);
/* The same, and what keeps CHOICE from being better. */
void remark_on_choice(struct compilation *compilation, const struct choice *choice);

#endif
