#ifndef CODEGEN_TRANSFER_H
#define CODEGEN_TRANSFER_H

#include "codegen/expr.h"
#include "ir/plan_box.h"

/* One static function of the emitted file: the transfers of one buffer in one
 * direction whose boxes are alike.  What all of them have in common is a constant
 * in it, the rest are its parameters. */
struct transfer_form {
	const struct function *function;
	const struct plan_buffer *buffer;
	bool is_put;
	const char *name;
	/* The common value of a quantity, if it is one. */
	struct form_value {
		bool is_fixed, is_wide;
		long value;
		long min;            /* over all transfers */
	} tag, slot, first[ARRAY_RANK_LIMIT], count[ARRAY_RANK_LIMIT], local[ARRAY_RANK_LIMIT];
	/* local[d] is first[d] + local_shift[d] in all of them. */
	bool is_shifted[ARRAY_RANK_LIMIT];
	long local_shift[ARRAY_RANK_LIMIT];
	struct plan_box box;
	int transfer_count;
};

struct transfer_forms {
	struct arena *arena;
	int count;
	size_t capacity;
	struct transfer_form *items;
};

/* Collects the forms of all transfers of PLAN and names them in GLOBALS.  False,
 * with a message, if one is no box of the runtime. */
bool transfer_forms_collect(struct transfer_forms *forms, const struct plan *plan,
	struct names *globals, struct arena *arena);
/* The call of the runtime that returns the base of memory M of the machine. */
const char *memory_call(struct arena *arena, int m);
void transfer_form_print(FILE *out, struct arena *arena, const struct transfer_form *form);
/* Whether the call that does TRANSFER passes symbolic size K. */
bool transfer_has_size(const struct transfer_forms *forms, const struct plan_transfer *transfer,
	int k);
/* The call that does TRANSFER, without the semicolon; "" if it moves nothing. */
const char *transfer_call(struct printer *printer, const struct transfer_forms *forms,
	const struct plan_transfer *transfer);

#endif
