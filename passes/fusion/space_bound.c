/* What no partition of a function moves less than, by dynamic programming over bounds of the parts. */

#include "passes/fusion/space_bound.h"

#include <limits.h>

/* What is known of a run of nests as one part. */
struct part_bound {
	struct part_case *cases;     /* NULL: nothing */
	bool is_merged_known;
	long merged;                 /* bytes of the nests as one, at least */
};

struct space_bound {
	struct arena *arena;
	int count;
	const unsigned long *live;   /* see space_bound_new; NULL: none is */
	struct part_bound *parts;    /* [first * count + last] */
};

struct space_bound *space_bound_new(struct arena *arena, int count, const unsigned long *live)
{
	struct space_bound *bound = ARENA_NEW(arena, struct space_bound);
	*bound = (struct space_bound){ arena, count, live, ARENA_ARRAY(arena, struct part_bound,
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
	if (!part->cases) {
		part->cases = ARENA_NEW(bound->arena, struct part_case);
		*part->cases = (struct part_case){ .bytes = bytes };
	}
	part->cases->bytes = bytes > part->cases->bytes ? bytes : part->cases->bytes;
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
			if (__builtin_add_overflow(sum, own[first], &sum))
				sum = LONG_MAX - 1;
			if (part_of(bound, first, last)->cases)
				continue;
			bool is_part = first == last || group_is_whole(groups, &candidate);
			space_bound_note(bound, first, last, is_part ? sum : LONG_MAX);
			part_of(bound, first, last)->cases->is_open = is_part;
		}
	}
}

/* ---- the least partition ---- */

/* What is in use on both sides of a cut stays, or does not, for both: of so many arrays at a cut that is kept in mind. */
enum { LIVE_MOST = 4, STATES = 1 << LIVE_MOST };

/* A cut, before a nest, and how nests run up to it. */
struct cut {
	unsigned long live;          /* arrays that are kept in mind */
	int state_count;             /* 1 << so many */
	struct state {
		unsigned long carried;   /* those of them that stay */
		long bytes;              /* that all parts up to here move at least; LONG_MAX: there is no such partition */
		int begin, before;       /* the last of them begins at that cut, in that state of it, */
		struct part_case *part;  /* and runs so */
	} states[STATES];
};

/* Nothing is known yet of the nests up to the cut where arrays LIVE are in use. */
static void begin_cut(unsigned long live, struct cut *cut)
{
	int count = 0;
	*cut = (struct cut){ .state_count = 1 };
	for (; live && count < LIVE_MOST; live &= live - 1, count++) {
		unsigned long bit = live & -live;
		cut->live |= bit;
		for (int s = 0; s < cut->state_count; s++)
			cut->states[cut->state_count + s].carried = cut->states[s].carried | bit;
		cut->state_count *= 2;
	}
	for (int s = 0; s < cut->state_count; s++)
		cut->states[s].bytes = LONG_MAX;
}

/* What stays at CUT in STATE does in the case PART, or may. */
static bool suits(const struct cut *cut, const struct state *state, const struct part_case *part)
{
	return !(state->carried & part->absent) && !(part->carried & cut->live & ~state->carried);
}

/* The least of CUT's states that suit PART and have of the arrays SHARED those CARRIED; -1: there is none. */
static int least_before(const struct cut *cut, const struct part_case *part, unsigned long shared, unsigned long carried)
{
	int least = -1;
	for (int s = 0; s < cut->state_count; s++) {
		const struct state *state = &cut->states[s];
		if (state->bytes < (least < 0 ? LONG_MAX : cut->states[least].bytes) && (state->carried & shared) == carried
			&& suits(cut, state, part))
			least = s;
	}
	return least;
}

/* The nests up to cut END may end with the case PART, of those from cut BEGIN on. */
static void extend(struct cut *cuts, int begin, int end, struct part_case *part)
{
	const struct cut *from = &cuts[begin];
	struct cut *to = &cuts[end];
	const unsigned long shared = from->live & to->live;
	int before = -1;
	for (int s = 0; s < to->state_count; s++) {
		struct state *after = &to->states[s];
		long sum;
		if (!s || shared)
			before = least_before(from, part, shared, after->carried & shared);
		if (before >= 0 && !__builtin_add_overflow(from->states[before].bytes, part->bytes, &sum) && sum < after->bytes
			&& suits(to, after, part))
			*after = (struct state){ after->carried, sum, begin, before, part };
	}
}

/* Finds the least partition; CUTS [count + 1] say what it is. */
static long find_least(const struct space_bound *bound, struct cut *cuts)
{
	begin_cut(0, &cuts[0]);
	cuts[0].states[0].bytes = 0;
	for (int end = 1; end <= bound->count; end++) {
		begin_cut(bound->live && end < bound->count ? bound->live[end] : 0, &cuts[end]);
		for (int begin = end - 1; begin >= 0; begin--)
			for (struct part_case *part = part_of(bound, begin, end - 1)->cases; part; part = part->next)
				extend(cuts, begin, end, part);
	}
	return cuts[bound->count].states[0].bytes;
}

/* LOOK looks at the open parts of the partition that CUTS say.  False: there are none. */
static bool look_at_parts(const struct space_bound *bound, const struct cut *cuts, space_bound_look *look, void *user)
{
	bool any = false;
	for (int end = bound->count, state = 0; end > 0; ) {
		const struct state *now = &cuts[end].states[state];
		if (now->part->is_open) {
			look(user, now->begin, end - 1, now->part);
			any = true;
		}
		end = now->begin;
		state = now->before;
	}
	return any;
}

/* The partition that CUTS say. */
static struct space_partition partition_of(const struct space_bound *bound, const struct cut *cuts)
{
	struct space_partition partition = { .cuts = ARENA_ARRAY(bound->arena, bool, bound->count + 1) };
	partition.cuts[bound->count] = true;
	for (int end = bound->count, state = 0; end > 0; ) {
		const struct state *now = &cuts[end].states[state];
		partition.cuts[now->begin] = true;
		partition.carried |= now->part->carried;
		end = now->begin;
		state = now->before;
	}
	return partition;
}

long space_bound_of(struct space_bound *bound, struct groups *groups, long enough, space_bound_look *look,
	void *user, struct space_partition *least)
{
	struct cut *cuts = ARENA_ARRAY(bound->arena, struct cut, bound->count + 1);
	long bytes;
	complete(bound, groups);
	do
		bytes = find_least(bound, cuts);
	while (bytes < enough && look_at_parts(bound, cuts, look, user));
	if (least && bytes < LONG_MAX)
		*least = partition_of(bound, cuts);
	return bytes;
}
