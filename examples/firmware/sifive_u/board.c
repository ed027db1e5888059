/* SiFive FU540 as QEMU's sifive_u: the program runs on hart 1, a U54, in machine
 * mode; a PDMA engine. */

#include "board.h"

#define REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))
#define UART_DATA REGISTER(0x10010000)
#define UART_TRANSMIT_CONTROL REGISTER(0x10010008)
#define PLIC_PRIORITY(n) REGISTER(0x0c000000 + 4 * (n))
#define PLIC_ENABLE REGISTER(0x0c002080)        /* machine mode of hart 1, from here on */
#define PLIC_THRESHOLD REGISTER(0x0c201000)
#define PLIC_CLAIM REGISTER(0x0c201004)

enum { DMA_DONE_INTERRUPT = 23, DMA_ERROR_INTERRUPT = 24 };

#define CAUSE_EXTERNAL ((uintptr_t)1 << 63 | 11)
#define STATUS_INTERRUPTS ((uintptr_t)1 << 3)
#define STATUS_PREVIOUS_MODE ((uintptr_t)3 << 11)
#define STATUS_MODIFY_PRIVILEGE ((uintptr_t)1 << 17)
#define INTERRUPTS_EXTERNAL ((uintptr_t)1 << 11)

void lrt_pdma_interrupt(void) __attribute__((weak));
void board_start(void);
void board_run(void) __attribute__((noreturn));
void board_trap(void) __attribute__((interrupt("machine"), aligned(4)));

/* Both harts begin here; all but hart 1 sleep. */
__asm__(
	".section .start, \"ax\"\n"
	".globl board_start\n"
	"board_start:\n"
	"	csrr t0, mhartid\n"
	"	li t1, 1\n"
	"	bne t0, t1, 2f\n"
	"	.option push\n"
	"	.option norelax\n"
	"	la gp, __global_pointer$\n"
	"	.option pop\n"
	"	la sp, stack_top\n"
	"	la t0, bss_start\n"
	"	la t1, bss_end\n"
	"1:	bgeu t0, t1, 3f\n"
	"	sd zero, 0(t0)\n"
	"	addi t0, t0, 8\n"
	"	j 1b\n"
	"3:	j board_run\n"
	"2:	wfi\n"
	"	j 2b\n"
	".text\n");

void board_put_char(char c)
{
	while (UART_DATA >> 31) { }
	UART_DATA = (uint32_t)(unsigned char)c;
}

uint64_t board_instructions(void)
{
	uint64_t count;
	__asm__ volatile("csrr %0, minstret" : "=r"(count) :: "memory");
	return count;
}

void board_exit(int status)
{
	volatile uint64_t block[2] = { 0x20026, (uint64_t)(int64_t)status };
	register uintptr_t operation __asm__("a0") = 0x18;
	register volatile uint64_t *argument __asm__("a1") = block;
	for (;;)
		__asm__ volatile(
			".option push\n\t.option norvc\n\t.balign 16\n\t"
			"slli x0, x0, 0x1f\n\tebreak\n\tsrai x0, x0, 7\n\t.option pop"
			: "+r"(operation) : "r"(argument) : "memory");
}

static void fault(void)
{
	const char *text = "fault: the core touched memory that it must not\n";
	while (*text)
		board_put_char(*text++);
	board_exit(3);
}

void board_trap(void)
{
	uintptr_t cause;
	uint32_t source;
	__asm__ volatile("csrr %0, mcause" : "=r"(cause));
	if (cause != CAUSE_EXTERNAL || !lrt_pdma_interrupt)
		fault();
	source = PLIC_CLAIM;
	if (source == DMA_DONE_INTERRUPT || source == DMA_ERROR_INTERRUPT)
		lrt_pdma_interrupt();
	PLIC_CLAIM = source;
}

/* The program's loads and stores are done with the rights of user mode, to which
 * entry 0 of the protection unit refuses external memory. */
void board_protect(int on)
{
	extern unsigned char external_start[];
	enum { NAPOT = 3 << 3, READ_WRITE_EXECUTE = 7, EXTERNAL_BYTES = 16 << 20 };
	uintptr_t refused = (uintptr_t)external_start >> 2 | ((EXTERNAL_BYTES >> 3) - 1);
	__asm__ volatile("csrc mstatus, %0" :: "r"(STATUS_MODIFY_PRIVILEGE) : "memory");
	__asm__ volatile("csrw pmpaddr0, %0\n\tcsrw pmpaddr1, %1\n\tcsrw pmpcfg0, %2"
		:: "r"(refused), "r"(~(uintptr_t)0 >> 10), "r"((NAPOT | READ_WRITE_EXECUTE) << 8 | NAPOT)
		: "memory");
	__asm__ volatile("sfence.vma" ::: "memory");
	if (on) {
		__asm__ volatile("csrc mstatus, %0" :: "r"(STATUS_PREVIOUS_MODE) : "memory");
		__asm__ volatile("csrs mstatus, %0" :: "r"(STATUS_MODIFY_PRIVILEGE) : "memory");
	}
}

void board_run(void)
{
	__asm__ volatile("csrw mtvec, %0" :: "r"(board_trap));
	__asm__ volatile("csrs mstatus, %0" :: "r"((uintptr_t)1 << 13));    /* floating point */
	UART_TRANSMIT_CONTROL = 1;
	if (lrt_pdma_interrupt) {
		PLIC_PRIORITY(DMA_DONE_INTERRUPT) = 1;
		PLIC_PRIORITY(DMA_ERROR_INTERRUPT) = 1;
		PLIC_ENABLE = 1u << DMA_DONE_INTERRUPT | 1u << DMA_ERROR_INTERRUPT;
		PLIC_THRESHOLD = 0;
		__asm__ volatile("csrs mie, %0" :: "r"(INTERRUPTS_EXTERNAL));
		__asm__ volatile("csrs mstatus, %0" :: "r"(STATUS_INTERRUPTS));
	}
	board_exit(main());
}
