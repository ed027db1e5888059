/* ARM MPS2+ with image AN505: a Cortex-M33, a PL081 DMA controller. */

#include "board.h"

#define REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))
#define UART_DATA REGISTER(0x50200000)
#define UART_STATE REGISTER(0x50200004)
#define UART_CONTROL REGISTER(0x50200008)
#define UART_DIVISOR REGISTER(0x50200010)
#define TIMER_CONTROL REGISTER(0x50000000)
#define TIMER_VALUE REGISTER(0x50000004)
#define TIMER_RELOAD REGISTER(0x50000008)
#define INTERRUPTS_ENABLE(n) REGISTER(0xe000e100 + (n) / 32 * 4)
#define SYSTEM_HANDLERS REGISTER(0xe000ed24)
#define MPU_CONTROL REGISTER(0xe000ed94)
#define MPU_NUMBER REGISTER(0xe000ed98)
#define MPU_BASE REGISTER(0xe000ed9c)
#define MPU_LIMIT REGISTER(0xe000eda0)
#define MPU_ATTRIBUTES REGISTER(0xe000edc0)

enum { DMA_INTERRUPT = 58, INSTRUCTIONS_A_TICK = 50 };

extern uint32_t data_start[], data_end[], data_image[], bss_start[], bss_end[], stack_top[];

void lrt_pl081_interrupt(void) __attribute__((weak));
void board_reset(void) __attribute__((noreturn));

void board_put_char(char c)
{
	while (UART_STATE & 1) { }
	UART_DATA = (uint32_t)(unsigned char)c;
}

uint64_t board_instructions(void)
{
	return (uint64_t)(0xffffffffu - TIMER_VALUE) * INSTRUCTIONS_A_TICK;
}

void board_exit(int status)
{
	volatile uint32_t block[2] = { 0x20026, (uint32_t)status };
	register uint32_t operation __asm__("r0") = 0x20;
	register volatile uint32_t *argument __asm__("r1") = block;
	for (;;)
		__asm__ volatile("bkpt 0xab" : "+r"(operation) : "r"(argument) : "memory");
}

static void fault(void)
{
	const char *text = "fault: the core touched memory that it must not\n";
	MPU_CONTROL = 0;
	while (*text)
		board_put_char(*text++);
	board_exit(3);
}

static void mpu_region(uint32_t number, uint32_t base, uint32_t limit, uint32_t attributes)
{
	enum { READ_WRITE = 0, ENABLE = 1 };
	MPU_NUMBER = number;
	MPU_BASE = base | READ_WRITE << 1 | (attributes ? 1u : 0u);   /* devices: never execute */
	MPU_LIMIT = (limit & ~31u) | attributes << 1 | ENABLE;
}

/* All the memory map but the external memory. */
void board_protect(int on)
{
	enum { NORMAL = 0, DEVICE = 1 };
	MPU_CONTROL = 0;
	MPU_ATTRIBUTES = 0x0044;            /* 0: normal, not cached; 1: device */
	mpu_region(0, 0x10000000, 0x103fffff, NORMAL);
	mpu_region(1, 0x30000000, 0x3fffffff, NORMAL);
	mpu_region(2, 0x50000000, 0x5fffffff, DEVICE);
	MPU_CONTROL = on ? 1 : 0;
	__asm__ volatile("dsb\n\tisb" ::: "memory");
}

void board_reset(void)
{
	uint32_t *to;
	const uint32_t *from = data_image;
	for (to = data_start; to < data_end; to++)
		*to = *from++;
	for (to = bss_start; to < bss_end; to++)
		*to = 0;
	UART_DIVISOR = 16;
	UART_CONTROL = 1;
	TIMER_RELOAD = TIMER_VALUE = 0xffffffffu;
	TIMER_CONTROL = 1;
	SYSTEM_HANDLERS |= 7u << 16;        /* memory, bus and usage faults */
	if (lrt_pl081_interrupt)
		INTERRUPTS_ENABLE(DMA_INTERRUPT) = 1u << DMA_INTERRUPT % 32;
	board_exit(main());
}

typedef void (*handler)(void);

__attribute__((section(".vectors"), used))
static const union { void *stack; handler handler; } vectors[16 + 64] = {
	[0] = { .stack = stack_top },
	[1] = { .handler = board_reset },
	[2] = { .handler = fault }, [3] = { .handler = fault }, [4] = { .handler = fault },
	[5] = { .handler = fault }, [6] = { .handler = fault }, [7] = { .handler = fault },
	[16 + DMA_INTERRUPT] = { .handler = lrt_pl081_interrupt }
};
