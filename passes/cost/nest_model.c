/* From a nest to the model that the search works on: of closed forms where its regions have them
 * (closed_form.c), else of what holds the regions (hull.c). */

#include <stdlib.h>
#include <string.h>

#include "passes/analysis/roles.h"
#include "passes/cost/closed_form.h"
#include "passes/cost/created.h"
#include "passes/cost/ends.h"
#include "passes/cost/hull.h"
#include "passes/cost/nest_model.h"

/* STATEMENT runs in each iteration of the band. */
static bool runs_everywhere(const struct form_builder *builder, int s)
{
	const struct variant *variant = builder->variant;
	for (int l = 0; l < variant->band->count; l++)
		if (variant->band->dims[l].planes[s].kind != HYPERPLANE_AFFINE
			|| variant->band->dims[l].is_chained)
			return false;
	return builder->is_box[s];
}

/* Some statement that runs in each iteration reads ARRAY, and none that runs in several writes it
 * before: values have to stay from one iteration to the next. */
static bool is_needed_everywhere(const struct form_builder *builder,
	const struct reference_group *array)
{
	const struct variant *variant = builder->variant;
	for (int s = 0; s < variant->nest->statement_count; s++) {
		bool reads = false, writes = false, is_anchored = false;
		for (int a = 0; a < array->access_count; a++) {
			bool is_own = array->accesses[a].statement == s;
			writes |= is_own && array->accesses[a].access->is_write;
			reads |= is_own && !array->accesses[a].access->is_write;
		}
		if (reads && runs_everywhere(builder, s))
			return true;
		for (int l = 0; l < variant->band->count; l++)
			is_anchored |= variant->band->dims[l].planes[s].kind != HYPERPLANE_AFFINE;
		if (writes && !is_anchored)
			return false;
	}
	return false;
}

/* Bit l: all statements that touch ARRAY run first (or all last) in dimension l. */
static long anchored_dims(const struct band *band, const struct reference_group *array)
{
	long mask = 0;
	for (int l = 0; l < band->count; l++) {
		enum hyperplane_kind kind = band->dims[l].planes[array->accesses[0].statement].kind;
		bool same = kind != HYPERPLANE_AFFINE;
		for (int a = 1; a < array->access_count; a++)
			same &= band->dims[l].planes[array->accesses[a].statement].kind == kind;
		mask |= same ? 1L << l : 0;
	}
	return mask;
}

static void fill_loops(const struct band *band, bool has_forms, struct nest_model *model)
{
	memset(model, 0, sizeof *model);
	model->loop_count = band->count;
	for (int l = 0; l < band->count; l++)
		model->loops[l] = (struct model_loop){ .name = band->dims[l].name,
			.extent = band->dims[l].extent, .is_forward = !has_forms || band->dims[l].is_forward };
}

static void fill_array(const struct variant *variant, const struct reference_group *array,
	struct model_array *out)
{
	*out = (struct model_array){ .name = array->array->name, .element_bytes = array->array->type.bytes,
		.rank = array->array->rank, .is_read = array->is_read, .is_written = array->is_written,
		.is_created = nest_is_created(variant, array) };
}

/* The model clips arrays that no loop moves in two dimensions, where few of its sums'
 * terms have to be added one by one.  With symbolic sizes borders are elsewhere for other
 * sizes, and a buffer must hold what is between them. */
static bool may_clip(const struct variant *variant, const struct model_array *array)
{
	enum { TERMS = 1000 };
	if (variant->nest->function->unbound)
		return false;
	for (int l = 0; l < variant->band->count; l++) {
		int dims = 0;
		for (int d = 0; d < array->rank; d++)
			dims += array->dims[d].coefficient[l] > 0;
		if (dims > 1)
			return false;
	}
	for (int d = 0; d < array->rank; d++) {
		double terms = 1, most = 1;
		for (int l = 0; l < variant->band->count; l++) {
			double extent = array->dims[d].coefficient[l] ? (double)variant->band->dims[l].extent : 1;
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
static void fill_clip(const struct band *band, const struct region_dim *region,
	struct model_dim *out)
{
	long least = region->base;
	for (int l = 0; l < band->count; l++)
		if (region->coefficient[l] < 0)
			least += region->coefficient[l] * (band->dims[l].extent - 1);
	out->clip_low = region->low > least ? region->low - least : 0;
	out->clip_high = region->high + 1 - least;
	long whole = out->window;
	for (int l = 0; l < band->count; l++)
		whole += out->coefficient[l] * (band->dims[l].extent - 1);
	out->clip_high = out->clip_high < whole ? out->clip_high : whole;
	if (!out->clip_low && out->clip_high == whole)
		out->clip_high = 0;
}

static void fill_closed_form(const struct form_builder *builder, const struct reference_group *array,
	const struct region *region, struct model_array *out)
{
	const struct variant *variant = builder->variant;
	fill_array(variant, array, out);
	out->is_dropped = nest_is_dropped(variant, array);
	out->anchored = anchored_dims(variant->band, array);
	out->is_partial = !is_needed_everywhere(builder, array);
	for (int d = 0; d < out->rank; d++) {
		out->dims[d].window = region->dims[d].window;
		out->dims[d].touched = region->dims[d].touched;
		for (int l = 0; l < variant->band->count; l++) {
			long coefficient = region->dims[d].coefficient[l];
			out->dims[d].coefficient[l] = labs(coefficient);
			out->dims[d].negative |= coefficient < 0 ? 1L << l : 0;
		}
	}
	if (region->is_clipped && may_clip(variant, out))
		for (int d = 0; d < out->rank; d++)
			fill_clip(variant->band, &region->dims[d], &out->dims[d]);
}

/* A buffer beside others of its array is stale after each iteration of the sequential
 * loops: for the model they move it, in a dimension that no buffer has. */
static void move_with_prefix(const struct variant *variant, const struct reference_group *array,
	struct model_array *out)
{
	bool is_stale = variant->options.refetches && array->has_siblings;
	int loops = is_stale ? variant->band->prefix : variant_outer_count(variant);
	if (!loops || out->rank == MODEL_RANK)
		return;
	struct model_dim *dim = &out->dims[out->rank++];
	dim->window = 1;
	for (int l = 0; l < loops; l++)
		dim->coefficient[l] = 1;
}

/* How ARRAY lies in memory, if its elements are smaller than what the DMA controller copies.  REGION
 * says where regions begin; NULL: somewhere, which only the plan knows. */
static void fill_alignment(const struct compilation *compilation, const struct band *band,
	const struct reference_group *array, const struct region *region, struct model_array *out)
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
		for (int l = 0; dim && l < band->count; l++)
			least += dim->coefficient[l] < 0 ? dim->coefficient[l] * (band->dims[l].extent - 1) : 0;
		out->first_bytes += least * out->dims[d].step_bytes + (dim ? dim->phase * row : 0);
		if (!affine_is_symbolic(array->array->shape[d]))
			row *= array->array->extents[d];
	}
}

bool nest_model_build(struct compilation *compilation, const struct variant *variant,
	struct nest_model *model, struct region *regions)
{
	struct form_builder builder = form_builder_of(compilation, variant);
	/* Closed forms tell a first visit of the nest, not of an iteration of loops around. */
	bool has_forms = !variant_outer_count(variant) && !variant->options.borrows
		&& !variant->options.avoids_forms && closed_forms(&builder, regions);
	fill_loops(variant->band, has_forms, model);
	model->array_count = variant->groups->count;
	model->bypass_memory = compilation->arch->bypass_memory;
	for (int a = 0; a < variant->groups->count; a++) {
		if (has_forms) {
			fill_closed_form(&builder, &variant->groups->items[a], &regions[a], &model->arrays[a]);
		} else {
			fill_array(variant, &variant->groups->items[a], &model->arrays[a]);
			model->arrays[a].anchored = anchored_dims(variant->band, &variant->groups->items[a]);
			nest_hull(compilation, variant, &variant->groups->items[a], &model->arrays[a]);
		}
		fill_alignment(compilation, variant->band, &variant->groups->items[a],
			has_forms ? &regions[a] : NULL, &model->arrays[a]);
		move_with_prefix(variant, &variant->groups->items[a], &model->arrays[a]);
		if (compilation->arch->array.is_split || compilation->arch->array.bypass)
			model->arrays[a].role = array_role_in(variant->nest, variant->groups->items[a].array);
	}
	return has_forms;
}

/* ---- what every form moves ---- */

/* REGION of ARRAY, a box with holes, becomes what one iterator a dimension touches of its window, and an element more
 * for each iteration of a tile: sums of so many values are no fewer.  False if a loop moves two dimensions. */
static bool leave_holes(const struct band *band, const struct reference_group *array, struct region *region)
{
	bool has_holes = false;
	for (int d = 0; d < array->array->rank; d++)
		has_holes |= region->dims[d].touched > 0;
	for (int l = 0; l < band->count && has_holes; l++) {
		int moved = 0;
		for (int d = 0; d < array->array->rank; d++) {
			moved += region->dims[d].coefficient[l] != 0;
			region->dims[d].coefficient[l] = region->dims[d].coefficient[l] != 0;
		}
		if (moved > 1)
			return false;
	}
	for (int d = 0; d < array->array->rank && has_holes; d++) {
		region->dims[d].window = region->dims[d].touched;
		region->dims[d].touched = 0;
	}
	return true;
}

/* OUT, of REGION, is clipped where the real regions are; those of different tiles have no element in common. */
static bool is_clipped_apart(const struct variant *variant, const struct region *region, const struct model_array *out)
{
	for (int d = 0; d < out->rank && region->is_clipped; d++)
		if (out->dims[d].clip_high && out->dims[d].window > 1)
			return false;
	return !region->is_clipped || may_clip(variant, out);
}

/* OWN: the accesses of ARRAY by the statement that has number I; only those like it, IF_ALIKE.  False: I is not the first
 * of them. */
static bool find_own(struct form_builder *builder, const struct reference_group *array, int i,
	bool if_alike, struct reference_group *own)
{
	const struct nest *nest = builder->variant->nest;
	struct nest_access *accesses = ARENA_ARRAY(builder->compilation->arena, struct nest_access,
		array->access_count);
	*own = (struct reference_group){ .array = array->array, .accesses = accesses };
	for (int a = 0; a < array->access_count; a++) {
		const struct nest_access *access = &array->accesses[a];
		if (access->statement != array->accesses[i].statement
			|| (if_alike && !accesses_are_alike(nest, &array->accesses[i], access)))
			continue;
		if (a < i)
			return false;
		accesses[own->access_count++] = *access;
		own->is_read |= !access->access->is_write;
		own->is_written |= access->access->is_write;
	}
	return true;
}

/* What OWN touches, of which REGION is known (NULL: it is not). */
static struct touch touch_of(const struct band *band, const struct reference_group *own, const struct region *region)
{
	struct touch touch = { .statement = own->accesses[0].statement, .is_known = region && !region->is_clipped,
		.is_read = own->is_read, .is_written = own->is_written };
	for (int d = 0; d < own->array->rank && region; d++) {
		touch.dims[d].window = region->dims[d].window;
		touch.stride[d] = region->dims[d].stride;
		touch.first[d] = region->dims[d].base * region->dims[d].stride + region->dims[d].phase;
		for (int l = 0; l < band->count; l++)
			touch.dims[d].coefficient[l] = labs(region->dims[d].coefficient[l]);
	}
	return touch;
}

/* What is known of an array inside its real regions. */
struct inside {
	struct reference_group group;    /* some accesses of one statement; the others come from none with so many loops */
	struct region region;        /* of these */
	long side[ARRAY_RANK_LIMIT]; /* a buffer is no shorter, as it holds what each statement touches when its turn comes */
	struct touch *touches;       /* by alike accesses, [touch_count] */
	int touch_count;
	int main;                    /* that of GROUP; -1: it has several */
};

/* Fills in what is known of ARRAY; false: no accesses of one statement have a closed form, or none are as those of ARRAY. */
static bool find_inside(struct form_builder *builder, const struct reference_group *array, struct inside *inside)
{
	const struct nest *nest = builder->variant->nest;
	const struct band *band = builder->variant->band;
	int most = -1;
	*inside = (struct inside){ .touches = ARENA_ARRAY(builder->compilation->arena, struct touch, array->access_count), .main = -1 };
	for (int i = 0; i < 2 * array->access_count; i++) {
		bool if_alike = i % 2;
		int depth = nest->statements[array->accesses[i / 2].statement]->depth;
		struct reference_group own;
		struct region its;
		if (!find_own(builder, array, i / 2, if_alike, &own))
			continue;
		bool has_form = closed_form_inside(builder, &own, &its) && leave_holes(band, &own, &its);
		if (if_alike)
			inside->touches[inside->touch_count++] = touch_of(band, &own, has_form ? &its : NULL);
		for (int d = 0; d < array->array->rank && has_form && !its.is_clipped; d++)
			inside->side[d] = its.dims[d].window > inside->side[d] ? its.dims[d].window : inside->side[d];
		if (has_form && if_alike && inside->group.access_count == own.access_count
			&& inside->group.accesses[0].access == own.accesses[0].access)
			inside->main = inside->touch_count - 1;
		if (!has_form || depth <= most || own.is_written != array->is_written)
			continue;
		most = depth;
		inside->group = own;
		inside->region = its;
		inside->main = if_alike ? inside->touch_count - 1 : -1;
	}
	return most >= 0;
}

/* Nobody needs a value of ARRAY after the nest, and all are made in it. */
static bool is_dropped_whole(struct compilation *compilation, const struct variant *variant, const struct array *array)
{
	const struct reference_groups *whole = reference_groups_whole(compilation, variant->nest);
	for (int a = 0; a < whole->count; a++)
		if (whole->items[a].array == array)
			return nest_is_dropped(variant, &whole->items[a]);
	return true;
}

/* Dimension OTHER of a group is what OUT's has of any tile; or it has all that any tile of it has, *IS_LONGER. */
static bool is_as_long(const struct nest_model *model, const struct model_dim *other, const struct model_dim *out, bool *is_longer)
{
	long all = out->window;
	bool is_still = true, is_alike = other->window == out->window && out->least_side <= out->window;
	for (int l = 0; l < model->loop_count; l++) {
		all += out->coefficient[l] * (model->loops[l].extent - 1);
		is_still &= !other->coefficient[l];
		is_alike &= other->coefficient[l] == out->coefficient[l];
	}
	*is_longer = !is_alike;
	return is_alike || (is_still && other->window >= all && other->window >= out->least_side);
}

/* A buffer of OUT's array holds GROUP, too, or it has another one for that: then OUT's sides are no shorter than what one statement of GROUP
 * touches, if that is all which a tile of OUT has, but for sides that are alike. */
static void hold_too(struct form_builder *builder, const struct nest_model *model, const struct reference_group *group,
	struct model_array *out)
{
	for (int i = 0; i < group->access_count; i++) {
		struct reference_group own;
		struct region region;
		struct model_array other = { .rank = 0 };
		bool is_longer[ARRAY_RANK_LIMIT], holds = true;
		if (!find_own(builder, group, i, true, &own) || !closed_form_inside(builder, &own, &region)
			|| !leave_holes(builder->variant->band, &own, &region) || region.is_clipped)
			continue;
		fill_closed_form(builder, &own, &region, &other);
		for (int d = 0; d < out->rank && holds; d++)
			holds = !out->dims[d].clip_high && is_as_long(model, &other.dims[d], &out->dims[d], &is_longer[d]);
		for (int d = 0; d < out->rank && holds; d++)
			if (is_longer[d])
				out->dims[d].least_side = other.dims[d].window;
		if (holds)
			return;
	}
}

/* The same of all groups of ARRAY in APART that are not in it. */
static void hold_others(struct form_builder *builder, const struct nest_model *model, const struct reference_groups *apart,
	const struct reference_group *array, struct model_array *out)
{
	for (int b = 0; apart && b < apart->count; b++) {
		const struct reference_group *group = &apart->items[b];
		bool is_other = group->array == array->array && group->access_count && array->access_count;
		for (int a = 0; a < array->access_count && is_other; a++)
			is_other = array->accesses[a].access != group->accesses[0].access;
		if (is_other && !group->has_siblings)
			hold_too(builder, model, group, out);
	}
}

/* OUT takes room, and moves nothing. */
static void only_hold(struct model_array *out)
{
	out->is_read = out->is_written = out->is_created = out->is_dropped = false;
	out->ends = 0;
}

bool nest_model_inside(struct compilation *compilation, const struct variant *variant, const struct reference_groups *apart,
	struct nest_model *model)
{
	struct form_builder builder = form_builder_of(compilation, variant);
	fill_loops(variant->band, true, model);
	for (int l = 0; l < model->loop_count; l++)
		model->loops[l].is_forward = false;
	for (int a = 0; a < variant->groups->count; a++) {
		const struct reference_group *array = &variant->groups->items[a];
		struct inside inside;
		if (array->is_internal || array->is_kept
			|| model->array_count == MODEL_ARRAYS || !find_inside(&builder, array, &inside))
			continue;
		bool is_counted = !array->has_siblings || (inside.group.is_read && inside.group.is_written);
		if (!is_counted && !array->is_written)
			continue;
		struct model_array *out = &model->arrays[model->array_count];
		fill_closed_form(&builder, &inside.group, &inside.region, out);
		if (!is_clipped_apart(variant, &inside.region, out))
			continue;
		model->array_count++;
		out->is_created = array->is_written && (array->has_siblings || inside.group.access_count < array->access_count
			? !nest_begins_with(variant->nest, &inside.group) : nest_is_created(variant, array));
		out->is_dropped = array->is_written && is_dropped_whole(compilation, variant, array->array);
		out->is_partial = false;
		out->align_bytes = 1;
		for (int d = 0; d < out->rank; d++)
			out->dims[d].least_side = !out->dims[d].clip_high ? inside.side[d] : 0;
		hold_others(&builder, model, apart, array, out);
		if (!is_counted)
			only_hold(out);
		else if (inside.main >= 0)
			ends_find(variant->band, inside.touches, inside.touch_count, inside.main, out);
	}
	return model->array_count > 0;
}
