/* A port with a fault of the kind that real ones had, so that the conformance test
 * can be shown to find it.  Copies are done at their wait. */

#include "faulty.h"

#include <string.h>

enum { QUEUE_COMMANDS = 4096 };

struct command {
	unsigned tag;
	int is_put, is_done;
	unsigned char *loc;
	lrt_ext ext;
	lrt_box box;
};

static enum fault fault;
static struct command queue[QUEUE_COMMANDS];
static unsigned queued;
static union {
	unsigned char bytes[2 << 20];
	double alignment;
} memory;

void faulty_begin(enum fault chosen)
{
	fault = chosen;
	queued = 0;
}

static uint32_t faulty_run_bytes(uint32_t bytes)
{
	if (fault == FAULT_RUN_12_BITS)
		return bytes & 0xfff;
	if (fault == FAULT_RUN_16_BITS)
		return bytes & 0xffff;
	if (fault == FAULT_RUN_WORDS)
		return (bytes + 3) & ~(uint32_t)3;
	if (fault == FAULT_RUN_SHORT && bytes > 1000)
		return bytes - 1;
	return bytes;
}

static void copy_run(const struct command *command, ptrdiff_t ext, ptrdiff_t loc)
{
	unsigned char *outside = (unsigned char *)command->ext + ext, *on_chip = command->loc + loc;
	if (fault == FAULT_ADDRESS_WORDS) {
		outside -= (uintptr_t)outside % 4;
		on_chip -= (uintptr_t)on_chip % 4;
	}
	if (command->is_put)
		memcpy(outside, on_chip, faulty_run_bytes(command->box.bytes));
	else
		memcpy(on_chip, outside, faulty_run_bytes(command->box.bytes));
}

static ptrdiff_t faulty_stride(ptrdiff_t stride)
{
	if (fault == FAULT_STRIDE_16_BITS)
		return (int16_t)stride;
	if (fault == FAULT_STRIDE_UNSIGNED)
		return stride < 0 ? -stride : stride;
	return stride;
}

static void copy_dimensions(const struct command *command, ptrdiff_t ext, ptrdiff_t loc, uint32_t d)
{
	const lrt_box *box = &command->box;
	uint32_t count, i;
	if (d + 1 >= box->rank || (fault == FAULT_RANK && d == 3)) {
		copy_run(command, ext, loc);
		return;
	}
	count = box->count[d];
	if (fault == FAULT_COUNT_8_BITS)
		count &= 0xff;
	if (fault == FAULT_LAST_RUN && count > 1 && d > 1)
		count--;
	for (i = 0; i < count; i++) {
		ptrdiff_t loc_stride = fault == FAULT_DENSE ? (ptrdiff_t)box->bytes
			: faulty_stride(box->loc_stride[d]);
		copy_dimensions(command, ext + (ptrdiff_t)i * faulty_stride(box->ext_stride[d]),
			loc + (ptrdiff_t)i * loc_stride, d + 1);
	}
}

static void start(unsigned tag, int is_put, void *loc, lrt_ext ext, const lrt_box *box)
{
	struct command *command;
	unsigned i;
	if (fault == FAULT_QUEUE_FULL && queued == 16)
		return;
	if (fault == FAULT_ONE_A_TAG)
		for (i = 0; i < queued; i++)
			if (queue[i].tag == tag)
				queue[i].is_done = 1;
	if (queued == QUEUE_COMMANDS)
		return;
	command = &queue[queued++];
	command->tag = tag;
	command->is_put = is_put;
	command->is_done = 0;
	command->loc = loc;
	command->ext = ext;
	command->box = *box;
}

void lrt_get(unsigned tag, void *loc, lrt_ext ext, const lrt_box *box)
{
	start(tag, 0, loc, ext, box);
}

void lrt_put(unsigned tag, lrt_ext ext, const void *loc, const lrt_box *box)
{
	start(tag, 1, (void *)(uintptr_t)loc, ext, box);
}

void lrt_wait(uint32_t tag_mask)
{
	unsigned i, kept = 0;
	if (fault == FAULT_16_TAGS)
		tag_mask &= 0xffff;
	if (fault == FAULT_LOWEST_TAG)
		tag_mask &= ~tag_mask + 1;
	for (i = 0; i < queued; i++) {
		if (!queue[i].is_done && (tag_mask >> queue[i].tag & 1)) {
			copy_dimensions(&queue[i], 0, 0, 0);
			queue[i].is_done = 1;
		}
		if (!queue[i].is_done)
			queue[kept++] = queue[i];
	}
	queued = kept;
}

void *lrt_scratchpad(void)
{
	/* In the middle: a fault may write beyond it. */
	unsigned char *middle = memory.bytes + sizeof memory / 2;
	return middle + (64 - (uintptr_t)middle % 64) + (fault == FAULT_MISALIGNED ? 8 : 0);
}
