/* Port for an ARM PrimeCell DMA-330 (PL330), as on Xilinx's Zynq-7000.
 *
 * The controller runs programs: one copies up to 256 rows with strides on both sides.
 * By polling, a program is followed by the next one in any call of the runtime; with
 * LRT_INTERRUPT, in lrt_pl330_interrupt, which the firmware calls on the interrupt of
 * event 0.  The controller must see the data memory that the program is in; on a
 * machine with caches all of that and external memory must be uncached. */

#include "lrt_queue.h"

#ifndef LRT_PL330_BASE
#define LRT_PL330_BASE 0xf8003000u
#endif
#ifndef LRT_SCRATCHPAD_BASE
#define LRT_SCRATCHPAD_BASE 0xfffc0000u
#endif
/* What happens on a bus error. */
#ifndef LRT_DMA_ERROR
#define LRT_DMA_ERROR() for (;;) { }
#endif

#define REGISTER(offset) (*(volatile uint32_t *)(LRT_PL330_BASE + (offset)))
#define INTERRUPTS_ENABLE REGISTER(0x20)
#define INTERRUPTS REGISTER(0x28)
#define INTERRUPTS_CLEAR REGISTER(0x2c)
#define FAULTING_CHANNELS REGISTER(0x34)
#define DEBUG_STATUS REGISTER(0xd00)
#define DEBUG_COMMAND REGISTER(0xd04)
#define DEBUG_INSTRUCTION REGISTER(0xd08)
#define DEBUG_OPERAND REGISTER(0xd0c)

enum {
	MOST_BEATS = 16, MOST_ROUNDS = 256, WIDEST_LOG2 = 3, PROGRAM_BYTES = 64,
	EVENT = 1,                           /* event 0, as a mask */
	/* Instructions. */
	ADD_FROM = 0x54, ADD_TO = 0x56, ADD_NEGATIVE = 0x08, END = 0x00, GO = 0xa0, LOAD = 0x04,
	LOOP_0 = 0x20, LOOP_1 = 0x22, LOOP_0_END = 0x38, LOOP_1_END = 0x3c, MOVE = 0xbc,
	SEND_EVENT = 0x34, STORE = 0x08, WRITE_BARRIER = 0x13,
	/* Registers of MOVE. */
	FROM = 0, CONTROL = 1, TO = 2
};

static uint8_t program[PROGRAM_BYTES] __attribute__((aligned(64)));
static unsigned program_length;
static lrt_queue queue;
static int busy;

#ifdef LRT_INTERRUPT
void lrt_pl330_interrupt(void);

static uint32_t interrupts_off(void)
{
	uint32_t status;
	__asm__ volatile("mrs %0, cpsr\n\tcpsid i" : "=r"(status) :: "memory");
	return status;
}

static void interrupts_restore(uint32_t status)
{
	__asm__ volatile("msr cpsr_c, %0" :: "r"(status) : "memory");
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

static void interrupts_restore(uint32_t status)
{
	(void)status;
}
#endif

static void emit(unsigned byte)
{
	program[program_length++] = (uint8_t)byte;
}

static void emit_move(unsigned destination, uint32_t value)
{
	emit(MOVE);
	emit(destination);
	emit(value & 0xff);
	emit(value >> 8 & 0xff);
	emit(value >> 16 & 0xff);
	emit(value >> 24);
}

/* From the end of a row to the begin of the next. */
static void emit_add(unsigned instruction, int32_t distance)
{
	emit(distance < 0 ? instruction | ADD_NEGATIVE : instruction);
	emit((uint32_t)distance & 0xff);
	emit((uint32_t)distance >> 8 & 0xff);
}

/* Both sides move on, in bursts of BEATS elements of 2 to the WIDTH bytes. */
static void emit_control(uint32_t beats, uint32_t width)
{
	uint32_t side = 1 | width << 1 | (beats - 1) << 4;
	emit_move(CONTROL, side | side << 14);
}

/* ROUNDS bursts. */
static void emit_bursts(uint32_t rounds)
{
	emit(LOOP_0);
	emit(rounds - 1);
	emit(LOAD);
	emit(STORE);
	emit(LOOP_0_END);
	emit(2);
}

/* Rows of one length, apart by the distances. */
struct rows {
	lrt_run first;
	uint32_t count;
	int32_t from_distance, to_distance;
};

static uint32_t width_log2(const lrt_run *run)
{
	uintptr_t bits = run->from | run->to | run->bytes;
	uint32_t width = 0;
	while (width < WIDEST_LOG2 && !(bits >> width & 1))
		width++;
	return width;
}

static void make_program(const struct rows *rows, uint32_t width)
{
	uint32_t burst = (uint32_t)MOST_BEATS << width, rounds = rows->first.bytes / burst;
	uint32_t rest = rows->first.bytes % burst >> width;
	unsigned row;
	program_length = 0;
	emit_move(FROM, (uint32_t)rows->first.from);
	emit_move(TO, (uint32_t)rows->first.to);
	emit(LOOP_1);
	emit(rows->count - 1);
	row = program_length;
	if (rounds) {
		emit_control(MOST_BEATS, width);
		emit_bursts(rounds);
	}
	if (rest) {
		emit_control(rest, width);
		emit_bursts(1);
	}
	emit_add(ADD_FROM, rows->from_distance);
	emit_add(ADD_TO, rows->to_distance);
	emit(LOOP_1_END);
	emit(program_length - 1 - row);
	emit(WRITE_BARRIER);
	emit(SEND_EVENT);
	emit(0);
	emit(END);
}

static int reaches(intptr_t distance)
{
	return distance >= -0x10000 && distance <= 0xffff;
}

/* Takes what one program can copy: rows that follow each other at equal distances. */
static int take_rows(struct rows *rows, uint32_t *width)
{
	lrt_run next;
	uint32_t most;
	if (!lrt_queue_peek(&queue, &rows->first))
		return 0;
	*width = width_log2(&rows->first);
	most = (uint32_t)(MOST_BEATS * MOST_ROUNDS) << *width;
	if (rows->first.bytes > most)
		rows->first.bytes = most;
	rows->count = 1;
	rows->from_distance = rows->to_distance = 0;
	lrt_queue_take(&queue, rows->first.bytes);
	while (rows->count < MOST_ROUNDS && lrt_queue_peek(&queue, &next)) {
		intptr_t from = (intptr_t)(next.from - rows->first.from) / (intptr_t)rows->count;
		intptr_t to = (intptr_t)(next.to - rows->first.to) / (intptr_t)rows->count;
		if (rows->count == 1) {
			rows->from_distance = (int32_t)(from - (intptr_t)rows->first.bytes);
			rows->to_distance = (int32_t)(to - (intptr_t)rows->first.bytes);
		}
		if (next.bytes != rows->first.bytes || width_log2(&next) < *width ||
				!reaches(rows->from_distance) || !reaches(rows->to_distance) ||
				next.from != rows->first.from + rows->count *
					(uintptr_t)((intptr_t)rows->first.bytes + rows->from_distance) ||
				next.to != rows->first.to + rows->count *
					(uintptr_t)((intptr_t)rows->first.bytes + rows->to_distance))
			break;
		lrt_queue_take(&queue, next.bytes);
		rows->count++;
	}
	if (rows->count == 1)
		rows->from_distance = rows->to_distance = 0;
	return 1;
}

/* Starts the next program if the channel is free and there is something to copy. */
static void start_next(void)
{
	struct rows rows;
	uint32_t width;
	if (busy || !take_rows(&rows, &width))
		return;
	make_program(&rows, width);
	busy = 1;
	INTERRUPTS_ENABLE = EVENT;
	__asm__ volatile("dsb" ::: "memory");
	while (DEBUG_STATUS & 1) { }
	DEBUG_INSTRUCTION = (uint32_t)GO << 16;      /* channel 0, by the manager */
	DEBUG_OPERAND = (uint32_t)(uintptr_t)program;
	DEBUG_COMMAND = 0;
}

/* Takes note of a program that is done, and goes on. */
static void advance(void)
{
	if (busy && FAULTING_CHANNELS)
		LRT_DMA_ERROR();
	if (busy && (INTERRUPTS & EVENT)) {
		__asm__ volatile("dmb" ::: "memory");
		INTERRUPTS_CLEAR = EVENT;
		busy = 0;
		lrt_queue_done(&queue);
	}
	start_next();
}

#ifdef LRT_INTERRUPT
void lrt_pl330_interrupt(void)
{
	uint32_t status = interrupts_off();
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
	uint32_t status = interrupts_off();
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
	uint32_t status = interrupts_off();
	while (lrt_queue_pending(&queue, tag_mask))
		idle();
	interrupts_restore(status);
}

void *lrt_scratchpad(void)
{
	return (void *)(uintptr_t)LRT_SCRATCHPAD_BASE;
}
