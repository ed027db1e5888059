#ifndef BOARD_H
#define BOARD_H

#include <stddef.h>
#include <stdint.h>

/* What a program of this example needs of the board it runs on.  Each board's
 * directory has it in board.c, with the startup code, next to its linker script. */

/* External memory is where EXTERNAL puts an object: only DMA and the program around
 * the kernels touch it. */
#define EXTERNAL __attribute__((section(".external")))

/* The program; its result is the exit status. */
int main(void);

void board_put_char(char c);
/* Instructions executed so far, where QEMU runs with -icount shift=0.  The an505's
 * timer counts 50 of them at a time. */
uint64_t board_instructions(void);
/* Makes external memory inaccessible to the core, and accessible again. */
void board_protect(int on);
/* Ends the program. */
void board_exit(int status) __attribute__((noreturn));

#endif
