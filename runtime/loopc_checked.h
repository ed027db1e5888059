#ifndef LOOPC_CHECKED_H
#define LOOPC_CHECKED_H

#include "loopc_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The checked port's own interface, for a test program on a host: what it must
 * know before a kernel runs, and what it counted.  Any violation (a copy outside
 * one memory on chip, a put into a read-only array, a copy that overlaps one in flight, a
 * limit exceeded, a copy never waited for at the end) is printed to stderr and
 * counted.  A copy that reaches outside the named arrays is printed to stderr and ends
 * the program with status 1: there is nothing it could go on with. */

/* The machine's limits; 0 means none.  max_bytes is of a whole command, max_count of
 * one dimension around the run.  align_bytes, dma.align_bytes of the machine file: both
 * addresses, the run's bytes and the strides of dimensions that are taken more than once
 * are multiples of it. */
typedef struct lrt_limits {
	size_t scratchpad_bytes;
	uint32_t max_rank, max_bytes, max_count, max_stride_bytes, align_bytes;
} lrt_limits;

void lrt_checked_begin(const lrt_limits *limits);
/* lrt_memory(N), of a machine with several memories, has BYTES: to be called after lrt_checked_begin, which
 * says what lrt_scratchpad() has.  A memory of which nothing is said has 1 MiB. */
void lrt_checked_memory(unsigned n, size_t bytes);
/* NAME is kept; regions of arrays are apart.  WRITABLE 0: a put into it is an error. */
void lrt_checked_array(const char *name, const void *base, size_t bytes, int writable);

typedef struct lrt_counts {
	uint64_t read_bytes, write_bytes;   /* outside -> on chip, on chip -> outside */
	uint64_t gets, puts;                /* commands */
} lrt_counts;

/* Counts of the array named NAME since lrt_checked_begin. */
lrt_counts lrt_checked_counts(const char *name);
/* Multiply-accumulates since lrt_checked_begin, where the emitted code counts them: that
 * of loopc --verify does. */
extern uint64_t lrt_checked_macs;
/* Words that processing elements move, where the emitted code counts them likewise, by array (its place in the function) and
 * kind: read from and written to the scratchpad, to and from single elements, added to a neighbour's. */
enum { LRT_WORD_KINDS = 4 };
void lrt_checked_word(unsigned array, unsigned kind);
uint64_t lrt_checked_words(unsigned array, unsigned kind);
/* Waits for nothing, checks that nothing is in flight, frees the scratchpad.
 * Returns the number of violations since lrt_checked_begin. */
int lrt_checked_end(void);

#ifdef __cplusplus
}
#endif

#endif
