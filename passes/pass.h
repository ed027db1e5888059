#ifndef PASSES_PASS_H
#define PASSES_PASS_H

#include <stdbool.h>

#include "ir/arch.h"
#include "ir/plan.h"
#include "ir/program.h"
#include "passes/limits.h"
#include "support/arena.h"
#include "support/diag.h"

/* Whether nests are fused: not; where that moves less; wherever it can be. */
enum fusion { FUSE_NEVER, FUSE_AUTO, FUSE_ALL };

enum buffering { BUFFERING_SINGLE, BUFFERING_DOUBLE, BUFFERING_AUTO };

/* What an array is to the layer that a nest computes (restriction.h). */
enum array_role { ROLE_INPUT, ROLE_WEIGHT, ROLE_OUTPUT, ROLE_COUNT };

/* The part of a nest's schedule space that is searched: all of it where this is zero. */
struct restriction {
	unsigned held_roles;         /* bit r: arrays of role r are held (see search_options) */
	bool is_in_source_order;     /* the band's loops run as they are written, one iteration a
	                              * tile: only where buffers are is free */
	bool is_forward;             /* no serpentine loops, and so no slots */
	bool divides;                /* tile sizes divide the extents */
	bool prefers_memory;         /* see search_options */
	double command_bytes;        /* likewise */
};

struct search_memo;
struct nest_memos;
struct fusion_memo;
struct schedule_lines;

/* Which arrays of the source's function stay on chip around the nests that are lowered. */
struct carried {
	int count;
	bool *is_carried;            /* [count] */
};

/* What a compilation is told and what its passes share. */
struct compilation {
	struct arena *arena;
	isl_ctx *ctx;
	struct diag *diag;
	const struct arch *arch;
	const struct arch *roomy;    /* whose scratchpad is there for what --buffering=auto makes double;
	                              * NULL: that of ARCH (lower_nest.c) */
	const struct program *program;   /* what plans refer to: the source's, with the arrays
	                              * that lower_function has made of scalars */
	bool reassociate;            /* -fno-reassociate clears it */
	enum buffering buffering;
	enum fusion fusion;
	double recompute_percent;    /* groups may do that much more work than the source */
	struct restriction restriction;
	bool spares_memory;          /* of choices for a group that move the same, that which needs
	                              * least is taken */
	long effort;                 /* points; 0: as documented in search.h */
	int threads;
	bool show_progress;
	const volatile int *interrupted;
	/* See passes/nest_work.h: isl's operations, of those that count, at which the nest being
	 * lowered has had its share (0: no limit); and those that do not count. */
	unsigned long isl_end, isl_uncounted;
	struct search_memo *searches;   /* done so far; NULL: none are remembered */
	struct nest_memos *nests;    /* what was found of nests, as long as ARENA lives (nest_memo.h);
	                              * NULL: nothing is kept */
	double *work;                /* done so far, in about what a point of the search of a nest
	                              * takes; NULL: nobody asks */
	struct fusion_memo *fusions;    /* found so far for larger scratchpads; NULL: nothing is */
	const struct carried *carried;   /* NULL: none */
	long carried_bytes;          /* of the machine's scratchpad, which ARCH lacks for these */
	const struct schedule_lines *schedule;   /* of --schedule; NULL: none */
	bool only_weighs;            /* plans get transfers but no statements: their traffic is
	                              * all that is asked for */
	bool is_trial;               /* one of many that are compared: nests are not looked at in less
	                              * scratchpad (lower_nest.c) */
	/* Set when nothing fits: exit status 3, not 1. */
	bool does_not_fit;
	bool is_broken;              /* an invariant does not hold: exit status 70 */
	FILE *trace;                 /* --print-after: where passes print; NULL: nowhere */
	bool (*traced)(const struct compilation *, const char *pass);
};

/* ARRAY stays on chip in COMPILATION. */
static inline bool is_carried(const struct compilation *compilation, const struct array *array)
{
	const struct carried *carried = compilation->carried;
	return carried && array->index < carried->count && carried->is_carried[array->index];
}

/* The machine in whose scratchpad buffers become double, as there is room. */
static inline const struct arch *overlap_arch(const struct compilation *compilation)
{
	return compilation->roomy ? compilation->roomy : compilation->arch;
}

/* An answer that was found is compared with others that may be better in what plans move. */
static inline bool is_thorough(const struct compilation *compilation)
{
	return !compilation->effort || compilation->effort >= THOROUGH_EFFORT;
}

/* COMPILATION has done WORK more. */
static inline void compilation_add_work(const struct compilation *compilation, double work)
{
	if (compilation->work)
		*compilation->work += work;
}

/* PASS (pipeline.h) is done: for --time-passes; and true if its result is to be printed to
 * compilation.trace. */
static inline bool pass_done(const struct compilation *compilation, const char *pass)
{
	return compilation->traced && compilation->traced(compilation, pass);
}

/* What is being done, on the line of the terminal that it takes the place of; nothing if
 * COMPILATION shows no progress. */
__attribute__((format(printf, 2, 3)))
void progress_show(const struct compilation *compilation, const char *format, ...);
/* Clears that line. */
void progress_end(const struct compilation *compilation);

#endif
