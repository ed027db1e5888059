#ifndef TRAFFIC_H
#define TRAFFIC_H

#include <stddef.h>
#include <stdint.h>

/* Text on the board's output. */
void print_text(const char *text);
void print_number(uint64_t number, unsigned width);
/* A number that depends on every byte of an array. */
void print_checksum(const char *name, const void *base, size_t bytes);

struct prediction {
	uint64_t read_bytes, write_bytes, commands;
};

/* Counting of what a kernel's copies move, array by array, and of instructions.  On a
 * board the linker leads lrt_get and lrt_put through here; on the host the checked
 * port counts, and finds violations. */
void traffic_begin(void);
void traffic_array(const char *name, const void *base, size_t bytes, int writable);
/* Ends what traffic_begin began; true if there were no violations and the sums are
 * what loopc predicted. */
int traffic_end(struct prediction predicted);
/* Prints what was counted last next to what loopc predicted. */
void traffic_print(const char *kernel, struct prediction predicted);

#endif
