/* A nest whose sizes were bound, for all values of these sizes. */

#include "passes/sizes/symbolic.h"

#include <string.h>

#include <isl/aff.h>
#include <isl/id.h>
#include <isl/space.h>
#include <isl/union_map.h>

#include "ir/isl_work.h"
#include "ir/program_build.h"
#include "passes/analysis/legality.h"
#include "passes/analysis/nest_memo.h"
#include "passes/analysis/plan_value.h"
#include "passes/analysis/values.h"

/* ---- the nest where the sizes are others ---- */

/* A variant of a nest with its sizes bound, and what was found of it. */
struct sample {
	struct variant variant;
	struct nest_model model;
	struct region *regions;
};

static const struct access *same_access(const struct nest *from, const struct nest *to,
	const struct access *access)
{
	for (int s = 0; s < from->statement_count; s++)
		for (int a = 0; a < from->statements[s]->access_count; a++)
			if (&from->statements[s]->accesses[a] == access)
				return &to->statements[s]->accesses[a];
	return NULL;
}

/* The reference groups of NEST where they are merged as those of VARIANT, of NEST with other sizes. */
static const struct reference_groups *same_groups(struct compilation *compilation,
	const struct variant *variant, const struct nest *nest)
{
	struct merges merges = merges_copy(compilation->arena, &variant->groups->merges);
	for (int i = 0; i < merges.count; i++)
		merges.accesses[i] = same_access(variant->nest, nest, merges.accesses[i]);
	return variant->groups->is_split ? reference_groups_split(compilation, nest,
		variant->options.borrows, &merges) : nest->arrays;
}

/* A nest with one of its sizes one larger, or for all sizes, and what was found of it, which variants
 * of the nest ask for again and again. */
struct twin {
	const struct nest *nest;           /* NULL: was not asked for yet */
	const struct outer_loops *outer;     /* around it, if it is a part */
	const struct statement *idle;    /* does not run there; NULL: all do */
	struct answers *found;
};

struct twins {
	struct twin larger[SYMBOLIC_LIMIT], all;
};

static struct twins *twins_of(struct compilation *compilation, const struct nest *nest)
{
	if (!nest->findings->twins)
		nest->findings->twins = ARENA_NEW(compilation->arena, struct twins);
	return nest->findings->twins;
}

static const struct band *sequential_band(struct compilation *compilation, const struct twin *twin,
	int loops, bool borrows)
{
	const struct band *outer = twin->outer ? twin->outer->band : NULL;
	return band_prefix(compilation->arena, nest_find_sequential_band(compilation, twin->nest, outer,
		loops, borrows, NULL));
}

static struct twin nest_in(struct compilation *compilation, const struct nest *nest,
	const struct function *function);

/* What NEST, a part, is in FUNCTION. */
static struct twin part_in(struct compilation *compilation, const struct nest *nest,
	const struct function *function)
{
	struct twin parent = nest_in(compilation, nest->parent, function);
	struct outer_loops *outer = ARENA_NEW(compilation->arena, struct outer_loops);
	outer->nest = parent.nest;
	outer->band = sequential_band(compilation, &parent, nest->outer_loops, false);
	return (struct twin){ .nest = nest_part_like(compilation, parent.nest, nest), .outer = outer };
}

/* What NEST is in FUNCTION, its own one with its sizes bound to others, with its dependences. */
static struct twin nest_in(struct compilation *compilation, const struct nest *nest,
	const struct function *function)
{
	int count;
	struct twin found = { .found = NULL };
	if (nest->parent)
		found = part_in(compilation, nest, function);
	else
		found.nest = &nests_of_function(compilation, function, &count)[nest->index];
	found.nest = nest_with_dependences(compilation, found.nest);
	found.found = answers_new(compilation->arena);
	return found;
}

/* TWIN of NEST where size K is one larger. */
static void find_larger(struct compilation *compilation, const struct nest *nest, int k,
	struct twin *twin)
{
	const struct function *function = nest->function->unbound;
	long values[SYMBOLIC_LIMIT];
	if (twin->nest || twin->idle)
		return;
	for (int i = 0; i < function->symbolic_count; i++)
		values[i] = function->symbolic[i]->value + (i == k);
	struct function *bound = function_at(compilation->arena, function, values);
	if (bound)
		*twin = nest_in(compilation, nest, bound);
	else
		twin->idle = statement_without_instances(function, values);
}

/* VARIANT where size K is one larger, with its closed forms if it HAS_FORMS, and its sequential dims
 * only unless it HAS_BAND.  NULL, or what is otherwise there: a statement does not run, or there
 * are no such forms. */
static const char *sample_at(struct compilation *compilation, const struct variant *variant,
	bool has_band, bool has_forms, int k, struct sample *sample)
{
	struct twin *twin = &twins_of(compilation, variant->nest)->larger[k];
	find_larger(compilation, variant->nest, k, twin);
	if (twin->idle)
		return arena_printf(compilation->arena, "line %d does not run",
			twin->idle->location.line);
	sample->variant = *variant;
	sample->variant.nest = twin->nest;
	sample->variant.outer = twin->outer;
	sample->variant.groups = same_groups(compilation, variant, twin->nest);
	sample->variant.found = twin->found;
	sample->variant.band = has_band ? variant_find_band(compilation, &sample->variant)
		: sequential_band(compilation, twin, variant->options.loops, variant->options.borrows);
	sample->regions = ARENA_ARRAY(compilation->arena, struct region,
		sample->variant.groups->count + 1);
	return !has_forms || nest_model_build(compilation, &sample->variant, &sample->model,
		sample->regions) ? NULL : "what tiles touch has no closed forms";
}

static bool same_planes(const struct statement *statement, const struct hyperplane *a,
	const struct hyperplane *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind != HYPERPLANE_AFFINE)
		return true;
	for (int i = 0; i < statement->depth; i++)
		if (a->affine.coefficients[i] != b->affine.coefficients[i])
			return false;
	return a->divisor == b->divisor;
}

/* The first dimension in which bands A and B of NEST differ, which may be one that only one of
 * them has; NULL: they are the same. */
static const struct band_dim *other_band(const struct nest *nest, const struct band *a,
	const struct band *b)
{
	for (int l = 0; l < a->count || l < b->count; l++) {
		if (l >= a->count || l >= b->count || (l < a->prefix) != (l < b->prefix))
			return l < a->count ? &a->dims[l] : &b->dims[l];
		for (int s = 0; s < nest->statement_count; s++)
			if (!same_planes(nest->statements[s], &a->dims[l].planes[s], &b->dims[l].planes[s]))
				return &a->dims[l];
	}
	return NULL;
}

static bool same_windows(const struct band *band, const struct region *a, const struct region *b,
	int rank)
{
	for (int d = 0; d < rank; d++) {
		const struct region_dim *x = &a->dims[d], *y = &b->dims[d];
		if (x->window != y->window || x->stride != y->stride || x->phase != y->phase
			|| memcmp(x->coefficient, y->coefficient,
				(size_t)band->count * sizeof *x->coefficient))
			return false;
	}
	return true;
}

/* ---- numbers of the nest, as functions of the sizes ---- */

/* By how much a number is more where a size is one more. */
struct slopes {
	long of[SYMBOLIC_LIMIT];
};

static void release_pw_aff(void *value) { isl_pw_aff_free(value); }

static __isl_give isl_set *all_sizes(const struct function *function)
{
	return isl_set_params(isl_set_copy(function->context));
}

/* VALUE + sum of the slopes times what the sizes are more than those tuned for. */
static __isl_give isl_aff *straight(const struct function *function, long value,
	const struct slopes *slopes)
{
	isl_ctx *ctx = isl_set_get_ctx(function->context);
	isl_aff *sum = isl_aff_zero_on_domain(isl_local_space_from_space(isl_space_params(
		isl_set_get_space(function->context))));
	for (int k = 0; k < function->symbolic_count; k++) {
		value -= slopes->of[k] * function->symbolic[k]->value;
		sum = isl_aff_set_coefficient_val(sum, isl_dim_param, k,
			isl_val_int_from_si(ctx, slopes->of[k]));
	}
	return isl_aff_set_constant_val(sum, isl_val_int_from_si(ctx, value));
}

static bool is_level(const struct slopes *slopes)
{
	for (int k = 0; k < SYMBOLIC_LIMIT; k++)
		if (slopes->of[k])
			return false;
	return true;
}

/* The same as a number of a nest; NULL: it does not depend on the sizes. */
static isl_pw_aff *straight_number(struct compilation *compilation, const struct function *function,
	long value, const struct slopes *slopes)
{
	return is_level(slopes) ? NULL : arena_own(compilation->arena,
		isl_pw_aff_from_aff(straight(function, value, slopes)), release_pw_aff);
}

/* One of the cases of a number may hold in the others as well. */
struct one_case {
	isl_pw_aff *number;
	isl_set *known;              /* where it is one */
	isl_pw_aff *found;
};

static isl_stat try_case(__isl_take isl_set *domain, __isl_take isl_aff *aff, void *user)
{
	struct one_case *one = user;
	isl_pw_aff *everywhere = isl_pw_aff_from_aff(aff);
	isl_set *same = isl_pw_aff_eq_set(isl_pw_aff_copy(everywhere), isl_pw_aff_copy(one->number));
	if (!one->found && isl_set_is_subset(one->known, same) == isl_bool_true)
		one->found = isl_pw_aff_copy(everywhere);
	isl_set_free(same);
	isl_set_free(domain);
	isl_pw_aff_free(everywhere);
	return isl_stat_ok;
}

/* NUMBER in as few cases as is easily done, where that is GUESS just that. */
static isl_pw_aff *fewest_cases(struct compilation *compilation, __isl_take isl_pw_aff *number,
	__isl_take isl_aff *guess)
{
	struct one_case one = { number, isl_pw_aff_domain(isl_pw_aff_copy(number)), NULL };
	try_case(NULL, guess, &one);
	isl_pw_aff_foreach_piece(number, try_case, &one);
	isl_set_free(one.known);
	if (one.found) {
		isl_pw_aff_free(number);
		number = one.found;
	}
	return arena_own(compilation->arena, number, release_pw_aff);
}

/* The greatest value of dimension D of SET, or the least, as a function of its parameters;
 * NULL if isl finds that hard. */
static __isl_give isl_pw_aff *extreme_of(__isl_take isl_set *set, int d, bool is_greatest)
{
	enum { OPERATIONS = 1000000 };
	isl_ctx *ctx = isl_set_get_ctx(set);
	struct isl_work work = isl_work_begin(ctx, OPERATIONS);
	isl_pw_aff *extreme = is_greatest ? isl_set_dim_max(set, d) : isl_set_dim_min(set, d);
	if (isl_work_end(&work))
		return extreme;
	isl_pw_aff_free(extreme);
	return NULL;
}

/* ---- the nest for all sizes ---- */

static void release_aff(void *aff) { isl_aff_free(aff); }

/* The groups of VARIANT in ALL, its nest with other sizes. */
static const struct reference_groups *move_groups(struct compilation *compilation,
	const struct variant *variant, const struct nest *all)
{
	struct reference_groups *groups = ARENA_NEW(compilation->arena, struct reference_groups);
	groups->count = variant->groups->count;
	groups->is_split = variant->groups->is_split;
	struct reference_group *items = ARENA_ARRAY(compilation->arena, struct reference_group,
		groups->count + 1);
	for (int a = 0; a < groups->count; a++) {
		const struct reference_group *group = &variant->groups->items[a];
		struct nest_access *accesses = ARENA_ARRAY(compilation->arena, struct nest_access,
			group->access_count + 1);
		for (int i = 0; i < group->access_count; i++)
			accesses[i] = (struct nest_access){ group->accesses[i].statement,
				same_access(variant->nest, all, group->accesses[i].access) };
		items[a] = *group;
		items[a].accesses = accesses;
	}
	groups->items = items;
	return groups;
}

/* The loops around all parts of a body are what they are for all of them: what is known of them
 * for all sizes, whatever of their iterations PART runs in. */
static void take_outer_band(const struct variant *part, struct band *all)
{
	for (int l = 0; l < variant_outer_count(part); l++) {
		all->dims[l] = part->outer->all_sizes->band->dims[l];
		all->dims[l].planes += part->nest->first_in_parent;
	}
}

static struct hyperplane *planes_copy(struct arena *arena, const struct band_dim *dim, int count)
{
	struct hyperplane *planes = ARENA_ARRAY(arena, struct hyperplane, count);
	memcpy(planes, dim->planes, (size_t)count * sizeof *planes);
	return planes;
}

/* The planes and extents of VARIANT for all sizes, as far as they are known: no slopes yet. */
static struct band *move_band(struct compilation *compilation, const struct variant *variant)
{
	int count = variant->nest->statement_count;
	struct band *band = ARENA_NEW(compilation->arena, struct band);
	*band = *variant->band;
	take_outer_band(variant, band);
	for (int l = variant_outer_count(variant); l < band->count; l++) {
		struct hyperplane *planes = planes_copy(compilation->arena, &band->dims[l], count);
		for (int s = 0; s < count; s++)
			planes[s].affine.sizes = ARENA_ARRAY(compilation->arena, long, SYMBOLIC_LIMIT);
		band->dims[l].planes = planes;
	}
	return band;
}

/* What grows with the sizes, by how much. */
struct growth {
	struct slopes extents[NEST_LOOPS];
	struct {
		struct slopes base, low, high;
	} (*dims)[ARRAY_RANK_LIMIT]; /* [array]: of closed forms */
};

/* Size K is one more in SAMPLE: by how much numbers of BAND, of VARIANT, are others is their slope. */
static void add_band_slopes(const struct variant *variant, struct band *band,
	const struct band *sample, int k, struct growth *growth)
{
	for (int l = variant_outer_count(variant); l < band->count; l++) {
		growth->extents[l].of[k] = sample->dims[l].extent - band->dims[l].extent;
		for (int s = 0; s < variant->nest->statement_count; s++) {
			const struct hyperplane *plane = &band->dims[l].planes[s];
			if (plane->kind != HYPERPLANE_AFFINE)
				continue;
			plane->affine.sizes[k] = sample->dims[l].planes[s].affine.constant
				- plane->affine.constant;
		}
	}
}

static void add_region_slopes(const struct region *region, const struct region *sample, int a,
	int rank, int k, struct growth *growth)
{
	for (int d = 0; d < rank; d++) {
		const struct region_dim *one = &region->dims[d], *other = &sample->dims[d];
		growth->dims[a][d].base.of[k] = other->base - one->base;
		growth->dims[a][d].low.of[k] = other->low - one->low;
		growth->dims[a][d].high.of[k] = other->high - one->high;
	}
}

/* Slopes are known of the dimensions of BAND, NEST's, from FROM on: constants lose what the sizes
 * stand for. */
static void make_planes(struct compilation *compilation, const struct nest *nest, int from,
	struct band *band)
{
	const struct function *function = nest->function;
	for (int l = from; l < band->count; l++) {
		struct hyperplane *planes = planes_copy(compilation->arena, &band->dims[l],
			nest->statement_count);
		for (int s = 0; s < nest->statement_count; s++) {
			struct hyperplane *plane = &planes[s];
			if (plane->kind != HYPERPLANE_AFFINE)
				continue;
			for (int k = 0; k < function->symbolic_count; k++)
				plane->affine.constant -= plane->affine.sizes[k] * function->symbolic[k]->value;
			isl_aff *value = statement_affine(nest->statements[s], plane->affine);
			if (plane->divisor > 1)
				value = isl_aff_floor(isl_aff_scale_down_ui(value, (unsigned)plane->divisor));
			plane->value = arena_own(compilation->arena, value, release_aff);
		}
		band->dims[l].planes = planes;
	}
}

/* What messages call the loop of DIM, a dimension of NEST's band. */
static const char *name_of(const struct nest *nest, const struct band_dim *dim)
{
	const struct loop *loop = nest_loop_of(nest, dim);
	return loop ? loop->source_name : dim->name;
}

/* SAMPLE becomes VARIANT where size K is one larger.  NULL, or what of it cannot be compared. */
static const char *what_is_other(struct compilation *compilation, const struct variant *variant,
	bool has_band, bool has_forms, int k, struct sample *sample)
{
	const char *other = sample_at(compilation, variant, has_band, has_forms, k, sample);
	if (other)
		return other;
	if (sample->variant.groups->count != variant->groups->count)
		return "accesses that share a buffer are others";
	const struct band_dim *dim = other_band(variant->nest, variant->band, sample->variant.band);
	return dim ? arena_printf(compilation->arena, "the loops that can be tiled together are "
		"others, from '%s' on,", name_of(variant->nest, dim)) : NULL;
}

static bool add_slopes(struct compilation *compilation, const struct variant *variant,
	bool has_forms, int k, struct band *band, struct region *regions, struct growth *growth, const char **reason)
{
	const struct function *function = variant->nest->function->unbound;
	struct sample *sample = ARENA_NEW(compilation->arena, struct sample);
	const char *other = what_is_other(compilation, variant, regions, has_forms, k, sample);
	if (other) {
		*reason = arena_printf(compilation->arena, "%s where '%s' is one more than it is tuned for",
			other, function->symbolic[k]->name);
		return false;
	}
	add_band_slopes(variant, band, sample->variant.band, k, growth);
	for (int a = 0; a < variant->groups->count && has_forms; a++) {
		const struct array *array = variant->groups->items[a].array;
		if (!same_windows(variant->band, &regions[a], &sample->regions[a], array->rank)) {
			*reason = arena_printf(compilation->arena, "what a tile touches of '%s' is more where "
				"'%s' is larger", array->source_name, function->symbolic[k]->name);
			return false;
		}
		add_region_slopes(&regions[a], &sample->regions[a], a, array->rank, k, growth);
		regions[a].is_clipped |= sample->regions[a].is_clipped;
	}
	return true;
}

/* The values of DIM, of NEST's band. */
static __isl_give isl_set *values_of_dim(const struct nest *nest, const struct band_dim *dim)
{
	isl_set *all = NULL;
	for (int s = 0; s < nest->statement_count; s++) {
		const struct hyperplane *plane = &dim->planes[s];
		if (plane->kind != HYPERPLANE_AFFINE)
			continue;
		isl_set *values = isl_set_apply(isl_set_copy(nest->statements[s]->domain),
			isl_map_from_aff(isl_aff_copy(plane->value)));
		all = all ? isl_set_union(all, values) : values;
	}
	return all;
}

/* The values of DIM begin at 0 where their slopes do not say so for all sizes: they
 * begin at half of one. */
static void find_origin(struct compilation *compilation, const struct nest *nest,
	struct band_dim *dim)
{
	static const struct slopes none;
	isl_set *values = values_of_dim(nest, dim);
	isl_pw_aff *first = values ? extreme_of(values, 0, false) : NULL;
	if (!first)
		return;
	first = fewest_cases(compilation, first, straight(nest->function, 0, &none));
	if (isl_pw_aff_isa_aff(first) != isl_bool_true)
		return;
	struct hyperplane *planes = planes_copy(compilation->arena, dim, nest->statement_count);
	for (int s = 0; s < nest->statement_count; s++) {
		struct hyperplane *plane = &planes[s];
		if (plane->kind != HYPERPLANE_AFFINE)
			continue;
		isl_aff *origin = isl_pw_aff_as_aff(isl_pw_aff_insert_domain(isl_pw_aff_copy(first),
			isl_aff_get_domain_space(plane->value)));
		plane->value = arena_own(compilation->arena, isl_aff_sub(isl_aff_copy(plane->value),
			origin), release_aff);
	}
	dim->planes = planes;
}

/* The extent of DIM where its slopes do not say it for all sizes: steps of more than
 * one, several loops of which another one is the longest. */
static void find_extent(struct compilation *compilation, const struct nest *nest,
	struct band_dim *dim, const struct slopes *slopes)
{
	const struct function *function = nest->function;
	isl_set *values = values_of_dim(nest, dim);
	isl_pw_aff *last = values ? extreme_of(values, 0, true) : NULL;
	if (!last)
		return;
	isl_ctx *ctx = isl_pw_aff_get_ctx(last);
	isl_pw_aff *extent = isl_pw_aff_add_constant_val(last, isl_val_one(ctx));
	/* No iterations where nothing runs. */
	isl_set *rest = isl_set_subtract(all_sizes(function),
		isl_pw_aff_domain(isl_pw_aff_copy(extent)));
	isl_aff *none = isl_aff_zero_on_domain(isl_local_space_from_space(isl_set_get_space(rest)));
	extent = isl_pw_aff_union_add(extent, isl_pw_aff_alloc(rest, none));
	dim->sized_extent = fewest_cases(compilation, extent,
		straight(function, dim->extent, slopes));
}

static bool is_subset(__isl_keep isl_set *set, __isl_take isl_set *of)
{
	bool subset = isl_set_is_subset(set, of) == isl_bool_true;
	isl_set_free(of);
	return subset;
}

/* Statement S runs within the extent of DIM, whatever the sizes: no tile loop leaves any of it
 * out. */
static bool is_covered(const struct nest *nest, const struct band_dim *dim, int s)
{
	const struct hyperplane *plane = &dim->planes[s];
	if (plane->kind != HYPERPLANE_AFFINE)
		return true;
	isl_set *domain = nest->statements[s]->domain;
	isl_ctx *ctx = isl_set_get_ctx(domain);
	isl_pw_aff *value = isl_pw_aff_from_aff(isl_aff_copy(plane->value));
	isl_set *inside = isl_pw_aff_nonneg_set(isl_pw_aff_copy(value));
	isl_pw_aff *end = dim->sized_extent
		? isl_pw_aff_insert_domain(isl_pw_aff_copy(dim->sized_extent), isl_set_get_space(domain))
		: isl_pw_aff_from_aff(isl_aff_val_on_domain_space(isl_set_get_space(domain),
			isl_val_int_from_si(ctx, dim->extent)));
	inside = isl_set_intersect(inside, isl_pw_aff_lt_set(value, end));
	return is_subset(domain, inside);
}

static void make_extents(struct compilation *compilation, const struct nest *nest, int from,
	const struct growth *growth, struct band *band)
{
	for (int l = from; l < band->count; l++) {
		struct band_dim *dim = &band->dims[l];
		bool covered = true;
		dim->sized_extent = straight_number(compilation, nest->function, dim->extent,
			&growth->extents[l]);
		for (int s = 0; s < nest->statement_count; s++)
			covered = covered && is_covered(nest, dim, s);
		if (covered)
			continue;
		find_origin(compilation, nest, dim);
		find_extent(compilation, nest, dim, &growth->extents[l]);
	}
}

/* The first or the last element that ARRAY's accesses touch of dimension D, in lattice units. */
static isl_pw_aff *find_end(struct compilation *compilation, const struct reference_group *array, int d,
	const struct region_dim *dim, bool is_last, __isl_take isl_aff *guess)
{
	isl_set *touched = NULL;
	for (int i = 0; i < array->access_count; i++) {
		isl_set *part = isl_map_range(isl_map_copy(array->accesses[i].access->map));
		touched = touched ? isl_set_union(touched, part) : part;
	}
	isl_pw_aff *end = extreme_of(touched, d, is_last);
	if (!end)
		return arena_own(compilation->arena, isl_pw_aff_from_aff(guess), release_pw_aff);
	isl_ctx *ctx = compilation->ctx;
	end = isl_pw_aff_add_constant_val(end, isl_val_int_from_si(ctx, -dim->phase));
	end = isl_pw_aff_floor(isl_pw_aff_scale_down_val(end, isl_val_int_from_si(ctx, dim->stride)));
	return fewest_cases(compilation, end, guess);
}

static void make_regions(struct compilation *compilation, const struct variant *all,
	const struct growth *growth, struct region *regions)
{
	const struct function *function = all->nest->function;
	for (int a = 0; a < all->groups->count; a++)
		for (int d = 0; d < all->groups->items[a].array->rank; d++) {
			struct region_dim *dim = &regions[a].dims[d];
			dim->sized_base = straight_number(compilation, function, dim->base,
				&growth->dims[a][d].base);
			if (!regions[a].is_clipped)
				continue;
			dim->sized_low = find_end(compilation, &all->groups->items[a], d, dim, false,
				straight(function, dim->low, &growth->dims[a][d].low));
			dim->sized_high = find_end(compilation, &all->groups->items[a], d, dim, true,
				straight(function, dim->high, &growth->dims[a][d].high));
		}
}

/* The nest of VARIANT for all sizes, with its dependences. */
static const struct nest *find_all(struct compilation *compilation, const struct variant *variant)
{
	const struct nest *nest = variant->nest;
	struct twin *twin = &twins_of(compilation, nest)->all;
	int count;
	if (!twin->nest)
		twin->nest = nest_with_dependences(compilation, nest->parent
			? nest_part_like(compilation, variant->outer->all_sizes->nest, nest)
			: &nests_of_function(compilation, nest->function->unbound, &count)[nest->index]);
	return twin->nest;
}

const struct variant *variant_with_sizes(struct compilation *compilation,
	const struct variant *variant, bool has_forms, struct region *regions, const char **reason)
{
	const struct function *function = variant->nest->function->unbound;
	struct variant *all = ARENA_NEW(compilation->arena, struct variant);
	int outer_count = variant_outer_count(variant);
	*all = *variant;
	all->nest = find_all(compilation, variant);
	all->found = answers_new(compilation->arena);
	all->outer = variant->outer ? variant->outer->all_sizes : NULL;
	all->groups = move_groups(compilation, variant, all->nest);
	struct band *band = move_band(compilation, variant);
	struct growth growth = { .dims = arena_alloc(compilation->arena,
		sizeof *growth.dims * (size_t)(all->groups->count + 1)) };
	memset(growth.dims, 0, sizeof *growth.dims * (size_t)(all->groups->count + 1));
	for (int k = 0; k < function->symbolic_count; k++)
		if (!add_slopes(compilation, variant, has_forms, k, band, regions, &growth, reason))
			return NULL;
	make_planes(compilation, all->nest, outer_count, band);
	make_extents(compilation, all->nest, outer_count, &growth, band);
	all->band = band;
	if (has_forms)
		make_regions(compilation, all, &growth, regions);
	return all;
}

/* ---- legality for all sizes ---- */

bool band_is_legal(struct compilation *compilation, const struct variant *variant,
	const struct schedule *schedule, const char **reason)
{
	const struct nest *nest = variant->nest;
	const struct band *band = variant->band;
	*reason = "its loops do not grow evenly with the sizes";
	for (int l = 0; l < band->count; l++)
		for (int s = 0; s < nest->statement_count; s++)
			if (!is_covered(nest, &band->dims[l], s))
				return false;
	for (int l = band->prefix; l < band->count; l++) {
		const struct freedom freedom = nest_freedom(nest, band, band->dims[l].planes,
			schedule->is_serpentine[l]);
		isl_ctx_reset_error(compilation->ctx);
		if (freedom.can_tile && (freedom.can_turn || !schedule->is_serpentine[l]))
			continue;
		*reason = arena_printf(compilation->arena, "a dependence of line %d on line %d runs "
			"backwards along '%s' for some sizes, though not for those tuned for",
			nest->statements[freedom.to]->location.line,
			nest->statements[freedom.from]->location.line, name_of(nest, &band->dims[l]));
		return false;
	}
	return true;
}
