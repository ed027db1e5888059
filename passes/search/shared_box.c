#include "passes/search/shared_box.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory.h"

/* The sides of a box are shared one after the other. */
struct sharing {
	const struct shared_box *box;
	double rest[MODEL_RANK + 1]; /* the sides from one on, multiplied, if each is whole */
	double least;                /* the busiest element has, in the best way so far */
};

static double length_of(const struct box_side *side, long iterations)
{
	return side->base + side->coefficient * (double)(iterations - 1);
}

/* Shares the sides from number I on, where the busiest element has OWN of those before and ROOM [axis] elements are left. */
static void share_sides(struct sharing *sharing, int i, double own, const long room[2])
{
	const struct box_side *side = &sharing->box->sides[i];

	/* X elements have parts that are no less than an X-th of all */
	if (own * sharing->rest[i] >= sharing->least * (double)(room[0] * room[1]))
		return;
	/* the last one has the longer axis */
	if (i + 1 >= sharing->box->count) {
		if (i < sharing->box->count)
			own *= length_of(side, (side->iterations - 1) / (room[0] > room[1] ? room[0] : room[1]) + 1);
		sharing->least = own < sharing->least ? own : sharing->least;
		return;
	}
	for (int axis = 0; axis < (room[0] == room[1] ? 1 : 2); axis++) {
		long left[2] = { room[0], room[1] };

		/* of numbers of elements that leave as many iterations for one the least will do */
		for (long elements = room[axis]; elements >= 1; elements--) {
			long part = (side->iterations - 1) / elements + 1;

			elements = (side->iterations - 1) / part + 1;
			left[axis] = room[axis] / elements;
			share_sides(sharing, i + 1, own * length_of(side, part), left);
		}
	}
}

/* What the busiest element has at least of BOX, but for what is fixed, where ROOM [axis] elements share it. */
static double least_sides(const struct shared_box *box, const long room[2])
{
	struct sharing sharing = { .box = box, .least = INFINITY };

	sharing.rest[box->count] = 1;
	for (int i = box->count - 1; i >= 0; i--)
		sharing.rest[i] = sharing.rest[i + 1] * length_of(&box->sides[i], box->sides[i].iterations);
	share_sides(&sharing, 0, 1, room);
	return sharing.least;
}

/* ---- what was found before ---- */

enum { REMEMBERED = 4096, REMEMBERED_SIDES = 4 };

struct remembered {
	long room[2];                /* 0: nothing */
	int count;
	struct box_side sides[REMEMBERED_SIDES];
	double least;
};

struct shared_boxes { struct remembered items[REMEMBERED]; };

struct shared_boxes *shared_boxes_new(void)
{
	struct shared_boxes *boxes = calloc(1, sizeof *boxes);

	if (!boxes)
		memory_exhausted();
	return boxes;
}

static bool are_same_sides(const struct box_side *one, const struct box_side *other, int count)
{
	bool are_same = true;

	for (int i = 0; i < count && are_same; i++)
		are_same = one[i].base == other[i].base && one[i].coefficient == other[i].coefficient &&
			one[i].iterations == other[i].iterations;
	return are_same;
}

/* Where BOX, shared by ROOM elements, is remembered. */
static struct remembered *place_of(struct shared_boxes *boxes, const struct shared_box *box, const long room[2])
{
	unsigned long hash = (unsigned long)room[0] * 31 + (unsigned long)room[1];

	for (int i = 0; i < box->count; i++)
		hash = (hash * 31 + (unsigned long)box->sides[i].base) * 31 + (unsigned long)box->sides[i].iterations;
	return &boxes->items[(hash ^ hash >> 12 ^ hash >> 24) % REMEMBERED];
}

/* least_sides, unless it is known; BOXES (NULL: nothing is). */
static double remembered_least(struct shared_boxes *boxes, const struct shared_box *box, const long room[2])
{
	struct remembered *item;

	if (!boxes || box->count > REMEMBERED_SIDES)
		return least_sides(box, room);
	item = place_of(boxes, box, room);
	if (item->room[0] == room[0] && item->room[1] == room[1] && item->count == box->count &&
		are_same_sides(item->sides, box->sides, box->count))
		return item->least;
	*item = (struct remembered){ .room = { room[0], room[1] }, .count = box->count, .least = least_sides(box, room) };
	memcpy(item->sides, box->sides, (size_t)box->count * sizeof *box->sides);
	return item->least;
}

bool shared_box_fits(struct shared_boxes *boxes, const struct shared_box *box, const struct pe_array *machine, const long *used,
	double most)
{
	const long room[2] = { machine->is_free ? (long)machine->x * machine->y / used[AXIS_FREE] : machine->x / used[AXIS_X],
		machine->is_free ? 1 : machine->y / used[AXIS_Y] };

	most *= 1 + 1e-9;
	return box->fixed <= most && box->fixed * remembered_least(boxes, box, room) <= most;
}
