/* Where buffers lie in a memory (docs/ARCHITECTURE.md, "offsets in the scratchpad"). */

#include "passes/cost/place.h"

#include <limits.h>

static bool round_up(long value, long unit, long *rounded)
{
	if (__builtin_add_overflow(value, unit - 1, &value))
		return false;
	*rounded = value / unit * unit;
	return true;
}

struct memory place_memory(const struct arch *arch, int m)
{
	const struct arch_memory memory = arch_memory(arch, m);
	long granule = arch_memory_granule(&memory);
	return (struct memory){ memory.exclusive ? granule * memory.banks : memory.bytes,
		memory.align_bytes > 1 ? memory.align_bytes : 1, granule, memory.exclusive };
}

/* ---- buffers of a request ---- */

long place_room(const struct memory *memory, long bytes)
{
	const long most = LONG_MAX >> 20;
	bytes = bytes < most ? bytes : most;
	return (bytes + memory->granule - 1) / memory->granule * memory->granule;
}

long place_aligned(const struct memory *memory, long bytes)
{
	return (bytes + memory->align - 1) / memory->align * memory->align;
}

long place_step(const struct memory *memory, int element_bytes)
{
	long a = memory->granule, b = element_bytes;
	while (b) {
		long rest = a % b;
		a = b;
		b = rest;
	}
	return memory->granule / a * element_bytes;
}

int place_bank(const struct memory *memory, long offset)
{
	return memory->has_banks ? (int)(offset / memory->granule) : -1;
}

int place_bank_count(const struct memory *memory, long bytes)
{
	return memory->has_banks ? (int)((bytes + memory->granule - 1) / memory->granule) : 0;
}

const char *place_text(const struct arch *arch, long bytes, struct arena *arena)
{
	long granule = arch_granule_bytes(arch), banks = (bytes + granule - 1) / granule;
	return arena_printf(arena, "%ld %s", arch->exclusive ? banks : bytes,
		arch->exclusive ? "banks" : "bytes");
}

const char *place_all_text(const struct arch *arch, struct arena *arena)
{
	const char *text = "";
	if (!arch->memory_count)
		return arena_printf(arena, "the %ld bytes of scratchpad that '%s' has", arch->scratchpad_bytes,
			arch->name);
	for (int m = 0; m < arch->memory_count; m++)
		text = arena_printf(arena, "%s%s%s %ld", text, m ? ", " : "", arch->memories[m].name,
			arch->memories[m].bytes);
	return arena_printf(arena, "what '%s' has: %s bytes", arch->name, text);
}

/* The largest element of the buffers that is no larger than MOST bytes; 0: there is none. */
static int largest_element(const struct place *places, int count, int most)
{
	int largest = 0;
	for (int i = 0; i < count; i++)
		if (places[i].element_bytes > largest && places[i].element_bytes <= most)
			largest = places[i].element_bytes;
	return largest;
}

/* PLACE follows the buffers that REQUEST has already; its offset counts from the request's begin. */
static bool put_beside(struct place *place, struct place_request *request)
{
	place->offset = request->bytes;
	return round_up(place->bytes, request->memory->granule, &place->room)
		&& round_up(place->bytes, request->memory->align, &place->bytes)
		&& !__builtin_add_overflow(request->bytes, place->room, &request->bytes);
}

static bool put_side_by_side(struct place *places, int count, struct place_request *requests)
{
	int bytes = largest_element(places, count, INT_MAX);
	for (; bytes > 0; bytes = largest_element(places, count, bytes - 1))
		for (int i = 0; i < count; i++)
			if (places[i].element_bytes == bytes
				&& !put_beside(&places[i], &requests[places[i].request]))
				return false;
	return true;
}

bool place_buffers(struct place *places, int count, struct place_request *requests,
	int request_count)
{
	int element = largest_element(places, count, INT_MAX);
	for (int r = 0; r < request_count; r++) {
		requests[r].bytes = 0;
		requests[r].step = place_step(requests[r].memory, element ? element : 1);
	}
	if (!put_side_by_side(places, count, requests))
		return false;
	place_requests(requests, 0, request_count);
	for (int r = 0; r < request_count; r++) {
		long begin = requests[r].is_at_end ? place_end(requests[r].memory, requests, request_count)
			- requests[r].begin : requests[r].begin;
		for (int i = 0; i < count; i++)
			if (places[i].request == r)
				places[i].offset += begin;
	}
	return true;
}

/* ---- requests ---- */

static long up(long value, long unit)
{
	return (value + unit - 1) / unit * unit;
}

/* How far REQUEST is from its end of the memory, and how far it reaches from there. */
static long nearer_side(const struct place_request *request)
{
	return request->is_at_end ? request->begin - request->bytes : request->begin;
}

static long farther_side(const struct place_request *request)
{
	return request->is_at_end ? request->begin : request->begin + request->bytes;
}

/* A and B lie at the same end of a memory, and have room in common there. */
static bool have_common_room(const struct place_request *a, const struct place_request *b)
{
	return a->memory == b->memory && a->is_at_end == b->is_at_end && a->bytes && b->bytes
		&& nearer_side(a) < farther_side(b) && nearer_side(b) < farther_side(a);
}

static bool is_there(const struct place_request *request, int first, int last)
{
	return request->first <= last && first <= request->last;
}

/* The first of COUNT requests that REQUEST has room in common with while both are there; -1. */
static int met_by(const struct place_request *request, const struct place_request *requests,
	int count)
{
	for (int r = 0; r < count; r++)
		if (is_there(&requests[r], request->first, request->last)
			&& have_common_room(request, &requests[r]))
			return r;
	return -1;
}

void place_requests(struct place_request *requests, int from, int count)
{
	for (int r = from; r < count; r++) {
		struct place_request *request = &requests[r];
		long room = request->is_at_end ? up(request->bytes, request->step) : 0;
		request->begin = room;
		for (int other = met_by(request, requests, r); other >= 0;
			other = met_by(request, requests, r))
			request->begin = up(farther_side(&requests[other]), request->step) + room;
	}
}

bool place_share(const struct place_request *requests, int count, int first, int last)
{
	for (int r = 0; r < count; r++)
		for (int other = 0; other < r; other++)
			if (is_there(&requests[r], first, last) && is_there(&requests[other], first, last)
				&& have_common_room(&requests[r], &requests[other]))
				return true;
	return false;
}

long place_reach(const struct memory *memory, const struct place_request *requests, int count,
	bool is_at_end, int first, int last)
{
	long most = 0;
	for (int r = 0; r < count; r++)
		if (requests[r].memory == memory && requests[r].is_at_end == is_at_end && requests[r].bytes
			&& is_there(&requests[r], first, last) && farther_side(&requests[r]) > most)
			most = farther_side(&requests[r]);
	return most;
}

/* In the step in which the last of those that meet comes they are all there. */
long place_end(const struct memory *memory, const struct place_request *requests, int count)
{
	long end = 0, step = 1;
	for (int r = 0; r < count; r++) {
		int at = requests[r].first;
		long low = place_reach(memory, requests, count, false, at, at);
		long high = place_reach(memory, requests, count, true, at, at);
		end = high && low + high > end ? low + high : end;
		if (requests[r].memory == memory && requests[r].is_at_end && requests[r].step > step)
			step = requests[r].step;
	}
	return up(end, step);
}

long place_need(const struct memory *memory, const struct place_request *requests, int count)
{
	long need = place_end(memory, requests, count);
	for (int r = 0; r < count; r++)
		if (requests[r].memory == memory && !requests[r].is_at_end && requests[r].bytes
			&& farther_side(&requests[r]) > need)
			need = farther_side(&requests[r]);
	return need;
}

long place_turns(const long *turns, int count, long step, enum turn_order order, bool is_open)
{
	long most = 0, before = 0;
	for (int t = 0; t < count; t++) {
		if (!turns[t] && !is_open)
			continue;
		long own = turns[t];
		if (order == TURNS_OVERLAP && before && own)
			own = before + up(own, step);
		most = own > most ? own : most;
		before = up(turns[t], step);
	}
	return most;
}
