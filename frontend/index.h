#ifndef FRONTEND_INDEX_H
#define FRONTEND_INDEX_H

#include "frontend/sema.h"

/* What the files of indices share. */

/* Bounds are cut here, so that no arithmetic on them overflows. */
#define WIDE_LIMIT ((wide)1 << 100)

static inline wide wide_clamp(wide value)
{
	return value > WIDE_LIMIT ? WIDE_LIMIT : value < -WIDE_LIMIT ? -WIDE_LIMIT : value;
}

/* Values and their bounds (index_range.c). */

/* An error, unless it is quiet; false. */
bool index_fail(struct sema *sema, struct location at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* More pieces, or divisions in one, than come of a program that someone wrote. */
bool set_is_too_large(isl_set *set);
isl_local_space *index_space(struct sema *sema);
/* An isl integer for any WIDE within 2^63. */
isl_val *wide_to_val(struct sema *sema, wide value);
/* The value of VAL, cut at WIDE_LIMIT; false if it is no integer.  VAL is taken. */
bool val_to_wide(isl_val *val, wide *value);
/* A value known to be VALUE everywhere; replaces what INDEX held. */
bool index_set_constant(struct sema *sema, struct index *index, wide value, struct type type);
bool index_fits(const struct index *index, struct type type);
/* Makes the bounds of INDEX those on the domain.  False if isl gave up. */
bool index_tighten(struct sema *sema, struct index *index);
/* Whether all values of INDEX fit TYPE where they are computed. */
bool index_check_range(struct sema *sema, struct index *index, struct type type,
	const struct ast_expr *ast, const char *format);

/* Arithmetic (index_arithmetic.c). */

/* A becomes AST, an operator between A and B. */
bool index_of_arithmetic(struct sema *sema, const struct ast_expr *ast,
	struct index *a, struct index *b);

#endif
