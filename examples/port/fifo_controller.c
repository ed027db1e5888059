/* The controller of fifo_controller.h, played: it does a part of its work whenever it
 * is looked at, and what it has not done yet has not happened. */

#include "fifo_controller.h"

#include <string.h>

enum { PLACES = 8, LOOKS_A_COMMAND = 3 };

struct command {
	uintptr_t registers[FIFO_PUSH];
};

static uintptr_t registers[FIFO_PUSH];
static struct command queue[PLACES];
static unsigned first, queued, looks;
static uint32_t done;

static intptr_t sign_extend_20_bits(uintptr_t value)
{
	return (intptr_t)((value & 0xfffff) ^ 0x80000) - 0x80000;
}

static void do_command(const uintptr_t *r)
{
	uintptr_t row;
	for (row = 0; row < (r[FIFO_ROWS] & 0x3ff); row++)
		memcpy((void *)(r[FIFO_TO] + row * (uintptr_t)sign_extend_20_bits(r[FIFO_TO_STRIDE])),
			(const void *)(r[FIFO_FROM] + row * (uintptr_t)sign_extend_20_bits(r[FIFO_FROM_STRIDE])),
			r[FIFO_ROW_BYTES] & 0xffff);
}

static void work(void)
{
	if (queued == 0 || ++looks % LOOKS_A_COMMAND)
		return;
	do_command(queue[first].registers);
	first = (first + 1) % PLACES;
	queued--;
	done++;
}

void fifo_write(enum fifo_register number, uintptr_t value)
{
	if (number < FIFO_PUSH)
		registers[number] = value;
	else if (number == FIFO_PUSH && queued < PLACES)
		memcpy(queue[(first + queued++) % PLACES].registers, registers, sizeof registers);
}

uintptr_t fifo_read(enum fifo_register number)
{
	work();
	return number == FIFO_FREE ? PLACES - queued : number == FIFO_DONE ? done : registers[number];
}
