/* Intermediates that stay on chip from one nest, or group, to a later one.  A buffer for all
 * of an array is its memory while it is there: whatever the loops around do, each element
 * has one place, and nothing needs to come or go.  So nests are lowered as if there was no
 * such thing, and what they leave free of the scratchpad is used. */

#include "passes/carry.h"

#include <stdlib.h>
#include <string.h>

#include "passes/schedule_lines.h"
#include "support/memory.h"

/* An array that is on chip from nest FIRST to nest LAST. */
struct carried {
	const struct array *array;
	int first, last;
	long saved_bytes;
	long bytes, offset_bytes;
	int bank, bank_count;        /* exclusive banks; else -1, 0 */
	bool is_wanted;              /* the user says so: before those that save more */
	bool is_done;
};

/* The buffers that a nest uses, in the plan's order. */
struct uses {
	int count;
	struct plan_buffer **buffers;
};

struct carrying {
	const struct compilation *compilation;
	struct plan *plan;
	struct uses *uses;           /* [nest] */
	int count;
	struct carried *arrays;      /* those that could be carried */
};

/* ---- who uses what ---- */

/* Once for all: a function may have thousands of nests. */
static struct uses *find_uses(const struct plan *plan)
{
	struct uses *uses = ARENA_ARRAY(plan->arena, struct uses, plan->nest_count + 1);
	bool *used = memory_alloc((size_t)plan->buffer_count + 1);
	for (int n = 0; n < plan->nest_count; n++) {
		memset(used, 0, (size_t)plan->buffer_count);
		plan_mark_buffers(plan->nests[n].body, used);
		int count = 0;
		for (int b = 0; b < plan->buffer_count; b++)
			count += used[b];
		uses[n].buffers = ARENA_ARRAY(plan->arena, struct plan_buffer *, count + 1);
		for (int b = 0; b < plan->buffer_count; b++)
			if (used[b])
				uses[n].buffers[uses[n].count++] = plan->buffers[b];
	}
	free(used);
	return uses;
}

/* How many buffers of ARRAY a nest has. */
static int buffers_of(const struct uses *uses, const struct array *array)
{
	int count = 0;
	for (int b = 0; b < uses->count; b++)
		count += uses->buffers[b]->array == array;
	return count;
}

static long bytes_moved(const struct plan_nest *nest, const struct array *array)
{
	long bytes = 0;
	for (int t = 0; t < nest->traffic_count; t++)
		if (nest->traffic[t].array == array)
			bytes += nest->traffic[t].read_bytes + nest->traffic[t].write_bytes;
	return bytes;
}

/* Fills in where ARRAY is used and what it moves.  False if it moves nothing, or has several
 * buffers in one nest, which then hold different parts of it. */
static bool find_use(const struct carrying *carrying, const struct array *array,
	struct carried *carried)
{
	const struct plan *plan = carrying->plan;
	*carried = (struct carried){ .array = array, .first = -1, .bank = -1 };
	for (int n = 0; n < plan->nest_count; n++) {
		int buffers = buffers_of(&carrying->uses[n], array);
		if (buffers > 1)
			return false;
		if (!buffers)
			continue;
		carried->first = carried->first < 0 ? n : carried->first;
		carried->last = n;
		carried->saved_bytes += bytes_moved(&plan->nests[n], array);
	}
	return carried->saved_bytes > 0 && !__builtin_mul_overflow(array->elements,
		array->type.bytes, &carried->bytes);
}

/* ---- what is wanted ---- */

/* LINE is below a heading of a nest of PLAN, a group or a part of one; or of no heading, and so of
 * the only nest. */
static bool is_about(const struct schedule_line *line, const struct plan *plan)
{
	if (!line->nest)
		return true;
	size_t length = strcspn(line->nest, "/");
	for (int n = 0; n < plan->nest_count; n++)
		if (strlen(plan->nests[n].name) == length
			&& !strncmp(plan->nests[n].name, line->nest, length))
			return true;
	return false;
}

static bool is_carry(const struct schedule_line *line, const struct array *array)
{
	return schedule_line_is(line, "carry") && !strcmp(line->words[1].text, array->name);
}

/* The line that wants ARRAY carried: of the schedule that was given, in some nest of the plan, or
 * a pragma; NULL: none. */
static const struct schedule_line *find_line(const struct compilation *compilation,
	const struct plan *plan, const struct array *array)
{
	const struct schedule_lines *lines = compilation->schedule;
	for (int i = 0; lines && i < lines->count; i++)
		if (is_carry(&lines->items[i], array) && is_about(&lines->items[i], plan))
			return &lines->items[i];
	for (int i = 0; i < plan->function->pragma_count; i++) {
		const struct schedule_line *line = schedule_line_of_pragma(compilation->arena,
			&plan->function->pragmas[i]);
		if (is_carry(line, array))
			return line;
	}
	return NULL;
}

bool carry_is_wanted(const struct compilation *compilation, const struct plan *plan)
{
	for (int i = 0; i < plan->function->array_count; i++)
		if (find_line(compilation, plan, plan->function->arrays[i]))
			return true;
	return false;
}

/* ARRAY is between its first and its last nest in PLAN on chip. */
static bool stays(const struct plan *plan, const struct array *array)
{
	for (int n = 0; n < plan->nest_count; n++)
		if (bytes_moved(&plan->nests[n], array))
			return false;
	return true;
}

bool carry_check(struct compilation *compilation, const struct plan *plan)
{
	for (int i = 0; i < plan->function->array_count; i++) {
		const struct array *array = plan->function->arrays[i];
		const struct schedule_line *line = find_line(compilation, plan, array);
		if (!line || stays(plan, array))
			continue;
		bool may = !array->is_parameter && !array->by_value && array->rank > 0;
		diag_error(compilation->diag, schedule_line_at(line), may ? "nothing fits: '%s' cannot stay on "
			"chip from the first nest that uses it to the last beside what these hold"
			: "'%s' is no local array: what the caller has cannot stay on chip", array->name);
		compilation->does_not_fit |= may;
		return false;
	}
	return true;
}

/* ---- places ---- */

/* What places are multiples of: for transfers and for elements of so many bytes, or banks. */
static long place_step(const struct arch *arch, long element_bytes)
{
	long unit = arch->align_bytes > 1 ? arch->align_bytes : 1, step = unit;
	while (step % element_bytes)
		step += unit;
	return arch->exclusive ? arch->scratchpad_bytes / arch->banks : step;
}

/* Where something ends that begins at OFFSET and has so many bytes, or whole BANKS. */
static long end_of(const struct arch *arch, long offset, long bytes, int bank_count)
{
	return arch->exclusive ? offset + bank_count * (arch->scratchpad_bytes / arch->banks)
		: offset + bytes;
}

static bool is_carried(const struct carrying *carrying, const struct array *array)
{
	for (int c = 0; c < carrying->count; c++)
		if (carrying->arrays[c].array == array && carrying->arrays[c].is_done)
			return true;
	return false;
}

/* The start of something that is in the way from OFFSET on while CARRIED is there; or -1. */
static long obstacle(const struct carrying *carrying, const struct carried *carried, long offset)
{
	const struct arch *arch = carrying->plan->arch;
	long end = end_of(arch, offset, carried->bytes, carried->bank_count);
	for (int n = carried->first; n <= carried->last; n++)
		for (int b = 0; b < carrying->uses[n].count; b++) {
			const struct plan_buffer *buffer = carrying->uses[n].buffers[b];
			long other_end = end_of(arch, buffer->offset_bytes, buffer->bytes, buffer->bank_count);
			if (buffer->array != carried->array && buffer->offset_bytes < end && offset < other_end)
				return buffer->offset_bytes;
		}
	for (int c = 0; c < carrying->count; c++) {
		const struct carried *other = &carrying->arrays[c];
		long other_end = end_of(arch, other->offset_bytes, other->bytes, other->bank_count);
		if (other->is_done && other->first <= carried->last && carried->first <= other->last
			&& other->offset_bytes < end && offset < other_end)
			return other->offset_bytes;
	}
	return -1;
}

/* The last place that is free, so that those below can move down.  False if there is none. */
static bool find_place(const struct carrying *carrying, struct carried *carried)
{
	const struct arch *arch = carrying->plan->arch;
	long granule = arch->align_bytes > 1 ? arch->align_bytes : 1;
	long bank_bytes = arch->scratchpad_bytes / arch->banks;
	long step = place_step(arch, carried->array->type.bytes);
	if (carried->bytes > arch->scratchpad_bytes)
		return false;
	carried->bytes = (carried->bytes + granule - 1) / granule * granule;
	if (arch->exclusive)
		carried->bank_count = (int)((carried->bytes + bank_bytes - 1) / bank_bytes);
	long size = end_of(arch, 0, carried->bytes, carried->bank_count);
	long end = arch->exclusive ? arch->banks * bank_bytes : arch->scratchpad_bytes;
	while (end >= size) {
		carried->offset_bytes = (end - size) / step * step;
		carried->bank = arch->exclusive ? (int)(carried->offset_bytes / bank_bytes) : -1;
		end = obstacle(carrying, carried, carried->offset_bytes);
		if (end < 0)
			return true;
	}
	return false;
}

/* In nest N what is above BUFFER, whose array is to be carried, moves down to where it was. */
static void close_gap(const struct carrying *carrying, int n, const struct plan_buffer *buffer)
{
	const struct uses *uses = &carrying->uses[n];
	const struct arch *arch = carrying->plan->arch;
	long end = end_of(arch, buffer->offset_bytes, buffer->bytes, buffer->bank_count);
	long element_bytes = 1;
	for (int b = 0; b < uses->count; b++) {
		const struct plan_buffer *other = uses->buffers[b];
		if (other == buffer || is_carried(carrying, other->array))
			continue;
		/* it may share its place with what comes for other stages */
		if (other->offset_bytes < end && buffer->offset_bytes
			< end_of(arch, other->offset_bytes, other->bytes, other->bank_count))
			return;
		if (other->array->type.bytes > element_bytes)
			element_bytes = other->array->type.bytes;
	}
	long step = place_step(arch, element_bytes), by = (end - buffer->offset_bytes) / step * step;
	for (int b = 0; b < uses->count; b++) {
		struct plan_buffer *other = uses->buffers[b];
		if (other == buffer || other->offset_bytes < end || is_carried(carrying, other->array))
			continue;
		other->offset_bytes -= by;
		if (arch->exclusive)
			other->bank -= buffer->bank_count;
	}
}

/* Some array that is carried over nest N shares its place with a buffer there. */
static bool collides(const struct carrying *carrying, int n)
{
	const struct plan *plan = carrying->plan;
	for (int c = 0; c < carrying->count; c++) {
		const struct carried *carried = &carrying->arrays[c];
		long end = end_of(plan->arch, carried->offset_bytes, carried->bytes, carried->bank_count);
		if (!carried->is_done || n < carried->first || n > carried->last)
			continue;
		for (int b = 0; b < carrying->uses[n].count; b++) {
			const struct plan_buffer *buffer = carrying->uses[n].buffers[b];
			if (buffer->offset_bytes < end && carried->offset_bytes < end_of(plan->arch,
				buffer->offset_bytes, buffer->bytes, buffer->bank_count)
				&& !is_carried(carrying, buffer->array))
				return true;
		}
	}
	return false;
}

/* All buffers of the nests that CARRIED is on chip in, one nest after the other.  Caller
 * frees. */
static struct plan_buffer *copy_buffers(const struct carrying *carrying,
	const struct carried *carried)
{
	size_t count = 0;
	for (int n = carried->first; n <= carried->last; n++)
		count += (size_t)carrying->uses[n].count;
	struct plan_buffer *copy = memory_alloc((count + 1) * sizeof *copy), *next = copy;
	for (int n = carried->first; n <= carried->last; n++)
		for (int b = 0; b < carrying->uses[n].count; b++)
			*next++ = *carrying->uses[n].buffers[b];
	return copy;
}

static void restore_buffers(const struct carrying *carrying, const struct carried *carried,
	const struct plan_buffer *copy)
{
	for (int n = carried->first; n <= carried->last; n++)
		for (int b = 0; b < carrying->uses[n].count; b++)
			*carrying->uses[n].buffers[b] = *copy++;
}

/* Closes the gaps that the array leaves in the nests that use it, and finds a place for it.
 * False if there is none; then all is as it was. */
static bool make_place(const struct carrying *carrying, struct carried *carried)
{
	struct plan_buffer *before = copy_buffers(carrying, carried);
	bool fits = true;
	for (int n = carried->first; n <= carried->last && fits; n++) {
		const struct uses *uses = &carrying->uses[n];
		for (int b = 0; b < uses->count; b++)
			if (uses->buffers[b]->array == carried->array)
				close_gap(carrying, n, uses->buffers[b]);
		fits = !collides(carrying, n);
	}
	fits = fits && find_place(carrying, carried);
	if (!fits)
		restore_buffers(carrying, carried, before);
	free(before);
	return fits;
}

/* ---- the plan without the transfers ---- */

/* BUFFER holds all of its array. */
static void hold_all(struct arena *arena, const struct carried *carried, struct plan_buffer *buffer)
{
	buffer->slots = 1;
	buffer->slot = NULL;
	buffer->is_double = false;
	buffer->offset_bytes = carried->offset_bytes;
	buffer->bytes = carried->bytes;
	buffer->bank = carried->bank;
	buffer->bank_count = carried->bank_count;
	for (int d = 0; d < buffer->rank; d++)
		buffer->dims[d] = (struct plan_dim){ .extent = carried->array->extents[d], .stride = 1,
			.origin = plan_const(arena, 0) };
}

/* What is left of the nest's bounds: each element of every other array.  The array's own
 * share was at most that each of its elements came once and went once, and no more than it
 * MOVED. */
static void lower_bounds(struct plan_nest *nest, const struct carried *carried, long moved)
{
	long total = plan_nest_bytes(nest), share;
	if (__builtin_mul_overflow(carried->bytes, 2, &share) || share > moved)
		share = moved;
	nest->compulsory_bytes = nest->compulsory_bytes > share ? nest->compulsory_bytes - share : 0;
	nest->lower_bound_bytes = nest->bound_bytes = nest->compulsory_bytes;
	nest->lower_bound_argument = "compulsory";
	nest->optimal = total == nest->bound_bytes;
}

/* What nest N needs now, with all that is carried over it. */
static void measure(const struct carrying *carrying, int n)
{
	const struct plan *plan = carrying->plan;
	struct plan_nest *nest = &plan->nests[n];
	nest->scratchpad_used_bytes = 0;
	nest->is_double = false;
	for (int b = 0; b < carrying->uses[n].count; b++) {
		const struct plan_buffer *buffer = carrying->uses[n].buffers[b];
		long end = end_of(plan->arch, buffer->offset_bytes, buffer->bytes, buffer->bank_count);
		nest->is_double |= buffer->is_double;
		if (end > nest->scratchpad_used_bytes)
			nest->scratchpad_used_bytes = end;
	}
	for (int c = 0; c < carrying->count; c++) {
		const struct carried *carried = &carrying->arrays[c];
		long end = end_of(plan->arch, carried->offset_bytes, carried->bytes, carried->bank_count);
		if (carried->is_done && carried->first <= n && n <= carried->last
			&& end > nest->scratchpad_used_bytes)
			nest->scratchpad_used_bytes = end;
	}
}

static void carry(struct carrying *carrying, struct carried *carried)
{
	struct plan *plan = carrying->plan;
	carried->is_done = true;
	for (int n = carried->first; n <= carried->last; n++) {
		struct plan_nest *nest = &plan->nests[n];
		long moved = bytes_moved(nest, carried->array);
		const struct uses *uses = &carrying->uses[n];
		bool is_used = buffers_of(uses, carried->array) > 0;
		for (int b = 0; b < uses->count; b++)
			if (uses->buffers[b]->array == carried->array)
				hold_all(plan->arena, carried, uses->buffers[b]);
		plan_drop_transfers(nest->body, carried->array);
		for (int t = 0; t < nest->traffic_count; t++)
			if (nest->traffic[t].array == carried->array)
				nest->traffic[t].read_bytes = nest->traffic[t].write_bytes = 0;
		if (is_used) {
			lower_bounds(nest, carried, moved);
			nest->schedule = arena_printf(plan->arena, "%scarry %s\n", nest->schedule,
				carried->array->name);
		}
	}
	for (int n = carried->first; n <= carried->last; n++)
		measure(carrying, n);
}

static bool comes_before(const struct carried *one, const struct carried *other)
{
	return one->is_wanted != other->is_wanted ? one->is_wanted
		: one->saved_bytes > other->saved_bytes;
}

void carry_arrays(const struct compilation *compilation, struct plan *plan)
{
	const struct function *function = plan->function;
	struct carrying carrying = { compilation, plan, find_uses(plan), 0,
		ARENA_ARRAY(plan->arena, struct carried, function->array_count + 1) };
	for (int i = 0; i < function->array_count; i++) {
		const struct array *array = function->arrays[i];
		struct carried *next = &carrying.arrays[carrying.count];
		if (!array->is_parameter && !array->by_value && array->rank > 0
			&& (!compilation->schedule || find_line(compilation, plan, array))
			&& find_use(&carrying, array, next)) {
			next->is_wanted = find_line(compilation, plan, array) != NULL;
			carrying.count++;
		}
	}
	for (int i = 0; i < carrying.count; i++) {
		struct carried *most = NULL;
		for (int c = 0; c < carrying.count; c++)
			if (carrying.arrays[c].saved_bytes && !carrying.arrays[c].is_done
				&& (!most || comes_before(&carrying.arrays[c], most)))
				most = &carrying.arrays[c];
		if (most && make_place(&carrying, most))
			carry(&carrying, most);
		if (most)
			most->saved_bytes = 0;
	}
}
