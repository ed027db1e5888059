#include "passes/fusion/merge.h"

#include <math.h>

/* Loops that the nests have in common. */
struct common {
	int count;
	const struct group_dim *dims[GROUP_DIMS];
};

/* What STATEMENT has of loops that run more than once. */
struct own_loops {
	int depth;
	double window;               /* iterations of those that are not in common; infinite where they
	                              * are of more than windows */
};

static bool is_common(const struct common *common, const struct statement *statement, int i)
{
	for (int l = 0; l < common->count; l++)
		if (common->dims[l]->planes[statement->index].iterator == i)
			return true;
	return false;
}

/* Iterator I only moves what a common one moves too, as r does in T[2 * y + r]. */
static bool is_of_window(const struct common *common, const struct statement *statement, int i)
{
	for (int a = 0; a < statement->access_count; a++)
		for (int d = 0; d < statement->accesses[a].array->rank; d++) {
			const long *coefficients = statement->accesses[a].subscripts[d].coefficients;
			bool is_shared = !coefficients[i];
			for (int j = 0; j < statement->depth; j++)
				is_shared |= coefficients[j] && is_common(common, statement, j);
			if (!is_shared)
				return false;
		}
	return true;
}

static struct own_loops loops_of(const struct groups *groups, const struct statement *statement,
	const struct common *common)
{
	struct own_loops loops = { 0, 1 };
	for (int i = 0; i < statement->depth; i++) {
		const long *range = groups->ranges[statement->index][i];
		if (range[0] == range[1])
			continue;
		loops.depth++;
		if (!is_common(common, statement, i))
			loops.window *= is_of_window(common, statement, i) ? (double)(range[1] - range[0] + 1)
				: INFINITY;
	}
	return loops;
}

/* The most of NEST's statements. */
static struct own_loops most_loops(const struct groups *groups, const struct nest *nest,
	const struct common *common)
{
	struct own_loops most = { 0, 1 };
	for (int s = 0; s < nest->statement_count; s++) {
		const struct own_loops own = loops_of(groups, nest->statements[s], common);
		most.depth = own.depth > most.depth ? own.depth : most.depth;
		most.window = own.window > most.window ? own.window : most.window;
	}
	return most;
}

/* All that is used in an iteration of DIM is made in it or outside of the nests. */
static bool is_in_step(const struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_dim *dim)
{
	bool is = dim->is_affine;
	for (int n = candidate->first; n <= candidate->last && is; n++)
		for (int s = 0; s < groups->nests[n].statement_count; s++)
			is &= dim->spans[groups->nests[n].statements[s]->index] == 0;
	return is;
}

enum merging merging_of(const struct groups *groups, const struct fusion_candidate *candidate)
{
	enum { WINDOW = 64 };        /* of a pooling, not of a sum over channels */
	struct common common = { 0 };
	int deeper = 0, wide = 0;
	for (int l = 0; l < candidate->dim_count; l++)
		if (is_in_step(groups, candidate, &candidate->dims[l]))
			common.dims[common.count++] = &candidate->dims[l];
	for (int n = candidate->first; n <= candidate->last; n++) {
		const struct own_loops most = most_loops(groups, &groups->nests[n], &common);
		deeper += most.depth > common.count;
		wide += most.depth > common.count && most.window > WINDOW;
	}
	if (!common.count || groups->function->unbound)
		return MERGE_NEVER;
	return deeper > 1 && wide > 1 ? MERGE_WIDE : deeper ? MERGE_TO_SAVE : MERGE_ALIKE;
}
