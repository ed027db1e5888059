#ifndef ONNX_FUNCTION_H
#define ONNX_FUNCTION_H

#include "onnx/network.h"

/* The functions of network.loop: one of all nests, or one for each block.
 *
 * Between two nests the network is narrow if at most one array goes through: it is written, or as an input
 * read, before, and used after.  One that is still written to after counts twice.  The narrow places cut
 * the nests into pieces.  A piece of one nest is a link of a chain; one of several begins where a tensor
 * goes several ways and ends where these have come together, as a residual or an inception block does.
 * A function is one such block, or the links that follow each other. */
struct function {
	const char *name;
	struct nest *first, *end;        /* the nest after the last, or NULL */
	/* Inputs, what functions before have made, weights; from READ_COUNT on what it makes. */
	struct value **parameters;
	int parameter_count, read_count;
	struct value **locals;
	int local_count;
};

/* After place_network.  Arrays that go from one function to another get offsets in one piece of memory, of
 * network->between_bytes; two share it where they are not needed at once. */
void function_split(struct network *network, bool per_block);

#endif
