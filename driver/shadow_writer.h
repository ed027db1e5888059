#ifndef DRIVER_SHADOW_WRITER_H
#define DRIVER_SHADOW_WRITER_H

#include "driver/session.h"

/* What driver/shadow.c writes shadow code with. */

#include "ir/program_build.h"

/* One statement being written.  Values are variables of the emitted function: loopc_v3, and
 * its error loopc_e3 where it has one. */
struct shadow {
	FILE *out;
	struct arena *arena;
	const struct session *session;
	const struct function *function;
	int f;                       /* its number in the program */
	const bool *is_inexact;      /* [array.index] */
	const struct statement *statement;
	bool is_own;                 /* the target's roundings are counted apart */
	int depth, next;
};

struct value {
	int number;
	struct type type;
	bool has_error;
};

/* What there is to watch (driver/shadow_watch.c). */

/* The target is a sum or a product of floats, whose terms may come in another order. */
bool shadow_is_reordered(const struct statement *statement);
bool shadow_is_shift(const struct expr *expr);
/* Of integers: / or %. */
bool shadow_is_division(const struct expr *expr);
bool shadow_is_risky_conversion(struct type from, struct type to);

/* Values (driver/shadow_value.c). */

/* One line, indented. */
void shadow_line(struct shadow *shadow, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* One unit in the last place of 1: what a rounding of this type makes of a value. */
const char *shadow_unit(struct type type);
/* The name of a value's error, or 0. */
const char *shadow_error(const struct shadow *shadow, struct value value);
/* "long form": of iterators loopc_i0, ... and sizes. */
const char *shadow_affine(const struct shadow *shadow, struct affine affine);
/* The element of ACCESS in the array of values, OF "a", or of errors, OF "error". */
const char *shadow_element(const struct shadow *shadow, const char *of,
	const struct access *access);
/* Writes what computes EXPR. */
struct value shadow_value(struct shadow *shadow, const struct expr *expr);
/* The value of a sum that the target is a term of; the others go to loopc_terms.  What it
 * returns has no error of its own. */
struct value shadow_sum(struct shadow *shadow, const struct expr *expr);
/* VALUE as C converts it to TYPE, in LINE of the source. */
struct value shadow_converted(struct shadow *shadow, struct value value, struct type type,
	int line);

#endif
