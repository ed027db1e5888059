#ifndef PASSES_LOWER_H
#define PASSES_LOWER_H

#include "passes/tiles/lowering.h"

/* A nest under its schedule becomes plan nodes. */

/* What keeps a nest from having a plan under a schedule. */
struct obstacle {
	long needed_bytes;           /* the real regions do not fit: what they need; else 0 */
	int clash[2];                /* entries of arrays that need one buffer; else -1 */
	int array;                   /* the entry whose buffer has no plan, or needs most; else -1 */
};

/* A nest, or a fused group, that is to be lowered. */
struct lowering_request {
	const struct variant *variant;
	const struct nest_model *model;      /* NULL: a group has none */
	const struct region *regions;        /* closed forms: then places of buffers are in the schedule; NULL: regions
	                                      * come from isl, and places are chosen here */
	const struct schedule *schedule;     /* tiles, their order, and who computes them */
	struct holding *holdings;            /* [array of the variant] */
	const struct group_stage *stages;    /* [stage_count]: members with loops, or arrays, of their own */
	int stage_count;
	enum detail detail;
};

/* Lowers what REQUEST says into OUT (body, traffic, buffers of PLAN), and tells in its holdings what was done.  False if there
 * is no plan; OBSTACLE says why, if it can be mended. */
bool lower_with_holdings(struct compilation *compilation, const struct lowering_request *request, struct plan *plan,
	struct plan_nest *out, struct obstacle *obstacle);

/* Merges groups of VARIANT that cannot be in buffers of their own whatever the schedule, since they
 * clash in visits of one iteration of the band, and so in all that hold one.  False if there are
 * none.  Where it is long to find out they do, or, IF_SURE, they do not. */
bool nest_merge_clashing(struct compilation *compilation, const struct variant *variant,
	bool if_sure, struct merges *merges);

/* The loops over VARIANT's dimensions, all sequential, around the parts of its body: those around
 * it, and new ones. */
struct outer_loops *outer_loops_make(struct compilation *compilation, const struct variant *variant,
	struct plan *plan);
/* Appends to BLOCK those LOOPS over dimensions FROM up to END, one iteration a tile; returns the
 * innermost body. */
struct plan_node *plan_around(struct compilation *compilation, const struct outer_loops *loops,
	int from, int end, struct plan *plan, struct plan_node *block);

/* The multiply-accumulates of NEST, each instance of its statements run once; -1: not
 * known. */
long nest_macs(const struct nest *nest);
/* The same where instances run again in the tiles of SCHEDULE, as their spans say. */
long group_macs(const struct variant *group, const struct schedule *schedule);
/* Fills in OUT's traffic from its body; false if that takes too many steps. */
bool nest_count_traffic(struct compilation *compilation, const struct variant *variant,
	struct plan_nest *out);

#endif
