#ifndef ONNX_PLACE_H
#define ONNX_PLACE_H

#include "onnx/network.h"

/* Where elements are: every access of a value comes down to one of an array. */

/* Floats that are integers in truth: inputs are converted first.  Before lowering. */
void place_inputs(struct network *network);
/* Outputs are arrays of their own, in the type of the file.  Then nests that nobody needs go, and
 * every access is made to be one of an array, by splitting loops, joining dimensions, or copying. */
void place_network(struct network *network);

/* The array that the access is of, with subscripts in loops that are not split. */
struct value *place_access(struct nest *nest, const struct expression *access, struct index *at);
/* The index with split loops replaced by their parts. */
struct index place_expanded(const struct nest *nest, const struct index *index);

/* The dimensions of the array in memory: without those of 1, joined where they are.  For a subscript
 * in each, LIST and STRIDES say which of the value's make it up. */
struct storage {
	int rank;
	int64_t dims[RANK_LIMIT];
	int first[RANK_LIMIT], last[RANK_LIMIT];
};
struct storage place_storage(const struct value *value);

#endif
