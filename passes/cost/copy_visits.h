#ifndef PASSES_COPY_VISITS_H
#define PASSES_COPY_VISITS_H

#include "ir/arch.h"
#include "passes/cost/model.h"

/* What is copied in a visit of a schedule's buffers, and how often, on average: what the files share that say how long a run takes before there is a
 * plan.  But for region_levels the schedule is evaluated. */

/* Iterations of the first DEPTH tile loops, all in all; how often the loop at PLACE goes on. */
double tile_iterations(const struct nest_model *model, const struct schedule *schedule, int depth);
double tile_turns(const struct nest_model *model, const struct schedule *schedule, int place);
/* Bytes that come, of all that SCHEDULE moves. */
double coming_bytes(const struct nest_model *model, const struct schedule *schedule);
/* The buffer of ARRAY shows in the next run of the loop that moves it what it showed last, as the loop at PLACE goes on: struct storage. */
bool visit_is_kept(const struct model_array *array, const struct schedule *schedule, const struct storage *storage, int place);
/* How often a turn keeps what array A's buffer shows. */
double kept_turns(const struct nest_model *model, const struct schedule *schedule, int a);
/* Of the times that the loop goes on which moves array A's buffer those where something moves, not what a turn keeps in other slots. */
double moving_share(const struct nest_model *model, const struct schedule *schedule, int a);
/* A box with these SIDES [rank] of an array with WHOLE ones, in external memory: a contiguous piece of so many elements, so many of these at a distance, and
 * so on.  Returns how many LEVELS [rank + 1] there are. */
int box_levels(int rank, const double *sides, const double *whole, double *levels);
/* The same of a region of array A, as SCHEDULE holds it: LEVELS [MODEL_RANK + 1]. */
int region_levels(const struct nest_model *model, const struct schedule *schedule, int a, double *levels);
/* Into how many commands ARCH splits a transfer of so many BYTES with these LEVELS [count], where it has more dimensions or bytes than one may: about.
 * LEVELS is changed. */
double split_commands(const struct arch *arch, double bytes, double *levels, int count);
/* Commands of ARCH that move what is in CROSSING, at least; those of one transfer may start together. */
double crossing_commands(const struct arch *arch, const struct crossing *crossing);

/* What moves in a visit of a buffer one way: so many commands, of so many bytes each, in pieces of external memory. */
struct visit_copies { double commands, bytes, pieces; };
/* What comes in a visit of array A's buffer, or leaves, but for those that are kept: about. */
struct visit_copies visit_copies(const struct nest_model *model, const struct arch *arch, const struct schedule *schedule, int a, bool is_put);
/* The same of a window that slides: of a WHOLE one, where a run of its loop begins, and of what is NEW in each other. */
void window_copies(const struct nest_model *model, const struct arch *arch, const struct schedule *schedule, int a, struct visit_copies *whole,
	struct visit_copies *new);

#endif
