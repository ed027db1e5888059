#ifndef PASSES_ARRAY_PARTS_H
#define PASSES_ARRAY_PARTS_H

#include "passes/cost/array_model.h"
#include "passes/cost/cut.h"

/* What the files that evaluate a mapping share: which elements have boxes of their own of an array's region. */

struct mapped {
	const struct nest_model *model;
	const struct pe_array *machine;
	const struct schedule *outer;
	const struct mapping *mapping;
};

/* What of an array's regions counts as a box of its own. */
enum view { EACH_ELEMENT, EACH_READ };

/* Whether the elements along LOOP are served one by one. */
bool elements_are_apart(const struct mapped *mapped, enum view view, int loop);
/* How LOOP's iterations are cut in a tile of TILE of them. */
struct split elements_split(const struct mapped *mapped, int loop, long tile);
/* Elements with the same region of array A, in a tile whose sizes are TILE. */
long elements_sharing(const struct mapped *mapped, int a, enum view view, const long *tile);

#endif
