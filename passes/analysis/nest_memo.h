#ifndef PASSES_NEST_MEMO_H
#define PASSES_NEST_MEMO_H

#include "passes/pass.h"

/* What isl finds of a nest is asked for again and again: in each form the nest is tried in, with
 * each set of arrays that stay on chip, in each scratchpad.  An answer that does not depend on
 * these is kept, and taken again.
 *
 * An answer that is taken counts as as many of isl's operations as it took to find.  So what is found
 * within a limit does not depend on what was asked before.
 *
 *     const struct compulsory *known = nest_answer(nest, query);
 *     if (known)
 *         return *known;
 *     unsigned long begun = isl_operations(ctx);
 *     ...
 *     nest_keep_answer(nest, query, &found, sizeof found, begun); */

struct nest;
struct nest_memo;

/* The answers of a compilation, and of others in its course.  They live in ARENA. */
struct nest_memos *nest_memos_new(struct arena *arena);
/* FUNCTION lives as long as MEMOS: also compilations whose own arena is gone before keep what they
 * find of its nests. */
void nest_memos_admit(struct nest_memos *memos, const struct function *function);

/* What is kept of FUNCTION in COMPILATION is so in all that it does in arenas of their own. */
void nest_memos_share(const struct compilation *compilation, const struct function *function);

/* What is known of NEST, which has its statements: the same for all that have these, as a nest or
 * as the same part of the same one.  NULL: nothing is kept. */
struct nest_memo *nest_memo_of(const struct compilation *compilation, const struct nest *nest);
/* COMPILATION, with the arena that answers about NEST live in. */
struct compilation nest_lasting(const struct compilation *compilation, const struct nest *nest);
/* Whether these live no longer than what COMPILATION makes. */
bool nest_memo_is_own(const struct compilation *compilation, const struct nest *nest);

enum nest_question {
	NEST_DEPENDENCES,            /* a struct dependences */
	NEST_BAND,                   /* by how it is asked for: a struct band */
	NEST_COMPULSORY,             /* by array: a struct compulsory */
	NEST_HULL,                   /* by accesses and band: the dimensions of a model's array */
	NEST_CREATED,                /* by accesses: a bool */
	NEST_EXPANDED,               /* a const struct nest *; NULL: there is none */
	NEST_DISTRIBUTED,            /* a const struct function *; NULL: it would be one nest */
	NEST_IN_PLACE,               /* by which arrays are carried: a struct in_place */
	NEST_REGIONS,                /* what region_memo.h keeps */
	NEST_SHAPE,                  /* by statement: a struct shape (closed_form.c) */
	NEST_LESS                    /* by scratchpad and options: the bytes it moves, a long */
};

/* A question, and what its answer depends on besides the nest: SIZE bytes, without padding. */
struct nest_query {
	enum nest_question question;
	const void *key;
	size_t size;
};

/* The answer.  NULL: QUERY was not asked yet; or isl may do less than it took, and would not come
 * to that answer. */
const void *nest_answer(const struct nest *nest, struct nest_query query);

/* SIZE bytes at ANSWER were found since isl had done so many operations as BEGUN says.  They are
 * copied; what they refer to has to live as long as the memo.  An answer is not kept if isl met
 * its limit. */
void nest_keep_answer(const struct nest *nest, struct nest_query query, const void *answer,
	size_t size, unsigned long begun);

/* Answers that are taken again without being counted, and kept also if isl met its limit: what
 * variants of a nest ask one after the other.  They live in ARENA. */
struct answers *answers_new(struct arena *arena);
/* NULL: QUERY was not asked yet, or nothing is kept (ANSWERS are NULL). */
const void *answers_find(const struct answers *answers, struct nest_query query);
void answers_keep(struct answers *answers, struct nest_query query, const void *answer, size_t size);

#endif
