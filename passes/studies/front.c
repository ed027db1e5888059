#include "passes/studies/front.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct finder {
	struct arena *arena;
	front_search *search;
	void *user;
	long granule;
	struct front *front;
};

static void add_gap(struct finder *finder, long from, long to)
{
	struct front *front = finder->front;
	if (to < from)
		return;
	front->gaps = arena_grow(finder->arena, front->gaps, (size_t)front->gap_count,
		&front->gap_capacity, sizeof *front->gaps);
	front->gaps[front->gap_count++] = (struct front_gap){ from, to };
}

struct cost front_point_cost(const struct front_point *point)
{
	return (struct cost){
		.crossings = { [BOUNDARY_EXTERNAL] = { .bytes = (double)point->traffic_bytes } },
		.scratchpad_bytes = (double)point->memory_bytes, .work = (double)point->counts.macs };
}

static bool dominates(const struct front_point *one, const struct front_point *other,
	bool with_macs)
{
	static const enum figure axes[] = { FIGURE_SCRATCHPAD, FIGURE_BYTES, FIGURE_WORK };
	const struct cost mine = front_point_cost(one), its = front_point_cost(other);
	return cost_dominates(&mine, &its, axes, with_macs ? 3 : 2);
}

/* More memory first, then less traffic. */
static bool is_before(const struct front_point *point, const struct front_point *other)
{
	return point->memory_bytes > other->memory_bytes ||
		(point->memory_bytes == other->memory_bytes &&
		point->traffic_bytes < other->traffic_bytes);
}

void front_add(struct arena *arena, struct front *front, const struct front_point *point,
	bool with_macs)
{
	int kept = 0, at = 0;
	for (int i = 0; i < front->point_count; i++)
		if (dominates(&front->points[i], point, with_macs))
			return;
	for (int i = 0; i < front->point_count; i++)
		if (!dominates(point, &front->points[i], with_macs))
			front->points[kept++] = front->points[i];
	front->point_count = kept;
	front->points = arena_grow(arena, front->points, (size_t)kept,
		&front->point_capacity, sizeof *front->points);
	while (at < kept && !is_before(point, &front->points[at]))
		at++;
	memmove(front->points + at + 1, front->points + at,
		(size_t)(kept - at) * sizeof *front->points);
	front->points[at] = *point;
	front->point_count++;
}

/* The widest gap, as a ratio of sizes, is the last; false: there is none. */
static bool take_widest(struct front *front, struct front_gap *widest)
{
	int best = 0;
	if (!front->gap_count)
		return false;
	for (int g = 1; g < front->gap_count; g++)
		if ((double)front->gaps[g].to_bytes * (double)front->gaps[best].from_bytes >
			(double)front->gaps[best].to_bytes * (double)front->gaps[g].from_bytes)
			best = g;
	*widest = front->gaps[best];
	memmove(front->gaps + best, front->gaps + best + 1,
		(size_t)(--front->gap_count - best) * sizeof *front->gaps);
	return true;
}

static long in_granules(const struct finder *finder, double bytes)
{
	return (long)(bytes / (double)finder->granule) * finder->granule;
}

/* Searches GAP at CAPACITY; what is not known after it are gaps again. */
static void close_gap(struct finder *finder, struct front_gap gap, long capacity)
{
	struct front_point point;
	add_gap(finder, capacity + finder->granule, gap.to_bytes);
	if (!finder->search(finder->user, capacity, &point))
		return;
	/* where the search proves nothing, less memory may turn out to do as well */
	front_add(finder->arena, finder->front, &point, false);
	add_gap(finder, gap.from_bytes, point.memory_bytes - finder->granule);
}

static bool is_over(const struct front_limits *limits, int searches)
{
	return (limits->searches && searches >= limits->searches)
		|| (limits->work && *limits->work >= limits->most_work)
		|| (limits->interrupted && *limits->interrupted);
}

static int compare_gaps(const void *a, const void *b)
{
	const struct front_gap *gap = a, *other = b;
	return (gap->to_bytes < other->to_bytes) - (gap->to_bytes > other->to_bytes);
}

void front_find(struct arena *arena, front_search *search, void *user, long capacity,
	long granule, const struct front_limits *limits, struct front *front)
{
	struct finder finder = { arena, search, user, granule, front };
	struct front_gap gap;
	bool spreads = limits->searches || limits->work;
	*front = (struct front){ .point_count = 0 };
	add_gap(&finder, granule, in_granules(&finder, (double)capacity));
	for (int searches = 0; !is_over(limits, searches) && take_widest(front, &gap); searches++) {
		double middle = sqrt((double)gap.from_bytes * (double)gap.to_bytes);
		/* the first search is for the least traffic of all */
		long at = spreads && searches ? in_granules(&finder, middle) : gap.to_bytes;
		close_gap(&finder, gap, at < gap.from_bytes ? gap.from_bytes : at);
	}
	if (front->gap_count)
		qsort(front->gaps, (size_t)front->gap_count, sizeof *front->gaps, compare_gaps);
}
