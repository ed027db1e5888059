#include "passes/fusion/merge.h"

/* Loops around STATEMENT that run more than once. */
static int true_depth(const struct groups *groups, const struct statement *statement)
{
	int depth = 0;
	for (int i = 0; i < statement->depth; i++) {
		const long *range = groups->ranges[statement->index][i];
		depth += range[0] < range[1];
	}
	return depth;
}

static int depth_of(const struct groups *groups, const struct nest *nest)
{
	int depth = 0;
	for (int s = 0; s < nest->statement_count; s++) {
		int own = true_depth(groups, nest->statements[s]);
		depth = own > depth ? own : depth;
	}
	return depth;
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
	int common = 0, deeper = 0;
	for (int l = 0; l < candidate->dim_count; l++)
		common += is_in_step(groups, candidate, &candidate->dims[l]);
	for (int n = candidate->first; n <= candidate->last; n++)
		deeper += depth_of(groups, &groups->nests[n]) > common;
	if (!common || deeper > 1 || groups->function->unbound)
		return MERGE_NEVER;
	return deeper ? MERGE_TO_SAVE : MERGE_ALIKE;
}
