/* What no form of a nest moves less than, also where regions have no closed form: for each band that a form may
 * have, the best schedule of a model whose regions are within the real ones (nest_model_inside). */

#include "passes/variants/forms_bound.h"

#include <limits.h>

#include "passes/analysis/band_chain.h"
#include "passes/analysis/nest_memo.h"
#include "passes/cost/nest_model.h"
#include "passes/nest_work.h"
#include "passes/search/search_memo.h"

static int deepest_of(const struct nest *nest, const struct reference_group *group)
{
	int depth = 0;
	for (int a = 0; a < group->access_count; a++)
		if (nest->statements[group->accesses[a].statement]->depth > depth)
			depth = nest->statements[group->accesses[a].statement]->depth;
	return depth;
}

/* Of the groups of ARRAY in SPLIT, which no form has in parts, that whose elements are updated innermost; one without accesses,
 * if none are: of their union no buffer may be. */
static struct reference_group updated_sibling(const struct nest *nest, const struct reference_groups *split,
	const struct array *array)
{
	struct reference_group updated = { .array = array, .has_siblings = true };
	int most = -1;
	for (int b = 0; b < split->count; b++) {
		const struct reference_group *group = &split->items[b];
		if (group->array == array && group->is_read && group->is_written && deepest_of(nest, group) > most) {
			most = deepest_of(nest, group);
			updated = *group;
		}
	}
	updated.has_siblings = true;
	return updated;
}

/* The arrays of NEST; of one of which a form may have several buffers, some of them written, one of these: it has siblings. */
static const struct reference_groups *groups_of(struct compilation *compilation,
	const struct nest *nest)
{
	const struct reference_groups *whole = reference_groups_whole(compilation, nest);
	const struct reference_groups *split = reference_groups_split(compilation, nest, true, NULL);
	struct reference_group *items = ARENA_ARRAY(compilation->arena, struct reference_group,
		whole->count + 1);
	struct reference_groups *groups = ARENA_NEW(compilation->arena, struct reference_groups);
	for (int a = 0; a < whole->count; a++) {
		bool has_siblings = false;
		for (int b = 0; b < split->count; b++)
			has_siblings |= split->items[b].array == whole->items[a].array && split->items[b].has_siblings;
		items[a] = has_siblings ? updated_sibling(nest, split, whole->items[a].array) : whole->items[a];
	}
	*groups = *whole;
	groups->items = items;
	return groups;
}

/* No plan of VARIANT moves less; MOST as in forms_bound. */
static long bound_of(struct compilation *compilation, const struct variant *variant, long most)
{
	struct nest_model model;
	struct search_options options;
	struct schedule best;
	struct proof proof;
	if (!variant->band->count || !nest_model_inside(compilation, variant, &model))
		return 0;
	search_options_init(&options);
	options.buffering = BUFFERING_SINGLE;
	options.effort = most < LONG_MAX ? FORMS_BELOW_POINTS : FORMS_POINTS;
	options.threads = 1;
	options.interrupted = compilation->watch.interrupted;
	options.order_count = variant->band->prefix;
	for (int l = 0; l < variant->band->prefix; l++) {
		options.order[l] = l;
		model.loops[l].tile = 1;
	}
	if (most < LONG_MAX)
		return search_bound(&model, compilation->arch, &options, most);
	return search_schedule_once(compilation->known.searches, &model, compilation->arch, &options, &best,
		&proof) ? proof.bound_bytes : LONG_MAX;
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

/* The same of the band that OPTIONS ask for. */
static long bound_with(struct compilation *compilation, const struct nest *nest,
	const struct outer_loops *outer, const struct reference_groups *groups, struct variant_options options,
	struct answers *found, long most)
{
	struct variant variant = { .nest = nest, .options = options, .groups = groups, .outer = outer,
		.found = found };
	variant.band = with_anchors(compilation->arena, nest, variant_find_band(compilation, &variant));
	return bound_of(compilation, &variant, most);
}

long forms_bound(struct compilation *compilation, const struct nest *nest,
	const struct outer_loops *outer, long most)
{
	/* with several memories a schedule may give arrays to others than the model knows */
	if (nest->function->unbound || nest->arrays->count > MODEL_ARRAYS
		|| arch_memory_count(compilation->arch) > 1)
		return 0;
	/* where bytes are not all that counts more is moved, each time something else: it is found once for all of these */
	if (prices_are_given(&compilation->request.restriction.prices))
		most = LONG_MAX;
	unsigned long uncounted = nest_work_pause(compilation);
	struct answers *found = answers_new(compilation->arena);
	const struct reference_groups *groups = groups_of(compilation, nest);
	bool may_borrow = reference_groups_split(compilation, nest, false, NULL)->is_split;
	long least = LONG_MAX;
	const bool is_known = most < LONG_MAX;
	for (int loops = nest->outer_loops; loops <= nest->loop_depth && least > 0; loops++)
		for (int borrows = 0; borrows <= may_borrow && least > 0; borrows++) {
			long own = bound_with(compilation, nest, outer, groups,
				(struct variant_options){ .loops = loops, .is_split = borrows, .borrows = borrows }, found, most);
			least = own < least ? own : least;
			most = is_known ? least : most;
		}
	if (least > 0 && !nest->outer_loops && nest_may_chain(nest)
		&& nest_find_chained_band(compilation, nest, found)->count) {
		long own = bound_with(compilation, nest, outer, groups, (struct variant_options){ .chains = true },
			found, most);
		least = own < least ? own : least;
	}
	nest_work_resume(compilation, uncounted);
	return least;
}
