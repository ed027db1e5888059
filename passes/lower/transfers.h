#ifndef PASSES_TRANSFERS_H
#define PASSES_TRANSFERS_H

#include "passes/tiles/lowering.h"

/* What moves in a visit: regions in closed form (transfers.c), and those from isl
 * (general_transfers.c). */

/* False if, with symbolic sizes, some closed form does not hold for all of them. */
bool make_exact_buffers(struct lowering *lowering);
/* Appends what brings array A's region in (before the body of a visit), and what
 * takes it out (after); returns the tags to wait for. */
unsigned append_exact_gets(struct lowering *lowering, int a, struct plan_node *block);
unsigned append_exact_puts(struct lowering *lowering, int a, struct plan_node *block);
/* The tags to wait for after a whole run of the innermost loop outside A's buffer. */
unsigned exact_tags_after_run(const struct lowering *lowering, int a);

/* COUNT elements from FIRST of dimension D, a ring, of what REGION says for the other
 * dimensions, in its direction: in two pieces where they wrap. */
void append_ring_get(struct lowering *lowering, const struct plan_transfer *region, int d,
	struct plan_expr *first, struct plan_expr *count, struct plan_node *block);

unsigned append_general_gets(struct lowering *lowering, int a, struct plan_node *block);
unsigned append_general_puts(struct lowering *lowering, int a, struct plan_node *block);
/* The tags to wait for after a whole run of the innermost loop outside A's buffer. */
unsigned general_tags_after_run(const struct lowering *lowering, int a);
/* What array A's buffer, which is double, shows first in the run that is to begin; or in the
 * iteration after the present one. */
void append_first_gets(struct lowering *lowering, int a, struct plan_node *block);
void append_next_gets(struct lowering *lowering, int a, struct plan_node *block);

#endif
