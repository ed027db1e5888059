/* The provider of regions that have no closed form: isl finds the box around what a visit
 * touches, when it is empty, and whether it must be fetched.  A visit moves its whole box,
 * or of each of its rows what is touched (passes/regions/rows.c). */

#include <limits.h>

#include "ir/coalesce.h"
#include "ir/isl_work.h"
#include "passes/regions/ahead.h"
#include "passes/regions/general.h"
#include "passes/regions/region_memo.h"
#include "passes/regions/rows.h"
#include "passes/tiles/expressions.h"
#include "passes/analysis/lattice.h"
#include "passes/cost/created.h"
#include "passes/cost/place.h"

#define ARENA(lowering) ((lowering)->compilation->arena)

/* isl's work on one region: where it is skewed that may have no end, and another schedule may
 * be simpler. */
enum { REGION_OPERATIONS = 400000 };

static bool measure_region(struct lowering *lowering, int a, struct general_region *region,
	struct plan_buffer *buffer)
{
	bool is_known;
	if (!region_memo_take_box(lowering, a, region, &is_known)) {
		unsigned long begun = isl_operations(lowering->compilation->ctx);
		struct isl_work work = isl_work_begin(lowering->compilation->ctx, REGION_OPERATIONS);
		region->footprint = footprint_by_lattice(buffer,
			footprint_find(lowering, a, lowering->holdings[a].store, IN_TILE));
		region_find_box(region, buffer->rank);
		is_known = isl_work_end(&work);
		region_memo_keep_box(lowering, a, region, is_known, begun);
	}
	return is_known && region_set_extents(region, buffer);
}

/* ---- what moves ---- */

/* isl's work on sets that are no boxes, which grows fast where they have many cases; and on all
 * that is asked of what is moved. */
enum { ROW_OPERATIONS = 500000, TRANSFER_OPERATIONS = 1500000 };

/* The elements of array A that a visit writes, or all that it touches. */
static __isl_give isl_set *visit_elements(const struct lowering *lowering, int a, bool writes_only)
{
	return by_lattice(lowering->buffers[a],
		touched_by(lowering, a, writes_only, lowering->holdings[a].store));
}

/* Transfers of the elements of SET, of nothing else; NULL if they have no simple form. */
static struct plan_node *rows_of(struct lowering *lowering, int a, bool is_put,
	__isl_keep isl_set *set)
{
	struct plan_node *block = plan_block(ARENA(lowering));
	return set && append_rows(lowering, a, is_put, isl_set_copy(set), block) ? block : NULL;
}

/* Where what a visit reads is no box, its rows come instead of the box. */
static void find_get_rows(struct lowering *lowering, int a, const struct general_region *region)
{
	isl_ctx *ctx = lowering->compilation->ctx;
	struct isl_work work = isl_work_begin(ctx, ROW_OPERATIONS);
	isl_set *elements = visit_elements(lowering, a, false);
	struct plan_node *rows = box_has_holes(elements, region->footprint.visits, &region->box)
		? rows_of(lowering, a, false, elements) : NULL;
	isl_set_free(elements);
	if (isl_work_end(&work) && rows) {
		lowering->general[a].visit.get_rows = rows;
		lowering->general[a].visit.fetches = NULL;
	}
}

/* In some visit there are elements in REGION's box that are not in SET, where that has any. */
static bool leaves_holes(__isl_keep isl_set *set, const struct general_region *region)
{
	if (!set)
		return false;
	isl_set *visits = isl_set_params(isl_set_copy(set));
	bool does = box_has_holes(set, visits, &region->box);
	isl_set_free(visits);
	return does;
}

/* Where what a visit writes, or reads before it writes it, is no box, but can be moved by itself: only that goes out,
 * and only that comes in.  False if that is not so. */
static bool find_put_rows(struct lowering *lowering, int a, struct general_region *region)
{
	isl_ctx *ctx = lowering->compilation->ctx;
	struct isl_work work = isl_work_begin(ctx, ROW_OPERATIONS);
	isl_set *written = visit_elements(lowering, a, true);
	isl_set *read = by_lattice(lowering->buffers[a], read_before_written(lowering, a));
	bool is_read = read && isl_set_is_empty(read) == isl_bool_false;
	bool has_holes = leaves_holes(written, region) || (is_read && leaves_holes(read, region));
	struct plan_node *puts = has_holes ? rows_of(lowering, a, true, written) : NULL;
	struct plan_node *gets = puts && is_read ? rows_of(lowering, a, false, read) : puts;
	isl_set_free(written);
	isl_set_free(read);
	if (!isl_work_end(&work) || !gets)
		return false;
	region->visit.is_put = true;
	region->visit.put_rows = puts;
	region->visit.is_fetched = is_read;
	region->visit.get_rows = is_read ? gets : NULL;
	return true;
}

/* Each visit sets what it reads of array A, and nobody needs a value of it after the nest. */
static bool stays_in_visits(struct lowering *lowering, int a)
{
	const struct reference_group *array = &lowering->groups->items[a];
	if (!array->is_written || array->has_siblings || !nest_is_dropped(lowering->variant, array))
		return false;
	isl_set *read = read_before_written(lowering, a);
	bool stays = !read || isl_set_is_empty(read) == isl_bool_true;
	isl_set_free(read);
	return stays;
}

/* What a visit writes is all of the box. */
static bool writes_whole_boxes(const struct lowering *lowering, int a,
	const struct general_region *region)
{
	isl_set *written = visit_elements(lowering, a, true);
	bool is_whole = !box_has_holes(written, region->footprint.visits, &region->box);
	isl_set_free(written);
	return is_whole;
}

/* What of the box is moved when.  False if that has no plan. */
static bool find_transfers(struct lowering *lowering, int a, struct general_region *region)
{
	const struct reference_group *array = &lowering->groups->items[a];
	if (stays_in_visits(lowering, a)) {
		region->visit.is_fetched = region->visit.is_put = false;
		return true;
	}
	bool must_cut = lowering->must_cut && lowering->must_cut[a];
	bool may_cut = must_cut || !lowering->schedule->moves_boxes;
	bool is_cut = array->is_written && may_cut && find_put_rows(lowering, a, region);
	if (must_cut && !is_cut && !writes_whole_boxes(lowering, a, region))
		return false;
	if (!is_cut)
		region_fill_moves(lowering, a, region);
	if (!region->knows_slide)
		slide_find(lowering, a, region);
	if (!array->is_written && may_cut && region->visit.slide < 0)
		find_get_rows(lowering, a, region);
	return true;
}

/* How far ahead array A's buffer asks.  Not where it is known of some visits alone what is kept, or apart. */
static void fill_ahead(const struct lowering *lowering, int a, struct general_region *region,
	struct plan_buffer *buffer)
{
	const struct turning turning = { .mover = lowering->holdings[a].store - 1, .slots = lowering->holdings[a].slots };
	region->visit.ahead = turning.mover;
	if (!region->still && (!lowering->groups->items[a].is_written || !region->visit.is_fetched))
		ask_ahead(lowering, a, &turning, buffer, &region->visit);
}

/* Where the box begins, and what of it is moved when. */
static bool fill_region(struct lowering *lowering, int a, struct general_region *region,
	struct plan_buffer *buffer)
{
	const struct plan_name *names = *lowering->names;
	int depth = lowering->holdings[a].store;
	bool done;
	if (!region->is_touched)
		return true;
	unsigned long begun[2] = { isl_operations(lowering->compilation->ctx) };
	struct isl_work work = isl_work_begin(lowering->compilation->ctx, REGION_OPERATIONS);
	bool has_ends = region_memo_take_ends(lowering, a, region)
		|| region_find_ends(lowering, region, depth, buffer->rank);
	if (!isl_work_end(&work) || !has_ends)
		return false;
	region_fill_origins(lowering, region, depth, buffer);
	if (!region_memo_take_transfers(lowering, a, region, &done)) {
		begun[1] = isl_operations(lowering->compilation->ctx);
		work = isl_work_begin(lowering->compilation->ctx, TRANSFER_OPERATIONS);
		done = find_transfers(lowering, a, region);
		done = isl_work_end(&work) && done;
		if (done)
			still_find(lowering, a, region);
		region_memo_keep_transfers(lowering, a, region, done, names, begun);
	}
	if (done) {
		slide_fill(lowering, a, region, buffer);
		still_fill(lowering, a, region, lowering->holdings[a].slots);
		fill_ahead(lowering, a, region, buffer);
	}
	return done;
}

static bool stays_on_chip(const struct reference_group *array)
{
	return array->is_internal || array->is_kept;
}

/* The elements that BUFFER, array A's, may have room for.  Fused groups have a model of their own,
 * which knows no strides: there it is all of them. */
static void find_lattice(const struct lowering *lowering, int a, struct plan_buffer *buffer)
{
	for (int d = 0; d < buffer->rank; d++) {
		const struct lattice lattice = !lowering->model ? (struct lattice){ 1, 0 }
			: reference_group_lattice(lowering->compilation, lowering->nest,
			&lowering->groups->items[a], d);
		buffer->dims[d].stride = lattice.stride;
		buffer->dims[d].phase = lattice.phase;
	}
}

static bool measure_buffer(struct lowering *lowering, int a)
{
	struct plan_buffer *buffer = lowering->buffers[a] = new_buffer(lowering, a);
	find_lattice(lowering, a, buffer);
	if (!(stays_on_chip(&lowering->groups->items[a]) ? on_chip_measure(lowering, a, buffer)
		: lowering->holdings[a].store < 0 ? streamed_measure(lowering, a, &lowering->general[a], buffer)
		: measure_region(lowering, a, &lowering->general[a], buffer)))
		return false;
	for (int d = 0; d < buffer->rank; d++)
		if (!buffer->dims[d].extent)
			buffer->dims[d] = (struct plan_dim){ .extent = 1, .stride = 1,
				.origin = plan_const(ARENA(lowering), 0) };
	if (!stays_on_chip(&lowering->groups->items[a]) && lowering->holdings[a].store > 0)
		general_hold_slots(lowering, a, &lowering->general[a], buffer);
	return buffer_measure(buffer);
}

/* Tiles so small that counting what they move would end without a result, though all but
 * the longest loop is what is walked: that is no schedule to ask isl about. */
static bool has_too_many_visits(const struct lowering *lowering)
{
	double steps = 0;
	for (int a = 0; a < lowering->groups->count; a++) {
		const struct reference_group *array = &lowering->groups->items[a];
		double visits = 1, longest = 1;
		for (int l = 0; l < lowering->holdings[a].store && !array->is_internal; l++) {
			double count = (double)lowering->loops[l].count;
			visits *= count;
			longest = count > longest ? count : longest;
		}
		steps += visits / longest * (1 + array->is_written);
	}
	return steps > COUNT_STEPS;
}

/* What the buffers need is more than can be counted; *NEEDED says at least how much.  They grow
 * with symbolic sizes, up to the largest of these. */
static bool need_too_much(const struct lowering *lowering, long *needed)
{
	long most = LONG_MAX / 8, bytes = 0;
	for (int a = 0; a < lowering->groups->count; a++)
		if (__builtin_add_overflow(bytes, lowering->buffers[a]->bytes, &bytes))
			bytes = LONG_MAX;
	*needed = bytes;
	return bytes > most;
}

/* Array A comes for a stage; else it is there all the time. */
static bool is_streamed(const struct lowering *lowering, int a)
{
	return lowering->holdings[a].store < 0;
}

/* Of the requests for a memory the first, REQUESTS[FIRST], is what is there all the time, the one M + 1
 * after it what comes for stage M: those take turns.  Where they come while the one before still
 * computes, every other one lies at the end. */
static void ask_for_stages(const struct lowering *lowering, const struct place *places,
	struct place_request *requests, int first)
{
	int at = 0;
	for (int m = 0; m < lowering->stage_count; m++) {
		struct place_request *request = &requests[first + m + 1];
		bool any = false;
		for (int a = 0; a < lowering->groups->count; a++)
			any |= places[a].request == first + m + 1;
		request->first = lowering->overlaps_stages ? at - 1 : at;
		request->last = at;
		request->is_at_end = lowering->overlaps_stages && at % 2;
		at += any;
	}
	requests[first].first = -1;
	requests[first].last = at;
}

/* What the REQUESTS [count] need of MEMORIES is at most what ARCH has of each; *NEEDED: all together, and
 * more than ARCH has if some do not fit. */
static bool requests_fit(const struct memory *memories, const struct place_request *requests, int count,
	const struct arch *arch, long *needed)
{
	bool fits = true;
	*needed = 0;
	for (int m = 0; m < arch_memory_count(arch); m++) {
		long need = place_need(&memories[m], requests, count);
		fits &= need <= arch_memory(arch, m).bytes;
		if (__builtin_add_overflow(*needed, need, needed))
			*needed = LONG_MAX;
	}
	if (!fits && *needed <= arch->scratchpad_bytes)
		*needed = arch->scratchpad_bytes + 1;
	return fits && (!arch->memory_count || *needed <= arch->scratchpad_bytes);
}

bool general_place(struct lowering *lowering, const struct arch *arch, long *needed)
{
	const struct arch *own = lowering->compilation->arch;
	int count = lowering->groups->count, turns = lowering->stage_count + 1;
	int request_count = arch_memory_count(own) * turns;
	struct memory memories[MEMORY_LIMIT];
	struct place *places = ARENA_ARRAY(ARENA(lowering), struct place, count + 1);
	struct place_request *requests = ARENA_ARRAY(ARENA(lowering), struct place_request, request_count);
	for (int a = 0; a < count; a++)
		places[a] = (struct place){ .request = lowering->holdings[a].memory * turns
			+ (is_streamed(lowering, a) ? stage_of(lowering, a) + 1 : 0),
			.bytes = lowering->buffers[a]->bytes,
			.element_bytes = lowering->groups->items[a].array->type.bytes };
	for (int m = 0; m < arch_memory_count(own); m++) {
		memories[m] = place_memory(own, m);
		for (int r = 0; r < turns; r++)
			requests[m * turns + r].memory = &memories[m];
		ask_for_stages(lowering, places, requests, m * turns);
	}
	*needed = LONG_MAX;
	if (!place_buffers(places, count, requests, request_count))
		return false;
	for (int a = 0; a < count; a++) {
		struct plan_buffer *buffer = lowering->buffers[a];
		buffer->memory = lowering->holdings[a].memory;
		buffer->bytes = places[a].bytes;
		buffer->offset_bytes = places[a].offset;
		buffer->bank = place_bank(&memories[buffer->memory], places[a].offset);
		buffer->bank_count = place_bank_count(&memories[buffer->memory], places[a].bytes);
	}
	return requests_fit(memories, requests, request_count, arch, needed);
}

static int largest_buffer(const struct lowering *lowering)
{
	int largest = -1;
	for (int a = 0; a < lowering->groups->count; a++)
		if (largest < 0 || lowering->buffers[a]->bytes > lowering->buffers[largest]->bytes)
			largest = a;
	return largest;
}

/* Most schedules that are tried do not fit: nothing more is asked of isl than whether
 * they do. */
static bool measure_and_fill(struct lowering *lowering, long *needed)
{
	const struct reference_groups *groups = lowering->groups;
	for (int a = 0; a < groups->count; a++)
		if (!measure_buffer(lowering, a)) {
			lowering->refused = a;
			return false;
		}
	general_double_wanted(lowering);
	lowering->refused = largest_buffer(lowering);
	if (need_too_much(lowering, needed))
		return false;
	bool fits = general_place(lowering, lowering->compilation->arch, needed);
	if (fits && has_too_many_visits(lowering)) {
		*needed = 0;
		return false;
	}
	if (fits)
		general_double_what_fits(lowering);
	for (int a = 0; a < groups->count && fits; a++) {
		lowering->refused = a;
		fits = groups->items[a].is_internal || (groups->items[a].is_kept
			? on_chip_fill_kept(lowering, a, &lowering->general[a], lowering->buffers[a])
			: lowering->holdings[a].store < 0
			? streamed_fill(lowering, a, &lowering->general[a], lowering->buffers[a])
			: fill_region(lowering, a, &lowering->general[a], lowering->buffers[a]));
	}
	if (fits)
		lowering->refused = -1;
	return fits;
}

bool make_general_buffers(struct lowering *lowering, long *needed)
{
	int count = lowering->groups->count;
	lowering->general = ARENA_ARRAY(ARENA(lowering), struct general_region, count + 1);
	for (int a = 0; a < count; a++) {
		lowering->general[a].visit.slide = -1;
		lowering->general[a].visit.ahead = lowering->holdings[a].store - 1;
	}
	*needed = 0;
	bool fits = measure_and_fill(lowering, needed);
	for (int a = 0; a < count; a++) {
		lowering->visits[a] = lowering->general[a].visit;
		box_free(&lowering->general[a].box);
		footprint_end(&lowering->general[a].footprint);
	}
	return fits;
}
