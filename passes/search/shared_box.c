#include "passes/search/shared_box.h"

#include <math.h>

/* The sides of a box are shared one after the other. */
struct sharing {
	const struct shared_box *box;
	double rest[MODEL_RANK + 1]; /* the sides from one on, multiplied, if each is whole */
	double most;
};

static double length_of(const struct box_side *side, long iterations)
{
	return side->base + side->coefficient * (double)(iterations - 1);
}

/* The sides from number I on can be shared, where the busiest element has OWN of those before and ROOM [axis] elements are left. */
static bool share_sides(const struct sharing *sharing, int i, double own, const long room[2])
{
	const struct box_side *side = &sharing->box->sides[i];
	bool fits = false;

	/* X elements have parts that are no less than an X-th of all */
	if (own * sharing->rest[i] > sharing->most * (double)(room[0] * room[1]))
		return false;
	if (i == sharing->box->count)
		return own <= sharing->most;
	/* the last one has the longer axis */
	if (i + 1 == sharing->box->count)
		return own * length_of(side, (side->iterations - 1) / (room[0] > room[1] ? room[0] : room[1]) + 1) <= sharing->most;
	for (int axis = 0; axis < (room[0] == room[1] ? 1 : 2) && !fits; axis++) {
		long left[2] = { room[0], room[1] };

		/* of numbers of elements that leave as many iterations for one the least will do */
		for (long elements = room[axis]; elements >= 1 && !fits; elements--) {
			long part = (side->iterations - 1) / elements + 1;

			elements = (side->iterations - 1) / part + 1;
			left[axis] = room[axis] / elements;
			fits = share_sides(sharing, i + 1, own * length_of(side, part), left);
		}
	}
	return fits;
}

bool shared_box_fits(const struct shared_box *box, const struct pe_array *machine, const long *used, double most)
{
	const long room[2] = { machine->is_free ? (long)machine->x * machine->y / used[AXIS_FREE] : machine->x / used[AXIS_X],
		machine->is_free ? 1 : machine->y / used[AXIS_Y] };
	struct sharing sharing = { .box = box, .most = most * (1 + 1e-9) };

	sharing.rest[box->count] = 1;
	for (int i = box->count - 1; i >= 0; i--)
		sharing.rest[i] = sharing.rest[i + 1] * length_of(&box->sides[i], box->sides[i].iterations);
	return share_sides(&sharing, 0, box->fixed, room);
}
