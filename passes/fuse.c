/* Fusion: consecutive nests as one, so that what is between them stays on chip.  There
 * is no second mechanism: a producer is a set of statements whose place in the band is
 * shifted so that it is early enough (passes/band.c), and the regions, rings and
 * transfers are those of any nest without closed forms (passes/general.c).  Nothing is
 * computed twice.  ConvFusion (section IV) calls the shift the producer's compute level
 * and the ring its store level. */

#include "passes/fuse.h"

#include <string.h>

#include <isl/id.h>

#include "passes/lower_function.h"
#include "passes/schedule_text.h"

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
		if (!group_find_dim(compilation, group, first, member_count, j, &dim))
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

/* ARRAY's subscripts change with dimension L of the band.  Weights whose first row is
 * not used at a padded border do not move, and are fetched once. */
static bool is_indexed_by(const struct nest *group, const struct nest_array *array, int l)
{
	for (int a = 0; a < array->access_count; a++) {
		int s = array->accesses[a].statement;
		const struct hyperplane *plane = &group->band[l].planes[s];
		for (int i = 0; i < group->statements[s]->depth; i++)
			for (int d = 0; d < array->array->rank; d++)
				if (plane->kind != HYPERPLANE_AFFINE || (plane->affine.coefficients[i]
					&& array->accesses[a].access->subscripts[d].coefficients[i]))
					return true;
	}
	return false;
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
			if (moves[schedule->order[i]] && (group->arrays[a].is_written
				|| is_indexed_by(group, &group->arrays[a], schedule->order[i])))
				store[a] = i + 1;
	}
}

long plan_nest_bytes(const struct plan_nest *nest)
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
	const char *order = "order";
	for (int i = 0; i < schedule->depth; i++) {
		const char *name = group->band[schedule->order[i]].name;
		text = arena_printf(compilation->arena, "%stile %s %ld\n", text, name,
			schedule->tile[schedule->order[i]]);
		order = arena_printf(compilation->arena, "%s %s", order, name);
	}
	return arena_printf(compilation->arena, "%s%s\n", text, order);
}

/* Whether ROWS at a time fit, and what they move. */
static bool weigh(struct compilation *compilation, const struct nest *group, long rows,
	const struct plan *plan, long *bytes)
{
	struct plan trial_plan = *plan;
	struct plan_nest trial = { .name = group->name };
	struct schedule schedule = group_schedule(group, rows);
	int *store = ARENA_ARRAY(compilation->arena, int, group->array_count + 1);
	choose_stores(compilation, group, &schedule, store);
	if (!group_lower(compilation, group, &schedule, store, TO_WEIGH, &trial_plan, &trial))
		return false;
	*bytes = plan_nest_bytes(&trial);
	return true;
}

/* More rows a tile mean fewer commands; as many as fit, by doubling, while the traffic
 * does not grow from BYTES, that of one. */
static long choose_rows(struct compilation *compilation, const struct nest *group,
	const struct plan *plan, long bytes)
{
	long extent = group->band[group->band_count - 1].extent, best = 1, trial_bytes;
	while (best < extent) {
		long rows = 2 * best < extent ? 2 * best : extent;
		if (!weigh(compilation, group, rows, plan, &trial_bytes) || trial_bytes > bytes
			|| (compilation->restriction.prefers_memory && trial_bytes == bytes))
			break;
		best = rows;
		bytes = trial_bytes;
	}
	return best;
}

/* ---- dependences: found once for the function, and taken from there ---- */

struct pair {
	int from, to;                /* statements of the function */
	isl_map *map;                /* owned by the arena */
};

/* The nests that use an array. */
struct use {
	int first, last;             /* last < first: none */
	bool is_intermediate;        /* local, and written before it is read */
};

struct groups {
	struct compilation *compilation;
	struct nest *nests;
	int nest_count;
	struct nest *all;            /* of them as one */
	int count[2];                /* dependences; private values */
	size_t capacity[2];
	struct pair *pairs[2];
	int kind;                    /* which are being added */
	struct use *uses;            /* [array of the function] */
};

static void release_map(void *map) { isl_map_free(map); }
static void release_union_map(void *map) { isl_union_map_free(map); }

static int statement_index(const struct function *function, __isl_take isl_id *id)
{
	int found = 0;
	while (found < function->statement_count - 1
		&& strcmp(function->statements[found]->name, isl_id_get_name(id)))
		found++;
	isl_id_free(id);
	return found;
}

static isl_stat add_pair(__isl_take isl_map *map, void *user)
{
	struct groups *groups = user;
	struct arena *arena = groups->compilation->arena;
	int k = groups->kind;
	groups->pairs[k] = arena_grow(arena, groups->pairs[k], (size_t)groups->count[k],
		&groups->capacity[k], sizeof *groups->pairs[k]);
	struct pair *pair = &groups->pairs[k][groups->count[k]++];
	pair->from = statement_index(groups->all->function, isl_map_get_tuple_id(map, isl_dim_in));
	pair->to = statement_index(groups->all->function, isl_map_get_tuple_id(map, isl_dim_out));
	pair->map = arena_own(arena, map, release_map);
	return isl_stat_ok;
}

static bool uses(const struct nest *nest, const struct array *array)
{
	for (int a = 0; a < nest->array_count; a++)
		if (nest->arrays[a].array == array)
			return true;
	return false;
}

/* All accesses are in those nests, so that what holds of them holds in every group they
 * are in. */
static bool is_intermediate(const struct groups *groups, const struct use *use,
	const struct array *array)
{
	if (array->is_parameter || array->by_value || use->first >= use->last)
		return false;
	struct nest *users = nest_join(groups->compilation, groups->nests + use->first,
		use->last - use->first + 1);
	for (int a = 0; a < users->array_count; a++)
		if (users->arrays[a].array == array)
			return users->arrays[a].is_read && nest_is_created(users, &users->arrays[a]);
	return false;
}

static void find_uses(struct groups *groups)
{
	const struct function *function = groups->all->function;
	groups->uses = ARENA_ARRAY(groups->compilation->arena, struct use, function->array_count + 1);
	for (int i = 0; i < function->array_count; i++) {
		struct use *use = &groups->uses[i];
		use->first = groups->nest_count;
		use->last = -1;
		for (int n = 0; n < groups->nest_count; n++)
			if (uses(&groups->nests[n], function->arrays[i])) {
				use->first = n < use->first ? n : use->first;
				use->last = n;
			}
		use->is_intermediate = is_intermediate(groups, use, function->arrays[i]);
	}
}

struct groups *groups_new(struct compilation *compilation, struct nest *nests, int count)
{
	struct groups *groups = ARENA_NEW(compilation->arena, struct groups);
	groups->compilation = compilation;
	groups->nests = nests;
	groups->nest_count = count;
	groups->all = nest_join(compilation, nests, count);
	nest_find_dependences(compilation, groups->all);
	isl_union_map_foreach_map(groups->all->dependences, add_pair, groups);
	groups->kind = 1;
	isl_union_map_foreach_map(groups->all->together, add_pair, groups);
	find_uses(groups);
	return groups;
}

static isl_union_map *pairs_of(const struct groups *groups, int kind, const struct nest *group)
{
	int first = group->statements[0]->index, end = first + group->statement_count;
	isl_union_map *chosen = isl_union_map_empty(isl_union_map_get_space(group->order));
	for (int i = 0; i < groups->count[kind]; i++) {
		const struct pair *pair = &groups->pairs[kind][i];
		if (pair->from >= first && pair->to >= first && pair->from < end && pair->to < end)
			chosen = isl_union_map_add_map(chosen, isl_map_copy(pair->map));
	}
	return arena_own(groups->compilation->arena, chosen, release_union_map);
}

/* Which value of a scalar is whose was found for the whole function: a group with only
 * some of the uses of one that is written would need more. */
static bool shares_scalars(const struct nest *group)
{
	const struct function *function = group->function;
	int first = group->statements[0]->index, end = first + group->statement_count;
	for (int i = 0; i < function->array_count; i++) {
		bool inside = false, outside = false, is_written = false;
		for (int s = 0; s < function->statement_count; s++)
			for (int a = 0; a < function->statements[s]->access_count; a++) {
				const struct access *access = &function->statements[s]->accesses[a];
				if (access->array != function->arrays[i])
					continue;
				is_written |= access->is_write;
				inside |= s >= first && s < end;
				outside |= s < first || s >= end;
			}
		if (function->arrays[i]->by_value && is_written && inside && outside)
			return true;
	}
	return false;
}

/* ---- a group ---- */

/* Local arrays that are written before they are read, and used only in the COUNT nests
 * from FIRST on. */
static int mark_internal(const struct groups *groups, struct nest *group, int first, int count)
{
	int internal = 0;
	for (int a = 0; a < group->array_count; a++) {
		const struct use *use = &groups->uses[group->arrays[a].array->index];
		group->arrays[a].is_internal = use->is_intermediate && use->first >= first
			&& use->last < first + count;
		internal += group->arrays[a].is_internal;
	}
	return internal;
}

static struct nest *join(const struct groups *groups, int first, int count)
{
	const struct nest *nests = groups->nests + first;
	struct nest *group = nest_join(groups->compilation, nests, count);
	group->name = arena_printf(groups->compilation->arena, "%s.%d-%d", nests->function->name,
		nests[0].index, nests[count - 1].index);
	if (shares_scalars(group) || !mark_internal(groups, group, first, count))
		return NULL;
	group->dependences = pairs_of(groups, 0, group);
	group->together = pairs_of(groups, 1, group);
	int *starts = ARENA_ARRAY(groups->compilation->arena, int, count + 1);
	for (int n = 1; n < count; n++)
		starts[n] = starts[n - 1] + nests[n - 1].statement_count;
	return find_group_band(groups->compilation, group, starts, count) ? group : NULL;
}

enum group_outcome group_try(const struct groups *groups, int first, int count,
	const struct plan *plan, struct group *result)
{
	*result = (struct group){ .nest = join(groups, first, count) };
	if (!result->nest)
		return GROUP_ILLEGAL;
	return weigh(groups->compilation, result->nest, 1, plan, &result->bytes)
		? GROUP_FITS : GROUP_TOO_LARGE;
}

/* The tiles that --schedule gives GROUP, in MODEL; 0 where it does not.  False after an
 * error (diagnosed). */
static bool read_tiles(struct compilation *compilation, const struct nest *group,
	struct nest_model *model)
{
	struct search_options options;
	struct schedule_reader reader = { .diag = compilation->diag, .nest = group,
		.model = model, .options = &options };
	struct location at = { .file = compilation->schedule_file, .line = 1, .column = 1 };
	search_options_init(&options);
	model->loop_count = group->band_count;
	for (int l = 0; l < group->band_count; l++)
		model->loops[l] = (struct model_loop){ .name = group->band[l].name,
			.extent = group->band[l].extent };
	return !compilation->schedule_text
		|| (schedule_read(&reader, at, compilation->schedule_text)
			&& schedule_read_end(&reader));
}

bool group_emit(const struct groups *groups, const struct group *group, struct plan *plan,
	struct plan_nest *out)
{
	struct compilation *compilation = groups->compilation;
	struct nest *nest = group->nest;
	int *store = ARENA_ARRAY(compilation->arena, int, nest->array_count + 1);
	struct nest_model *model = ARENA_NEW(compilation->arena, struct nest_model);
	if (!read_tiles(compilation, nest, model))
		return false;
	long given = nest->band_count ? model->loops[nest->band_count - 1].tile : 0;
	struct schedule schedule = group_schedule(nest,
		given ? given : choose_rows(compilation, nest, plan, group->bytes));
	*out = (struct plan_nest){ .name = nest->name, .location = nest->location };
	choose_stores(compilation, nest, &schedule, store);
	if (!group_lower(compilation, nest, &schedule, store, TO_EMIT, plan, out))
		return false;
	out->schedule = describe(compilation, nest, &schedule);
	out->compulsory_bytes = out->lower_bound_bytes = nest_compulsory(nest);
	out->bound_bytes = out->lower_bound_bytes;
	out->lower_bound_argument = "compulsory";
	out->macs = nest_macs(nest);
	out->optimal = plan_nest_bytes(out) == out->bound_bytes;
	return true;
}
