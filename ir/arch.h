#ifndef IR_ARCH_H
#define IR_ARCH_H

#include <stdbool.h>

/* A machine, as its YAML file describes it (docs/machine.md).  Limits of 0 are
 * "none". */
struct arch {
	const char *name;
	long scratchpad_bytes;
	int banks;                   /* >= 1 */
	bool exclusive;              /* a bank holds one buffer; else buffers are placed by
	                              * bytes and alignment */
	long startup_cycles;         /* of a DMA command */
	double bytes_per_cycle;
	int max_rank;                /* dimensions of one command, >= 1; bytes of a row included:
	                              * rank 1 is a contiguous run */
	long max_bytes;              /* of one command */
	long max_count;              /* largest extent of one dimension, in elements */
	long max_stride_bytes;
	int align_bytes;             /* of scratchpad buffers; a power of two */
	int channels;
	bool has_pe_array;
	int pe_x, pe_y;
	long registers_bytes;
	double energy_mac_pj, energy_register_pj, energy_scratchpad_pj, energy_dram_pj;
	double clock_hz;
};

#endif
