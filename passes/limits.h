#ifndef PASSES_LIMITS_H
#define PASSES_LIMITS_H

/* What a nest may have at most: loops of its band, arrays (bits of an unsigned; more where its
 * parts use fewer), and dimensions of an array. */
enum { MODEL_LOOPS = 12, MODEL_ARRAYS = 31, MODEL_RANK = 16 };
/* Loops of a group of nests, and how many of them are tiled. */
enum { GROUP_DIMS = 6, GROUP_DEPTH = 3 };
/* Points of --effort below which the first answer is wanted: nothing is looked for beside it. */
enum { THOROUGH_EFFORT = 20000 };

#endif
