#ifndef IR_PE_ARRAY_H
#define IR_PE_ARRAY_H

#include <stdbool.h>

/* An array of processing elements beside the scratchpad, each with registers of its own. */

enum axis { AXIS_X, AXIS_Y, AXIS_FREE };

enum { AXES_NONE = 0, AXES_ANY = 1 << AXIS_X | 1 << AXIS_Y | 1 << AXIS_FREE };

struct pe_array {
	int x, y;                    /* elements along each axis */
	long registers_bytes;        /* of one element */
	/* Along which axes one read of the scratchpad serves all elements, and along which partial sums are added up
	 * before one of them is written: bit 1 << axis. */
	unsigned multicast, reduce;  /* AXES_... */
	bool is_free;                /* loops in space are on no axis; only their product is at most x y */
	bool is_double;              /* the operands of the next step arrive during this one */
};

#endif
