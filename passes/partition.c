/* Which nests of a function are fused: the partition into groups of consecutive nests
 * with the least traffic, by dynamic programming from the last nest to the first. */

#include <limits.h>
#include <stdlib.h>
#include <time.h>

#include "passes/fuse.h"
#include "passes/lower_function.h"

/* Traffic of what cannot be lowered; sums of two do not overflow. */
static const long NONE = LONG_MAX / 4;

/* How the nests from one on are grouped. */
struct partition {
	int count;                   /* nests in the first group */
	long bytes;                  /* of all from here on */
	struct group group;          /* where count > 1 */
};

struct partitioning {
	struct compilation *compilation;
	struct groups *fusion;
	struct nest *nests;
	int count;
	const struct plan *plan;
	long *alone;                 /* bytes of each nest by itself, or NONE */
	struct partition *best;      /* [count + 1] */
};

/* Lowers NEST without a word if it does not fit, which is no error as long as it fits in
 * a group.  False after other errors. */
static bool weigh_alone(const struct partitioning *partitioning, struct nest *nest, long *bytes)
{
	struct compilation quiet = *partitioning->compilation;
	struct plan plan = *partitioning->plan;
	struct plan_nest out;
	char *text = NULL;
	size_t length;
	FILE *unseen = open_memstream(&text, &length);
	quiet.diag = diag_new(unseen);
	quiet.traced = NULL;
	quiet.does_not_fit = false;
	bool fits = lower_nest(&quiet, nest, &plan, &out);
	*bytes = fits ? plan_nest_bytes(&out) : NONE;
	diag_free(quiet.diag);
	fclose(unseen);
	free(text);
	return fits || quiet.does_not_fit
		|| lower_nest(partitioning->compilation, nest, &plan, &out);
}

/* Groups that begin with nest N, longer and longer until one is too large.  Those that
 * dependences forbid may be legal with one nest more, but not for ever. */
static void extend(struct partitioning *partitioning, int n)
{
	enum { ILLEGAL_LIMIT = 4 };
	struct partition *best = partitioning->best;
	best[n] = (struct partition){ .count = 1, .bytes = NONE };
	if (partitioning->alone[n] < NONE && best[n + 1].bytes < NONE)
		best[n].bytes = partitioning->alone[n] + best[n + 1].bytes;
	for (int count = 2, illegal = 0; n + count <= partitioning->count; count++) {
		struct group group;
		enum group_outcome outcome = group_try(partitioning->fusion, n, count,
			partitioning->plan, &group);
		illegal = outcome == GROUP_ILLEGAL ? illegal + 1 : 0;
		if (outcome == GROUP_TOO_LARGE || illegal == ILLEGAL_LIMIT)
			break;
		if (outcome == GROUP_ILLEGAL || best[n + count].bytes == NONE)
			continue;
		long bytes = group.bytes + best[n + count].bytes;
		if (bytes < best[n].bytes || partitioning->compilation->fusion == FUSE_ALL)
			best[n] = (struct partition){ count, bytes, group };
	}
}

/* The whole function as one group, if nothing can move less. */
static bool is_best_as_one(struct partitioning *partitioning)
{
	struct group group;
	if (group_try(partitioning->fusion, 0, partitioning->count, partitioning->plan, &group)
		!= GROUP_FITS || (group.bytes > nest_compulsory(group.nest)
		&& partitioning->compilation->fusion != FUSE_ALL))
		return false;
	partitioning->best[0] = (struct partition){ partitioning->count, group.bytes, group };
	return true;
}

static double now_seconds(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A group that is not lowered after all is lowered nest by nest. */
static bool lower_part(const struct partitioning *partitioning, int n, struct plan *plan)
{
	const struct partition *part = &partitioning->best[n];
	double start = now_seconds();
	if (part->count > 1) {
		const struct plan before = *plan;
		struct plan_nest *out = &plan->nests[plan->nest_count++];
		if (group_emit(partitioning->fusion, &part->group, plan, out)) {
			out->seconds = now_seconds() - start;
			out->source_count = part->count;
			out->first_source = n;
			return true;
		}
		*plan = before;
	}
	bool done = true;
	for (int i = n; i < n + part->count && done; i++)
		done = lower_nest(partitioning->compilation, &partitioning->nests[i], plan,
			&plan->nests[plan->nest_count++]);
	return done;
}

static bool lower_parts(const struct partitioning *partitioning, struct plan *plan)
{
	bool done = true;
	plan->nest_count = 0;
	for (int n = 0; n < partitioning->count && done; n += partitioning->best[n].count)
		done = lower_part(partitioning, n, plan);
	return done;
}

bool lower_fused(struct compilation *compilation, struct nest *nests, int count,
	struct plan *plan)
{
	const struct plan before = *plan;
	struct partitioning partitioning = { compilation, groups_new(compilation, nests, count),
		nests, count, &before, ARENA_ARRAY(compilation->arena, long, count),
		ARENA_ARRAY(compilation->arena, struct partition, count + 1) };
	if (is_best_as_one(&partitioning))
		return lower_parts(&partitioning, plan);
	for (int n = 0; n < count; n++)
		if (!weigh_alone(&partitioning, &nests[n], &partitioning.alone[n]))
			return false;
	for (int n = count - 1; n >= 0; n--)
		extend(&partitioning, n);
	return lower_parts(&partitioning, plan);
}
