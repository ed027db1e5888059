/* Where the buffers of regions without closed forms are in the scratchpad. */

#include "passes/cost/turns.h"
#include "passes/regions/general.h"

static long round_up(long value, long unit)
{
	return (value + unit - 1) / unit * unit;
}

static long place_buffer(const struct arch *arch, struct plan_buffer *buffer, long next)
{
	long bank_bytes = arch->scratchpad_bytes / arch->banks;
	buffer->bytes = round_up(buffer->bytes, arch->align_bytes > 1 ? arch->align_bytes : 1);
	buffer->bank = -1;
	buffer->offset_bytes = next;
	if (!arch->exclusive)
		return next + buffer->bytes;
	buffer->bank = (int)(next / bank_bytes);
	buffer->bank_count = (int)((buffer->bytes + bank_bytes - 1) / bank_bytes);
	return next + buffer->bank_count * bank_bytes;
}

/* Places one after the other the buffers that are there all the time (STAGE -1), or those
 * that come for a stage, from NEXT on; those of larger elements first, so that each is
 * aligned for its elements.  Returns where they end. */
static long place_turn(struct lowering *lowering, int stage, long next)
{
	enum { ELEMENT_BYTES_LIMIT = 64 };
	for (int bytes = ELEMENT_BYTES_LIMIT; bytes > 0; bytes--)
		for (int a = 0; a < lowering->groups->count; a++) {
			int own = lowering->store[a] < 0 ? stage_of(lowering, a) : -1;
			if (lowering->groups->items[a].array->type.bytes == bytes && own == stage)
				next = place_buffer(lowering->compilation->arch, lowering->buffers[a], next);
		}
	return next;
}

static int largest_element(const struct nest *nest)
{
	int bytes = 1;
	for (int a = 0; a < nest->groups->count; a++)
		if (nest->groups->items[a].array->type.bytes > bytes)
			bytes = nest->groups->items[a].array->type.bytes;
	return bytes;
}

/* Those that come for stages take turns in the same place; where they come while the stage
 * before still computes, every other one ends where all of them end. */
long general_place(struct lowering *lowering)
{
	const struct arch *arch = lowering->compilation->arch;
	long unit = arch->exclusive ? arch->scratchpad_bytes / arch->banks : 1;
	long *turns = ARENA_ARRAY(lowering->compilation->arena, long, lowering->stage_count + 1);
	int element_bytes = largest_element(lowering->nest);
	long end = place_turn(lowering, -1, 0);
	long begin = group_turns_begin(arch, end, element_bytes);
	for (int m = 0; m < lowering->stage_count; m++)
		turns[m] = (place_turn(lowering, m, begin) - begin) / unit;
	long need = unit * group_turns_need(arch, turns, lowering->stage_count, element_bytes,
		lowering->overlaps_turns);
	bool is_high = false;
	for (int m = 0; m < lowering->stage_count && lowering->overlaps_turns; m++) {
		if (is_high && turns[m])
			place_turn(lowering, m, begin + need
				- unit * group_turns_begin(arch, turns[m], element_bytes));
		is_high ^= turns[m] > 0;
	}
	return need ? begin + need : end;
}
