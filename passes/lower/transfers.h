#ifndef PASSES_TRANSFERS_H
#define PASSES_TRANSFERS_H

#include "passes/tiles/lowering.h"

/* What moves in a visit, as lowering.visits say. */

/* Appends what brings array A's region in (before the body of a visit), and what
 * takes it out (after); returns the tags to wait for. */
unsigned append_gets(struct lowering *lowering, int a, struct plan_node *block);
unsigned append_puts(struct lowering *lowering, int a, struct plan_node *block);
/* The tags to wait for after a whole run of the innermost loop outside A's buffer. */
unsigned tags_after_run(const struct lowering *lowering, int a);
/* What array A's buffer, which is double, shows first in the run that is to begin; or in the
 * iteration after the present one. */
void append_first_gets(struct lowering *lowering, int a, struct plan_node *block);
void append_next_gets(struct lowering *lowering, int a, struct plan_node *block);

#endif
