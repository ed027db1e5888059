#include "passes/nest_work.h"

#include <limits.h>

/* isl's operations but for those that do not count. */
static unsigned long counted(const struct compilation *compilation)
{
	return isl_operations(compilation->ctx) - compilation->spent.isl_uncounted;
}

struct nest_work nest_work_grant(struct compilation *compilation, unsigned long operations)
{
	struct nest_work work = { compilation->spent.isl_end };
	compilation->spent.isl_end = counted(compilation) + operations;
	return work;
}

struct nest_work nest_work_begin(struct compilation *compilation, unsigned long operations)
{
	unsigned long left = nest_work_left(compilation);
	if (operations != NEST_WORK_FREE)
		return nest_work_grant(compilation, operations < left ? operations : left);
	return (struct nest_work){ compilation->spent.isl_end };
}

void nest_work_end(struct compilation *compilation, const struct nest_work *work)
{
	compilation->spent.isl_end = work->outer_end;
}

unsigned long nest_work_wanted(const struct compilation *compilation, unsigned long operations)
{
	enum { HASTE = 3 };
	return is_thorough(compilation) ? operations : operations / HASTE;
}

unsigned long nest_work_left(const struct compilation *compilation)
{
	if (!compilation->spent.isl_end)
		return ULONG_MAX;
	unsigned long now = counted(compilation);
	return now < compilation->spent.isl_end ? compilation->spent.isl_end - now : 0;
}

bool nest_work_is_spent(const struct compilation *compilation)
{
	return !nest_work_left(compilation);
}

struct isl_work nest_question_begin(const struct compilation *compilation,
	unsigned long operations)
{
	enum { LEAST = 16 };         /* a part of what it may be */
	unsigned long left = nest_work_left(compilation), least = operations / LEAST;
	if (left < operations)
		operations = left < least ? least : left;
	return isl_work_begin(compilation->ctx, operations);
}

unsigned long nest_work_pause(const struct compilation *compilation)
{
	return isl_operations(compilation->ctx);
}

void nest_work_resume(struct compilation *compilation, unsigned long paused)
{
	compilation->spent.isl_uncounted += isl_operations(compilation->ctx) - paused;
}
