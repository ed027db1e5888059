/* From a nest to the model that the search works on: of closed forms where its regions have them
 * (closed_form.c), else of what holds the regions (hull.c). */

#include <stdlib.h>
#include <string.h>

#include "passes/analysis/roles.h"
#include "passes/cost/closed_form.h"
#include "passes/cost/created.h"
#include "passes/cost/hull.h"
#include "passes/cost/nest_model_parts.h"

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

void model_fill_loops(const struct band *band, bool has_forms, struct nest_model *model)
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

bool model_may_clip(const struct variant *variant, const struct model_array *array)
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

void model_fill_closed_form(const struct form_builder *builder, const struct reference_group *array,
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
	if (region->is_clipped && model_may_clip(variant, out))
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
	model_fill_loops(variant->band, has_forms, model);
	model->array_count = variant->groups->count;
	model->bypass_memory = compilation->arch->bypass_memory;
	for (int a = 0; a < variant->groups->count; a++) {
		if (has_forms) {
			model_fill_closed_form(&builder, &variant->groups->items[a], &regions[a], &model->arrays[a]);
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
