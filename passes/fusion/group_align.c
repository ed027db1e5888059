/* Which tiles of a group a DMA controller of coarse addresses can fill: multiples of what makes each
 * tile begin at one.  The plan of a group is proved afterwards (ir/plan_align.h); this keeps the
 * search among choices that mostly can be, so that all commands find the same. */

#include <stdlib.h>

#include "passes/cost/model_math.h"
#include "passes/fusion/group.h"

/* The least values of PLANE that move ACCESS, of one of its statement's iterators, by multiples of
 * ALIGN bytes: with rows of 6 bytes that one value moves by 2 elements of a byte, 2 values do for 4. */
static long granule_of(const struct group_access *access, const struct group_plane *plane, long align)
{
	const struct array *array = access->access->array;
	long bytes = array->type.bytes, granule = 1, factor = labs(plane->factor);
	if (plane->kind != HYPERPLANE_AFFINE || bytes >= align)
		return 1;
	for (int d = array->rank - 1; d >= 0; d--) {
		long moved = access->access->subscripts[d].coefficients[plane->iterator] * plane->divisor
			* bytes;
		long own = moved % factor ? align : align / power_in(moved / factor, align);
		granule = own > granule ? own : granule;
		bytes *= array->extents[d];
	}
	return granule;
}

/* The largest granule of the accesses that PLANES, from statement FIRST of the function on, move in
 * the nests from BEGIN to END. */
static long largest_granule(const struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_plane *planes, int first, int begin, int end)
{
	long align = groups->compilation->arch->dma_align_bytes, granule = 1;
	for (int i = 0; i < groups->function->array_count && align > 1; i++) {
		const struct group_array *array = &groups->arrays[i];
		if (!array->array->rank || group_is_internal(groups, candidate, i) || stays_for_free(groups->compilation, array->array))
			continue;
		for (int a = 0; a < array->access_count; a++) {
			const struct group_access *access = &array->accesses[a];
			if (access->nest < begin || access->nest > end)
				continue;
			long own = granule_of(access, &planes[access->statement - first], align);
			granule = own > granule ? own : granule;
		}
	}
	return granule;
}

long group_granule(const struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_dim *dim)
{
	return largest_granule(groups, candidate, dim->planes, 0, candidate->first, candidate->last);
}

long group_stage_granule(const struct groups *groups, const struct fusion_candidate *candidate, int n,
	const struct stage_dim *stage)
{
	return largest_granule(groups, candidate, stage->planes,
		groups->nests[n].statements[0]->index, n, n);
}
