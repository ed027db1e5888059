#ifndef PASSES_RIVALS_H
#define PASSES_RIVALS_H

#include "passes/analysis/nest.h"

/* Whether the parts of NEST, lowered one by one, may move less than BYTES, which is what the best
 * schedule moves of NEST as a whole.  BAND: the band that this one has, with closed forms for all
 * regions; NULL: it has none.  NEST's dependences are known. */
bool parts_may_move_less(struct compilation *compilation, struct nest *nest,
	const struct nest *band, long bytes);

#endif
