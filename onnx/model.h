#ifndef ONNX_MODEL_H
#define ONNX_MODEL_H

#include "onnx/network.h"

/* Reads the network's file: its operators in an order that can be run, its constants, its inputs
 * with the values of -D for symbolic dimensions.  Leaves by fail() where anything is wrong. */
void model_read(struct network *network);

/* A tensor of the model's file, or of a file of its own. */
struct tensor *model_tensor(struct network *network, const struct Onnx__TensorProto *proto);
struct tensor *model_tensor_file(struct network *network, const char *file, const char **name);

/* The constant that the test vector has for an input; NULL if there is none. */
struct tensor *model_vector(struct network *network, const char *what, int number, const char *name);

#endif
