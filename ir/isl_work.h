#ifndef IR_ISL_WORK_H
#define IR_ISL_WORK_H

#include <stdbool.h>

#include <isl/ctx.h>

/* Bounds isl's work from here on to OPERATIONS, the same on every machine. */
static inline void isl_work_begin(isl_ctx *ctx, unsigned long operations)
{
	isl_ctx_reset_operations(ctx);
	isl_ctx_set_max_operations(ctx, operations);
}

/* Takes the bound away.  False if it was met: what isl returned since is NULL, or not
 * complete, and must not be used. */
static inline bool isl_work_end(isl_ctx *ctx)
{
	bool done = isl_ctx_last_error(ctx) != isl_error_quota;
	isl_ctx_set_max_operations(ctx, 0);
	isl_ctx_reset_operations(ctx);
	if (!done)
		isl_ctx_reset_error(ctx);
	return done;
}

#endif
