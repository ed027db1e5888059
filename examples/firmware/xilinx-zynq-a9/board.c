/* Xilinx Zynq-7000: a Cortex-A9 (the first), a DMA-330. */

#include "board.h"

#define REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))
#define BYTE_REGISTER(address) (*(volatile uint8_t *)(uintptr_t)(address))
#define UART_CONTROL REGISTER(0xe0000000)
#define UART_STATUS REGISTER(0xe000002c)
#define UART_DATA REGISTER(0xe0000030)
#define TIMER_LOW REGISTER(0xf8f00200)
#define TIMER_HIGH REGISTER(0xf8f00204)
#define TIMER_CONTROL REGISTER(0xf8f00208)
#define CPU_INTERRUPTS_CONTROL REGISTER(0xf8f00100)
#define CPU_PRIORITY_MASK REGISTER(0xf8f00104)
#define CPU_ACKNOWLEDGE REGISTER(0xf8f0010c)
#define CPU_END REGISTER(0xf8f00110)
#define DISTRIBUTOR_CONTROL REGISTER(0xf8f01000)
#define DISTRIBUTOR_ENABLE(n) REGISTER(0xf8f01100 + (n) / 32 * 4)
#define DISTRIBUTOR_PRIORITY(n) BYTE_REGISTER(0xf8f01400 + (n))
#define DISTRIBUTOR_TARGETS(n) BYTE_REGISTER(0xf8f01800 + (n))

enum { DMA_EVENT_0_INTERRUPT = 46, INSTRUCTIONS_A_TICK = 10, SECTIONS = 4096 };

extern uint32_t bss_start[], bss_end[], external_start[];

void lrt_pl330_interrupt(void) __attribute__((weak));
void board_run(void) __attribute__((noreturn));
void board_interrupt(void) __attribute__((interrupt("IRQ")));
void board_fault(void) __attribute__((noreturn));

/* The vectors, and where the program begins: stacks of both modes, no variables yet. */
__asm__(
	".section .start, \"ax\"\n"
	".balign 32\n"
	"vectors:\n"
	"	b board_start\n"
	"	b board_fault\n"
	"	b board_fault\n"
	"	b board_fault\n"
	"	b board_fault\n"
	"	b board_fault\n"
	"	b board_interrupt\n"
	"	b board_fault\n"
	".globl board_start\n"
	"board_start:\n"
	"	cps #0x12\n"                     /* interrupts */
	"	ldr sp, =interrupt_stack_top\n"
	"	cps #0x17\n"                     /* aborts */
	"	ldr sp, =interrupt_stack_top\n"
	"	cps #0x1f\n"                     /* everything else */
	"	ldr sp, =stack_top\n"
	"	ldr r0, =vectors\n"
	"	mcr p15, 0, r0, c12, c0, 0\n"
	"	b board_run\n"
	"	.ltorg\n"
	".text\n");

void board_put_char(char c)
{
	while (UART_STATUS & 1u << 4) { }
	UART_DATA = (uint32_t)(unsigned char)c;
}

uint64_t board_instructions(void)
{
	uint32_t high, low;
	do {
		high = TIMER_HIGH;
		low = TIMER_LOW;
	} while (high != TIMER_HIGH);
	return ((uint64_t)high << 32 | low) * INSTRUCTIONS_A_TICK;
}

void board_exit(int status)
{
	volatile uint32_t block[2] = { 0x20026, (uint32_t)status };
	register uint32_t operation __asm__("r0") = 0x20;
	register volatile uint32_t *argument __asm__("r1") = block;
	for (;;)
		__asm__ volatile("svc 0x123456" : "+r"(operation) : "r"(argument) : "memory");
}

static void set_mmu(uint32_t on)
{
	uint32_t control;
	__asm__ volatile("mrc p15, 0, %0, c1, c0, 0" : "=r"(control));
	control = (control & ~1u) | on;
	__asm__ volatile("mcr p15, 0, %0, c1, c0, 0\n\tisb" :: "r"(control) : "memory");
}

void board_fault(void)
{
	const char *text = "fault: the core touched memory that it must not\n";
	set_mmu(0);
	while (*text)
		board_put_char(*text++);
	board_exit(3);
}

void board_interrupt(void)
{
	uint32_t interrupt = CPU_ACKNOWLEDGE;
	if ((interrupt & 0x3ff) == DMA_EVENT_0_INTERRUPT)
		lrt_pl330_interrupt();
	CPU_END = interrupt;
}

/* Every megabyte where it is, but those of external memory nowhere. */
void board_protect(int on)
{
	enum { SECTION_READ_WRITE = 0xc02, EXTERNAL_SECTIONS = 16 };
	static uint32_t table[SECTIONS] __attribute__((aligned(4 * SECTIONS)));
	uint32_t external = (uint32_t)(uintptr_t)external_start >> 20, i;
	set_mmu(0);
	for (i = 0; i < SECTIONS; i++)
		table[i] = i - external < EXTERNAL_SECTIONS ? 0 : i << 20 | SECTION_READ_WRITE;
	__asm__ volatile("mcr p15, 0, %0, c2, c0, 0\n\tmcr p15, 0, %1, c3, c0, 0\n\t"
		"mcr p15, 0, %2, c8, c7, 0\n\tdsb\n\tisb" :: "r"(table), "r"(1), "r"(0) : "memory");
	set_mmu(on != 0);
}

void board_run(void)
{
	uint32_t *word;
	for (word = bss_start; word < bss_end; word++)
		*word = 0;
	UART_CONTROL = 1u << 4 | 1u << 2;
	TIMER_CONTROL = 1;
	if (lrt_pl330_interrupt) {
		DISTRIBUTOR_PRIORITY(DMA_EVENT_0_INTERRUPT) = 0x80;
		DISTRIBUTOR_TARGETS(DMA_EVENT_0_INTERRUPT) = 1;
		DISTRIBUTOR_ENABLE(DMA_EVENT_0_INTERRUPT) = 1u << DMA_EVENT_0_INTERRUPT % 32;
		DISTRIBUTOR_CONTROL = 1;
		CPU_PRIORITY_MASK = 0xf0;
		CPU_INTERRUPTS_CONTROL = 1;
		__asm__ volatile("cpsie i" ::: "memory");
	}
	board_exit(main());
}
