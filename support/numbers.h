#ifndef SUPPORT_NUMBERS_H
#define SUPPORT_NUMBERS_H

/* isl's numbers are GMP's, each with memory of its own, mostly of 8 bytes, that it takes and gives back
 * some million times in a second.  From here on GMP has this from lists of free cells.  Before its first
 * number; nothing without GMP. */
void numbers_begin(void);

#endif
