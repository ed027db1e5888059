#ifndef IR_ARCH_H
#define IR_ARCH_H

#include <stdbool.h>

#include "ir/pe_array.h"

enum { ARCH_WORD_BITS = 16 };    /* where the machine file does not say */
enum { PRICE_SIZES = 16 };       /* sizes that a price is given for */

/* One memory on chip. */
struct arch_memory {
	const char *name;
	long bytes;
	int banks;                   /* >= 1 */
	bool exclusive;              /* a bank holds one buffer; else buffers are placed by
	                              * bytes and alignment */
	int align_bytes;             /* of buffers; a power of two, >= dma_align_bytes */
	unsigned roles;              /* bit r: arrays of role r lie in it */
	bool accumulates;            /* it adds words of processing elements to what is there */
};

/* Picojoules of an access of memories of some sizes, smallest first.  COUNT 0: none are given. */
struct price_by_size {
	int count;
	struct { long bytes; double pj; } at[PRICE_SIZES];
};

/* A machine, as its YAML file describes it (docs/machine.md).  Limits of 0 are
 * "none". */
struct arch {
	const char *name;
	/* The scratchpad, as struct arch_memory has it.  Of a machine with several memories the bytes are
	 * those of all, or fewer, if no more may be used of all together (arch_limited); the alignment is the
	 * largest: who places buffers asks arch_memory. */
	long scratchpad_bytes;
	int banks;
	bool exclusive, accumulates;
	int memory_count;            /* 0: the scratchpad is all; else 2 or more */
	struct arch_memory memories[MEMORY_LIMIT];
	int bypass_memory;           /* the last of these stands for the registers of all elements, where arrays are that
	                              * bypass the others: its number; 0: there is none */
	long startup_cycles;         /* of a DMA command */
	double bytes_per_cycle;
	int max_rank;                /* dimensions of one command, >= 1; bytes of a row included:
	                              * rank 1 is a contiguous run */
	long max_bytes;              /* of one command */
	long max_count;              /* largest extent of one dimension, in elements */
	long max_stride_bytes;
	int align_bytes;             /* of the scratchpad, see there */
	int dma_align_bytes;         /* of addresses, strides and runs of commands on both sides; a
	                              * power of two; 0 or 1: any will do */
	int channels;
	bool has_pe_array;
	struct pe_array array;
	/* Of one operation or access of a word of energy_word_bits; ir/energy.h has the model. */
	double energy_mac_pj, energy_register_pj, energy_scratchpad_pj, energy_dram_pj;
	double energy_network_pj;    /* of a word to or from one processing element */
	double energy_reduce_pj;     /* of a sum that is added to a neighbour's; less than 0: what is done for it */
	double energy_leakage_pj;    /* of everything, for each cycle of the run */
	struct price_by_size energy_register_by_bytes, energy_scratchpad_by_bytes;   /* given instead of energy_register_pj,
	                              * energy_scratchpad_pj */
	double energy_dram_bit_pj;   /* as the file gave it, and energy_dram_pj follows; 0: not given */
	int energy_word_bits;        /* >= 1 */
	double energy_scratchpad_sqrt_pj;    /* more for each square root of a bit of a bank */
	long energy_bank_bits;       /* 0: one bank */
	double energy_bank_select;   /* share more for each e-fold of banks */
	long energy_register_file_bytes;     /* 0: operands come from the scratchpad */
	bool energy_is_sized_by_schedule;    /* the scratchpad is as large as what is used of it */
	double clock_hz;
	/* Of the DMA engine's time (docs/machine.md). */
	double dma_clock_hz;         /* of all its cycles; 0: clock_hz */
	long write_startup_cycles;   /* of a command that writes to external memory */
	long burst_bytes;            /* a command is moved in bursts, none across runs; 0: it is not */
	long burst_cycles;           /* more for each burst */
	long write_burst_cycles;     /* of those that write to external memory */
	bool is_duplex;              /* what is read and what is written have a bus each */
	bool starts_once;            /* the commands of a transfer that follow each other on a channel */
	double core_mac_cycles;      /* of a multiply-accumulate; 0: computing takes no time */
};

/* ARCH says what takes time: a command or a multiply-accumulate. */
bool arch_has_clock(const struct arch *arch);
/* Cycles of the core in one of the DMA engine's clock. */
double arch_dma_scale(const struct arch *arch);
/* ARCH's memories on chip: 1, the scratchpad, or several. */
int arch_memory_count(const struct arch *arch);
/* Several of them are more than registers: who says where something lies has to say in which. */
bool arch_has_memories(const struct arch *arch);
struct arch_memory arch_memory(const struct arch *arch, int m);
/* The memory of ARCH that has this NAME; -1: none. */
int arch_memory_named(const struct arch *arch, const char *name);
/* Buffers are whole granules: alignment, or a bank.  Of several memories the largest alignment. */
long arch_granule_bytes(const struct arch *arch);
long arch_memory_granule(const struct arch_memory *memory);
/* What there is beside registers, bytes of all memories. */
long arch_held_bytes(const struct arch *arch);
/* ARCH with BYTES of scratchpad instead, of which registers that arrays bypass it to stay what they are; where banks are exclusive, as many whole ones as these hold.
 * Each of several memories has its share of that, but for what banks and alignment make of it, and at
 * least a bank; where BYTES are not above 0, scratchpad_bytes alone says that nothing is left. */
struct arch arch_resized(const struct arch *arch, long bytes);
/* ARCH with so many BYTES of each memory left, or the whole banks in these; of some none may be. */
struct arch arch_left(const struct arch *arch, const long *bytes);
/* ARCH with BYTES of scratchpad instead, as arch_resized has it; of several memories each stays as large as it is, and of
 * all together no more may be used. */
struct arch arch_limited(const struct arch *arch, long bytes);
/* Fewer bytes may be used of ARCH's memories than they have. */
bool arch_is_limited(const struct arch *arch);
/* What buffers of all memories together need is a multiple of this. */
long arch_step_bytes(const struct arch *arch);
/* A and B have as many bytes of each memory, and of all. */
bool arch_same_room(const struct arch *a, const struct arch *b);
/* ARCH with so many GRANULES more in each memory. */
struct arch arch_enlarged(const struct arch *arch, long granules);
/* ARCH with memories in which any buffer fits. */
struct arch arch_unbounded(const struct arch *arch);

#endif
