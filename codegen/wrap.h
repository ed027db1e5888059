#ifndef CODEGEN_WRAP_H
#define CODEGEN_WRAP_H

#include <stdio.h>

/* Prints TEXT, C without line breaks, DEPTH tabs in.  A line longer than 100 columns
 * is broken at spaces that are not in a literal, and goes on two tabs deeper. */
void print_wrapped(FILE *out, int depth, const char *text);

#endif
