/* What no form of a nest moves less than, also where regions have no closed form: for each band that a form may
 * have, the best schedule of a model whose regions are within the real ones (nest_model_inside). */

#include "passes/variants/forms_bound.h"

#include <limits.h>

#include "passes/analysis/band_chain.h"
#include "passes/analysis/nest_memo.h"
#include "passes/cost/nest_model.h"
#include "passes/lower/lower.h"
#include "passes/nest_work.h"
#include "passes/search/search_memo.h"

/* The most loops that a statement of NEST with an access of GROUP is in. */
static int deepest_of(const struct nest *nest, const struct reference_group *group)
{
	int depth = 0;
	for (int a = 0; a < group->access_count; a++)
		if (nest->statements[group->accesses[a].statement]->depth > depth)
			depth = nest->statements[group->accesses[a].statement]->depth;
	return depth;
}

/* Of the groups of ARRAY in SPLIT, which no form has in parts, that which is touched innermost, or where some are written updated
 * innermost, or written if none is updated: of their union no buffer may be. */
static struct reference_group innermost_of(const struct nest *nest, const struct reference_groups *split,
	const struct array *array)
{
	struct reference_group innermost = { .array = array };
	bool has_siblings = false, is_updated = false;
	int most = -1;
	for (int b = 0; b < split->count; b++) {
		const struct reference_group *group = &split->items[b];
		if (group->array != array)
			continue;
		has_siblings |= group->has_siblings;
		bool is_better = !group->has_siblings || (group->is_read && group->is_written);
		if ((is_better && !is_updated) || (is_better == is_updated && (is_better || group->is_written)
			&& deepest_of(nest, group) > most)) {
			most = deepest_of(nest, group);
			innermost = *group;
			is_updated = is_better;
		}
	}
	innermost.has_siblings = has_siblings;
	return innermost;
}

/* The groups of VARIANT, with buffers of their own as far as its schedules may have these. */
static const struct reference_groups *groups_apart(struct compilation *compilation, const struct variant *variant)
{
	struct variant apart = *variant;
	struct merges merges = { .count = 0 };
	do
		apart.groups = reference_groups_split(compilation, variant->nest, apart.options.borrows, &merges);
	while (apart.groups->is_split && nest_merge_clashing(compilation, &apart, true, &merges));
	return apart.groups;
}

static int groups_of(const struct reference_groups *apart, const struct array *array)
{
	int count = 0;
	for (int b = 0; apart && b < apart->count; b++)
		count += apart->items[b].array == array;
	return count;
}

/* One group for each array of NEST: for those of which there are some APART that which stands for all that hold it, else all of it. */
static const struct reference_groups *groups_for(struct compilation *compilation, const struct nest *nest,
	const struct reference_groups *apart)
{
	const struct reference_groups *whole = reference_groups_whole(compilation, nest);
	struct reference_group *items = ARENA_ARRAY(compilation->arena, struct reference_group, whole->count + 1);
	struct reference_groups *groups = ARENA_NEW(compilation->arena, struct reference_groups);
	for (int a = 0; a < whole->count; a++)
		items[a] = groups_of(apart, whole->items[a].array) ? innermost_of(nest, apart, whole->items[a].array) : whole->items[a];
	*groups = *whole;
	groups->items = items;
	groups->is_split = apart;
	return groups;
}

/* ---- what a model does not count ---- */

/* The array of INSIDE that is group A of its variant; -1: none. */
static int array_in(const struct inside_model *inside, int a)
{
	for (int m = 0; m < inside->model.array_count; m++)
		if (inside->group[m] == a)
			return m;
	return -1;
}

/* ARRAY, which is in several buffers, moves no less besides what a model of one of them counts: what is written goes out, as another buffer may be
 * for it; and if one at most is written, what another one is for comes in, which is one of the groups APART at least. */
static long moved_apart(const struct nest *nest, const struct reference_groups *apart, const struct array *array)
{
	long written = 0, read = LONG_MAX, sum;
	int writers = 0;
	for (int b = 0; b < apart->count; b++) {
		const struct reference_group *group = &apart->items[b];
		if (group->array != array)
			continue;
		long own = reference_group_bytes(nest, group, group->is_written);
		if (group->is_written)
			written = own > written ? own : written;
		else
			read = own < read ? own : read;
		writers += group->is_written;
	}
	return __builtin_add_overflow(written, writers <= 1 ? read : 0, &sum) ? LONG_MAX : sum;
}

/* The sum of that for the arrays that have several groups APART, of which nobody needs a value after the nest; or the least, where not all
 * of them have several buffers (IS_SOME). */
static long all_moved_apart(const struct variant *variant, const struct reference_groups *apart, bool is_some,
	const struct inside_model *inside)
{
	long sum = 0, least = LONG_MAX;
	for (int a = 0; a < variant->groups->count; a++) {
		const struct reference_group *group = &variant->groups->items[a];
		int m = array_in(inside, a);
		if (groups_of(apart, group->array) < 2)
			continue;
		/* what comes back in the end is in the model */
		bool is_counted = group->is_internal || group->is_kept || array_compulsory(variant->nest, group->array).out
			|| (m >= 0 && inside->model.arrays[m].ends);
		long own = is_counted ? 0 : moved_apart(variant->nest, apart, group->array);
		least = own < least ? own : least;
		if (__builtin_add_overflow(sum, own, &sum))
			return LONG_MAX;
	}
	return !is_some ? sum : least < LONG_MAX ? least : 0;
}

/* What every execution moves of the arrays that INSIDE does not count, and forms with groups APART besides. */
static long rest_of(const struct variant *variant, const struct reference_groups *apart, bool is_some, const struct inside_model *inside)
{
	long rest = all_moved_apart(variant, apart, is_some, inside);
	for (int a = 0; a < variant->groups->count; a++) {
		const struct reference_group *group = &variant->groups->items[a];
		int m = array_in(inside, a);
		if (group->is_internal || group->is_kept || (m >= 0 && inside->is_counted[m]))
			continue;
		if (!array_add_compulsory(variant->nest, group->array, &rest))
			break;
	}
	return rest;
}

/* ---- one form ---- */

/* What the search for a schedule of MODEL ends at, whose sequential loops get their tiles; MOST as in forms_bound. */
static long search_inside(struct compilation *compilation, const struct band *band, struct nest_model *model, long most)
{
	struct search_options options;
	struct schedule best;
	struct proof proof;
	search_options_init(&options);
	options.buffering = BUFFERING_SINGLE;
	options.effort = most < LONG_MAX ? FORMS_BELOW_POINTS : FORMS_POINTS;
	options.threads = 1;
	options.interrupted = compilation->watch.interrupted;
	options.order_count = band->prefix;
	for (int l = 0; l < band->prefix; l++) {
		options.order[l] = l;
		model->loops[l].tile = 1;
	}
	if (most < LONG_MAX)
		return search_bound(model, compilation->arch, &options, most);
	return search_schedule_once(compilation->known.searches, model, compilation->arch, &options, &best,
		&proof) ? proof.bound_bytes : LONG_MAX;
}

/* No plan of VARIANT moves less, of whose arrays those with groups APART (NULL: none) have several buffers, or IS_SOME of them at least;
 * MOST as in forms_bound. */
static long bound_of(struct compilation *compilation, struct variant variant, const struct reference_groups *apart,
	bool is_some, long most)
{
	variant.groups = groups_for(compilation, variant.nest, apart);
	struct inside_model inside;
	nest_model_inside(compilation, &variant, apart, &inside);
	long rest = rest_of(&variant, apart, is_some, &inside);
	if (!inside.model.array_count || rest >= most)
		return rest;
	long bound = search_inside(compilation, variant.band, &inside.model, most < LONG_MAX ? most - rest : most);
	return bound < LONG_MAX - rest ? bound + rest : LONG_MAX;
}

/* Each set of so many arrays that may have several buffers is looked at by itself. */
enum { SPLIT_ARRAYS = 3 };

/* The first of the arrays that have several groups APART, as ARRAYS; returns how many there are, or one more than are told. */
static int split_arrays(const struct reference_groups *apart, const struct array *arrays[SPLIT_ARRAYS])
{
	int count = 0;
	for (int b = 0; b < apart->count && count <= SPLIT_ARRAYS; b++) {
		const struct array *array = apart->items[b].array;
		bool is_new = groups_of(apart, array) > 1;
		for (int i = 0; i < count && i < SPLIT_ARRAYS; i++)
			is_new &= arrays[i] != array;
		if (is_new && count < SPLIT_ARRAYS)
			arrays[count] = array;
		count += is_new;
	}
	return count;
}

/* The groups APART of those ARRAYS whose bit is set in SET. */
static const struct reference_groups *groups_in(struct arena *arena, const struct reference_groups *apart,
	const struct array *const *arrays, int count, int set)
{
	struct reference_group *items = ARENA_ARRAY(arena, struct reference_group, apart->count);
	struct reference_groups *groups = ARENA_NEW(arena, struct reference_groups);
	*groups = (struct reference_groups){ .items = items, .is_split = true };
	for (int b = 0; b < apart->count; b++)
		for (int i = 0; i < count; i++)
			if (set >> i & 1 && apart->items[b].array == arrays[i])
				items[groups->count++] = apart->items[b];
	return groups;
}

/* The same where some of the arrays with groups APART have several buffers, whichever. */
static long bound_of_split(struct compilation *compilation, const struct variant *variant, const struct reference_groups *apart, long most)
{
	const struct array *arrays[SPLIT_ARRAYS];
	int count = split_arrays(apart, arrays);
	const bool is_known = most < LONG_MAX;
	long least = LONG_MAX;
	if (count > SPLIT_ARRAYS)
		return bound_of(compilation, *variant, apart, true, most);
	for (int set = 1; set < 1 << count && least > 0; set++) {
		long own = bound_of(compilation, *variant, groups_in(compilation->arena, apart, arrays, count, set), false, most);
		least = own < least ? own : least;
		most = is_known && least < most ? least : most;
	}
	return least;
}

/* BAND, in which a statement that runs at one value of a dimension runs in its first tile: its arrays are seen as often. */
static const struct band *with_anchors(struct arena *arena, const struct nest *nest, const struct band *band)
{
	struct band *copy = ARENA_NEW(arena, struct band);
	*copy = *band;
	for (int l = 0; l < band->count; l++) {
		struct hyperplane *planes = ARENA_ARRAY(arena, struct hyperplane, nest->statement_count);
		for (int s = 0; s < nest->statement_count; s++) {
			bool moves = false;
			planes[s] = band->dims[l].planes[s];
			for (int i = 0; i < nest->statements[s]->depth && planes[s].kind == HYPERPLANE_AFFINE; i++)
				moves |= planes[s].affine.coefficients[i] != 0;
			planes[s].kind = planes[s].kind == HYPERPLANE_AFFINE && !moves ? HYPERPLANE_FIRST : planes[s].kind;
		}
		copy->dims[l].planes = planes;
	}
	return copy;
}

/* The same of the band that OPTIONS ask for, and of its groups, one an array unless they are to be split. */
static long bound_with(struct compilation *compilation, const struct nest *nest,
	const struct outer_loops *outer, struct variant_options options, struct answers *found, long most)
{
	struct variant variant = { .nest = nest, .options = options, .outer = outer, .found = found };
	variant.band = variant_find_band(compilation, &variant);
	const struct reference_groups *apart = options.is_split ? groups_apart(compilation, &variant) : NULL;
	/* groups that are all one again are those of the form with one buffer an array */
	if (apart && !apart->is_split)
		return LONG_MAX;
	variant.band = with_anchors(compilation->arena, nest, variant.band);
	if (!variant.band->count)
		return 0;
	return apart ? bound_of_split(compilation, &variant, apart, most) : bound_of(compilation, variant, NULL, false, most);
}

/* One buffer an array; one a reference group; the same, and groups that only read borrow; loops are chained, and each
 * array has one buffer, or each group. */
enum way { WAY_JOINED, WAY_APART, WAY_BORROWED, WAY_CHAINED, WAY_CHAINED_APART, WAYS };

static struct variant_options options_of(int loops, int way)
{
	return (struct variant_options){ .loops = loops, .is_split = way != WAY_JOINED && way != WAY_CHAINED,
		.borrows = way == WAY_BORROWED, .chains = way == WAY_CHAINED || way == WAY_CHAINED_APART };
}

/* NEST, some of whose arrays have several groups (MAY_SPLIT), has forms with OPTIONS. */
static bool has_forms_with(struct compilation *compilation, const struct nest *nest, const struct variant_options *options,
	bool may_split, struct answers *found)
{
	return (!options->is_split || may_split) && (!options->chains || (!options->loops && nest_may_chain(nest)
		&& nest_find_chained_band(compilation, nest, found)->count));
}

long forms_bound(struct compilation *compilation, const struct nest *nest,
	const struct outer_loops *outer, long most)
{
	/* With several memories a schedule may give arrays to others than the model knows.  Of what is found in less scratchpad
	 * nobody asks what moves less there: what is told is of all of it. */
	if (nest->function->unbound || nest->arrays->count > MODEL_ARRAYS
		|| arch_memory_count(compilation->arch) > 1 || compilation->room.roomy)
		return 0;
	/* where bytes are not all that counts more is moved, each time something else: it is found once for all of these */
	if (prices_are_given(&compilation->request.restriction.prices))
		most = LONG_MAX;
	unsigned long uncounted = nest_work_pause(compilation);
	struct answers *found = answers_new(compilation->arena);
	bool may_split = reference_groups_split(compilation, nest, false, NULL)->is_split;
	long least = LONG_MAX;
	const bool is_known = most < LONG_MAX;
	for (int loops = nest->outer_loops; loops <= nest->loop_depth && least > 0; loops++)
		for (int way = 0; way < WAYS && least > 0; way++) {
			const struct variant_options options = options_of(loops, way);
			if (!has_forms_with(compilation, nest, &options, may_split, found))
				continue;
			long own = bound_with(compilation, nest, outer, options, found, most);
			least = own < least ? own : least;
			most = is_known ? least : most;
		}
	nest_work_resume(compilation, uncounted);
	return least;
}
