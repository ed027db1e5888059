#ifndef PASSES_PASS_H
#define PASSES_PASS_H

#include <stdbool.h>

#include "ir/arch.h"
#include "ir/plan.h"
#include "ir/prices.h"
#include "ir/program.h"
#include "passes/limits.h"
#include "support/arena.h"
#include "support/diag.h"

/* Whether nests are fused: not; where that moves less; wherever it can be. */
enum fusion { FUSE_NEVER, FUSE_AUTO, FUSE_ALL };

enum buffering { BUFFERING_SINGLE, BUFFERING_DOUBLE, BUFFERING_AUTO };

/* The part of a nest's schedule space that is searched: all of it where this is zero. */
struct restriction {
	unsigned held_roles;         /* bit r: arrays of role r are held (see search_options) */
	bool is_in_source_order;     /* the band's loops run as they are written, one iteration a
	                              * tile: only where buffers are is free */
	bool is_forward;             /* no serpentine loops, and so no slots */
	bool divides;                /* tile sizes divide the extents */
	bool prefers_memory;         /* see search_options */
	struct prices prices;        /* likewise */
};

struct ast_memo;
struct search_memo;
struct nest_memos;
struct fusion_memo;
struct schedule_lines;

/* Which arrays of the source's function stay on chip around the nests that are lowered. */
struct carried {
	int count;
	bool *is_carried;            /* [count] */
	const bool *is_free;         /* [count]: it takes no room, and might as well not stay: what is found is only a bound; NULL: none
	                              * is.  See carry_part. */
};

struct compilation;

/* What the user wants of a compilation, and who asks for a part of it. */
struct request {
	bool reassociate;            /* -fno-reassociate clears it */
	enum buffering buffering;
	bool chooses_buffers;        /* plans with other buffering are made too, and the best is taken: schedules say
	                              * of single buffers that they are */
	enum fusion fusion;
	double recompute_percent;    /* groups may do that much more work than the source */
	struct restriction restriction;
	bool spares_memory;          /* of choices for a group that move the same, that which needs
	                              * least is taken */
	bool holds_results;          /* what a group makes does not go out for its stage (see struct group_limits) */
	long effort;                 /* points; 0: as documented in search.h */
	bool omits_points;           /* plans are compared, not emitted, and what a core computes takes no
	                              * time: they need no point loops */
	const struct schedule_lines *schedule;   /* of --schedule; NULL: none */
};

/* What is there of the scratchpad besides what ARCH of the compilation has. */
struct room {
	const struct arch *roomy;    /* whose scratchpad is there for what --buffering=auto makes double;
	                              * NULL: that of ARCH (lower_nest.c) */
	const struct carried *carried;   /* NULL: none */
	long carried_bytes;          /* of the machine's scratchpad, which ARCH lacks for these */
};

/* What was found so far; NULL: nothing is kept. */
struct known {
	struct search_memo *searches;
	struct nest_memos *nests;    /* as long as the compilation's arena lives (nest_memo.h) */
	struct fusion_memo *fusions; /* for larger scratchpads */
	struct ast_memo *loops;
};

/* Work that was done, and that may be (passes/nest_work.h). */
struct spent {
	unsigned long isl_end;       /* isl's operations, of those that count, at which the nest being
	                              * lowered has had its share (0: no limit) */
	unsigned long isl_uncounted;
	double *work;                /* done so far, in about what a point of the search of a nest
	                              * takes; NULL: nobody asks */
};

/* How it is watched, and stopped. */
struct watch {
	int threads;
	bool show_progress;
	const volatile int *interrupted;
	FILE *trace;                 /* --print-after: where passes print; NULL: nowhere */
	bool (*traced)(const struct compilation *, const char *pass);
};

/* Why there is no result; what is wrong was said (diagnosed). */
struct failure {
	bool does_not_fit;           /* nothing fits: exit status 3, not 1 */
	bool is_broken;              /* an invariant does not hold: exit status 70 */
};

/* What passes are told and share. */
struct compilation {
	struct arena *arena;
	isl_ctx *ctx;
	struct diag *diag;
	const struct arch *arch;
	const struct program *program;   /* what plans refer to: the source's, with the arrays
	                              * that lower_function has made of scalars */
	bool only_weighs;            /* plans get transfers but no statements: their traffic is
	                              * all that is asked for */
	bool is_trial;               /* one of many that are compared: nests are not looked at in less
	                              * scratchpad (lower_nest.c), but for merged ones */
	bool is_draft;               /* one of several functions that are compared, the best of which is lowered again: its
	                              * wide nests are not weighed merged (fusion/merge.h) */
	struct request request;
	struct room room;
	struct known known;
	struct spent spent;
	struct watch watch;
	struct failure failure;
};

/* ARRAY stays on chip in COMPILATION. */
static inline bool is_carried(const struct compilation *compilation, const struct array *array)
{
	const struct carried *carried = compilation->room.carried;
	return carried && array->index < carried->count && carried->is_carried[array->index];
}

/* It does for free: what is legal because it does not stay, or because it does, is allowed. */
static inline bool stays_for_free(const struct compilation *compilation, const struct array *array)
{
	return is_carried(compilation, array) && compilation->room.carried->is_free && compilation->room.carried->is_free[array->index];
}

/* The machine in whose scratchpad buffers become double, as there is room. */
static inline const struct arch *overlap_arch(const struct compilation *compilation)
{
	return compilation->room.roomy ? compilation->room.roomy : compilation->arch;
}

/* An answer that was found is compared with others that may be better in what plans move. */
static inline bool is_thorough(const struct compilation *compilation)
{
	return !compilation->request.effort || compilation->request.effort >= THOROUGH_EFFORT;
}

/* COMPILATION has done WORK more. */
static inline void compilation_add_work(const struct compilation *compilation, double work)
{
	if (compilation->spent.work)
		*compilation->spent.work += work;
}

/* PASS (pipeline.h) is done: for --time-passes; and true if its result is to be printed to
 * compilation.watch.trace. */
static inline bool pass_done(const struct compilation *compilation, const char *pass)
{
	return compilation->watch.traced && compilation->watch.traced(compilation, pass);
}

/* What is being done, on the line of the terminal that it takes the place of; nothing if
 * COMPILATION shows no progress. */
__attribute__((format(printf, 2, 3)))
void progress_show(const struct compilation *compilation, const char *format, ...);
/* Clears that line. */
void progress_end(const struct compilation *compilation);

#endif
