#ifndef IR_PROGRAM_BUILD_H
#define IR_PROGRAM_BUILD_H

#include "ir/program.h"

/* What makers of programs share: the front end, and the parser of the text form. */

/* C99 6.3.1.1 and 6.3.1.8, for a host with a 32-bit int and a 64-bit long. */
struct type type_promoted(struct type type);
struct type type_common(struct type a, struct type b);
/* Whether every value of INNER is one of OUTER. */
bool type_is_within(struct type inner, struct type outer);
/* The type of OPERATOR ("+", "<", ...) on operands of these types. */
struct type type_of_binary(const char *operator, struct type a, struct type b);
struct type type_of_unary(const char *operator, struct type a);
/* False if the name is none of C's or <stdint.h>'s. */
bool type_find(const char *name, struct type *type);
/* The least value of an integer type, and the greatest. */
long type_min(enum type_kind kind);
unsigned long type_max(enum type_kind kind);

/* Whether two affines of DEPTH iterators are the same. */
bool affine_is_equal(struct affine a, struct affine b, int depth);
/* Whether two accesses of a statement of DEPTH loops touch the same element always. */
bool access_is_same(const struct access *a, const struct access *b, int depth);
/* Sets access.map from the domain and the subscripts; the arena owns it. */
void access_make_map(struct arena *arena, const struct statement *statement,
	struct access *access);
/* STATEMENT with accesses of its own, which may be changed. */
struct statement *statement_copy(struct arena *arena, const struct statement *statement);
/* NAME as isl reads it back: some words mean something else to it. */
const char *isl_size_name(struct arena *arena, const char *name);
/* Sets function.context: each symbolic size from 1 to its largest, and none of the arrays that
 * are declared by now without elements. */
void function_set_context(struct arena *arena, isl_ctx *ctx, struct function *function);
/* Names the tuple and the dimensions of DOMAIN after STATEMENT; the arena owns it. */
void statement_set_domain(struct arena *arena, struct statement *statement,
	__isl_take isl_set *domain);
/* SET as its text reads back: equal, but its pieces may stand in another order, on which what is
 * made of them depends.  The text of what is returned reads back as just that. */
__isl_give isl_set *set_as_text(__isl_take isl_set *set);
/* The type of a number of C, by its form; false if TEXT is none. */
bool type_of_number(const char *text, struct type *type);
/* The value of an integer or character constant as well; false for all others. */
bool integer_of_number(const char *text, unsigned long *value, struct type *type);
/* The word that the text form has for a reduction, NULL for REDUCTION_NONE. */
const char *reduction_word(enum reduction reduction);
/* An affine without any iterator. */
struct affine affine_constant(struct arena *arena, long constant);

/* What can be said of a value from its form: the reduction that STATEMENT is. */
enum reduction statement_reduction(const struct statement *statement, bool is_associative);

#endif
