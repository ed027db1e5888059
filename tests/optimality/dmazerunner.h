#ifndef TESTS_OPTIMALITY_DMAZERUNNER_H
#define TESTS_OPTIMALITY_DMAZERUNNER_H

#include <stdbool.h>

/* The execution model of dMazeRunner (Dave, Kim, Avancha, Lee, Shrivastava, 2019), section 4.3, written down
 * apart from loopc: convolutions on an array of elements with registers each, a scratchpad of two halves and a
 * DMA engine.  What the text leaves open is decided as its published numbers ask for. */

/* Loops of a convolution: O[n][m][x][y] += I[n][c][x * stride + fx][y * stride + fy] * W[m][c][fx][fy]. */
enum { DM_N, DM_M, DM_C, DM_X, DM_Y, DM_FX, DM_FY, DM_LOOPS };
enum { DM_DRAM, DM_SPM, DM_RF, DM_SPACE, DM_LEVELS };
enum { DM_INPUT, DM_WEIGHT, DM_OUTPUT, DM_OPERANDS };

struct dm_layer {
	const char *name;
	long extents[DM_LOOPS];
	long stride;
	long input;                  /* rows, and columns, of the input with its border */
};

/* The machine of section 5 has 256 elements, 256 registers of a word, and 32 banks of 1024 words in a half. */
struct dm_machine {
	long elements, registers, banks, bank_words;
	double register_pj, network_pj, scratchpad_pj, dram_pj, mac_pj;
};
extern const struct dm_machine dm_paper;

/* Each loop's trip counts multiply to its extent.  INNERMOST, of DM_DRAM and DM_SPM: the loops of that level that are
 * inside the others of it. */
struct dm_mapping {
	long trips[DM_LEVELS][DM_LOOPS];
	unsigned innermost[2];
};

struct dm_price {
	long region[DM_LEVELS][DM_OPERANDS];   /* words: DM_RF one element's, DM_SPACE the array's, DM_SPM a half's */
	long dram_words[DM_OPERANDS];          /* each way together */
	long array_words[DM_OPERANDS];         /* between the scratchpad and the array */
	long delivered_words[DM_OPERANDS];     /* to and from single elements */
	bool stays[DM_OPERANDS];               /* in the registers, from one pass over a half to the next */
	long reductions;                       /* additions of a partial sum to a neighbour's */
	double pass_pj, dram_pj, energy_pj;    /* one pass over a half; what comes once in many; all */
	long register_pass_cycles, pass_cycles, copy_cycles[DM_OPERANDS];
	double cycles;
};

void dm_evaluate(const struct dm_layer *layer, const struct dm_machine *machine, const struct dm_mapping *mapping,
	struct dm_price *price);

/* The strategies of section 4.2.3: elements and registers used at four fifths and the half of the scratchpad at one;
 * whole windows of weights at a time; no sums across elements. */
struct dm_best { long tilings; double edp, energy_pj, cycles; };
void dm_search(const struct dm_layer *layer, const struct dm_machine *machine, bool is_pruned, struct dm_best *best);

bool dm_indexes(int operand, int loop);

#endif
