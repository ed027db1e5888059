/* What an array of processing elements reads from and writes to the scratchpad, in closed form.
 *
 * Within a tile of the scratchpad the steps are to the registers what tiles are to the scratchpad: the same
 * formulas count both (passes/cost/model.c), of boxes cut as elements share them.  The tiles of a loop have two sizes at
 * most, so one tile of each kind is counted and multiplied. */

#include "passes/cost/array_model.h"

#include <string.h>

#include "passes/cost/array_parts.h"

#include "passes/cost/model_math.h"

/* Tiles of one kind: whole along some loops, the smaller last tile along others. */
struct kind {
	struct nest_model model;     /* the nest of one tile; arrays as their words are counted */
	struct schedule steps;       /* the steps as its tiles */
	bool is_last[MODEL_LOOPS];
	long tiles[MODEL_LOOPS];     /* how many, along each loop */
};

struct evaluation {
	const struct nest_model *model;
	const struct pe_array *machine;
	const struct schedule *outer;
	struct mapping *mapping;
	struct mapped mapped;        /* the same */
	struct kind *kind;
	bool overflow;
};

static long times(struct evaluation *evaluation, long a, long b)
{
	long product = 0;

	if (__builtin_mul_overflow(a, b, &product))
		evaluation->overflow = true;
	return evaluation->overflow ? 0 : product;
}

static void add(struct evaluation *evaluation, long *total, long more)
{
	if (__builtin_add_overflow(*total, more, total))
		evaluation->overflow = true;
}

long mapping_step(const struct mapping *mapping, const struct schedule *outer, int loop)
{
	long tile = outer->tile[loop];

	return mapping->space[loop] > tile / mapping->part[loop] ? tile : mapping->space[loop] * mapping->part[loop];
}

/* The loop at POSITION of tile loops and step loops. */
static int loop_at(const struct schedule *outer, const struct mapping *mapping, int position)
{
	return position < outer->depth ? outer->order[position] : mapping->order[position - outer->depth];
}

void mapping_order(const struct nest_model *model, const struct schedule *outer, struct mapping *mapping)
{
	mapping->depth = 0;
	for (int l = 0; l < model->loop_count; l++) {
		mapping->is_serpentine[l] = false;
		if (mapping_step(mapping, outer, l) < outer->tile[l])
			mapping->order[mapping->depth++] = l;
	}
}

void mapping_stream(const struct nest_model *model, const struct schedule *outer, struct mapping *mapping)
{
	for (int a = 0; a < model->array_count; a++) {
		int depth = outer->depth + mapping->depth;

		while (depth > 0 && !array_is_indexed(&model->arrays[a], loop_at(outer, mapping, depth - 1)))
			depth--;
		mapping->holds[a] = (struct hold){ .depth = depth, .slots = 1 };
	}
}

/* ---- rules ---- */

/* The axes have room for the elements. */
static bool space_is_legal(const struct nest_model *model, const struct pe_array *machine, const struct mapping *mapping)
{
	long used[] = { 1, 1, 1 }, room[] = { machine->x, machine->y, (long)machine->x * machine->y };

	for (int l = 0; l < model->loop_count; l++) {
		enum axis axis = mapping->axis[l];

		if (mapping->space[l] < 1)
			return false;
		if (mapping->space[l] == 1)
			continue;
		if ((axis == AXIS_FREE) != machine->is_free || mapping->space[l] > room[axis] / used[axis])
			return false;
		used[axis] *= mapping->space[l];
	}
	return true;
}

/* Step loops are those with more than one step, once each. */
static bool steps_are_legal(const struct nest_model *model, const struct schedule *outer, const struct mapping *mapping)
{
	bool is_ordered[MODEL_LOOPS] = { false };
	int depth = 0;

	for (int l = 0; l < model->loop_count; l++) {
		long tile = outer->tile[l];

		if (mapping->part[l] < 1 || mapping->part[l] > tile ||
			mapping->space[l] - 1 > (tile - 1) / mapping->part[l])
			return false;
		depth += mapping_step(mapping, outer, l) < tile;
		if (mapping->is_serpentine[l] && model->loops[l].is_forward)
			return false;
	}
	if (depth != mapping->depth)
		return false;
	for (int i = 0; i < depth; i++) {
		int loop = mapping->order[i];

		if (loop < 0 || loop >= model->loop_count || is_ordered[loop] ||
			mapping_step(mapping, outer, loop) == outer->tile[loop])
			return false;
		is_ordered[loop] = true;
	}
	return true;
}

static unsigned axis_bit(const struct mapping *mapping, int loop)
{
	return 1u << mapping->axis[loop];
}

/* Elements that share an output add it up, others have outputs of their own: each part, wherever it is, shares no element
 * of the array with another. */
static bool sums_are_legal(const struct evaluation *evaluation, int a)
{
	const struct nest_model *model = evaluation->model;
	const struct mapping *mapping = evaluation->mapping;
	const struct model_array *array = &model->arrays[a];
	struct schedule parts = { .depth = 0 };
	bool is_in_space = false;

	for (int l = 0; l < model->loop_count; l++) {
		bool is_indexed = array_is_indexed(array, l);

		parts.tile[l] = model->loops[l].extent;
		if (mapping->space[l] == 1)
			continue;
		if (!is_indexed && !(array->anchored >> l & 1) && !(evaluation->machine->reduce & axis_bit(mapping, l)))
			return false;
		if (is_indexed) {
			is_in_space = true;
			parts.tile[l] = mapping->part[l];
			parts.order[parts.depth++] = l;
		}
	}
	return !is_in_space || regions_are_disjoint(model, &parts, array, parts.depth);
}

static bool hold_is_legal(const struct evaluation *evaluation, int a)
{
	const struct schedule *outer = evaluation->outer;
	const struct mapping *mapping = evaluation->mapping;
	const struct model_array *array = &evaluation->model->arrays[a];
	const struct hold *hold = &mapping->holds[a];
	int moving;

	if (hold->depth < outer->storage[a].store || hold->depth > outer->depth + mapping->depth || hold->slots < 1 ||
		(hold->slots > 1 && array->anchored))
		return false;
	if ((array->is_written && !sums_are_legal(evaluation, a)) ||
		(hold->is_double && (array->anchored || hold->depth == 0)))
		return false;
	if (hold->depth == 0)
		return true;
	moving = loop_at(outer, mapping, hold->depth - 1);
	if (!array_is_indexed(array, moving))
		return false;
	for (int d = 0; d < array->rank && hold->is_sliding; d++)
		for (int l = 0; l < evaluation->model->loop_count && array->dims[d].coefficient[moving] > 0; l++)
			if (array->dims[d].coefficient[l] > 0 && mapping->space[l] > 1)
				return false;
	return true;
}

/* Sums of array A leave for a memory that adds them up: each visit begins and ends by itself, and what it has is all
 * there is, or is added. */
static bool is_added(const struct evaluation *evaluation, int a)
{
	const struct schedule *outer = evaluation->outer;
	const struct mapping *mapping = evaluation->mapping;
	const struct hold *hold = &mapping->holds[a];
	bool is_in_steps = hold->depth > outer->depth;
	bool adds = hold->may_add && hold->slots == 1 && !evaluation->model->arrays[a].is_dropped;

	for (int i = 0; i < outer->depth && i < hold->depth && adds && !is_in_steps; i++)
		adds = !outer->is_serpentine[outer->order[i]];
	for (int i = 0; i < hold->depth - outer->depth && adds; i++)
		adds = !mapping->is_serpentine[mapping->order[i]];
	return adds;
}

/* ---- counts ---- */

bool elements_are_apart(const struct mapped *mapped, enum view view, int loop)
{
	return mapped->mapping->space[loop] > 1 &&
		(view == EACH_ELEMENT || !(mapped->machine->multicast & axis_bit(mapped->mapping, loop)));
}

struct split elements_split(const struct mapped *mapped, int loop, long tile)
{
	long step = mapping_step(mapped->mapping, mapped->outer, loop), part = mapped->mapping->part[loop];

	return (struct split){ tile, step < tile ? step : tile, part < tile ? part : tile };
}

/* No more than there are elements. */
long elements_sharing(const struct mapped *mapped, int a, enum view view, const long *tile)
{
	const struct model_array *array = &mapped->model->arrays[a];
	long count = 1;

	for (int l = 0; l < mapped->model->loop_count; l++) {
		struct split split = elements_split(mapped, l, tile[l]);

		if (!array_is_indexed(array, l) && !(array->anchored >> l & 1) && elements_are_apart(mapped, view, l))
			count *= split_elements(&split, tile[l]);
	}
	return count;
}

static void fill_splits(const struct evaluation *evaluation, const struct model_array *array, enum view view,
	const long *tile, struct split *splits)
{
	for (int l = 0; l < evaluation->model->loop_count; l++)
		splits[l] = array_is_indexed(array, l) && elements_are_apart(&evaluation->mapped, view, l) ?
			elements_split(&evaluation->mapped, l, tile[l]) : (struct split){ 0, 0, 0 };
}

/* Words of an array's visits: all, and those in which a region comes for the first time. */
struct words { long all, first, registers; };

/* Of ARRAY all words that come to registers, or leave them, are counted, and those of a first visit apart. */
static void count_as_words(struct model_array *array)
{
	array->element_bytes = 1;
	array->align_bytes = 1;
	array->is_created = array->is_written;
	array->is_dropped = false;
}

/* The visits of a buffer at STORE of SCHEDULE, a schedule of MODEL whose loops are cut as they are in tiles of TILE. */
static bool count_visits(struct evaluation *evaluation, int a, enum view view, const struct nest_model *model,
	const struct schedule *schedule, const struct storage *storage, const long *tile,
	const struct origins *origins, struct words *words)
{
	struct split splits[MODEL_LOOPS];
	struct cut cut = { splits, origins };
	const struct model_array *array = &evaluation->kind->model.arrays[a];
	struct storage counted = *storage;

	fill_splits(evaluation, array, view, tile, splits);
	if (!array_cut_evaluate(model, schedule, array, &cut, &counted))
		return false;
	words->all = array->is_written ? counted.flow.write_bytes : counted.flow.read_bytes;
	words->first = array->is_written ? words->all - counted.flow.read_bytes : 0;
	words->registers = counted.bytes;
	return true;
}

/* Adds WORDS, TIMES times, of which FIRST_TIMES are the first, to what the array moves. */
static void add_words(struct evaluation *evaluation, int a, enum view view, const struct words *words, long all_times,
	long first_times, const long *tile)
{
	const struct model_array *array = &evaluation->model->arrays[a];
	struct hold *hold = &evaluation->mapping->holds[a];
	long all = times(evaluation, words->all, all_times), first = times(evaluation, words->first, first_times);
	long sharing = elements_sharing(&evaluation->mapped, a, view, tile);

	if (array->is_written && view == EACH_ELEMENT) {
		long read = hold->adds ? 0 : all - (array->is_created ? first : 0), written = all - (array->is_dropped ? first : 0);

		add(evaluation, &hold->read, read);
		add(evaluation, &hold->written, written);
		add(evaluation, &hold->delivered, read);
		add(evaluation, &hold->delivered, written);
		add(evaluation, &hold->reduced, times(evaluation, all, sharing - 1));
	} else if (!array->is_written && array->is_read) {
		add(evaluation, view == EACH_ELEMENT ? &hold->delivered : &hold->read, times(evaluation, all, sharing));
	}
}

/* Registers hold what array A needs now and what comes next; results never leave the room of others. */
static bool needs_two(const struct evaluation *evaluation, int a)
{
	return evaluation->mapping->holds[a].is_double &&
		(evaluation->model->arrays[a].is_written || !evaluation->machine->shares_room);
}

/* A buffer that a tile loop moves, or none: its visits are those of a buffer of the outer schedule. */
static bool count_tiles(struct evaluation *evaluation, int a, enum view view)
{
	struct hold *hold = &evaluation->mapping->holds[a];
	struct storage storage = { .store = hold->depth, .slots = hold->slots, .is_sliding = hold->is_sliding,
		.is_double = needs_two(evaluation, a) };
	struct words words;

	if (!count_visits(evaluation, a, view, evaluation->model, evaluation->outer, &storage, evaluation->outer->tile,
		NULL, &words))
		return false;
	if (view == EACH_ELEMENT)
		hold->registers = words.registers;
	add_words(evaluation, a, view, &words, 1, 1, evaluation->outer->tile);
	return true;
}

/* How often the tiles of KIND are there for an array: ALL of them, and those that its regions are seen in for the first time.
 * A clipped array's regions depend on where tiles are along loops that index it, so these count as ORIGINS. */
static void count_kind(struct evaluation *evaluation, const struct model_array *array, const struct kind *kind,
	struct origins *origins, long *all, long *first)
{
	const struct nest_model *model = evaluation->model;

	*all = *first = 1;
	for (int l = 0; l < model->loop_count; l++) {
		bool is_indexed = array_is_indexed(array, l);
		long tiles = kind->tiles[l], tile = evaluation->outer->tile[l], extent = model->loops[l].extent;

		origins[l] = (struct origins){ kind->is_last[l] ? extent / tile * tile : 0, tile, tiles, extent };
		if (array->anchored >> l & 1)
			tiles = origins[l].count = !kind->is_last[l];
		if (!is_indexed || !array_is_clipped(array)) {
			*all = times(evaluation, *all, tiles);
			*first = times(evaluation, *first, is_indexed ? tiles : !kind->is_last[l]);
		}
	}
}

/* A buffer that a step loop moves, in the tiles of one kind. */
static bool count_steps(struct evaluation *evaluation, int a, enum view view, bool is_whole)
{
	const struct kind *kind = evaluation->kind;
	const struct model_array *array = &kind->model.arrays[a];
	struct hold *hold = &evaluation->mapping->holds[a];
	struct storage storage = { .store = hold->depth - evaluation->outer->depth, .slots = hold->slots,
		.is_sliding = hold->is_sliding, .is_double = needs_two(evaluation, a) };
	int moving = kind->steps.order[storage.store - 1];
	long tile[MODEL_LOOPS], steps = tile_count(kind->model.loops[moving].extent, kind->steps.tile[moving]);
	struct origins origins[MODEL_LOOPS];
	long all, first;
	struct words words;

	if (is_whole && storage.slots > steps)
		return false;
	storage.slots = storage.slots < steps ? storage.slots : steps;
	for (int l = 0; l < kind->model.loop_count; l++)
		tile[l] = kind->model.loops[l].extent;
	count_kind(evaluation, array, kind, origins, &all, &first);
	if (!count_visits(evaluation, a, view, &kind->model, &kind->steps, &storage, tile, origins, &words))
		return false;
	if (is_whole && view == EACH_ELEMENT)
		hold->registers = words.registers;
	add_words(evaluation, a, view, &words, all, first, tile);
	return true;
}

static bool count_view(struct evaluation *evaluation, int a, enum view view, bool is_whole)
{
	bool is_moved_by_tiles = evaluation->mapping->holds[a].depth <= evaluation->outer->depth;

	if (view == EACH_READ && evaluation->model->arrays[a].is_written)
		return true;
	return is_moved_by_tiles ? !is_whole || count_tiles(evaluation, a, view) :
		count_steps(evaluation, a, view, is_whole);
}

/* Takes the kinds of tiles in turn, whole ones first, as digits of a number; false after the last. */
static bool next_kind(struct evaluation *evaluation)
{
	for (int l = 0; l < evaluation->model->loop_count; l++) {
		if (evaluation->model->loops[l].extent % evaluation->outer->tile[l] == 0)
			continue;
		evaluation->kind->is_last[l] = !evaluation->kind->is_last[l];
		if (evaluation->kind->is_last[l])
			return true;
	}
	return false;
}

static void fill_kind(const struct evaluation *evaluation)
{
	struct kind *kind = evaluation->kind;

	for (int l = 0; l < evaluation->model->loop_count; l++) {
		long tile = evaluation->outer->tile[l], extent = evaluation->model->loops[l].extent;
		long step = mapping_step(evaluation->mapping, evaluation->outer, l);

		kind->tiles[l] = kind->is_last[l] ? 1 : extent / tile;
		kind->model.loops[l].extent = kind->is_last[l] ? extent % tile : tile;
		kind->steps.tile[l] = step < kind->model.loops[l].extent ? step : kind->model.loops[l].extent;
	}
}

static void count_registers(struct evaluation *evaluation)
{
	struct mapping *mapping = evaluation->mapping;

	mapping->register_bytes = 0;
	for (int role = 0; role < ROLE_COUNT; role++)
		mapping->role_bytes[role] = 0;
	for (int a = 0; a < evaluation->model->array_count; a++) {
		const struct model_array *array = &evaluation->model->arrays[a];
		long bytes = times(evaluation, mapping->holds[a].registers, array->element_bytes);

		add(evaluation, &mapping->register_bytes, bytes);
		if (evaluation->machine->is_split)
			add(evaluation, &mapping->role_bytes[array->role], bytes);
	}
}

static bool registers_fit(const struct pe_array *machine, const struct mapping *mapping)
{
	for (int role = 0; role < ROLE_COUNT && machine->is_split; role++)
		if (mapping->role_bytes[role] > machine->role_bytes[role])
			return false;
	return mapping->register_bytes <= machine->registers_bytes;
}

static bool count_arrays(struct evaluation *evaluation)
{
	struct kind kind;            /* large, and this is called often: what is not needed is not set */
	bool is_whole = true;

	evaluation->kind = &kind;
	memset(kind.is_last, 0, sizeof kind.is_last);
	model_copy(evaluation->model, &kind.model);
	for (int a = 0; a < kind.model.array_count; a++)
		count_as_words(&kind.model.arrays[a]);
	kind.steps.depth = evaluation->mapping->depth;
	memcpy(kind.steps.order, evaluation->mapping->order, sizeof kind.steps.order);
	memcpy(kind.steps.is_serpentine, evaluation->mapping->is_serpentine, sizeof kind.steps.is_serpentine);
	do {
		fill_kind(evaluation);
		for (enum view view = EACH_ELEMENT; view <= EACH_READ; view++) {
			for (int a = 0; a < evaluation->model->array_count; a++)
				if (!count_view(evaluation, a, view, is_whole))
					return false;
			/* most mappings that are tried do not fit, which whole tiles tell */
			if (!is_whole || view == EACH_READ)
				continue;
			count_registers(evaluation);
			if (evaluation->overflow || !registers_fit(evaluation->machine, evaluation->mapping))
				return false;
		}
		is_whole = false;
	} while (next_kind(evaluation));
	return true;
}

/* Steps, elements, and the iterations of an element that has work in all steps. */
static void count_work(struct evaluation *evaluation)
{
	struct mapping *mapping = evaluation->mapping;

	mapping->steps = mapping->cycles = mapping->elements = 1;
	for (int l = 0; l < evaluation->model->loop_count; l++) {
		long extent = evaluation->model->loops[l].extent, tile = evaluation->outer->tile[l], cycles = 0;
		struct split split = elements_split(&evaluation->mapped, l, tile);
		long rests[] = { tile % split.step, extent % tile % split.step };
		long counts[] = { extent / tile, 1 }, steps = split_steps(&split, extent);

		for (int i = 0; i < 2; i++) {
			steps -= rests[i] > 0 ? counts[i] : 0;
			cycles += counts[i] * (rests[i] < split.part ? rests[i] : split.part);
		}
		cycles += steps * split.part;
		mapping->steps = times(evaluation, mapping->steps, split_steps(&split, extent));
		mapping->cycles = times(evaluation, mapping->cycles, cycles);
		mapping->elements = times(evaluation, mapping->elements, mapping->space[l]);
	}
}

bool mapping_evaluate(const struct nest_model *model, const struct pe_array *machine, const struct schedule *outer,
	struct mapping *mapping)
{
	struct evaluation evaluation = { .model = model, .machine = machine, .outer = outer, .mapping = mapping,
		.mapped = { model, machine, outer, mapping } };

	if (!space_is_legal(model, machine, mapping) || !steps_are_legal(model, outer, mapping))
		return false;
	for (int a = 0; a < model->array_count; a++) {
		struct hold *hold = &mapping->holds[a];

		if (!hold_is_legal(&evaluation, a))
			return false;
		hold->adds = is_added(&evaluation, a);
		hold->registers = hold->read = hold->written = hold->delivered = hold->reduced = 0;
	}
	if (!count_arrays(&evaluation))
		return false;
	count_work(&evaluation);
	return !evaluation.overflow;
}
