#ifndef CODEGEN_RING_H
#define CODEGEN_RING_H

#include "codegen/expr.h"

/* A subscript modulo the depth of a ring, or a slot, that has a variable of its own: inside
 * the loops that use it nothing is divided. */
struct ring {
	const struct ring *outer;
	const struct plan_expr *expr;
	const char *name;
	const char *value;           /* its first or only value, C */
	/* What one turn of the loop makes of it, C; NULL: it is the same in all loops inside. */
	const char *advance;
};

/* A loop that is printed as one, not as the value of its only iteration. */
bool is_printed_as_loop(const struct plan_node *node);

/* Gives variables to the remainders in subscripts of statements inside BINDER, a loop or a
 * let, that change with its variable and with none bound further inside: counters that go
 * along with the loop where a statement stands in no further loop, else values.  They become
 * PRINTER->rings, which its texts use; returns what those were before. */
const struct ring *rings_open(struct printer *printer, const struct plan_node *binder);

#endif
