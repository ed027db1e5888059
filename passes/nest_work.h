#ifndef PASSES_NEST_WORK_H
#define PASSES_NEST_WORK_H

#include "ir/isl_work.h"
#include "passes/pass.h"

/* What isl may do for a nest: in all its forms together, or for its parts and theirs together.  It
 * is counted in isl's operations, so that the same forms are tried on every machine.  What a
 * stretch leaves, the next one of the work around may use.
 *
 *     struct nest_work work = nest_work_begin(compilation, OPERATIONS);
 *     ... as long as !nest_work_is_spent(compilation) ...
 *     nest_work_end(compilation, &work); */

struct nest_work {
	unsigned long outer_end;
};

/* No limit but that of the work around. */
enum { NEST_WORK_FREE = 0 };

/* From here on COMPILATION has OPERATIONS, but no more than are left of the work around. */
struct nest_work nest_work_begin(struct compilation *compilation, unsigned long operations);
/* The same, and more than are left if need be: for what cannot be left out. */
struct nest_work nest_work_grant(struct compilation *compilation, unsigned long operations);
void nest_work_end(struct compilation *compilation, const struct nest_work *work);

/* OPERATIONS, or fewer where the first answer is wanted. */
unsigned long nest_work_wanted(const struct compilation *compilation, unsigned long operations);

/* ULONG_MAX: there is no limit. */
unsigned long nest_work_left(const struct compilation *compilation);
bool nest_work_is_spent(const struct compilation *compilation);

/* A question to isl, whose answer may be "do not know", of at most OPERATIONS: fewer where fewer
 * are left, but always some, as simple questions need. */
struct isl_work nest_question_begin(const struct compilation *compilation,
	unsigned long operations);

/* What is done between is not counted: what has limits of its own; and the writing of a plan that
 * is chosen, as what is tried after that must not depend on whether it was written. */
unsigned long nest_work_pause(const struct compilation *compilation);
void nest_work_resume(struct compilation *compilation, unsigned long paused);

#endif
