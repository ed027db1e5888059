/* Which nests of a function are fused: the partition into groups of consecutive nests
 * with the least traffic, by dynamic programming from the last nest to the first. */

#include <limits.h>
#include <stdlib.h>
#include <time.h>

#include "passes/fuse.h"
#include "passes/fuse_wishes.h"
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
	const struct fuse_wishes *wishes;
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
		if (!fuse_wishes_allow(partitioning->wishes, n, count))
			continue;
		enum group_outcome outcome = group_try(partitioning->fusion, n, count,
			partitioning->plan, &group);
		illegal = outcome == GROUP_ILLEGAL ? illegal + 1 : 0;
		if (outcome == GROUP_TOO_LARGE || illegal == ILLEGAL_LIMIT)
			break;
		if (outcome == GROUP_ILLEGAL || best[n + count].bytes == NONE)
			continue;
		long bytes = group.bytes + best[n + count].bytes;
		if (bytes < best[n].bytes || partitioning->wishes->fusion == FUSE_ALL)
			best[n] = (struct partition){ count, bytes, group };
	}
}

/* The whole function as one group, if nothing can move less. */
static bool is_best_as_one(struct partitioning *partitioning)
{
	struct group group;
	if (!fuse_wishes_allow(partitioning->wishes, 0, partitioning->count))
		return false;
	if (group_try(partitioning->fusion, 0, partitioning->count, partitioning->plan, &group)
		!= GROUP_FITS || (group.bytes > nest_compulsory(group.nest)
		&& partitioning->wishes->fusion != FUSE_ALL))
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

/* The nests from N on that the user wants fused cannot be. */
static bool report_refusal(const struct partitioning *partitioning, int n,
	enum group_outcome outcome)
{
	int last = n + fuse_wishes_forced(partitioning->wishes, n) - 1;
	partitioning->compilation->does_not_fit |= outcome == GROUP_TOO_LARGE;
	diag_error(partitioning->compilation->diag, partitioning->wishes->wishes[n].location,
		"the nests '%s' to '%s' cannot be fused: %s", partitioning->nests[n].name,
		partitioning->nests[last].name, outcome == GROUP_TOO_LARGE
		? "no tile of the group fits the scratchpad"
		: "a dependence forbids it, or nothing would stay on chip");
	return false;
}

/* Every group that the user wants is possible by itself. */
static bool check_forced(const struct partitioning *partitioning)
{
	for (int n = 0; n < partitioning->count; n++) {
		struct group group;
		int count = fuse_wishes_forced(partitioning->wishes, n);
		enum group_outcome outcome = count == 1 ? GROUP_FITS
			: group_try(partitioning->fusion, n, count, partitioning->plan, &group);
		if (outcome != GROUP_FITS)
			return report_refusal(partitioning, n, outcome);
	}
	return true;
}

/* A group that is not lowered after all is lowered nest by nest, unless the user wants it
 * to be one. */
static bool lower_part(const struct partitioning *partitioning, int n, struct plan *plan)
{
	const struct partition *part = &partitioning->best[n];
	double start = now_seconds();
	int errors = diag_error_count(partitioning->compilation->diag);
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
		if (diag_error_count(partitioning->compilation->diag) > errors)
			return false;
		if (!fuse_wishes_allow(partitioning->wishes, n, 1))
			return report_refusal(partitioning, n, GROUP_TOO_LARGE);
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

/* A schedule says of each nest where it is. */
static bool is_given(struct partitioning *partitioning)
{
	for (int n = 0; n < partitioning->count; n++)
		if (!partitioning->wishes->wishes[n].count)
			return false;
	for (int n = 0; n < partitioning->count; n += partitioning->best[n].count) {
		struct partition *part = &partitioning->best[n];
		part->count = partitioning->wishes->wishes[n].count;
		if (part->count > 1 && group_try(partitioning->fusion, n, part->count,
			partitioning->plan, &part->group) != GROUP_FITS)
			return false;
	}
	return true;
}

bool lower_fused(struct compilation *compilation, struct nest *nests, int count,
	const struct fuse_wishes *wishes, struct plan *plan)
{
	const struct plan before = *plan;
	struct partitioning partitioning = { compilation, groups_new(compilation, nests, count),
		nests, count, &before, wishes, ARENA_ARRAY(compilation->arena, long, count),
		ARENA_ARRAY(compilation->arena, struct partition, count + 1) };
	if (is_given(&partitioning) || is_best_as_one(&partitioning))
		return lower_parts(&partitioning, plan);
	if (!check_forced(&partitioning))
		return false;
	for (int n = 0; n < count; n++) {
		partitioning.alone[n] = NONE;
		if (fuse_wishes_allow(wishes, n, 1)
			&& !weigh_alone(&partitioning, &nests[n], &partitioning.alone[n]))
			return false;
	}
	for (int n = count - 1; n >= 0; n--)
		extend(&partitioning, n);
	return lower_parts(&partitioning, plan);
}
