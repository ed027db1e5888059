/* What a group does with an array: how often it comes and goes, and what of it.  Regions are boxes: in each dimension an
 * array moves with one loop at most, so that sums over tiles are products of sums over the
 * tiles of each loop (a profile).  The boxes are those of passes/regions/general.c. */

#include <limits.h>
#include <math.h>

#include "passes/fusion/group_model.h"

static bool add_product(long *sum, long factor, long count)
{
	long product;
	return !__builtin_mul_overflow(factor, count, &product)
		&& !__builtin_add_overflow(*sum, product, sum);
}

long group_internal_side(const struct evaluation *evaluation, int e, int d, bool is_double)
{
	long side = evaluation->model->entries[e].extent[d];
	for (int l = 0; l < evaluation->choice->depth; l++) {
		const struct array_profile *profile = &evaluation->profiles[l]->arrays[e];
		bool is_inner = l == evaluation->choice->depth - 1;
		long own = !is_inner ? profile->most[d]
			: is_double ? profile->window_of_two[d] : profile->window[d];
		if (!profile->is_fixed[d] && own < side)
			side = own;
	}
	return side;
}

long group_outer_side(const struct evaluation *evaluation, int e, int d, int store)
{
	long side = evaluation->model->entries[e].extent[d];
	for (int l = 0; l < store; l++)
		if (!evaluation->profiles[l]->arrays[e].is_fixed[d])
			side = evaluation->profiles[l]->arrays[e].most[d];
	return side;
}

int group_store_in(const struct evaluation *evaluation, int e)
{
	int store = 0;
	for (int l = 0; l < evaluation->choice->depth; l++)
		if (evaluation->profiles[l]->arrays[e].moves)
			store = l + 1;
	return store;
}

bool group_times_still(const struct evaluation *evaluation, int e, int store, long *elements)
{
	const struct model_entry *entry = &evaluation->model->entries[e];
	for (int d = 0; d < entry->array->array->rank; d++) {
		bool is_still = true;
		for (int l = 0; l < store; l++)
			is_still &= evaluation->profiles[l]->arrays[e].is_fixed[d];
		if (is_still && __builtin_mul_overflow(*elements, entry->extent[d], elements))
			return false;
	}
	return true;
}

/* Leaves of *ELEMENTS of array E, which visits in the first DEPTH loops show, what borders leave. */
static void take_share(const struct evaluation *evaluation, int e, int depth, long *elements)
{
	double share = 1;
	for (int l = 0; l < depth; l++)
		share *= evaluation->profiles[l]->arrays[e].share;
	if (share < 1)
		*elements = (long)floor((double)*elements * share * (1 - 1e-12));
}

/* Elements that an array which moves shows, in all, wherever borders are. */
static bool shown_elements(const struct evaluation *evaluation, int e, int store, long *elements)
{
	const struct model_entry *entry = &evaluation->model->entries[e];
	*elements = 1;
	for (int l = 0; l < store; l++) {
		const struct array_profile *profile = &evaluation->profiles[l]->arrays[e];
		bool slides = l == store - 1 && profile->slides && !entry->is_written;
		if (__builtin_mul_overflow(*elements, slides ? profile->fresh : profile->sum, elements))
			return false;
	}
	return group_times_still(evaluation, e, store, elements);
}

/* The same, but for what borders leave out. */
static bool moved_elements(const struct evaluation *evaluation, int e, int store, long *elements)
{
	bool is_known = shown_elements(evaluation, e, store, elements);
	take_share(evaluation, e, store, elements);
	return is_known;
}

/* Elements of the last dimension that one transfer moves. */
static double run_length(const struct evaluation *evaluation, int e, int store)
{
	const struct model_entry *entry = &evaluation->model->entries[e];
	int last = entry->array->array->rank - 1;
	for (int l = 0; l < store; l++) {
		const struct array_profile *profile = &evaluation->profiles[l]->arrays[e];
		bool slides = l == store - 1 && profile->slides && !entry->is_written;
		if (!profile->is_fixed[last])
			return slides ? (double)profile->fresh / (double)evaluation->profiles[l]->loop.count
				: (double)profile->most[last];
	}
	return (double)entry->extent[last];
}

static bool whole_elements(const struct model_entry *entry, long *elements)
{
	*elements = 1;
	for (int d = 0; d < entry->array->array->rank; d++)
		if (__builtin_mul_overflow(*elements, entry->extent[d], elements))
			return false;
	return true;
}

/* Buffers that no loop moves are single, and those whose next region may hold what the
 * present one takes out, whether it comes or goes out again. */
static bool is_double(const struct evaluation *evaluation, int e, const struct group_use *use)
{
	const struct model_entry *entry = &evaluation->model->entries[e];
	if (!evaluation->doubles || !evaluation->doubles[entry->index] || entry->is_internal
		|| !use->store)
		return false;
	return use->is_kept || !entry->is_written || evaluation->profiles[use->store - 1]->arrays[e].is_apart;
}

/* Nobody outside the group needs ENTRY, a local array, and all that is read of it is written before;
 * it is no intermediate, as only one stage uses it or nobody reads it. */
static bool is_own(const struct group_model *model, const struct model_entry *entry)
{
	const struct group_array *array = entry->array;
	return array->is_created && !array->array->is_parameter
		&& array->first >= model->candidate.first && array->last <= model->candidate.last;
}

/* Each visit sets what it reads of an array that is made in the group: one stage makes and reads it, or
 * no element is in two visits, such as in those of a bias and a product along their rows. */
static bool sets_first(const struct evaluation *evaluation, int e, int store)
{
	const struct model_entry *entry = &evaluation->model->entries[e];
	long moved, whole;
	if (!entry->array->is_created)
		return false;
	if (entry->stage == entry->array->first)
		return true;
	return entry->array->first >= evaluation->model->candidate.first
		&& moved_elements(evaluation, e, store, &moved) && whole_elements(entry, &whole)
		&& (moved == whole || ((evaluation->is_block || evaluation->model->bounds_plans) && moved < whole));
}

struct group_use group_use_of(const struct evaluation *evaluation, int e, int store)
{
	const struct model_entry *entry = &evaluation->model->entries[e];
	struct group_use use = { .store = store, .is_kept = entry->may_be_kept };
	for (int l = 0; l < evaluation->choice->depth; l++)
		use.is_kept &= evaluation->profiles[l]->arrays[e].moves;
	/* What a stage makes it reads before it leaves the chip. */
	use.both = use.is_read_first = entry->is_written && entry->is_read
		&& !sets_first(evaluation, e, use.store);
	for (int l = 0; l < use.store; l++)
		use.both |= entry->is_written && !evaluation->profiles[l]->arrays[e].moves
			&& evaluation->profiles[l]->arrays[e].sum > 1;
	/* each visit sets what it reads: see stays_in_visits in passes/regions/general.c */
	use.is_dropped = is_own(evaluation->model, entry) && (!entry->is_read || !use.both);
	use.is_double = is_double(evaluation, e, &use);
	return use;
}

/* Elements of an array that is only read which come for its stage in each tile that touches some. */
static bool streamed_elements(const struct evaluation *evaluation, int e, long *elements)
{
	*elements = 1;
	for (int l = 0; l < evaluation->choice->depth; l++)
		if (__builtin_mul_overflow(*elements, evaluation->profiles[l]->arrays[e].sum, elements))
			return false;
	if (!group_times_still(evaluation, e, evaluation->choice->depth, elements))
		return false;
	take_share(evaluation, e, evaluation->choice->depth, elements);
	return true;
}

/* Of a block of choices more may be kept than is shown, as the one is of one choice and the other of another. */
static long less(long elements, long kept)
{
	return elements > kept ? elements - kept : 0;
}

/* Of the ELEMENTS that an array shows which is written, those that do not come back: those of first
 * visits, if these set them. */
static long set_at_first(const struct evaluation *evaluation, int e, const struct group_use *use,
	long elements)
{
	long first = elements;
	for (int l = 0; l < use->store; l++)
		if (!evaluation->profiles[l]->arrays[e].moves)
			first /= evaluation->profiles[l]->arrays[e].sum;
	bool is_set = evaluation->model->entries[e].array->is_created
		&& evaluation->model->entries[e].array->first >= evaluation->model->candidate.first;
	return use->is_read_first || (first < elements && !is_set) ? 0 : first;
}

/* What array E moves that is read and written as ELEMENTS say, neither of which is too large. */
static bool flow_of_elements(const struct evaluation *evaluation, int e, long read, long written,
	struct flow *flow)
{
	long bytes = evaluation->model->entries[e].array->array->type.bytes, all;
	*flow = (struct flow){ 0 };
	return add_product(&flow->read_bytes, read, bytes) && add_product(&flow->write_bytes, written, bytes)
		&& !__builtin_add_overflow(flow->read_bytes, flow->write_bytes, &all)
		/* two of them can be added up */
		&& all < LONG_MAX / 4;
}

/* What array E moves, the regions of whose visits come and go as USE says, but for KEPT elements that
 * are there before a visit and stay behind it. */
static bool moved_flow(const struct evaluation *evaluation, int e, const struct group_use *use, long kept,
	struct flow *flow)
{
	const struct model_entry *entry = &evaluation->model->entries[e];
	long shown, elements;
	if (!shown_elements(evaluation, e, use->store, &shown) || !moved_elements(evaluation, e, use->store, &elements))
		return false;
	long back = use->both ? less(less(elements, set_at_first(evaluation, e, use, shown)), kept) : 0;
	elements = less(elements, kept);
	return flow_of_elements(evaluation, e, entry->is_written ? back : elements,
		entry->is_written ? elements : 0, flow);
}

bool group_held_flow(const struct evaluation *evaluation, int e, const struct group_use *use, struct flow *flow)
{
	const struct model_entry *entry = &evaluation->model->entries[e];
	long elements = 0, kept;
	if (entry->is_internal || use->is_dropped)
		return flow_of_elements(evaluation, e, 0, 0, flow);
	if (use->is_kept)
		return whole_elements(entry, &elements) && flow_of_elements(evaluation, e, 0, elements, flow);
	return group_kept_at_turns(evaluation, e, use->store, &kept) && moved_flow(evaluation, e, use, kept, flow);
}

bool group_streamed_flow(const struct evaluation *evaluation, int e, struct flow *flow)
{
	long elements;
	if (!evaluation->model->entries[e].is_written)
		return streamed_elements(evaluation, e, &elements)
			&& flow_of_elements(evaluation, e, elements, 0, flow);
	const struct group_use use = group_use_of(evaluation, e, evaluation->choice->depth);
	return moved_flow(evaluation, e, &use, 0, flow);
}

double group_runs_of(const struct evaluation *evaluation, int e, const struct group_use *use, const struct flow *flow)
{
	const struct model_entry *entry = &evaluation->model->entries[e];
	if (use->is_kept || use->is_dropped || entry->is_internal
		|| (!entry->is_written && entry->stage >= 0 && !use->store))
		return 0;
	double run = entry->array->array->rank ? run_length(evaluation, e, use->store) : 1;
	long bytes = entry->is_written ? flow->write_bytes : flow->read_bytes;
	return run > 0 ? (double)(bytes / entry->array->array->type.bytes) / run : 0;
}
