#ifndef ONNX_PROJECT_H
#define ONNX_PROJECT_H

#include <stdbool.h>

#include "onnx/network.h"

struct project {
	const char *directory;           /* -o; made if it is not there */
	bool has_c_weights;              /* --weights=c */
	bool per_block;                  /* --function-per-block */
	const char *depfile;             /* NULL: none */
	const char *depfile_target;
};

/* Writes all files, or none. */
void project_write(struct network *network, const struct project *project);

#endif
