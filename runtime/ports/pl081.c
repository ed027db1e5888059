/* Port for an ARM PrimeCell PL081 (or a channel of a PL080), as on the MPS2+ board
 * with image AN505.
 *
 * A command becomes lists of descriptors, one a run: what it holds of 4095 elements
 * or less, in the widest elements that addresses and bytes allow.  By polling, a
 * list is followed by the next one in any call of the runtime; with LRT_INTERRUPT,
 * in lrt_pl081_interrupt, which the firmware calls on the controller's combined
 * interrupt.  The controller must see code's data memory, where the lists are; on a
 * machine with caches all of that and external memory must be uncached. */

#include "lrt_queue.h"

#ifndef LRT_PL081_BASE
#define LRT_PL081_BASE 0x50110000u
#endif
#ifndef LRT_SCRATCHPAD_BASE
#define LRT_SCRATCHPAD_BASE 0x30000000u
#endif
/* What happens on a bus error. */
#ifndef LRT_DMA_ERROR
#define LRT_DMA_ERROR() for (;;) { }
#endif

#define REGISTER(offset) (*(volatile uint32_t *)(LRT_PL081_BASE + (offset)))
#define INT_TC_CLEAR REGISTER(0x08)
#define INT_ERROR_CLEAR REGISTER(0x10)
#define RAW_TC REGISTER(0x14)
#define RAW_ERROR REGISTER(0x18)
#define CONFIGURATION REGISTER(0x30)
#define CHANNEL_FROM REGISTER(0x100)
#define CHANNEL_TO REGISTER(0x104)
#define CHANNEL_NEXT REGISTER(0x108)
#define CHANNEL_CONTROL REGISTER(0x10c)
#define CHANNEL_CONFIGURATION REGISTER(0x110)

enum { LIST_LENGTH = 32, MOST_ELEMENTS = 4095, CHANNEL = 1 };

#define CONTROL_FROM_WIDTH(log2) ((uint32_t)(log2) << 18)
#define CONTROL_TO_WIDTH(log2) ((uint32_t)(log2) << 21)
#define CONTROL_FROM_MOVES ((uint32_t)1 << 26)
#define CONTROL_TO_MOVES ((uint32_t)1 << 27)
#define CONTROL_INTERRUPT ((uint32_t)1 << 31)
#define CONFIGURATION_ENABLE ((uint32_t)1 << 0)
#define CONFIGURATION_ERROR_INTERRUPT ((uint32_t)1 << 14)
#define CONFIGURATION_TC_INTERRUPT ((uint32_t)1 << 15)

struct descriptor {
	uint32_t from, to, next, control;
};

static volatile struct descriptor list[LIST_LENGTH];
static lrt_queue queue;
static int busy;

#ifdef LRT_INTERRUPT
void lrt_pl081_interrupt(void);

static uint32_t interrupts_off(void)
{
	uint32_t mask;
	__asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(mask) :: "memory");
	return mask;
}

static void interrupts_restore(uint32_t mask)
{
	__asm__ volatile("msr primask, %0\n\tisb" :: "r"(mask) : "memory");
}

/* Sleeps until an interrupt is pending, though masked, and lets it happen. */
static void wait_for_interrupt(void)
{
	__asm__ volatile("dsb\n\twfi\n\tcpsie i\n\tisb\n\tcpsid i" ::: "memory");
}
#else
static uint32_t interrupts_off(void)
{
	return 0;
}

static void interrupts_restore(uint32_t mask)
{
	(void)mask;
}
#endif

static uint32_t width_log2(const lrt_run *run)
{
	uintptr_t bits = run->from | run->to | run->bytes;
	return bits & 1 ? 0 : bits & 2 ? 1 : 2;
}

/* Describes what fits of the run in one descriptor; returns its bytes. */
static uint32_t describe(volatile struct descriptor *descriptor, const lrt_run *run)
{
	uint32_t width = width_log2(run), elements = run->bytes >> width;
	if (elements > MOST_ELEMENTS)
		elements = MOST_ELEMENTS;
	descriptor->from = (uint32_t)run->from;
	descriptor->to = (uint32_t)run->to;
	descriptor->next = 0;
	descriptor->control = elements | CONTROL_FROM_WIDTH(width) | CONTROL_TO_WIDTH(width) |
		CONTROL_FROM_MOVES | CONTROL_TO_MOVES;
	return elements << width;
}

static void start_list(void)
{
	CHANNEL_FROM = list[0].from;
	CHANNEL_TO = list[0].to;
	CHANNEL_NEXT = list[0].next;
	CHANNEL_CONTROL = list[0].control;
	busy = 1;
	__asm__ volatile("dsb" ::: "memory");
	CHANNEL_CONFIGURATION = CONFIGURATION_ENABLE | CONFIGURATION_ERROR_INTERRUPT |
		CONFIGURATION_TC_INTERRUPT;
	/* QEMU raises the interrupt line only at a write of a register of the whole
	 * controller; this one does nothing else. */
	INT_TC_CLEAR = 0;
}

/* Starts the next list if the channel is free and there is something to copy. */
static void start_next(void)
{
	unsigned length = 0;
	lrt_run run;
	if (busy)
		return;
	while (length < LIST_LENGTH && lrt_queue_peek(&queue, &run)) {
		lrt_queue_take(&queue, describe(&list[length], &run));
		if (length > 0)
			list[length - 1].next = (uint32_t)(uintptr_t)&list[length];
		length++;
	}
	if (length == 0)
		return;
	list[length - 1].control |= CONTROL_INTERRUPT;
	start_list();
}

/* Takes note of a list that is done, and goes on. */
static void advance(void)
{
	if (RAW_ERROR & CHANNEL) {
		INT_ERROR_CLEAR = CHANNEL;
		LRT_DMA_ERROR();
	}
	if (busy && (RAW_TC & CHANNEL)) {
		__asm__ volatile("dmb" ::: "memory");
		INT_TC_CLEAR = CHANNEL;
		busy = 0;
		lrt_queue_done(&queue);
	}
	start_next();
}

#ifdef LRT_INTERRUPT
void lrt_pl081_interrupt(void)
{
	uint32_t mask = interrupts_off();
	advance();
	interrupts_restore(mask);
}
#endif

/* With interrupts off: what happens while there is nothing else to do. */
static void idle(void)
{
#ifdef LRT_INTERRUPT
	wait_for_interrupt();
#else
	advance();
#endif
}

static void start(unsigned tag, int is_put, lrt_ext ext, const void *loc, const lrt_box *box)
{
	uint32_t mask = interrupts_off();
	CONFIGURATION = 1;
	while (!lrt_queue_push(&queue, tag, is_put, ext, loc, box))
		idle();
	advance();
	interrupts_restore(mask);
}

void lrt_get(unsigned tag, void *loc, lrt_ext ext, const lrt_box *box)
{
	start(tag, 0, ext, loc, box);
}

void lrt_put(unsigned tag, lrt_ext ext, const void *loc, const lrt_box *box)
{
	start(tag, 1, ext, loc, box);
}

void lrt_wait(uint32_t tag_mask)
{
	uint32_t mask = interrupts_off();
	while (lrt_queue_pending(&queue, tag_mask))
		idle();
	interrupts_restore(mask);
}

void *lrt_scratchpad(void)
{
	return (void *)(uintptr_t)LRT_SCRATCHPAD_BASE;
}
