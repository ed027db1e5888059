#ifndef ONNX_PRINT_H
#define ONNX_PRINT_H

#include <stdio.h>

#include "onnx/network.h"

/* A name of C made of a name of ONNX: letters, digits and underscores. */
const char *print_name(struct arena *arena, const char *name);

/* Gives all arrays names, and lists the constants that are weights, in the order of their use. */
void print_prepare(struct network *network, struct value ***weights, int *count);
/* network.loop. */
void print_loops(FILE *out, struct network *network);

/* layers.awk: puts the nodes of each nest beside its name in what loopc prints. */
void print_layers(FILE *out, const struct network *network);

#endif
