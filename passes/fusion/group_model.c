/* What a group of nests moves and needs, in numbers.  Regions are boxes: in each dimension an
 * array moves with one loop at most, so that sums over tiles are products of sums over the
 * tiles of each loop (a profile).  The boxes are those of passes/regions/general.c; its plan's own
 * count is what is reported. */

#include <limits.h>
#include <math.h>
#include <string.h>

#include "passes/fusion/group_model.h"

static bool add_product(long *sum, long factor, long count)
{
	long product;
	return !__builtin_mul_overflow(factor, count, &product)
		&& !__builtin_add_overflow(*sum, product, sum);
}

/* One side of the buffer of an internal array, or of one that is kept, which may be double. */
static long internal_side(const struct evaluation *evaluation, int e, int d, bool is_double)
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

/* One side of the buffer of another array, and whether any loop moves it. */
static long outer_side(const struct evaluation *evaluation, int e, int d, int store)
{
	long side = evaluation->model->entries[e].extent[d];
	for (int l = 0; l < store; l++)
		if (!evaluation->profiles[l]->arrays[e].is_fixed[d])
			side = evaluation->profiles[l]->arrays[e].most[d];
	return side;
}

static bool is_moved_twice(const struct evaluation *evaluation, int e, int d)
{
	int movers = 0;
	for (int l = 0; l < evaluation->choice->depth; l++)
		movers += !evaluation->profiles[l]->arrays[e].is_fixed[d];
	return movers > 1;
}

static int store_of(const struct evaluation *evaluation, int e)
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

/* What a group does with an array that is not held for a stage. */
struct use {
	int store;
	bool is_kept;
	bool is_dropped;             /* nothing of it is moved */
	bool both;                   /* it comes and goes */
	bool is_read_first;          /* even where nothing comes back */
	bool is_double;
};

/* Buffers that no loop moves are single, and those whose next region may hold what the
 * present one takes out, whether it comes or goes out again. */
static bool is_double(const struct evaluation *evaluation, int e, const struct use *use)
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

/* What the group does with array E, whose buffer is inside the first STORE loops. */
static struct use use_of(const struct evaluation *evaluation, int e, int store)
{
	const struct model_entry *entry = &evaluation->model->entries[e];
	struct use use = { .store = store, .is_kept = entry->may_be_kept };
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

/* The buffer of an array that is not held for a stage: two slots if it is double, or a ring
 * for two windows. */
static bool buffer_bytes(const struct evaluation *evaluation, int e, const struct use *use,
	long *buffer)
{
	const struct model_entry *entry = &evaluation->model->entries[e];
	const struct array_profile *inner = use->store
		? &evaluation->profiles[use->store - 1]->arrays[e] : NULL;
	bool stays = entry->is_internal || use->is_kept, slides = inner && inner->slides
		&& !entry->is_written;
	long bytes = entry->array->array->type.bytes * (use->is_double && !stays && !slides ? 2 : 1);
	for (int d = 0; d < entry->array->array->rank; d++) {
		long side = stays ? internal_side(evaluation, e, d, use->is_double)
			: outer_side(evaluation, e, d, use->store);
		if (use->is_double && slides && !stays && inner->most_of_two[d] > side)
			side = inner->most_of_two[d];
		if (__builtin_mul_overflow(bytes, side, &bytes))
			return false;
	}
	*buffer = bytes;
	return true;
}

/* The memories that an array may lie in, as bits. */
static unsigned memories_of(const struct evaluation *evaluation, const struct model_entry *entry)
{
	unsigned said = evaluation->constraints ? evaluation->constraints->memories[entry->index] : 0;
	return said ? said : entry->memories;
}

/* The only memory of a set; -1: there are several. */
static int only_memory(unsigned memories)
{
	return memories & (memories - 1) ? -1 : __builtin_ctz(memories);
}

/* What a buffer of so many BYTES takes of each memory. */
static void find_rooms(const struct evaluation *evaluation, long bytes, long *rooms)
{
	for (int m = 0; m < evaluation->memory_count; m++)
		rooms[m] = place_room(&evaluation->memories[m], bytes);
}

static bool add_buffer(struct evaluation *evaluation, int e, const struct use *use)
{
	const struct model_entry *entry = &evaluation->model->entries[e];
	unsigned memories = memories_of(evaluation, entry);
	int only = only_memory(memories);
	long bytes;
	if (!buffer_bytes(evaluation, e, use, &bytes))
		return false;
	if (evaluation->doubles)
		evaluation->choice->is_double[entry->index] = use->is_double;
	if (only >= 0) {
		evaluation->need[only] += place_room(&evaluation->memories[only], bytes);
		evaluation->choice->memory[entry->index] = only;
	} else {
		struct open_buffer *open = &evaluation->open[evaluation->open_count++];
		*open = (struct open_buffer){ .index = entry->index, .memories = memories };
		find_rooms(evaluation, bytes, open->place);
	}
	return true;
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
static long set_at_first(const struct evaluation *evaluation, int e, const struct use *use,
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
static bool moved_flow(const struct evaluation *evaluation, int e, const struct use *use, long kept,
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

/* What array E moves that has a buffer of its own. */
static bool held_flow(const struct evaluation *evaluation, int e, const struct use *use, struct flow *flow)
{
	const struct model_entry *entry = &evaluation->model->entries[e];
	long elements = 0, kept;
	if (entry->is_internal || use->is_dropped)
		return flow_of_elements(evaluation, e, 0, 0, flow);
	if (use->is_kept)
		return whole_elements(entry, &elements) && flow_of_elements(evaluation, e, 0, elements, flow);
	return group_kept_at_turns(evaluation, e, use->store, &kept) && moved_flow(evaluation, e, use, kept, flow);
}

/* What array E moves that comes, and goes, for its stage in each tile. */
static bool streamed_flow(const struct evaluation *evaluation, int e, struct flow *flow)
{
	long elements;
	if (!evaluation->model->entries[e].is_written)
		return streamed_elements(evaluation, e, &elements)
			&& flow_of_elements(evaluation, e, elements, 0, flow);
	const struct use use = use_of(evaluation, e, evaluation->choice->depth);
	return moved_flow(evaluation, e, &use, 0, flow);
}

/* An array that only one stage uses; what it moves if it is HELD. */
static bool add_item(struct evaluation *evaluation, int e, const struct use *use, const struct flow *held)
{
	struct group_model *model = evaluation->model;
	const struct model_entry *entry = &model->entries[e];
	const struct array *array = entry->array->array;
	struct held_item *item = &evaluation->items[evaluation->item_count++];
	long place = array->type.bytes, held_place;
	*item = (struct held_item){ .entry = entry, .stage = entry->stage, .is_moved = use->store > 0,
		.is_double = use->is_double, .held = *held, .memories = memories_of(evaluation, entry),
		.is_streamed = evaluation->constraints
		&& evaluation->constraints->is_streamed[entry->index] };
	for (int d = 0; d < array->rank; d++) {
		item->side[d] = outer_side(evaluation, e, d, use->store);
		if (__builtin_mul_overflow(place, item->side[d], &place))
			return false;
	}
	if (!buffer_bytes(evaluation, e, use, &held_place))
		return false;
	find_rooms(evaluation, place, item->place);
	find_rooms(evaluation, held_place, item->held_place);
	return streamed_flow(evaluation, e, &item->streamed);
}

/* SUM is so much MORE.  False if that is too large. */
static bool add_flow(struct flow *sum, const struct flow *more)
{
	long all;
	return !__builtin_add_overflow(sum->read_bytes, more->read_bytes, &sum->read_bytes)
		&& !__builtin_add_overflow(sum->write_bytes, more->write_bytes, &sum->write_bytes)
		&& !__builtin_add_overflow(sum->read_bytes, sum->write_bytes, &all);
}

/* How many contiguous pieces FLOW of array E, which has a buffer of its own, consists of; none of what is
 * read and stays for all tiles. */
static double runs_of(const struct evaluation *evaluation, int e, const struct use *use, const struct flow *flow)
{
	const struct model_entry *entry = &evaluation->model->entries[e];
	if (use->is_kept || use->is_dropped || entry->is_internal
		|| (!entry->is_written && entry->stage >= 0 && !use->store))
		return 0;
	double run = entry->array->array->rank ? run_length(evaluation, e, use->store) : 1;
	long bytes = entry->is_written ? flow->write_bytes : flow->read_bytes;
	return run > 0 ? (double)(bytes / entry->array->array->type.bytes) / run : 0;
}

/* All arrays: what moves, and what one stage alone uses as items.  False if a number is too large. */
static bool add_arrays(struct evaluation *evaluation)
{
	struct group_model *model = evaluation->model;
	for (int e = 0; e < model->entry_count; e++) {
		const struct model_entry *entry = &model->entries[e];
		struct use use = use_of(evaluation, e, store_of(evaluation, e));
		struct flow flow;
		for (int d = 0; d < entry->array->array->rank; d++)
			if (is_moved_twice(evaluation, e, d))
				return false;
		bool is_item = !entry->is_internal && !use.is_dropped && entry->stage >= 0;
		if (!held_flow(evaluation, e, &use, &flow))
			return false;
		flow.runs = runs_of(evaluation, e, &use, &flow);
		evaluation->flow.runs += flow.runs;
		if (is_item ? !add_item(evaluation, e, &use, &flow)
			: !add_buffer(evaluation, e, &use) || !add_flow(&evaluation->flow, &flow))
			return false;
	}
	return true;
}

static double repetition_of(const struct evaluation *evaluation)
{
	const struct group_model *model = evaluation->model;
	double runs = 0, total = 0;
	for (int m = 0; m <= model->candidate.last - model->candidate.first; m++) {
		double own = model->weights[m];
		total += own;
		for (int l = 0; l < evaluation->choice->depth; l++)
			own *= evaluation->profiles[l]->runs[m];
		runs += own;
	}
	return total > 0 ? runs / total : 1;
}

/* Decides what is held, and fills in the choice; false if nothing fits, or moves less than
 * is wanted: choice.need is then the least that would do. */
static bool hold(struct evaluation *evaluation, const struct group_limits *limits,
	struct group_choice *choice)
{
	const struct flow flow = evaluation->flow;
	long before[MEMORY_LIMIT];
	int members = evaluation->model->candidate.last - evaluation->model->candidate.first + 1;
	memcpy(before, evaluation->need, sizeof before);
	memset(evaluation->pool, 0, (size_t)(members * evaluation->memory_count) * sizeof *evaluation->pool);
	evaluation->overlaps = false;
	for (int i = 0; i < evaluation->item_count; i++)
		evaluation->overlaps |= evaluation->doubles && !evaluation->items[i].must_be_held
			&& evaluation->doubles[evaluation->items[i].entry->index];
	group_find_chunks(evaluation);
	long need = group_least_need(evaluation, limits);
	bool found = need <= limits->capacity && choice->repetition <= limits->repetition
		&& group_choose_held(evaluation, limits);
	choice->need = need;
	if (found) {
		choice->flow = evaluation->flow;
		group_choose_chunks(evaluation, limits);
	}
	evaluation->flow = flow;
	memcpy(evaluation->need, before, sizeof before);
	return found;
}

/* What a loop moves has to be held (HOLDS), but for what the user wants to come for its stage;
 * or not.  True if there is some that need not be. */
static bool hold_moved(struct evaluation *evaluation, const struct group_limits *limits, bool holds)
{
	bool any = false;
	for (int i = 0; i < evaluation->item_count; i++) {
		struct held_item *item = &evaluation->items[i];
		bool is_free = !item->is_streamed && !(limits->holds_results && item->entry->is_written);
		item->must_be_held = !item->is_streamed && (!is_free || (holds && item->is_moved));
		any |= is_free && item->is_moved;
	}
	return any;
}

static struct evaluation evaluation_of(struct group_model *model, struct group_choice *choice)
{
	const struct arch *arch = model->groups->compilation->arch;
	struct evaluation evaluation = { .model = model, .choice = choice,
		.memory_count = arch_memory_count(arch), .open = model->open, .items = model->items,
		.pool = model->pool, .stage_loop = model->stage_loop };
	for (int m = 0; m < evaluation.memory_count; m++)
		evaluation.memories[m] = place_memory(arch, m);
	return evaluation;
}

bool group_evaluate(struct group_model *model, const struct group_limits *limits,
	struct group_choice *choice)
{
	const struct loop_profile *profiles[GROUP_DEPTH];
	for (int l = 0; l < choice->depth; l++)
		profiles[l] = group_profile_of(model, &choice->loops[l]);
	return group_evaluate_with(model, limits, profiles, false, choice);
}

bool group_evaluate_with(struct group_model *model, const struct group_limits *limits,
	const struct loop_profile *const *profiles, bool is_block, struct group_choice *choice)
{
	enum { COMBINATIONS = 64 };
	struct evaluation evaluation = evaluation_of(model, choice);
	evaluation.is_block = is_block;
	evaluation.constraints = limits->constraints;
	evaluation.doubles = limits->doubles;
	int members = model->candidate.last - model->candidate.first + 1;
	for (int m = 0; m < members; m++)
		model->stage_loop[m] = -1;
	choice->need = LONG_MAX;
	choice->is_optimal = true;
	for (int l = 0; l < choice->depth; l++) {
		evaluation.profiles[l] = profiles[l];
		if (!evaluation.profiles[l])
			return false;
	}
	if (!add_arrays(&evaluation))
		return false;
	choice->repetition = repetition_of(&evaluation);
	bool may_stream = hold_moved(&evaluation, limits, true);
	bool found = hold(&evaluation, limits, choice);
	if (!may_stream)
		return found;
	struct group_limits rest = *limits;
	long need = choice->need;
	int tries = 0;
	hold_moved(&evaluation, limits, false);
	group_first_loops(&evaluation);
	do {
		if (found)
			rest.most = group_choice_cost(choice);
		rest.takes_equals &= !found;
		/* that something fits has to be seen */
		if (need <= limits->capacity && !group_may_improve(&evaluation, &rest))
			break;
		bool is_better = hold(&evaluation, &rest, choice);
		need = is_better || (!found && choice->need < need) ? choice->need : need;
		found |= is_better;
	} while (++tries < COMBINATIONS && group_next_loops(&evaluation));
	choice->is_optimal &= tries < COMBINATIONS;
	choice->need = need;
	return found;
}

struct cost group_least_cost(struct group_model *model)
{
	struct group_choice choice = { .depth = 0 };
	struct evaluation evaluation = evaluation_of(model, &choice);
	choice.memory = model->array_memory;
	if (!add_arrays(&evaluation))
		return cost_of_bytes(0);
	long bytes = flow_bytes(&evaluation.flow);
	for (int i = 0; i < evaluation.item_count; i++)
		if (__builtin_add_overflow(bytes, flow_bytes(&evaluation.items[i].held), &bytes))
			return cost_infinite();
	return cost_of_bytes((double)bytes);
}
