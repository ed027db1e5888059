#ifndef PASSES_RIVALS_H
#define PASSES_RIVALS_H

#include "passes/variants/choice.h"

/* The parts of NEST, lowered one by one, move so many bytes at least; LONG_MAX: they cannot move less
 * than the best of NEST as a whole, which is CHOICE and became BEST.  Bounds are not looked for beyond what
 * BEST reaches.  NEST's dependences are known. */
long parts_bound(struct compilation *compilation, const struct nest *nest, const struct choice *choice,
	const struct plan_nest *best);

/* Each of the parts of NEST inside the first LOOPS loops moves what it needs by itself, at least once: so
 * many bytes in all; LONG_MAX: there are none. */
long parts_compulsory(struct compilation *compilation, const struct nest *nest, int loops);

#endif
