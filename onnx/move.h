#ifndef ONNX_MOVE_H
#define ONNX_MOVE_H

#include "onnx/lower.h"

/* What operators that move elements share. */

/* The shape that LIST says; refuses if it is none. */
struct shape move_shape(struct network *network, const struct tensor *list);
/* OUTPUT is of X's type, here and in the file. */
void move_keep_type(struct value *output, const struct value *x);
/* Each dimension is itself. */
void move_identity_axes(struct view_axis *axes, int rank);
int64_t move_clamped(int64_t x, int64_t low, int64_t high);

#endif
