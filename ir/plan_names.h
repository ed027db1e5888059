#ifndef IR_PLAN_NAMES_H
#define IR_PLAN_NAMES_H

#include "support/arena.h"

/* The names that a plan's variables and buffers have, while it is built: the last one first.  A list
 * is never changed: one with another name has it before those there were, so that a plan that is given
 * up leaves its names behind.  NULL: none. */
struct plan_name {
	const char *name, *base;     /* BASE, or BASE_2, BASE_3 ...: NUMBER; those before are taken */
	int number;
	struct plan_name *next;
	const struct name_index *by_name, *by_base;  /* this one and those after it */
};

/* NAMES with one more; all live in ARENA. */
struct plan_name *plan_names_add(struct arena *arena, struct plan_name *names, const char *name,
	const char *base, int number);
/* That with NAME; NULL: none. */
const struct plan_name *plan_names_find(const struct plan_name *names, const char *name);
/* The number of the last name that was made of BASE; 0: none. */
int plan_names_last_number(const struct plan_name *names, const char *base);

#endif
