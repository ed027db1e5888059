/* From a nest to the model that the search works on, and the closed forms of its
 * regions where they have one. */

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <isl/aff.h>
#include <isl/space.h>
#include <isl/union_set.h>

#include "ir/coalesce.h"
#include "ir/order.h"
#include "passes/analysis/nest_memo.h"
#include "passes/analysis/values.h"
#include "passes/cost/nest_model.h"
#include "passes/nest_work.h"
#include "support/memory.h"

/* ---- closed forms ---- */

/* The values of one iterator of a statement: min, min + step, ... max. */
struct range {
	long min, max, step;
};

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

/* A subscript as a function of the band: base + coefficients, and a span that the
 * iterators outside the band add, all in elements. */
struct pattern {
	long coefficient[NEST_LOOPS];
	long min, max;               /* at the band's origin */
	long gcd;                    /* of all steps it takes */
	int iterators;               /* that move it */
};

static long gcd(long a, long b)
{
	a = labs(a);
	b = labs(b);
	while (b) {
		long rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* False if a plane is more than an iterator. */
static bool subscript_pattern(const struct nest *nest, int s, const struct range *ranges,
	const struct affine *subscript, struct pattern *pattern)
{
	const struct statement *statement = nest->statements[s];
	bool in_band[LOOP_DEPTH_LIMIT] = { false };
	memset(pattern, 0, sizeof *pattern);
	pattern->min = pattern->max = subscript->constant;
	for (int l = 0; l < nest->band_count; l++) {
		const struct hyperplane *plane = &nest->band[l].planes[s];
		if (plane->kind != HYPERPLANE_AFFINE)
			continue;
		int i = plane_iterator(statement, plane);
		if (i < 0 || in_band[i])
			return false;
		in_band[i] = true;
		/* value = (sign i + c) / divisor, so i = sign (divisor value - c) */
		long sign = plane->affine.coefficients[i], factor = subscript->coefficients[i] * sign;
		pattern->coefficient[l] = factor * plane->divisor;
		pattern->min -= factor * plane->affine.constant;
		pattern->max -= factor * plane->affine.constant;
		pattern->gcd = gcd(pattern->gcd, pattern->coefficient[l]);
		pattern->iterators += factor != 0;
	}
	for (int i = 0; i < statement->depth; i++) {
		long a = subscript->coefficients[i];
		if (in_band[i] || !a)
			continue;
		pattern->min += a * (a > 0 ? ranges[i].min : ranges[i].max);
		pattern->max += a * (a > 0 ? ranges[i].max : ranges[i].min);
		if (ranges[i].min < ranges[i].max) {
			pattern->gcd = gcd(pattern->gcd, a * ranges[i].step);
			pattern->iterators++;
		}
	}
	return true;
}

struct builder {
	struct compilation *compilation;
	const struct nest *nest;
	struct range (*ranges)[LOOP_DEPTH_LIMIT];   /* [statement]: of the box around */
	bool *is_box;                /* [statement]: the domain is all of that box */
};

enum { CREATED_OPERATIONS = 1000000, SPAN_OPERATIONS = 1000000, HULL_OPERATIONS = 1000000 };

/* Whether isl finds a write before every read of ARRAY; false too if that takes long. */
static bool reads_have_writers(const struct nest *nest, const struct nest_array *array)
{
	isl_ctx *ctx = isl_union_map_get_ctx(nest->order);
	struct statement_access *writes = memory_alloc(sizeof *writes * (size_t)array->access_count);
	int count = 0;
	for (int a = 0; a < array->access_count; a++)
		if (array->accesses[a].access->is_write)
			writes[count++] = (struct statement_access){
				nest->statements[array->accesses[a].statement], array->accesses[a].access };
	bool created = writes;
	struct isl_work work = isl_work_begin(ctx, CREATED_OPERATIONS);
	for (int a = 0; a < array->access_count && created; a++) {
		const struct statement *reader = nest->statements[array->accesses[a].statement];
		if (array->accesses[a].access->is_write)
			continue;
		isl_set *missing = reads_without_write(isl_set_copy(reader->domain),
			(struct statement_access){ reader, array->accesses[a].access }, writes, count, 0);
		created = isl_set_is_empty(missing) == isl_bool_true;
		isl_set_free(missing);
	}
	free(writes);
	return isl_work_end(&work) && created;
}

/* The same, once for all forms of NEST. */
static bool is_created(const struct nest *nest, const struct nest_array *array)
{
	const struct access **accesses = memory_alloc(sizeof *accesses * (size_t)array->access_count);
	for (int a = 0; a < array->access_count; a++)
		accesses[a] = array->accesses[a].access;
	const struct nest_query query = { NEST_CREATED, accesses,
		sizeof *accesses * (size_t)array->access_count };
	const bool *known = nest_answer(nest, query);
	unsigned long begun = isl_operations(isl_union_map_get_ctx(nest->order));
	bool is_created = known ? *known : reads_have_writers(nest, array);
	if (!known)
		nest_keep_answer(nest, query, &is_created, sizeof is_created, begun);
	free(accesses);
	return is_created;
}

bool nest_is_created(const struct nest *nest, struct nest_array *array)
{
	if (!array->is_written)
		return false;
	if (array->created == CREATED_UNKNOWN)
		array->created = is_created(nest, array) ? CREATED_YES : CREATED_NO;
	return array->created == CREATED_YES;
}

bool nest_is_dropped(const struct nest *nest, struct nest_array *array)
{
	return !array->array->is_parameter && !nest->parent && !array->has_siblings
		&& !nest_shares(nest, array->array) && nest_is_created(nest, array);
}

/* Every affine plane runs over the whole extent of its dimension. */
static bool planes_cover(const struct builder *builder, int s)
{
	const struct nest *nest = builder->nest;
	for (int l = 0; l < nest->band_count; l++) {
		const struct hyperplane *plane = &nest->band[l].planes[s];
		if (plane->kind != HYPERPLANE_AFFINE)
			continue;
		int i = plane_iterator(nest->statements[s], plane);
		if (i < 0)
			return false;
		const struct range *range = &builder->ranges[s][i];
		long points = (range->max - range->min) / range->step + 1;
		if (points != nest->band[l].extent || range->step != plane->divisor)
			return false;
	}
	return true;
}

/* The values that subscript D of ARRAY takes, in lattice units. */
static void find_clip(const struct nest_array *array, int d, struct region_dim *region)
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
static bool region_dim(const struct builder *builder, const struct nest_array *array, int d,
	struct region_dim *region, bool *is_full)
{
	const struct nest *nest = builder->nest;
	long min = 0, max = 0, step = 0;
	bool moves[NEST_LOOPS] = { false };
	memset(region, 0, sizeof *region);
	for (int a = 0; a < array->access_count; a++) {
		int s = array->accesses[a].statement;
		struct pattern pattern;
		if (!subscript_pattern(nest, s, builder->ranges[s],
			&array->accesses[a].access->subscripts[d], &pattern))
			return false;
		for (int l = 0; l < nest->band_count; l++) {
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
		*is_full &= pattern.iterators <= 1;
	}
	region->stride = step ? step : 1;
	region->phase = ((min % region->stride) + region->stride) % region->stride;
	region->base = (min - region->phase) / region->stride;
	region->window = (max - min) / region->stride + 1;
	for (int l = 0; l < nest->band_count; l++)
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
static bool written_by_a_box(const struct builder *builder, struct nest_array *array)
{
	bool all = true, any = false;
	for (int a = 0; a < array->access_count; a++) {
		bool is_box = builder->is_box[array->accesses[a].statement];
		all &= is_box;
		any |= is_box && array->accesses[a].access->is_write;
	}
	return all || any || !nest_is_created(builder->nest, array);
}

/* A written region must be written whole: every dimension moves with one iterator of
 * its own, the same in all accesses. */
static bool writes_whole_regions(const struct nest *nest, const struct nest_array *array)
{
	for (int a = 0; a < array->access_count; a++) {
		const struct statement *statement = nest->statements[array->accesses[a].statement];
		const struct access *access = array->accesses[a].access;
		bool used[LOOP_DEPTH_LIMIT] = { false };
		for (int d = 0; d < array->array->rank; d++) {
			int i = only_iterator(statement, access, d);
			if (i == -2 || (i >= 0 && used[i]))
				return false;
			if (i >= 0)
				used[i] = true;
		}
	}
	return true;
}

static bool region_of(const struct builder *builder, struct nest_array *array,
	struct region *region)
{
	bool is_full = true;
	for (int d = 0; d < array->array->rank; d++) {
		if (!region_dim(builder, array, d, &region->dims[d], &is_full))
			return false;
		if (!array->is_written)
			continue;
		/* all accesses the same: the window is one, or what one free iterator spans */
		struct pattern first;
		subscript_pattern(builder->nest, array->accesses[0].statement,
			builder->ranges[array->accesses[0].statement],
			&array->accesses[0].access->subscripts[d], &first);
		if (!is_full || region->dims[d].window != (first.max - first.min)
			/ region->dims[d].stride + 1)
			return false;
		for (int a = 1; a < array->access_count; a++) {
			struct pattern other;
			subscript_pattern(builder->nest, array->accesses[a].statement,
				builder->ranges[array->accesses[a].statement],
				&array->accesses[a].access->subscripts[d], &other);
			if (other.min != first.min || other.max != first.max)
				return false;
		}
	}
	return !array->is_written || (writes_whole_regions(builder->nest, array)
		&& written_by_a_box(builder, array));
}

/* ---- regions with holes ---- */

/* Iterator I of ACCESS's statement is of no dimension of the band, and has several values. */
static bool is_inner(const struct builder *builder, const struct nest_access *access, int i)
{
	const struct range *range = &builder->ranges[access->statement][i];
	for (int l = 0; l < builder->nest->band_count; l++) {
		const struct hyperplane *plane = &builder->nest->band[l].planes[access->statement];
		if (plane->kind == HYPERPLANE_AFFINE && plane->affine.coefficients[i])
			return false;
	}
	return range->min < range->max;
}

/* TOUCHED[d]: of the window, what one inner iterator of ACCESS touches, each another one.  True if
 * that is all that inner iterators do there. */
static bool touched_by(const struct builder *builder, const struct nest_array *array,
	const struct nest_access *access, long *touched)
{
	int depth = builder->nest->statements[access->statement]->depth;
	bool is_used[LOOP_DEPTH_LIMIT] = { false }, is_all = true;
	for (int d = 0; d < array->array->rank; d++) {
		const long *coefficients = access->access->subscripts[d].coefficients;
		int best = -1;
		touched[d] = 1;
		for (int i = 0; i < depth; i++) {
			const struct range *range = &builder->ranges[access->statement][i];
			long points = (range->max - range->min) / range->step + 1;
			if (!coefficients[i] || !is_inner(builder, access, i))
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
	long value[LOOP_DEPTH_LIMIT];        /* of the inner iterators */
	long first[ARRAY_RANK_LIMIT];        /* subscripts where all of these are 0 */
};

static void walk_begin(const struct builder *builder, const struct nest_array *array,
	const struct nest_access *access, struct walk *walk)
{
	const struct range *ranges = builder->ranges[access->statement];
	for (int i = 0; i < builder->nest->statements[access->statement]->depth; i++)
		walk->value[i] = ranges[i].min;
	for (int d = 0; d < array->array->rank; d++) {
		const struct affine *subscript = &access->access->subscripts[d];
		struct pattern pattern;
		subscript_pattern(builder->nest, access->statement, ranges, subscript, &pattern);
		walk->first[d] = pattern.min;
		for (int i = 0; i < builder->nest->statements[access->statement]->depth; i++) {
			long a = subscript->coefficients[i];
			if (is_inner(builder, access, i))
				walk->first[d] -= a * (a > 0 ? ranges[i].min : ranges[i].max);
		}
	}
}

/* -1: it is not in the window. */
static long walk_cell(const struct builder *builder, const struct nest_array *array,
	const struct nest_access *access, const struct region *region, const struct walk *walk)
{
	long cell = 0;
	for (int d = 0; d < array->array->rank; d++) {
		const struct region_dim *dim = &region->dims[d];
		long value = walk->first[d];
		for (int i = 0; i < builder->nest->statements[access->statement]->depth; i++)
			if (is_inner(builder, access, i))
				value += access->access->subscripts[d].coefficients[i] * walk->value[i];
		value = (value - dim->phase) / dim->stride - dim->base;
		if (value < 0 || value >= dim->window)
			return -1;
		cell = cell * dim->window + value;
	}
	return cell;
}

static bool walk_next(const struct builder *builder, const struct nest_access *access,
	struct walk *walk)
{
	const struct range *ranges = builder->ranges[access->statement];
	for (int i = 0; i < builder->nest->statements[access->statement]->depth; i++) {
		if (!is_inner(builder, access, i))
			continue;
		walk->value[i] += ranges[i].step;
		if (walk->value[i] <= ranges[i].max)
			return true;
		walk->value[i] = ranges[i].min;
	}
	return false;
}

/* All accesses together touch all of REGION's window, as far as that is seen with little work. */
static bool is_filled(const struct builder *builder, const struct nest_array *array,
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
static void find_holes(const struct builder *builder, const struct nest_array *array,
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

/* The elements a whole run touches stay within the clip: what is outside is a border. */
static bool is_clipped(const struct nest *nest, const struct nest_array *array,
	const struct region *region)
{
	for (int d = 0; d < array->array->rank; d++) {
		const struct region_dim *dim = &region->dims[d];
		long low = dim->base, high = dim->base + dim->window - 1;
		for (int l = 0; l < nest->band_count; l++) {
			long span = dim->coefficient[l] * (nest->band[l].extent - 1);
			low += span < 0 ? span : 0;
			high += span > 0 ? span : 0;
		}
		if (low < dim->low || high > dim->high)
			return true;
	}
	return false;
}

static bool closed_forms(struct builder *builder, struct region *regions)
{
	const struct nest *nest = builder->nest;
	for (int s = 0; s < nest->statement_count; s++) {
		isl_set *box = box_around(nest->statements[s], builder->ranges[s]);
		if (!box)
			return false;
		builder->is_box[s] = isl_set_is_equal(box, nest->statements[s]->domain) == isl_bool_true;
		bool fits = builder->is_box[s] || is_clipped_box(nest->statements[s], box);
		isl_set_free(box);
		if (!fits || !planes_cover(builder, s))
			return false;
	}
	for (int a = 0; a < nest->array_count; a++) {
		if (!region_of(builder, &nest->arrays[a], &regions[a]))
			return false;
		find_holes(builder, &nest->arrays[a], &regions[a]);
		regions[a].is_clipped = is_clipped(nest, &nest->arrays[a], &regions[a]);
	}
	return true;
}

/* ---- what the regions mean for the model ---- */

/* STATEMENT runs in each iteration of the band. */
static bool runs_everywhere(const struct builder *builder, int s)
{
	const struct nest *nest = builder->nest;
	for (int l = 0; l < nest->band_count; l++)
		if (nest->band[l].planes[s].kind != HYPERPLANE_AFFINE)
			return false;
	return builder->is_box[s];
}

/* Some statement that runs in each iteration reads ARRAY, and none that runs in several writes it
 * before: values have to stay from one iteration to the next. */
static bool is_needed_everywhere(const struct builder *builder, const struct nest_array *array)
{
	const struct nest *nest = builder->nest;
	for (int s = 0; s < nest->statement_count; s++) {
		bool reads = false, writes = false, is_anchored = false;
		for (int a = 0; a < array->access_count; a++) {
			bool is_own = array->accesses[a].statement == s;
			writes |= is_own && array->accesses[a].access->is_write;
			reads |= is_own && !array->accesses[a].access->is_write;
		}
		if (reads && runs_everywhere(builder, s))
			return true;
		for (int l = 0; l < nest->band_count; l++)
			is_anchored |= nest->band[l].planes[s].kind != HYPERPLANE_AFFINE;
		if (writes && !is_anchored)
			return false;
	}
	return false;
}

/* Bit l: all statements that touch ARRAY run first (or all last) in dimension l. */
static long anchored_dims(const struct nest *nest, const struct nest_array *array)
{
	long mask = 0;
	for (int l = 0; l < nest->band_count; l++) {
		enum hyperplane_kind kind = nest->band[l].planes[array->accesses[0].statement].kind;
		bool same = kind != HYPERPLANE_AFFINE;
		for (int a = 1; a < array->access_count; a++)
			same &= nest->band[l].planes[array->accesses[a].statement].kind == kind;
		mask |= same ? 1L << l : 0;
	}
	return mask;
}

static void fill_loops(const struct nest *nest, bool exact, struct nest_model *model)
{
	memset(model, 0, sizeof *model);
	model->loop_count = nest->band_count;
	for (int l = 0; l < nest->band_count; l++)
		model->loops[l] = (struct model_loop){ .name = nest->band[l].name,
			.extent = nest->band[l].extent, .is_forward = !exact || nest->band[l].is_forward };
}

static void fill_array(const struct nest *nest, struct nest_array *array,
	struct model_array *out)
{
	*out = (struct model_array){ .name = array->array->name, .element_bytes = array->array->type.bytes,
		.rank = array->array->rank, .is_read = array->is_read, .is_written = array->is_written,
		.is_created = nest_is_created(nest, array) };
}

/* The model clips arrays that no loop moves in two dimensions, where few of its sums'
 * terms have to be added one by one.  With symbolic sizes borders are elsewhere for other
 * sizes, and a buffer must hold what is between them. */
static bool may_clip(const struct nest *nest, const struct model_array *array)
{
	enum { TERMS = 1000 };
	if (nest->function->unbound)
		return false;
	for (int l = 0; l < nest->band_count; l++) {
		int dims = 0;
		for (int d = 0; d < array->rank; d++)
			dims += array->dims[d].coefficient[l] > 0;
		if (dims > 1)
			return false;
	}
	for (int d = 0; d < array->rank; d++) {
		double terms = 1, most = 1;
		for (int l = 0; l < nest->band_count; l++) {
			double extent = array->dims[d].coefficient[l] ? (double)nest->band[l].extent : 1;
			terms *= extent;
			most = extent > most ? extent : most;
		}
		if (terms / most > TERMS)
			return false;
	}
	return true;
}

/* What exists of a dimension, in the model's coordinates: 0 is the least a whole run
 * reaches, border and all. */
static void fill_clip(const struct nest *nest, const struct region_dim *region,
	struct model_dim *out)
{
	long least = region->base;
	for (int l = 0; l < nest->band_count; l++)
		if (region->coefficient[l] < 0)
			least += region->coefficient[l] * (nest->band[l].extent - 1);
	out->clip_low = region->low > least ? region->low - least : 0;
	out->clip_high = region->high + 1 - least;
	long whole = out->window;
	for (int l = 0; l < nest->band_count; l++)
		whole += out->coefficient[l] * (nest->band[l].extent - 1);
	out->clip_high = out->clip_high < whole ? out->clip_high : whole;
	if (!out->clip_low && out->clip_high == whole)
		out->clip_high = 0;
}

static void fill_exact(const struct builder *builder, struct nest_array *array,
	const struct region *region, struct model_array *out)
{
	const struct nest *nest = builder->nest;
	fill_array(nest, array, out);
	out->is_dropped = nest_is_dropped(nest, array);
	out->anchored = anchored_dims(nest, array);
	out->is_partial = !is_needed_everywhere(builder, array);
	for (int d = 0; d < out->rank; d++) {
		out->dims[d].window = region->dims[d].window;
		out->dims[d].touched = region->dims[d].touched;
		for (int l = 0; l < nest->band_count; l++) {
			long coefficient = region->dims[d].coefficient[l];
			out->dims[d].coefficient[l] = labs(coefficient);
			out->dims[d].negative |= coefficient < 0 ? 1L << l : 0;
		}
	}
	if (region->is_clipped && may_clip(nest, out))
		for (int d = 0; d < out->rank; d++)
			fill_clip(nest, &region->dims[d], &out->dims[d]);
}

/* ---- no closed form: regions that hold the real ones ---- */

/* {[values of the band] -> [element]} of one access. */
static __isl_give isl_map *elements_of_band(const struct nest *nest, const struct nest_access *access)
{
	isl_set *domain = nest->statements[access->statement]->domain;
	isl_map *map = isl_map_from_domain(isl_set_copy(domain));
	for (int l = 0; l < nest->band_count; l++) {
		const struct hyperplane *plane = &nest->band[l].planes[access->statement];
		isl_map *value;
		if (plane->kind == HYPERPLANE_AFFINE) {
			value = isl_map_from_aff(isl_aff_floor(isl_aff_copy(plane->value)));
		} else {
			isl_space *space = isl_space_add_dims(isl_space_from_domain(
				isl_set_get_space(domain)), isl_dim_out, 1);
			value = isl_map_universe(space);
			value = isl_map_lower_bound_si(value, isl_dim_out, 0, 0);
			value = isl_map_upper_bound_val(value, isl_dim_out, 0,
				isl_val_int_from_si(isl_map_get_ctx(value), nest->band[l].extent - 1));
		}
		map = isl_map_flat_range_product(map, value);
	}
	isl_map *elements = isl_map_reset_tuple_id(isl_map_copy(access->access->map), isl_dim_out);
	return isl_map_apply_range(isl_map_reverse(map), elements);
}

/* {[b] -> [b'] : |b_l - b'_l| < tile[l]} */
static __isl_give isl_map *near(isl_ctx *ctx, const struct nest *nest, const long *tile)
{
	unsigned count = (unsigned)nest->band_count;
	isl_set *deltas = isl_set_universe(isl_space_set_alloc(ctx, 0, count));
	for (unsigned l = 0; l < count; l++)
		deltas = set_bounds(deltas, l, 1 - tile[l], tile[l] - 1);
	return isl_set_translation(deltas);
}

/* The most that a dimension spans in a tile, in elements, [rank].  False if isl does not find it:
 * then it is all there is. */
static bool spans(struct compilation *compilation, const struct nest *nest,
	const struct nest_array *array, __isl_keep isl_map *elements, const long *tile, long *span)
{
	struct isl_work work = nest_question_begin(compilation, SPAN_OPERATIONS);
	isl_map *within = near(compilation->ctx, nest, tile);
	within = isl_map_apply_range(within, isl_map_copy(elements));
	within = isl_map_apply_domain(within, isl_map_copy(elements));
	isl_set *deltas = isl_map_deltas(within);
	long most[ARRAY_RANK_LIMIT];     /* and the least: each pair has its opposite */
	bool known = true;
	for (int d = 0; d < array->array->rank && known; d++)
		known = set_dim_most(deltas, d, &most[d]);
	isl_set_free(deltas);
	known = isl_work_end(&work) && known;
	for (int d = 0; d < array->array->rank; d++)
		span[d] = known ? most[d] + 1 : array->array->extents[d];
	return known;
}

static __isl_give isl_map *elements_of_array(const struct nest *nest,
	const struct nest_array *array)
{
	isl_map *elements = NULL;
	for (int a = 0; a < array->access_count; a++) {
		isl_map *map = elements_of_band(nest, &array->accesses[a]);
		elements = elements ? isl_map_union(elements, map) : map;
	}
	return map_coalesce(elements);
}

/* It does if some value of the dimension shows less than all values do together. */
void nest_array_moves(struct compilation *compilation, const struct nest *nest,
	const struct nest_array *array, bool moves[NEST_LOOPS])
{
	isl_map *elements = elements_of_array(nest, array);
	for (int l = 0; l < nest->band_count; l++) {
		/* Forget dimension l: the elements any of its values shows. */
		isl_map *any = isl_map_project_out(isl_map_copy(elements), isl_dim_in, (unsigned)l, 1);
		any = isl_map_insert_dims(any, isl_dim_in, (unsigned)l, 1);
		any = isl_map_lower_bound_si(any, isl_dim_in, (unsigned)l, 0);
		any = isl_map_upper_bound_val(any, isl_dim_in, (unsigned)l,
			isl_val_int_from_si(compilation->ctx, nest->band[l].extent - 1));
		any = isl_map_intersect_domain(any, isl_map_domain(isl_map_copy(elements)));
		moves[l] = isl_map_is_subset(any, elements) != isl_bool_true;
		isl_map_free(any);
	}
	isl_map_free(elements);
}

/* Dimension D of ARRAY has an iterator that the band's dimension L has too. */
static bool may_move(const struct nest *nest, const struct nest_array *array, int d, int l)
{
	for (int a = 0; a < array->access_count; a++) {
		const struct nest_access *access = &array->accesses[a];
		const struct hyperplane *plane = &nest->band[l].planes[access->statement];
		for (int i = 0; i < nest->statements[access->statement]->depth; i++)
			if (plane->kind == HYPERPLANE_AFFINE && plane->affine.coefficients[i]
				&& access->access->subscripts[d].coefficients[i])
				return true;
	}
	return false;
}

/* What ARRAY's hull depends on: its accesses, and each dimension of the band. */
static struct nest_query hull_query(struct arena *arena, const struct nest *nest,
	const struct nest_array *array)
{
	int count = 0;
	const void **key = ARENA_ARRAY(arena, const void *, array->access_count + nest->band_count);
	for (int a = 0; a < array->access_count; a++)
		key[count++] = array->accesses[a].access;
	for (int l = 0; l < nest->band_count; l++)
		key[count++] = nest->band[l].planes;
	return (struct nest_query){ NEST_HULL, key, (size_t)count * sizeof *key };
}

/* Finds the windows and coefficients of OUT, ARRAY's; false if isl does not find them all. */
static bool find_hull(struct compilation *compilation, const struct nest *nest,
	const struct nest_array *array, struct model_array *out)
{
	isl_map *elements = elements_of_array(nest, array);
	long tile[NEST_LOOPS], one[ARRAY_RANK_LIMIT], span[ARRAY_RANK_LIMIT];
	for (int l = 0; l < nest->band_count; l++)
		tile[l] = 1;
	bool known = spans(compilation, nest, array, elements, tile, one);
	for (int d = 0; d < out->rank; d++)
		out->dims[d].window = one[d];
	for (int l = 0; l < nest->band_count; l++) {
		long extent = nest->band[l].extent;
		tile[l] = extent;
		known &= spans(compilation, nest, array, elements, tile, span);
		tile[l] = 1;
		for (int d = 0; d < out->rank; d++)
			out->dims[d].coefficient[l] = extent == 1 ? may_move(nest, array, d, l)
				: span[d] > one[d] ? (span[d] - one[d] + extent - 2) / (extent - 1) : 0;
	}
	isl_map_free(elements);
	return known;
}

static void fill_hull(struct compilation *compilation, const struct nest *nest,
	struct nest_array *array, struct model_array *out)
{
	fill_array(nest, array, out);
	if (array->hull) {
		memcpy(out->dims, array->hull->dims, sizeof out->dims);
		return;
	}
	/* all spans together: where one is not known, nor is its neighbour */
	struct isl_work work = nest_question_begin(compilation, HULL_OPERATIONS);
	const struct nest_query query = hull_query(compilation->arena, nest, array);
	const struct model_dim *known = nest_answer(nest, query);
	unsigned long begun = isl_operations(compilation->ctx);
	if (known)
		memcpy(out->dims, known, sizeof out->dims);
	else if (find_hull(compilation, nest, array, out))
		nest_keep_answer(nest, query, out->dims, sizeof out->dims, begun);
	isl_work_end(&work);
	struct model_array *hull = ARENA_NEW(compilation->arena, struct model_array);
	*hull = *out;
	array->hull = hull;
}

/* A buffer beside others of its array is stale after each iteration of the sequential
 * loops: for the model they move it, in a dimension that no buffer has. */
static void move_with_prefix(const struct nest *nest, const struct nest_array *array,
	struct model_array *out)
{
	bool is_stale = nest->refetches && array->has_siblings;
	int loops = is_stale ? nest->prefix : nest->outer_count;
	if (!loops || out->rank == MODEL_RANK)
		return;
	struct model_dim *dim = &out->dims[out->rank++];
	dim->window = 1;
	for (int l = 0; l < loops; l++)
		dim->coefficient[l] = 1;
}

/* How ARRAY lies in memory, if its elements are smaller than what the DMA controller copies.  REGION
 * says where regions begin; NULL: somewhere, which only the plan knows. */
static void fill_alignment(const struct compilation *compilation, const struct nest *nest,
	const struct nest_array *array, const struct region *region, struct model_array *out)
{
	long row = array->array->type.bytes;
	out->align_bytes = 1;
	if (compilation->arch->dma_align_bytes <= row)
		return;
	out->align_bytes = compilation->arch->dma_align_bytes;
	out->align_rank = array->array->rank;
	for (int d = out->align_rank - 1; d >= 0; d--) {
		const struct region_dim *dim = region ? &region->dims[d] : NULL;
		out->dims[d].step_bytes = row * (dim ? dim->stride : 1);
		long least = dim ? dim->base : 0;
		for (int l = 0; dim && l < nest->band_count; l++)
			least += dim->coefficient[l] < 0 ? dim->coefficient[l] * (nest->band[l].extent - 1) : 0;
		out->first_bytes += least * out->dims[d].step_bytes + (dim ? dim->phase * row : 0);
		if (!affine_is_symbolic(array->array->shape[d]))
			row *= array->array->extents[d];
	}
}

bool nest_model_build(struct compilation *compilation, const struct nest *nest,
	struct nest_model *model, struct region *regions)
{
	struct builder builder = { compilation, nest, arena_alloc(compilation->arena,
		sizeof *builder.ranges * (size_t)nest->statement_count),
		ARENA_ARRAY(compilation->arena, bool, nest->statement_count) };
	/* Closed forms tell a first visit of the nest, not of an iteration of loops around. */
	bool exact = !nest->outer_count && !nest->borrows && !nest->avoids_forms
		&& closed_forms(&builder, regions);
	fill_loops(nest, exact, model);
	model->array_count = nest->array_count;
	for (int a = 0; a < nest->array_count; a++) {
		if (exact)
			fill_exact(&builder, &nest->arrays[a], &regions[a], &model->arrays[a]);
		else
			fill_hull(compilation, nest, &nest->arrays[a], &model->arrays[a]);
		fill_alignment(compilation, nest, &nest->arrays[a], exact ? &regions[a] : NULL,
			&model->arrays[a]);
		move_with_prefix(nest, &nest->arrays[a], &model->arrays[a]);
	}
	return exact;
}
