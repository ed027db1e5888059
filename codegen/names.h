#ifndef CODEGEN_NAMES_H
#define CODEGEN_NAMES_H

#include <stdbool.h>

#include "ir/plan.h"

/* C identifiers in use.  A scope sees its parent's names and avoids them, so that
 * nothing in emitted code shadows anything. */
struct names {
	struct arena *arena;
	const struct names *parent;
	int count;
	size_t capacity;
	struct name {
		const void *object;
		const char *text;
	} *items;
};

/* The global scope starts with C's keywords and what loopc_rt.h declares. */
void names_init(struct names *names, struct arena *arena, const struct names *parent);
/* Gives OBJECT (NULL: nobody's, only reserved) the identifier WANTED, or that with
 * something appended if it is taken, and returns it. */
const char *names_add(struct names *names, const void *object, const char *wanted);
/* OBJECT has the identifier TEXT too, which is another's. */
void names_share(struct names *names, const void *object, const char *text);
/* The identifier of OBJECT, which has one. */
const char *names_of(const struct names *names, const void *object);
/* One of C's keywords, or of the names that every emitted file knows. */
bool names_is_keyword(const char *text);
bool names_is_keyword_of_cplusplus(const char *text);

#endif
