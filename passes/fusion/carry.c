/* Carried arrays: which there could be, where they are, and what becomes of the plan.  A place
 * for all of an array is its memory while it is there: whatever the loops around do, each
 * element has one place, and nothing needs to come or go. */

#include "passes/analysis/roles.h"
#include "passes/fusion/carry.h"

#include <limits.h>
#include <string.h>

#include "ir/plan_names.h"
#include "passes/tiles/lowering.h"
#include "passes/variants/schedule_lines.h"

/* ---- what is wanted ---- */

/* LINE is below a heading of FUNCTION's (F, F.2, F.2-4 or F.2/0), or below none. */
static bool is_about(const struct schedule_line *line, const struct function *function)
{
	size_t length = strlen(function->name);
	return !line->nest || (!strncmp(line->nest, function->name, length)
		&& (!line->nest[length] || line->nest[length] == '.' || line->nest[length] == '/'));
}

static bool is_carry(const struct schedule_line *line, const struct array *array)
{
	return schedule_line_is(line, "carry") && !strcmp(line->words[1].text, array->name);
}

/* The line that wants ARRAY carried: of the schedule that was given, or a pragma; NULL: none. */
static const struct schedule_line *find_line(const struct compilation *compilation,
	const struct function *function, const struct array *array)
{
	const struct schedule_lines *lines = compilation->request.schedule;
	for (int i = 0; lines && i < lines->count; i++)
		if (is_carry(&lines->items[i], array) && is_about(&lines->items[i], function))
			return &lines->items[i];
	for (int i = 0; i < function->pragma_count; i++) {
		const struct schedule_line *line = schedule_line_of_pragma(compilation->arena,
			&function->pragmas[i]);
		if (is_carry(line, array))
			return line;
	}
	return NULL;
}

/* Those of MEMORIES that LINE lets ARRAY lie in: it may be about something else. */
static unsigned left_by(const struct schedule_line *line, const struct arch *arch,
	const struct array *array, unsigned memories)
{
	size_t length = strlen(array->name);
	if (!schedule_line_is(line, "memory") || line->word_count != 3
		|| strncmp(line->words[1].text, array->name, length)
		|| (line->words[1].text[length] && line->words[1].text[length] != ':'))
		return memories;
	int m = arch_memory_named(arch, line->words[2].text);
	return m < 0 ? memories : 1u << m;
}

/* The memories that ARRAY of FUNCTION may lie in: that of a line which says one; else those that hold one of
 * the roles that it has in its NESTS [count]. */
static unsigned memories_of(const struct compilation *compilation, const struct nest *nests, int count,
	const struct array *array)
{
	const struct schedule_lines *lines = compilation->request.schedule;
	const struct function *function = nests->function;
	unsigned memories = 0;
	for (int n = 0; n < count; n++)
		memories |= array_memories(compilation->arch, &nests[n], array);
	for (int i = 0; i < function->pragma_count; i++)
		memories = left_by(schedule_line_of_pragma(compilation->arena, &function->pragmas[i]),
			compilation->arch, array, memories);
	for (int i = 0; lines && i < lines->count; i++)
		if (is_about(&lines->items[i], function))
			memories = left_by(&lines->items[i], compilation->arch, array, memories);
	return memories;
}

bool carry_is_wanted(const struct compilation *compilation, const struct function *function)
{
	for (int i = 0; i < function->array_count; i++)
		if (find_line(compilation, function, function->arrays[i]))
			return true;
	return false;
}

static bool may_be_carried(const struct array *array)
{
	return !array->is_parameter && !array->by_value && array->rank > 0;
}

static bool refuse(struct compilation *compilation, const struct schedule_line *line,
	const struct array *array)
{
	bool may = may_be_carried(array);
	diag_error(compilation->diag, schedule_line_at(line), may ? "nothing fits: '%s' cannot stay on "
		"chip from the first nest that uses it to the last beside what these hold"
		: "'%s' is no local array: what the caller has cannot stay on chip", array->name);
	compilation->failure.does_not_fit |= may;
	return false;
}

bool carry_refuse(struct compilation *compilation, const struct carry_space *space)
{
	const struct array *first = NULL;
	for (int c = 0; c < space->count && !first; c++)
		if (space->wanted >> c & 1)
			first = space->candidates[c].array;
	return refuse(compilation, find_line(compilation, space->function, first), first);
}

bool carry_check(struct compilation *compilation, const struct plan *plan)
{
	for (int i = 0; i < plan->function->array_count; i++) {
		const struct array *array = plan->function->arrays[i];
		const struct schedule_line *line = find_line(compilation, plan->function, array);
		long moved = may_be_carried(array) ? 0 : 1;
		for (int n = 0; n < plan->nest_count && line; n++)
			moved += plan_nest_moves(&plan->nests[n], array);
		if (line && moved)
			return refuse(compilation, line, array);
	}
	return true;
}

/* ---- candidates ---- */

/* The nests that use ARRAY. */
static void add_candidate(const struct compilation *compilation, const struct nest *nests, int count,
	const struct array *array, struct carry_space *space)
{
	struct carry_candidate candidate = { array, -1, -1, memories_of(compilation, nests, count, array) };
	long bytes;
	for (int n = 0; n < count; n++)
		for (int a = 0; a < nests[n].arrays->count; a++)
			if (nests[n].arrays->items[a].array == array) {
				candidate.first = candidate.first < 0 ? n : candidate.first;
				candidate.last = n;
			}
	/* whatever the scratchpad is: what is remembered of sets is so for all sizes */
	if (candidate.first < candidate.last && space->count < CARRY_LIMIT
		&& !__builtin_mul_overflow(array->elements, array->type.bytes, &bytes)
		&& bytes < LONG_MAX / (2 * CARRY_LIMIT))
		space->candidates[space->count++] = candidate;
}

void carry_find(const struct compilation *compilation, const struct nest *nests, int count,
	bool is_free, struct carry_space *space)
{
	const struct function *function = nests->function;
	*space = (struct carry_space){ .arch = compilation->arch, .function = function,
		.nest_count = count, .array_count = function->array_count,
		.is_given = !is_free || compilation->request.schedule };
	for (int i = 0; i < function->array_count && count <= FUNCTION_NESTS; i++)
		if (may_be_carried(function->arrays[i]))
			add_candidate(compilation, nests, count, function->arrays[i], space);
	for (int c = 0; c < space->count; c++)
		if (find_line(compilation, function, space->candidates[c].array))
			space->wanted |= 1UL << c;
}

/* ---- places ---- */

int carry_largest(const struct carry_space *space, unsigned long mask)
{
	int largest = -1;
	long most = -1;
	for (int c = 0; c < space->count; c++) {
		const struct array *array = space->candidates[c].array;
		if (mask >> c & 1 && array->elements * array->type.bytes > most) {
			most = array->elements * array->type.bytes;
			largest = c;
		}
	}
	return largest;
}

/* All of them begin where the largest element of any can. */
static long step_of(const struct carry_space *space, const struct memory *memory, unsigned long mask)
{
	int element = 1;
	for (int c = 0; c < space->count; c++)
		if (mask >> c & 1 && space->candidates[c].array->type.bytes > element)
			element = space->candidates[c].array->type.bytes;
	return place_step(memory, element);
}

bool carry_has_ways(const struct carry_space *space)
{
	for (int c = 0; c < space->count; c++)
		if (space->candidates[c].memories & (space->candidates[c].memories - 1))
			return true;
	return false;
}

/* The memory of MEMORIES with most left beside the first COUNT requests; the first of equals. */
static int roomiest(const struct carrying *carrying, unsigned memories, int count)
{
	int best = -1;
	long most = 0;
	for (int m = 0; m < arch_memory_count(carrying->space->arch); m++) {
		long left = carrying->memories[m].bytes
			- place_need(&carrying->memories[m], carrying->requests, count);
		if (memories >> m & 1 && (best < 0 || left > most)) {
			best = m;
			most = left;
		}
	}
	return best;
}

/* Places the carried arrays of LEFT, the largest first, each in the memory that has most left of those it
 * may lie in, and in the others where that leaves no place for one after it; TRIES are left of this.  False if
 * there is no place. */
static bool place_all(struct carrying *carrying, unsigned long left, int *tries)
{
	if (!left)
		return true;
	int c = carry_largest(carrying->space, left), own = carrying->count;
	const struct carry_candidate *candidate = &carrying->space->candidates[c];
	carrying->request_of[c] = own;
	carrying->count++;
	for (unsigned memories = candidate->memories; memories && (*tries)-- > 0; ) {
		int m = roomiest(carrying, memories, own);
		const struct memory *memory = &carrying->memories[m];
		carrying->requests[own] = (struct place_request){ .memory = memory,
			.first = candidate->first, .last = candidate->last, .is_at_end = true,
			.step = carrying->steps[m],
			.bytes = place_room(memory, candidate->array->elements * candidate->array->type.bytes) };
		place_requests(carrying->requests, own, own + 1);
		if (place_need(memory, carrying->requests, own + 1) <= memory->bytes
			&& place_all(carrying, left & ~(1UL << c), tries))
			return true;
		carrying->count = own + 1;
		memories &= ~(1u << m);
	}
	return false;
}

/* CARRYING is of the candidates in MASK; places are for those in PLACED, which have none yet. */
static void begin(const struct compilation *compilation, const struct carry_space *space, unsigned long mask,
	unsigned long placed, struct carrying *carrying)
{
	*carrying = (struct carrying){ .space = space, .mask = mask,
		.carried = { space->array_count,
			ARENA_ARRAY(compilation->arena, bool, space->array_count + 1) } };
	for (int m = 0; m < arch_memory_count(space->arch); m++) {
		carrying->memories[m] = place_memory(space->arch, m);
		carrying->steps[m] = step_of(space, &carrying->memories[m], placed);
	}
	for (int c = 0; c < space->count; c++)
		if (mask >> c & 1)
			carrying->carried.is_carried[space->candidates[c].array->index] = true;
}

bool carry_place(const struct compilation *compilation, const struct carry_space *space,
	unsigned long mask, struct carrying *carrying)
{
	int tries = CARRY_PLACES;
	begin(compilation, space, mask, mask, carrying);
	return place_all(carrying, mask, &tries);
}

unsigned long carry_possible(const struct compilation *compilation, const struct carry_space *space)
{
	unsigned long possible = 0;
	struct carrying carrying;
	for (int c = 0; c < space->count; c++)
		if (carry_place(compilation, space, 1UL << c, &carrying))
			possible |= 1UL << c;
	return possible;
}

/* Side by side, wherever they lie: a candidate that may lie in several memories takes no room of any. */
bool carry_part(const struct compilation *compilation, const struct carry_space *space, unsigned long carried, unsigned long free,
	int first, int last, struct carrying *carrying)
{
	bool *is_free = ARENA_ARRAY(compilation->arena, bool, space->array_count + 1);
	begin(compilation, space, carried | free, carried, carrying);
	carrying->carried.is_free = is_free;
	for (int c = 0; c < space->count; c++) {
		const struct carry_candidate *candidate = &space->candidates[c];
		is_free[candidate->array->index] = free >> c & 1;
		if (!(carried >> c & 1) || candidate->memories & (candidate->memories - 1))
			continue;
		int m = __builtin_ctz(candidate->memories);
		const struct memory *memory = &carrying->memories[m];
		carrying->requests[carrying->count] = (struct place_request){ .memory = memory, .first = first, .last = last,
			.is_at_end = true, .step = 1, .bytes = place_room(memory, candidate->array->elements * candidate->array->type.bytes) };
		place_requests(carrying->requests, carrying->count, carrying->count + 1);
		carrying->count++;
		if (place_need(memory, carrying->requests, carrying->count) > memory->bytes)
			return false;
	}
	return true;
}

const struct arch *carry_arch(const struct compilation *compilation,
	const struct carrying *carrying, int first, int last)
{
	const struct arch *all = carrying->space->arch;
	long left[MEMORY_LIMIT], most = 0, gaps = 0;
	bool is_taken = false;
	for (int m = 0; m < arch_memory_count(all); m++) {
		long bytes = arch_memory(all, m).bytes, step = carrying->steps[m];
		long taken = place_reach(&carrying->memories[m], carrying->requests, carrying->count, true,
			first, last);
		left[m] = taken ? bytes / step * step - taken : bytes;
		most = left[m] > most ? left[m] : most;
		is_taken |= taken > 0;
		gaps += taken ? step - 1 : 0;
		if (left[m] < 0)
			return NULL;
	}
	if (!is_taken)
		return all;
	if (!most || place_share(carrying->requests, carrying->count, first, last))
		return NULL;
	struct arch *arch = ARENA_NEW(compilation->arena, struct arch);
	*arch = arch_left(all, left);
	/* behind what the nests need of a memory what is carried begins at a multiple of its step */
	if (arch_is_limited(all))
		arch->scratchpad_bytes -= gaps;
	return arch->scratchpad_bytes > 0 ? arch : NULL;
}

unsigned long carry_candidates(const struct carry_space *space, int first, int last, const struct nest *nests)
{
	unsigned long used = 0;
	for (int n = first; n <= last; n++)
		for (int s = 0; s < nests[n].statement_count; s++)
			for (int a = 0; a < nests[n].statements[s]->access_count; a++)
				for (int c = 0; c < space->count; c++)
					if (nests[n].statements[s]->accesses[a].array == space->candidates[c].array)
						used |= 1UL << c;
	return used;
}

unsigned long carry_used(const struct carrying *carrying, int first, int last,
	const struct nest *nests)
{
	return carry_candidates(carrying->space, first, last, nests) & carrying->mask;
}

/* ---- the plan ---- */

static bool is_taken(const struct plan *plan, const char *name)
{
	if (plan_names_find(plan->names, name))
		return true;
	for (int b = 0; b < plan->buffer_count; b++)
		if (!strcmp(plan->buffers[b]->name, name))
			return true;
	return function_has(plan->function, name);
}

static const char *name_of(const struct plan *plan, const struct array *array)
{
	const char *name = arena_printf(plan->arena, "%s_carried", array->name);
	for (int i = 2; is_taken(plan, name); i++)
		name = arena_printf(plan->arena, "%s_carried_%d", array->name, i);
	return name;
}

/* The memory that candidate C lies in. */
static int memory_of(const struct carrying *carrying, int c)
{
	return (int)(carrying->requests[carrying->request_of[c]].memory - carrying->memories);
}

/* The buffer that candidate C is, where its memory ends at END. */
static struct plan_buffer *add_buffer(const struct carrying *carrying, int c, long end,
	struct plan *plan)
{
	const struct carry_space *space = carrying->space;
	const struct array *array = space->candidates[c].array;
	const struct memory *memory = &carrying->memories[memory_of(carrying, c)];
	long offset = end - carrying->requests[carrying->request_of[c]].begin;
	long bytes = place_aligned(memory, array->elements * array->type.bytes);
	struct plan_buffer *buffer = ARENA_NEW(plan->arena, struct plan_buffer);
	*buffer = (struct plan_buffer){ .index = plan->buffer_count, .name = name_of(plan, array),
		.array = array, .rank = array->rank, .slots = 1, .offset_bytes = offset, .bytes = bytes,
		.memory = memory_of(carrying, c),
		.bank = place_bank(memory, offset), .bank_count = place_bank_count(memory, bytes) };
	for (int d = 0; d < array->rank; d++)
		buffer->dims[d] = (struct plan_dim){ .extent = array->extents[d], .stride = 1,
			.origin = plan_const(plan->arena, 0) };
	struct plan_buffer **buffers = ARENA_ARRAY(plan->arena, struct plan_buffer *,
		plan->buffer_count + 1);
	if (plan->buffer_count)
		memcpy(buffers, plan->buffers, (size_t)plan->buffer_count * sizeof *buffers);
	buffers[plan->buffer_count++] = buffer;
	plan->buffers = buffers;
	return buffer;
}

/* The statements in NODE find BUFFER's array there. */
static void put_there(struct plan_node *node, struct plan_buffer *buffer)
{
	if (node->kind == PLAN_COMPUTE)
		for (int a = 0; a < node->statement->access_count; a++)
			if (node->statement->accesses[a].array->index == buffer->array->index)
				node->buffers[a] = buffer;
	if (node->body)
		put_there(node->body, buffer);
	for (int i = 0; i < node->child_count; i++)
		put_there(node->children[i], buffer);
}

/* The nests of the source in the plan's entry. */
static int first_of(const struct plan_nest *nest)
{
	return nest->first_source;
}

static int last_of(const struct plan_nest *nest)
{
	return nest->first_source + nest->source_count - 1;
}

/* An array that stays moves nothing in NEST, and its schedule says that it stays, and in which MEMORY (NULL:
 * there is one). */
static void tell(const struct array *array, const char *memory, struct arena *arena,
	struct plan_nest *nest)
{
	struct plan_traffic *traffic = ARENA_ARRAY(arena, struct plan_traffic,
		nest->traffic_count + 1);
	if (nest->traffic_count)
		memcpy(traffic, nest->traffic, (size_t)nest->traffic_count * sizeof *traffic);
	traffic[nest->traffic_count++] = (struct plan_traffic){ .array = array };
	nest->traffic = traffic;
	nest->schedule = arena_printf(arena, "%scarry %s\n", nest->schedule ? nest->schedule : "",
		array->name);
	if (memory)
		nest->schedule = arena_printf(arena, "%smemory %s %s\n", nest->schedule, array->name, memory);
}

/* Where memory M may end: behind what each part of PLAN needs, and what is carried then. */
static long find_end(const struct carrying *carrying, const struct plan *plan, int m)
{
	int count = carrying->count;
	struct place_request *requests = ARENA_ARRAY(plan->arena, struct place_request,
		count + plan->nest_count + 1);
	memcpy(requests, carrying->requests, (size_t)count * sizeof *requests);
	for (int n = 0; n < plan->nest_count; n++)
		requests[count + n] = (struct place_request){ .memory = &carrying->memories[m],
			.first = first_of(&plan->nests[n]), .last = last_of(&plan->nests[n]), .step = 1,
			.bytes = plan->nests[n].memory_used_bytes[m] };
	place_requests(requests, count, count + plan->nest_count);
	return place_end(&carrying->memories[m], requests, count + plan->nest_count);
}

void carry_apply(const struct carrying *carrying, const struct nest *nests, struct plan *plan)
{
	const struct carry_space *space = carrying->space;
	const struct arch *arch = space->arch;
	long ends[MEMORY_LIMIT];
	for (int m = 0; m < arch_memory_count(arch); m++)
		ends[m] = find_end(carrying, plan, m);
	for (int c = 0; c < space->count; c++) {
		const struct carry_candidate *candidate = &space->candidates[c];
		if (!(carrying->mask >> c & 1))
			continue;
		int m = memory_of(carrying, c);
		struct plan_buffer *buffer = add_buffer(carrying, c, ends[m], plan);
		for (int n = 0; n < plan->nest_count; n++) {
			struct plan_nest *part = &plan->nests[n];
			if (part->body)
				put_there(part->body, buffer);
			if (carry_used(carrying, first_of(part), last_of(part), nests) >> c & 1)
				tell(candidate->array, arch->memory_count ? arch_memory(arch, m).name : NULL,
					plan->arena, part);
			if (candidate->first <= last_of(part) && candidate->last >= first_of(part))
				plan_nest_use_memory(part, m, buffer->offset_bytes
					+ place_room(&carrying->memories[m], buffer->bytes));
		}
	}
}
