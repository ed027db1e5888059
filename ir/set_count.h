#ifndef IR_SET_COUNT_H
#define IR_SET_COUNT_H

#include <isl/set.h>

/* The number of points of SET; -1 if finding it takes too much work, or it is no long. */
long set_count(__isl_take isl_set *set);

/* A number of points that SET has at least: all of them, unless counting takes much work, which
 * is limited.  0 of an empty set, and where nothing is known. */
long set_count_at_least(__isl_take isl_set *set);

#endif
