#ifndef FIFO_CONTROLLER_H
#define FIFO_CONTROLLER_H

#include <stdint.h>

/* A DMA controller with a queue, as it could be on a chip; fifo_controller.c plays it
 * on a host.  A command copies ROWS rows of ROW_BYTES bytes; it is put together in the
 * first six registers and enters the queue by a write to PUSH.  Commands are done one
 * after the other. */
enum fifo_register {
	FIFO_FROM, FIFO_TO,                 /* addresses of the first row */
	FIFO_ROW_BYTES,                     /* 16 bits */
	FIFO_ROWS,                          /* 10 bits */
	FIFO_FROM_STRIDE, FIFO_TO_STRIDE,   /* signed, 20 bits: -524288 to 524287 */
	FIFO_PUSH,                          /* ignored while FREE is 0 */
	FIFO_FREE,                          /* read: places in the queue, of 8 */
	FIFO_DONE                           /* read: commands done since reset, 32 bits */
};

void fifo_write(enum fifo_register number, uintptr_t value);
uintptr_t fifo_read(enum fifo_register number);

#endif
