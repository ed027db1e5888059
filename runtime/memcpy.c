/* The plain host port: a copy is done when its call returns.  The fastest one, and
 * blind to a missing wait; the checked port is the one to test with. */

#include "loopc_rt.h"

#include <string.h>

#ifndef LRT_SCRATCHPAD_BYTES
#define LRT_SCRATCHPAD_BYTES (16u << 20)
#endif

/* All have as many bytes; what no program touches takes no room. */
static union {
	unsigned char bytes[LRT_SCRATCHPAD_BYTES + 64];
	double alignment;
} memories[LRT_MEMORIES];

/* Copies the box of RANK dimensions whose outermost is number D. */
static void copy_box(unsigned char *to, const unsigned char *from, const lrt_box *box,
	const ptrdiff_t *to_stride, const ptrdiff_t *from_stride, uint32_t d)
{
	uint32_t i;
	if (d + 1 == box->rank) {
		memcpy(to, from, box->bytes);
		return;
	}
	for (i = 0; i < box->count[d]; i++)
		copy_box(to + (ptrdiff_t)i * to_stride[d], from + (ptrdiff_t)i * from_stride[d], box,
			to_stride, from_stride, d + 1);
}

void lrt_get(unsigned tag, void *loc, lrt_ext ext, const lrt_box *box)
{
	(void)tag;
	copy_box(loc, (const unsigned char *)ext, box, box->loc_stride, box->ext_stride, 0);
}

void lrt_put(unsigned tag, lrt_ext ext, const void *loc, const lrt_box *box)
{
	(void)tag;
	copy_box((unsigned char *)ext, loc, box, box->ext_stride, box->loc_stride, 0);
}

void lrt_wait(uint32_t tag_mask)
{
	(void)tag_mask;
}

void *lrt_memory(unsigned n)
{
	unsigned char *bytes = memories[n % LRT_MEMORIES].bytes;
	return bytes + (64 - (uintptr_t)bytes % 64) % 64;
}

void *lrt_scratchpad(void)
{
	return lrt_memory(0);
}
