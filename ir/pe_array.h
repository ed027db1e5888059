#ifndef IR_PE_ARRAY_H
#define IR_PE_ARRAY_H

#include <stdbool.h>

enum { MEMORY_LIMIT = 8 };       /* memories on chip that emitted code manages */

/* Of registers by a multiply-accumulate: three operands are read and one result is written. */
enum { ACCESSES_OF_MAC = 4 };

/* What an array is to the layer that a nest computes (passes/analysis/roles.h). */
enum array_role { ROLE_INPUT, ROLE_WEIGHT, ROLE_OUTPUT, ROLE_COUNT };
/* Their names: "input", "weight", "output". */
extern const char *const role_names[ROLE_COUNT];

/* An array of processing elements beside the scratchpad, each with registers of its own. */

enum axis { AXIS_X, AXIS_Y, AXIS_FREE };

enum { AXES_NONE = 0, AXES_ANY = 1 << AXIS_X | 1 << AXIS_Y | 1 << AXIS_FREE };

/* How words travel: from the scratchpad, to it, and from one element to a neighbour that adds them to its own. */
enum array_way { WAY_READ, WAY_WRITE, WAY_REDUCE, ARRAY_WAYS };

struct pe_array {
	int x, y;                    /* elements along each axis */
	long registers_bytes;        /* of one element */
	bool is_split;               /* ... of which arrays of each role have a part: */
	long role_bytes[ROLE_COUNT];
	/* Along which axes one read of the scratchpad serves all elements, and along which partial sums are added up
	 * before one of them is written: bit 1 << axis. */
	unsigned multicast, reduce;  /* AXES_... */
	int register_accesses;       /* of a multiply-accumulate that are paid for: all; 1: that of the result alone */
	unsigned bypass;             /* bit r: arrays of role r may go between external memory and registers alone */
	bool is_free;                /* loops in space are on no axis; only their product is at most x y */
	bool is_double;              /* the operands of the next step arrive during this one */
	bool shares_room;            /* ... where those of this one were: registers have room for no more */
	/* Of its time (docs/machine.md). */
	double mac_cycles;           /* of an element's multiply-accumulate; 0: how long elements take is not told */
	int networks[ARRAY_WAYS];    /* arrays whose words can travel at a time */
	double words_per_cycle;      /* of each network */
	double memory_words_per_cycle[MEMORY_LIMIT]; /* of each memory on chip ([0]: a scratchpad that is all): read from it and
	                              * written to it by all networks together; 0: no limit */
	bool computes;               /* what it can, unless a schedule says otherwise; else what a schedule says of it */
};

/* A machine that says nothing of its array but the elements: one read serves all, and so on (docs/machine.md). */
static inline struct pe_array pe_array_usual(void)
{
	return (struct pe_array){ .register_accesses = ACCESSES_OF_MAC, .multicast = AXES_ANY, .reduce = AXES_ANY, .is_double = true,
		.networks = { [WAY_READ] = 3, [WAY_WRITE] = 1, [WAY_REDUCE] = 1 }, .words_per_cycle = 1 };
}

/* Bytes of an element's registers that arrays of ROLE may have. */
static inline long pe_array_room(const struct pe_array *array, enum array_role role)
{
	return array->is_split ? array->role_bytes[role] : array->registers_bytes;
}

#endif
