/* What no choice of a block of choices for a group moves or needs less than: the same loops, each with any of a
 * range of tile sizes.  The profile of a range has the least of what its sizes have of everything that moves or
 * needs, and the most of what stays at turns; the model that counts a choice then bounds the block. */

#include <string.h>

#include "passes/fusion/group_model.h"

static long least(long a, long b)
{
	return a < b ? a : b;
}

static long most(long a, long b)
{
	return a > b ? a : b;
}

static void merge_sides(long *sides, const long *more, int rank)
{
	for (int d = 0; d < rank; d++)
		sides[d] = least(sides[d], more[d]);
}

/* The elements of all tiles, whatever their numbers are, stand in the first place; both ends have as many. */
static void forget_parity(struct array_profile *profile)
{
	profile->part[0] += profile->part[1];
	profile->behind[0] += profile->behind[1];
	profile->part[1] = profile->behind[1] = 0;
	profile->end[0] = profile->end[1] = most(profile->end[0], profile->end[1]);
}

/* Makes ALL hold of what MORE, of other tiles of the same loop, says too. */
static void merge_arrays(struct array_profile *all, const struct array_profile *other, int rank)
{
	struct array_profile more = *other;
	forget_parity(&more);
	/* what does not slide moves all that it shows */
	all->fresh = least(all->slides ? all->fresh : all->sum, more.slides ? more.fresh : more.sum);
	all->sum = least(all->sum, more.sum);
	all->slides |= more.slides;
	all->is_apart &= more.is_apart;
	all->share = all->share < more.share ? all->share : more.share;
	merge_sides(all->most, more.most, rank);
	merge_sides(all->window, more.window, rank);
	merge_sides(all->most_of_two, more.most_of_two, rank);
	merge_sides(all->window_of_two, more.window_of_two, rank);
	all->stays |= more.stays;
	all->everywhere &= more.everywhere;
	all->constant |= more.constant;
	all->part[0] = most(all->part[0], more.part[0]);
	all->behind[0] = most(all->behind[0], more.behind[0]);
	all->end[0] = all->end[1] = most(all->end[0], more.end[0]);
}

/* What holds of both A and B, which are of one loop. */
static const struct loop_profile *both(struct group_model *model, const struct loop_profile *a,
	const struct loop_profile *b)
{
	int members = model->candidate.last - model->candidate.first + 1;
	struct loop_profile *all = ARENA_NEW(model->arena, struct loop_profile);
	*all = *a;
	all->loop.count = least(a->loop.count, b->loop.count);
	all->arrays = ARENA_ARRAY(model->arena, struct array_profile, model->entry_count + 1);
	all->runs = ARENA_ARRAY(model->arena, double, members);
	for (int e = 0; e < model->entry_count; e++) {
		all->arrays[e] = a->arrays[e];
		forget_parity(&all->arrays[e]);
		merge_arrays(&all->arrays[e], &b->arrays[e], model->entries[e].array->array->rank);
	}
	for (int m = 0; m < members; m++)
		all->runs[m] = a->runs[m] < b->runs[m] ? a->runs[m] : b->runs[m];
	return all;
}

/* What is known of a range. */
struct range_profile {
	struct range_profile *next;
	struct group_range range;
	bool repeats;
	const struct loop_profile *profile;
};

static struct range_profile **bucket_of(struct group_model *model, struct group_range range, bool repeats)
{
	return &model->ranges[((size_t)range.tiles / sizeof *range.tiles + (size_t)range.count * 7 + repeats)
		% PROFILE_BUCKETS];
}

/* What LOOP does with the one size of RANGE, whatever the numbers of its tiles are; NULL: it cannot be counted. */
static const struct loop_profile *profile_of_one(struct group_model *model, const struct group_loop *loop,
	struct group_range range)
{
	const struct group_dim *dim = &model->candidate.dims[loop->dim];
	struct group_loop own = *loop;
	own.tile = range.tiles[0];
	own.count = (dim->most - dim->least + own.tile) / own.tile;
	const struct loop_profile *one = group_profile_of(model, &own);
	return one ? both(model, one, one) : NULL;
}

/* What holds of LOOP with any size of RANGE; NULL: none of them can be counted. */
static const struct loop_profile *profile_of_range(struct group_model *model, const struct group_loop *loop,
	struct group_range range)
{
	struct range_profile **bucket = bucket_of(model, range, loop->repeats), *known = *bucket;
	while (known && (known->range.tiles != range.tiles || known->range.count != range.count
		|| known->repeats != loop->repeats))
		known = known->next;
	if (known)
		return known->profile;
	const struct loop_profile *profile;
	if (range.count == 1) {
		profile = profile_of_one(model, loop, range);
	} else {
		struct group_range low = { range.tiles, range.count / 2 };
		struct group_range high = { range.tiles + low.count, range.count - low.count };
		const struct loop_profile *a = profile_of_range(model, loop, low);
		const struct loop_profile *b = profile_of_range(model, loop, high);
		profile = a && b ? both(model, a, b) : a ? a : b;
	}
	known = ARENA_NEW(model->arena, struct range_profile);
	*known = (struct range_profile){ *bucket, range, loop->repeats, profile };
	*bucket = known;
	return profile;
}

bool group_evaluate_block(struct group_model *model, const struct group_limits *limits,
	const struct group_range *ranges, struct group_choice *choice)
{
	const struct loop_profile *profiles[GROUP_DEPTH];
	for (int l = 0; l < choice->depth; l++)
		profiles[l] = profile_of_range(model, &choice->loops[l], ranges[l]);
	return group_evaluate_with(model, limits, profiles, true, choice);
}
