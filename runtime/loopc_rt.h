#ifndef LOOPC_RT_H
#define LOOPC_RT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All that code written by loopc sees of the machine it runs on.  A port is one
 * file that implements these functions; see docs/porting.md. */

/* An address in external memory.  The core may not be able to dereference it. */
typedef uintptr_t lrt_ext;

/* A copy between external memory and memory on chip: RANK nested counts, outermost
 * first, around a contiguous run.  rank 1 is the run alone.  Dimension d of the
 * rank - 1 outer ones is taken count[d] times, ext_stride[d] bytes apart outside
 * and loc_stride[d] bytes apart on chip.  All counts and bytes are > 0. */
enum { LRT_MAX_RANK = 8, LRT_TAGS = 32, LRT_MEMORIES = 8 };
typedef struct lrt_box {
	uint32_t rank;
	uint32_t bytes;
	uint32_t count[LRT_MAX_RANK - 1];
	ptrdiff_t ext_stride[LRT_MAX_RANK - 1];
	ptrdiff_t loc_stride[LRT_MAX_RANK - 1];
} lrt_box;

/* Starts the copy of BOX from EXT to LOC (on chip), under TAG (0 .. 31).
 * Copies that were started and not waited for may be done in any order. */
void lrt_get(unsigned tag, void *loc, lrt_ext ext, const lrt_box *box);
/* Starts the copy of BOX from LOC to EXT. */
void lrt_put(unsigned tag, lrt_ext ext, const void *loc, const lrt_box *box);
/* Returns when all copies of the tags in the mask are done; at once for tags
 * that are not in use. */
void lrt_wait(uint32_t tag_mask);
/* The base of the scratchpad, aligned to at least 64 bytes. */
void *lrt_scratchpad(void);
/* Where the machine file has several memories: the base of number N, from 0 in the file's order, likewise
 * aligned; lrt_memory(0) is lrt_scratchpad().  Code for a machine with one memory does not call it,
 * and a port to one need not have it. */
void *lrt_memory(unsigned n);

#ifdef __cplusplus
}
#endif

#endif
