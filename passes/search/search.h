#ifndef PASSES_SEARCH_H
#define PASSES_SEARCH_H

#include "passes/cost/model.h"
#include "passes/pass.h"
#include "passes/search/mapping_search.h"

/* The best schedule of a model, with proof. */

/* How processing elements may compute the tiles. */
struct element_options {
	struct mapping_rules rules;
	double macs;                 /* multiply-accumulates of an iteration of all loops */
	bool proves;                 /* what the search shows is told, so that it may take long: the user says nothing of schedules or mappings */
	unsigned bypassing;          /* bit a: registers may be all that holds array a, though no memory of the options is they */
};

struct search_options {
	enum buffering buffering;
	long effort;                 /* points; 0: exhaustive */
	int threads;                 /* -j; the result does not depend on it */
	bool show_progress;
	const volatile int *interrupted;   /* set by SIGINT; may be NULL */
	/* What the user fixed of order, stores, slots, sliding (tiles are in the model).
	 * order: the first order_count tile loops, outermost first. */
	int order_count;
	int order[MODEL_LOOPS];
	bool has_fixed_order;        /* each of them is cut into tiles, but for those of one
	                              * iteration; else some may run whole */
	unsigned memories[MODEL_ARRAYS];   /* bit m: the buffer may lie in memory m of the machine */
	int store[MODEL_ARRAYS];     /* -1: free */
	int min_store[MODEL_ARRAYS]; /* the least that is legal */
	long slots[MODEL_ARRAYS];    /* 0: free */
	int sliding[MODEL_ARRAYS];   /* -1: free, 0, 1 */
	int doubled[MODEL_ARRAYS];   /* -1: as BUFFERING says, 0, 1 */
	int serpentine[MODEL_LOOPS]; /* -1: free, 0, 1 */
	/* So many of the first tile loops are around other nests too, whose buffers take the
	 * same place in turns: what only these loops move is in single buffers. */
	int shared_loops;
	/* Parts of the space, for comparison. */
	bool held[MODEL_ARRAYS];     /* only loops that index the array are outside its buffer, so
	                              * that each of its regions comes once */
	bool divides;                /* tile sizes divide the extents */
	/* Among schedules of the same traffic the one with least scratchpad, before fewer
	 * commands: a point of the Pareto front. */
	bool prefers_memory;
	struct prices prices;        /* of what is least */
	double core_cycles;          /* where time has a price and a core computes: so long it does */
	const struct element_options *elements;   /* of the machine's array; NULL: none compute, or that costs nothing */
};

void search_options_init(struct search_options *options);

/* What a search has shown, and what it took. */
struct proof {
	bool is_optimal;             /* nothing in the space is better in what is asked for */
	long bound_bytes;            /* nothing in the space moves less than this */
	double bound_priced;         /* where commands or elements have a price: nothing in the space costs less */
	long smallest;               /* where nothing fits: the least scratchpad that something fits in */
	struct mapping mapping;      /* of the best schedule, where elements compute its tiles and that has a price */
	long points;
	double seconds;              /* of processor time; nothing depends on it */
};

/* The schedule with the least total_bytes (or what costs least, where there are prices) that fits ARCH; among equals fewer
 * commands, then longer contiguous runs, then less scratchpad, then simpler.
 * Deterministic.  False if none fits. */
bool search_schedule(const struct nest_model *model, const struct arch *arch,
	const struct search_options *options, struct schedule *best, struct proof *proof);

/* No schedule of MODEL that fits ARCH moves less than this, which is no more than MOST: what moves as much is not looked
 * for.  Much less work than a search where MOST is near the least. */
long search_bound(const struct nest_model *model, const struct arch *arch, const struct search_options *options, long most);
/* No schedule of MODEL that fits ARCH moves fewer bytes than MOST; false: one may.  Little work where one does, as a search of few
 * sizes meets it, and less than that of search_bound where the least is much more. */
bool search_excludes(const struct nest_model *model, const struct arch *arch, const struct search_options *options, long most);

/* *SMALLEST alone: for schedules that OPTIONS allow, however much ARCH has.  False: there are
 * none. */
bool search_least_memory(const struct nest_model *model, const struct arch *arch,
	const struct search_options *options, long *smallest);

/* Doubles the buffers of SCHEDULE that memory is left for, those with most commands first. */
void schedule_double_what_fits(const struct nest_model *model, const struct arch *arch,
	const struct search_options *options, struct schedule *schedule);

#endif
