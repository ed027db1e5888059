/* What no partition of a function moves less than, by dynamic programming over bounds of the parts. */

#include "passes/fusion/space_bound.h"

#include <limits.h>

/* What is known of a run of nests as one part. */
struct part_bound {
	bool is_known;
	bool is_open;                /* looking at it may show more */
	long bytes;                  /* LONG_MAX: it is no part */
	bool is_merged_known;
	long merged;                 /* the same of the nests as one */
};

struct space_bound {
	struct arena *arena;
	int count;
	struct part_bound *parts;    /* [first * count + last] */
};

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

/* CANDIDATE's nests use ARRAY, of which plans may move less than the model says, and which may have to come or go. */
static bool is_uncounted(const struct groups *groups, const struct fusion_candidate *candidate, int array)
{
	const struct group_array *entry = &groups->arrays[array];
	return !entry->array->by_value && entry->first <= candidate->last && entry->last >= candidate->first
		&& !is_carried(groups->compilation, entry->array) && !group_is_internal(groups, candidate, array)
		&& group_counts(groups, candidate, array) >= COUNTS_ROOM;
}

/* What is compulsory of such arrays. */
static long compulsory_rest(struct groups *groups, const struct fusion_candidate *candidate)
{
	const struct nest *group = NULL;
	long rest = 0;
	for (int i = 0; i < groups->function->array_count && rest < LONG_MAX; i++) {
		if (!is_uncounted(groups, candidate, i))
			continue;
		if (!group)
			group = nest_join(groups->compilation, groups->nests + candidate->first, candidate->last - candidate->first + 1);
		array_add_compulsory(group, groups->arrays[i].array, &rest);
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

/* Bytes of arrays that nest N of GROUPS alone uses, and that come in or go out in every execution. */
static long own_bytes(const struct groups *groups, int n)
{
	long bytes = 0;
	for (int i = 0; i < groups->function->array_count; i++) {
		const struct group_array *entry = &groups->arrays[i];
		if (entry->array->is_parameter && !entry->array->by_value && entry->first == n && entry->last == n
			&& !array_add_compulsory(&groups->nests[n], entry->array, &bytes))
			break;
	}
	return bytes;
}

/* Of parts of which nothing was noted it is known what moves in any part, and they are open. */
static void complete(struct space_bound *bound, const struct groups *groups)
{
	long *own = ARENA_ARRAY(bound->arena, long, bound->count + 1);
	for (int last = 0; last < bound->count; last++) {
		long sum = 0;
		own[last] = own_bytes(groups, last);
		for (int first = last; first >= 0; first--) {
			const struct fusion_candidate candidate = { .first = first, .last = last };
			struct part_bound *part = part_of(bound, first, last);
			if (__builtin_add_overflow(sum, own[first], &sum))
				sum = LONG_MAX - 1;
			if (part->is_known)
				continue;
			part->is_open = first == last || group_is_whole(groups, &candidate);
			space_bound_note(bound, first, last, part->is_open ? sum : LONG_MAX);
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
		part->is_open = look(user, begin[end], end - 1);
		any = true;
	}
	return any;
}

long space_bound_of(struct space_bound *bound, struct groups *groups, long enough, space_bound_look *look,
	void *user)
{
	long *least = ARENA_ARRAY(bound->arena, long, bound->count + 1);
	int *begin = ARENA_ARRAY(bound->arena, int, bound->count + 1);
	complete(bound, groups);
	do {
		for (int end = 1; end <= bound->count; end++)
			least[end] = least_before(bound, least, end, &begin[end]);
	} while (least[bound->count] < enough && look_at_parts(bound, begin, look, user));
	return least[bound->count];
}
