/* What no partition of a function moves less than, by dynamic programming over bounds of the parts. */

#include "passes/fusion/space_bound.h"

#include <limits.h>

/* What is known of a run of nests as one part. */
struct part_bound {
	bool is_known;
	bool is_open;                /* nobody has looked at it: a bound of all executions is known */
	long bytes;                  /* LONG_MAX: it is no part */
	bool is_merged_known;
	long merged;                 /* the same of the nests as one */
};

struct space_bound {
	struct arena *arena;
	int count;
	struct part_bound *parts;    /* [first * count + last] */
};

/* Parts of which nothing was noted are asked of isl: in longer functions these are too many. */
enum { MOST_NESTS = 16 };

struct space_bound *space_bound_new(struct arena *arena, int count)
{
	struct space_bound *bound = ARENA_NEW(arena, struct space_bound);
	*bound = (struct space_bound){ arena, count, ARENA_ARRAY(arena, struct part_bound,
		count * count + 1) };
	return bound;
}

static struct part_bound *part_of(const struct space_bound *bound, int first, int last)
{
	return &bound->parts[first * bound->count + last];
}

/* All that was noted holds, so that the most of it does. */
void space_bound_note(struct space_bound *bound, int first, int last, long bytes)
{
	struct part_bound *part = part_of(bound, first, last);
	part->bytes = part->is_known && part->bytes > bytes ? part->bytes : bytes;
	part->is_known = true;
}

long space_bound_merged(struct space_bound *bound, int first, int last, long bytes)
{
	struct part_bound *part = part_of(bound, first, last);
	if (bytes >= 0) {
		part->merged = part->is_merged_known && part->merged > bytes ? part->merged : bytes;
		part->is_merged_known = true;
	}
	return part->is_merged_known ? part->merged : -1;
}

long space_bound_of_group(enum group_outcome outcome, const struct group_choice *choice,
	const struct cost *most)
{
	if (!choice->is_bound)
		return -1;
	if (outcome == GROUP_FITS)
		return flow_bytes(&choice->flow);
	return cost_is_finite(most) ? (long)cost_figure(most, FIGURE_BYTES) : LONG_MAX;
}

/* What is compulsory of CANDIDATE's arrays of which plans may move less than the model says. */
static long compulsory_rest(struct groups *groups, const struct fusion_candidate *candidate)
{
	const struct nest *group = nest_join(groups->compilation, groups->nests + candidate->first,
		candidate->last - candidate->first + 1);
	long rest = 0;
	for (int a = 0; a < group->arrays->count; a++) {
		const struct array *array = group->arrays->items[a].array;
		bool is_new = true;
		for (int b = 0; b < a; b++)
			is_new &= group->arrays->items[b].array != array;
		if (!is_new || is_carried(groups->compilation, array) || group_is_internal(groups, candidate, array->index)
			|| group_counts(groups, candidate, array->index) < COUNTS_ROOM)
			continue;
		if (!array_add_compulsory(group, array, &rest))
			break;
	}
	return rest;
}

long group_bound(struct groups *groups, const struct fusion_candidate *candidate, const struct group_limits *limits)
{
	struct group_limits own = *limits;
	struct group_choice choice;
	bool is_finite = cost_is_finite(&limits->most);
	long rest = compulsory_rest(groups, candidate), most = is_finite ? (long)cost_figure(&limits->most, FIGURE_BYTES) : LONG_MAX;
	if (rest >= most)
		return rest;
	own.most = is_finite ? cost_of_bytes((double)(most - rest)) : cost_infinite();
	own.constraints = NULL;
	own.bounds_plans = true;
	long bound = space_bound_of_group(group_search(groups, candidate, &own, &choice), &choice, &own.most);
	return bound < 0 || bound == LONG_MAX ? bound : bound + rest;
}

/* Notes what every execution moves of parts of which nothing else is known. */
static void complete(struct space_bound *bound, struct groups *groups)
{
	for (int last = 1; last < bound->count; last++) {
		struct fusion_candidate candidate;
		group_begin(groups, last, &candidate);
		while (candidate.first > 0) {
			group_grow(groups, &candidate);
			struct part_bound *part = part_of(bound, candidate.first, last);
			if (part->is_known)
				continue;
			part->is_open = group_is_whole(groups, &candidate);
			space_bound_note(bound, candidate.first, last, part->is_open
				? group_lower_bound(groups, &candidate) : LONG_MAX);
		}
	}
}

/* The least sum of parts that end before nest END, if LEAST [END] has that of all nests before; *BEGIN: where the
 * last of them begins. */
static long least_before(const struct space_bound *bound, const long *least, int end, int *begin)
{
	long bytes = LONG_MAX, sum;
	*begin = end - 1;
	for (int first = 0; first < end; first++)
		if (!__builtin_add_overflow(least[first], part_of(bound, first, end - 1)->bytes, &sum)
			&& sum < bytes) {
			bytes = sum;
			*begin = first;
		}
	return bytes;
}

/* LOOK looks at the open parts of the partition whose parts begin where BEGIN [end] says.  False: there are none. */
static bool look_at_parts(struct space_bound *bound, const int *begin, space_bound_look *look, void *user)
{
	bool any = false;
	for (int end = bound->count; end > 0; end = begin[end]) {
		struct part_bound *part = part_of(bound, begin[end], end - 1);
		if (!part->is_open)
			continue;
		part->is_open = false;
		look(user, begin[end], end - 1);
		any = true;
	}
	return any;
}

long space_bound_of(struct space_bound *bound, struct groups *groups, long enough, space_bound_look *look,
	void *user)
{
	long least[MOST_NESTS + 1] = { 0 };
	int begin[MOST_NESTS + 1] = { 0 };
	if (bound->count > MOST_NESTS)
		return -1;
	complete(bound, groups);
	do {
		for (int end = 1; end <= bound->count; end++)
			least[end] = least_before(bound, least, end, &begin[end]);
	} while (least[bound->count] < enough && look_at_parts(bound, begin, look, user));
	return least[bound->count];
}
