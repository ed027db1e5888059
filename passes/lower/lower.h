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

/* Lowers VARIANT under SCHEDULE into OUT (body, traffic, buffers of PLAN).  HAS_FORMS as
 * nest_model_build returned it: then places of buffers are in the schedule; else they are
 * chosen here, where DOUBLING [array] says which are to be double, then which are, and SCHEDULE
 * how many slots there are to be, then are.  False if there is no plan; OBSTACLE says why, if it
 * can be mended. */
bool lower_with_schedule(struct compilation *compilation, const struct variant *variant,
	const struct nest_model *model, const struct region *regions, bool has_forms,
	struct schedule *schedule, enum doubling *doubling, enum detail detail, struct plan *plan,
	struct plan_nest *out, struct obstacle *obstacle);

/* Lowers a fused GROUP: tiles and order from SCHEDULE, buffers at STORE [array] in MEMORY [array]; windows
 * slide where they can.  DOUBLING [array]: what is wanted, then what was done.  False if it
 * does not fit or has no plan. */
bool lower_group_with_schedule(struct compilation *compilation, const struct variant *group,
	const struct schedule *schedule, const int *store, const int *memory, enum doubling *doubling,
	const struct group_stage *stages, int stage_count, enum detail detail, struct plan *plan, struct plan_nest *out);

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
