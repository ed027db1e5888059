#include "ir/isl_work.h"

#include <limits.h>
#include <stdlib.h>

#include <isl/options.h>

/* CTX has done LIMIT operations or more.  isl does not tell how many it has done, but it refuses
 * the next one, which here is an allocation, where they are as many as it may do. */
static bool has_done(isl_ctx *ctx, unsigned long limit)
{
	isl_ctx_set_max_operations(ctx, limit);
	void *memory = isl_malloc_or_die(ctx, 1);
	free(memory);
	return !memory;
}

unsigned long isl_operations(isl_ctx *ctx)
{
	unsigned long limit = isl_ctx_get_max_operations(ctx);
	bool had_error = isl_ctx_last_error(ctx) != isl_error_none;
	int on_error = isl_options_get_on_error(ctx);
	isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
	unsigned long low = 0, high = 1;
	while (high <= ULONG_MAX / 2 && has_done(ctx, high)) {
		low = high;
		high *= 2;
	}
	while (high - low > 1) {
		unsigned long middle = low + (high - low) / 2;
		*(has_done(ctx, middle) ? &low : &high) = middle;
	}
	isl_ctx_set_max_operations(ctx, limit);
	isl_options_set_on_error(ctx, on_error);
	if (!had_error)
		isl_ctx_reset_error(ctx);
	return high;
}

struct isl_work isl_work_begin(isl_ctx *ctx, unsigned long operations)
{
	struct isl_work work = { ctx, isl_operations(ctx) + operations,
		isl_ctx_get_max_operations(ctx) };
	if (work.outer_limit && work.outer_limit < work.limit)
		work.limit = work.outer_limit;
	isl_ctx_set_max_operations(ctx, work.limit);
	return work;
}

/* The last error does not say: isl goes on without what it did not get, to other errors. */
bool isl_work_end(const struct isl_work *work)
{
	bool is_done = !has_done(work->ctx, work->limit);
	isl_ctx_set_max_operations(work->ctx, work->outer_limit);
	/* What met the limit around it is its error too. */
	if (!is_done && work->limit != work->outer_limit)
		isl_ctx_reset_error(work->ctx);
	return is_done;
}

bool isl_work_is_spent(isl_ctx *ctx)
{
	unsigned long limit = isl_ctx_get_max_operations(ctx);
	return limit && has_done(ctx, limit);
}

/* Each call is an operation for isl, and nearly nothing else. */
bool isl_work_repeat(isl_ctx *ctx, unsigned long operations)
{
	unsigned long limit = isl_ctx_get_max_operations(ctx);
	if (limit && (has_done(ctx, limit) || limit - isl_operations(ctx) <= operations))
		return false;
	void *memory = NULL;
	for (unsigned long i = 0; i < operations; i++)
		memory = isl_realloc_or_die(ctx, memory, 1);
	free(memory);
	return true;
}

unsigned long isl_work_pause(isl_ctx *ctx)
{
	unsigned long limit = isl_ctx_get_max_operations(ctx);
	isl_ctx_set_max_operations(ctx, 0);
	return limit;
}

void isl_work_resume(isl_ctx *ctx, unsigned long limit)
{
	isl_ctx_set_max_operations(ctx, limit);
}
