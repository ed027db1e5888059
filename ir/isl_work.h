#ifndef IR_ISL_WORK_H
#define IR_ISL_WORK_H

#include <stdbool.h>

#include <isl/ctx.h>

/* isl's work is counted in operations of its own: allocations, and pivots of its tableaux.  A
 * program needs as many of them on every machine that has the same isl.
 *
 * A stretch of work has a limit.  Stretches nest: the limit of the one around holds too.
 *
 *     struct isl_work work = isl_work_begin(ctx, OPERATIONS);
 *     ... isl's functions, which return NULL or an error from the limit on ...
 *     if (!isl_work_end(&work))
 *         ... what was found since is not complete and must not be used ... */

struct isl_work {
	isl_ctx *ctx;
	unsigned long limit;         /* in all that the context does */
	unsigned long outer_limit;   /* of the work around it; 0: none */
};

/* What CTX has done so far.  A few more each time that it is asked. */
unsigned long isl_operations(isl_ctx *ctx);

/* From here on CTX does at most OPERATIONS. */
struct isl_work isl_work_begin(isl_ctx *ctx, unsigned long operations);
/* The limit no longer holds.  False if it was met. */
bool isl_work_end(const struct isl_work *work);

/* The limit that holds now is met. */
bool isl_work_is_spent(isl_ctx *ctx);

/* Counts OPERATIONS as done, as if what took them were done again.  False, and none are counted, if
 * that would meet the limit. */
bool isl_work_repeat(isl_ctx *ctx, unsigned long operations);

/* Without a limit until isl_work_resume is given what this returned: for what isl reads from text,
 * of which it leaves a token behind if a limit ends it.  The work counts all the same. */
unsigned long isl_work_pause(isl_ctx *ctx);
void isl_work_resume(isl_ctx *ctx, unsigned long limit);

#endif
