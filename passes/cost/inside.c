/* A model inside the real regions of a nest (docs/search.md, "A model inside"): of each array what one statement touches, which every
 * form moves and holds, and what else is known of the others. */

#include <stdlib.h>
#include <string.h>

#include "passes/cost/closed_form.h"
#include "passes/cost/created.h"
#include "passes/cost/ends.h"
#include "passes/cost/nest_model_parts.h"

/* ---- one statement ---- */

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
	return !region->is_clipped || model_may_clip(variant, out);
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

/* Some loop moves REGION's dimensions. */
static bool is_moved(const struct region *region, int rank, int loop)
{
	for (int d = 0; d < rank; d++)
		if (region->dims[d].coefficient[loop])
			return true;
	return false;
}

/* Statement S, which runs in a box, does so at the values from *FIRST up to *END of chained loop L.  False: in the first or the last tile alone. */
static bool is_link(const struct form_builder *builder, int s, int l, long *first, long *end)
{
	const struct hyperplane *plane = &builder->variant->band->dims[l].planes[s];
	const struct statement *statement = builder->variant->nest->statements[s];
	*first = *end = 0;
	for (int i = 0; i < statement->depth && plane->kind == HYPERPLANE_AFFINE; i++) {
		const struct range *range = &builder->ranges[s][i];
		long coefficient = plane->affine.coefficients[i];
		if (!coefficient)
			continue;
		*first = plane->affine.constant + (coefficient > 0 ? range->min : -range->max);
		*end = *first + (range->max - range->min) / range->step + 1;
	}
	return plane->kind == HYPERPLANE_AFFINE;
}

/* The statement of access I of ARRAY touches all of REGION in each of its tiles, and writes some if WRITES. */
static bool touches_too(struct form_builder *builder, const struct reference_group *array, int i, const struct region *region, bool writes)
{
	struct reference_group own;
	struct region its;
	if (!find_own(builder, array, i, false, &own) || (writes && !own.is_written) || !closed_form_inside(builder, &own, &its))
		return false;
	for (int d = 0; d < array->array->rank; d++)
		if (its.dims[d].window < region->dims[d].window
			|| memcmp(its.dims[d].coefficient, region->dims[d].coefficient, sizeof its.dims[d].coefficient))
			return false;
	return true;
}

/* Where chained loop L does not move REGION, which some statement touches of ARRAY, such statements run in all of its tiles together: else
 * some may not see the region. */
static bool covers_links(struct form_builder *builder, const struct reference_group *array, int l, const struct region *region, bool writes)
{
	long done = 0, before = -1, first, end;
	while (done > before) {
		before = done;
		for (int i = 0; i < array->access_count; i++)
			if (touches_too(builder, array, i, region, writes) && is_link(builder, array->accesses[i].statement, l, &first, &end)
				&& first <= done && end > done)
				done = end;
	}
	return done >= builder->variant->band->dims[l].extent;
}

/* REGION is what OWN, of one statement, touches of ARRAY in every form, or has it inside.  False: that has no closed form. */
static bool find_region(struct form_builder *builder, const struct reference_group *array, const struct reference_group *own,
	struct region *region)
{
	const struct band *band = builder->variant->band;
	long first, end;
	if (!closed_form_inside(builder, own, region))
		return false;
	for (int l = 0; l < band->count; l++)
		if (band->dims[l].is_chained && is_link(builder, own->accesses[0].statement, l, &first, &end)
			&& !is_moved(region, array->array->rank, l) && !covers_links(builder, array, l, region, own->is_written))
			return false;
	return leave_holes(band, own, region);
}

/* What OWN touches: all of REGION, if it IS_KNOWN and not clipped, or some of it (NULL: that is not known). */
static struct touch touch_of(const struct band *band, const struct reference_group *own, const struct region *region, bool is_known)
{
	struct touch touch = { .statement = own->accesses[0].statement, .is_known = is_known && !region->is_clipped,
		.is_around = region, .is_read = own->is_read, .is_written = own->is_written };
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
	bool is_made;                /* these only read what others have made in the first visit of each region */
	bool is_counted;             /* what moves is known; else it only takes room */
	bool is_dropped;             /* nobody needs a value after the nest, and all are made in it */
	struct touch *touches;       /* by alike accesses, [touch_count] */
	int touch_count;
	int main;                    /* that of GROUP; -1: it has several */
};

/* REGION, of a statement in DEPTH loops, is rather what all tiles have than what is known, of one in MOST: it is deeper, or more loops
 * move it, of what is only read. */
static bool is_in_more(const struct band *band, const struct reference_group *array, const struct region *region, int depth,
	const struct inside *inside, int most)
{
	int moved = 0;
	for (int l = 0; l < band->count && most >= 0; l++)
		moved += is_moved(region, array->array->rank, l) - is_moved(&inside->region, array->array->rank, l);
	return depth > most || (depth == most && !array->is_written && moved > 0);
}

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
		bool has_form = find_region(builder, array, &own, &its);
		if (if_alike)
			inside->touches[inside->touch_count++] = touch_of(band, &own,
				has_form || closed_form_around(builder, &own, &its) ? &its : NULL, has_form);
		for (int d = 0; d < array->array->rank && has_form && !its.is_clipped; d++)
			inside->side[d] = its.dims[d].window > inside->side[d] ? its.dims[d].window : inside->side[d];
		if (has_form && if_alike && inside->group.access_count == own.access_count
			&& inside->group.accesses[0].access == own.accesses[0].access)
			inside->main = inside->touch_count - 1;
		if (!has_form || own.is_written != array->is_written || !is_in_more(band, array, &its, depth, inside, most))
			continue;
		most = depth;
		inside->group = own;
		inside->region = its;
		inside->main = if_alike ? inside->touch_count - 1 : -1;
	}
	return most >= 0;
}

/* ---- what others have made ---- */

/* REGION has one element a dimension for each iteration of one loop, or none, so that different tiles have none in common. */
static bool is_cut(const struct band *band, const struct region *region, int rank)
{
	for (int l = 0; l < band->count; l++) {
		long moved = 0;
		for (int d = 0; d < rank; d++)
			moved += labs(region->dims[d].coefficient[l]);
		if (moved > 1)
			return false;
	}
	for (int d = 0; d < rank; d++) {
		int movers = 0;
		for (int l = 0; l < band->count; l++)
			movers += region->dims[d].coefficient[l] != 0;
		if (movers > 1 || (movers && region->dims[d].window > 1))
			return false;
	}
	return !region->is_clipped;
}

/* Dimension OTHER of a region is what DIM, of one that is cut, has of any tile; or does not move, and has all of it. */
static bool is_alike_or_whole(const struct band *band, const struct region_dim *other, const struct region_dim *dim)
{
	long all = dim->window;
	bool is_alike = other->window == dim->window, is_still = true;
	for (int l = 0; l < band->count; l++) {
		all += labs(dim->coefficient[l]) * (band->dims[l].extent - 1);
		is_alike &= other->coefficient[l] == dim->coefficient[l];
		is_still &= !other->coefficient[l];
	}
	return is_alike || (is_still && other->window >= all);
}

/* Who writes ARRAY does so before its region, REGION, comes again: in the first tile of each loop that does not move it; in fewer loops than
 * DEPTH.  IS_APART: what a tile of it writes, which may be in another buffer, is such a region too, or several of them. */
static bool is_made_first(struct form_builder *builder, const struct reference_group *array, const struct region *region, int depth,
	bool is_apart)
{
	const struct variant *variant = builder->variant;
	for (int a = 0; a < array->access_count; a++) {
		int s = array->accesses[a].statement;
		struct reference_group own;
		struct region its;
		if (!array->accesses[a].access->is_write)
			continue;
		if (variant->nest->statements[s]->depth >= depth)
			return false;
		for (int l = 0; l < variant->band->count; l++)
			if (!is_moved(region, array->array->rank, l) && variant->band->dims[l].planes[s].kind != HYPERPLANE_FIRST)
				return false;
		if (!is_apart || !find_own(builder, array, a, false, &own))
			continue;
		if (!closed_form_inside(builder, &own, &its) || its.is_clipped)
			return false;
		for (int d = 0; d < array->array->rank; d++)
			if (!is_alike_or_whole(variant->band, &its.dims[d], &region->dims[d]))
				return false;
	}
	return true;
}

/* INSIDE is rather what a statement reads of ARRAY, of which nobody needs a value after the nest, in more loops than those have that write it: a
 * region comes back whenever it is seen again.  Where it is APART from what is written it may also be read there, as far as it is
 * still there: no more of it than loops that turn keep in as much room.  False: there is no such statement. */
static bool find_reader(struct form_builder *builder, const struct reference_group *array, bool is_apart, struct inside *inside)
{
	const struct nest *nest = builder->variant->nest;
	int most = 0;
	for (int i = 0; i < array->access_count; i++) {
		struct reference_group own;
		struct region its;
		int depth = nest->statements[array->accesses[i].statement]->depth;
		if (depth <= most || !find_own(builder, array, i, false, &own) || own.is_written
			|| !find_region(builder, array, &own, &its) || !is_cut(builder->variant->band, &its, array->array->rank)
			|| !is_made_first(builder, array, &its, depth, is_apart))
			continue;
		most = depth;
		inside->group = own;
		inside->region = its;
		inside->main = -1;
		inside->is_made = true;
	}
	/* what others touch is in other buffers */
	if (inside->is_made && is_apart)
		memset(inside->side, 0, sizeof inside->side);
	return inside->is_made;
}

/* ---- an array ---- */

/* All accesses of ARRAY in VARIANT's nest. */
static const struct reference_group *whole_of(struct form_builder *builder, const struct array *array)
{
	const struct reference_groups *whole = reference_groups_whole(builder->compilation, builder->variant->nest);
	int a = 0;
	while (whole->items[a].array != array)
		a++;
	return &whole->items[a];
}

/* Fills in what is known of ARRAY, which stands for all of its array if it has siblings; false: nothing is. */
static bool find_held(struct form_builder *builder, const struct reference_group *array, struct inside *inside)
{
	const struct reference_group *whole = whole_of(builder, array->array);
	bool is_found = find_inside(builder, array, inside);
	bool is_dropped = whole->is_written && nest_is_dropped(builder->variant, whole);
	inside->is_dropped = is_dropped && array->is_written;
	inside->is_counted = !array->has_siblings || (inside->group.is_read && inside->group.is_written);
	if (is_dropped && find_reader(builder, whole, array->has_siblings, inside))
		is_found = inside->is_counted = true;
	return is_found && (inside->is_counted || array->is_written);
}

/* ---- other buffers of it ---- */

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
		if (!find_own(builder, group, i, true, &own) || !find_region(builder, group, &own, &region) || region.is_clipped)
			continue;
		model_fill_closed_form(builder, &own, &region, &other);
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
}

/* OUT is ARRAY, of which an element takes room all through, and nothing moves. */
static void take_element(const struct array *array, struct model_array *out)
{
	*out = (struct model_array){ .name = array->name, .element_bytes = array->type.bytes, .rank = array->rank,
		.align_bytes = 1 };
	for (int d = 0; d < out->rank; d++)
		out->dims[d].window = 1;
}

/* OUT takes the room of what one statement touches of ARRAY at one value of the band, as a buffer has it at some time. */
static void take_room(struct form_builder *builder, const struct reference_group *array, struct model_array *out)
{
	take_element(array->array, out);
	for (int i = 0; i < array->access_count; i++) {
		struct reference_group own;
		long sides[ARRAY_RANK_LIMIT];
		if (!find_own(builder, array, i, true, &own) || !closed_form_sides(builder, &own, sides))
			continue;
		for (int d = 0; d < out->rank; d++)
			out->dims[d].window = sides[d] > out->dims[d].window ? sides[d] : out->dims[d].window;
	}
}

/* The array of least elements of those that have several groups APART, one of which has a buffer more; NULL: none has, or that may be
 * one which stays on chip. */
static const struct array *least_apart(const struct reference_groups *apart)
{
	const struct array *least = NULL;
	for (int a = 0; a < apart->count; a++)
		for (int b = 0; b < a; b++) {
			const struct reference_group *group = &apart->items[a];
			if (apart->items[b].array != group->array)
				continue;
			if (group->is_internal || group->is_kept)
				return NULL;
			if (!least || group->array->type.bytes < least->type.bytes)
				least = group->array;
		}
	return least;
}

/* What is touched in all tiles of ARRAY, of which nobody needs a value after the nest, and besides in last ones, becomes OUT, which moves the latter
 * alone: it goes out and comes back, whichever buffers there are, unless one of them outside the loops that end holds all of it.  Where these
 * could turn, slots might hold some; so only sequential ones count.  False: there is nothing. */
static bool take_ends_alone(struct form_builder *builder, const struct reference_group *array, struct model_array *out)
{
	struct inside inside;
	*out = (struct model_array){ .rank = 0 };
	if (!array->is_written || !nest_is_dropped(builder->variant, array) || !find_inside(builder, array, &inside)
		|| inside.main < 0)
		return false;
	model_fill_closed_form(builder, &inside.group, &inside.region, out);
	out->is_dropped = true;
	if (!is_clipped_apart(builder->variant, &inside.region, out))
		return false;
	ends_find(builder->variant->band, inside.touches, inside.touch_count, inside.main, out);
	only_hold(out);
	out->is_partial = false;
	out->align_bytes = 1;
	out->ends_read = out->ends_written = true;
	return out->ends && out->ends < 1L << builder->variant->band->prefix;
}

/* Of ARRAY, which is OUT in the model, other groups may be touched in last tiles: what these have besides goes out and comes back, too. */
static void add_ends(struct form_builder *builder, const struct reference_group *array, struct model_array *out)
{
	struct model_array alone;
	bool is_same = take_ends_alone(builder, array, &alone) && alone.rank == out->rank;
	for (int d = 0; d < out->rank && is_same; d++)
		is_same = alone.dims[d].window == out->dims[d].window
			&& !memcmp(alone.dims[d].coefficient, out->dims[d].coefficient, sizeof out->dims[d].coefficient);
	if (!is_same)
		return;
	for (int d = 0; d < out->rank; d++)
		out->dims[d].end_side = alone.dims[d].end_side;
	out->ends = alone.ends;
	out->ends_read = out->ends_written = true;
}

/* Group A of VARIANT becomes array OUT of MODEL.  *IS_COUNTED: what it moves is known. */
static void take_group(struct form_builder *builder, const struct reference_groups *apart, int a, const struct nest_model *model,
	struct model_array *out, bool *is_counted)
{
	const struct variant *variant = builder->variant;
	const struct reference_group *array = &variant->groups->items[a];
	struct inside inside;
	*is_counted = false;
	bool is_held = find_held(builder, array, &inside);
	if (array->has_siblings && (!is_held || !inside.is_counted) && take_ends_alone(builder, whole_of(builder, array->array), out))
		return;
	if (is_held)
		model_fill_closed_form(builder, &inside.group, &inside.region, out);
	if (!is_held || !is_clipped_apart(variant, &inside.region, out)) {
		take_room(builder, array, out);
		return;
	}
	*is_counted = inside.is_counted;
	out->is_created = inside.is_made || (array->is_written && (array->has_siblings || inside.group.access_count < array->access_count
		? !nest_begins_with(variant->nest, &inside.group) : nest_is_created(variant, array)));
	out->is_dropped = inside.is_dropped && !inside.is_made;
	out->is_partial = inside.is_made;
	out->align_bytes = 1;
	for (int d = 0; d < out->rank; d++)
		out->dims[d].least_side = !out->dims[d].clip_high ? inside.side[d] : 0;
	hold_others(builder, model, apart, array, out);
	if (!inside.is_counted)
		only_hold(out);
	else if (inside.main >= 0)
		ends_find(variant->band, inside.touches, inside.touch_count, inside.main, out);
	if (inside.is_counted && array->has_siblings && !out->ends)
		add_ends(builder, whole_of(builder, array->array), out);
}

void nest_model_inside(struct compilation *compilation, const struct variant *variant,
	const struct reference_groups *apart, struct inside_model *inside)
{
	struct form_builder builder = form_builder_of(compilation, variant);
	struct nest_model *model = &inside->model;
	model_fill_loops(variant->band, true, model);
	for (int l = 0; l < model->loop_count; l++)
		model->loops[l].is_forward = false;
	for (int a = 0; a < variant->groups->count; a++) {
		const struct reference_group *array = &variant->groups->items[a];
		int m = model->array_count;
		if (array->is_internal || array->is_kept || m == MODEL_ARRAYS)
			continue;
		take_group(&builder, apart, a, model, &model->arrays[m], &inside->is_counted[m]);
		inside->group[m] = a;
		model->array_count++;
	}
	const struct array *least = apart ? least_apart(apart) : NULL;
	if (least && model->array_count < MODEL_ARRAYS) {
		inside->group[model->array_count] = -1;
		inside->is_counted[model->array_count] = false;
		take_element(least, &model->arrays[model->array_count++]);
	}
}
