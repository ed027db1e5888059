/* Port for the SiFive platform DMA engine (PDMA) of the FU540 and QEMU's sifive_u.
 *
 * The engine copies one run at a time, of any length and alignment.  By polling, a
 * run is followed by the next one in any call of the runtime; with LRT_INTERRUPT, in
 * lrt_pdma_interrupt, which the firmware calls on the channel's done and error
 * interrupts (in machine mode). */

#include "lrt_queue.h"

#ifndef LRT_PDMA_BASE
#define LRT_PDMA_BASE 0x03000000u
#endif
#ifndef LRT_SCRATCHPAD_BASE
#define LRT_SCRATCHPAD_BASE 0x08000000u
#endif
/* What happens on a bus error. */
#ifndef LRT_DMA_ERROR
#define LRT_DMA_ERROR() for (;;) { }
#endif

#define CONTROL (*(volatile uint32_t *)(uintptr_t)(LRT_PDMA_BASE + 0x00))
#define NEXT_CONFIGURATION (*(volatile uint32_t *)(uintptr_t)(LRT_PDMA_BASE + 0x04))
#define NEXT_BYTES (*(volatile uint64_t *)(uintptr_t)(LRT_PDMA_BASE + 0x08))
#define NEXT_TO (*(volatile uint64_t *)(uintptr_t)(LRT_PDMA_BASE + 0x10))
#define NEXT_FROM (*(volatile uint64_t *)(uintptr_t)(LRT_PDMA_BASE + 0x18))

#define CONTROL_CLAIM ((uint32_t)1 << 0)
#define CONTROL_RUN ((uint32_t)1 << 1)
#define CONTROL_DONE_INTERRUPT ((uint32_t)1 << 14)
#define CONTROL_ERROR_INTERRUPT ((uint32_t)1 << 15)
#define CONTROL_DONE ((uint32_t)1 << 30)
#define CONTROL_ERROR ((uint32_t)1 << 31)
/* 64 bytes a transaction on both sides. */
#define CONFIGURATION_WIDEST ((uint32_t)6 << 28 | (uint32_t)6 << 24)

static lrt_queue queue;
static int busy;

#ifdef LRT_INTERRUPT
enum { INTERRUPT_ENABLE = 8 };
#define CONTROL_INTERRUPTS (CONTROL_DONE_INTERRUPT | CONTROL_ERROR_INTERRUPT)

void lrt_pdma_interrupt(void);

static uintptr_t interrupts_off(void)
{
	uintptr_t status;
	__asm__ volatile("csrrci %0, mstatus, %1" : "=r"(status) : "i"(INTERRUPT_ENABLE) : "memory");
	return status & INTERRUPT_ENABLE;
}

static void interrupts_restore(uintptr_t status)
{
	__asm__ volatile("csrs mstatus, %0" :: "r"(status) : "memory");
}

/* Sleeps until an interrupt is pending, though masked, and lets it happen. */
static void wait_for_interrupt(void)
{
	__asm__ volatile("wfi\n\tcsrsi mstatus, %0\n\tcsrci mstatus, %0" :: "i"(INTERRUPT_ENABLE) : "memory");
}
#else
#define CONTROL_INTERRUPTS 0u

static uintptr_t interrupts_off(void)
{
	return 0;
}

static void interrupts_restore(uintptr_t status)
{
	(void)status;
}
#endif

/* Starts the next run if the channel is free and there is something to copy. */
static void start_next(void)
{
	lrt_run run;
	if (busy || !lrt_queue_peek(&queue, &run))
		return;
	lrt_queue_take(&queue, run.bytes);
	busy = 1;
	CONTROL = CONTROL_CLAIM;          /* also what clears done; it is never given back */
	NEXT_CONFIGURATION = CONFIGURATION_WIDEST;
	NEXT_BYTES = run.bytes;
	NEXT_TO = run.to;
	NEXT_FROM = run.from;
	__asm__ volatile("fence iorw, iorw" ::: "memory");
	CONTROL = CONTROL_CLAIM | CONTROL_RUN | CONTROL_INTERRUPTS;
}

/* Takes note of a run that is done, and goes on. */
static void advance(void)
{
	uint32_t control = CONTROL;
	if (busy && (control & CONTROL_ERROR)) {
		CONTROL = CONTROL_CLAIM;
		LRT_DMA_ERROR();
	}
	if (busy && (control & CONTROL_DONE)) {
		__asm__ volatile("fence iorw, iorw" ::: "memory");
		CONTROL = CONTROL_CLAIM;
		busy = 0;
		lrt_queue_done(&queue);
	}
	start_next();
}

#ifdef LRT_INTERRUPT
void lrt_pdma_interrupt(void)
{
	uintptr_t status = interrupts_off();
	advance();
	interrupts_restore(status);
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
	uintptr_t status = interrupts_off();
	while (!lrt_queue_push(&queue, tag, is_put, ext, loc, box))
		idle();
	advance();
	interrupts_restore(status);
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
	uintptr_t status = interrupts_off();
	while (lrt_queue_pending(&queue, tag_mask))
		idle();
	interrupts_restore(status);
}

void *lrt_scratchpad(void)
{
	return (void *)(uintptr_t)LRT_SCRATCHPAD_BASE;
}
