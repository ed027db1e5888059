/* What all groups of a function share: its statements, its dependences in pairs of statements, and the
 * uses of its arrays. */

#include <stdlib.h>
#include <string.h>

#include <isl/id.h>
#include <isl/union_map.h>

#include "passes/analysis/values.h"
#include "passes/cost/created.h"
#include "passes/lower/lower.h"
#include "passes/fusion/group_border.h"
#include "passes/fusion/group_distance.h"

static void release_map(void *map) { isl_map_free(map); }

static int statement_index(const struct function *function, __isl_take isl_id *id)
{
	int found = 0;
	while (found < function->statement_count - 1
		&& strcmp(function->statements[found]->name, isl_id_get_name(id)))
		found++;
	isl_id_free(id);
	return found;
}

/* What is alike in two maps: all but the names of their ends. */
static __isl_give isl_map *nameless(__isl_keep isl_map *map)
{
	map = isl_map_reset_tuple_id(isl_map_copy(map), isl_dim_in);
	return isl_map_reset_tuple_id(map, isl_dim_out);
}

struct pairs {
	struct groups *groups;
	size_t capacity;
	bool are_private;
	isl_map_list *shapes;
};

static int shape_of(struct pairs *pairs, __isl_keep isl_map *map)
{
	isl_map *plain = nameless(map);
	int found = -1;
	for (int i = 0; i < pairs->groups->shape_count && found < 0; i++) {
		isl_map *shape = isl_map_list_get_map(pairs->shapes, i);
		if (isl_map_plain_is_equal(shape, plain) == isl_bool_true)
			found = i;
		isl_map_free(shape);
	}
	if (found >= 0) {
		isl_map_free(plain);
		return found;
	}
	pairs->shapes = isl_map_list_add(pairs->shapes, plain);
	return pairs->groups->shape_count++;
}

static isl_stat add_pair(__isl_take isl_map *map, void *user)
{
	struct pairs *pairs = user;
	struct groups *groups = pairs->groups;
	struct arena *arena = groups->compilation->arena;
	groups->pairs = arena_grow(arena, groups->pairs, (size_t)groups->pair_count,
		&pairs->capacity, sizeof *groups->pairs);
	groups->pairs[groups->pair_count++] = (struct group_pair){
		.from = statement_index(groups->function, isl_map_get_tuple_id(map, isl_dim_in)),
		.to = statement_index(groups->function, isl_map_get_tuple_id(map, isl_dim_out)),
		.is_private = pairs->are_private, .shape = shape_of(pairs, map),
		.map = arena_own(arena, map, release_map) };
	return isl_stat_ok;
}

static int compare_pairs(const void *a, const void *b)
{
	const struct group_pair *left = a, *right = b;
	if (left->from != right->from)
		return left->from < right->from ? -1 : 1;
	if (left->to != right->to)
		return left->to < right->to ? -1 : 1;
	return left->is_private - right->is_private;
}

static void find_pairs(struct groups *groups)
{
	struct compilation *compilation = groups->compilation;
	const struct nest *all = nest_with_dependences(compilation,
		nest_join(compilation, groups->nests, groups->nest_count));
	struct pairs pairs = { .groups = groups, .shapes = isl_map_list_alloc(compilation->ctx, 0) };
	isl_union_map_foreach_map(all->dependences, add_pair, &pairs);
	pairs.are_private = true;
	isl_union_map_foreach_map(all->private_values, add_pair, &pairs);
	isl_map_list_free(pairs.shapes);
	if (groups->pair_count)
		qsort(groups->pairs, (size_t)groups->pair_count, sizeof *groups->pairs, compare_pairs);
	groups->first_pair = ARENA_ARRAY(compilation->arena, int, groups->nest_count + 2);
	for (int n = groups->nest_count, p = groups->pair_count; n >= 0; n--) {
		while (p > 0 && groups->nest_of[groups->pairs[p - 1].from] >= n)
			p--;
		groups->first_pair[n] = n == groups->nest_count ? groups->pair_count : p;
	}
}

static void find_statements(struct groups *groups)
{
	struct arena *arena = groups->compilation->arena;
	int count = groups->function->statement_count;
	groups->nest_of = ARENA_ARRAY(arena, int, count + 1);
	groups->ties = ARENA_ARRAY(arena, struct group_tie *, count + 1);
	groups->macs = ARENA_ARRAY(arena, double, groups->nest_count + 1);
	for (int n = 0; n < groups->nest_count; n++)
		groups->macs[n] = -1;
	groups->ranges = (long (**)[2])arena_alloc(arena, ((size_t)count + 1) * sizeof *groups->ranges);
	for (int n = 0; n < groups->nest_count; n++)
		for (int s = 0; s < groups->nests[n].statement_count; s++)
			groups->nest_of[groups->nests[n].statements[s]->index] = n;
	for (int s = 0; s < count; s++) {
		const struct statement *statement = groups->function->statements[s];
		groups->ranges[s] = arena_alloc(arena, ((size_t)statement->depth + 1) * sizeof(long[2]));
		for (int i = 0; i < statement->depth; i++)
			if (!set_dim_range(statement->domain, i, &groups->ranges[s][i][0],
				&groups->ranges[s][i][1])) {
				groups->ranges[s][i][0] = 0;
				groups->ranges[s][i][1] = -1;
			}
		groups->ties[s] = group_ties(arena, statement, groups->ranges[s]);
	}
}

static void add_access(struct groups *groups, int s, const struct access *access)
{
	struct group_array *array = &groups->arrays[access->array->index];
	struct group_access *entry = &array->accesses[array->access_count++];
	*entry = (struct group_access){ .statement = s, .nest = groups->nest_of[s], .access = access };
	isl_set *touched = isl_map_range(isl_map_copy(access->map));
	for (int d = 0; d < access->array->rank; d++)
		if (!set_dim_range(touched, d, &entry->low[d], &entry->high[d])) {
			entry->low[d] = 0;
			entry->high[d] = -1;
		}
	isl_set_free(touched);
	array->first = entry->nest < array->first ? entry->nest : array->first;
	array->last = entry->nest > array->last ? entry->nest : array->last;
}

/* All accesses are in those nests, so that what holds of them holds in every group they
 * are in. */
static bool is_created(const struct groups *groups, const struct group_array *entry)
{
	bool is_written = false;
	for (int a = 0; a < entry->access_count; a++)
		is_written |= entry->accesses[a].access->is_write;
	if (!is_written || entry->array->by_value)
		return false;
	const struct nest *users = nest_join(groups->compilation, groups->nests + entry->first,
		entry->last - entry->first + 1);
	for (int a = 0; a < users->arrays->count; a++)
		if (users->arrays->items[a].array == entry->array)
			return nest_is_created(&(struct variant){ .nest = users }, &users->arrays->items[a]);
	return false;
}

static bool is_read(const struct group_array *entry)
{
	for (int a = 0; a < entry->access_count; a++)
		if (!entry->accesses[a].access->is_write)
			return true;
	return false;
}

static void find_arrays(struct groups *groups)
{
	const struct function *function = groups->function;
	struct arena *arena = groups->compilation->arena;
	groups->arrays = ARENA_ARRAY(arena, struct group_array, function->array_count + 1);
	int *counts = ARENA_ARRAY(arena, int, function->array_count + 1);
	for (int s = 0; s < function->statement_count; s++)
		for (int a = 0; a < function->statements[s]->access_count; a++)
			counts[function->statements[s]->accesses[a].array->index]++;
	for (int i = 0; i < function->array_count; i++)
		groups->arrays[i] = (struct group_array){ .array = function->arrays[i],
			.first = groups->nest_count, .last = -1,
			.accesses = ARENA_ARRAY(arena, struct group_access, counts[i] + 1) };
	for (int s = 0; s < function->statement_count; s++)
		for (int a = 0; a < function->statements[s]->access_count; a++)
			add_access(groups, s, &function->statements[s]->accesses[a]);
	for (int i = 0; i < function->array_count; i++) {
		struct group_array *entry = &groups->arrays[i];
		entry->is_created = is_created(groups, entry);
		entry->is_intermediate = entry->is_created && !entry->array->is_parameter
			&& entry->first < entry->last && is_read(entry);
	}
}

bool group_is_internal(const struct groups *groups, const struct fusion_candidate *candidate,
	int array)
{
	const struct group_array *entry = &groups->arrays[array];
	return entry->is_intermediate && entry->first >= candidate->first
		&& entry->last <= candidate->last
		&& !is_carried(groups->compilation, entry->array);
}

struct groups *groups_new(struct compilation *compilation, const struct nest *nests, int count)
{
	struct groups *groups = ARENA_NEW(compilation->arena, struct groups);
	groups->compilation = compilation;
	groups->function = nests->function;
	groups->nests = nests;
	groups->nest_count = count;
	groups->distances = ARENA_NEW(compilation->arena, struct distance_memo);
	groups->naturals = ARENA_ARRAY(compilation->arena, struct natural_dim *, count + 1);
	find_statements(groups);
	find_pairs(groups);
	find_arrays(groups);
	return groups;
}

double groups_nest_macs(struct groups *groups, int n)
{
	if (groups->macs[n] < 0)
		groups->macs[n] = (double)nest_macs(&groups->nests[n]);
	/* too many for a long */
	return groups->macs[n] < 0 ? 0 : groups->macs[n];
}
