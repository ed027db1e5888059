#ifndef PASSES_LIMITS_H
#define PASSES_LIMITS_H

/* Limits that users can meet: beyond them something is refused or not looked for.  Those of programs
 * are in ir/program.h. */

/* What a nest may have at most: loops of its band, arrays (bits of an unsigned; more where its
 * parts use fewer), and dimensions of an array.  Each node of a search has tables of these sizes. */
enum { MODEL_LOOPS = 12, MODEL_ARRAYS = 31, MODEL_RANK = 16 };
/* Pairs of accesses of a nest that may meet: more are refused, for dependences are looked for in each
 * and none may be left out. */
enum { ACCESS_PAIRS_LIMIT = 150000 };

/* Nests of a function: in larger ones none are fused, no arrays carried, and no bound is looked for
 * but that of each nest, for all pairs of nests are compared. */
enum { FUNCTION_NESTS = 256 };
/* Loops of a group of nests, and how many of them are tiled: all orders of so many are tried. */
enum { GROUP_DIMS = 6, GROUP_DEPTH = 3 };
/* Arrays that a function could carry: a set of them is an unsigned long, and sums of so many sizes
 * are no more than a long. */
enum { CARRY_LIMIT = 30 };

/* Points of --effort below which the first answer is wanted: nothing is looked for beside it. */
enum { THOROUGH_EFFORT = 20000 };
/* Points of a search that --effort does not limit: some ten seconds.  Where a model only bounds the
 * regions its best is not worth that, once for each budget: all searches of a variant together have
 * fewer.  A nest's parts may be many. */
enum { EXHAUSTIVE_POINTS = 80000000, BOXES_POINTS = 10000000, PART_POINTS = 2000000 };
/* Points of a search for what no form of a nest with some band moves less than; and where it is known what is moved, below which
 * few are left, so that most such searches end early. */
enum { FORMS_POINTS = 200000, FORMS_BELOW_POINTS = 1000000 };
/* Points of a search for a mapping to processing elements, and for one of those that cost as little in fewer cycles. */
enum { MAPPING_POINTS = 2000000, MAPPING_TIE_POINTS = 1000000 };
/* The same of one of the schedules that a search looks at with them. */
enum { MAPPING_LEAF_POINTS = 20000, MAPPING_LOOK_POINTS = 1000 };
/* The same of such a search all in all: where time has no price it mostly ends before, by itself, within ten seconds, but not where what
 * single elements get and add up has: of layers the rest of minutes then shows nothing more.  Fewer are enough, too, where the user says some
 * of the schedule, as nothing of what is shown is told then.  Where time has a price a point looked at at random is more work, and others are less. */
enum { ELEMENTS_POINTS = 200000000, DELIVERED_POINTS = 2000000, TIMED_SAID_POINTS = 2200000, TIMED_POINTS = 8400000 };
/* Where time has a price and a core computes: more show little more.  Of each of several nests, of which nothing that is shown is told; and where elements
 * compute these, if time has a price or only their words. */
enum { CORE_POINTS = 2000000, CORE_POINTS_OF_SEVERAL = 300000, TIMED_POINTS_OF_SEVERAL = 2000000, WORDS_POINTS_OF_SEVERAL = 500000 };
/* Those of it that look for something good before all is searched. */
enum { LOOK_POINTS = 4000000 };
/* Points that are looked at at random first: a share of all, at most. */
enum { ANNEALING_POINTS = 600000, TIMED_ANNEALING_POINTS = 2200000 };
/* Kinds of steps that are timed for a point; so many more count as another one. */
enum { STEPS_TIMED = 64, STEPS_OF_POINT = 8 };
/* Ways for elements to share a loop that are compared for a point: huge tiles have many. */
enum { SHARES_OF_POINT = 1024 };
/* Ways to give the arrays of a nest to a machine's memories that are searched: where there are more,
 * nothing is proved.  Places that are looked at for carried arrays, until all have one. */
enum { MEMORY_ASSIGNMENTS = 256, CARRY_PLACES = 4096 };
/* Ways to cut a group that are evaluated, and ways to hold what stages need within one of them: groups
 * are weighed by the thousand. */
enum { GROUP_POINTS = 200000, GROUP_HOLD_STEPS = 20000 };
/* Sizes of the tiles of one loop of a group that are tried: all, if it has no more than some 16,000 iterations, as each has a
 * profile, whose work grows with the group.  Of more, so many are tried, evenly chosen, and nothing is proved. */
enum { GROUP_SIZES = 256 };
/* Nests of a function when some are distributed, and how often it is lowered with some distributed, to be compared: not once more
 * where isl has done so many operations for that, some five seconds of work. */
enum { DISTRIBUTED_NESTS = 16, DISTRIBUTED_TRIES = 8, DISTRIBUTED_OPERATIONS = 24000000 };
/* How often nests of a function that have several wide ones among them are weighed merged, a second or two of work each, while its parts
 * are compared; and what they may have to save: one of so many bytes. */
enum { WIDE_TRIES = 4, WIDE_SHARE = 64 };
/* Parts of a function that are looked at for what no choice for it moves less than: those of so many pairs of nests, together,
 * as what is asked of isl grows with these. */
enum { SPACE_PAIRS = 160 };
/* Nests of a function of which each set of carried arrays has a bound of its own, and all merged nests are in the space.  In longer ones, and where
 * there are too many sets, parts are looked at for all sets at once: those of so many nests, together, some five to ten seconds of work. */
enum { SPACE_NESTS = 16, SPACE_LOOKS = 15000 };
/* Threads of a search: -j is no more. */
enum { MAX_THREADS = 64 };

#endif
