/* Port for the controller of fifo_controller.h.  A command is done when the count of
 * done commands has reached its number, so a tag needs only the number of its last. */

#include "fifo_controller.h"
#include "loopc_rt.h"

enum { MOST_ROW_BYTES = 0xffff, MOST_ROWS = 0x3ff, MOST_STRIDE = 0x7ffff };
enum { SCRATCHPAD_BYTES = 1 << 20 };

static uint32_t started, last_of_tag[LRT_TAGS];

static union {
	unsigned char bytes[SCRATCHPAD_BYTES + 64];
	double alignment;
} memory;

/* One side of a copy: where it is and the strides of its dimensions. */
struct side {
	uintptr_t address;
	const ptrdiff_t *strides;
};

static void push(unsigned tag, uintptr_t from, uintptr_t to, uint32_t bytes, uint32_t rows,
	ptrdiff_t from_stride, ptrdiff_t to_stride)
{
	while (fifo_read(FIFO_FREE) == 0) { }
	fifo_write(FIFO_FROM, from);
	fifo_write(FIFO_TO, to);
	fifo_write(FIFO_ROW_BYTES, bytes);
	fifo_write(FIFO_ROWS, rows);
	fifo_write(FIFO_FROM_STRIDE, (uintptr_t)from_stride);
	fifo_write(FIFO_TO_STRIDE, (uintptr_t)to_stride);
	fifo_write(FIFO_PUSH, 1);
	last_of_tag[tag] = ++started;
}

static int stride_fits(ptrdiff_t stride)
{
	return stride <= MOST_STRIDE && stride >= -MOST_STRIDE - 1;
}

/* A row of any length. */
static void copy_row(unsigned tag, uintptr_t from, uintptr_t to, uint32_t bytes)
{
	while (bytes > 0) {
		uint32_t part = bytes < MOST_ROW_BYTES ? bytes : MOST_ROW_BYTES;
		push(tag, from, to, part, 1, 0, 0);
		from += part;
		to += part;
		bytes -= part;
	}
}

/* Any number of rows: together where the registers hold what they need. */
static void copy_rows(unsigned tag, struct side from, struct side to, const lrt_box *box, uint32_t d)
{
	ptrdiff_t from_stride = from.strides[d], to_stride = to.strides[d];
	int together = box->bytes <= MOST_ROW_BYTES && stride_fits(from_stride) && stride_fits(to_stride);
	uint32_t rows = box->count[d];
	while (rows > 0) {
		uint32_t part = !together ? 1 : rows < MOST_ROWS ? rows : MOST_ROWS;
		if (together)
			push(tag, from.address, to.address, box->bytes, part, from_stride, to_stride);
		else
			copy_row(tag, from.address, to.address, box->bytes);
		from.address += (uintptr_t)from_stride * part;
		to.address += (uintptr_t)to_stride * part;
		rows -= part;
	}
}

/* Dimension D of the box and what is inside it. */
static void copy(unsigned tag, struct side from, struct side to, const lrt_box *box, uint32_t d)
{
	uint32_t i;
	if (d + 1 == box->rank) {
		copy_row(tag, from.address, to.address, box->bytes);
	} else if (d + 2 == box->rank) {
		copy_rows(tag, from, to, box, d);
	} else {
		for (i = 0; i < box->count[d]; i++) {
			copy(tag, from, to, box, d + 1);
			from.address += (uintptr_t)from.strides[d];
			to.address += (uintptr_t)to.strides[d];
		}
	}
}

void lrt_get(unsigned tag, void *loc, lrt_ext ext, const lrt_box *box)
{
	struct side from = { ext, box->ext_stride }, to = { (uintptr_t)loc, box->loc_stride };
	copy(tag, from, to, box, 0);
}

void lrt_put(unsigned tag, lrt_ext ext, const void *loc, const lrt_box *box)
{
	struct side from = { (uintptr_t)loc, box->loc_stride }, to = { ext, box->ext_stride };
	copy(tag, from, to, box, 0);
}

/* True if the last command of TAG is among those not done; right even after the
 * counts have wrapped. */
static int in_flight(unsigned tag)
{
	return started - last_of_tag[tag] < started - (uint32_t)fifo_read(FIFO_DONE);
}

void lrt_wait(uint32_t tag_mask)
{
	unsigned tag;
	for (tag = 0; tag < LRT_TAGS; tag++)
		while ((tag_mask >> tag & 1) && in_flight(tag)) { }
}

void *lrt_scratchpad(void)
{
	return memory.bytes + (64 - (uintptr_t)memory.bytes % 64) % 64;
}
