#ifndef PASSES_CANDIDATES_H
#define PASSES_CANDIDATES_H

#include "passes/variants/choice.h"

/* Choices that can be lowered, with what they cost: the best first, the first of equals;
 * each once. */
struct candidates {
	int count;
	size_t capacity;
	long bounded_bytes;          /* see struct plan_nest */
	struct candidate {
		struct choice *choice;
		struct cost cost;
		struct plan_nest out;    /* without statements */
	} *items;
};

/* Why no schedule of a nest was taken. */
struct refusal {
	struct choice *first;        /* the first choice that was made, which may not fit; or NULL */
	const char *reason;          /* what fits is not right for all sizes, the best for this */
	bool had_forms;              /* some of that had closed forms, which may be why */
	long least;                  /* bytes that the best moves which is right for the sizes tuned
	                              * for, whatever it is for others; 0: none is */
	bool is_missed;              /* what may fit takes too long to be found */
	struct choice *beaten;       /* that moves no less than was asked for; NULL: none */
	long bound;                  /* no schedule of the forms that were tried moves less; LONG_MAX: none of
	                              * them has any; 0: not known */
};

/* What is lowered is to be right for all values of symbolic sizes. */
bool nest_is_for_all_sizes(const struct compilation *compilation, const struct nest *nest);

/* CHOICE is one more, with its entry OUT. */
void candidates_add(struct compilation *compilation, struct candidates *candidates,
	struct choice *choice, const struct plan_nest *out);

/* The best of CANDIDATES that have no closed forms are compared with their neighbours, and
 * what is best then may get double buffers (improve.h).  SPENT: isl's operations so far. */
void candidates_improve(struct compilation *compilation, struct candidates *candidates,
	unsigned long spent, const struct plan *before);

/* Lowers the best of CANDIDATES, now with its statements unless it is only weighed; with symbolic
 * sizes the best that is right for all of them.  NULL if none is, or after an error. */
struct choice *candidates_emit(struct compilation *compilation, const struct nest *nest,
	const struct candidates *candidates, struct refusal *refusal, struct plan *plan,
	struct plan_nest *out);

#endif
