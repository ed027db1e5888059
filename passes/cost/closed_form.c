/* Closed forms of regions: where domains are boxes, or are clipped where a subscript would leave its
 * range, and subscripts are sums of iterators that move together. */

#include "passes/cost/closed_form.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <isl/aff.h>
#include <isl/space.h>

#include "ir/isl_work.h"
#include "passes/analysis/lattice.h"
#include "passes/analysis/nest_memo.h"
#include "passes/analysis/values.h"
#include "passes/cost/created.h"
#include "passes/cost/nest_model.h"
#include "support/memory.h"

/* The least box around STATEMENT's domain; RANGES are its sides.  Caller frees. */
static __isl_give isl_set *box_around(const struct statement *statement, struct range *ranges)
{
	isl_space *space = isl_set_get_space(statement->domain);
	isl_set *box = isl_set_universe(isl_space_copy(space));
	for (int i = 0; i < statement->depth; i++) {
		struct range *range = &ranges[i];
		range->step = labs(statement->loops[i]->step);
		if (!set_dim_range(statement->domain, i, &range->min, &range->max)) {
			isl_set_free(box);
			box = NULL;
			break;
		}
		box = set_bounds(box, (unsigned)i, range->min, range->max);
		isl_aff *aff = isl_aff_var_on_domain(isl_local_space_from_space(isl_space_copy(space)),
			isl_dim_set, (unsigned)i);
		aff = aff_add(aff, -range->min);
		aff = isl_aff_mod_val(aff, isl_val_int_from_si(isl_aff_get_ctx(aff), range->step));
		box = isl_set_intersect(box, isl_set_from_basic_set(isl_aff_zero_basic_set(aff)));
	}
	isl_space_free(space);
	return box;
}

/* BOX without what has a subscript of ACCESS outside the values it takes on the domain. */
static __isl_give isl_set *clip_by_access(__isl_take isl_set *box,
	const struct statement *statement, const struct access *access)
{
	isl_set *touched = isl_map_range(isl_map_copy(access->map));
	for (int d = 0; d < access->array->rank; d++) {
		long min, max;
		if (!set_dim_range(touched, d, &min, &max))
			continue;
		isl_aff *subscript = statement_affine(statement, access->subscripts[d]);
		isl_aff *above = aff_add(isl_aff_copy(subscript), -min);
		isl_aff *below = aff_add(isl_aff_neg(subscript), max);
		box = isl_set_intersect(box, isl_pw_aff_nonneg_set(isl_pw_aff_from_aff(above)));
		box = isl_set_intersect(box, isl_pw_aff_nonneg_set(isl_pw_aff_from_aff(below)));
	}
	isl_set_free(touched);
	return box;
}

/* STATEMENT's domain is BOX but where a subscript would fall out of its range: a border
 * condition, as a padded convolution has. */
static bool is_clipped_box(const struct statement *statement, __isl_keep isl_set *box)
{
	isl_set *clipped = isl_set_copy(box);
	for (int a = 0; a < statement->access_count; a++)
		if (!statement->accesses[a].array->by_value)
			clipped = clip_by_access(clipped, statement, &statement->accesses[a]);
	bool same = isl_set_is_equal(clipped, statement->domain) == isl_bool_true;
	isl_set_free(clipped);
	return same;
}

/* The iterator of a plane that is one iterator, shifted and divided; else -1. */
static int plane_iterator(const struct statement *statement, const struct hyperplane *plane)
{
	int found = -1;
	for (int i = 0; i < statement->depth; i++) {
		long coefficient = plane->affine.coefficients[i];
		if (!coefficient)
			continue;
		if (found >= 0 || labs(coefficient) != 1)
			return -1;
		found = i;
	}
	return found;
}

/* The dimension of the band that runs along iterator I of statement S; NULL: none. */
static const struct hyperplane *plane_along(const struct variant *variant, int s, int i)
{
	for (int l = 0; l < variant->band->count; l++) {
		const struct hyperplane *plane = &variant->band->dims[l].planes[s];
		if (plane->kind == HYPERPLANE_AFFINE && plane->affine.coefficients[i])
			return plane;
	}
	return NULL;
}

/* What iterator I of statement S takes at one value of the band, RANGES those of all values: all of them
 * where no dimension runs along it; else its offsets from the first, as 0 and 1 of rows y at
 * floor(y / 2). */
static struct range inner_range(const struct variant *variant, int s, const struct range *ranges,
	int i)
{
	const struct hyperplane *plane = plane_along(variant, s, i);
	if (!plane)
		return ranges[i];
	long rest = plane->divisor - ranges[i].step;
	return plane->affine.coefficients[i] > 0 ? (struct range){ 0, rest, ranges[i].step }
		: (struct range){ -rest, 0, ranges[i].step };
}

/* A subscript as a function of the band: base + coefficients, and a span that inner
 * values of iterators add, all in elements. */
struct pattern {
	long coefficient[NEST_LOOPS];
	long min, max;               /* at the band's origin */
	long gcd;                    /* of all steps it takes */
};

/* False if a plane is more than an iterator. */
static bool subscript_pattern(const struct variant *variant, int s, const struct range *ranges,
	const struct affine *subscript, struct pattern *pattern)
{
	const struct statement *statement = variant->nest->statements[s];
	bool in_band[LOOP_DEPTH_LIMIT] = { false };
	memset(pattern, 0, sizeof *pattern);
	pattern->min = pattern->max = subscript->constant;
	for (int l = 0; l < variant->band->count; l++) {
		const struct hyperplane *plane = &variant->band->dims[l].planes[s];
		if (plane->kind != HYPERPLANE_AFFINE)
			continue;
		int i = plane_iterator(statement, plane);
		if (i < 0 || in_band[i])
			return false;
		in_band[i] = true;
		/* value = floor((sign i + c) / divisor), so i = sign (divisor value - c) + what is inner */
		long sign = plane->affine.coefficients[i], factor = subscript->coefficients[i] * sign;
		pattern->coefficient[l] = factor * plane->divisor;
		pattern->min -= factor * plane->affine.constant;
		pattern->max -= factor * plane->affine.constant;
		pattern->gcd = gcd(pattern->gcd, pattern->coefficient[l]);
	}
	for (int i = 0; i < statement->depth; i++) {
		long a = subscript->coefficients[i];
		const struct range range = inner_range(variant, s, ranges, i);
		if (!a)
			continue;
		pattern->min += a * (a > 0 ? range.min : range.max);
		pattern->max += a * (a > 0 ? range.max : range.min);
		if (range.min < range.max)
			pattern->gcd = gcd(pattern->gcd, a * range.step);
	}
	return true;
}

/* Every affine plane runs over the whole extent of its dimension, as many iterations at each value; or over
 * a part of it, an iteration at each value, where loops are chained. */
static bool planes_cover(const struct form_builder *builder, int s)
{
	const struct variant *variant = builder->variant;
	for (int l = 0; l < variant->band->count; l++) {
		const struct hyperplane *plane = &variant->band->dims[l].planes[s];
		if (plane->kind != HYPERPLANE_AFFINE)
			continue;
		int i = plane_iterator(variant->nest->statements[s], plane);
		if (i < 0)
			return false;
		const struct range *range = &builder->ranges[s][i];
		if (variant->band->dims[l].is_chained && plane->divisor == 1 && range->step == 1)
			continue;
		long points = (range->max - range->min) / range->step + 1;
		long first = plane->affine.constant
			+ (plane->affine.coefficients[i] > 0 ? range->min : -range->max);
		if (first || plane->divisor % range->step
			|| points * range->step != variant->band->dims[l].extent * plane->divisor)
			return false;
	}
	return true;
}

/* The values that subscript D of ARRAY takes, in lattice units. */
static void find_clip(const struct reference_group *array, int d, struct region_dim *region)
{
	for (int a = 0; a < array->access_count; a++) {
		isl_set *touched = isl_map_range(isl_map_copy(array->accesses[a].access->map));
		long min = 0, max = 0;
		set_dim_range(touched, d, &min, &max);
		isl_set_free(touched);
		min = (min - region->phase) / region->stride;
		max = (max - region->phase) / region->stride;
		region->low = !a || min < region->low ? min : region->low;
		region->high = !a || max > region->high ? max : region->high;
	}
}

/* The union of the patterns of one dimension of ARRAY.  False if they move apart. */
static bool region_dim(const struct form_builder *builder, const struct reference_group *array, int d,
	struct region_dim *region)
{
	const struct variant *variant = builder->variant;
	long min = 0, max = 0, step = 0;
	bool moves[NEST_LOOPS] = { false };
	memset(region, 0, sizeof *region);
	for (int a = 0; a < array->access_count; a++) {
		int s = array->accesses[a].statement;
		struct pattern pattern;
		if (!subscript_pattern(variant, s, builder->ranges[s],
			&array->accesses[a].access->subscripts[d], &pattern))
			return false;
		for (int l = 0; l < variant->band->count; l++) {
			if (a && pattern.coefficient[l] != region->coefficient[l])
				return false;
			region->coefficient[l] = pattern.coefficient[l];
			moves[l] |= pattern.coefficient[l] != 0;
		}
		step = gcd(step, pattern.gcd);
		if (a)
			step = gcd(step, pattern.min - min);
		min = !a || pattern.min < min ? pattern.min : min;
		max = !a || pattern.max > max ? pattern.max : max;
	}
	region->stride = step ? step : 1;
	region->phase = ((min % region->stride) + region->stride) % region->stride;
	region->base = (min - region->phase) / region->stride;
	region->window = (max - min) / region->stride + 1;
	for (int l = 0; l < variant->band->count; l++)
		region->coefficient[l] /= region->stride;
	find_clip(array, d, region);
	return true;
}

/* Which iterator of the access moves dimension D, or -1; -2: several. */
static int only_iterator(const struct statement *statement, const struct access *access, int d)
{
	int found = -1;
	for (int i = 0; i < statement->depth; i++)
		if (access->subscripts[d].coefficients[i])
			found = found == -1 ? i : -2;
	return found;
}

/* Some statement with a whole box writes ARRAY, or every visit fetches it. */
static bool written_by_a_box(const struct form_builder *builder, const struct reference_group *array)
{
	bool all = true, any = false;
	for (int a = 0; a < array->access_count; a++) {
		bool is_box = builder->is_box[array->accesses[a].statement];
		all &= is_box;
		any |= is_box && array->accesses[a].access->is_write;
	}
	return all || any || !nest_is_created(builder->variant, array);
}

/* ACCESS touches the elements of REGION, its array's, in all dimensions: each moves with one iterator of its
 * own, of which no element is left out. */
static bool touches_whole_region(const struct form_builder *builder, const struct nest_access *access,
	const struct region *region)
{
	const struct statement *statement = builder->variant->nest->statements[access->statement];
	bool used[LOOP_DEPTH_LIMIT] = { false };
	for (int d = 0; d < access->access->array->rank; d++) {
		const struct region_dim *dim = &region->dims[d];
		struct pattern pattern;
		subscript_pattern(builder->variant, access->statement, builder->ranges[access->statement],
			&access->access->subscripts[d], &pattern);
		int i = only_iterator(statement, access->access, d);
		if (i == -2 || (i >= 0 && used[i]) || pattern.min != dim->base * dim->stride + dim->phase
			|| pattern.max - pattern.min != (dim->window - 1) * dim->stride
			|| (pattern.gcd && pattern.gcd != dim->stride))
			return false;
		if (i >= 0)
			used[i] = true;
	}
	return true;
}

static bool region_of(const struct form_builder *builder, const struct reference_group *array,
	struct region *region)
{
	for (int d = 0; d < array->array->rank; d++)
		if (!region_dim(builder, array, d, &region->dims[d]))
			return false;
	/* what goes out is all written, and what comes in is read; of what is set on chip reads may look at a part */
	bool is_wanted = !array->is_written || !array->is_read;
	for (int a = 0; a < array->access_count && array->is_written; a++) {
		bool is_whole = touches_whole_region(builder, &array->accesses[a], region);
		if (array->accesses[a].access->is_write && !is_whole)
			return false;
		is_wanted |= is_whole && !array->accesses[a].access->is_write;
	}
	return !array->is_written || ((is_wanted || nest_is_created(builder->variant, array))
		&& written_by_a_box(builder, array));
}

/* ---- regions with holes ---- */

/* What iterator I of ACCESS's statement takes at one value of the band; an inner one several. */
static struct range inner_of(const struct form_builder *builder, const struct nest_access *access, int i)
{
	return inner_range(builder->variant, access->statement, builder->ranges[access->statement], i);
}

/* TOUCHED[d]: of the window, what one inner iterator of ACCESS touches, each another one.  True if
 * that is all that inner iterators do there. */
static bool touched_by(const struct form_builder *builder, const struct reference_group *array,
	const struct nest_access *access, long *touched)
{
	int depth = builder->variant->nest->statements[access->statement]->depth;
	bool is_used[LOOP_DEPTH_LIMIT] = { false }, is_all = true;
	for (int d = 0; d < array->array->rank; d++) {
		const long *coefficients = access->access->subscripts[d].coefficients;
		int best = -1;
		touched[d] = 1;
		for (int i = 0; i < depth; i++) {
			const struct range range = inner_of(builder, access, i);
			long points = (range.max - range.min) / range.step + 1;
			if (!coefficients[i] || range.min == range.max)
				continue;
			is_all &= best < 0 && !is_used[i];
			if (!is_used[i] && points > touched[d]) {
				touched[d] = points;
				best = i;
			}
		}
		if (best >= 0)
			is_used[best] = true;
	}
	return is_all;
}

/* Where the elements that ACCESS touches at the band's origin are in REGION's window. */
struct walk {
	struct range inner[LOOP_DEPTH_LIMIT];        /* values of iterators there; one: it is no inner one */
	long value[LOOP_DEPTH_LIMIT];        /* of the inner iterators */
	long first[ARRAY_RANK_LIMIT];        /* subscripts where all of these are 0 */
};

static void walk_begin(const struct form_builder *builder, const struct reference_group *array,
	const struct nest_access *access, struct walk *walk)
{
	const struct range *ranges = builder->ranges[access->statement];
	for (int i = 0; i < builder->variant->nest->statements[access->statement]->depth; i++)
		walk->value[i] = (walk->inner[i] = inner_of(builder, access, i)).min;
	for (int d = 0; d < array->array->rank; d++) {
		const struct affine *subscript = &access->access->subscripts[d];
		struct pattern pattern;
		subscript_pattern(builder->variant, access->statement, ranges, subscript, &pattern);
		walk->first[d] = pattern.min;
		for (int i = 0; i < builder->variant->nest->statements[access->statement]->depth; i++) {
			long a = subscript->coefficients[i];
			const struct range *range = &walk->inner[i];
			if (range->min < range->max)
				walk->first[d] -= a * (a > 0 ? range->min : range->max);
		}
	}
}

/* -1: it is not in the window. */
static long walk_cell(const struct form_builder *builder, const struct reference_group *array,
	const struct nest_access *access, const struct region *region, const struct walk *walk)
{
	long cell = 0;
	for (int d = 0; d < array->array->rank; d++) {
		const struct region_dim *dim = &region->dims[d];
		long value = walk->first[d];
		for (int i = 0; i < builder->variant->nest->statements[access->statement]->depth; i++)
			if (walk->inner[i].min < walk->inner[i].max)
				value += access->access->subscripts[d].coefficients[i] * walk->value[i];
		value = (value - dim->phase) / dim->stride - dim->base;
		if (value < 0 || value >= dim->window)
			return -1;
		cell = cell * dim->window + value;
	}
	return cell;
}

static bool walk_next(const struct form_builder *builder, const struct nest_access *access,
	struct walk *walk)
{
	for (int i = 0; i < builder->variant->nest->statements[access->statement]->depth; i++) {
		const struct range *range = &walk->inner[i];
		if (range->min == range->max)
			continue;
		walk->value[i] += range->step;
		if (walk->value[i] <= range->max)
			return true;
		walk->value[i] = range->min;
	}
	return false;
}

/* All accesses together touch all of REGION's window, as far as that is seen with little work. */
static bool is_filled(const struct form_builder *builder, const struct reference_group *array,
	const struct region *region)
{
	enum { CELLS = 1 << 14, STEPS = 1 << 17 };
	long cells = 1, filled = 0, steps = 0;
	for (int d = 0; d < array->array->rank; d++)
		if (__builtin_mul_overflow(cells, region->dims[d].window, &cells) || cells > CELLS)
			return false;
	bool *is_touched = memory_alloc((size_t)cells * sizeof *is_touched);
	memset(is_touched, 0, (size_t)cells * sizeof *is_touched);
	for (int a = 0; a < array->access_count; a++) {
		struct walk walk;
		walk_begin(builder, array, &array->accesses[a], &walk);
		do {
			long cell = walk_cell(builder, array, &array->accesses[a], region, &walk);
			if (cell < 0)
				continue;
			filled += !is_touched[cell];
			is_touched[cell] = true;
		} while (steps++ < STEPS && walk_next(builder, &array->accesses[a], &walk));
	}
	free(is_touched);
	return filled == cells;
}

/* How much of its window the accesses of REGION's ARRAY touch: all, as one of them does or all
 * together; or what the one does that touches most, counted by one iterator a dimension. */
static void find_holes(const struct form_builder *builder, const struct reference_group *array,
	struct region *region)
{
	long most = 0, best[ARRAY_RANK_LIMIT] = { 0 };
	for (int a = 0; a < array->access_count; a++) {
		long touched[ARRAY_RANK_LIMIT] = { 0 }, all = 1;
		bool is_whole = touched_by(builder, array, &array->accesses[a], touched);
		for (int d = 0; d < array->array->rank; d++) {
			is_whole &= touched[d] == region->dims[d].window;
			if (__builtin_mul_overflow(all, touched[d], &all))
				all = LONG_MAX;
		}
		if (is_whole)
			return;
		if (all > most) {
			most = all;
			memcpy(best, touched, sizeof best);
		}
	}
	if (is_filled(builder, array, region))
		return;
	for (int d = 0; d < array->array->rank; d++)
		region->dims[d].touched = best[d];
}

/* ---- chained loops ---- */

/* The iterator of ACCESS's statement in chained dimension L, and where in it the statement runs; false: it
 * runs in its first or last tile. */
static bool chained_part(const struct form_builder *builder, const struct nest_access *access, int l,
	struct range *part)
{
	const struct hyperplane *plane = &builder->variant->band->dims[l].planes[access->statement];
	if (plane->kind != HYPERPLANE_AFFINE)
		return false;
	int i = plane_iterator(builder->variant->nest->statements[access->statement], plane);
	const struct range *range = &builder->ranges[access->statement][i];
	*part = (struct range){ range->min + plane->affine.constant, range->max + plane->affine.constant, 1 };
	return true;
}

/* Of what chained dimension L moves of ARRAY one of the loops reads all: where others run it is outside of
 * the clip.  Else the region would be too large. */
static bool is_of_one_link(const struct form_builder *builder, const struct reference_group *array, int l)
{
	struct range first = { 0 }, part;
	for (int a = 0; a < array->access_count; a++) {
		if (array->accesses[a].access->is_write
			|| !chained_part(builder, &array->accesses[a], l, a ? &part : &first))
			return false;
		if (a && (part.min != first.min || part.max != first.max))
			return false;
	}
	return true;
}

static bool keeps_links_apart(const struct form_builder *builder, const struct reference_group *array,
	const struct region *region)
{
	const struct band *band = builder->variant->band;
	for (int l = 0; l < band->count; l++)
		for (int d = 0; d < array->array->rank; d++)
			if (band->dims[l].is_chained && region->dims[d].coefficient[l]
				&& !is_of_one_link(builder, array, l))
				return false;
	return true;
}

/* The elements a whole run touches stay within the clip: what is outside is a border. */
static bool is_clipped(const struct band *band, const struct reference_group *array,
	const struct region *region)
{
	for (int d = 0; d < array->array->rank; d++) {
		const struct region_dim *dim = &region->dims[d];
		long low = dim->base, high = dim->base + dim->window - 1;
		for (int l = 0; l < band->count; l++) {
			long span = dim->coefficient[l] * (band->dims[l].extent - 1);
			low += span < 0 ? span : 0;
			high += span > 0 ? span : 0;
		}
		if (low < dim->low || high > dim->high)
			return true;
	}
	return false;
}

/* Where a statement runs. */
struct shape {
	struct range ranges[LOOP_DEPTH_LIMIT];       /* of the box around */
	bool is_box, is_clipped;     /* in all of it; or as borders clip it */
};

static struct shape shape_of(const struct nest *nest, int s)
{
	const struct statement *statement = nest->statements[s];
	const struct nest_query query = { NEST_SHAPE, &s, sizeof s };
	const struct shape *known = nest_answer(nest, query);
	if (known)
		return *known;
	unsigned long begun = isl_operations(isl_set_get_ctx(statement->domain));
	struct shape shape = { .is_box = false };
	isl_set *box = box_around(statement, shape.ranges);
	shape.is_box = box && isl_set_is_equal(box, statement->domain) == isl_bool_true;
	shape.is_clipped = box && !shape.is_box && is_clipped_box(statement, box);
	isl_set_free(box);
	nest_keep_answer(nest, query, &shape, sizeof shape, begun);
	return shape;
}

/* Fills in what BUILDER has of statement S. */
static struct shape look_at(struct form_builder *builder, int s)
{
	const struct shape shape = shape_of(builder->variant->nest, s);
	memcpy(builder->ranges[s], shape.ranges, sizeof shape.ranges);
	builder->is_box[s] = shape.is_box;
	return shape;
}

/* Statement S runs in a box, or one that is clipped at borders, along the whole of the band. */
static bool runs_in_box(struct form_builder *builder, int s)
{
	const struct shape shape = look_at(builder, s);
	return (shape.is_box || shape.is_clipped) && planes_cover(builder, s);
}

struct form_builder form_builder_of(struct compilation *compilation, const struct variant *variant)
{
	int statements = variant->nest->statement_count;
	return (struct form_builder){ compilation, variant, arena_alloc(compilation->arena,
		sizeof (struct range[LOOP_DEPTH_LIMIT]) * (size_t)statements),
		ARENA_ARRAY(compilation->arena, bool, statements) };
}

bool closed_form_inside(struct form_builder *builder, const struct reference_group *array,
	struct region *region)
{
	const struct band *band = builder->variant->band;
	for (int a = 0; a < array->access_count; a++)
		if (!runs_in_box(builder, array->accesses[a].statement)
			|| !builder->is_box[array->accesses[a].statement])
			return false;
	if (!region_of(builder, array, region) || !keeps_links_apart(builder, array, region))
		return false;
	find_holes(builder, array, region);
	region->is_clipped = is_clipped(band, array, region);
	return true;
}

bool closed_form_around(struct form_builder *builder, const struct reference_group *array, struct region *region)
{
	for (int a = 0; a < array->access_count; a++)
		if (!runs_in_box(builder, array->accesses[a].statement))
			return false;
	for (int d = 0; d < array->array->rank; d++)
		if (!region_dim(builder, array, d, &region->dims[d]))
			return false;
	return true;
}

/* At each value of the band at which STATEMENT S runs, all iterators that no dimension runs along have all of their values. */
static bool runs_whole(struct form_builder *builder, int s)
{
	bool is_box = look_at(builder, s).is_box;
	for (int l = 0; l < builder->variant->band->count; l++)
		is_box &= builder->variant->band->dims[l].planes[s].divisor <= 1;
	return is_box;
}

bool closed_form_sides(struct form_builder *builder, const struct reference_group *array, long *sides)
{
	struct region_dim region;
	for (int d = 0; d < array->array->rank; d++) {
		if (!runs_whole(builder, array->accesses[0].statement) || !region_dim(builder, array, d, &region))
			return false;
		sides[d] = region.window;
	}
	return true;
}

bool closed_forms(struct form_builder *builder, struct region *regions)
{
	const struct variant *variant = builder->variant;
	for (int s = 0; s < variant->nest->statement_count; s++)
		if (!runs_in_box(builder, s))
			return false;
	for (int a = 0; a < variant->groups->count; a++) {
		if (!region_of(builder, &variant->groups->items[a], &regions[a])
			|| !keeps_links_apart(builder, &variant->groups->items[a], &regions[a]))
			return false;
		find_holes(builder, &variant->groups->items[a], &regions[a]);
		regions[a].is_clipped = is_clipped(variant->band, &variant->groups->items[a], &regions[a]);
	}
	return true;
}
