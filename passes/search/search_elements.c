/* What processing elements add to the cost of a schedule: each leaf of the tree has a search for mappings of its own. */

#include <math.h>
#include <string.h>

#include "passes/search/search_state.h"

double elements_bound(const struct space *space, const double *bytes)
{
	const struct element_price *price = &space->elements->price;
	double moved = 0;

	/* what comes to the scratchpad comes from there to some element, and leaves likewise, as often as its region comes; where a
	 * memory adds sums up they leave alone */
	for (int a = 0; a < space->model->array_count; a++)
		moved += space->is_coupled[a] ? 0 : fmax(bytes[a], 0) * (space->elements->rules.accumulating &&
			space->elements->rules.sums >> a & 1 ? 0.5 : 1);
	return space->least_cycles_price + fmax((price->moved + price->delivered) * moved, space->least_elements);
}

double elements_at_leaf(struct tree *tree, int depth, double below)
{
	const struct space *space = tree->space;
	const struct element_options *elements = space->elements;
	struct schedule outer;
	struct mapping mapping;
	struct mapping_proof proof;
	double least = 0;
	long most = space->is_first_look ? MAPPING_LOOK_POINTS : MAPPING_LEAF_POINTS;
	long share = tree->limits.all / 8, points = share < 250 ? 250 : share < most ? share : most;
	bool found;

	memset(&outer, 0, sizeof outer);
	finish_order(tree, depth, &outer);
	for (int a = 0; a < space->model->array_count; a++) {
		outer.storage[a].store = tree->stored[a].store;
		outer.storage[a].memory = space->memory_of[a];
		least += tree->stored[a].least_bytes;
	}
	found = mapping_search(space->model, &space->arch->array, &outer, &elements->rules, &elements->price,
		&(struct mapping_sought){ below, points, false }, &mapping, &proof);
	tree->points += proof.points;
	/* who has a small share will be asked again */
	if (!proof.is_complete && points < most)
		tree->is_cut = true;
	else if (!proof.is_complete)
		tree->unmapped = fmin(tree->unmapped, least + proof.bound);
	return found ? proof.value : INFINITY;
}
