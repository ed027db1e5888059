/* What no form of a nest moves less than, also where regions have no closed form: for each band that a form may
 * have, the best schedule of a model whose regions are within the real ones (nest_model_inside). */

#include "passes/variants/forms_bound.h"

#include <limits.h>

#include "passes/analysis/band_chain.h"
#include "passes/analysis/nest_memo.h"
#include "passes/cost/nest_model.h"
#include "passes/nest_work.h"
#include "passes/search/search_memo.h"

/* Points of a search: nothing is made of what it finds. */
enum { POINTS = 50000 };

/* The arrays of NEST; those of which a form may have several buffers, some of them written, have siblings. */
static const struct reference_groups *groups_of(struct compilation *compilation,
	const struct nest *nest)
{
	const struct reference_groups *whole = reference_groups_whole(compilation, nest);
	const struct reference_groups *split = reference_groups_split(compilation, nest, true, NULL);
	struct reference_group *items = ARENA_ARRAY(compilation->arena, struct reference_group,
		whole->count + 1);
	struct reference_groups *groups = ARENA_NEW(compilation->arena, struct reference_groups);
	for (int a = 0; a < whole->count; a++) {
		items[a] = whole->items[a];
		for (int b = 0; b < split->count; b++)
			items[a].has_siblings |= split->items[b].array == items[a].array
				&& split->items[b].has_siblings;
	}
	*groups = *whole;
	groups->items = items;
	return groups;
}

/* No plan of VARIANT moves less. */
static long bound_of(struct compilation *compilation, const struct variant *variant)
{
	struct nest_model model;
	struct search_options options;
	struct schedule best;
	struct proof proof;
	if (!variant->band->count || !nest_model_inside(compilation, variant, &model))
		return 0;
	search_options_init(&options);
	options.buffering = BUFFERING_SINGLE;
	options.effort = POINTS;
	options.threads = 1;
	options.interrupted = compilation->watch.interrupted;
	options.order_count = variant->band->prefix;
	for (int l = 0; l < variant->band->prefix; l++) {
		options.order[l] = l;
		model.loops[l].tile = 1;
	}
	return search_schedule_once(compilation->known.searches, &model, compilation->arch, &options, &best,
		&proof) ? proof.bound_bytes : LONG_MAX;
}

/* The same of the band that OPTIONS ask for. */
static long bound_with(struct compilation *compilation, const struct nest *nest,
	const struct outer_loops *outer, const struct reference_groups *groups, struct variant_options options,
	struct answers *found)
{
	struct variant variant = { .nest = nest, .options = options, .groups = groups, .outer = outer,
		.found = found };
	variant.band = variant_find_band(compilation, &variant);
	return bound_of(compilation, &variant);
}

long forms_bound(struct compilation *compilation, const struct nest *nest,
	const struct outer_loops *outer)
{
	/* with several memories a schedule may give arrays to others than the model knows */
	if (nest->function->unbound || nest->arrays->count > MODEL_ARRAYS
		|| arch_memory_count(compilation->arch) > 1)
		return 0;
	unsigned long uncounted = nest_work_pause(compilation);
	struct answers *found = answers_new(compilation->arena);
	const struct reference_groups *groups = groups_of(compilation, nest);
	bool may_borrow = reference_groups_split(compilation, nest, false, NULL)->is_split;
	long least = LONG_MAX;
	for (int loops = nest->outer_loops; loops <= nest->loop_depth && least > 0; loops++)
		for (int borrows = 0; borrows <= may_borrow && least > 0; borrows++) {
			long own = bound_with(compilation, nest, outer, groups,
				(struct variant_options){ .loops = loops, .is_split = borrows, .borrows = borrows }, found);
			least = own < least ? own : least;
		}
	if (least > 0 && !nest->outer_loops && nest_may_chain(nest)
		&& nest_find_chained_band(compilation, nest, found)->count) {
		long own = bound_with(compilation, nest, outer, groups, (struct variant_options){ .chains = true },
			found);
		least = own < least ? own : least;
	}
	nest_work_resume(compilation, uncounted);
	return least;
}
