#ifndef PASSES_PLACE_H
#define PASSES_PLACE_H

#include <stdbool.h>

#include "ir/arch.h"
#include "support/arena.h"

/* Where buffers lie in a memory.  All that depends on alignment and banks is decided here.
 *
 * A buffer takes whole *granules*: as many bytes as the memory's alignment asks for, or banks where
 * a bank holds one buffer.  Buffers that are there at the same time are one *request*: they
 * lie side by side, those of larger elements first, so that each begins at a multiple of its element
 * without a gap, and a request needs the sum of what its buffers need.
 *
 * Requests come and go in a sequence of steps, and two that are never there in the same step
 * may have the same room.  A nest is one request.  A group of nests has one for what is there all
 * the time, and one more for each stage that something comes for.  An array that stays on chip over
 * several nests is a request of its own, whose steps are these nests. */

struct memory {
	long bytes;
	long align;                  /* buffers have multiples of so many bytes */
	long granule;                /* and take multiples of these: the same, or a bank */
	bool has_banks;
};

struct place_request {
	const struct memory *memory;
	int first, last;             /* steps in which it is there */
	bool is_at_end;              /* it lies as near to the memory's end as it can, not to its begin */
	long bytes;                  /* whole granules; place_buffers adds up those of the buffers */
	long step;                   /* it begins at a multiple of this */
	long begin;                  /* found: bytes from the memory's begin, or from the end down to
	                              * where it begins */
};

struct place {
	int request;                 /* that the buffer belongs to */
	long bytes;                  /* of the buffer; then aligned */
	int element_bytes;           /* its offset is a multiple of this */
	long room;                   /* found: bytes of its granules, and where they begin */
	long offset;
};

/* Memory M of ARCH. */
struct memory place_memory(const struct arch *arch, int m);

/* What a buffer of so many BYTES takes.  More than any memory has counts as so much that a million
 * of these can be added up. */
long place_room(const struct memory *memory, long bytes);
/* What it has, its alignment among them. */
long place_aligned(const struct memory *memory, long bytes);
/* Where a request may begin that has elements of up to ELEMENT_BYTES: at multiples of this. */
long place_step(const struct memory *memory, int element_bytes);
/* The bank at OFFSET, and how many BYTES have; -1 and 0 where there are none. */
int place_bank(const struct memory *memory, long offset);
int place_bank_count(const struct memory *memory, long bytes);

/* BYTES of ARCH's scratchpad as its user counts them: "3 banks", or "96 bytes". */
const char *place_text(const struct arch *arch, long bytes, struct arena *arena);

/* What ARCH has on chip: "the 64 bytes of scratchpad that 'm' has", or "what 'm' has: data 64, sums 32 bytes". */
const char *place_all_text(const struct arch *arch, struct arena *arena);

/* Finds a place for each buffer.  Of the REQUESTS memory, steps and end are given.  False if a number
 * is too large. */
bool place_buffers(struct place *places, int count, struct place_request *requests,
	int request_count);

/* Finds where the requests from FROM on begin, one after the other: each where it is nearest to its
 * end of the memory and meets none before it that lies at the same end. */
void place_requests(struct place_request *requests, int from, int count);
/* How far the requests of MEMORY that are there in some step from FIRST to LAST reach from its
 * begin, or, if they lie at the end, from there. */
long place_reach(const struct memory *memory, const struct place_request *requests, int count,
	bool is_at_end, int first, int last);
/* Two of them have room in common, as they come one after the other. */
bool place_share(const struct place_request *requests, int count, int first, int last);
/* The least end that MEMORY may have for the requests, so that those that lie at the end meet no
 * other; a multiple of their steps.  0: none lies there. */
long place_end(const struct memory *memory, const struct place_request *requests, int count);
/* What MEMORY must have for the requests: up to that end, or to where the last of the others ends. */
long place_need(const struct memory *memory, const struct place_request *requests, int count);

/* Requests that take turns: each is there alone, or comes while the one before is still there. */
enum turn_order { TURNS_APART, TURNS_OVERLAP };

/* What they need: TURNS [count] are their bytes in this order (0: none), each begins at a multiple of
 * STEP.  IS_OPEN: more may be added to any, and no less is needed then. */
long place_turns(const long *turns, int count, long step, enum turn_order order, bool is_open);

#endif
