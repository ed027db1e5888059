/* Fusion: consecutive nests as one, so that what is between them stays on chip.  There
 * is no second mechanism: a producer is a set of statements whose place in the band is
 * shifted so that it is early enough (passes/band.c), and the regions, rings and
 * transfers are those of any nest without closed forms (passes/general.c).  Nothing is
 * computed twice.  ConvFusion (section IV) calls the shift the producer's compute level
 * and the ring its store level. */

#include "passes/fuse.h"

#include <string.h>

static bool is_used_only_in(const struct nest *group, const struct array *array)
{
	const struct function *function = group->function;
	int first = group->statements[0]->index;
	for (int s = 0; s < function->statement_count; s++) {
		if (s >= first && s < first + group->statement_count)
			continue;
		for (int a = 0; a < function->statements[s]->access_count; a++)
			if (function->statements[s]->accesses[a].array == array)
				return false;
	}
	return true;
}

/* Local arrays that are written before they are read, and only used here. */
static int mark_internal(struct nest *group)
{
	int count = 0;
	for (int a = 0; a < group->array_count; a++) {
		struct nest_array *array = &group->arrays[a];
		array->is_internal = !array->array->is_parameter && array->is_read && array->is_written
			&& is_used_only_in(group, array->array) && nest_is_created(group, array);
		count += array->is_internal;
	}
	return count;
}

/* Every member has a statement that moves with the dimension. */
static bool moves_all(const struct band_dim *dim, const int *first, int member_count, int total)
{
	for (int m = 0; m < member_count; m++) {
		int end = m + 1 < member_count ? first[m + 1] : total;
		bool moves = false;
		for (int s = first[m]; s < end; s++)
			moves |= dim->planes[s].kind == HYPERPLANE_AFFINE;
		if (!moves)
			return false;
	}
	return true;
}

/* The group's band: dimensions that no dependence crosses (images of a batch), then the
 * first one along which rows follow each other.  False if there is none. */
static bool find_group_band(struct compilation *compilation, struct nest *group, const int *first,
	int member_count)
{
	int total = group->statement_count, last = first[member_count - 1], depth = 0;
	for (int s = last; s < total; s++)
		if (group->statements[s]->depth > depth)
			depth = group->statements[s]->depth;
	group->band_count = 0;
	for (int j = 0; j < depth && group->band_count < NEST_LOOPS; j++) {
		struct band_dim dim;
		if (!group_find_dim(compilation, group, first, member_count, j, &dim)
			|| !moves_all(&dim, first, member_count, total))
			continue;
		group->band[group->band_count++] = dim;
		if (dim.is_forward)
			return true;
	}
	return group->band_count > 0;
}

/* One iteration a tile in all dimensions but the last, ROWS in that. */
static struct schedule group_schedule(const struct nest *group, long rows)
{
	struct schedule schedule = { .depth = 0 };
	for (int l = 0; l < group->band_count; l++) {
		schedule.tile[l] = l < group->band_count - 1 ? 1 : rows;
		if (schedule.tile[l] < group->band[l].extent)
			schedule.order[schedule.depth++] = l;
	}
	return schedule;
}

/* The tile loops that the regions of each array move with: stores right inside the
 * innermost of them. */
static void choose_stores(struct compilation *compilation, const struct nest *group,
	const struct schedule *schedule, int *store)
{
	for (int a = 0; a < group->array_count; a++) {
		store[a] = 0;
		if (group->arrays[a].is_internal)
			continue;
		bool moves[NEST_LOOPS];
		nest_array_moves(compilation, group, &group->arrays[a], moves);
		for (int i = 0; i < schedule->depth; i++)
			if (moves[schedule->order[i]])
				store[a] = i + 1;
	}
}

static long bytes_of(const struct plan_nest *nest)
{
	long total = 0;
	for (int a = 0; a < nest->traffic_count; a++)
		total += nest->traffic[a].read_bytes + nest->traffic[a].write_bytes;
	return total;
}

static const char *describe(struct compilation *compilation, const struct nest *group,
	const struct schedule *schedule)
{
	const char *text = arena_printf(compilation->arena, "nest %s\nfuse", group->name);
	for (int a = 0; a < group->array_count; a++)
		if (group->arrays[a].is_internal)
			text = arena_printf(compilation->arena, "%s %s", text, group->arrays[a].array->name);
	text = arena_printf(compilation->arena, "%s\n", text);
	for (int i = 0; i < schedule->depth; i++)
		text = arena_printf(compilation->arena, "%stile %s %ld\n", text,
			group->band[schedule->order[i]].name, schedule->tile[schedule->order[i]]);
	return text;
}

/* More rows a tile mean fewer commands; as many as fit, by doubling, while the traffic
 * does not grow.  0 if not even one does. */
static long choose_rows(struct compilation *compilation, struct nest *group, struct plan *plan)
{
	const struct plan before = *plan;
	struct plan_nest trial;
	int *store = ARENA_ARRAY(compilation->arena, int, group->array_count + 1);
	long extent = group->band[group->band_count - 1].extent, best = 0, best_bytes = 0;
	for (long rows = 1; best < extent; rows = 2 * rows < extent ? 2 * rows : extent) {
		struct schedule schedule = group_schedule(group, rows);
		choose_stores(compilation, group, &schedule, store);
		bool fits = group_lower(compilation, group, &schedule, store, TO_WEIGH, plan, &trial);
		*plan = before;
		if (!fits || (best && bytes_of(&trial) > best_bytes))
			break;
		best = rows;
		best_bytes = bytes_of(&trial);
	}
	return best;
}

struct nest *fuse_group(struct compilation *compilation, const struct nest *nests, int count,
	enum detail detail, struct plan *plan, struct plan_nest *out)
{
	struct nest *group = nest_join(compilation, nests, count);
	int *first = ARENA_ARRAY(compilation->arena, int, count + 1);
	for (int n = 1; n < count; n++)
		first[n] = first[n - 1] + nests[n - 1].statement_count;
	*out = (struct plan_nest){ .name = arena_printf(compilation->arena, "%s.%d-%d",
		nests->function->name, nests[0].index, nests[count - 1].index),
		.location = group->location };
	group->name = out->name;
	if (!mark_internal(group))
		return NULL;
	nest_find_dependences(compilation, group);
	if (!find_group_band(compilation, group, first, count))
		return NULL;
	long rows = choose_rows(compilation, group, plan);
	struct schedule schedule = group_schedule(group, rows);
	int *store = ARENA_ARRAY(compilation->arena, int, group->array_count + 1);
	if (!rows)
		return NULL;
	choose_stores(compilation, group, &schedule, store);
	if (!group_lower(compilation, group, &schedule, store, detail, plan, out))
		return NULL;
	out->schedule = describe(compilation, group, &schedule);
	return group;
}
