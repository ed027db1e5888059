/* Carried arrays: which there could be, where they are, and what becomes of the plan.  A place
 * for all of an array is its memory while it is there: whatever the loops around do, each
 * element has one place, and nothing needs to come or go. */

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
	const struct schedule_lines *lines = compilation->schedule;
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
	compilation->does_not_fit |= may;
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
static void add_candidate(struct carry_space *space, const struct nest *nests, int count,
	const struct array *array)
{
	struct carry_candidate candidate = { array, -1, -1 };
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
	enum { NESTS = 256 };        /* more are not weighed together (partition.c) */
	*space = (struct carry_space){ .arch = compilation->arch, .function = function,
		.nest_count = count, .array_count = function->array_count,
		.is_given = !is_free || compilation->schedule };
	for (int i = 0; i < function->array_count && count <= NESTS; i++)
		if (may_be_carried(function->arrays[i]))
			add_candidate(space, nests, count, function->arrays[i]);
	for (int c = 0; c < space->count; c++)
		if (find_line(compilation, function, space->candidates[c].array))
			space->wanted |= 1UL << c;
}

/* ---- places ---- */

static long round_up(long value, long step)
{
	return (value + step - 1) / step * step;
}

/* What places are multiples of: whole banks, or what suits transfers and all elements. */
static long place_step(const struct carry_space *space, unsigned long mask)
{
	const struct arch *arch = space->arch;
	long unit = arch->align_bytes > 1 ? arch->align_bytes : 1, step = unit, element = 1;
	if (arch->exclusive)
		return arch->scratchpad_bytes / arch->banks;
	for (int c = 0; c < space->count; c++)
		if (mask >> c & 1 && space->candidates[c].array->type.bytes > element)
			element = space->candidates[c].array->type.bytes;
	while (step % element)
		step += unit;
	return step;
}

static bool overlap(const struct carry_candidate *a, const struct carry_candidate *b)
{
	return a->first <= b->last && b->first <= a->last;
}

/* The least depth that is free for candidate C beside those that are DONE. */
static long free_depth(const struct carrying *carrying, unsigned long done, int c)
{
	const struct carry_candidate *candidates = carrying->space->candidates;
	long depth = carrying->bytes[c];
	for (int other = 0; other < carrying->space->count; other++)
		if (done >> other & 1 && overlap(&candidates[c], &candidates[other])
			&& depth - carrying->bytes[c] < carrying->depth[other]
			&& carrying->depth[other] - carrying->bytes[other] < depth) {
			depth = carrying->depth[other] + carrying->bytes[c];
			other = -1;
		}
	return depth;
}

bool carry_place(const struct compilation *compilation, const struct carry_space *space,
	unsigned long mask, struct carrying *carrying)
{
	*carrying = (struct carrying){ .space = space, .mask = mask,
		.step = place_step(space, mask),
		.carried = { space->array_count,
			ARENA_ARRAY(compilation->arena, bool, space->array_count + 1) } };
	long end = space->arch->scratchpad_bytes / carrying->step * carrying->step;
	for (unsigned long done = 0; done != mask; ) {
		int largest = -1;
		for (int c = 0; c < space->count; c++) {
			const struct array *array = space->candidates[c].array;
			carrying->bytes[c] = round_up(array->elements * array->type.bytes, carrying->step);
			if ((mask & ~done) >> c & 1
				&& (largest < 0 || carrying->bytes[c] > carrying->bytes[largest]))
				largest = c;
		}
		carrying->depth[largest] = free_depth(carrying, done, largest);
		if (carrying->depth[largest] > end)
			return false;
		carrying->carried.is_carried[space->candidates[largest].array->index] = true;
		done |= 1UL << largest;
	}
	return true;
}

/* From the scratchpad's end down to the first of what is there in the nests from FIRST to LAST. */
static long depth_of(const struct carrying *carrying, int first, int last)
{
	long depth = 0;
	for (int c = 0; c < carrying->space->count; c++)
		if (carrying->mask >> c & 1 && carrying->space->candidates[c].first <= last
			&& carrying->space->candidates[c].last >= first && carrying->depth[c] > depth)
			depth = carrying->depth[c];
	return depth;
}

/* Two arrays of the nests from FIRST to LAST have a place in common. */
static bool collide(const struct carrying *carrying, int first, int last)
{
	const struct carry_candidate part = { NULL, first, last };
	const struct carry_space *space = carrying->space;
	for (int c = 0; c < space->count; c++)
		for (int other = 0; other < c; other++)
			if (carrying->mask >> c & 1 && carrying->mask >> other & 1
				&& overlap(&space->candidates[c], &part)
				&& overlap(&space->candidates[other], &part)
				&& carrying->depth[c] - carrying->bytes[c] < carrying->depth[other]
				&& carrying->depth[other] - carrying->bytes[other] < carrying->depth[c])
				return true;
	return false;
}

const struct arch *carry_arch(const struct compilation *compilation,
	const struct carrying *carrying, int first, int last)
{
	const struct arch *all = carrying->space->arch;
	long depth = depth_of(carrying, first, last);
	if (!depth)
		return all;
	long left = all->scratchpad_bytes / carrying->step * carrying->step - depth;
	if (left <= 0 || collide(carrying, first, last))
		return NULL;
	struct arch *arch = ARENA_NEW(compilation->arena, struct arch);
	*arch = arch_resized(all, left);
	return arch;
}

unsigned long carry_used(const struct carrying *carrying, int first, int last,
	const struct nest *nests)
{
	unsigned long used = 0;
	for (int n = first; n <= last; n++)
		for (int s = 0; s < nests[n].statement_count; s++)
			for (int a = 0; a < nests[n].statements[s]->access_count; a++)
				for (int c = 0; c < carrying->space->count; c++)
					if (nests[n].statements[s]->accesses[a].array
						== carrying->space->candidates[c].array)
						used |= 1UL << c;
	return used & carrying->mask;
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

/* The buffer that candidate C is, where the scratchpad ends at END. */
static struct plan_buffer *add_buffer(const struct carrying *carrying, int c, long end,
	struct plan *plan)
{
	const struct carry_space *space = carrying->space;
	const struct array *array = space->candidates[c].array;
	struct plan_buffer *buffer = ARENA_NEW(plan->arena, struct plan_buffer);
	*buffer = (struct plan_buffer){ .index = plan->buffer_count, .name = name_of(plan, array),
		.array = array, .rank = array->rank, .slots = 1, .bank = -1,
		.offset_bytes = end - carrying->depth[c], .bytes = carrying->bytes[c] };
	for (int d = 0; d < array->rank; d++)
		buffer->dims[d] = (struct plan_dim){ .extent = array->extents[d], .stride = 1,
			.origin = plan_const(plan->arena, 0) };
	if (space->arch->exclusive) {
		buffer->bank = (int)(buffer->offset_bytes / carrying->step);
		buffer->bank_count = (int)(buffer->bytes / carrying->step);
		buffer->bytes = round_up(array->elements * array->type.bytes,
			space->arch->align_bytes > 1 ? space->arch->align_bytes : 1);
	}
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

/* An array that stays moves nothing in NEST, and its schedule says that it stays. */
static void tell(const struct array *array, struct arena *arena, struct plan_nest *nest)
{
	struct plan_traffic *traffic = ARENA_ARRAY(arena, struct plan_traffic,
		nest->traffic_count + 1);
	if (nest->traffic_count)
		memcpy(traffic, nest->traffic, (size_t)nest->traffic_count * sizeof *traffic);
	traffic[nest->traffic_count++] = (struct plan_traffic){ .array = array };
	nest->traffic = traffic;
	nest->schedule = arena_printf(arena, "%scarry %s\n", nest->schedule ? nest->schedule : "",
		array->name);
}

/* What PART needs of the scratchpad beside what is carried: bytes. */
static long need_of(const struct carrying *carrying, const struct plan_nest *part)
{
	return round_up(part->scratchpad_used_bytes, carrying->step)
		+ depth_of(carrying, first_of(part), last_of(part));
}

void carry_apply(const struct carrying *carrying, const struct nest *nests, struct plan *plan)
{
	const struct carry_space *space = carrying->space;
	long end = 0;
	for (int n = 0; n < plan->nest_count; n++)
		if (need_of(carrying, &plan->nests[n]) > end)
			end = need_of(carrying, &plan->nests[n]);
	for (int c = 0; c < space->count; c++) {
		const struct carry_candidate *candidate = &space->candidates[c];
		if (!(carrying->mask >> c & 1))
			continue;
		struct plan_buffer *buffer = add_buffer(carrying, c, end, plan);
		for (int n = 0; n < plan->nest_count; n++) {
			struct plan_nest *part = &plan->nests[n];
			if (part->body)
				put_there(part->body, buffer);
			if (carry_used(carrying, first_of(part), last_of(part), nests) >> c & 1)
				tell(candidate->array, plan->arena, part);
			long top = buffer->offset_bytes + carrying->bytes[c];
			if (candidate->first <= last_of(part) && candidate->last >= first_of(part)
				&& part->scratchpad_used_bytes < top)
				part->scratchpad_used_bytes = top;
		}
	}
}
