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

struct memory place_memory(const struct arch *arch)
{
	long granule = arch_granule_bytes(arch);
	return (struct memory){ arch->exclusive ? granule * arch->banks : arch->scratchpad_bytes,
		arch->align_bytes > 1 ? arch->align_bytes : 1, granule, arch->exclusive };
}

/* ---- buffers of a request ---- */

long place_room(const struct memory *memory, long bytes)
{
	const long most = LONG_MAX >> 20;
	bytes = bytes < most ? bytes : most;
	return (bytes + memory->granule - 1) / memory->granule * memory->granule;
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

/* How far REQUEST reaches from its end of the memory. */
static long reach(const struct place_request *request)
{
	return request->is_at_end ? request->begin : request->begin + request->bytes;
}

/* A and B are there in the same step, and at the same end of the same memory. */
static bool may_meet(const struct place_request *a, const struct place_request *b)
{
	return a->memory == b->memory && a->is_at_end == b->is_at_end && a->bytes && b->bytes
		&& a->first <= b->last && b->first <= a->last;
}

/* How near to its end request OWN can be beside those before it. */
static long nearest(const struct place_request *requests, int own)
{
	const struct place_request *request = &requests[own];
	long near = 0, room = request->is_at_end ? up(request->bytes, request->step) : request->bytes;
	for (int r = 0; r < own; r++) {
		const struct place_request *other = &requests[r];
		long far = reach(other), begin = other->is_at_end
			? far - up(other->bytes, other->step) : other->begin;
		if (may_meet(request, other) && near < far && begin < near + room) {
			near = up(far, request->step);
			r = -1;
		}
	}
	return request->is_at_end ? near + room : near;
}

void place_requests(struct place_request *requests, int from, int count)
{
	for (int r = from; r < count; r++)
		requests[r].begin = nearest(requests, r);
}

/* How far the requests of MEMORY reach at most in STEP from its begin, or from its end. */
static long reach_in(const struct memory *memory, const struct place_request *requests, int count,
	int step, bool is_at_end)
{
	long most = 0;
	for (int r = 0; r < count; r++)
		if (requests[r].memory == memory && requests[r].is_at_end == is_at_end && requests[r].bytes
			&& requests[r].first <= step && step <= requests[r].last
			&& reach(&requests[r]) > most)
			most = reach(&requests[r]);
	return most;
}

/* In the step in which the last of those that meet comes they are all there. */
long place_end(const struct memory *memory, const struct place_request *requests, int count)
{
	long end = 0, step = 1;
	for (int r = 0; r < count; r++) {
		long low = reach_in(memory, requests, count, requests[r].first, false);
		long high = reach_in(memory, requests, count, requests[r].first, true);
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
			&& reach(&requests[r]) > need)
			need = reach(&requests[r]);
	return need;
}

long place_turns(const long *turns, int count, long step, bool overlap)
{
	long most = 0, second = 0;
	for (int t = 0; t < count; t++) {
		long own = overlap ? up(turns[t], step) : turns[t];
		second = own > most ? most : own > second ? own : second;
		most = own > most ? own : most;
	}
	return overlap ? most + second : most;
}
